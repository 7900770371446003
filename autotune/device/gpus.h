/* gpus: gives what configs/gpus.ini says of architectures and of GPUs that are not here: the
 * limits of each architecture, and the size and speed of each GPU. That file has the sources of
 * the figures. */
#ifndef AUTOTUNE_GPUS_H
#define AUTOTUNE_GPUS_H

#include "autotune/device/occupancy.h"
#include "generator/error.h"
#include "generator/problem.h"

#include <stdbool.h>
#include <stdint.h>

/* Fills `target` for "sm_90" (or "90", "9.0"); ERROR_USAGE lists the known ones. */
int gpus_find(struct target *target, const char *arch, struct error *error);

/* The names known, in order, NULL-terminated: "sm_70", "sm_75", ... */
const char *const *gpus_names(void);

/* The limits of an SM of compute capability `cc`: 90 for 9.0. ERROR_USAGE lists the known. */
int gpus_limits(struct occupancy_limits *out, int cc, struct error *error);

/* Which of the instructions that not every GPU has this one has: "redux, cp.async"; "none". */
enum { GPUS_WORDS = 80, GPUS_INSTRUCTIONS = 5 };
extern const char *const gpus_instruction_names[GPUS_INSTRUCTIONS];
int gpus_instructions(char out[GPUS_WORDS], int cc, struct error *error);

/* A GPU as one can buy it. */
struct gpus_model {
    char name[64];  /* as in the table: "RTX 5070 Ti" */
    char label[64]; /* as its maker calls it: "GeForce RTX 5070 Ti" */
    struct target target;
    bool has_l2;                    /* else its L2 is that of the architecture's GPU */
    int clock_khz;                  /* boost; 0 = no document says */
    int memory_clock_khz, bus_bits; /* 0 likewise */
    uint64_t peak_bytes;            /* theoretical memory bandwidth, bytes per second */
    int blocks_per_us; /* that it starts, of a kernel that does nothing; 0 = nobody measured it */
    int atomics_per_us; /* of warps, all on one word, as many as any kernel did; 0 likewise */
    char source[160];   /* the document that says so */
};

enum { GPUS_MODELS_MAX = 64 };

/* Is there a GPU of this name? Letters and digits count, in either case, and neither does
 * "NVIDIA", "GeForce" nor "Tesla" before them: "rtx5070ti", "NVIDIA H200". */
bool gpus_knows_model(const char *name);

/* Is `gpu`, as its driver calls it, one that people call `wanted`? That is a word of its name or
 * some that follow each other, in either case and with or without what is between them, or a name
 * of it in the table: "a100", "A100-SXM4" and "A100 80GB" are of "NVIDIA A100-SXM4-80GB"; "h100" is
 * of no GH200, and "rtx 5070" of no RTX 5070 Ti. */
bool gpus_is_named(const char *gpu, const char *wanted);

/* A GPU from a file in the form of configs/gpus.ini, whose [gpu NAME] sections name an
 * architecture that is known here; `*is_there` is false where it has none of this name. ERROR_IO,
 * ERROR_USAGE: the file cannot be used. */
int gpus_read_model(struct gpus_model *out, bool *is_there, const char *path, const char *name,
                    struct error *error);

/* That GPU; ERROR_USAGE lists the known ones. */
int gpus_find_model(struct gpus_model *out, const char *name, struct error *error);

/* The names of the table, in its order, at most GPUS_MODELS_MAX of them. Returns how many. */
size_t gpus_list_models(char out[GPUS_MODELS_MAX][64]);

#endif
