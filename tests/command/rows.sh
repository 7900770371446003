#!/bin/sh
# Tests rows and columns: they are tuned, kept under a key of their own, shown, emitted and proven on
# the host device; and refused where only single values are known.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
RECORDS=$XDG_CACHE_HOME/autotune/host.ini
JOURNALS=$XDG_CACHE_HOME/autotune/journal

refuses no-rows 64 "--rows is '0': give 1 or more" --device host --rows 0 --len 3
refuses no-len 64 "give both" --device host --rows 5
refuses axis-alone 64 "give its sizes, too" --device host --axis 0
refuses rows-and-n 64 "choose one" --device host --rows 5 --len 3 --n 4
refuses short-pitch 64 "--pitch is 3, less than a row's 7" --device host --rows 5 --len 7 --pitch 3
refuses overflow 64 "more than any memory" --device host --rows 4G --len 4G
refuses wide-overflow 64 "more than any memory" --device host --rows 2 --len 2 --pitch 18446744073709551615
refuses long-row 64 "2\^31 is the most.*use --n" --device host --rows 2 --len 4Gi
refuses bad-axis 64 "--axis is '2'" --device host --rows 5 --len 5 --axis 2
refuses one-value-space 64 "use --space rows" --device host --rows 5 --len 5 --space reduce
refuses column-space 64 "use --space rows" --device host --rows 5 --len 5 --space columns
refuses no-matrix 64 "or give --rows, --len and --axis 1" --device host --n 5 --space rows
refuses other-axis 64 "use --space rows, or give --axis 0" --device host --rows 5 --len 5 --space columns
refuses chosen 64 "leave --n, --rows" verify --device host --cover --rows 5 --len 5
refuses sweep 64 "--space" --device host --n 1K..4K --space rows

# Tuned, and answered from the record; another length is another problem.
run --device host --rows 37 --len 100 --type f32 --json tuned.json
check tunes has_status 0
check says-the-shape grep -q '^problem   sum f32 37 x 100 rows cold: 15 kB read and written' err
check json-has-the-shape grep -q '"shape": "rows", "rows": 37, "len": 100, "pitch": 100' tuned.json
check record-has-the-shape grep -q '^depth = 100' "$RECORDS"
check record-names-the-shape grep -qx 'outer = 37 stride 100' "$RECORDS"
check lines-are-short awk 'length > 199 { exit 1 }' "$RECORDS"
check journal-has-the-shape test -e "$JOURNALS/host-sum-f32-f32-rows-37x100-100-3700-cold.journal"
run --device host --rows 37 --len 100 --type f32
check answers-from-the-record grep -q '^record ' err
check measures-once test "$(grep -c '^\[record' "$RECORDS")" -eq 1
run --device host --rows 100 --len 37 --type f32 --budget 1s --quiet
check same-n-other-shape test "$(grep -c '^\[record' "$RECORDS")" -eq 2
run --device host --n 3700 --type f32 --budget 1s --quiet
check one-value-beside-them test "$(grep -c '^\[record' "$RECORDS")" -eq 3
run show
check shows-rows grep -q ' 37 x 100 rows ' out
check shows-one-value grep -q ' 3700 ' out
run show --csv -
check csv-has-the-shape grep -q ',rows,37,100,100,' out
run verify --device host --rows 37 --len 100 --type f32
check verifies-the-record grep -q '^right     sum f32 37 x 100 rows cold on host' out
run verify --device host --rows 38 --len 104 --type f32
check serves-a-like-shape grep -q 'record of sum f32 37 x 100 rows cold (same GPU, other size)' err
# Of maxima of f64 none ship, which would serve instead.
run --device host --rows 37 --len 100 --op max --type f64 --cache unlike --budget 1s --quiet
run verify --device host --rows 38 --len 104 --op max --type f64 --cache unlike
check serves-a-like-shape-of-maxima grep -q 'record of max f64 37 x 100 rows cold (same GPU, other size)' err
run verify --device host --rows 2 --len 20K --op max --type f64 --cache unlike
check serves-no-unlike-shape grep -q "the space's default: no record fits" err
run verify --device host --space columns --type u8
check says-how-to-choose grep -q 'read and written; --rows and --len choose another size' err
refuses no-room 1 "no room on host.*copies included.*give smaller --rows or --len" --device host --rows 1G --len 1M
refuses far-pitch 64 "give smaller --rows or --pitch" --device host --rows 2 --len 2 \
    --pitch 9223372036854775807
