#!/bin/sh
# Tests a changed C source of the program, as the command of tests/mutate/mutate.c: compiles it again, links
# it in front of the rest, and runs the tests that run the changed line, by what tests/mutate/cover.sh has
# noted, those that end soon first, until one fails. A line without code of its own, as an enum's, has the
# tests of the lines around it, or of the whole file. What C leaves undefined in the changed source ends a
# test too; what passes is tried under AddressSanitizer. FOUND_BY: a file that is told which test found it.
# Usage: by_line.sh BUILD, with the changed source at $MUTANT/$SOURCE, changed in line $LINE (0: as it is).
# Ends with 0 where all tests pass, 1: one fails, 2: it is no C, 3: it is the same code.
set -u
SECONDS_MOST=${SECONDS_MOST:-100} # after which no other test of a mutant begins
build=$(cd "${1:?usage: by_line.sh BUILD}" && pwd) || exit 2
work=$build/mutants
name=$(echo "$SOURCE" | tr / -)
kept=$MUTANT/kept
mutated=$MUTANT/build

compile() {
    gcc -std=c11 -D_GNU_SOURCE -DVERSION='"0"' -I. -w -g0 -ffile-prefix-map="$MUTANT/=" "$@" 2> "$MUTANT/errors"
}

# Optimized, more of what behaves alike is the same code.
mkdir -p "$kept" "$mutated/unit"
compile -O2 -c -o "$MUTANT/plain.o" "$MUTANT/$SOURCE" || exit 2
if [ "$LINE" = 0 ]; then
    cp "$MUTANT/plain.o" "$kept/$name.o"
    [ -e "$kept/rest.a" ] ||
        find "$build/obj/" -name '*.o' ! -name main.o ! -name main_mpi.o ! -name embedded_library.o -print0 |
        xargs -0 ar rcsT "$kept/rest.a" ||
        exit 2
    exit 0
fi
! cmp -s "$MUTANT/plain.o" "$kept/$name.o" || exit 3
# make OBJECT SOURCE OPTION...
make() {
    object=$1 changed=$2
    shift 2
    compile -O1 "$@" -c -o "$object" "$changed" || exit 2
}
undefined="-fsanitize=undefined -fsanitize-undefined-trap-on-error -D_FORTIFY_SOURCE=2"
# shellcheck disable=SC2086 # words
make "$MUTANT/mutant.o" "$MUTANT/$SOURCE" $undefined

# The tests of the line, else of the nearest lines that have any, as far as 8 lines away, else of all; first
# those that end soon and have found other mutants of the source.
finders=$kept/$name.finders
tests_of_line() {
    awk -v line="$LINE" '
        FILENAME ~ /\.finders$/ { found[$1]++; next }
        { distance = $1 < line ? line - $1 : $1 - line }
        FILENAME != "-" { if (!is_any++ || distance < nearest) nearest = distance; next }
        (nearest > 8 || distance == nearest) && !($3 in seen) {
            print $2 / (1 + 9 * found[$3]), $2, $3
            seen[$3]
        }' "$finders" "$work/tests/$name" - < "$work/tests/$name" | sort -n | cut -d ' ' -f 2-
}

# link PROGRAM OBJECT [OPTION]
link() {
    gcc ${3:+"$3"} -o "$1" "$2" "$object" "$kept/rest.a" -lcmocka -l:libinih.a -l:libxxhash.a -l:libmd.a -ldl -lm \
        -lpthread 2> "$MUTANT/errors" && return
    echo "by_line.sh: $1 cannot be linked: $(tail -n 2 "$MUTANT/errors")" >&2
    exit 2
}

# run TEST SECONDS: what it took with counters
run() {
    sh tests/mutate/one_test.sh "$work" "$mutated" "$1" $((30 + 5 * ${2%.*})) "$MUTANT/own" > "$MUTANT/log" 2>&1
}

# build TEST [OPTION]: what the test runs.
build() {
    if [ ! -e "tests/unit/$1.c" ]; then
        link "$mutated/autotune" "$build/obj/autotune/main.o" "${2:-}"
        [ -e "$mutated/sign" ] || ln -s "$build/sign" "$mutated/sign"
        return
    fi
    [ -e "$kept/$1.o" ] || compile -O1 -c -o "$kept/$1.o" "tests/unit/$1.c" || exit 2
    link "$mutated/unit/$1" "$kept/$1.o" "${2:-}"
}

# judge TEST SECONDS OPTION...: ends where the test fails, but passes with the source as it is: a busy machine may have
# no time for it.
judge() {
    test=$1 seconds=$2
    shift 2
    build "$test" "$@"
    ! run "$test" "$seconds" || return 0
    [ $# -gt 0 ] || set -- $undefined
    make "$MUTANT/plain.o" "$SOURCE" "$@"
    [ "$1" = -fsanitize=address ] || set --
    build "$test" "$@"
    object=$MUTANT/mutant.o
    run "$test" "$seconds" || return 0
    echo "$test" >> "$finders"
    [ -z "${FOUND_BY:-}" ] || echo "$SOURCE:$LINE $test $*" >> "$FOUND_BY"
    exit 1
}

end=$(($(date +%s) + SECONDS_MOST))
[ -d "$work/tests" ] || { echo "by_line.sh: no $work/tests: tests/mutate/cover.sh makes it" >&2 && exit 1; }
[ -e "$work/tests/$name" ] || exit 0
: >> "$finders"
tests_of_line > "$MUTANT/tests"
while read -r seconds test && [ "$(date +%s)" -lt "$end" ]; do
    judge "$test" "$seconds"
done < "$MUTANT/tests"

# What passes may leave memory behind, or touch what is not its own.
export CHECKED=1 ASAN_OPTIONS=detect_leaks=1
make "$MUTANT/mutant.o" "$MUTANT/$SOURCE" -fsanitize=address
awk '$1 < 20' "$MUTANT/tests" | head -n 3 > "$MUTANT/checks"
while read -r seconds test; do
    judge "$test" "$seconds" -fsanitize=address
done < "$MUTANT/checks"
exit 0
