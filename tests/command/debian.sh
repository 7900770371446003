#!/bin/sh
# Builds the Debian packages from a copy of the tree, has lintian look at them, and uses what is in them: the
# program, the library by pkg-config and CMake's files, and the Python module.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
: > err
status=0
for tool in dpkg-buildpackage dpkg-checkbuilddeps lintian git; do
    if ! command -v $tool > /dev/null; then
        skip debian "no $tool here"
        finish
    fi
done
if ! dpkg-checkbuilddeps "$ROOT/debian/control" 2> lacks; then
    skip debian "$(tr '\n' ' ' < lacks)"
    finish
fi
mkdir -p packages/tree root
(cd "$ROOT" && git ls-files | tar -cf - -T -) | tar -xf - -C packages/tree
builds() {
    (cd packages/tree && env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL DEB_BUILD_OPTIONS="parallel=$(nproc)" \
        dpkg-buildpackage -us -uc)
}
check builds builds
[ "$failed" -eq 0 ] || finish
is_clean() {
    lintian --allow-root --fail-on error,warning packages/*.changes
}
check lintian-is-content is_clean
for package in packages/*.deb; do dpkg-deb -x "$package" root; done
check program root/usr/bin/autotune version
AT=$SCRATCH/root/usr
LIB=$(dirname "$(ls -d "$AT"/lib/*/libautotune.so)")
links() {
    flags=$(PKG_CONFIG_PATH=$LIB/pkgconfig PKG_CONFIG_SYSROOT_DIR=$SCRATCH/root pkg-config --cflags --libs autotune) &&
        cc "$ROOT/examples/emulated.c" $flags -o emulated && LD_LIBRARY_PATH=$LIB ./emulated
}
check library-by-pkg-config links
finds() {
    mkdir -p found && cp "$ROOT/examples/emulated.c" found &&
        printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(found C)' 'find_package(autotune REQUIRED)' \
            'add_executable(found emulated.c)' 'target_link_libraries(found PRIVATE autotune::autotune)' > found/CMakeLists.txt &&
        cmake -S found -B found/build -Dautotune_DIR="$LIB/cmake/autotune" && cmake --build found/build && found/build/found
}
if command -v cmake > /dev/null; then
    check library-by-cmake finds
else
    skip library-by-cmake "no cmake here"
fi
imports() {
    PYTHONPATH=$AT/lib/python3/dist-packages /usr/bin/python3 -c 'import autotune, os, autotune._devices as at
from importlib.metadata import version
assert version("autotune-gpu") == autotune.__version__
assert autotune._core.Context(-1, None, None, None, None).plan("sum", "f32", None, None, 9, *[0] * 10).result_type == "f32"
os.stat(at.program())'
}
check python-module imports
finish
