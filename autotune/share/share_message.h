/* share_message: names the messages between rank 0 and the coordinators of all ranks, and what each
 * holds, in this order. A problem is its place in the list, from 0. */
#ifndef AUTOTUNE_SHARE_MESSAGE_H
#define AUTOTUNE_SHARE_MESSAGE_H

/* The encoding of a body is that of wire.h: n = u32, h = u64, r = real, s = string, b = bytes. */
enum share_message {
    /* From a coordinator to rank 0. */
    SHARE_HELLO = 1, /* s version, h hash of templates, spaces, list and options; n problems in
                      * it; s kind of its device; s name of that kind's record file; s host; n
                      * error code and s text: why it can do nothing, or 0 and "" */
    SHARE_ASK,       /* n problem, s name of its journal: what is in it? */
    SHARE_BEGIN,     /* n problem, s name, n is new; b the header, of a new one */
    SHARE_LINES,     /* n problem, b lines of its journal; also from rank 0 to the owner of the
                      * problem: lines of those who help */
    SHARE_TICK,      /* n variants left; r seconds that they may take, < 0 = not known yet */
    SHARE_GAVE,      /* n problem; b what is common to its slices; n slices; each: n variants, b
                      * their numbers: the answer to SHARE_GIVE */
    SHARE_RETURNED,  /* n problem: its slice is worked off */
    SHARE_WORKED,    /* n problem: the owner has nothing left but what others have of it */
    SHARE_DONE,      /* n problem, n outcome; n error code, s text; s line for people; n cells,
                      * each n is there, s; b the record as a record file, or nothing */
    /* From the relay of a rank: between its coordinator and MPI. */
    SHARE_ALIVE, /* r seconds since the coordinator said anything */
    SHARE_LOST,  /* s how the coordinator ended */
    /* From rank 0 to a coordinator. */
    SHARE_WELCOME,   /* b the record file of its kind, or nothing */
    SHARE_TUNE,      /* n problem: owns it from now on */
    SHARE_HELP,      /* n problem, b what is common, n variants, b their numbers */
    SHARE_GIVE,      /* n problem, n into how many slices, at most: gives work away */
    SHARE_JOURNAL,   /* n problem, h time of its last line, b the journal or nothing:
                      * the answer to SHARE_ASK */
    SHARE_MORE,      /* n problem, n variants, b their numbers: to an owner that waits; it does
                      * these after all */
    SHARE_BACK,      /* n problem: all its slices are back */
    SHARE_BROADCAST, /* s name, b the record file: is merged into the cache */
    SHARE_END,
};

/* Of SHARE_DONE. */
enum share_outcome { SHARE_TUNED, SHARE_RECORDED, SHARE_KNOWN, SHARE_FAILED, SHARE_OUTCOMES };

#endif
