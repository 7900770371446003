/* autotune: reductions on the GPU by kernels that were tuned for it: of n elements to one
 * value, of a matrix to a value for each row or for each column.
 *
 *     context    what the plans of one GPU share: records, compiler, loaded kernels
 *     plan       how one problem is reduced there: kernels and launches for up to n elements
 *     workspace  the device memory that one call in flight needs
 *     execute    queues the launches of one call on a stream, and nothing else
 *     pipeline   reduces what lies in the host's memory or in a file, of any size: it copies a
 *                chunk while another is reduced
 *
 * The library uses the CUDA context that is current to the calling thread: the one of the
 * runtime API after cudaSetDevice, or one of the driver API. It opens none, and only a
 * pipeline has streams and threads of its own. It prints nothing, ends no process, installs no signal handler, keeps no global
 * state, and does not tune unless a plan asks for it, and then in a process of its own.
 *
 * Errors: a function returns 0 or a negative enum autotune_code, and then fills `error` with
 * that code and one sentence: what was wrong, where, and what to do next. `error` may be NULL.
 * After a failure *out is NULL; after a success `error` is left alone.
 *
 * Ownership: what a _create function gives is the caller's, to be given to _destroy. A context
 * outlives its plans and pipelines, a plan its workspaces. Strings that go in are copied.
 *
 * Threads: a context and a plan may be used from any number of threads at once; a workspace
 * or a pipeline from one at a time. Each thread that calls needs the CUDA context to be current,
 * and 128 KiB of stack for this library alone.
 *
 * The caller's own: no call changes errno, the locale, signal actions and masks, the environment,
 * the working directory, umask or how the processor rounds, and results depend on none of it.
 * Signals may come at any time; SIGCHLD may be ignored, or all children waited for. Descriptors end
 * at exec.
 *
 * Fork: a fork of the process that does not exec has no CUDA context. There each call gives
 * NO_CONTEXT, "host" included, and the _destroy functions free what is the host's.
 *
 * Sizes are in bytes; n, len and pitch in elements. A `void *` named `stream` is a CUstream or
 * cudaStream_t; NULL is the default stream. This header needs C99 or C++ and no header of
 * CUDA's. */
#ifndef AUTOTUNE_H
#define AUTOTUNE_H

#include <stddef.h> /* size_t */
#include <stdint.h> /* uint64_t */

#ifdef __GNUC__
#define AUTOTUNE_API __attribute__((visibility("default")))
#else
#define AUTOTUNE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* --- Errors ------------------------------------------------------------------------------- */

enum autotune_code {
    AUTOTUNE_OK = 0,
    AUTOTUNE_FAILED = -1,        /* no other code fits: driver or compiler say why */
    AUTOTUNE_BAD_ARGUMENT = -2,  /* a value that cannot be, or what is still used */
    AUTOTUNE_NO_MEMORY = -3,     /* no room on the GPU or on the host */
    AUTOTUNE_NO_DEVICE = -4,     /* no driver, no GPU, or no NVRTC that compiles for it */
    AUTOTUNE_NO_CONTEXT = -5,    /* no CUDA context is current, or the one used was destroyed */
    AUTOTUNE_OTHER_CONTEXT = -6, /* the current CUDA context is not the plan's: another GPU's */
    AUTOTUNE_N_TOO_LARGE = -7,   /* more elements, or rows, than plan or kernel take */
    AUTOTUNE_MISALIGNED = -8,    /* an address that is not a multiple of its element's size */
    AUTOTUNE_NO_RECORD = -9,     /* no record of this problem, where one is asked for */
    AUTOTUNE_OTHER_GPU = -10,    /* there are records of it, but of another GPU */
    AUTOTUNE_NO_PROGRAM = -11,   /* tuning was asked for, but `autotune` cannot be started */
    AUTOTUNE_TUNE_FAILED = -12   /* `autotune` ran and gave no record: its sentence too */
};

struct autotune_error {
    int code;        /* enum autotune_code */
    char text[2000]; /* zero-terminated, one sentence; no control characters, but for
                      * newlines and tabs of a compiler's messages */
};

