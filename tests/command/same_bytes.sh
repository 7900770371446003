#!/bin/sh
# Tests that two builds of two folders give the same bytes: the whole program and the libraries.
# Seen to fail without -ffile-prefix-map.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
status=0
: > err
build_in() {
    mkdir -p "$1" && (cd "$ROOT" && tar -cf - --exclude=./build --exclude=./.git .) | tar -xf - -C "$1" &&
        env -u MAKEFLAGS TZ="$2" make -s -C "$1" all
}
other="a/folder with a longer name/the other's"
check one build_in one UTC
check the-other build_in "$other" Asia/Tokyo
for file in autotune libautotune.a libautotune.so.0.2.0; do
    check "$file" cmp one/build/$file "$other/build/$file"
done
finish
