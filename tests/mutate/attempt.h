/* attempt: proves one variant of a kernel, with a changed text, as `autotune verify --cover` does: on the
 * emulator, in a process of its own, whose time and memory are limited. Or it runs a command so. */
#ifndef AUTOTUNE_TEST_ATTEMPT_H
#define AUTOTUNE_TEST_ATTEMPT_H

#include "autotune/library/builtin_spaces.h"
#include "generator/emit.h"
#include "generator/space.h"

/* What became of an attempt: the exit status of its process. Any other end is a fault that was found. */
enum attempt_outcome { RIGHT = 40, WRONG, NOT_COMPILED, SAME_CODE, NOT_TRIED };

enum { ATTEMPT_NOTE_CHARS = 240, ATTEMPT_CPU_SECONDS = 30 };

/* Candidates that are one variant, and how it does with the texts as they are. */
struct attempt_variant {
    const struct space *space;
    const struct emit_sources *sources; /* as they are */
    const struct problem *problem;
    struct target target;
    int64_t *configs; /* config_count rows; the owner frees them */
    size_t config_count;
    bool
        has_all_positions; /* tries each one by one, as a GPU does; else as the emulator does ... */
    bool is_drawn;         /* ... or, of all, as many as the search tries of a candidate */
    double seconds;        /* that the proof of the unchanged kernel takes; 0 = not yet run */
    uint64_t code_hash; /* of the unchanged image */
    bool is_unfit;      /* not right, or too slow, as it is */
};

struct attempt {
    enum attempt_outcome outcome;
    int status; /* of waitpid */
    uint64_t code_hash;
    char note[ATTEMPT_NOTE_CHARS];
    double seconds; /* of a core */
};

/* Tries the variant with these sources. Code that is the unchanged one's is not run again, but with
 * another seed than 1: SAME_CODE. */
void attempt_run(struct attempt *out, const struct attempt_variant *variant,
                 const struct emit_sources *sources, uint64_t seed);

/* Runs a command of sh so: it ends with 0 (RIGHT), 1 (WRONG), 2 (NOT_COMPILED) or 3 (SAME_CODE). */
void attempt_command(struct attempt *out, const char *command);

/* Tries the variant as it is, the first time: is it right? Else says why not, once. */
bool attempt_is_fit(struct attempt_variant *variant);

/* Its problem and config, as a line. */
void attempt_print_variant(const struct attempt_variant *variant);

/* Opens a built-in space: NAME, or FOLDER/NAME where it is in another folder than configs. */
void attempt_open_space(struct builtin_files *out, const char *name);

/* The text of this name among those that kernels are made of, or NULL. */
struct emit_file *attempt_find_source(struct emit_sources *sources, const char *name);

/* Says why and ends the program: what is told here is wrong in the tree or its machine. */
_Noreturn void attempt_die(const char *why);

#endif
