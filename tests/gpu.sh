#!/bin/sh
# Proves the program and its kernels on GPU 0: the device itself, the kernel that would be used for
# the usual problem, and the covering sample. Exit status 69 where there is no such GPU.
# Usage: tests/gpu.sh BUILD
set -eu
build=${1:?usage: tests/gpu.sh BUILD}
"$build/autotune" doctor
if ! "$build/autotune" doctor | grep -q '^gpu 0 .*, cc '; then
    echo "test-gpu: no GPU 0 that can be used here (see the lines 'gpu' above); run this on a" \
        "machine with an NVIDIA GPU, its driver and NVRTC" >&2
    exit 69
fi
set -x
"$build/device/test_device" 0
"$build/autotune" verify --device 0
"$build/autotune" verify --device 0 --cover
