#!/bin/sh
# Tests a report in a browser, on a wide and a narrow screen, light and dark: nothing overlaps, is
# clipped or cannot be read. report_measure.js measures this on the page.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "no chromium here to lay a page out: install Debian's package chromium"
    exit 77
fi

# framed PAGE WIDTH: a page that frames the page, for a window has no width below 500, and that
# becomes what this one measures of itself.
framed() {
    cat <<END
<!DOCTYPE html>
<html><body><iframe src="$1" width="$2" height="900" style="border: 0"></iframe>
<script>
window.addEventListener("message", (event) => {
    document.body.replaceChildren(document.createTextNode("\n" + event.data + "\n"));
});
</script></body></html>
END
}

# measured PAGE WIDTH SCHEME: the lines of report_measure.js in file measures. The preferred scheme
# is 0 for dark, 1 for light.
measured() {
    framed "$1" "$2" > frame.html
    timeout "$PATIENCE" "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
        --disable-background-networking --user-data-dir="$SCRATCH/profile" --window-size=1400,1000 \
        --blink-settings=preferredColorScheme="$([ "$3" = dark ] && echo 0 || echo 1)" \
        --virtual-time-budget=5000 --dump-dom "file://$SCRATCH/frame.html" > dom 2> browser.log
    grep -E '^(MEASURED|FAULT) ' dom > measures
}

# has_measures SCHEME WIDTH DRAWINGS
has_measures() {
    grep -Eq "^MEASURED $1 $2 pieces=[0-9]{3,} drawings=$3 " measures || { cat measures browser.log; return 1; }
}
has_no_fault() {
    ! grep '^FAULT ' measures
}

# with_script PAGE: a copy that measures itself.
with_script() {
    awk -v script="$ROOT/tests/command/report_measure.js" '
    /<\/body>/ { print "<script>"; while ((getline line < script) > 0) print line; print "</script>" }
    { print }' "$1"
}

small_space small.ini
for n in 1K 2K 100K; do
    run --device host --n $n --space small.ini --quiet
done
run ladder --device host --n 1000 --rung harris --csv ladder.csv --quiet
sed 's/NVIDIA H200/host/g' "$ROOT/bench/results/h200-cub-sum-i32-cold.csv" > bench.csv
run report --bench bench.csv --ladder ladder.csv -o page.html
check page has_status 0
with_script page.html > measured.html

measured measured.html 1280 light
if ! grep -q '^MEASURED ' measures; then
    skip browser "$browser does not lay a page out here: $(tail -n 1 browser.log)"
    finish
fi
# looks NAME PAGE DRAWINGS: no fault in any of the four.
looks() {
    for width in 1280 390; do
        for scheme in light dark; do
            measured "$2" $width $scheme
            check "$1-$scheme-$width-is-laid-out" has_measures $scheme $width "$3"
            check "$1-$scheme-$width-has-no-fault" has_no_fault
        done
    done
}
looks records measured.html 4
run report v100 rtx5070 rtx5070ti -o gpus.html # published grids and ladders
with_script gpus.html > measured-gpus.html
looks published measured-gpus.html 0
with_script "$ROOT/bench/results/h200-report.html" > measured-h200.html
looks h200 measured-h200.html 4

# What is wrong is seen: each of these plants one fault.
# plants NAME RULE PATTERN: with that rule of style a fault of that kind is reported.
plants() {
    sed "s|</style>|$2</style>|" measured.html > planted.html
    measured planted.html 390 light
    check "$1" grep -Eq "^FAULT $3" measures
}
plants finds-a-wide-page 'h2 { width: 600px; }' 'the page is'
plants finds-a-clipped-label 'svg text { font-size: 40px; }' 'outside: '
plants finds-an-overlap '.bars .value { margin-left: -9rem; white-space: nowrap; } .bars .label { margin-bottom: -1.2rem; }' '.* runs into '
plants finds-pale-text '.muted { color: #ccc; }' 'contrast '
plants finds-a-narrow-cell '.heat { font-size: 2rem !important; }' 'a cell is too narrow'
check no-process-is-left no_process
finish
