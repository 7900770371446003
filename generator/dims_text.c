/* dims_text: converts dims to words and back, by one table of the kinds of dims. */
#include "generator/dims_text.h"

#include "generator/number.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const dims_text_keys[DIMS_TEXT_CELLS] = {"shape", "rows", "len", "pitch"};

const char *const dims_text_scans[DIMS_SCANS] = {"none", "inclusive", "exclusive"};
const char *const dims_text_scan_symbols[DIMS_SCANS] = {"ALL", "INCLUSIVE", "EXCLUSIVE"};

enum kind { VALUE, ROWS, COLUMNS, MIDDLE, STRIDED, SCAN, SCAN_ROWS, SEGMENTS, KINDS };

/* The options of sizes: of n, of a matrix, of any axes, and of segments. */
enum sizes { BY_N, BY_ROWS, BY_AXES, BY_SEGMENTS };
static const struct {
    const char *options, *another, *smaller;
} sizes_words[] = {
    [BY_N] = {"--n", "--n COUNT chooses another size", "a smaller --n"},
    [BY_ROWS] = {"--rows with --len", "--rows and --len choose another size",
                 "smaller --rows or --len"},
    [BY_AXES] = {"--dims", "--dims chooses another size", "smaller sizes of --dims"},
    [BY_SEGMENTS] = {"--segments with --n", "--segments and --n choose another size",
                     "a smaller --n or --segments"},
};

/* The words for each kind of dims. */
static const struct kind_words {
    const char *name;             /* its space too, but of one value */
    enum sizes sizes;             /* the options that give them */
    const char *lines;            /* of a matrix: what each is a result for, or is scanned */
    const char *results;          /* how many there are, in the names of dims */
    const char *each[DIMS_SCANS]; /* a part of an identifier */
    const char *promise; /* of the results, behind a problem and the name of its scan */
    const char *reduced; /* "reduces ..." of a kernel */
    const char *wanted;  /* "what is asked for is ..." of a problem */
    const char *advice;  /* "give ..." where another kind was asked for */
    const char *gives;   /* "its kernels reduce to ..." of a space */
    const char *option;  /* which asks for it of a matrix or of n; NULL: none */
    const char *ordered; /* the space that keeps order n; NULL: none does */
    const char *others;  /* the hint where an export finds records of this kind alone */
} kinds[KINDS] = {
    [VALUE] = {.name = "value",
               .results = "1",
               .each = {""},
               .promise = "",
               .reduced = "to one value",
               .wanted = "one value",
               .advice = "--n in place of --rows",
               .gives = "one value",
               .ordered = "ordered",
               .others = "there are records of single values: leave --rows and --len, or "
                         "--space, out"},
    [ROWS] = {.name = "rows",
              .sizes = BY_ROWS,
              .lines = "rows",
              .results = "outer",
              .each = {"rows"},
              .promise = ", for each of the rows of a matrix",
              .reduced = "rows",
              .wanted = "rows",
              .advice = "--axis 1",
              .gives = "a value for each row",
              .option = "--axis 1",
              .ordered = "ordered-rows",
              .others = "there are records of rows: --space rows takes all"},
    [COLUMNS] = {.name = "columns",
                 .sizes = BY_ROWS,
                 .lines = "columns",
                 .results = "inner",
                 .each = {"columns"},
                 .promise = ", for each of the columns of a matrix",
                 .reduced = "columns",
                 .wanted = "columns",
                 .advice = "--axis 0",
                 .gives = "a value for each column",
                 .option = "--axis 0",
                 .ordered = "ordered-columns",
                 .others = "there are records of columns: --space columns takes all"},
    [MIDDLE] = {.name = "middle",
                .sizes = BY_AXES,
                .results = "outer * inner",
                .each = {"middle"},
                .promise = ", along a middle axis",
                .reduced = "a middle axis",
                .wanted = "a middle axis",
                .advice = "--dims and --axis",
                .gives = "values along a middle axis",
                .option = "--dims with a middle --axis",
                .others = "there are records of a middle axis: --space middle takes all"},
    [STRIDED] = {.name = "strided",
                 .sizes = BY_AXES,
                 .results = "outer * inner",
                 .each = {"strided"},
                 .promise = ", along several axes",
                 .reduced = "along several axes",
                 .wanted = "along several axes",
                 .advice = "--dims and --axis",
                 .gives = "values along several axes",
                 .option = "--dims with several of --axis",
                 .others = "there are records of several axes: --space strided takes all"},
    [SCAN] = {.name = "scan",
              .results = "n",
              .each = {"", "inclusive", "exclusive"},
              .promise = " scan",
              .reduced = "as a scan",
              .wanted = "a scan",
              .advice = "--n in place of --rows",
              .gives = "a value for each element",
              .option = "--scan inclusive",
              .others = "there are records of scans: --space scan takes all"},
    [SCAN_ROWS] = {.name = "scan-rows",
                   .sizes = BY_ROWS,
                   .lines = "rows",
                   .results = "n",
                   .each = {"", "inclusive_rows", "exclusive_rows"},
                   .promise = " scan of each row of a matrix",
                   .reduced = "as a scan of each row",
                   .wanted = "a scan of each row",
                   .advice = "--rows and --len",
                   .gives = "a value for each element of each row",
                   .option = "--scan inclusive",
                   .others = "there are records of scans of rows: --space scan-rows takes all"},
    [SEGMENTS] = {.name = "segments",
                  .sizes = BY_SEGMENTS,
                  .results = "outer",
                  .each = {"segments"},
                  .promise = ", for each of the segments that offsets give",
                  .reduced = "segments",
                  .wanted = "segments",
                  .advice = "--segments and --n",
                  .gives = "a value for each segment",
                  .option = "--segments",
                  .others = "there are records of segments: --space segments takes all"},
};

