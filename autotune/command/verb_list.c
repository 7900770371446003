/* verb_list: lists what a user can choose from, a table for each topic. */
#include "autotune/cli/options.h"
#include "autotune/cli/output.h"
#include "autotune/cli/setup.h"
#include "autotune/cli/verbs.h"
#include "autotune/command/problem_list.h"
#include "autotune/command/published_show.h"
#include "autotune/device/gpus.h"
#include "autotune/embedded.h"
#include "autotune/export/export.h"
#include "autotune/ladder/ladder_rung.h"
#include "autotune/ladder/stream_ladder.h"
#include "generator/cost_class.h"
#include "generator/operation_type.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef int list_rows(struct table *table, const struct request *request, struct error *error);

static int list_types(struct table *table, const struct request *request, struct error *error)
{
    (void)request;
    (void)error;
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        table_add(table, problem_types[i].name);
        table_addf(table, "%d", problem_types[i].bytes);
        table_add(table,
                  problem_types[i].is_float ? "floating point" : "integer, wraps around");
        table_add(table, problem_types[problem_types[i].acc].name);
    }
    return 0;
}

static bool takes(const struct operation *op, enum type type)
{
    struct error ignored;
    return operation_check_types(op->text, type, problem_default_acc(type), &ignored) == 0;
}

static const char *types_of(const struct operation *op)
{
    return !takes(op, F32) ? "integers" : !takes(op, I32) ? "floats" : "all";
}

static enum type result_with(const struct operation *op, enum type acc)
{
    const struct problem problem = {.op = op, .type = acc, .acc = acc};
    return problem_result(&problem);
}

static bool gives_acc(const struct operation *op, enum type narrow, enum type wide)
{
    return takes(op, narrow) && result_with(op, narrow) == narrow &&
           result_with(op, wide) == wide;
}

static const char *result_of(const struct operation *op)
{
    const bool of_integers = gives_acc(op, I32, I64), of_floats = gives_acc(op, F32, F64);
    if (operation_law(op)->is_position)
        return "u64, a position";
    if (!of_integers && !of_floats)
        return problem_types[result_with(op, takes(op, I32) ? I32 : F32)].name;
    return of_integers || !takes(op, I32) ? "the accumulator"
                                          : "the accumulator, f64 of integers";
}

/* The space used where none is named, for one value. */
static const char *space_of(const struct operation *op)
{
    const struct problem problem = {.op = op, .dims = dims_value(1)};
    return problem_space(&problem);
}

static int list_operations(struct table *table, const struct request *request,
                           struct error *error)
{
    (void)request;
    (void)error;
    const struct operation *op;
    for (size_t i = 0; (op = operation_at(i)); i++) {
        table_add(table, op->name);
        table_add(table, types_of(op));
        table_add(table, result_of(op));
        table_add(table, space_of(op));
        table_add(table, operation_meaning(op->text));
    }
    return 0;
}

/* The options of every verb; the documents' lists of options are made of this. */
static int list_options(struct table *table, const struct request *request, struct error *error)
{
    const struct option_row *option;
    const char *headings[OPTIONS_GROUPS + 1] = {NULL};
    int group = 0;
    (void)request;
    (void)error;
    for (size_t i = 0; (option = options_at(i)); i++) {
        struct text verbs_of = {0}, help = {0};
        if (option->group)
            group = option->group;
        if (!option->name) {
            headings[group] = option->help;
            continue;
        }
        for (const struct verb_row *const *verb = verbs; *verb; verb++)
            if (option->verbs & (*verb)->verb)
                text_addf(&verbs_of, "%s%s", verbs_of.length ? " " : "", (*verb)->name);
        options_add_help(&help, option);
        table_addf(table, "--%s", option->name);
        table_add(table, option->value);
        table_add(table, verbs_of.at);
        table_add(table, help.at);
        table_addf(table, "%c", option->letter);
        table_add(table, headings[group]);
        table_add(table, option->more);
        text_dispose(&verbs_of);
        text_dispose(&help);
    }
    return 0;
}

