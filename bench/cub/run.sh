#!/bin/bash
# Measures our reductions against CUB's. Tunes every n of every table into a new cache, one after the
# other; then a fresh process for each table times the kernels of the records against CUB, by turns,
# both proven on the same input (`autotune bench --help`). Writes OUT/GPU-cub-TABLE.csv for each table,
# and OUT/GPU-cub.md with the tables, the machine and the commands.
# Usage: bench/cub/run.sh OUT [TABLE...]   (from the repository's root, after `make bench`)
#   STEPS, of "tune bench", where one call may not take that long, with RECORDS, a folder in which
#   the records stay between calls: what is in it is not tuned again; BUDGET, of one tuning (none);
#   ROUNDS (201); AGAINST (cub, and what a table names besides); NAME, of the GPU in file names; AUTOTUNE, DEVICE: about.sh
#   COUNTS, in place of every table's n: with DEVICE=host and AGAINST a library in plain C it can be
#   tried without a GPU; LIST=1 prints the tables' names
set -euo pipefail
powers=1Ki,4Ki,16Ki,64Ki,256Ki,1Mi,4Mi,16Mi,64Mi,256Mi,400M,1Gi,4Gi
others=1000,100003,3000001,400000001
small=1Ki,4Ki,16Ki,64Ki,256Ki,1Mi,4Mi
each=1Ki,2Ki,4Ki,8Ki,16Ki,32Ki,64Ki,128Ki,256Ki,512Ki,1Mi
around=$(for ((n = 1 << 10; n <= 1 << 20; n *= 2)); do printf '%d,%d,%d,' $((n - 3)) $n $((n + 1)); done)
ragged=${around}1000,3000,10007,30011,100003,300007,1000003

scanned=1Ki,4Ki,16Ki,64Ki,256Ki,1Mi,4Mi,16Mi,64Mi,256Mi,400M

# Each table: its name, what is tuned and timed, options of bench alone, every n; and which of CUB's
# sums that have to be named stands beside.
tables=(
    "sum-i32-cold|--op sum --type i32||$powers,$others"
    "sum-i32-warm|--op sum --type i32 --warm||$small"
    "sum-i32-offset4|--op sum --type i32|--offset 4|$powers,$others"
    "sum-i32-stream|--op sum --type i32|--stream|$powers,$others"
    "sum-f32-cold|--op sum --type f32||$powers"
    "sum-f32-any|--op sum --type f32 --order any||$powers|not_guaranteed"
    "order-f32|--op sum --type f32 --order n||$powers|gpu_to_gpu"
    "order-f64|--op sum --type f64 --order n||$powers|gpu_to_gpu"
    "scan-i32|--op sum --type i32 --scan inclusive||$scanned"
    "scan-f32|--op sum --type f32 --scan inclusive||$scanned"
    "scan-f32-run|--op sum --type f32 --scan inclusive --order run||$scanned"
    "sum-f64-cold|--op sum --type f64||$powers"
    "sum-i64-cold|--op sum --type i64||$powers"
    "max-i32-cold|--op max --type i32||$powers"
    "min-i32-cold|--op min --type i32||$powers"
    "sum-i32-ragged|--op sum --type i32||$ragged"
    "sum-i32-ragged4|--op sum --type i32|--offset 4|$each"
    "sum-i32-ragged8|--op sum --type i32|--offset 8|$each"
    "sum-f32-ragged|--op sum --type f32||$ragged"
    "sum-f32-ragged4|--op sum --type f32|--offset 4|$each"
    "sum-f32-ragged8|--op sum --type f32|--offset 8|$each"
    "sum-u8-cold|--op sum --type u8||1Gi"
    "sum-f16-cold|--op sum --type f16||1Gi"
)
if [ -n "${LIST:-}" ]; then
    printf '%s\n' "${tables[@]%%|*}"
    exit
fi
out=${1:?usage: run.sh OUT [TABLE...]}
shift
wanted=" $* "
# shellcheck source=bench/tuning/about.sh
. bench/tuning/about.sh

records=${RECORDS:-$work/records}
name=${NAME:-$(gpu_name)}
mkdir -p "$out" "$records"
for table in "$@"; do
    if ! printf '%s\n' "${tables[@]%%|*}" | grep -qx -e "$table"; then
        echo "run.sh: no table '$table': LIST=1 shows them" >&2
        exit 64
    fi
done

is_wanted()
{
    [[ $wanted == "  " || $wanted == *" $1 "* ]]
}

# tune OPTIONS COUNTS
tune()
{
    local n options budget=()
    read -ra options <<<"$1"
    [ -z "${BUDGET:-}" ] || budget=(--budget "$BUDGET")
    for n in ${2//,/ }; do
        "$autotune" --device "$device" "${options[@]}" --n "$n" "${budget[@]}" \
            --cache "$records" --quiet >>"$work/tune.log" 2>&1 ||
            { tail -n 3 "$work/tune.log" >&2; return 1; }
        echo "tuned: $1 --n $n" >&2
    done
}

# compare NAME OPTIONS MORE COUNTS BESIDES
compare()
{
    local options more csv=$out/$name-cub-$1.csv
    read -ra options <<<"$2"
    read -ra more <<<"$3"
    local against=${AGAINST:-cub}
    [ -n "${AGAINST:-}" ] || [ -z "$5" ] || against+=,$(dirname "$autotune")/cub-$5.so
    local command=("$autotune" bench --device "$device" --against "$against"
        "${options[@]}" "${more[@]}" --n "$4" --rounds "${ROUNDS:-201}" --cache "$records")
    "${command[@]}" --csv "$csv" >"$work/$1.txt" 2>"$work/$1.err" ||
        { cat "$work/$1.txt" "$work/$1.err" >&2; return 1; }
    {
        echo
        echo "## $1"
        echo
        local line=${command[*]}
        line=${line//$records/RECORDS}
        echo "    ${line//$autotune/autotune}"
        echo
        sed 's/^/    /' "$work/$1.err" "$work/$1.txt"
    } >"$work/$1.md"
    cat "$work/$1.txt"
}

run_step()
{
    local row table options more counts besides
    for row in "${tables[@]}"; do
        IFS='|' read -r table options more counts besides <<<"$row"
        is_wanted "$table" || continue
        counts=${COUNTS:-$counts}
        case $1 in
        tune) tune "$options" "$counts" ;;
        bench) compare "$table" "$options" "$more" "$counts" "$besides" ;;
        *) echo "run.sh: no step '$1': tune, bench" >&2; exit 64 ;;
        esac
    done
}

for step in ${STEPS:-tune bench}; do
    run_step "$step"
done
[[ " ${STEPS:-bench} " == *" bench "* ]] || exit 0
{
    echo "# Against CUB"
    echo
    about
    echo
    echo "Our kernels are those of records that were tuned before, by another process, for just" \
        "that n, operation, type and regime; the column record says how well one fits. Times are" \
        "medians of rounds in which both sides are measured by turns; the ratio is CUB's time over" \
        "ours, paired by round, with its 95 % interval. Of several versions of CUB the fastest for" \
        "that n counts."
    for row in "${tables[@]}"; do
        [ ! -e "$work/${row%%|*}.md" ] || cat "$work/${row%%|*}.md"
    done
    for type in i32 f32; do
        if ls "$out/$name-cub-sum-$type-ragged"*.csv >"$work/ragged" 2>/dev/null; then
            echo
            echo "## sum-$type-ragged beside its aligned n"
            echo
            mapfile -t csvs <"$work/ragged"
            python3 bench/cub/ragged.py "${csvs[@]}" | sed 's/^/    /'
        fi
    done
} >"$out/$name-cub.md"