/* "0.1.0", the version of the library that is linked. */
AUTOTUNE_API const char *autotune_version(void);

/* --- Context ------------------------------------------------------------------------------ */

struct autotune_context; /* opaque */

/* Fill with zeros first: `struct autotune_context_options options = {0};`. */
struct autotune_context_options {
    /* NULL: the GPU of the CUDA context that is current to the calling thread. "host": an
     * emulator that runs kernels on the CPU, for tests where there is no GPU. It needs a C
     * compiler, says nothing about speed, takes ordinary memory and no stream, and ends each
     * call before it returns. */
    const char *device;
    /* A folder of records, or one file of them. NULL: $XDG_CACHE_HOME/autotune, else
     * ~/.cache/autotune, where the program `autotune` keeps its own. A file that is damaged or
     * not to be trusted is passed over, and one that is not there is told: see
     * autotune_plan_warning. */
    const char *records;
    /* The folder for compiled kernels. NULL: `kernels` in the usual folder of records; "": keep
     * none. It is made with mode 0700; a file there that others could have written, or whose
     * checksum or source differs, is compiled again. Beyond 256 MiB those used longest ago are
     * removed. It may be removed at any time. */
    const char *kernels;
    /* The path of the libnvrtc.so to compile with. NULL: the best of those found. */
    const char *nvrtc;
    /* The path of the installed program `autotune`, for plans that tune. NULL: none may. */
    const char *program;
    void *reserved[8]; /* zeros */
};

/* Takes the CUDA context that is current; a plan of this context runs nowhere else. `options`
 * may be NULL. Compiles nothing and looks for no compiler; reads records, and each plan does so
 * again where they have changed.
 * Errors: NO_CONTEXT, NO_DEVICE, BAD_ARGUMENT, NO_MEMORY. */
AUTOTUNE_API int autotune_context_create(struct autotune_context **out,
                                         const struct autotune_context_options *options,
                                         struct autotune_error *error);

/* Unloads its kernels: none may be running. BAD_ARGUMENT, and nothing is done, while it has
 * plans. NO_CONTEXT or OTHER_CONTEXT when the CUDA context is not current: the context is gone
 * all the same, but its kernels stay loaded until the CUDA context is destroyed. NULL is
 * ignored. */
AUTOTUNE_API int autotune_context_destroy(struct autotune_context *context,
                                          struct autotune_error *error);

/* --- Plan --------------------------------------------------------------------------------- */

struct autotune_plan; /* opaque */

/* What the bits of a float's sum or product depend on. Integers, minima and maxima have the same
 * bits in any order. */
enum autotune_order {
    AUTOTUNE_ORDER_FREE = 0, /* on anything */
    AUTOTUNE_ORDER_RUN,  /* the same run after run, for the same n, address modulo 32 and plan
                              * parameters */
    AUTOTUNE_ORDER_BY_N, /* on the elements of each result alone, whatever the GPU, plan, address
                              * and version: order 1 of reproducible.md; autotune_reference.h
                              * computes the same */
    AUTOTUNE_ORDER_ANY   /* on anything, as FREE, and sums of f32 may take denormals for zeros:
                              * atomics of f32 are allowed */
};

/* Whether each element has a result of its own. */
enum autotune_scan {
    AUTOTUNE_NO_SCAN = 0,
    AUTOTUNE_INCLUSIVE, /* of all elements up to it */
    AUTOTUNE_EXCLUSIVE  /* of all elements before it: the first is the operation's identity */
};

