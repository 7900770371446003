/* sweep_known: reads the record file of one GPU, once for all sizes. */
#include "autotune/tune/sweep_known.h"

#include "autotune/cli/output.h"
#include "autotune/tune/tune_save.h"

/* Drops records of this problem whose kernels have changed: they no longer answer. */
static void drop_others(struct records *records, const struct record *key,
                        const struct setup *setup)
{
    struct code_memo memo = {.next = 0};
    size_t kept = 0;
    for (size_t i = 0; i < records->count; i++)
        if (!record_is_same_but_size(&records->at[i], key) ||
            setup_is_current(setup, &records->at[i], &memo))
            records->at[kept++] = records->at[i];
    records->count = kept;
}

int sweep_known_load(struct records *out, const struct request *request,
                     const struct setup *setup, struct error *error)
{
    struct collection all = setup_collection(request);
    struct error warning = {.code = ERROR_NONE};
    struct record key;
    *out = (struct records){.count = 0};
    setup_record(&key, setup);
    const int failed = collection_load(&all, key.gpu, &warning, error);
    if (!failed) {
        *out = all.own;
        all.own = (struct records){.count = 0};
        drop_others(out, &key, setup);
    }
    if (!failed && out->skipped)
        output_warn("%s", out->reason.text);
    collection_dispose(&all);
    return failed;
}

const struct record *sweep_known_size(const struct records *records,
                                      const struct request *request, const struct setup *setup)
{
    struct record want;
    setup_record(&want, setup);
    for (size_t i = 0; i < records->count; i++)
        if (!record_key_difference(&records->at[i], &want))
            return tune_save_unfinished(request, setup, &records->at[i]) ? NULL
                                                                         : &records->at[i];
    return NULL;
}

int sweep_known_choose(struct records *out, const struct records *records,
                       const struct request *request, const struct setup *setup,
                       struct error *error)
{
    struct record want;
    int failed = 0;
    *out = (struct records){.count = 0};
    setup_record(&want, setup);
    for (size_t i = 0; i < records->count && !failed; i++) {
        const struct record *record = &records->at[i];
        if (request_sweeps(request, record->problem.regime) && *record->swept &&
            record_is_same_but_size(record, &want))
            failed = store_copy(out, records, record, error);
    }
    return failed || store_tidy(out, error) || interval_compute(out, error) ? -1 : 0;
}