#define DEPTH_MOST (UINT64_C(1) << 31) /* elements of one of several results */
#define BYTES_MOST (UINT64_C(1) << 62) /* as far as signed expressions reach */

static enum kind kind_of(const struct dims *dims)
{
    const bool is_across = dims->inner.n > 1 || dims->depth.stride > 1;
    if (dims->scan)
        return dims->outer.n > 1 ? SCAN_ROWS : SCAN;
    if (dims_is_segmented(dims))
        return SEGMENTS;
    if (dims_is_strided(dims))
        return STRIDED;
    if (dims->outer.n > 1)
        return is_across ? MIDDLE : ROWS;
    return is_across ? COLUMNS : VALUE;
}

/* One value is a row. */
static struct matrix matrix_of(const struct dims *dims)
{
    const struct matrix rows = {dims->outer.n, dims->depth.n, dims->outer.stride, 1};
    const struct matrix columns = {dims->depth.n, dims->inner.n, dims->depth.stride, 0};
    return kind_of(dims) == COLUMNS ? columns : rows;
}

static const struct kind_words *words_of(const struct dims *dims)
{
    return &kinds[kind_of(dims)];
}

static bool is_by_n(const struct dims *dims)
{
    return words_of(dims)->sizes == BY_N;
}

static bool has_axes(const struct dims *dims)
{
    return words_of(dims)->sizes == BY_AXES;
}

/* "inclusive", "exclusive"; "" of what is no scan. */
static const char *scan_of(const struct dims *dims)
{
    return dims->scan ? dims_text_scans[dims->scan] : "";
}

/* --- Reading ------------------------------------------------------------------------------ */

static bool is_too_large(const struct matrix *matrix, int bytes)
{
    uint64_t elements, total;
    return __builtin_mul_overflow(matrix->rows, matrix->pitch, &elements) ||
           __builtin_mul_overflow(elements, (uint64_t)bytes, &total) || total > BYTES_MOST;
}

