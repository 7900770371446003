#!/bin/bash
# Measures our rows and columns against CUB's segmented reduction and torch.sum, float32. Tunes every
# shape into a new cache; then times the kernels of the records against CUB, both proven on the same
# input, by turns, and torch.sum where it is installed, alike in a process of its own. Writes
# OUT/GPU-rows-f32.csv and OUT/GPU-columns-f32.csv: len,rows,cub_us,torch_us,ours_us,ours_gbs,
# peak_pct,variant. CUB has no columns: there ours is the time of the tuning.
# Usage: bench/rows/run.sh OUT [ROWSxLEN[xAXIS]...]   (from the repository's root, after `make bench`)
#   STEPS, of "tune bench", and LENS, of the usual lengths (none: few long rows and the columns
#   alone), where one call may not take that long, with RECORDS, a folder in which the records and
#   the lines of the tables stay between calls; a call's tables have the lines of those before it.
#   24 shapes take about 2 minutes to tune and 4 to bench on an H200; N, the elements of all rows of
#   the usual lengths (2^28); BUDGET, of one tuning (none); ROUNDS (201); AGAINST (cub); NAME, of
#   the GPU in file names; AUTOTUNE, DEVICE: about.sh; PYTHON (python3), that which has torch
#   With DEVICE=host, AGAINST a library in plain C and small shapes it can be tried without a GPU.
set -euo pipefail
usual="1 2 3 7 16 31 32 33 64 100 128 256 512 1000 1024 4096 10007 65536"
out=${1:?usage: run.sh OUT [ROWSxLEN[xAXIS]...]}
shift
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh

python=${PYTHON:-python3}
n=${N:-268435456}
records=${RECORDS:-$work/records}
name=${NAME:-$(gpu_name)}
lines=$records/lines
mkdir -p "$out" "$lines"
if [ $# -eq 0 ]; then
    for len in ${LENS-$usual}; do set -- "$@" "$((n / len))x$len"; done
    if [ -z "${LENS:-}" ]; then
        for rows in 100 8 1; do set -- "$@" "${rows}x$((n / rows))"; done
        set -- "$@" 1048576x256x0 16384x16384x0 256x1048576x0
    fi
fi

# Sets rows, len, axis and the options that every command has.
take_shape()
{
    IFS=x read -r rows len axis <<<"$1"
    axis=${axis:-1}
    problem=(--rows "$rows" --len "$len" --axis "$axis" --type f32 --device "$device"
        --cache "$records" --quiet)
}

# autotune_or_stop ARGUMENT...: says why it failed.
autotune_or_stop()
{
    "$autotune" "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
}

# A shape that has a record is not tuned again.
tune()
{
    local budget=()
    take_shape "$1"
    [ -z "${BUDGET:-}" ] || budget=(--budget "$BUDGET")
    autotune_or_stop "${problem[@]}" "${budget[@]}" --json "$lines/$rows-$len-$axis.tuned"
    echo "tuned: $1" >&2
}

# torch_sum.py's times of all shapes; nothing without a torch.
time_torch()
{
    if [ "$device" != host ] && "$python" -c 'import torch' 2>/dev/null; then
        CUDA_VISIBLE_DEVICES=$device "$python" bench/rows/torch_sum.py "$@" || true
    fi
}

# The line of the table, of a bench's JSON or, without one, of a tuning's.
write_line()
{
    "$python" - "$@" <<'END'
import json, sys
file, rows, length, torch_us = sys.argv[1:]
got = json.load(open(file))
if file.endswith(".tuned"):
    got["ours_us"] = "%.3f" % (got["median_ps"] / 1e6)
    got["ours_gbs"] = got["gbs"]
    got["variant"] = got["params"]
else:
    got = got[0]
cells = [length, rows, got.get("cub_us"), torch_us, got["ours_us"], got["ours_gbs"],
         got.get("peak_pct"), got["variant"].replace(",", " ")]
print(",".join("" if cell is None else str(cell) for cell in cells))
END
}

bench()
{
    local file torch_us
    take_shape "$1"
    file=$lines/$rows-$len-$axis.tuned
    [ -e "$file" ] || tune "$1"
    if [ "$axis" = 1 ]; then
        file=$work/bench.json
        autotune_or_stop bench "${problem[@]}" --against "${AGAINST:-cub}" \
            --rounds "${ROUNDS:-201}" --json "$file"
    fi
    torch_us=$(sed -n "s/^$rows,$len,$axis,//p" "$work/torch.csv")
    write_line "$file" "$rows" "$len" "$torch_us" | tee "$lines/$rows-$len-$axis.line"
}

# write_table FILE AXIS: shorter rows first.
write_table()
{
    local found=("$lines"/*-"$2".line)
    [ -e "${found[0]}" ] || return 0
    {
        echo len,rows,cub_us,torch_us,ours_us,ours_gbs,peak_pct,variant
        sort -t, -k1,1n -k2,2n "${found[@]}"
    } >"$out/$1"
}

for step in ${STEPS:-tune bench}; do
    case $step in
    tune) ;;
    bench) time_torch "$@" >"$work/torch.csv" ;;
    *) echo "run.sh: no step '$step': tune, bench" >&2; exit 64 ;;
    esac
    for shape in "$@"; do "$step" "$shape"; done
done
write_table "$name-rows-f32.csv" 1
write_table "$name-columns-f32.csv" 0
