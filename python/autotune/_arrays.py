"""Arrays of other libraries: where their elements are, and arrays of the same library for results.

An array says where it lies by ``__array_interface__`` (NumPy), ``__cuda_array_interface__`` (CuPy,
Numba) or ``__dlpack__`` (torch, JAX and most others). Nothing is copied.
"""

from __future__ import annotations

import functools
import sys
from typing import Any, Callable, NamedTuple, Optional

from . import _core
from ._axes import contiguous
from ._types import Type, of_dlpack, of_dtype, of_typestr

_CUDA_KINDS = (2, 13)  # memory of a GPU, managed memory
_HOST_KINDS = (1, 3)  # memory of the host, pinned memory
_LIBRARIES = ("numpy", "torch", "cupy", "jax", "jaxlib", "numba")  # classes of others may derive
LEGACY_STREAM = 1  # the default stream, by the numbers of both protocols and of the driver


class View(NamedTuple):
    """Where the elements of an array are. Strides are in elements."""

    array: Any
    address: int
    shape: tuple
    strides: tuple
    type: Type
    gpu: Optional[int]  # None: in the host's memory
    stream: int  # on which the elements are ready
    holder: Any  # keeps the memory
    is_read_only: bool = False


def library_of(array: Any) -> str:
    """The name of the library that an array is of: "numpy", "torch", "cupy", "jax", ..."""
    return _library_of_type(type(array))  # type: ignore[arg-type]


@functools.lru_cache(maxsize=64)
def _library_of_type(kind: Any) -> str:
    names = [base.__module__.partition(".")[0] for base in kind.__mro__]
    known = [name for name in names if name in _LIBRARIES]
    name = (known or names)[0]
    return "jax" if name == "jaxlib" else name


def view(array: Any) -> View:
    """Where an array is; lists and numbers become arrays of NumPy first."""
    kind = type(array)
    if library_of(array) == "numpy" and not hasattr(array, "ctypes"):
        import numpy

        array = numpy.asarray(array)  # of a scalar, whose interface is gone with a copy
        kind = type(array)
    if library_of(array) == "torch":
        return _of_torch(array)
    if hasattr(kind, "mask") and hasattr(kind, "filled"):
        raise TypeError(
            "some elements of a masked array are none: give x.compressed(), or x.filled(value)"
        )
    if hasattr(kind, "__cuda_array_interface__") and getattr(
        array, "__cuda_array_interface__", None
    ):
        return _of_interface(array, array.__cuda_array_interface__, True)
    if hasattr(kind, "__array_interface__"):
        return _of_interface(array, array.__array_interface__, False)
    if hasattr(kind, "__dlpack__"):
        return _of_dlpack(array)
    if not isinstance(array, (list, tuple, int, float, bool)):
        raise TypeError(
            f"{kind.__name__} is no array: give one of NumPy, PyTorch, CuPy, JAX or Numba, or "
            "any that has __dlpack__ or __cuda_array_interface__"
        )
    import numpy

    return view(numpy.asarray(array))


