#!/bin/sh
# Tests what an export says to programs that launch by themselves: machine code and PTX as files, and PREFIX.json, by which
# tests/gpu/json_launch.py, which knows nothing else, plans what the exported functions of C plan.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
CC=${CC:-cc}
LAUNCH=$ROOT/tests/gpu/json_launch.py
command -v python3 > /dev/null || {
    skip json-launch "python3 is needed"
    finish
}

run --device host --n 1000 --space reduce-wide --budget 3s --cache base --quiet
check tuned has_status 0
[ -s base/host.ini ] || finish

# add FILE GPU CC SMS N PARAMS: a record of that GPU, whose other params are the default's.
default="BLOCK=256 ITEMS=32 VECTOR=4 UNROLL=8 WARP=SHUFFLE LOAD=PLAIN STAGES=0 WALK=STRIDED MIN_BLOCKS=1 CLUSTER=1 FINISH=FLAGGED GRID=4"
add() {
    params=$default
    for word in $6; do
        params=$(echo "$params" | sed "s/\b${word%%=*}=[^ ]*/$word/")
    done
    fields_of base/host.ini |
        sed "s/^gpu = .*/gpu = $2/; s/^cc = .*/cc = $3/; s/^sms = .*/sms = $4/
             s/^depth = .*/depth = $5/; s/^source = .*/source = measured/; s/^code = .*/code = 0000000000000000/; s/^params = .*/params = $params/" > fields
    "$SIGN" "$1" < fields
}
mkdir -m 700 gpus
h200=gpus/nvidia-h200.ini
add $h200 "NVIDIA H200" 90 132 1024 "ITEMS=4 UNROLL=1 FINISH=PASSES GRID=0"
add $h200 "NVIDIA H200" 90 132 65536 "BLOCK=128 CLUSTER=16 FINISH=PASSES GRID=0"
add $h200 "NVIDIA H200" 90 132 1048576 "ITEMS=16 UNROLL=4 FINISH=LAST_BLOCK GRID=2"
add $h200 "NVIDIA H200" 90 132 400000000 "ITEMS=64 UNROLL=16 FINISH=PASSES GRID=0"
add $h200 "NVIDIA H200" 90 132 4294967296 "LOAD=BULK STAGES=6 FINISH=BARRIER GRID=1"
add gpus/t4.ini "Tesla T4" 75 40 200000 "ITEMS=8 UNROLL=2 FINISH=ATOMIC GRID=0"
add gpus/t4.ini "Tesla T4" 75 40 1048576 "BLOCK=512 FINISH=PACKED"

# --- Without a compiler ------------------------------------------------------------------------

# What the exported functions plan, in the words of json_launch.py.
cat > plan.c << 'END_OF_C'
#include "my_table.h"
#include <inttypes.h>
#include <stdio.h>
static void print_place(int is_there, uint64_t place)
{
    if (is_there)
        printf(" %" PRIu64, place);
    else
        printf(" -");
}
int main(void)
{
    static const char *const roles[] = {
        "input", "n", "output", "partials", "state", "outer", "outer_stride", "depth", "depth_stride",
        "inner", "inner_stride", "span", "span_stride", "span_2", "span_2_stride", "span_3", "span_3_stride",
        "slice", "slice_stride", "slice_2", "slice_2_stride", "parts", "offsets"};
    struct my_dims dims = my_dims_value(0);
    struct my_plan plan;
    int cc, sms, row;
    while (scanf("%d %d %d %" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64, &cc, &sms, &row, &dims.outer.n,
                 &dims.outer.stride, &dims.depth.n, &dims.depth.stride, &dims.inner.n, &dims.inner.stride) == 9) {
        enum my_fit match;
#ifdef ROWS
        const struct my_matrix size = {(int64_t)dims.outer.n, (int64_t)dims.depth.n, (int64_t)dims.outer.stride}, *const asked = &size;
#elif defined COLUMNS
        const struct my_matrix size = {(int64_t)dims.depth.n, (int64_t)dims.inner.n, (int64_t)dims.depth.stride}, *const asked = &size;
#else
        const uint64_t asked = dims.depth.n;
#endif
        const struct my_device device = {.cc = cc, .sms = sms, .code = cc};
        const int chosen = my_select(&device, asked, &match);
        if (my_plan_row(&plan, row, sms, asked)) {
            printf("refused\n");
            continue;
        }
        printf("%d %" PRIu64 " %" PRIu64, my_dims_results(&dims) == 0 || my_allows(row, &dims, sms), plan.scratch_bytes, plan.state_bytes);
        for (int i = 0; i < plan.count; i++) {
            const struct my_launch *it = &plan.launches[i];
            printf(" | %u %u %u %u %d %" PRIu64 " %" PRIu64 " %" PRId64, it->grid, it->step->block, it->step->cluster,
                   it->step->shared_bytes, it->step->is_cooperative, it->inputs, it->outputs, it->whole.parts);
            print_place(it->whole.reads_scratch, it->whole.input);
            print_place(it->whole.writes_scratch, it->output);
            printf(" %" PRIu64, it->partials);
            for (int k = 0; k < it->step->arg_count; k++)
                printf(" %s", roles[it->step->args[k]]);
        }
        printf("; %s\n", my_rows[chosen].text);
    }
    return my_kernel_names[0] == 0;
}
END_OF_C

