#!/bin/sh
# Builds the wheel of the Python package with the library and the program that are built already, installs
# it, and runs its tests on the emulator, with the examples of docstrings and of docs/python.md, and on a
# stand-in for the driver (tests/device/fake_cuda.c).
# shellcheck disable=SC2154 # failed is of helpers
. "$(dirname "$0")/helpers"
: > err
BUILT=$(dirname "$AUTOTUNE") PYTHON=$ROOT/build/python/bin/python
if ! "$PYTHON" -c 'import numpy, setuptools' 2> /dev/null; then
    skip python "no Python with NumPy and setuptools at build/python: ./setup test makes it"
    finish
fi
if ! "$PYTHON" -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2> /dev/null; then
    skip python "no Python.h here: a package python3-dev has it"
    finish
fi
if [ ! -e "$BUILT/libautotune.a" ] || nm "$BUILT/libautotune.a" 2> /dev/null | grep -q ' U __[a-z]*san_'; then
    skip python "no library without a sanitizer at $BUILT: make library"
    finish
fi

# A copy, for the builder leaves its own files beside what it builds, and takes those of an earlier build.
mkdir tree && cp -R "$ROOT/python" tree/python
rm -rf tree/python/build
for name in Makefile LICENSE include; do ln -s "$ROOT/$name" tree/$name; done
build_wheel() {
    AUTOTUNE_BUILD=$BUILT "$PYTHON" -m pip wheel -q --disable-pip-version-check --no-build-isolation \
        --no-deps -w dist tree/python
}
check wheel-builds build_wheel
check wheel-is-small test "$(cat dist/*.whl | wc -c)" -le 4000000
check wheel-installs "$PYTHON" -m pip install -q --disable-pip-version-check --no-index --no-deps \
    --target site dist/*.whl
[ "$failed" -eq 0 ] || finish
export PYTHONPATH="$PWD/site"
check program-of-the-wheel site/bin/autotune version
# tells NAME COMMAND...: what a program of tests/python prints of its tests becomes ours.
tells() {
    told=$1
    shift
    "$@" > said 2>&1
    status=$?
    check "$told-run-to-their-end" test "$status" -eq 0
    while read -r line; do
        case $line in
        "ok "*) ok "${line#ok }" ;;
        "not ok "*) not_ok "${line#not ok }" "see below" ;;
        "skip "*) skip "$(echo "${line#skip }" | sed 's/: .*//')" "${line##*: }" ;;
        esac
    done < said
    if grep -q '^not ok' said || [ "$status" -ne 0 ]; then cat said; fi
}
# The sdist has all that the Makefile builds from: a dry run finds a rule for each.
sdist_is_whole() {
    (cd tree/python && "$PYTHON" setup.py -q sdist -d "$SCRATCH/sdist") > /dev/null 2>&1 &&
        tar -C sdist -xzf sdist/*.tar.gz &&
        env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n -C sdist/autotune_gpu-*/source BUILD=build \
            build/autotune build/libautotune.a > rules 2>&1 &&
        grep -q -- '-o build/obj/autotune/library/pipeline.o' rules
}
for name in library.mk check.mk setup generator cache autotune configs templates; do ln -s "$ROOT/$name" tree/$name; done
check sdist-is-whole sdist_is_whole
tells tests "$PYTHON" -B "$ROOT/tests/python/run.py" "$ROOT"

mkdir fake
cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o fake/libcuda.so.1 "$ROOT/tests/device/fake_cuda.c"
if LD_LIBRARY_PATH=fake "$AUTOTUNE" doctor | grep -q '^gpu 0 .*Stand-in'; then
    tells tests-on-a-stand-in env LD_LIBRARY_PATH=fake "$PYTHON" -B "$ROOT/tests/python/stand_in.py"
else
    skip stand-in "the stand-in driver cannot be opened: no NVRTC, or a build without CUDA"
fi
finish
