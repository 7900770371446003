/* rungs: reads sections in the order of the file: [ladder], then each group followed by its
 * rungs. */
#include "autotune/ladder/rungs.h"

#include "generator/text.h"

#include <string.h>

static int complain(const struct rungs *rungs, const struct ini_item *item, struct error *error,
                    const char *what)
{
    return error_set(error, ERROR_USAGE, "%s:%d: [%s] %s", rungs->ini.file, item->line,
                     item->section, what);
}

/* The section's name, which follows its kind; NULL for a section of another kind. */
static const char *name_of(const struct ini_item *item, const char *kind)
{
    const size_t length = strlen(kind);
    return strncmp(item->section, kind, length) == 0 ? item->section + length : NULL;
}

/* --- Sections ----------------------------------------------------------------------------- */

static int begin_group(struct rungs *rungs, const char *name, const struct ini_item *item,
                       struct error *error)
{
    if (rungs->group_count == RUNGS_GROUPS_MAX)
        return complain(rungs, item, error, "is one group too many: drop it");
    rungs->groups[rungs->group_count++] =
        (struct rungs_group){.name = name, .first = rungs->count};
    return 0;
}

static int begin_rung(struct rungs *rungs, const char *name, const struct ini_item *item,
                      struct error *error)
{
    if (rungs->count == RUNGS_MAX || rungs->group_count == 0)
        return complain(rungs, item, error,
                        "is one rung too many, or of no group: drop it, or put it behind one");
    const size_t group = rungs->group_count - 1;
    rungs->rungs[rungs->count++] = (struct rung){.name = name, .group = group};
    rungs->groups[group].count++;
    return 0;
}

/* --- Fields ------------------------------------------------------------------------------- */

static const struct ini_field ladder_fields[] = {
    {"threads", INI_TEXT, offsetof(struct rungs, threads)},
    {"items", INI_TEXT, offsetof(struct rungs, items)},
    {"differs", INI_LINES, offsetof(struct rungs, differs)},
};
static const struct ini_field group_fields[] = {
    {"title", INI_TEXT, offsetof(struct rungs_group, title)},
    {"note", INI_LINES, offsetof(struct rungs_group, notes)},
};
static const struct ini_field rung_fields[] = {
    {"kernel", INI_TEXT, offsetof(struct rung, kernel)},
    {"space", INI_TEXT, offsetof(struct rung, space)},
    {"params", INI_TEXT, offsetof(struct rung, params)},
    {"historical", INI_TEXT, offsetof(struct rung, historical)},
    {"differs", INI_LINES, offsetof(struct rung, differs)},
};

static int read_ladder(struct rungs *rungs, const struct ini_item *item, struct error *error)
{
    bool is_known;
    if (ini_field_read(rungs, &is_known, ladder_fields,
                       sizeof ladder_fields / sizeof *ladder_fields, item, error))
        return -1;
    return is_known
               ? 0
               : complain(rungs, item, error, "has threads, items and differs, no other key");
}

static int read_group(struct rungs *rungs, const struct ini_item *item, struct error *error)
{
    bool is_known;
    if (ini_field_read(&rungs->groups[rungs->group_count - 1], &is_known, group_fields,
                       sizeof group_fields / sizeof *group_fields, item, error))
        return -1;
    return is_known
               ? 0
               : complain(rungs, item, error, "has a title and lines that begin with note");
}

static int read_rung(struct rungs *rungs, const struct ini_item *item, struct error *error)
{
    bool is_known;
    if (ini_field_read(&rungs->rungs[rungs->count - 1], &is_known, rung_fields,
                       sizeof rung_fields / sizeof *rung_fields, item, error))
        return -1;
    return is_known
               ? 0
               : complain(rungs, item, error,
                          "has kernel, space, params, historical and differs, no other key");
}

static int read_item(struct rungs *rungs, const struct ini_item *item, bool is_first,
                     struct error *error)
{
    const char *group = name_of(item, "group "), *rung = name_of(item, "rung ");
    if (strcmp(item->section, "ladder") == 0)
        return read_ladder(rungs, item, error);
    if (!group && !rung)
        return complain(rungs, item, error, "is none of [ladder], [group], [rung]");
    if (is_first &&
        (group ? begin_group(rungs, group, item, error) : begin_rung(rungs, rung, item, error)))
        return -1;
    return (group ? read_group : read_rung)(rungs, item, error);
}

/* --- The whole ---------------------------------------------------------------------------- */

static int check(const struct rungs *rungs, struct error *error)
{
    const char *file = rungs->ini.file;
    if (!rungs->threads || rungs->count == 0)
        return error_set(error, ERROR_USAGE,
                         "%s: no [ladder] threads, or no [rung]: add what is missing", file);
    for (size_t i = 0; i < rungs->group_count; i++)
        if (!rungs->groups[i].title)
            return error_set(error, ERROR_USAGE, "%s: [group %s] has no title: add one", file,
                             rungs->groups[i].name);
    for (size_t i = 0; i < rungs->count; i++) {
        const struct rung *rung = &rungs->rungs[i];
        if (!rung->kernel || !rung->space || !rung->params)
            return error_set(
                error, ERROR_USAGE,
                "%s: [rung %s] needs kernel, space and params: add what is missing", file,
                rung->name);
    }
    return 0;
}

int rungs_load(struct rungs *out, const char *file, const char *bytes, size_t length,
               struct error *error)
{
    int section_line = 0, failed = 0;
    *out = (struct rungs){.count = 0};
    if (ini_load(&out->ini, file, bytes, length, error))
        return -1;
    for (size_t i = 0; i < out->ini.count && !failed; i++) {
        const struct ini_item *item = &out->ini.items[i];
        failed = read_item(out, item, item->section_line != section_line, error);
        section_line = item->section_line;
    }
    if (!failed && check(out, error) == 0)
        return 0;
    ini_dispose(&out->ini);
    return -1;
}

void rungs_dispose(struct rungs *rungs)
{
    ini_dispose(&rungs->ini);
}

int rungs_choose(const struct rungs *rungs, const char *name, bool is_chosen[RUNGS_MAX],
                 struct error *error)
{
    const char *names[RUNGS_MAX + RUNGS_GROUPS_MAX];
    size_t count = 0;
    bool is_known = false;
    for (size_t i = 0; i < rungs->count; i++) {
        const struct rung *rung = &rungs->rungs[i];
        const bool is_meant =
            strcmp(rung->name, name) == 0 || strcmp(rungs->groups[rung->group].name, name) == 0;
        is_chosen[i] |= is_meant;
        is_known |= is_meant;
        names[count++] = rung->name;
    }
    for (size_t i = 0; i < rungs->group_count; i++)
        names[count++] = rungs->groups[i].name;
    if (is_known)
        return 0;
    char hint[TEXT_HINT_CHARS];
    return error_set(
        error, ERROR_USAGE,
        "'%.100s' is no rung or group of the ladder: %s'autotune list rungs' has all", name,
        text_hint(hint, name, names, count));
}
