#!/bin/sh
# Tests that a run cut short in any way goes on where it was: nothing is measured twice or lost.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space tiny.ini
widened tiny.ini GRID "0 1 2 4 8" > few.ini
widened few.ini BLOCK "64 128 256" > some.ini
JOURNALS=$XDG_CACHE_HOME/autotune/journal
JOURNAL=$JOURNALS/host-sum-i32-i32-300000-cold.journal
RECORD=$XDG_CACHE_HOME/autotune/host.ini
set -- --device host --n 300K --strategy exhaustive --space some.ini

lines() {
    journal_lines "$JOURNAL" 2> /dev/null | wc -l
}
# No candidate measured twice; each line whole.
is_measured_once() {
    journal_lines "$JOURNAL" | awk -F '\t' '
    NF != 15 { print "no line of a journal: " $0; bad = 1 }
    $3 == "measured" && seen[$1]++ { print "twice: " $0; bad = 1 }
    END { exit bad }'
}
candidates() {
    sed -n 's/^to try  *\([0-9]*\) .*/\1/p' "$1"
}

has_trials() {
    [ "$(lines)" -ge 3 ]
}
has_journal() {
    [ -s "$JOURNALS/host-sum-i32-i32-400000-cold.journal" ]
}

# Ctrl-C, after some trials.
begin "$@"
wait_until has_trials
end INT
all=$(candidates err)
check interrupted has_status 130
check interrupted-says-what-is-kept grep -Eq \
    '^autotune: interrupted: what was measured is kept, and the same command goes on' err
check interrupted-after-some test "$(lines)" -gt 0
check interrupted-before-all test "$(lines)" -lt "$all"
check interrupted-no-record test ! -e "$RECORD"
check interrupted-no-process no_process
check interrupted-once is_measured_once

# kill -9 at moments drawn anew in every run of this test, until it is through.
kills=0
while [ $kills -lt 6 ]; do
    moment=$(od -An -N2 -tu2 /dev/urandom | awk '{ printf "%.2f", 0.1 + 1.4 * $1 / 65536 }')
    before=$(lines)
    begin "$@"
    sleep "$moment"
    end KILL
    [ "$status" -eq 137 ] || break
    kills=$((kills + 1))
    check "killed after $moment s" test "$(lines)" -ge "$before"
    check "killed after $moment s: no process" no_process
done
before=$(lines)
run "$@"
if grep -q '^record .*exact' err; then # the last kill came too late
    check through grep -q '^winner ' out
else
    check through has_status 0
    check goes-on-from-there grep -q "($before trials recalled from the journal)" err
    check tries-only-the-rest test "$(lines)" -eq "$all"
fi
check measured-once is_measured_once
check none-is-missing test "$(journal_lines "$JOURNAL" | cut -f 1 | sort -u | wc -l)" -eq "$all"
check record-is-written test -s "$RECORD"

# One candidate more a variant: only those are measured. One variant less: nothing is.
set -- --device host --n 20K --strategy exhaustive
JOURNAL=$JOURNALS/host-sum-i32-i32-20000-cold.journal
run "$@" --space few.ini
first=$(candidates err)
check grown-before test "$(lines)" -eq "$first"
run "$@" --space some.ini
second=$(candidates err)
check grown-has-more test "$second" -gt "$first"
check grown-recalls grep -q "($first trials recalled from the journal)" err
check grown-measures-the-new test "$(lines)" -eq "$second"
run "$@" --space few.ini
check shrunk-measures-none test "$(lines)" -eq "$second"
check shrunk-recalls grep -q "($first trials recalled from the journal)" err
check shrunk-once is_measured_once
run "$@" --space few.ini --json record.json
check recorded grep -q '"from_record": true' record.json

# --retune begins anew, and keeps the old journal.
cp "$JOURNAL" before.journal
run "$@" --space few.ini --retune
check retune has_status 0
check retune-sets-aside cmp before.journal "$JOURNAL.old"
check retune-measures-all test "$(lines)" -eq "$first"
check retune-recalls-none test "$(grep -c recalled err)" -eq 0

