/* section: writes and reads a struct as a section of a strict INI file, by a table of its
 * fields. A field that is missing, unknown, there twice or out of range is refused with file,
 * line and field. */
#ifndef AUTOTUNE_SECTION_H
#define AUTOTUNE_SECTION_H

#include "cache/field.h"
#include "generator/error.h"
#include "generator/ini.h"
#include "generator/text.h"

#include <stddef.h>
#include <stdint.h>

struct section {
    const struct field *fields;
    size_t count;     /* of fields; at most SECTION_FIELDS_MAX */
    unsigned groups;  /* of the fields that the section has, and no others */
    const char *list; /* a key of words that are no field, or NULL */
    const char *noun; /* what the section is, for errors: "record" */
};
enum { SECTION_FIELDS_MAX = 62 };

/* What was read of a section, beside its fields. */
struct section_found {
    int line;          /* of its first item */
    struct text lines; /* as section_emit has them, but for the checksum */
    struct text list;  /* the words of the list */
    uint64_t checksum;
};
void section_dispose(struct section_found *found);

/* Appends the fields as lines, however long. */
void section_emit(struct text *out, const struct section *section, const void *at);

/* Appends a section of such lines to a file, those too long for it cut between two words, and
 * its checksum: that of `lines` and what else it is `of`. */
void section_write(struct text *out, const struct text *lines, const struct text *of);

/* Reads the section of `ini` that is called `name` into zeroed members. The checksum is the
 * caller's to compare, by section_check. ERROR_IO, or ERROR_FAILED for memory alone; dispose of
 * `found` either way. */
int section_parse(struct section_found *found, const struct section *section, void *at,
                  const struct ini *ini, const char *name, struct error *error);

/* Is the checksum that of `lines`, to which the caller may have added? */
int section_check(const struct section_found *found, const struct section *section,
                  const struct ini *ini, struct error *error);

/* ERROR_IO "FILE:LINE: KEY: WHY; this NOUN is left out, tune again". Returns -1. */
int section_refuse(const struct section *section, const struct ini *ini, int line,
                   const char *key, const char *why, struct error *error);

#endif
