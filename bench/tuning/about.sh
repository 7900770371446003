# about: what the scripts of this folder share; read by them with `.`, never run. `device` is what
# is passed to --device: $DEVICE, else 0 (host tries a script where there is no GPU); `autotune` is
# $AUTOTUNE, else build/autotune. `work` is a scratch folder that goes at the end. No cache of the
# compiler or the driver is used, so that every run pays for all it needs.
# shellcheck shell=bash disable=SC2034 # used by whoever reads this

autotune=${AUTOTUNE:-build/autotune}
device=${DEVICE:-0}
if [ ! -f configs/reduce.ini ] || [ ! -x "$autotune" ]; then
    echo "run this from the repository's root, with $autotune built" >&2
    exit 64
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_CACHE_DISABLE=1 PYTHONDONTWRITEBYTECODE=1

# The machine, in one line: day, GPU, driver, cores, what was tested.
about()
{
    local gpu="the host emulator, which is no model of a GPU's speed"
    if [ "$device" != host ]; then
        gpu=$(nvidia-smi --id="${device%%,*}" --query-gpu=name,driver_version --format=csv,noheader |
            sed 's/, /, driver /')
    fi
    echo "$(date -u +%Y-%m-%d), $gpu, $(nproc) cores, $("$autotune" version)."
}

# What the GPU's files are called: "h200" of an NVIDIA H200.
gpu_name()
{
    [ "$device" != host ] || { echo host; return; }
    nvidia-smi --id="${device%%,*}" --query-gpu=name --format=csv,noheader |
        sed 's/^NVIDIA //' | tr 'A-Z ' 'a-z-'
}

# Prints a command as a person would type it, without this run's own folders.
show()
{
    local line=$*
    echo "    ${line//$work/NEW}"
}

# timed FILE COMMAND...: FILE gets the seconds from the command's start to its end; its output goes
# to FILE.log, and to stderr when it fails.
timed()
{
    local file=$1 from to
    shift
    from=$(date +%s.%N)
    timeout -k 10 "${LIMIT:-540}" "$@" >"$file.log" 2>&1 || {
        echo "failed with status $?: $*" >&2
        cat "$file.log" >&2
        return 1
    }
    to=$(date +%s.%N)
    awk -v from="$from" -v to="$to" 'BEGIN { printf "%.2f\n", to - from }' >"$file"
}

# field FILE NAME: a number of a run's --json.
field()
{
    grep -o "\"$2\": [0-9.]*" "$1" | head -n 1 | sed 's/.*: //'
}
