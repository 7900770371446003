#!/bin/bash
# Proves the program and its kernels on GPU 0. Steps: device (the device itself, the kernel that
# would be used for the usual problem), cover (the covering sample), faults (kernels that crash,
# hang or are wrong cost themselves, not the run), interrupt (Ctrl-C and kill -9 lose nothing and
# leave nothing behind), race (ties are ties, and 3 % is found), occupancy (what is computed of every
# variant is what the driver says), library (the library in a program's own context, and what it
# costs there), profile (Nsight Compute on two rungs and the default, and whether it counts in shared
# memory what the ladder computes), sanitize (compute-sanitizer's tools on a sample of variants,
# minutes). Without a step all are taken but sanitize.
# Exit status 69 where there is no such GPU.
# Usage: tests/gpu.sh BUILD [STEP]...    (DEVICE=host tries the script where there is no GPU)
set -euo pipefail
build=${1:?usage: tests/gpu.sh BUILD [STEP]...}
shift
build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.."
device=${DEVICE:-0}
[ $# -gt 0 ] || set -- device cover faults interrupt race occupancy library profile

"$build/autotune" doctor
if [ "$device" != host ] && ! "$build/autotune" doctor | grep -q "^gpu $device .*, cc "; then
    echo "test-gpu: no GPU $device that can be used here (see the lines 'gpu' above); run this on" \
        "a machine with an NVIDIA GPU, its driver and NVRTC" >&2
    exit 69
fi
scratch=$(mktemp -d)
# Its own copy of the program: whatever runs it was started here.
program=$scratch/autotune
cp "$build/autotune" "$program"
trap 'end_ours; rm -rf "$scratch"' EXIT
failed=0

# --- What is checked ------------------------------------------------------------------------

# check NAME COMMAND...: prints ok or FAILED with what the command said.
check()
{
    local name=$1
    shift
    if "$@" >"$scratch/said" 2>&1; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        sed 's/^/        /' "$scratch/said"
        failed=$((failed + 1))
    fi
}

# The processes that run our copy of the program.
ours()
{
    local link
    for link in /proc/[0-9]*/exe; do
        case $(readlink "$link" 2>/dev/null) in
        "$program"*) basename "${link%/exe}" ;;
        esac
    done
}

end_ours()
{
    local pid
    for pid in $(ours); do
        kill -9 "$pid" 2>/dev/null || true
    done
}

# Nothing of ours runs, at the latest after this many seconds.
none_left()
{
    local pid
    for ((i = 0; i < 10 * $1; i++)); do
        [ -n "$(ours)" ] || return 0
        sleep 0.1
    done
    for pid in $(ours); do
        echo "still there: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline")"
    done
    return 1
}

used_mib()
{
    [ "$device" != host ] || { echo 0; return; }
    nvidia-smi --id="$device" --query-gpu=memory.used --format=csv,noheader,nounits
}

# The processes with a context on the GPU; may be empty whatever runs, in a virtual machine.
apps()
{
    [ "$device" != host ] || return 0
    nvidia-smi --id="$device" --query-compute-apps=pid,process_name,used_memory --format=csv,noheader
}

# The GPU's memory is back within 200 MiB of what it was, and no program is on it that was not.
gpu_as_before()
{
    local now=
    for ((i = 0; i < 100; i++)); do
        now=$(used_mib)
        if ((now - before_mib < 200)) && [ -z "$(comm -13 "$scratch/apps" <(apps | sort))" ]; then
            return 0
        fi
        sleep 0.1
    done
    echo "$now MiB used, $before_mib before; on the GPU: $(apps)"
    return 1
}

remember_gpu()
{
    before_mib=$(used_mib)
    apps | sort >"$scratch/apps"
}

