"""Types of elements: what array libraries call them, what autotune does, and DLPack's numbers."""

from __future__ import annotations

import operator
import struct
from typing import Any, NamedTuple, Optional


class Type(NamedTuple):
    """A type of elements: ``float32`` to array libraries, ``f32`` to autotune."""

    name: str
    code: str
    kind: str  # "b"ool, "i"nteger, "u"nsigned, "f"loat
    bytes: int
    dlpack: tuple  # kind and bits


TYPES = {
    row.name: row
    for row in (
        Type("bool", "u8", "b", 1, (6, 8)),
        Type("int8", "i8", "i", 1, (0, 8)),
        Type("int16", "i16", "i", 2, (0, 16)),
        Type("int32", "i32", "i", 4, (0, 32)),
        Type("int64", "i64", "i", 8, (0, 64)),
        Type("uint8", "u8", "u", 1, (1, 8)),
        Type("uint16", "u16", "u", 2, (1, 16)),
        Type("uint32", "u32", "u", 4, (1, 32)),
        Type("uint64", "u64", "u", 8, (1, 64)),
        Type("float16", "f16", "f", 2, (2, 16)),
        Type("bfloat16", "bf16", "f", 2, (4, 16)),
        Type("float32", "f32", "f", 4, (2, 32)),
        Type("float64", "f64", "f", 8, (2, 64)),
    )
}

_OF_CODE = {row.code: row for row in TYPES.values() if row.kind != "b"}
_OF_DLPACK = {row.dlpack: row for row in TYPES.values()}
_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float"}


def of_code(code: str) -> Type:
    """The type that autotune calls so."""
    return _OF_CODE[code]


def of_dlpack(kind: int, bits: int, lanes: int) -> Type:
    """The type of a DLPack tensor."""
    found = _OF_DLPACK.get((kind, bits)) if lanes == 1 else None
    if found is None:
        raise TypeError(
            f"elements of DLPack's kind {kind} with {bits} bits have no operation here: {_known()}"
        )
    return found


def of_typestr(typestr: str, dtype: object) -> Type:
    """The type that an array interface calls so; ``dtype`` is the array's own word for it."""
    order, kind, size = typestr[0], typestr[1], typestr[2:]
    name = _KINDS.get(kind, "")
    if kind in "iuf" and size.isdigit():
        name += str(int(size) * 8)
    elif kind == "V":
        name = str(dtype)  # bfloat16, which the interface has no letter for
    if name not in TYPES or order == ">":
        raise TypeError(f"elements of type {dtype} ({typestr}) have no operation here: {_known()}")
    return TYPES[name]


def of_dtype(dtype: Any) -> Type:
    """The type of a ``dtype=``: of NumPy, torch, CuPy or JAX, a Python type, or a name."""
    if isinstance(dtype, Type):
        return dtype
    python = {bool: "bool", int: "int64", float: "float64"}
    name = (
        python.get(dtype)
        or getattr(dtype, "name", None)
        or getattr(dtype, "__name__", None)
        or str(dtype)
    )
    name = name.removeprefix("torch.")
    if name in TYPES:
        return TYPES[name]
    if name in _OF_CODE:
        return _OF_CODE[name]
    raise TypeError(f"dtype {dtype!r} has no operation here: {_known()}")


_FORMATS = {"i32": "<i", "u32": "<I", "i64": "<q", "u64": "<Q", "f32": "<f", "f64": "<d"}


def param_bits(name: str, code: str, value: Any) -> Optional[int]:
    """The bits of a param's value in its type; None where it has none."""
    if value is None:
        return None
    try:
        number = float(value) if code[0] == "f" else operator.index(value)
        return int.from_bytes(struct.pack(_FORMATS[code], number), "little")
    except (TypeError, ValueError, OverflowError, struct.error):
        raise TypeError(f"param {name} is {value!r}: give a number of type {code}") from None


def _known() -> str:
    return "convert to one of " + ", ".join(TYPES)
