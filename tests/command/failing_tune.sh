#!/bin/bash
# Tests failing calls during a tune, in the program and in its workers: it ends with a status of its
# own, and where it says that a kernel won, that kernel is kept or it says why not; records that were
# there stay; the same command then ends well. No process and no folder is left.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
status=0
: > err
build_failing_shim failing-tune
small_space small.ini
tune() {
    timeout "$PATIENCE" "$AUTOTUNE" --device host --n 1K --space small.ini --cache "$@" > out 2> err < /dev/null
    status=$?
}
tune kept --op max
check prepare has_status 0
shown() {
    "$AUTOTUNE" show --op max --cache "$1" --csv -
}
before=$(shown kept)

ended_well() {
    [ $status -lt 128 ] || { echo "signal" && return 1; }
    [ $status -eq 0 ] || grep -q '^autotune: ' err || { echo "it says nothing" && return 1; }
    [ $status -ne 0 ] || grep -q '^op = sum' fresh/host.ini || grep -q 'warning' err ||
        { echo "a winner is lost without a word" && return 1; }
    [ -n "$before" ] && [ "$(shown fresh)" = "$before" ] ||
        { echo "the record of before is lost" && return 1; }
    ! find . -name 'autotune-*' -type d | grep -q . || { echo "a folder is left" && return 1; }
}
for call in fork:1 fork:2 fork:3 socketpair:1 socketpair:2 memfd_create:1 memfd_create:2 posix_spawnp:1 \
    dlopen:1 write:1 write:3 write:10 write:30 write:100 short:2 short:20 fsync:1 fsync:2 fsync:3 rename:1 \
    mkdir:1 flock:1 flock:2 open:5 open:10 open:20 open:40 read:3 read:30 mmap:1 mmap:5 \
    malloc:5 malloc:50 malloc:500 malloc:2000 malloc:5000; do
    rm -rf fresh && cp -r kept fresh
    export LD_PRELOAD=$SHIM FAILING_CALL=$call
    tune fresh
    unset LD_PRELOAD FAILING_CALL
    check "$call" ended_well
done
tune fresh
check afterwards has_status 0
finish