journal()
{
    cat "$1"/journal/*.journal
}

# trials CACHE: "identity status params reason" of each line of its journal, in tabs.
trials()
{
    journal "$1" | awk -F '\t' 'NF > 10 { print $1 "\t" $3 "\t" $4 "\t" $(NF - 1) }'
}

# --- Kernels with faults --------------------------------------------------------------------

FAULTS="OUT_OF_BOUNDS MISALIGNED TRAP LOOP WRONG_SUM DROPPED_TAIL NO_OP"

# The template, with lines that a value of FAULT keeps or drops.
faulty_template()
{
    awk '
    $0 == "__global__ void" { is_kernel = 1 } # not the parts above it
    { print }
    is_kernel && $0 == "    accum a = identity();" && !begun++ {
        print "    //? if FAULT != NONE && FAULT != DROPPED_TAIL"
        print "    const unsigned thread = blockIdx.x * BLOCK + threadIdx.x;"
        print "    //? end"
        print "    //? if FAULT == NO_OP"
        print "    if (thread + 1 != 0)"
        print "        return;"
        print "    //? elif FAULT == OUT_OF_BOUNDS"
        print "    if (n > 0 && thread == 0)"
        print "        a = combine(a, map(x[1ull << 48]));"
        print "    //? elif FAULT == MISALIGNED"
        print "    if (n > 64 && thread == 0)"
        print "        a = combine(a, *(const volatile accum *)((const char *)x + 1));"
        print "    //? elif FAULT == TRAP"
        print "    if (thread == 0)"
        print "    //? if HOST"
        print "        __builtin_trap();"
        print "    //? else"
        print "        asm volatile(\"trap;\");"
        print "    //? end"
        print "    //? elif FAULT == LOOP"
        print "    //? if HOST"
        print "    for (volatile int spin = 1; spin;)"
        print "    //? else"
        print "    while (clock64() != 0)" # the compiler may drop a loop that only spins
        print "    //? end"
        print "        ;"
        print "    //? elif FAULT == WRONG_SUM"
        print "    if (thread == 0)"
        print "        a = combine(a, (accum)1);"
        print "    //? end"
        planted++
    }
    $0 ~ /^    \/\/ Less than a tile is left/ {
        print "    //? if FAULT != DROPPED_TAIL"
        is_tail = 1
        planted++
    }
    is_tail && $0 == "    }" { print "    //? end"; is_tail = 0; planted++ }
    END { exit planted != 3 }' templates/reduce.cu
}

# A space of 15 variants: eight without a fault, and one with each. Of the rules only those are
# kept without which a kernel would be none.
faulty_space()
{
    awk '
    BEGIN {
        few["BLOCK"] = "256 512"; few["ITEMS"] = "16"; few["VECTOR"] = "4"; few["UNROLL"] = "4"
        few["ACCUMS"] = "1"; few["STAGES"] = "0"; few["MIN_BLOCKS"] = "1"; few["GRID"] = "2 4"
    }
    /^\[/ { section = $0; param = $0; gsub(/^\[param |\]$/, "", param); is_taste = 0 }
    $0 == "[param MATH]" { kinds = " && MATH == CUDA" }
    $0 == "[derived]" {
        print "[param FAULT]\nmeaning = what is wrong with the kernel"
        print "values = NONE " faults "\n"
    }
    section ~ /^\[param / && /^values = / && param in few { print "values = " few[param]; next }
    section == "[default]" && $1 in few { split(few[$1], v, " "); print $1 " = " v[1]; next }
    section == "[rule]" && /^narrow loads are tried/ { is_taste = 1; cut++ }
    is_taste && NF { next }
    { print }
    $0 == "[rule]" {
        print "few kinds are tried = WARP == SHUFFLE && LOAD == PLAIN && ORDER == STRIDED" kinds
        print "four finishes are tried = FINISH == PASSES || FINISH == LAST_BLOCK || " \
            "FINISH == PACKED || FINISH == FLAGGED"
        print "faults are tried in one shape = FAULT == NONE || (BLOCK == 256 && FINISH == LAST_BLOCK)"
    }
    $0 == "[default]" { print "FAULT = NONE" }
    END { exit !cut }' faults="$FAULTS" configs/reduce.ini
}

# Every line of this fault has one of these statuses, and there is one.
has_status()
{
    local fault=$1
    trials "$scratch/faults" | grep -E "(^|[ 	])FAULT=$fault( |	|\$)" >"$scratch/lines" ||
        { echo "FAULT=$fault is not in the journal"; return 1; }
    ! grep -Ev "^[0-9a-f]+	($2)	" "$scratch/lines"
}

winner_is_good()
{
    grep -m 1 -o '"params": "[^"]*"' "$scratch/faults.json" | grep -w 'FAULT=NONE'
}

good_ones()
{
    local count
    count=$(trials "$scratch/faults" | grep -w 'FAULT=NONE' | grep -c '	measured	') || true
    echo "$count of 16 measured"
    [ "$count" -eq 16 ]
}

step_faults()
{
    local size=16M fault began=$SECONDS status=0
    [ "$device" != host ] || size=200K
    faulty_template >"$scratch/faulty.cu" || { check fault-places false; return; }
    faulty_space >"$scratch/faulty.ini" || { check fault-rules false; return; }
    remember_gpu
    timeout -k 10 300 "$program" --device "$device" --n $size --strategy exhaustive \
        --space "$scratch/faulty.ini" --template "$scratch/faulty.cu" --cache "$scratch/faults" \
        --json "$scratch/faults.json" || status=$?
    echo "        took $((SECONDS - began)) s, exit status $status"
    check faults-exit-status test "$status" -eq 0
    check faults-winner winner_is_good
    check faults-good-ones good_ones
    for fault in OUT_OF_BOUNDS MISALIGNED TRAP; do
        # the emulator refuses a misaligned address by giving wrong elements
        check "faults-$fault" has_status $fault "crashed$([ "$device" != host ] || echo '|wrong')"
    done
    check faults-LOOP has_status LOOP hung
    for fault in WRONG_SUM DROPPED_TAIL NO_OP; do
        check "faults-$fault" has_status $fault wrong
    done
    trials "$scratch/faults" | grep -v '	measured	' | cut -f 2- | sort -u | sed 's/^/        /' || true
    check faults-no-process-left none_left 10
    check faults-gpu-as-before gpu_as_before
}

# --- Interrupted ----------------------------------------------------------------------------

nothing_twice()
{
    local twice
    twice=$(trials "$scratch/interrupted" | awk -F '\t' '$2 == "measured" { print $1 }' | sort | uniq -d)
    [ -z "$twice" ] || { echo "measured more than once: $twice"; return 1; }
}

# What was measured before was not lost: the last run recalled some of it, as many as were written.
went_on()
{
    local recalled
    recalled=$(grep -o '"recalled": [0-9]*' "$scratch/interrupted.json" | head -n 1 | grep -o '[0-9]*$')
    echo "$recalled recalled, $1 in the journal before"
    [ "$1" -gt 0 ] && [ "$recalled" -ge "$1" ]
}

written()
{
    # none yet where the run was ended early
    { trials "$scratch/interrupted" 2>/dev/null || true; } | cut -f 1 | sort -u | wc -l
}

# Runs the rest of its arguments until so many trials are written, then sends the signal: the
# status is theirs, and 1 when they end before.
signal_at()
{
    local lines=$1 signal=$2 pid
    shift 2
    set -m # else what runs in the background ignores SIGINT
    "$@" --quiet &
    pid=$!
    set +m
    until [ "$(written)" -ge "$lines" ]; do
        kill -0 $pid 2>/dev/null || { echo "        ended before $lines trials"; wait $pid; return 1; }
        sleep 0.05
    done
    kill -s "$signal" $pid
    wait $pid 2>/dev/null
}

step_interrupt()
{
    local size=400M status=0 lines
    local command=("$program" --device "$device" --strategy exhaustive --cache "$scratch/interrupted")
    if [ "$device" = host ]; then
        size=2K
        sed '/^\[rule\]$/a few are tried = WARP == SHUFFLE \&\& LOAD == PLAIN \&\& BLOCK <= 256' \
            configs/reduce.ini >"$scratch/small.ini" # the emulator is slow
        command+=(--space "$scratch/small.ini")
    fi
    command+=(--n "$size")
    remember_gpu
    signal_at 20 INT "${command[@]}" || status=$?
    check interrupt-status test "$status" -eq 130
    check interrupt-no-process-left none_left 15
    lines=$(written)
    echo "        after Ctrl-C $lines in the journal"
    status=0
    signal_at $((lines + 20)) KILL "${command[@]}" || status=$?
    check kill-status test "$status" -eq 137
    check kill-no-process-left none_left 15
    check kill-gpu-as-before gpu_as_before
    lines=$(written)
    echo "        after kill -9 $lines in the journal"
    status=0
    timeout -k 10 300 "${command[@]}" --json "$scratch/interrupted.json" || status=$?
    check resumed-status test "$status" -eq 0
    check resumed-went-on went_on "$lines"
    check resumed-nothing-twice nothing_twice
    check resumed-no-process-left none_left 10
    check resumed-gpu-as-before gpu_as_before
}

# --- The steps ------------------------------------------------------------------------------

# NVML's memory clock, as doctor reads it, is one that this GPU can have.
reads_clocks()
{
    local now most
    now=$("$program" doctor | sed -n "s/^nvml $device .*memory \([0-9]*\) MHz.*/\1/p")
    most=$(nvidia-smi --id="$device" --query-gpu=clocks.max.memory --format=csv,noheader,nounits)
    echo "memory clock: '$now' MHz by doctor, at most $most by nvidia-smi"
    [ -n "$now" ] && [ "$now" -gt 0 ] && [ "$now" -le "$most" ]
}

