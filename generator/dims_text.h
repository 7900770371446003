/* dims_text: dims in the words that people use: n elements to one value, or a matrix, with a result
 * for each of its rows or columns. The one place that has these words; all else works on dims. */
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
int dims_text_read(struct dims *out, const struct matrix *matrix, int bytes,
                   struct error *error);

enum { DIMS_TEXT_CHARS = 144 };

/* "2Mi x 128 rows", " pitch 130" behind it where rows have gaps; of one value n, "400M"; of a middle
 * axis all three, "4 x 100 x 7 middle axis", with strides where there are gaps. Returns `out`. */
char *dims_text_format(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* The same within a sentence: "n = 400M", "2Mi x 128 rows". Returns `out`. */
char *dims_text_format_named(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* What asks for these dims on the command line: "--n 400000000", or "--rows 5 --len 7 --pitch 8
 * --axis 1"; not for a middle axis, which no option gives. Returns `out`. */
char *dims_text_options(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* A part of a file's name, for each dims another: "400000000", "rows-37x100-100-3700". Returns
 * `out`. */
char *dims_text_file_part(char out[DIMS_TEXT_CHARS], const struct dims *dims);

/* The options that ask for such dims: "--n", "--rows with --len". */
const char *dims_text_option_names(const struct dims *dims);

/* What a message tells the user to do: "--n COUNT chooses another size", "a smaller --n". */
const char *dims_text_another(const struct dims *dims);
const char *dims_text_smaller(const struct dims *dims);

/* "reduces rows, and what is asked for is one value: give --rows and --len": of what serves dims
 * like `own` where others are asked for. Returns `out`. */
char *dims_text_refuse(char out[DIMS_TEXT_CHARS], const struct dims *own,
                       const struct dims *asked);

/* What the results are of: "value", "rows", "columns", "middle axis". And such a name that --shape
 * takes, as it is kept here; NULL of another. */
const char *dims_text_name(const struct dims *dims);
const char *dims_text_find_name(const char *name);

/* What asks for a sweep of what has this name. */
const char *dims_text_sweep(const char *name);

/* Words of sentences: the options of any size; what has several results; a sweep of such; how
 * else they may be asked for. */
#define DIMS_TEXT_SIZES "--n, --rows"
#define DIMS_TEXT_SEVERAL "rows or columns"
#define DIMS_TEXT_SWEEP "--rows 1K..1M --len 32..4096"
#define DIMS_TEXT_INSTEAD "--axis 1 for rows, or --n for one value"

/* Dims as cells of a table, as columns that only programs see: initialisers of what has a title, a
 * name and whether it is a number. */
#define DIMS_TEXT_COLUMNS \
    {NULL, "shape", false}, {NULL, "rows", true}, {NULL, "len", true}, {NULL, "pitch", true}
enum { DIMS_TEXT_CELLS = 4 };

/* The text of cell i; NULL where it is empty: of one value all but the first. */
const char *dims_text_cell(char out[NUMBER_CHARS], const struct dims *dims, size_t i);

#endif
