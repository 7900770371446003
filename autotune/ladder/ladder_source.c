/* ladder_source: prints the kernels of a rung as the generator writes them, pass after pass. */
#include "autotune/ladder/ladder_source.h"

static int add_source(struct text *out, const struct point_context *context,
                      const struct emit_sources *sources, const int64_t *config,
                      struct error *error)
{
    struct emit_variant variant;
    if (emit_variant(&variant, context, sources, config, error))
        return -1;
    for (size_t i = 0; i < variant.count; i++)
        text_addf(out, "%s%s", out->length ? "\n" : "", variant.texts[i].at);
    emit_dispose(&variant);
    return 0;
}

/* The document's form, which a rule refuses to run: its reason is added. */
static int add_historical(struct text *out, const struct point_context *context,
                          const struct emit_sources *sources, const struct rung *rung,
                          int64_t *config, struct error *error)
{
    if (point_parse(context->space, rung->historical, config, error))
        return -1;
    const int broken = point_reject(context, config, error);
    if (broken == POINT_FAILED)
        return -1;
    text_addf(out, "\n// ----- %s as it was written, which is never run here -----\n",
              rung->name);
    if (broken >= 0)
        text_addf(out, "// %s\n", context->space->rules[broken].reason);
    return add_source(out, context, sources, config, error);
}

int ladder_source_add(struct text *out, const struct setup *setup, const struct rung *rung,
                      struct ladder_rung *opened, struct error *error)
{
    const struct point_context context = {opened->space, &setup->problem, &setup->target};
    struct emit_sources sources = setup->sources;
    sources.template = opened->template;
    return add_source(out, &context, &sources, opened->config, error) ||
                   (rung->historical &&
                    add_historical(out, &context, &sources, rung, opened->config, error))
               ? -1
               : 0;
}