static struct dims make(const struct matrix *matrix)
{
    const struct dim all = {matrix->rows, matrix->pitch}, one = {matrix->len, 1}, none = {1, 1};
    const struct dims rows = {all, one, none, DIMS_ALL, DIMS_WHOLE},
                      columns = {none, all, one, DIMS_ALL, DIMS_WHOLE};
    return dims_canonical(matrix->axis ? &rows : &columns);
}

static int check_depth(const struct dims *dims, struct error *error)
{
    if (dims->depth.n <= DEPTH_MOST || kind_of(dims) == VALUE)
        return 0;
    return error_set(error, ERROR_USAGE,
                     "each result would be of %" PRIu64
                     " elements, and 2^31 is the most: for one value of more use --n",
                     dims->depth.n);
}

int dims_text_read(struct dims *out, const struct matrix *given, int bytes, struct error *error)
{
    struct matrix matrix = *given;
    if (matrix.rows < 1 || matrix.len < 1)
        return error_set(error, ERROR_USAGE,
                         "a matrix has one row and one element in it at least: give --rows and "
                         "--len of 1 or more");
    if (matrix.pitch == 0)
        matrix.pitch = matrix.len;
    if (matrix.pitch < matrix.len)
        return error_set(error, ERROR_USAGE,
                         "--pitch is %" PRIu64 ", less than a row's %" PRIu64
                         " elements: give the elements from one row's start to the next's, or "
                         "leave it out",
                         matrix.pitch, matrix.len);
    if (is_too_large(&matrix, bytes))
        return error_set(error, ERROR_USAGE,
                         "%" PRIu64 " rows, %" PRIu64
                         " elements apart, are more than any memory "
                         "holds: give smaller --rows or --%s",
                         matrix.rows, matrix.pitch,
                         matrix.pitch > matrix.len ? "pitch" : "len");
    *out = make(&matrix);
    return check_depth(out, error);
}

void dims_text_pack(struct dims_axis *axes, size_t count)
{
    uint64_t stride = 1;
    for (size_t i = count; i-- > 0;) {
        axes[i].stride = stride;
        stride *= axes[i].n;
    }
}

/* Checks that each axis has elements, and that some memory has room for all. */
static int check_axes(const struct dims_axis *axes, size_t count, int bytes,
                      struct error *error)
{
    uint64_t reach = 1, n = (uint64_t)bytes, step;
    const char *none = NULL;
    for (size_t i = 0; i < count; i++)
        none = axes[i].n == 0 ? "dims" : axes[i].stride == 0 && !none ? "strides" : none;
    if (none)
        return error_set(error, ERROR_USAGE,
                         "--%s has a 0: give sizes and strides of 1 or more", none);
    for (size_t i = 0; i < count; i++) {
        if (__builtin_mul_overflow(axes[i].n - 1, axes[i].stride, &step) ||
            __builtin_add_overflow(reach, step, &reach) ||
            __builtin_mul_overflow(n, axes[i].n, &n) || n > BYTES_MOST ||
            reach > BYTES_MOST / (uint64_t)bytes)
            return error_set(error, ERROR_USAGE,
                             "an array of such --dims is more than any memory holds: give "
                             "smaller sizes");
    }
    return 0;
}

int dims_text_read_axes(struct dims *out, const struct dims_axis *axes, size_t count, int bytes,
                        struct error *error)
{
    struct dim all[2][DIMS_TEXT_AXES] = {
        {{0, 0}}}; /* kept ones and those combined, the closest first */
    int counts[2] = {0, 0};
    assert(count <= DIMS_TEXT_AXES);
    if (check_axes(axes, count, bytes, error))
        return -1;
    for (size_t i = count; i-- > 0;)
        all[axes[i].is_combined][counts[axes[i].is_combined]++] =
            (struct dim){axes[i].n, axes[i].stride};
    for (int kind = 0; kind < 2; kind++)
        counts[kind] = dims_merge(all[kind], counts[kind]);
    for (int kind = 0; kind < 2; kind++)
        if (counts[kind] > DIMS_AXES)
            return error_set(
                error, ERROR_USAGE,
                "what is %s lies as %d axes in the array, with others between, and "
                "%d are the most: reduce one axis after another",
                kind ? "combined" : "kept", counts[kind], DIMS_AXES);
    *out = dims_from_axes(all[0], counts[0], all[1], counts[1], DIMS_ALL);
    return check_depth(out, error);
}