run export --format cu --type f32 --gpu host --output exported
check exports-one-value has_status 0
check exports-no-rows sh -c '! grep -q "LANES" exported/*.cu'

run merge --cache merged "$RECORDS"
check merge-says-rows grep -q 'sum f32 37 x 100 rows cold' out
check merge-keeps-all test "$(grep -c '^\[record' merged/host.ini)" -eq 3

run --cache single --device host --rows 3 --len 5 --budget 1s --quiet
run compare single/host.ini "$RECORDS" --shape rows --csv -
check compares-shapes grep -q ',rows,3,5,5,cold,host,emulated,' out

# With gaps, and down the columns.
run verify --device host --rows 19 --len 33 --pitch 40 --type i8
check proves-gaps has_status 0
check says-gaps grep -q 'sum i8 19 x 33 rows pitch 40 cold' out
run verify --device host --rows 300 --len 33 --axis 0 --type f16 --op max
check proves-columns grep -q 'max f16 300 x 33 columns cold' out
run verify --device host --rows 3 --len 20K --type f64 \
    --variant SPLIT=PARTS,PIECES=1,LANES=64,UNROLL=1,BLOCK=64,VECTOR=2,ROUNDS=2
check proves-parts grep -q 'error [0-9.e-]* of sum|x|' out
run emit --rows 37 --len 100 --type f32 --arch host
check emits-the-record grep -q "of rows, made from rows.cu" out

# Beside another library: here a loop.
cat > loop.c <<'END'
#include "autotune/measure/baseline_face.h"

