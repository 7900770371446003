/* emit_launch: writes the launch plan of a call as lines of C. Chooses between the ways of
 * launching a kernel, and keeps all names of the file to the file. */
#include "autotune/command/emit_launch.h"

#include "generator/call.h"
#include "generator/dims_text.h"
#include "generator/operation_input.h"
#include "generator/operation_param.h"
#include "generator/operation_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* By NVRTC there is one kernel a file, under its own name. */
#define UNLESS_NVRTC "#ifndef __CUDACC_RTC__ // not by NVRTC\n"

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

/* "sum_f32_1000", "max_i8_rows_37x100". */
static void add_name(struct text *out, const struct problem *problem)
{
    const char *each = dims_text_each(&problem->dims);
    char size[DIMS_TEXT_CHARS];
    if (dims_kept(&problem->dims) > 1)
        dims_text_identifier(size, &problem->dims);
    else
        snprintf(size, sizeof size, "%" PRIu64, dims_n(&problem->dims));
    text_addf(out, "%s_%s%s%s_%s", problem->op->word, problem_types[problem->type].name,
              *each ? "_" : "", each, size);
}

/* A template may include headers, whose names are everybody's: what is included before the namespace
 * begins is not included within. */
static void add_includes(struct text *out, const struct emit_variant *variant)
{
    static const char include[] = "#include";
    for (size_t i = 0; i < variant->count; i++)
        for (const char *line = variant->texts[i].at; *line; line += *line == '\n') {
            const size_t length = strcspn(line, "\n");
            if (strncmp(line, include, sizeof include - 1) == 0)
                text_add(out, line, length + 1);
            line += length;
        }
}

/* A program may hold several such files, with kernels of one name and arguments of one type: in an
 * unnamed namespace each is its file's own, and in one of the problem's name also where one source
 * includes several. */
static void open_namespace(struct text *out, const struct setup *setup,
                           const struct emit_variant *variant)
{
    text_adds(out, UNLESS_NVRTC "#include <cuda_runtime.h>\n");
    add_includes(out, variant);
    text_adds(out, "\nnamespace { // no name is seen outside this file\nnamespace ");
    add_name(out, &setup->problem);
    text_adds(out, " {\n#endif\n\n");
}

static void add_kernels(struct text *out, const struct setup *setup,
                        const struct emit_variant *variant)
{
    if (is_several(variant))
        open_namespace(out, setup, variant);
    for (size_t i = 0; i < variant->count; i++) {
        const char *const name = name_of(setup, variant, i), *const text = variant->texts[i].at;
        const char *const code = strstr(text, "\n\n") + 2; /* behind the first comment */
        text_adds(out, i ? "\n" : "");
        if (is_several(variant))
            text_addf(out, "namespace pass_%s {\n\n", name);
        text_add(out, text, (size_t)(code - text));
        if (!is_several(variant))
            open_namespace(out, setup, variant);
        text_adds(out, code);
        if (is_several(variant))
            text_addf(out, "\n} // namespace pass_%s\n", name);
    }
}

/* The strides of a further input, from 2 on, as variables. */
static void add_strides(struct text *out, const struct problem *problem, size_t number)
{
    const struct dims dims = problem_input_dims(problem, number - 1);
    uint64_t strides[INPUT_STRIDES];
    problem_input_strides(&dims, strides);
    for (int s = 0; s < INPUT_STRIDES; s++)
        text_addf(out, "    unsigned long long x%zu_%s = %" PRIu64 ";\n", number,
                  problem_stride_names[s], strides[s]);
    text_addf(out,
              "    (void)x%zu, (void)x%zu_%s, (void)x%zu_%s, (void)x%zu_%s, (void)x%zu_%s;\n",
              number, number, problem_stride_names[0], number, problem_stride_names[1], number,
              problem_stride_names[2], number, problem_stride_names[3]);
}

/* Adds the arguments of a pass, as variables that cudaLaunchKernel takes the addresses of. */
static void add_args(struct text *out, const struct pass *pass,
                     const struct planner_launch *launch, const struct operation *op)
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
    for (size_t k = 0; k < operation_param_count(op); k++)
        text_addf(out, ", (void *)&%s_", operation_param_name(op, k));
    for (size_t k = 2; k <= operation_input_count(op); k++) {
        text_addf(out, ", (void *)&x%zu", k);
        for (int s = 0; s < INPUT_STRIDES; s++)
            text_addf(out, ", (void *)&x%zu_%s", k, problem_stride_names[s]);
    }
    text_adds(out, "};\n");
}

/* What a kernel does not have unasked, which a context forgets when it ends. How much static shared
 * memory counts beside the dynamic is known to the driver. */
static void add_attribute(struct text *out, const char *name, int64_t value)
{
    text_addf(out,
              "        if (status == cudaSuccess)\n"
              "            status = cudaFuncSetAttribute(kernel, cudaFuncAttribute%s, %" PRId64
              ");\n",
              name, value);
}

static void add_kernel(struct text *out, const struct setup *setup,
                       const struct emit_variant *variant, size_t text)
{
    add_name(out, &setup->problem);
    if (is_several(variant))
        text_addf(out, "::pass_%s", name_of(setup, variant, text));
    text_addf(out, "::%s;", setup->space->kernel);
}