/* An array of any axes, of which some are combined, as NumPy's x.sum(axis=(0, 2)) has it. */
struct autotune_dims {
    size_t size;   /* sizeof(struct autotune_dims), when the caller was built */
    unsigned ndim; /* axes: 1 to 8 */
    unsigned axes; /* bit i, from bit 0 on: axis i is combined; one at least */
    /* Elements along each axis, 1 or more; of the first the most of any call. */
    const uint64_t *shape;
    /* Elements, not bytes, from one to the next along each axis, 1 or more; NULL: without gaps, the
     * last axis fastest. */
    const uint64_t *strides;
    /* Segments: a result for each of so many runs of the elements of one axis, with lengths of their own,
     * where offsets in device memory say: segments.md. Then ndim and axes are 1 and strides NULL; 0: there
     * are none. A struct that ends before this field has none. */
    uint64_t segments;
    const char *offsets; /* their type: "i32" (NULL), "u32", "i64" or "u64" */
    const char *lengths; /* how they are distributed, where that is known: "equal", "uniform" or
                          * "skewed"; NULL: it is not */
};

/* What is reduced: n elements in a row to one result, or a matrix to a result for each row or
 * for each column, or an array along any axes; or, by a scan, n elements to n results, or each row to as many as it has. Names
 * are those of `autotune list`; an unknown one is BAD_ARGUMENT and its
 * sentence lists the known ones. What comes out for nothing (n = 0), NaN, infinities and
 * overflow is in correctness.md, installed with this header. Fill with zeros first. */
struct autotune_problem {
    const char *op;   /* "sum", or what else `autotune list operations` names; or your own, as
                       * autotune_operation_read calls it */
    const char *type; /* of the elements: "i32", or what else `autotune list types` names */
    const char
        *acc;    /* as which the operation takes its elements, and of the result where `autotune
                       * list operations` names no other (as u64 of argmin and count_nonzero);
                       * autotune_plan_result_bytes has its size. NULL: the element's type,
                       * for less than 32 bits i32, u32 or f32 */
    uint64_t n;  /* elements: the most of any call, and the number it is made fast for; 0
                       * for a matrix */
    int is_warm; /* not 0: the elements are mostly in the L2 cache already */
    int order;   /* enum autotune_order; where results do not round each is FREE */
    /* A matrix, of which row r begins r * pitch elements behind the first; all zeros for one
     * value of n elements. BAD_ARGUMENT: rows or len is 0, pitch is less than len, axis is
     * neither 0 nor 1, a result would be of more than 2^31 elements, or rows * pitch is past any
     * memory. */
    uint64_t rows;  /* the most of any call, and the number it is made fast for */
    uint64_t len;   /* elements of a row, and so the number of columns */
    uint64_t pitch; /* from a row's first element to the next row's: len or more; 0: len */
    int axis;       /* 1: a result for each row; 0: a result for each column */
    int scan;       /* enum autotune_scan, of n elements or, with axis 1, of each row: no
                        * positions, no ORDER_BY_N */
    const char
        *params; /* "delta=0.5 margin=1": values of the operation's own params, for calls that
                         * give none; NULL: those of its file. A plan does not depend on them */
    const char *
        lies; /* of an operation of several inputs, how each but the first lies, "y=result z=one": alike
                         * (as the first), result (an element for each result, one behind another), element (one
                         * for each element of a result, the same for all) or one (a single element). NULL: alike */
    void *reserved[1]; /* zeros */
    /* An array of any axes; NULL: what n or the matrix says. With it n, rows, len, pitch, axis and scan
     * are 0. Results lie one behind another, in the order of the axes that are kept. It is read
     * before the call returns. BAD_ARGUMENT: what is combined, or what is kept, is more than four axes
     * after those that lie as one have become one. */
    const struct autotune_dims *dims;
};

enum autotune_from {
    AUTOTUNE_FROM_BEST = 0, /* the best of what there is: records, else shipped, else default */
    AUTOTUNE_FROM_RECORD,   /* a record made on this GPU, of this size or another, in the space
                             * used where none is named; else NO_RECORD, or OTHER_GPU */
    AUTOTUNE_FROM_SHIPPED,  /* what came with the library, for this problem or one that costs
                             * the same; else NO_RECORD */
    AUTOTUNE_FROM_DEFAULT,  /* what runs on any GPU; reads no file of records */
    AUTOTUNE_FROM_TUNING    /* a record of this GPU and this size; where there is none, the
                             * program `autotune` is run to make it, which may take minutes: it
                             * needs the GPU for itself and room for the elements. Of processes
                             * that ask for it at once, as the ranks of a job, one tunes, and the
                             * others wait and take its record */
};

