#!/bin/sh
# Checks what the compiler cannot: that includes run one way, that only the commands print, that
# only main.c exits (watchdog.c, on a signal; supervise.c, what it forked), and that file names are unique. Prints each offence as file:line: what.
# Usage: includes.sh [FOLDER]; exits 1 when there is an offence, 2 when nothing was checked.
cd "${1:-$(dirname "$0")/..}" || exit 2

list_files() {
    if [ -e .git ]; then
        git ls-files --cached --others --exclude-standard -- '*.c' '*.h' | sort -u
    else
        find . -name build -prune -o -name '*.[ch]' -print | sed 's|^\./||' | sort
    fi
}

list_files | LC_ALL=C awk '
BEGIN {
    # A folder may include itself and every folder of a lower level.
    level["generator/"] = 1
    level["cache/"] = 2
    level["autotune/device/"] = 3
    level["autotune/library/"] = level["autotune/export/"] = 4
    level["autotune/print/"] = level["autotune/verify/"] = 4
    level["autotune/measure/"] = level["autotune/analysis/"] = 5
    level["autotune/search/"] = 6
    level["autotune/cli/"] = 7
    level["autotune/tune/"] = level["autotune/ladder/"] = 8
    level["autotune/compare/"] = level["autotune/many/"] = 9
    level["autotune/report/"] = 10
    level["autotune/command/"] = 11
    SHIM_FROM = 3
    EXEC_LINES = 3
    before = "(^|[^A-Za-z0-9_])"
    print_call = before "(v?printf|puts|putchar|perror|psignal|psiginfo)[ \t]*[(]"
    print_fd = before "(write|v?dprintf)[ \t]*[(][ \t]*(1|2|STDOUT_FILENO|STDERR_FILENO)[ \t]*,"
    print_stream = before "(stdout|stderr)([^A-Za-z0-9_]|$)"
    exit_call = before "(exit|_Exit|quick_exit|abort)[ \t]*[(]"
    late_exit = before "_exit[ \t]*[(]"
    exec_call = before "(f?exec(l|v|ve)|exec(lp|le|vp|vpe|veat))[ \t]*[(]"
}

function offence(what) {
    printf "%s:%d: %s\n", file, line_number, what
    offences++
}

function folder_of(path) {
    return match(path, /^.*\//) ? substr(path, 1, RLENGTH) : ""
}

# Blanks comments and the insides of strings and characters; a comment may go on.
function strip(text,    out, c, two) {
    if (!in_comment && text !~ /["\047\/]/)
        return text
    out = ""
    while (text != "") {
        two = substr(text, 1, 2)
        c = substr(text, 1, 1)
        if (in_comment) {
            if (two == "*/") in_comment = 0
            text = substr(text, two == "*/" ? 3 : 2)
        } else if (two == "/*") {
            in_comment = 1
            out = out " "
            text = substr(text, 3)
        } else if (two == "//") {
            break
        } else if (c == "\"" || c == "\047") {
            out = out c c
            text = substr(text, 2)
            while (text != "" && substr(text, 1, 1) != c)
                text = substr(text, substr(text, 1, 1) == "\\" ? 3 : 2)
            text = substr(text, 2)
        } else {
            out = out c
            text = substr(text, 2)
        }
    }
    return out
}

# Why `file` may not include the project file `path`; "" when it may.
function refusal(path,    to) {
    to = folder_of(path)
    if (path ~ /(^|\/)\.\.?(\/|$)/)
        return "names the file by way of \".\" or \"..\""
    if (file ~ /^(include|templates)\//)
        return "may include nothing of the project"
    if (file == "autotune/main.c")
        return to == "autotune/cli/" || path == "generator/error.h" ? "" : \
            "may include autotune/cli/ and generator/error.h only"
    if (file == "autotune/main_mpi.c")
        return level[to] <= level["autotune/many/"] ? "" : "may include nothing of the commands"
    if (path == "autotune/embedded.h")
        return ""
    if (path == "templates/host/host_shim.h")
        return own_level >= SHIM_FROM ? "" : "is for autotune/device/ and up only"
    if (path == "include/autotune_reference.h" && folder_of(file) == "autotune/verify/")
        return ""
    if (to == "include/")
        return folder_of(file) == "autotune/library/" ? "" : "may not include the library\047s public face"
    if (!(to in level))
        return "may not include it: it stands in no folder of the program"
    if (to == folder_of(file) || level[to] < own_level)
        return ""
    return "includes against the order: " to " is not below " folder_of(file)
}

function check_include(text,    path, quote, why) {
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", text)
    quote = substr(text, 1, 1)
    if (quote != "\"" && quote != "<") {
        offence("includes what is no plain file name: " text)
        return
    }
    path = substr(text, 2)
    sub(/[">].*$/, "", path)
    if (path == "ini.h" && quote == "<") {
        if (file != "generator/ini.c") offence("<ini.h> is for generator/ini.c only")
        return
    }
    if (quote == "<" && !(folder_of(path) in level) &&
        path !~ /^(autotune|include|templates|tests)\//)
        return
    if (quote == "\"" && folder_of(path) == "") {
        offence("\"" path "\": name the folder too, or use <> for a system header")
        return
    }
    why = refusal(path)
    if (why != "") offence(path ": " why)
}

function check_calls(code) {
    if (!may_print && (code ~ print_call || code ~ print_fd || code ~ print_stream))
        offence("prints or names stdout or stderr; only verbs and their parts and print/terminal.c may")
    if (code ~ exit_call && file != "autotune/main.c")
        offence("ends the process; only autotune/main.c may")
    if (code ~ exec_call)
        exec_left = EXEC_LINES + 1
    if (code ~ late_exit && exec_left <= 0 && file !~ /^autotune\/(command\/watchdog|cli\/supervise)[.]c$/)
        offence("calls _exit where no exec stands in the " EXEC_LINES " lines before")
    if (code ~ /[^ \t]/)
        exec_left--
}

function check_line(text,    code, was_comment) {
    was_comment = in_comment
    code = strip(text)
    if (!was_comment && text ~ /^[ \t]*#[ \t]*include/)
        check_include(text)
    else
        check_calls(code)
}

{
    file = $0
    line_number = 1
    status = (getline text < file)
    if (status < 0) next  # deleted, the deletion not yet committed
    name = file
    sub(/^.*\//, "", name)
    if (name in owner) offence("the name " name " is taken by " owner[name])
    else owner[name] = file
    is_source = file ~ /^(generator|cache|autotune|include)\//
    own_level = level[folder_of(file)]
    if (file == "autotune/embedded.c") own_level = 1
    if (is_source && !own_level && file !~ /^(include\/|autotune\/(main(_mpi)?\.c|embedded\.h)$)/)
        offence("stands in no folder of the program")
    if (is_source) checked++
    may_print = file ~ /^autotune\/((cli|tune|compare|command)\/|main(_mpi)?\.c$|print\/terminal\.c$)/
    in_comment = exec_left = 0
    for (; status > 0; status = (getline text < file)) {
        if (is_source) check_line(text)
        else if (file ~ /^templates\// && text ~ /^[ \t]*#[ \t]*include/) check_include(text)
        line_number++
    }
    close(file)
}

END {
    if (!checked) {
        print "includes.sh: no C file of the program is here" > "/dev/stderr"
        exit 2
    }
    exit offences ? 1 : 0
}'
