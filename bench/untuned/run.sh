#!/bin/bash
# Judges a tuning from outside: tunes from no records but those that ship, then times what the library chooses
# with these records against what ships, by turns, at n or shapes drawn at random, none of them the tuning's own:
# cold, and warm where the data is of 12M elements at most.
# Writes OUT/untuned-NAME-cold.csv, OUT/untuned-NAME-warm.csv and the tuning's own output, and prints the means.
# Usage: bench/untuned/run.sh OUT NAME OPTION...   (from the repository's root, after `make`)
#   NAME, of the files, as max-i32; OPTION..., the problem, as --op max --type i32 (of columns --axis 0, too);
#   RANGE, what is drawn and, unless TUNE says otherwise, swept: 1K..4G, of which n up to 1G are drawn, or shapes,
#   rows by length, as 1K..1Mx32..4096, of which those of 10K to 400M elements are drawn;
#   TUNE, the options of one tuning, or of several, separated by ";", as "--n 400M" or "--rows 2Mi --len 128;
#   --rows 1K --len 1M"; COLD (40; of shapes 100) and WARM (30), how many are drawn; SEED (11), ROUNDS (41);
#   LIBRARY, the static library (build/libautotune.a); AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
out=${1:?usage: run.sh OUT NAME OPTION...} name=${2:?usage: run.sh OUT NAME OPTION...}
shift 2
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
mkdir -p "$out" "$work/nothing"
export XDG_CACHE_HOME=$work/own

range=${RANGE:-1K..4G} problem=("$@")
if [[ $range == *x* ]]; then
    sweep="--rows ${range%x*} --len ${range#*x}" cold=${COLD:-100}
else
    sweep="--n $range" cold=${COLD:-40}
fi

${CC:-cc} -O2 -I. -shared -fPIC -fvisibility=hidden -o "$work/library.so" bench/embed/library.c \
    "${LIBRARY:-build/libautotune.a}" -ldl -lm -lpthread -Wl,--exclude-libs,ALL

# Tunes as TUNE says, or sweeps the range. Where sizes were too noisy (75) the others count.
tune()
{
    local one options status
    while IFS= read -r -d ';' one; do
        read -ra options <<<"$one"
        echo "autotune ${options[*]} ${problem[*]}"
        "$autotune" --device "$device" "${options[@]}" "${problem[@]}" >>"$out/untuned-$name.txt" 2>&1 ||
            { status=$? && tail -n 1 "$out/untuned-$name.txt" && [ "$status" = 75 ] || exit "$status"; }
    done <<<"${TUNE:-$sweep};"
    sed -n -e '/^gained/,/^took/{p;d}' -e '/^took/p' "$out/untuned-$name.txt"
}

# against REGIME COUNT MOST: what the library chooses, as the rival of what ships, at so many problems of at
# most MOST elements. One that cannot be timed is named, and the others go on.
against()
{
    local csv=$out/untuned-$name-$1.csv first=1 options
    rm -f "$csv"
    python3 bench/untuned/draw.py "$range" "$2" "$3" "${SEED:-11}" >"$work/drawn"
    while read -ra options; do
        LIBRARY_FROM=best LIBRARY_REGIME=$1 "$autotune" bench --device "$device" --cache "$work/nothing" --"$1" \
            "${options[@]}" "${problem[@]}" --against "$work/library.so" --rounds "${ROUNDS:-41}" \
            --csv "$work/some.csv" >/dev/null 2>"$work/some.txt" ||
            { echo "not all: $1 ${options[*]}: $(tail -n 1 "$work/some.txt")"; [ -s "$work/some.csv" ] || continue; }
        tail -n "+$first" "$work/some.csv" >>"$csv"
        first=2
        rm -f "$work/some.csv"
    done <"$work/drawn"
    python3 bench/untuned/summary.py "$csv"
}

about
: >"$out/untuned-$name.txt"
tune
against cold "$cold" 1000000000
against warm "${WARM:-30}" 12000000
