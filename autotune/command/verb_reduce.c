/* verb_reduce: reduces or scans the elements of a file or of stdin, or reduces each of the segments that offsets
 * in another file give, by the library, in a process of its own. A file is read by several threads at
 * once; what is no file piece by piece, and so are segments. */
#include "autotune/cli/interrupt.h"
#include "autotune/cli/option_conflicts.h"
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/output_file.h"
#include "autotune/cli/supervise.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/npy.h"
#include "autotune/command/segment_rounds.h"
#include "autotune/device/monotonic.h"
#include "autotune/measure/host_context.h"
#include "autotune/print/figures.h"
#include "autotune/verify/element.h"
#include "autotune/verify/oracle.h"
#include "cache/file.h"
#include "generator/operation_input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIPE_BYTES = 1 << 20,
    TEXT_LOOK = 64,           /* bytes of a file that may be text */
    LINES_BYTES = 1 << 20,    /* of results in text that are written at once */
    STAGE_BYTES = 16 << 20,   /* of a file that are read before they are copied */
    ROUND_BYTES = 1 << 30,    /* of elements of segments that are on the device at once */
    ROUND_SEGMENTS = 1 << 24, /* likewise */
};

/* What reduce alone has options for. */
struct reduce_request {
    const char *offsets;    /* a file; NULL: one result of all, or a scan */
    enum type offsets_type; /* I8: not given */
};

/* What both processes know. */
struct reduction {
    const struct request *request;
    const struct reduce_request *own;
    const char *name; /* of the input, in sentences */
    int input, output;
    bool is_file;                                       /* it can be read anywhere */
    uint64_t first, bytes;                              /* of a file's elements */
    struct output_file file;                            /* behind `output`, if it is one */
    int write_error;                                    /* errno */
    uint64_t n, open_ns, run_ns, chunk_bytes;           /* found out */
    unsigned streams, copiers;                          /* likewise */
    uint64_t segments, rounds;                          /* likewise, with offsets */
    oracle_bits result;                                 /* likewise */
    char device[sizeof((struct device_info *)0)->name]; /* likewise */
};

/* --- Input and output --------------------------------------------------------------------- */

static int64_t read_file(void *context, void *to, uint64_t at, size_t bytes)
{
    const struct reduction *reduction = context;
    size_t got = 0;
    while (got < bytes) {
        const ssize_t more = pread(reduction->input, (char *)to + got, bytes - got,
                                   (off_t)(reduction->first + at + got));
        if (more < 0 && errno == EINTR)
            continue;
        if (more < 0)
            return -1;
        if (more == 0)
            break;
        got += (size_t)more;
    }
    return (int64_t)got;
}

static int64_t read_stream(void *context, void *to, uint64_t at, size_t bytes)
{
    const struct reduction *reduction = context;
    ssize_t got;
    (void)at;
    do
        got = read(reduction->input, to, bytes);
    while (got < 0 && errno == EINTR);
    return got;
}

static int write_all(struct reduction *reduction, const void *from, size_t bytes)
{
    if (file_write(reduction->output, from, bytes)) {
        reduction->write_error = errno;
        return -1;
    }
    return 0;
}

static int write_results(void *context, const void *from, uint64_t at, size_t bytes)
{
    (void)at;
    return write_all(context, from, bytes);
}

/* A result a line. */
static int write_lines(void *context, const void *from, uint64_t at, size_t bytes)
{
    struct reduction *reduction = context;
    const enum type type = problem_result(&reduction->request->problem);
    const uint64_t count = bytes / (uint64_t)problem_types[type].bytes;
    char result[ORACLE_CHARS];
    struct text lines = {0};
    int failed = 0;
    (void)at;
    for (uint64_t i = 0; i < count && !failed; i++) {
        text_addf(&lines, "%s\n",
                  oracle_format(result, type, element_load_word(type, from, i)));
        if (lines.failed)
            failed = reduction->write_error = ENOMEM;
        else if (lines.length >= LINES_BYTES || i + 1 == count) {
            failed = write_all(reduction, lines.at, lines.length);
            text_clear(&lines);
        }
    }
    text_dispose(&lines);
    return failed ? -1 : 0;
}

static int refuse_input(const struct reduction *reduction, const char *cause,
                        struct error *error)
{
    return error_set(error, ERROR_IO, "%.1000s: %s", reduction->name, cause);
}

