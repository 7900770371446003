/* export_text: declares the functions that the formats of an export share; for the files of
 * export only. */
#ifndef AUTOTUNE_EXPORT_TEXT_H
#define AUTOTUNE_EXPORT_TEXT_H

#include "autotune/export/export.h"
#include "autotune/export/expr_c.h"

/* A format's comments: their start, the start of each following line, their end. */
struct export_comment {
    const char *open, *line, *end;
};
extern const struct export_comment export_c_comment, export_cc_comment, export_hash_comment;

/* Appends the head of every file: what it is, the command that makes it again, whose records it was
 * made from; then lines of the file's own, each with an end (NULL: none). */
void export_add_provenance(struct text *out, const struct export *export,
                           const struct export_comment *comment, const char *what,
                           const char *more);

/* Appends what was tuned, as a comment of C: a line for each row, with its sizes, times and
 * params. */
void export_add_tuned(struct text *out, const struct export *export);

/* Appends words for a comment, without characters that would end it or begin another. */
void export_add_words(struct text *out, const char *words);

/* Is the word reserved in C or C++? */
bool export_is_reserved(const char *word);

/* Appends the name of an operation's param as a member of C and C++. */
void export_add_param_name(struct text *out, const struct operation *op, size_t param);

/* Appends the word in upper case. */
void export_add_capitals(struct text *out, const char *word);

/* Appends C written here for the prefix "prefix": names that begin with it, in either case, get
 * the export's prefix instead, and names of the carried headers (dims_n, struct dims) get it in
 * front. */
void export_add_code(struct text *out, const struct export *export, const char *code);
void export_take_code(struct text *out, const struct export *export,
                      struct text *code); /* and disposes of it */

/* The same for a built-in file with control lines, which may use OUTER, INNER and DEPTH_STRIDE
 * of the dims, HAS_GIVEN, HAS_CLUSTERS, HAS_PARAMS, ASKS_NAME, and PIECE. */
enum export_piece {
    EXPORT_DECLARED,
    EXPORT_TABLE,
    EXPORT_LAUNCHED,
    EXPORT_OPENED,
    EXPORT_CLOSED
};
int export_add_file_part(struct text *out, const struct export *export, const char *file,
                         enum export_piece piece, struct error *error);

/* Appends a piece of the functions that callers give sizes to: n, or the sizes of a matrix. */
int export_add_sizes(struct text *out, const struct export *export, enum export_piece piece,
                     struct error *error);

/* Appends "    const int64_t n = ...;" for each name that every space has, is known only when
 * an export runs, and is mentioned in the code; there `dims` and `sms` are. */
void export_add_builtins(struct text *out, const char *code);

/* The C name of such a value, NULL for any other. */
const char *export_builtin(size_t slot);

/* The record of a row with the least n in its range, of those after that of `last` (NULL: of all);
 * NULL: there is none. */
const struct interval *export_next_size(const struct export *export,
                                        const struct export_row *row,
                                        const struct interval *last);

/* What the names of a space stand for, by slot: numbers, or expressions of what is known only when
 * an export runs. */
struct export_names {
    struct text texts[SPACE_NAMES_MAX];
    struct expr_c_name all[SPACE_NAMES_MAX];
};

/* Names all with these values of what is known; initialise `names` with zeros once. Expressions
 * are of C, or plain where prefix is NULL, as expr_c_print has it. has_parts: the parts of a result
 * are decided, and called "parts". */
int export_name_all(struct export_names *names, const struct export *export,
                    const int64_t *values, const char *prefix, bool has_parts,
                    struct error *error);
int export_name_row(struct export_names *names, const struct export *export,
                    const struct export_row *row, const char *prefix, struct error *error);
void export_dispose_names(struct export_names *names); /* and frees them */

/* Writes to `out`, which is empty, what a rule demands of dims and SMs; nothing where it holds for
 * all. */
int export_add_condition(struct text *out, const struct rule *rule,
                         const struct export_names *names, const char *prefix,
                         struct error *error);

/* Is an expression a name, a call, or in parentheses? Is it a number? */
bool export_is_closed(const char *text);
bool export_is_number(const char *text, int64_t *out);

/* Makes the rows and GPUs of the model from its records. */
int export_make_rows(struct export *out, struct error *error);

/* Compiles the kernels for the formats of the model. */
int export_make_images(struct export *out, struct error *error);

/* The file of an image: "PREFIX.sm_90.cubin". */
void export_image_name(char out[EXPORT_PREFIX_CHARS + 24], const struct export *export,
                       const struct export_image *image);

/* Is the format one of those that are written together? */
bool export_has_format(const struct export *export, const struct export_format *format);
extern const struct export_format export_cubin, export_ptx;

/* Appends the headers that exports contain, and the tables and functions of C99 and C++17 that
 * select a row and plan its launches. */
int export_add_table(struct text *out, const struct export *export, struct error *error);

/* Appends prefix_allows, which has the space's rules as conditions on dims and SMs for each row
 * of the table. */
int export_add_rules(struct text *out, const struct export *export, struct error *error);

/* Adds a file PREFIX + `end`. */
struct text *export_add_file(struct export_files *files, const struct export *export,
                             const char *end);

/* Adds PREFIX.json, the description of rows, launches and files. */
int export_write_description(struct export_files *out, const struct export *export,
                             struct error *error);

/* Adds PREFIX_table.h. */
int export_write_table(struct export_files *out, const struct export *export,
                       struct error *error);

#endif
