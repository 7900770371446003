#!/bin/bash
# Measures tuned kernels in other programs: sweeps 1K..4G, exports the records, builds the export and
# the library into shared objects, and times both, and CUB, against the program's own kernels, at
# every n of the sweep. Then measures the sweep's intervals again (--confirm).
# Writes OUT/embed.md and OUT/embed-AGAINST.csv.
# Usage: bench/embed/run.sh OUT   (from the repository's root, after `make` and `make bench`)
#   TYPE (i32); RANGE (1K..4G); ROUNDS (101); CUB, its shared objects ("cub": those of build/);
#   LIBRARY, the static library (build/libautotune.a); RECORDS, a folder whose sweep is used;
#   AUTOTUNE, DEVICE: bench/tuning/about.sh
set -euo pipefail
out=${1:?usage: run.sh OUT}
here=bench/embed
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh
mkdir -p "$out"

type=${TYPE:-i32} range=${RANGE:-1K..4G} rounds=${ROUNDS:-101}
declare -A element=([i32]=int32_t [u32]=uint32_t [f32]=float [f64]=double [i64]=int64_t)
nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || { echo "run.sh: it needs nvcc" >&2; exit 69; }
export XDG_CACHE_HOME=${RECORDS:-$work/cache}
LIMIT=${LIMIT:-560}

sweep=("$autotune" --device "$device" --type "$type" --n "$range")
timed "$work/sweep.s" "${sweep[@]}"
timed "$work/confirm.s" "${sweep[@]}" --confirm

"$autotune" export --format cu --type "$type" --prefix exported --output "$work" >/dev/null
gencode=()
[ "$device" = host ] || gencode=(-arch=native)
"$nvcc" -std=c++17 -O3 "${gencode[@]}" -cudart static -shared -Xcompiler -fPIC,-fvisibility=hidden -I. \
    -I"$work" "-DELEM=\"$type\"" "-DACC=\"$type\"" "-DOP=\"sum\"" "-DTYPE=${element[$type]}" \
    "-DRESULT=${element[$type]}" -o "$work/exported.so" $here/exported.cu "$work/exported.cu"
${CC:-cc} -O2 -I. -shared -fPIC -fvisibility=hidden -o "$work/library.so" $here/library.c \
    "${LIBRARY:-build/libautotune.a}" -ldl -lm -lpthread -Wl,--exclude-libs,ALL

counts=$(awk '/^depth = /{n = $3} /^regime = cold/{print n}' "$XDG_CACHE_HOME"/autotune/*.ini |
    sort -nu | paste -sd ,)
declare -A against=([exported]=$work/exported.so [library]=$work/library.so [cub]=${CUB:-cub})
for name in exported library cub; do
    "$autotune" bench --device "$device" --against "${against[$name]}" --type "$type" --n "$counts" \
        --rounds "$rounds" --csv "$out/embed-$name.csv" >"$work/$name.txt" 2>"$work/$name.err" ||
        { cat "$work/$name.err" "$work/$name.txt" >&2; exit 1; }
done

block() { sed "s|$work|NEW|g; s/^/    /" "$@"; }
{
    echo "# Tuned once, used elsewhere"
    echo
    about
    echo
    echo "The sweep took $(<"$work/sweep.s") s:"
    echo
    show "${sweep[@]}"
    echo
    block "$work/sweep.s.log"
    echo
    echo "Measured again (--confirm, $(<"$work/confirm.s") s):"
    echo
    block "$work/confirm.s.log"
    for name in exported library cub; do
        echo
        echo "## $name"
        echo
        block "$work/$name.err" "$work/$name.txt"
    done
} >"$out/embed.md"
cat "$out/embed.md"
