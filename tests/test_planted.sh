#!/bin/bash
# Tests the proofs: faults planted by hand (tests/mutate/planted, a list a template) must be found by them, and
# each variant without a fault be right. One in twelve is tried, others every day ($DAY), a fault in one of the
# variants that show it; EVERY=1: all faults in all. A test is a list.
set -u
build=$(dirname "${AUTOTUNE:-build/autotune}")
if [ ! -x "$build/mutate" ]; then
    echo "skipped planted: $build/mutate is not built"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
passed=0 failed=0 parts=12
part=$((${DAY:-$(date +%s) / 86400} % parts + 1))
for list in tests/mutate/planted/*; do
    set -- -t 1 -p "$part/$parts"
    [ -z "${EVERY:-}" ] || set -- -t 64
    if "$build/mutate" -f "$list" "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
