/* compare_losses: finds what the winners of each GPU lose on the others, by the times in their
 * journals, and which configs would do on all of them. */
#ifndef AUTOTUNE_COMPARE_LOSSES_H
#define AUTOTUNE_COMPARE_LOSSES_H

#include "autotune/compare/compare.h"
#include "autotune/print/sentence.h"
#include "generator/error.h"

/* A GPU and a size that it was measured at. */
struct compare_losses_cell {
    size_t line, side;
    size_t winner;   /* its config */
    uint64_t own_ps; /* the winner's time there, by the search */
};

/* Over lines that differ in size only, and that two GPUs at least were measured for. */
struct compare_losses {
    size_t first, end; /* those lines */
    struct compare_losses_cell *cells;
    size_t cell_count;
    char **params; /* of each config that has a time in some cell */
    size_t config_count;
    uint64_t
        *times; /* of config c in cell i: times[c * cell_count + i], in ps; 0 = not known */
};

/* Reads the journals of the lines from `first` on that differ in size only; `cache` as in
 * store_folder. Where no two GPUs were measured there are no cells. -1: no memory. Dispose of it. */
int compare_losses_find(struct compare_losses *out, const struct compare *compare, size_t first,
                        const char *cache, struct error *error);
void compare_losses_dispose(struct compare_losses *losses);

/* What the winner of the GPU `of` takes longer on the GPU `on` than that one's own, in percent, at
 * a line; false: it is not known. */
bool compare_losses_at(double *percent, const struct compare_losses *losses, size_t line,
                       size_t of, size_t on);

/* The same of a config that is given as a journal has it. */
bool compare_losses_config(double *percent, const struct compare_losses *losses,
                           const char *params, size_t line, size_t on);

/* Of a config on a GPU over the sizes: how much it loses. */
struct sentence_range compare_losses_of(const struct compare_losses *losses, size_t config,
                                        size_t on);

/* The config that loses least where it loses most, of those with a time in every cell; false: there
 * is none. */
bool compare_losses_best(size_t *config, double *percent, const struct compare_losses *losses);

/* Appends what that one takes: "at most 12.8 % longer than a GPU's own winner". */
void compare_losses_add_most(struct text *out, double percent);

/* Few configs of which one is within `percent` of the winner in each cell, chosen greedily: how many
 * there are. `configs` has room for cell_count. */
size_t compare_losses_cover(size_t *configs, const struct compare_losses *losses,
                            double percent);

/* Appends a table of what each GPU's winners lose on the others and sentences on one config for
 * all and on what is negative; where nothing is known of it, a sentence that says what would tell. Nothing without cells. */
void compare_losses_print(struct text *out, const struct compare_losses *losses,
                          const struct compare *compare, bool bold_titles);

#endif
