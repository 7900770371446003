/* ncu: looks up column names in two tables and scales values by the line of units. A figure
 * that ncu does not know of a GPU is n/a there, and missing here. */
#include "autotune/analysis/ncu.h"

#include "autotune/print/csv.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Metrics ------------------------------------------------------------------------------ */

/* The metrics of ncu's own pages "GPU Speed Of Light", "Occupancy", "Launch Statistics",
 * "Memory Workload Analysis", "Compute Workload Analysis" and "Source Counters", for sm_70 and later. */
static const struct metric {
    const char *name;
    enum ncu_figure figure;
} metrics[] = {
    {"gpu__time_duration.sum", NCU_NS},
    {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", NCU_MEMORY},
    {"sm__throughput.avg.pct_of_peak_sustained_elapsed", NCU_COMPUTE},
    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", NCU_DRAM},
    {"lts__throughput.avg.pct_of_peak_sustained_elapsed", NCU_L2},
    {"l1tex__throughput.avg.pct_of_peak_sustained_active", NCU_L1},
    {"sm__inst_issued.avg.pct_of_peak_sustained_active", NCU_ISSUE},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", NCU_OCCUPANCY},
    {"launch__registers_per_thread", NCU_REGISTERS},
    {"smsp__inst_executed.sum", NCU_INSTRUCTIONS},
    {"smsp__sass_inst_executed_op_shared.sum", NCU_SHARED},
    {"memory_l1_wavefronts_shared", NCU_WAVEFRONTS},
    {"memory_l1_wavefronts_shared_ideal", NCU_WAVEFRONTS_IDEAL},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", NCU_CONFLICTS},
    {"smsp__thread_inst_executed_per_inst_executed.ratio", NCU_THREADS},
    {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", NCU_THREADS_ON},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", NCU_LOADS},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", NCU_SECTORS},
    {"smsp__average_warp_latency_per_inst_issued.ratio", NCU_LATENCY},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* The stalls of its page "Warp State Statistics", except `selected`, which is an issue. */
static const struct ncu_stall stalls[] = {
    {"long_scoreboard", "data of global or local memory"},
    {"short_scoreboard", "data of shared memory"},
    {"barrier", "the other warps of its block, at a barrier"},
    {"membar", "a memory fence"},
    {"wait", "the fixed latency of its instruction before"},
    {"not_selected", "its turn, ready, while another warp issues"},
    {"math_pipe_throttle", "an arithmetic unit that is busy"},
    {"mio_throttle", "room in the queue to shared memory and shuffles"},
    {"lg_throttle", "room in the queue to global and local memory"},
    {"tex_throttle", "room in the queue to textures"},
    {"drain", "its last stores, before it ends"},
    {"branch_resolving", "the target of a branch"},
    {"no_instruction", "instructions that are not in the cache"},
    {"imc_miss", "constants that are not in the cache"},
    {"dispatch_stall", "the dispatcher"},
    {"sleeping", "the end of a sleep"},
    {"gmma", "other warps of its tensor core operation"},
    {"misc", "something else in the hardware"},
};
enum { STALLS = sizeof stalls / sizeof *stalls };

enum { NAME_CHARS = 96 };

static const char *stall_metric(char out[NAME_CHARS], const struct ncu_stall *stall)
{
    snprintf(out, NAME_CHARS, "smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
             stall->name);
    return out;
}

void ncu_metrics(struct text *out)
{
    char name[NAME_CHARS];
    for (size_t i = 0; i < METRICS; i++)
        text_addf(out, "%s%s", i ? "," : "", metrics[i].name);
    for (size_t i = 0; i < STALLS; i++)
        text_addf(out, ",%s", stall_metric(name, &stalls[i]));
}

/* --- Fields ------------------------------------------------------------------------------- */

enum { FIELD_CHARS = 128 };

/* "1,234.5" and "1.2e+06"; negative for "n/a" and all other text. */
static double read_value(const char *field)
{
    char digits[FIELD_CHARS], *end;
    size_t length = 0;
    for (; *field && length + 1 < sizeof digits; field++)
        if (*field != ',')
            digits[length++] = *field;
    digits[length] = '\0';
    const double value = strtod(digits, &end);
    return isdigit((unsigned char)digits[0]) && !*end ? value : -1;
}

/* A unit's factor to nanoseconds, bytes or the figure's own count. */
static double read_unit(const char *name)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"us", 1e3},    {"usecond", 1e3}, {"ms", 1e6},    {"msecond", 1e6},
                 {"s", 1e9},     {"second", 1e9},  {"Kbyte", 1e3}, {"Mbyte", 1e6},
                 {"Gbyte", 1e9}, {"K", 1e3},       {"M", 1e6}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, name) == 0)
            return units[i].factor;
    return 1;
}

