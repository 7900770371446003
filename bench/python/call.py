"""What a call costs from Python, beside an empty launch and torch.sum; and what it gains.

Usage: bench/python/call.py [calls|large|first]...    all without; needs a GPU and PyTorch
  calls  host time of a call of 1024 f32, in us: bursts of 200, all kinds by turns in each round,
         the medians of ROUNDS (60) rounds with their 95 % intervals; beside an empty launch by an
         extension of the same kind (empty.c), and torch's own
  large  torch.sum and torch.logsumexp of large arrays on the GPU, in us, by events, and ours
  first  seconds until a new process has its first result: of the package alone, cold and again

EMPTY names a folder with the built empty.abi3.so, for machines without Python.h;
`bench/python/call.py build FOLDER` makes it.
"""

import importlib.util
import os
import pathlib
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROUNDS = int(os.environ.get("ROUNDS", "60"))
BURST = 200


def build_empty(folder):
    """The module of empty.c, for all Pythons with a GIL."""
    path = pathlib.Path(folder, "empty.abi3.so")
    sources = [ROOT / "bench/python/empty.c", ROOT / "python/core/gpu.c"]
    include = sysconfig.get_path("include")
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", "-D_GNU_SOURCE", "-DPy_LIMITED_API=0x030a0000"]
        + [f"-I{ROOT}", f"-I{include}", "-o", path, *sources, "-ldl", "-lpthread"],
        check=True,
    )
    return path


def load_empty():
    given = os.environ.get("EMPTY")
    path = pathlib.Path(given, "empty.abi3.so") if given else build_empty(tempfile.mkdtemp())
    spec = importlib.util.spec_from_file_location("empty", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def interval(values):
    """The median, and the order statistics that hold it with 95 %."""
    values = sorted(values)
    n = len(values)
    reach = 0.98 * n**0.5
    low, high = max(int(n / 2 - reach), 0), min(int(n / 2 + reach), n - 1)
    return statistics.median(values), values[low], values[high]


def say(name, values, against=None):
    line = "{:<26} {:7.3f} ({:.3f} to {:.3f})".format(name, *interval(values))
    if against:
        over = [value - other for value, other in zip(values, against, strict=True)]
        line += "   {:7.3f} ({:.3f} to {:.3f})".format(*interval(over))
    print(line)


def measure_calls():
    import torch

    import autotune

    empty = load_empty()
    x, out = torch.rand(1024, device="cuda"), torch.empty((), device="cuda")
    plan = autotune.plan("sum", x)
    kinds = {
        "nothing": lambda: None,
        "empty launch": lambda: empty.launch(1),
        "plan(x, out)": lambda: plan(x, out),
        "autotune.sum(x, out=)": lambda: autotune.sum(x, out=out),
        "torch.sum(x, out=)": lambda: torch.sum(x, dim=0, out=out),
        "plan(x)": lambda: plan(x),
        "autotune.sum(x)": lambda: autotune.sum(x),
        "torch.sum(x)": lambda: torch.sum(x),
    }
    times = {name: [] for name in kinds}
    for turn in range(ROUNDS + 5):
        for name, call in kinds.items():
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(BURST):
                call()
            took = (time.perf_counter() - start) / BURST * 1e6
            if turn >= 5:
                times[name].append(took)
    torch.cuda.synchronize()
    print(f"host time of a call, us: median (95 % interval); over an empty launch of its round")
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, short way {plan.has_short}")
    for name, values in times.items():
        say(name, values, None if name in ("nothing", "empty launch") else times["empty launch"])
    pairs = zip(times["autotune.sum(x)"], times["torch.sum(x)"], strict=True)
    say("autotune.sum / torch.sum", [ours / theirs for ours, theirs in pairs])


def measure_large():
    import torch

    import autotune

    def event_time(call):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(10):
            call()
        end.record()
        torch.cuda.synchronize()
        return start.elapsed_time(end) * 100

    print("on the GPU, of the f32 that are named, us: median (95 % interval)")
    for shape, name in (((1 << 21, 128), "sum"), ((64, 129280), "logsumexp")):
        x = torch.rand(shape, device="cuda")
        ours, theirs = getattr(autotune, name), getattr(torch, name)
        torch.testing.assert_close(ours(x, axis=1), theirs(x, dim=1), rtol=1e-4, atol=1e-4)
        calls = {"autotune": lambda: ours(x, axis=1), "torch": lambda: theirs(x, dim=1)}  # noqa: B023
        times = {key: [] for key in calls}
        for _ in range(ROUNDS):
            for key, call in calls.items():
                times[key].append(event_time(call))
        for key, values in times.items():
            say(f"{key}.{name} of {shape[0]} x {shape[1]}", values)
        say(
            "torch / autotune",
            [b / a for a, b in zip(times["autotune"], times["torch"], strict=True)],
        )


FIRST = """
import time
start = time.perf_counter()
import torch
x = torch.rand(1 << 20, device="cuda")
torch.cuda.synchronize()
torch_s = time.perf_counter() - start
start = time.perf_counter()
import autotune
import_s = time.perf_counter() - start
start = time.perf_counter()
y = autotune.sum(x)
torch.cuda.synchronize()
first_s = time.perf_counter() - start
print(f"import torch and x {torch_s:.2f} s, import autotune {import_s:.4f} s, first result {first_s:.4f} s")
"""


def measure_first():
    print("a new process, f32 sum of 2^20: cold is without compiled kernels")
    for name, is_cold in (("cold", True), ("again", False), ("again", False)):
        folder = tempfile.mkdtemp() if is_cold else folder
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        done = subprocess.run(
            [sys.executable, "-c", FIRST],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        print(f"{name:<6} {done.stdout.strip()}")


STEPS = {"calls": measure_calls, "large": measure_large, "first": measure_first}


def main():
    if sys.argv[1:2] == ["build"]:
        print(build_empty(sys.argv[2]))
        return
    for step in sys.argv[1:] or STEPS:
        STEPS[step]()


if __name__ == "__main__":
    main()
