#!/bin/sh
# Tests the scripts for a machine with a GPU, as far as they run without one: a step that cannot run is
# skipped and named, and what the step 'examples' builds can be built.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
BUILD=$(cd "$(dirname "$AUTOTUNE")" && pwd)
export AUTOTUNE # for what is run with bash below
[ -x "$BUILD/device/test_driver_occupancy" ] || {
    skip steps "no tests built beside the program"
    finish
}

# in_root COMMAND...: from the repository's root, as both scripts are run there.
in_root() {
    (cd "$ROOT" && DEVICE=host BUILD=$BUILD "$@") > out 2> err
    status=$?
}

in_root tests/gpu.sh "$BUILD" occupancy library examples json builds flags sanitize
check skipped-status has_status 0
for step in occupancy library examples json builds flags sanitize; do
    check "skipped $step" grep -q "^skip    $step: it needs a GPU\|^skip    $step: they need a GPU" out
done
in_root bench/all.sh "$SCRATCH/results" sanitize
check measured-status has_status 0
check measured-skips grep -q '^skips  *sanitize ' out
check measured-why grep -q '^skip    sanitize: it needs a GPU' err

# --- What the examples' step builds ------------------------------------------------------------
NVCC=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2> /dev/null)
if [ -z "$NVCC" ] || ! command -v cmake > cmake.log 2>&1; then
    skip examples "no nvcc or no cmake here"
    finish
fi
# Only what runs on a GPU is left out, by a `timeout` that looks for the program.
mkdir built
cat > builds.sh <<'END'
scratch=$1/built program=$AUTOTUNE nvcc=$2
timeout() { test -x "$4"; }
. tests/gpu/examples.sh
"uses_$3"
END
for example in make cmake; do
    check "builds $example" sh -c "cd '$ROOT' && bash '$SCRATCH/builds.sh' '$SCRATCH' '$NVCC' $example"
done
finish
