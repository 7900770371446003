/* code: emits a record's kernels again, to hash them. Hides for which target. */
#include "cache/code.h"

int code_hash(uint64_t *out, const struct record *record, const int64_t *row,
              const struct point_context *here, const struct emit_sources *sources,
              struct error *error)
{
    struct target target = *here->target;
    const struct point_context there = {here->space, &record->problem, &target};
    struct emit_variant variant;
    target.cc = record->cc;
    target.sms = record->sms;
    target.is_host = record->source == RECORD_EMULATED;
    if (emit_variant(&variant, &there, sources, row, error))
        return -1;
    *out = emit_hash_variant(&variant);
    emit_dispose(&variant);
    return 0;
}