/* Fill with zeros first. */
struct autotune_plan_options {
    enum autotune_from from;
    double budget_seconds; /* FROM_TUNING: when to end the search; 0: when all is tried. To
                            * wait for another process's search is not of it */
    void *reserved[4];     /* zeros */
};

/* Reads an operation of your own: `text` is what a file has that `autotune --op FILE` takes, from
 * "[operation]" on, as operations.md, installed with this header, describes it; `name` stands for its
 * file's. `*op` becomes what autotune_problem.op takes for it: the same for the same text, in every
 * context; it lives as long as the process, as what was read does. From any thread.
 * Errors: BAD_ARGUMENT (the sentence begins with NAME.ini:LINE:COLUMN), NO_MEMORY. */
AUTOTUNE_API int autotune_operation_read(const char **op, const char *name, const char *text,
                                         struct autotune_error *error);

/* Chooses a variant, compiles its kernels unless they are loaded or kept on disk, and loads
 * them: another size of the same variant compiles nothing. `options` may be NULL. Not while a
 * stream of this GPU is captured. A record whose variant cannot take so many is passed over.
 * Errors: BAD_ARGUMENT, N_TOO_LARGE, NO_RECORD, OTHER_GPU, NO_PROGRAM, TUNE_FAILED, NO_DEVICE
 * (no NVRTC), NO_CONTEXT, OTHER_CONTEXT, NO_MEMORY, FAILED. */
AUTOTUNE_API int autotune_plan_create(struct autotune_plan **out,
                                      struct autotune_context *context,
                                      const struct autotune_problem *problem,
                                      const struct autotune_plan_options *options,
                                      struct autotune_error *error);

/* BAD_ARGUMENT, and nothing is done, while it has workspaces. NULL is ignored. */
AUTOTUNE_API int autotune_plan_destroy(struct autotune_plan *plan,
                                       struct autotune_error *error);

/* How well the record that a plan was made from fits, from best to worst. */
enum autotune_grade {
    AUTOTUNE_EXACT,   /* this GPU, this size, this driver, this compiler */
    AUTOTUNE_STALE,   /* but driver or compiler have changed since */
    AUTOTUNE_OTHER_N, /* this GPU, another size or another state of the cache */
    AUTOTUNE_SAME_CC, /* another GPU of the same compute capability */
    AUTOTUNE_SHIPPED, /* from what came with the library, for this problem or one that costs the
                       * same */
    AUTOTUNE_DEFAULT  /* no record */
};

/* How a plan's kernels came to be there. */
enum autotune_kernels {
    AUTOTUNE_LOADED,  /* another plan of the context has the same */
    AUTOTUNE_CACHED,  /* compiled before, read from disk */
    AUTOTUNE_COMPILED /* by this plan */
};

/* Each string lives as long as the plan. Of NULL they say 0, "" or DEFAULT. */
AUTOTUNE_API enum autotune_grade autotune_plan_grade(const struct autotune_plan *plan);
AUTOTUNE_API enum autotune_kernels autotune_plan_kernels(const struct autotune_plan *plan);
/* The most n of a call: elements, rows of a matrix, or what lies along the first axis of an array. */
AUTOTUNE_API uint64_t autotune_plan_n(const struct autotune_plan *plan);
/* The results of a call with that n: 1, as many as the matrix has rows or columns, or the kept axes
 * places, n of a scan. */
AUTOTUNE_API uint64_t autotune_plan_results(const struct autotune_plan *plan);
AUTOTUNE_API unsigned autotune_plan_launches(const struct autotune_plan *plan); /* for its n */
AUTOTUNE_API size_t autotune_plan_element_bytes(const struct autotune_plan *plan);
AUTOTUNE_API size_t autotune_plan_result_bytes(const struct autotune_plan *plan); /* of one */
/* The type of a result, "f32", as `autotune list types` names it. */
AUTOTUNE_API const char *autotune_plan_result_type(const struct autotune_plan *plan);
/* "BLOCK=256 ITEMS=16 ...", as `autotune emit --variant` takes them. */
AUTOTUNE_API const char *autotune_plan_params(const struct autotune_plan *plan);
/* The params of the operation itself (operations.md), in the order of its file: how many, the name of
 * the k-th and its type, "f32"; "" past the last. autotune_call gives their values. */
