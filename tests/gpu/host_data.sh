# host_data: a step of tests/gpu.sh, read by it. Data on the host: as fast as a copy of pinned memory,
# a file of 8 GiB beside a ballast that leaves 1 GiB of the GPU's memory, more than 2^32 elements,
# stdin, Ctrl-C, a full disk. FOLDER names where the file is made (default: of temporary files),
# RESULTS where records and the table are kept.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

# least FIGURE LEAST: both decimal.
least()
{
    awk -v got="$1" -v least="$2" 'BEGIN { print got, "of at least", least; exit !(got >= least) }'
}

# The ladder of streams: % of a plain copy, and how pageable memory compares with the driver's copy.
# cell RUNG COLUMN: of the table.
cell()
{
    awk -F, -v rung="$1" -v column="$2" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        $5 == rung { print $at }' "$results/streams.csv" 2>/dev/null || echo 0
}

host_rates()
{
    local n=256Mi size tuned pageable driver
    [ "$device" != host ] || n=64Ki
    for size in pinned pageable; do
        echo "        $size:"
        timeout -k 10 120 "$program" --device "$device" --data "$size" --n "$n" --cache "$results/host" \
            2>&1 | sed 's/^/        /' || true
    done
    XDG_CACHE_HOME=$scratch/none timeout -k 10 120 "$program" ladder --device "$device" --data pinned --n "$n" \
        --csv "$results/streams.csv" --cache "$results/host" | sed 's/^/        /' || true
    tuned=$(cell streams-11 copy_percent)
    pageable=$(cell streams-13 ms) driver=$(cell streams-1 ms)
    [ "$device" != host ] || tuned=100 driver=10 pageable=1 # of which it says nothing
    check "host_data pinned, % of a plain copy" least "$tuned" 97
    check "host_data pageable, times as fast as the driver's copy, then a sum" \
        least "$(awk -v a="$driver" -v b="$pageable" 'BEGIN { print (b > 0 ? a / b : 0) }')" 2
}

# gives EXPECTED COMMAND...: it prints just that.
gives()
{
    local expected=$1 got
    shift
    got=$("$@" 2>"$scratch/speed")
    echo "$got, expected $expected"
    [ "$got" = "$expected" ]
}

# gives, and then how fast it was.
reduces()
{
    local name=$1
    shift
    check "host_data $name" gives "$@"
    sed 's/^/        /' "$scratch/speed"
}

# The sums up to each element of a part of the file: the last is that of all.
host_scan()
{
    head -c $((part / 4)) "$file" >"$scratch/part"
    local last
    check "host_data scan to a file" "$@" "$scratch/part" --scan inclusive -o "$scratch/sums"
    sed 's/^/        /' "$scratch/said"
    last=$(tail -c 4 "$scratch/sums" | od -An -t d4 | tr -d ' ')
    reduces "the sum of what was scanned" "$last" "$@" "$scratch/part"
    check "host_data scan's size" test "$(stat -c %s "$scratch/sums")" -eq $((part / 4))
    rm -f "$scratch/sums" "$scratch/part"
}

# A part of the file, through a pipe.
piped()
{
    head -c "$part" "$file" | "$program" reduce - "$@"
}

host_file()
{
    local bytes=8589934592 part=5368709120 keep=1073741824 file sum all head at
    [ "$device" != host ] || bytes=33554432 part=20971520 keep=0
    file=$(mktemp -p "${FOLDER:-${TMPDIR:-/tmp}}")
    # shellcheck disable=SC2046 # four words
    read -r sum all head at <<<"$("$build/device/host_data" make "$file" "$bytes" "$part")"
    if [ "$device" != host ]; then
        exec {hold}> >("$build/device/host_data" ballast "$device" "$keep" >"$scratch/left")
        for ((i = 0; i < 300; i++)); do
            [ -s "$scratch/left" ] && break
            sleep 0.1
        done
        sed 's/^/        /' "$scratch/left"
    fi
    local reduce=("$program" reduce --device "$device" --cache "$results/host")
    reduces "a file of i32" "$sum" "${reduce[@]}" "$file" --acc i64
    reduces "the same again" "$sum" "${reduce[@]}" "$file" --acc i64
    reduces "as u8, more than 2^32" "$all" "${reduce[@]}" "$file" --type u8 --acc u64
    reduces "its greatest byte" "$at" "${reduce[@]}" "$file" --type u8 --op argmax
    reduces "stdin of u8, more than 2^32" "$head" piped --device "$device" --cache "$results/host" \
        --type u8 --acc u64
    host_interrupt
    host_scan "${reduce[@]}"
    [ -z "${hold:-}" ] || exec {hold}>&-
    rm -f "$file"
}

# Ctrl-C in the middle: of a pipe that brings part of the file and then nothing. Nothing of ours is
# left, and no part of a result.
host_interrupt()
{
    local pid status=0 writer
    mkfifo "$scratch/fifo"
    { head -c $((part / 4)) "$file"; exec sleep 60; } >"$scratch/fifo" &
    writer=$!
    env --default-signal=INT "$program" reduce --device "$device" "$scratch/fifo" --scan inclusive \
        -o "$scratch/sums" 2>"$scratch/said" &
    pid=$!
    sleep 4
    ls -l -A "$scratch" | sed 's/^/        /'
    kill -INT $pid
    wait $pid || status=$?
    kill $writer 2>/dev/null || true
    check "host_data Ctrl-C" test "$status" -eq 130
    check "host_data Ctrl-C leaves no file" test ! -e "$scratch/sums" -a -z "$(find "$scratch" -name ".autotune-*.part")"
    check "host_data Ctrl-C leaves no process" none_left 15
}

host_full()
{
    local status=0
    head -c 400000 /dev/zero >"$scratch/zeros"
    "$program" reduce --device "$device" "$scratch/zeros" --scan inclusive -o /dev/full \
        2>"$scratch/said" || status=$?
    check "host_data full disk" test "$status" -eq 74
    status=0
    "$program" reduce --device "$device" "$scratch/zeros" 2>"$scratch/said" >/dev/full || status=$?
    check "host_data full stdout" test "$status" -eq 74
}

host_proof()
{
    XDG_CACHE_HOME=$scratch/host timeout -k 10 "${PROOF_LIMIT:-300}" "$build/device/host_data" prove "$device" |
        tee "$scratch/proof" | tail -n 20 || true
    check "host_data proof" grep -q ' 0 wrong$' "$scratch/proof"
}

step_host_data()
{
    results=${RESULTS:-$scratch}
    host_rates
    host_file
    host_full
    host_proof
}
