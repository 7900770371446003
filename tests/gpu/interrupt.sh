# interrupt: a step of tests/gpu.sh, read by it. Ctrl-C and kill -9 lose nothing and leave nothing
# behind.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

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
    env --default-signal=INT "$@" --quiet & # what runs in the background ignores it
    pid=$!
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
