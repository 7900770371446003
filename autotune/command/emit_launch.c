/* emit_launch: writes the launch plan of a call as lines of C. Chooses between the ways of
 * launching a kernel. */
#include "autotune/command/emit_launch.h"

#include "generator/call.h"
#include "generator/dims_text.h"

#include <inttypes.h>

static bool is_several(const struct emit_variant *variant)
{
    return variant->count > 1;
}

/* The first pass that has this text. */
static const char *name_of(const struct setup *setup, const struct emit_variant *variant,
                           size_t text)
{
    for (size_t p = 0; p < setup->space->pass_count; p++)
        if (variant->text_of_pass[p] == (int)text)
            return setup->space->passes[p].name;
    return "";
}

static void add_kernels(struct text *out, const struct setup *setup,
                        const struct emit_variant *variant)
{
    const bool has_names = is_several(variant) && !setup->target.is_host;
    for (size_t i = 0; i < variant->count; i++) {
        const char *const name = name_of(setup, variant, i);
        text_adds(out, i ? "\n" : "");
        if (has_names)
            text_addf(out, "namespace pass_%s {\n\n", name);
        text_adds(out, variant->texts[i].at);
        if (has_names)
            text_addf(out, "\n} // namespace pass_%s\n", name);
    }
}

/* Adds the arguments of a pass, as variables that cudaLaunchKernel takes the addresses of. */
static void add_args(struct text *out, const struct pass *pass,
                     const struct planner_launch *launch)
{
    static const struct planner_buffers none = {0};
    uint64_t values[PLANNER_ARGS];
    planner_bind(values, launch, &none);
    for (size_t k = 0; k < pass->arg_count; k++) {
        const enum planner_arg arg = pass->args[k];
        const bool is_scratch = (arg == PLANNER_ARG_INPUT && launch->reads_scratch) ||
                                (arg == PLANNER_ARG_OUTPUT && launch->writes_scratch) ||
                                arg == PLANNER_ARG_PARTIALS;
        if (is_scratch)
            text_addf(out, "        void *a%zu = (char *)scratch + %" PRIu64 ";\n", k,
                      values[arg]);
        else if (arg == PLANNER_ARG_INPUT)
            text_addf(out, "        const void *a%zu = input;\n", k);
        else if (arg == PLANNER_ARG_OUTPUT || arg == PLANNER_ARG_STATE)
            text_addf(out, "        void *a%zu = %s;\n", k,
                      arg == PLANNER_ARG_STATE ? "state" : "output");
        else
            text_addf(out, "        unsigned long long a%zu = %" PRIu64 ";%s\n", k, values[arg],
                      arg == PLANNER_ARG_N ? " // n" : "");
    }
    text_adds(out, "        void *args[] = {");
    for (size_t k = 0; k < pass->arg_count; k++)
        text_addf(out, "%s(void *)&a%zu", k ? ", " : "", k);
    text_adds(out, "};\n");
}

/* Launches by cudaLaunchKernelExC, which takes clusters and cooperative launches too. */
static void add_launch(struct text *out, const struct setup *setup,
                       const struct emit_variant *variant, const struct planner_launch *launch)
{
    const struct pass *const pass = &setup->space->passes[launch->pass];
    const int64_t *const keys = launch->keys;
    const int64_t cluster = keys[PLANNER_CLUSTER], shared = keys[PLANNER_SHARED_BYTES];
    const char *const space =
        is_several(variant)
            ? name_of(setup, variant, (size_t)variant->text_of_pass[launch->pass])
            : "";
    text_addf(out, "    { // pass %s: %" PRId64 " blocks of %" PRId64 " threads\n", pass->name,
              keys[PLANNER_GRID], keys[PLANNER_BLOCK]);
    text_addf(out, "        const void *kernel = (const void *)%s%s%s%s;\n",
              *space ? "pass_" : "", space, *space ? "::" : "", setup->space->kernel);
    add_args(out, pass, launch);
    if (shared > 0)
        text_addf(out,
                  "        status = cudaFuncSetAttribute(kernel, "
                  "cudaFuncAttributeMaxDynamicSharedMemorySize, %" PRId64 ");\n"
                  "        if (status != cudaSuccess)\n            return status;\n",
                  shared);
    text_addf(out,
              "        cudaLaunchAttribute how[2] = {};\n"
              "        cudaLaunchConfig_t config = {};\n"
              "        config.gridDim = dim3(%" PRId64 ");\n"
              "        config.blockDim = dim3(%" PRId64 ");\n"
              "        config.dynamicSmemBytes = %" PRId64 ";\n"
              "        config.stream = stream;\n"
              "        config.attrs = how;\n",
              keys[PLANNER_GRID], keys[PLANNER_BLOCK], shared);
    if (cluster > 1)
        text_addf(out,
                  "        how[config.numAttrs].id = cudaLaunchAttributeClusterDimension;\n"
                  "        how[config.numAttrs].val.clusterDim.x = %" PRId64 ";\n"
                  "        how[config.numAttrs].val.clusterDim.y = 1;\n"
                  "        how[config.numAttrs++].val.clusterDim.z = 1;\n",
                  cluster);
    if (pass->is_cooperative)
        text_adds(out, "        how[config.numAttrs].id = cudaLaunchAttributeCooperative;\n"
                       "        how[config.numAttrs++].val.cooperative = 1;\n");
    text_adds(out, "        status = cudaLaunchKernelExC(&config, kernel, args);\n"
                   "        if (status != cudaSuccess)\n            return status;\n    }\n");
}

static void add_function(struct text *out, const struct setup *setup,
                         const struct emit_variant *variant, const struct planner_plan *plan)
{
    char size[DIMS_TEXT_CHARS];
    const struct problem *const problem = &setup->problem;
    text_adds(out, "\n#ifndef __CUDACC_RTC__ // not by NVRTC\n#include <cuda_runtime.h>\n\n");
    text_addf(
        out,
        "// Launches it for %s, on a GPU of sm_%d with %d SMs, for which the grid is meant.\n"
        "// Addresses are of the GPU's memory: `input` the elements, `output` %" PRIu64
        " x %d bytes,\n// `scratch` %" PRIu64
        " bytes of any contents (NULL where that is 0), `state` %" PRIu64
        " bytes that are zero\n// before the first call; each call leaves them zero. Another "
        "size needs other launches:\n// 'autotune export --format cu' writes a function for "
        "all sizes.\n",
        dims_text_format_named(size, &problem->dims), setup->target.cc, setup->target.sms,
        dims_results(&problem->dims), problem_types[problem_result(problem)].bytes,
        plan->scratch_bytes, plan->state_bytes);
    text_addf(out,
              "inline cudaError_t launch_%s(const void *input, void *output, void *scratch,\n"
              "    void *state, cudaStream_t stream)\n{\n"
              "    cudaError_t status = cudaSuccess;\n"
              "    (void)input, (void)output, (void)scratch, (void)state, (void)stream;\n",
              setup->space->kernel);
    for (int i = 0; i < plan->count; i++)
        add_launch(out, setup, variant, &plan->launches[i]);
    text_adds(out, "    return status;\n}\n#endif\n");
}

int emit_launch_add(struct text *out, const struct setup *setup, const int64_t *config,
                    const struct emit_variant *variant, struct error *error)
{
    struct planner_plan plan;
    if (!setup->target.is_host && call_plan(&plan, &setup->context, config, error))
        return -1;
    add_kernels(out, setup, variant);
    if (!setup->target.is_host)
        add_function(out, setup, variant, &plan);
    return 0;
}
