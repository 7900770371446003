"""Calls: what is public but for the names of NumPy. Each finds its plan, made before or now."""

from __future__ import annotations

import functools
from typing import Any, Optional

from . import _arrays, _devices, _further
from ._arrays import View
from ._axes import Axis, indices, normalize
from ._devices import Device
from ._operations import ROWS, name_of, row_of
from ._plan import ORDERS, SOURCES, Plan, Problem
from ._types import of_dtype

_PLANS = 512  # kept for the next call


@functools.lru_cache(maxsize=_PLANS)
def _plan_of(problem: Problem) -> Plan:
    return Plan(problem)


# The plan that served the last call with these arguments, where it has a short way.
_recent: dict = {}


def _note(key: tuple, found: Plan) -> None:
    if len(_recent) >= _PLANS:
        _recent.clear()
    _recent[key] = found


def _forget() -> None:
    """Plans are made anew: there may be another record, or another device."""
    _plan_of.cache_clear()
    _recent.clear()


_devices.on_change(_forget)


def _problem(
    operation: Any,
    seen: View,
    axis: Axis,
    keepdims: bool,
    dtype: Any,
    order: Optional[str],
    device: Device,
    scan: Optional[str] = None,
    source: str = "best",
    budget: float = 0.0,
    further: tuple = (),
) -> Problem:
    if not budget >= 0:
        raise ValueError(f"budget is {budget}: give seconds, or 0 to try all")
    for what, given, known in (("order", order, ORDERS), ("source", source, SOURCES)):
        if given not in known:
            raise ValueError(
                f"{what} {given!r} is not known: give one of {', '.join(str(one) for one in known)}"
            )
    return Problem(
        row_of(operation),
        name_of(operation),
        seen.shape,
        seen.strides,
        seen.type,
        seen.gpu,
        indices(axis),
        bool(keepdims),
        None if dtype is None else of_dtype(dtype),
        order,
        _devices.default_device() if device is None and seen.gpu is None else device,
        scan,
        source,
        budget,
        _further.of_views(further),
    )


# --- Public -----------------------------------------------------------------------------------


def combined(x: Any, axis: Axis) -> int:
    """How many elements each result is made of."""
    shape = _arrays.view(x).shape
    return _arrays.count(tuple(shape[i] for i in normalize(axis, len(shape))))


def reduce(
    operation: Any,
    x: Any,
    *rest: Any,
    axis: Axis = None,
    keepdims: bool = False,
    dtype: Any = None,
    out: Any = None,
    order: Optional[str] = None,
    device: Device = None,
    **params: Any,
) -> Any:
    """Combines the elements of ``x`` along ``axis`` by an operation.

    ``operation`` is a name of the table of docs/python.md, or an :class:`Operation`. ``x`` has any
    shape; the result has it without ``axis`` (all axes for None), or with 1 in their place for
    ``keepdims``. It is an array of the library that ``x`` is of.

    >>> import numpy as np
    >>> autotune.reduce("max", np.array([[1, 5], [7, 3]]), axis=0, device="host")
    array([7, 5])

    ``order="n"`` gives sums and products of floats the same bits on every GPU; ``order="run"`` the
    same bits in each run. ``device`` is the number of a GPU or ``"host"``, the emulator; None is
    the GPU of ``x``, and GPU 0 for arrays of the host. ``out`` takes the results, and is returned.
    Other keywords are values of the operation's own params.

    Further arrays of an operation that has several follow ``x``, ``axis`` behind them. Each lies as
    ``x`` (the same shape and strides), or is contiguous with an element for each result (the shape
    of the kept axes), one for each element of a result (that of the combined axes) or one element
    in all; it may have 1 in the axes that it does not span, as NumPy broadcasts it. Where both
    shapes would fit it must.

    >>> x, y = np.array([[1.0, 5.0], [7.0, 3.0]]), np.ones((2, 1))
    >>> autotune.reduce("mse", x, y, axis=1, device="host")
    array([ 8., 20.])
    """
    arrays: tuple = ()
    if rest or type(operation) is not str or operation not in ROWS:
        arrays, axis = _further.split(row_of(operation), name_of(operation), rest, "axis", axis)
    if axis is not None and type(axis) is not int:
        axis = indices(axis)
    key = (operation, axis, keepdims, dtype, order, device, type(x))
    recent = _recent.get(key)
    if recent is not None and not params:
        made = recent.short(x, out)
        if made is not NotImplemented:
            return made
    seen = _arrays.view(x)
    further = _further.see(row_of(operation), seen, arrays) if arrays else ()
    found = _plan_of(
        _problem(operation, seen, axis, keepdims, dtype, order, device, further=further)
    )
    made = found.run(seen, out, params, further)
    if found.has_short:
        _note(key, found)
    return made


