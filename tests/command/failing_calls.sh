#!/bin/bash
# Tests failing calls on the program itself: for each call of the C library that it makes, the N-th
# fails, for all N that there are (of those of malloc: N in steps). Whatever fails, the program ends
# with a status of its own and says why, no record is lost, and no file is left half. Seen to fail
# where show answered 0 though the record file could not be read, and with records.tmp left behind.
# EVERY=1 tries every N.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
status=0
: > err
build_failing_shim failing-calls
shipped=$(find "$ROOT/bench/records" -name "*h200*.ini" | sort | head -n 1)
"$AUTOTUNE" merge --cache kept "$shipped" --quiet > out 2> err || { not_ok prepare "$(cat err)" && finish; }
before=$("$AUTOTUNE" show --cache kept --csv - | sort | cksum)

# fails CALL N ARGUMENT...: the program with its N-th such call failing. Was there one?
fails() {
    rm -f hit
    LD_PRELOAD=$SHIM FAILING_CALL=$1:$2 FAILING_HIT=$PWD/hit timeout "$PATIENCE" \
        "$AUTOTUNE" "${@:3}" > out 2> err < /dev/null
    status=$?
    [ -e hit ]
}

# What is wrong with how it ended; nothing if all is well.
wrong_end() {
    [ $status -lt 128 ] || { echo "signal $((status - 128))" && return; }
    [ $status -ne 64 ] || { echo "it blames the command line" && return; }
    [ $status -eq 0 ] || grep -q '^autotune: ' err || { echo "it says nothing" && return; }
    find . -name '*.tmp*' -o -name '.autotune-*.part' | grep -q . && echo "a file is left half"
}

# Every record is there still.
records_kept() {
    [ "$("$AUTOTUNE" show --cache "$1" --csv - 2> /dev/null | sort | cksum)" = "$before" ]
}

# each NAME CHECK CALLS ARGUMENT...: all calls of that verb, in turn.
each() {
    local name=$1 check=$2 call n tried=0 wrong
    for call in $3; do
        n=1
        while rm -rf fresh written && cp -r kept fresh && fails "$call" $n "${@:4}"; do
            tried=$((tried + 1))
            wrong=$(wrong_end)
            [ -n "$wrong" ] || $check || wrong="a record is lost, or its status is 0 with less than all"
            [ -z "$wrong" ] ||
                not_ok "$name: call $n of $call" "$wrong (status $status; $(tail -n 1 err))"
            [ -n "${EVERY:-}" ] || [ "$call" != malloc ] || n=$((n + n / 3))
            n=$((n + 1))
        done
    done
    check "$name: $tried calls failed one by one" test $tried -gt 0
}

# Reading: status 0 only with all that there is.
shown() {
    [ $status -ne 0 ] || [ "$(sort out | cksum)" = "$before" ] && records_kept fresh
}
# Writing: status 0 only when all was written.
merged() {
    [ $status -ne 0 ] || records_kept written || return
    [ ! -e written ] || "$AUTOTUNE" show --cache written > /dev/null 2>&1
}
merged_over() {
    records_kept fresh
}
exported() {
    [ $status -ne 0 ] || [ -s written/sum_f32.cu ]
}
DISK="open read write short fsync close rename mkdir flock"
each show shown "malloc open read close mmap" show --cache fresh --csv -
each merge merged "malloc $DISK" merge --cache written "$shipped"
each merge-over merged_over "malloc $DISK" merge --cache fresh "$shipped"
each export exported "malloc open write mkdir rename close" export --op sum --type f32 --format cu --gpu h200 \
    --cache fresh --output written
each doctor true "open dlopen fork posix_spawnp memfd_create" doctor --cache fresh
finish
