#!/bin/bash
# Tests failing calls during a report, in the program and its processes: it ends with a status of its
# own and a sentence; a page is there whole or not at all; one that lacks what could not be read has a
# warning or says so itself; and the records stay as they were.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
status=0
: > err
build_failing_shim failing-report
run merge --cache kept "$ROOT/bench/records/nvidia-h200.ini" --quiet
check prepare has_status 0
before=$(cksum < kept/nvidia-h200.ini)
report() {
    rm -f page.html
    timeout "$PATIENCE" "$AUTOTUNE" report h200 --cache kept -o page.html > out 2> err < /dev/null
    status=$?
}
report
check whole has_status 0
size=$(stat -c %s page.html)
grep '^autotune: warning' err > usual

# Where an allocation of NVRTC's fails, NVRTC ends the process.
nvrtc_ended() {
    [ "$status" -eq 134 ] && [[ $call == malloc:* ]] && ! grep -q '^autotune: [^w]' err
}
ended_well() {
    nvrtc_ended || [ "$status" -lt 128 ] || { echo "signal" && return 1; }
    [ "$status" -ne 64 ] || { echo "it blames the command line" && return 1; }
    [ "$status" -eq 0 ] || nvrtc_ended || grep -q '^autotune: [^w]' err || { echo "it says nothing" && return 1; }
    [ ! -e page.html ] || tail -n 1 page.html | grep -q '</html>$' || { echo "half a page" && return 1; }
    [ "$status" -ne 0 ] || [ -e page.html ] || { echo "no page" && return 1; }
    [ "$status" -ne 0 ] || [ "$(stat -c %s page.html)" -ge "$size" ] ||
        grep '^autotune: warning' err | grep -qvxFf usual || { echo "less, without a word" && return 1; }
    [ "$(cksum < kept/nvidia-h200.ini)" = "$before" ] || { echo "the records have changed" && return 1; }
    ! find . -name '*.tmp*' -o -name '.autotune-*.part' | grep -q . || { echo "a file is left half" && return 1; }
}
for call in malloc:{1,3,10,30,100,300,1000,3000,10000,30000} open:{1..8} read:{1..6} read:20 write:{1,2,5} \
    short:{1,2} close:{1,2,5} mmap:{1,2,5} fork:{1,2,3} socketpair:{1,2} dlopen:{1,2} memfd_create:1 rename:1; do
    export LD_PRELOAD=$SHIM FAILING_CALL=$call
    report
    unset LD_PRELOAD FAILING_CALL
    check "$call" ended_well
done
finish