/* A file that is named after another type than the usual one, which was not asked for. */
static int check_name(const char *path, const char *what, enum type type, const char *option,
                      struct error *error)
{
    const char *const dot = strrchr(path, '.');
    enum type named;
    struct error ignored;
    if (!dot || problem_find_type(&named, dot + 1, &ignored) || named == type)
        return 0;
    return error_set(
        error, ERROR_USAGE,
        "%.1000s: its name says %s, and %s are %s unless %s is given: give %s %s or "
        "%s %s",
        path, problem_types[named].name, what, problem_types[type].name, option, option,
        problem_types[named].name, option, problem_types[type].name);
}

/* Are the first bytes of a file numbers in text? */
static bool looks_like_text(int input)
{
    char begin[TEXT_LOOK];
    const ssize_t got = pread(input, begin, sizeof begin, 0);
    ssize_t digits = 0;
    for (ssize_t i = 0; i < got; i++)
        digits += strchr("0123456789+-.eE, \t\r\n", begin[i]) && begin[i] != '\0';
    return got == sizeof begin && digits == got;
}

/* --- A file with NumPy's header ----------------------------------------------------------- */

/* Does it matter which element comes first? */
static bool counts_elements(const struct problem *problem)
{
    return problem->dims.scan != DIMS_ALL || problem_law(problem)->is_position ||
           problem_has_index(problem) || !problem_commutes(problem);
}

/* Takes the type that the header says for the problem's. */
static int adopt_type(struct request *request, const char *name, enum type type,
                      struct error *error)
{
    struct problem *problem = &request->problem;
    if (request->has_type && problem->type != type)
        return error_set(error, ERROR_USAGE,
                         "%.1000s: its header says %s, and --type is %s: leave --type out",
                         name, problem_types[type].name, problem_types[problem->type].name);
    problem->type = type;
    request->has_type = true;
    if (!request->has_acc)
        problem->acc = problem_usual_acc(problem->op, type);
    return problem_check(problem, error);
}

/* The header of a file that has one decides what its elements are, and where. */
static int read_header(struct reduction *reduction, struct request *request,
                       struct error *error)
{
    char bytes[NPY_HEADER_MAX];
    struct npy npy;
    const ssize_t got = pread(reduction->input, bytes, sizeof bytes, 0);
    if (got < 0 || !npy_is(bytes, (size_t)got))
        return 0;
    if (npy_read(&npy, reduction->name, bytes, (size_t)got, error) ||
        adopt_type(request, reduction->name, npy.type, error))
        return -1;
    if (npy.is_turned && counts_elements(&request->problem))
        return refuse_input(reduction,
                            "is in Fortran's order, in which places count otherwise: save "
                            "numpy.ascontiguousarray(x)",
                            error);
    const uint64_t each = (uint64_t)problem_types[npy.type].bytes;
    const uint64_t left = reduction->bytes - npy.at;
    if (left % each || left / each != npy.n)
        return error_set(error, ERROR_IO,
                         "%.1000s: its header says %llu elements of type %s, and %llu bytes "
                         "follow it: see whether the file is whole",
                         reduction->name, (unsigned long long)npy.n,
                         problem_types[npy.type].name, (unsigned long long)left);
    reduction->first = npy.at;
    reduction->bytes = left;
    return left || reduction->own->offsets
               ? 0
               : refuse_input(reduction, "empty: there are no elements to reduce", error);
}

static int open_input(struct reduction *reduction, struct request *request, struct error *error)
{
    const char *path = request->topic;
    struct stat status;
    const bool is_stdin = strcmp(path, "-") == 0;
    reduction->name = is_stdin ? "stdin" : path;
    if (!request->has_type &&
        check_name(path, "elements", request->problem.type, "--type", error))
        return -1;
    reduction->input =
        is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (reduction->input < 0 || fstat(reduction->input, &status))
        return error_set(error, ERROR_IO, "%.1000s: cannot be opened: %s", reduction->name,
                         strerror(errno));
    if (S_ISDIR(status.st_mode))
        return refuse_input(reduction, "is a folder: name a file of elements", error);
    if (is_stdin && isatty(STDIN_FILENO))
        return error_set(
            error, ERROR_USAGE,
            "stdin is a terminal: pipe the elements' bytes into it, or name a file");
    if (S_ISFIFO(status.st_mode)) /* a larger one is read in fewer turns, where it may be */
        fcntl(reduction->input, F_SETPIPE_SZ, PIPE_BYTES);
    /* A file of no bytes may have some all the same, as those of /proc: it is read as a stream. */
    reduction->is_file = S_ISREG(status.st_mode) && status.st_size > 0 &&
                         lseek(reduction->input, 0, SEEK_CUR) == 0;
    reduction->bytes = reduction->is_file ? (uint64_t)status.st_size : 0;
    if (reduction->is_file && read_header(reduction, request, error))
        return -1;
    const enum type type = request->problem.type;
    if (problem_types[type].bytes > 1 && reduction->is_file &&
        looks_like_text(reduction->input))
        output_warn("%.1000s: this looks like numbers in text; elements are read as a machine "
                    "has them, as numpy's tofile() writes them",
                    reduction->name);
    if (reduction->bytes % (uint64_t)problem_types[type].bytes)
        return error_set(error, ERROR_IO,
                         "%.1000s: its %llu bytes are no whole number of elements of type %s, "
                         "of %d bytes: choose another --type, or see whether the file is whole",
                         reduction->name, (unsigned long long)reduction->bytes,
                         problem_types[type].name, problem_types[type].bytes);
    return 0;
}

