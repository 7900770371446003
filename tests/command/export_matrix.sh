#!/bin/sh
# Tests the export of rows and columns, by maxima, of which none ship: every format builds without a warning as C99, C++17 and with
# nvcc, and the exported launcher launches the configs of the records, or says why not.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
CC=${CC:-cc}
WARN="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

refuses nothing 1 "nothing to export.*makes one" export --format cu --rows 5 --len 6 --op xor
refuses no-len 64 "give both" export --format cu --rows 5
refuses rows-and-n 64 "choose one" export --format cu --rows 5 --len 6 --n 30

run --device host --rows 37 --len 100 --op max --type f32 --cache base --budget 1s --quiet
check tuned-rows has_status 0
run --device host --rows 37 --len 100 --axis 0 --op max --type f32 --cache base-columns --budget 1s --quiet
check tuned-columns has_status 0
[ -s base/host.ini ] && [ -s base-columns/host.ini ] || finish

# add BASE FILE GPU CC SMS ROWS LEN PARAMS: a record of that GPU, like the one of the emulator.
add() {
    sizes="s/^outer = .*/outer = $6 stride $7/; s/^depth = .*/depth = $7/"
    ! grep -q '^inner' "$1/host.ini" ||
        sizes="s/^depth = .*/depth = $6 stride $7/; s/^inner = .*/inner = $7/"
    fields_of "$1/host.ini" |
        sed "s/^gpu = .*/gpu = $3/; s/^cc = .*/cc = $4/; s/^sms = .*/sms = $5/
             $sizes; s/^source = .*/source = measured/; $other
             s/^code = .*/code = 0000000000000000/
             s/^params = .*/params = $8/" > fields
    "$SIGN" "$2" < fields
}
mkdir -m 700 gpus
h200=gpus/nvidia-h200.ini
warps="BLOCK=256 LANES=32 VECTOR=4 ROUNDS=4 UNROLL=2 EDGES=SIMPLE LOAD=PLAIN MIN_BLOCKS=1 SPLIT=WHOLE PIECES=0 GRID=0"
masked="BLOCK=128 LANES=8 VECTOR=4 ROUNDS=4 UNROLL=2 EDGES=MASKED LOAD=PLAIN MIN_BLOCKS=1 SPLIT=WHOLE PIECES=0 GRID=0"
last="BLOCK=256 LANES=256 VECTOR=4 ROUNDS=4 UNROLL=1 EDGES=SIMPLE LOAD=PLAIN MIN_BLOCKS=1 SPLIT=LAST_BLOCK PIECES=16 GRID=0"
parts="BLOCK=128 LANES=128 VECTOR=4 ROUNDS=2 UNROLL=1 EDGES=SIMPLE LOAD=PLAIN MIN_BLOCKS=1 SPLIT=PARTS PIECES=2 GRID=0"
other=
down="BLOCK=256 LANES=32 VECTOR=4 EDGES=SIMPLE UNROLL=2 LOAD=PLAIN MIN_BLOCKS=1 SPLIT=PARTS PIECES=1"
add base $h200 "NVIDIA H200" 90 132 4096 1024 "$warps"
add base $h200 "NVIDIA H200" 90 132 3 40000000 "$last"
add base $h200 "NVIDIA H200" 90 132 100000 129 "$masked"
add base gpus/t4.ini "Tesla T4" 75 40 2 40000000 "$parts"
add base-columns $h200 "NVIDIA H200" 90 132 4096 1024 "$down"

refuses other-shape 1 "there are records of other shapes" \
    export --format cu --op max --type f32 --rows 5 --len 6 --cache gpus
mkdir -m 700 rows-alone # of sums in f64 of f32, of which no value ships
other="s/^op = .*/op = sum/; s/^acc = .*/acc = f64/"
add base rows-alone/t4.ini "Tesla T4" 75 40 2 40000000 "$parts"
other=
refuses not-named 1 "no record serves sum of f32 accumulated in f64.*there are records of rows" \
    export --format cu --op sum --type f32 --acc f64 --cache rows-alone
refuses rows-not-columns 1 "no record serves sum of columns of f32 accumulated in f64.*records of rows: --space rows" \
    export --format cu --op sum --type f32 --acc f64 --rows 4 --len 4 --axis 0 --cache rows-alone
small_space small.ini
run --device host --n 500 --op max --space small.ini --cache values --quiet
refuses no-value 1 "no record serves max of rows of i32 accumulated in i32.*records of single values: leave" \
    export --format cu --op max --rows 4 --len 4 --cache values
run export --format json --op max --type f32 --rows 4096 --len 1024 --cache gpus --output - --quiet
check one-shape grep -q '"rows": 4096, "len": 1024, "pitch": 1024' out
check one-shape-alone test "$(grep -c '"rows": [0-9]' out)" -eq 1
check one-shape-again grep -q 'command.* f32 --rows 4096 --len 1024 --pitch 1024 --axis 1' out

