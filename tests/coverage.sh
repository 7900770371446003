#!/bin/sh
# Runs the tests of `make test` in a build that counts lines, and prints how many of each folder's
# lines have run. Usage: tests/coverage.sh BUILD   (built with --coverage; it starts from nothing)
set -u
build=$(cd "${1:?usage: tests/coverage.sh BUILD}" && pwd) || exit 2
cd "$(dirname "$0")/.." || exit 2
find "$build" -name '*.gcda' -delete
tests/run "$build" quick -docs # whose example links the archive as a user does, without gcov
status=$?
# A source has one object, whose counts gcov prints beside those of the headers it includes.
find "$build/obj" -name '*.gcno' | while read -r notes; do
    gcov -n "${notes%.gcno}.o" 2> /dev/null
done | awk '
    /^File / { file = $2; gsub("\047", "", file) }
    /^Lines executed:/ && file ~ /^(generator|cache|autotune)\/.*\.c$/ {
        split($2, part, /[:%]/)
        folder = file
        sub(/\/[^\/]*$/, "", folder)
        run[folder] += part[2] / 100 * $4
        all[folder] += $4
    }
    END {
        for (folder in all) {
            printf "%-20s %6.1f %% of %6d lines\n", folder, 100 * run[folder] / all[folder], all[folder]
            ran += run[folder]
            lines += all[folder]
        }
        if (!lines) exit 1
        printf "%-20s %6.1f %% of %6d lines\n", "the program", 100 * ran / lines, lines
    }' | sort || exit 1
exit $status
