/* race_places: the times of a race, for race.c alone, and what they say of who stands where:
 * the leader, everybody's ratio to it, and in the end the places. Hides how the leader is found
 * and which intervals decide ties. */
#ifndef AUTOTUNE_RACE_PLACES_H
#define AUTOTUNE_RACE_PLACES_H

#include "autotune/measure/race.h"

/* All of them share the first rounds: whoever is in has taken part in each accepted one. */
struct race_times {
    size_t count, most;       /* entrants; accepted rounds at most */
    size_t reference, leader; /* entrants */
    bool is_beaten[RACE_ENTRANTS_MAX];
    size_t taken[RACE_ENTRANTS_MAX]; /* accepted rounds of each */
    uint64_t *times_ps;              /* entrant after entrant, `most` each */
    double *work;                    /* as many, for sorting */
};

/* Whoever is not beaten; the reference always. */
bool race_places_is_in(const struct race_times *times, size_t entrant);

uint64_t *race_places_times(const struct race_times *times, size_t entrant);

/* The median of an entrant's times over the leader's, in the rounds it took part in (>= 1). */
double race_places_ratio(const struct race_times *times, size_t entrant);

/* Makes whoever beats the leader round by round the leader. Needs a round. */
void race_places_lead(struct race_times *times);

/* The larger distance of the ends of the leader's 95 % interval from its median, relative. */
double race_places_width(struct race_times *times);

/* Fills places, count and ties; `margin` as in race_options. Those without a round get no
 * times. */
void race_places_fill(struct race_result *out, struct race_times *times, double margin);

#endif
