#!/bin/bash
# Runs tests in a build that counts lines and branches, and prints how many of each folder's have run:
# first of those of `make test`, then of all that need no GPU. Where it is an aim it says so: of what
# generates and reads, 95 % of lines and 85 % of branches. Usage: tests/coverage.sh BUILD [FILES]
# (built with --coverage; it starts from nothing). FILES: each file of the folders with an aim too.
set -u
build=$(cd "${1:?usage: tests/coverage.sh BUILD [FILES]}" && pwd) || exit 2
has_files=${2:+1}
cd "$(dirname "$0")/.." || exit 2
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
find "$build" -name '*.gcda' -delete

# A source has one object, whose counts gcov prints beside those of the headers it includes. Branches
# are those that a condition takes or not; what only a failed assertion would reach counts.
count() {
    find "$build/obj" -name '*.gcno' | while read -r notes; do
        (cd "$scratch" && gcov -b -n "${notes%.gcno}.o" 2> /dev/null)
    done | awk -v has_files="${has_files:-0}" '
    /^(Calls executed:|No calls)/ { file = "" } # what follows may be the sum of all files
    /^File / { file = $2; gsub("\047", "", file); sub(/^\.\//, "", file) }
    /^(Lines executed|Taken at least once):/ && file ~ /^(generator|cache|autotune)\/.*\.c$/ {
        kind = /^Lines/ ? "lines" : "branches"
        sub(/^.*:/, "")
        part = $0 + 0
        what = $NF
        folder = file
        sub(/\/[^\/]*$/, "", folder)
        run[folder, kind] += part / 100 * what
        all[folder, kind] += what
        names[folder]
        if (has_files && is_aimed_at(folder)) {
            run[file, kind] = part / 100 * what
            all[file, kind] = what
            names[file]
        }
        if (folder !~ /\.c$/) {
            run["the program", kind] += part / 100 * what
            all["the program", kind] += what
        }
    }
    function is_aimed_at(name) {
        return name ~ /^(generator|cache|autotune\/(analysis|cli))$/
    }
    function percent(name, kind) {
        return all[name, kind] ? 100 * run[name, kind] / all[name, kind] : 100
    }
    function verdict(name) {
        if (!is_aimed_at(name)) return ""
        if (percent(name, "lines") >= 95 && percent(name, "branches") >= 85) return "  as aimed at"
        return "  below 95 and 85 %"
    }
    function row(name) {
        printf "%-28s %6.1f %% of %6d lines %6.1f %% of %6d branches%s\n", name,
            percent(name, "lines"), all[name, "lines"], percent(name, "branches"),
            all[name, "branches"], verdict(name)
    }
    END {
        if (!all["the program", "lines"]) exit 1
        for (name in names) row(name)
        row("the program")
    }' | sort
}

# docs, library and sums link the archive as a user does, without gcov; and calls that fail would be those
# by which counts are written.
tests/run "$build" quick -docs -failing_calls
status=$?
count > "$scratch/quick" || exit 1
tests/run "$build" rest -library -sums || status=1
count > "$scratch/all" || exit 1
printf '\nby make test\n'
cat "$scratch/quick"
printf '\nby make test-all\n'
cat "$scratch/all"
exit $status
