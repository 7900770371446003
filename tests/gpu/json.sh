# json: a step of tests/gpu.sh, read by it. Exports as machine code and PTX, launched by a program that knows their JSON
# alone: every row for this GPU at several sizes, twice, with guarded memory.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

# launches NAME EXPORT-OPTION...
launches()
{
    local name=$1
    shift
    check "json export $name" "$program" export "$@" --format cubin,ptx --prefix "$name" --output "$scratch/json" --quiet
    check "json $name" timeout -k 10 300 python3 tests/gpu/json_launch.py run "$scratch/json/$name.json" 2
    grep ' calls of ' "$scratch/said" || true
}

step_json()
{
    if [ "$device" = host ] || ! command -v python3 >/dev/null; then
        echo "skip    json: it needs a GPU, and a python3"
        return
    fi
    launches sum --type f32
    launches greatest --op max --type i32
    launches place --op argmax --type f32
    launches halves --type f16
    launches same_bits --type f32 --order n
    launches rows --space rows --type f32
    launches columns --space columns --type f32
    launches scan --scan inclusive --type i32
}
