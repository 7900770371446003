/* export_text: what the formats of an export have in common; between the files of export alone.
 */
#ifndef AUTOTUNE_EXPORT_TEXT_H
#define AUTOTUNE_EXPORT_TEXT_H

#include "autotune/export/export.h"

/* How a format's comments look: what opens, what stands before each further line, what ends. */
struct export_comment {
    const char *open, *line, *end;
};
extern const struct export_comment export_c_comment, export_cc_comment, export_hash_comment;

/* Appends what every file begins with: what it is, what made it from which records. */
void export_add_provenance(struct text *out, const struct export *export,
                           const struct export_comment *comment, const char *what);

/* Appends words for a comment: without what would end it, or begin another. */
void export_add_words(struct text *out, const char *words);

/* Has C or C++ a meaning for it, which no name may take? */
bool export_is_reserved(const char *word);

/* Appends it with capitals for small letters. */
void export_add_capitals(struct text *out, const char *word);

/* Appends C that is written here for the prefix "prefix": names that begin with it, in either
 * case, begin with the export's, and those of the headers that exports carry (dims_n, struct
 * dims) have it in front. */
void export_add_code(struct text *out, const struct export *export, const char *code);
void export_take_code(struct text *out, const struct export *export,
                      struct text *code); /* and disposes of it */

/* The same of the lines of a file that comes with the program that control lines keep: they may
 * ask for OUTER, INNER and DEPTH_STRIDE of what is reduced, for HAS_GIVEN, and for PIECE. */
enum export_piece {
    EXPORT_DECLARED,
    EXPORT_TABLE,
    EXPORT_LAUNCHED,
    EXPORT_OPENED,
    EXPORT_CLOSED
};
int export_add_file_part(struct text *out, const struct export *export, const char *file,
                         enum export_piece piece, struct error *error);

/* A piece of the functions that name what is reduced as callers do: by n, or by the sizes of a
 * matrix. */
int export_add_sizes(struct text *out, const struct export *export, enum export_piece piece,
                     struct error *error);

/* Appends "    const int64_t n = ...;" for each name that every space has, is known only when
 * an export runs, and is mentioned in the code; there `dims` and `sms` are. */
void export_add_builtins(struct text *out, const char *code);

/* Such a name in C, NULL for any other. */
const char *export_builtin(size_t slot);

/* The rows and GPUs of the model, from its records. */
int export_make_rows(struct export *out, struct error *error);

/* Appends the headers that exports carry, and the tables and functions of C99 and C++17 that
 * select a row and plan its launches. */
int export_add_table(struct text *out, const struct export *export, struct error *error);

/* Appends prefix_allows, which has the space's rules as conditions on dims and SMs for each row
 * of the table. */
int export_add_rules(struct text *out, const struct export *export, struct error *error);

/* Adds a file PREFIX + `end`; NULL with error set when there are too many. */
struct text *export_add_file(struct export_files *files, const struct export *export,
                             const char *end);

/* Adds PREFIX_table.h. */
int export_write_table(struct export_files *out, const struct export *export,
                       struct error *error);

#endif
