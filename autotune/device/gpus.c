/* gpus: reads configs/gpus.ini, as it was at build time, for one architecture or one GPU, whose
 * name may be written in several ways. */
#include "autotune/device/gpus.h"

#include "autotune/embedded.h"
#include "generator/ini.h"
#include "generator/number.h"
#include "generator/text.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char file[] = "configs/gpus.ini";

/* The names are here too, so that they can be listed without reading the file. */
static const char *const names[] = {"sm_70",  "sm_75",  "sm_80",  "sm_86",  "sm_87",
                                    "sm_88",  "sm_89",  "sm_90",  "sm_100", "sm_103",
                                    "sm_110", "sm_120", "sm_121", NULL};

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
    char hint[TEXT_HINT_CHARS];
    size_t count = 0;
    for (; names[count]; count++)
        text_addf(&known, "%s%s", count ? ", " : "", names[count]);
    if (text_check(&known, error) == 0)
        error_set(error, ERROR_USAGE, "unknown architecture \"%.40s\"; %sknown are %s", arch,
                  text_hint(hint, arch, names, count), known.at);
    text_dispose(&known);
    return -1;
}

static int find_file(const struct embedded **out, struct error *error)
{
    *out = embedded_find(file);
    return *out ? 0
                : error_set(error, ERROR_FAILED,
                            "%s is not part of this build; build it again "
                            "with `make clean all`",
                            file);
}

static int load(struct ini *ini, struct error *error)
{
    const struct embedded *source;
    *ini = (struct ini){0};
    return find_file(&source, error) ||
                   ini_load(ini, file, source->bytes, source->length, error)
               ? -1
               : 0;
}

/* One section alone: the file has tens, and every command asks for one architecture. */
static int load_section(struct ini *ini, const char *section, struct error *error)
{
    const struct embedded *source;
    char header[32];
    *ini = (struct ini){0};
    if (find_file(&source, error))
        return -1;
    snprintf(header, sizeof header, "\n[%.16s]\n", section);
    const char *from = strstr(source->bytes, header);
    const char *end = source->bytes + source->length;
    const char *next = from ? strstr(from + 1, "\n[") : NULL;
    from = from ? from + 1 : end; /* an empty file lacks every key */
    return ini_load(ini, file, from, (size_t)((next ? next + 1 : end) - from), error);
}

/* --- Numbers ------------------------------------------------------------------------------ */

static int report_missing(const struct ini *ini, const char *section, const char *key,
                          struct error *error)
{
    const bool is_own = strcmp(ini->file, file) == 0;
    return error_set(error, is_own ? ERROR_FAILED : ERROR_USAGE, "%s: [%s] lacks %s; add it%s",
                     ini->file, section, key, is_own ? " and build again" : "");
}

/* 0 to INT_MAX. */
static int read_number(int64_t *out, const struct ini *ini, const char *section,
                       const char *key, struct error *error)
{
    const struct ini_item *item = ini_find(ini, section, key);
    char what[250];
    if (!item)
        return report_missing(ini, section, key, error);
    snprintf(what, sizeof what, "%.150s:%d: %.60s", ini->file, item->line, key);
    if (number_parse_int(out, item->value, what, error))
        return -1;
    if (*out < 0 || *out > INT_MAX)
        return error_set(error, ERROR_FAILED, "%s: %.40s is out of range; give 0 to %d", what,
                         item->value, INT_MAX);
    return 0;
}

/* A number of a section, and the member that it is for, an int or an int64_t. */
struct number {
    const char *key;
    size_t offset, bytes;
    bool may_lack; /* then the member stays as it is */
};
#define MEMBER(type, member) offsetof(type, member), sizeof(((type *)0)->member)

static int read_numbers(void *out, const struct ini *ini, const char *section,
                        const struct number *numbers, size_t count, struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        const struct number *number = &numbers[i];
        char *member = (char *)out + number->offset;
        int64_t value;
        if (number->may_lack && !ini_find(ini, section, number->key))
            continue;
        if (read_number(&value, ini, section, number->key, error))
            return -1;
        const int small = (int)value;
        memcpy(member, number->bytes == sizeof small ? (void *)&small : (void *)&value,
               number->bytes);
    }
    return 0;
}

/* --- Architectures ------------------------------------------------------------------------ */