void dims_text_forms(struct dims out[DIMS_TEXT_FORMS], uint64_t n, uint64_t depth, uint64_t gap)
{
    const struct dim none = {1, 1}, results = {n / depth, 1};
    /* most on the inner side, and as many as a few of it have room for on the outer */
    const uint64_t outer = results.n < 64 ? 2 : 32, inner = results.n / outer;
    /* spans of half the depth, and kept axes between them and outside, or behind each element */
    const uint64_t span = depth / 2 ? depth / 2 : 1;
    const struct dims behind = {{outer, depth * inner}, {depth, 1}, {inner, span}, DIMS_ALL,
                                {{span, span * inner}}, {{1, 1}}},
                      between = {{outer, span * (inner + gap)},
                                 {depth, inner + gap},
                                 {inner, 1},
                                 DIMS_ALL,
                                 {{span, outer * span * (inner + gap)}},
                                 {{1, 1}}};
    /* three of a kind, by turns: kept, combined, kept, combined, kept, combined */
    const uint64_t least = depth / 4 ? depth / 4 : 1, slice = outer / 2,
                   half = 2 * least * inner;
    const struct dims by_turns = {{outer, half},
                                  {depth, 1},
                                  {inner, least},
                                  DIMS_ALL,
                                  {{least, least * inner}, {2 * least, half * slice}},
                                  {{slice, 2 * half * slice}}};
    const struct dims forms[DIMS_TEXT_FORMS] = {
        dims_value(n),
        {.outer = {results.n, depth + gap}, .depth = {depth, 1}, .inner = none},
        {.outer = none, .depth = {depth, results.n + gap}, .inner = results},
        {{outer, depth * (inner + gap)},
         {depth, inner + gap},
         {inner, 1},
         DIMS_ALL,
         DIMS_WHOLE},
        gap == 2 && depth % 4 == 0 ? by_turns
        : gap                      ? between
                                   : behind,
        dims_run(n, DIMS_INCLUSIVE),
        dims_run(n, DIMS_EXCLUSIVE),
        {{results.n, depth + gap}, {depth, 1}, none, DIMS_INCLUSIVE, DIMS_WHOLE},
        {{results.n, depth + gap}, {depth, 1}, none, DIMS_EXCLUSIVE, DIMS_WHOLE},
        dims_segments(results.n, n),
    };
    memcpy(out, forms, sizeof forms);
}

const char *dims_text_find_name(const char *name)
{
    for (enum kind kind = ROWS; kind <= COLUMNS; kind++)
        if (strcmp(name, kinds[kind].name) == 0)
            return kinds[kind].name;
    return NULL;
}

int dims_text_find_scan(enum dims_scan *out, const char *name, struct error *error)
{
    for (int scan = 0; scan < DIMS_SCANS; scan++)
        if (strcmp(name, dims_text_scans[scan]) == 0) {
            *out = (enum dims_scan)scan;
            return 0;
        }
    return error_set(error, ERROR_USAGE,
                     "unknown scan '%.40s': choose inclusive, exclusive or none", name);
}

const char *dims_text_sweep(const char *name)
{
    return name == kinds[COLUMNS].name ? DIMS_TEXT_SWEEP " --axis 0" : DIMS_TEXT_SWEEP;
}

/* --- Axes --------------------------------------------------------------------------------- */

/* Axes as an array has them, the outermost first, without those of one element but where none else is
 * combined. */
struct array {
    struct dims_axis axes[DIMS_ALL_AXES];
    size_t count;
    bool is_dense; /* there are no gaps */
};