static int open_output(struct reduction *reduction, struct error *error)
{
    const char *path = reduction->request->output;
    reduction->output = STDOUT_FILENO;
    if (!path)
        return 0;
    if (strcmp(path, "-") == 0)
        return isatty(STDOUT_FILENO)
                   ? error_set(error, ERROR_USAGE,
                               "--output - would write bytes to a terminal: name a file")
                   : 0;
    if (output_file_open(&reduction->file, path, error))
        return -1;
    reduction->output = reduction->file.file;
    return 0;
}

static int close_output(struct reduction *reduction, int failed, struct error *error)
{
    return reduction->output == STDOUT_FILENO
               ? failed
               : output_file_close(&reduction->file, reduction->request->output, failed, error);
}

/* --- In a process of its own -------------------------------------------------------------- */

static int refuse_output(const struct reduction *reduction, struct error *error)
{
    const char *name = reduction->request->output;
    return error_set(error, ERROR_IO, "%.1000s: cannot be written: %s", name ? name : "stdout",
                     strerror(reduction->write_error));
}

static int translate(const struct reduction *reduction, const struct autotune_error *cause,
                     struct error *error)
{
    if (reduction->write_error)
        return refuse_output(reduction, error);
    if (strncmp(cause->text, "reading the data", 16) == 0 ||
        strncmp(cause->text, "the data has", 12) == 0)
        return refuse_input(reduction, cause->text, error);
    return host_context_error(cause, error);
}

/* A FIFO was opened without its writer, for whom this process waits: a signal ends it. */
static void await_data(const struct reduction *reduction)
{
    struct pollfd look = {.fd = reduction->input, .events = POLLIN};
    if (reduction->input == STDIN_FILENO)
        return;
    poll(&look, 1, -1);
    fcntl(reduction->input, F_SETFL, fcntl(reduction->input, F_GETFL) & ~O_NONBLOCK);
}

static int execute(struct reduction *reduction, struct autotune_pipeline *pipeline,
                   struct error *error)
{
    const struct autotune_source source = {reduction->is_file ? read_file : read_stream,
                                           reduction, reduction->is_file};
    const struct autotune_sink sink = {write_results, reduction};
    struct autotune_error cause = {0};
    await_data(reduction);
    const uint64_t start_ns = monotonic_ns();
    const bool is_scan = reduction->request->problem.dims.scan != DIMS_ALL;
    if (autotune_execute_source(pipeline, &source, is_scan ? NULL : &reduction->result,
                                is_scan ? &sink : NULL, &reduction->n, &cause))
        return translate(reduction, &cause, error);
    reduction->run_ns = monotonic_ns() - start_ns;
    if (reduction->n == 0)
        return refuse_input(reduction, "empty: there are no elements to reduce", error);
    const uint64_t got =
        reduction->n * autotune_plan_element_bytes(host_context_plan(pipeline));
    if (reduction->is_file && got != reduction->bytes)
        return error_set(
            error, ERROR_IO,
            "%.1000s: had %llu bytes when it was opened, and %llu were read: did it "
            "change meanwhile?",
            reduction->name, (unsigned long long)reduction->bytes, (unsigned long long)got);
    return 0;
}

static int execute_all(struct reduction *reduction, const struct host_context *host,
                       struct error *error)
{
    const uint64_t start_ns = monotonic_ns();
    struct problem problem = reduction->request->problem;
    struct autotune_pipeline *pipeline = NULL;
    struct autotune_pipeline_info info;
    const uint64_t n = reduction->bytes / (uint64_t)problem_types[problem.type].bytes;
    problem.dims = dims_run(n ? n : PROBLEM_USUAL_N_ON_HOST, problem.dims.scan);
    problem.regime = PAGEABLE;
    if (host_context_pipeline(&pipeline, host, &problem, NULL, error))
        return -1;
    autotune_pipeline_describe(pipeline, &info);
    reduction->chunk_bytes = info.chunk_bytes;
    reduction->streams = info.streams;
    reduction->copiers = info.copiers;
    reduction->open_ns += monotonic_ns() - start_ns;
    const int failed = execute(reduction, pipeline, error);
    autotune_pipeline_destroy(pipeline, NULL);
    return failed;
}

