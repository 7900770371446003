#!/bin/sh
# Tests output: results on stdout, context on stderr; JSON and CSV that strict parsers take; output
# that cannot be written is an error; no colour and no progress where nobody sees them.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini
set -- --device host --n 1K --space small.ini

is_json() {
    python3 - "$1" "$2" <<'END'
import json, sys
def refuse(word):
    raise ValueError(word)
def once(pairs):
    assert len({key for key, _ in pairs}) == len(pairs), "a key twice"
    return dict(pairs)
text = open(sys.argv[1], encoding="utf-8").read()
it = json.loads(text, parse_constant=refuse, object_pairs_hook=once)
assert eval(sys.argv[2], {"it": it, "all": all, "any": any, "len": len}), sys.argv[2]
END
}
is_csv() {
    python3 - "$1" "$2" <<'END'
import csv, sys
data = open(sys.argv[1], newline="", encoding="utf-8").read()
assert data.endswith("\r\n") and "\n" not in data.replace("\r\n", ""), "line ends"
rows = list(csv.reader(data.splitlines(), strict=True))
it = [dict(zip(rows[0], row)) for row in rows[1:]]
assert all(len(row) == len(rows[0]) for row in rows), "ragged"
assert len(set(rows[0])) == len(rows[0]) and all(rows[0]), "titles"
assert eval(sys.argv[2], {"it": it, "all": all, "len": len, "float": float}), sys.argv[2]
END
}
is_plain() {
    ! LC_ALL=C grep -q "$(printf '[\033\r]')" "$@"
}

run "$@" --json both.json --csv both.csv
cp out table
check table grep -q '^winner ' out
check table-is-plain is_plain out err
check context-on-stderr grep -q '^device ' err
check few-times-have-no-spread grep -Eq '^race  *[0-9]+ entrants, [0-9]+ rounds(, [0-9]+ more repeated[^;]*)?$' err
check no-context-on-stdout test "$(grep -Ec '^(device|space|took|record) ' out)" -eq 0
# The winner's params, to be copied, are one line whatever its length.
check narrow test "$(grep -v '^ *BLOCK=' out | awk 'length > 120' | wc -l)" -eq 0

# Where the params would make the table too wide, it has those that differ from the winner's.
# widen FILE NAME COUNT: the space with so many params more, that change nothing.
widen() {
    awk -v name="$2" -v count="$3" '
    /^\[rule\]/ { for (i = 0; i < count; i++)
        printf "[param %s_%d]\nmeaning = nothing\nvalues = 0 1\nwhen = launch\n\n", name, i }
    { print }
    /^\[default\]/ { for (i = 0; i < count; i++) printf "%s_%d = 0\n", name, i }' "$1"
}
widen small.ini A_LONG_NAME 24 | sed 's|^values = 0 1$|values = 0|' > wide.ini
refuses too-wide-for-a-record 64 'wide.ini: .*record holds' --device host --n 1K --space wide.ini
first=$ROOT/bench/kernel_tuner/reduce_first
sed -e 's/^\[rule\]/&\nfew are tried = BLOCK <= 128 \&\& VECTOR == 4 \&\& UNROLL == 8 \&\& GRID == 32/' \
    -e 's/^BLOCK = 256/BLOCK = 64/; s/^GRID = 2048/GRID = 32/' "$first.ini" > first.ini
widen first.ini A_NAME_EVEN_LONGER 4 > wider.ini
run --device host --n 20K --space wider.ini --template "$first.cu" --csv wider.csv
check wide has_status 0
check wide-table-is-narrow test "$(head -n 1 out | awk 'length > 120' | wc -l)" -eq 0
check wide-table-says-unlike test "$(head -n 1 out | grep -c ' unlike the winner$')" -eq 1
check wide-csv-has-all grep -q 'A_NAME_EVEN_LONGER_3' wider.csv