# sizes KIND FOLDER: lines for json_launch.py, of every row; then those of which both choose the same row: for the GPUs of the
# records, of one value any n, of a matrix just those tuned.
sizes() {
    python3 - "$1" "$2/my.json" > lines 2> choices << 'END_OF_PYTHON'
import json, random, sys
kind, made, rng = sys.argv[1], json.load(open(sys.argv[2])), random.Random(5)
def line(cc, sms, row, rows, length, pitch):
    if kind == "value":
        return f"{cc} {sms} {row} 1 1 {length} 1 1 1"
    return f"{cc} {sms} {row} {rows} {pitch} {length} 1 1 1" if kind == "rows" else f"{cc} {sms} {row} 1 1 {rows} {pitch} {length} 1"
def draw(most):
    return rng.choice([0, 1, 2, int(2 ** rng.uniform(0, most)), 2 ** rng.randint(0, most) + rng.choice([-1, 0, 1])])
count = sum(len(gpu["rows"]) for gpu in made["gpus"]) + 1
for row in range(count):
    for _ in range(60 if count < 30 else 25):
        length = draw(34) if kind == "value" else draw(24)
        print(line(90, rng.choice([1, 13, 40, 132, 148]), row, draw(20), length, length + rng.choice([0, 0, 1, 8])))
    print(line(90, 132, row, 2, 2 ** 60, 2 ** 60))
    print(line(90, 132, row, 2 ** 31 + 1, 2 ** 31 + 1, 2 ** 31 + 1))
for gpu in made["gpus"]:
    for row in gpu["rows"]:
        for _ in range(5):
            print(line(gpu["cc"], gpu["sms"], 0, row.get("rows"), row.get("len", draw(34)), row.get("pitch")), file=sys.stderr)
END_OF_PYTHON
}

# plans NAME KIND DEFINE EXPORT-OPTION...: the description and the functions of C agree.
plans() {
    made=$1 kind=$2 define=$3
    shift 3
    run export "$@" --format json,header --prefix my --output "$made" --quiet
    check "export $made" has_status 0
    check "strict $made" python3 "$LAUNCH" check "$made/my.json"
    sizes "$kind" "$made"
    check "c99 $made" "$CC" -std=c99 -Wall -Wextra -Werror "-D$define" -I"$made" -o "plan-$made" plan.c
    for what in lines choices; do
        python3 "$LAUNCH" plan "$made/my.json" < $what > said-$what 2> err
        "./plan-$made" < $what > want-$what
    done
    check "sizes $made" test "$(wc -l < want-lines)" -gt 100
    sed 's/;.*//' said-lines > said # without what is chosen
    sed 's/;.*//' want-lines > want
    check "launches $made" cmp said want
    check "choices $made" cmp said-choices want-choices
}
plans wide value VALUE --space reduce-wide --cache gpus
check repeated grep -q ' | .* | .* | ' want
check prepared grep -q ' | 1 1 1 0 0 [0-9]* 0 1 - - 0 output | ' want
check cooperative grep -q ' 196608 1 ' want
check refused grep -qx refused want
plans ships value VALUE --type f32
plans arg value VALUE --type f32 --op argmax
plans ordered value VALUE --type f32 --order n
plans scan value VALUE --type i32 --scan inclusive
plans rows rows ROWS --space rows --type f32
plans columns columns COLUMNS --space columns --type f32
for shape in "--rows 3 --len 400000" "--rows 500000 --len 2 --axis 0"; do
    # shellcheck disable=SC2086 # several words
    run --device host $shape --op max --type f32 --cache host-matrix --budget 2s --quiet
