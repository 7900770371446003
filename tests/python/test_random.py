"""Drawn arrays, axes and calls: NumPy's result, or one exception that says why not."""

import os
import random
import unittest

import autotune
import numpy as np

CASES = int(os.environ.get("CASES", "200"))
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
