# builds: a step of tests/gpu.sh, read by it. Exports of what ships, each in the builds that people
# give it, by nvcc and by CMake: all results are right, and a table says which row served, and how
# long a call took beside that of the build for the records' own architecture.
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

# The settings of CMake projects, and what -DCMAKE_CUDA_ARCHITECTURES is; "-" leaves it out. A `shared`
# one has the export in a shared library of its own.
cmake_names=(cmake-75-80 cmake-90 cmake-unset cmake-native cmake-major cmake-off cmake-shared)
cmake_archs=("75;80" 90 - native all-major OFF -)

# builds_project KIND FOLDER: a project that adds the export as a folder, and what it wants.
builds_project()
{
    cp tests/device/exported_builds.cu "$2/project/proof.cu"
    cat >"$2/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(proof LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 17)
add_subdirectory(tuned)
add_executable(proof proof.cu)
target_compile_definitions(proof PRIVATE KIND=$1)
if(IN_A_LIBRARY)
    file(WRITE "\${CMAKE_BINARY_DIR}/none.cpp" "")
    add_library(plug SHARED "\${CMAKE_BINARY_DIR}/none.cpp")
    target_link_libraries(plug PUBLIC -Wl,--whole-archive mine -Wl,--no-whole-archive)
    target_include_directories(plug PUBLIC tuned)
    target_link_libraries(proof PRIVATE plug)
else()
    target_link_libraries(proof PRIVATE mine)
endif()
END
}

# builds_cmake FOLDER NAME ARCHITECTURES: the project's program, as FOLDER/NAME.
builds_cmake()
{
    local made=$1/of-$2 options=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_CUDA_COMPILER=$nvcc")
    [ "$3" = - ] || options+=("-DCMAKE_CUDA_ARCHITECTURES=$3")
    [ "$2" != cmake-shared ] || options+=(-DIN_A_LIBRARY=ON -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared)
    cmake -S "$1/project" -B "$made" "${options[@]}" >"$1/$2.log" 2>&1 &&
        cmake --build "$made" >>"$1/$2.log" 2>&1 && cp "$made/proof" "$1/$2"
}

# builds_run FOLDER NAME: runs it; of what it says FOLDER/NAME.tsv keeps the shortest time of all runs.
builds_run()
{
    if [ ! -x "$1/$2" ]; then
        cat "$1/$2.log"
        return 1
    fi
    timeout -k 10 120 "$1/$2" >"$1/$2.said" 2>"$1/$2.log" || {
        cat "$1/$2.said" "$1/$2.log"
        return 1
    }
    touch "$1/$2.tsv"
    awk -F'\t' -v OFS='\t' 'FILENAME == ARGV[1] { best[$1] = $3; next }
        best[$1] && best[$1] < $3 { $3 = best[$1] }
        { print }' "$1/$2.tsv" "$1/$2.said" >"$1/$2.new" && mv "$1/$2.new" "$1/$2.tsv"
}

# builds_table KIND FOLDER: the lines of all builds, with the time by that of the own one.
builds_table()
{
    local name
    for name in "${build_names[@]}" "${cmake_names[@]}"; do
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
    local kind=$1 folder=$scratch/builds-$1 i round made=()
    shift
    mkdir -p "$folder/project"
    check "export-$kind" "$program" export --format cu,cmake --prefix mine --type f32 --cache "$scratch/none" \
        --output "$folder/project/tuned" --quiet "$@"
    cp "$folder/project/tuned"/mine.* "$folder"
    builds_project "$kind" "$folder"
    for i in "${!build_names[@]}"; do # all at once: it takes the longest
        # shellcheck disable=SC2086 # options are words
        builds_make "$kind" "$folder" "${build_names[i]}" ${build_options[i]} &
        made+=($!)
    done
    for i in "${!cmake_names[@]}"; do
        builds_cmake "$folder" "${cmake_names[i]}" "${cmake_archs[i]}" &
        made+=($!)
    done
    wait "${made[@]}" || true
    # By turns, for the clocks of a GPU differ from process to process.
    for round in 1 2 3; do
        for i in "${build_names[@]}" "${cmake_names[@]}"; do
            check "build-$kind-$i $round" builds_run "$folder" "$i"
        done
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

# Emitted files in one program, whole and by a linker for devices: names of their own, attributes asked
# for in each context anew.
builds_emitted()
{
    local folder=$scratch/emitted n type
    mkdir -p "$folder"
    for type in f32 i32; do
        for n in 64Ki 1Gi; do
            "$program" emit --op sum --type $type --n $n --arch sm_90 --cache "$scratch/none" --quiet \
                >"$folder/${type}_$n.cuh" || return
        done
    done
    "$nvcc" -std=c++17 -O3 -arch=sm_90 "$@" -I "$folder" -o "$folder/proof" tests/device/emitted.cu &&
        timeout -k 10 120 "$folder/proof"
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
    check build-emitted builds_emitted
    check build-emitted-rdc builds_emitted -rdc=true
}