/* Of two kinds of axes, each in its order, the one that takes longer steps goes first. */
static struct array array_of(const struct dims *dims)
{
    struct dim all[DIMS_ALL_AXES]; /* combined and kept ones, the closest first */
    struct array array = {.is_dense = true};
    struct dims_axis dense[DIMS_ALL_AXES];
    dims_all_axes(all, dims);
    for (int c = DIMS_AXES, k = DIMS_ALL_AXES; c > 0 || k > DIMS_AXES;) {
        const bool is_kept =
            c == 0 || (k > DIMS_AXES && all[k - 1].stride >= all[c - 1].stride);
        if (k > DIMS_AXES && all[k - 1].n == 1)
            k--;
        else if (c > 0 && all[c - 1].n == 1)
            c--;
        else {
            const struct dim *axis = is_kept ? &all[--k] : &all[--c];
            array.axes[array.count++] = (struct dims_axis){axis->n, axis->stride, !is_kept};
        }
    }
    if (dims->depth.n == 1)
        array.axes[array.count++] = (struct dims_axis){1, 1, true};
    memcpy(dense, array.axes, sizeof dense);
    dims_text_pack(dense, array.count);
    for (size_t i = 0; i < array.count; i++)
        array.is_dense = array.is_dense && dense[i].stride == array.axes[i].stride;
    return array;
}

/* Appends the sizes of an array's axes, their strides, or the numbers of those that are combined;
 * to a string of `used` characters. Returns how many it has then. */
enum axes_part { SIZES, STRIDES, COMBINED };
static int add_axes(char out[DIMS_TEXT_CHARS], int used, const struct array *array,
                    enum axes_part part, const char *before, const char *between)
{
    for (size_t i = 0; i < array->count; i++) {
        const struct dims_axis *axis = &array->axes[i];
        if (part == COMBINED && !axis->is_combined)
            continue;
        used += snprintf(out + used, (size_t)(DIMS_TEXT_CHARS - used), "%s%" PRIu64, before,
                         part == SIZES     ? axis->n
                         : part == STRIDES ? axis->stride
                                           : (uint64_t)i);
        before = between;
    }
    return used;
}

static bool is_middle(const struct array *array)
{
    return array->count == 3 && !array->axes[0].is_combined && array->axes[1].is_combined &&
           !array->axes[2].is_combined;
}

/* "32 x 64 x 3136 axes 0,2", or " middle axis". */
static char *format_axes(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    const struct array array = array_of(dims);
    int used = 0;
    for (size_t i = 0; i < array.count; i++) {
        char number[NUMBER_CHARS];
        used += snprintf(out + used, (size_t)(DIMS_TEXT_CHARS - used), "%s%s", i ? " x " : "",
                         number_format_count(number, array.axes[i].n));
    }
    if (is_middle(&array))
        used += snprintf(out + used, (size_t)(DIMS_TEXT_CHARS - used), " middle axis");
    else
        used = add_axes(out, used, &array, COMBINED, " axes ", ",");
    if (!array.is_dense)
        add_axes(out, used, &array, STRIDES, " strides ", " ");
    return out;
}

static char *options_of_axes(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    const struct array array = array_of(dims);
    int used = add_axes(out, 0, &array, SIZES, "--dims ", ",");
    if (!array.is_dense)
        used = add_axes(out, used, &array, STRIDES, " --strides ", ",");
    add_axes(out, used, &array, COMBINED, " --axis ", ",");
    return out;
}

static char *identify_axes(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    const struct array array = array_of(dims);
    int used = add_axes(out, 0, &array, SIZES, "", "x");
    if (!is_middle(&array))
        used = add_axes(out, used, &array, COMBINED, "_axes", "_");
    if (!array.is_dense)
        add_axes(out, used, &array, STRIDES, "_strides", "_");
    return out;
}

/* --- Writing ------------------------------------------------------------------------------ */