static int execute_segments(struct reduction *reduction, const struct host_context *host,
                            struct error *error)
{
    const struct reduce_request *own = reduction->own;
    struct offsets offsets;
    const bool is_given = own->offsets_type != I8;
    int failed = offsets_read(&offsets, own->offsets, is_given ? own->offsets_type : I64,
                              is_given, error);
    const uint64_t each = (uint64_t)problem_types[reduction->request->problem.type].bytes;
    struct segment_rounds rounds = {
        .host = host,
        .problem = &reduction->request->problem,
        .offsets = &offsets,
        .name = reduction->name,
        .source = {reduction->is_file ? read_file : read_stream, reduction, reduction->is_file},
        .elements = reduction->is_file ? reduction->bytes / each : UINT64_MAX,
        .sink = {reduction->request->output ? write_results : write_lines, reduction},
        .bytes_most = ROUND_BYTES,
        .stage_bytes = STAGE_BYTES,
        .segments_most = ROUND_SEGMENTS,
    };
    if (!failed) {
        await_data(reduction);
        failed = segment_rounds_run(&rounds, error);
        reduction->segments = offsets.count;
    }
    offsets_dispose(&offsets);
    if (failed)
        return reduction->write_error ? refuse_output(reduction, error) : -1;
    reduction->n = rounds.n;
    reduction->rounds = rounds.rounds;
    reduction->open_ns += rounds.open_ns;
    reduction->run_ns = rounds.run_ns;
    return 0;
}

static int reduce(void *context, struct error *error)
{
    struct reduction *reduction = context;
    const struct request *request = reduction->request;
    const uint64_t start_ns = monotonic_ns();
    struct host_context host;
    if (host_context_open(&host, request->device, request->nvrtc, request->cache, request->seed,
                          error))
        return -1;
    memcpy(reduction->device, host.device->info.name, sizeof reduction->device);
    reduction->open_ns = monotonic_ns() - start_ns;
    const int failed = reduction->own->offsets ? execute_segments(reduction, &host, error)
                                               : execute_all(reduction, &host, error);
    host_context_close(&host);
    return failed ? -1 : 0;
}

/* --- The result --------------------------------------------------------------------------- */

/* How it was read. */
static void add_way(struct text *out, const struct reduction *reduction)
{
    char chunk[NUMBER_CHARS];
    if (reduction->own->offsets)
        text_addf(out, "%llu segments, in %llu round%s",
                  (unsigned long long)reduction->segments,
                  (unsigned long long)reduction->rounds, reduction->rounds == 1 ? "" : "s");
    else
        text_addf(out, "in chunks of %sB, %u streams, %u threads",
                  number_format_count(chunk, reduction->chunk_bytes), reduction->streams,
                  reduction->is_file ? reduction->copiers : 1);
}

static void note_speed(const struct reduction *reduction)
{
    char size[NUMBER_CHARS], speed[NUMBER_CHARS];
    struct text way = {0};
    const char *type = problem_types[reduction->request->problem.type].name;
    const double bytes =
        (double)reduction->n * problem_types[reduction->request->problem.type].bytes;
    add_way(&way, reduction);
    output_note(&reduction->request->out,
                "read      %llu %s of %s, %s in %.3f s: %s GB/s, on %s\n"
                "          %s; opened in %.2f s\n",
                (unsigned long long)reduction->n, type, reduction->name,
                figures_size(size, bytes), (double)reduction->run_ns / 1e9,
                figures_speed(speed, bytes / (double)(reduction->run_ns + !reduction->run_ns)),
                reduction->device, way.failed ? "" : way.at, (double)reduction->open_ns / 1e9);
    text_dispose(&way);
}

/* --- The verb ----------------------------------------------------------------------------- */

struct reduce_verb {
    struct request request;
    struct reduce_request own;
    struct interrupt_guard guard;
    struct reduction *reduction;
};

static int set_up(void *shared, struct error *error)
{
    struct reduce_verb *verb = shared;
    struct reduction *reduction = verb->reduction = supervise_alloc(sizeof *reduction);
    if (!reduction)
        return error_memory(error, sizeof *reduction);
    reduction->request = &verb->request;
    reduction->own = &verb->own;
    interrupt_begin(&verb->guard, NULL);
    return open_input(reduction, &verb->request, error) || open_output(reduction, error) ? -1
                                                                                         : 0;
}

