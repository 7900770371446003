/* table_file: reads a table of bench or ladder and finds its subject: the GPU, the operation,
 * the type. A table without these is refused. */
#ifndef AUTOTUNE_TABLE_FILE_H
#define AUTOTUNE_TABLE_FILE_H

#include "autotune/print/csv.h"
#include "generator/problem.h"

struct table_file {
    const char *option, *file; /* "--bench", "cub.csv" */
    struct csv csv;
    const char *gpu, *op, *type; /* of all lines alike; in `csv` */
    struct problem problem;      /* of which op and type are these */
    const char *regime;          /* "cold", "warm"; "" = the table has no such column */
    char how[80];                /* "" or ", from 4 bytes past alignment" */
    bool has_sizes;              /* its lines are of several n */
};

/* Reads the file. Dispose of it after a success only. ERROR_IO, or ERROR_USAGE if it is no
 * CSV. */
int table_file_open(struct table_file *out, const char *option, const char *file,
                    struct error *error);
void table_file_close(struct table_file *table);

/* Finds its subject: the columns gpu (or device), op and type must exist and be alike in all
 * lines, as must regime, offset, order and shape where the table has them, and unless it
 * `has_sizes` its n, rows and len. ERROR_USAGE: they are not. */
int table_file_check(struct table_file *table, bool has_sizes, struct error *error);

#endif