static int supports(const char *type, const char *acc, const char *op, const struct dims *dims)
{
    (void)acc;
    return dims_results(dims) > 1 && type[0] == 'f' && type[1] == '3' && op[0] == 's' && !op[3];
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
    const float *x = in;
    float *y = out;
    (void)type, (void)acc, (void)op, (void)temp, (void)bytes, (void)stream;
    for (unsigned long long r = 0; r < dims_results(dims); r++) {
        y[r] = 0;
        for (unsigned long long i = 0; i < dims->depth.n; i++)
            y[r] += x[dims_at(dims, r, i)];
    }
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
END
if ${CC:-cc} -shared -fPIC -O1 -I "$ROOT" -o loop.so loop.c; then
    run bench --device host --against loop.so --rows 37 --len 100 --type f32 --json bench.json
    check bench-takes-rows grep -q '^37 x 100 rows .*loop.*exact' out
    check bench-json-has-the-shape grep -q '"shape": "rows", "rows": 37, "len": 100, "pitch": 100' \
        bench.json
    run bench --device host --against loop.so --rows 37 --len 100 --pitch 103 --axis 0 --type f32
    check bench-takes-columns grep -q '^37 x 100 columns pitch 103 ' out
    refuses bench-without-rows 64 "has no max f32" bench --device host --against loop.so \
        --rows 37 --len 100 --op max --type f32 --quiet
    refuses bench-of-one-value 64 "loop has no sum f32" bench --device host --against loop.so \
        --n 37 --type f32 --quiet
else
    not_ok bench-against-a-loop "loop.c does not build"
fi

# The ladder of rows.
run ladder --device host --rung batched --rows 30 --len 128 --type f32 --csv -
check ladder-of-rows test "$(grep -c '^batched,.*,measured,' out)" -eq 3
run ladder --device host --rows 20 --len 256 --blocks 256 --type f32 --quiet
check ladder-without-names grep -q '^0 interleaved addressing, modulo ' out
check ladder-of-these-alone test "$(grep -c Harris out)" -eq 0
run ladder --device host --rung batched-0 --n 2Ki --len 64..128 --type f32 --csv by-length.csv
check ladder-by-length has_status 0
check ladder-by-length-titles grep -Eq '^ms by elements of a result +64 +128$' out
check ladder-by-length-gbs grep -Eq '^GB/s by elements of a result +64 +128$' out
check ladder-by-length-blocks test "$(tr -d '\r' < by-length.csv | sed -n 's/^batched,batched-0,[^0-9]*[^,]*,.*modulo",\([0-9]*\),measured.*,2048,sum,f32,.*,rows,\([0-9]*,[0-9]*\),.*/\1,\2/p' | tr '\n' ' ')" = "64,32,64 128,16,128 "
refuses ladder-length-divides 64 'not several rows of --len 96' ladder --device host --rung batched --n 1Ki --len 96
refuses ladder-length-and-rows 64 'give --n, not --rows' ladder --device host --rung batched --rows 4 --len 64..128
refuses ladder-length-and-n 64 'not both: give one n' ladder --device host --rung batched --n 1K..2K --len 64..128
run ladder --device host --rung batched-1 --type i32
check ladder-has-rows grep -q '200 x 128 rows' err
refuses ladder-of-both 64 "harris-1 reduces to one value" ladder --device host --rung harris-1 \
    --rung batched-0 --rows 3 --len 4
refuses ladder-of-columns 64 "batched-0 reduces rows, and what is asked for is columns: give --axis 1" \
    ladder --device host --rung batched --rows 3 --len 4 --axis 0
refuses ladder-without-columns 64 "no rung reduces columns: give --axis 1 for rows, or --n" \
    ladder --device host --rows 3 --len 4 --axis 0
refuses ladder-of-n 64 "batched-0 reduces rows" ladder --device host --rung batched-0 --n 3K
refuses ladder-of-no-size 64 "batched-0 reduces rows, and what is asked for is one value" \
    ladder --device host --rung batched-0 --rung harris-1

run ladder --device host --gpu H200 --rung batched --rows 30 --len 128 --type f32
check ladder-with-a-gpu grep -q "computed for NVIDIA H200, 30 x 128 rows\|are not computed" out err
refuses ladder-of-a-grid 64 "has a param ITEMS.*: cs599-5 has, so give --rung cs599-5 and --n, or" \
    ladder --device host --grid --rung batched --rows 30 --len 128 --type f32
refuses ladder-of-a-grid-of-rows 64 "no rung that reduces rows has a param .*: give --n .* leave --grid out" \
    ladder --device host --grid --rows 30 --len 128 --type f32

# Compared and reported like single values, which a report is about before them.
run compare "$RECORDS" v100 --more
check compare-has-rows grep -q '^ *37 x 100 rows  [A-Z]* emulated ' out
check compare-says-rows grep -q "autotune's kernels, for each of the rows of a matrix" out
run report "$RECORDS"
check report-is-of-one-value grep -q '3700' out
run report "$RECORDS" --space rows
check report-of-rows has_status 0
check report-names-rows grep -q '37 x 100 rows' out
check report-draws-shapes grep -q '^GB/s by shape of ' out
if [ -e loop.so ]; then
    run bench --device host --against loop.so --rows 37 --len 100 --type f32 --csv rows.csv
    mkdir empty
    refuses report-of-rows 64 "no line has figures of a reduction to one value" \
        report --cache empty --bench rows.csv
fi

# For a profiler: all results are checked; what cannot be is ncu itself.
for words in "batched-1 --rows 100 --len 128" "batched-lanes --rows 100 --len 64" "--rows 5 --len 5" \
    "--axis 0 --rows 5 --len 300 BLOCK=128" "--space rows"; do
    # shellcheck disable=SC2086 # the words of the command
    run profile --device host --run --type f32 $words
    check "profile-run: $words" test "$status" -eq 0 -a ! -s out -a ! -s err
done
sed 's/x + blockIdx.x \* pitch/x + 0 * pitch/' "$ROOT/templates/ladder/rows_strided.cu" > first_row.cu
refuses profile-wrong 70 "wrong result 1 of 9: expected " profile --device host --run --rows 9 --len 64 \
    --space ladder/rows_strided --template first_row.cu
refuses profile-on-the-host 69 "not on the host emulator" profile --device host batched-1 --rows 9 \
    --len 128 --type f32 --csv profile.csv --quiet
refuses profile-of-rows 64 "batched-1 reduces rows, .* one value: give --rows" profile --device host batched-1
refuses profile-of-a-value 64 "harris-1 reduces to one value, .* is rows" profile --device host harris-1 \
    --rows 5 --len 5

# A template without a bound is found.
sed 's/y\[result\] = a\[u\]/y[result] = a[0]/' "$ROOT/templates/rows.cu" > wrong.cu
run verify --device host --rows 37 --len 100 --template wrong.cu --variant UNROLL=2
check finds-what-is-wrong has_status 70
finish
