#!/bin/sh
# Tests `bench`: the kernels of the records against other libraries, here on the emulator, against
# reductions in plain C that this test compiles. The times mean nothing; what is compared, named and
# refused does.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini

cat > plain.c << 'END'
#include "autotune/measure/baseline_face.h"
#include <stdint.h>
#include <string.h>
#ifndef NAME
#define NAME "plain"
#endif
#ifndef VERSION_HERE
#define VERSION_HERE BASELINE_VERSION
#endif
#ifndef IS_HOST
#define IS_HOST 1
#endif
static int supports(const char *type, const char *acc, const char *op, const struct dims *dims)
{
    return !strcmp(type, "i32") && !strcmp(acc, "i32") && dims_extent(dims) == dims->depth.n &&
           (!strcmp(op, "sum") || !strcmp(op, "max"));
}
static int temp_bytes(const char *type, const char *acc, const char *op, const struct dims *dims,
                      size_t *out)
{
    (void)type, (void)acc, (void)op, (void)dims;
    *out = 64;
    return 0;
}
static int enqueue(const char *type, const char *acc, const char *op, const void *in, void *out,
                   const struct dims *dims, void *temp, size_t bytes, void *stream)
{
    const int32_t *x = in;
    uint32_t sum = 0;
    int32_t max = INT32_MIN;
    (void)type, (void)acc;
#ifdef REFUSES
    return 7;
#endif
    if (stream || bytes != 64 || (uintptr_t)temp % 256 || (uintptr_t)in % 256 != OFFSET)
        return 8;
    memset(temp, 1, bytes);
    for (int repeated = 0; repeated < REPEAT; repeated++) {
        sum = 0;
        for (volatile unsigned long long i = DROP; i < dims->depth.n; i++) {
            sum += (uint32_t)x[i];
            max = x[i] > max ? x[i] : max;
        }
    }
    memcpy(out, !strcmp(op, "max") ? (void *)&max : (void *)&sum, 4);
    return 0;
}
static const char *explain(int error) { return error == 7 ? "seven" : "another"; }
static const struct baseline_face face = {VERSION_HERE, IS_HOST, NAME, supports, temp_bytes,
                                          enqueue, explain};
const struct baseline_face *autotune_baseline(void);
const struct baseline_face *autotune_baseline(void) { return &face; }
END

# baseline FILE OPTION...: a shared object of plain.c.
baseline() {
    object=$1
    shift
    "${CC:-cc}" -shared -fPIC -O1 -I"$ROOT" -DOFFSET=0 -DREPEAT=1 -DDROP=0 "$@" -o "$object" plain.c
}
baseline plain.so
baseline slow.so -DNAME='"slow"' -UREPEAT -DREPEAT=50
baseline offset.so -UOFFSET -DOFFSET=4
baseline drops.so -UDROP -DDROP=1
baseline refuses.so -DREFUSES
baseline older.so -DVERSION_HERE=0
baseline gpu.so -DIS_HOST=0 -DNAME='"of a GPU"'
echo 'int x;' | "${CC:-cc}" -shared -fPIC -x c -o other.so -

# bench ARGUMENT...: on the emulator, with few rounds.
bench() {
    run bench --device host --space small.ini --type i32 --rounds 6 "$@"
}

# Refusals.
refuses against-nothing 64 "nothing to be timed against" bench --device host
refuses own-space-against-nothing 64 "tune the problem with and without it, then 'autotune show' has both" \
    bench --device host --space small.ini
refuses missing-file 64 "there is no such file" bench --device host --against no.so
refuses not-a-library 64 "cannot be loaded" bench --device host --against small.ini
mkfifo fifo.so
refuses fifo 64 "cannot be loaded \(it is not a regular file\)" bench --device host --against fifo.so
refuses no-face 64 "has no function autotune_baseline" bench --device host --against other.so
refuses older-face 64 "another version of autotune" bench --device host --against older.so
refuses other-device 64 "of a GPU runs on a GPU, not on host" bench --device host --against gpu.so
refuses empty-name 64 "empty or endless name" bench --device host --quiet --against plain.so,
refuses bad-n 64 "\-\-n" bench --device host --against plain.so --n 1Ki,many
refuses bad-offset 64 "below 256" bench --device host --against plain.so --offset 256
refuses offset-within-element 64 "multiple of the type's" bench --device host --type i32 \
    --against plain.so --offset 2
