"""Operations: the table of names that NumPy and the array API have, and operations of one's own.

A name of the table is one row: the operation that the library has for it, how the type of its
result follows from that of the elements, and what becomes of no elements at all.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from . import _core
from ._types import TYPES, Type


class Row(NamedTuple):
    """What one name means."""

    op: str  # the library's operation
    result: str  # a rule of RESULTS
    what: str = ""  # a sentence for help()
    example: str = ""  # of x = [3., -4., 0.], what comes out
    has_empty: bool = True  # is there a value of no elements? else ValueError, as NumPy has it
    is_finished: bool = False  # is the result made of the last value (a root, a division)?
    has_order: bool = False  # do elements count by their index, or in their order?
    then: Optional[str] = None  # what combines results of parts, where axes lie apart
    ddof_power: float = 0.0  # of n / (n - ddof), where the count may be lessened
    inputs: tuple = ("x",)  # names of the arrays of a call


ROWS = {
    "sum": Row("sum", "sum", "The sum; integers are summed in 64 bits.", "-1.0", then="sum"),
    "prod": Row(
        "prod", "sum", "The product; integers are multiplied in 64 bits.", "-0.0", then="prod"
    ),
    "min": Row(
        "min", "same", "The least element; a NaN wins.", "-4.0", has_empty=False, then="min"
    ),
    "max": Row(
        "max", "same", "The greatest element; a NaN wins.", "3.0", has_empty=False, then="max"
    ),
    "argmin": Row(
        "argmin",
        "index",
        "The place of the first of the least; a NaN is less.",
        "1",
        False,
        has_order=True,
    ),
    "argmax": Row(
        "argmax",
        "index",
        "The place of the first of the greatest; a NaN is greater.",
        "0",
        False,
        has_order=True,
    ),
    "all": Row("all", "bool", "Is no element zero?", "False", then="all"),
    "any": Row("any", "bool", "Is any element not zero?", "True", then="any"),
    "count_nonzero": Row(
        "count_nonzero", "index", "How many elements are not zero.", "2", then="sum"
    ),
    "mean": Row(
        "mean",
        "real",
        "The sum divided by the count; of integers a float64.",
        "-0.3333333333333333",
        is_finished=True,
        then="mean",
    ),
    "norm": Row(
        "nrm2",
        "real",
        "The root of the sum of the squares; of integers a float64.",
        "5.0",
        is_finished=True,
        then="norm",
    ),
    "var": Row(
        "var",
        "real",
        "The variance by n - ddof; of integers a float64.",
        "8.222222222222221",
        is_finished=True,
        ddof_power=1.0,
    ),
    "std": Row(
        "std",
        "real",
        "The standard deviation by n - ddof; of integers a float64.",
        "2.8674417556808756",
        is_finished=True,
        ddof_power=0.5,
    ),
    "logsumexp": Row(
        "logsumexp",
        "real",
        "The logarithm of the sum of the exponentials; of floats.",
        "3.0494556096956456",
        is_finished=True,
        then="logsumexp",
    ),
    "sum_of_squares": Row("sumsq", "sum", "The sum of the squares.", "25.0", then="sum"),
    "abs_sum": Row("asum", "sum", "The sum of the magnitudes: the 1-norm.", "7.0", then="sum"),
    "abs_max": Row(
        "absmax",
        "same",
        "The greatest magnitude: the infinity norm.",
        "4.0",
        has_empty=False,
        then="max",
    ),
    "abs_min": Row("absmin", "same", "The least magnitude.", "0.0", has_empty=False, then="min"),
    "bitwise_and": Row("and", "same", "Integers combined by bitwise and.", "", then="bitwise_and"),
    "bitwise_or": Row("or", "same", "Integers combined by bitwise or.", "", then="bitwise_or"),
    "bitwise_xor": Row(
        "xor", "same", "Integers combined by bitwise exclusive or.", "", then="bitwise_xor"
    ),
}

_XY = ("x", "y")

# Those of several arrays.
ROWS_OF_SEVERAL = {
    "dot": Row("dot", "sum", inputs=_XY),
    "mse": Row("mse", "real", is_finished=True, inputs=_XY),
    "mae": Row("mae", "real", is_finished=True, inputs=_XY),
    "huber_loss": Row("huber_loss", "real", is_finished=True, inputs=_XY),
    "cosine": Row("cosine", "real", is_finished=True, inputs=_XY),
    "kl": Row("kl", "real", inputs=_XY),
    "hinge": Row("hinge", "real", is_finished=True, inputs=_XY),
    "sqdist": Row("sqdist", "sum", inputs=_XY),
    "absdist": Row("absdist", "sum", inputs=_XY),
}

_KNOWN = {**ROWS, **ROWS_OF_SEVERAL}


# The arguments of reduce, scan, segment_reduce and of a plan's call, which params stand beside.
ARGUMENTS = frozenset(
    "self operation x axis keepdims dtype out order device exclusive offsets".split()
)


def _check_params(params: str) -> None:
    for name in re.findall(r"(\w+)\s*:", params):
        if name in ARGUMENTS:
            raise ValueError(
                f"param {name!r} has the name of an argument of autotune.reduce and others, which "
                "take params as keywords: give it another name"
            )


class Operation:
    """A reduction of your own, from strings in the language of docs/operations.md.

    ``map`` makes a value of an element ``x``, ``combine`` one value of two, ``a`` and ``b``, and
    ``finish`` the result of the last value ``a`` and the count ``n``.

    >>> import numpy as np
    >>> energy = autotune.Operation(
    ...     value="real", map="real(x) * real(x)", combine="a + b", finish="a / real(n)"
    ... )
    >>> autotune.reduce(energy, np.arange(4.0), device="host")
    np.float64(3.5)

    ``keeps_order`` says that values are combined in the order of their elements, as products of
    matrices are; ``i`` in ``map`` counts elements in the array's own order.

    ``params`` are numbers that each call gives, by value: no kernel is compiled for another. Calls
    take them as keywords, so that none is named as an argument of theirs, such as ``axis``.

    >>> huber = autotune.Operation(
    ...     params="delta:real=1",
    ...     map="magnitude(x) <= delta ? 0.5 * x * x : delta * (magnitude(x) - 0.5 * delta)",
    ...     combine="a + b",
    ...     types="floats",
    ... )
    >>> x = np.array([0.5, -3.0])
    >>> autotune.reduce(huber, x, device="host"), autotune.reduce(huber, x, delta=2, device="host")
    (np.float64(2.625), np.float64(4.125))

    ``inputs`` names the arrays of a call, up to four, of which each but the first may have a type
    of its own; :func:`reduce` says how they lie.

    >>> weighted = autotune.Operation(inputs="x w:f64", map="w * x", combine="a + b")
    >>> autotune.reduce(weighted, x, np.array([2.0, 1.0]), device="host")
    np.float64(-2.0)

    Without ``map`` a value is the element, without ``finish`` the result is the last value.
    ``let`` gives names to what the others mention: ``let={"half": "x / 2"}``. ``tolerance`` is a
    factor on the error of floats that a proof allows, ``scale`` what that error is relative to, for
    messages. A fault raises BadArgument, whose sentence has the key, line and column.
    """

    def __init__(
        self,
        *,
        combine: str,
        map: Optional[str] = None,
        finish: Optional[str] = None,
        value: Optional[str] = None,
        result: Optional[str] = None,
        identity: Optional[str] = None,
        inputs: Optional[str] = None,
        params: Optional[str] = None,
        types: Optional[str] = None,
        let: Optional[dict] = None,
        scale: Optional[str] = None,
        tolerance: Optional[float] = None,
        keeps_order: bool = False,
        name: str = "own",
        meaning: str = "an operation of its own",
    ) -> None:
        _check_params(params or "")
        keys = {"meaning": meaning, "types": types, "inputs": inputs}
        keys.update(value=value, params=params)
        keys.update({f"let {key}": text for key, text in (let or {}).items()})
        keys.update(map=map, combine=combine, identity=identity, finish=finish, result=result)
        keys.update(
            scale=scale, tolerance=tolerance and f"{tolerance:.12f}".rstrip("0").rstrip(".")
        )
        keys.update(keeps_order="yes" if keeps_order else None)
        lines = [f"{key} = {text}" for key, text in keys.items() if text is not None]
        self.name = name
        self.text = "\n".join(["[operation]", *lines, ""])
        self.key = _core.operation(name, self.text)
        has_index = re.search(r"\bi\b", " ".join([map or "", *(let or {}).values()]))
        self.row = Row(
            self.key,
            "own",
            is_finished=True,  # or by no law: not in chunks
            has_order=keeps_order or has_index is not None,
            inputs=tuple(one.partition(":")[0] for one in (inputs or "x").split()),
        )

    def __repr__(self) -> str:
        return f"<autotune.Operation {self.name}: {'; '.join(self.text.splitlines()[2:])}>"


def row_of(operation: object) -> Row:
    """The row of a name, or of an operation of one's own."""
    if isinstance(operation, Operation):
        return operation.row
    if isinstance(operation, Row):
        return operation
    found = _KNOWN.get(operation) if isinstance(operation, str) else None
    if found is None:
        raise ValueError(
            f"operation {operation!r} is not known: give one of {', '.join(_KNOWN)}, or an Operation"
        )
    return found


