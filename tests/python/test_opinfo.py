"""PyTorch's own samples of its reductions (torch.testing._internal.opinfo) through autotune.torch:
PyTorch's result, or one exception that says why not.

OPINFO_SECONDS is how long each operation may take (5); what was left out by time is printed, as are
the element types that we lack and each reason for which samples were refused.
"""

import collections
import os
import random
import time
import unittest
import warnings

import autotune

try:
    import torch
    from torch.testing._internal.common_methods_invocations import op_db

    import autotune.torch as reductions
except ImportError:
    raise unittest.SkipTest("no PyTorch here, or no expecttest, which its samples need") from None

SECONDS = float(os.environ.get("OPINFO_SECONDS", "5"))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
OURS = {
    "sum": "sum",
    "prod": "prod",
    "mean": "mean",
    "amax": "max",
    "amin": "min",
    "all": "all",
    "any": "any",
    "count_nonzero": "count_nonzero",
    "argmax": "argmax",
    "argmin": "argmin",
    "var": "var",
    "std": "std",
    "linalg.vector_norm": "norm",
    "logsumexp": "logsumexp",
}
TYPES = (
    torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32,
    torch.int16, torch.int8, torch.uint8, torch.bool,
)  # fmt: skip
NORMS = {2: "norm", 1: "abs_sum", float("inf"): "abs_max", float("-inf"): "abs_min"}
# What is said where a sample is none of ours: of its type, its strides, its ord, its dtype.
REASONS = (
    "has no operation here",
    "no problem that kernels know",
    "of no elements has no value",
    "needs a float type",
)


class NotOurs(Exception):
    """A keyword of PyTorch's that we have no word for."""


def read(name, args, kwargs):
    """Our name for a sample, and its dim, keepdim and correction."""
    given, ours = dict(kwargs), OURS[name]
    if name == "linalg.vector_norm":
        order = args[0] if args else given.pop("ord", 2)
        args = args[1:]
        if order not in NORMS:
            raise NotOurs(f"ord {order}")
        ours = NORMS[order]
    if name in ("var", "std") and args and isinstance(args[0], bool):
        given["unbiased"], args = args[0], args[1:]
    words = ("dim", "keepdim") if name not in ("var", "std") else ("dim", "unbiased", "keepdim")
    given.update(zip(words, args, strict=False))
    options = {"dim": given.pop("dim", None), "keepdim": given.pop("keepdim", False)}
    if name in ("var", "std"):
        correction = given.pop("correction", None)
        unbiased = given.pop("unbiased", True)
        options["correction"] = int(unbiased) if correction is None else correction
    if options["dim"] == [] or options["dim"] == ():
        options["dim"] = None if name not in ("amax", "amin") else ()
    if given.get("dtype", 0) is None:
        del given["dtype"]
    if given:
        raise NotOurs(f"keyword {', '.join(sorted(given))}")
    return ours, options


class Samples(unittest.TestCase):
    def setUp(self):
        if DEVICE == "cpu":
            autotune.set_default_device("host")
            self.addCleanup(autotune.set_default_device, None)

    def check(self, op, name, kind, sample, counts):
        try:
            ours, options = read(name, sample.args, sample.kwargs)
            mine = getattr(reductions, ours)(sample.input.detach(), **options)
        except NotOurs as why:
            counts[f"not ours: {why}"] += 1
            return
        except (ValueError, TypeError) as refusal:
            reason = next((one for one in REASONS if one in str(refusal)), None)
            self.assertIsNotNone(reason, (name, kind, sample, refusal))
            counts[f"refused: {reason}"] += 1
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = op.op(sample.input.detach(), *sample.args, **sample.kwargs)
        what = f"{name} of {kind} {tuple(sample.input.shape)} {options}"
        self.assertEqual(mine.shape, theirs.shape, what)
        self.same(mine, theirs, kind, what)
        counts["right"] += 1

    def same(self, mine, theirs, kind, what):
        loose = {torch.bfloat16: 2e-2, torch.float16: 4e-3}.get(kind, 1e-5)
        torch.testing.assert_close(
            mine, theirs, rtol=loose, atol=loose, equal_nan=True, msg=lambda text: f"{what}: {text}"
        )

    def test_samples(self):
        ops = {(op.name, op.variant_test_name): op for op in op_db}
        for name in OURS:
            op = ops[name, ""]
            supported = set(op.supported_dtypes(DEVICE))
            counts = collections.Counter()
            end = time.monotonic() + SECONDS
            samples = [
                (kind, sample)
                for kind in TYPES
                if kind in supported
                for sample in op.sample_inputs(DEVICE, kind)
            ]
            random.Random(1).shuffle(samples)
            for kind, sample in samples:
                if time.monotonic() > end:
                    counts["left out by time"] += 1
                    continue
                with self.subTest(name, kind=kind):
                    self.check(op, name, kind, sample, counts)
            lacking = sorted(str(kind).removeprefix("torch.") for kind in supported - set(TYPES))
            word = "skip" if counts["left out by time"] else "done"
            told = ", ".join(f"{count} {what}" for what, count in counts.items())
            print(
                f"{word} samples of {name}: {told}; types we lack: {', '.join(lacking) or 'none'}"
            )
            self.assertGreater(counts["right"], 0, name)


if __name__ == "__main__":
    unittest.main()
