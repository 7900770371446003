"""What comes out is what NumPy says: values, shapes and types. All on the emulator."""

import itertools
import unittest

import numpy as np

import autotune
from autotune._operations import ROWS

NUMPY = {
    "sum": np.sum,
    "prod": np.prod,
    "min": np.min,
    "max": np.max,
    "argmin": np.argmin,
    "argmax": np.argmax,
    "all": np.all,
    "any": np.any,
    "count_nonzero": np.count_nonzero,
    "mean": np.mean,
    "norm": lambda x, axis=None: np.sqrt(np.sum(x * x, axis)),
    "var": np.var,
    "std": np.std,
    "logsumexp": lambda x, axis=None: np.log(np.sum(np.exp(x.astype("float64")), axis)).astype(
        x.dtype
    ),
    "sum_of_squares": lambda x, axis=None: np.sum(x * x, axis),
    "abs_sum": lambda x, axis=None: np.sum(np.abs(x), axis),
    "abs_max": lambda x, axis=None: np.max(np.abs(x), axis),
    "abs_min": lambda x, axis=None: np.min(np.abs(x), axis),
    "bitwise_and": np.bitwise_and.reduce,
    "bitwise_or": np.bitwise_or.reduce,
    "bitwise_xor": np.bitwise_xor.reduce,
}
TYPES = [  # each rule of results, each kind of elements
    ("sum", ("bool", "int8", "float16")),
    ("max", ("bool", "int8", "float16")),
    ("argmin", ("uint64",)),
    ("mean", ("int8", "float16")),
    ("any", ("bool",)),
]
ROUNDED = ("var", "std", "logsumexp")
BY_ROWS = ("mean", "norm", "count_nonzero", "any")


def some(shape, dtype):
    """Small numbers, of which every sum is exact."""
    numbers = (np.arange(np.prod(shape, dtype=int)) * 7 % 5 - 1).reshape(shape)
    return np.abs(numbers).astype(dtype) if np.dtype(dtype).kind in "bu" else numbers.astype(dtype)


