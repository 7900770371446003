#!/bin/sh
# Tests values and options that cannot be meant, each by itself: one sentence, exit status 64, nothing
# done. usage.sh has names that are misspelt; this one ranges, shapes, lists and what excludes what.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

# Ranges and lists of counts.
refuses range-from-nothing 64 "--n is '0..10': give a range from 1 on" --n 0..10
refuses range-too-far 64 "whose end some memory has room for" --n 1..600000000000000000
refuses range-backwards 64 "--n" --n 10..5
refuses range-open 64 "--n" --n 10..
refuses range-of-words 64 "--n" --n a..b
many=1
for i in $(seq 64); do many=$many,$i; done
refuses counts-too-many 64 "--n names more than 64 counts" bench --against cub --n "$many"
refuses counts-empty 64 "--n is ''" bench --against cub --n 1,,2
refuses counts-long 64 "--n is '1111111111" bench --against cub --n "1,$(printf %040d 0 | tr 0 1)"

# Matrices.
refuses rows-none 64 "--rows is '0': give 1 or more" --rows 0 --len 5
refuses len-none 64 "--len is '0': give 1 or more" --rows 5 --len 0
refuses pitch-none 64 "--pitch is '0': give 1 or more" --rows 5 --len 5 --pitch 0
refuses rows-of-words 64 "--rows is 'x'" --rows x --len 5
refuses rows-backwards 64 "--rows" --rows 5..3 --len 5
refuses range-from-no-rows 64 "--rows" --rows 0..3 --len 5
refuses rows-alone 64 "a matrix has --rows and --len: give both" --rows 5
refuses len-alone 64 "a matrix has --rows and --len: give both" --len 5
refuses axis-alone 64 "give its sizes, too, by --rows and --len, or by --dims" --axis 1
refuses shape-alone 64 "give its sizes, too, by --rows and --len, or by --dims" --shape rows
refuses rows-and-n 64 "--n is of one value" --n 5 --rows 5 --len 5
refuses axis-of-none 64 "--axis is '2': 1 gives a result for each row" --rows 5 --len 5 --axis 2
refuses axis-empty 64 "--axis is ''" --rows 5 --len 5 --axis ''
refuses shape-of-none 64 "--shape is 'cubes': rows gives a result" --rows 5 --len 5 --shape cubes
refuses axis-not-of-shape 64 "--shape rows is --axis 1" --rows 5 --len 5 --axis 0 --shape rows
refuses shape-not-of-axis 64 "--shape columns is --axis 0" --rows 5 --len 5 --shape columns --axis 1
refuses pitch-too-short 64 "--pitch is 4, less than a row's 5" --rows 5 --len 5 --pitch 4
refuses pitch-of-lengths 64 "--pitch is of rows of one length" --rows 5 --len 5..9 --pitch 9
refuses matrix-too-large 64 "more than any memory holds" --rows 1000000000000 --len 2000000000
refuses result-too-large 64 "2\^31 is the most" --rows 2 --len 3000000000
refuses scan-of-none 64 "unknown scan 'all'" --n 5 --scan all
refuses scan-of-columns 64 "of which there are no scans" --rows 5 --len 5 --axis 0 --scan inclusive
refuses scan-of-range 64 "scans of rows are tuned one by one" --rows 5..9 --len 5 --scan inclusive
refuses scan-of-lengths 64 "scans of rows are tuned one by one" --rows 5 --len 5..9 --scan inclusive
for sizes in "--rows 1..8 --len 4" "--rows 4 --len 1..8" "--rows 3 --len 4 --shape columns --axis 0" \
    "--rows 3 --len 4 --shape rows --axis 1 --pitch 9"; do
    # shellcheck disable=SC2086 # words
    run list problems --op sum --type i32 $sizes
    check "listed: $sizes" grep -q -- '--rows' out
done

# Numbers and times of other options.
for loss in x -1 50.001 1e400 ''; do
    refuses "loss=$loss" 64 "--loss is '$loss'" --n 1K..2K --loss "$loss"
done
for budget in 5 s 0s 5x 5ms5 1.5s -5s 99999999999999999999s ''; do
    refuses "budget=$budget" 64 "--budget is '$budget': write a whole number above 0 and a unit" --budget "$budget"
