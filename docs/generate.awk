# Reads the options as CSV, then a document, and prints it with all that it says of options made anew.
# A manual page has "Options:" in the section of each verb, and a section OPTIONS; a completion has
# marks; a page of Markdown has a table of verbs, whose last column is made.

# Splits a line of CSV into cells[1..]; a quote in a cell is doubled.
function split_csv(line,    count, at, c, quoted) {
    count = 1
    cells[1] = ""
    for (at = 1; at <= length(line); at++) {
        c = substr(line, at, 1)
        if (c == "\"" && quoted && substr(line, at + 1, 1) == "\"") {
            cells[count] = cells[count] c
            at++
        } else if (c == "\"") {
            quoted = !quoted
        } else if (c == "," && !quoted) {
            cells[++count] = ""
        } else {
            cells[count] = cells[count] c
        }
    }
}

function take_row(    count, i, words) {
    sub(/\r$/, "")
    split_csv($0)
    rows++
    name[rows] = cells[1]
    value[rows] = cells[2]
    verbs[rows] = cells[3]
    help[rows] = cells[4]
    letter[rows] = cells[5]
    group[rows] = cells[6]
    more[rows] = cells[7]
    count = split(cells[3], words, " ")
    for (i = 1; i <= count; i++) {
        if (!(words[i] in of)) order[++verb_count] = words[i]
        of[words[i]] = of[words[i]] " " cells[1]
    }
}

# --- The manual page --------------------------------------------------------------------------

# Options stand out, and their dashes are no hyphens.
function roff(text,    out) {
    gsub(/\\/, "\\e", text)
    while (match(text, /--[a-z][a-z-]*/)) {
        word = substr(text, RSTART, RLENGTH)
        gsub(/-/, "\\-", word)
        out = out substr(text, 1, RSTART - 1) "\\fB" word "\\fR"
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

# A value that a text begins with stays as it is.
function sentence(text) {
    return (text ~ /^[a-z]+( \(|:)/ ? substr(text, 1, 1) : toupper(substr(text, 1, 1))) substr(text, 2) (text ~ /[.?!]$/ ? "" : ".")
}

# Prints words, a line when it is full; one that begins as a request would is guarded.
function print_filled(text, most,    count, words, line, i) {
    count = split(text, words, " ")
    for (i = 1; i <= count; i++) {
        if (line != "" && length(line) + length(words[i]) >= most) {
            print line
            line = ""
        }
        line = line (line != "" ? " " : words[i] ~ /^[.\047]/ ? "\\&" : "") words[i]
    }
    print line
}

function print_list(verb,    count, words, i, text) {
    count = split(of[verb], words, " ")
    for (i = 1; i <= count; i++)
        text = text (i > 1 ? ", " : "") roff(words[i])
    print_filled(text ".", 96)
}

function print_name(row,    dashes) {
    dashes = name[row]
    gsub(/-/, "\\-", dashes)
    printf ".TP\n"
    if (letter[row] == "" && value[row] == "") printf ".B %s\n", dashes
    else printf ".BR %s%s%s\n", letter[row] == "" ? "" : "\\-" letter[row] " \", \" ", dashes, \
        value[row] == "" ? "" : " =\\fI" value[row] "\\fR"
}

# An option that verbs know in different ways has a paragraph for each.
function print_texts(first,    i, count, others, of_verbs) {
    for (i = first; i <= rows; i++) count += name[i] == name[first]
    for (i = first; i <= rows; i++) {
        if (name[i] != name[first]) continue
        of_verbs = verbs[i]
        gsub(/ /, ", ", of_verbs)
        if (others++) print ".br"
        print_filled(roff(count > 1 ? sentence("of " of_verbs ": " help[i]) : sentence(help[i])), 96)
        if (more[i] != "") print_filled(roff(more[i]), 96)
    }
}

function print_options(    i, done, heading) {
    for (i = 1; i <= rows; i++) {
        if (name[i] in done) continue
        done[name[i]] = 1
        if (group[i] != heading) {
            heading = group[i]
            print ".SS " substr(heading, 1, length(heading) - 1)
        }
        print_name(i)
        print_texts(i)
    }
}

function manual() {
    if (/^\.SH /) in_options = $0 == ".SH OPTIONS"
    if (/^\.S[HS] /) skipped = in_options
    if (/^\.SS /) section = $2
    if (!skipped || $0 == ".SH OPTIONS") print
    if ($0 == ".SH OPTIONS") print_options()
    if ($0 == "Options:" && !skipped) { print_list(section); skipped = 1 }
}

# --- The completion ---------------------------------------------------------------------------

function print_completion(    i, k, v, same, where, words, count) {
    print "# The options of a verb, as its --help lists them."
    print "_autotune_options() {\n    case $1 in"
    for (i = 1; i <= verb_count; i++) printf "    %s) echo \"%s\" ;;\n", order[i], substr(of[order[i]], 2)
    print "    esac\n}\n"
    print "# What stands for the value of an option of a verb; nothing: it takes none."
    print "_autotune_takes() {\n    case $1:$2 in"
    for (i = 1; i <= rows; i++) {
        if (value[i] == "" || (name[i] value[i]) in told) continue
        told[name[i] value[i]] = 1
        same = 1
        for (k = 1; k <= rows; k++) if (name[k] == name[i] && value[k] != value[i]) same = 0
        where = ""
        for (k = 1; k <= rows; k++) {
            if (name[k] != name[i] || value[k] != value[i]) continue
            count = split(verbs[k], words, " ")
            for (v = 1; v <= count && !same; v++) where = where add(where, name[i] ":" words[v], letter[k] == "" ? "" : "-" letter[k] ":" words[v])
        }
        if (same) where = add("", name[i] ":*", letter[i] == "" ? "" : "-" letter[i] ":*")
        printf "    %s) echo \"%s\" ;;\n", where, value[i]
    }
    print "    esac\n}"
}

function add(before, long, short) {
    return (before == "" ? "" : " | ") long (short == "" ? "" : " | " short)
}

function completion() {
    if (/^# generated by docs\/generate.sh: end/) skipped = 0
    if (!skipped) print
    if (/^# generated by docs\/generate.sh: begin/) { skipped = 1; print_completion() }
}

# --- Markdown ---------------------------------------------------------------------------------

function markdown(    verb, at, count, words, i, text) {
    if (!/^\| `[a-z]+/) { print; return }
    verb = $0
    sub(/^\| `/, "", verb)
    sub(/[^a-z].*/, "", verb)
    count = split(of[verb], words, " ")
    for (i = 1; i <= count; i++)
        if (words[i] != "--help") text = text (text == "" ? "" : ", ") "`" words[i] "`"
    at = $0
    sub(/ \| [^|]*\|$/, "", at)
    print at " | " text " |"
}

FNR == NR { if (FNR > 1) take_row(); next }
file ~ /\.1$/ { manual(); next }
file ~ /\.bash$/ { completion(); next }
{ markdown() }