refuses no-rounds 64 "\-\-rounds is '0'" bench --device host --against plain.so --rounds 0
refuses both-regimes 64 "exclude each other" bench --device host --against plain.so --warm --cold
bench --against plain.so --op xor --n 1K --quiet
check unsupported refused 64 "plain has no xor i32"
bench --against refuses.so --n 1K --quiet
check failing-library refused 1 \
    "plain failed to queue its work for sum i32 1K cold: seven \(error 7\)"

# A wrong result is no time.
bench --against drops.so --n 1K --quiet
check wrong-result refused 70 "plain is wrong: wrong result at n = 1000: expected"

# A template that does not compile: its file and line.
echo @ | cat "$ROOT/templates/reduce.cu" - > broken.cu
bench --against plain.so --n 1K --quiet --template broken.cu
check broken-template has_status 1
check broken-template-line grep -Eq "^broken.cu:$(wc -l < broken.cu):[0-9]+: error" err

# The table, and the columns of the CSV.
bench --against plain.so --n 1000,3K --csv out.csv --json out.json
check table has_status 0
check table-lines test "$(grep -c 'BLOCK=' out)" -eq 2
check table-names-the-other grep -q 'plain' out
check table-default grep -q 'none: default' out
check table-has-an-interval grep -q '  95 % interval  ' out
run bench --device host --space small.ini --type i32 --rounds 5 --against plain.so --n 1000 --quiet
check few-rounds-have-none grep -q '  least .. most  ' out
tr -d '\r' < out.csv > plain.csv
HEADER=n,cub_us,ours_us,ratio,ratio_lo,ratio_hi,ours_gbs,peak_pct,variant,op,type,regime,against,gpu,offset,order,shape,rows,len,pitch
LINE='3000,([0-9]+\.[0-9]{3},){2}([0-9]+\.[0-9]{4},){3}[0-9.]+,,"BLOCK=[^" ]*",sum,i32,cold,plain,host,0,graph,,,,'
check csv-columns grep -qx "$HEADER" plain.csv
check csv-line grep -Eqx "$LINE" plain.csv
ratio_is_right() {
    awk -F, 'NR > 1 && !($2 > 0 && $3 > 0 && $5 <= $4 && $4 <= $6) { exit 1 }
        END { exit NR != 3 }' plain.csv
}
check csv-ratio-within-its-interval ratio_is_right
if command -v python3 > /dev/null; then
    check json python3 -c "
import json
lines = json.load(open('out.json'))
assert [l['n'] for l in lines] == [1000, 3000]
for l in lines:
    assert l['against'] == 'plain' and l['order'] == 'graph' and l['rounds'] == 6
    assert l['cub_us'] > 0 and l['ours_us'] > 0 and l['ratio_lo'] <= l['ratio'] <= l['ratio_hi']
    # A ratio is theirs over ours: a plain loop is much faster than the emulator.
    assert l['ratio'] < 1 and l['cub_us'] < l['ours_us']"
else
    skip json "python3 is needed"
fi
bench --against plain.so --n 1K --csv - --quiet
check csv-alone grep -q '^n,cub_us' out
check csv-alone-no-table test "$(wc -l < out)" -eq 2

# The faster of several counts and is named; so in stream order, warm and with another operation.
bench --against slow.so,plain.so --n 20K --op max --warm --stream --json -
check faster-counts grep -q '"against": "plain"' out
check stream-is-said grep -q '"order": "stream"' out
check warm-is-said grep -q '"regime": "warm"' out
bench --against plain.so,slow.so --n 20K --json -
check faster-counts-first grep -q '"against": "plain"' out
check both-are-noted grep -q '^against .*slow' err
check the-other-is-no-line test "$(grep -c '"against"' out)" -eq 1
bench --against plain.so,slow.so --n 20K --each --json -
check each-is-a-line test "$(grep -c '"against": "plain"' out) $(grep -c '"against": "slow"' out)" = "1 1"

