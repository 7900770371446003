/* compare_port: says what decides a port: what an SM holds, its caches and its share of the memory, which
 * instructions exist, how many variants the rules allow. */
#ifndef AUTOTUNE_COMPARE_PORT_H
#define AUTOTUNE_COMPARE_PORT_H

#include "autotune/compare/compare.h"
#include "generator/text.h"

/* Appends a table with a row for each fact in which GPUs differ, and a sentence of those that all have
 * alike. */
void compare_port(struct text *out, const struct compare *compare, bool bold_titles);

/* Appends a sentence on the instructions that some lack and others have; nothing where there are none. */
void compare_port_lacks(struct text *out, const struct compare *compare);

#endif