class Reduce(unittest.TestCase):
    def setUp(self):
        autotune.set_default_device("host")
        self.addCleanup(autotune.set_default_device, None)

    def same(self, got, want, what=""):
        want = np.asarray(want)
        self.assertEqual(np.shape(got), want.shape, what)
        self.assertEqual(np.asarray(got).dtype, want.dtype, what)
        np.testing.assert_array_equal(got, want, str(what))

    def test_every_name(self):
        self.assertEqual(set(ROWS), set(NUMPY))
        for name, reference in NUMPY.items():
            x = some((3, 8), "int32" if name.startswith("bitwise") else "float32")
            for axis in (None, 1) if name in BY_ROWS else (None,):
                got, want = getattr(autotune, name)(x, axis=axis), self.reduced(reference, x, axis)
                if name in ROUNDED:
                    np.testing.assert_allclose(got, want, rtol=1e-6)
                    want = got
                self.same(got, want, (name, axis))

    def reduced(self, reference, x, axis):
        return reference(x.ravel() if axis is None else x, axis=0 if axis is None else axis)

    def test_types_of_results(self):
        for name, dtypes in TYPES:
            for dtype in dtypes:
                x = some((20,), dtype)
                self.same(getattr(autotune, name)(x), NUMPY[name](x), (name, dtype))

    def test_axes(self):
        x = some((2, 3, 4, 5), "float32")
        for count in range(5):
            for axis in itertools.combinations(range(4), count):
                self.same(autotune.sum(x, axis=axis), x.sum(axis=axis), axis)
                self.same(
                    autotune.sum(x, axis=axis, keepdims=True),
                    x.sum(axis=axis, keepdims=True),
                    axis,
                )
        self.same(autotune.mean(x, axis=(0, 2)), x.mean(axis=(0, 2)))
        self.same(autotune.sum(x, axis=(-1, -2)), x.sum(axis=(-1, -2)))

    def test_strides(self):
        x = some((6, 8, 10), "float32")
        for y in (
            x.T,
            x[:, :, :7],
            x[1:, 2:],
            x[::2],
            x[0].T,
            x.swapaxes(0, 1),
            x[0, :, 3],
            x[:, 3, :4],
        ):
            self.same(autotune.sum(y), y.sum(), y.strides)
            for axis in range(y.ndim):
                try:
                    got = autotune.sum(y, axis=axis)
                except ValueError as error:
                    self.assertIn("pass a contiguous copy", str(error))
                    got = autotune.sum(y.copy(), axis=axis)
                self.same(got, y.sum(axis=axis), (y.shape, y.strides, axis))

    def test_positions_by_axis(self):
        x = some((4, 6), "float32")
        self.same(autotune.argmax(x, axis=1, keepdims=True), np.argmax(x, axis=1, keepdims=True))
        self.same(autotune.argmin(x.T, axis=0), np.argmin(x.T, axis=0))
        self.same(autotune.argmax(x, axis=0), np.argmax(x, axis=0))
        self.same(autotune.argmax(x[:, ::2]), np.argmax(x[:, ::2]))
        y = some((2, 3, 4), "int32")
        for axis in range(3):
            self.same(autotune.argmax(y, axis=axis), np.argmax(y, axis=axis))
        self.same(autotune.argmax(x.T), np.argmax(x.T))  # places not in the order of memory

    def test_index_of_an_own_operation(self):
        weighed = autotune.Operation(value="real", map="real(x) * real(i)", combine="a + b")
        last = autotune.Operation(
            value="acc",
            combine="b != 0 ? b : a",
            identity="0",
            keeps_order=True,
        )
        x = np.arange(1.0, 7.0).reshape(2, 3).T  # strides in descending order of the axes
        for own, want in ((weighed, (x.ravel() * np.arange(6)).sum()), (last, x.ravel()[-1])):
            try:
                got = autotune.reduce(own, x, device="host")
            except ValueError as error:  # no kernel walks so: never another order
                self.assertRegex(str(error), "contiguous copy|copy the elements")
                got = autotune.reduce(own, np.ascontiguousarray(x), device="host")
            self.assertEqual(got, want)

    def test_ddof(self):
        x = np.random.default_rng(1).random((3, 8), "float32")
        for axis, ddof in ((None, 1), (1, 0.5)):
            for name in ("var", "std"):
                got = getattr(autotune, name)(x, axis=axis, ddof=ddof)
                want = NUMPY[name](x, axis=axis, ddof=ddof)
                self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype))
                np.testing.assert_allclose(got, want, rtol=1e-5)
        out = np.zeros(3, "float32")
        self.assertIs(autotune.var(x, axis=1, ddof=1, out=out), out)
        np.testing.assert_allclose(out, np.var(x, axis=1, ddof=1), rtol=1e-5)
        self.assertTrue(np.isnan(autotune.var(x[0, :1], ddof=1)))
        y = np.array([1000.0, 1001.0], "float32")
        self.assertAlmostEqual(float(autotune.logsumexp(y)), 1001.3132, delta=1e-3)

    def test_nan_wins(self):
        x = np.array([1, np.nan, 3], "float32")
        self.assertTrue(np.isnan(autotune.max(x)))
        self.assertEqual(autotune.argmax(x), 1)

    def test_dtype(self):
        x = some((20,), "float32")
        self.same(autotune.sum(x, dtype="float64"), x.sum(dtype="float64"))
        self.same(autotune.sum(x, dtype=np.float16), x.sum(dtype=np.float16))
        self.same(
            autotune.sum(x.astype("int8"), dtype=np.int8), x.astype("int8").sum(dtype=np.int8)
        )
        with self.assertRaisesRegex(TypeError, "convert them first"):
            autotune.sum(x.astype("int8"), dtype=float)

    def test_out(self):
        x = some((4, 6), "float32")
        for dtype in ("float32", "float64"):
            out = np.full(4, -1, dtype)
            self.assertIs(autotune.sum(x, axis=1, out=out), out)
            self.same(out, x.sum(axis=1).astype(dtype))
        with self.assertRaisesRegex(ValueError, r"out has shape \(3,\), the result \(4,\)"):
            autotune.sum(x, axis=1, out=np.empty(3, "float32"))
        with self.assertRaisesRegex(ValueError, "gaps"):
            autotune.sum(x, axis=1, out=np.empty(8, "float32")[::2])

    def test_read_only(self):
        x, out = some((4, 6), "float32"), np.zeros(4, "float32")
        x.flags.writeable = out.flags.writeable = False
        self.same(autotune.sum(x, axis=1), x.sum(axis=1))
        with self.assertRaisesRegex(ValueError, "read-only"):
            autotune.sum(x, axis=1, out=out)
        self.assertFalse(out.any())

    def test_no_elements(self):
        for shape, axis in (
            ((0,), None),
            ((0, 3), 0),
            ((3, 0), 1),
            ((0, 3), 1),
            ((2, 0, 3), (0, 1)),
        ):
            x = np.zeros(shape, "float32")
            for name in ("sum", "prod", "any", "all", "count_nonzero"):
                self.same(
                    getattr(autotune, name)(x, axis=axis),
                    NUMPY[name](x, axis=axis),
                    (name, shape, axis),
                )
        self.assertTrue(np.isnan(autotune.mean(np.zeros(0))))
        for name in ("min", "max", "argmin", "argmax"):
            with self.assertRaisesRegex(ValueError, "of no elements has no value"):
                getattr(autotune, name)(np.zeros((3, 0)), axis=1)
        self.same(autotune.max(np.zeros((0, 3)), axis=1), np.zeros(0))

    def test_scalars_and_lists(self):
        self.same(autotune.sum(np.float32(3)), np.float32(3))
        self.same(autotune.sum(np.array(3.0), axis=()), 3.0)
        self.same(autotune.sum([[1, 2], [3, 4]], axis=0), np.array([4, 6]))

    def test_scans(self):
        x = some((3, 8), "int32")
        self.same(autotune.cumulative_sum(x, axis=1), np.cumsum(x, axis=1))
        self.same(autotune.cumulative_sum(x[0]), np.cumsum(x[0]))
        self.same(autotune.cumulative_sum(x[0], exclusive=True), np.cumsum(x[0]) - x[0])
        self.same(
            autotune.cumulative_prod(x[0].astype("float64")), np.cumprod(x[0].astype("float64"))
        )
        self.same(autotune.cumulative_sum(np.zeros((0,), "float32")), np.zeros(0, "float32"))
        with self.assertRaisesRegex(ValueError, "give axis=-1"):
            autotune.cumulative_sum(x)
        with self.assertRaisesRegex(ValueError, "only the last axis"):
            autotune.cumulative_sum(x, axis=0)

    def test_order(self):
        x = np.random.default_rng(1).random(5000, "float32")
        self.assertEqual(autotune.sum(x, order="n"), autotune.sum(x, order="n"))
        self.assertAlmostEqual(float(autotune.sum(x, order="n")), float(x.sum()), delta=0.01)


if __name__ == "__main__":
    unittest.main()
