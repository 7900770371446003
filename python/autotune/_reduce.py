"""Calls: from an array, an operation and axes to a plan of the library, and its results."""

from __future__ import annotations

import collections
import functools
import importlib.resources
import os
import threading
from typing import Any, NamedTuple, NoReturn, Optional, Union

from . import _arrays, _core
from ._arrays import LEGACY_STREAM, View
from ._axes import Axis, Layout, contiguous, indices, kept_shape, layout, normalize
from ._errors import NoDevice
from ._operations import RESULTS, ROWS, Row, name_of, row_of
from ._types import Type, of_code, of_dtype

_HOST = -1
_ORDERS = {None: 0, "free": 0, "run": 1, "n": 2, "any": 3}
_SCANS = {None: 0, "inclusive": 1, "exclusive": 2}
_GRADES = ("exact", "stale", "other n", "same compute capability", "shipped", "default")
_FROM = {"best": 0, "record": 1, "shipped": 2, "default": 3, "tuning": 4}
_PLANS = 512  # kept for the next call
_PIPELINES = 4  # likewise

Device = Union[None, str, int]


# --- Devices ----------------------------------------------------------------------------------


def program() -> str:
    """The path of the program ``autotune`` that came with this package."""
    return str(importlib.resources.files("autotune").joinpath("bin/autotune"))


_default: Device = None


def set_default_device(device: Device) -> None:
    """Where arrays of the host are reduced when a call has no ``device``: ``"host"``, the number of a
    GPU, or None for GPU 0. Arrays in a GPU's memory are reduced there all the same.

    >>> set_default_device("host")
    """
    global _default
    if device not in (None, "host"):
        _number_of(device)
    _default = device
    _recent.clear()


def _gpu_of(device: Device, found: Optional[int]) -> int:
    """The GPU that a call runs on, or _HOST for the emulator."""
    if device == "host":
        if found is not None:
            raise ValueError(
                'device="host" is the emulator, which takes arrays of the host: this one is on a GPU'
            )
        return _HOST
    if found is not None:
        return found
    if device is None:
        if not _core.gpu_count():
            raise NoDevice(
                'no GPU is here (the CUDA driver shows none): give device="host", and the emulator reduces '
                'on the CPU, slowly; autotune.set_default_device("host") says so for all calls'
            )
        return 0
    return _number_of(device)


def _number_of(device: Device) -> int:
    text = str(device).removeprefix("cuda:").removeprefix("cuda")
    if not (text or "0").isdigit():
        raise ValueError(
            f'device {device!r} is not known: give "host", the number of a GPU, or None'
        )
    return int(text or "0")


_contexts: dict = {}
_lock = threading.Lock()


def _start_anew() -> None:
    """In a fork of the process, where contexts of the first cannot be used."""
    global _lock
    _lock = threading.Lock()
    _contexts.clear()
    _pipelines.clear()
    _forget()


os.register_at_fork(after_in_child=_start_anew)


def context(gpu: int) -> Any:
    """The library's context of a GPU, made once."""
    with _lock:
        if gpu not in _contexts:
            _contexts[gpu] = _core.Context(gpu, None, None, None, program())
        return _contexts[gpu]


_pipelines: collections.OrderedDict = collections.OrderedDict()


def _pipeline_of(gpu: int, op: str, kind: str, acc: Optional[str], order: int, n: int) -> Any:
    """The pipeline for any n of such elements, made for the first n: each holds tens of MiB."""
    key = (gpu, op, kind, acc, order)
    made = _pipelines.get(key) or context(gpu).pipeline(op, kind, acc, n, 0, order)
    with _lock:
        made = _pipelines.setdefault(key, made)
        _pipelines.move_to_end(key)
        while len(_pipelines) > _PIPELINES:
            _pipelines.popitem(last=False)
    return made


# --- Plans ------------------------------------------------------------------------------------


class _Problem(NamedTuple):
    """What a plan depends on; strides included, so that one plan serves arrays that lie alike."""

    row: Row
    name: str
    shape: tuple
    strides: tuple
    type: Type
    gpu: Optional[int]  # of the array
    axis: Any
    keepdims: bool
    dtype: Optional[Type]
    order: Optional[str]
    device: Device
    scan: Optional[str] = None
    source: str = "best"
    budget: float = 0.0


