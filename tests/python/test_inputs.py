"""Operations of several arrays, beside NumPy: how further ones lie, types, what is refused."""

import unittest

import numpy as np

import autotune


class Inputs(unittest.TestCase):
    def setUp(self):
        autotune.set_default_device("host")
        self.addCleanup(autotune.set_default_device, None)
        draw = np.random.default_rng(11)
        self.x = draw.integers(-9, 9, (3, 4, 5))
        self.y = draw.integers(-9, 9, (3, 4, 5))

    def test_dot(self):
        for dtype in ("float32", "float64", "int32", "float16"):
            x, y = self.x.astype(dtype), self.y.astype(dtype)
            for axis in (None, 0, 1, 2, (0, 2), (1, 2), (-3, -2)):
                made = autotune.dot(x, y, axis)
                np.testing.assert_array_equal(made, (x * y).sum(axis))
                self.assertEqual(made.dtype, "int64" if dtype == "int32" else dtype)
        self.assertEqual(autotune.dot(x, x), np.vdot(x, x))
        kept = autotune.dot(x, y, axis=1, keepdims=True, dtype="float64")
        np.testing.assert_array_equal(kept, (x * y).sum(1, "float64", keepdims=True))
        out = np.zeros(3, "float16")
        self.assertIs(autotune.dot(x, y, (1, 2), out=out), out)
        np.testing.assert_array_equal(out, (x * y).sum((1, 2)))

    def test_layouts(self):
        x, y = self.x, self.y
        for first, second in (
            (x[:, ::2], y[:, ::2]),
            (x.T, y.T),
            (x[:, :, 1], y[:, :, 1]),
            (x[:1], y[2:]),
        ):
            for axis in (None, 0, -1):
                made = autotune.dot(first, second, axis)
                np.testing.assert_array_equal(made, (first * second).sum(axis))
        apart = x[:, ::2]  # one result: each element of y may lie as it is numbered
        np.testing.assert_array_equal(autotune.dot(apart, apart.copy()), (apart**2).sum())
        np.testing.assert_array_equal(autotune.dot(x[0].T, x[0].T.copy()), (x[0] ** 2).sum())

    def test_broadcast(self):
        x, y = self.x, self.y
        for axis, second, spread in (
            (2, y[:, :, 0].copy(), y[:, :, :1]),  # an element for each result
            (2, y[:, :, :1].copy(), y[:, :, :1]),
            (0, y[0], y[0]),
            ((0, 2), y[0, :, :1].copy(), y[0, :, :1]),
            (1, y[:, 0].copy(), y[:, :1]),
            (2, y[0, 0], y[0, 0]),  # one for each element of a result
            ((0, 2), y[:, 0].copy(), y[:, :1]),
            ((0, 2), y[:, :1].copy(), y[:, :1]),
            (0, y[:, :1, :1].copy(), y[:, :1, :1]),
            ((1, 2), y[1], y[1]),
            (1, np.broadcast_to(y[0, 0], x.shape)[:, :1], None),  # nothing but strides says so
            (1, y[2, 2, 2], y[2, 2, 2]),  # one
            (None, [[7]], 7),
        ):
            with self.subTest(axis=axis, shape=np.shape(second)):
                if spread is None:
                    with self.assertRaisesRegex(ValueError, "does not lie beside"):
                        autotune.dot(x, second, axis)
                    continue
                np.testing.assert_array_equal(
                    autotune.dot(x, second, axis), (x * spread).sum(axis)
                )

    def test_elements_in_another_order(self):
        x = np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)
        w = np.arange(8).reshape(4, 2, 1) ** 2
        np.testing.assert_array_equal(autotune.dot(x, w, (0, 1)), (x * w).sum((0, 1)))

    def test_many_axes(self):
        x = np.arange(2 * 3 * 4 * 3 * 2.0).reshape(2, 3, 4, 3, 2)
        with self.assertRaisesRegex(ValueError, "two axes at most"):
            autotune.dot(x, x, (0, 2, 4))
        x = x[..., 0].copy()
        for axis in ((1, 3), (0, 2)):
            np.testing.assert_array_equal(autotune.dot(x, x, axis), (x * x).sum(axis))
            others = tuple(i for i in range(4) if i not in axis)
            for spread in (x.sum(axis, keepdims=True), x.sum(others, keepdims=True)):
                made = autotune.dot(x, spread, axis)
                np.testing.assert_array_equal(made, (x * spread).sum(axis))

    def test_shipped(self):
        x, y = self.x.astype("float64") / 8, np.abs(self.y.astype("float64")) / 8
        d = x - y
        size = np.sqrt((x * x).sum(1)) * np.sqrt((y * y).sum(1))
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.where(y > 0, y * (np.log(y) - x), 0)
        half = np.where(np.abs(d) <= 0.5, d * d / 2, 0.5 * (np.abs(d) - 0.25))
        for name, wanted, params in (
            ("mse", (d * d).mean(1), {}),
            ("mae", np.abs(d).mean(1), {}),
            ("huber_loss", half.mean(1), {"delta": 0.5}),
            ("cosine", (x * y).sum(1) / size, {}),
            ("kl", entropy.sum(1), {}),
            ("hinge", np.maximum(1 - x * y, 0).mean(1), {}),
            ("sqdist", (d * d).sum(1), {}),
            ("absdist", np.abs(d).sum(1), {}),
        ):
            with self.subTest(name=name):
                made = autotune.reduce(name, x, y, axis=1, **params)
                np.testing.assert_allclose(made, wanted, rtol=1e-12)
                np.testing.assert_array_equal(autotune.reduce(name, x, y, 1, **params), made)

    def test_differences_of_unsigned(self):
        x, y = np.array([1, 250, 3], "uint8"), np.array([2, 5, 3], "uint8")
        self.assertEqual(autotune.reduce("sqdist", x, y), 1 + 245**2)
        self.assertEqual(autotune.reduce("mse", x, y), (1 + 245**2) / 3)
        self.assertEqual(autotune.reduce("absdist", x, y), 246)

    def test_own(self):
        masked = autotune.Operation(
            inputs="x mask:u8 w", map="mask != 0 ? w * x : 0", combine="a + b", name="masked"
        )
        x, mask = self.x.astype("float32"), self.y > 0
        made = autotune.reduce(masked, x, mask, np.float32([2]), axis=(0, 1))
        np.testing.assert_array_equal(made, (2 * x * mask).sum((0, 1)))
        with self.assertRaisesRegex(TypeError, r"w of masked is float64 \(f64\).* has f32"):
            autotune.reduce(masked, x, mask, 2.0)
        with self.assertRaisesRegex(TypeError, "masked takes 3 arrays, x and mask and w: 2 given"):
            autotune.reduce(masked, x, mask)

    def test_plans(self):
        x, y = self.x.astype("float32"), self.y.astype("float32")
        rows = autotune.plan("dot", x, y, axis=2)
        np.testing.assert_array_equal(rows(x, y), (x * y).sum(2))
        np.testing.assert_array_equal(rows(y, y), (y * y).sum(2))
        out = np.zeros((3, 4), "float32")
        self.assertIs(rows(x, y, out), out)
        self.assertIs(rows(x, y, out=out), out)
        with self.assertRaisesRegex(ValueError, "this plan is for y of float32"):
            rows(x, y[0])
        with self.assertRaisesRegex(TypeError, "dot takes 2 arrays, x and y: 1 given"):
            rows(x)
        tuned = autotune.tune("mse", x, y, axis=2, budget=0.1)
        self.assertEqual(tuned.grade, "exact")
        np.testing.assert_allclose(tuned(x, y), ((x - y) ** 2).mean(2), rtol=1e-6)

    def test_none(self):
        x = np.zeros((0, 3), "float32")
        np.testing.assert_array_equal(autotune.dot(x, x, 0), [0, 0, 0])
        self.assertEqual(autotune.dot(x, x), 0)
        self.assertEqual(autotune.dot(x, x, 1).shape, (0,))

    def test_refused(self):
        x, y = self.x, self.y
        square = np.ones((4, 4))
        for error, said, given in (
            (TypeError, "dot takes 2 arrays, x and y: 1 given", (x,)),
            (TypeError, "more is given", (x, y, 1, 2)),
            (TypeError, r"y of dot is float64 \(f64\), where the operation has i64", (x, y * 1.0)),
            (ValueError, r"shape \(3, 4\), for each result, or \(5,\)", (x, y[:2], 2)),
            (ValueError, "does not lie beside", (x, y.T.copy().T, 2)),
            (ValueError, "does not lie beside", (x, y[:, :, 0], 2)),
            (ValueError, "does not lie beside", (x, np.ones(6, int))),
            (ValueError, "does not lie beside", (x, np.ones((1, 3, 4, 5), int))),
            (ValueError, "fits what is kept .* and what is combined", (square, square[0], 1)),
        ):
            with self.subTest(said=said), self.assertRaisesRegex(error, said):
                autotune.reduce("dot", *given)
        made = autotune.dot(square, 2 * square[:, :1].copy(), 1)
        np.testing.assert_array_equal(made, [8, 8, 8, 8])
        with self.assertRaisesRegex(TypeError, "more is given"):
            autotune.reduce("dot", x, y, 1, axis=1)
        with self.assertRaisesRegex(TypeError, "sum takes 1 arrays|more is given"):
            autotune.reduce("sum", x, 1, 2)
        with self.assertRaises(ValueError):
            autotune.scan("dot", np.ones(3))