/* --- Launches ----------------------------------------------------------------------------- */

static void take_stall(struct ncu_launch *out, const char *column, double value)
{
    char name[NAME_CHARS];
    for (size_t i = 0; i < STALLS; i++)
        if (value > out->stall_cycles && strcmp(column, stall_metric(name, &stalls[i])) == 0) {
            out->stall = &stalls[i];
            out->stall_cycles = value;
        }
}

static void take_text(struct ncu_launch *out, const char *column, const char *field)
{
    const struct {
        const char *column;
        char *to;
        size_t size;
    } texts[] = {{"Kernel Name", out->kernel, sizeof out->kernel},
                 {"Grid Size", out->grid, sizeof out->grid},
                 {"Block Size", out->block, sizeof out->block}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(column, texts[i].column) == 0)
            snprintf(texts[i].to, texts[i].size, "%.*s", (int)texts[i].size - 1, field);
}

/* The first row has the units, if there are any: it has no number. */
static bool has_units(const struct csv *csv)
{
    return csv->rows > 0 && !*csv_at(csv, 0, 0);
}

static void take_launch(struct ncu_launch *out, const struct csv *csv, size_t row)
{
    *out = (struct ncu_launch){.stall = NULL};
    for (int i = 0; i < NCU_FIGURES; i++)
        out->figures[i] = -1;
    for (size_t i = 0; i < csv->columns; i++) {
        const char *const column = csv->cells[i], *const field = csv_at(csv, row, (int)i);
        const char *const unit = has_units(csv) ? csv_at(csv, 0, (int)i) : "";
        const double value = read_value(field) * read_unit(unit);
        take_text(out, column, field);
        take_stall(out, column, value);
        for (size_t k = 0; k < METRICS; k++)
            if (strcmp(column, metrics[k].name) == 0)
                out->figures[metrics[k].figure] = value;
    }
}

/* --- Without launches --------------------------------------------------------------------- */

enum { WORDS_CHARS = 600 };

/* Lines that never have the reason of a failure: empty ones, ncu's progress, the table, our
 * warnings. */
static bool is_aside(const char *line)
{
    static const char warning[] = "autotune: warning: ";
    return strchr("\r\n=\"", *line) || strncmp(line, warning, strlen(warning)) == 0;
}

/* The rest of the first line with this beginning, without a full stop; "" = none. Asides count
 * only when their beginning was asked for. */
static void find_line(char out[WORDS_CHARS], const char *text, const char *begin)
{
    for (const char *at = text; at && *at && !*out; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, begin, strlen(begin)) != 0 || (*begin != '=' && is_aside(at)))
            continue;
        at += strlen(begin);
        at += strspn(at, " ");
        size_t length = strcspn(at, "\r\n");
        length -= length > 0 && at[length - 1] == '.';
        snprintf(out, WORDS_CHARS, "%.*s", (int)length, at);
    }
}

/* Looks on standard error, then in the output: versions of ncu differ. */
static void find_words(char out[WORDS_CHARS], const char *text, const char *errors,
                       const char *begin)
{
    *out = '\0';
    find_line(out, errors, begin);
    find_line(out, text, begin);
}

/* Finds our program's own failure, which may come after the launches: a wrong result. */
static int check_program(const char *text, const char *errors, struct error *error)
{
    char ours[WORDS_CHARS];
    find_words(ours, text, errors, "autotune: ");
    return *ours ? error_set(error, ERROR_FAILED, "the kernel could not be profiled: %s", ours)
                 : 0;
}

