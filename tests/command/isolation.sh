#!/bin/sh
# Tests faulty kernels: one that crashes, hangs, computes something wrong or takes the compiler down
# is named, the others are measured, the run ends well and leaves nothing behind.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
small_space small.ini

# Each fault is planted by a value of a param FAULT, where a sound kernel has nothing. The
# compiler is brought down by a stand-in for it, which looks for these comments.
cat > plant.awk <<'END'
# instead FAULT LINE: this line for the one that was read.
function instead(fault, line) {
    print "    //? if FAULT == " fault
    print line
    print "    //? else"
    print
    print "    //? end"
}
/^__global__ void$/ { is_kernel = 1 }
/^    const vec \*v = \(const vec \*\)\(x \+ head\);$/ {
    instead("MISALIGNED", "    const vec *v = (const vec *)x;")
    next
}
/^        const unsigned left = \(unsigned\)n - front - tiles \* TILE;$/ {
    instead("DROPPED_TAIL",
            "        const unsigned left = ((unsigned)n - front - tiles * TILE) / VECTOR * VECTOR;")
    next
}
{ print }
is_kernel && /^    accum a = identity\(\);$/ && !is_planted++ {
    print "    //? if FAULT != NONE"
    print "    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;"
    print "    //? end"
    print "    //? if FAULT == OUT_OF_BOUNDS"
    print "    y[1ull << 40] = a;"
    print "    //? elif FAULT == TRAP"
    print "    __builtin_trap();"
    print "    //? elif FAULT == TRAP_AT_N"
    print "    if (n > 10000)"
    print "        __builtin_trap();"
    print "    //? elif FAULT == TRAP_LATE"
    print "    extern int access(const char *, int);"
    print "    if (n > 10000 && thread == 0 && access(\"" late "\", 0) == 0)"
    print "        __builtin_trap();"
    print "    //? elif FAULT == LOOP"
    print "    for (volatile int on = 1; on;)"
    print "        continue;"
    print "    //? elif FAULT == WRONG_SUM"
    print "    a = thread;"
    print "    //? elif FAULT == NO_OP"
    print "    return;"
    print "    //? elif FAULT == NO_C"
    print "    this is no C;"
    print "    //? elif FAULT == COMPILER_CRASHES"
    print "    // COMPILER_CRASHES"
    print "    //? elif FAULT == COMPILER_KILLS"
    print "    // COMPILER_KILLS"
    print "    //? end"
}
END
awk -v late="$SCRATCH/late" -f plant.awk "$ROOT/templates/reduce.cu" > faulty.cu
check planted test "$(grep -o 'if FAULT == .*' faulty.cu | sort -u | wc -l)" -eq 12

FAULTS="OUT_OF_BOUNDS TRAP TRAP_AT_N TRAP_LATE LOOP WRONG_SUM DROPPED_TAIL MISALIGNED NO_OP \
NO_C COMPILER_CRASHES COMPILER_KILLS"

# faulty_space RULE: two sound variants, and one of each fault that the rule allows.
faulty_space() {
    widened small.ini BLOCK 64 | awk -v faults="$FAULTS" -v rule="$1" '
    /^\[derived\]/ {
        print "[param FAULT]\nmeaning = what is wrong with it\nvalues = NONE " faults "\n"
    }
    /^few kinds/ {
        print "few kinds are tried = LOAD == PLAIN && WARP == SHUFFLE && GRID == 0"
        print "a fault is tried once = FAULT == NONE || (FINISH == PASSES && " rule ")"
        next
    }
    { print }
    /^\[default\]/ { print "FAULT = NONE" }'
}
faulty_space "FAULT != TRAP_LATE" > faulty.ini
mkdir bin
cat > bin/cc <<END
#!/bin/sh
for file in "\$@"; do
    case \$file in *.c) ;; *) continue ;; esac
    ! grep -q '// COMPILER_CRASHES' "\$file" || kill -SEGV \$\$
    ! grep -q '// COMPILER_KILLS' "\$file" || kill -KILL "\$PPID"
done
exec $(command -v cc) "\$@"
END
chmod +x bin/cc
PATH=$SCRATCH/bin:$PATH