static int gather(void *shared, struct error *error)
{
    struct reduce_verb *verb = shared;
    return close_output(verb->reduction, supervise_run(reduce, verb->reduction, error), error);
}

static int show(void *shared, struct error *error)
{
    const struct reduce_verb *verb = shared;
    const struct reduction *reduction = verb->reduction;
    const struct problem *problem = &verb->request.problem;
    char result[ORACLE_CHARS];
    struct text text = {0};
    note_speed(reduction);
    if (problem->dims.scan != DIMS_ALL || verb->own.offsets)
        return 0;
    text_addf(&text, "%s\n", oracle_format(result, problem_result(problem), reduction->result));
    const int failed = output_text(&text, error);
    text_dispose(&text);
    return failed;
}

static void clean_up(void *shared)
{
    struct reduce_verb *verb = shared;
    interrupt_end(&verb->guard);
    supervise_free(verb->reduction, sizeof *verb->reduction);
}

static int parse_offsets_type(struct request *request, const char *value, struct error *error)
{
    struct reduce_request *own = request->own;
    return problem_find_offsets(&own->offsets_type, value, error);
}

static int check(const struct request *request, struct error *error)
{
    const struct reduce_request *own = request->own;
    const struct option_conflict conflicts[] = {
        {!request->topic, "no FILE: write 'autotune reduce FILE --type f32', '-' for stdin"},
        {own->offsets_type != I8 && !own->offsets,
         "--offsets-type is of --offsets: name their file, too"},
        {own->offsets && strcmp(own->offsets, "-") == 0,
         "--offsets is the name of a file: stdin may be that of the elements alone"},
        {own->offsets && request->asked.scan,
         "--offsets give a result for each segment, and --scan one for each element: leave one "
         "of them out"},
        {own->offsets && request->problem.order == ORDER_BY_N,
         "no kernel keeps order n of segments yet: leave --order n out, or take --order run"},
        {request->asked.scan && !request->output,
         "--scan has a result for each element: name a file for them with --output"},
        {!request->asked.scan && !own->offsets && request->output,
         "--output is for the results of --scan and --offsets: one result goes to stdout"},
    };
    if (option_conflicts_refuse(conflicts, sizeof conflicts / sizeof *conflicts, error))
        return -1;
    return own->offsets && own->offsets_type == I8
               ? check_name(own->offsets, "offsets", I64, "--offsets-type", error)
               : 0;
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_REDUCE, "offsets", "FILE", "a result for each segment: segment i has the elements from offset i of that file up to offset i + 1, as of CSR", .text = offsetof(struct reduce_request, offsets), .more = "The file holds one offset more than there are segments, in the machine's byte order, none less than the one before it; or it begins with the header of NumPy's save(), which says their type. The first need not be 0, nor the last the number of elements. Results are printed one a line, or written to --output. A segment must fit the GPU's memory. See segments.md, installed with this page.", .group = 1},
    {VERB_REDUCE, "offsets-type", "TYPE", "of --offsets: i32, u32, i64 (default) or u64", .parse = parse_offsets_type, .group = 1},
    {.verbs = 0},
};

const struct verb_row verb_reduce = {
    .verb = VERB_REDUCE,
    .name = "reduce",
    .summary = "reduce the elements of a file or of stdin, or scan them to a file",
    .arguments = "FILE",
    .help =
        "Reduces the elements of a file, '-' for stdin, and prints the result; with --scan it writes a "
        "result for each element, with --offsets it has one for each segment. The file holds nothing but elements, in the machine's byte order; or it begins "
        "with the header of NumPy's save(), which says their type. It may be larger than the GPU's memory and this machine's: chunks are read and copied while others "
        "are reduced. Its kernel is the record's for a chunk, else one that is shipped; chunks and "
        "streams are the record's of 'autotune --data pageable'.\v"
        "Examples:\n"
        "  autotune reduce samples.f32 --type f32 --op max\n"
        "  autotune reduce samples.npy --op mean\n"
        "  zcat counts.gz | autotune reduce - --type u64\n"
        "  autotune reduce a.f64 --type f64 --order n\n"
        "  autotune reduce a.i32 --scan inclusive -o sums.i32\n"
        "  autotune reduce values.npy --offsets indptr.npy\n\n" VERBS_EXIT,
    .options = options,
    .check = check,
    .bytes = sizeof(struct reduce_verb),
    .own = offsetof(struct reduce_verb, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
