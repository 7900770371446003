#!/bin/bash
# Tests the proofs: plants single faults in every template and has them proven, and in the C that plans
# launches and computes order n, whose tests must fail: see tests/mutate/mutate.c. Tries a fixed sample of them, one in SAMPLE (400) of each source, and stops
# after SECONDS (30) of each; FULL=1 tries all, which takes hours. A test is a source.
set -u
build=$(dirname "${AUTOTUNE:-build/autotune}")
if [ ! -x "$build/mutate" ]; then
    echo "skipped mutate: $build/mutate is not built"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
if [ -n "${FULL:-}" ]; then
    set -- -t 6
else
    set -- -s "${SAMPLE:-400}" -l "${SECONDS_EACH:-30}" -t 4
fi
passed=0 failed=0
# mutate ARGUMENT...: one source.
mutate() {
    if "$build/mutate" -e tests/mutate/equal "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
}
while read -r source spaces; do
    # shellcheck disable=SC2086 # words
    mutate "$@" "templates/$source" $spaces
done << 'END'
reduce.cu reduce reduce-wide
arg.cu arg
rows.cu rows
columns.cu columns middle
strided.cu strided
scan.cu scan
ordered.cu ordered
ordered_rows.cu ordered-rows
ordered_columns.cu ordered-columns
types.cu reduce rows columns arg scan ordered ordered-rows ordered-columns
intrinsics.cu reduce rows columns arg scan ordered ordered-rows ordered-columns
END
for source in generator/planner.h generator/call.c generator/dims.h include/autotune_reference.h \
    autotune/library/pipeline_combine.c; do
    mutate "$@" -c "tests/mutate/command.sh $build $source" "$source"
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