step_device()
{
    if [ "$device" != host ] && command -v nvidia-smi >/dev/null; then
        check clocks reads_clocks
    fi
    check device timeout -k 10 120 "$build/device/test_device" "$device"
    check verify timeout -k 10 300 "$program" verify --device "$device"
}

step_cover()
{
    check verify-cover timeout -k 10 900 "$program" verify --device "$device" --cover
    check verify-cover-positions timeout -k 10 600 "$program" verify --device "$device" --cover \
        --space arg
    check verify-cover-rows timeout -k 10 600 "$program" verify --device "$device" --cover \
        --space rows
    check verify-cover-columns timeout -k 10 600 "$program" verify --device "$device" --cover \
        --space columns
}

# What is computed of a kernel without a GPU is what the driver says of it.
step_occupancy()
{
    timeout -k 10 560 "$build/device/test_driver_occupancy" "$device" | tee "$scratch/occupancy" || true
    check occupancy grep -q '^all equal: ' "$scratch/occupancy"
}

step_race()
{
    timeout -k 10 560 "$build/device/test_ties" "$device" | tee "$scratch/race" || true
    check race grep -qx 'all held' "$scratch/race"
}

# A sample in which each finish, load, warp step and kind of math of reduce-wide is: type, variant.
SANITIZED="i32 FINISH=PACKED,WARP=REDUX
i32 FINISH=PACKED_WARPS,WARP=SHUFFLE,GRID=0,ITEMS=4,UNROLL=1
i32 FINISH=ATOMIC,ORDER=CONTIGUOUS,LOAD=ASYNC,BLOCK=128,STAGES=3,ITEMS=16,UNROLL=4,GRID=2
i32 FINISH=VALUE,WARP=TREE
f32 FINISH=LAST_BLOCK,WARP=VOLATILE,ACCUMS=2
f32 FINISH=FLAGGED,CLUSTER=2
f32 FINISH=PASSES,GRID=0,LOAD=NONCOHERENT
f64 FINISH=BARRIER,LOAD=NO_ALLOCATE,VECTOR=2
u8 FINISH=PACKED,MATH=TENSOR,LOAD=BULK,STAGES=3,VECTOR=16,ITEMS=64,UNROLL=4,GRID=2
f16 FINISH=FLAGGED,MATH=TENSOR,VECTOR=8,ITEMS=32,UNROLL=4"

