#!/bin/sh
# The pages say what is so: links lead somewhere, the commands in them are ones that the program
# has, with options that it has, examples marked for it run, and the picture and the figures of the
# README are those of bench/results/.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

PAGES=$(cd "$ROOT" && ls ./*.md docs/*.md examples/*.md bench/*.md bench/results/README.md)

# anchors FILE: of its headings, as GitHub makes them.
anchors() {
    sed -n 's/^##* //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n_-'
}

# Links of the form [text](target), outside of code.
for page in $PAGES; do
    awk '/^```/ { code = !code } !code' "$ROOT/$page" | sed 's/`[^`]*`//g' |
        grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | sort -u > links
    broken=
    while read -r link; do
        file=${link%%#*}
        case $link in http*) continue ;; esac
        at=$ROOT/$(dirname "$page")/$file
        [ -n "$file" ] || at=$ROOT/$page
        [ -e "$at" ] || { broken="$broken $link"; continue; }
        case $link in
        *"#"*) anchors "$at" | grep -qx -- "${link#*#}" || broken="$broken $link" ;;
        esac
    done < links
    check "links of $page" test -z "$broken"
    [ -z "$broken" ] || echo "    $broken"
done

# Files named in code: those with a folder of the repository before them, and in the pages about the
# code any C file. A name may leave out the end, as generator/problem, and be a pattern; one with a
# word in capitals stands for others.
folders=$(cd "$ROOT" && ls -d */ | grep -v '^build/' | tr -d '\n' | sed 's|/$||; s:/:|:g')
(cd "$ROOT" && find . -path ./build -prune -o -path ./.git -prune -o -type f -print) > files
for page in $PAGES; do
    case $page in ./CONTRIBUTING.md | docs/architecture.md) bare='|[a-z_0-9]+\.[ch]' ;; *) bare= ;; esac
    grep -oE '`[^`]*`' "$ROOT/$page" | tr -d '`' | tr ' ' '\n' |
        grep -xE "($folders)/[a-zA-Z_0-9./*-]+$bare" | grep -v '[A-Z][A-Z]' | sort -u > named
    missing=
    while read -r name; do
        pattern=$(printf '%s' "$name" | sed 's/\/$//; s/\./\\./g; s/\*/[^\/]*/g')
        grep -qE "/$pattern(/|\.[a-z]|\$)" files || missing="$missing $name"
    done < named
    check "files named in $page" test -z "$missing"
    [ -z "$missing" ] || echo "    $missing"
done

# Commands: lines of `autotune` that are indented or in a block; joined where they go on.
"$AUTOTUNE" --help > help.txt
verbs=$(sed -n 's/^  \([a-z]*\) .*/\1/p' help.txt)
for verb in tune $verbs; do "$AUTOTUNE" "$verb" --help > "help.$verb" 2> /dev/null; done
for page in $PAGES; do
    awk '/^```/ { code = !code; next } code || /^    /' "$ROOT/$page" |
        sed -e ':a' -e '/\\$/N; s/\\\n//; ta' |
        sed -n 's/^ *\(\$ \)\{0,1\}\(build\/\)\{0,1\}autotune\( [^#|>;]*\)\{0,1\}.*/\3/p' > commands
    unknown=
    while read -r words; do
        verb=tune
        for word in $words; do
            case $word in
            --*)
                option=${word%%=*}
                grep -q -e "$option\>" "help.$verb" || unknown="$unknown $verb:$option"
                ;;
            *) [ "$verb" != tune ] || [ ! -e "help.$word" ] || verb=$word ;;
            esac
        done
    done < commands
    check "commands of $page" test -z "$unknown"
    [ -z "$unknown" ] || echo "    $unknown"
done

# Examples: the block behind a line "<!-- run -->", as from the repository's root after `make`.
mkdir run bin && ln -s "$AUTOTUNE" bin/autotune && ln -s "${AUTOTUNE%/*}" run/build
for folder in include examples configs templates; do ln -s "$ROOT/$folder" "run/$folder"; done
for page in $PAGES; do
    awk '/^<!-- run -->/ { wanted = 1; next }
         wanted && /^```/ { inside = !inside; if (!inside) wanted = 0; next }
         inside' "$ROOT/$page" > example
    [ -s example ] || continue
    check "example of $page" sh -c 'cd run && PATH=../bin:$PATH sh -e ../example'
done

# Where the tests of a promise run is what tests/long says of them.
# shellcheck disable=SC2016 # backquotes are of the page
awk '
    FNR == NR { if ($0 !~ /^#/ && NF) set[$1] = $3; next }
    /^[|] T[0-9]/ {
        split($0, cells, "|")
        for (shown = cells[4]; match(shown, /`[a-z_]+`/); shown = substr(shown, RSTART + RLENGTH)) {
            name = substr(shown, RSTART + 1, RLENGTH - 2)
            runs = name in set ? set[name] : "quick"
            if (cells[5] !~ runs) print cells[2] name " runs in " runs
        }
    }' "$ROOT/tests/long" "$ROOT/docs/trust.md" > unlike
check trust-says-where-tests-run test ! -s unlike
cat unlike

# What is released has one version: the Makefile's, which all else reads, and that of both lists of changes.
version=$("$AUTOTUNE" version | sed -n '1s/^autotune //p')
check version-of-the-changes test "$(sed -n 's/^## //p' "$ROOT/CHANGELOG.md" | head -n 1)" = "$version"
check version-of-debian test "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$ROOT/debian/changelog")" = "$version"

check README-lines test "$(wc -l < "$ROOT/README.md")" -le 200
check README-columns test -z "$(awk "length > 96" "$ROOT/README.md")"
if command -v python3 > /dev/null; then
    check front-page python3 "$ROOT/bench/front_page.py" --check
    # Read back from the picture: its points are the ratios of the tables that `report --bench` takes.
    check picture-is-the-tables python3 -c '
import csv, math, re, sys
svg, lines = open(sys.argv[1] + "/docs/speedup.svg").read(), []
at = {float(label): float(y) - 4 for y, label in re.findall(r"y=\"([\d.]+)\" text-anchor=\"end\">([\d.]+)<", svg)}
ratio = lambda y: 1 + (at[1.0] - y) * 0.2 / (at[1.0] - at[1.2])
for style, name in ("a", "i32"), ("b", "f32"):
    table = csv.DictReader(open(sys.argv[1] + "/bench/results/h200-cub-sum-%s-cold.csv" % name))
    want = sorted((int(row["n"]), float(row["ratio"])) for row in table if not int(row["n"]) & (int(row["n"]) - 1))
    drawn = [ratio(float(y)) for y in re.findall(r"<circle class=\"%s\" cx=\"[\d.]+\" cy=\"([\d.]+)\"" % style, svg)]
    assert len(drawn) == len(want) > 5
    assert all(abs(one - other[1]) < 0.002 for one, other in zip(drawn, want)), (drawn, want)
' "$ROOT"
else
    skip front-page "python3 is needed"
fi
finish
