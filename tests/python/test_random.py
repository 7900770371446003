"""Drawn arrays, axes and calls: NumPy's result, or one exception that says why not."""

import os
import random
import unittest

import autotune
import numpy as np

CASES = int(os.environ.get("CASES", "200"))
PLACES = 1000 if os.environ.get("EVERY") else 40  # all types, or few, whose kernels are few
TYPES = ["float32", "float16", "float64"]
TYPES += [f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u")]
REASONS = "pass a contiguous copy|only the last axis is scanned|of no elements has no value"


def draw_array(drawn):
    """Of up to 4 axes, some of them of none or one; often a part of a larger one, or transposed."""
    shape = [drawn.choice((0, 1, 1, 2, 3, 4, 5, 7)) for _ in range(drawn.randint(0, 4))]
    whole = [n + drawn.randint(0, 2) for n in shape]
    numbers = np.random.RandomState(drawn.randint(0, 999)).randint(-4, 5, size=whole)
    x = numbers.astype("float32")[tuple(slice(0, n) for n in shape)]
    if drawn.random() < 0.3:
        x = x.transpose(drawn.sample(range(x.ndim), x.ndim))
    if x.ndim and drawn.random() < 0.2:
        x = drawn.choice((x[::-1], x[..., ::2], np.broadcast_to(x, (2, *x.shape))))
    return x


def draw_axis(drawn, ndim):
    """None, one or several, some of them negative."""
    if drawn.random() < 0.2:
        return None
    axes = drawn.sample(range(ndim), drawn.randint(0, ndim))
    axes = tuple(axis - ndim * drawn.randint(0, 1) for axis in axes)
    return axes[0] if len(axes) == 1 and drawn.random() < 0.7 else axes


def draw_ties(drawn, dtype):
    """Of two or three axes, with equals, limits, NaN, infinities and zeros of both signs."""
    shape = [drawn.choice((1, 2, 3, 5, 17, 33, 64, 100, 257)) for _ in range(drawn.randint(2, 3))]
    shape[drawn.randrange(len(shape))] = drawn.choice((1, 31, 1000, 3001))
    while np.prod(shape) > 1 << 17:
        shape = [max(n // 2, 1) for n in shape]
    numbers = np.random.RandomState(drawn.randrange(1 << 30))
    limits = np.finfo(dtype) if dtype.startswith("float") else np.iinfo(dtype)
    kinds = [limits.min, limits.max, 0, 1, 2, 3]
    if dtype.startswith("float"):
        kinds += [-0.0, -1, np.inf, -np.inf, limits.tiny, *[np.nan] * drawn.randint(0, 1)]
    kinds = np.array(drawn.sample(kinds, drawn.randint(1, len(kinds))), dtype)
    x = kinds[numbers.randint(0, len(kinds), size=shape)]
    if drawn.random() < 0.5:  # one that is alone, mostly, and the same everywhere else
        x = np.full(shape, kinds[0], dtype)
        x[tuple(numbers.randint(0, n) for n in shape)] = kinds[-1]
    return x


class Random(unittest.TestCase):
    def setUp(self):
        autotune.set_default_device("host")
        self.addCleanup(autotune.set_default_device, None)

    def call(self, drawn, name, x, axis, **options):
        """What comes out, through out= at times; None where it was refused."""
        try:
            made = getattr(autotune, name)(x, axis=axis, **options)
            if drawn.random() < 0.3:
                out = np.full_like(made, 77)
                self.assertIs(getattr(autotune, name)(x, axis=axis, out=out, **options), out)
                made = out
        except ValueError as refusal:
            self.assertRegex(str(refusal), REASONS)
            return None
        return made

    def test_places(self):
        drawn = random.Random(2)
        types = TYPES if PLACES > 100 else TYPES[:1]
        for k in range(PLACES):
            x = draw_ties(drawn, drawn.choice(types))
            name = drawn.choice(("argmin", "argmax"))
            axis = drawn.randrange(x.ndim)
            with self.subTest(k=k, name=name, type=x.dtype, shape=x.shape, axis=axis):
                np.testing.assert_array_equal(
                    getattr(autotune, name)(x, axis=axis), getattr(np, name)(x, axis=axis)
                )

    def test_drawn_calls(self):
        drawn, right = random.Random(1), 0
        for _ in range(CASES):
            x = draw_array(drawn)
            name = drawn.choice(("sum", "argmax", "cumulative_sum"))
            axis, options = draw_axis(drawn, x.ndim), {"keepdims": drawn.random() < 0.5}
            if name == "cumulative_sum":
                if not x.ndim:
                    continue
                axis, options = drawn.randint(0, x.ndim - 1), {}
            elif name == "argmax" and isinstance(axis, tuple):
                axis = axis[0] if axis else None
            got = self.call(drawn, name, x, axis, **options)
            if got is None:
                continue
            theirs = np.cumsum if name == "cumulative_sum" else getattr(np, name)
            with np.errstate(all="ignore"), self.subTest(name, shape=x.shape, axis=axis):
                want = np.asarray(theirs(x, axis=axis, **options))
                self.assertEqual((np.shape(got), got.dtype), (want.shape, want.dtype))
                np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
            right += 1
        self.assertGreater(right, CASES // 2)


if __name__ == "__main__":
    unittest.main()
