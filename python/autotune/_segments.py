"""Segments: a result for each run of elements between two offsets, whatever their lengths."""

from __future__ import annotations

import functools
from typing import Any, Optional

from . import _arrays, _devices
from ._arrays import LEGACY_STREAM, View
from ._axes import contiguous
from ._devices import HOST, Device
from ._operations import RESULTS, name_of, row_of
from ._plan import ORDERS, pack_params
from ._types import Type, of_code, of_dtype

_PLANS = 512  # kept for the next call
_OFFSETS = ("int32", "uint32", "int64", "uint64")


@functools.lru_cache(maxsize=_PLANS)
def _plan_of(
    gpu: int, op: str, code: str, acc: Optional[str], offsets: str, n: int, count: int, order: int
) -> Any:
    return _devices.context(gpu).segments(op, code, acc, offsets, n, count, order)


_devices.on_change(_plan_of.cache_clear)


def _check(seen: View, offsets: View, order: Optional[str]) -> None:
    if order not in ORDERS:
        raise ValueError(f"order {order!r} is not known: give None, 'free', 'run' or 'any'")
    if len(seen.shape) != 1 or len(offsets.shape) != 1 or not offsets.shape[0]:
        raise ValueError(
            f"x has shape {seen.shape} and offsets {offsets.shape}: both have one axis, and there "
            "is one offset more than there are segments"
        )
    if offsets.type.name not in _OFFSETS:
        raise TypeError(f"offsets are {offsets.type.name}: give one of {', '.join(_OFFSETS)}")
    for name, one in (("x", seen), ("offsets", offsets)):
        if one.strides != contiguous(one.shape) and one.shape[0] > 1:
            raise ValueError(f"{name} has gaps between its elements: give a contiguous array")
    if seen.gpu != offsets.gpu:
        raise ValueError("x and offsets are not on the same device")


def _fill(core: Any, gpu: int, seen: View, offsets: View, results: View, params: tuple) -> None:
    """Reduces what is seen; what is on the host is copied to a GPU, and back."""
    n, count = seen.shape[0], offsets.shape[0] - 1
    context = _devices.context(gpu)
    if seen.gpu is not None or gpu == HOST:
        core.execute_segments(
            seen.address, n, offsets.address, results.address, seen.stream, *params
        )
        if seen.gpu is not None and not _arrays.has_current_stream(seen.array):
            context.wait(seen.stream)
        return
    there = []
    for one in (seen, offsets):
        size = one.shape[0] * one.type.bytes
        there.append(context.buffer(max(size, 1)))
        if size:
            there[-1].fill(one.address, size, LEGACY_STREAM)
    there.append(context.buffer(count * core.result_bytes))
    addresses = [one.address for one in there]
    core.execute_segments(addresses[0], n, *addresses[1:], LEGACY_STREAM, *params)
    there[2].read(results.address, count * core.result_bytes, LEGACY_STREAM)


def segment_reduce(
    operation: Any,
    x: Any,
    offsets: Any,
    *,
    dtype: Any = None,
    order: Optional[str] = None,
    device: Device = None,
    **params: Any,
) -> Any:
    """A result for each segment of ``x``: the i-th has the elements ``x[offsets[i]:offsets[i + 1]]``.

    ``offsets``, of type int32, uint32, int64 or uint64, lie where ``x`` does. What they hold is not
    checked: whatever it is, nothing but the two arrays is read. An empty segment gives what no
    elements give: 0 of a sum, the type's least number or -inf of a maximum, -1 of a place, which is
    counted from its segment's begin.

    >>> import numpy as np
    >>> x, offsets = np.array([1.0, 5.0, 2.0, 4.0]), np.array([0, 2, 2, 4])
    >>> autotune.segment_reduce("max", x, offsets, device="host")
    array([  5., -inf,   4.])
    """
    seen, places = _arrays.view(x), _arrays.view(offsets)
    _check(seen, places, order)
    row = row_of(operation)
    asked: Optional[Type] = None if dtype is None else of_dtype(dtype)
    acc, final = RESULTS[row.result](seen.type, asked)
    device = _devices.default_device() if device is None and seen.gpu is None else device
    gpu = _devices.choose(device, seen.gpu)
    n, count = seen.shape[0], places.shape[0] - 1
    most = 1 << max(n - 1, 0).bit_length()
    core = _plan_of(
        gpu,
        row.op,
        seen.type.code,
        acc,
        places.type.code,
        most,
        max(count, 1),
        ORDERS[order],
    )
    stored = of_code(core.result_type)
    final = final or stored
    same = {stored.kind, final.kind} == {"i", "u"} and stored.bytes == final.bytes
    stored = final if same else stored
    results = _arrays.empty(seen, (count,), stored, _devices.context(gpu))
    if count:
        given = pack_params(core, name_of(operation), params) if params else ()
        _fill(core, gpu, seen, places, results, given)
    made = _arrays.hand_over(results.array, seen.array)
    return made if final == stored else _arrays.convert(made, final)


def segment_sum(
    x: Any,
    offsets: Any,
    *,
    dtype: Any = None,
    order: Optional[str] = None,
    device: Device = None,
) -> Any:
    """The sum of each segment of ``x``, as :func:`segment_reduce`; integers are summed in 64 bits.

    >>> import numpy as np
    >>> autotune.segment_sum(np.arange(6), np.array([0, 1, 1, 6]), device="host")
    array([ 0,  0, 15])
    """
    return segment_reduce("sum", x, offsets, dtype=dtype, order=order, device=device)
