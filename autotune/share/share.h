/* share: shares the problems of a list out among ranks as they become free: the code of rank 0. It
 * takes what ranks say and what time it is, and says what to send and what to write; it knows no MPI,
 * no file and no clock, so that a test drives it with thousands of ranks. */
#ifndef AUTOTUNE_SHARE_H
#define AUTOTUNE_SHARE_H

#include "autotune/share/share_message.h"
#include "autotune/share/wire.h"
#include "cache/store.h"

enum {
    SHARE_HOST = 64,
    SHARE_NAME = 256,   /* of a file, with its zero */
    SHARE_IO_MAX = 256, /* at most so many at the same time */
    SHARE_TRIES = 3,    /* ranks lost at a problem, before it has failed */
};

/* What is to be done with a file. */
struct share_io {
    enum share_io_kind {
        SHARE_IO_APPEND, /* `bytes` to the journal `name`; `is_new`: one that is there is set aside */
        SHARE_IO_READ, /* the journal `name` into `bytes`; none is no bytes */
        SHARE_IO_SAVE, /* `records` into the record file `name` */
        SHARE_IO_LOAD, /* the record file `name` into `bytes`; none is no bytes */
    } kind;
    char name[SHARE_NAME];
    struct text bytes;
    struct records records;
    bool is_new;
    uint64_t
        time; /* of SHARE_IO_READ: seconds since 1970 at which the journal was written last */
    struct error error;    /* why it failed; ERROR_NONE */
    struct error moved;    /* of SHARE_IO_SAVE: an old file was; ERROR_NONE */
    size_t owner;          /* share's own */
    struct share_io *next; /* of whoever does it */
};
void share_io_free(struct share_io *io);

/* A problem that is done, on a kind of device. */
struct share_done {
    uint32_t problem;
    enum share_outcome outcome;
    const char *host;         /* of the rank */
    const char *line;         /* for people, without an end */
    const char *const *cells; /* of a table; a NULL cell is empty */
    size_t cell_count;
    const struct error *error; /* of SHARE_FAILED */
};

/* What share has done for it. */
struct share_ops {
    void (*send)(void *context, uint32_t rank, const struct wire *message);
    /* Begins it; when it has ended, share_io_done takes it. */
    void (*begin)(void *context, struct share_io *io);
    void (*done)(void *context, const struct share_done *done);
    void (*warn)(void *context, const char *text);
};

struct share;

struct share_options {
    uint32_t ranks, problems;
    const char *version;
    bool is_broadcast;
    const struct share_ops *ops;
    void *context;
};

/* NULL with the error. */
struct share *share_open(const struct share_options *options, struct error *error);
void share_close(struct share *share);

/* Events; `number` is the rank. `now` is in seconds, from anywhere on. */
void share_take(struct share *share, uint32_t number, struct wire *message, double now);
void share_lose(struct share *share, uint32_t number, const char *why, double now);
void share_io_done(struct share *share, struct share_io *io, double now);
void share_tick(struct share *share, double now); /* a few times a second */

/* Nothing more is begun; what came is still written. */
void share_stop(struct share *share);

/* All is done and written, or nothing can go on: see share_error. After it ranks are sent SHARE_END. */
bool share_is_over(const struct share *share);
void share_end(struct share *share);
/* After that: has each rank that is not lost closed its connection, and is all written? */
bool share_is_closed(const struct share *share);
bool share_is_written(const struct share *share);

/* Why not all was done; ERROR_NONE. */
const struct error *share_error(const struct share *share);

struct share_sum {
    size_t outcomes[SHARE_OUTCOMES];
    size_t slices, lost; /* given to others; ranks */
    uint64_t bytes;      /* of journals and records */
};
struct share_sum share_sum(const struct share *share);

#endif