class Plan:
    """A reduction that is ready for arrays of one shape, type and place.

    A call costs least this way: nothing is looked up. Made by :func:`plan`.

    >>> import numpy as np
    >>> x = np.arange(12, dtype=np.float32).reshape(3, 4)
    >>> rows = plan("sum", x, axis=1, device="host")
    >>> rows(x)
    array([ 6., 22., 38.], dtype=float32)
    >>> rows.grade
    'default'
    """

    def __init__(self, problem: _Problem) -> None:
        self._problem = problem
        self._axes = normalize(problem.axis, len(problem.shape))
        self.shape = self._result_shape()
        self._gpu = _gpu_of(problem.device, problem.gpu)
        self._context = context(self._gpu)
        self._acc, self._final = RESULTS[problem.row.result](problem.type, problem.dtype)
        self._is_empty = 0 in problem.shape
        found = self._find_layout()
        self._steps = None if found else self._split()
        self._layout = found or self._steps[1]._layout
        self._core = self._make() if found else self._steps[1]._core
        self._type = of_code(self._core.result_type)
        self._final = self._final or self._type
        if {self._type.kind, self._final.kind} == {
            "i",
            "u",
        } and self._type.bytes == self._final.bytes:
            self._type = self._final  # the bits are the same
        self._short: Any = None
        self._pipeline = self._find_pipeline() if found else None

    # -- what it says

    @property
    def dtype(self) -> str:
        """The type of the results."""
        return self._final.name

    @property
    def grade(self) -> str:
        """How well the record fits: exact, stale, other n, same compute capability, shipped, default."""
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
        before = self._steps[0].launches if self._steps else 0
        return before + self._core.launches * self._layout.calls

    def __repr__(self) -> str:
        problem = self._problem
        place = "host" if self._gpu == _HOST else f"GPU {self._gpu}"
        return (
            f"<autotune.Plan {problem.name} of {problem.type.name} {problem.shape} to {self.dtype} {self.shape} "
            f"on {place}: {self.grade}>"
        )

    # -- how it is made

    def _result_shape(self) -> tuple:
        if self._problem.scan:
            return self._problem.shape
        return kept_shape(self._problem.shape, self._axes, self._problem.keepdims)

    def _find_layout(self) -> Optional[Layout]:
        problem = self._problem
        if self._is_empty:
            if not problem.row.has_empty and _arrays.count(self.shape):
                raise ValueError(f"{problem.name} of no elements has no value")
            return Layout(n=1)
        is_ordered: Union[bool, str] = problem.scan is not None or problem.order == "n"
        if problem.row.is_position:
            is_ordered = "position"
        if problem.scan and len(problem.shape) > 1 and self._axes != (len(problem.shape) - 1,):
            raise ValueError(
                "only the last axis is scanned: give axis=-1, of a transposed copy if need be"
            )
        found = layout(problem.shape, problem.strides, self._axes, is_ordered)
        if found is None and (is_ordered or len(self._axes) < 2 or not problem.row.then):
            self._refuse()
        return found

    def _refuse(self) -> NoReturn:
        problem = self._problem
        if problem.row.is_position:
            raise ValueError(
                f"{problem.name} finds places along an axis without gaps, the last of a "
                "contiguous array: give a copy in which it is the last"
            )
        raise ValueError(
            f"{problem.name} over axis {problem.axis} of shape {problem.shape} with strides "
            f"{problem.strides} (in elements) is no problem that kernels know: what is combined, "
            "and what is kept, must lie as one axis each, one of them without gaps; pass a "
            "contiguous copy, or reduce one axis after another"
        )

    def _split(self) -> tuple:
        """For axes that lie apart: the plan for the last of them, and the one for what that leaves."""
        problem, last = self._problem, self._axes[-1]
        one = problem._replace(axis=last, keepdims=False)
        try:
            first = Plan(one)
        except ValueError:
            self._refuse()
        if first._final != first._type:
            first = Plan(one._replace(dtype=first._type))
        rest = problem._replace(
            row=ROWS[problem.row.then],
            shape=first.shape,
            strides=contiguous(first.shape),
            type=first._type,
            axis=self._axes[:-1],
            keepdims=False,
            dtype=self._final,
        )
        return first, Plan(rest)

    def _make(self) -> Any:
        problem, lay = self._problem, self._layout
        return self._context.plan(
            problem.row.op,
            problem.type.code,
            self._acc,
            lay.n,
            lay.rows,
            lay.len,
            lay.pitch,
            lay.axis,
            _SCANS[problem.scan],
            _ORDERS[problem.order],
            0,
            _FROM[problem.source],
            int(problem.budget * 1000),
        )

    def _find_pipeline(self) -> Optional[tuple]:
        """Which pipeline, for data of the host that a GPU reduces to one value; None where that is
        copied whole. The plan keeps none: each holds tens of MiB."""
        problem, lay = self._problem, self._layout
        is_foreign = problem.gpu is None and self._gpu != _HOST
        is_value = lay.n and lay.calls == 1 and not self._is_empty and not problem.scan
        if not is_foreign or not is_value or problem.row.is_finished:
            return None
        order = _ORDERS[problem.order]
        return self._gpu, problem.row.op, problem.type.code, self._acc, order, lay.n

    # -- how it is called

    def __call__(self, x: Any, out: Any = None) -> Any:
        """Reduces ``x``, an array like the one that the plan was made for, to ``out`` or a new array."""
        if self._short:
            made = self._short(x, out)
            if made is not NotImplemented:
                return made if out is not None else self._converted(made)
        seen = _arrays.view(x)
        problem = self._problem
        if (seen.shape, seen.strides, seen.type, seen.gpu) != (
            problem.shape,
            problem.strides,
            problem.type,
            problem.gpu,
        ):
            raise ValueError(
                f"this plan is for {problem.type.name} of shape {problem.shape} with strides {problem.strides}, not "
                f"{seen.type.name} of shape {seen.shape} with strides {seen.strides}: make another plan"
            )
        return self._run(seen, out)

    def _run(self, seen: View, out: Any) -> Any:
        target = _arrays.view(out) if out is not None else None
        if target is not None:
            self._check_out(target, seen)
        is_direct = (
            target is not None
            and target.type.code == self._type.code
            and target.type.kind != "b"
        )
        results = (
            target if is_direct else _arrays.empty(seen, self.shape, self._type, self._context)
        )
        self._fill(seen, results)
        if self._short is None:
            self._make_short(seen)
        if is_direct:
            return out
        made = _arrays.hand_over(results.array, seen.array)
        if target is not None:
            out[...] = made
            return out
        made = self._converted(made)
        return made[()] if _arrays.library_of(made) == "numpy" and not self.shape else made

    def _converted(self, made: Any) -> Any:
        return made if self._final == self._type else _arrays.convert(made, self._final)

    def _make_short(self, seen: View) -> None:
        """The short way for arrays of a library that has DLPack's exchange table."""
        kind, lay = type(seen.array), self._layout
        is_long = (
            self._steps
            or self._is_empty
            or self._pipeline
            or (seen.gpu is None) != (self._gpu == _HOST)
        )
        if (
            is_long
            or not hasattr(kind, "__dlpack_c_exchange_api__")
            or seen.strides != contiguous(seen.shape)
        ):
            return
        try:
            self._short = _core.Call(
                self._core,
                kind,
                self._gpu,
                seen.shape,
                seen.type.dlpack,
                self.shape,
                self._type.dlpack,
                lay.count,
                lay.calls,
                lay.step * seen.type.bytes,
                self._core.results * self._type.bytes,
            ).run
        except BufferError:
            return

    def _check_out(self, target: View, seen: View) -> None:
        if target.shape != self.shape:
            raise ValueError(f"out has shape {target.shape}, the result {self.shape}")
        if target.is_read_only:
            raise ValueError("out is read-only")
        if target.gpu != seen.gpu:
            raise ValueError("out and the array are not on the same device")
        if target.strides != contiguous(target.shape) and _arrays.count(target.shape) > 1:
            raise ValueError("out has gaps between its elements: give a contiguous array")

    def _fill(self, seen: View, results: View) -> None:
        if self._steps:
            first, second = self._steps
            between = _arrays.empty(seen, first.shape, first._type, self._context)
            first._fill(seen, between)
            second._fill(between, results)
        elif self._is_empty:
            self._fill_empty(seen, results)
        elif self._pipeline:
            _pipeline_of(*self._pipeline).execute(seen.address, self._layout.n, results.address)
        elif seen.gpu is None and self._gpu != _HOST:
            self._copy_and_execute(seen, results)
        else:
            self._execute(seen.address, results.address, seen.stream)
            if seen.gpu is not None and not _arrays.has_current_stream(seen.array):
                self._context.wait(seen.stream)

    def _execute(self, source: int, results: int, stream: int) -> None:
        lay = self._layout
        self._core.execute(
            source,
            lay.count,
            results,
            stream,
            lay.calls,
            lay.step * self._problem.type.bytes,
            self._core.results * self._type.bytes,
        )

    def _copy_and_execute(self, seen: View, results: View) -> None:
        elements = self._context.buffer(self._layout.extent * seen.type.bytes)
        there = self._context.buffer(_arrays.count(self.shape) * self._type.bytes)
        elements.fill(seen.address, self._layout.extent * seen.type.bytes, LEGACY_STREAM)
        self._execute(elements.address, there.address, LEGACY_STREAM)
        there.read(results.address, _arrays.count(self.shape) * self._type.bytes, LEGACY_STREAM)

    def _fill_empty(self, seen: View, results: View) -> None:
        """The value of no elements, as often as there are results."""
        total = _arrays.count(self.shape)
        if not total or self._problem.scan:
            return
        if self._gpu == _HOST:
            self._core.execute(0, 0, results.address, 0, total, 0, self._type.bytes)
            return
        size = self._type.bytes
        if seen.gpu is not None:
            self._core.execute(0, 0, results.address, seen.stream, total, 0, size)
            return
        there = self._context.buffer(total * size)
        self._core.execute(0, 0, there.address, LEGACY_STREAM, total, 0, size)
        there.read(results.address, total * size, LEGACY_STREAM)


