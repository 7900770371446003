/* record_size: how the size of a record is written. */
#include "autotune/command/record_size.h"

#include "generator/number.h"
#include "generator/shape.h"

#include <inttypes.h>
#include <stdio.h>

const char *record_size_format(char out[SHAPE_CHARS], const struct interval *served)
{
    char from[NUMBER_CHARS], to[NUMBER_CHARS];
    if (served->from == served->to)
        return shape_format(out, &served->record.problem);
    snprintf(out, SHAPE_CHARS, "%s..%s", number_format_count(from, served->from),
             number_format_count(to, served->to));
    return out;
}

static void add_if(struct table *table, bool is_there, uint64_t value)
{
    if (is_there)
        table_addf(table, "%" PRIu64, value);
    else
        table_add(table, NULL);
}

void record_size_add_shape(struct table *table, const struct record *record)
{
    const struct problem_shape made = shape_of(&record->problem.dims), *shape = &made;
    table_add(table, shape_names[shape->kind]);
    add_if(table, shape->kind, shape->rows);
    add_if(table, shape->kind, shape->len);
    add_if(table, shape->kind, shape->pitch);
}