char *dims_text_format(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    const enum kind kind = kind_of(dims);
    const struct matrix matrix = matrix_of(dims);
    char rows[NUMBER_CHARS], len[NUMBER_CHARS], pitch[NUMBER_CHARS];
    if (has_axes(dims))
        return format_axes(out, dims);
    if (kind == VALUE)
        return number_format_count(out, dims->depth.n);
    if (kind == SEGMENTS) {
        snprintf(out, DIMS_TEXT_CHARS, "%s in %s segments",
                 number_format_count(len, dims->depth.n),
                 number_format_count(rows, dims->outer.n));
        return out;
    }
    if (kind == SCAN) {
        snprintf(out, DIMS_TEXT_CHARS, "%s %s scan", number_format_count(rows, dims->depth.n),
                 dims_text_scans[dims->scan]);
        return out;
    }
    const bool has_gaps = matrix.pitch != matrix.len;
    snprintf(out, DIMS_TEXT_CHARS, "%s x %s %s%s%s%s%s", number_format_count(rows, matrix.rows),
             number_format_count(len, matrix.len), kinds[kind].lines, has_gaps ? " pitch " : "",
             has_gaps ? number_format_count(pitch, matrix.pitch) : "",
             dims->scan ? " scan " : "", scan_of(dims));
    return out;
}

char *dims_text_format_named(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    char size[DIMS_TEXT_CHARS];
    if (!is_by_n(dims))
        return dims_text_format(out, dims);
    snprintf(out, DIMS_TEXT_CHARS, "n = %.32s", dims_text_format(size, dims));
    return out;
}

char *dims_text_result(char out[DIMS_TEXT_CHARS], const struct dims *dims, uint64_t result)
{
    if (kind_of(dims) == VALUE)
        snprintf(out, DIMS_TEXT_CHARS, "at n = %" PRIu64, dims->depth.n);
    else
        snprintf(out, DIMS_TEXT_CHARS, "%" PRIu64 " of %" PRIu64, result, dims_results(dims));
    return out;
}

char *dims_text_options(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    const struct matrix matrix = matrix_of(dims);
    if (has_axes(dims))
        return options_of_axes(out, dims);
    if (kind_of(dims) == VALUE)
        snprintf(out, DIMS_TEXT_CHARS, "--n %" PRIu64, dims->depth.n);
    else if (kind_of(dims) == SEGMENTS)
        snprintf(out, DIMS_TEXT_CHARS, "--segments %" PRIu64 " --n %" PRIu64, dims->outer.n,
                 dims->depth.n);
    else if (kind_of(dims) == SCAN)
        snprintf(out, DIMS_TEXT_CHARS, "--scan %s --n %" PRIu64, dims_text_scans[dims->scan],
                 dims->depth.n);
    else
        snprintf(out, DIMS_TEXT_CHARS,
                 "%s%s%s--rows %" PRIu64 " --len %" PRIu64 " --pitch %" PRIu64 " --axis %d",
                 dims->scan ? "--scan " : "", scan_of(dims), dims->scan ? " " : "", matrix.rows,
                 matrix.len, matrix.pitch, matrix.axis);
    return out;
}

char *dims_text_identifier(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    const struct matrix matrix = matrix_of(dims);
    if (is_by_n(dims))
        return dims_text_file_part(out, dims);
    if (kind_of(dims) == SEGMENTS) {
        snprintf(out, DIMS_TEXT_CHARS, "%" PRIu64 "in%" PRIu64, dims->depth.n, dims->outer.n);
        return out;
    }
    if (has_axes(dims))
        return identify_axes(out, dims);
    const int used =
        snprintf(out, DIMS_TEXT_CHARS, "%" PRIu64 "x%" PRIu64, matrix.rows, matrix.len);
    if (matrix.pitch > matrix.len)
        snprintf(out + used, (size_t)(DIMS_TEXT_CHARS - used), "_pitch%" PRIu64, matrix.pitch);
    return out;
}

