/* many_letter: writes and reads what ranks tell each other: a letter is a kind and named fields of text
 * or bytes. Records and journals stand in it as in their files, which have checksums of their own. */
#ifndef AUTOTUNE_MANY_LETTER_H
#define AUTOTUNE_MANY_LETTER_H

#include "generator/text.h"

#include <stdint.h>

/* In brackets what is left out where there is none. A problem is its place in the list, from 0. */
enum many_letter {
    /* From a rank to rank 0. */
    MANY_HELLO =
        1, /* version, hash, count of problems, key of the kind of device, gpu, is_host, host,
                     * [code, error: why it can do nothing] */
    MANY_NEXT, /* asks for work; what became of the last: [is_plan, plan: a table], or
                     * [problem, text, space, outcome, seconds, code, error, record], or [problem, lost: why
                     * there is no result] */
    MANY_ASK,  /* problem, journal: which file of trials is there of it? */
    MANY_TRIALS, /* problem, journal, time, from, bytes: what its file has from there on, as of then */
    MANY_STOPPED, /* nothing more comes */
    /* From rank 0. */
    MANY_PLAN,   /* [gpu, records]: looks which problems are known */
    MANY_TUNE,   /* problem, [gpu, records] */
    MANY_ANSWER, /* problem, [bytes, time: of the journal asked for] */
    MANY_STOP,   /* ends what runs, sends what it has tried, and MANY_STOPPED */
    MANY_END,    /* [gpu, records: of each kind, to be merged into the cache here] */
};

/* Whoever carries letters. */
struct many_post {
    void *context;
    /* Takes the letter's memory; one that could not be written ends the run. */
    void (*send)(void *context, uint32_t to, enum many_letter kind, struct text *letter);
};

/* Appends a field. */
void many_letter_add(struct text *letter, const char *name, const char *bytes, size_t length);
void many_letter_addf(struct text *letter, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The first field of this name behind `*at`, which begins as 0 and is moved behind the field; NULL: there
 * is none. What it points to is within the letter, and ends with a zero. */
const char *many_letter_next(const struct text *letter, const char *name, size_t *length,
                             size_t *at);

/* The first of all; "" and 0 where there is none. */
const char *many_letter_string(const struct text *letter, const char *name);
uint64_t many_letter_number(const struct text *letter, const char *name);

#endif
