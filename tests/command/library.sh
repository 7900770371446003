#!/bin/sh
# Tests the installed library, used from outside the tree: as archive and shared object, from
# C99 and C++17, through pkg-config and CMake, from two threads; what names it has; and a plan
# that has the installed program tune.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
status=0
: > err
CC=${CC:-cc} CXX=${CXX:-c++}
for tool in make pkg-config "$CC"; do
    if ! command -v "${tool%% *}" > /dev/null || [ "$(basename "$AUTOTUNE")" != autotune ]; then
        skip library "no $tool here, or the program has another name"
        finish
    fi
done
# Of what is built already, however it was built.
BUILD=$(dirname "$AUTOTUNE") VERSION=$("$AUTOTUNE" --version | sed -n '1s/^autotune //p')
for file in "$BUILD/libautotune.a" "$BUILD/libautotune.so.$VERSION"; do
    if [ ! -e "$file" ]; then
        skip library "$file is not built: make library"
        finish
    fi
done
make_target() {
    built=${BUILD#"$ROOT"/} # by a name without those above, which may have a blank
    env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$ROOT" -o "$built/autotune" \
        -o "$built/libautotune.a" -o "$built/libautotune.so.$VERSION" "$1" BUILD="$built" \
        DESTDIR="$SCRATCH/root" PREFIX=/opt/here
}
AT=$SCRATCH/root/opt/here
check install make_target install
LIB=$AT/lib
export PKG_CONFIG_PATH="$LIB/pkgconfig" LD_LIBRARY_PATH="$LIB"
config() {
    pkg-config --define-variable=prefix="$AT" "$@" autotune
}

# --- What is installed --------------------------------------------------------------------

check version test "$(config --modversion)" = "$VERSION"
check header cmp "$ROOT/include/autotune.h" "$AT/include/autotune.h"
check link-to-build test "$(readlink "$LIB/libautotune.so")" = libautotune.so.0
check link-to-run test "$(readlink "$LIB/libautotune.so.0")" = "libautotune.so.$VERSION"
check manual test -r "$AT/share/man/man3/autotune.3"
PAGE=$AT/share/man/man3/autotune.3
sed -n 's/^AUTOTUNE_API.*[ *]\(autotune_[a-z_]*\)(.*/\1/p' "$AT/include/autotune.h" | sort > declared
check declared test "$(wc -l < declared)" -ge 15
sed -n 's/^    \(AUTOTUNE_[A-Z_]*\) = -.*/\1/p' "$AT/include/autotune.h" | sort > codes
check codes test "$(wc -l < codes)" -ge 12
sed '/^\.SH DESCRIPTION/q' "$PAGE" | grep -o 'autotune_[a-z_]*(' | tr -d '(' | sort > have
check manual-has-each-function cmp declared have
sed -n 's/^\(AUTOTUNE_[A-Z_]*\)|.*/\1/p' "$PAGE" | sort > have
check manual-has-each-code cmp codes have
if command -v groff > /dev/null; then
    groff -t -man -Tascii -ww -P-cbou "$PAGE" > rendered 2> warnings
    check manual-no-warnings test ! -s warnings
else
    skip manual-no-warnings "no groff here"
fi
check examples test -r "$AT/share/doc/autotune/examples/emulated.c"
# What the examples' list names is there.
for named in $(grep -o '`[a-z][a-z-]*\(/\|\.cu\?\)`' "$AT/share/doc/autotune/examples/README.md" | tr -d '`' | sort -u); do
    check "example $named" test -e "$AT/share/doc/autotune/examples/$named"
done
check example-cmake-source test -r "$AT/share/doc/autotune/examples/exported-make/total.c"
if command -v readelf > /dev/null && command -v nm > /dev/null; then
    readelf -d "$LIB/libautotune.so" > dynamic
    check soname grep -q 'SONAME.*\[libautotune.so.0\]' dynamic
    check no-path-within sh -c '! grep -Eq "RPATH|RUNPATH" dynamic'
    nm -D --defined-only "$LIB/libautotune.so" | sed 's/.* //' | sort > names
    check names-of-the-shared-object cmp declared names
    nm -g --defined-only "$LIB/libautotune.a" | sed -n 's/.* [A-Z] //p' | sort > names
    check names-of-the-archive cmp declared names
    nm -D --undefined-only "$LIB/libautotune.so" | sed 's/.* //; s/@.*//' > needed
    check calls-nothing-it-must-not sh -c '! grep -Exq \
        "printf|puts|putchar|perror|vprintf|exit|abort|signal|sigaction|fork" needed'
else
    skip names "no readelf or nm here"
fi

# --- Programs -----------------------------------------------------------------------------

cp "$ROOT/examples/emulated.c" emulated.c
cat > threads.cpp << 'END'
#include <autotune.h>
#include <autotune.h>
#include <cstdio>
#include <thread>

static void sum(autotune_plan *plan, long first, bool *is_right)
{
    autotune_workspace *workspace = nullptr;
    autotune_error error;
    long elements[100], result = 0;
    for (long i = 0; i < 100; i++)
        elements[i] = first + i;
    *is_right = autotune_workspace_create(&workspace, plan, nullptr, nullptr, &error) == 0;
    for (uint64_t n = 0; n <= 100 && *is_right; n++)
        *is_right = autotune_execute(workspace, elements, n, &result, nullptr, &error) == 0 &&
                    result == (2 * first + static_cast<long>(n) - 1) * static_cast<long>(n) / 2;
    if (autotune_workspace_destroy(workspace, &error))
        *is_right = false;
}

int main()
{
    autotune_context_options options = {};
    autotune_problem problem = {};
    autotune_context *context = nullptr;
    autotune_plan *plan = nullptr;
    autotune_error error;
    bool one_is_right = false, other_is_right = false;
    options.device = "host";
    problem.op = "sum";
    problem.type = "i64";
    problem.n = 100;
    if (autotune_context_create(&context, &options, &error) ||
        autotune_plan_create(&plan, context, &problem, nullptr, &error))
        return std::puts(error.text), 1;
    std::thread one(sum, plan, 3, &one_is_right), other(sum, plan, -70, &other_is_right);
    one.join();
    other.join();
    if (autotune_plan_destroy(plan, &error) || autotune_context_destroy(context, &error))
        return std::puts(error.text), 1;
    return one_is_right && other_is_right ? 0 : 1;
}
END
C99="-std=c99 -pedantic -Wall -Wextra -Wconversion -Werror"
CXX17="-std=c++17 -pedantic -Wall -Wextra -Wconversion -Werror"
ASAN="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
HEADERS=$(config --cflags) LINK=$(config --libs)
STATIC="$LIB/libautotune.a -ldl -lm -lpthread"
says_sum() {
    "$1" > out 2> err && [ "$(cat out)" = "0 + 1 + ... + 9999 = 49995000" ] && [ ! -s err ]
}
# shellcheck disable=SC2086 # flags are words
{
    check c99-shared $CC $C99 $HEADERS -o shared emulated.c $LINK
    check c99-shared-runs says_sum ./shared
    check early-program $CC $C99 -o early "$ROOT/tests/command/early_program.c" $LINK
    check early-program-runs ./early
    check c99-archive $CC $C99 $HEADERS -o archive emulated.c $STATIC
    check c99-archive-runs env -u LD_LIBRARY_PATH ./archive
    check c99-sanitized $CC $C99 $ASAN $HEADERS -o sanitized emulated.c $STATIC
    check c99-sanitized-runs says_sum ./sanitized
    if command -v "${CXX%% *}" > /dev/null; then
        check c++17 $CXX $CXX17 $HEADERS -o threads threads.cpp $LINK -pthread
        check c++17-two-threads ./threads
        check c++17-sanitized $CXX $CXX17 $ASAN $HEADERS -o threads threads.cpp $STATIC
        check c++17-two-threads-sanitized ./threads
    else
        skip c++17 "no $CXX here"
    fi
}
CUDA=$(for place in "${CUDA_HOME:-/usr/local/cuda}/include" /usr/include; do
    [ ! -r "$place/cuda.h" ] || echo "$place"
done | head -n 1)
if [ -n "$CUDA" ]; then
    # shellcheck disable=SC2086
    check example-driver "$CC" $C99 $HEADERS -isystem "$CUDA" -c "$ROOT/examples/graph.c"
else
    skip example-driver "no cuda.h here"
fi
NVCC=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
if [ -x "$NVCC" ]; then
    # shellcheck disable=SC2086
    check example-runtime "$NVCC" -std=c++17 $HEADERS -c "$ROOT/examples/runtime.cu"
else
    skip example-runtime "no nvcc here"
fi

# --- CMake --------------------------------------------------------------------------------

cmake_builds() {
    mkdir -p "project-$1" && cp emulated.c "project-$1" || return 1
    cat > "project-$1/CMakeLists.txt" << END
cmake_minimum_required(VERSION 3.10)
project(example C)
find_package(autotune $2 REQUIRED)
add_executable(example emulated.c)
target_link_libraries(example PRIVATE autotune::$1)
END
    cmake -S "project-$1" -B "project-$1/build" -DCMAKE_PREFIX_PATH="$AT" &&
        cmake --build "project-$1/build"
}
cmake_refuses() {
    ! cmake_builds autotune "$1" > refused 2>&1 && grep -q 'not accepted' refused
}
if command -v cmake > /dev/null; then
    check cmake-shared cmake_builds autotune "${VERSION%.*}"
    check cmake-shared-runs says_sum project-autotune/build/example
    check cmake-static cmake_builds static "$VERSION"
    check cmake-static-runs says_sum project-static/build/example
    minor=${VERSION#*.} minor=${minor%.*}
    for wanted in 0.0 "0.$((minor + 1))" 1 "${VERSION%.*}.99"; do
        rm -rf project-autotune
        check "cmake-refuses-$wanted" cmake_refuses "$wanted"
    done
else
    skip cmake "no cmake here"
fi

# --- Tuning -------------------------------------------------------------------------------

# The library finds under its own key what the program kept under its.
cat > tune.c << 'END'
#include <autotune.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct autotune_context_options options = {.device = "host"};
    const struct autotune_problem problems[] = {
        {.op = "max", .type = "f32", .n = 1000},
        {.op = "max", .type = "f32", .rows = 20, .len = 50, .pitch = 52, .axis = 1},
        {.op = "max", .type = "f32", .rows = 50, .len = 20}};
    const struct autotune_plan_options tuned = {.from = AUTOTUNE_FROM_TUNING,
                                                .budget_seconds = 15};
    struct autotune_context *context;
    struct autotune_plan *plan;
    struct autotune_error error;
    options.program = argc > 1 ? argv[1] : NULL;
    if (autotune_context_create(&context, &options, &error))
        return printf("%d %s\n", error.code, error.text), 1;
    for (int i = 0; i < 3; i++) {
        if (autotune_plan_create(&plan, context, &problems[i], &tuned, &error))
            return printf("%d %s\n", error.code, error.text), 1;
        printf("grade %d, %s%s\n", (int)autotune_plan_grade(plan), autotune_plan_origin(plan),
               autotune_plan_warning(plan));
        if (autotune_plan_destroy(plan, NULL))
            return 1;
    }
    return autotune_context_destroy(context, NULL);
}
END
# shellcheck disable=SC2086
check tune-builds $CC $C99 $HEADERS -o tune tune.c $LINK
cat > wanted << 'END'
grade 0, host, max f32 1K cold
grade 0, host, max f32 20 x 50 rows pitch 52 cold
grade 0, host, max f32 50 x 20 columns cold
END
tunes() {
    ./tune "$@" > out 2> err
    cat out err
    cmp out wanted && [ ! -s err ]
}
needs_program() {
    ! ./tune > out && grep -q "^-11 .*set autotune_context_options.program" out
}
check tuning-needs-a-program needs_program
check tuning tunes "$AT/bin/autotune"
check tuned-once tunes # from the record: no program is needed
# Ranks of a job: one tunes, the others take its record.
together() {
    for rank in 1 2 3; do
        XDG_CACHE_HOME=$SCRATCH/ranks ./tune "$AT/bin/autotune" > "rank$rank" 2>&1 &
        eval "process$rank=\$!"
    done
    for rank in 1 2 3; do
        eval "wait \$process$rank" || { cat "rank$rank" && return 1; }
        cmp "rank$rank" wanted || return 1
    done
}
check tuning-together together
check uninstall make_target uninstall
find "$SCRATCH/root" ! -type d > left
check uninstall-leaves-nothing test ! -s left
finish