TUNED='it["op"] == "sum" and it["type"] == "i32" and it["n"] == 1000 and it["emulated"] is True'
if command -v python3 > python; then
    check json is_json both.json "$TUNED and it['from_record'] is False and len(it['finalists']) > 1"
    check json-winner is_json both.json \
        "[f['outcome'] for f in it['finalists']].count('winner') == 1"
    check json-search is_json both.json "it['measured'] == it['candidates'] > 1 and \
        it['variants'] > 1 and it['rounds'] > 1 and it['repeated'] >= 0 and not any(it[key] for \
        key in ('wrong', 'failed', 'crashed', 'hung', 'too-fast', 'left-out', 'recalled', \
        'restarts'))"
    check csv is_csv both.csv "len(it) > 1 and all(float(row['us']) > 0 for row in it)"
    run "$@" --json - --retune
    check json-stdout is_json out "$TUNED"
    check json-stdout-context grep -q '^device ' err
    run "$@" --csv - --retune
    check csv-stdout is_csv out "it[0]['BLOCK'] in ('64', '128')"
    run "$@" --json record.json --csv record.csv
    check record-has-no-table test "$(head -n 1 out | grep -c '^winner ')" -eq 1
    check record-has-no-blank-line test "$(grep -c '^$' out)" -eq 0
    check json-of-record is_json record.json "$TUNED and it['from_record'] is True"
    check csv-of-record is_csv record.csv "len(it) == 1 and it[0]['outcome'] == 'winner'"
    run show --json -
    check json-show is_json out "it[0]['gpu'] == 'host' and it[0]['n'] == 1000"
    run show --csv -
    check csv-show is_csv out "it[0]['n'] == '1000'"
    for topic in devices types operations params variants spaces rungs published archs; do
        run list $topic --json - --csv list.csv
        check "json-list-$topic" is_json out "len(it) > 0"
        check "csv-list-$topic" is_csv list.csv "len(it) > 0"
    done
    run --device host --n 1K --type f32 --space small.ini --json float.json
    check json-float is_json float.json "0 <= it['error'] < 1e-6"
else
    skip json "no python3"
fi
run "$@" --quiet
check quiet test ! -s err
check quiet-result grep -q '^winner ' out

# What cannot be written.
refuses_file() {
    has_status 74 && grep -q '^winner ' out && grep -q "^autotune: $1" err
}
run "$@" --json /dev/full
check full-json-still-prints refuses_file /dev/full
# Before anything is measured: there is no context but the sentence, and no file.
mkdir folder
for file in /nowhere/x folder small.ini/x; do
    for words in "$*" "bench $* --against none.so" "ladder --device host --n 1K" "show" "merge small.ini"; do
        # shellcheck disable=SC2086 # the words of the command
        refuses "no-file $file: $words" 74 "$file: cannot be written: " $words --csv first.csv --json $file
        check "no-file-before $file: $words" test "$(wc -l < err)" -eq 1 -a ! -e first.csv
    done
done
refuses no-file-of-a-report 74 "/nowhere/x.html: cannot be written: No such" report h200 -o /nowhere/x.html
refuses no-file-of-emit 74 "/nowhere/x: cannot be written: No such" emit --cubin /nowhere/x
refuses two-of-one-name 64 "twice and ./twice are the same file|./twice and twice are the same file" show --json twice --csv ./twice
: > twice && ln twice again
refuses two-of-one-file 64 "are the same file: give each its own" show --json twice --csv again
# Above the limit of a file's size: a sentence, and neither half a file nor a lost one.
echo before > kept.json
sh -c 'ulimit -f 1; exec "$@"' sh "$AUTOTUNE" list params --json kept.json > /dev/null 2> err
check too-large test $? -eq 74
check too-large-said grep -q '^autotune: kept.json: cannot be written: File too large' err
check too-large-keeps test "$(cat kept.json)" = before
# What a process that was killed left goes; what one that lives writes, and other files, do not.
sh -c ':' & gone=$!
wait $gone
mkdir parts
here=.autotune-$(this_host)
for name in $here-$gone-0.part $here-$gone-0.part.mine .autotune-elsewhere-$gone-0.part .autotune-$gone-0.part; do
    : > "parts/$name"
