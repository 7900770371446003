"""Arrays in a GPU's memory, over a driver that stands in for one (tests/device/fake_cuda.c): which
GPU, stream and addresses a launch gets, who waits, and that nothing is left over.

The stand-in's memory is the host's, and each of its kernels stores its second argument, how many
rows there are, where its first points, at the elements. Run by tests/command/python.sh.
"""

import ctypes
import gc
import os
import sys
import unittest
from unittest import mock

import numpy as np

import autotune
from autotune import _core, _devices, _plan

FAKE = ctypes.CDLL("libcuda.so.1")


def number(name):
    """A variable of the stand-in."""
    return ctypes.c_int.in_dll(FAKE, name)


class OnGpu:
    """An array in GPU memory, by one of the two protocols."""

    def __init__(self, array, stream=None, gpu=0):
        self.array, self.stream, self.gpu, self.asked = array, stream, gpu, []

    @property
    def shape(self):
        return self.array.shape


class ByInterface(OnGpu):
    @property
    def __cuda_array_interface__(self):
        return {**self.array.__array_interface__, "stream": self.stream}


class DeviceNDArray(ByInterface):
    """As Numba's, which compute nothing; below what takes them over."""

    __module__ = "numba.cuda.cudadrv.devicearray"

    def copy_to_host(self):
        return self.array.copy()


class numba:
    class cuda:
        to_device = DeviceNDArray

        @staticmethod
        def as_cuda_array(array):
            return DeviceNDArray(array.copy_to_host())


class ByDlpack(OnGpu):
    def __dlpack_device__(self):
        return (2, self.gpu)

    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        return self.array.__dlpack__()


def first_word(array):
    """What a kernel of the stand-in stored at the elements: how many rows it was to combine."""
    return int(array.view("uint64").flat[0])


