/* dims_text: reads and writes dims in the words that people use: n elements to one value, or a
 * matrix, with a result for each of its rows or columns. Only here are these words; all else
 * works on dims. */
#ifndef AUTOTUNE_DIMS_TEXT_H
#define AUTOTUNE_DIMS_TEXT_H

#include "generator/dims.h"
#include "generator/error.h"
#include "generator/number.h"

#include <stdbool.h>
#include <stddef.h> /* size_t */

/* Row r begins r * pitch elements behind the first. */
struct matrix {
    uint64_t rows, len, pitch; /* pitch 0: len */
    int axis;                  /* 1: a result for each row; 0: for each column */
};

/* The dims of a matrix of elements of so many bytes, in the canonical form. ERROR_USAGE says what
 * is out of range. */
int dims_text_read(struct dims *out, const struct matrix *given, int bytes,
                   struct error *error);

/* An axis of an array: elements along it, and from one to the next. */
struct dims_axis {
    uint64_t n, stride;
    bool is_combined;
};
enum { DIMS_TEXT_AXES = 8 };

/* The strides of an array without gaps, of axes from the slowest to the fastest. */
void dims_text_pack(struct dims_axis *axes, size_t count);

/* The dims of an array of so many axes, the slowest first, in the canonical form: axes of one element
 * go, and those of one kind that lie as one are one. ERROR_USAGE: an axis has no elements, or what
 * is left is more than dims have. */
int dims_text_read_axes(struct dims *out, const struct dims_axis *axes, size_t count, int bytes,
                        struct error *error);

/* Dims of each kind that options ask for, not yet canonical: n elements to one value; then n / depth
 * results of `depth` elements each, by rows with a gap behind each, by columns, along a middle axis,
 * and along two axes with two kept ones between; then the two scans of n elements, and those of each row; then n / depth segments. */
enum { DIMS_TEXT_FORMS = 10 };
void dims_text_forms(struct dims out[DIMS_TEXT_FORMS], uint64_t n, uint64_t depth,
                     uint64_t gap);

/* "none", "inclusive", "exclusive"; and as in expressions. A scan by its name; an unknown one is
 * ERROR_USAGE. */
extern const char *const dims_text_scans[DIMS_SCANS], *const dims_text_scan_symbols[DIMS_SCANS];
int dims_text_find_scan(enum dims_scan *out, const char *name, struct error *error);

enum { DIMS_TEXT_CHARS = 256 };

/* "2Mi x 128 rows", " pitch 130" behind it where rows have gaps; of one value n, "400M"; of a scan
 * "400M inclusive scan"; of a middle axis all three, "4 x 100 x 7 middle axis", else "4 x 7 x 9 axes 0,2", with strides where there are gaps. Returns `out`. */