static const struct number target_numbers[] = {
    {"sms", MEMBER(struct target, sms), false},
    {"l2_bytes", MEMBER(struct target, l2_bytes), false},
    {"threads_per_block", MEMBER(struct target, threads_per_block), false},
    {"threads_per_sm", MEMBER(struct target, threads_per_sm), false},
    {"shared_per_block", MEMBER(struct target, shared_per_block), false},
    {"shared_per_sm", MEMBER(struct target, shared_per_sm), false},
    {"registers_per_sm", MEMBER(struct target, registers_per_sm), false},
};

static const struct number limit_numbers[] = {
    {"threads_per_sm", MEMBER(struct occupancy_limits, threads), false},
    {"blocks_per_sm", MEMBER(struct occupancy_limits, blocks), false},
    {"registers_per_sm", MEMBER(struct occupancy_limits, registers), false},
    {"threads_per_block", MEMBER(struct occupancy_limits, threads_per_block), false},
    {"registers_per_thread", MEMBER(struct occupancy_limits, registers_per_thread), false},
    {"register_unit", MEMBER(struct occupancy_limits, register_unit), false},
    {"shared_per_sm", MEMBER(struct occupancy_limits, shared), false},
    {"shared_opt_in", MEMBER(struct occupancy_limits, shared_opt_in), false},
    {"shared_reserved", MEMBER(struct occupancy_limits, shared_reserved), false},
    {"shared_unit", MEMBER(struct occupancy_limits, shared_unit), false},
};

enum {
    TARGET_NUMBERS = sizeof target_numbers / sizeof *target_numbers,
    LIMIT_NUMBERS = sizeof limit_numbers / sizeof *limit_numbers,
};

/* The section of an architecture, however its name is written. */
static int find_section(char out[16], const char *arch, struct error *error)
{
    size_t i = 0;
    normalise(out, arch);
    while (names[i] && strcmp(names[i], out) != 0)
        i++;
    return names[i] ? 0 : report_unknown(arch, error);
}

int gpus_find(struct target *target, const char *arch, struct error *error)
{
    char section[16];
    struct ini ini;
    if (find_section(section, arch, error) || load_section(&ini, section, error))
        return -1;
    *target = (struct target){.cc = atoi(section + strlen("sm_"))};
    int status = read_numbers(target, &ini, section, target_numbers, TARGET_NUMBERS, error);
    ini_dispose(&ini);
    return status;
}

int gpus_limits(struct occupancy_limits *out, int cc, struct error *error)
{
    char arch[16], section[16];
    struct ini ini;
    snprintf(arch, sizeof arch, "sm_%d", cc);
    if (find_section(section, arch, error) || load_section(&ini, section, error))
        return -1;
    int status = read_numbers(out, &ini, section, limit_numbers, LIMIT_NUMBERS, error);
    ini_dispose(&ini);
    return status;
}

const char *const gpus_instruction_names[GPUS_INSTRUCTIONS] = {"redux", "cp.async",
                                                               "bulk copies", "clusters",
                                                               "32-byte loads"};

int gpus_instructions(char out[GPUS_WORDS], int cc, struct error *error)
{
    char arch[16], section[16];
    struct ini ini;
    snprintf(arch, sizeof arch, "sm_%d", cc);
    if (find_section(section, arch, error) || load_section(&ini, section, error))
        return -1;
    const struct ini_item *has = ini_find(&ini, section, "has");
    const int failed = has ? 0 : report_missing(&ini, section, "has", error);
    snprintf(out, GPUS_WORDS, "%s", has ? has->value : "");
    ini_dispose(&ini);
    return failed;
}

/* --- GPUs --------------------------------------------------------------------------------- */

enum { MODEL_CHARS = 64 };

static const char model_prefix[] = "gpu ";

/* The name of the GPU that a section is about, or NULL. */
static const char *model_of(const char *section)
{
    const size_t length = strlen(model_prefix);
    return strncmp(section, model_prefix, length) == 0 ? section + length : NULL;
}

/* Letters and digits alone, in lower case, without the words that are before any name. */
static void squeeze(char out[MODEL_CHARS], const char *name)
{
    static const char *const before[] = {"nvidia", "geforce", "tesla"};
    size_t length = 0;
    for (; *name && length + 1 < MODEL_CHARS; name++)
        if (isalnum((unsigned char)*name))
            out[length++] = (char)tolower((unsigned char)*name);
    out[length] = '\0';
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t skip = strlen(before[i]);
        if (strncmp(out, before[i], skip) == 0)
            memmove(out, out + skip, length + 1 - skip);
        length = strlen(out);
    }
}

