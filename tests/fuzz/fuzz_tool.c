/* Fuzzes what other programs print: autotune/analysis/ncu.c reads Nsight Compute's table, and
 * sass.c and sass_walk.c disassembly and PTX. No bytes crash them; a refusal says why. */
#include "autotune/analysis/ncu.h"
#include "autotune/analysis/sass.h"
#include "autotune/analysis/sass_walk.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_ncu(const struct text *said)
{
    enum { LAUNCHES = 4 };
    struct ncu_launch launches[LAUNCHES];
    const struct text errors = {0};
    struct error error = {0};
    size_t count = 0;
    if (ncu_parse(launches, LAUNCHES, &count, said, &errors, &error)) {
        demand(*error.text);
        return;
    }
    demand(count > 0 && count <= LAUNCHES);
    for (size_t i = 0; i < count; i++) {
        for (size_t f = 0; f < NCU_FIGURES; f++)
            demand(!isnan(launches[i].figures[f]));
        demand(strlen(launches[i].kernel) < sizeof launches[i].kernel);
        ncu_excess(&launches[i]);
        ncu_sectors(&launches[i]);
    }
}

/* A walk ends, and issues nothing that is not there. */
static void check_walk(const char *text, bool is_ptx)
{
    const struct sass_block block = {.bytes = 64, .warps = 4, .barriers = 9};
    struct sass_issue issue;
    struct error error = {0};
    if (sass_walk(&issue, text, is_ptx, &block, &error)) {
        demand(*error.text);
        return;
    }
    demand(issue.in_tree <= issue.instructions && issue.divisions <= issue.instructions &&
           issue.joined <= issue.instructions && issue.waits <= issue.instructions + 1);
}

static void check_sass(const char *text, bool is_ptx)
{
    struct sass_mix mix;
    struct error error = {0};
    uint64_t sum = 0;
    if (sass_count(&mix, text, is_ptx, &error)) {
        demand(*error.text);
        return;
    }
    for (size_t i = 0; i < SASS_KINDS; i++)
        sum += mix.counts[i];
    demand(sum == mix.total && mix.total > 0 && mix.loop_total <= mix.total);
    sass_per_element(&mix, 4);
    check_walk(text, is_ptx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct text said = {0};
    text_add(&said, (const char *)data, size);
    check_ncu(&said);
    check_sass(said.at, false);
    check_sass(said.at, true);
    text_dispose(&said);
    return 0;
}
