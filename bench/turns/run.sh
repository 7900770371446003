#!/bin/bash
# Measures this build against another, by turns on one GPU: the usual tuning as a whole process, then
# the library and an export of each in one program (turns.cu). Writes OUT/turns.md.
# Usage: bench/turns/run.sh BEFORE OUT   (from the repository's root, after `make`)
#   BEFORE, the other's folder, with its build/autotune and build/libautotune.so.*; TUNINGS (5), of each;
#   ROUNDS (101); AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
before=${1:?usage: run.sh BEFORE OUT}
out=${2:?usage: run.sh BEFORE OUT}
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
mkdir -p "$out"
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || { echo "run.sh: it needs nvcc" >&2; exit 69; }
declare -A program=([before]=$before/build/autotune [after]=$autotune)
declare -A library=([before]=$before/build [after]=$(dirname "$autotune"))

# tune WHICH OPTION...
tune() { "${program[$1]}" --device "$device" --cache "$work/$1" --quiet "${@:2}" >/dev/null; }

# What both are compared at.
for which in before after; do
    for n in 1Ki 64Ki 1Mi; do tune $which --n $n; done
    tune $which --rows 2Mi --len 128 --type f32
    tune $which --rows 16Ki --len 16Ki --type f32 --axis 0
done
{
    echo "# This build beside another, by turns"
    echo
    about
    echo
    echo "    \$ bench/turns/run.sh BEFORE OUT"
    echo
    echo "\`autotune --device $device --n 400M --retune\`, seconds from start to record, and the winner:"
    echo
    for round in $(seq "${TUNINGS:-5}"); do
        for which in $([ $((round % 2)) = 0 ] && echo before after || echo after before); do
            timed "$work/seconds" "${program[$which]}" --device "$device" --cache "$work/$which" \
                --n 400M --retune --json "$work/tuned.json"
            printf '    %-7s %6s s  %s us\n' $which "$(<"$work/seconds")" \
                "$(awk "BEGIN { printf \"%.2f\", $(field "$work/tuned.json" median_ps) / 1e6 }")"
        done
    done
    echo
    for which in before after; do
        "${program[$which]}" export --format cu --prefix $which --cache "$work/$which" --n 1Ki \
            --output "$work" >/dev/null
    done
    "$nvcc" -std=c++17 -O3 -arch=native -cudart static -I. -I"$work" -o "$work/turns" \
        bench/turns/turns.cu "$work/before.cu" "$work/after.cu" -ldl
    XDG_CACHE_HOME=$work "$work/turns" "$(echo "${library[before]}"/libautotune.so.*)" "$work/before" \
        "$(echo "${library[after]}"/libautotune.so.*)" "$work/after" "${ROUNDS:-101}" | sed 's/^/    /'
} | tee "$out/turns.md"