# Inputs that start between two alignments, for both sides.
bench --against offset.so --n 1003 --offset 4 --json -
check offset has_status 0
check offset-is-said grep -q '"offset": 4' out
bench --against plain.so --n 1003 --offset 4 --quiet
check offset-reaches-the-library refused 1 "another \(error 8\)"

# Records: the exact one, and one of another n, with the grade.
run --device host --space small.ini --type i32 --n 2K --quiet
bench --against plain.so --n 2K,4K --json -
check record-exact grep -Eq '"n": 2000,.*"record": "exact"' out
check record-other-n grep -Eq '"n": 4000,.*"record": "same GPU, other size: 2K"' out
check no-record-made test "$(grep -c '^\[record' "$XDG_CACHE_HOME/autotune/host.ini")" -eq 1

# What was timed before another n failed is shown.
bench --against plain.so --n 1K,400G --quiet
check no-room-at-once refused 1 "no room"

# So are the lines of --csv, as soon as they are timed.
begin bench --device host --against plain.so --n 1K,64M --csv timed.csv
wait_until test -e timed.csv
end KILL
check csv-at-once has_status 137
check csv-at-once-line test "$(grep -c '^1000,' timed.csv) $(wc -l < timed.csv)" = "1 2"

# The library behind that face (bench/embed), with a stand-in for its plans: one for each n,
# however many, and each n is reduced by its own.
cat > plans.c << 'END'
#include "bench/embed/library.c"
#include <stdio.h>
enum { SIZES = 1000 };
struct autotune_plan { unsigned long long n; };
static struct autotune_plan plans[SIZES];
static size_t made;
static struct autotune_workspace { const struct autotune_plan *plan; } place;
int autotune_context_create(struct autotune_context **out,
                            const struct autotune_context_options *options,
                            struct autotune_error *error)
{
    (void)options, (void)error;
    *out = (struct autotune_context *)plans;
    return 0;
}
int autotune_plan_create(struct autotune_plan **out, struct autotune_context *of,
                         const struct autotune_problem *problem,
                         const struct autotune_plan_options *options,
                         struct autotune_error *error)
{
    (void)of, (void)options, (void)error;
    if (made == SIZES)
        return AUTOTUNE_FAILED;
    plans[made].n = problem->n;
    *out = &plans[made++];
    return 0;
}
size_t autotune_plan_workspace_bytes(const struct autotune_plan *plan) { return plan->n; }
int autotune_workspace_create(struct autotune_workspace **out, struct autotune_plan *plan,
                              void *memory, void *stream, struct autotune_error *error)
{
    (void)memory, (void)stream, (void)error;
    place.plan = plan;
    *out = &place;
    return 0;
}
int autotune_workspace_destroy(struct autotune_workspace *old, struct autotune_error *error)
{
    (void)old, (void)error;
    return 0;
}
int autotune_execute(struct autotune_workspace *in_place, const void *in, uint64_t n, void *out,
                     void *stream, struct autotune_error *error)
{
    (void)in, (void)out, (void)stream, (void)error;
    return in_place->plan->n == n ? 0 : AUTOTUNE_FAILED;
}
int main(void)
{
    const struct baseline_face *library = autotune_baseline();
    size_t bytes, wrong = 0;
    for (int again = 0; again < 2; again++)
        for (unsigned long long n = 1; n <= SIZES; n++) {
            const struct dims dims = dims_value(n);
            wrong += library->temp_bytes("i32", "i32", "sum", &dims, &bytes) || bytes != n ||
                     library->enqueue("i32", "i32", "sum", plans, plans, &dims, plans, bytes, 0);
        }
    const struct dims other = dims_value(SIZES + 1);
    wrong += !library->enqueue("i32", "i32", "sum", plans, plans, &other, plans, bytes, 0);
    printf("%zu plans, %zu wrong\n", made, wrong);
    return 0;
}
END
"${CC:-cc}" -O1 -I"$ROOT" -o plans plans.c
check plan-for-each-n test "$(./plans)" = "1000 plans, 0 wrong"
finish
