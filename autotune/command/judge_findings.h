/* judge_findings: collects what each launch of a judged kernel gave, size by size, and finds a sentence for it:
 * which elements a wrong result lacks, and what sizes or starts that are wrong have in common. */
#ifndef AUTOTUNE_JUDGE_FINDINGS_H
#define AUTOTUNE_JUDGE_FINDINGS_H

#include "autotune/verify/check_small.h"

enum { JUDGE_SIZES_MAX = 600, JUDGE_WHAT_CHARS = 500 };

/* What results say that are not the expected ones. A fault has those of the bits it has. */
enum judge_sign {
    JUDGE_DROPS_LAST,   /* the result of all but the last element */
    JUDGE_WHOLE_BLOCKS, /* of the whole blocks' elements */
    JUDGE_DROPS_FIRST,  /* of all but the first */
    JUDGE_READS_PAST,   /* of one more element than there are */
    JUDGE_FIRST_BLOCK,  /* of as many elements as a block has threads */
    JUDGE_NO_ELEMENT,   /* of none */
    JUDGE_STALE,        /* the same as of the wrong case before, whose elements are others */
    JUDGE_FROM_ZERO,    /* 0, which is not what this operation begins with */
    JUDGE_SIGNS
};

/* A wrong launch. */
struct judge_fault {
    uint64_t start, result;
    unsigned launch; /* 0: the first */
    bool is_special; /* of NaN, infinities and -0 */
    bool wants_zeros, wants_scratch, is_unsteady;
    bool has_bits;
    char what[JUDGE_WHAT_CHARS], expected[ORACLE_CHARS], got[ORACLE_CHARS];
};

struct judge_size {
    struct dims dims;
    uint64_t runs, wrong, wrong_aligned; /* `wrong_aligned`: of those that begin at 16 bytes */
    /* Of the wrong ones: special values; only the second launch; right where results, or where scratch was zero;
     * another result each time. */
    uint64_t special, again, zeros, scratch, unsteady;
    struct judge_fault first;
};

/* No pointers: two processes have it. */
struct judge_findings {
    struct problem problem; /* no sizes */
    uint64_t block, tile;
    uint64_t runs, wrong;
    struct judge_size sizes[JUDGE_SIZES_MAX];
    size_t size_count;
    uint64_t examined,
        signs[JUDGE_SIGNS]; /* wrong results whose elements were looked at; with each sign */
    oracle_bits last_got;   /* of the wrong result that was looked at before */
    bool has_last, is_special;
    bool is_running; /* a launch of `running` */
    struct dims running;
    uint64_t running_start;
    char outside[JUDGE_WHAT_CHARS]; /* what is wrong with no case in particular; "": nothing */
};

/* The cases of a check; `context` is the findings. */
void judge_findings_begin(void *context, const struct dims *dims, uint64_t start);
void judge_findings_end(void *context, const struct check_fault *fault);

/* Ends the case that runs as a wrong one. */
void judge_findings_fail(struct judge_findings *findings, const char *what);

/* Is it right, but for n = 0? */
bool judge_findings_is_right(const struct judge_findings *findings);

/* Appends what is wrong, as sentences; nothing where nothing is. */
void judge_findings_explain(struct text *out, const struct judge_findings *findings);

/* The smallest size that is wrong, or NULL. */
const struct judge_size *judge_findings_smallest(const struct judge_findings *findings);

#endif