done
mkfifo "parts/$here-$gone-1.part"
run list params --json parts/x.json
check parts-are-swept test ! -e "parts/$here-$gone-0.part"
check parts-of-others-stay test "$(find parts -type f | wc -l)" -eq 4 -a -p "parts/$here-$gone-1.part"
# A link stays one, and what it leads to is made or written; an open file goes on from where it is.
mkdir linked
ln -s linked/target.json link.json
run list params --json link.json
check dangling-link test -L link.json -a -s linked/target.json
cp linked/target.json whole.json
echo before > linked/target.json
run list params --json link.json
check link-is-followed cmp linked/target.json whole.json
ln -s nowhere/target.json lost.json
run list params --json lost.json
check link-to-nowhere has_status 74
check link-to-nowhere-said grep -q '^autotune: lost.json: cannot be written: No such file' err
check link-to-nowhere-stays test -L lost.json
for opened in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    echo before > opened
    "$AUTOTUNE" list params --quiet --json $opened >> opened 2> err
    check "open-$opened" test $? -eq 0
    check "open-$opened-goes-on" test "$(head -n 1 opened)" = before -a "$(wc -l < opened)" -gt 2
done
# Few files may be open: no more than are needed are waited for.
sh -c 'ulimit -n 256; exec "$@"' sh "$AUTOTUNE" "$@" --retune > out 2> err
check few-files test $? -eq 0
sh -c 'ulimit -n 24; exec "$@"' sh "$AUTOTUNE" "$@" --retune --cache fewer > out 2> err
status=$?
check too-few-files has_status 74
check too-few-files-said grep -q '^autotune: .*Too many open files; raise what .ulimit -n' err
# A small stack serves, and what is too small is said, unless more may be had.
sh -c 'ulimit -s 64; exec "$@"' sh "$AUTOTUNE" "$@" --retune > out 2> err
status=$?
check no-stack has_status 1
check no-stack-said grep -q '^autotune: the stack is limited to 64 KiB, and 256 are needed: raise' err
# As little as the loader itself needs does for the sentence; seen to end by a signal, 14 times of 16,
# where main had buffers on its stack.
if grep -q -e -fsanitize "${AUTOTUNE%/*}/flags"; then
    skip least-stack "a sanitizer has larger frames"
else
    env -i "PAD=$(printf %900s x)" sh -c 'ulimit -s 16; exec "$@"' sh "$AUTOTUNE" "$@" --retune > out 2> err
    status=$?
    check least-stack has_status 1
    check least-stack-said grep -q '^autotune: the stack is limited to 16 KiB, and 256 are needed: raise' err
fi
sh -c 'ulimit -S -s 64; exec "$@"' sh "$AUTOTUNE" "$@" --retune > out 2> err
check stack-is-raised test $? -eq 0
if grep -q -e -fsanitize "${AUTOTUNE%/*}/flags"; then
    skip small-stack "a sanitizer has larger frames"
else
    sh -c 'ulimit -s 256; exec "$@"' sh "$AUTOTUNE" "$@" --retune > out 2> err
    check small-stack test $? -eq 0
fi
run "$@" --csv /dev/full --json still.json
check full-csv-other-file test -s still.json
for words in "$*" "$* --json -" "$* --csv -" "show" "list types" "doctor" "help" "version" \
    "emit --arch sm_90" "tune --help"; do
    # shellcheck disable=SC2086 # the words of the command
    "$AUTOTUNE" $words > /dev/full 2> err
    status=$?
    : > out
    check "full-stdout: $words" has_status 74
    # shellcheck disable=SC2086
    "$AUTOTUNE" $words >&- 2> err
    status=$?
    check "closed-stdout: $words" has_status 74
