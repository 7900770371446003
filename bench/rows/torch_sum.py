#!/usr/bin/env python3
"""Times torch.sum over the rows or columns of float32 (or TYPE, bf16) matrices, as `autotune bench` times: a CUDA
graph of several calls between two events, divided by their number; before each a read-only sweep
that leaves nothing of the inputs in the L2 cache, and inputs that together are past it. Prints
CSV: rows,len,axis,torch_us (the median of ROUNDS measurements).
Usage: torch_sum.py ROWSxLEN[xAXIS]...   (axis 1: a value for each row, the default)
"""
import os
import statistics
import sys

import torch

TYPE = {"f32": torch.float32, "bf16": torch.bfloat16}[os.environ.get("TYPE", "f32")]
ROUNDS = int(os.environ.get("ROUNDS", "101"))
MEASURE_US = 1200  # a measurement lasts about so long
PAST_L2 = 8        # from so many times the L2 on, one input comes from memory each time


def prepare(rows, length, axis):
    """A graph of calls, and how many they are."""
    properties = torch.cuda.get_device_properties(0)
    size = rows * length * TYPE.itemsize
    count = 1 if size >= PAST_L2 * properties.L2_cache_size else max(4, min(64, (256 << 20) // size))
    inputs = [torch.randint(-50, 51, (rows, length), device="cuda").to(TYPE) for _ in range(count)]
    output = torch.empty(rows if axis == 1 else length, device="cuda", dtype=TYPE)
    calls = count if count > 1 else max(1, min(64, int(MEASURE_US / (size / 4.0e6)) + 1))
    expected = inputs[0].double().sum(dim=axis).to(TYPE)
    torch.sum(inputs[0], dim=axis, out=output)
    if not torch.equal(expected, output):
        sys.exit(f"torch.sum of {rows} x {length} is wrong")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            torch.sum(inputs[0], dim=axis, out=output)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            torch.sum(inputs[i % count], dim=axis, out=output)
    return graph, calls, inputs


def measure(rows, length, axis, swept):
    graph, calls, inputs = prepare(rows, length, axis)
    times = []
    for _ in range(ROUNDS + 10):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        swept.sum()
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000 / calls)
    del graph, inputs
    torch.cuda.empty_cache()
    return statistics.median(times[10:])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    swept = torch.zeros(max(3 * l2, 256 << 20) // 4, device="cuda")
    print("rows,len,axis,torch_us")
    for word in sys.argv[1:]:
        rows, length, *axis = (int(part) for part in word.split("x"))
        print(f"{rows},{length},{axis[0] if axis else 1},"
              f"{measure(rows, length, axis[0] if axis else 1, swept):.3f}", flush=True)


if __name__ == "__main__":
    main()
