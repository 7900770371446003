"""Random reductions and scans through libautotune on PyTorch's memory, by ctypes: each result beside PyTorch's own.

Inputs are small integers, so that float results are exact in any order. Calls may be of fewer elements or rows than the
plan's, begin anywhere and have gaps between rows; some run beside each other on streams of their own.
Usage: torch_problems.py LIBRARY.so [COUNT [SEED [scan]]]   (COUNT problems, 200); exit status 1 when one is wrong.
    scan: scans alone, of all elements and of rows, some in place: cumsum, cumprod, cummin, cummax
"""
import ctypes
import random
import sys

import torch


class Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 2000)]


class Problem(ctypes.Structure):
    _fields_ = [("op", ctypes.c_char_p), ("type", ctypes.c_char_p), ("acc", ctypes.c_char_p), ("n", ctypes.c_uint64),
                ("is_warm", ctypes.c_int), ("order", ctypes.c_int), ("rows", ctypes.c_uint64),
                ("len", ctypes.c_uint64), ("pitch", ctypes.c_uint64), ("axis", ctypes.c_int), ("scan", ctypes.c_int),
                ("reserved", ctypes.c_void_p * 4)]


TYPES = {"i8": torch.int8, "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
         "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
RESULTS = {"i8": torch.int32, "u8": torch.int32, "i16": torch.int32, "i32": torch.int32, "i64": torch.int64,
           "f16": torch.float32, "bf16": torch.float32, "f32": torch.float32, "f64": torch.float64}
library = None


def call(name, *arguments):
    error = Error()
    if getattr(library, name)(*arguments, ctypes.byref(error)):
        raise RuntimeError(f"{name}: {error.text.decode()}")


def draw_size(rng, most):
    """Log-uniform, with the neighbours of powers of two."""
    if rng.random() < 0.4:
        return max(1, min(most, 2 ** rng.randint(0, most.bit_length() - 1) + rng.choice([-1, 0, 1])))
    return int(2 ** rng.uniform(0, most.bit_length() - 1))


def draw(rng):
    """A problem: what is asked for, and the view of memory that it is about."""
    type_name = rng.choice(list(TYPES))
    kind = rng.choice(["value", "rows", "columns"])
    ops = ["sum", "sumsq", "min", "max", "prod"]
    op = rng.choice(ops + ["argmin", "argmax"] if kind == "value" else ops)
    deterministic = rng.random() < 0.25
    if kind == "value":
        rows, length = 1, draw_size(rng, 1 << 24)
        pitch = length
    else:
        rows, length = draw_size(rng, 1 << 14), draw_size(rng, 1 << 14)
        while rows * length > 1 << 24:
            rows, length = max(1, rows // 2), max(1, length // 2)
        pitch = length + rng.choice([0, 0, 1, 3, 8, 100])
    return type_name, op, kind, deterministic, rows, length, pitch, rng.randint(0, 15)


def fill(rng, type_name, op, rows, pitch, start):
    """Small integers, so few that no sum of floats is rounded; of products the signs alone."""
    generator = torch.Generator(device="cuda").manual_seed(rng.randint(0, 1 << 30))
    low, high = (-1, 2) if op in ("sum", "sumsq") and TYPES[type_name].is_floating_point else (-100, 101)
    if type_name == "u8":
        low = 0
    values = torch.randint(low, high, (start + rows * pitch,), generator=generator, device="cuda")
    if op == "prod":
        values = torch.where(values > 0, 1, 1 if type_name == "u8" else -1)
    return values.to(TYPES[type_name])


def expect(view, op, axis):
    """The same by PyTorch, in 64 bits."""
    wide = view.double() if view.is_floating_point() else view.long()
    if op in ("argmin", "argmax"):
        best = wide.min() if op == "argmin" else wide.max()
        return (wide.flatten() == best).nonzero()[0, 0].reshape(1)
    if op == "sum":
        return wide.sum(axis)
    if op == "sumsq":
        return (wide * wide).sum(axis)
    if op == "prod":
        return wide.prod(axis)
    return wide.amin(axis) if op == "min" else wide.amax(axis)


def expect_scan(view, op):
    """Along each row by PyTorch, in 64 bits, inclusive."""
    wide = view.double() if view.is_floating_point() else view.long()
    if op == "sum":
        return wide.cumsum(1)
    if op == "prod":
        return wide.cumprod(1)
    return (wide.cummin(1) if op == "min" else wide.cummax(1)).values


def first_of_exclusive(op, dtype):
    if op in ("sum", "prod"):
        return 0 if op == "sum" else 1
    bounds = torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)
    infinity = float("inf") if dtype.is_floating_point else None
    if op == "min":
        return bounds.max if infinity is None else infinity
    return bounds.min if infinity is None else -infinity


def check_scan(context, rng, number):
    type_name = rng.choice(list(TYPES))
    op = rng.choice(["sum", "prod", "min", "max"])
    is_rows, is_exclusive = rng.random() < 0.4, rng.random() < 0.4
    start, deterministic = rng.randint(0, 15), rng.random() < 0.25
    rows, length = (draw_size(rng, 1 << 13), draw_size(rng, 1 << 13)) if is_rows else (1, draw_size(rng, 1 << 24))
    while rows * length > 1 << 24:
        rows = max(1, rows // 2)
    pitch = length + (rng.choice([0, 0, 1, 3, 8, 100]) if is_rows else 0)
    memory = fill(rng, type_name, op, rows, pitch, start)
    problem = Problem(op=op.encode(), type=type_name.encode(), order=deterministic, is_warm=rng.random() < 0.2,
                      scan=2 if is_exclusive else 1)
    if is_rows:
        problem.rows, problem.len, problem.pitch, problem.axis = rows, length, pitch, 1
    else:
        problem.n = length
    most = rows if is_rows else length
    dtype = RESULTS[type_name]
    plan, workspace = ctypes.c_void_p(), ctypes.c_void_p()
    call("autotune_plan_create", ctypes.byref(plan), context, ctypes.byref(problem), None)
    stream = torch.cuda.Stream() if number % 3 == 0 else torch.cuda.current_stream()
    stream.wait_stream(torch.cuda.current_stream())
    call("autotune_workspace_create", ctypes.byref(workspace), plan, None, ctypes.c_void_p(stream.cuda_stream))
    wrong = None
    for n in {most, rng.randint(1, most), max(1, most // 2)}:
        count, across = (n, length) if is_rows else (1, n)
        view = memory.as_strided((count, across), (pitch, 1), start)
        wanted = expect_scan(view, op)
        if dtype == torch.int32:
            wanted = wanted.to(torch.int32)
        wanted = wanted.to(dtype)
        if is_exclusive:
            first = torch.full((count, 1), first_of_exclusive(op, dtype if type_name != "u8" else torch.int32),
                               dtype=dtype, device="cuda")
            if type_name == "u8" and op != "sum" and op != "prod":
                first.fill_(-1 if op == "min" else 0)  # of u32
            wanted = torch.cat([first, wanted[:, :-1]], 1)
        shift = rng.randint(0, 7)
        in_place = dtype == TYPES[type_name] and pitch == length and rng.random() < 0.3
        if in_place:
            output = memory.clone()
            address = result = output.data_ptr() + start * memory.element_size()
            got = output[start:start + count * across]
            guards = [(output[start + count * across:], memory[start + count * across:]), (output[:start], memory[:start])]
        else:
            output = torch.full((shift + count * across + 3,), 7, dtype=dtype, device="cuda")
            address = memory.data_ptr() + start * memory.element_size()
            result = output.data_ptr() + shift * output.element_size()
            got = output[shift:shift + count * across]
            guards = [(output[:shift], torch.full_like(output[:shift], 7)), (output[-3:], torch.full_like(output[-3:], 7))]
        torch.cuda.synchronize()
        for _ in range(1 if in_place else 2):
            call("autotune_execute", workspace, ctypes.c_void_p(address), ctypes.c_uint64(n), ctypes.c_void_p(result),
                 ctypes.c_void_p(stream.cuda_stream))
        torch.cuda.synchronize()
        if not torch.equal(got, wanted.reshape(-1)) or not all(torch.equal(a, b) for a, b in guards):
            wrong = (f"{'exclusive' if is_exclusive else 'inclusive'} scan {op} {type_name} {rows} x {length} pitch "
                     f"{pitch} start {start} n {n} in_place {in_place}")
            break
    call("autotune_workspace_destroy", workspace)
    call("autotune_plan_destroy", plan)
    return wrong


def check(context, rng, number):
    type_name, op, kind, deterministic, rows, length, pitch, start = draw(rng)
    memory = fill(rng, type_name, op, rows, pitch, start)
    axis = 0 if kind == "columns" else 1
    problem = Problem(op=op.encode(), type=type_name.encode(), order=deterministic,
                      is_warm=rng.random() < 0.2)
    if kind == "value":
        problem.n = length
    else:
        problem.rows, problem.len, problem.pitch, problem.axis = rows, length, pitch, axis
    most = length if kind == "value" else rows
    plan, workspace = ctypes.c_void_p(), ctypes.c_void_p()
    call("autotune_plan_create", ctypes.byref(plan), context, ctypes.byref(problem), None)
    stream = torch.cuda.Stream() if number % 3 == 0 else torch.cuda.current_stream()
    stream.wait_stream(torch.cuda.current_stream())
    call("autotune_workspace_create", ctypes.byref(workspace), plan, None, ctypes.c_void_p(stream.cuda_stream))
    wrong = None
    for n in {most, rng.randint(1, most), max(1, most // 2)}:
        count = 1 if kind == "value" else n if axis else length
        dtype = torch.int64 if op.startswith("arg") else RESULTS[type_name]
        output = torch.full((count + 1,), 7, dtype=dtype, device="cuda")
        torch.cuda.synchronize()
        address = memory.data_ptr() + start * memory.element_size()
        call("autotune_execute", workspace, ctypes.c_void_p(address), ctypes.c_uint64(n),
             ctypes.c_void_p(output.data_ptr()), ctypes.c_void_p(stream.cuda_stream))
        torch.cuda.synchronize()
        if kind == "value":
            view = memory[start:start + n].reshape(1, n)
        else:
            view = memory.as_strided((n, length), (pitch, 1), start)
        wanted = expect(view, op, axis)
        if dtype == torch.int32:
            wanted = wanted.to(torch.int32)
        got = output[:count].to(wanted.dtype)
        if not torch.equal(got, wanted.reshape(count)) or output[count] != 7:
            wrong = f"{op} {type_name} {kind} {rows} x {length} pitch {pitch} start {start} n {n}"
            break
    call("autotune_workspace_destroy", workspace)
    call("autotune_plan_destroy", plan)
    return wrong


def main():
    global library
    library = ctypes.CDLL(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    torch.zeros(1, device="cuda")
    context = ctypes.c_void_p()
    call("autotune_context_create", ctypes.byref(context), None)
    one = check_scan if len(sys.argv) > 4 and sys.argv[4] == "scan" else check
    wrong = [said for number in range(count) if (said := one(context, rng, number))]
    for said in wrong:
        print(f"wrong: {said}")
    print(f"{count - len(wrong)} of {count} random problems on PyTorch's memory are right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
