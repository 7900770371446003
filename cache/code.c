/* code: emits a record's kernels again, for the record's own target, and hashes them. */
#include "cache/code.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

static int emit(struct emit_variant *out, const struct record *record, const int64_t *values,
                const struct point_context *here, const struct emit_sources *sources,
                struct error *error)
{
    struct target target = *here->target;
    const struct point_context there = {here->space, &record->problem, &target};
    target.cc = record->cc;
    target.sms = record->sms;
    target.is_host = record->source == RECORD_EMULATED;
    return emit_variant(out, &there, sources, values, error);
}

int code_hash(uint64_t *out, const struct record *record, const int64_t *values,
              const struct point_context *here, const struct emit_sources *sources,
              struct error *error)
{
    struct emit_variant variant;
    if (emit(&variant, record, values, here, sources, error))
        return -1;
    *out = emit_hash_variant(&variant);
    emit_dispose(&variant);
    return 0;
}

/* The hash of all that the kernels depend on. Dims are no part of it: they are known at launch
 * only. */
static uint64_t hash_config(const struct record *record)
{
    const struct problem *problem = &record->problem;
    const int numbers[] = {problem->op->place,    (int)problem->type,
                           (int)problem->acc,     (int)problem->order,
                           (int)problem->offsets, record->cc,
                           record->sms,           record->source == RECORD_EMULATED};
    XXH64_hash_t hash = XXH3_64bits(numbers, sizeof numbers);
    hash = XXH3_64bits_withSeed(record->space, strlen(record->space), hash);
    return XXH3_64bits_withSeed(record->params, strlen(record->params), hash);
}

static int recall(struct code_memo *memo, uint64_t *out, const struct record *record,
                  const int64_t *values, const struct point_context *here,
                  const struct emit_sources *sources, struct error *error)
{
    const uint64_t config = hash_config(record);
    for (size_t i = 0; i < CODE_MEMO; i++)
        if (memo->at[i].config == config) {
            *out = memo->at[i].code;
            return 0;
        }
    code_dispose(memo);
    if (emit(&memo->last, record, values, here, sources, error))
        return -1;
    memo->last_config = config;
    *out = emit_hash_variant(&memo->last);
    if (!memo->keeps_last)
        code_dispose(memo);
    const size_t place = memo->next++ % CODE_MEMO;
    memo->at[place].config = config;
    memo->at[place].code = *out;
    return 0;
}

void code_dispose(struct code_memo *memo)
{
    if (memo->last_config)
        emit_dispose(&memo->last);
    memo->last_config = 0;
}

/* Are the record's kernels those of its config here? One of data on the host has another's. */
static bool is_of(const struct record *record, const struct point_context *here)
{
    const struct problem *a = &record->problem, *b = here->problem;
    const struct target *target = here->target;
    return !problem_is_on_host(a) && a->op == b->op && a->type == b->type && a->acc == b->acc &&
           a->order == b->order && a->dims.scan == b->dims.scan && a->offsets == b->offsets &&
           record->cc == target->cc && record->sms == target->sms &&
           (record->source == RECORD_EMULATED) == target->is_host;
}

bool code_take(struct code_memo *memo, struct emit_variant *out, const struct record *record,
               const struct point_context *here)
{
    if (!memo->last_config || memo->last_config != hash_config(record) || !is_of(record, here))
        return false;
    *out = memo->last;
    memo->last_config = 0;
    return true;
}

bool code_is_current(struct code_memo *memo, const struct record *record, const int64_t *values,
                     const struct point_context *here, const struct emit_sources *sources,
                     struct error *why)
{
    uint64_t code;
    if (recall(memo, &code, record, values, here, sources, why))
        return false;
    if (code == record->code)
        return true;
    error_set(why, ERROR_IO, "space or template give other kernels for it now");
    return false;
}