/* Sets ncu's error, or that of starting it. */
static int explain(const char *text, const char *errors, struct error *error)
{
    static const char *const begins[] = {"==ERROR==", "==WARNING==", ""};
    char why[WORDS_CHARS] = "";
    if (strstr(errors, "ERR_NVGPUCTRPERM") || strstr(text, "ERR_NVGPUCTRPERM"))
        return error_set(error, ERROR_NO_DEVICE,
                         "ncu may not read this GPU's performance counters (ERR_NVGPUCTRPERM): "
                         "run as root, or let the driver allow it to everybody (module option "
                         "NVreg_RestrictProfilingToAdminUsers=0)");
    for (size_t i = 0; i < sizeof begins / sizeof *begins && !*why; i++)
        find_words(why, text, errors, begins[i]);
    return error_set(error, ERROR_NO_DEVICE,
                     "ncu profiled no launch here: %s; see the command to run by hand",
                     *why ? why : "it gives no reason");
}

/* Copies only the table: its lines begin with a quote, messages do not. */
static void find_table(struct text *out, const char *text)
{
    for (const char *at = text; *at;) {
        const size_t length = strcspn(at, "\n") + (strchr(at, '\n') != NULL);
        if (*at == '"')
            text_add(out, at, length);
        at += length;
    }
}

static int take_launches(struct ncu_launch *out, size_t most, size_t *count,
                         const struct text *table, struct error *error)
{
    struct csv csv;
    if (csv_load(&csv, "ncu's table", table->at, table->length, error)) {
        error->code = ERROR_FAILED; /* not the user's */
        return -1;
    }
    for (size_t row = has_units(&csv); row < csv.rows && *count < most; row++)
        take_launch(&out[(*count)++], &csv, row);
    csv_dispose(&csv);
    return 0;
}

int ncu_parse(struct ncu_launch *out, size_t most, size_t *count, const struct text *said,
              const struct text *said_errors, struct error *error)
{
    const char *const text = said->at ? said->at : "";
    const char *const errors = said_errors->at ? said_errors->at : "";
    struct text table = {0};
    *count = 0;
    find_table(&table, text);
    int failed = check_program(text, errors, error) || text_check(&table, error);
    if (!failed && table.length)
        failed = take_launches(out, most, count, &table, error);
    text_dispose(&table);
    if (failed)
        return -1;
    return *count ? 0 : explain(text, errors, error);
}

/* --- Units ------------------------------------------------------------------------------- */

const struct ncu_unit ncu_units[NCU_UNITS] = {
    {NCU_DRAM, "DRAM"},
    {NCU_L2, "L2 cache"},
    {NCU_L1, "shared memory and L1 cache"},
    {NCU_ISSUE, "issue of instructions"},
};

const struct ncu_unit *ncu_busiest(const struct ncu_launch *launch)
{
    const struct ncu_unit *most = NULL;
    for (size_t i = 0; i < NCU_UNITS; i++) {
        const double share = launch->figures[ncu_units[i].figure];
        if (share >= 0 && (!most || share > launch->figures[most->figure]))
            most = &ncu_units[i];
    }
    return most;
}

/* --- Of an instruction ------------------------------------------------------------------------ */

double ncu_excess(const struct ncu_launch *launch)
{
    const double *const figures = launch->figures;
    const double shared = figures[NCU_SHARED];
    if (shared < 0 || figures[NCU_WAVEFRONTS] < 0 || figures[NCU_WAVEFRONTS_IDEAL] < 0)
        return -1;
    return shared > 0 ? (figures[NCU_WAVEFRONTS] - figures[NCU_WAVEFRONTS_IDEAL]) / shared : 0;
}

double ncu_sectors(const struct ncu_launch *launch)
{
    const double loads = launch->figures[NCU_LOADS], sectors = launch->figures[NCU_SECTORS];
    return loads > 0 && sectors >= 0 ? sectors / loads : -1;
}
