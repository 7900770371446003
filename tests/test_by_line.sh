#!/bin/bash
# Shows that a changed source of C is judged by the tests of its line (tests/mutate/by_line.sh): a fault is
# found by the test that runs it, and survives where the table has another test alone; one that is listed as equal is no
# hole; the same code and what is no C are told apart.
set -u
program=${AUTOTUNE:-build/autotune}
build=$(cd "$(dirname "$program")" && pwd) || exit 2
[ -x "$build/mutate" ] || { echo "$build/mutate is not built" && exit 77; }
nm "$build/obj/generator/error.o" | grep -q '__asan\|__tsan\|__sanitizer' &&
    echo "a build with a sanitizer is linked with others" && exit 77
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
failures=0
SOURCE=autotune/measure/stats.c
mkdir -p "$scratch/mutants/tests" "$scratch/mutants/bin"
ln -s "$build/obj" "$build/sign" "$scratch"

# expect LINE TEST COUNT WORD: of the mutants of the line that this is part of, with that test in the table.
expect() {
    local line
    line=$(grep -nF -m 1 -- "$1" $SOURCE | cut -d : -f 1)
    echo "$line 0.1 $2" > "$scratch/mutants/tests/${SOURCE//\//-}"
    "$build/mutate" -v -n "$line" -e "$scratch/equal" -c "sh tests/mutate/by_line.sh '$scratch'" $SOURCE > "$scratch/log" 2>&1
    [ "$(grep -c "^$4 " "$scratch/log")" -eq "$3" ] || {
        echo "test_by_line: not $3 mutants of '$1' by $2 are: $4" && cat "$scratch/log"
        failures=$((failures + 1))
    }
}

: > "$scratch/equal"
expect 'size_t half = count / 2;' test_stats 5 found
expect 'double p = 1;' test_csv 2 'NOT FOUND'
echo 'stats.c | equal | double p = [2]; | listed here' > "$scratch/equal"
expect 'double p = 1;' test_csv 1 equal
expect 'qsort(values, count, sizeof *values, compare_integers);' test_stats 2 'same code'
expect 'static int compare_integers' test_stats 4 'does not compile'

# What all are linked with has one of each: the library has other files built in than the program.
MUTANT=$scratch/as-it-is SOURCE=$SOURCE LINE=0
export MUTANT SOURCE LINE
mkdir -p "$MUTANT/${SOURCE%/*}"
cp "$SOURCE" "$MUTANT/$SOURCE"
sh tests/mutate/by_line.sh "$scratch"
double=$(nm -g --defined-only "$MUTANT/kept/rest.a" 2> /dev/null | awk 'NF == 3 { print $3 }' | sort | uniq -d)
[ -s "$MUTANT/kept/rest.a" ] && [ -z "$double" ] || {
    echo "test_by_line: what mutants are linked with has twice: $double"
    failures=$((failures + 1))
}

[ $failures -eq 0 ] && echo "test_by_line: all passed"
exit $((failures > 0))
