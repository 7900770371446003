#!/bin/bash
# Judges a sweep from outside: sweeps 1K..4G from no records but those that ship, then times what the library
# chooses with these records against what ships, by turns, at n drawn at random: 40 of 1,000 to 1G cold, 30 of
# 1,000 to 12M warm, none of them the sweep's.
# Writes OUT/untuned-NAME-cold.csv, OUT/untuned-NAME-warm.csv and the sweep's own output, and prints the means.
# Usage: bench/untuned/run.sh OUT NAME OPTION...   (from the repository's root, after `make`)
#   NAME, of the files, as max-i32; OPTION..., the problem, as --op max --type i32; SEED (11), ROUNDS (41),
#   RANGE (1K..4G); LIBRARY, the static library (build/libautotune.a); AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
out=${1:?usage: run.sh OUT NAME OPTION...} name=${2:?usage: run.sh OUT NAME OPTION...}
shift 2
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
mkdir -p "$out" "$work/nothing"
export XDG_CACHE_HOME=$work/own

${CC:-cc} -O2 -I. -shared -fPIC -fvisibility=hidden -o "$work/library.so" bench/embed/library.c \
    "${LIBRARY:-build/libautotune.a}" -ldl -lm -lpthread -Wl,--exclude-libs,ALL

# draw COUNT HIGH: so many n from 1,000 on, as many in each factor.
draw()
{
    python3 -c "
import random
random.seed(${SEED:-11} + $2)
print(','.join(str(n) for n in sorted({int(1000 * ($2 / 1000) ** random.random()) for _ in range($1)})))"
}

# against REGIME NS: what the library chooses, as the rival of what ships.
against()
{
    LIBRARY_REGIME=$1 "$autotune" bench --device "$device" --cache "$work/nothing" --"$1" --n "$2" "${problem[@]}" \
        --against "$work/library.so" --rounds "${ROUNDS:-41}" --csv "$out/untuned-$name-$1.csv" >/dev/null
}

problem=("$@")
about
echo "autotune --n ${RANGE:-1K..4G} $*"
"$autotune" --device "$device" --n "${RANGE:-1K..4G}" "${problem[@]}" >"$out/untuned-$name.txt" 2>&1
sed -n '/^gained/,/^took/p' "$out/untuned-$name.txt"
against cold "$(draw 40 1000000000)"
against warm "$(draw 30 12000000)"
python3 bench/untuned/summary.py "$out/untuned-$name-cold.csv" "$out/untuned-$name-warm.csv"
