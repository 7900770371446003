/* options: holds the table of options: the names of each, what it stores, and its help. Help,
 * completion and manual are made of it. */
#include "autotune/cli/options.h"

#include "autotune/cli/request_part.h"
#include "autotune/cli/verbs.h"
#include "autotune/print/terminal.h"
#include "cache/file.h"
#include "generator/number.h"
#include "generator/operation_file.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TUNE = VERB_TUNE,
    SHOW = VERB_SHOW,
    LIST = VERB_LIST,
    EMIT = VERB_EMIT,
    VERIFY = VERB_VERIFY,
    DOCTOR = VERB_DOCTOR,
    MERGE = VERB_MERGE,
    BENCH = VERB_BENCH,
    LADDER = VERB_LADDER,
    EXPORT = VERB_EXPORT,
    COMPARE = VERB_COMPARE,
    PROFILE = VERB_PROFILE,
    REPORT = VERB_REPORT,
    REDUCE = VERB_REDUCE,
    CHECK = VERB_CHECK,
    JUDGE = VERB_JUDGE,
    EVERY = TUNE | SHOW | LIST | EMIT | VERIFY | DOCTOR | MERGE | BENCH | LADDER | EXPORT |
            COMPARE | PROFILE | REPORT | REDUCE | CHECK | JUDGE,
    PROBLEM = TUNE | EMIT | VERIFY | LIST | BENCH | LADDER | EXPORT | PROFILE | JUDGE,
    TABLES = TUNE | SHOW | LIST | MERGE | BENCH | LADDER | COMPARE | PROFILE | CHECK | JUDGE,
};

/* --- Values ------------------------------------------------------------------------------- */

/* "1" and "0.25" are percent. */
static int parse_loss(struct request *request, const char *value, struct error *error)
{
    uint64_t thousandths;
    if (number_parse_fixed(&thousandths, value, 3, "--loss", error))
        return -1;
    request->has_loss = true;
    request->loss = (double)thousandths / 100000;
    return thousandths <= 50000
               ? 0
               : error_set(error, ERROR_USAGE, "--loss is '%.100s': give percent from 0 to 50",
                           value);
}

static int parse_seed(struct request *request, const char *value, struct error *error)
{
    struct error ignored;
    return number_parse_count(&request->seed, value, "--seed", &ignored)
               ? error_set(
                     error, ERROR_USAGE,
                     "--seed is '%.100s': give a whole number of at most 64 bits, such as 7",
                     value)
               : 0;
}

static int parse_part(struct request *request, const char *value, struct error *error)
{
    request->has_part = true;
    return request_part_parse(&request->part, value, error);
}

int options_parse_time(double *out, const char *value, const char *option, struct error *error)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char digits[16];
    int used = 0;
    uint64_t count;
    if (sscanf(value, "%15[0-9]%n", digits, &used) == 1 &&
        number_parse_count(&count, digits, option, error) == 0 && count > 0)
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(value + used, units[i].name) == 0) {
                *out = (double)count * units[i].seconds;
                return 0;
            }
    return error_set(
        error, ERROR_USAGE,
        "%s is '%.100s': write a whole number above 0 and a unit, such as 30s, 500ms or 2m",
        option, value);
}

static int parse_budget(struct request *request, const char *value, struct error *error)
{
    return options_parse_time(&request->budget_s, value, "--budget", error);
}

static int parse_op(struct request *request, const char *value, struct error *error)
{
    struct text bytes = {0};
    request->has_op = true;
    if (!strpbrk(value, "./"))
        return operation_find(&request->problem.op, value, error);
    const int failed =
        file_read_named(&bytes, value, OPERATION_FILE_MAX,
                        "yours, or an operation that 'autotune list operations' has", error) ||
        operation_load(&request->problem.op, value, bytes.at, bytes.length, error);
    text_dispose(&bytes);
    return failed ? -1 : 0;
}