static int list_archs(struct table *table, const struct request *request, struct error *error)
{
    (void)request;
    for (const char *const *name = gpus_names(); *name; name++) {
        struct target target;
        if (gpus_find(&target, *name, error))
            return -1;
        table_add(table, *name);
        table_addf(table, "%d", target.threads_per_sm);
        table_addf(table, "%" PRId64, target.shared_per_sm);
        table_addf(table, "%d", target.registers_per_sm);
    }
    return 0;
}

/* 0 = not documented */
static void add_known(struct table *table, int value)
{
    table_add_number(table, value > 0, 0, value);
}

static int list_gpus(struct table *table, const struct request *request, struct error *error)
{
    char names[GPUS_MODELS_MAX][64];
    const size_t count = gpus_list_models(names);
    (void)request;
    for (size_t i = 0; i < count; i++) {
        struct gpus_model gpu;
        if (gpus_find_model(&gpu, names[i], error))
            return -1;
        table_add(table, gpu.name);
        table_add(table, gpu.label);
        table_addf(table, "sm_%d", gpu.target.cc);
        table_addf(table, "%d", gpu.target.sms);
        add_known(table, gpu.clock_khz / 1000);
        add_known(table, gpu.memory_clock_khz / 1000);
        add_known(table, gpu.bus_bits);
        table_addf(table, "%.0f", (double)gpu.peak_bytes / 1e9);
        if (gpu.has_l2)
            table_addf(table, "%.3g", (double)gpu.target.l2_bytes / (1 << 20));
        else
            table_add(table, NULL);
        table_add(table, gpu.source);
    }
    return 0;
}

static int list_spaces(struct table *table, const struct request *request, struct error *error)
{
    (void)request;
    for (const struct embedded *file = NULL; (file = embedded_next_space(file));) {
        struct space *space;
        int length;
        const char *stem = embedded_stem(file, &length);
        if (space_load(&space, file->name, file->bytes, file->length, embedded_space, error))
            return -1;
        table_addf(table, "%.*s", length, stem);
        table_add(table, space->template_name);
        table_addf(table, "%zu", space->param_count);
        table_addf(table, "%zu", space->rule_count);
        space_free(space);
    }
    return 0;
}

/* A row for each cost class of a problem with the usual accumulator: what is tuned for it, and
 * whom that serves. */
static int list_classes(struct table *table, const struct request *request, struct error *error)
{
    (void)request;
    (void)error;
    const struct operation *op;
    for (size_t i = 0; (op = operation_at(i)); i++)
        for (enum type type = 0; type < TYPE_COUNT; type++) {
            const struct problem problem = {.op = op,
                                            .type = type,
                                            .acc = problem_default_acc(type)};
            const struct cost_class class = cost_class_of(&problem);
            char name[COST_CLASS_CHARS];
            struct text members = {0};
            struct problem tuned, member = problem;
            if (!cost_class_tuned(&tuned, &class) || tuned.op != op || tuned.type != type)
                continue;
            for (size_t k = 0; (member.op = operation_at(k)); k++)
                for (member.type = 0; member.type < TYPE_COUNT; member.type++) {
                    struct error none;
                    member.acc = problem_default_acc(member.type);
                    const struct cost_class its = cost_class_of(&member);
                    if (!problem_check(&member, &none) && cost_class_is_same(&its, &class))
                        text_addf(&members, "%s%s %s", members.length ? ", " : "",
                                  member.op->name, problem_types[member.type].name);
                }
            table_add(table, cost_class_format(name, &class));
            table_addf(table, "%s %s", op->name, problem_types[type].name);
            table_add(table, members.at);
            text_dispose(&members);
        }
    return 0;
}