# Two at once on one problem: the second waits, whatever the space, and takes the record that the first
# makes; where that dies, it goes on from its trials. Another problem does not wait.
waits() {
    [ "$(grep -c '^waiting   for another autotune, which is tuning sum i32 400K cold on host$' second)" -eq 1 ]
}
waits_or_ends() { waits || ! kill -0 $second 2> /dev/null; }
begin_second() {
    : > second # what the last one left there must not be taken for this one's
    env --default-signal=INT "$AUTOTUNE" --device host --n 400K --strategy exhaustive --space "$1" \
        > second-out 2> second < /dev/null &
    second=$!
    wait_until waits_or_ends
    check "at-once-$2-waits" waits
}
end_second() {
    wait $second
    status=$?
    cp second err
    cp second-out out
}
# The first is stopped meanwhile, for it must not end before the second has begun.
tried() { [ "$(journal_lines "$JOURNALS/host-sum-i32-i32-400000-cold.journal" | wc -l)" -ge 1 ]; }
is_trying() { grep -q '^to try' err; }
begin --device host --n 400K --strategy exhaustive --space some.ini
wait_until tried
kill -STOP $running
begin_second few.ini interrupted
kill -INT $second
end_second
check at-once-interrupted has_status 130
check at-once-interrupted-said grep -q '^autotune: interrupted while another autotune is tuning sum i32 400K cold:' err
run --device host --n 1K --space few.ini
check at-once-other-problem has_status 0
begin_second some.ini orphan
end KILL
end_second
check at-once-orphan has_status 0
check at-once-orphan-goes-on grep -Eq '\([1-9][0-9]* trials recalled' err
begin --device host --n 400K --space few.ini --retune
wait_until is_trying
kill -STOP $running
begin_second few.ini served
kill -CONT $running
end 0
check at-once-first has_status 0
end_second
check at-once-served has_status 0
check at-once-takes-the-record grep -q '^winner ' out
check at-once-tries-nothing test "$(grep -c '^to try' err)" -eq 0
check at-once-no-process no_process

# Damage costs the lines that it is in, and is said.
damage() {
    rm -f "$RECORD"
    awk -v line="$(($(grep -n '^\[trials\]$' "$JOURNAL" | cut -d : -f 1) + 3))" \
        'NR == line { sub(/measured/, "measured!") } { print }' before.journal > "$JOURNAL"
}
damage
run "$@" --space few.ini
check damaged has_status 0
check damaged-warns grep -q '^autotune: warning: .*\.journal: 1 damaged line' err
check damaged-recalls-the-rest grep -q "($((first - 1)) trials recalled" err
rm "$RECORD"
head -c 3000 before.journal > "$JOURNAL"
run "$@" --space few.ini
check cut has_status 0
check cut-goes-on grep -Eq '\([1-9][0-9]* trials recalled' err
rm "$RECORD"
run "$@" --space few.ini
check cut-is-mended grep -q "($first trials recalled" err
rm "$RECORD"
sed 's/^schema = .*/schema = 999/' before.journal > "$JOURNAL"
run "$@" --space few.ini
check other-schema has_status 0
check other-schema-is-set-aside test -s "$JOURNAL.old"
check other-schema-is-said grep -q '^journal .*schema.*\.old' err
check other-schema-begins-anew test "$(grep -c recalled err)" -eq 0

# A journal from the future, of a clock that was set back: the record is as good as any later one.
touch -d '2100-01-02 03:04:05' "$JOURNAL"
run "$@" --space few.ini
check future-answers grep -q '^record    exact' err

# What must not be trusted is not touched: a warning, and the result.
rm "$RECORD" "$JOURNAL"
ln -s "$SCRATCH/target" "$JOURNAL"
run "$@" --space few.ini
check link has_status 0
check link-warns grep -q '^autotune: warning: the trials cannot be kept: ' err
check link-target-untouched test ! -e target
# A compiler without room for a while leaves what it was to compile untried, and the next run tries that:
# here the first unit of a block of 256 threads, which the default has not.
mkdir bin
for name in cc gcc clang; do
    cat > bin/$name <<END
#!/bin/sh
for word; do
    case \$word in *unit*.c) cat "\$word" ;; esac
done | grep -q 'BLOCK = 256' && mkdir "$SCRATCH/full" 2> /dev/null && {
    echo "/usr/bin/ld: final link failed: No space left on device" >&2
    exit 1
}
exec $(command -v $name) "\$@"
END
    chmod +x bin/$name
done
PATH=$SCRATCH/bin:$PATH run --device host --n 3K --strategy exhaustive --space some.ini --cache full-disk
check full-disk has_status 0
check full-disk-is-said grep -q '^autotune: warning: some candidates are untried, .*No space left on device; make room' err
check full-disk-rejects-none test "$(grep -c '^tried .*failed' err)" -eq 0
check full-disk-is-in-the-record grep -Eq '^untried = [1-9]' full-disk/host.ini
PATH=$SCRATCH/bin:$PATH run --device host --n 3K --strategy exhaustive --space some.ini --cache full-disk
check room-again-goes-on grep -q '^record .*left candidates untried: going on' err
check room-again-all-tried test "$(grep -c '^untried' full-disk/host.ini)" -eq 0
finish
