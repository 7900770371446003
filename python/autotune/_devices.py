"""Where calls run: GPUs and the emulator, and what is kept of each between calls."""

from __future__ import annotations

import atexit
import collections
import os
import threading
from typing import Any, Callable, Optional, Union

from . import _core
from ._errors import NoDevice

Device = Union[None, str, int]

HOST = -1  # the emulator, where others have the number of a GPU
_PIPELINES = 4  # kept for the next call: each holds tens of MiB

_lock = threading.Lock()
_default: Device = None
_contexts: dict = {}
_pipelines: collections.OrderedDict = collections.OrderedDict()
_listeners: list[Callable[[], None]] = []


def program() -> str:
    """The path of the program ``autotune`` that came with this package."""
    return os.path.join(os.path.dirname(__file__), "bin", "autotune")


def set_default_device(device: Device) -> None:
    """Where arrays of the host are reduced when a call has no ``device``: ``"host"``, the number of
    a GPU, or None for GPU 0. Arrays in a GPU's memory are reduced there all the same.

    >>> autotune.set_default_device("host")
    """
    global _default
    if device not in (None, "host"):
        _number_of(device)  # or ValueError
    _default = device
    _tell()


def default_device() -> Device:
    """What was set."""
    return _default


def choose(device: Device, found: Optional[int]) -> int:
    """The GPU that a call runs on, or HOST; ``found`` is the GPU of the array, None on the host."""
    if found is None and device is None and not _core.gpu_count():
        raise NoDevice(
            'no GPU is here (the CUDA driver shows none): give device="host", and the emulator '
            'reduces on the CPU, slowly; autotune.set_default_device("host") says so for all calls'
        )
    if device is None:
        return found or 0
    wanted = HOST if device == "host" else _number_of(device)
    if wanted >= _core.gpu_count():
        raise NoDevice(
            f"GPU {wanted} is not here: the CUDA driver shows {_core.gpu_count()}, the first is 0"
        )
    if found is not None and found != wanted:
        raise ValueError(
            f"the array is on GPU {found}, and device={device!r} is asked for: it is reduced where "
            "it is, leave device out"
        )
    return wanted


def _number_of(device: Device) -> int:
    text = str(device).removeprefix("cuda:").removeprefix("cuda") or "0"
    if not text.isdigit():
        raise ValueError(
            f'device {device!r} is not known: give "host", the number of a GPU, or None'
        )
    return int(text)


def context(gpu: int) -> Any:
    """The library's context of a GPU, made once."""
    with _lock:
        if gpu not in _contexts:
            _contexts[gpu] = _core.Context(gpu, None, None, None, program())
        return _contexts[gpu]


def pipeline(gpu: int, op: str, kind: str, acc: Optional[str], order: int, n: int) -> Any:
    """The pipeline for any n of such elements, made for the first n."""
    key = (gpu, op, kind, acc, order)
    made = _pipelines.get(key) or context(gpu).pipeline(op, kind, acc, n, 0, order)
    with _lock:
        made = _pipelines.setdefault(key, made)
        _pipelines.move_to_end(key)
        while len(_pipelines) > _PIPELINES:
            _pipelines.popitem(last=False)
    return made


def on_change(listener: Callable[[], None]) -> None:
    """``listener`` drops what it keeps when devices are not what they were."""
    _listeners.append(listener)


def _tell() -> None:
    for listener in _listeners:
        listener()


def release() -> None:
    """Drops all that is kept: contexts, pipelines and what listeners have."""
    _pipelines.clear()
    _tell()
    _contexts.clear()


def _start_anew() -> None:
    """In a fork of the process, where nothing of the first can be used."""
    global _lock
    _lock = threading.Lock()
    release()


atexit.register(release)  # while the driver is still there
os.register_at_fork(after_in_child=_start_anew)