/* A name too long for a part of a file's becomes its beginning and a hash of it (FNV-1a). */
static char *shorten(char out[DIMS_TEXT_CHARS], const char *name)
{
    enum { MOST = 100 };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    if (strlen(name) > MOST)
        snprintf(out + MOST, DIMS_TEXT_CHARS - MOST, "-%016" PRIx64, hash);
    return out;
}

char *dims_text_file_part(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    const enum kind kind = kind_of(dims);
    const struct matrix matrix = matrix_of(dims);
    char axes[DIMS_TEXT_CHARS];
    int used = 0;
    if (kind == STRIDED)
        used = snprintf(out, DIMS_TEXT_CHARS, "strided-%s-",
                        shorten(axes, identify_axes(axes, dims)));
    else if (kind == MIDDLE)
        used =
            snprintf(out, DIMS_TEXT_CHARS, "%" PRIu64 "-%" PRIu64 "x%" PRIu64 "-%" PRIu64 "x",
                     dims->outer.stride, dims->depth.n, dims->depth.stride, dims->inner.n);
    else if (kind == SCAN)
        used = snprintf(out, DIMS_TEXT_CHARS, "%s-", dims_text_scans[dims->scan]);
    else if (kind == SEGMENTS)
        used = snprintf(out, DIMS_TEXT_CHARS, "segments-%" PRIu64 "-", dims->outer.n);
    else if (kind != VALUE)
        used = snprintf(out, DIMS_TEXT_CHARS, "%s%s%s-%" PRIu64 "x%" PRIu64 "-%" PRIu64 "-",
                        scan_of(dims), dims->scan ? "-" : "", kinds[kind].lines, matrix.rows,
                        matrix.len, matrix.pitch);
    snprintf(out + used, (size_t)(DIMS_TEXT_CHARS - used), "%" PRIu64, dims_n(dims));
    return out;
}

const char *dims_text_option_names(const struct dims *dims)
{
    return sizes_words[words_of(dims)->sizes].options;
}

const char *dims_text_another(const struct dims *dims)
{
    return sizes_words[words_of(dims)->sizes].another;
}

const char *dims_text_smaller(const struct dims *dims)
{
    return sizes_words[words_of(dims)->sizes].smaller;
}

char *dims_text_refuse(char out[DIMS_TEXT_CHARS], const struct dims *own,
                       const struct dims *asked)
{
    const bool has_no_lines = is_by_n(asked) || kind_of(asked) == SEGMENTS;
    const char *advice = asked->scan && !own->scan   ? "no --scan"
                         : !asked->scan && own->scan ? "--scan inclusive or exclusive"
                         : kind_of(asked) == SEGMENTS && kind_of(own) == VALUE ? "no --segments"
                         : has_no_lines && words_of(own)->lines ? "--rows and --len"
                                                                : words_of(own)->advice;
    snprintf(out, DIMS_TEXT_CHARS, "reduces %s, and what is asked for is %s: give %s",
             words_of(own)->reduced, words_of(asked)->wanted, advice);
    return out;
}

const char *dims_text_name(const struct dims *dims)
{
    return words_of(dims)->name;
}

const char *dims_text_each(const struct dims *dims)
{
    return words_of(dims)->each[dims->scan];
}

const char *dims_text_gives(const struct dims *dims)
{
    return words_of(dims)->gives;
}

const char *dims_text_results(const struct dims *dims)
{
    return words_of(dims)->results;
}

char *dims_text_promise(char out[DIMS_TEXT_CHARS], const struct dims *dims)
{
    snprintf(out, DIMS_TEXT_CHARS, "%s%s%s", dims->scan ? ", " : "", scan_of(dims),
             words_of(dims)->promise);
    return out;
}

const char *dims_text_space(const struct dims *dims, const char *usual)
{
    return kind_of(dims) == VALUE ? usual : words_of(dims)->name;
}

const char *dims_text_ordered_space(const struct dims *dims)
{
    return words_of(dims)->ordered;
}