static int parse_type(struct request *request, const char *value, struct error *error)
{
    request->has_type = true;
    return problem_find_type(&request->problem.type, value, error);
}

static int parse_acc(struct request *request, const char *value, struct error *error)
{
    request->has_acc = true;
    return problem_find_type(&request->problem.acc, value, error);
}

/* What it is said of, or a value of, is known when all options are read. */
static int parse_lies(struct request *request, const char *value, struct error *error)
{
    if (request->lie_count == PROBLEM_FURTHER_MAX)
        return error_set(error, ERROR_USAGE,
                         "an operation has %d further inputs at most: give each --lies once",
                         PROBLEM_FURTHER_MAX);
    request->lies[request->lie_count++] = value;
    return 0;
}

static int parse_param(struct request *request, const char *value, struct error *error)
{
    if (request->param_count == PROBLEM_PARAMS_MAX)
        return error_set(error, ERROR_USAGE, "more than %d --param: an operation has no more",
                         PROBLEM_PARAMS_MAX);
    request->params[request->param_count++] = value;
    return 0;
}

static int parse_order(struct request *request, const char *value, struct error *error)
{
    request->has_order = true;
    return problem_find_order(&request->problem.order, value, error);
}

static int parse_data(struct request *request, const char *value, struct error *error)
{
    for (enum regime regime = PINNED; regime <= PAGEABLE; regime++)
        if (strcmp(value, problem_regimes[regime]) == 0) {
            request->data = regime;
            return 0;
        }
    return error_set(error, ERROR_USAGE, "--data is '%.100s': give pinned or pageable", value);
}

static int parse_strategy(struct request *request, const char *value, struct error *error)
{
    request->has_strategy = true;
    return strategy_find(&request->strategy, value, error);
}

/* --- Names in a help text, in place of '@' ------------------------------------------------ */

static void add_ops(struct text *out)
{
    char names[OPERATION_NAMES_CHARS];
    text_adds(out, operation_list(names));
}

static void add_types(struct text *out)
{
    char names[PROBLEM_NAMES_CHARS];
    text_adds(out, problem_list_types(names));
}

/* --- The table ---------------------------------------------------------------------------- */

#define AT(member) offsetof(struct request, member)

