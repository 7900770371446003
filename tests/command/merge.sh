#!/bin/sh
# Tests `merge`: record files are merged into the folder of records; of two the better stays.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini
tune() {
    run --device host --space small.ini --cache "$@"
    check "tune-$*" has_status 0
}
has_lines() {
    [ "$(wc -l < "$2")" -eq "$1" ]
}
count() {
    grep -c "$1" "$2"
}
# The records of a folder, whatever their order, without what changes nothing.
shown() {
    "$AUTOTUNE" show --cache "$1" --csv - | sort
}
same_records() {
    shown "$1" > one && shown "$2" > two && [ -s one ] && cmp one two
}
median_of() {
    sed -n 's/^median_ps = //p' "$1"
}

# Two machines, of which both know one problem, and each one more.
tune a --n 1K --seed 1
cp a/host.ini base.ini
tune a --n 2K
tune b --n 1K --seed 2
first=$(median_of base.ini) second=$(median_of b/host.ini)
tune b --n 1K --op max
run merge --cache c a/host.ini b/host.ini
check merge has_status 0
check merge-a-line-each has_lines 5 out
check merge-title grep -Eq '^gpu +problem +us +us here +from +result$' out
check merge-added test "$(count ' added$' out)" -eq 3
check merge-says-how-many grep -q '^merged .* of 4 records into c$' err
run show --cache c
check merge-all-are-there has_lines 4 out
check merge-the-faster grep -qx "median_ps = $((first < second ? first : second))" c/host.ini
run merge --cache d b/host.ini a/host.ini
check other-order has_status 0
check other-order-is-the-same same_records c d
cp c/host.ini before.ini
run merge --cache c b/host.ini c/host.ini a/host.ini
check again has_status 0
check again-changes-nothing cmp before.ini c/host.ini
check again-says-so test "$(count ' kept the one here$' out)" -eq 7
run merge b/host.ini --cache e --quiet -- a/host.ini
check order-of-options same_records c e
check quiet test ! -s err
run merge base.ini
check usual-folder test -s "$XDG_CACHE_HOME/autotune/host.ini"

# What ships is of built-in spaces, whose kernels are those of now: others are passed over.
run merge --compact ships base.ini
check compact has_status 0
check compact-says-passed-over grep -Eq '^host .* passed over$' out
check compact-says-why grep -q 'warning: sum i32 1K .*of host does not ship: ' err
check compact-has-none test ! -e ships

# Each record goes to the file of its own GPU, unchanged, whatever its file is called.
shipped=$(find "$ROOT/bench/records" -name '*.ini' 2> /dev/null | head -n 1)
if [ -z "$shipped" ]; then
    skip gpus "no records come with the program"
    cp base.ini other-name.ini
    others=0
else
    cp "$shipped" other-name.ini
    others=$(count '^\[record ' other-name.ini)
    run merge --cache gpus other-name.ini base.ini
    check gpus has_status 0
    check gpus-host test "$(count '^gpu = host' gpus/host.ini)" -eq 1
    check gpus-other test "$(count '^\[record ' "gpus/${shipped##*/}")" -eq "$others"
    grep '^checksum = ' other-name.ini | sort > sums
    grep '^checksum = ' "gpus/${shipped##*/}" | sort > sums-merged
    check gpus-as-it-stands cmp sums sums-merged
    check gpus-files test "$(find gpus -name '*.ini' | wc -l)" -eq 2
fi

# Two at once lose nothing.
"$AUTOTUNE" merge --cache both other-name.ini a/host.ini > /dev/null 2>&1 &
"$AUTOTUNE" merge --cache both b/host.ini other-name.ini > /dev/null 2>&1
wait $!
run show --cache both
check at-once has_lines $((4 + others)) out

# same_trials A B: the same trials in two journals, in any order.
same_trials() {
    journal_lines "$1" | sort > a.trials
    journal_lines "$2" | sort > b.trials
    cmp a.trials b.trials
}

# Folders: all records and journals in them; then tables for programs.
mkdir none
run merge --cache j none
check folder-of-none refused 74 "none: there is no record file in this folder: name one that has them, or files$"
mkdir parted parted/journal
cp base.ini parted
cp a/journal/*.journal parted/journal
touch -d '2026-01-02 03:04:05' parted/journal/*
run merge --cache j parted
check folder has_lines 2 out
check folder-journals grep -Eq '^journals  [1-9][0-9]* trials added$' err
for journal in parted/journal/*; do
    check folder-journal same_trials "$journal" "j/journal/${journal##*/}"
    check folder-journal-is-as-old test ! "$journal" -nt "j/journal/${journal##*/}" -a \
        ! "j/journal/${journal##*/}" -nt "$journal"
