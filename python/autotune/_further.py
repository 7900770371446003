"""Operations of several arrays: how each further array lies beside the first."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _arrays
from ._arrays import View
from ._axes import contiguous
from ._operations import Row
from ._types import Type


class Further(NamedTuple):
    """What a plan depends on of a further array."""

    shape: tuple
    strides: tuple
    type: Type

    @property
    def bytes(self) -> int:
        """From the first element to behind the last, gaps too."""
        if 0 in self.shape:
            return 0
        spans = zip(self.shape, self.strides)
        return (1 + sum((n - 1) * stride for n, stride in spans)) * self.type.bytes


def split(row: Row, name: str, given: tuple, last: str, value: Any) -> tuple:
    """The further arrays of a call, and what may follow them in its place, else ``value``."""
    wanted = len(row.inputs) - 1
    if len(given) < wanted:
        raise TypeError(
            f"{name} takes {wanted + 1} arrays, {' and '.join(row.inputs)}: {len(given) + 1} given"
        )
    if len(given) > wanted + 1 or (len(given) > wanted and value is not None):
        raise TypeError(f"{name} takes {wanted + 1} arrays, and {last} once: more is given")
    return given[:wanted], given[wanted] if len(given) > wanted else value


def see(row: Row, seen: View, arrays: tuple) -> tuple:
    """Where further arrays are; on one device with the first."""
    views = tuple(_arrays.view(one) for one in arrays)
    for name, one in zip(row.inputs[1:], views):
        if one.gpu != seen.gpu:
            raise ValueError(f"{row.inputs[0]} and {name} are not on the same device")
    return views


def of_views(views: tuple) -> tuple:
    """What plans depend on."""
    return tuple(Further(one.shape, one.strides, one.type) for one in views)


def _spans(one: Further, places: tuple) -> tuple:
    """The axes of the first array that a further one moves along, with its strides."""
    return tuple((i, s) for i, n, s in zip(places, one.shape, one.strides) if n != 1 and s)


def _placements(one: Further, shape: tuple, axes: tuple) -> set:
    """The spans that a further array may mean: as NumPy broadcasts it, or as the kept or the
    combined axes alone. More than one where shapes do not tell."""
    ndim = len(shape)
    kept = tuple(i for i in range(ndim) if i not in axes)
    found = {
        _spans(one, places)
        for places in (kept, axes)
        if one.shape == tuple(shape[i] for i in places)
    }
    places = tuple(range(ndim - len(one.shape), ndim))
    if len(places) <= ndim and all(n in (1, shape[i]) for i, n in zip(places, one.shape)):
        found.add(_spans(one, places))
    return found


def lie_of(name: str, one: Further, shape: tuple, strides: tuple, axes: tuple) -> str:
    """The library's word for how a further array lies."""
    if _arrays.count(one.shape) == 1:
        return "one"
    found = _placements(one, shape, axes)
    if len(found) > 1:
        raise ValueError(
            f"{name} of shape {one.shape} fits what is kept of shape {shape} and what is combined: "
            "give it as many axes, with 1 in those that it does not span"
        )
    own = [i for i, n in enumerate(shape) if n != 1]
    kept_axes = [i for i in own if i not in axes]
    combined_axes = [i for i in own if i in axes]
    hows = {
        "alike": [(i, strides[i]) for i in own],
        "result": zip(kept_axes, contiguous(tuple(shape[i] for i in kept_axes))),
        "element": zip(combined_axes, contiguous(tuple(shape[i] for i in combined_axes))),
        "one": (),
    }
    for how, wanted in hows.items():
        if tuple(wanted) in found:
            return how
    kept = tuple(n for i, n in enumerate(shape) if i not in axes)
    combined = tuple(shape[i] for i in axes)
    raise ValueError(
        f"{name} of shape {one.shape} with strides {one.strides} (in elements) does not lie beside "
        f"shape {shape} with strides {strides}: give it the same shape and strides, one element, "
        f"or a contiguous array of shape {kept}, for each result, or {combined}, for each element "
        "of one"
    )


def lies(row: Row, further: tuple, shape: tuple, strides: tuple, axes: tuple) -> Optional[str]:
    """How all lie, in the library's words; None of a single array."""
    named = zip(row.inputs[1:], further)
    words = [f"{name}={lie_of(name, one, shape, strides, axes)}" for name, one in named]
    return " ".join(words) or None


def check_types(core: Any, name: str, further: tuple) -> None:
    """Has each the type that the operation says?"""
    for (input, code), one in zip(core.inputs[1:], further):
        if one.type.code != code:
            raise TypeError(
                f"{input} of {name} is {one.type.name} ({one.type.code}), where the operation has "
                f"{code}: convert it"
            )
