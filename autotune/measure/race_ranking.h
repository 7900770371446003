/* race_ranking: keeps the times of a race for race.c, and computes from them the leader, every
 * entrant's ratio to it, and in the end the places. Hides how the leader is found and which
 * intervals decide ties. */
#ifndef AUTOTUNE_RACE_RANKING_H
#define AUTOTUNE_RACE_RANKING_H

#include "autotune/measure/race.h"

/* All entrants share the first rounds: an entrant that is in has taken part in each accepted
 * round. */
struct race_times {
    size_t count, most;       /* entrants; accepted rounds at most */
    size_t chosen;            /* rounds that chose the leader; later ones are fresh */
    size_t reference, leader; /* entrants; of a comparison its base leads */
    bool is_comparison;
    bool is_beaten[RACE_ENTRANTS_MAX];
    size_t taken[RACE_ENTRANTS_MAX]; /* accepted rounds of each */
    uint64_t *times_ps;              /* entrant after entrant, `most` each */
    double *work;                    /* as many, for sorting */
};

/* Is the entrant not beaten? Always true for the reference. */
bool race_ranking_is_in(const struct race_times *times, size_t entrant);

uint64_t *race_ranking_times(const struct race_times *times, size_t entrant);

/* The median of an entrant's times over the leader's, in the rounds (>= 1) that it took part in
 * while the leader was chosen. */
double race_ranking_ratio(const struct race_times *times, size_t entrant);

/* Makes the entrant that beats the leader round by round the leader. Needs a round. */
void race_ranking_lead(struct race_times *times);

/* The larger distance of the ends of the leader's 95 % interval from its median, relative, of
 * fresh rounds alone once there are any. */
double race_ranking_width(struct race_times *times);

/* Fills places, count and ties; `margin` as in race_options. Entrants without a round get no
 * times. */
void race_ranking_fill(struct race_result *out, struct race_times *times, double margin);

#endif