class StandIn(unittest.TestCase):
    def setUp(self):
        number("fake_count").value = 2
        self.leave(1 << 31)
        self.x = np.arange(12, dtype="float32").reshape(3, 4)

    def leave(self, bytes):
        """So much memory is free from now on."""
        used = ctypes.c_uint64.in_dll(FAKE, "fake_used").value
        ctypes.c_uint64.in_dll(FAKE, "fake_memory").value = used + bytes

    def test_interface(self):
        got = autotune.sum(ByInterface(self.x, stream=77), axis=1)
        self.assertIsInstance(got, autotune.DeviceArray)
        self.assertEqual((got.shape, got.type.name), ((3,), "float32"))
        self.assertEqual(first_word(self.x), 3)
        interface = got.__cuda_array_interface__
        self.assertEqual((interface["shape"], interface["typestr"]), ((3,), "<f4"))
        self.assertEqual(interface["data"], (got.address, False))
        self.assertEqual(got.__dlpack_device__(), (2, 0))

    def test_dlpack(self):
        x = ByDlpack(self.x, gpu=1)
        got = autotune.sum(x, axis=0)
        self.assertEqual(x.asked, [1])
        self.assertEqual(first_word(self.x), 3)
        self.assertEqual(got.__dlpack_device__(), (2, 1))

    def test_out(self):
        out = np.zeros(4, "float32")
        target = ByInterface(out)
        self.assertIs(autotune.sum(ByInterface(self.x), axis=0, out=target), target)
        self.assertEqual(first_word(self.x), 3)
        with self.assertRaisesRegex(ValueError, "not on the same device"):
            autotune.sum(ByInterface(self.x), axis=0, out=out)

    def test_middle_axis_is_one_launch(self):
        x = np.zeros((3, 4, 6), "float32")
        plan = autotune.plan("sum", ByInterface(x), axis=1)
        before = number("fake_launches").value
        plan(ByInterface(x))
        self.assertEqual(number("fake_launches").value - before, 1)
        self.assertEqual([first_word(x[i]) for i in range(3)], [4, 0, 0])
        plan = autotune.plan("sum", ByInterface(x), axis=1, order="n")
        self.assertEqual(plan.launches % 3, 0)  # there a call for each

    def test_results_are_handed_over(self):
        capsule = autotune.sum(ByInterface(self.x), axis=1).__dlpack__()
        tensor = _core.Tensor(capsule)
        self.assertEqual((tensor.shape, tensor.type, tensor.device), ((3,), (2, 32, 1), (2, 0)))
        with self.assertRaises(ValueError):
            _core.Tensor(capsule)  # once

    def test_arrays_that_compute_nothing(self):
        with mock.patch.dict(sys.modules, numba=numba):
            for kind in (DeviceNDArray, ByInterface):
                x = kind(self.x.copy())
                given = DeviceNDArray if kind is DeviceNDArray else autotune.DeviceArray
                for got, dtype in (
                    (autotune.any(x, axis=1), "bool"),
                    (autotune.sum(x, axis=1, dtype="float64"), "float64"),
                    (autotune.max(x, axis=1, dtype="float64"), "float64"),
                    (autotune.var(x, axis=1, ddof=1), "float32"),
                    (autotune.argmax(x, axis=1), "int64"),
                ):
                    self.assertIs(type(got), given)
                    self.assertEqual((got.shape, got.copy_to_host().dtype), ((3,), dtype))

    def test_host_data(self):
        before = number("fake_launches").value
        self.assertEqual(autotune.sum(self.x).dtype, np.float32)
        self.assertEqual(autotune.sum(self.x, axis=1, device=1).shape, (3,))
        self.assertEqual(autotune.mean(self.x).dtype, np.float32)
        self.assertGreaterEqual(number("fake_launches").value - before, 3)

    def test_several_arrays(self):
        x, y = self.x, 2 * self.x
        got = autotune.dot(ByInterface(x), ByInterface(y, stream=77), axis=1)
        self.assertIsInstance(got, autotune.DeviceArray)
        self.assertEqual((got.shape, got.type.name), ((3,), "float32"))
        self.assertEqual(first_word(x), 3)
        with self.assertRaisesRegex(ValueError, "x and y are not on the same device"):
            autotune.dot(ByInterface(x), y)

    def test_several_arrays_of_the_host(self):
        y = 2 * self.x
        seen = []

        def execute(step, source, results, stream, params, further):
            sizes = zip((source, *further), (48, wanted.nbytes))
            seen.extend(ctypes.string_at(address, size) for address, size in sizes)

        with mock.patch.object(_plan._Step, "_execute", execute):
            for wanted in (y, y[0], y[:, 0].copy(), y[:1, 1:2]):
                seen.clear()
                autotune.dot(self.x, wanted, axis=1)
                self.assertEqual(seen, [self.x.tobytes(), wanted.tobytes()])
        before = number("fake_launches").value
        self.assertEqual(autotune.dot(self.x, y, device=1).shape, ())
        self.assertGreater(number("fake_launches").value, before)

    def test_pipelines_are_shared(self):
        _devices.release()
        for n in range(1, 40):
            autotune.sum(np.ones(n, "float32"))
        self.assertEqual(len(_devices._pipelines), 1)
        for name in ("sum", "max", "min", "prod", "abs_max", "any"):
            getattr(autotune, name)(np.ones(5, "float32"))
        self.assertEqual(len(_devices._pipelines), 4)

    def test_kernel_fails(self):
        x = ByInterface(self.x)
        autotune.sum(x, axis=1)
        number("fake_sync_result").value = 700
        self.addCleanup(setattr, number("fake_sync_result"), "value", 0)
        with self.assertRaisesRegex(RuntimeError, "CUDA_ERROR_ILLEGAL_ADDRESS"):
            autotune.sum(x, axis=1)

    def test_no_room(self):
        with self.assertRaisesRegex(MemoryError, "no room for 8388608 bytes on GPU 0: "):
            self.leave(1 << 20)
            autotune.sum(np.zeros((1 << 10, 1 << 11), "float32"), axis=1)

    def test_emulator_takes_no_gpu_array(self):
        with self.assertRaisesRegex(ValueError, "the array is on GPU 0"):
            autotune.sum(ByInterface(self.x), device="host")

    def test_context_of_the_caller_stays(self):
        current = ctypes.c_void_p()
        mine = ctypes.addressof((ctypes.c_uint64 * 8).in_dll(FAKE, "fake_context_ids")) + 8
        FAKE.cuCtxSetCurrent(ctypes.c_void_p(mine))
        self.addCleanup(FAKE.cuCtxSetCurrent, None)
        autotune.sum(ByInterface(self.x), axis=1)
        FAKE.cuCtxGetCurrent(ctypes.byref(current))
        self.assertEqual(current.value, mine)

    def test_nothing_is_left(self):
        _devices.release()
        gc.collect()
        objects, contexts = number("fake_objects").value, number("fake_contexts").value
        for x in (ByInterface(self.x), ByDlpack(self.x, gpu=1), self.x):
            got = autotune.sum(x, axis=1)
            del got
        autotune.DeviceArray(
            _devices.context(0), 0, (3,), autotune.plan("sum", ByInterface(self.x))._final
        ).__dlpack__()
        _devices.release()
        gc.collect()
        self.assertEqual(number("fake_objects").value, objects)
        self.assertEqual(number("fake_contexts").value, contexts)


if __name__ == "__main__":
    from run import Result

    os.environ.pop("CUDA_VISIBLE_DEVICES", None)
    unittest.defaultTestLoader.loadTestsFromTestCase(StandIn).run(Result())
