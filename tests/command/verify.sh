#!/bin/sh
# Tests `verify`, which proves kernels without timing them.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini

is_right() {
    has_status 0 && grep -q '^right ' out && [ ! -e "$XDG_CACHE_HOME/autotune/host.ini" ]
}
run verify --device host --n 3K --type f32 --acc f64 # of which no record ships
check default is_right
check default-is-said grep -q "^variant .*default" err
run verify --device host --n 3K --variant BLOCK=64,WARP=TREE --type f32
check variant is_right
check variant-is-named grep -q 'BLOCK=64 .*WARP=TREE' out
check variant-error grep -q 'bound' out
refuses no-launch 64 "variant: .*ceil_div.*choose other values" verify --device host --rows 100 --len 33 \
    --variant LANES=512,BLOCK=256
run verify --device host --small --n 3K --variant BLOCK=64,WARP=TREE --type f32
check small is_right
check small-leaves-n-out grep -q 'runs at small sizes$' out
# Each lane keeps what is its own alone.
sed 's/__shfl_xor_sync(~0u, a, d)/a/' "$ROOT/templates/rows.cu" > wrong.cu
refuses small-wrong 70 "is wrong: wrong result" verify --device host --small --rows 50 --len 700 --type f32 \
    --template wrong.cu
# A kernel that crashes, or that never ends, is wrong: in seconds, in the worker and in this process.
plant crash.cu "$ROOT/templates/reduce.cu" '    while (n) ((volatile int *)0)[0];'
plant endless.cu "$ROOT/templates/reduce.cu" '    for (volatile int on = 1; on;) continue;'
sed 's/^name = .*/name = mine/' "$ROOT/configs/reduce.ini" > mine.ini
refuses crash 70 "kernel of BLOCK=.* crashes: .*signal 11" verify --device host --n 3K --template crash.cu \
    --variant WALK=STRIDED
refuses crash-small 70 "sum i32 .*BLOCK=.* is wrong: it crashes" verify --device host --small --n 3K \
    --template crash.cu --variant WALK=STRIDED
refuses crash-small-by-a-rule 70 "BLOCK=64 .*is wrong: it crashes" verify --device host --small --n 3K \
    --template crash.cu --space mine.ini --variant BLOCK=64,GRID=3
# A worker ends a kernel of the emulator that is far slower than smaller runs of any: in few seconds of
# processor time: other programs do not use it up, but a core shared with them gives half as much.
# One that is slow is no such kernel.
# used_by COMMAND...: the seconds of processor time that it took, in $used.
used_by() {
    times > before # a pipe would be another shell's
    "$@"
    times > after
    used=$(awk -F '[ms ]' 'FNR == 2 { s = 60 * $1 + $2 + 60 * $4 + $5 - s } END { print int(s) }' before after)
}
few=30
grep -qa '__[at]san_init' "$AUTOTUNE" && few=100
used_by refuses endless 70 "kernel of BLOCK=.* does not end: .*processor time" verify --device host --n 3K \
    --template endless.cu --space mine.ini
check "endless-is-soon: $used s" test "$used" -le $few
if is_turn 0 2; then
    used_by refuses endless-tuned 70 "kernel of BLOCK=.* does not end: .*processor time" --device host --n 3K \
        --template endless.cu --space mine.ini --budget 1s
    check "endless-tuned-is-soon: $used s" test "$used" -le $few
fi
if is_turn 1 2; then
    plant at-n.cu "$ROOT/templates/reduce.cu" '    for (volatile int on = n > 900000; on;) continue;'
    used_by refuses endless-at-n 70 "kernel of BLOCK=.* does not end: .*processor time" verify --device host --n 1M \
        --template at-n.cu --space mine.ini
    check "endless-at-n-is-soon: $used s" test "$used" -le $((2 * few))
fi
plant of-one.cu "$ROOT/templates/reduce.cu" '    for (volatile int on = BLOCK == 128; on;) continue;'
sed 's/ || WARP == REDUX//; s/ || FINISH == FLAGGED//' small.ini > two.ini
used_by run --device host --n 3K --template of-one.cu --space two.ini --strategy exhaustive --cache tuned
check endless-of-one has_status 0
check endless-of-one-is-named grep -q '^hung .*BLOCK=128' err
check "endless-of-one-is-soon: $used s" test "$used" -le $few
plant slow.cu "$ROOT/templates/reduce.cu" '    for (volatile int on = 0; on < 6000; on++) continue;'
run verify --device host --n 3K --template slow.cu --space mine.ini
check slow-is-right is_right
refuses endless-small 70 "gives no answer within 2 s of processor time .--limit." verify --device host --small --n 3K \
    --template endless.cu --variant WALK=STRIDED --limit 2s