/* One of its other names, which commas separate? */
static bool is_also(const struct ini *ini, const char *section, const char *wanted)
{
    const struct ini_item *also = ini_find(ini, section, "also");
    for (const char *at = also ? also->value : NULL; at;) {
        char name[MODEL_CHARS], known[MODEL_CHARS];
        text_next_item(&at, name, sizeof name);
        squeeze(known, name);
        if (strcmp(known, wanted) == 0)
            return true;
    }
    return false;
}

/* The section of the GPU of this name, or NULL. */
static const char *find_model(const struct ini *ini, const char *name)
{
    char wanted[MODEL_CHARS], known[MODEL_CHARS];
    squeeze(wanted, name);
    for (size_t i = 0; i < ini->count; i++) {
        const struct ini_item *item = &ini->items[i];
        if (!model_of(item->section) || strcmp(item->key, "name") != 0)
            continue;
        squeeze(known, model_of(item->section));
        if (strcmp(known, wanted) == 0)
            return item->section;
        squeeze(known, item->value);
        if (strcmp(known, wanted) == 0 || is_also(ini, item->section, wanted))
            return item->section;
    }
    return NULL;
}

/* The GPU's own figures, else those of the architecture's typical GPU. */
static int read_size(struct gpus_model *out, const struct ini *ini, const char *section,
                     struct error *error)
{
    static const struct number own[] = {
        {"sms", MEMBER(struct gpus_model, target.sms), false},
        {"l2_bytes", MEMBER(struct gpus_model, target.l2_bytes), true},
    };
    const struct ini_item *arch = ini_find(ini, section, "arch");
    char known[16];
    if (!arch)
        return report_missing(ini, section, "arch", error);
    if (find_section(known, arch->value, error) || gpus_find(&out->target, known, error))
        return -1;
    const int64_t l2_of_arch = out->target.l2_bytes;
    if (read_numbers(out, ini, section, own, sizeof own / sizeof *own, error))
        return -1;
    if (out->target.sms == 0)
        return report_missing(ini, section, "sms", error);
    out->has_l2 = ini_find(ini, section, "l2_bytes") && out->target.l2_bytes > 0;
    if (!out->has_l2)
        out->target.l2_bytes = l2_of_arch;
    return 0;
}

/* Reads the speed. A figure that no document gives stays 0, but for the peak, which must follow
 * from something. */
static int read_speed(struct gpus_model *out, const struct ini *ini, const char *section,
                      struct error *error)
{
    static const struct number speeds[] = {
        {"clock_khz", MEMBER(struct gpus_model, clock_khz), true},
        {"memory_clock_khz", MEMBER(struct gpus_model, memory_clock_khz), true},
        {"bus_bits", MEMBER(struct gpus_model, bus_bits), true},
        {"blocks_per_us", MEMBER(struct gpus_model, blocks_per_us), true},
        {"atomics_per_us", MEMBER(struct gpus_model, atomics_per_us), true},
    };
    int64_t peak_gbs = 0;
    if (read_numbers(out, ini, section, speeds, sizeof speeds / sizeof *speeds, error) ||
        (ini_find(ini, section, "peak_gbs") &&
         read_number(&peak_gbs, ini, section, "peak_gbs", error)))
        return -1;
    out->peak_bytes = (uint64_t)peak_gbs * 1000000000;
    if (out->memory_clock_khz && out->bus_bits)
        out->peak_bytes =
            (uint64_t)out->memory_clock_khz * 1000 * (uint64_t)out->bus_bits * 2 / 8;
    return out->peak_bytes
               ? 0
               : report_missing(ini, section, "memory_clock_khz and bus_bits, or peak_gbs",
                                error);
}

static int report_unknown_model(const struct ini *ini, const char *name, struct error *error)
{
    struct text known = {0};
    const char *models[GPUS_MODELS_MAX];
    char hint[TEXT_HINT_CHARS], bare[MODEL_CHARS];
    size_t count = 0;
    squeeze(bare, name);
    for (size_t i = 0; i < ini->count && count < GPUS_MODELS_MAX; i++)
        if (model_of(ini->items[i].section) && strcmp(ini->items[i].key, "name") == 0) {
            models[count] = model_of(ini->items[i].section);
            text_addf(&known, "%s%s", known.length ? ", " : "", models[count]);
            count++;
        }
    if (text_check(&known, error) == 0)
        error_set(error, ERROR_USAGE, "'%.60s' is no GPU of the table: %sit has %s", name,
                  text_hint(hint, bare, models, count), known.at ? known.at : "none");
    text_dispose(&known);
    return -1;
}

