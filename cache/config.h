/* config: holds the table of configs of a record file, each once. Records name them by number,
 * so that a sweep repeats no text. */
#ifndef AUTOTUNE_CONFIG_H
#define AUTOTUNE_CONFIG_H

#include "generator/error.h"
#include "generator/ini.h"
#include "generator/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONFIG_PARAMS_MAX = 500 }; /* characters */

struct config {
    char params[CONFIG_PARAMS_MAX + 1]; /* "BLOCK=256 ITEMS=16 ..." in the space's order */
    uint64_t code;                      /* code_hash: of its kernels */
    uint64_t hash; /* of its section in the file; 0 = there is none of this number */
    size_t before; /* private: its place before configs_sort */
};

/* Initialise with zeros. */
struct configs {
    struct config *at;
    size_t count;
};
void configs_dispose(struct configs *configs);

/* The config of a number, or NULL. */
const struct config *configs_find(const struct configs *configs, uint64_t number);

/* The number of a config, which is added where it is not there; its hash need not be known. -1
 * only for memory. */
int configs_add(uint64_t *number, struct configs *configs, const struct config *config,
                struct error *error);

/* Puts a config read from a file at its number, which is `most` at most. */
int configs_put(struct configs *configs, uint64_t number, uint64_t most,
                const struct config *config, struct error *error);

/* Leaves out the configs whose is_used[number - 1] is false, and numbers the others by their
 * params, so that the order of adding does not matter: numbers[old - 1] = new. The caller
 * renumbers what names them. */
void configs_sort(struct configs *configs, const bool *is_used, uint64_t *numbers);

/* Appends a config as a section: [config 7]. Always a strict INI. */
void config_emit(struct text *out, const struct config *config, uint64_t number);

/* Reads the section of that name; `hash` becomes its checksum. Errors as record_parse. */
int config_parse(struct config *out, const struct ini *ini, const char *section,
                 struct error *error);

#endif
