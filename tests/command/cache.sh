#!/bin/sh
# Tests a cache that cannot be read or written: the result is printed all the same; a record that is
# lost is an error.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini

expected=0
# The result, exit status $expected, so many warnings, one that matches.
warns_times() {
    has_status $expected || { echo "exit status $status, not $expected"; return 1; }
    grep -q '^winner ' out || { echo "no result"; return 1; }
    [ "$(grep -c '^autotune: warning: ' err)" -eq "$1" ] ||
        { echo "not $1 warnings"; return 1; }
    grep -Eq "^autotune: warning: .*$2" err || { echo "no warning says '$2'"; return 1; }
}
warns() {
    warns_times 1 "$1"
}
# Neither the trials nor the record, both said before they are made.
keeps_nothing() {
    expected=74
    warns_times 1 "neither the trials nor the record can be kept: .*$1" || return 1
    expected=0
    grep -Eq "^autotune: the record is not kept: .*$1" err || { echo "no word of the record"; return 1; }
}
# The result and what could not be kept, as an error.
loses() {
    has_status 74 || { echo "exit status $status, not 74"; return 1; }
    grep -q '^winner ' out || { echo "no result"; return 1; }
    grep -Eq "^autotune: warning: the record cannot be kept: .*$1" err &&
        grep -Eq "^autotune: the record is not kept: .*$1" err
}
tune() {
    run --device host --n 1K --space small.ini "$@"
}

tune --cache /proc/autotune
check unwritable keeps_nothing "/proc/autotune"
: > file
tune --cache file
check cache-is-a-file keeps_nothing "file"
tune --cache file/below
check cache-below-a-file keeps_nothing "file"
env -u HOME -u XDG_CACHE_HOME "$AUTOTUNE" --device host --n 1K --space small.ini > out 2> err
status=$?
check no-home keeps_nothing "HOME.*--cache"
env -u HOME -u XDG_CACHE_HOME "$AUTOTUNE" show > out 2> err
status=$?
check show-no-home refused 74 "HOME.*--cache"
env -u XDG_CACHE_HOME HOME="$SCRATCH/home" "$AUTOTUNE" --device host --n 1K --space small.ini \
    > out 2> err
status=$?
check home test -s home/.cache/autotune/host.ini

# A folder that is not there yet is made, for its owner alone.
tune --cache new/deep
check makes-folder test -s new/deep/host.ini
check folder-is-private test "$(stat -c %a new/deep)" = 700
check no-warning test "$(grep -c warning err)" -eq 0

# A damaged file: a miss with a warning; kept beside the new one.
sed 's/^median_ps = ./&9/' new/deep/host.ini > damaged.ini
cp damaged.ini new/deep/host.ini
tune --cache new/deep
check damaged warns "host.ini"
check damaged-is-kept cmp damaged.ini new/deep/host.ini.damaged
check damaged-is-said grep -q 'warning: new/deep/host.ini:.*; the old file is kept as new/deep/host.ini.damaged$' err
sed 's/^median_ps = ./&8/' new/deep/host.ini > again.ini
cp again.ini new/deep/host.ini
tune --cache new/deep
check damaged-again-is-kept cmp again.ini new/deep/host.ini.damaged-2
check damaged-again-loses-nothing cmp damaged.ini new/deep/host.ini.damaged
run doctor --cache new/deep
check doctor-counts-them grep -q '^kept *2 old files of records, as host.ini.damaged:' out
tune --cache new/deep
check damaged-is-replaced grep -q '^record .*exact' err

# A damaged file of any name is told of where its records might have served, and only there.
mkdir -m 700 another
sed '1,/^params/!d' new/deep/host.ini > another/nvidia-h200.ini
chmod 600 another/nvidia-h200.ini
tune --cache another
check another-damaged warns "another/nvidia-h200.ini"
tune --cache another
check another-damaged-does-not-matter test "$(grep -c warning err)" -eq 0

# A file that must not be trusted is not touched.
mkdir other
ln -s "$SCRATCH/target.ini" other/host.ini
tune --cache other
check symlink loses "host.ini"
check symlink-target-untouched test ! -e target.ini
rm other/host.ini
mkfifo other/host.ini
tune --cache other
check fifo loses "host.ini"
rm other/host.ini
head -c 65536 /dev/urandom > other/host.ini
tune --cache other
check noise warns "host.ini"

# Nothing is kept of n = 0, and no warning given.
run --device host --n 0 --space small.ini
check n-0 has_status 0
check n-0-quiet test "$(grep -c warning err)" -eq 0
finish
