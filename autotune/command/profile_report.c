/* profile_report: writes one line for each launch. A figure that ncu did not give is an empty
 * cell. */
#include "autotune/command/profile_report.h"

#include "autotune/cli/output.h"
#include "autotune/print/table.h"

#include <inttypes.h>

/* clang-format off */
static const struct table_column columns[] = {
    {"pass", "pass", false},
    {NULL, "kernel", false},
    {"grid", "grid", true},
    {"block", "block", true},
    {"us", "us", true},
    {"memory %", "memory_pct", true},
    {"compute %", "compute_pct", true},
    {"occupancy %", "occupancy_pct", true},
    {"regs", "registers", true},
    {"shared instr", "shared_instructions", true},
    {NULL, "shared_wavefronts", true},
    {NULL, "shared_wavefronts_ideal", true},
    {"excess/instr", "shared_excess_per_instruction", true},
    {NULL, "shared_bank_conflicts", true},
    {"threads/instr", "threads_per_instruction", true},
    {"sectors/req", "sectors_per_request", true},
    {NULL, "emulated_shared_lanes", true},
    {NULL, "emulated_sectors_per_request", true},
    {NULL, "emulated_sectors_ideal", true},
    {"top stall", "stall", false},
    {"% of cycles", "stall_pct", true},
};
/* clang-format on */
enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_real(struct table *table, double value, int decimals)
{
    table_add_number(table, value >= 0, decimals, value);
}

/* Negative: unknown. */
static double stall_percent(const struct ncu_launch *launch)
{
    const double latency = launch->figures[NCU_LATENCY];
    return launch->stall && latency > 0 ? launch->stall_cycles / latency * 100 : -1;
}

static void add_launch(struct table *table, const char *pass,
                       const struct planner_launch *planned, const struct ncu_launch *launch,
                       const struct pattern *pattern)
{
    const double *const figures = launch->figures;
    table_add(table, pass);
    table_add(table, launch->kernel);
    table_addf(table, "%" PRId64, planned->keys[PLANNER_GRID]);
    table_addf(table, "%" PRId64, planned->keys[PLANNER_BLOCK]);
    add_real(table, figures[NCU_NS] < 0 ? -1 : figures[NCU_NS] / 1e3, 2);
    add_real(table, figures[NCU_MEMORY], 2);
    add_real(table, figures[NCU_COMPUTE], 2);
    add_real(table, figures[NCU_OCCUPANCY], 1);
    add_real(table, figures[NCU_REGISTERS], 0);
    add_real(table, figures[NCU_SHARED], 0);
    add_real(table, figures[NCU_WAVEFRONTS], 0);
    add_real(table, figures[NCU_WAVEFRONTS_IDEAL], 0);
    add_real(table, ncu_excess(launch), 2);
    add_real(table, figures[NCU_CONFLICTS], 0);
    add_real(table, figures[NCU_THREADS], 2);
    add_real(table, ncu_sectors(launch), 2);
    add_real(table, pattern && pattern->requests ? pattern_lanes(pattern) : -1, 2);
    add_real(table, pattern && pattern->loads ? pattern_sectors(pattern) : -1, 2);
    add_real(table, pattern && pattern->loads ? pattern_sectors_ideal(pattern) : -1, 2);
    table_add(table, launch->stall ? launch->stall->name : NULL);
    add_real(table, stall_percent(launch), 1);
}

/* --- In words ----------------------------------------------------------------------------- */

static void explain_limit(struct text *out, const char *pass, const struct ncu_launch *launch)
{
    const double memory = launch->figures[NCU_MEMORY], compute = launch->figures[NCU_COMPUTE];
    const double most = memory > compute ? memory : compute;
    if (memory < 0 || compute < 0)
        return;
    text_addf(out, "limit     %s: ", pass);
    if (most < 60) /* the bound of ncu's own advice */
        text_addf(out, "latency: memory and compute are both below 60 %% of their peaks\n");
    else
        text_addf(out, "%s, at %.1f %% of its peak\n", memory >= compute ? "memory" : "compute",
                  most);
}

static void explain_stall(struct text *out, const char *pass, const struct ncu_launch *launch)
{
    const double percent = stall_percent(launch);
    if (percent >= 0)
        text_addf(out,
                  "stall     %s: of the %.1f cycles between two instructions of a warp "
                  "%.0f %% are waits for %s\n",
                  pass, launch->figures[NCU_LATENCY], percent, launch->stall->waits_for);
}

static void explain_shared(struct text *out, const char *pass, const struct ncu_launch *launch)
{
    const double excess = ncu_excess(launch);
    if (excess >= 0.005)
        text_addf(out,
                  "banks     %s: each instruction on shared memory takes %.2f wavefronts "
                  "more than without bank conflicts\n",
                  pass, excess);
}

static void explain_divergence(struct text *out, const char *pass,
                               const struct ncu_launch *launch, const struct pattern *pattern)
{
    if (launch->figures[NCU_THREADS] < 0)
        return;
    text_addf(out, "threads   %s: %.1f of 32 are active in an instruction", pass,
              launch->figures[NCU_THREADS]);
    if (pattern && pattern->requests)
        text_addf(out, "; the emulator counts %.1f in an access of shared memory",
                  pattern_lanes(pattern));
    text_adds(out, "\n");
}

static void explain_loads(struct text *out, const char *pass, const struct ncu_launch *launch,
                          const struct pattern *pattern)
{
    const double sectors = ncu_sectors(launch);
    if (sectors < 0)
        return;
    text_addf(out, "loads     %s: %.2f sectors a request of global memory", pass, sectors);
    if (pattern && pattern->loads)
        text_addf(out, "; the emulator counts %.2f, where %.2f would do",
                  pattern_sectors(pattern), pattern_sectors_ideal(pattern));
    text_adds(out, "\n");
}

/* Explains the longest launch: the others hardly count. */
static int print_words(const struct request *request, const struct planner_plan *plan,
                       const struct space *space, const struct ncu_launch *launches,
                       size_t count, const struct pattern *pattern, struct error *error)
{
    struct text text = {0};
    size_t longest = 0;
    if (output_is_taken(request))
        return 0;
    for (size_t i = 1; i < count; i++)
        if (launches[i].figures[NCU_NS] > launches[longest].figures[NCU_NS])
            longest = i;
    const char *pass = space->passes[plan->launches[longest].pass].name;
    explain_limit(&text, pass, &launches[longest]);
    explain_stall(&text, pass, &launches[longest]);
    explain_shared(&text, pass, &launches[longest]);
    const struct pattern *own = longest == (size_t)pattern_launch(plan, space) ? pattern : NULL;
    explain_divergence(&text, pass, &launches[longest], own);
    explain_loads(&text, pass, &launches[longest], own);
    int failed = output_text(&text, error);
    text_dispose(&text);
    return failed;
}

int profile_report(const struct request *request, const struct planner_plan *plan,
                   const struct space *space, const struct ncu_launch *launches, size_t count,
                   const struct pattern *pattern, struct error *error)
{
    struct table table = {.columns = columns, .column_count = COLUMNS};
    for (size_t i = 0; i < count; i++) {
        const struct planner_launch *launch = &plan->launches[i];
        add_launch(&table, space->passes[launch->pass].name, launch, &launches[i],
                   i == (size_t)pattern_launch(plan, space) ? pattern : NULL);
    }
    int failed = output_table(request, &table, NULL, error) ||
                 print_words(request, plan, space, launches, count, pattern, error);
    table_dispose(&table);
    return failed ? -1 : 0;
}
