/* request_value: parses option values: one table for options that are texts, one for flags, and
 * a function for each of the others. */
#include "autotune/cli/request_value.h"

#include "autotune/cli/options.h"
#include "autotune/cli/request_part.h"
#include "autotune/measure/paired.h"
#include "generator/number.h"

#include <stdio.h>
#include <string.h>

/* "1" and "0.25" are percent. */
static int parse_loss(struct request *request, const char *value, struct error *error)
{
    uint64_t thousandths;
    if (number_parse_fixed(&thousandths, value, 3, "--loss", error))
        return -1;
    request->has_loss = true;
    request->loss = (double)thousandths / 100000;
    return thousandths <= 50000
               ? 0
               : error_set(error, ERROR_USAGE, "--loss is '%.100s': give percent from 0 to 50",
                           value);
}

static int parse_offset(uint64_t *out, const char *value, struct error *error)
{
    if (number_parse_count(out, value, "--offset", error))
        return -1;
    return *out < 256
               ? 0
               : error_set(error, ERROR_USAGE,
                           "--offset is '%.100s': give bytes below 256, for inputs start "
                           "that far past a multiple of 256",
                           value);
}

static int parse_rounds(uint64_t *out, const char *value, struct error *error)
{
    if (number_parse_count(out, value, "--rounds", error))
        return -1;
    return *out >= 1 && *out <= PAIRED_ROUNDS_MAX
               ? 0
               : error_set(error, ERROR_USAGE, "--rounds is '%.100s': give 1 to %d", value,
                           PAIRED_ROUNDS_MAX);
}

static int parse_seed(uint64_t *out, const char *value, struct error *error)
{
    struct error ignored;
    return number_parse_count(out, value, "--seed", &ignored)
               ? error_set(
                     error, ERROR_USAGE,
                     "--seed is '%.100s': give a whole number of at most 64 bits, such as 7",
                     value)
               : 0;
}

/* "30s", "500ms", "2m". */
static int parse_time(double *out, const char *value, const char *option, struct error *error)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};
    char digits[16];
    int used = 0;
    uint64_t count;
    if (sscanf(value, "%15[0-9]%n", digits, &used) == 1 &&
        number_parse_count(&count, digits, option, error) == 0 && count > 0)
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(value + used, units[i].name) == 0) {
                *out = (double)count * units[i].seconds;
                return 0;
            }
    return error_set(
        error, ERROR_USAGE,
        "%s is '%.100s': write a whole number above 0 and a unit, such as 30s, 500ms or 2m",
        option, value);
}

static int add_rung(struct request *request, const char *value, struct error *error)
{
    if (request->rung_count == REQUEST_RUNGS_MAX)
        return error_set(error, ERROR_USAGE, "--rung is given more than %d times: give fewer",
                         REQUEST_RUNGS_MAX);
    request->rungs[request->rung_count++] = value;
    return 0;
}

static const char **find_string(struct request *request, int key)
{
    const struct {
        int key;
        const char **target;
    } strings[] = {
        {KEY_DEVICE, &request->device},     {KEY_ARCH, &request->arch},
        {KEY_NVRTC, &request->nvrtc},       {KEY_SPACE, &request->space},
        {KEY_TEMPLATE, &request->template}, {KEY_CACHE, &request->cache},
        {KEY_VARIANT, &request->variant},   {KEY_PASS, &request->pass},
        {KEY_JSON, &request->json},         {KEY_CSV, &request->csv},
        {KEY_BLOCKS, &request->blocks},     {KEY_SOURCE, &request->source},
        {KEY_CUBIN, &request->cubin},       {KEY_REPLAY, &request->replay},
        {KEY_AGAINST, &request->against},   {KEY_FORMAT, &request->format},
        {KEY_PREFIX, &request->prefix},     {KEY_GPU, &request->gpu},
        {KEY_GPU_FILE, &request->gpu_file}, {KEY_OUTPUT_FILE, &request->output},
        {KEY_BENCH, &request->bench},       {KEY_LADDER, &request->ladder},
        {KEY_AXES, &request->axes},
    };
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (strings[i].key == key)
            return strings[i].target;
    return NULL;
}

static bool *find_flag(struct request *request, int key)
{
    const struct {
        int key;
        bool *target;
    } flags[] = {
        {KEY_RETUNE, &request->retune},     {KEY_QUIET, &request->quiet},
        {KEY_PTX, &request->ptx},           {KEY_SASS, &request->sass},
        {KEY_COVER, &request->cover},       {KEY_SMALL, &request->small},
        {KEY_ALL, &request->all},           {KEY_COLD, &request->cold},
        {KEY_WARM, &request->warm},         {KEY_STREAM, &request->stream},
        {KEY_SWEEP, &request->sweep},       {KEY_CONFIRM, &request->confirm},
        {KEY_RUN, &request->run},           {KEY_SOURCES, &request->sources},
        {KEY_GRID, &request->grid},         {KEY_EVIDENCE, &request->evidence},
        {KEY_MARKDOWN, &request->markdown}, {KEY_PUBLISHED, &request->published},
        {KEY_RUNGS, &request->by_rung},     {KEY_DETERMINISTIC, &request->deterministic},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].key == key)
            return flags[i].target;
    return NULL;
}

static int parse_value(struct request *request, int key, const char *value, struct error *error)
{
    switch (key) {
    case KEY_LOSS: return parse_loss(request, value, error);
    case KEY_OP:
        request->has_op = true;
        return problem_find_op(&request->problem.op, value, error);
    case KEY_TYPE:
        request->has_type = true;
        return problem_find_type(&request->problem.type, value, error);
    case KEY_ACC:
        request->has_acc = true;
        return problem_find_type(&request->problem.acc, value, error);
    case KEY_ORDER:
        request->has_order = true;
        return problem_find_order(&request->problem.order, value, error);
    case KEY_STRATEGY:
        request->has_strategy = true;
        return strategy_find(&request->strategy, value, error);
    case KEY_PART:
        request->has_part = true;
        return request_part_parse(&request->part, value, error);
    case KEY_RUNG: return add_rung(request, value, error);
    case KEY_OFFSET: return parse_offset(&request->offset, value, error);
    case KEY_ROUNDS: return parse_rounds(&request->rounds, value, error);
    case KEY_BUDGET: return parse_time(&request->budget_s, value, "--budget", error);
    case KEY_LIMIT: return parse_time(&request->limit_s, value, "--limit", error);
    case KEY_SEED: return parse_seed(&request->seed, value, error);
    default: return request_dims_value(request, key, value, error);
    }
}

/* An empty file or folder name would lead to a confusing error later. */
int request_value(struct request *request, int key, const char *value, struct error *error)
{
    const char **string = find_string(request, key);
    bool *flag = find_flag(request, key);
    if (string && !*value)
        return error_set(error, ERROR_USAGE,
                         "--%s has an empty value: leave the option out or write what it needs "
                         "(see --help)",
                         options_name(key));
    if (string)
        *string = value;
    if (flag)
        *flag = true;
    return string || flag ? 0 : parse_value(request, key, value, error);
}