/* clang-format off */
/* Those that several verbs have, and those of a tuning. */
static const struct option_row shared[] = {
    {PROBLEM | SHOW | COMPARE | REPORT | REDUCE | CHECK, NULL, NULL, "The problem:", .group = 1},
    {BENCH, "n", "COUNT[,COUNT...]", "elements: 400M is 400,000,000, 400Mi is 400*2^20; a line of the table each (default 400M, on the host 1M)", .parse = request_dims_counts, .letter = 'n'},
    {EXPORT, "n", "COUNT[,COUNT...]", "only records of these counts of elements, as 64Ki,400M (default: all, each for the n that it is nearest to)", .parse = request_dims_counts, .letter = 'n'},
    {TUNE, "n", "COUNT[..COUNT]", "elements: 400M is 400,000,000, 400Mi is 400*2^20; 1K..4G sweeps a range of sizes, cold and, where the data fits the L2 cache, warm (default 400M, on the host 1M)", .parse = request_dims_range, .letter = 'n'},
    {LIST, "n", "COUNT[..COUNT]", "elements: 400M is 400,000,000, 400Mi is 400*2^20; of problems 1K..4G lists each size of a sweep (default 400M, on the host 1M)", .parse = request_dims_range, .letter = 'n'},
    {PROBLEM & ~(TUNE | BENCH | LADDER | LIST | EXPORT), "n", "COUNT", "elements: 400M is 400,000,000, 400Mi is 400*2^20 (default 400M, on the host 1M)", .parse = request_dims_count, .letter = 'n'},
    {LADDER, "n", "COUNT[..COUNT]", "elements: 400M is 400,000,000, 400Mi is 400*2^20; 128Ki..32Mi gives a table of times by n, each twice the one before (default 400M, on the host 20K)", .parse = request_dims_range, .letter = 'n'},
    {TUNE, "rows", "COUNT[..COUNT]", "a matrix of this many rows instead of --n: a result for each row; 1K..1M sweeps a range", .parse = request_dims_rows_range, .repeats = true, .more = "GB/s then counts the results written too. Positions know single values only."},
    {TUNE, "len", "COUNT[..COUNT]", "elements of a row; a result is of at most 2^31 elements; 32..4096 sweeps a range", .parse = request_dims_len_range, .repeats = true},
    {LIST, "rows", "COUNT[..COUNT]", "a matrix of this many rows instead of --n: a result for each row; of problems 1K..1M lists a range", .parse = request_dims_rows_range, .repeats = true},
    {LIST, "len", "COUNT[..COUNT]", "elements of a row; of problems 32..4096 lists a range", .parse = request_dims_len_range, .repeats = true},
    {EXPORT, "rows", "COUNT", "only records of a matrix of this many rows, and of its --len, --pitch and --axis; --shape rows or columns alone takes all, which serve any shape", .parse = request_dims_rows, .repeats = true},
    {PROBLEM & ~(TUNE | LIST | EXPORT), "rows", "COUNT", "a matrix of this many rows instead of --n: a result for each row", .parse = request_dims_rows, .repeats = true},
    {LADDER, "len", "COUNT[..COUNT]", "elements of a row; --n in place of --rows is then all elements, in rows of this length, and 128..1024 gives a table by length, each twice the one before, with blocks of as many threads where there are such", .parse = request_dims_len_range, .repeats = true},
    {PROBLEM & ~(TUNE | LIST | LADDER), "len", "COUNT", "elements of a row; a result is of at most 2^31 elements", .parse = request_dims_len, .repeats = true},
    {PROBLEM, "pitch", "COUNT", "elements from one row's start to the next's (default: the row's)", .parse = request_dims_pitch, .repeats = true},
    {PROBLEM, "axis", "AXIS", "1: a result for each row (default); 0: one for each column; of --dims those that are combined, as 0,2, counted from 0 (default: all)", .parse = request_dims_axis, .repeats = true},
    {PROBLEM, "dims", "COUNT[,COUNT...]", "sizes of all axes of an array, the slowest first, in place of --n or --rows; --axis says which are combined", .parse = request_dims_sizes, .repeats = true, .more = "Axes of one element go, and neighbours that are both combined, or both kept, are one axis: so --dims 32,64,56,56 --axis 1 is --dims 32,64,3136 --axis 1. Results lie one behind another, in the order of the kept axes."},
    {PROBLEM, "strides", "COUNT[,COUNT...]", "elements from one to the next along each axis of --dims (default: there are no gaps)", .parse = request_dims_strides, .repeats = true},
    {PROBLEM & ~(LADDER | EXPORT | JUDGE), "segments", "COUNT", "so many segments of the --n elements, with lengths of their own: a result for each; offsets say where each begins", .parse = request_dims_segments, .repeats = true, .more = "Offsets are COUNT + 1 numbers, as of CSR: segment i has the elements from offset i up to offset i + 1; the first need not be 0. An empty segment gives the identity. See segments.md, installed with this page."},
    {PROBLEM & ~(LADDER | EXPORT | JUDGE), "offsets", "TYPE", "of --segments: the type of offsets, i32 (default), u32, i64 or u64", .parse = request_dims_offsets, .repeats = true},
    {PROBLEM & ~(LADDER | EXPORT | JUDGE), "lengths", "LENGTHS", "of --segments: lengths that are measured, equal, uniform, skewed or any (default), which is each by turns", .parse = request_dims_lengths, .repeats = true, .more = "A record of equal, uniform or skewed lengths serves only who says so: on other lengths its kernel may be far slower."},
    {PROBLEM, "shape", "SHAPE", "rows: as --axis 1; columns: as --axis 0", .parse = request_dims_shape, .repeats = true},
    {PROBLEM | REDUCE, "op", "OP", "one of @, or a file with your own (default sum)", .parse = parse_op, .add_names = add_ops, .more = "Your own is described by a file NAME.ini, as operations.md, installed with this page, says: a word with a dot or a slash is taken for its path. The result of argmin and argmax is where the least or the greatest element stands, a u64 counted from 0: the first of equals, of floats the first NaN if there is one, and -0 equals +0; 2^64 - 1 where there are no elements. Their space is arg."},
    {TUNE | VERIFY | BENCH | PROFILE | REDUCE, "param", "NAME=NUMBER", "the value of a param of --op, as delta=0.5; once for each", .parse = parse_param, .repeats = true, .more = "Without it a param has the value that the operation's file gives; without that reduce says so, and what only measures takes 1. No kernel and no record depends on the value: proofs draw others beside it."},
    {PROBLEM & ~JUDGE, "lies", "NAME=HOW", "how a further input of --op lies: alike, result, element or one (default alike: as the first); once for each", .parse = parse_lies, .repeats = true, .more = "Of an operation of several inputs. result: one element for each result, one behind another, as a number for each row; element: one for each element of a result, the same for all results, as a vector that each row is multiplied with; one: a single number. Kernels take any strides, so that only times depend on it."},
    {PROBLEM | REDUCE, "type", "TYPE", "of the elements: one of @ (default i32)", .parse = parse_type, .add_names = add_types},
    {SHOW | CHECK, "n", "COUNT[..COUNT]", "only records of this many elements, or of a range", .parse = request_dims_range, .letter = 'n'},
    {SHOW | CHECK, "shape", "SHAPE", "only records of rows, or of columns", .parse = request_dims_shape, .repeats = true},
    {SHOW | CHECK, "op", "OP", "only records of this operation", .parse = parse_op},
    {SHOW | CHECK, "type", "TYPE", "only records of this type of elements", .parse = parse_type},
    {COMPARE, "n", "COUNT", "only this many elements", .parse = request_dims_count, .letter = 'n'},
    {COMPARE, "shape", "SHAPE", "only rows, or columns; of what ships these are left out without it", .parse = request_dims_shape, .repeats = true},
    {COMPARE, "op", "OP", "only this operation", .parse = parse_op},
    {COMPARE, "type", "TYPE", "only this type of elements", .parse = parse_type},
    {REPORT, "n", "COUNT", "elements of the record that is shown in full (default: that nearest to 400M, on the host 1M)", .parse = request_dims_count, .letter = 'n'},
    {REPORT, "op", "OP", "the operation (default: that of most records)", .parse = parse_op},
    {REPORT, "type", "TYPE", "of the elements (default: that of most records)", .parse = parse_type},
    {PROBLEM | REDUCE, "scan", "KIND", "a result for each element: inclusive, of all up to it, or exclusive, of all before it; none (default): one of all", .parse = request_dims_scan, .more = "The first of an exclusive scan is the operation's identity. Of a matrix, given by --rows and --len, each row is scanned. argmin and argmax have no scans."},
    {SHOW | CHECK, "scan", "KIND", "only records of such scans: inclusive, exclusive, or none for reductions", .parse = request_dims_scan},
    {PROBLEM | REDUCE, "acc", "TYPE", "of the accumulator: the elements' type or a wider one of its kind, of 32 bits at least (default: the narrowest)", .parse = parse_acc},
    {TUNE | VERIFY | BENCH | LIST | EXPORT | PROFILE, "cold", NULL, "data not in the L2 cache (default)", .flag = AT(cold)},
    {TUNE | VERIFY | BENCH | LIST | EXPORT | PROFILE, "warm", NULL, "data in the L2 cache as far as it fits", .flag = AT(warm)},
    {TUNE | LADDER, "data", "WHERE", "data in the host's memory, pinned (page-locked) or pageable (as memory usually is): tune chooses chunks, streams and threads, ladder has streams (default: on the GPU)", .parse = parse_data, .more = "Such a record serves autotune_execute_host and 'autotune reduce'. The kernel is that of the record for a chunk."},
    {TUNE | EMIT | VERIFY | BENCH | LIST | EXPORT | PROFILE | REDUCE, "order", "ORDER", "what the bits of a float's result depend on: free (anything), run (the same run after run), n (the elements alone: the same bits everywhere), any (anything, and sums of f32 may take denormals for zeros) (default: free)", .parse = parse_order, .more = "With run atomic operations on floats are left out; with any those of f32 are tried, too, which free leaves out because they turn denormals into zeros. n gives the same bits on every GPU, by every variant, wherever the input starts; reproducible.md, installed with this page, has the order, and autotune_reference.h computes it. The order is part of the problem and of a record's key. Integers, minima and maxima have the same bits in any order."},
    {TUNE | EMIT | VERIFY | BENCH | LIST | EXPORT | PROFILE | REDUCE, "deterministic", NULL, "short for --order run", .flag = AT(deterministic)},
    {CHECK, "cold", NULL, "only records of data not in the L2 cache", .flag = AT(cold)},
    {CHECK, "warm", NULL, "only records of data in the L2 cache", .flag = AT(warm)},
    {SHOW | CHECK, "order", "ORDER", "only records of this order: free, run, n or any", .parse = parse_order},
    {COMPARE, "order", "ORDER", "only this order: free, run, n or any", .parse = parse_order},
    {REPORT, "order", "ORDER", "the order: free, run, n or any (default: that of most records)", .parse = parse_order},
    {SHOW | COMPARE | REPORT | CHECK, "deterministic", NULL, "short for --order run", .flag = AT(deterministic)},
    {EVERY, NULL, NULL, "Where and how:", .group = 2},
    {TUNE, "device", "DEVICES", "auto (first GPU, else host), host, a GPU's number, several as 0,1, or all (default auto)", .text = AT(device), .letter = 'd'},
    {VERIFY | BENCH | LADDER | PROFILE | REDUCE | CHECK | JUDGE, "device", "DEVICE", "auto (first GPU, else host), host, or a GPU's number (default auto)", .text = AT(device), .letter = 'd'},
    {EMIT, "device", "DEVICE", "auto (first GPU, else none, for sm_90), host, or a GPU's number: the one whose record serves (default auto)", .text = AT(device), .letter = 'd'},
    {EMIT | LIST, "arch", "ARCH", "sm_90 or another that 'autotune list archs' shows, or host; needs no device", .text = AT(arch)},
    {LADDER, "gpu", "NAME", "with --device host: of which GPU occupancy, bytes in flight and instructions are computed, as H200 (default: of none); of several sizes of a block with --csv or --json alone", .text = AT(gpu), .more = "They are for the n given, else for 400M."},
    {EXPORT, "gpu", "NAMES", "only records of these GPUs: words of the name, as H200, several separated by commas; host: the emulator's (default: all but the emulator)", .text = AT(gpu)},
    {EXPORT, "arch", "ARCHS", "to compile for, as sm_80,sm_90 (default: those of the records)", .text = AT(arch)},
    {TUNE, "loss", "PERCENT", "of a sweep: what a variant may lose in its interval (default 1)", .parse = parse_loss, .more = "From 0 to 50, as 0.5."},
    {TUNE, "confirm", NULL, "of a sweep that is kept: race each size's winner against its interval's variant again", .flag = AT(confirm), .more = "What was measured is printed and kept. Where a variant loses more than --loss then, another serves that size from then on."},
    {TUNE, "strategy", "NAME", "race (default on a GPU): what cannot win is left; exhaustive: every candidate; random: every one in random order; cover: each pair of values once (default on the host); a space may have its own default", .parse = parse_strategy},
    {TUNE, "budget", "TIME", "end the search after this long, as 30s, 500ms or 2m, with the best by then; in a sweep that of each size", .parse = parse_budget, .more = "The race of the finalists comes on top, a quarter of a short budget. What is found then answers commands that have a budget too; one without goes on where the search ended. At least one candidate is measured, however short the budget."},
    {CHECK, "budget", "TIME", "begin no record's check any more after this long, as 30s, 500ms or 2m: the oldest come first, and one is checked, however short it is", .parse = parse_budget},
    {TUNE | VERIFY | BENCH | LADDER | PROFILE | CHECK | JUDGE, "seed", "NUMBER", "of inputs, orders and the emulator's schedule (default 1)", .parse = parse_seed},
    {COMPARE | REPORT, "gpu-file", "FILE", "GPUs that the table lacks, in sections [gpu NAME] as in configs/gpus.ini: name, arch, sms, peak_gbs, source, and where known l2_bytes, clock_khz", .text = AT(gpu_file), .more = "In place of peak_gbs, memory_clock_khz and bus_bits."},
    {TUNE, "retune", NULL, "measure all again, whatever records and the journal know", .flag = AT(retune)},
    {TUNE, "replay", "JOURNAL", "run the strategy on a journal's trials, without a device; with --problems a folder of records, from whose journals alone the records of the list are made", .text = AT(replay)},
    {TUNE, "candidates", "FILE", "measure the winners in this record file first, another GPU's for instance", .text = AT(candidates), .more = "They are proven and raced like any other, and their times are in the journal: with each GPU's records given to the other, 'autotune compare' has what each one's winners lose on the other. Of a problem those of its own n are taken, else of the nearest, four at most. What a record answers is raced again with those that its journal lacks."},
    {TUNE, "effects", NULL, "show what each param does: the best with each of its values, a sentence, and a heat map of two (default with --space axes)", .flag = AT(effects), .more = "The best with each value is in the final race, so that its time has an interval. A search that leaves candidates out may have left out a better one of a value: --strategy exhaustive leaves none out. What a record answers is drawn from its journal."},
    {TUNE, "axes", "PARAM,PARAM", "with --effects, which it stands for: of the heat map, down and across (default: those of the greatest effects)", .text = AT(axes)},
    {REPORT, "axes", "PARAM,PARAM", "of the heat map, down and across (default: those of the greatest effects, where the space is searched whole, as axes is, else its first two, as BLOCK,ITEMS)", .text = AT(axes)},
    {EMIT | VERIFY, "variant", "PARAMS", "BLOCK=256,ITEMS=16,...; the others as in this GPU's record, else the default", .text = AT(variant)},
    {VERIFY, "part", "K/M", "of --cover or --all: only part K (from 1) of M; auto: as mpirun, srun or a job array say", .parse = parse_part},
    {TUNE, "problems", "FILE", "tune a list: one problem a line, as the command line has it ('autotune list problems' writes such a list); a result a line", .text = AT(problems), .more = "A line has the options of the problem, --space and --template; what follows a # is not read. What is done is never done again, and what fails is said while the others go on."},
    {TUNE, "part", "K/M", "of --problems: only part K (from 1) of M, which keeps its records and journals in parts/K-of-M of the cache; auto: as mpirun, srun or a job array say", .parse = parse_part, .more = "What any part has done no part does again, with another M either. 'autotune merge' brings them together. auto reads OMPI_COMM_WORLD_RANK and _SIZE, PMIX_RANK, PMI_RANK and PMI_SIZE, SLURM_PROCID and SLURM_NTASKS, and SLURM_ARRAY_TASK_ID and _COUNT; see cluster.md, installed with this page."},
    {TUNE, "dry-run", NULL, "of --problems: tune nothing, print which part would do what, and how long it may take", .flag = AT(dry_run)},
    {PROBLEM & ~(LADDER | JUDGE), "space", "FILE", "the space: a file, or a name that 'autotune list spaces' shows (default reduce; for argmin and argmax arg, for a matrix rows or columns, for a scan scan)", .text = AT(space)},
    {CHECK, "space", "FILE", "only records of this space: a file, or a name that 'autotune list spaces' shows (default: all that are built in)", .text = AT(space)},
    {CHECK, "template", "FILE", "the template that the records were tuned with, in place of the spaces' own", .text = AT(template)},
    {REPORT, "space", "NAME", "only records of this space, as axes (default: of any)", .text = AT(space)},
    {PROBLEM & ~(LADDER | JUDGE), "template", "FILE", "a template in place of the space's own", .text = AT(template)},
    {TUNE | VERIFY | EMIT | DOCTOR | BENCH | LADDER | COMPARE | EXPORT | PROFILE | REPORT | REDUCE | CHECK | JUDGE, "nvrtc", "FILE", "the NVRTC library to use", .text = AT(nvrtc), .more = "One that cannot be used ends a command that would compile with it, with status 69."},
    {EVERY & ~(LIST | LADDER | JUDGE), "cache", "FOLDER", "the folder of the records (default $XDG_CACHE_HOME/autotune, else ~/.cache/autotune)", .text = AT(cache), .more = "tune and merge make it; to others, which read it, one that is named and not there is an error."},
    {LADDER, "cache", "FOLDER", "with --data: the folder of the records (default $XDG_CACHE_HOME/autotune, else ~/.cache/autotune)", .text = AT(cache)},
    {REPORT, "ladder", "FILES", "tables that ladder wrote as CSV, several separated by commas: adds the classic reductions", .text = AT(ladder), .more = "Where a group has several sizes of a block and several elements per thread, their grid. They too must be of the report's GPU. Columns are known by their names; more of them do no harm."},
    {COMPARE, "ladder", "FILES", "with --rungs: tables that ladder wrote as CSV, several separated by commas", .text = AT(ladder), .more = "They must not be the emulator's."},
    {EVERY, NULL, NULL, "Output:", .group = 3},
    {REPORT, "output", "FILE", "write a page of HTML that needs nothing else (Markdown if its name ends in .md), '-' for stdout; default: draw it as text", .text = AT(output), .letter = 'o'},
    {REDUCE, "output", "FILE", "of --scan and --offsets: where results are written, '-' for stdout", .text = AT(output), .letter = 'o', .more = "A file gets its name when it is whole."},
    {EXPORT, "output", "FOLDER", "where the files are written; '-': one file, to stdout (default: the current folder)", .text = AT(output), .letter = 'o'},
    {EMIT, "cubin", "FILE", "machine code, written to FILE, instead of source", .text = AT(cubin)},
    {TABLES | DOCTOR, "json", "FILE", "also write JSON, '-' for stdout instead of the table", .text = AT(out.json)},
    {TABLES | DOCTOR, "csv", "FILE", "also write CSV, '-' for stdout instead of the table", .text = AT(out.csv), .more = "Whether such files can be written is seen before anything is measured. Lists and bench write each row as it is done: what ends them early leaves the rows so far, in the place of an older file."},
    {EVERY & ~DOCTOR, "quiet", NULL, "results, warnings and errors only", .flag = AT(out.quiet), .letter = 'q'},
    {TUNE, "verbose", NULL, "also what the rules of the space leave out", .flag = AT(verbose), .letter = 'v'},
    {EVERY, "help", NULL, "print this", .letter = 'h'},
    {.verbs = 0},
};
/* clang-format on */
enum { FIRST_KEY = 256, HELP_WIDTH = 79 };

