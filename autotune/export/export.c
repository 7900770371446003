/* export: builds the model. Turns records into rows in order, rows into steps, and steps into
 * kernels that rows may share. */
#include "autotune/export/export_text.h"
#include "autotune/export/library_names.h"

#include "autotune/device/gpus.h"
#include "generator/call.h"
#include "generator/dims_text.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- The prefix --------------------------------------------------------------------------- */

int export_check_prefix(const char *prefix, struct error *error)
{
    static const char legend[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    size_t length = strlen(prefix), word = 0;
    while (text_is_word(prefix[word]))
        word++;
    if (length == 0 || word < length || !strchr(legend, prefix[0]) ||
        length >= EXPORT_PREFIX_CHARS)
        return error_set(error, ERROR_USAGE,
                         "--prefix '%.100s' begins no name of C: write a letter, then letters, "
                         "digits and '_', at most %d in all",
                         prefix, EXPORT_PREFIX_CHARS - 1);
    if (export_is_reserved(prefix))
        return error_set(error, ERROR_USAGE,
                         "--prefix %s: C or C++ has a meaning for that word: choose another",
                         prefix);
    if (library_names_has(prefix))
        return error_set(error, ERROR_USAGE,
                         "--prefix %s: the headers of C, C++ or CUDA have that name: choose "
                         "another, as my_%s",
                         prefix, prefix);
    if (dlsym(RTLD_DEFAULT, prefix))
        return error_set(
            error, ERROR_USAGE,
            "--prefix %s: the C library has that name, and others would call yours: "
            "choose another, as my_%s",
            prefix, prefix);
    return 0;
}

void export_default_prefix(char out[EXPORT_PREFIX_CHARS], const struct problem *problem)
{
    const bool is_plain = problem->acc == problem_default_acc(problem->type);
    const char *order = problem_orders[problem->order].suffix;
    snprintf(out, EXPORT_PREFIX_CHARS, "%s%s%s_%s%s%s%s%s", problem->op->word,
             *dims_text_each(&problem->dims) ? "_" : "", dims_text_each(&problem->dims),
             problem_types[problem->type].name, is_plain ? "" : "_",
             is_plain ? "" : problem_types[problem->acc].name, *order ? "_" : "", order);
}

/* --- Early and late values ---------------------------------------------------------------- */

static bool is_runtime(const struct export *export, const struct expr *expr)
{
    return expr_uses_any(expr, export->is_runtime);
}

static void find_runtime(struct export *out)
{
    const struct space *space = out->source.space;
    for (size_t slot = 0; slot < SPACE_BUILTINS; slot++)
        out->is_runtime[slot] = export_builtin(slot) != NULL;
    for (size_t i = 0; i < space->derived_count; i++)
        out->is_runtime[space->derived[i].slot] = is_runtime(out, space->derived[i].expr);
}

/* A key of a pass that is the same number for all n and devices. */
static int eval_fixed(const struct export *export, const struct expr *expr,
                      const struct export_step *step, int64_t missing, int64_t *out,
                      struct error *error)
{
    *out = missing;
    if (!expr)
        return 0;
    if (is_runtime(export, expr))
        return error_set(
            error, ERROR_USAGE,
            "%s: '%s' of pass '%s' depends on n, a shape or the SMs, which an export "
            "cannot follow: make it one number for each variant",
            export->source.space->file, expr_source(expr),
            export->source.space->passes[step->pass].name);
    return expr_eval(expr, step->values, out, error);
}

/* --- Steps and kernels -------------------------------------------------------------------- */

/* The text after the comment that names variant and architecture. */
static const char *find_body(const struct text *text)
{
    assert(text->at);
    const char *blank = strstr(text->at, "\n\n");
    return blank ? blank + 2 : text->at;
}

/* Is an architecture a matter of a launch's numbers? */
static bool is_launch_by_cc(const struct space *space)
{
    bool by_cc[SPACE_NAMES_MAX] = {[SPACE_CC] = true};
    for (size_t i = 0; i < space->derived_count; i++)
        by_cc[space->derived[i].slot] = expr_uses_any(space->derived[i].expr, by_cc);
    for (size_t p = 0; p < space->pass_count; p++)
        for (size_t k = 0; k < PLANNER_KEYS; k++)
            if (space->passes[p].keys[k] && expr_uses_any(space->passes[p].keys[k], by_cc))
                return true;
    return false;
}

/* Emits a row's kernels for another architecture, where the space's rules leave its config to that.
 * All else is as on the row's own GPU: how much shared memory there is, for instance, the driver
 * says when the export runs. */
static bool emit_for(struct emit_variant *out, const struct export *export,
                     const struct export_row *row, int cc)
{
    struct target target = row->target;
    struct emit_sources sources = *export->source.sources;
    const struct point_context context = {export->source.space, &row->problem, &target};
    struct error ignored;
    target.cc = cc;
    sources.any_flags = true;
    return point_reject(&context, row->values, &ignored) == POINT_VALID &&
           emit_variant(out, &context, &sources, row->values, &ignored) == 0;
}

/* The number at `at`, or the constant of that name in a kernel's text; 1 = neither. */
static int read_constant(const struct text *text, const char *at)
{
    const size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    for (const char *line = text->at; length && *line;) {
        line += strspn(line, " ");
        if (strncmp(line, at, length) == 0 && strncmp(line + length, " = ", 3) == 0)
            return atoi(line + length + 3);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    const int number = atoi(at);
    return number > 0 ? number : 1;
}

/* Has an SM of the architecture as many threads as the kernel promises the compiler? Where it has
 * not, the promise is broken with a warning. */
static bool keeps_promise(const struct text *text, int cc)
{
    static const char bounds[] = "__launch_bounds__(";
    const char *block = strstr(text->at, bounds);
    const char *comma = block ? block + strcspn(block, ",)") : "";
    struct occupancy_limits limits;
    struct error ignored;
    if (*comma != ',')
        return true;
    return gpus_limits(&limits, cc, &ignored) == 0 &&
           read_constant(text, block + sizeof bounds - 1) *
                   read_constant(text, comma + 1 + strspn(comma + 1, " ")) <=
               limits.threads;
}

/* Adds a version where the text differs from the last; takes the text then. False: there are too
 * many. */
static bool add_version(struct export_kernel *kernel, struct text *text, int cc)
{
    struct export_version *last = &kernel->versions[kernel->count - 1];
    if (strcmp(find_body(text), find_body(&last->text)) == 0) {
        last->needs = cc;
        return true;
    }
    if (kernel->count == EXPORT_VERSIONS_MAX)
        return false;
    kernel->versions[kernel->count++] = (struct export_version){*text, cc};
    *text = (struct text){0};
    return true;
}

/* Adds what a row's kernels are on the architectures before its own, back to the first for which
 * they are none. `kernels` has those of its own. */
static void add_versions(struct export_kernel *kernels, const struct export *export,
                         const struct export_row *row, const struct emit_variant *own)
{
    const char *const *const names = gpus_names();
    bool is_there = !is_launch_by_cc(export->source.space);
    size_t count = 0;
    while (names[count])
        count++;
    for (size_t i = count; i-- > 0 && is_there;) {
        struct emit_variant older = {.count = 0};
        const int cc = atoi(names[i] + sizeof "sm_" - 1);
        if (cc >= row->target.cc)
            continue;
        is_there = emit_for(&older, export, row, cc) && older.count == own->count &&
                   memcmp(older.text_of_pass, own->text_of_pass, sizeof own->text_of_pass) == 0;
        for (size_t k = 0; k < own->count && is_there; k++)
            is_there = keeps_promise(&older.texts[k], cc) &&
                       add_version(&kernels[k], &older.texts[k], cc);
        emit_dispose(&older);
    }
}

static void dispose_kernel(struct export_kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        text_dispose(&kernel->versions[i].text);
    free(kernel->symbol);
    *kernel = (struct export_kernel){.count = 0};
}

/* The place of a kernel of this text among all; a new one is added. The one that goes back to older
 * architectures is kept. */
static size_t take_kernel(struct export *out, struct export_kernel *kernel)
{
    const char *body = find_body(&kernel->versions[0].text);
    size_t k = 0;
    while (k < out->kernel_count &&
           strcmp(find_body(&out->kernels[k].versions[0].text), body) != 0)
        k++;
    struct export_kernel *known = &out->kernels[k];
    if (k < out->kernel_count && export_kernel_needs(known) <= export_kernel_needs(kernel)) {
        dispose_kernel(kernel);
        return k;
    }
    kernel->shared_bytes = known->shared_bytes;
    dispose_kernel(known);
    *known = *kernel;
    out->kernel_count += k == out->kernel_count;
    return k;
}

static int add_step(struct export *out, size_t r, size_t pass, size_t kernel,
                    struct error *error)
{
    struct export_row *row = &out->rows[r];
    const struct pass *p = &out->source.space->passes[pass];
    const struct point_context context = {out->source.space, &row->problem, &row->target};
    struct export_step *step = &out->steps[out->step_count++];
    int64_t effective[SPACE_NAMES_MAX];
    *step = (struct export_step){.row = r, .pass = pass, .kernel = kernel};
    if (point_pass_config(&context, row->values, pass, effective, error) ||
        point_values(&context, effective, p->reads_partials, step->values, error) ||
        eval_fixed(out, p->keys[PLANNER_BLOCK], step, 0, &step->block, error) ||
        eval_fixed(out, p->keys[PLANNER_TILE], step, 0, &step->tile, error) ||
        eval_fixed(out, p->keys[PLANNER_CLUSTER], step, 1, &step->cluster, error) ||
        eval_fixed(out, p->keys[PLANNER_SHARED_BYTES], step, 0, &step->shared_bytes, error))
        return -1;
    struct export_kernel *made = &out->kernels[kernel];
    if (step->shared_bytes > made->shared_bytes)
        made->shared_bytes = step->shared_bytes;
    row->step_count++;
    return 0;
}

static int add_steps(struct export *out, size_t r, struct error *error)
{
    struct export_row *row = &out->rows[r];
    const struct point_context context = {out->source.space, &row->problem, &row->target};
    struct emit_sources sources = *out->source.sources;
    struct emit_variant variant;
    struct export_kernel made[SPACE_PASSES_MAX];
    size_t kernels[SPACE_PASSES_MAX];
    int failed = 0;
    sources.any_flags = true;
    if (emit_variant(&variant, &context, &sources, row->values, error))
        return -1;
    for (size_t i = 0; i < variant.count; i++)
        made[i] = (struct export_kernel){.versions[0].text = variant.texts[i],
                                         .versions[0].needs = row->target.cc,
                                         .count = 1};
    add_versions(made, out, row, &variant);
    for (size_t i = 0; i < variant.count; i++) {
        variant.texts[i] = (struct text){0};
        kernels[i] = take_kernel(out, &made[i]);
    }
    row->first_step = out->step_count;
    for (size_t pass = 0; !failed && pass < context.space->pass_count; pass++)
        if (variant.text_of_pass[pass] >= 0)
            failed = add_step(out, r, pass, kernels[variant.text_of_pass[pass]], error);
    emit_dispose(&variant);
    return failed;
}

static int make_steps(struct export *out, struct error *error)
{
    const size_t most = out->row_count * SPACE_PASSES_MAX;
    out->steps = calloc(most, sizeof *out->steps);
    out->kernels = calloc(most, sizeof *out->kernels);
    if (!out->steps || !out->kernels)
        return error_memory(error, most * sizeof *out->steps);
    for (size_t r = 0; r < out->row_count; r++)
        if (add_steps(out, r, error))
            return -1;
    return 0;
}

/* --- The largest n ------------------------------------------------------------------------ */

/* Have the expressions of a row results for such dims? A launch that needs too much is refused
 * once that is known. */
static bool has_values(const struct export_row *row, const struct point_context *context)
{
    const struct space *space = context->space;
    int64_t values[SPACE_NAMES_MAX], ignored;
    struct planner_plan plan;
    struct error error;
    if (point_values(context, row->values, false, values, &error))
        return false;
    for (size_t i = 0; i < space->rule_count; i++)
        if (!space->rules[i].is_prune &&
            expr_eval(space->rules[i].expr, values, &ignored, &error))
            return false;
    return call_plan(&plan, context, row->values, &error) == 0 ||
           plan.status != PLANNER_NO_VALUE;
}

/* Checks this n of all dims that the space serves, on the smallest device and on a large
 * one. */
static bool has_all_values(const struct export *export, uint64_t n)
{
    static const int sms[] = {1, 1024};
    struct dims many[DIMS_TEXT_FORMS];
    dims_text_forms(many, n, 1, 0);
    for (size_t i = 0; i < (size_t)2 * DIMS_TEXT_FORMS * export->row_count; i++) {
        const struct export_row *row = &export->rows[i / ((size_t)2 * DIMS_TEXT_FORMS)];
        struct problem problem = row->problem;
        struct target target = row->target;
        const struct point_context context = {export->source.space, &problem, &target};
        problem.dims = many[i / 2 % DIMS_TEXT_FORMS];
        target.sms = sms[i % 2];
        if (!has_values(row, &context))
            return false;
    }
    return true;
}

static int find_n_max(struct export *out, struct error *error)
{
    for (out->n_max = UINT64_C(1) << 59; out->n_max > 1; out->n_max /= 2)
        if (has_all_values(out, out->n_max))
            return 0;
    return error_set(error, ERROR_USAGE,
                     "%s: the passes have no plan for any n: 'autotune verify' says why",
                     out->source.space->file);
}

/* --- The whole ---------------------------------------------------------------------------- */

int export_init(struct export *out, const struct export_source *source, struct error *error)
{
    char problem[PROBLEM_CHARS];
    *out = (struct export){.source = *source};
    if (export_check_prefix(source->prefix, error))
        return -1;
    if (source->record_count == 0)
        return error_set(error, ERROR_FAILED,
                         "nothing to export: there is no record of %s; 'autotune' makes one",
                         problem_format(problem, &source->problem));
    find_runtime(out);
    if (export_make_rows(out, error) == 0 && make_steps(out, error) == 0 &&
        find_n_max(out, error) == 0 && export_make_images(out, error) == 0)
        return 0;
    export_dispose(out);
    return -1;
}

void export_dispose(struct export *export)
{
    for (size_t i = 0; i < export->kernel_count; i++)
        dispose_kernel(&export->kernels[i]);
    for (size_t i = 0; i < export->image_count; i++)
        device_dispose_image(&export->images[i].code);
    free(export->images);
    free(export->kernels);
    free(export->steps);
    free(export->rows);
    free(export->tuned);
    free(export->gpus);
    text_dispose(&export->not_compiled);
    *export = (struct export){0};
}

int export_kernel_needs(const struct export_kernel *kernel)
{
    return kernel->versions[kernel->count - 1].needs;
}

const struct text *export_kernel_text(const struct export_kernel *kernel, int cc)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->versions[i].needs <= cc)
            return &kernel->versions[i].text;
    return NULL;
}

int export_row_needs(const struct export *export, const struct export_row *row)
{
    int needs = 0;
    for (size_t i = 0; i < row->step_count; i++) {
        const size_t kernel = export->steps[row->first_step + i].kernel;
        const int own = export_kernel_needs(&export->kernels[kernel]);
        needs = own > needs ? own : needs;
    }
    return needs;
}

size_t export_archs(const struct export *export, int *out, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < export->source.arch_count && count < max; i++)
        out[count++] = export->source.archs[i];
    for (size_t i = 0; i < export->gpu_count && count < max && !export->source.arch_count; i++)
        if (count == 0 || out[count - 1] != export->gpus[i].cc)
            out[count++] = export->gpus[i].cc;
    return count;
}
