#!/bin/sh
# Tests operations from files on the emulator: a user's own is tuned, proven, kept, exported and reduced with as
# one that comes with the program is; records know it by what its text says; faults of the text are told
# with their place.
# shellcheck disable=SC2016,SC2034,SC2154 # status is of helpers; scripts are written here
. "$(dirname "$0")/helpers"
small_space reduce.ini
RECORDS=$XDG_CACHE_HOME/autotune/host.ini

# operation FILE LINE...: a file of these lines.
operation() {
    file=$1
    shift
    { echo "[operation]"; printf '%s\n' "$@"; } > "$file"
}

operation huber.ini "meaning = Huber's loss with delta 1" "let size = magnitude(x)" \
    "map = size <= 1 ? 0.5 * x * x : size - 0.5" "combine = a + b"
operation same.ini "# says the same in other words" "meaning = loss" "let size = (magnitude(x))" \
    "map = size<=1 ? (0.5*x)*x : size-0.5" "combine = a + b"

# --- Tuned, kept, found again ---------------------------------------------------------------
run --device host --op huber.ini --type f32 --n 3K --space reduce.ini --budget 5s
check tuned has_status 0
check tuned-name grep -q '^problem   huber f32 3K cold' err
check record-names-text grep -Eqx 'op = huber@[0-9a-f]{32}' "$RECORDS"
check record-says-how-proven grep -qx 'proof = plain sum, text' "$RECORDS"
check record-has-no-text sh -c "! grep -q 'magnitude\|0\.5' '$RECORDS'"
run --device host --op same.ini --type f32 --n 3K --space reduce.ini --budget 5s
check same-text-is-one-operation grep -q '^record .*answers\|^record    ' err
check same-text-adds-no-record test "$(grep -c '^op = ' "$RECORDS")" -eq 1
sed 's/0\.5$/0.25/' huber.ini > other.ini
echo "name = huber" >> other.ini
run --device host --op other.ini --type f32 --n 3K --space reduce.ini --budget 5s
check other-text has_status 0
check other-text-is-another test "$(grep -c '^op = huber@' "$RECORDS")" -eq 2
run show
check show grep -q 'huber' out
run show --op huber.ini --csv -
check show-one test "$(grep -c ',huber,\|^.*huber' out)" -eq 1
run --device host --op sum --type f32 --n 3K --space reduce.ini --budget 5s
check records-of-files-stay test "$(grep -c '^op = huber@' "$RECORDS")" -eq 2

# --- Records whose operation's file is not at hand ------------------------------------------
run show
check show-without-file has_status 0
mkdir compact
run merge --compact compact "$RECORDS"
check compact-without-file test "$status" -lt 100
run report "$RECORDS" -o report.html
check report-without-file test "$status" -lt 100
run compare "$RECORDS" "NVIDIA A100-SXM4-80GB"
check compare-without-file test "$status" -lt 100
run list problems --op huber.ini --type f32 --n 1K
check list-problems grep -qx -- '--op huber.ini --type f32 --n 1000' out

# --- Scans ----------------------------------------------------------------------------------
run verify --device host --op var --type f32 --n 3K --scan inclusive
check scan-of-text has_status 0
run emit --arch sm_90 --op var --type f32 --n 3K --scan inclusive
check scan-of-text-for-a-gpu has_status 0
run emit --arch sm_90 --op "$ROOT/tests/operations/product.ini" --type i32 --n 3K --scan inclusive
check scan-of-integers-by-a-text has_status 0

# --- Kernels --------------------------------------------------------------------------------
run emit --op huber.ini --type f32 --n 3K --arch sm_90
check emit has_status 0
check emit-names-file grep -q -- '^// autotune emit --op huber\.ini ' out
check emit-has-text grep -q 'size_ <= 1' out
run verify --device host --op huber.ini --type f32 --n 3K --space reduce.ini
check verify has_status 0
run export --op huber.ini --type f32 --format cu --output exported
check export has_status 0
check export-has-text grep -q 'size_ <= 1' exported/huber_*_f32.cu

