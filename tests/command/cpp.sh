#!/bin/sh
# Builds a program of C++17 with autotune.hpp by each compiler that is here, without a warning, and runs
# it on the emulator.
# shellcheck disable=SC2034 # status is of helpers
. "$(dirname "$0")/helpers"
: > err
status=0
BUILT=$(dirname "$AUTOTUNE")
if [ ! -e "$BUILT/libautotune.a" ] || nm "$BUILT/libautotune.a" 2> /dev/null | grep -q ' U __[a-z]*san_'; then
    skip cpp "no library without a sanitizer at $BUILT: make library"
    finish
fi
WARN="-Wall -Wextra -Wshadow -Wconversion -pedantic -Werror"
runs() {
    "$@" > out 2> err
    cat out
    [ "$(cat out)" = "all as it should be" ]
}
for compiler in g++ clang++; do
    if ! command -v $compiler > /dev/null; then
        skip "$compiler" "it is not here"
        continue
    fi
    # shellcheck disable=SC2086 # flags are words
    check $compiler $compiler -std=c++17 $WARN -I"$ROOT/include" "$ROOT/tests/command/device_wide.cpp" \
        "$BUILT/libautotune.a" -ldl -lm -lpthread -o program-$compiler
    check $compiler-runs runs ./program-$compiler
    if "$AUTOTUNE" doctor | grep -q '^gpu  .*libcuda.so.1'; then
        check $compiler-without-a-gpu runs ./program-$compiler without
    else
        skip $compiler-without-a-gpu "a GPU is here"
    fi
done
finish
