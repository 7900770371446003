/* Fuzzes generator/space.c, which reads spaces, and emit.c with control.c, which read templates: no
 * bytes crash them, refusals name their place, and a kernel that is emitted has lines of the template
 * only, behind its constants. A zero byte stands between the space and the template. */
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/library/builtin_spaces.h"
#include "generator/emit.h"
#include "generator/point.h"
#include "tests/unit/named_op.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_emitted(const struct point_context *context,
                          const struct emit_sources *sources, const int64_t *config)
{
    struct emit_variant emitted;
    struct error error = {0};
    if (emit_variant(&emitted, context, sources, config, &error)) {
        demand(*error.text);
        return;
    }
    for (size_t i = 0; i < emitted.count; i++)
        demand(!emitted.texts[i].at || !strstr(emitted.texts[i].at, "//? if"));
    emit_dispose(&emitted);
}

static void check_points(struct space *space, const struct emit_sources *sources)
{
    struct problem problem = {.op = op_of(SUM),
                              .type = I32,
                              .acc = I32,
                              .dims = DIMS_VALUE(1000000)};
    struct target target;
    struct error error = {0};
    int64_t config[SPACE_NAMES_MAX];
    uint64_t random = 1;
    demand(gpus_find(&target, "sm_90", &error) == 0);
    const struct point_context context = {space, &problem, &target};
    if (!space_serves(space, &problem) ||
        space_settle_default(space, &problem, &target, &error))
        return;
    check_emitted(&context, sources, space->default_config);
    memcpy(config, space->default_config, space->param_count * sizeof *config);
    bool is_fixed[SPACE_NAMES_MAX] = {false};
    if (point_draw(config, is_fixed, &context, &random) == POINT_DRAWN)
        check_emitted(&context, sources, config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct emit_sources sources = {0};
    struct error error = {0};
    struct space *space = NULL;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    const size_t length = zero ? (size_t)(zero - data) : size;
    char *template = calloc(size - length + 1, 1);
    demand(template && builtin_files_common(&sources, &error) == 0);
    if (zero)
        memcpy(template, zero + 1, size - length - 1);
    sources.template = (struct emit_file){"fuzz.cu", template};
    sources.has_own_template = true;
    if (space_load(&space, "fuzz", (const char *)data, length, embedded_space, &error) == 0)
        check_points(space, &sources);
    else
        demand(error.code != ERROR_USAGE || *error.text);
    space_free(space);
    free(template);
    return 0;
}
