#!/bin/sh
# Builds a program of Fortran with autotune.f90, without a warning, and runs it on the emulator.
# shellcheck disable=SC2034 # status is of helpers
. "$(dirname "$0")/helpers"
: > err
status=0
BUILT=$(dirname "$AUTOTUNE")
if ! command -v gfortran > /dev/null; then
    skip fortran "no gfortran here"
    finish
fi
if [ ! -e "$BUILT/libautotune.a" ] || nm "$BUILT/libautotune.a" 2> /dev/null | grep -q ' U __[a-z]*san_'; then
    skip fortran "no library without a sanitizer at $BUILT: make library"
    finish
fi
runs() {
    ./program > out 2> err
    cat out
    [ "$(cat out)" = "all as it should be" ]
}
check layout-builds cc -std=c11 -I"$ROOT" -c "$ROOT/tests/command/fortran_layout.c" -o layout.o
check builds gfortran -std=f2008 -Wall -Wextra -Werror -fcheck=all "$ROOT/include/autotune.f90" \
    "$ROOT/tests/command/fortran_program.f90" layout.o "$BUILT/libautotune.a" -ldl -lm -lpthread -o program
check runs runs
finish
