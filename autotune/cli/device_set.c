/* device_set: opens devices and groups them by kind: devices are alike when a record of one
 * serves the other, that is with the same name, capability, SMs and memory. */
#include "autotune/cli/device_set.h"

#include "autotune/device/device.h"
#include "generator/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char specs[DEVICE_SET_MAX][16];
    size_t count;
};

/* A GPU has one number, but numbers have several forms: "0", "00", "-0". Anything else stays as
 * it is, for device_open to refuse. */
static void normalize(char spec[16])
{
    struct error ignored;
    int64_t number;
    if (number_parse_int(&number, spec, "--device", &ignored) == 0)
        snprintf(spec, 16, "%" PRId64, number);
}

enum { NAME_SHOWN = 100 }; /* characters of a name that is refused */

/* A name of that length, of which `spec` has as many characters as are shown. */
static int add_name(struct names *names, const char *spec, size_t length, struct error *error)
{
    if (names->count == DEVICE_SET_MAX || length == 0 || length >= sizeof names->specs[0])
        return error_set(error, ERROR_USAGE,
                         "--device: '%s' is no device of a list: give auto, host, all, a "
                         "GPU's number, or hosts and numbers with commas (at most %d)",
                         spec, DEVICE_SET_MAX);
    memcpy(names->specs[names->count], spec, length + 1);
    normalize(names->specs[names->count++]);
    return 0;
}

static int list_all(struct names *names, struct error *error)
{
    char why[400];
    const int count = device_count(why, sizeof why);
    if (count == 0)
        return error_set(error, ERROR_NO_DEVICE, "--device all: there is no GPU (%s)", why);
    for (int i = 0; i < count && i < DEVICE_SET_MAX; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (add_name(names, number, strlen(number), error))
            return -1;
    }
    return 0;
}

static bool is_before(const struct names *names, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(names->specs[i], names->specs[k]) == 0)
            return true;
    return false;
}

/* The host may be named more than once, a GPU only once; auto, which may be any, not at all. */
static int check_list(const struct names *names, struct error *error)
{
    for (size_t i = 0; i < names->count && names->count > 1; i++) {
        const char *spec = names->specs[i];
        if (strcmp(spec, "auto") == 0 || strcmp(spec, "all") == 0)
            return error_set(error, ERROR_USAGE,
                             "--device: %s stands alone, not in a list; name host or GPUs by "
                             "their numbers",
                             spec);
        if (strcmp(spec, "host") != 0 && is_before(names, i))
            return error_set(error, ERROR_USAGE,
                             "--device names %s twice: two on one device would disturb each "
                             "other; name it once",
                             spec);
    }
    return 0;
}

static int list_names(struct names *names, const char *spec, struct error *error)
{
    if (strcmp(spec, "all") == 0)
        return list_all(names, error);
    for (const char *at = spec; at;) {
        char name[NAME_SHOWN + 1];
        const size_t length = text_next_item(&at, name, sizeof name);
        if (add_name(names, name, length, error))
            return -1;
    }
    return check_list(names, error);
}

static bool is_alike(const struct device_info *a, const struct device_info *b)
{
    return strcmp(a->name, b->name) == 0 && a->target.cc == b->target.cc &&
           a->target.sms == b->target.sms && a->memory_clock_khz == b->memory_clock_khz &&
           a->bus_bits == b->bus_bits && strcmp(a->driver, b->driver) == 0;
}

static void add_device(struct device_set *device_set, struct device_info *infos,
                       const char *spec, const struct device_info *info)
{
    size_t k = 0;
    while (k < device_set->count && !is_alike(&infos[k], info))
        k++;
    if (k == device_set->count) {
        infos[k] = *info;
        device_set->count++;
    }
    struct device_set_kind *kind = &device_set->kinds[k];
    snprintf(kind->specs[kind->count], sizeof kind->specs[0], "%s", spec);
    kind->list[kind->count] = kind->specs[kind->count];
    kind->count++;
}

/* `infos` has room for as many as there are names. */
static int add_all(struct device_set *out, struct device_info *infos, const struct names *names,
                   const struct request *request, struct error *error)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct device_options options = {names->specs[i], request->nvrtc, request->seed};
        struct device *device;
        if (names->count == 1) { /* its user opens it, and reports errors */
            add_device(out, infos, names->specs[i], &(struct device_info){.spec = ""});
            return 0;
        }
        if (device_open(&device, &options, error))
            return -1;
        add_device(out, infos, names->specs[i], &device->info);
        device_close(device);
    }
    return 0;
}

int device_set_open(struct device_set *out, const struct request *request, struct error *error)
{
    struct names names = {.count = 0};
    memset(out, 0, sizeof *out);
    if (list_names(&names, request->device, error))
        return -1;
    struct device_info *infos = calloc(names.count + 1, sizeof *infos);
    const int failed = infos ? add_all(out, infos, &names, request, error)
                             : error_memory(error, (names.count + 1) * sizeof *infos);
    free(infos);
    return failed;
}