done
plans parts rows ROWS --space rows --op max --type f32 --cache host-matrix --gpu host
plans tall columns COLUMNS --space columns --op max --type f32 --cache host-matrix --gpu host
check alone python3 -c "
import json
made = json.load(open('wide/my.json'))
assert made['schema'] == 1 and made['files'] == [] and made['kernels'][0]['symbol'] is None
assert made['kernels'][0]['name'] == 'my_kernels::v0::reduce'
last = made['gpus'][1]['rows'][1]['passes'][0]
assert last['cluster'] == 16 and [it['name'] for it in last['attributes']] == [
    'CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED'], last
bulk = made['gpus'][1]['rows'][-1]['passes'][0]
assert bulk['attributes'] == [{'name': 'CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES', 'value': 196608}]
assert bulk['args'][0] == {'role': 'input', 'type': 'pointer'} and bulk['args'][1] == {'role': 'n', 'type': 'u64'}"

# --- Files -------------------------------------------------------------------------------------
code_to() {
    folder=$1
    shift
    run export --space reduce-wide --prefix my --cache gpus --output "$folder" --quiet "$@"
}
code_to code --format cubin,ptx
if [ "$status" -eq 69 ]; then
    skip files "no NVRTC here"
    finish
fi
check files has_status 0
oldest=$(sed -n 's/.*"file": "my.compute_\([0-9]*\).ptx".*/\1/p' code/my.json | head -n 1)
check names test "$(sort out | tr '\n' ' ')" = "$(printf 'code/%s\n' my.json my.sm_75.cubin my.sm_90.cubin \
    "my.compute_$oldest.ptx" my.compute_75.ptx my.compute_90.ptx | sort -u | tr '\n' ' ')"
check symbols python3 "$LAUNCH" check code/my.json
check in-its-words grep -q '"command": "autotune export --format cubin,ptx --op sum' code/my.json
check ptx-provenance sh -c "head -2 code/my.compute_90.ptx | tr '\\n' ' ' | grep -q '^// Kernels as PTX: sum of i32 .* made by autotune'"
check ptx-has-no-zero test "$(tr -d '\000' < code/my.compute_90.ptx | wc -c)" -eq "$(wc -c < code/my.compute_90.ptx)"
if command -v ptxas > ptxas.log || [ -x /usr/local/cuda/bin/ptxas ]; then
    PATH=$PATH:/usr/local/cuda/bin
    check ptx-compiles ptxas -arch=sm_90 -o ptx.o code/my.compute_90.ptx
    check ptx-compiles-for-newer ptxas -arch=sm_120 -o ptx.o code/my.compute_75.ptx
else
    skip ptx-compiles "no ptxas here"
fi
code_to again --format cubin,ptx
check same-bytes diff -r code again
code_to code --format cubin
check again-over-machine-code has_status 0
check one-kind python3 -c "
import json
assert [file['kind'] for file in json.load(open('code/my.json'))['files']] == ['cubin', 'cubin']"
code_to code --format ptx --arch sm_80
check named-arch grep -q '"file": "my.compute_80.ptx", "kind": "ptx", "cc": 80' code/my.json
check named-arch-alone test "$(grep -c '"file": "' code/my.json)" -eq 1
check named-arch-symbols python3 "$LAUNCH" check code/my.json
add gpus/v100.ini "Tesla V100-SXM2-16GB" 70 80 1048576 "FINISH=PACKED"
code_to old --format cubin
check old-gpu has_status 0
if [ -e old/my.sm_70.cubin ]; then
    skip old-gpu-is-left-out "there is an NVRTC for sm_70 here"
else
    check old-gpu-is-left-out grep -q 'warning: no NVRTC here compiles machine code for sm_70, ' err
    code_to old --format cubin --arch sm_70
    check old-gpu-named refused 69 "sm_70"
fi
check old-gpu-others test -e old/my.sm_90.cubin
rm gpus/v100.ini
cp "$(command -v ls)" again/my.sm_90.cubin
code_to again --format cubin
check another-program refused 74 "again/my.sm_90.cubin is there already, and autotune did not write it"
code_to - --format cubin
check several-to-stdout refused 64 "these are several: name a folder"
code_to - --format cu,images
check two-forms refused 64 "these are several"
finish
