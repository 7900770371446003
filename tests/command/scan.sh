#!/bin/sh
# Tests scans: they are tuned, kept under a key of their own, shown, emitted, proven and timed beside
# another library on the host device; and refused where there are none.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
RECORDS=$XDG_CACHE_HOME/autotune/host.ini
JOURNALS=$XDG_CACHE_HOME/autotune/journal

refuses unknown 64 "unknown scan 'all': choose inclusive, exclusive or none" --device host --scan all
refuses columns 64 "asks for columns, of which there are no scans" --device host --rows 5 --len 7 --axis 0 \
    --scan inclusive
refuses shapes 64 "scans of rows are tuned one by one" --device host --rows 5 --len 7..70 --scan inclusive
refuses positions 64 "a scan gives values, no positions" --device host --n 100 --scan inclusive --op argmin
refuses other-space 64 "a value for each element: use --space scan" emit --scan inclusive --space reduce
refuses no-scan 64 "or give --scan inclusive" emit --space scan --n 100
refuses order-n 64 "no kernel keeps order n of scan yet" emit --scan inclusive --type f32 --order n
refuses no-rung 64 "to one value" ladder --device host --rung harris --scan inclusive
refuses steps 64 "no pass applies" emit --scan inclusive --variant METHOD=SUMS

cat > small.ini << 'INI'
[space]
name = small
extends = scan
[param BLOCK]
values = 64
[param ITEMS]
values = 4
[param VECTOR]
values = 4
[param ARRANGE]
values = STRIPED BLOCKED
[param WRITE]
values = 4
[prune]
* =
one kind of load and store = LOAD == PLAIN && STORE == KEEP
[param MIN_BLOCKS]
values = 1
[param METHOD]
values = LOOK_BACK ONE_BLOCK ONE_CLUSTER WAVES SUMS REDUCE_FIRST
[param STAGES]
values = 0 2
[param CLUSTER]
values = 1 2
[param NUMBERING]
values = TICKET BLOCK_INDEX
[param LOOK]
values = 32
[param PAUSE]
values = 0
[param GRID]
values = 0 1
[param PREFIXES]
values = EVERY GROUPS
[default]
BLOCK = 64
ITEMS = 4
VECTOR = 4
WRITE = 4
INI
run --device host --space small.ini --scan inclusive --n 3000 --json tuned.json
check tunes has_status 0
check says-what-it-is grep -q '^problem   sum i32 3K inclusive scan cold: 24 kB read and written' err
check record-has-the-scan grep -qx 'scan = inclusive' "$RECORDS"
check journal-has-the-scan test -e "$JOURNALS/host-sum-i32-i32-inclusive-3000-cold.journal"
run --device host --space small.ini --scan inclusive --n 3000
check answers-from-the-record grep -q '^record ' err
run --device host --space small.ini --scan exclusive --n 3000 --budget 1s --quiet
check exclusive-is-another test "$(grep -c '^\[record' "$RECORDS")" -eq 2
run --device host --n 3000 --budget 1s --quiet
check reductions-have-no-scan test "$(grep -c '^scan = ' "$RECORDS")" -eq 2
run show --scan exclusive
check shows-one-kind sh -c 'grep -q "3K exclusive scan" out && ! grep -q inclusive out'
run show --scan none
check shows-reductions sh -c '! grep -q scan out'
run --device host --space small.ini --scan inclusive --n 1K..2K --budget 1s --csv swept.csv --quiet
check sweeps has_status 0
check sweep-has-sizes test "$(wc -l < swept.csv)" -gt 2
run verify --device host --space small.ini --scan inclusive --n 3000
check verifies-the-record grep -q '^right     sum i32 3K inclusive scan cold on host' out
run ladder --device host --rung scan-tree --rung scan-tree-padded --scan inclusive --n 5000
# What docs/documents.md says of it is what was counted: 4-byte values, blocks of 256.
unwrap
counted=$(sed -n 's/.*: \([0-9]* wavefronts\) a block where \([0-9]* would do\), .*/\1 of shared memory where \2/p' out)
check documents-count-as-well grep -qF "${counted:-nothing was counted}" "$ROOT/docs/documents.md"
check ladder-has-conflicts grep -q '^scan-tree: bank conflicts, up to 16-way' out
check ladder-padding-has-none grep -q '^scan-tree-padded  *[0-9.]*  *none' out
run verify --device host --scan inclusive --type f32 --rows 37 --len 100 --pitch 103
check scans-rows grep -q '^right     sum f32 37 x 100 rows pitch 103 scan inclusive cold on host' out
run verify --device host --scan exclusive --n 0 --type f16 --quiet
check scans-nothing has_status 0
run verify --device host --scan inclusive --n 5000 --type f64 --order run # of which no record ships
check keeps-an-order grep -q 'PREFIXES=GROUPS' out
run emit --scan exclusive --op max --type f32 --arch sm_90
check emits-its-command grep -q '^// autotune emit --space scan --op max .*--scan exclusive' out

# Beside another library: here a loop.
cat > loop.c <<'C'
#include "autotune/measure/baseline_face.h"

static int supports(const char *type, const char *acc, const char *op, const struct dims *dims)
{
    (void)acc;
    return dims->scan == DIMS_INCLUSIVE && type[0] == 'i' && type[1] == '3' && op[0] == 's';
}

static int temp_bytes(const char *type, const char *acc, const char *op, const struct dims *dims,
                      size_t *out)
{
    (void)type, (void)acc, (void)op, (void)dims;
    *out = 0;
    return 0;
}

static int enqueue(const char *type, const char *acc, const char *op, const void *in, void *out,
                   const struct dims *dims, void *temp, size_t bytes, void *stream)
{
    const unsigned *x = in;
    unsigned *y = out, sum = 0;
    (void)type, (void)acc, (void)op, (void)temp, (void)bytes, (void)stream;
    for (unsigned long long i = 0; i < dims->depth.n; i++)
        y[i] = sum += x[i];
    return 0;
}

static const char *explain(int error)
{
    return error ? "wrong" : "right";
}

static const struct baseline_face face = {
    .version = BASELINE_VERSION, .is_host = 1, .name = "loop", .supports = supports,
    .temp_bytes = temp_bytes, .enqueue = enqueue, .explain = explain};
const struct baseline_face *autotune_baseline(void);
const struct baseline_face *autotune_baseline(void)
{
    return &face;
}
C
if ${CC:-cc} -shared -fPIC -O1 -I "$ROOT" -o loop.so loop.c; then
    run bench --device host --against loop.so --scan inclusive --n 3000
    check bench-takes-scans grep -q 'loop' out
    refuses bench-of-the-other 64 "loop has no sum i32" bench --device host --against loop.so \
        --scan exclusive --n 37 --quiet
else
    not_ok bench-against-a-loop "loop.c does not build"
fi
finish
