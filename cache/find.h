/* find: the best record for a key, with a grade that says how well it fits. */
#ifndef AUTOTUNE_FIND_H
#define AUTOTUNE_FIND_H

#include "cache/record.h"
#include "cache/store.h"

enum find_grade {
    FIND_EXACT,     /* every field of the key */
    FIND_STALE,     /* driver or compiler changed: prove again before use */
    FIND_OTHER_N,   /* same GPU and problem, other n (an interval around n, else the nearest in
                     * log n) or cache regime */
    FIND_SAME_CC,   /* same compute capability, other GPU */
    FIND_SHIPPED,   /* from the records shipped with the program */
    FIND_NONE,      /* nothing fits: the space's default */
    FIND_GRADES
};
/* What to print: "exact", "same GPU, other n", ... */
extern const char *const find_grades[FIND_GRADES];

struct find_result {
    struct record record; /* undefined for FIND_NONE */
    enum find_grade grade;
    char difference[32];  /* the key field that differs, "" when exact */
};

/* `want` holds the key fields. A record of another problem, space, space hash, source hash or
 * method is not found at all, but `difference` names the first such field of the nearest record
 * when nothing better is there. A published record is for comparison and never found; an
 * emulated one stands only for its own device. Among records of one grade: the nearest in n
 * (a factor; an interval around n is nearer than any), where another cache regime counts like a
 * factor of 4, then in SMs. Of the shipped records those of the same GPU come first, then the
 * same compute capability, then the nearest older one. `all`: record sets, the own GPU's file first; `shipped` may be NULL. */
void find_record(struct find_result *out, const struct record *want, const struct records *all,
                 size_t set_count, const struct records *shipped);

#endif
