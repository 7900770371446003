#!/bin/sh
# Runs clang-tidy with .clang-tidy's checks, a file a core at a time, and ends with "N passed, N
# failed, N skipped", a file each; exit status 1 when it finds anything.
# Usage: tests/tidy.sh all|some -- FLAG...
#   all    every source of the program
#   some   those that differ from the branch main, and a sixteenth of the others, another every day
set -u
which=${1:?usage: tests/tidy.sh all|some -- FLAG...}
shift 2
cd "$(dirname "$0")/.." || exit 2
tidy=build/tools/bin/clang-tidy found=build/tidy
rm -rf "$found"
mkdir -p "$found"
day=$(($(date +%s) / 86400 % 16))

list_changed() {
    base=$(git merge-base HEAD origin/main 2> /dev/null || git merge-base HEAD main) &&
        git diff --name-only "$base"
} 2> /dev/null

has_python() {
    python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")'
} 2> /dev/null

# What speaks to an MPI, or to Python, has its header where there is one.
list_sources() {
    find generator cache autotune python -name '*.c' | sort |
        if command -v "${MPICC:-mpicc}" > /dev/null; then cat; else grep -v main_mpi; fi |
        if has_python; then cat; else grep -v '^python/'; fi
}

# Those of both lists once.
list_some() {
    list_sources > "$found/sources"
    list_changed | grep -Fx -f "$found/sources"
    awk -v day=$day 'NR % 16 == day' "$found/sources"
}

if [ "$which" = all ]; then list_sources; else list_some | sort -u; fi > "$found/files"
# shellcheck disable=SC2016 # for the inner shell
xargs -P "$(nproc)" -I FILE sh -c '
    log=$1/$(echo "$2" | tr / -).log
    "$0" --quiet --warnings-as-errors="*" "$2" -- $3 > "$log" 2> "$log.errors" || {
        grep -v "warnings\? generated" "$log.errors" >> "$log"
        mv "$log" "$log.wrong"
    }' "$tidy" "$found" FILE "$*" < "$found/files"
files=$(wc -l < "$found/files")
failed=$(find "$found" -name '*.wrong' | wc -l)
find "$found" -name '*.wrong' -exec cat {} +
echo "$((files - failed)) passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