def _of_interface(array: Any, interface: dict, is_cuda: bool) -> View:
    shape = tuple(interface["shape"])
    kind = of_typestr(interface["typestr"], getattr(array, "dtype", interface["typestr"]))
    steps = interface.get("strides")
    if steps is None:
        strides = contiguous(shape)
    elif any(step % kind.bytes for step in steps):
        raise ValueError(
            f"strides {tuple(steps)} are no multiples of the {kind.bytes} bytes of {kind.name}: "
            "copy the array"
        )
    else:
        strides = tuple(step // kind.bytes for step in steps)
    address, is_read_only = interface["data"]
    gpu, stream = None, 0
    if is_cuda:
        gpu = max(_core.gpu_of(address), 0) if address else 0
        stream = _current_stream(array, gpu) or interface.get("stream") or LEGACY_STREAM
    return View(array, address, shape, strides, kind, gpu, stream, (array, interface), is_read_only)


def _of_torch(array: Any) -> View:
    if array.requires_grad or array.is_neg():
        raise TypeError(
            "a tensor that requires its gradient is for autotune.torch, whose operators have one; "
            "or give x.detach()"
            if array.requires_grad
            else "the tensor is to be negated first: give x.resolve_neg()"
        )
    gpu = array.device.index if array.is_cuda else None
    if gpu is None and array.device.type != "cpu":
        raise TypeError(f"the tensor is on {array.device}: copy it to a CUDA GPU or to the host")
    stream = 0 if gpu is None else _current_stream(array, gpu) or LEGACY_STREAM
    kind = of_dtype(array.dtype)
    shape, strides = tuple(array.shape), array.stride()
    return View(array, array.data_ptr(), shape, strides, kind, gpu, stream, array)


def _of_dlpack(array: Any) -> View:
    kind, number = array.__dlpack_device__()
    if kind in _CUDA_KINDS:
        stream = _current_stream(array, number) or LEGACY_STREAM
        tensor = _core.Tensor(array.__dlpack__(stream=stream))
        return _of_tensor(array, tensor, number, stream)
    if kind not in _HOST_KINDS:
        raise TypeError(
            f"the array is on a device of DLPack's kind {kind}: copy it to a CUDA GPU, or to the "
            "host"
        )
    return _of_tensor(array, _core.Tensor(array.__dlpack__()), None, 0)


def _of_tensor(array: Any, tensor: Any, gpu: Optional[int], stream: int) -> View:
    strides = tensor.strides
    shape = tensor.shape
    if strides is None or len(strides) != len(shape):
        strides = contiguous(shape)
    return View(array, tensor.address, shape, strides, of_dlpack(*tensor.type), gpu, stream, tensor)


def _current_stream(array: Any, gpu: int) -> Optional[int]:
    """The stream on which the array's library works now; None of one that has no such thing."""
    name = library_of(array)
    if name == "torch":
        return sys.modules["torch"].cuda.current_stream(gpu).cuda_stream
    if name == "cupy":
        return sys.modules["cupy"].cuda.get_current_stream().ptr
    return None


def has_current_stream(array: Any) -> bool:
    """Does the array's library queue its own work behind what is queued on View.stream?"""
    return library_of(array) in ("torch", "cupy")


class DeviceArray:
    """A result in a GPU's memory, without gaps: for a library that takes it over.

    ``cupy.from_dlpack``, ``torch.from_dlpack``, ``jax.dlpack.from_dlpack`` and
    ``numba.cuda.as_cuda_array`` take it as it is.
    """

    def __init__(self, context: Any, gpu: int, shape: tuple, kind: Type) -> None:
        self.shape = shape
        self.type = kind
        self._context = context
        self._gpu = gpu
        self._buffer = context.buffer(count(shape) * kind.bytes)

    @property
    def address(self) -> int:
        """Of the first element."""
        return self._buffer.address

    @property
    def __cuda_array_interface__(self) -> dict:
        letter = {"b": "b", "i": "i", "u": "u", "f": "f"}[self.type.kind]
        typestr = f"{'|' if self.type.bytes == 1 else '<'}{letter}{self.type.bytes}"
        return {
            "shape": self.shape,
            "typestr": typestr,
            "data": (self.address, False),
            "version": 3,
            "strides": None,
        }

    def __dlpack_device__(self) -> tuple:
        return (2, self._gpu)

    def __dlpack__(self, **options: Any) -> Any:
        return self._buffer.dlpack(self.shape, *self.type.dlpack)

    def copy_to_host(self) -> Any:
        """Its elements, as an array of NumPy."""
        made = empty_host(self.shape, self.type)
        self._buffer.read(made.address, count(self.shape) * self.type.bytes, LEGACY_STREAM)
        return made.array

    def replaced(self, host: Any) -> DeviceArray:
        """Another on the same GPU, with the elements of an array of NumPy without gaps."""
        made = DeviceArray(self._context, self._gpu, host.shape, of_dtype(host.dtype))
        made._buffer.fill(host.ctypes.data, host.nbytes, LEGACY_STREAM)
        return made

    def __repr__(self) -> str:
        return f"<autotune.DeviceArray {self.type.name} {self.shape} on GPU {self._gpu}>"


def count(shape: tuple) -> int:
    """Elements of a shape."""
    total = 1
    for n in shape:
        total *= n
    return total


def empty(like: View, shape: tuple, kind: Type, context: Any) -> View:
    """An array for results, of the library of `like` where it can allocate one; else on the GPU a
    DeviceArray and on the host one of NumPy, which `finish` hands to it."""
    name = library_of(like.array)
    strides = contiguous(shape)
    if name == "torch":
        torch = sys.modules["torch"]
        made = torch.empty(shape, dtype=getattr(torch, kind.name), device=like.array.device)
        return View(made, made.data_ptr(), shape, strides, kind, like.gpu, like.stream, made)
    if like.gpu is not None:
        device = DeviceArray(context, like.gpu, shape, kind)
        return View(device, device.address, shape, strides, kind, like.gpu, like.stream, device)
    return empty_host(shape, kind)


def empty_host(shape: tuple, kind: Type) -> View:
    """An array of NumPy for results."""
    import numpy

    made = numpy.empty(shape, _numpy_dtype(kind))
    return View(made, made.ctypes.data, shape, contiguous(shape), kind, None, 0, made)


def _numpy_dtype(kind: Type) -> Any:
    import numpy

    if kind.name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.bfloat16
    return numpy.dtype(kind.name)


def convert(array: Any, kind: Type) -> Any:
    """The array with elements of another type."""
    if hasattr(array, "astype"):
        return array.astype(_numpy_dtype(kind) if library_of(array) == "numpy" else kind.name)
    if hasattr(array, "copy_to_host"):
        return _through_host(array, lambda host: host.astype(_numpy_dtype(kind)))
    return array.to(getattr(sys.modules["torch"], kind.name))


def times(array: Any, factor: float) -> Any:
    """The array with each element multiplied."""
    if hasattr(array, "copy_to_host"):
        return _through_host(array, lambda host: host * factor)
    return array * factor


def _through_host(array: Any, change: Callable) -> Any:
    """What NumPy makes of an array in a GPU's memory whose library computes nothing: Numba's, ours."""
    import numpy

    made = numpy.asarray(change(array.copy_to_host()), order="C")
    if library_of(array) == "numba":
        return sys.modules["numba"].cuda.to_device(made)
    return array.replaced(made)


def hand_over(made: Any, like: Any) -> Any:
    """What `empty` made, as an array of the library of `like`."""
    name = library_of(like)
    if name in ("numpy", "torch", "builtins") or type(made) is type(like):
        return made
    namespace = (
        like.__array_namespace__()
        if hasattr(like, "__array_namespace__")
        else sys.modules.get(name)
    )
    if name == "numba" and isinstance(made, DeviceArray):
        return namespace.cuda.as_cuda_array(made)
    take = getattr(namespace, "from_dlpack", None)
    return take(made) if take else made
