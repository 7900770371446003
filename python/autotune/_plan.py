"""Plans: a reduction of arrays of one shape, type and place, ready to be called."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple, Optional

from . import _arrays, _core, _devices, _further
from ._arrays import LEGACY_STREAM, View
from ._axes import Layout, Walk, contiguous, kept_shape, layout, normalize
from ._devices import HOST, Device
from ._operations import RESULTS, ROWS, Row
from ._types import Type, of_code, param_bits

ORDERS = {None: 0, "free": 0, "run": 1, "n": 2, "any": 3}
SCANS = {None: 0, "inclusive": 1, "exclusive": 2}
SOURCES = {"best": 0, "record": 1, "shipped": 2, "default": 3, "tuning": 4}
_GRADES = ("exact", "stale", "other n", "same compute capability", "shipped", "default")


class Problem(NamedTuple):
    """What a plan depends on; strides too, so that one plan serves arrays that lie alike."""

    row: Row
    name: str
    shape: tuple
    strides: tuple
    type: Type
    gpu: Optional[int]  # of the array; None: on the host
    axis: Any
    keepdims: bool
    dtype: Optional[Type]
    order: Optional[str]
    device: Device
    scan: Optional[str] = None
    source: str = "best"
    budget: float = 0.0
    further: tuple = ()  # arrays behind the first


class _NotSayable(ValueError):
    """Elements that no numbers of the library say."""


class _Step:
    """One problem of the library: from elements at one address to results at another."""

    def __init__(self, problem: Problem, axes: tuple, gpu: int) -> None:
        self._problem, self._gpu = problem, gpu
        self._context = _devices.context(gpu)
        self.shape = problem.shape if problem.scan else kept_shape(problem.shape, axes, False)
        self._count = _arrays.count(self.shape)
        self._is_empty = 0 in problem.shape
        self._lies = _further.lies(
            problem.row, problem.further, problem.shape, problem.strides, axes
        )
        self._layout = Layout(n=1) if self._is_empty else self._find_layout(axes)
        self._acc = RESULTS[problem.row.result](problem.type, problem.dtype)[0]
        self.core = self._make()
        self.type = of_code(self.core.result_type)
        self._pipeline = self._find_pipeline()

    def _find_layout(self, axes: tuple) -> Layout:
        problem = self._problem
        is_numbered = problem.row.has_order or "=element" in (self._lies or "")
        walk = Walk.IN_ORDER if is_numbered else Walk.ANY
        if problem.scan or problem.order == "n":
            walk = Walk.SCAN if problem.scan else Walk.BY_N
        found = layout(problem.shape, problem.strides, axes, walk)
        if found is not None and not (problem.further and found.calls > 1):
            return found
        raise _NotSayable(
            f"{problem.name} over axis {problem.axis} of shape {problem.shape} with strides "
            f"{problem.strides} (in elements) is no problem that kernels know: what is combined, "
            "and what is kept, must lie as four axes each at most, with strides above 0; pass a "
            "contiguous copy, or reduce one axis after another"
        )

    def _make(self) -> Any:
        problem, lay = self._problem, self._layout
        return self._context.plan(
            problem.row.op,
            problem.type.code,
            self._acc,
            self._lies,
            lay.n,
            lay.rows,
            lay.len,
            lay.pitch,
            lay.axis,
            SCANS[problem.scan],
            ORDERS[problem.order],
            0,
            SOURCES[problem.source],
            int(problem.budget * 1000),
            lay.axes,
            *lay.array,
        )

    def _find_pipeline(self) -> Optional[tuple]:
        """Which pipeline, for data of the host that a GPU reduces to one value; None where that is
        copied whole. It is not kept here, for it holds tens of MiB."""
        problem, lay = self._problem, self._layout
        is_value = lay.n and lay.calls == 1 and not self._is_empty and not problem.scan
        has_chunks = is_value and not problem.row.is_finished and not problem.further
        if not self._is_copied() or not has_chunks:
            return None
        order = ORDERS[problem.order]
        return self._gpu, problem.row.op, problem.type.code, self._acc, order, lay.n

    def _is_copied(self) -> bool:
        """Are the elements on the host, and is the kernel on a GPU?"""
        return self._problem.gpu is None and self._gpu != HOST

    @property
    def launches(self) -> int:
        """How many kernels it launches."""
        return self.core.launches * self._layout.calls

    def fill(
        self, seen: View, results: View, params: tuple = (), further: tuple = ()
    ) -> None:
        """Reduces what is seen. Where the array's library cannot queue behind it, it waits."""
        if self._is_empty:
            self._fill_empty(seen, results, params)
        elif self._pipeline:
            pipeline = _devices.pipeline(*self._pipeline)
            pipeline.execute(seen.address, self._layout.n, results.address)
        elif self._is_copied():
            self._copy_and_execute(seen, results, params, further)
        else:
            for one in further:
                if one.gpu is not None and one.stream != seen.stream:
                    self._context.wait(one.stream)
            addresses = tuple(one.address for one in further)
            self._execute(seen.address, results.address, seen.stream, params, addresses)
        if seen.gpu is not None and not _arrays.has_current_stream(seen.array):
            self._context.wait(seen.stream)

    def _execute(
        self, source: int, results: int, stream: int, params: tuple, further: tuple
    ) -> None:
        lay = self._layout
        step, result_step = self._steps()
        self.core.execute(
            source, lay.counted, results, stream, lay.calls, step, result_step, further, *params
        )

    def _steps(self) -> tuple:
        """Bytes from a call's elements, and results, to the next one's."""
        step = self._layout.step * self._problem.type.bytes
        return step, self.core.results * self.core.result_bytes

    def _copy_and_execute(
        self, seen: View, results: View, params: tuple, further: tuple
    ) -> None:
        size = self._layout.extent * seen.type.bytes
        elements = self._context.buffer(size)
        there = self._context.buffer(self._count * self.core.result_bytes)
        elements.fill(seen.address, size, LEGACY_STREAM)
        others = []
        for one, like in zip(further, self._problem.further):
            others.append(self._context.buffer(like.bytes))
            others[-1].fill(one.address, like.bytes, LEGACY_STREAM)
        addresses = tuple(one.address for one in others)
        self._execute(elements.address, there.address, LEGACY_STREAM, params, addresses)
        there.read(results.address, self._count * self.core.result_bytes, LEGACY_STREAM)

    def _fill_empty(self, seen: View, results: View, params: tuple) -> None:
        """The value of no elements, as often as there are results; a call each."""
        size, none = self.core.result_bytes, (0,) * len(self._problem.further)
        if not self._count or self._problem.scan:
            return
        if not self._is_copied():
            self.core.execute(
                0, 0, results.address, seen.stream, self._count, 0, size, none, *params
            )
            return
        there = self._context.buffer(self._count * size)
        self.core.execute(0, 0, there.address, LEGACY_STREAM, self._count, 0, size, none, *params)
        there.read(results.address, self._count * size, LEGACY_STREAM)

    def shorten(self, plan: Plan, seen: View, stored: Type) -> None:
        """Has calls do the same in C, for arrays whose library has DLPack's exchange table."""
        kind, lay = type(seen.array), self._layout
        is_same_place = (HOST if seen.gpu is None else seen.gpu) == self._gpu
        is_dense = seen.strides == contiguous(seen.shape)
        has_table = hasattr(kind, "__dlpack_c_exchange_api__")
        has_one = not self._is_empty and not self._problem.further
        if not (has_one and is_same_place and is_dense and has_table):
            return
        with contextlib.suppress(BufferError):
            plan.shorten(
                self.core,
                kind,
                self._gpu,
                seen.shape,
                seen.type.dlpack,
                plan.shape,
                stored.dlpack,
                lay.counted,
                lay.calls,
                *self._steps(),
                plan.dtype != stored.name,
            )


