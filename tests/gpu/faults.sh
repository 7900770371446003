# faults: a step of tests/gpu.sh, read by it. Kernels that crash, hang or compute something wrong cost
# themselves, not the run. The sanitizers' step plants the same faults.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

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

# A space of 15 variants: eight without a fault, and one with each, and no prunes.
faulty_space()
{
    awk '
    BEGIN {
        few["BLOCK"] = "256 512"; few["ITEMS"] = "16"; few["VECTOR"] = "4"; few["UNROLL"] = "4"
        few["ACCUMS"] = "1"; few["CLUSTER"] = "1"; few["STAGES"] = "0"; few["MIN_BLOCKS"] = "1"; few["GRID"] = "2 4"
    }
    /^\[/ { section = $0; param = $0; gsub(/^\[param |\]$/, "", param) }
    $0 == "[param MATH]" { kinds = " && MATH == CUDA" }
    $0 == "[derived]" {
        print "[param FAULT]\nmeaning = what is wrong with the kernel"
        print "values = NONE " faults "\n"
    }
    section ~ /^\[param / && /^values = / && param in few { print "values = " few[param]; next }
    section == "[default]" && $1 in few { split(few[$1], v, " "); print $1 " = " v[1]; next }
    section == "[prune]" { cut++; next }
    { print }
    $0 == "[rule]" {
        print "few kinds are tried = WARP == SHUFFLE && LOAD == PLAIN && WALK == STRIDED" kinds
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
