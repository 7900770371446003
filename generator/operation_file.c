/* operation_file: reads the keys of an operation's file, has each expression parsed, and fills in what the
 * file leaves out. Faults stand at a line and column of the file, also where a value stands in
 * several lines. */
#include "generator/operation_file.h"

#include "generator/ini.h"
#include "generator/operation_canonical.h"
#include "generator/operation_law.h"
#include "generator/operation_node.h"
#include "generator/operation_syntax.h"
#include "generator/operation_type.h"
#include "generator/text.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE_MAX = 40 }; /* bytes of what errors are relative to */

struct reading {
    struct operation_text *text;
    const struct ini *ini;
    const char *bytes;
    size_t length;
    struct operation_value value; /* the one in hand */
    struct error *error;
};

typedef int take_key(struct reading *reading, const struct ini_item *item);

/* --- Places ------------------------------------------------------------------------------- */

static struct operation_place place_of(const struct ini_item *item)
{
    return (struct operation_place){item->line, 1};
}

static const char *find_line(const struct reading *reading, int line)
{
    const char *at = reading->bytes, *end = at + reading->length;
    for (int k = 1; k < line; k++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        assert(newline);
        at = newline + 1;
    }
    return at;
}

/* The byte of a line where the value behind its '=' begins, and how long that is. */
static size_t value_from(const char *line, size_t width, size_t *length)
{
    const char *equals = memchr(line, '=', width);
    assert(equals);
    size_t from = (size_t)(equals - line) + 1;
    while (from < width && (line[from] == ' ' || line[from] == '\t'))
        from++;
    while (width > from && (line[width - 1] == ' ' || line[width - 1] == '\t'))
        width--;
    *length = width - from;
    return from;
}

/* Does a line go on with the value above, "+ = MORE"? */
static bool is_more(const char *line, size_t width)
{
    const size_t blanks = width ? strspn(line + 1, " \t") : 0;
    return width > blanks + 1 && *line == '+' && line[1 + blanks] == '=';
}

static bool is_passed_over(const char *line, size_t width)
{
    return strspn(line, " \t") >= width || *line == '#' || *line == ';';
}

/* Finds where each byte of a value stands: in its own line, and in those that go on with it. */
static int find_value(struct reading *reading, const struct ini_item *item)
{
    struct operation_value *value = &reading->value;
    const char *end = reading->bytes + reading->length, *at = find_line(reading, item->line);
    size_t from = 0;
    *value = (struct operation_value){.at = item->value};
    for (int line = item->line; at < end; line++) {
        const size_t width = strcspn(at, "\n");
        size_t length;
        if (line == item->line || is_more(at, width)) {
            const int column = (int)value_from(at, width, &length) + 1;
            if (value->span_count == OPERATION_SPANS_MAX)
                return operation_fault(reading->text, (struct operation_place){line, 1},
                                       reading->error,
                                       "a value of more than %d lines: name parts "
                                       "of it by lines let NAME = ...",
                                       OPERATION_SPANS_MAX);
            value->spans[value->span_count++] = (struct operation_span){from, {line, column}};
            from += length + 1;
        } else if (!is_passed_over(at, width)) {
            break;
        }
        at += width + 1;
    }
    return 0;
}

static int fault_in(struct reading *reading, size_t offset, const char *what)
{
    return operation_fault(reading->text, operation_place_at(&reading->value, offset),
                           reading->error, "%s", what);
}

/* --- Words -------------------------------------------------------------------------------- */

/* Is this a name: [a-z][a-z0-9_]*, at most OPERATION_NAME_MAX bytes? */
static bool is_name(const char *word, size_t length)
{
    if (length == 0 || length > OPERATION_NAME_MAX || *word < 'a' || *word > 'z')
        return false;
    return strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_") >= length;
}

static const char name_form[] = "a-z first, then a-z, 0-9 and '_', 31 at most";

static char *keep(const char *string, struct error *error)
{
    char *kept = strdup(string);
    if (!kept)
        error_memory(error, strlen(string) + 1);
    return kept;
}

