#!/bin/sh
# Writes what the documents say of options: the lists and the texts of the manual page, the table of
# docs/usage.md, and the completion's options. All of it comes from `autotune list options`.
# Usage: docs/generate.sh AUTOTUNE [FOLDER]; the files in docs/ are changed, or written to FOLDER.
set -eu
autotune=$1 docs=$(dirname "$0") out=${2:-$(dirname "$0")}
rows=$(mktemp)
trap 'rm -f "$rows" "$rows.new"' EXIT
"$autotune" list options --csv - > "$rows"

# generate FILE: each kind of file is known by its ending.
generate() {
    awk -v file="$1" -f "$docs/generate.awk" "$rows" "$docs/$1" > "$rows.new"
    cat "$rows.new" > "$out/$1"
}
generate autotune.1
generate autotune.bash
generate usage.md
