"""Kernel Tuner on the params of its reduction example: every configuration of sum_first.cu.

Prints Markdown: how many configurations, the seconds in all and by stage, the best. --check
needs no GPU: it counts the space, emits every source as Kernel Tuner would and compiles a few.
"""

import argparse
import contextlib
import importlib.metadata
import itertools
import pathlib
import sys
import time

import numpy

import kernel_tuner
from kernel_tuner import core, searchspace, util
from kernel_tuner.backends import nvcuda

KERNEL = "sum_first"
SOURCE = (pathlib.Path(__file__).parent / "sum_first.cu").read_text()
SPACE = {
    "block_size_x": [32, 64, 128, 256, 512, 1024],
    "num_blocks": [2**i for i in range(5, 16)],
    "vector": [1, 2, 4],
    "loop_unroll_factor": [0, 1, 8, 16, 32, 64],
    "use_shuffle": [0, 1],
}
CONFIGURATIONS = 2376  # as reduce_first.ini has candidates
LANGUAGE = "CUDA"      # with cuda-bindings at hand: NVRTC to PTX, the driver's assembler


def is_right(answer, results, atol=None):
    """The example's check: the partial sums add up, within numpy's tolerance."""
    return bool(numpy.isclose(answer[0], results[0].sum(dtype=numpy.float64), atol=atol))


def make_arguments(n):
    """The kernel's arguments, and what the first of them must add up to."""
    x = numpy.random.default_rng(1).random(n, dtype=numpy.float32)
    y = numpy.zeros(max(SPACE["num_blocks"]), numpy.float32)
    return [y, x, numpy.int32(n)], [x.sum(dtype=numpy.float64), None, None]


def tune(n, log):
    """Every configuration, with Kernel Tuner's defaults: 7 iterations, no cache file."""
    arguments, answer = make_arguments(n)
    began = time.perf_counter()
    with contextlib.redirect_stdout(log):
        results, env = kernel_tuner.tune_kernel(
            KERNEL, SOURCE, "num_blocks", arguments, SPACE, grid_div_x=[], lang=LANGUAGE,
            answer=answer, verify=is_right, strategy="brute_force")
    return results, env, time.perf_counter() - began


def print_figures(n, results, env, seconds):
    measured = [result for result in results if "__error__" not in result]
    best = min(measured, key=lambda result: result["time"])
    stages = [("compile", "compile"), ("measure", "benchmark"), ("verify", "verification")]
    named = ", ".join(f"{says} {env[f'total_{name}_time'] / 1000:.1f}" for says, name in stages)
    us = best["time"] * 1000
    print(f"| device | {env['device_name']} |")
    version = importlib.metadata.version("kernel_tuner")
    major, minor = nvcuda._check(nvcuda.nvrtc.nvrtcVersion())
    print(f"| version | Kernel Tuner {version}, NVRTC {major}.{minor} |")
    print(f"| configurations | {len(results)}, {len(measured)} of them measured |")
    print(f"| seconds in all | {seconds:.1f} ({named}) |")
    print(f"| best | {us:.2f} us, {4 * n / us / 1000:.1f} GB/s |")
    print("| configuration | " + " ".join(f"{name}={best[name]}" for name in SPACE) + " |")


def emit(params):
    """The source that Kernel Tuner compiles for these values."""
    source = core.KernelSource(KERNEL, SOURCE, LANGUAGE)
    threads, grid = util.setup_block_and_grid("num_blocks", ([], None, None), params,
                                              util.default_block_size_names)
    return source.prepare_list_of_files(KERNEL, params, grid, threads,
                                        util.default_block_size_names)[1]


def compile_ptx(text):
    nvrtc, check = nvcuda.nvrtc, nvcuda._check
    program = check(nvrtc.nvrtcCreateProgram(text.encode(), b"sum_first.cu", 0, [], []))
    options = [b"--std=c++11", b"--gpu-architecture=compute_90"]
    check(nvrtc.nvrtcCompileProgram(program, len(options), options))
    size = check(nvrtc.nvrtcGetPTXSize(program))
    ptx = b" " * size
    check(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx.decode()


def check_space():
    """Without a GPU: the size of the space, the sources, that they compile."""
    size = searchspace.Searchspace(SPACE, None, 1024).size
    assert size == CONFIGURATIONS, size
    rows = [dict(zip(SPACE, values)) for values in itertools.product(*SPACE.values())]
    sources = [emit(row) for row in rows]
    assert len(set(sources)) == CONFIGURATIONS
    for row, source in zip(rows, sources):
        assert ("#pragma unroll" in source) == (row["loop_unroll_factor"] > 0), row
    for source in sources[:: CONFIGURATIONS // 16]:
        assert KERNEL in compile_ptx(source)
    arguments, answer = make_arguments(4096)
    core.KernelSource(KERNEL, SOURCE, LANGUAGE).check_argument_lists(KERNEL, arguments)
    assert is_right(answer, arguments[1].reshape(1, 32, 128).sum(axis=2), atol=1e-6)
    assert not is_right(answer, arguments[1].reshape(1, 4096)[:, 1:], atol=1e-6)
    print(f"{size} configurations")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=400_000_000, help="elements, a multiple of 4")
    parser.add_argument("--log", default="/dev/null", help="file for Kernel Tuner's own output")
    parser.add_argument("--check", action="store_true", help="without a GPU: check the space")
    options = parser.parse_args()
    if nvcuda.driver is None:
        sys.exit("cuda-bindings is missing: Kernel Tuner's NVRTC backend needs it")
    if options.check:
        return check_space()
    with open(options.log, "w") as log:
        print_figures(options.n, *tune(options.n, log))


if __name__ == "__main__":
    main()
