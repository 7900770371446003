#!/bin/sh
# Builds the wheel that PyPI gets, for glibc 2.28, which auditwheel confirms, and runs the tests of the package
# with it.
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"
: > err
status=0
PYTHON=$ROOT/build/python/bin/python
if ! "$PYTHON" -c 'import numpy' 2> /dev/null; then
    skip wheels "no Python with NumPy at build/python: ./setup test makes it"
    finish
fi
if [ ! -x "$ROOT/build/wheels/venv/bin/auditwheel" ] &&
    ! "$PYTHON" -m pip download -q --no-deps -d pypi auditwheel > /dev/null 2>&1; then
    skip wheels "PyPI, which has zig and auditwheel, cannot be reached"
    finish
fi
check wheel-builds "$ROOT/python/wheels.sh" dist "$PYTHON"
check wheel-installs "$PYTHON" -m pip install -q --no-index --no-deps --target site dist/*.whl
[ "$failed" -eq 0 ] || finish
runs() {
    PYTHONPATH=$PWD/site "$PYTHON" -B "$ROOT/tests/python/run.py" "$ROOT" > said 2>&1 || return
    ! grep '^not ok' said && grep -q '^ok' said
}
check tests-of-the-package runs
finish