const struct option_row *options_at(size_t i)
{
    size_t count = sizeof shared / sizeof *shared - 1;
    if (i < count)
        return &shared[i];
    for (const struct verb_row *const *verb = verbs; *verb; verb++)
        for (const struct option_row *own = (*verb)->options; own && own->verbs; own++)
            if (i == count++)
                return own;
    return NULL;
}

static int key_of(size_t i)
{
    return options_at(i)->letter ? options_at(i)->letter : FIRST_KEY + (int)i;
}

size_t options_find(int key, enum verb verb)
{
    size_t i = 0;
    for (const struct option_row *option; (option = options_at(i)); i++)
        if (option->name && option->verbs & verb && key_of(i) == key)
            break;
    return i;
}

static bool is_shared(const struct option_row *option)
{
    return option >= shared && option < shared + sizeof shared / sizeof *shared;
}

bool options_is_of_problem(const struct option_row *option)
{
    const struct option_row *heading = option;
    if (!is_shared(option))
        return false;
    while (!heading->group)
        heading--;
    return heading->group == 1 || option->text == AT(space) || option->text == AT(template);
}

/* An empty file or folder name would lead to a confusing error later. */
int options_store(struct request *request, const struct option_row *option, const char *value,
                  struct error *error)
{
    char *base = is_shared(option) ? (char *)request : request->own;
    assert(base);
    if (!option->value && !option->parse)
        *(bool *)(void *)(base + option->flag) = true;
    const bool is_text = option->value && !option->parse;
    if (is_text && !*value)
        return error_set(error, ERROR_USAGE,
                         "--%s has an empty value: leave the option out or write what it needs "
                         "(see --help)",
                         option->name);
    if (is_text)
        *(const char **)(void *)(base + option->text) = value;
    return option->parse ? option->parse(request, value, error) : 0;
}

