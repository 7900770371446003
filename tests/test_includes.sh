#!/bin/sh
# Shows that includes.sh accepts the tree as it is and finds each kind of offence: in a copy,
# each is planted alone, must be named with its file and line, and must be gone when taken out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
failures=0

fail() {
    echo "test_includes: $1"
    failures=$((failures + 1))
}

# expect FILE:LINE PHRASE: one offence, there, with these words, and status 1.
expect() {
    out=$(sh "$here/includes.sh" "$copy" 2>&1)
    status=$?
    [ $status -eq 1 ] || fail "status $status instead of 1 for $1 ($2)"
    [ "$(printf '%s\n' "$out" | wc -l)" -eq 1 ] || fail "not one offence for $1 ($2): $out"
    case $out in
    "$1: "*"$2"*) ;;
    *) fail "no '$1: ... $2' in: $out" ;;
    esac
}

expect_clean() {
    out=$(sh "$here/includes.sh" "$copy" 2>&1) || fail "$1: $out"
}

# plant FILE PHRASE LINE...: adds the lines at the end of a file, which is made where there is
# none; the offence is to be found in the last of them.
plant() {
    file=$1 phrase=$2
    shift 2
    target=$copy/$file
    mkdir -p "$(dirname "$target")"
    if [ -e "$target" ]; then cp "$target" "$copy/before"; fi
    printf '%s\n' "$@" >> "$target"
    expect "$file:$(wc -l < "$target")" "$phrase"
    if [ -e "$copy/before" ]; then mv "$copy/before" "$target"; else rm "$target"; fi
}

# allow FILE LINE...: the same lines are no offence there.
allow() {
    file=$1
    shift
    target=$copy/$file
    mkdir -p "$(dirname "$target")"
    printf '%s\n' "$@" > "$target"
    expect_clean "$file with: $*"
    rm "$target"
}

for folder in generator cache autotune include templates tests; do
    [ ! -d "$here/../$folder" ] || cp -R "$here/../$folder" "$copy/"
done
expect_clean "the tree as it is"
# Each look reads all files: a few are enough for the rest.
find "$copy" -type f ! -name 'error.[ch]' ! -name main.c ! -name 'stats.[ch]' -delete
expect_clean "a small tree"

against="against the order"
plant generator/planted.c "$against" '#include "cache/record.h"'
plant generator/planted.h "$against" '#include "autotune/device/device.h"'
plant cache/planted.c "$against" '#include "autotune/measure/stats.h"'
plant autotune/device/planted.c "$against" '  #  include <autotune/measure/stats.h>'
plant autotune/search/planted.c "$against" '#include "autotune/tune/sweep_race.h"'
plant autotune/library/planted.c "$against" '#include "autotune/print/table.h"'
plant autotune/export/planted.c "$against" '#include "autotune/library/plan.h"'
plant autotune/verify/planted.c "$against" '#include "autotune/measure/stats.h"'
plant autotune/compare/planted.c "$against" '#include "autotune/report/svg.h"'
plant autotune/report/planted.c "$against" '#include "autotune/command/list.h"'
plant generator/error.h "$against" '' '#include "cache/record.h"'
plant autotune/main.c "only" '#include "autotune/measure/stats.h"'
plant generator/planted.c "autotune/device/ and up" '#include "templates/host/host_shim.h"'
plant autotune/measure/planted.c "public face" '#include "include/autotune.h"'
plant include/planted.h "nothing of the project" '#include "generator/error.h"'
plant templates/planted.h "nothing of the project" '#include "generator/error.h"'
plant generator/planted.c "no folder of the program" '#include "tests/planted.h"'
plant generator/planted.c "name the folder" '#include "error.h"'
plant cache/planted.c '".."' '#include "generator/../generator/error.h"'
plant cache/planted.c "plain file name" '#include HEADER'
plant cache/planted.c "ini.c only" '#include <ini.h>'
plant autotune/planted.c "no folder of the program" 'int planted;'
plant generator/stats.h "taken by" 'int planted;'
plant tests/unit/stats.c "taken by" 'int planted;'

prints="prints"
plant generator/planted.c "$prints" 'static void f(void) { printf("x"); }'
plant cache/planted.c "$prints" 'static void f(void) { puts ("x"); }'
plant autotune/search/planted.c "$prints" 'static void f(FILE *g) { fputs("x", stdout); }'
plant autotune/report/planted.c "$prints" 'static FILE *f(void) { return stderr; }'
plant autotune/device/planted.c "$prints" '/* a comment' ' */ perror("x");'
plant autotune/device/planted.c "$prints" 'void f(void) { dprintf( 2, "x"); }'
plant autotune/device/planted.c "$prints" 'void f(void) { write(STDERR_FILENO, "x", 1); }'
plant autotune/search/planted.c "$prints" "char c = '\"'; putchar(c); char d = '\"';"

ends="ends the process"
plant generator/planted.c "$ends" 'static void f(void) { exit(1); }'
plant autotune/command/planted.c "$ends" 'static void f(void) { if (1) exit (1); }'
plant autotune/search/planted.c "$ends" 'static void f(void) { abort(); }'
plant autotune/search/planted.c "no exec" 'static void f(void) { _exit(1); }'
plant autotune/search/planted.c "no exec" 'execv(a, b);' 'a;' 'b;' 'c;' '_exit(1);'

allow autotune/search/planted.c 'execv(path, arguments);' '_exit(127);'
allow generator/planted.c '#include "autotune/embedded.h"'
allow autotune/search/planted.c 'if (0)' '{ execvp(a, b); _exit(127); }'
allow generator/planted.c '#include "autotune/embedded.h"'
allow autotune/search/planted.c '/* printf("x"), exit(1), stderr */ // puts("x")'
allow generator/planted.c '#include "autotune/embedded.h"'
allow autotune/search/planted.c 'const char *s = "printf(1) exit(1) stderr \" puts(2)";'
allow generator/planted.c '#include "autotune/embedded.h"'
allow autotune/search/planted.c 'snprintf(s, 1, "x"); fprintf(file, "x"); on_exit_of(1);'
allow generator/planted.c '#include "autotune/embedded.h"'
allow autotune/search/planted.c '/*' '#include "autotune/print/table.h"' '*/'
allow generator/planted.c '#include "autotune/embedded.h"'
allow autotune/search/planted.c '#include "cache/record.h"' '#include "autotune/embedded.h"'
allow generator/planted.c '#include "autotune/embedded.h"'
allow autotune/command/planted.c '#include "autotune/print/table.h"' 'puts("x");'
allow autotune/command/watchdog.c '_exit(1);'
allow autotune/library/planted.c '#include "include/autotune.h"' '#include <stdio.h>'
allow tests/unit/planted.c '#include "autotune/print/table.h"' 'exit(puts("x"));'

# Under git the files are git's: the same offence is found, and in an ignored folder none is.
if command -v git > /dev/null && git init -q "$copy"; then
    echo '/build/' > "$copy/.gitignore"
    expect_clean "the same under git"
    plant generator/planted.c "$against" '#include "cache/record.h"'
    allow build/generator/error.h 'int planted;'
fi

rm -rf "$copy/generator" "$copy/cache" "$copy/autotune" "$copy/include"
sh "$here/includes.sh" "$copy" > "$copy/out" 2>&1
[ $? -eq 2 ] || fail "an empty tree passes"

[ $failures -eq 0 ] && echo "test_includes: all passed"
exit $((failures > 0))
