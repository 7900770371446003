/* Fuzzes cache/store.c, which reads record files: no bytes crash it, every record that it takes has
 * values in their range, and a file that is written of them reads back as the same. Checksums are 0
 * in what is read first. */
#include "cache/interval.h"
#include "cache/store.h"
#include "generator/text.h"
#include "tests/fuzz/checksum.h"
#include "tests/unit/named_op.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void check_record(const struct record *record, const struct configs *configs)
{
    demand(record->problem.op && record->problem.type < TYPE_COUNT);
    demand(record->source < RECORD_SOURCES && record->raced_count <= RECORD_RACED_MAX);
    demand(record->low_ps <= record->median_ps && record->median_ps <= record->high_ps);
    demand(configs_find(configs, record->config));
    for (size_t i = 0; i < record->raced_count; i++)
        demand(configs_find(configs, record->raced[i].config));
    demand(!strpbrk(record->gpu, "\n\r\"\\") && !strpbrk(record->params, "\n\r\"\\;#"));
}

/* Records that were taken can be written, and what is written is taken, with the same keys. */
static void check_again(const struct records *records)
{
    for (size_t i = 0; i < records->count; i++) {
        struct records one = {0}, back;
        struct text file = {0};
        struct error error;
        demand(store_copy(&one, records, &records->at[i], &error) == 0);
        demand(store_tidy(&one, &error) == 0);
        text_adds(&file, "[autotune]\nschema = 2\n");
        for (size_t c = 0; c < one.configs.count; c++)
            config_emit(&file, &one.configs.at[c], c + 1);
        record_emit(&file, one.at, &one.configs, 1);
        demand(store_load_bytes(&back, "again", file.at, file.length, &error) == 0);
        demand(back.count == 1 && back.skipped == 0);
        demand(!record_key_difference(one.at, back.at));
        demand(strcmp(one.at->params, back.at->params) == 0);
        demand(back.at->median_ps == one.at->median_ps);
        store_dispose(&back);
        store_dispose(&one);
        text_dispose(&file);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct records records;
    struct error error = {0};
    checksum_is_zero = true;
    const int failed = store_load_bytes(&records, "fuzz", (const char *)data, size, &error);
    checksum_is_zero = false;
    demand(!failed);
    demand(!records.skipped || *records.reason.text);
    for (size_t i = 0; i < records.count; i++)
        check_record(&records.at[i], &records.configs);
    check_again(&records);
    store_dispose(&records);
    return 0;
}
