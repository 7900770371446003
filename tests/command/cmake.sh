#!/bin/sh
# Builds the tree by CMake, as a part of another project that fetches it and by itself, and a project that
# finds what the latter installed.
# shellcheck disable=SC2034 # status is of helpers
. "$(dirname "$0")/helpers"
: > err
status=0
if ! command -v cmake > /dev/null; then
    skip cmake "no cmake here"
    finish
fi
# project NAME: of two programs, with the lines on stdin.
project() {
    mkdir -p "$1" && cp "$ROOT/examples/emulated.c" "$1"
    {
        printf 'cmake_minimum_required(VERSION 3.14)\nproject(example C)\n'
        cat
        for target in autotune static; do
            echo "add_executable($target emulated.c)"
            echo "target_link_libraries($target PRIVATE autotune::$target)"
        done
    } > "$1/CMakeLists.txt"
}
builds() {
    cmake -S "$1" -B "$1/build" -DCMAKE_C_FLAGS=-O0 "-DCMAKE_PREFIX_PATH=$SCRATCH/root" && cmake --build "$1/build"
}
says_sum() {
    "$1" > out 2> err && [ "$(cat out)" = "0 + 1 + ... + 9999 = 49995000" ]
}
# check_project NAME: builds it and runs its programs.
check_project() {
    check "$1" builds "$1"
    check "$1-shared-runs" says_sum "$1/build/autotune"
    check "$1-static-runs" says_sum "$1/build/static"
}
project fetched << END
include(FetchContent)
FetchContent_Declare(autotune SOURCE_DIR "$ROOT")
FetchContent_MakeAvailable(autotune)
END
check_project fetched
installs() {
    cmake -S "$ROOT" -B whole -DCMAKE_C_FLAGS=-O0 "-DCMAKE_INSTALL_PREFIX=$SCRATCH/elsewhere" -DCMAKE_INSTALL_LIBDIR=lib &&
        cmake --build whole && cmake --install whole --prefix "$SCRATCH/root"
}
check installs installs
check installs-the-program root/bin/autotune version
check installs-into-its-prefix-alone test ! -e elsewhere
echo "find_package(autotune REQUIRED)" | project found
check_project found
says_where_to_build() {
    mkdir within && cp "$ROOT/CMakeLists.txt" "$ROOT/Makefile" within
    ! cmake -S within -B within 2> said && grep -q 'would overwrite the Makefile' said && cmp within/Makefile "$ROOT/Makefile"
}
check says-where-to-build says_where_to_build
finish