/* Compilers warn of a kernel that is its file's own and that nothing refers to. */
static void add_unused(struct text *out, const struct setup *setup,
                       const struct emit_variant *variant, const struct planner_plan *plan)
{
    bool is_used[SPACE_PASSES_MAX] = {false};
    for (int i = 0; i < plan->count; i++)
        is_used[variant->text_of_pass[plan->launches[i].pass]] = true;
    for (size_t i = 0; i < variant->count; i++)
        if (!is_used[i]) {
            text_adds(out, "    (void)");
            add_kernel(out, setup, variant, i);
            text_adds(out, " // for other sizes\n");
        }
}

/* Launches by cudaLaunchKernelExC, which takes clusters and cooperative launches too. */
static void add_launch(struct text *out, const struct setup *setup,
                       const struct emit_variant *variant, const struct planner_launch *launch)
{
    enum { CLUSTER_PLAIN = 8 };
    const struct pass *const pass = &setup->space->passes[launch->pass];
    const int64_t *const keys = launch->keys;
    const int64_t cluster = keys[PLANNER_CLUSTER], shared = keys[PLANNER_SHARED_BYTES];
    text_addf(out, "    { // pass %s: %" PRId64 " blocks of %" PRId64 " threads\n", pass->name,
              keys[PLANNER_GRID], keys[PLANNER_BLOCK]);
    text_adds(out, "        const void *kernel = (const void *)");
    add_kernel(out, setup, variant, (size_t)variant->text_of_pass[launch->pass]);
    text_adds(out, "\n");
    add_args(out, pass, launch, setup->problem.op);
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
    if (shared > 0)
        add_attribute(out, "MaxDynamicSharedMemorySize", shared);
    if (cluster > CLUSTER_PLAIN)
        add_attribute(out, "NonPortableClusterSizeAllowed", 1);
    text_adds(out, "        if (status == cudaSuccess)\n"
                   "            status = cudaLaunchKernelExC(&config, kernel, args);\n    }\n");
}

static void add_function(struct text *out, const struct setup *setup,
                         const struct emit_variant *variant, const struct planner_plan *plan)
{
    char size[DIMS_TEXT_CHARS];
    const struct problem *const problem = &setup->problem;
    text_adds(out, "\n" UNLESS_NVRTC "} // namespace ");
    add_name(out, problem);
    text_adds(out, "\n\n");
    text_addf(
        out,
        "// Launches it for %s, on a GPU of sm_%d with %d SMs, for which the grid is meant.\n"
        "// Addresses are of the GPU's memory: `input` the elements, `output` %" PRIu64
        " x %d bytes,\n// `scratch` %" PRIu64
        " bytes of any contents (NULL where that is 0), `state` %" PRIu64
        " bytes that are zero\n// before the first call; each call leaves them zero. Returns "
        "the error of a GPU that\n// does not grant what a kernel needs. Another size needs "
        "other launches: 'autotune export\n// --format cu' writes a function for all sizes.\n",
        dims_text_format_named(size, &problem->dims), setup->target.cc, setup->target.sms,
        dims_results(&problem->dims), problem_types[problem_result(problem)].bytes,
        plan->scratch_bytes, plan->state_bytes);
    text_adds(out, "[[maybe_unused]] cudaError_t launch_");
    add_name(out, problem);
    text_adds(out, "(const void *input, void *output, void *scratch,\n"
                   "    void *state, cudaStream_t stream");
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        text_addf(out, ", %s %s_", operation_c_type(problem_param_type(problem, k)),
                  operation_param_name(problem->op, k));
    for (size_t k = 2; k <= problem_inputs(problem); k++)
        text_addf(out, ", const void *x%zu", k);
    text_adds(out,
              ")\n{\n"
              "    cudaError_t status = cudaSuccess;\n"
              "    (void)input, (void)output, (void)scratch, (void)state, (void)stream;\n");
    for (size_t k = 0; k < operation_param_count(problem->op); k++)
        text_addf(out, "    (void)%s_;\n", operation_param_name(problem->op, k));
    for (size_t k = 2; k <= problem_inputs(problem); k++)
        add_strides(out, problem, k);
    add_unused(out, setup, variant, plan);
    for (int i = 0; i < plan->count; i++)
        add_launch(out, setup, variant, &plan->launches[i]);
    text_adds(out, "    if (status != cudaSuccess)\n"
                   "        (void)cudaGetLastError(); // it is returned: no later call is to "
                   "find it\n"
                   "    return status;\n}\n} // namespace\n#endif\n");
}

static void add_host_kernels(struct text *out, const struct emit_variant *variant)
{
    for (size_t i = 0; i < variant->count; i++)
        text_addf(out, "%s%s", i ? "\n" : "", variant->texts[i].at);
}

int emit_launch_add(struct text *out, const struct setup *setup, const int64_t *config,
                    const struct emit_variant *variant, struct error *error)
{
    struct planner_plan plan;
    if (setup->target.is_host) {
        add_host_kernels(out, variant);
        return 0;
    }
    if (call_plan(&plan, &setup->context, config, error))
        return -1;
    add_kernels(out, setup, variant);
    add_function(out, setup, variant, &plan);
    return 0;
}
