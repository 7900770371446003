"""Reductions on the GPU by kernels that were tuned for it.

A tensor in, a tensor out, with the names and the meaning of NumPy and the array API:

>>> import numpy as np, autotune
>>> autotune.sum(np.ones((3, 4)), axis=1, device="host")
array([4., 4., 4.])

Arrays are NumPy's, PyTorch's, CuPy's, JAX's, Numba's: whatever has ``__dlpack__`` or
``__cuda_array_interface__``. Results are arrays of the same library. ``device="host"`` is an
emulator, for machines without a GPU. A page with all of it: docs/python.md.
"""

from ._arrays import DeviceArray
from ._core import version as __version__
from ._devices import set_default_device
from ._errors import (
    BadArgument,
    Error,
    NoDevice,
    NoRecord,
    OutOfMemory,
    TooLarge,
    TuneFailed,
)
from ._names import *  # noqa: F403
from ._operations import ROWS as _ROWS
from ._operations import Operation
from ._plan import Plan
from ._program import records
from ._reduce import plan, reduce, scan, tune
from ._segments import segment_reduce, segment_sum

__all__ = [
    *_ROWS,
    "BadArgument",
    "DeviceArray",
    "Error",
    "NoDevice",
    "NoRecord",
    "Operation",
    "OutOfMemory",
    "Plan",
    "TooLarge",
    "TuneFailed",
    "__version__",
    "cumulative_prod",
    "cumulative_sum",
    "dot",
    "plan",
    "records",
    "reduce",
    "scan",
    "segment_reduce",
    "segment_sum",
    "set_default_device",
    "tune",
]

for _name in __all__:
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__  # where users find it