# --- Files -------------------------------------------------------------------------------------
formats=header,cu,cmake,make,json
for space in rows columns; do
    run export --space $space --op max --type f32 --format $formats --prefix my --cache gpus --output $space
    check "written $space" has_status 0
    check "names $space" test "$(sort out | tr '\n' ' ')" = "$(echo CMakeLists.txt my.cmake my.cu \
        my.h my.json my.mk my_table.h | sed "s#[^ ]*#$space/&#g") "
done
check noted grep -q '^device    NVIDIA H200 (sm_90, 132 SMs): 1 row$' err
check provenance grep -q '^ \*     4Ki x 1Ki columns: [0-9.]* us: BLOCK=256' columns/my.h
run export --space rows --op max --type f32 --format header --cache gpus --output named --quiet
check usual-name test -e named/max_rows_f32_table.h
run export --space rows --op max --type f32 --format $formats --prefix my --cache gpus --output again --quiet
check same-bytes diff -r rows again
if command -v python3 > /dev/null; then
    check json python3 -c "
import json
made = json.load(open('rows/my.json'))
assert made['problem']['shape'] == 'rows'
assert [[row['rows'], row['len']] for row in made['gpus'][1]['rows']] == [
    [4096, 1024], [100000, 129], [3, 40000000]]
assert json.load(open('columns/my.json'))['problem']['shape'] == 'columns'"
fi
check make-variable sh -c "printf 'include rows/my.mk\nall:\n\t@echo \$(my_sm_90_132_4096x1024_LANES)\n' |
    make -s -f - | grep -qx 32"

# Rows of the table with the same conditions share them.
mkdir -m 700 alike
add base alike/nvidia-h200.ini "NVIDIA H200" 90 132 4096 1024 "$warps"
add base alike/nvidia-h200.ini "NVIDIA H200" 90 132 8192 1024 "$warps"
run export --space rows --op max --type f32 --format header --prefix my --cache alike --output alike --quiet
check conditions-once grep -A 2 '^    case 0:$' alike/my_table.h
check conditions-shared sh -c 'tr "\n" "~" < alike/my_table.h | grep -q "~    case 0:~    case 1:~        if "'

cat > select.c <<'END'
#include "my_table.h"
int main(void)
{
    enum my_fit match;
    struct my_plan plan;
    const struct my_matrix matrix = {4096, 1024, 1024};
    const struct my_device device = {90, 132, 90, 0, 0, 0, 0};
    const int row = my_select(&device, &matrix, &match);
    return my_plan_row(&plan, row, 132, &matrix) != 0 || match != MY_EXACT || plan.refusal ||
           my_kernel_names[0] == 0;
}
END
cp select.c select.cc
for space in rows columns; do
    check "c99 $space" $CC -std=c99 $WARN -I$space -o select select.c
    check "exact $space" ./select
    check "c++17 $space" g++ -std=c++17 $WARN -I$space -o select++ select.cc
    if command -v clang > clang.log 2>&1; then
        check "clang-c99 $space" clang -std=c99 $WARN -I$space -o select-clang select.c
        check "clang-c++17 $space" clang++ -std=c++17 $WARN -I$space -o select-clang++ select.cc
    else
        skip "clang $space" "no clang here"
    fi
done

# Two exports in one C++17 program, of rows and of columns.
run export --space columns --op max --type f32 --format $formats --prefix other --cache gpus --output two --quiet
cat > two.cc <<'END'
#include "my_table.h"
#include "other_table.h"
int main()
{
    const my_matrix mine = {4096, 1024, 1024};
    const other_matrix theirs = {4096, 1024, 1024};
    my_fit mine_fits;
    other_fit theirs_fits;
    my_plan my_launches;
    other_plan other_launches;
    const my_device here = {90, 132, 90, 0, 0, 0, 0};
    const other_device there = {90, 132, 90, 0, 0, 0, 0};
    const int row = my_select(&here, &mine, &mine_fits);
    const int other_row = other_select(&there, &theirs, &theirs_fits);
    return my_plan_row(&my_launches, row, 132, &mine) || my_launches.count != 1 ||
           other_plan_row(&other_launches, other_row, 132, &theirs) || other_launches.count != 2 ||
           !my_kernel_names[0] || !other_kernel_names[0];
}
END
check two-in-one g++ -std=c++17 $WARN -Irows -Itwo -o two-in-one two.cc
check two-in-one-runs ./two-in-one

# --- nvcc --------------------------------------------------------------------------------------
NVCC=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
if [ -z "$NVCC" ]; then
    skip nvcc "no nvcc here"
    finish
fi
for space in rows columns; do
    for arch in 75 90 120; do
        check "nvcc sm_$arch $space" "$NVCC" -std=c++17 -Werror all-warnings \
            -Xcompiler -Wall,-Wextra -arch=sm_$arch -c -o $space-$arch.o $space/my.cu
    done
done

check "nvcc second" "$NVCC" -std=c++17 -Werror all-warnings -arch=sm_90 -c -o other-90.o two/other.cu

