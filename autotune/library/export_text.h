/* export_text: what the formats of an export have in common; between the files of export alone.
 */
#ifndef AUTOTUNE_EXPORT_TEXT_H
#define AUTOTUNE_EXPORT_TEXT_H

#include "autotune/library/export.h"

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

/* Appends the prefix in capitals. */
void export_add_capitals(struct text *out, const struct export *export);

/* Appends `form` with each '$' replaced by the prefix, each '@' by the prefix in capitals, and
 * each "$$" by '$'. */
void export_add_form(struct text *out, const struct export *export, const char *form);

/* What takes the place of a line "//: NAME" of a file that comes with the program. */
struct export_insert {
    const char *name;
    const struct text *text;
};

/* Appends templates/FILE: names that begin with "prefix" or "PREFIX" begin with the prefix,
 * ELEMENT and RESULT are C's types of both, and inserts stand where the file says. Of a matrix
 * LINE is what is reduced ("row"), RESULTS and DEPTH are which of its sizes counts results and
 * which their elements ("rows", "len"). */
int export_fill(struct text *out, const struct export *export, const char *file,
                const struct export_insert *inserts, size_t count, struct error *error);

/* Is a matrix reduced? */
bool export_is_matrix(const struct export *export);

/* One of two files of templates/: that for single values, or that for a matrix. */
const char *export_either(const struct export *export, const char *value, const char *matrix);

/* What stands for a name that every space has and that is known only when an export runs; NULL for
 * any other name. */
const char *export_builtin(const struct export *export, size_t slot);

/* The rows and GPUs of the model, from its records. */
int export_make_rows(struct export *out, struct error *error);

/* Appends the tables and functions of C99 and C++17 that select a row and plan its launches. */
int export_add_table(struct text *out, const struct export *export, struct error *error);

/* Appends the space's rules as cases of a switch over the rows of the table: conditions on a
 * matrix and the device's SMs. Rows without one have no case. */
int export_add_rules(struct text *out, const struct export *export, struct error *error);

/* Appends all kernels, each in a namespace of its own: PREFIX_kernels::v0 and up. */
int export_add_kernels(struct text *out, const struct export *export, struct error *error);

/* Adds a file PREFIX + `end`; NULL with error set when there are too many. */
struct text *export_add_file(struct export_files *files, const struct export *export,
                             const char *end);

/* One function a format. */
int export_write_header(struct export_files *out, const struct export *export,
                        struct error *error);
int export_write_cu(struct export_files *out, const struct export *export, struct error *error);
int export_write_cubin(struct export_files *out, const struct export *export, const char *nvrtc,
                       struct error *error);
int export_write_cmake(struct export_files *out, const struct export *export,
                       struct error *error);
int export_write_make(struct export_files *out, const struct export *export,
                      struct error *error);
int export_write_json(struct export_files *out, const struct export *export,
                      struct error *error);

#endif