/* --- Keys --------------------------------------------------------------------------------- */

static int take_meaning(struct reading *reading, const struct ini_item *item)
{
    if (!*item->value)
        return fault_in(reading, 0, "meaning is empty: say in a line what the operation gives");
    reading->text->meaning = keep(item->value, reading->error);
    return reading->text->meaning ? 0 : -1;
}

static int take_name(struct reading *reading, const struct ini_item *item)
{
    const size_t length = strlen(item->value);
    if (!is_name(item->value, length))
        return operation_fault(reading->text, operation_place_at(&reading->value, 0),
                               reading->error, "'%.40s' is no name: write %s", item->value,
                               name_form);
    memcpy(reading->text->name, item->value, length + 1);
    return 0;
}

static int take_types(struct reading *reading, const struct ini_item *item)
{
    static const char *const words[OPERATION_FORS] = {"all", "integers", "floats"};
    reading->text->types_place = operation_place_at(&reading->value, 0);
    for (int k = 0; k < OPERATION_FORS; k++)
        if (strcmp(item->value, words[k]) == 0) {
            reading->text->types = (enum operation_for)k;
            return 0;
        }
    return fault_in(reading, 0, "types is one of all, integers and floats: write one of them");
}

/* A type that a value, a field or a result may have. */
static int find_kept_type(struct reading *reading, size_t offset, size_t length,
                          enum operation_type *out)
{
    const char *word = reading->value.at + offset;
    *out = operation_find_type(word, length);
    if (*out == BOOL_TYPE)
        return fault_in(reading, offset, "a bool cannot be kept: write u32, for 1 or 0");
    if (*out == NO_TYPE)
        return operation_fault(
            reading->text, operation_place_at(&reading->value, offset), reading->error,
            "unknown type '%.*s': write acc, real, i32, u32, i64, u64, f32 or f64",
            length > 40 ? 40 : (int)length, word);
    return 0;
}

static int take_field(struct reading *reading, size_t offset, size_t length)
{
    struct operation_text *text = reading->text;
    const char *word = reading->value.at + offset;
    const char *colon = memchr(word, ':', length);
    const size_t width = colon ? (size_t)(colon - word) : length;
    if (!colon)
        return fault_in(
            reading, offset,
            "a field is NAME:TYPE: write as value = best:acc at:u64, or one type alone");
    if (!is_name(word, width))
        return operation_fault(text, operation_place_at(&reading->value, offset),
                               reading->error, "'%.*s' is no field's name: write %s",
                               width > 40 ? 40 : (int)width, word, name_form);
    for (int k = 0; k < text->field_count; k++)
        if (strncmp(text->fields[k].name, word, width) == 0 && !text->fields[k].name[width])
            return fault_in(reading, offset, "a second field of this name: rename one of them");
    if (text->field_count == OPERATION_FIELDS_MAX)
        return fault_in(reading, offset, "a value has 8 fields at most: remove some");
    struct operation_field *field = &text->fields[text->field_count++];
    memcpy(field->name, word, width);
    return find_kept_type(reading, offset + width + 1, length - width - 1, &field->type);
}
_Static_assert(OPERATION_FIELDS_MAX == 8, "take_field says so");

/* Takes the words of a value, one after another. */
static int take_words(struct reading *reading, const char *value,
                      int (*take)(struct reading *reading, size_t offset, size_t length))
{
    for (size_t at = strspn(value, " \t"); value[at];) {
        const size_t length = strcspn(value + at, " \t");
        if (take(reading, at, length))
            return -1;
        at += length;
        at += strspn(value + at, " \t");
    }
    return 0;
}

static int take_value(struct reading *reading, const struct ini_item *item)
{
    struct operation_text *text = reading->text;
    const char *value = item->value;
    text->value_place = operation_place_at(&reading->value, 0);
    if (!strpbrk(value, ": \t"))
        return find_kept_type(reading, 0, strlen(value), &text->value);
    if (take_words(reading, value, take_field))
        return -1;
    text->value = STRUCT_TYPE;
    if (text->field_count == 1)
        return fault_in(reading, 0, "one field alone: write its type, without a name");
    return 0;
}

