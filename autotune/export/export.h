/* export: writes tuned kernels for programs that do not link this one. A model is made from the
 * records of one problem: which record serves which device and n, what each launches, the
 * kernels' sources. Each format is written from the model alone: the same records give the same
 * bytes. */
#ifndef AUTOTUNE_EXPORT_H
#define AUTOTUNE_EXPORT_H

#include "autotune/device/device.h"
#include "cache/interval.h"
#include "generator/emit.h"
#include "generator/error.h"
#include "generator/point.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EXPORT_PREFIX_CHARS = 41,
    EXPORT_ARCHS_MAX = 32,
    EXPORT_FILES_MAX = 2 + EXPORT_ARCHS_MAX
};

/* What to export. All members must outlive the model. */
struct export_source {
    struct space *space; /* its default config serves where there is no record */
    const struct emit_sources *sources;
    struct problem problem;         /* n is ignored, a shape is for the default only */
    const struct interval *records; /* of this problem, space and code, in any order */
    size_t record_count;
    const char *prefix;  /* a C identifier, see export_check_prefix */
    const char *command; /* the command that makes the export again; one line */
    const char *version; /* of the program */
    const int *archs;    /* compute capabilities to compile for, ascending */
    size_t arch_count;   /* 0: those of the records */
    const char *nvrtc;   /* the library that compiles; NULL: the best of those found */
    const struct export_format *const *formats; /* those that are written together */
    size_t format_count;
};

/* The config for a range of n, or the matrices near one, on one GPU. Neighbouring ranges have other
 * configs. The last row is the default, for every device from sm_70 on. */
struct export_row {
    const struct record *record; /* the first of its n, else the nearest; NULL: the default */
    uint64_t from, to;           /* the n that its records serve, see struct interval ... */
    bool is_measured;            /* ... else the edge of the range that is nearest to them */
    struct problem problem;
    struct target target;
    int64_t values[SPACE_NAMES_MAX]; /* of the params, by their order */
    uint64_t first, last; /* n for which it is the nearest of its GPU; first > last: no range of
                           * n, for the shape counts too */
    size_t first_tuned, tuned_count; /* the records that serve it */
    size_t first_step, step_count;
};

/* Records of one GPU, ordered by n and shape. */
struct export_gpu {
    const char *name;
    int cc, sms;
    int memory_clock_khz, bus_bits; /* 0: no record says */
    size_t first, count;            /* rows */
};

/* A pass of a row, with the values known before n and the device are. */
struct export_step {
    size_t row, pass, kernel;
    int64_t block, cluster, shared_bytes, tile;
    int64_t values[SPACE_NAMES_MAX]; /* by slot; the slots of N and SMS have no meaning */
};

/* The text of a kernel, and the oldest architecture that it is known to compile for. */
struct export_version {
    struct text text;
    int needs;
};

/* One kernel, launched by any number of steps: the text for the GPU of its records, then those that
 * the space has in its place for ever older architectures. */
enum { EXPORT_VERSIONS_MAX = 4 };
struct export_kernel {
    struct export_version versions[EXPORT_VERSIONS_MAX];
    size_t count;
    int64_t shared_bytes; /* most dynamic shared memory of a launch */
    char *symbol;         /* its name in machine code; NULL where none is made */
};

/* What is compiled from the kernels. */
enum export_code { EXPORT_CUBIN = 1, EXPORT_PTX = 2 };

/* Machine code or PTX for one architecture, with all kernels that it can have. */
struct export_image {
    int cc;
    enum export_code kind;
    struct device_image code; /* names are those of its kernels, in their order */
    char compiler[64];        /* version of NVRTC */
};

struct export
{
    struct export_source source;
    struct export_gpu *gpus;
    size_t gpu_count;
    struct export_row *rows;
    size_t row_count;
    const struct interval **tuned; /* of each row in turn */
    size_t tuned_count;
    struct export_step *steps;
    size_t step_count;
    struct export_kernel *kernels;
    size_t kernel_count;
    struct export_image *images; /* machine code, then PTX, each ascending; of the formats that
                                  * need them */
    size_t image_count;
    bool is_runtime[SPACE_NAMES_MAX]; /* by slot: depends on n, the shape or the SMs */
    uint64_t n_max;                   /* no integer of a launch overflows up to here */
    struct text not_compiled; /* architectures that no compiler here has: "sm_70, ..." */
    bool has_given;           /* do rows differ in launch data other than dims? */
    bool asks_name;           /* is there a GPU that numbers alone do not tell from others? */
};

/* ERROR_FAILED when there is no record; ERROR_USAGE when the prefix or a pass of the space is
 * not fit for an export; ERROR_NO_DEVICE when a format needs a compiler that is not here. */
int export_init(struct export *out, const struct export_source *source, struct error *error);
void export_dispose(struct export *export);

/* ERROR_USAGE when it is no C identifier of at most 40 characters, or a keyword. */
int export_check_prefix(const char *prefix, struct error *error);

/* Writes the default prefix: "sum_i32", "sum_rows_i32", with the rest of the problem where that
 * differs. */
void export_default_prefix(char out[EXPORT_PREFIX_CHARS], const struct problem *problem);

struct export_file {
    char name[EXPORT_PREFIX_CHARS + 24]; /* "sum_i32.cu" */
    struct text text;                    /* its bytes, which may be zeros, too */
};
struct export_files {
    struct export_file at[EXPORT_FILES_MAX];
    size_t count;
};

/* A text near the top of each file that marks it as an export of this program. */
extern const char export_mark[];

/* A format of exports. To add one, add a file that defines its entry, and a line in
 * export_formats.c. */
struct export_format {
    const char *name;    /* as on the command line: "header" */
    const char *files;   /* the files that it writes: "PREFIX_table.h" */
    const char *purpose; /* the use of these files */
    unsigned code;       /* what they contain: bits of enum export_code */
    bool is_described;   /* PREFIX.json is one of them, which describes them all */
    int (*write)(struct export_files *out, const struct export *export, struct error *error);
};
extern const struct export_format *const export_formats[]; /* ends with NULL */

/* ERROR_USAGE lists the known ones. */
int export_find_format(const struct export_format **out, const char *name, struct error *error);

/* Appends their names, " (PURPOSE)" behind each where that is asked for: "header, cu or json".
 */
void export_add_formats(struct text *out, bool has_purpose);

/* Writes the files of a format. One with code must be among the formats of the model. */
int export_write(struct export_files *out, const struct export *export,
                 const struct export_format *format, struct error *error);
void export_dispose_files(struct export_files *files);

/* The text of a kernel for an architecture; NULL: that is too old. */
const struct text *export_kernel_text(const struct export_kernel *kernel, int cc);

/* Has another GPU the same compute capability and SMs? */
bool export_has_twin(const struct export *export, const struct export_gpu *gpu);

/* The architectures to compile for, ascending, at most `max`. Returns how many. */
size_t export_archs(const struct export *export, int *out, size_t max);

/* Appends the options by which nvcc compiles for all of them: "-arch=sm_90". */
void export_add_archs(struct text *out, const struct export *export);

/* The architecture from which on a kernel, or all kernels of a row, are there. */
int export_kernel_needs(const struct export_kernel *kernel);
int export_row_needs(const struct export *export, const struct export_row *row);

/* Is the name, or a part of a file's bytes, that of the kernels of an export of this prefix in
 * machine code? */
bool export_has_symbols(const char *bytes, size_t length, const char *prefix);

#endif
