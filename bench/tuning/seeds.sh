#!/bin/bash
# Measures whether every seed finds the best, and how soon. One exhaustive run is the ground truth;
# then the usual command, each time with another seed and a fresh cache, is timed from start to end.
# Times of different runs are not comparable to a percent, so the winners and the exhaustive run's
# best three race each other in runs of their own (verdict.py).
# Writes OUT/seeds-N.md, and all runs' JSON to OUT/seeds-N/.
# Usage: bench/tuning/seeds.sh OUT [N]   (default 400M; from the repository's root)
#   SEEDS, how many (20); SPACE, a space file (the default space); OPTIONS, more of the runs with
#   seeds; STEPS, of "truth seeds verdict", where one call may not take that long: what earlier
#   steps wrote to OUT is used; AUTOTUNE, DEVICE: about.sh
set -euo pipefail
out=${1:?usage: seeds.sh OUT [N]}
size=${2:-400M}
here=bench/tuning
# shellcheck source=bench/tuning/about.sh
. $here/about.sh

seeds=${SEEDS:-20}
space=${SPACE:-configs/reduce.ini}
read -ra options <<<"${OPTIONS:-}"
runs=$out/seeds-$size
mkdir -p "$runs"
common=("$autotune" --device "$device" --n "$size")
[ "$space" = configs/reduce.ini ] || common+=(--space "$space")

truth()
{
    timed "$runs/truth.s" "${common[@]}" --retune --strategy exhaustive --cache "$work/truth" \
        --json "$runs/truth.json"
    cp "$work"/truth/journal/*.journal "$runs/truth.journal"
    echo "exhaustive: $(<"$runs/truth.s") s" >&2
}

find_all()
{
    for ((seed = 1; seed <= seeds; seed++)); do
        timed "$runs/$seed.s" "${common[@]}" --retune --seed $seed "${options[@]}" \
            --cache "$work/$seed" --json "$runs/$seed.json"
        echo "seed $seed: $(<"$runs/$seed.s") s" >&2
    done
}

# Races the configs that verdict.py chose: a space whose rules leave only these.
decide()
{
    local chosen
    rm -f "$runs"/chosen-*
    python3 $here/verdict.py choose "$runs" "$seeds" "$space"
    for chosen in "$runs"/chosen-*.ini; do
        timed "${chosen%.ini}.s" "$autotune" --device "$device" --n "$size" --retune \
            --strategy exhaustive --space "$chosen" --template "${TEMPLATE:-templates/reduce.cu}" \
            --cache "$work/$(basename "$chosen" .ini)" --json "${chosen%.ini}.json"
        cp "$work/$(basename "$chosen" .ini)"/journal/*.journal "${chosen%.ini}.journal"
    done
}

for step in ${STEPS:-truth seeds verdict}; do
    case $step in
    truth) truth ;;
    seeds) find_all ;;
    verdict) decide ;;
    *) echo "seeds.sh: no step '$step': truth, seeds, verdict" >&2; exit 64 ;;
    esac
done
case " ${STEPS:-verdict} " in
*" verdict "*) ;;
*) exit 0 ;;
esac

{
    echo "# $seeds seeds, n = $size"
    echo
    about
    echo
    show "CUDA_CACHE_DISABLE=1" "${common[@]}" --retune --seed SEED "${options[@]}" --cache NEW
    echo
    echo "The truth is \`--strategy exhaustive\`, $(<"$runs/truth.s") s. The ratio is the winner's time" \
        "over that of the best of its first three places, all measured together again, interleaved."
    echo
    python3 $here/verdict.py report "$runs" "$seeds" "$space"
} >"$out/seeds-$size.md"
cat "$out/seeds-$size.md"
