/* sentence: writes text for people below a table: a label and a sentence broken into lines, and
 * the numbers in it. */
#ifndef AUTOTUNE_SENTENCE_H
#define AUTOTUNE_SENTENCE_H

#include "generator/text.h"

#include <stdint.h>

/* Appends words behind `indent` columns that are written already, broken at single spaces and line
 * ends into lines of at most `width` columns, the later ones indented, and a line end. */
void sentence_wrap(struct text *out, const char *words, size_t indent, size_t width);

/* Appends lines of which those of more than `width` columns are broken at spaces, the rest below the
 * text behind the line's label. A word that is longer than a line stays whole. */
void sentence_fold(struct text *out, const char *lines, size_t width);

/* Columns of prose on stdout: 110, or what its terminal has. */
size_t sentence_width(void);

/* Appends words, broken at spaces into lines that stdout's terminal has room for (100 columns
 * where it is none), the later ones indented by two. Takes their memory. */
void sentence_fit(struct text *out, struct text *words);

/* Appends the sentence behind its label (9 characters at most), broken at spaces into lines of
 * sentence_width columns, the later ones indented. Takes the sentence's memory. */
void sentence_end(struct text *out, const char *label, struct text *sentence);

void sentence_add_n(struct text *out, uint64_t n); /* 400M */
void sentence_add_about(struct text *out,
                        uint64_t n); /* rounded up to three digits: 317801 is 318K */
void sentence_add_fixed(struct text *out, double value,
                        int digits); /* a point in every locale */

/* Of values that are given one by one. */
struct sentence_range {
    double low, high;
    size_t count;
};
void sentence_extend(struct sentence_range *range, double value);

/* "0.56 to 0.85"; one number where both read the same. */
void sentence_add_range(struct text *out, const struct sentence_range *range, int digits);

/* Of percent that something takes longer, negative ones for less: "13.0 % longer", "1.0 to 3.0 % less",
 * "from 3.0 % less to 13.0 % longer". */
void sentence_add_longer(struct text *out, const struct sentence_range *range, int digits);
void sentence_add_sizes(struct text *out, const struct sentence_range *sizes); /* "1K to 4G" */

#endif
