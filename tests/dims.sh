#!/bin/sh
# Finds files that ask which kind of dims a problem has. Dims are numbers: C must neither name rows,
# columns, a matrix or an axis, nor ask the same in another way: compare a dim's n or stride, or the
# number of results, with one. Comments are left out. Prints each offence as
# file:line: what.
# Usage: dims.sh [FOLDER]; exits 1 when there is an offence, 2 when nothing was checked.
#
# Some files may have these words: those of this list; the spaces and the
# kernels (configs/, templates/*.cu), each of which is of one family and named after it; rows of the
# table of an export; rows, columns, pitch, axis and matrix of a report's tables and charts.
cd "${1:-$(dirname "$0")/..}" || exit 2

allowed='
autotune/cli/options.c           help of the options
autotune/cli/option_conflicts.c  which of them exclude one another
autotune/cli/request_dims.c      reads the options
autotune/cli/request_dims.h      holds them
autotune/library/api.c           reads the fields of the public problem
generator/dims_text.c            words for dims, and dims for words
generator/dims_text.h            likewise
include/autotune.h               the public problem
templates/export/exported_matrix.h the public function of an export
'

list_files() {
    if [ -e .git ]; then
        git ls-files --cached --others --exclude-standard -- '*.c' '*.h' | sort -u
    else
        find . -name build -prune -o -name '*.[ch]' -print | sed 's|^\./||' | sort
    fi
}

list_files | LC_ALL=C allowed=$allowed awk '
BEGIN {
    count = split(ENVIRON["allowed"], lines, "\n")
    for (i = 1; i <= count; i++)
        if (split(lines[i], words, " ") > 1)
            is_allowed[words[1]] = 1
    compared = "[ \t]*([=!<>]=|[<>])[ \t]*"
    member = "(outer|depth|inner)[.](n|stride)"
    results = "(dims_results[(][^()]*[)]|(^|[^A-Za-z0-9_])results)"
    one = "1([^0-9A-Za-z_]|$)"
}

# The line without comments; the insides of its strings go to `strings`.
function strip(text,    out, c, two) {
    out = strings = ""
    while (text != "") {
        two = substr(text, 1, 2)
        c = substr(text, 1, 1)
        if (in_comment) {
            if (two == "*/") in_comment = 0
            text = substr(text, two == "*/" ? 3 : 2)
        } else if (two == "/*") {
            in_comment = 1
            text = substr(text, 3)
        } else if (two == "//") {
            break
        } else if (c == "\"" || c == "\047") {
            text = substr(text, 2)
            while (text != "" && substr(text, 1, 1) != c) {
                two = substr(text, 1, 1) == "\\" ? 2 : 1
                strings = strings substr(text, 1, two)
                text = substr(text, two + 1)
            }
            strings = strings " "
            text = substr(text, 2)
            out = out c c
        } else {
            out = out c
            text = substr(text, 2)
        }
    }
    return out
}

function offence(what) {
    printf "%s:%d: %s\n", file, line_number, what
    offences++
}

function has_word(text, words) {
    return match(" " text " ", "[^A-Za-z](" words ")[^A-Za-z]")
}

# Words as parts of identifiers too, whose capitals and underscores end them.
function check_line(text,    code, lower) {
    code = strip(text)
    if (text ~ /^[ \t]*#[ \t]*include/)
        return
    lower = tolower(code " " strings)
    gsub(/templates.export.exported_matrix.h/, "", lower) # a file
    if (!is_chart && has_word(lower, "matrix|matrices"))
        offence("names a matrix")
    if (!is_chart && has_word(lower, "axis|pitch|pitches"))
        offence("names an axis or a pitch")
    if (!is_chart && has_word(tolower(strings), "--rows|--len|columns|each column"))
        offence("says rows or columns")
    if (!is_chart && !is_export && has_word(tolower(strings), "rows|each row"))
        offence("says rows")
    if (!is_chart && has_word(tolower(code), "(is|of|has|each|over|by|no)_(rows|columns)|(rows|columns)_(high|low|len|pitch|kind)"))
        offence("asks for rows or columns")
    if (code ~ member compared one || code ~ one_first || code ~ results compared one)
        offence("compares dims with one")
}

{
    file = $0
    if (file !~ /^(autotune|generator|cache|include|templates)\//) next
    if (file == "generator/dims.h") next # dims themselves: their canonical form, what lies together
    if (file in is_allowed) {
        seen[file] = 1
        next
    }
    line_number = 1
    in_comment = 0
    is_export = file ~ /export/
    is_chart = file ~ /^autotune\/(report|compare|print)\//
    one_first = "(^|[^0-9A-Za-z_.])1" compared "[a-z_>.-]*" member
    status = (getline text < file)
    if (status < 0) next
    checked++
    for (; status > 0; status = (getline text < file)) {
        check_line(text)
        line_number++
    }
    close(file)
}

END {
    if (!checked) {
        print "dims.sh: no C file of the program is here" > "/dev/stderr"
        exit 2
    }
    exit offences ? 1 : 0
}'