AUTOTUNE_API size_t autotune_plan_op_param_count(const struct autotune_plan *plan);
AUTOTUNE_API const char *autotune_plan_op_param_name(const struct autotune_plan *plan,
                                                     size_t k);
AUTOTUNE_API const char *autotune_plan_op_param_type(const struct autotune_plan *plan,
                                                     size_t k);
/* The inputs of the operation, in the order of its file: how many, the name of the k-th and its type, "f32"; ""
 * past the last. */
AUTOTUNE_API size_t autotune_plan_input_count(const struct autotune_plan *plan);
AUTOTUNE_API const char *autotune_plan_input_name(const struct autotune_plan *plan, size_t k);
AUTOTUNE_API const char *autotune_plan_input_type(const struct autotune_plan *plan, size_t k);
/* What the record was made for, "NVIDIA H200, sum i32 400M cold"; "" for DEFAULT. */
AUTOTUNE_API const char *autotune_plan_origin(const struct autotune_plan *plan);
/* One sentence: what serves, where that was measured, and what tuning would gain. */
AUTOTUNE_API const char *autotune_plan_advice(const struct autotune_plan *plan);
/* What went wrong without being an error (a damaged record, no room for the kernel's file), one
 * sentence; "" for nothing. */
AUTOTUNE_API const char *autotune_plan_warning(const struct autotune_plan *plan);

/* --- Workspace ---------------------------------------------------------------------------- */

struct autotune_workspace; /* opaque */

/* Device memory that a workspace of the plan needs; at least 1. */
AUTOTUNE_API size_t autotune_plan_workspace_bytes(const struct autotune_plan *plan);

/* One call is in flight in a workspace at a time: a call may follow another on the same stream,
 * but calls that can run at the same time, and graphs that hold such calls, need one each.
 * `memory` is workspace_bytes of device memory, 256-byte aligned, that stays the caller's and
 * holds nothing else while the workspace lives; NULL: the library allocates it. It is cleared
 * on `stream`, and ready for every stream on return. Not while a stream is captured.
 * Errors: BAD_ARGUMENT, MISALIGNED, NO_MEMORY, NO_CONTEXT, OTHER_CONTEXT, FAILED. */
AUTOTUNE_API int autotune_workspace_create(struct autotune_workspace **out,
                                           struct autotune_plan *plan, void *memory,
                                           void *stream, struct autotune_error *error);

/* Clears it again, in the order of `stream`: after a call that failed, or whose launch was
 * aborted, and before the next one. */
AUTOTUNE_API int autotune_workspace_reset(struct autotune_workspace *workspace, void *stream,
                                          struct autotune_error *error);

/* No call may be in flight in it. NO_CONTEXT or OTHER_CONTEXT when the CUDA context is not
 * current: the workspace is gone all the same, but memory that the library allocated stays
 * until the CUDA context is destroyed. NULL is ignored. */
AUTOTUNE_API int autotune_workspace_destroy(struct autotune_workspace *workspace,
                                            struct autotune_error *error);

/* --- Execute ------------------------------------------------------------------------------ */

