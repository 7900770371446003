"""Operations of one's own, plans, tuning, other libraries' arrays, errors, threads, the program."""

import gc
import inspect
import os
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import autotune


class ByDlpack:
    """An array of a library that has nothing but DLPack, as JAX's on a CPU."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return ByDlpack

    @staticmethod
    def from_dlpack(array):
        return ByDlpack(np.from_dlpack(array))

    def astype(self, dtype):
        return ByDlpack(self.array.astype(dtype))


class Rest(unittest.TestCase):
    def setUp(self):
        autotune.set_default_device("host")
        self.addCleanup(autotune.set_default_device, None)

    def test_own_operation(self):
        x = np.arange(12, dtype="float32").reshape(3, 4)
        half = autotune.Operation(
            map="h * h", combine="greatest(a, b)", let={"h": "x / 2"}, name="half"
        )
        np.testing.assert_array_equal(autotune.reduce(half, x, axis=1), (x / 2).max(axis=1) ** 2)
        energy = autotune.Operation(
            value="real", map="real(x) * real(x)", combine="a + b", finish="a / real(n)"
        )
        got = autotune.reduce(energy, x.astype("int16"))
        self.assertEqual((got, got.dtype), (np.mean(x * x, dtype="float64"), np.dtype("float64")))
        self.assertIn("combine = a + b", repr(energy))
        loose = autotune.Operation(
            map="x * x", combine="a + b", scale="sum x*x", tolerance=1e-4, name="loose"
        )
        self.assertIn("scale = sum x*x; tolerance = 0.0001", repr(loose))
        self.assertEqual(autotune.reduce(loose, x), (x * x).sum())

    def test_fault_in_an_operation(self):
        with self.assertRaisesRegex(autotune.BadArgument, "own.ini:3:7: .*'y'"):
            autotune.Operation(map="y", combine="a + b")
        with self.assertRaises(ValueError):
            autotune.reduce(autotune.Operation(combine="a - b"), np.ones(3))

    def test_params_named_as_arguments(self):
        calls = (autotune.reduce, autotune.scan, autotune.segment_reduce, autotune.Plan.long)
        given = [one for call in calls for one in inspect.signature(call).parameters.values()]
        several = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        for name in {one.name for one in given if one.kind not in several}:
            with self.assertRaisesRegex(ValueError, f"param '{name}' has the name of an argument"):
                autotune.Operation(params=f"delta:f32 {name}:real=1", combine="a + b")

    def test_params(self):
        x = np.array([[0.25, -3, 1], [2, 0.5, -0.5]], "float32")
        huber = autotune.Operation(
            params="delta:real=1 shift:i32",
            map="magnitude(x) <= delta ? 0.5 * x * x : delta * (magnitude(x) - 0.5 * delta)",
            combine="a + b",
            finish="a + real(shift)",
            types="floats",
        )

        def expected(delta, shift):
            small = np.abs(x) <= delta
            each = np.where(small, x * x / 2, delta * (np.abs(x) - delta / 2))
            return each.sum(axis=1) + shift

        for delta, shift in ((0.5, 3), (2, -1), (0.5, 0)):
            got = autotune.reduce(huber, x, 1, delta=delta, shift=shift)
            np.testing.assert_array_equal(got, expected(delta, shift))
        plan = autotune.plan(huber, x, 1)
        np.testing.assert_array_equal(plan(x, shift=7), expected(1, 7))
        np.testing.assert_array_equal(plan(x, shift=-7), expected(1, -7))
        with self.assertRaisesRegex(autotune.BadArgument, "value for its param 'shift'"):
            plan(x, delta=2)
        with self.assertRaisesRegex(TypeError, "param shift is 0.5: give a number of type i32"):
            plan(x, shift=0.5)
        with self.assertRaisesRegex(TypeError, "no param 'delto': it has delta, shift"):
            plan(x, delto=2)
        with self.assertRaisesRegex(TypeError, "sum has no param 'delta': it has none"):
            autotune.reduce("sum", x, delta=2)

    def test_plan(self):
        x = np.arange(12, dtype="float32").reshape(3, 4)
        rows = autotune.plan("sum", x, axis=1)
        out = np.zeros(3, "float32")
        self.assertIs(rows(x, out), out)
        np.testing.assert_array_equal(rows(x + 1), (x + 1).sum(axis=1))
        self.assertEqual(
            (rows.grade, rows.launches, rows.dtype, rows.shape), ("default", 1, "float32", (3,))
        )
        self.assertIn("BLOCK=", rows.params)
        self.assertIn("sum of float32 (3, 4) to float32 (3,) on host", repr(rows))
        with self.assertRaisesRegex(ValueError, "make another plan"):
            rows(x.T)

    def test_tune_and_records(self):
        x = np.ones((20, 50), "float32")
        with self.assertRaises(autotune.NoRecord):
            autotune.plan("min", x, axis=1, source="record")
        tuned = autotune.tune("min", x, axis=1, budget=0.1)
        self.assertEqual(tuned.grade, "exact")
        np.testing.assert_array_equal(tuned(x), x.min(axis=1))
        self.assertEqual(autotune.plan("min", x, axis=1).grade, "exact")
        (record,) = [one for one in autotune.records() if one["op"] == "min"]
        self.assertEqual((record["rows"], record["len"]), (20, 50))

    def test_dlpack(self):
        x = np.arange(12, dtype="float32").reshape(3, 4)
        got = autotune.sum(ByDlpack(x), axis=1)
        self.assertIsInstance(got, ByDlpack)
        np.testing.assert_array_equal(got.array, x.sum(axis=1))
        self.assertEqual(autotune.argmax(ByDlpack(x[:, ::2].copy())).array.dtype, np.int64)
        before = sys.getrefcount(x)
        for _ in range(100):
            autotune.sum(ByDlpack(x))
        gc.collect()
        self.assertEqual(sys.getrefcount(x), before)

    def test_short_way_of_no_table(self):
        class Odd(ByDlpack):
            __dlpack_c_exchange_api__ = 5

        for _ in range(2):
            self.assertEqual(autotune.sum(Odd(np.ones(3))).array, 3)

    def test_derived_arrays(self):
        class Derived(np.ndarray):
            pass

        x = np.arange(6.0).reshape(2, 3)
        self.assertEqual(autotune.sum(x.view(Derived), axis=1).tolist(), [3, 12])

    def test_errors(self):
        x = np.ones((3, 4), "float32")
        for error, words, call in (
            (
                ValueError,
                "axis 2 is out of bounds for an array of 2 dimensions",
                lambda: autotune.sum(x, axis=2),
            ),
            (TypeError, "axis 1.0 is none", lambda: autotune.sum(x, axis=1.0)),
            (ValueError, "names an axis twice", lambda: autotune.sum(x, axis=(1, -1))),
            (
                ValueError,
                "operation 'median' is not known: give one of sum, ",
                lambda: autotune.reduce("median", x),
            ),
            (ValueError, "order 'x' is not known", lambda: autotune.sum(x, order="x")),
            (ValueError, "device 'gpu' is not known", lambda: autotune.sum(x, device="gpu")),
            (TypeError, "complex128", lambda: autotune.sum(np.ones(3, complex))),
            (TypeError, ">f4", lambda: autotune.sum(np.ones(3, ">f4"))),
            (TypeError, "str is no array", lambda: autotune.sum("abc")),
            (TypeError, "type object", lambda: autotune.sum(np.array([1, None]))),
            (TypeError, "datetime64", lambda: autotune.sum(np.zeros(3, "datetime64[s]"))),
            (TypeError, "masked", lambda: autotune.sum(np.ma.array([1, 2], mask=[0, 1]))),
            (TypeError, "out is of type int: give an array", lambda: autotune.sum(x, out=5)),
            (ValueError, "budget is -1", lambda: autotune.tune("sum", x, budget=-1)),
            (
                autotune.NoRecord,
                'take source="best"',
                lambda: autotune.plan("prod", x, source="shipped"),
            ),
            (autotune.NoDevice, "GPU 99 is not here", lambda: autotune.sum(x, device=99)),
            (TypeError, "not int32", lambda: autotune.mean(x, dtype="int32")),
            (ValueError, "no problem that kernels know", lambda: autotune.sum(x[::-1])),
            (
                ValueError,
                "no problem that kernels know",
                lambda: autotune.sum(np.broadcast_to(x, (2, 3, 4))),
            ),
            (
                autotune.BadArgument,
                "'and' needs an integer type",
                lambda: autotune.bitwise_and(x),
            ),
            (
                autotune.BadArgument,
                "order n is of elements",
                lambda: autotune.mean(x, order="n"),
            ),
        ):
            with self.assertRaisesRegex(error, words):
                call()

    def test_no_gpu(self):
        if autotune._core.gpu_count():
            self.skipTest("a GPU is here")
        with self.assertRaisesRegex(autotune.NoDevice, 'give device="host"'):
            autotune.set_default_device(None)
            autotune.sum(np.ones(3))

    def test_threads(self):
        x = np.arange(6000, dtype="int64").reshape(60, 100)
        plan = autotune.plan("sum", x, axis=1)
        wrong = []

        def work(i):
            for turn in range(20):
                if not np.array_equal(plan(x + i * turn), (x + i * turn).sum(axis=1)):
                    wrong.append((i, turn))

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_other_threads_run_meanwhile(self):
        x = np.ones(1 << 20, "float32")
        autotune.sum(x)
        for _ in range(20):  # a busy machine may give this thread no turn
            during, turns = [], []

            def work(during=during):
                start = time.perf_counter()
                autotune.sum(x)
                during += [start, time.perf_counter()]

            thread = threading.Thread(target=work)
            thread.start()
            while thread.is_alive():
                turns.append(time.perf_counter())
                time.sleep(0.0005)
            start, end = during
            within = [turn for turn in turns if start < turn < end]
            if within and within[-1] - within[0] > (end - start) / 2:
                return
        self.fail("nothing else ran while a call waited")

    def test_fork(self):
        x = np.ones(5)
        autotune.sum(x)
        child = os.fork()
        if child == 0:
            os._exit(0 if autotune.sum(x) == 5 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(autotune.sum(x), 5)

    def test_program(self):
        said = subprocess.run(
            [sys.executable, "-m", "autotune", "version"], capture_output=True, text=True
        )
        self.assertTrue(said.stdout.startswith(f"autotune {autotune.__version__}"), said)

    def test_every_name_has_a_text(self):
        for name in autotune.__all__:
            self.assertTrue(getattr(autotune, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
