"""Segments: each operation beside NumPy's, offsets of each type, what is refused."""

import unittest

import numpy as np

import autotune


class Segments(unittest.TestCase):
    def setUp(self):
        autotune.set_default_device("host")
        draw = np.random.default_rng(7)
        self.lengths = np.concatenate([[0, 0], draw.integers(0, 40, 60), [500, 0, 1]])
        self.offsets = 3 + np.concatenate([[0], np.cumsum(self.lengths)])
        self.x = draw.integers(-50, 50, int(self.offsets[-1]) + 5)

    def expect(self, function, x):
        pairs = zip(self.offsets[:-1], self.offsets[1:])
        return [function(x[first:last]) for first, last in pairs]

    def test_sums(self):
        for dtype in (np.int32, np.float32, np.float16):
            x = self.x.astype(dtype)
            for kind in (np.int32, np.uint32, np.int64, np.uint64):
                made = autotune.segment_sum(x, self.offsets.astype(kind))
                np.testing.assert_array_equal(made, self.expect(np.sum, x))
                self.assertEqual(made.dtype, autotune.sum(x).dtype)

    def test_other_operations(self):
        x = self.x.astype(np.float64)
        made = autotune.segment_reduce("argmax", x, self.offsets)
        wanted = self.expect(lambda s: np.argmax(s) if len(s) else -1, x)
        np.testing.assert_array_equal(made, wanted)
        made = autotune.segment_reduce("max", x, self.offsets)
        wanted = self.expect(lambda s: np.max(s, initial=-np.inf), x)
        np.testing.assert_array_equal(made, wanted)
        made = autotune.segment_reduce("mean", x, self.offsets)
        wanted = self.expect(lambda s: np.sum(s) / len(s) if len(s) else np.nan, x)
        np.testing.assert_allclose(made, wanted, rtol=1e-14)
        self.assertEqual(autotune.segment_reduce("any", x > 49, self.offsets).dtype, bool)

    def test_own_operation(self):
        above = autotune.Operation(
            params="bound:real=0",
            value="u64",
            map="real(x) > bound ? u64(1) : u64(0)",
            combine="a + b",
        )
        x = self.x.astype(np.float32)
        made = autotune.segment_reduce(above, x, self.offsets, bound=10)
        np.testing.assert_array_equal(made, self.expect(lambda s: np.sum(s > 10), x))
        with self.assertRaisesRegex(TypeError, "has no param 'limit'"):
            autotune.segment_reduce(above, x, self.offsets, limit=10)

    def test_none(self):
        self.assertEqual(autotune.segment_sum(self.x, np.array([0])).shape, (0,))
        none = autotune.segment_sum(np.zeros(0, np.float32), np.array([0, 0, 0]))
        np.testing.assert_array_equal(none, [0, 0])

    def test_offsets_that_are_none(self):
        wild = np.array([5, 2**62, -(2**62), 1, 7, -1])
        self.assertEqual(autotune.segment_sum(self.x, wild).shape, (5,))
        made = autotune.segment_sum(self.x, self.offsets)
        np.testing.assert_array_equal(made, self.expect(np.sum, self.x))

    def test_refused(self):
        x, offsets = self.x, self.offsets
        for error, said, given in (
            (ValueError, "both have one axis", (x.reshape(-1, 1), offsets)),
            (ValueError, "both have one axis", (x, offsets[:0])),
            (TypeError, "offsets are float64", (x, offsets.astype(float))),
            (ValueError, "x has gaps", (x[::2], offsets)),
            (ValueError, "offsets has gaps", (x, offsets[::2])),
        ):
            with self.assertRaisesRegex(error, said):
                autotune.segment_sum(*given)
        with self.assertRaisesRegex(ValueError, "order 'same' is not known"):
            autotune.segment_sum(x, offsets, order="same")
