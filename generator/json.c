/* json: writes a comma before each item but the first. It keeps no more than whether one came
 * before: what is closed is an item of what it stands in. */
#include "generator/json.h"

#include <inttypes.h>

static void begin_item(struct json *json, const char *key)
{
    text_adds(json->out, json->has_item ? "," : "");
    text_adds(json->out, json->lead ? json->lead : json->has_item ? " " : "");
    json->has_item = true;
    json->lead = NULL;
    if (!key)
        return;
    text_add_json(json->out, key);
    text_adds(json->out, ": ");
}

void json_string(struct json *json, const char *key, const char *value)
{
    begin_item(json, key);
    if (value)
        text_add_json(json->out, value);
    else
        text_adds(json->out, "null");
}

void json_number(struct json *json, const char *key, const char *value)
{
    begin_item(json, key);
    text_adds(json->out, value ? value : "null");
}

void json_count(struct json *json, const char *key, uint64_t value)
{
    begin_item(json, key);
    text_addf(json->out, "%" PRIu64, value);
}

void json_signed(struct json *json, const char *key, int64_t value)
{
    begin_item(json, key);
    text_addf(json->out, "%" PRId64, value);
}

void json_real(struct json *json, const char *key, double value, int decimals)
{
    begin_item(json, key);
    text_addf(json->out, "%.*f", decimals, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
    json_number(json, key, value ? "true" : "false");
}

void json_open(struct json *json, const char *key, char bracket)
{
    begin_item(json, key);
    text_add(json->out, &bracket, 1);
    json->has_item = false;
}

void json_close(struct json *json, char bracket)
{
    text_adds(json->out, json->lead ? json->lead : "");
    text_add(json->out, &bracket, 1);
    json->has_item = true;
    json->lead = NULL;
}

void json_line(struct json *json, const char *newline_and_blanks)
{
    json->lead = newline_and_blanks;
}
