#!/bin/bash
# Tests the proofs: faults planted by hand (tests/mutate/planted, a list a template) must be found by them, and
# each variant without a fault be right. One fault in two to six is tried, by the time that a list takes, in one
# of the variants that show it; EVERY=1: all faults in all. A test is a list.
set -u
build=$(dirname "${AUTOTUNE:-build/autotune}")
if [ ! -x "$build/mutate" ]; then
    echo "skipped planted: $build/mutate is not built"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
passed=0 failed=0
for list in tests/mutate/planted/*; do
    case $list in */reduce) sample=6 ;; */scan | */mapped | */joined) sample=4 ;; *) sample=2 ;; esac
    set -- -t 1 -s "$sample"
    [ -z "${EVERY:-}" ] || set -- -t 64
    if "$build/mutate" -f "$list" "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