void options_add_help(struct text *out, const struct option_row *option)
{
    const size_t before = strcspn(option->help, "@");
    text_add(out, option->help, before);
    if (!option->help[before])
        return;
    option->add_names(out);
    text_adds(out, option->help + before + 1);
}

/* --- For argp ----------------------------------------------------------------------------- */

/* Fills in '@', for argp to free, and drops argp's last line, about the few short options. */
static char *filter_help(int key, const char *text, void *input)
{
    struct text out = {0};
    (void)input;
    if (key == ARGP_KEY_HELP_DUP_ARGS_NOTE)
        return NULL;
    const struct option_row *option =
        key < FIRST_KEY ? NULL : options_at((size_t)(key - FIRST_KEY));
    if (!option || !option->add_names)
        return (char *)text;
    options_add_help(&out, option);
    return out.at ? out.at : (char *)text;
}

void options_fill(struct argp *out, struct argp_option argp_options[OPTIONS_MAX],
                  const struct verb_row *verb)
{
    const struct option_row *option;
    size_t count = 0;
    for (size_t i = 0; (option = options_at(i)); i++) {
        if (!(option->verbs & verb->verb))
            continue;
        assert(count + 1 < OPTIONS_MAX);
        argp_options[count++] = (struct argp_option){.name = option->name,
                                                     .key = option->name ? key_of(i) : 0,
                                                     .arg = option->value,
                                                     .doc = option->help,
                                                     .group = option->group};
    }
    argp_options[count] = (struct argp_option){0};
    out->options = argp_options;
    out->help_filter = filter_help;
    out->args_doc = verb->arguments;
    out->doc = verb->help;
}

void options_help(struct text *out, struct argp_state *state)
{
    char *bytes = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&bytes, &length);
    char margin[32];
    snprintf(margin, sizeof margin, "rmargin=%d", terminal_output_room(HELP_WIDTH + 1) - 1);
    setenv("ARGP_HELP_FMT", margin, 0);
    const unsigned flags = state->flags;
    state->flags &=
        ~(unsigned)ARGP_NO_ERRS; /* which keeps argp from printing anything at all */
    if (stream)
        argp_state_help(state, stream, ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC);
    state->flags = flags;
    out->failed |= !stream || fclose(stream) != 0;
    text_add(out, bytes ? bytes : "", length);
    free(bytes);
}