/* The number behind the '=' of a param, if there is one. */
static int take_usual(struct reading *reading, struct operation_param *param, size_t offset,
                      size_t length)
{
    const char *word = reading->value.at + offset;
    param->usual = -1;
    if (length == 0)
        return 0;
    param->usual =
        operation_parse_number(reading->text, &reading->value, offset + 1, reading->error);
    if (param->usual < 0)
        return -1;
    const char *digits = reading->text->nodes[param->usual].digits;
    const size_t sign = word[1] == '-', taken = 1 + sign + strlen(digits);
    return taken == length ? 0
                           : fault_in(reading, offset + taken,
                                      "a number ends here, and a blank or nothing follows it: "
                                      "as params = delta:real=1 margin:acc");
}

/* Names are one kind of thing each. */
static int check_param_name(struct reading *reading, size_t offset, size_t length)
{
    const struct operation_text *text = reading->text;
    const struct operation_place place = operation_place_at(&reading->value, offset);
    char name[OPERATION_NAME_MAX + 1] = "";
    if (!is_name(reading->value.at + offset, length))
        return operation_fault(text, place, reading->error, "'%.*s' is no name: write %s",
                               length > 40 ? 40 : (int)length, reading->value.at + offset,
                               name_form);
    memcpy(name, reading->value.at + offset, length);
    if (operation_is_reserved(name))
        return operation_fault(text, place, reading->error,
                               "'%s' means something already: choose another name", name);
    for (int k = 0; k < text->param_count; k++)
        if (strcmp(text->params[k].name, name) == 0)
            return operation_fault(text, place, reading->error,
                                   "a second param '%s': rename one of them", name);
    return 0;
}

/* NAME:TYPE, or NAME:TYPE=NUMBER. */
static int take_param(struct reading *reading, size_t offset, size_t length)
{
    struct operation_text *text = reading->text;
    const char *word = reading->value.at + offset;
    const char *colon = memchr(word, ':', length);
    if (!colon)
        return fault_in(reading, offset,
                        "a param is NAME:TYPE, or NAME:TYPE=NUMBER with the number that it is "
                        "where a call gives none: write as params = delta:real=1");
    const size_t width = (size_t)(colon - word);
    const char *equals = memchr(colon, '=', length - width);
    const size_t end = equals ? (size_t)(equals - word) : length;
    if (check_param_name(reading, offset, width))
        return -1;
    if (text->param_count == OPERATION_PARAMS_MAX)
        return fault_in(reading, offset, "an operation has 8 params at most: remove some");
    struct operation_param *param = &text->params[text->param_count++];
    memcpy(param->name, word, width);
    param->place = operation_place_at(&reading->value, offset);
    return find_kept_type(reading, offset + width + 1, end - width - 1, &param->type) ||
                   take_usual(reading, param, offset + end, length - end)
               ? -1
               : 0;
}
_Static_assert(OPERATION_PARAMS_MAX == 8, "take_param says so");

static int take_params(struct reading *reading, const struct ini_item *item)
{
    if (!*item->value)
        return fault_in(reading, 0, "no param: write as params = delta:real=1, or no such key");
    return take_words(reading, item->value, take_param);
}

/* The type of an input's elements. */
static int find_input_type(struct reading *reading, size_t offset, size_t length,
                           struct operation_input *out)
{
    const char *word = reading->value.at + offset;
    char known[PROBLEM_NAMES_CHARS];
    if (length == strlen("elem") && strncmp(word, "elem", length) == 0)
        return 0;
    for (int type = 0; type < TYPE_COUNT; type++)
        if (strlen(problem_types[type].name) == length &&
            strncmp(word, problem_types[type].name, length) == 0) {
            out->is_typed = true;
            out->type = (enum type)type;
            return 0;
        }
    return operation_fault(reading->text, operation_place_at(&reading->value, offset),
                           reading->error,
                           "unknown type '%.*s' of an input: write elem, which is that of "
                           "--type, or one of %s",
                           length > 40 ? 40 : (int)length, word, problem_list_types(known));
}