static int list_rungs(struct table *table, const struct request *request, struct error *error)
{
    struct rungs rungs;
    if (ladder_rung_list(&rungs, error))
        return -1;
    for (size_t i = 0; i < rungs.count; i++) {
        const struct rung *rung = &rungs.rungs[i];
        table_add(table, rung->name);
        table_add(table, rungs.groups[rung->group].name);
        table_add(table, rung->kernel);
        table_add(table, rung->space);
        table_add(table, rung->params);
    }
    output_note(&request->out,
                "besides   " STREAM_LADDER_RUNGS "1 to %d, of data in the host's memory, which "
                "run together: 'autotune ladder --data pinned'\n",
                STREAM_LADDER_COUNT);
    rungs_dispose(&rungs);
    return 0;
}

static int list_formats(struct table *table, const struct request *request, struct error *error)
{
    (void)request;
    (void)error;
    for (size_t i = 0; export_formats[i]; i++) {
        table_add(table, export_formats[i]->name);
        table_add(table, export_formats[i]->files);
        table_add(table, export_formats[i]->purpose);
    }
    return 0;
}

static int list_params(struct table *table, const struct request *request, struct error *error)
{
    struct setup setup;
    if (setup_open(&setup, request, false, error))
        return -1;
    for (size_t i = 0; i < setup.space->param_count; i++) {
        const struct param *param = &setup.space->params[i];
        struct text values = {0};
        for (size_t k = 0; k < param->count; k++) {
            text_adds(&values, k ? " " : "");
            point_format_value(&values, param, param->values[k]);
        }
        table_add(table, param->name);
        table_add(table, values.at);
        table_add(table, param->is_launch ? "launch" : "compile");
        table_add(table, param->meaning);
        text_dispose(&values);
    }
    setup_close(&setup);
    return 0;
}

static int list_variants(struct table *table, const struct request *request,
                         struct error *error)
{
    struct setup setup;
    struct points points;
    if (setup_open(&setup, request, false, error))
        return -1;
    char problem[PROBLEM_CHARS];
    int failed = point_expand(&points, &setup.context, error);
    if (!failed)
        output_note(&request->out, "%zu variants, %zu candidates for %s on %s\n",
                    points.variant_count, points.count, problem_format(problem, &setup.problem),
                    request->arch ? request->arch : "sm_90 (--arch names another)");
    for (size_t v = 0; !failed && v < points.variant_count; v++) {
        struct text config = {0};
        point_format(&config, setup.space,
                     points.configs + points.variants[v].first * points.width, false);
        table_add(table, config.at);
        table_addf(table, "%zu", points.variants[v].count);
        text_dispose(&config);
    }
    if (!failed)
        point_dispose(&points);
    setup_close(&setup);
    return failed;
}

/* Every GPU, then the host. A GPU that cannot be opened is listed with the reason. */
static int list_devices(struct table *table, const struct request *request, struct error *error)
{
    char why[400];
    const int gpus = device_count(why, sizeof why);
    if (gpus == 0)
        output_note(&request->out, "no GPU: %s\n", why);
    for (int i = 0; i <= gpus; i++) {
        char spec[16] = "host";
        if (i < gpus)
            snprintf(spec, sizeof spec, "%d", i);
        const struct device_options options = {spec, request->nvrtc, 1};
        struct device *device;
        table_add(table, spec);
        if (device_open(&device, &options, error)) {
            table_add(table, "cannot be used");
            output_warn("device %s: %s", spec, error->text);
            for (int k = 0; k < 7; k++)
                table_add(table, NULL);
            continue;
        }
        const struct device_info *info = &device->info;
        table_add(table, info->name);
        table_addf(table, "%d.%d", info->target.cc / 10, info->target.cc % 10);
        table_addf(table, "%d", info->target.sms);
        table_addf(table, "%.1f", (double)info->memory_bytes / (1 << 30));
        const uint64_t peak = device_peak_bytes(info);
        table_add_number(table, peak > 0, 0, (double)peak / 1e9);
        table_add(table, info->driver);
        table_add(table, info->compiler);
        table_add(table, *info->uuid ? info->uuid : NULL);
        device_close(device);
    }
    return 0;
}

static int list_problems(struct table *table, const struct request *request,
                         struct error *error)
{
    (void)table;
    return problem_list_print(request, error);
}

