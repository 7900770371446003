"""Arrays in a GPU's memory: PyTorch's graphs and streams, CuPy's and Numba's arrays, JAX's. Each part
is skipped in a sentence where its library or a GPU is not here."""

import importlib
import unittest

import numpy as np

import autotune

if not autotune._core.gpu_count():
    raise unittest.SkipTest("no GPU here")


def need(name):
    """The library, or a skipped test."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"no {name} here") from None


class OfTorch(unittest.TestCase):
    def setUp(self):
        self.torch = need("torch")
        if not self.torch.cuda.is_available():
            self.skipTest("this PyTorch has no GPU")
        self.x = self.torch.arange(12.0, device="cuda").reshape(3, 4)

    def test_graph(self):
        torch, x = self.torch, self.x
        out, rows = torch.zeros(3, device="cuda"), autotune.plan("sum", x, axis=1)
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):  # a workspace of that stream, made before the capture
            rows(x, out)
            autotune.max(x, axis=1)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=side):
            rows(x, out)
            most = autotune.max(x, axis=1)
        for factor in (2.0, -3.0):
            x.mul_(factor)
            graph.replay()
            torch.cuda.synchronize()
            self.assertTrue(torch.equal(out, x.sum(dim=1)))
            self.assertTrue(torch.equal(most, x.amax(dim=1)))

    def test_streams(self):
        torch, side = self.torch, self.torch.cuda.Stream()
        big = torch.rand(1 << 24, device="cuda")
        torch.cuda.synchronize()
        for _ in range(20):
            with torch.cuda.stream(side):
                grown = big * 2  # ends after the host has gone on
                got, want = autotune.sum(grown), grown.sum()
            side.synchronize()
            torch.testing.assert_close(got, want, rtol=1e-4, atol=0)

    def test_compiled(self):
        torch = self.torch
        import autotune.torch as reductions

        step = torch.compile(
            lambda v: reductions.mean(v * 2, dim=1) + reductions.std(v, dim=1), fullgraph=True
        )
        x = self.x.clone().requires_grad_()
        torch.testing.assert_close(step(x), (x * 2).mean(1) + x.std(1))
        step(x).sum().backward()
        self.assertTrue(torch.isfinite(x.grad).all())

    def test_reduced_by_overhead_mode(self):
        torch = self.torch
        import autotune.torch as reductions

        step = torch.compile(lambda v: reductions.sum(v + 1, dim=1), mode="reduce-overhead")
        for turn in range(5):
            x = self.x + turn
            torch.testing.assert_close(step(x), (x + 1).sum(dim=1))


class OfOthers(unittest.TestCase):
    host = np.arange(12, dtype="float32").reshape(3, 4)

    def check(self, here, back, kind):
        """Arrays made by `here` give results of `kind`, which `back` reads."""
        x = here(self.host)
        for name, axis in (
            ("sum", 1),
            ("sum", 0),
            ("max", None),
            ("mean", 1),
            ("argmax", 1),
            ("any", 1),
        ):
            got = getattr(autotune, name)(x, axis=axis)
            want = getattr(np, name)(self.host, axis=axis)
            self.assertIsInstance(got, kind, name)
            np.testing.assert_array_equal(back(got), want, name)
            self.assertEqual(back(got).dtype, np.asarray(want).dtype, name)
        got = autotune.var(x, axis=1, ddof=1)
        np.testing.assert_allclose(back(got), self.host.var(axis=1, ddof=1), rtol=1e-6)
        rows = autotune.plan("sum", x, axis=1)
        np.testing.assert_array_equal(back(rows(x)), self.host.sum(axis=1))

    def test_cupy(self):
        cupy = need("cupy")
        self.check(cupy.asarray, cupy.asnumpy, cupy.ndarray)
        side = cupy.cuda.Stream(non_blocking=True)
        with side:
            x = cupy.arange(1 << 22, dtype="float64")
            out = cupy.empty((), "float64")
            self.assertIs(autotune.sum(x, out=out), out)
        side.synchronize()
        self.assertEqual(float(out), (1 << 22) * ((1 << 22) - 1) / 2)

    def test_numba(self):
        cuda = need("numba.cuda")
        self.check(cuda.to_device, lambda x: x.copy_to_host(), type(cuda.to_device(self.host)))

    def test_jax(self):
        jax = need("jax")
        if jax.default_backend() != "gpu":
            self.skipTest("this JAX has no GPU")
        jax.config.update("jax_enable_x64", True)  # else it has no 64-bit integers, as of places
        self.check(jax.numpy.asarray, np.asarray, jax.Array)

    def test_host(self):
        x = np.random.default_rng(0).integers(-9, 9, (1000, 3000)).astype("float32")
        self.assertEqual(autotune.sum(x), x.sum())
        np.testing.assert_array_equal(autotune.max(x, axis=1), x.max(axis=1))
        self.assertEqual(autotune.any(x), True)
        self.assertEqual(autotune.sum(x.astype("float16"), dtype="float64").dtype, np.float64)


if __name__ == "__main__":
    unittest.main()
