#!/bin/sh
# Tests operations of several inputs: proven on the host device however the further ones lie, tuned, kept and
# shown, and refused where there is no kernel for them.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
RECORDS=$XDG_CACHE_HOME/autotune/host.ini

proves() {
    name=$1
    shift
    run verify --device host "$@"
    check "$name" grep -q '^right ' out
}
proves value --op dot --type f32 --n 3K
proves integers --op dot --type i32 --rows 40 --len 37
proves vector --op dot --type f32 --rows 40 --len 37 --lies y=element
proves columns --op dot --type f16 --rows 40 --len 37 --axis 0 --lies y=result
proves axes --op sqdist --type f32 --dims 4,5,6,7 --axis 0,2
proves three --op "$ROOT/tests/mutate/three.ini" --type f32 --rows 20 --len 33 --axis 0 --lies w=one
for op in absdist mse mae huber_loss cosine kl hinge; do
    proves $op --op $op --type f32 --n 500
done

run --device host --op dot --type f32 --rows 40 --len 37 --lies y=element --budget 100ms
check tunes has_status 0
run --device host --op dot --type f32 --rows 40 --len 37 --lies y=element
check answers-from-the-record grep -q '^record ' err
check record-has-the-lie grep -qx 'lies_2 = element' "$RECORDS"
check says-the-lie grep -q 'dot f32 40 x 37 rows y=element' err
run --device host --op dot --type f32 --rows 40 --len 37 --budget 100ms --quiet
check keeps-another test "$(grep -c '^\[record' "$RECORDS")" -eq 2
run show
check shows grep -q ' dot ' out
run emit --op dot --type f32 --rows 40 --len 37 --arch sm_90
check emits-a-second-array grep -q 'const elem2 \*x2' out
run list operations
check lists-the-space grep -Eq '^dot .* strided  *sum of the products' out

refuses scans 64 "a scan is of one input so far" --device host --op dot --n 5 --scan inclusive
refuses segments 64 "segments are of one input so far" --device host --op dot --segments 5 --n 50
refuses order-n 64 "order n" --device host --op dot --type f32 --n 50 --order n
refuses unknown-input 64 "'z'" --device host --op dot --n 50 --lies z=one
refuses unknown-lie 64 "'y=far' does not say how the input lies" --device host --op dot --n 50 --lies y=far
refuses one-input 64 "" --device host --op sum --n 50 --lies y=one
head -c 64 /dev/zero > zeros
refuses data 64 "autotune reduce knows one so far" reduce zeros --op dot --type f32 --device host

# Files that say wrong what they read.
wrong() {
    name=$1 says=$2
    printf '%s\n' '[operation]' 'meaning = m' "$3" "map = ${4:-x}" 'combine = a + b' > wrong.ini
    refuses "wrong-$name" 64 "$says" --device host --op wrong.ini --n 50
}
wrong five "wrong.ini:3" 'inputs = x y z u v'
wrong twice "wrong.ini:3" 'inputs = x x'
wrong type "wrong.ini:3" 'inputs = x y:f31'
wrong named-n "wrong.ini:3" 'inputs = x n'
wrong unknown "wrong.ini:4" 'inputs = x y' 'x * z'
wrong no-x "wrong.ini" 'inputs = u v' 'x'
finish