done
run merge --cache j parted
check folder-again grep -Eq '^merged    0 of' err
check folder-again-journals test "$(grep -c '^journals' err)" -eq 0
rm -r j
ln -s base.ini to-base.ini
run merge --cache j to-base.ini
check link refused 74 "to-base.ini is a symbolic link; name the file itself, or remove the link$"
run merge --cache j base.ini --json -
check json-status has_status 0
check json grep -q '"gpu": *"host.*"op": *"sum".*"n": *1000.*"us_here": *null' out
check json-result grep -q '"file": *"base.ini", *"result": *"added"' out
run merge --cache j base.ini --csv - --json j.json
check csv grep -q '^gpu,op,type,acc,n,regime,order,us,us_here,file,result,shape,rows,len,pitch' out
check csv-row grep -q ',base.ini,kept the one here,value,,,' out
check json-file test -s j.json

# craft FILE FIELD=VALUE...: the base record with other fields, signed.
craft() {
    crafted=$1
    shift
    fields_of base.ini > fields
    for field; do
        sed "s/^${field%%=*} = .*/${field%%=*} = ${field#*=}/" fields > changed
        mv changed fields
    done
    rm -f "$crafted"
    "$SIGN" "$crafted" < fields
}
# Of many that meet at once the best stays, whoever looked at what is there before another wrote it.
for i in 9 3 7 1 5 8 2 6; do
    craft "us$i.ini" median_ps=${i}000000 low_ps=${i}000000 high_ps=${i}000000
done
the_best_stayed() {
    for round in $(seq 5); do
        rm -rf crowd
        pids=
        for i in 9 3 7 1 5 8 2 6; do
            "$AUTOTUNE" merge --cache crowd "us$i.ini" > /dev/null 2>&1 &
            pids="$pids $!"
        done
        # shellcheck disable=SC2086 # process ids
        wait $pids
        [ "$(median_of crowd/host.ini)" = 1000000 ] || { echo "round $round" && return 1; }
    done
}
check at-once-the-best-stays the_best_stayed
# Of two for the same problem the better ships, whichever comes first.
for i in 8 4; do
    craft "ships$i.ini" space=reduce source=measured code=0000000000000000 median_ps=${i}000000 \
        low_ps=${i}000000 high_ps=${i}000000
done
for order in "ships8.ini ships4.ini" "ships4.ini ships8.ini"; do
    rm -rf ships
    # shellcheck disable=SC2086 # two files
    run merge --compact ships $order
    check "compact-the-better: $order" test "$(grep -h ' = cold ' ships/host/*.ini | cut -d ' ' -f 5)" = 4000000
    check "compact-the-better-says: $order" grep -Eq ' 8.00  +ships8.ini +passed over$' out