/* Queues the reduction of what is at `input` to the results at `output`, and returns before it
 * has run. Only launches: it allocates nothing, takes no lock and waits for nothing, so that it
 * can be captured into a graph; the emulator "host" has a lock.
 *   input   device memory, n elements, or n rows of a matrix; aligned to an element, fastest
 *           when aligned to 16 bytes; may be NULL when n is 0
 *   n       0 to the plan's: elements, or rows of a matrix, with the plan's len and pitch, or what lies
 *           along the first axis of an array, the plan's others and strides being as they are. Fewer
 *           rows are combined as all are: each row's result has the bits that it has among all;
 *           a plan for fewer may be faster for those. 0 gives the operation's identity, as the
 *           one value or for each column; of a scan nothing
 *   output  device memory for the results, one beside the other: one, n for rows or a scan, len
 *           for columns, as many as the kept axes of an array have places; aligned to the size of one (result_bytes). It must not overlap workspace
 *           or input, gaps between rows included, nor input the workspace; but of a scan it may be the input, where
 *           elements and results have one size. That it is too small is not noticed
 *   stream  of the plan's CUDA context, or NULL
 * Errors: N_TOO_LARGE, MISALIGNED, BAD_ARGUMENT, NO_CONTEXT, OTHER_CONTEXT: nothing was queued.
 * FAILED: the driver refused a launch; after that, reset the workspace. What goes wrong while a
 * kernel runs is reported by the caller's own next wait, as for any kernel. */
AUTOTUNE_API int autotune_execute(struct autotune_workspace *workspace, const void *input,
                                  uint64_t n, void *output, void *stream,
                                  struct autotune_error *error);

/* An array that a call reads, in the order of the operation's file. Inputs may be one, or overlap, as in
 * dot(x, x). The further ones lie as autotune_problem.lies says, and each has its own type:
 * autotune_plan_input_type. */
struct autotune_input {
    const void *data;     /* as autotune_execute's input */
    uint64_t reserved[7]; /* zeros */
};

/* All that a call may be given. Fill with zeros first, then set size. A later version may have more fields
 * at its end, and may give reserved ones a meaning: a library that knows less takes a longer struct whose
 * further bytes are zeros, and refuses others in a sentence. */
struct autotune_call {
    size_t size; /* sizeof(struct autotune_call), when the caller was built */
    struct autotune_input inputs[4]; /* as many as the operation has */
    void *outputs[4];                /* the first alone, so far: as autotune_execute's output */
    uint64_t n;
    /* The k-th points to the value of the operation's k-th own param, in the host's memory, of the type
     * that autotune_plan_op_param_type has; it is read before the call returns. NULL: the value that
     * autotune_problem.params gives, else the operation's file; where neither does, BAD_ARGUMENT. */
    const void *params[8];
    void *stream;
    /* Of segments: device memory, one offset more than there are segments, aligned to one; else NULL. Segment
     * i has the elements from offset i up to offset i + 1. The plan's number of segments holds for each
     * call; for fewer repeat the last offset. Whatever they hold, a kernel reads and writes nothing else. */
    const void *offsets;
    uint64_t reserved[15]; /* zeros */
};

/* As autotune_execute, which is this call with one input, one output and no params. A graph keeps the
 * values that its calls were captured with. */
AUTOTUNE_API int autotune_execute_call(struct autotune_workspace *workspace,
                                       const struct autotune_call *call,
                                       struct autotune_error *error);

/* --- Data on the host --------------------------------------------------------------------- */

struct autotune_pipeline; /* opaque */

/* Fill with zeros first. What is 0 is as the record says that was tuned for data on the host
 * (`autotune --data pinned` or `--data pageable`), and as AUTOTUNE_FROM asks; where there is none,
 * as in the comment. */
struct autotune_pipeline_options {
    int is_pinned;    /* not 0: data will mostly be in pinned memory: take that record */
    unsigned streams; /* chunks on the GPU at a time, 1 to 16; 3 */
    uint64_t
        chunk_bytes;   /* of elements, cut to a multiple of 1024 elements (for ORDER_BY_N to a
                           * power of two of them), at least that; 16 MiB */
    unsigned copiers;  /* threads that fill pinned buffers from pageable memory and files, the
                           * caller's among them, 1 to 64; the cores of the process, 16 at most */
    void *reserved[4]; /* zeros */
};