/* The name of the GPU and the documents behind its figures. */
static int read_words(struct gpus_model *out, const struct ini *ini, const char *section,
                      struct error *error)
{
    const struct ini_item *source = ini_find(ini, section, "source");
    if (!source)
        return report_missing(ini, section, "source", error);
    snprintf(out->name, sizeof out->name, "%s", model_of(section));
    snprintf(out->label, sizeof out->label, "%s", ini_find(ini, section, "name")->value);
    snprintf(out->source, sizeof out->source, "%s", source->value);
    return 0;
}

static int read_model(struct gpus_model *out, const struct ini *ini, const char *name,
                      struct error *error)
{
    const char *section = find_model(ini, name);
    if (!section)
        return report_unknown_model(ini, name, error);
    return read_size(out, ini, section, error) || read_speed(out, ini, section, error) ||
                   read_words(out, ini, section, error)
               ? -1
               : 0;
}

int gpus_find_model(struct gpus_model *out, const char *name, struct error *error)
{
    struct ini ini;
    *out = (struct gpus_model){.clock_khz = 0};
    if (load(&ini, error))
        return -1;
    const int failed = read_model(out, &ini, name, error);
    ini_dispose(&ini);
    return failed;
}

int gpus_read_model(struct gpus_model *out, bool *is_there, const char *path, const char *name,
                    struct error *error)
{
    enum { BYTES_MAX = 1 << 20 };
    struct text text = {0};
    struct ini ini = {0};
    *out = (struct gpus_model){.clock_khz = 0};
    *is_there = false;
    if (text_read(&text, path, BYTES_MAX, error) ||
        ini_load(&ini, path, text.at ? text.at : "", text.length, error)) {
        text_dispose(&text);
        return -1;
    }
    *is_there = find_model(&ini, name);
    const int failed = *is_there ? read_model(out, &ini, name, error) : 0;
    ini_dispose(&ini);
    text_dispose(&text);
    return failed;
}

/* A word that makes another GPU of what is before it. */
static bool is_other_model(const char *word, size_t length)
{
    static const char *const words[] = {"ti", "super", "laptop", "ada", "d", "mobile"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && strncasecmp(word, words[i], length) == 0)
            return true;
    return false;
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]))
        length++;
    return length;
}

static const char *skip_between(const char *at)
{
    while (*at && !isalnum((unsigned char)*at))
        at++;
    return at;
}

/* Are the first words from `at` on, without what is between them, what is wanted? */
static bool begins_with(const char *at, const char *wanted)
{
    size_t length;
    for (; *wanted && (length = word_length(at)) > 0; at = skip_between(at + length)) {
        if (strncasecmp(at, wanted, length) != 0)
            return false;
        wanted += length;
    }
    return !*wanted && !is_other_model(at, word_length(at));
}

bool gpus_is_named(const char *gpu, const char *wanted)
{
    char bare[MODEL_CHARS];
    struct gpus_model model, other;
    struct error ignored;
    squeeze(bare, wanted);
    if (!*bare)
        return false;
    for (const char *at = skip_between(gpu); *at; at = skip_between(at + word_length(at)))
        if (begins_with(at, bare))
            return true;
    return gpus_find_model(&other, wanted, &ignored) == 0 &&
           gpus_find_model(&model, gpu, &ignored) == 0 && strcmp(model.name, other.name) == 0;
}

bool gpus_knows_model(const char *name)
{
    struct gpus_model model;
    struct error ignored;
    return gpus_find_model(&model, name, &ignored) == 0;
}

size_t gpus_list_models(char out[GPUS_MODELS_MAX][64])
{
    struct ini ini;
    struct error ignored;
    size_t count = 0;
    if (load(&ini, &ignored))
        return 0;
    for (size_t i = 0; i < ini.count && count < GPUS_MODELS_MAX; i++)
        if (model_of(ini.items[i].section) && strcmp(ini.items[i].key, "name") == 0)
            snprintf(out[count++], MODEL_CHARS, "%s", model_of(ini.items[i].section));
    ini_dispose(&ini);
    return count;
}