# was FAULT PATTERN: the outcome of the fault, in the journal or in the notes.
was() {
    journal_lines "$XDG_CACHE_HOME"/autotune/journal/*.journal | cut -f 3,4,14 > trials
    grep -Eq "^$2.*FAULT=$1	" trials ||
        { cat err; grep "FAULT=$1	" trials; return 1; }
}
is_named() {
    grep -A 1 -E "^$2 .*FAULT=$1\$" err
}
counts() {
    grep -E "^tried +2 measured.*, 3 wrong, 2 failed, 5 crashed, 1 hung;" err
}
tune() {
    run --device host --n 20K --space "$1" --template faulty.cu --strategy exhaustive
}

# Whoever starts it ignores its children, and is no hindrance to see how they end.
printf '#!/bin/sh\nexec env --ignore-signal=CHLD "%s" "$@"\n' "$AUTOTUNE" > unwaited
chmod +x unwaited
program=$AUTOTUNE AUTOTUNE=$SCRATCH/unwaited
tune faulty.ini
AUTOTUNE=$program
check tuned has_status 0
check winner-is-sound test "$(grep -c '^ .* FAULT=NONE$' out)" -eq 1
check record-is-sound grep -q '^params = .*FAULT=NONE' "$XDG_CACHE_HOME/autotune/host.ini"
check all-are-judged counts
for fault in OUT_OF_BOUNDS MISALIGNED TRAP TRAP_AT_N; do
    check "$fault" was $fault crashed
done
check crashes-say-how test "$(grep -c 'crashed.*FAULT=[OTM].*killed by signal' trials)" -ge 4
check LOOP was LOOP hung
# By the processor time that its few launches took, not by a clock: how little that is, verify.sh says.
check LOOP-says-how test "$(journal_lines "$XDG_CACHE_HOME"/autotune/journal/*.journal |
    grep -c 'FAULT=LOOP.*it used up its processor time without an answer')" -eq 1
for fault in WRONG_SUM DROPPED_TAIL NO_OP; do
    check "$fault" was $fault wrong
done
check NO_C is_named NO_C failed
check COMPILER_CRASHES is_named COMPILER_CRASHES failed
check COMPILER_KILLS is_named COMPILER_KILLS crashed
check sound-ones-are-measured test "$(grep -c '^measured	.*FAULT=NONE	' trials)" -eq 2
check workers-were-replaced grep -Eq '^replaced +[4-9] worker processes that were lost$' err
check no-process-left no_process
check no-folder-left no_folder

# What took a worker down is not tried again; what failed to compile is, for it may have been for want of
# memory.
rm "$XDG_CACHE_HOME/autotune/host.ini"
tune faulty.ini
check again has_status 0
check again-the-same counts
check again-the-bad-are-known grep -q '(10 trials recalled from the journal)' err
check again-none-hangs test "$(journal_lines "$XDG_CACHE_HOME"/autotune/journal/*.journal |
    grep -c '	hung	.*FAULT=LOOP')" -eq 1

# A kernel that is right at first, and crashes in the final race: of trials that are all known.
faulty_space "FAULT == TRAP_LATE" > late.ini
tune late.ini
rm "$XDG_CACHE_HOME/autotune/host.ini"
: > late
tune late.ini
check late-crash has_status 0
check late-crash-tries-nothing grep -q '(3 trials recalled from the journal)' err
check late-crash-was-measured was TRAP_LATE measured
check late-crash-is-named is_named TRAP_LATE crashed
check late-crash-does-not-win test "$(grep -c '^ .* FAULT=NONE$' out)" -eq 1
check late-crash-no-process no_process

# A default that crashes ends the run: without its times there is no measure of the others.
sed 's/^FAULT = NONE/FAULT = TRAP/' faulty.ini > unsound.ini
run --device host --n 20K --space unsound.ini --template faulty.cu
check default-crashes refused 70 'the kernel of .*FAULT=TRAP.* crashes: .*signal'
check default-crashes-no-process no_process

# Without /proc no worker can be started: not for a kernel's fault.
printf '#!/bin/sh\nexec unshare -m sh -c '\''mount -t tmpfs none /proc && exec "$@"'\'' sh "%s" "$@"\n' \
    "$AUTOTUNE" > without
chmod +x without
if unshare -m sh -c 'mount -t tmpfs none /proc' 2> /dev/null; then
    AUTOTUNE=$SCRATCH/without
    refuses no-proc 1 'cannot start a worker process.*mount /proc' --device host --n 1K
    AUTOTUNE=$program
else
    skip no-proc "no other mounts can be made here"
fi
finish