@functools.lru_cache(maxsize=_PLANS)
def _plan_of(problem: _Problem) -> Plan:
    return Plan(problem)


# The plan that served the last call with these arguments, where it has a short way.
_recent: dict = {}


def _note(key: tuple, plan: Plan) -> None:
    if len(_recent) >= _PLANS:
        _recent.clear()
    _recent[key] = plan


def _forget() -> None:
    """Plans are looked for anew: there may be another record, or another device."""
    _plan_of.cache_clear()
    _recent.clear()


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
) -> _Problem:
    for what, given, known in (("order", order, _ORDERS), ("source", source, _FROM)):
        if given not in known:
            raise ValueError(
                f"{what} {given!r} is not known: give one of {', '.join(str(one) for one in known)}"
            )
    return _Problem(
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
        _default if device is None and seen.gpu is None else device,
        scan,
        source,
        budget,
    )


# --- Public -----------------------------------------------------------------------------------


def reduce(
    operation: Any,
    x: Any,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    out: Any = None,
    order: Optional[str] = None,
    device: Device = None,
) -> Any:
    """Combines the elements of ``x`` along ``axis`` by an operation.

    ``operation`` is a name of the table of docs/python.md, or an :class:`Operation`. ``x`` has any
    shape; the result has it without ``axis`` (all axes for None), or with 1 in their place for
    ``keepdims``. It is an array of the library that ``x`` is of.

    >>> import numpy as np
    >>> reduce("max", np.array([[1, 5], [7, 3]]), axis=0, device="host")
    array([7, 5])

    ``order="n"`` gives sums and products of floats the same bits on every GPU; ``order="run"`` the
    same bits in each run. ``device`` is the number of a GPU or ``"host"``, the emulator; None is
    the GPU of ``x``, and GPU 0 for arrays of the host. ``out`` takes the results, and is returned.
    """
    key = (operation, indices(axis), keepdims, dtype, order, device, type(x))
    recent = _recent.get(key)
    if recent:
        made = recent._short(x, out)
        if made is not NotImplemented:
            return made if out is not None else recent._converted(made)
    seen = _arrays.view(x)
    plan = _plan_of(_problem(operation, seen, axis, keepdims, dtype, order, device))
    made = plan._run(seen, out)
    if plan._short:
        _note(key, plan)
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
) -> Any:
    """The results of all elements up to each, along the last axis; ``x`` and the result have one shape.

    ``exclusive``: of all elements before each. ``axis`` may be left out where ``x`` has one axis.

    >>> import numpy as np
    >>> scan("max", np.array([3, 1, 4, 1, 5]), device="host")
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
    plan = _plan_of(_problem(operation, seen, axis, False, dtype, None, device, kind))
    return plan._run(seen, out)


def plan(
    operation: Any,
    x: Any,
    axis: Axis = None,
    *,
    keepdims: bool = False,
    dtype: Any = None,
    order: Optional[str] = None,
    device: Device = None,
    source: str = "best",
) -> Plan:
    """A :class:`Plan` for arrays like ``x``: the same shape, strides, type and place.

    ``source`` says where its kernel may come from: ``"best"`` of what there is, ``"record"`` of
    this GPU, ``"shipped"``, ``"default"``, or ``"tuning"``, as :func:`tune` does.
    """
    return Plan(
        _problem(operation, _arrays.view(x), axis, keepdims, dtype, order, device, None, source)
    )


def tune(
    operation: Any,
    x: Any,
    axis: Axis = None,
    *,
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
    >>> tune("sum", np.ones(1000, np.int32), dtype="int32", device="host", budget=1).grade
    'exact'
    """
    made = Plan(
        _problem(
            operation,
            _arrays.view(x),
            axis,
            False,
            dtype,
            order,
            device,
            None,
            "tuning",
            budget,
        )
    )
    _forget()
    return made