done
# A reader that closes its pipe: a failed write, of which nothing is said.
status=$(python3 -c '
import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
done = subprocess.run(sys.argv[1:], stdout=writer, stderr=subprocess.PIPE)
open("err", "wb").write(done.stderr)
print(done.returncode)' "$AUTOTUNE" list types)
check closed-pipe has_status 74
check closed-pipe-is-silent test ! -s err
# closed STATUS REDIRECTION...: what a closed stream was to get lands in no file opened since.
closed() {
    rm -rf closed
    eval "\"\$AUTOTUNE\" --device host --n 1K --space small.ini --cache closed \
        < /dev/null > out 2> err $2"
    status=$?
    has_status "$1" || return 1
    grep -q '^params = ' closed/host.ini || { echo "no record"; return 1; }
    ! grep -Eqr '^(winner|device|autotune:) ' closed || { echo "in a file"; return 1; }
    "$AUTOTUNE" --replay closed/journal/*.journal > replayed 2>&1 || return 1
    ! grep 'damaged' replayed
}
check closed-stdin closed 0 '<&-'
check closed-stderr closed 0 '2>&-'
for redirections in '>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    check "closed-streams: $redirections" closed 74 "$redirections"
done

# A pipe that nobody reads any more.
mkfifo pipe
for words in "$* --json -" "list params" "emit --arch sm_90 --quiet"; do
    rm -f gone
    (exec 3< pipe; exec 3<&-; : > gone) &
    exec 4> pipe
    while [ ! -e gone ]; do sleep 0.1; done
    # shellcheck disable=SC2086 # the words of the command
    "$AUTOTUNE" $words >&4 2> err
    status=$?
    exec 4>&-
    wait
    check "closed-pipe: $words" has_status 74
    check "closed-pipe-is-silent: $words" sh -c '! grep -q "autotune: " err'
done

# Every locale writes the same.
same_in() {
    LC_ALL=$1 LANG=$1 "$AUTOTUNE" --device host --n 1K --space small.ini --json there.json \
        > there 2> /dev/null
    cmp there here && cmp there.json here.json || return 1
    LC_ALL=$1 "$AUTOTUNE" emit --arch sm_90 --quiet > there.cu
    cmp there.cu here.cu
}
LC_ALL=C "$AUTOTUNE" "$@" --json here.json > here 2> /dev/null
LC_ALL=C "$AUTOTUNE" emit --arch sm_90 --quiet > here.cu
for locale in de_DE.UTF-8 fr_FR.UTF-8; do
    if locale -a 2> /dev/null | grep -Eqi "^$(echo $locale | sed 's/UTF-8/utf-?8/')\$"; then
        check "locale-$locale" same_in $locale
    else
        skip "locale-$locale" "not installed"
    fi
done
check locale-unknown same_in xx_XX

# On a terminal: progress and bold titles, unless they are not wanted.
on_terminal() {
    env "$1" TERM=xterm script -qec "'$AUTOTUNE' --device host --n 1K --space small.ini --retune" \
        /dev/null > screen < /dev/null
}
if command -v script > /dev/null && script -qec true /dev/null > /dev/null 2>&1; then
    on_terminal NOTHING=
    check terminal-bold grep -q "$(printf '\033\\[1m')" screen
    check terminal-progress grep -q '\[#*\.*\] .*%' screen
    on_terminal NO_COLOR=1
    check terminal-no-color test "$(grep -c "$(printf '\033\\[[0-9;]*m')" screen)" -eq 0
    env TERM=dumb script -qec "'$AUTOTUNE' --device host --n 1K --space small.ini --retune" \
        /dev/null < /dev/null | tr -d '\r' > screen
    check terminal-dumb is_plain screen
else
    skip terminal "no script(1)"
fi
finish
