/* emit: writes CUDA C from a template and a config, such that it reads as if written by hand.
 * It puts the constants on top and keeps or drops lines by control lines; it never edits a
 * line. */
#ifndef AUTOTUNE_EMIT_H
#define AUTOTUNE_EMIT_H

#include "generator/error.h"
#include "generator/point.h"
#include "generator/text.h"

/* The files a kernel is made from. */
struct emit_file {
    const char *name; /* for errors */
    const char *text; /* zero-terminated */
};
struct emit_sources {
    struct emit_file template;
    struct emit_file types, intrinsics; /* parts, each opened by //? define NAME */
    struct emit_file operation;         /* likewise: what the texts of operations mention */
    bool has_own_template; /* a file of the user's: compilers' errors shall name its lines */
    bool has_own_space; /* a file of the user's: the command in the kernel's comment names it */
    bool any_flags;     /* for a user's compiler, whose options are not ours: ANY_FLAGS */
    /* A kernel of a stranger's: its names are its own, so that no constant and nothing of the operation is
     * put before it, of `types` only what it mentions. */
    bool is_foreign;
};

/* Appends the kernel that `pass` of `config` launches. Errors name file:line of the template. The
 * output is byte-identical for identical input. */
int emit_kernel(struct text *out, const struct point_context *context,
                const struct emit_sources *sources, const int64_t *config, size_t pass,
                struct error *error);

/* The kernels of a variant: one text each, passes with the same text sharing it. `marked` has the
 * same kernels with #line directives, where sources.has_own_template; else it is empty. */
struct emit_variant {
    struct text texts[SPACE_PASSES_MAX], marked[SPACE_PASSES_MAX];
    size_t count;
    int text_of_pass[SPACE_PASSES_MAX]; /* -1: the pass does not apply */
};
int emit_variant(struct emit_variant *out, const struct point_context *context,
                 const struct emit_sources *sources, const int64_t *config,
                 struct error *error);
void emit_dispose(struct emit_variant *variant);

/* The text of a kernel that is to be compiled. It makes the same code as texts[index], and
 * compilers report the lines of the user's own template as those of its file. */
const char *emit_source(const struct emit_variant *variant, size_t index);

/* A hash of a variant's kernels: equal for equal code, whatever its comments. */
uint64_t emit_hash_variant(const struct emit_variant *variant);
/* The same of the variant that has this config. */
int emit_hash_config(uint64_t *out, const struct point_context *context,
                     const struct emit_sources *sources, const int64_t *config,
                     struct error *error);

/* Appends what that hash is of: the code of each kernel, and a zero byte behind it. */
void emit_add_code(struct text *out, const struct emit_variant *variant);

#endif