/* NAME or NAME:TYPE. */
static int take_input(struct reading *reading, size_t offset, size_t length)
{
    struct operation_text *text = reading->text;
    const char *word = reading->value.at + offset;
    const char *colon = memchr(word, ':', length);
    const size_t width = colon ? (size_t)(colon - word) : length;
    const struct operation_place place = operation_place_at(&reading->value, offset);
    char name[OPERATION_NAME_MAX + 1] = "";
    if (!is_name(word, width))
        return operation_fault(text, place, reading->error,
                               "'%.*s' is no input's name: write %s",
                               width > 40 ? 40 : (int)width, word, name_form);
    memcpy(name, word, width);
    if (strcmp(name, "x") != 0 && operation_is_reserved(name))
        return operation_fault(text, place, reading->error,
                               "'%s' means something already: choose another name", name);
    for (int k = 0; k < text->input_count; k++)
        if (strcmp(text->inputs[k].name, name) == 0)
            return operation_fault(text, place, reading->error,
                                   "a second input '%s': rename one of them", name);
    if (text->input_count == OPERATION_INPUTS_MAX)
        return fault_in(reading, offset, "an operation has 4 inputs at most: remove some");
    struct operation_input *input = &text->inputs[text->input_count++];
    memcpy(input->name, name, sizeof name);
    input->place = place;
    return colon ? find_input_type(reading, offset + width + 1, length - width - 1, input) : 0;
}
_Static_assert(OPERATION_INPUTS_MAX == 4, "take_input says so");

static int take_inputs(struct reading *reading, const struct ini_item *item)
{
    if (!*item->value)
        return fault_in(reading, 0,
                        "no input: write as inputs = x y:f32, or no such key for one input x");
    return take_words(reading, item->value, take_input);
}

static int take_result(struct reading *reading, const struct ini_item *item)
{
    reading->text->result_place = operation_place_at(&reading->value, 0);
    return find_kept_type(reading, 0, strlen(item->value), &reading->text->result);
}

static int take_scale(struct reading *reading, const struct ini_item *item)
{
    if (!*item->value || strlen(item->value) > SCALE_MAX || strchr(item->value, ';'))
        return fault_in(
            reading, 0,
            "scale is what errors are relative to, in 40 bytes at most and without ';': "
            "as sum|x|");
    reading->text->scale = keep(item->value, reading->error);
    return reading->text->scale ? 0 : -1;
}
_Static_assert(SCALE_MAX == 40, "take_scale says so");

static int take_tolerance(struct reading *reading, const struct ini_item *item)
{
    static const char digits[] = "0123456789";
    struct operation_text *text = reading->text;
    const size_t whole = strspn(item->value, digits);
    const size_t part =
        item->value[whole] == '.' ? 1 + strspn(item->value + whole + 1, digits) : 0;
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return error_set(reading->error, ERROR_FAILED, "no locale C: %s", strerror(errno));
    text->tolerance = whole && !item->value[whole + part] && whole + part < LITERAL_CHARS
                          ? strtod_l(item->value, NULL, plain)
                          : 0;
    freelocale(plain);
    if (!(text->tolerance > 0))
        return fault_in(reading, 0, "tolerance is a factor above 0: write one, as 4 or 0.5");
    text->tolerance_digits = keep(item->value, reading->error);
    return text->tolerance_digits ? 0 : -1;
}

static int take_keeps_order(struct reading *reading, const struct ini_item *item)
{
    reading->text->keeps_order = strcmp(item->value, "yes") == 0;
    if (reading->text->keeps_order || strcmp(item->value, "no") == 0)
        return 0;
    return fault_in(reading, 0, "keeps_order is yes or no: write one of them");
}

static int take_later(struct reading *reading, const struct ini_item *item)
{
    (void)reading;
    (void)item;
    return 0;
}