def _steps_of(problem: Problem, axes: tuple, gpu: int) -> list:
    """One step; or several, for axes that lie apart: the last first, then those that are left."""
    try:
        return [_Step(problem, axes, gpu)]
    except _NotSayable as found:
        refusal = found
    then = problem.row.then
    if len(axes) < 2 or then is None or problem.order == "n" or problem.scan:
        raise refusal
    try:
        first = _Step(problem, axes[-1:], gpu)
        rest = problem._replace(
            row=ROWS[then],
            shape=first.shape,
            strides=contiguous(first.shape),
            type=first.type,
        )
        return [first, *_steps_of(rest, axes[:-1], gpu)]
    except _NotSayable:
        raise refusal from None


def pack_params(core: Any, operation: str, params: dict) -> tuple:
    """The bits of each param of a plan's operation, in its type; None of what is not given."""
    known = core.op_params
    for name in params:
        if name not in (one for one, _ in known):
            raise TypeError(
                f"{operation} has no param {name!r}: it has "
                f"{', '.join(one for one, _ in known) or 'none'}"
            )
    return tuple(param_bits(name, code, params.get(name)) for name, code in known)


class Plan(_core.Call):
    """A reduction that is ready for arrays of one shape, type and place.

    A call costs least this way: nothing is looked up. Made by :func:`plan`. It is called with an
    array like the one that it was made for, or with as many as the operation has, may have an
    ``out``, and takes values of the operation's own params as keywords.

    >>> import numpy as np
    >>> x = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> rows = autotune.plan("sum", x, axis=1, device="host")
    >>> rows(x)
    array([ 6., 22., 38.], dtype=float32)
    >>> rows.grade
    'default'
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        axes = normalize(problem.axis, len(problem.shape))
        self._gpu = _devices.choose(problem.device, problem.gpu)
        self.shape = (
            problem.shape if problem.scan else kept_shape(problem.shape, axes, problem.keepdims)
        )
        self._refuse(axes)
        final = RESULTS[problem.row.result](problem.type, problem.dtype)[1]
        try:
            self._steps = _steps_of(problem, axes, self._gpu)
        except _NotSayable as refusal:
            raise ValueError(str(refusal)) from None
        self._core = self._steps[-1].core
        _further.check_types(self._core, problem.name, problem.further)
        self._stored = self._steps[-1].type
        self._final = final or self._stored
        if self._has_same_bits():
            self._stored = self._final

    def _refuse(self, axes: tuple) -> None:
        problem = self._problem
        ndim = len(problem.shape)
        has_none = 0 in (problem.shape[i] for i in axes)
        if has_none and not problem.row.has_empty:
            raise ValueError(f"{problem.name} of no elements has no value")
        if problem.scan and ndim > 1 and axes != (ndim - 1,):
            raise ValueError(
                "only the last axis is scanned: give axis=-1, of a transposed copy if need be"
            )

    def _has_same_bits(self) -> bool:
        """Are the library's results those of the final type, but for their sign?"""
        kinds = {self._stored.kind, self._final.kind}
        return kinds == {"i", "u"} and self._stored.bytes == self._final.bytes

    # -- what it says

    @property
    def dtype(self) -> str:
        """The type of the results."""
        return self._final.name

    @property
    def grade(self) -> str:
        """How well the record fits: exact, stale, other n, same compute capability, shipped or
        default."""
        return _GRADES[self._core.grade]

    @property
    def origin(self) -> str:
        """What the record was made for; "" where there is none."""
        return self._core.origin

    @property
    def params(self) -> str:
        """The parameters of the kernel."""
        return self._core.params

    @property
    def advice(self) -> str:
        """One sentence: what serves, where that was measured, and what tuning would gain."""
        return self._core.advice

    @property
    def warning(self) -> str:
        """What went wrong without being an error; "" for nothing."""
        return self._core.warning

    @property
    def launches(self) -> int:
        """How many kernels a call launches."""
        return sum(step.launches for step in self._steps)

    def __repr__(self) -> str:
        problem = self._problem
        place = "host" if self._gpu == HOST else f"GPU {self._gpu}"
        return (
            f"<autotune.Plan {problem.name} of {problem.type.name} {problem.shape} to "
            f"{self.dtype} {self.shape} on {place}: {self.grade}>"
        )

    # -- how it is called

    def long(self, x: Any, *rest: Any, out: Any = None, **params: Any) -> Any:
        """What a call does of arrays that are not for the short way, or with params: of ``x``, the
        further arrays and ``out``."""
        seen, problem = _arrays.view(x), self._problem
        arrays, out = _further.split(problem.row, problem.name, rest, "out", out)
        further = _further.see(problem.row, seen, arrays)
        wanted = (problem.shape, problem.strides, problem.type, problem.gpu)
        if (seen.shape, seen.strides, seen.type, seen.gpu) != wanted:
            raise ValueError(
                f"this plan is for {problem.type.name} of shape {problem.shape} with strides "
                f"{problem.strides}, not {seen.type.name} of shape {seen.shape} with strides "
                f"{seen.strides}: make another plan"
            )
        wanted_names = zip(problem.row.inputs[1:], problem.further, _further.of_views(further))
        for name, like, one in wanted_names:
            if one != like:
                raise ValueError(
                    f"this plan is for {name} of {like.type.name}, shape {like.shape} and strides "
                    f"{like.strides}, not of {one.type.name}, shape {one.shape} and strides "
                    f"{one.strides}: make another plan"
                )
        return self.run(seen, out, params, further)

    def _pack(self, params: dict) -> tuple:
        """The bits of each param of the operation, in its type; None of what is not given."""
        return pack_params(self._core, self._problem.name, params)

    def run(
        self, seen: View, out: Any, params: Optional[dict] = None, further: tuple = ()
    ) -> Any:
        """The result for an array that is as the plan's problem says."""
        given = self._pack(params) if params else ()
        if not self.has_short and len(self._steps) == 1:
            self._steps[0].shorten(self, seen, self._stored)
        if out is None:
            results = self._allocate(seen)
            self._fill(seen, results, given, further)
            made = self.convert(_arrays.hand_over(results.array, seen.array))
            return made[()] if _arrays.library_of(made) == "numpy" and not self.shape else made
        if _arrays.library_of(out) == "builtins":
            raise TypeError(f"out is of type {type(out).__name__}: give an array")
        target = _arrays.view(out)
        self._check_out(target, seen)
        if target.type == self._stored:
            self._fill(seen, target, given, further)
        else:
            results = self._allocate(seen)
            self._fill(seen, results, given, further)
            out[...] = _arrays.hand_over(results.array, seen.array)
        return out

    def _allocate(self, seen: View) -> View:
        return _arrays.empty(seen, self.shape, self._stored, _devices.context(self._gpu))

    def _fill(self, seen: View, results: View, params: tuple, further: tuple) -> None:
        for step in self._steps[:-1]:
            between = _arrays.empty(seen, step.shape, step.type, _devices.context(self._gpu))
            step.fill(seen, between)
            seen = between
        self._steps[-1].fill(seen, results, params, further)

    def convert(self, made: Any) -> Any:
        """What kernels gave, with elements of the results' type."""
        return made if self._final == self._stored else _arrays.convert(made, self._final)

    def _check_out(self, target: View, seen: View) -> None:
        if target.shape != self.shape:
            raise ValueError(f"out has shape {target.shape}, the result {self.shape}")
        if target.is_read_only:
            raise ValueError("out is read-only")
        if target.gpu != seen.gpu:
            raise ValueError("out and the array are not on the same device")
        if target.strides != contiguous(target.shape) and _arrays.count(target.shape) > 1:
            raise ValueError("out has gaps between its elements: give a contiguous array")
