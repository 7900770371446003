#!/bin/sh
# Runs one test file by itself, as tests/run does, but to its first failure, and with process numbers of its
# own where that can be: a mutant may end whatever it reaches. Uses what tests/mutate/cover.sh has made.
# Usage: one_test.sh MUTANTS BUILD NAME SECONDS FOLDER   MUTANTS: of cover.sh; FOLDER: for what the test leaves
# Status 0: passed, or skipped.
KIB_MOST=8388608 # of a test's memory
work=$1 build=$2 name=$3 seconds=$4 folder=$5
export AUTOTUNE="$build/autotune" KERNELS="$work/kernels" PATH="$work/bin:$PATH" FAIL_FAST=1 CMOCKA_TEST_ABORT=1
export XDG_CACHE_HOME="$folder/cache" TMPDIR="$folder/tmp"
mkdir -p "$XDG_CACHE_HOME" "$TMPDIR"
shell=tests/command/$name.sh
if [ ! -e "$shell" ]; then
    set -- "$build/unit/$name"
elif head -n 1 "$shell" | grep -q bash; then
    set -- bash "$shell"
else
    set -- sh "$shell"
fi
set -- timeout -k 5 "$seconds" "$@"
# The shell waits for the children of those that have ended, as the first process must.
if unshare --pid --fork --kill-child --mount-proc true 2> /dev/null; then
    # shellcheck disable=SC2016 # for the inner shell
    set -- unshare --pid --fork --kill-child --mount-proc sh -c '"$@"; exit $?' sh "$@"
fi
# shellcheck disable=SC3045 # dash has it
[ -n "${CHECKED:-}" ] || ulimit -v $KIB_MOST # AddressSanitizer maps more
ulimit -t "$seconds"
env --default-signal=INT,QUIT "$@" < /dev/null
status=$?
rm -rf "$folder/cache" "$folder/tmp"
[ $status -eq 0 ] || [ $status -eq 77 ]
