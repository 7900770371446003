"""The public functions that have NumPy's names: one for each row of the table of operations."""

from __future__ import annotations

import math
from typing import Any, Optional, Protocol

from ._arrays import times as _times
from ._axes import Axis
from ._devices import Device
from ._operations import ROWS as _ROWS
from ._reduce import combined as _combined
from ._reduce import reduce as _reduce
from ._reduce import scan as _scan

__all__ = [*_ROWS, "cumulative_prod", "cumulative_sum", "dot"]


class _Reduction(Protocol):
    """How each of them is called."""

    def __call__(
        self,
        x: Any,
        axis: Axis = None,
        *,
        keepdims: bool = False,
        dtype: Any = None,
        out: Any = None,
        order: Optional[str] = None,
        device: Device = None,
    ) -> Any: ...


_TEXT = """{what}

    ``x`` has any shape; the result has it without ``axis``: an axis, several, or None for all. It
    is an array of the library that ``x`` is of. {empty}

    {example}``keepdims`` leaves 1 in the place of ``axis``; ``dtype`` is the type of the
    result; ``out`` takes the results and is returned; {own};
    ``device`` is a GPU's number or "host", the emulator.
    """

_EXAMPLE = """>>> import numpy as np
    >>> print(autotune.{name}(np.array([3.0, -4.0, 0.0]), device="host"))
    {example}

    """


def _describe(function: Any, name: str, own: str) -> Any:
    """The function under its name, with a text of which ``own`` says what it alone takes."""
    row = _ROWS[name]
    example = _EXAMPLE.format(name=name, example=row.example) if row.example else ""
    empty = (
        "Of no elements it has a value, as NumPy's."
        if row.has_empty
        else "Of no elements it raises ValueError."
    )
    function.__doc__ = _TEXT.format(what=row.what, empty=empty, example=example, own=own)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "autotune"
    return function


def _named(name: str) -> _Reduction:
    def function(
        x: Any,
        axis: Axis = None,
        *,
        keepdims: bool = False,
        dtype: Any = None,
        out: Any = None,
        order: Optional[str] = None,
        device: Device = None,
    ) -> Any:
        return _reduce(
            name,
            x,
            axis=axis,
            keepdims=keepdims,
            dtype=dtype,
            out=out,
            order=order,
            device=device,
        )

    return _describe(function, name, '``order="n"`` gives floats the same bits everywhere')


class _Spread(Protocol):
    """How var and std are called."""

    def __call__(
        self,
        x: Any,
        axis: Axis = None,
        *,
        ddof: float = 0,
        keepdims: bool = False,
        dtype: Any = None,
        out: Any = None,
        device: Device = None,
    ) -> Any: ...


def _spread(name: str) -> _Spread:
    """A function whose result is by n - ddof: that by n, times a factor."""
    plain = _named(name)

    def function(
        x: Any,
        axis: Axis = None,
        *,
        ddof: float = 0,
        keepdims: bool = False,
        dtype: Any = None,
        out: Any = None,
        device: Device = None,
    ) -> Any:
        if not ddof:
            return plain(x, axis, keepdims=keepdims, dtype=dtype, out=out, device=device)
        n = _combined(x, axis)
        factor = (n / (n - ddof)) ** _ROWS[name].ddof_power if n > ddof else math.inf
        made = _times(plain(x, axis, keepdims=keepdims, dtype=dtype, device=device), factor)
        if out is None:
            return made
        out[...] = made
        return out

    return _describe(function, name, "``ddof`` is taken from the count that sums are divided by")


sum = _named("sum")
prod = _named("prod")
min = _named("min")
max = _named("max")
argmin = _named("argmin")
argmax = _named("argmax")
all = _named("all")
any = _named("any")
count_nonzero = _named("count_nonzero")
mean = _named("mean")
norm = _named("norm")
var = _spread("var")
std = _spread("std")
logsumexp = _named("logsumexp")
sum_of_squares = _named("sum_of_squares")
abs_sum = _named("abs_sum")
abs_max = _named("abs_max")
abs_min = _named("abs_min")
bitwise_and = _named("bitwise_and")
bitwise_or = _named("bitwise_or")
bitwise_xor = _named("bitwise_xor")


def cumulative_sum(
    x: Any,
    axis: Optional[int] = None,
    *,
    exclusive: bool = False,
    dtype: Any = None,
    out: Any = None,
    device: Device = None,
) -> Any:
    """The sums of all elements up to each, along the last axis; ``x`` and the result have the
    same shape.

    ``exclusive``: of all before each, so that the first is 0. ``axis`` may be left out where ``x``
    has one axis.

    >>> import numpy as np
    >>> autotune.cumulative_sum(np.array([1, 2, 3, 4]), device="host")
    array([ 1,  3,  6, 10])
    """
    return _scan("sum", x, axis, exclusive=exclusive, dtype=dtype, out=out, device=device)


def cumulative_prod(
    x: Any,
    axis: Optional[int] = None,
    *,
    exclusive: bool = False,
    dtype: Any = None,
    out: Any = None,
    device: Device = None,
) -> Any:
    """The products of all elements up to each, as :func:`cumulative_sum` has their sums.

    >>> import numpy as np
    >>> autotune.cumulative_prod(np.array([1, 2, 3, 4]), device="host")
    array([ 1,  2,  6, 24])
    """
    return _scan("prod", x, axis, exclusive=exclusive, dtype=dtype, out=out, device=device)


def dot(
    x: Any,
    y: Any,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    out: Any = None,
    device: Device = None,
) -> Any:
    """The sum of the products of ``x`` and ``y`` along ``axis``, as NumPy's vdot and vecdot of
    reals; of integers in 64 bits.

    ``y`` has the type of ``x``, and its shape and strides or another that :func:`reduce` takes.

    >>> import numpy as np
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> autotune.dot(x, x, axis=1, device="host")
    array([ 5., 25.])
    """
    return _reduce("dot", x, y, axis=axis, keepdims=keepdims, dtype=dtype, out=out, device=device)