def name_of(operation: object) -> str:
    """The name for messages."""
    return operation if isinstance(operation, str) else getattr(operation, "name", str(operation))


# --- Types of results -------------------------------------------------------------------------

_WIDE = {"b": "uint64", "i": "int64", "u": "uint64"}


def _wider(type: Type, dtype: Optional[Type]) -> Optional[str]:
    """The accumulator where a float64 is asked for."""
    return "f64" if dtype and dtype.name == "float64" and type.kind == "f" else None


def _sum(type: Type, dtype: Optional[Type]) -> tuple:
    if type.kind == "f":
        if dtype and dtype.kind != "f":
            raise TypeError(
                f"{type.name} elements have no result of type {dtype.name}: convert the result"
            )
        return _wider(type, dtype), dtype or type
    if dtype and dtype.kind == "f":
        raise TypeError(f"{type.name} elements are not summed as {dtype.name}: convert them first")
    wide = TYPES[_WIDE[type.kind]]
    if dtype and dtype.kind == type.kind and dtype.bytes >= max(type.bytes, 4):
        return dtype.code, dtype
    return wide.code, dtype or (TYPES["int64"] if type.kind == "b" else wide)


def _real(type: Type, dtype: Optional[Type]) -> tuple:
    if dtype and dtype.kind != "f":
        raise TypeError(
            f"a result of this operation is a float, not {dtype.name}: convert the result"
        )
    return _wider(type, dtype), dtype or (type if type.kind == "f" else TYPES["float64"])


# Of a type of elements and a dtype, or None: the accumulator (None: the usual one) and the type of
# the result (None: the library's own).
RESULTS = {
    "sum": _sum,
    "real": _real,
    "same": lambda type, dtype: (None, dtype or type),
    "index": lambda type, dtype: (None, dtype or TYPES["int64"]),
    "bool": lambda type, dtype: (None, dtype or TYPES["bool"]),
    "own": lambda type, dtype: (_wider(type, dtype), dtype),
}
