#!/bin/bash
# Tunes sums of columns of bf16 and f32 and measures torch.sum(dim=0) beside them, where python3 has torch. Each shape is
# tuned into a new cache; prints a line and writes OUT/GPU-columns.csv: type,rows,len,us,gbs,peak_pct,torch_us,variant.
# Usage: bench/rows/columns.sh OUT [ROWSxLEN]...   (from the repository's root, after `make`)
#   TYPES (bf16 f32); BUDGET, of one tuning (none); NAME, of the GPU in file names; AUTOTUNE, DEVICE: about.sh; PYTHON
#   (python3), that which has torch. With DEVICE=host and small shapes it can be tried without a GPU.
set -euo pipefail
out=${1:?usage: columns.sh OUT [ROWSxLEN]...}
shift
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh

python=${PYTHON:-python3}
[ $# -gt 0 ] || set -- 333333x777 31x8000001 50000x513 16384x16384 1048576x256 100x2684354
table=$out/${NAME:-$(gpu_name)}-columns.csv
mkdir -p "$out"

# time_torch TYPE ROWS LEN: microseconds a call on inputs that together exceed the L2, or nothing.
time_torch()
{
    [ "$device" != host ] || return 0
    CUDA_VISIBLE_DEVICES=$device "$python" - "$@" 2>/dev/null <<'END' || true
import sys, torch
kind, rows, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
dtype = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "f64": torch.float64}[kind]
size = rows * length * torch.finfo(dtype).bits // 8
inputs = [torch.ones(rows, length, dtype=dtype, device="cuda") for _ in range(max(2, 2**29 // size))]
times = []
for turn in range(30):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for x in inputs:
        torch.sum(x, dim=0)
    end.record()
    end.synchronize()
    times.append(begin.elapsed_time(end) * 1000 / len(inputs))
print("%.3f" % sorted(times[5:])[len(times[5:]) // 2])
END
}

echo type,rows,len,us,gbs,peak_pct,torch_us,variant >"$table"
for shape in "$@"; do
    rows=${shape%x*} len=${shape#*x}
    for type in ${TYPES:-bf16 f32}; do
        budget=()
        [ -z "${BUDGET:-}" ] || budget=(--budget "$BUDGET")
        "$autotune" --rows "$rows" --len "$len" --axis 0 --type "$type" --device "$device" \
            --cache "$work/records" --quiet "${budget[@]}" --json "$work/tuned" >"$work/log" 2>&1 ||
            { cat "$work/log" >&2; exit 1; }
        "$python" - "$work/tuned" "$type" "$rows" "$len" "$(time_torch "$type" "$rows" "$len")" \
            <<'END' | tee -a "$table"
import json, sys
got = json.load(open(sys.argv[1]))
kind, rows, length, torch_us = sys.argv[2:]
peak = got.get("peak_pct")
cells = [kind, rows, length, "%.3f" % (got["median_ps"] / 1e6), got["gbs"],
         "" if peak is None else peak, torch_us, got["params"].replace(",", " ")]
print(",".join(str(cell) for cell in cells))
END
    done
done