# sanitize TOOL TYPE VARIANT [OPTION]...: a proof of one variant under one tool of compute-sanitizer.
sanitize()
{
    local tool=$1 type=$2 variant=$3
    shift 3
    timeout -k 10 300 "$sanitizer" --tool "$tool" --target-processes all --error-exitcode 99 \
        "$program" verify --device "$device" --n 100K --type "$type" --variant "$variant" \
        --cache "$scratch/sanitized" "$@"
}

# Every process that it looked into is without a finding, and there is one.
is_clean()
{
    sanitize "$@" >"$scratch/sanitizer" 2>&1 && grep -q '^right ' "$scratch/sanitizer" &&
        grep -q 'SUMMARY: 0 ' "$scratch/sanitizer" &&
        ! grep -q 'SUMMARY: [1-9]' "$scratch/sanitizer" && return
    cat "$scratch/sanitizer"
    return 1
}

# That the sanitizer looks into the process in which the kernels run shows a fault that it finds.
finds_fault()
{
    ! is_clean memcheck i32 FAULT=OUT_OF_BOUNDS,FINISH=LAST_BLOCK --space "$scratch/faulty.ini" \
        --template "$scratch/faulty.cu" >/dev/null || return 1
    grep -q 'Invalid __global__ read' "$scratch/sanitizer" || { cat "$scratch/sanitizer"; return 1; }
}