/* What a key's value is read by; expressions are, once all else is known. */
static const struct key {
    const char *name;
    take_key *take;
} keys[] = {
    {"meaning", take_meaning}, {"name", take_name},
    {"types", take_types},     {"value", take_value},
    {"map", take_later},       {"combine", take_later},
    {"identity", take_later},  {"finish", take_later},
    {"result", take_result},   {"keeps_order", take_keeps_order},
    {"scale", take_scale},     {"tolerance", take_tolerance},
    {"params", take_params},   {"inputs", take_inputs},
};
enum { KEYS = sizeof keys / sizeof *keys };

/* The name of "let NAME"; NULL = another key. */
static const char *let_name(const char *key)
{
    if (strncmp(key, "let", 3) != 0 || (key[3] != ' ' && key[3] != '\t'))
        return NULL;
    return key + 3 + strspn(key + 3, " \t");
}

static int declare_let(struct reading *reading, const struct ini_item *item, const char *name)
{
    struct operation_text *text = reading->text;
    const size_t length = strlen(name);
    const struct operation_place place = {item->line, (int)(name - item->key) + 1};
    if (!is_name(name, length))
        return operation_fault(text, place, reading->error, "'%.40s' is no name: write %s",
                               name, name_form);
    if (operation_is_reserved(name))
        return operation_fault(text, place, reading->error,
                               "'%s' means something already: choose another name", name);
    for (int k = 0; k < text->let_count; k++)
        if (strcmp(text->let_names[k], name) == 0)
            return operation_fault(text, place, reading->error,
                                   "a second let '%s': rename one of them", name);
    if (text->let_count == OPERATION_LETS_MAX)
        return operation_fault(text, place, reading->error,
                               "more than %d lines let NAME = ...: join some",
                               OPERATION_LETS_MAX);
    memcpy(text->let_names[text->let_count], name, length + 1);
    text->lets[text->let_count].place = place;
    text->lets[text->let_count++].root = -1;
    return 0;
}

static int take_item(struct reading *reading, const struct ini_item *item)
{
    const char *names[KEYS], *let = let_name(item->key);
    if (strcmp(item->section, "operation") != 0)
        return operation_fault(reading->text, (struct operation_place){item->section_line, 1},
                               reading->error,
                               "unknown section [%s]: a file has one, [operation]",
                               item->section);
    if (let)
        return declare_let(reading, item, let);
    for (int k = 0; k < KEYS; k++) {
        names[k] = keys[k].name;
        if (strcmp(item->key, keys[k].name) == 0)
            return find_value(reading, item) || keys[k].take(reading, item) ? -1 : 0;
    }
    const char *meant = text_similar(item->key, strlen(item->key), names, KEYS);
    return operation_fault(reading->text, place_of(item), reading->error,
                           "unknown key '%.40s': %s%s%s", item->key,
                           meant ? "did you mean '"
                                 : "keys are meaning, name, types, value, inputs, params, map, "
                                   "combine, identity, finish, result, let NAME, "
                                   "keeps_order, scale and tolerance",
                           meant ? meant : "", meant ? "'?" : "");
}

/* --- Functions ---------------------------------------------------------------------------- */

static int read_lets(struct reading *reading)
{
    struct operation_text *text = reading->text;
    for (size_t i = 0, k = 0; i < reading->ini->count; i++) {
        const struct ini_item *item = &reading->ini->items[i];
        if (!let_name(item->key))
            continue;
        if (find_value(reading, item) ||
            operation_parse(text, &text->lets[k++], &reading->value, OPERATION_PARTS,
                            reading->error))
            return -1;
    }
    return 0;
}

static int read_default(struct reading *reading, enum operation_part part, const char *source,
                        struct operation_place place)
{
    reading->value =
        (struct operation_value){.at = source, .span_count = 1, .is_default = true};
    reading->value.spans[0].place = place;
    return operation_parse(reading->text, &reading->text->parts[part], &reading->value, part,
                           reading->error);
}

static int read_part(struct reading *reading, enum operation_part part, const char *otherwise)
{
    struct operation_text *text = reading->text;
    const struct ini_item *item =
        ini_find(reading->ini, "operation", operation_part_names[part]);
    text->parts[part].root = -1;
    if (item)
        return find_value(reading, item) ||
                       operation_parse(text, &text->parts[part], &reading->value, part,
                                       reading->error)
                   ? -1
                   : 0;
    return otherwise ? read_default(reading, part, otherwise, text->value_place) : 0;
}