/* Makes streams, chunks of device memory and pinned memory for calls of autotune_execute_host.
 * `problem` has n, for which the record is looked for (calls may have any n), no rows and no
 * columns; is_warm is not asked. A scan needs elements and results of one type: i32, u32, i64,
 * u64, f32 or f64; sumsq has none. `from` (NULL: the best) chooses the record of chunks and streams; the kernel
 * is the best for a chunk, or, where it is FROM_DEFAULT, the default.
 * `options` may be NULL. Errors: as autotune_plan_create's and autotune_workspace_create's. */
AUTOTUNE_API int autotune_pipeline_create(struct autotune_pipeline **out,
                                          struct autotune_context *context,
                                          const struct autotune_problem *problem,
                                          const struct autotune_plan_options *from,
                                          const struct autotune_pipeline_options *options,
                                          struct autotune_error *error);

/* No call may be under way. As autotune_workspace_destroy. */
AUTOTUNE_API int autotune_pipeline_destroy(struct autotune_pipeline *pipeline,
                                           struct autotune_error *error);

/* What a pipeline works with; the plan is that of a chunk, and the pipeline's. Of NULL all is 0. */
struct autotune_pipeline_info {
    uint64_t chunk_bytes;
    unsigned streams, copiers;
    uint64_t device_bytes, pinned_bytes; /* that it holds; pinned buffers from the first call on
                                          * that needs them */
    int is_tuned; /* chunks and streams are those of a record of this GPU */
    const struct autotune_plan *plan;
};
AUTOTUNE_API void autotune_pipeline_describe(const struct autotune_pipeline *pipeline,
                                             struct autotune_pipeline_info *out);

/* Reduces n elements in the host's memory, and returns when the result is at `output`, in the
 * host's memory too: one, or n of a scan. n may be more than the GPU's memory holds, and more than
 * 2^32. A chunk is copied while others are reduced; results of chunks are combined in their order,
 * by the same operation, so that positions count from the first element, and ORDER_BY_N gives the
 * bits that it gives on the GPU. For AUTOTUNE_ORDER_RUN bits depend on chunk_bytes too.
 *   input   pinned (page-locked, by cudaMallocHost or cudaHostRegister) memory is copied from
 *           where it is, other memory through pinned buffers that threads fill; at any address.
 *           Device memory is BAD_ARGUMENT: autotune_execute takes it. NULL when n is 0
 *   output  results, each of result_bytes; they must not overlap the input, but those of a scan may
 *           take its place
 * Errors: BAD_ARGUMENT, NO_CONTEXT, OTHER_CONTEXT, NO_MEMORY, FAILED: nothing of it is under way
 * any more. */
AUTOTUNE_API int autotune_execute_host(struct autotune_pipeline *pipeline, const void *input,
                                       uint64_t n, void *output, struct autotune_error *error);

/* Data that is read piece by piece: a file, a pipe. What the functions below answer is not trusted. They
 * return (no longjmp, no exception), leave the CUDA context of their thread current, and use no pipeline
 * that has called them. */
struct autotune_source {
    /* Puts the data from byte `at` on to `to`, at most `bytes` of it. Returns how much; 0 only where
     * the data ends; -1 with errno ends the call with FAILED, and more than `bytes` with
     * BAD_ARGUMENT. */
    int64_t (*read)(void *context, void *to, uint64_t at, size_t bytes);
    void *context;
    int is_parallel; /* not 0: several threads may read at once, in any order; 0: only the calling
                      * one reads, from the first byte to the last */
};

/* Takes the results of a scan, piece by piece, from the first to the last. Returns 0; anything else,
 * with errno, ends the call with FAILED. */
struct autotune_sink {
    int (*write)(void *context, const void *from, uint64_t at, size_t bytes);
    void *context;
};

/* As autotune_execute_host, of all that `source` gives: *n elements (n may be NULL). The one result
 * goes to `output`, those of a scan to `sink`; the other is NULL. BAD_ARGUMENT too where the data
 * ends within an element. */
AUTOTUNE_API int autotune_execute_source(struct autotune_pipeline *pipeline,
                                         const struct autotune_source *source, void *output,
                                         const struct autotune_sink *sink, uint64_t *n,
                                         struct autotune_error *error);

#ifdef __cplusplus
}
#endif

#endif
