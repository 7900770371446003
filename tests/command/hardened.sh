#!/bin/sh
# Tests how the program and the library were linked and compiled: what an attacker who can write past
# an array would need is not there. Seen to fail without each of the options in the Makefile.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
status=0
: > err
LIBRARY=$(echo "${AUTOTUNE%/*}"/libautotune.so.*)

has() { readelf -W "$1" "$2" | grep -q "$3"; }
check position-independent has -h "$AUTOTUNE" 'Type: *DYN'
check program-pie has -d "$AUTOTUNE" 'FLAGS_1.*PIE'
for file in "$AUTOTUNE" "$LIBRARY"; do
    base=$(basename "$file")
    check "$base-relro" has -l "$file" GNU_RELRO
    check "$base-now" has -d "$file" 'FLAGS_1.*NOW'
    check "$base-stack-is-not-run" sh -c "readelf -W -l '$file' | grep GNU_STACK | grep -qv RWE"
    check "$base-no-text-relocations" sh -c "! readelf -W -d '$file' | grep -q TEXTREL"
done

# The libraries that are linked in may have been hardened by others: the objects tell.
objects=${AUTOTUNE%/*}/obj
mentions() { nm "$1" | grep -q "$2"; }
if grep -q -e -fsanitize "${AUTOTUNE%/*}/flags"; then
    skip fortified "a sanitizer has that part"
elif ! printf '#include <features.h>\n__GLIBC__\n' | cc -E - 2> /dev/null | grep -qx 2 ||
    grep -q -e ' -O0 ' "${AUTOTUNE%/*}/flags"; then
    skip fortified "no glibc, or nothing is optimized"
else
    check fortified mentions "$objects/generator/text.o" '__vsnprintf_chk'
fi
check stack-protector mentions "$objects/autotune/device/host_compile.o" __stack_chk_fail
finish
