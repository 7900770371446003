"""Tensors of PyTorch and its operators, where PyTorch is: on the CPU, by the emulator."""

import doctest
import resource
import unittest
import warnings

import autotune

try:
    import torch

    import autotune.torch as reductions
except ImportError:
    raise unittest.SkipTest("no PyTorch here") from None

CASES = [(None, False), (0, False), (1, True), ((0, 1), True)]


class Torch(unittest.TestCase):
    def setUp(self):
        autotune.set_default_device("host")
        self.addCleanup(autotune.set_default_device, None)
        self.x = torch.arange(12, dtype=torch.float32).reshape(3, 4) - 5

    def test_tensors(self):
        x, out = self.x, torch.zeros(3)
        for dtype in (torch.float32, torch.bfloat16, torch.int16, torch.bool):
            y = x.to(dtype)
            self.assertTrue(torch.equal(autotune.sum(y, axis=1), y.sum(dim=1)), dtype)
            self.assertEqual(autotune.sum(y, axis=1).dtype, y.sum(dim=1).dtype)
        self.assertIs(autotune.sum(x, axis=1, out=out), out)
        self.assertTrue(torch.equal(out, x.sum(dim=1)))
        self.assertTrue(torch.equal(autotune.argmax(x.T, axis=0), x.T.argmax(dim=0)))
        with self.assertRaisesRegex(TypeError, "autotune.torch"):
            autotune.sum(x.requires_grad_())

    def test_short_way(self):
        x, out = self.x, torch.zeros(3)
        rows = autotune.plan("sum", x, axis=1)
        first = rows(x)
        self.assertTrue(rows.has_short)
        for y in (x + 1, x * 2, x.double(), x[:2], x.T, x[:, ::2]):
            want = y.sum(dim=1)
            if y.shape == x.shape and y.dtype == x.dtype and y.is_contiguous():
                self.assertTrue(torch.equal(rows(y), want))
                self.assertTrue(torch.equal(rows(y, out), want))
            else:
                with self.assertRaisesRegex(ValueError, "make another plan"):
                    rows(y)
            if y.stride(1) == 1 or y.stride(0) == 1:
                self.assertTrue(torch.equal(autotune.sum(y, axis=1), want))
        self.assertTrue(torch.equal(first, x.sum(dim=1)))
        self.assertEqual(rows(x.numpy()).tolist(), first.tolist())
        for call in (
            lambda: rows(x.clone().requires_grad_()),
            lambda: rows(x, out.clone().requires_grad_()),
        ):
            with self.assertRaisesRegex(TypeError, "autotune.torch"):
                call()
        with self.assertRaisesRegex(ValueError, "out has shape"):
            rows(x, torch.zeros(4))
        for dtype in (torch.bool, torch.int16, torch.bfloat16):
            for _ in range(3):
                y = x.to(dtype)
                self.assertEqual(autotune.sum(y, axis=1).dtype, y.sum(dim=1).dtype)
                want = x.flatten().to(torch.bool if dtype == torch.bool else dtype).int().argmax()
                self.assertTrue(torch.equal(autotune.argmax(y), want))

    def test_nothing_is_left(self):
        x = torch.zeros(1000, 1000)
        autotune.sum(x, axis=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(500):
            autotune.sum(x[:1], axis=0)  # 4 kB each
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, 1000)

    def test_operators_are_those_of_torch(self):
        for name, mine, theirs in (
            ("sum", reductions.sum, torch.sum),
            ("mean", reductions.mean, torch.mean),
            ("max", reductions.max, torch.amax),
            ("min", reductions.min, torch.amin),
            ("norm", reductions.norm, torch.linalg.vector_norm),
            ("var", reductions.var, torch.var),
            ("std", reductions.std, torch.std),
        ):
            for dim, keepdim in CASES:
                x, y = self.x.clone().requires_grad_(), self.x.clone().requires_grad_()
                dims = (0, 1) if dim is None else dim
                got, want = mine(x, dim, keepdim), theirs(y, dim=dims, keepdim=keepdim)
                torch.testing.assert_close(got, want)
                weights = torch.arange(got.numel(), dtype=got.dtype).reshape(got.shape) + 1
                (got * weights).sum().backward()
                (want * weights).sum().backward()
                torch.testing.assert_close(x.grad, y.grad, msg=f"{name} {dim} {keepdim}")

    def test_types_of_results(self):
        x = (self.x + 5).to(torch.uint8)
        for name in ("sum", "prod", "any", "all"):
            for y in (x, x.int(), x.bool()):
                want = getattr(torch, name)(y, dim=1)
                self.assertTrue(torch.equal(getattr(reductions, name)(y, 1), want), name)
                self.assertEqual(getattr(reductions, name)(y, 1).dtype, want.dtype, (name, y.dtype))
        torch.library.opcheck(torch.ops.autotune.any.default, (x, [1], False))

    def test_correction(self):
        for mine, theirs in ((reductions.var, torch.var), (reductions.std, torch.std)):
            for correction in (0, 1, 2.5, 4, 5):
                with warnings.catch_warnings(action="ignore"):  # of no degrees of freedom
                    want = theirs(self.x, dim=1, correction=correction)
                torch.testing.assert_close(mine(self.x, 1, correction=correction), want)
            x, y = self.x.clone().requires_grad_(), self.x.clone().requires_grad_()
            mine(x, 1, correction=2).sum().backward()
            theirs(y, 1, correction=2).sum().backward()
            torch.testing.assert_close(x.grad, y.grad)

    def test_one_element(self):
        for name in reductions.GRADIENTS:
            x = torch.tensor(-3.0, requires_grad=True)
            options = {"correction": 0} if name in ("var", "std") else {}
            getattr(reductions, name)(x, dim=-1, **options).backward()
            self.assertTrue(torch.isfinite(x.grad), name)

    def test_examples(self):
        self.assertEqual(doctest.testmod(reductions).failed, 0)

    def test_opcheck(self):
        for name in reductions.GRADIENTS:
            for dims, keepdim in (([0, 1], False), ([1], True)):
                x = self.x.clone().requires_grad_()
                options = (1.0,) if name in ("var", "std") else ()
                operator = getattr(torch.ops.autotune, name).default
                torch.library.opcheck(operator, (x, dims, keepdim, *options))
        torch.library.opcheck(torch.ops.autotune.argmax.default, (self.x, [1], False))

    def test_gradients_by_differences(self):
        x = torch.rand(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(1)) + 1
        for name in reductions.GRADIENTS:
            call = getattr(reductions, name)
            torch.autograd.gradcheck(lambda x, call=call: call(x, 1), (x.requires_grad_(),))

    def test_compile(self):
        @torch.compile(fullgraph=True, backend="aot_eager")
        def step(x):
            return reductions.max(x * 2, dim=1) + reductions.mean(x, dim=1)

        x = self.x.clone().requires_grad_()
        torch.testing.assert_close(step(x), (self.x * 2).amax(dim=1) + self.x.mean(dim=1))
        step(x).sum().backward()
        self.assertEqual(x.grad.shape, x.shape)


if __name__ == "__main__":
    unittest.main()
