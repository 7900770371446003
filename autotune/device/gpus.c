/* gpus: reads configs/gpus.ini, as it stood at build, for one architecture. Hides the file. */
#include "autotune/device/gpus.h"

#include "autotune/embedded.h"
#include "generator/ini.h"
#include "generator/number.h"
#include "generator/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "configs/gpus.ini";

/* The names stand here too, so that they can be listed without reading the file. */
static const char *const names[] = {"sm_70", "sm_75", "sm_80",  "sm_86", "sm_89",
                                    "sm_90", "sm_100", "sm_120", NULL};

const char *const *gpus_names(void)
{
    return names;
}

/* "sm_90", "90" and "9.0" to "sm_90"; an answer that is no known name is refused later. */
static void normalise(char out[16], const char *arch)
{
    const char *digits = strncmp(arch, "sm_", 3) == 0 ? arch + 3 : arch;
    size_t whole = strcspn(digits, ".");
    if (digits == arch && whole > 0 && whole < 3 && strlen(digits) == whole + 2)
        snprintf(out, 16, "sm_%.*s%s", (int)whole, digits, digits + whole + 1);
    else
        snprintf(out, 16, "sm_%.12s", digits);
}

static int report_unknown(const char *arch, struct error *error)
{
    struct text known = {0};
    for (size_t i = 0; names[i]; i++)
        text_addf(&known, "%s%s", i ? ", " : "", names[i]);
    if (text_check(&known, error) == 0)
        error_set(error, ERROR_USAGE, "unknown architecture \"%.40s\"; known are %s", arch,
                  known.at);
    text_dispose(&known);
    return -1;
}

static int read_number(int64_t *out, const struct ini *ini, const char *section,
                       const char *key, struct error *error)
{
    const struct ini_item *item = ini_find(ini, section, key);
    char what[120];
    if (!item)
        return error_set(error, ERROR_FAILED, "%s: [%s] lacks %s; add it and build again", file,
                         section, key);
    snprintf(what, sizeof what, "%s:%d: %.60s", file, item->line, key);
    if (number_parse_int(out, item->value, what, error))
        return -1;
    if (*out <= 0 || *out > INT_MAX)
        return error_set(error, ERROR_FAILED, "%s: %.40s is out of range; give 1 to %d", what,
                         item->value, INT_MAX);
    return 0;
}

static int read_target(struct target *target, const struct ini *ini, const char *section,
                       struct error *error)
{
    enum { SMS, L2, BLOCK, SM, SHARED_BLOCK, SHARED_SM, REGISTERS, KEYS };
    static const char *const keys[KEYS] = {
        [SMS] = "sms",
        [L2] = "l2_bytes",
        [BLOCK] = "threads_per_block",
        [SM] = "threads_per_sm",
        [SHARED_BLOCK] = "shared_per_block",
        [SHARED_SM] = "shared_per_sm",
        [REGISTERS] = "registers_per_sm",
    };
    int64_t values[KEYS];
    for (int i = 0; i < KEYS; i++)
        if (read_number(&values[i], ini, section, keys[i], error))
            return -1;
    *target = (struct target){
        .cc = atoi(section + strlen("sm_")),
        .sms = (int)values[SMS],
        .l2_bytes = values[L2],
        .threads_per_block = (int)values[BLOCK],
        .threads_per_sm = (int)values[SM],
        .shared_per_block = values[SHARED_BLOCK],
        .shared_per_sm = values[SHARED_SM],
        .registers_per_sm = (int)values[REGISTERS],
    };
    return 0;
}

int gpus_find(struct target *target, const char *arch, struct error *error)
{
    char name[16];
    size_t i = 0;
    normalise(name, arch);
    while (names[i] && strcmp(names[i], name) != 0)
        i++;
    if (!names[i])
        return report_unknown(arch, error);
    const struct embedded *source = embedded_find(file);
    if (!source)
        return error_set(error, ERROR_FAILED, "%s is not part of this build; build it again "
                         "with `make clean all`", file);
    struct ini ini = {0};
    if (ini_load(&ini, file, source->bytes, source->length, error))
        return -1;
    int status = read_target(target, &ini, name, error);
    ini_dispose(&ini);
    return status;
}