# All of the sample, several beside each other: most of a check is one CPU's work.
sanitize_all()
{
    local tool type variant lines=0
    for tool in memcheck racecheck initcheck synccheck; do
        while read -r type variant; do
            [ "$(jobs -rp | wc -l)" -lt 12 ] || wait -n || true
            lines=$((lines + 1))
            (
                trap - EXIT
                failed=0 scratch=$scratch/sanitize-$lines
                mkdir "$scratch"
                check "$tool $type $variant" is_clean "$tool" "$type" "$variant" --space reduce-wide
            ) >"$scratch/sanitize-$lines.log" 2>&1 &
        done <<<"$SANITIZED"
    done
    wait
    cat "$scratch"/sanitize-*.log
}

step_sanitize()
{
    local sanitizer
    sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer) || true
    if [ -z "$sanitizer" ] || [ "$device" = host ]; then
        echo "skip    sanitize: it needs a GPU and compute-sanitizer, of the CUDA Toolkit"
        return
    fi
    faulty_template >"$scratch/faulty.cu" && faulty_space >"$scratch/faulty.ini"
    check sanitize-finds-a-fault finds_fault
    sanitize_all | tee "$scratch/sanitized.log"
    check sanitize-all-ran test "$(grep -c '^ok\|^FAILED' "$scratch/sanitized.log")" -eq \
        $((4 * $(wc -l <<<"$SANITIZED")))
    failed=$((failed + $(grep -c '^FAILED' "$scratch/sanitized.log" || true)))
}

# The library uses a GPU that is current, so there is nothing to try on the host.
step_library()
{
    if [ "$device" = host ]; then
        echo "skip    library: it needs a GPU"
        return
    fi
    timeout -k 10 300 "$build/device/test_library" "$scratch/library" |
        tee "$scratch/library.log" || true
    check library grep -qx 'all held' "$scratch/library.log"
}