# What the launcher launches, with a runtime that only writes it down.
INCLUDE=$(dirname "$NVCC")/../include
[ -f "$INCLUDE/cuda_runtime_api.h" ] || INCLUDE=/usr/local/cuda/include
sed 's/"exported.h"/"my.h"/' "$ROOT/tests/command/fake_runtime.c" > fake.c
for space in rows columns; do
    check "header-c99 $space" $CC -std=c99 $WARN -DMATRIX -isystem "$INCLUDE" -I$space -c \
        -o fake.o fake.c
    g++ -o fake-$space fake.o $space-90.o other-90.o > fake.log 2>&1
done
# runs NAME SPACE CC SMS "ROWS LEN PITCH [ROWS_MAX]" PATTERN: the launcher's lines, joined by ';'.
runs() {
    # shellcheck disable=SC2086 # three words
    name="NVIDIA H200"
    [ "$3" = 75 ] && name="Tesla T4"
    FAKE_CC=$3 FAKE_SMS=$4 FAKE_PTX=$3 FAKE_NAME=$name ./fake-"$2" $5 |
        sed 's/_ZN10my_kernels2v[0-9]*[47][a-z]*E[^ ]*/K/' | tr '\n' ';' > launched
    check "launcher $1" sh -c "grep -E '$6' launched || { cat launched; false; }"
}
if [ ! -x fake-rows ] || [ ! -x fake-columns ]; then
    skip launcher "this nvcc's objects ask for another runtime than the stand-in"
else
    runs exact rows 90 132 "4096 1024 1024" \
        '^match 0 [^;]*;K 256 256 0 1 0 4096 1024 1024;workspace 512, error 0;$'
    runs last-block rows 90 132 "3 40000000 40000000" \
        '^match 0 [^;]*;K 2112 256 0 1 0 3 40000000 40000000;workspace 16896, error 0;$'
    runs nearest rows 90 132 "4000 1004 1008" '^match 1 [^;]*LANES=32[^;]*;K 250 256 0 1 0 4000 1004 1008;'
    runs other-rules rows 90 132 "4000 127 127" '^match 1 [^;]*EDGES=MASKED'
    runs default rows 90 132 "4000 1027 1027" '^match 3 [^;]*EDGES=MASKED'
    runs same-cc rows 90 78 "4096 1024 1024" '^match 2 [^;]*LANES=32'
    runs parts rows 75 40 "2 40000000 40000000" \
        '^match 0 [^;]*;K 80 128 0 1 0 2 40000000 40000000;K 2 128 0 1 0 2 40 40;workspace 1024, error 0;$'
    runs parts-of-fewer rows 75 40 "1 40000000 40000000 2" \
        '^match 0 [^;]*;K 40 128 0 1 0 1 40000000 40000000;K 1 128 0 1 0 1 40 40;workspace 1024, error 0;$'
    runs parts-of-more rows 75 40 "3 40000000 40000000 2" '^match 0 [^;]*;workspace 1024, error 1;$'
    runs columns columns 90 132 "4096 1024 1024" \
        '^match 0 [^;]*;K 136 256 0 1 0 4096 1024 1024;K 32 256 0 1 0 17 1024 1024;workspace 139264, error 0;$'
    runs no-columns columns 90 132 "5 0 0" 'workspace 512, error 0;$'
    runs no-rows rows 90 132 "0 5 5" 'workspace 512, error 0;$'
    runs short-pitch rows 90 132 "5 9 8" '^match 3 ;workspace 0, error 1;the pitch is less'
    runs long-row rows 90 132 "1 2147483649 2147483649" 'error 1;a row has more than 2\^31 elements;$'
    runs long-column columns 90 132 "2147483649 1 1" 'error 1;a column has more than 2\^31 elements;$'
    runs no-device rows 0 0 "5 9 9" '^match 3 ;workspace 0, error 100;no device;$'
fi

# --- Machine code ------------------------------------------------------------------------------
run export --space rows --op max --type f32 --format images --prefix my --arch sm_75,sm_90 --cache gpus \
    --output code --quiet
if [ "$status" -eq 69 ]; then
    skip images "no NVRTC here"
    finish
fi
check images-made has_status 0
cat > images.c <<'END'
#include "my_images.h"
int main(void)
{
    const struct my_matrix matrix = {4096, 1024, 1024};
    const struct my_image *image = my_find_image(90);
    enum my_fit match;
    const struct my_device device = {90, 132, 90, 0, 0, 0, 0};
    const int row = my_select(&device, &matrix, &match);
    return !image || row == MY_DEFAULT_ROW || image->bytes[1] != 'E';
}
END
cp images.c images.cc
cp code/my_images.c made.cc
check images-c99 $CC -std=c99 $WARN -Icode -o images images.c code/my_images.c
check images-c++17 g++ -std=c++17 $WARN -Icode -o images++ images.cc made.cc
check images ./images
finish