done
# wins NAME WINNER LOSER: whichever comes first, the winner is kept.
wins() {
    for order in "$2 $3" "$3 $2"; do
        rm -rf pair
        # shellcheck disable=SC2086 # two files
        run merge --cache pair $order
        check "$1: $order" has_status 0
        grep '^checksum' "$2" > want
        grep '^checksum' pair/host.ini > have
        check "$1: $order: kept" cmp want have
    done
}
# swept FILE UTC SIZE...: sizes of a sweep of that time, each "N WINNER [PARAMS:PS:HIGH_PS]...". Each
# winner takes 1 us, and a variant may lose 10 %.
swept() {
    swept=$1 utc=$2
    shift 2
    rm -f "$swept"
    for size; do
        # shellcheck disable=SC2086 # its words
        set -- $size
        craft one.ini "depth=$1" "params=$2" median_ps=1000000 low_ps=900000 high_ps=1100000 \
            "tuned=$utc"
        shift 2
        {
            cat fields
            printf 'swept = %s\nloss_ppm = 100000\n' "$utc"
            for raced; do printf 'raced = %s\n' "$raced"; done
        } > changed
        "$SIGN" "$swept" < changed
    done
}
# intervals_are FOLDER "FROM TO PARAMS"...: they and no others.
intervals_are() {
    "$AUTOTUNE" show --sweep --cache "$1" --json drawn.json > /dev/null
    python3 -c 'import json
for i in json.load(open("drawn.json"))["intervals"]: print(i["n_from"], i["n_to"], i["params"])' > have
    shift
    printf '%s\n' "$@" | cmp - have
}
# cells_are N CELLS: us, loss %, us of the size's own and of the one for all.
cells_are() {
    [ "$(awk -F , -v OFS=, -v n="$1" '$6 == n { print $10, $13, $14, $16 }' layers.csv)" = "$2" ]
}
if [ -x "$SIGN" ]; then
    times="low_ps=1 high_ps=900"
    old=tuned=2026-01-01T00:00:00Z new=tuned=2026-02-01T00:00:00Z
    # shellcheck disable=SC2086 # two fields
    {
        craft fast.ini $times median_ps=100 $old
        craft slow.ini $times median_ps=200 $new
        craft late.ini $times median_ps=100 $new
        craft driver.ini $times median_ps=300 $new driver=newer
        craft compiler.ini $times median_ps=300 $new compiler=newer
        craft code.ini $times median_ps=300 $new code=0123456789abcdef
        craft method.ini $times median_ps=300 $new method=9
        craft public.ini $times median_ps=50 $new source=published
        craft public-slow.ini $times median_ps=60 $old source=published
        craft real.ini $times median_ps=200 $new source=measured cc=90 sms=132 gpu=G
        craft real-public.ini $times median_ps=10 $new source=published cc=90 sms=132 gpu=G
        craft slash.ini $times median_ps=100 $old "gpu=.. Evil"
    }
    wins faster fast.ini slow.ini
    wins newer-of-equals late.ini fast.ini
    for made in driver compiler code method; do
        wins "newer-$made" "$made.ini" fast.ini
    done
    wins measured-over-published fast.ini public.ini
    wins published public.ini public-slow.ini
    check published-stays grep -qx 'source = published' pair/host.ini
    for order in "real.ini real-public.ini" "real-public.ini real.ini"; do
        rm -rf pair
        # shellcheck disable=SC2086 # two files
        run merge --cache pair $order
        check "published-for-comparison: $order" grep -qx 'source = measured' pair/g.ini
    done
    run merge --cache slash slash.ini
    check name-of-a-gpu-is-no-path test -s slash/evil.ini

    # Sweeps that meet: the newer has its range, the older what is left on both sides. Sizes 1K to
    # 100K, where B, A and C win by turns, older than A's at 4K and 10K.
    january=2026-01-01T00:00:00Z february=2026-02-01T00:00:00Z
    B=BLOCK=64 C=BLOCK=128 A=BLOCK=256
    swept low.ini $january "1000 $B" "2000 $A $B:1090000:1090000" "4000 $C $B:1090000:1090000"
    swept high.ini $january "10000 $B $C:1090000:1090000" "40000 $C" "100000 $C"
    swept new.ini $february "4000 $A" "10000 $B $A:1090000:1090000"
    for order in "new.ini high.ini low.ini" "low.ini high.ini new.ini" "high.ini new.ini low.ini"; do
        rm -rf layers
        # shellcheck disable=SC2086 # three files
        run merge --cache layers $order
        check "layers: $order" has_status 0
        check "layers-all-covered: $order" intervals_are layers "1000 3999 $B" "4000 10000 $A" \
            "10001 100000 $C"
        cp layers/host.ini layers.ini
        # shellcheck disable=SC2086 # three files
        run merge --cache layers $order layers.ini
        check "layers-again: $order" cmp layers.ini layers/host.ini
        run show --sweep --cache layers --csv layers.csv
        check "layers-drawn: $order" test "$(wc -l < layers.csv)" -eq 7
    done
    rm -rf layers
    run merge --cache layers low.ini new.ini high.ini
    check layers-added grep -Eq ' 1K cold .* added$' out
    check layers-newer grep -Eq ' 4K cold .* better than the one here$' out
    check layers-older grep -Eq ' 10K cold .* kept the one here$' out
    run merge --cache layers new.ini
    check layers-same grep -Eq ' 4K cold .* kept the one here$' out

    # Halves of one sweep meet half way, as if they had never been apart.
    for order in "high.ini low.ini" "low.ini high.ini"; do
        rm -rf layers
        # shellcheck disable=SC2086 # two files
        run merge --cache layers $order
        check "layers-halves: $order" intervals_are layers "1000 20000 $B" \
            "20001 100000 $C"
    done

    # Between sizes of a newer sweep an older one's size stays, and its interval where that serves.
    swept part.ini $february "1000 $A" "4000 $A"
    for order in "part.ini low.ini" "low.ini part.ini"; do
        rm -rf layers
        # shellcheck disable=SC2086 # two files
        run merge --cache layers $order
        check "layers-gap: $order" intervals_are layers "1000 4000 $A"
    done

    # A better record of an older sweep, or of none, is a size of the newer one from then on.
    swept over.ini $february "1000 $C $A:1090000:1090000" "10000 $A"
    craft better.ini depth=1000 "params=$B" median_ps=900000 low_ps=900000 high_ps=900000 \
        tuned=$january
    for order in "over.ini better.ini" "better.ini over.ini"; do
        rm -rf layers
        # shellcheck disable=SC2086 # two files
        run merge --cache layers $order
        run show --sweep --cache layers --csv layers.csv
        check "times-of-both: $order" cells_are 1000 0.90,0.0,0.90,1.09
        check "times-of-own-stay: $order" cells_are 10000 1.00,0.0,1.00,1.00
    done
