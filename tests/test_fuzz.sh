#!/bin/sh
# Checks fuzz.sh by planted fuzzers: undefined behaviour is a failure with the options that the
# Makefile gives, and so is a crash; what does neither passes.
# Seen to fail without -fno-sanitize-recover=undefined in the Makefile.
set -u
here=$(cd "$(dirname "$0")" && pwd) || exit 1
command -v clang > /dev/null || { echo "no clang here"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "test_fuzz: $1"
    failures=$((failures + 1))
}

# The options of a fuzzer's objects, from the command that makes one.
flags=$(cd "$here/.." && make -n V=1 CC=clang BUILD="$folder/build" \
    SANITIZE=-fsanitize=fuzzer-no-link,address,undefined "$folder/build/obj/generator/error.o" |
    tr ' ' '\n' | grep '^-fsanitize\|^-fno-sanitize' | tr '\n' ' ')

# plant BODY: a fuzzer with this body in the place of fuzz_number, whose corpus it is given.
plant() {
    cat > "$folder/planted.c" << EOF
#include <limits.h>
#include <stddef.h>
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    $1
    return 0;
}
EOF
    # shellcheck disable=SC2086 # words
    clang $flags -fsanitize=fuzzer -o "$folder/fuzz_number" "$folder/planted.c" ||
        fail "does not compile: $1"
}

# expect STATUS BODY
expect() {
    plant "$2"
    sh "$here/fuzz.sh" "$folder" 1 fuzz_number > "$folder/out" 2>&1
    status=$?
    [ $status -eq "$1" ] || fail "status $status instead of $1 for: $2: $(head -n 3 "$folder/out" | tr "\n" " ")"
}

expect 1 'volatile int most = INT_MAX; most = most + (size > 0 && data[0]);'
expect 1 'if (size > 0 && data[size] == 0) __builtin_trap();'
expect 0 'if (size > 1 && data[0] == data[1]) return 0;'

[ $failures -eq 0 ] && echo "test_fuzz: all passed"
exit $((failures > 0))