/* What list alone has options for. */
struct list_request {
    bool sources; /* where figures are from */
    bool check;   /* documents' figures computed again */
};

static int list_published(struct table *table, const struct request *request,
                          struct error *error)
{
    const struct list_request *own = request->own;
    (void)table;
    return own->check ? published_show_check(request, error)
                      : published_show(request, NULL, error);
}

static int list_topics(struct table *table, const struct request *request, struct error *error);

enum { COLUMNS_MAX = 10 };

/* clang-format off */
static const struct topic {
    const char *name, *about;
    list_rows *list;
    struct table_column columns[COLUMNS_MAX]; /* one called "source" is shown for --sources; none:
                                               * the topic prints itself */
} topics[] = {
    {"devices", "the GPUs here, and the emulator", list_devices,
     {{"device", "device", false}, {"name", "name", false}, {"cc", "cc", false},
      {"SMs", "sms", true}, {"GiB", "memory_gib", true}, {"peak GB/s", "peak_gbs", true},
      {"driver", "driver", false}, {"compiler", "compiler", false}, {NULL, "uuid", false}}},
    {"topics", "what there is to list", list_topics,
     {{"topic", "topic", false}, {"lists", "lists", false}}},
    {"types", "types of elements, and their usual accumulators", list_types,
     {{"type", "type", false}, {"bytes", "bytes", true}, {"kind", "kind", false},
      {"accumulator", "acc", false}}},
    {"operations", "what combines elements", list_operations,
     {{"operation", "operation", false}, {"types", "types", false}, {"result", "result", false},
      {"space", "space", false}, {"meaning", "meaning", false}}},
    {"problems", "a list of problems to be tuned, as --problems reads it", list_problems, {{NULL, NULL, false}}},
    {"params", "the params of a space, and their values", list_params,
     {{"param", "param", false}, {"values", "values", false}, {"when", "when", false},
      {"meaning", "meaning", false}}},
    {"variants", "the kernels that would be tried for a problem", list_variants, {{"variant", "variant", false}, {"candidates", "candidates", true}}},
    {"spaces", "the spaces that are built in", list_spaces,
     {{"space", "space", false}, {"template", "template", false}, {"params", "params", true},
      {"rules", "rules", true}}},
    {"classes", "problems that cost the same, and what is tuned for each", list_classes,
     {{"class", "class", false}, {"tuned", "tuned", false}, {"serves", "members", false}}},
    {"rungs", "the kernels of the ladder", list_rungs,
     {{"rung", "rung", false}, {"group", "group", false}, {"kernel", "kernel", false},
      {"space", "space", false}, {"params", "params", false}}},
    {"published", "the tables of the documents, whole", list_published, {{NULL, NULL, false}}},
    {"options", "the options of all verbs", list_options,
     {{"option", "option", false}, {"value", "value", false}, {"verbs", "verbs", false},
      {"help", "help", false}, {NULL, "letter", false}, {NULL, "group", false},
      {NULL, "more", false}}},
    {"formats", "the formats of exports, and their files", list_formats,
     {{"format", "format", false}, {"files", "files", false}, {"purpose", "purpose", false}}},
    {"archs", "architectures, and the limits of an SM", list_archs,
     {{"arch", "arch", false}, {"threads/SM", "threads_per_sm", true},
      {"shared/SM", "shared_per_sm", true}, {"registers/SM", "registers_per_sm", true}}},
    {"gpus", "the GPUs that are known, here or not", list_gpus,
     {{"gpu", "gpu", false}, {NULL, "name", false}, {"arch", "arch", false}, {"SMs", "sms", true},
      {"SM MHz", "sm_mhz", true}, {"memory MHz", "memory_mhz", true}, {"bus bits", "bus_bits", true},
      {"GB/s", "peak_gbs", true}, {"L2 MiB", "l2_mib", true}, {NULL, "source", false}}},
};
/* clang-format on */
enum { TOPICS = sizeof topics / sizeof *topics };