static int read_identity(struct reading *reading)
{
    struct operation_text *text = reading->text;
    const struct operation_place place = text->parts[OPERATION_COMBINE].place;
    if (read_part(reading, OPERATION_IDENTITY, NULL) ||
        operation_find_laws(text, reading->error))
        return -1;
    if (text->parts[OPERATION_IDENTITY].root >= 0)
        return 0;
    const char *known = operation_law_identity(text->combine);
    if (!known)
        return operation_fault(
            text, place, reading->error,
            "this combine is no law, as a + b is, and kernels need one so far; without one it "
            "also needs identity = ..., the value that changes no other");
    return read_default(reading, OPERATION_IDENTITY, known, place);
}

static int check_used(struct reading *reading)
{
    const struct operation_text *text = reading->text;
    uint32_t used = 0, params = 0;
    for (int part = 0; part < OPERATION_PARTS; part++) {
        used |= text->parts[part].lets;
        params |= text->parts[part].params;
    }
    for (int k = 0; k < text->let_count; k++)
        if (!(used >> k & 1))
            return operation_fault(text, text->lets[k].place, reading->error,
                                   "no function mentions '%s': remove it, or use it",
                                   text->let_names[k]);
    for (int k = 0; k < text->param_count; k++)
        if (!(params >> k & 1))
            return operation_fault(text, text->params[k].place, reading->error,
                                   "no function mentions the param '%s': remove it, or use it",
                                   text->params[k].name);
    for (int k = 1; k < text->input_count; k++)
        if (!(text->parts[OPERATION_MAP].names >> (OPERATION_INPUT_2 + k - 1) & 1))
            return operation_fault(text, text->inputs[k].place, reading->error,
                                   "map does not mention the input '%s': remove it, or use it",
                                   text->inputs[k].name);
    return 0;
}

static int check_input_names(struct reading *reading)
{
    const struct operation_text *text = reading->text;
    for (int i = 0; i < text->input_count; i++) {
        const char *name = text->inputs[i].name;
        for (int k = 0; k < text->let_count; k++)
            if (strcmp(text->let_names[k], name) == 0)
                return operation_fault(text, text->lets[k].place, reading->error,
                                       "'%s' is an input already: rename one of them", name);
        for (int k = 0; k < text->param_count; k++)
            if (strcmp(text->params[k].name, name) == 0)
                return operation_fault(text, text->params[k].place, reading->error,
                                       "'%s' is an input already: rename one of them", name);
    }
    return 0;
}

/* A param and a let of one name. */
static int check_names(struct reading *reading)
{
    const struct operation_text *text = reading->text;
    if (check_input_names(reading))
        return -1;
    for (int k = 0; k < text->let_count; k++)
        for (int p = 0; p < text->param_count; p++)
            if (strcmp(text->let_names[k], text->params[p].name) == 0)
                return operation_fault(text, text->lets[k].place, reading->error,
                                       "'%s' is a param already: rename one of them",
                                       text->let_names[k]);
    return 0;
}

static int check_needed(struct reading *reading)
{
    const int line = reading->ini->count ? reading->ini->items[0].section_line : 1;
    const struct operation_place place = {line, 1};
    if (!ini_find(reading->ini, "operation", "combine"))
        return operation_fault(reading->text, place, reading->error,
                               "no key combine in [operation]: write it, as combine = a + b");
    if (!ini_find(reading->ini, "operation", "meaning"))
        return operation_fault(
            reading->text, place, reading->error,
            "no key meaning in [operation]: say in a line what the operation "
            "gives, as meaning = sum of magnitudes");
    if (reading->text->input_count > 1 && !ini_find(reading->ini, "operation", "map"))
        return operation_fault(reading->text, reading->text->inputs[1].place, reading->error,
                               "no key map in [operation]: say what is made of an element of "
                               "each input, as map = %s * %s",
                               reading->text->inputs[0].name, reading->text->inputs[1].name);
    return 0;
}

