"""Axes: which elements of an array are combined, as the numbers that the library has for it.

Shapes and strides are in elements. What is kept and what is combined may lie as four axes each. For
scans, and in an order of the elements alone, what is combined lies as one, and one of it and of what
is kept is contiguous; there an outer kept axis becomes a call each.
"""

from __future__ import annotations

import enum
import operator
from typing import Any, NamedTuple, Optional, Sequence, Union

Axis = Union[None, int, Sequence[int]]


class Walk(enum.Enum):
    """What must be so of the elements of a result."""

    ANY = "they are combined in any order"
    IN_ORDER = "they are numbered"
    BY_N = "they are combined in their order"
    SCAN = "each has a result"


class Layout(NamedTuple):
    """A problem of the library, and how often it is called."""

    n: int = 0  # elements of one value; 0 of a matrix
    rows: int = 0
    len: int = 0
    pitch: int = 0
    axis: int = 0  # 1: a result for each row; 0: for each column
    array: tuple = ()  # of several axes, of which the bits of `axes` are combined: sizes, then
    axes: int = 0  # strides
    calls: int = 1
    step: int = 0  # elements from a call's first to the next one's
    results: int = 1  # of a call

    @property
    def counted(self) -> int:
        """What a call counts: rows of a matrix, the first axis of an array, or elements."""
        return self.array[0] if self.array else self.rows or self.n

    @property
    def extent(self) -> int:
        """Elements from the first to the last, gaps too."""
        ndim = len(self.array) // 2
        one = (self.rows - 1) * self.pitch + self.len if self.rows else self.n
        if self.array:
            one = 1 + sum((n - 1) * s for n, s in zip(self.array[:ndim], self.array[ndim:]))
        return (self.calls - 1) * self.step + one


def indices(axis: Any) -> Union[None, int, tuple]:
    """The same with numbers that are int, so that what is equal is one key: 1.0 is no axis."""
    try:
        if isinstance(axis, (tuple, list)):
            return tuple(operator.index(one) for one in axis)
        return None if axis is None else operator.index(axis)
    except TypeError:
        raise TypeError(f"axis {axis!r} is none: give a number, several, or None for all") from None


def normalize(axis: Axis, ndim: int) -> tuple:
    """The axes that are combined, ascending; all for None."""
    if axis is None:
        return tuple(range(ndim))
    given = indices(axis)
    found = []
    for index in given if isinstance(given, tuple) else (given,):
        if not -ndim <= index < ndim:
            raise ValueError(
                f"axis {index} is out of bounds for an array of {ndim} dimension{'s' * (ndim != 1)}"
            )
        found.append(index % ndim)
    if len(set(found)) != len(found):
        raise ValueError(f"axis {axis} names an axis twice")
    return tuple(sorted(found))


def kept_shape(shape: tuple, axes: tuple, keepdims: bool) -> tuple:
    """The shape of the result."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def contiguous(shape: tuple) -> tuple:
    """The strides of an array without gaps, the last axis fastest."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def _merge(dims: list) -> list:
    """Neighbours that lie as one become one; those of one element go."""
    merged: list = []
    for n, stride in dims:
        if n == 1:
            continue
        if merged and merged[-1][1] == n * stride:
            merged[-1] = (merged[-1][0] * n, stride)
        else:
            merged.append((n, stride))
    return merged


def _each(depth: tuple, kept: tuple, walk: Walk) -> Optional[Layout]:
    """A result for each of `kept`, of the elements of `depth`."""
    (n, stride), (m, apart) = depth, kept
    if stride == 1 and apart >= n:
        return Layout(rows=m, len=n, pitch=apart, axis=1, results=m)
    if apart == 1 and stride >= m and walk is not Walk.SCAN:
        return Layout(rows=n, len=m, pitch=stride, axis=0, results=m)
    return None


def _one(depth: tuple, walk: Walk) -> Optional[Layout]:
    """One result; elements with gaps between them are a column."""
    n, stride = depth
    if stride == 1:
        return Layout(n=n)
    return None if walk is Walk.SCAN else Layout(rows=n, len=1, pitch=stride, axis=0)


def _array(kept: list, depths: list) -> Layout:
    """What no matrix is: a result for each place of the kept axes."""
    dims = kept + depths
    results = 1
    for n, _ in kept:
        results *= n
    return Layout(
        array=tuple(n for n, _ in dims) + tuple(stride for _, stride in dims),
        axes=(1 << len(dims)) - (1 << len(kept)),
        results=results,
    )


def _matrix(kept: list, depth: tuple, walk: Walk) -> Optional[Layout]:
    """One value, rows or columns; for scans and in the elements' order more calls of these."""
    if not kept:
        return _one(depth, walk)
    each = _each(depth, kept[-1], walk)
    if each is None or len(kept) == 1:
        return each
    return each._replace(calls=kept[0][0], step=kept[0][1])


def layout(shape: tuple, strides: tuple, axes: tuple, walk: Walk) -> Optional[Layout]:
    """The problem for an array that has elements; None where no numbers of the library say it."""
    dims = list(zip(shape, strides))
    reduced = [dims[i] for i in axes]
    if walk is Walk.ANY:
        reduced.sort(key=lambda dim: -dim[1])
    depths = _merge(reduced) or [(1, 1)]
    kept = _merge([dim for i, dim in enumerate(dims) if i not in axes])
    if len(depths) > 4 or len(kept) > 4 or any(stride < 1 for _, stride in depths + kept):
        return None
    takes_all = walk in (Walk.ANY, Walk.IN_ORDER)
    found = None
    if len(depths) == 1 and not (takes_all and len(kept) > 1) and len(kept) < 3:
        found = _matrix(kept, depths[0], walk)
    return _array(kept, depths) if found is None and takes_all else found
