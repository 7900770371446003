#!/bin/sh
# Tests a changed source of C that runs on the CPU, as the command of tests/mutate/mutate.c: compiles
# what is made of it again, links that in front of the rest, and runs the tests that must notice.
# Whatever C leaves undefined ends a test too; what passes is tried under AddressSanitizer, which sees
# memory that is not given back and bytes past it, where `checked` names a test. The first call, of the source as it is, keeps what it
# compiles, to be compared with.
# Usage: command.sh BUILD SOURCE, with the changed source at $MUTANT/SOURCE. Ends with 0 where all tests
# pass, 1: one fails, 2: it is no C, 3: it is the same code.
set -u
KIB_MOST=8388608 # of a test's memory
build=$1 source=$2 kept=$MUTANT/kept checked=
# What is compiled again, and the tests, those that end soon first.
case $source in
generator/planner.h)
    made="generator/call.c autotune/device/bind.c"
    tests="test_planner test_call test_plan_scan test_plan test_plan_matrix"
    ;;
generator/dims.h)
    made="generator/call.c autotune/device/bind.c"
    tests="test_dims test_planner test_call test_plan_scan test_plan_matrix"
    ;;
generator/call.c)
    made=$source checked=test_call
    tests="test_call test_plan_scan test_plan test_plan_matrix"
    ;;
include/autotune_reference.h)
    made="autotune/library/pipeline_combine.c"
    tests="test_reference test_pipeline"
    ;;
autotune/library/pipeline_combine.c)
    made=$source
    tests="test_pipeline"
    ;;
*)
    echo "command.sh: no tests of $source are named here" >&2
    exit 1
    ;;
esac
compile() {
    gcc -std=c11 -D_GNU_SOURCE -DVERSION='"0"' -I"$MUTANT" -I. -w -O1 -g0 \
        -ffile-prefix-map="$MUTANT/=" -fsanitize=undefined -fsanitize-undefined-trap-on-error -D_FORTIFY_SOURCE=2 "$@" \
        2> "$MUTANT/errors"
}

is_same=yes objects=
for one in $made; do
    [ ! -e "$MUTANT/$one" ] || one=$MUTANT/$one
    object=$(echo "${one#"$MUTANT"/}" | tr / -).o
    compile -c -o "$MUTANT/$object" "$one" || exit 2
    objects="$objects $MUTANT/$object"
    cmp -s "$MUTANT/$object" "$kept/$object" || is_same=
done
if [ ! -e "$kept" ]; then
    mkdir "$kept"
    find "$(cd "$build" && pwd)/obj" -name '*.o' ! -name 'main.o' ! -name main_mpi.o |
        xargs ar rcsT "$MUTANT/rest.a" || exit 2
fi
for test in $tests; do
    object=$MUTANT/$test.o
    # A test that does not read the source is the same test.
    if [ ! -e "$kept/$test.o" ] || grep -q "$source" "$kept/$test.d"; then
        compile -c -MD -MF "$MUTANT/$test.d" -o "$object" "tests/unit/$test.c" || exit 2
    fi
    [ -e "$kept/$test.o" ] || cp "$MUTANT/$test.d" "$kept"
    cmp -s "$object" "$kept/$test.o" || is_same=
done
for object in $objects $MUTANT/test_*.o; do
    [ -e "$kept/$(basename "$object")" ] || cp "$object" "$kept"
done
[ -z "$is_same" ] || exit 3
for test in $tests; do
    # shellcheck disable=SC2086 # words
    gcc -o "$MUTANT/$test" "$MUTANT/$test.o" $objects "$MUTANT/rest.a" -lcmocka -l:libinih.a \
        -l:libxxhash.a -l:libmd.a -ldl -lm -lpthread 2> "$MUTANT/errors" || exit 2
    # shellcheck disable=SC3045 # dash has it
    (ulimit -v $KIB_MOST && XDG_CACHE_HOME=$MUTANT "$MUTANT/$test") > "$MUTANT/log" 2>&1 || exit 1
done
if [ -n "$checked" ]; then
    one=$source
    [ ! -e "$MUTANT/$one" ] || one=$MUTANT/$one
    compile -fsanitize=address -o "$MUTANT/checked" "tests/unit/$checked.c" "$one" "$MUTANT/rest.a" \
        -lcmocka -l:libinih.a -l:libxxhash.a -l:libmd.a -ldl -lm -lpthread || exit 2
    ASAN_OPTIONS=detect_leaks=1 "$MUTANT/checked" > "$MUTANT/log" 2>&1 || exit 1
fi
exit 0
