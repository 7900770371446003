"""Two threads, two streams, drawn calls of shared plans at the same time: each result is right.

INTERLEAVINGS says how many rounds are drawn. In a GPU's memory where PyTorch has a GPU, whose
threads each change streams; else on the emulator.
"""

import contextlib
import os
import random
import sys
import threading
import unittest

import numpy as np

import autotune

ROUNDS = int(os.environ.get("INTERLEAVINGS", "200"))
STEPS = 4  # of a thread in a round
SHAPES = ((64,), (8, 32), (300,))

try:
    import torch

    IS_ON_GPU = torch.cuda.is_available()
except ImportError:
    IS_ON_GPU = False


class Place:
    """Arrays, plans and streams that the threads share."""

    def __init__(self):
        self.device = None if IS_ON_GPU else "host"
        self.streams = [torch.cuda.Stream() for _ in range(2)] if IS_ON_GPU else [None, None]
        drawn = np.random.default_rng(1)
        self.hosts = [drawn.integers(-50, 50, shape, "int32") for shape in SHAPES]
        self.arrays = [self.here(host) for host in self.hosts]
        self.plans = [autotune.plan("sum", x, axis=-1, device=self.device) for x in self.arrays]
        if IS_ON_GPU:
            torch.cuda.synchronize()

    def here(self, host):
        return torch.tensor(host, device="cuda") if IS_ON_GPU else host

    def empty(self, which):
        shape = self.hosts[which].shape[:-1]
        return (
            torch.zeros(shape, dtype=torch.int64, device="cuda")
            if IS_ON_GPU
            else np.zeros(shape, "int64")
        )

    def on(self, stream):
        return torch.cuda.stream(stream) if stream is not None else contextlib.nullcontext()


class Interleavings(unittest.TestCase):
    def setUp(self):
        if not IS_ON_GPU:
            autotune.set_default_device("host")
            self.addCleanup(autotune.set_default_device, None)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        self.addCleanup(sys.setswitchinterval, interval)

    def draw(self, drawn):
        """A thread's steps: which stream, which array, and how it is called."""
        kinds = ("plan", "plan with out", "sum", "sum with out", "max")
        return [
            (drawn.randrange(2), drawn.randrange(len(SHAPES)), drawn.choice(kinds))
            for _ in range(STEPS)
        ]

    def take(self, place, step):
        stream, which, kind = step
        x, plan = place.arrays[which], place.plans[which]
        with place.on(place.streams[stream]):
            if kind == "plan":
                return plan(x)
            if kind == "plan with out":
                return plan(x, place.empty(which))
            if kind == "sum":
                return autotune.sum(x, axis=-1)
            if kind == "sum with out":
                return autotune.sum(x, axis=-1, out=place.empty(which))
            return autotune.max(x, axis=-1)

    def work(self, place, rounds, turn, wrong):
        try:
            for steps in rounds:
                turn.wait()
                made = [self.take(place, step) for step in steps]
                if IS_ON_GPU:
                    torch.cuda.synchronize()
                for (_, which, kind), got in zip(steps, made, strict=True):
                    want = getattr(np, "max" if kind == "max" else "sum")(
                        place.hosts[which], axis=-1
                    )
                    if not np.array_equal(got.cpu() if IS_ON_GPU else got, want):
                        wrong.append((kind, which, got, want))
        except BaseException:
            turn.abort()
            raise

    def test_two_threads_and_two_streams(self):
        place, drawn, wrong, died = Place(), random.Random(1), [], []
        turn = threading.Barrier(2)
        threads = [
            threading.Thread(
                target=self.work,
                args=(place, [self.draw(drawn) for _ in range(ROUNDS)], turn, wrong),
            )
            for _ in range(2)
        ]
        hook, threading.excepthook = threading.excepthook, died.append
        self.addCleanup(setattr, threading, "excepthook", hook)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((wrong, [str(one.exc_value) for one in died]), ([], []))


if __name__ == "__main__":
    unittest.main()
