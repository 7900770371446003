/* Fuzzes autotune/print/csv.c: no bytes crash it, every cell that it promises is there, and a table
 * that it reads has no cell of bytes that the text had not. */
#include "autotune/print/csv.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct csv csv;
    struct error error = {0};
    double value;
    size_t bytes = 0;

    if (csv_load(&csv, "it", size ? (const char *)data : "", size, &error)) {
        demand(error.code != ERROR_NONE && *error.text);
        return 0;
    }
    for (size_t row = 0; row < csv.rows; row++)
        for (size_t column = 0; column < csv.columns; column++) {
            bytes += strlen(csv_at(&csv, row, (int)column));
            csv_real(&value, &csv, row, (int)column);
        }
    demand(bytes <= size);
    demand(csv.columns > 0 && csv_find(&csv, csv.cells[0]) == 0);
    csv_dispose(&csv);
    return 0;
}
