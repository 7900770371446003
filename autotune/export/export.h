/* export: tuned kernels for programs that know nothing of this one. A model is made from the
 * records of one problem: which record serves which device and n, what each launches, the
 * kernels' sources. Each format is written from the model alone: the same records give the same
 * bytes. */
#ifndef AUTOTUNE_EXPORT_H
#define AUTOTUNE_EXPORT_H

#include "cache/interval.h"
#include "generator/emit.h"
#include "generator/error.h"
#include "generator/point.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXPORT_PREFIX_CHARS = 41, EXPORT_FILES_MAX = 4 };

/* What to export. All of it outlives the model. */
struct export_source {
    struct space
        *space; /* its default row is settled for what is exported where none is known */
    const struct emit_sources *sources;
    struct problem problem;         /* n is not looked at, a shape for the default alone */
    const struct interval *records; /* of this problem, space and code, in any order */
    size_t record_count;
    const char *prefix;  /* a C identifier, see export_check_prefix */
    const char *command; /* what makes the export again; one line */
    const char *version; /* of the program */
    const int *archs;    /* compute capabilities to compile for, ascending */
    size_t arch_count;   /* 0: those of the records */
    const char *nvrtc;   /* the library that compiles cubins; NULL: the best of those found */
};

/* What serves one n, or the matrices near one, on one GPU; the last row is the default, for
 * every device from sm_70 on. */
struct export_row {
    const struct record *record; /* NULL: the default */
    uint64_t from, to;           /* the n that it serves, see struct interval */
    struct problem problem;
    struct target target;
    int64_t values[SPACE_NAMES_MAX]; /* of the params, by their order */
    uint64_t first, last; /* n for which it is the nearest of its GPU; first > last: of no such
                           * stretch, the shape counts too */
    size_t first_step, step_count;
};

/* Records of one GPU, ordered by n and shape. No two have both the compute capability and the
 * SMs. */
struct export_gpu {
    const char *name;
    int cc, sms;
    size_t first, count; /* rows */
};

/* A pass of a row. What is known before n and the device are. */
struct export_step {
    size_t row, pass, kernel;
    int64_t block, cluster, shared_bytes, tile;
    int64_t values[SPACE_NAMES_MAX]; /* by slot; those of N and SMS mean nothing */
};

/* One source text, whatever number of steps launches it. */
struct export_kernel {
    struct text text;
    int cc;               /* the oldest architecture that its records are of */
    int64_t shared_bytes; /* most dynamic shared memory of a launch */
};

struct export
{
    struct export_source source;
    struct export_gpu *gpus;
    size_t gpu_count;
    struct export_row *rows;
    size_t row_count;
    struct export_step *steps;
    size_t step_count;
    struct export_kernel *kernels;
    size_t kernel_count;
    bool is_runtime[SPACE_NAMES_MAX]; /* by slot: depends on n, the shape or the SMs */
    uint64_t n_max;                   /* no integer of a launch overflows up to here */
    struct text left_out;             /* GPUs that others hide: "A (like B), ..." */
    bool has_given;                   /* do rows differ in what launches need beside dims? */
};

/* ERROR_FAILED when there is no record; ERROR_USAGE when the prefix or a pass of the space is
 * not fit for an export. */
int export_init(struct export *out, const struct export_source *source, struct error *error);
void export_dispose(struct export *export);

/* ERROR_USAGE when it is no C identifier of at most 40 characters, or a keyword. */
int export_check_prefix(const char *prefix, struct error *error);

/* "sum_i32", "sum_rows_i32", and what else tells problems apart: the prefix where none is
 * given. */
void export_default_prefix(char out[EXPORT_PREFIX_CHARS], const struct problem *problem);

struct export_file {
    char name[EXPORT_PREFIX_CHARS + 16]; /* "sum_i32.cu" */
    struct text text;
};
struct export_files {
    struct export_file at[EXPORT_FILES_MAX];
    size_t count;
};

/* Stands near the top of each file: it tells ours from others. */
extern const char export_mark[];

/* A kind of files that an export is written as. Adding one is a file that defines its row, and
 * the row's line in export_formats.c. */
struct export_format {
    const char *name;    /* as on the command line: "header" */
    const char *files;   /* which it writes: "PREFIX_table.h" */
    const char *purpose; /* whom they are for */
    int (*write)(struct export_files *out, const struct export *export, struct error *error);
};
extern const struct export_format *const export_formats[]; /* NULL behind the last */

/* ERROR_USAGE lists the known ones. */
int export_find_format(const struct export_format **out, const char *name, struct error *error);

/* Appends their names, " (PURPOSE)" behind each where that is asked for: "header, cu or json".
 */
void export_add_formats(struct text *out, bool has_purpose);

/* The files of a format. Where cubins have no compiler it is ERROR_NO_DEVICE. */
int export_write(struct export_files *out, const struct export *export,
                 const struct export_format *format, struct error *error);
void export_dispose_files(struct export_files *files);

/* The architectures to compile for, ascending, at most `max`. Returns how many. */
size_t export_archs(const struct export *export, int *out, size_t max);

#endif