else
    skip crafted "no $SIGN: make tests builds it"
fi

# What is damaged is named and left out.
awk '/^\[/ { is_2k = 0 } /^depth = 2000$/ { is_2k = 1 } /^median_ps/ && is_2k { sub(/[0-9]/, "9&") }
    { print }' c/host.ini > damaged.ini
run merge --cache others base.ini b/host.ini
run merge --cache f damaged.ini
check damaged has_status 0
check damaged-is-named grep -Eq '^autotune: warning: damaged.ini:[0-9]+: ' err
check damaged-the-others same_records f others
sed 's/^median_ps = /&9/' b/host.ini > worse.ini
run merge --cache g worse.ini base.ini
check damaged-all has_status 0
check damaged-all-counted grep -q 'warning: worse.ini:.* (and 1 more there)' err
check damaged-all-added test "$(count ' added$' out)" -eq 1
mkdir hurt
sed 's/^median_ps = /&9/' base.ini > hurt/host.ini
cp hurt/host.ini hurt.ini
run merge --cache hurt b/host.ini
check damaged-here has_status 0
check damaged-here-warns grep -q 'warning: hurt/host.ini:' err
check damaged-here-is-kept cmp hurt.ini hurt/host.ini.damaged
check damaged-here-is-merged same_records hurt b

# A file that cannot be read: nothing is changed, whatever the other files hold.
mkdir folder
ln -s base.ini link.ini
: > empty.ini
echo "no record" > prose.ini
sed 's/^schema = .*/schema = 99/' base.ini > schema.ini
mkfifo fifo.ini
for file in nothing.ini folder link.ini empty.ini prose.ini schema.ini fifo.ini; do
    refuses "unreadable-$file" 74 "$file" merge --cache h base.ini "$file"
done
check unreadable-changes-nothing test ! -e h
refuses unwritable 74 "/proc/autotune" merge --cache /proc/autotune base.ini
mkdir linked
ln -s "$SCRATCH/target.ini" linked/host.ini
refuses here-is-a-link 74 "linked/host.ini" merge --cache linked base.ini
check here-is-a-link-untouched test ! -e target.ini
run merge --cache k base.ini --json folder/no/base.json
check unwritable-table has_status 74
check unwritable-table-is-named grep -q '^autotune: folder/no/base.json: ' err
check unwritable-table-merges-nothing test ! -e k

# The command line.
refuses no-file 64 "no file to merge" merge
refuses no-file-quiet 64 "no file to merge" merge --quiet --
refuses file-empty 64 "a FILE is empty" merge ""
refuses file-empty-second 64 "a FILE is empty" merge base.ini ""
refuses option 64 "no option --bogus" merge --bogus base.ini
refuses option-of-tune 64 "merge has no --device: tune, " merge --device host base.ini
refuses value-missing 64 "--cache needs a value" merge base.ini --cache
refuses value-empty 64 "empty value" merge --cache= base.ini
refuses value-unwanted 64 "--quiet takes no value" merge --quiet=3 base.ini
refuses json-csv 64 "mix on stdout" merge base.ini --json - --csv -
refuses file-like-an-option 64 "no option -x" merge -x.ini
run merge --help
check help has_status 0
check help-usage grep -Eq '^Usage: autotune merge .*FILE\.\.\.' out
check help-narrow test "$(grep -c '.\{81\}' out)" -eq 0
"$AUTOTUNE" help merge > long
check help-verb cmp out long
"$AUTOTUNE" help > all
check help-lists grep -Eq '^  merge +[a-z]' all
cp base.ini show
run merge --cache l show
check file-called-as-a-verb has_status 0
run merge --cache l -- base.ini
check file-after-dashes has_status 0
finish
