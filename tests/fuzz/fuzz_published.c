/* Fuzzes autotune/compare/published.c: no bytes crash it, and of what it takes each number is
 * written with the digits that it was read with. */
#include "autotune/compare/published.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_figures(const struct published *published)
{
    for (size_t i = 0; i < published->figure_count; i++) {
        const struct published_figure *figure = &published->figures[i];
        char out[NUMBER_CHARS];
        demand(figure->kernel < published->kernel_count);
        for (size_t c = 0; c < PUBLISHED_COLUMNS; c++) {
            demand(strlen(published_write(out, &figure->at[c])) < NUMBER_CHARS);
            published_real(&figure->at[c]);
        }
        published_gbs(published, figure);
        published_share(published, figure, 1000);
        published_time(out, figure);
        published_us(out, figure);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct published published;
    struct error error = {0};
    if (published_load(&published, "fuzz", (const char *)data, size, &error)) {
        demand(strncmp(error.text, "fuzz", 4) == 0 && error.code == ERROR_USAGE);
        return 0;
    }
    demand(published.kernel_count <= PUBLISHED_KERNELS_MAX);
    demand(published.figure_count <= PUBLISHED_FIGURES_MAX);
    check_figures(&published);
    published_best(&published, &published.problem);
    published_dispose(&published);
    return 0;
}