done
refuses data-nowhere 64 "--data is 'gpu': give pinned or pageable" --data gpu
refuses seed-too-large 64 "at most 64 bits" --seed 18446744073709551616

# Of data on the host nothing but n is asked.
for other in "--n 1K..2K" "--rows 5 --len 5" "--scan none" "--space reduce" "--template x.cu" "--problems x" \
    "--replay x" "--strategy race" "--budget 5s" "--n 1K..2K --confirm"; do
    # shellcheck disable=SC2086 # words
    refuses "data $other" 64 "--data is of one reduction of --n elements" --data pinned $other
done
for other in --cold --warm; do
    refuses "data $other" 64 "--data is of data on the host, $other|--cold and --warm of data" --data pageable $other
done

# A list has the problems.
echo "--n 1K" > one
for other in "--n 1K" "--n 1K..2K" "--rows 5 --len 5" "--rows 5..9 --len 5" "--op max" "--type f32" "--acc i64" \
    --cold --warm "--order run" --deterministic "--scan inclusive"; do
    # shellcheck disable=SC2086 # words
    refuses "list $other" 64 "--problems has the problems" --problems one $other
done
# A line of a list is as a command line, and is named by its number.
line() {
    printf -- '--n 1K\n%s\n' "$2" > bad
    refuses "line: $1" 64 "bad:2: $3" --problems bad --device host --dry-run
}
line help "--help" "--help is no part of a problem"
line words "$(printf -- '--op sum %.0s' $(seq 40))" "more than 63 words"
line range "--n 1..2" "a range is many problems"
line size "--n 0x5" "--n is '0x5'"
line argument "--n 5 6" "'6' is one argument too many"
line option "--n 5 --device host" "--device is no part of a problem"
line unknown "--n 5 --bogus" "there is no option --bogus"
printf -- '--n 5 --space rows\n--n 5 --space reduce\n\n # nothing\n--n 5 --space reduce\n' > bad
refuses line-twice 64 "bad has .* twice, which two parts would tune" --problems bad --device host --dry-run
: > bad
refuses lines-none 64 "bad has no problem" --problems bad --device host --dry-run
refuses lines-of-folder 74 "" --problems . --device host --dry-run

# A sweep and a replay.
refuses loss-alone 64 "are of a sweep of n" --n 1K --loss 1
refuses confirm-alone 64 "are of a sweep of n" --n 1K --confirm
refuses confirm-retune 64 "--confirm measures again what --retune" --n 1K..2K --confirm --retune
refuses replay-range 64 "--replay runs on one journal" --replay x --n 1K..2K
refuses replay-rows 64 "--replay runs on one journal" --replay x --rows 5..9 --len 5
refuses replay-n 64 "leave out its size" --replay x --n 1K
refuses replay-shape 64 "leave out its size" --replay x --rows 5 --len 5
refuses replay-retune 64 "--retune measures again" --replay x --retune
for option in --acc=i64 --cold --order=run --template=x; do
    refuses "replay $option" 64 "of its journal: leave out --op" --replay x "$option"
done

# Arguments of verbs.
refuses merge-nothing 64 "no file to merge" merge
refuses merge-empty 64 "a FILE is empty" merge ''
refuses profile-space 64 "a rung of the ladder has a space" profile modulo --space reduce --device host
refuses profile-template 64 "a rung of the ladder has a space" profile modulo --template x --device host
refuses profile-position 64 "give a value, not where it stands" profile modulo --op argmin --device host
refuses ladder-position 64 "give a value, not where it stands" ladder --op argmax --device host
refuses option-long 64 "there is no option --xxxxxxxxxx" "--$(printf %0300d 0 | tr 0 x)"
refuses argument-long 64 "one argument too many" list types "$(printf %0300d 0 | tr 0 x)"
refuses sum-of-devices 64 "--device names 0 twice" --device 0,00
refuses auto-in-list 64 "--device: auto stands alone" --device host,auto
refuses all-in-list 64 "--device: all stands alone" --device all,host
refuses list-of-none 64 "is no device of a list" --device host,
refuses device-long 64 "is no device of a list" --device "$(printf %0300d 0)"
refuses devices-many 64 "is no device of a list" --device "$(printf 'host,%.0s' $(seq 64))host"
finish
