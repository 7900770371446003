#!/bin/sh
# Tests clocks, temperature and power with NVML, and that nothing fails without it: with stand-ins for
# it and for the driver (tests/device/fake_nvml.c, fake_cuda.c).
# shellcheck disable=SC2034,SC2154 # status is of helpers
. "$(dirname "$0")/helpers"

run doctor
check host-has-none grep -q '^host .*no clocks' out
run --device host --n 1K --json -
check host-tunes has_status 0
check host-says-none grep -q '"finals_sm_mhz": null, .*"finals_milliwatts": null' out
check host-notes-none test "$(grep -c '^clocks' err)" -eq 0
check host-keeps-none test "$(cat "$XDG_CACHE_HOME"/autotune/*.ini | grep -c finals_)" -eq 0

mkdir fake
export LD_LIBRARY_PATH="$SCRATCH/fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o fake/libcuda.so.1 "$ROOT/tests/device/fake_cuda.c"
if ! "$AUTOTUNE" doctor | grep -q '^gpu 0 .*Stand-in'; then
    skip stand-in "the stand-in driver cannot be opened: no NVRTC, or a build without CUDA"
    finish
fi
# says NAME PATTERN [FLAG]: what doctor says of a stand-in built with that flag.
says() {
    # shellcheck disable=SC2086 # no flag is no argument
    cc -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 $3 -o fake/libnvidia-ml.so.1 \
        "$ROOT/tests/device/fake_nvml.c"
    run doctor
    check "$1-status" has_status 0
    check "$1" grep -Eqx "nvml 0    $2" out
}
says reads 'SM 1980 MHz, memory 3201 MHz, 45 C, 413 W' ""
says some 'SM 1980 MHz, memory 3201 MHz' -DSILENT
says other-gpu 'NVML cannot find this GPU: Not Found' -DSTRANGER
says broken 'NVML cannot start: Driver Not Loaded' -DBROKEN
says older 'libnvidia-ml.so.1 lacks nvmlDeviceGetTemperature: install a newer driver' -DOLDER
echo "no library" > fake/libnvidia-ml.so.1
run doctor
check missing grep -q '^nvml 0    libnvidia-ml.so.1, .*cannot be opened (.*/fake/.*: it is no shared object' out
# cut NAME: what is left of a stand-in when a copy of it was broken off.
cut() {
    head -c 9000 "fake/$1" > part
    mv part "fake/$1"
}
says whole 'SM 1980 MHz, memory 3201 MHz, 45 C, 413 W' ""
cut libnvidia-ml.so.1
run doctor
check cut-nvml-status has_status 0
check cut-nvml grep -q '^nvml 0    libnvidia-ml.so.1, .*cannot be opened (.*/fake/.*: it is cut short)' out
cut libcuda.so.1
run doctor
check cut-driver-status has_status 0
check cut-driver grep -q '^gpu  .*/fake/libcuda.so.1: it is cut short' out
refuses cut-driver-tune 69 "/fake/libcuda.so.1: it is cut short" --device 0 --n 1K
finish