refuses endless-of-many 70 "gives no answer within 0\.50+ s" verify --device host --cover \
    --part 1/40 --template endless.cu --space small.ini --limit 500ms
# A proof that takes three times its limit, and answers all the time.
run verify --device host --small --n 3K --template slow.cu --variant WALK=STRIDED --limit 500ms
check slow-is-no-fault is_right
refuses limit-of-a-worker 64 "give --small, --cover or --all too" verify --device host --n 3K --limit 2s
refuses limit-without-a-unit 64 "--limit is '30': write a whole number above 0 and a unit" verify --small --limit 30
run verify --device host --n 0
check n-0 is_right
run verify --device host --n 1
check n-1 is_right
run verify --device host --n 1K --op prod --type u64 --quiet
check quiet is_right
check quiet-stderr test ! -s err
run verify --device host --n 3K --op argmin --type i8 --variant BLOCK=64,FINISH=PASSES,GRID=0
check position is_right
check position-has-its-space grep -q 'UNROLL=.*FINISH=PASSES' out
run verify --device host --n 0 --op argmax --variant BLOCK=64
check position-of-nothing is_right
# What a rule of the space rejects is not blamed on its files alone; the rule is named once.
refuses by-a-rule 64 "not try this variant: choose another.*model" verify --device host --n 1K \
    --variant LOAD=ASYNC
check by-a-rule-is-noted grep -q '^note .*would not try this variant.*: a ring has stages' err
refuses wrong-by-a-rule 70 "wrong result.*; the space would not try this variant anyway" \
    verify --device host --n 1K --variant VECTOR=4,ITEMS=1
check rule-is-said-once test "$(grep -c 'a whole number of loads' err)" -eq 1
refuses position-of-another-space 64 "use --space arg" verify --device host --op argmin --space reduce
refuses value-of-positions 64 "use --space reduce" verify --device host --op max --space arg
# What this machine lacks is said of no kernel. No record is kept yet: which variant is proven, and so
# how many files it takes, does not depend on this machine's times.
PROGRAM=$AUTOTUNE
lacks() {
    lack=$1 pattern=$3
    printf '#!/bin/sh\nexec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-\n%s\nexec "%s" "$@"\n' "$2" "$PROGRAM" > lacking
    chmod +x lacking
    AUTOTUNE=$SCRATCH/lacking
    shift 3
    for set in "tune --n 3K --space small.ini --retune" "$@"; do
        # shellcheck disable=SC2086 # words
        refuses "$lack $set" 74 "$pattern" $set --device host
    done
    AUTOTUNE=$PROGRAM
}
set -- "verify --small --n 3K" "verify --cover --part 1/90" "verify --n 3K"
lacks no-tmpdir 'export TMPDIR=/nowhere/here' "a folder in /nowhere/here .*No such file.*TMPDIR" "$@"
lacks small-files 'ulimit -f 8' "File too large; raise what .ulimit -f. shows" "$@"
lacks few-descriptors 'ulimit -n 12' "(Too many open files; raise|said nothing)" "$@"
lacks descriptors-of-blocks 'ulimit -n 20' "Too many open files; raise what .ulimit -n. shows"
run --device host --n 3K --space small.ini --quiet
run verify --device host --n 3K --space small.ini
check record has_status 0
check record-is-said grep -q "^variant .*host's record .*exact" err
run verify --device host --cover --part 1/90 --quiet --space arg
check sample-part grep -Eq '^proven +[1-9] variants right, 0 wrong' out
run verify --device host --all --part 6/30000 --quiet --space arg
check positions-part grep -Eq '^proven +[1-9][0-9]* variants right, 0 wrong' out
run verify --device host --all --part 1/150 --space small.ini --quiet
check part-1 grep -Eq '^proven +[1-9][0-9]* variants right, 0 wrong' out
finish
