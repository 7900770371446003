#!/bin/bash
# Proves the program and its kernels on GPU 0, in steps; gpu/ has the steps with a file of their own.
#   device     the device itself, and the kernel that would be used for the usual problem
#   cover      the covering samples of all spaces
#   faults     kernels that crash, hang or are wrong do not stop the run
#   interrupt  Ctrl-C and kill -9 lose nothing and leave nothing behind
#   race       ties are ties, and 3 % is found
#   occupancy  what is computed of every variant is what the driver says
#   library    the library in a program's own context, and what it costs there
#   hostile    the library in programs that fork, send signals, unload it and change what is theirs
#   torch      200 random problems through the library on PyTorch's memory
#   examples   the examples and an exported matrix, built here
#   json       exports as machine code and PTX, launched by what their JSON says
#   builds     exports in the builds that people give them: right, which row serves, and how fast (5 minutes)
#   flags      exports built with -use_fast_math and -ftz=true keep denormals and NaNs, here too
#   mpi        lists that MPI's ranks share, and one sum over many GPUs
#   mpi_fast   what two GPUs gain, by MPI and in one process (8 minutes)
#   profile    Nsight Compute on rungs, and whether it counts in shared memory what the ladder computes
#   large      matrices of gigabytes: many rows, long ones, tall ones (14 GB of device memory)
#   host_data  data on the host: rates, a file larger than the GPU's memory (8 GiB of disk), a proof
#   sanitize   compute-sanitizer's tools on a sample of variants, half a minute
# Without a step all are taken but builds, mpi_fast, large, host_data and sanitize. Exit status 69 where there is no such GPU.
# Usage: tests/gpu.sh BUILD [STEP]...    (DEVICE=host tries the script where there is no GPU)
set -euo pipefail
build=${1:?usage: tests/gpu.sh BUILD [STEP]...}
shift
build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.."
device=${DEVICE:-0}
usual=(device cover faults interrupt race occupancy library hostile torch examples json flags mpi profile)
[ $# -gt 0 ] || set -- "${usual[@]}"

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
    local space
    for space in $("$program" list spaces | awk 'NR > 1 { print $1 }'); do
        check "verify-cover $space" timeout -k 10 900 "$program" verify --device "$device" \
            --cover --space "$space" --limit 5m
    done
}

# What is computed of a kernel without a GPU is what the driver says of it.
step_occupancy()
{
    if [ "$device" = host ]; then
        echo "skip    occupancy: it needs a GPU"
        return
    fi
    timeout -k 10 560 "$build/device/test_driver_occupancy" "$device" | tee "$scratch/occupancy" || true
    check occupancy grep -q '^all equal: ' "$scratch/occupancy"
}

step_race()
{
    timeout -k 10 560 "$build/device/test_ties" "$device" | tee "$scratch/race" || true
    check race grep -qx 'all held' "$scratch/race"
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

step_hostile()
{
    local where=gpu
    [ "$device" != host ] || where=host
    check hostile timeout -k 10 300 "$build/device/test_hostile_host" "$where"
}

step_torch()
{
    if [ "$device" = host ] || ! python3 -c 'import torch; torch.zeros(1, device="cuda")' 2>/dev/null; then
        echo "skip    torch: it needs a GPU, and a python3 with PyTorch that can use it"
        return
    fi
    local library=("$build"/libautotune.so.*)
    XDG_CACHE_HOME=$scratch/torch timeout -k 10 300 python3 tests/gpu/torch_problems.py "${library[0]}" |
        tee "$scratch/torch.log" || true
    check torch grep -q '^200 of 200 random problems' "$scratch/torch.log"
}

step_large()
{
    local shape
    for shape in "--rows 20M --len 128" "--rows 3 --len 1Gi" "--rows 65536 --len 40000 --axis 0"; do
        # shellcheck disable=SC2086 # several words
        check "large $shape" timeout -k 10 300 "$program" verify --device "$device" --type f32 $shape
    done
}

for file in $(grep -l ': a step of tests/gpu.sh' tests/gpu/*.sh); do # others are run by themselves
    # shellcheck disable=SC1090 # each is read on its own
    . "$file"
done
for step; do
    if ! declare -F "step_$step" >/dev/null; then
        echo "test-gpu: no step '$step': choose from ${usual[*]} large host_data sanitize" >&2
        exit 64
    fi
done
for step; do
    "step_$step"
done
echo "test-gpu: $failed failed"
[ "$failed" -eq 0 ]
