#!/bin/sh
# Shows that dims.sh accepts the tree as it is and finds each kind of offence: in a copy, each is
# planted alone, must be named with its file and line, and must be gone when taken out.
set -u
here=$(cd "$(dirname "$0")" && pwd)
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
failures=0

fail() {
    echo "test_dims: $1"
    failures=$((failures + 1))
}

# plant FILE LINE PHRASE: the line alone in a new file is an offence, named with these words.
plant() {
    mkdir -p "$copy/$(dirname "$1")"
    printf '/* a file */\n%s\n' "$2" > "$copy/$1"
    out=$(sh "$here/dims.sh" "$copy" 2>&1)
    [ $? -eq 1 ] || fail "not refused: $2"
    case $out in
    "$1:2: "*"$3"*) ;;
    *) fail "no '$1:2: ... $3' for '$2' in: $out" ;;
    esac
    rm "$copy/$1"
}

# allow FILE LINE: the same is no offence there.
allow() {
    mkdir -p "$copy/$(dirname "$1")"
    printf '%s\n' "$2" > "$copy/$1"
    out=$(sh "$here/dims.sh" "$copy" 2>&1) || fail "$1 with '$2': $out"
    rm "$copy/$1"
}

out=$(sh "$here/dims.sh" 2>&1) || fail "the tree as it is: $out"
count=$(sed -n "/^allowed='/,/^'/p" "$here/dims.sh" | grep -c '^[a-z]*/')
[ "$count" -le 9 ] || fail "$count files are allowed, and 9 are the most"
mkdir "$copy/generator"
echo 'int a;' > "$copy/generator/error.c"

plant autotune/tune/planted.c 'if (is_matrix(problem)) return;' 'matrix'
plant autotune/tune/planted.c 'enum { MATRIX_WIDTH = 3 };' 'matrix'
plant cache/planted.c 'uint64_t pitch = 3;' 'pitch'
plant generator/planted.h 'int axis;' 'axis'
plant autotune/command/planted.c 'text_adds(out, "of rows");' 'rows'
plant autotune/command/planted.c 'text_adds(out, "a value for each column");' 'columns'
plant autotune/command/planted.c 'text_adds(out, "give --rows");' 'rows'
plant autotune/library/planted.c 'const bool is_rows = true;' 'rows'
plant autotune/library/planted.c 'uint64_t rows_high;' 'rows'
plant generator/planted.c 'if (dims->inner.n > 1) return;' 'one'
plant generator/planted.c 'if (dims.depth.stride == 1) return;' 'one'
plant generator/planted.c 'if (1 < problem->dims.outer.n) return;' 'one'
plant autotune/tune/planted.c 'if (dims_results(&problem->dims) != 1) return;' 'one'
plant autotune/tune/planted.c 'const bool is_one = results == 1;' 'one'
plant templates/planted.h 'if (dims->outer.n == 1) return;' 'one'

allow autotune/tune/planted.c '/* of a matrix, rows by their pitch: dims.outer.n == 1 */'
allow autotune/tune/planted.c 'for (size_t i = 0; i < table->rows; i++) add(columns[i]);'
allow autotune/tune/planted.c 'if (dims.depth.n == 10 || dims.outer.n < most) return;'
allow autotune/report/planted.c 'struct axis axis; text_adds(out, "columns");'
allow autotune/cli/request_dims.c 'uint64_t pitch;'

rm -rf "$copy/generator" "$copy/autotune" "$copy/cache" "$copy/templates"
sh "$here/dims.sh" "$copy" > /dev/null 2>&1
[ $? -eq 2 ] || fail "an empty tree passes"

[ $failures -eq 0 ] && echo "test_dims: all passed"
exit $((failures > 0))
