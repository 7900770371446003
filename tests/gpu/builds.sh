# builds: a step of tests/gpu.sh, read by it. Exports of what ships, each in the builds that people give
# it: all results are right, and a table says which row served, and how long a call took beside that of
# the build for the records' own architecture.
# shellcheck shell=bash disable=SC2154 # what gpu.sh sets

# The names of builds, and their options.
build_names=(own plain sm_80 all-major several fast-math rdc pic)
build_options=("-arch=sm_90" "" "-arch=sm_80" "-arch=all-major"
    "-gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=[sm_80,compute_80]"
    "-arch=sm_90 -use_fast_math" "-arch=sm_90 -rdc=true" "-arch=sm_90 -Xcompiler -fPIC")

# builds_make KIND FOLDER NAME OPTION...: the export with the program that proves it, as FOLDER/NAME.
builds_make()
{
    local kind=$1 folder=$2 name=$3
    shift 3
    "$nvcc" -std=c++17 -O3 -DMINE_NO_ARCH_WARNING "$@" -DKIND="$kind" -I "$folder" \
        -o "$folder/$name" tests/device/exported_builds.cu "$folder/mine.cu" >"$folder/$name.log" 2>&1
}

# builds_run FOLDER NAME: its lines, in FOLDER/NAME.tsv.
builds_run()
{
    if [ ! -x "$1/$2" ]; then
        cat "$1/$2.log"
        return 1
    fi
    timeout -k 10 120 "$1/$2" >"$1/$2.tsv" 2>"$1/$2.log" || {
        cat "$1/$2.tsv" "$1/$2.log"
        return 1
    }
}

# builds_table KIND FOLDER: the lines of all builds, with the time by that of the own one.
builds_table()
{
    local name
    for name in "${build_names[@]}"; do
        [ ! -e "$2/$name.tsv" ] || awk -F'\t' -v kind="$1" -v build="$name" -v OFS='\t' '
            FNR == NR { own[$1] = $3; row[$1] = $5; next }
            {
                slower = $5 == row[$1] && $3 > 1.02 * own[$1] ? "  SLOWER" : ""
                printf "%-7s %-14s %10d  %-5s %10.3f us  x %5.3f  %-8s %s%s\n", kind, build, $1, $2, $3,
                       own[$1] ? $3 / own[$1] : 0, $4, $5 == row[$1] ? "the own row" : $5, slower
            }
        ' "$2/own.tsv" "$2/$name.tsv"
    done
}

# builds_export KIND OPTION...: all builds of one export.
builds_export()
{
    local kind=$1 folder=$scratch/builds-$1 i made=()
    shift
    check "export-$kind" "$program" export --format cu --prefix mine --type f32 --cache "$scratch/none" \
        --output "$folder" --quiet "$@"
    for i in "${!build_names[@]}"; do # all at once: it takes the longest
        # shellcheck disable=SC2086 # options are words
        builds_make "$kind" "$folder" "${build_names[i]}" ${build_options[i]} &
        made+=($!)
    done
    wait "${made[@]}" || true
    for i in "${!build_names[@]}"; do
        check "build-$kind-${build_names[i]}" builds_run "$folder" "${build_names[i]}"
    done
    builds_table "$kind" "$folder"
}

# Both in one program, of a linker for devices: the first proves itself.
builds_two()
{
    local folder=$scratch/builds-SUM
    "$program" export --format cu --prefix other --op max --type f32 --cache "$scratch/none" \
        --output "$folder" --quiet &&
        "$nvcc" -std=c++17 -O3 -arch=sm_90 -rdc=true -DKIND=SUM -I "$folder" -o "$folder/two" \
            tests/device/exported_builds.cu "$folder/mine.cu" "$folder/other.cu" &&
        timeout -k 10 300 "$folder/two"
}

step_builds()
{
    local nvcc
    nvcc=$(PATH=$PATH:/usr/local/cuda/bin command -v nvcc) || true
    if [ -z "$nvcc" ] || [ "$device" = host ]; then
        echo "skip    builds: they need a GPU and nvcc, of the CUDA Toolkit"
        return
    fi
    mkdir -p "$scratch/none" # what ships is exported, whatever this machine's user has tuned
    builds_export SUM --op sum
    builds_export ARGMAX --op argmax
    builds_export ROWS --op sum --space rows
    builds_export SCAN --op sum --scan inclusive
    check build-two-in-one builds_two
}
