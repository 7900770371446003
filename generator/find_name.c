/* find_name: finds a name in a list, or says what to choose instead. */
#include "generator/find_name.h"

#include "generator/text.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = 64, LIST_CHARS = 800 };

char *find_name_list(char *out, size_t size, find_name_at *name_at)
{
    const char *name;
    size_t used = 0;
    for (size_t i = 0; (name = name_at(i)) && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? " " : "", name);
    return out;
}

static const char *find_instead(const struct absent_name *absent, const char *name)
{
    for (; absent->name; absent++)
        if (strcmp(absent->name, name) == 0)
            return absent->instead;
    return NULL;
}

int find_name(size_t *out, const char *name, const char *what, find_name_at *name_at,
              const struct absent_name *absent, const char *otherwise, struct error *error)
{
    char known[LIST_CHARS], hint[TEXT_HINT_CHARS];
    const char *names[NAMES_MAX], *at;
    size_t count = 0;
    for (size_t i = 0; (at = name_at(i)); i++) {
        if (strcmp(name, at) == 0) {
            *out = i;
            return 0;
        }
        if (count < NAMES_MAX)
            names[count++] = at;
    }
    const char *const instead = absent ? find_instead(absent, name) : NULL;
    text_hint(hint, name, names, count);
    return error_set(error, ERROR_USAGE, "unknown %s '%.60s': %s%schoose one of %s%s", what,
                     name, instead ? instead : hint, instead ? "; " : "",
                     find_name_list(known, sizeof known, name_at),
                     otherwise && !instead && !*hint ? otherwise : "");
}