char *dims_text_refuse_space(char out[DIMS_TEXT_SENTENCE_CHARS], const struct dims *own,
                             const struct dims *asked, const char *space)
{
    const char *option = words_of(own)->option;
    const bool lacks_sizes = kind_of(asked) == VALUE && words_of(own)->lines && !own->scan;
    snprintf(out, DIMS_TEXT_SENTENCE_CHARS,
             "its kernels reduce to %s, and what is asked for is %s: use --space %s%s%s%s",
             words_of(own)->gives, words_of(asked)->gives, space, option ? ", or give " : "",
             lacks_sizes ? "--rows, --len and " : "", option ? option : "");
    return out;
}

const char *dims_text_others(const struct dims *dims)
{
    return words_of(dims)->others;
}

int dims_text_compare(const struct dims *a, const struct dims *b)
{
    return number_compare(kind_of(a), kind_of(b));
}

int dims_text_compare_sizes(const struct dims *a, const struct dims *b)
{
    const struct matrix one = matrix_of(a), other = matrix_of(b);
    const bool are_values = is_by_n(a) && is_by_n(b);
    const int orders[] = {are_values ? 0 : number_compare(one.len, other.len),
                          number_compare(dims_n(a), dims_n(b)),
                          number_compare(one.pitch, other.pitch)};
    return number_decide(orders, sizeof orders / sizeof *orders);
}

const char *dims_text_nearness(const struct dims *dims)
{
    return kind_of(dims) == COLUMNS ? "rows first, then in rows x len"
                                    : "len first, then in rows x len";
}

const char *dims_text_cell(char out[NUMBER_CHARS], const struct dims *dims, size_t i)
{
    const enum kind kind = kind_of(dims);
    const struct matrix matrix = matrix_of(dims);
    const uint64_t numbers[DIMS_TEXT_CELLS] = {0, matrix.rows, matrix.len, matrix.pitch};
    if (i == 0)
        return kinds[kind].name;
    return kind == ROWS || kind == COLUMNS ? number_format_fixed(out, numbers[i], 0) : NULL;
}

const char *dims_text_shown(char out[DIMS_TEXT_CHARS], const struct dims *dims, size_t i)
{
    const struct matrix matrix = matrix_of(dims);
    char len[NUMBER_CHARS], pitch[NUMBER_CHARS];
    if (i == 0)
        return number_format_count(out, matrix.rows);
    number_format_count(len, matrix.len);
    if (matrix.pitch == matrix.len)
        snprintf(out, DIMS_TEXT_CHARS, "%s", len);
    else
        snprintf(out, DIMS_TEXT_CHARS, "%s pitch %s", len,
                 number_format_count(pitch, matrix.pitch));
    return out;
}

void dims_text_widen(struct dims_text_spans *spans, const struct dims *dims)
{
    const struct matrix matrix = matrix_of(dims);
    const uint64_t sizes[DIMS_TEXT_SHOWN_CELLS] = {matrix.rows, matrix.len};
    for (size_t i = 0; i < DIMS_TEXT_SHOWN_CELLS; i++) {
        if (!spans->has_some || sizes[i] < spans->from[i])
            spans->from[i] = sizes[i];
        if (!spans->has_some || sizes[i] > spans->to[i])
            spans->to[i] = sizes[i];
    }
    spans->has_some = true;
}

const char *dims_text_span(char out[DIMS_TEXT_CHARS], const struct dims_text_spans *spans,
                           size_t i)
{
    const uint64_t ends[] = {spans->from[0], spans->to[0], spans->from[1], spans->to[1]};
    char from[NUMBER_CHARS], to[NUMBER_CHARS];
    if (i >= DIMS_TEXT_SHOWN_CELLS)
        return number_format_fixed(out, ends[i - DIMS_TEXT_SHOWN_CELLS], 0);
    number_format_count(from, spans->from[i]);
    if (spans->from[i] == spans->to[i])
        snprintf(out, DIMS_TEXT_CHARS, "%s", from);
    else
        snprintf(out, DIMS_TEXT_CHARS, "%s..%s", from, number_format_count(to, spans->to[i]));
    return out;
}