def scan(
    operation: Any,
    x: Any,
    axis: Optional[int] = None,
    *,
    exclusive: bool = False,
    dtype: Any = None,
    out: Any = None,
    device: Device = None,
    **params: Any,
) -> Any:
    """The results of all elements up to each, along the last axis; ``x`` and the result have the
    same shape.

    ``exclusive``: of all elements before each. ``axis`` may be left out where ``x`` has one axis.
    Other keywords are values of the operation's own params.

    >>> import numpy as np
    >>> autotune.scan("max", np.array([3, 1, 4, 1, 5]), device="host")
    array([3, 3, 4, 4, 5])
    """
    seen = _arrays.view(x)
    if axis is None:
        if len(seen.shape) > 1:
            raise ValueError(
                f"an array of {len(seen.shape)} dimensions is scanned along an axis: give axis=-1"
            )
        axis = -1 if seen.shape else None
    kind = "exclusive" if exclusive else "inclusive"
    found = _plan_of(_problem(operation, seen, axis, False, dtype, None, device, kind))
    return found.run(seen, out, params)


def plan(
    operation: Any,
    x: Any,
    *rest: Any,
    axis: Axis = None,
    keepdims: bool = False,
    dtype: Any = None,
    order: Optional[str] = None,
    device: Device = None,
    source: str = "best",
) -> Plan:
    """A :class:`Plan` for arrays like ``x``, and like the further ones of an operation of several:
    the same shape, strides, type and place.

    ``source`` says where its kernel may come from: ``"best"`` of what there is, ``"record"`` of
    this GPU, ``"shipped"``, ``"default"``, or ``"tuning"``, as :func:`tune` does.
    """
    row, seen = row_of(operation), _arrays.view(x)
    arrays, axis = _further.split(row, name_of(operation), rest, "axis", axis)
    further = _further.see(row, seen, arrays)
    return Plan(
        _problem(
            operation, seen, axis, keepdims, dtype, order, device, None, source, further=further
        )
    )


def tune(
    operation: Any,
    x: Any,
    *rest: Any,
    axis: Axis = None,
    dtype: Any = None,
    order: Optional[str] = None,
    device: Device = None,
    budget: float = 0.0,
) -> Plan:
    """Finds the fastest kernel for arrays like ``x``, keeps it in a record, and returns its plan.

    The program ``autotune`` does it, in a process of its own, and needs the GPU for itself; it ends
    after ``budget`` seconds, or when all is tried. A problem that has a record already is not tuned
    again.

    >>> import numpy as np
    >>> tuned = autotune.tune("sum", np.ones(1000, np.int64), device="host", budget=0.1)
    >>> tuned.grade
    'exact'
    """
    row, seen = row_of(operation), _arrays.view(x)
    arrays, axis = _further.split(row, name_of(operation), rest, "axis", axis)
    made = Plan(
        _problem(
            operation,
            seen,
            axis,
            False,
            dtype,
            order,
            device,
            None,
            "tuning",
            budget,
            _further.see(row, seen, arrays),
        )
    )
    _forget()
    return made
