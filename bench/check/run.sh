#!/bin/bash
# Counts what `check` says of kernels that are planted: as fast as their old machine code, 1, 3 and 10 % slower than that,
# and wrong. Writes OUT/check.md. Takes up to four minutes on a GPU, whose clocks set how long is waited for a percent.
# Usage: bench/check/run.sh OUT   (from the repository's root, after `make tests`)
#   N (4Mi), COUNT (100) of each, RACE (200ms) each, BUDGET (40s) for each kind: fewer are counted where it ends;
#   AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
out=${1:?usage: run.sh OUT}
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
mkdir -p "$out"
plant_code=$(dirname "$autotune")/plant_code
template=templates/reduce.cu
compiler="an earlier compiler"
count=${COUNT:-100} race=${RACE:-200ms} budget=${BUDGET:-40s}
"$autotune" --device "$device" --cache "$work/tuned" --n "${N:-4Mi}" --budget 5s --quiet --json "$work/tuned.json" >/dev/null
params=$(sed -n 's/.*"params": "\([^"]*\)".*/\1/p' "$work/tuned.json" | head -n 1)

# plant FILE TEXT: the template with this at the beginning of its kernel.
plant()
{
    local begins # of the last function, which is the kernel
    begins=$(grep -n '^    accum a = identity();$' $template | tail -n 1)
    awk -v text="$2" -v at="${begins%%:*}" '{ print } NR == at { print text }' $template >"$1"
    ! cmp -s "$1" $template || { echo "run.sh: $template has no such text any more" >&2; exit 1; }
}

# wait_for CYCLES: a text that does.
wait_for()
{
    if [ "$device" = host ]; then
        echo "    for (volatile int planted = 0; planted < $1; planted++) {}"
    else
        echo "    { const long long planted = clock64(); while (clock64() - planted < $1) {} }"
    fi
}

# check NAME COUNT RACE TEMPLATE: checks so many records of the template, whose old code is of the usual one; rows are in
# $work/NAME.json.
check()
{
    rm -rf "$work/cache"
    cp -r "$work/tuned" "$work/cache"
    "$plant_code" "$device" "$work/cache" "$compiler" $template "$4" "$2" 1024
    "$autotune" check --device "$device" --cache "$work/cache" --template "$4" --race "$3" --budget "$budget" \
        --quiet --json "$work/$1.json" >/dev/null 2>"$work/$1.err" || true
    [ -s "$work/$1.json" ] || { cat "$work/$1.err" >&2; exit 1; }
}
# slower NAME: how much slower the first of its rows is, in percent.
slower() { sed -n 's/.*"slower_pct": \(-\{0,1\}[0-9.]*\).*/\1/p' "$work/$1.json" | head -n 1; }
told() { grep -c "\"verdict\": \"$2\"" "$work/$1.json" || true; }

# What one percent is, in cycles.
plant "$work/slow.cu" "$(wait_for "${CYCLES:-2000}")"
check long 1 2s "$work/slow.cu"
per_percent=$(awk "BEGIN { print ${CYCLES:-2000} / $(slower long) }")

# A branch that is never taken makes other machine code, as fast as without.
plant "$work/kind-0.cu" '    if (n == 1234567891011ull) y[0] = y[1];'
for percent in 1 3 10; do
    plant "$work/kind-$percent.cu" "$(wait_for "$(awk "BEGIN { printf \"%d\", $percent * $per_percent }")")"
done
condition=$(for param in $params; do case $param in BLOCK=* | ITEMS=* | VECTOR=* | UNROLL=*) echo "${param/=/ == }" ;; esac; done |
    sed -e ':a' -e 'N' -e '$!ba' -e 's/\n/ \&\& /g')
plant "$work/kind-wrong.cu" "    //? if $condition
    n -= n > 100;
    //? end"
{
    echo "# What check says of planted kernels"
    echo
    about
    echo
    echo "    \$ bench/check/run.sh OUT"
    echo
    echo "\`autotune check --race $race\`, each beside the machine code that it had before, n from ${N:-4Mi} on, the same"
    echo "kernel: $params. Slower is what the first of them is measured as."
    echo
    echo "| planted | checked | slower | same | faster | wrong | untold | first, % slower |"
    echo "|---|---:|---:|---:|---:|---:|---:|---:|"
    for kind in 0 1 3 10 wrong; do
        check "$kind" "$count" "$race" "$work/kind-$kind.cu"
        case $kind in 0) name="as fast" ;; wrong) name=wrong ;; *) name="$kind % slower" ;; esac
        left=$(told "$kind" "left out")
        echo "| $name | $((count - left)) | $(told "$kind" slower) | $(told "$kind" same) | $(told "$kind" faster) |" \
            "$(told "$kind" wrong) | $(told "$kind" untold) | $(slower "$kind") |"
    done
} >"$out/check.md"
cat "$out/check.md"