char *dims_text_format(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* The same within a sentence: "n = 400M", "2Mi x 128 rows". Returns `out`. */
char *dims_text_format_named(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* Names a result: "at n = 1000" of one value, "3 of 37" of several. Returns `out`. */
char *dims_text_result(char out[DIMS_TEXT_CHARS], const struct dims *dims, uint64_t result);

/* The options of the command line for these dims: "--n 400000000", "--rows 5 --len 7 --pitch 8 --axis
 * 1", or "--dims 4,20,30 --axis 1", with --strides where there are gaps. Returns `out`. */
char *dims_text_options(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* A part of an identifier: "400000000", "4096x1024", "4096x1024_pitch1040". Returns `out`. */
char *dims_text_identifier(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* A part of a file's name, different for different dims: "400000000", "rows-37x100-100-3700".
 * Returns `out`. */
char *dims_text_file_part(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* The options that ask for such dims: "--n", "--rows with --len", "--dims". */
const char *dims_text_option_names(const struct dims *dims);

/* What a message tells the user to do: "--n COUNT chooses another size", "a smaller --n". */
const char *dims_text_another(const struct dims *dims);
const char *dims_text_smaller(const struct dims *dims);

/* "reduces rows, and what is asked for is one value: give --rows and --len": for a kernel that
 * serves dims like `own` where others are asked for. Returns `out`. */
char *dims_text_refuse(char out[DIMS_TEXT_CHARS], const struct dims *own,
                       const struct dims *asked);

/* The kind of the results: "value", "rows", "columns", "middle", "strided"; then the same as a part of an
 * identifier, with "" for one value and "inclusive_rows" for scans. The third checks a name that --shape takes and returns the same name from our
 * table, or NULL for an unknown one. */
const char *dims_text_name(const struct dims *dims);
const char *dims_text_each(const struct dims *dims);

/* What such kernels give: "a value for each row". */
const char *dims_text_gives(const struct dims *dims);

/* How many results a call has, in the names of dims: "1", "outer", "inner", "outer * inner"; of a
 * scan "n". */
const char *dims_text_results(const struct dims *dims);

/* What is promised of the results, behind a problem: ", for each of the rows of a matrix",
 * ", inclusive scan"; "" of one value. Returns `out`. */
char *dims_text_promise(char out[DIMS_TEXT_CHARS], const struct dims *dims);
const char *dims_text_find_name(const char *name);

/* The built-in space used where none is named; of one value `usual`. And the same where --order n
 * is asked for; NULL where no kernel keeps that order. */
const char *dims_text_space(const struct dims *dims, const char *usual);
const char *dims_text_ordered_space(const struct dims *dims);

/* "its kernels reduce to one value, and what is asked for is a value for each row: use --space
 * rows": for a space that serves dims like `own`, where others are asked for. `space` is what
 * the others need. Returns `out`. */
enum { DIMS_TEXT_SENTENCE_CHARS = 300 };
char *dims_text_refuse_space(char out[DIMS_TEXT_SENTENCE_CHARS], const struct dims *own,
                             const struct dims *asked, const char *space);

/* The hint where an export finds no record of its space but there are some of these dims:
 * "there are records of rows: --space rows takes all". */
const char *dims_text_others(const struct dims *dims);

/* The order of a table: by kind, then by size. <0, 0 or >0. */
int dims_text_compare(const struct dims *a, const struct dims *b);
int dims_text_compare_sizes(const struct dims *a, const struct dims *b);

/* The options that ask for a sweep of this kind. */
const char *dims_text_sweep(const char *name);

/* Parts of sentences: the options of any size; what has several results; a sweep of these; how
 * else they may be asked for. */
#define DIMS_TEXT_SIZES "--n, --rows, --dims"
#define DIMS_TEXT_OTHER_SIZES                                                                      \
    "there are records of other shapes: leave --rows and --len out and take all, which serve any " \
    "shape, by --shape rows or --shape columns"
#define DIMS_TEXT_SEVERAL "rows or columns"
#define DIMS_TEXT_RESULTS "rows, columns or scans"
#define DIMS_TEXT_SHAPE "--shape rows"
#define DIMS_TEXT_SPACE "--space rows"
#define DIMS_TEXT_EXPORTS                                                                      \
    "Likewise those of a matrix: of one shape by --rows and --len, of all by --space rows or " \
    "columns."
#define DIMS_TEXT_SWEEP "--rows 1K..1M --len 32..4096"
#define DIMS_TEXT_INSTEAD "--axis 1 for rows, or --n for one value"

/* Dims as cells of a table, in columns that only programs see: initialisers of a struct with a
 * title, a name and whether it is a number. */
#define DIMS_TEXT_COLUMNS                                                                      \
    {NULL, "shape", false}, {NULL, "rows", true}, {NULL, "len", true},                         \
    {                                                                                          \
        NULL, "pitch", true                                                                    \
    }
enum { DIMS_TEXT_CELLS = 4 };
extern const char *const dims_text_keys[DIMS_TEXT_CELLS]; /* their names */

/* For people: two cells, "4096", "1024 pitch 1040". */
#define DIMS_TEXT_SHOWN                                                                        \
    {"rows", NULL, true},                                                                      \
    {                                                                                          \
        "len", NULL, true                                                                      \
    }
enum { DIMS_TEXT_SHOWN_CELLS = 2 };
const char *dims_text_shown(char out[DIMS_TEXT_CHARS], const struct dims *dims, size_t i);

/* A range of dims, from and to, as cells: two for people, four for programs. */
#define DIMS_TEXT_SPANS                                                                        \
    DIMS_TEXT_SHOWN, {NULL, "rows_from", true}, {NULL, "rows_to", true},                       \
        {NULL, "len_from", true},                                                              \
    {                                                                                          \
        NULL, "len_to", true                                                                   \
    }
enum { DIMS_TEXT_SPANS_CELLS = 6 };
struct dims_text_spans {
    uint64_t from[DIMS_TEXT_SHOWN_CELLS], to[DIMS_TEXT_SHOWN_CELLS];
    bool has_some;
};
void dims_text_widen(struct dims_text_spans *spans, const struct dims *dims);
const char *dims_text_span(char out[DIMS_TEXT_CHARS], const struct dims_text_spans *spans,
                           size_t i);

/* How the nearest record is found for dims between those tuned: "len first, then in rows x
 * len". */
const char *dims_text_nearness(const struct dims *dims);

/* The text of cell i; NULL where it is empty: for one value all but the first are. */
const char *dims_text_cell(char out[NUMBER_CHARS], const struct dims *dims, size_t i);

#endif
