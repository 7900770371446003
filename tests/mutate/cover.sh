#!/bin/bash
# Notes which tests run which lines of C: builds all with counters in BUILD/mutants, runs each test by
# itself, and writes BUILD/mutants/tests/SOURCE, whose rows "LINE SECONDS TEST" are sorted by seconds. A
# test that fails twice or takes LONGEST seconds is left out, and named. What is there is kept: a test runs
# again where it has changed or was left out, all where a source has. Usage: tests/mutate/cover.sh BUILD
set -u
build=$(cd "${1:?usage: tests/mutate/cover.sh BUILD}" && pwd) || exit 2
cd "$(dirname "$0")/../.." || exit 2
LONGEST=300
JOBS=${JOBS:-$(nproc)}
work=$build/mutants
mkdir -p "$work/lines" "$work/bin" "$work/kernels"

for name in cc gcc clang; do
    real=$(command -v $name) && sed "s|REAL|$real|; s|VERSION|$("$real" --version | sha1sum | cut -c 1-40)|" \
        tests/cc > "$work/bin/$name" && chmod +x "$work/bin/$name"
done
if [ ! "$work/counts.o" -nt tests/mutate/counts.c ]; then
    rm -f "$work/autotune" "$work"/unit/*
    gcc -c -o "$work/counts.o" tests/mutate/counts.c || exit 2
fi
# shellcheck disable=SC2046 # names
make -s -j"$JOBS" BUILD="$work" CFLAGS='-O0 -w' SANITIZE=--coverage CC=gcc \
    LIBS="$work/counts.o -Wl,--wrap=_exit,--wrap=kill -l:libinih.a -l:libxxhash.a -l:libmd.a -ldl -lm -lpthread" \
    "$work/autotune" "$work/sign" $(basename -s .c -a tests/unit/test_*.c | sed "s|^|$work/unit/|") || exit 2
sources=$(cat cache/*.[ch] generator/*.[ch] autotune/*/*.[ch] | sha1sum)
[ "$sources" = "$(cat "$work/sources" 2> /dev/null)" ] || rm -f "$work"/lines/*
echo "$sources" > "$work/sources"

# Every unit test, and the shell tests that run the program, but those that take long (tests/long) or build
# it anew. Of those that take long, `sweep` alone shows most of what a sweep is.
list_tests() {
    {
        basename -s .c -a tests/unit/test_*.c
        basename -s .sh -a tests/command/*.sh
    } | awk '
    FILENAME != "-" {
        if ($1 != "sweep" && ($2 > 25 || $4 == "alone")) is_long[$1]
        next
    }
    !($1 in is_long)' tests/long - |
        grep -vxE 'docs(_commands)?|killed_merges|failing_.*|install|hardened|library|sums|same_bytes|export_builds|gpu_steps|flags|test_failing_.*'
}

# Runs the test NAME by itself, its counts below the folder COUNTS. What cannot be counted is not told: tests
# look at stderr. The test's own folder has a short path, for they look at widths too.
try() {
    rm -rf "$2" && mkdir -p "$2" && own=$(mktemp -d) || return
    start=$(date +%s.%N)
    log=$(GCOV_ERROR_FILE=/dev/null GCOV_PREFIX=$2 sh tests/mutate/one_test.sh "$work" "$work" "$1" "$LONGEST" "$own" 2>&1)
    status=$?
    rm -rf "$own"
    [ $status -eq 0 ] || return
    seconds=$(echo "$start $(date +%s.%N)" | awk '{ printf "%.1f", $2 - $1 }')
}

# Notes the lines of the test NAME where it passes.
note() {
    local name=$1 counts=$work/counts/$1 file log start seconds status own notes
    [ -e "tests/unit/$name.c" ] && file=tests/unit/$name.c || file=tests/command/$name.sh
    [ ! -e "$work/lines/$name" ] || [ "$file" -nt "$work/lines/$name" ] || return
    if try "$name" "$counts" || try "$name" "$counts"; then
        find "$counts" -name '*.gcda' -path '*/obj/*' | while read -r counted; do
            notes=${counted#"$counts"}
            ln -s "${notes%.gcda}.gcno" "${counted%.gcda}.gcno"
        done
        find "$counts" -name "*.gcda" -path "*/obj/*" -exec gcov -t {} + 2> /dev/null | awk '
            /:Source:/ { sub(/.*:Source:(\.\/)?/, ""); file = $0; next }
            file ~ /^(cache|generator|autotune\/[a-z]*)\/[a-z_]*\.c$/ {
                split($0, part, ":")
                if (part[1] ~ /[0-9]/) print file, part[2] + 0
            }' | sort -u > "$work/lines/$name.part"
        { echo "$seconds" && cat "$work/lines/$name.part"; } > "$work/lines/$name"
    else
        printf '%s\n' "$log" | tail -n 20
        echo "left out: $name does not pass"
        rm -f "$work/lines/$name"
    fi
    rm -rf "$counts" "$work/lines/$name.part"
}

export -f note try
export work LONGEST
list_tests | xargs -P "$JOBS" -I NAME bash -c 'note NAME'
rm -rf "$work/tests" && mkdir "$work/tests"
awk -v folder="$work/tests" '
    FNR == 1 { seconds = $1; name = FILENAME; sub(/.*\//, "", name); next }
    { gsub("/", "-", $1); print $2, seconds, name > (folder "/" $1) }' "$work"/lines/*
for table in "$work"/tests/*; do
    sort -n -k 1,1 -k 2,2 -o "$table" "$table"
done