/* The name that the file's own name gives. */
static int name_by_file(struct reading *reading)
{
    struct operation_text *text = reading->text;
    const char *slash = strrchr(text->file, '/'), *stem = slash ? slash + 1 : text->file;
    size_t length = strlen(stem);
    if (length > 4 && strcmp(stem + length - 4, ".ini") == 0)
        length -= 4;
    if (!is_name(stem, length))
        return operation_fault(text, (struct operation_place){1, 1}, reading->error,
                               "'%.*s' cannot name an operation: write name = ..., of %s",
                               length > 40 ? 40 : (int)length, stem, name_form);
    memcpy(text->name, stem, length);
    text->name[length] = '\0';
    return 0;
}

/* Of one input the element; of several the file says it. */
static const char *usual_map(const struct operation_text *text)
{
    return text->input_count == 0   ? operation_names[OPERATION_X]
           : text->input_count == 1 ? text->inputs[0].name
                                    : NULL;
}

static int read_all(struct reading *reading)
{
    struct operation_text *text = reading->text;
    text->value = ACC_TYPE;
    text->result = NO_TYPE;
    for (size_t i = 0; i < reading->ini->count; i++)
        if (take_item(reading, &reading->ini->items[i]))
            return -1;
    if (check_needed(reading) || (!text->name[0] && name_by_file(reading)))
        return -1;
    if (text->value_place.line == 0)
        text->value_place = place_of(ini_find(reading->ini, "operation", "combine"));
    if (check_names(reading) || read_lets(reading) ||
        read_part(reading, OPERATION_MAP, usual_map(text)) ||
        read_part(reading, OPERATION_COMBINE, NULL) ||
        read_part(reading, OPERATION_FINISH, "a") || read_identity(reading) ||
        check_used(reading))
        return -1;
    return operation_type_all(text, reading->error) ||
                   operation_find_map_laws(text, reading->error) ||
                   operation_make_canonical(text, reading->error)
               ? -1
               : 0;
}

int operation_read(struct operation_text **out, const char *file, const char *bytes,
                   size_t length, struct error *error)
{
    assert(out && file && (bytes || length == 0));
    struct ini ini;
    int status = -1;
    *out = NULL;
    if (length > OPERATION_FILE_MAX)
        return error_set(error, ERROR_USAGE,
                         "%s:1:1: more than %d bytes: an operation is a few lines", file,
                         OPERATION_FILE_MAX);
    if (ini_load(&ini, file, bytes, length, error))
        return -1;
    struct operation_text *text = calloc(1, sizeof *text);
    if (!text) {
        error_memory(error, sizeof *text);
    } else if ((text->file = keep(file, error))) {
        struct reading reading = {.text = text,
                                  .ini = &ini,
                                  .bytes = bytes,
                                  .length = length,
                                  .error = error};
        status = read_all(&reading);
    }
    ini_dispose(&ini);
    if (status)
        operation_free(text);
    else
        *out = text;
    return status;
}

void operation_free(struct operation_text *text)
{
    if (!text)
        return;
    for (int acc = 0; acc < CONCRETE_TYPES; acc++) {
        free(text->of[acc].fault);
        free(text->of[acc].of_node);
    }
    free(text->nodes);
    free(text->file);
    free(text->meaning);
    free(text->scale);
    free(text->tolerance_digits);
    free(text->canonical);
    free(text);
}

/* --- What the file says ------------------------------------------------------------------- */

const char *operation_text_name(const struct operation_text *text)
{
    return text->name;
}

const char *operation_meaning(const struct operation_text *text)
{
    return text->meaning;
}

const char *operation_scale(const struct operation_text *text)
{
    return text->scale;
}

double operation_tolerance(const struct operation_text *text)
{
    return text->tolerance;
}

bool operation_keeps_order(const struct operation_text *text)
{
    return text->keeps_order;
}

bool operation_mentions(const struct operation_text *text, enum operation_part part,
                        enum operation_name name)
{
    return text->parts[part].names >> name & 1;
}