# --- Results --------------------------------------------------------------------------------
# The numbers -3 to 3 as f32, 100 times.
python3 -c '
import struct, sys
sys.stdout.buffer.write(b"".join(struct.pack("<f", x) for x in [-3, -2, -0.5, 0, 0.5, 2, 3] * 100))' > x.f32
run reduce x.f32 --op huber.ini --type f32 --device host
check reduce has_status 0
check reduce-result test "$(cat out)" = 825
run reduce x.f32 --op absmax --type f32 --device host
check reduce-absmax test "$(cat out)" = 3
run reduce x.f32 --op count_nonzero --type f32 --device host
check reduce-count test "$(cat out)" = 600
refuses reduce-of-finish 64 "operation 'mean' could finish them: reduce by the same operation without finish" \
    reduce x.f32 --op mean --type f32 --device host

# Each operation as a value, of rows or of columns by turns: one of its three kinds a day.
turn=0
for op in absmax absmin asum nrm2 mean count_nonzero any all var std logsumexp; do
    turn=$((turn + 1)) small=i16
    [ $op != logsumexp ] || small=bf16
    for of in "value --type f32 --n 1K" "rows --type $small --rows 5 --len 33" \
        "columns --type f64 --rows 33 --len 5 --axis 0"; do
        turn=$((turn + 1))
        is_turn $((turn % 3)) 3 || continue
        # shellcheck disable=SC2086 # words
        run verify --device host --op $op ${of#* }
        check "${of%% *}-$op" has_status 0
    done
done
# Values that the operation's own text combines: of several fields, with an index, of rows and columns.
OWN=$ROOT/tests/operations
for of in "absargmax.ini --type i16 --n 1K" "gap.ini --type u8 --rows 5 --len 33"; do
    # shellcheck disable=SC2086 # words
    run verify --device host --op "$OWN/${of%% *}" ${of#* }
    check "combined-${of%% *}" has_status 0
    check "combined-${of%% *}-shadow" grep -q 'with sums of words in its place, and beside' out err
done
PROVEN=$XDG_CACHE_HOME/autotune/proven.txt
check verify-is-noted grep -Eqx 'absargmax@[0-9a-f]{32} i16 i32 on host, driver none' "$PROVEN"
check verify-notes-each grep -q '^gap@.* u8 u32 on host' "$PROVEN"
run verify --device host --op "$OWN/absargmax.ini" --type i16 --n 2K
check verify-notes-once test "$(grep -c '^absargmax' "$PROVEN")" -eq 1
for axis in 0 1; do
    run verify --device host --op argmax --type f32 --rows 33 --len 40 --axis $axis
    check "argmax-axis-$axis" has_status 0
done
run --device host --op mean --type f32 --n 1K --budget 1s
check tuned-mean has_status 0
check says-how-it-was-proven grep -q 'beside the host' err

# --- Params ---------------------------------------------------------------------------------
operation above.ini "meaning = how many are above a bound" "params = bound:acc" "value = u32" \
    "map = u32(x > bound)" "combine = a + b"
printf '\001\002\003\004' > four.u8
run reduce four.u8 --type u8 --op above.ini --param bound=2 --device host
check reduced-with-a-param test "$(cat out)" = 2
run reduce four.u8 --type u8 --op above.ini --param bound=0 --device host
check reduced-with-another test "$(cat out)" = 4
refuses no-value 64 "operation 'above' takes a value for its param 'bound'" reduce four.u8 --type u8 --op above.ini --device host
refuses no-such-param 64 "operation 'above' has no param 'bond': its params are bound" reduce four.u8 --type u8 --op above.ini --param bond=2 --device host
refuses no-number 64 "param bound is '2.5': give a whole number of type u32" reduce four.u8 --type u8 --op above.ini --param bound=2.5 --device host
refuses param-of-ours 64 "operation 'sum' has no params" verify --param bound=2 --device host --n 1K
run emit --op above.ini --type u8 --n 1K --arch sm_90
check emitted-with-params grep -q 'cudaStream_t stream, unsigned bound_)' out
# What works for one value works for all of them: the record is one.
run --device host --op above.ini --type u8 --n 1K --param bound=2 --budget 1s
check tuned-with-a-param has_status 0
check says-with-which-param grep -q '^problem   above u8 1K cold, bound=2: ' err
check record-has-the-value grep -qx 'given = bound=2' "$RECORDS"
run verify --device host --op above.ini --type u8 --n 1K --param bound=100
check proven-of-the-record grep -q '(exact)' err
check proven-of-values grep -q 'of several values of its params' out
run export --op above.ini --type u8 --format cu,header,json --prefix above -o .
check exported-with-params has_status 0
check header-with-params grep -q 'cudaStream_t stream, above_op_params params);' above.h
check json-with-params grep -q '{"role": "param", "type": "u32", "name": "bound"}' above.json

# --- Who compiles ---------------------------------------------------------------------------
# On one core: all ask the compiler for its version; one worker compiles the default and its shadow, and measures; the
# other a unit of all variants and one of their shadows.
mkdir bin
real=$(command -v cc)
printf '#!/bin/sh\necho "$PPID" >> "%s/calls"\nexec "%s" "$@"\n' "$SCRATCH" "$real" > bin/cc
core=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
printf '#!/bin/sh\nPATH=%s/bin:$PATH exec taskset -c %s "%s" "$@"\n' "$SCRATCH" "$core" "$AUTOTUNE" > bin/one_core
chmod +x bin/cc bin/one_core
usual=$AUTOTUNE
AUTOTUNE=$SCRATCH/bin/one_core
run --device host --op asum --type f32 --n 3K --space reduce.ini
AUTOTUNE=$usual
check tuned-by-one-core has_status 0
check measurer-compiles-no-more test "$(sort calls | uniq -c | sort -n | awk '{ print $1 }' | tr '\n' ' ')" = "1 3 3 "

# --- What is refused, in a sentence with its place -------------------------------------------
refuses no-file 74 "no\.ini: there is no such file: name yours, or an operation" --device host --op no.ini
operation wrong.ini "meaning = m" "map = magnitud(x)" "combine = a + b"
refuses unknown-function 64 "wrong\.ini:3:7: .*did you mean 'magnitude'" --device host --op wrong.ini
operation wrong.ini "meaning = m" "combine = a - b"
refuses needs-identity 64 "wrong\.ini:3:11: this combine is no law" --device host --op wrong.ini
operation wrong.ini "meaning = m" "combine = a - b" "identity = 0"
refuses not-commutative 64 "wrong\.ini: combine is not commutative: of x = .* a with b gives .*, and b with a gives" verify --device host --op wrong.ini --n 1K
operation wrong.ini "meaning = m" "combine = a + b" "identity = 1"
refuses wrong-identity 64 "wrong\.ini: the identity changes a value: with it, x = .* gives .*, and alone" --device host --op wrong.ini --n 1K --budget 1s
refuses reduce-of-no-law 64 "operation 'wrong' combines by none" reduce x.f32 --op wrong.ini --type f32 --device host
operation max.ini "meaning = m" "map = x + 1" "combine = greatest(a, b)"
refuses name-of-ours 64 "max\.ini: 'max' is the name of another operation" --device host --op max.ini
operation wrong.ini "meaning = m" "map = x * 0.5" "combine = a + b"
refuses float-of-integers 64 "wrong\.ini:3:1[0-9]*: 0\.5 is no integer" --device host --op wrong.ini --type i32
refuses scan-of-finish 64 "a scan gives values as they are" --device host --op mean --type f32 --scan inclusive --n 1K
refuses order-of-map 64 "order n is of elements or their squares.*its map is another text: leave --order n out, or take --order run" --device host --op asum --type f32 --order n --n 1K
refuses order-of-finish 64 "with no finish, and it has a finish: " --device host --op mean --type f32 --order n --n 1K
refuses order-of-combine 64 "its combine is another text: " --device host --op var --type f32 --order n --n 1K
refuses order-that-is-kept 64 "it keeps order: " --device host --op "$ROOT/tests/operations/smooth.ini" --type f32 --order n --n 1K

finish