static int list_topics(struct table *table, const struct request *request, struct error *error)
{
    (void)request;
    (void)error;
    for (size_t i = 0; i < TOPICS; i++) {
        table_add(table, topics[i].name);
        table_add(table, topics[i].about);
    }
    return 0;
}

static int find_topic(const struct topic **out, const char *wanted, struct error *error)
{
    const char *names[TOPICS];
    char hint[TEXT_HINT_CHARS];
    struct text known = {0};
    for (size_t i = 0; i < TOPICS; i++) {
        *out = &topics[i];
        names[i] = topics[i].name;
        if (strcmp(names[i], wanted) == 0) {
            text_dispose(&known);
            return 0;
        }
        text_addf(&known, "%s%s", i == 0 ? "" : i + 1 < TOPICS ? ", " : " or ", names[i]);
    }
    error_set(error, ERROR_USAGE, "nothing to list is called '%s': %schoose %s", wanted,
              text_hint(hint, wanted, names, TOPICS), known.at ? known.at : "another");
    text_dispose(&known);
    return -1;
}

struct listing {
    struct request request;
    struct list_request own;
    const struct topic *topic;
    struct table_column columns[COLUMNS_MAX];
    struct table table;
};

static int set_up(void *shared, struct error *error)
{
    struct listing *listing = shared;
    const struct request *request = &listing->request;
    struct table *table = &listing->table;
    if (find_topic(&listing->topic, request->topic ? request->topic : "devices", error))
        return -1;
    if (listing->own.check && listing->topic->list != list_published)
        return error_set(error, ERROR_USAGE,
                         "--check is of published: 'autotune list published --check'");
    if (request_is_sweep(request) && listing->topic->columns[0].key)
        return error_set(error, ERROR_USAGE,
                         "a range of sizes is of 'autotune list problems': give one");
    for (table->columns = listing->columns; table->column_count < COLUMNS_MAX;
         table->column_count++) {
        struct table_column *column = &listing->columns[table->column_count];
        *column = listing->topic->columns[table->column_count];
        if (!column->key)
            break;
        if (listing->own.sources && strcmp(column->key, "source") == 0)
            column->title = "source";
    }
    return 0;
}

static int gather(void *shared, struct error *error)
{
    struct listing *listing = shared;
    return listing->topic->list(&listing->table, &listing->request, error);
}

static int show(void *shared, struct error *error)
{
    const struct listing *listing = shared;
    return listing->table.column_count
               ? output_table(&listing->request.out, &listing->table, NULL, error)
               : 0;
}

static void clean_up(void *shared)
{
    struct listing *listing = shared;
    table_dispose(&listing->table);
}

/* clang-format off */
static const struct option_row options[] = {
    {VERB_LIST, "sources", NULL, "of gpus: the document behind the figures of each too", .flag = offsetof(struct list_request, sources), .group = 3},
    {VERB_LIST, "check", NULL, "of published: compute each figure again from others of its document, and print those that do not follow", .flag = offsetof(struct list_request, check), .more = "Also of each time how many blocks start in a microsecond and how long each lives; --csv and --json have every figure.", .group = 3},
    {.verbs = 0},
};

const struct verb_row verb_list = {
    .verb = VERB_LIST,
    .name = "list",
    .summary = "list what there is: devices, problems, params, spaces, rungs, GPUs",
    .arguments = "[TOPIC]",
    .help =
        "Lists what there is to choose from: devices (the default), or what else 'autotune list topics' names. "
        "Problems come as --problems reads them: every operation and type that go together, or those given, at "
        "each size.\v"
        "Examples:\n"
        "  autotune list topics\n"
        "  autotune list params\n"
        "  autotune list gpus --sources\n"
        "  autotune list published --check\n"
        "  autotune list problems --n 1Ki..1Gi --type f32 > problems.txt\n"
        "  autotune list variants --arch sm_80 --type f64\n\n" VERBS_EXIT,
    .options = options,
    .bytes = sizeof(struct listing),
    .own = offsetof(struct listing, own),
    .set_up = set_up,
    .gather = gather,
    .show = show,
    .clean_up = clean_up,
};
/* clang-format on */
