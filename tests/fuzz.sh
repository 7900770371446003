#!/bin/sh
# Runs each fuzzer for a while, from its kept corpus; what it finds new stays in BUILD.
# Usage: tests/fuzz.sh BUILD [SECONDS [NAME...]]; ends with "N passed, N failed, N skipped".
set -u
build=${1:?usage: tests/fuzz.sh BUILD [SECONDS [NAME...]]} seconds=${2:-60}
shift $(($# < 2 ? $# : 2))
here=$(dirname "$0")
passed=0 failed=0
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(basename -s .c -a "$here"/fuzz/fuzz_*.c)
for name; do
    found=$build/found/${name#fuzz_} log=$build/$name.log
    mkdir -p "$found"
    "$build/$name" -max_total_time="$seconds" -timeout=10 -artifact_prefix="$build/$name-" \
        "$found" "$here/fuzz/corpus/${name#fuzz_}" > "$log" 2>&1 < /dev/null
    status=$?
    if [ $status -eq 0 ]; then
        passed=$((passed + 1))
        echo "$name: $(sed -n 's/^Done \([0-9]*\) runs in \([0-9]*\).*/\1 inputs in \2 s/p' "$log")"
    else
        failed=$((failed + 1))
        echo "$name: status $status; the input is kept as $build/$name-*"
        tail -n 40 "$log"
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
