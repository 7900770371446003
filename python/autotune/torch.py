"""Operators of PyTorch: ``torch.compile`` and autograd know them.

>>> import torch, autotune
>>> import autotune.torch as reductions
>>> autotune.set_default_device("host")
>>> x = torch.arange(6.0).reshape(2, 3).requires_grad_()
>>> reductions.sum(x, dim=1).tolist()
[3.0, 12.0]
>>> reductions.max(x).backward()
>>> x.grad
tensor([[0., 0., 0.],
        [0., 0., 1.]])

Each function of the table of docs/python.md is here, as ``torch.ops.autotune.NAME`` too, with
PyTorch's ``dim`` and ``keepdim``; ``var`` and ``std`` have its ``correction``, which is 1 where none
is given. Those of :data:`GRADIENTS` have a gradient. Nothing else of the package imports PyTorch.
"""

from __future__ import annotations

from typing import Any, Callable, Sequence, Union

import torch
from torch import Tensor

from . import _names, _reduce
from ._axes import kept_shape, normalize
from ._operations import RESULTS, ROWS
from ._types import of_dtype

Dim = Union[None, int, Sequence[int]]


# --- Gradients --------------------------------------------------------------------------------


def _of_ties(grad: Tensor, x: Tensor, y: Tensor, dims: list, count: int) -> Tensor:
    """Those that are the result share the gradient, as amax and amin have it."""
    chosen = (x == y).to(x.dtype)
    return grad * chosen / (chosen.sum(dims, keepdim=True) if dims else chosen)


def _of_norm(grad: Tensor, x: Tensor, y: Tensor, dims: list, count: int) -> Tensor:
    return torch.where(y == 0, 0, grad * x / y)


def _of_std(grad: Tensor, x: Tensor, y: Tensor, dims: list, count: float) -> Tensor:
    return torch.where(y == 0, 0, grad * (x - x.mean(dims, keepdim=True)) / (y * count))


# Of the result's gradient, the elements, the result, the dims and how many elements each result
# has, less the correction; the gradient and the result have 1 in the place of each dim.
GRADIENTS: dict[str, Callable[[Tensor, Tensor, Tensor, list, float], Tensor]] = {
    "sum": lambda grad, x, y, dims, count: grad.expand_as(x),
    "mean": lambda grad, x, y, dims, count: grad.expand_as(x) / count,
    "max": _of_ties,
    "min": _of_ties,
    "norm": _of_norm,
    "logsumexp": lambda grad, x, y, dims, count: grad * (x - y).exp(),
    "var": lambda grad, x, y, dims, count: grad * 2 / count * (x - x.mean(dims, keepdim=True)),
    "std": _of_std,
    "sum_of_squares": lambda grad, x, y, dims, count: 2 * x * grad,
    "abs_sum": lambda grad, x, y, dims, count: x.sign() * grad,
}


def _set_up(ctx: Any, inputs: tuple, output: Tensor) -> None:
    x, ctx.dims, ctx.keepdim, *correction = inputs
    ctx.correction, ctx.inputs = (correction or [0])[0], len(inputs)
    ctx.save_for_backward(x, output)


def _backward_of(gradient: Callable) -> Callable:
    def backward(ctx: Any, grad: Tensor) -> tuple:
        x, y = ctx.saved_tensors
        dims, count = ctx.dims, 1.0
        for dim in dims:
            count *= x.shape[dim]
            if not ctx.keepdim:
                grad, y = grad.unsqueeze(dim), y.unsqueeze(dim)
        count = count - ctx.correction if count > ctx.correction else 0.0
        return gradient(grad, x, y, dims, count).to(x.dtype), *(None,) * (ctx.inputs - 1)

    return backward


# --- Operators --------------------------------------------------------------------------------


def _dtype(name: str, x: Tensor) -> Union[None, torch.dtype]:
    """Where PyTorch's type of results is not NumPy's: integers are summed as int64, and of uint8
    any and all are uint8."""
    rule = ROWS[name].result
    if rule == "sum" and not x.is_floating_point():
        return torch.int64
    return torch.uint8 if rule == "bool" and x.dtype == torch.uint8 else None


def _result_type(name: str, x: Tensor) -> torch.dtype:
    wanted = _dtype(name, x)
    _, final = RESULTS[ROWS[name].result](of_dtype(x.dtype), None)
    return wanted or getattr(torch, final.name)


def _register(name: str) -> Callable:
    """The operator autotune::NAME of a tensor, all its dims ascending, and keepdim; of var and std
    with a correction."""

    def run(x: Tensor, dim: Sequence[int], keepdim: bool) -> Tensor:
        dtype = _dtype(name, x)
        return _reduce.reduce(name, x.detach(), axis=tuple(dim), keepdims=keepdim, dtype=dtype)

    def run_corrected(x: Tensor, dim: Sequence[int], keepdim: bool, correction: float) -> Tensor:
        call = getattr(_names, name)
        return call(x.detach(), tuple(dim), ddof=correction, keepdims=keepdim)

    def fake(x: Tensor, dim: Sequence[int], keepdim: bool, correction: float = 0) -> Tensor:
        shape = kept_shape(tuple(x.shape), tuple(dim), keepdim)
        return x.new_empty(shape, dtype=_result_type(name, x))

    is_corrected = bool(ROWS[name].ddof_power)
    operator = torch.library.custom_op(
        f"autotune::{name}",
        run_corrected if is_corrected else run,
        mutates_args=(),
        schema=f"(Tensor x, int[] dim, bool keepdim{', float correction' * is_corrected}) -> Tensor",
    )
    operator.register_fake(fake)
    if name in GRADIENTS:
        operator.register_autograd(_backward_of(GRADIENTS[name]), setup_context=_set_up)
    return operator


def _dims(x: Tensor, dim: Dim) -> list:
    return list(normalize(dim, x.dim() or 1)[: x.dim()])  # a number has dim 0, as PyTorch has it


def _function(name: str) -> Callable:
    operator = _register(name)
    has = "It has a gradient." if name in GRADIENTS else "It has no gradient."
    what = f"{ROWS[name].what}\n\n    Along ``dim``: one, several, or None for all. {has}"

    def function(x: Tensor, dim: Dim = None, keepdim: bool = False) -> Tensor:
        return operator(x, _dims(x, dim), keepdim)

    def corrected(
        x: Tensor, dim: Dim = None, keepdim: bool = False, *, correction: float = 1
    ) -> Tensor:
        return operator(x, _dims(x, dim), keepdim, correction)

    made: Callable = function
    if ROWS[name].ddof_power:
        made, what = corrected, what.replace("ddof", "correction")
    made.__doc__ = f"{what}\n    "
    made.__name__ = made.__qualname__ = name
    made.__module__ = __name__
    return made


__all__ = ["GRADIENTS", *ROWS]
globals().update({name: _function(name) for name in ROWS})