# figure FILE COLUMN: of the first launch in a CSV of profile, whose kernel's name is in quotes.
figure()
{
    tr -d '\r' <"$1" | awk -v column="$2" '
    NR == 1 { n = split($0, names, ","); next }
    NR == 2 {
        gsub(/"[^"]*"/, "quoted")
        split($0, values, ",")
        for (i = 1; i <= n; i++) if (names[i] == column) print values[i]
    }'
}

# is_within FILE COLUMN LOW HIGH
is_within()
{
    local got
    got=$(figure "$1" "$2")
    echo "$2 is '$got', expected $3 to $4"
    awk -v got="$got" -v low="$3" -v high="$4" \
        'BEGIN { exit !(got ~ /^[0-9.]+$/ && got + 0 >= low && got + 0 <= high) }'
}

# is_as_computed RUNG TYPE: what the emulator counted of a block is what ncu counted of all, exactly:
# instructions that use shared memory, the wavefronts they took, and those without bank conflicts.
is_as_computed()
{
    local ladder=$scratch/ladder.csv profile=$scratch/shared.csv column counted=()
    timeout -k 10 60 "$program" ladder --device "$device" --n 64Mi --type "$2" --rung "$1" \
        --csv "$ladder" && timeout -k 10 180 "$program" profile --device "$device" --n 64Mi \
        --type "$2" --csv "$profile" "$1" || return
    for column in shared_requests shared_wavefronts shared_wavefronts_ideal grid; do
        counted+=("$(figure "$ladder" $column)")
    done
    for column in shared_instructions shared_wavefronts shared_wavefronts_ideal grid; do
        counted+=("$(figure "$profile" $column)")
    done
    echo "${counted[*]}" | awk -v name="$1 $2" '{
        same = $4 > 0 && $4 == $8 && $1 * $4 == $5 && $2 * $4 == $6 && $3 * $4 == $7
        printf "%s: a block computed %d instructions, %d wavefronts, %d without conflicts; ncu %.3f, %.3f, %.3f\n",
            name, $1, $2, $3, $5 / $8, $6 / $8, $7 / $8
        exit !same
    }'
}

# Rungs whose trees stand in shared memory, with bank conflicts (harris-2, cs599-2) and
# without. No clock is set, so the percentages have wide limits.
SHARERS="harris-1 harris-2 harris-3 cs599-1 cs599-2 cs599-3"
step_profile()
{
    local status=0 kernel file column type
    if [ "$device" = host ]; then
        check profile-run timeout -k 10 60 "$program" profile --device host --n 20K --run harris-2
        echo "skip    profile: it needs a GPU"
        return
    fi
    for kernel in harris-2 harris-3 BLOCK=256; do
        file=$scratch/$kernel.csv
        status=0
        timeout -k 10 180 "$program" profile --device "$device" --n 400M --csv "$file" $kernel \
            >"$scratch/profile" 2>&1 || status=$?
        sed 's/^/        /' "$scratch/profile"
        if [ "$status" -eq 69 ]; then
            echo "skip    profile: $(grep '^autotune: ' "$scratch/profile")"
            return
        fi
        check "profile-$kernel" test "$status" -eq 0
        for column in memory_pct compute_pct occupancy_pct stall_pct; do
            check "profile-$kernel-$column" is_within "$file" $column 1 100.5
        done
        check "profile-$kernel-us" is_within "$file" us 300 5000
        check "profile-$kernel-registers" is_within "$file" registers 8 255
    done
    for type in i32 f64; do
        for kernel in $SHARERS; do
            check "conflicts-$kernel-$type" is_as_computed "$kernel" "$type"
            tail -n 1 "$scratch/said"
        done
    done
}

for step; do
    case $step in
    device | cover | faults | interrupt | race | occupancy | library | profile | sanitize)
        "step_$step"
        ;;
    *)
        echo "test-gpu: no step '$step': device, cover, faults, interrupt, race," \
            "occupancy, library, profile, sanitize" >&2
        exit 64
        ;;
    esac
done
echo "test-gpu: $failed failed"
[ "$failed" -eq 0 ]
