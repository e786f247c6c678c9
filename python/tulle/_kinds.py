# SPDX-License-Identifier: Apache-2.0
"""Kinds of arrays: NumPy's, PyTorch's and CuPy's, seen alike. PyTorch and CuPy are used where the program has imported
them, or where it hands over an array of a third library that lives on a GPU; they are imported for nothing else."""
import importlib
import sys

import numpy as np

from ._context import cpu, gpu
from ._errors import InvalidArgument, Unsupported
from ._library import ffi, lib

HOST = -1
_HOST_DLPACK = 1  # kDLCPU, the device type of memory of a CPU


class Lent:
    """An array of the library's memory for NumPy, CuPy or PyTorch, which see it through an array interface. The owner
    lives as long as any view of the array."""

    def __init__(self, pointer, length, dtype, owner, interface):
        self.owner = owner
        described = {"shape": (length,), "typestr": np.dtype(dtype).str, "version": 3, "strides": None,
                     "data": (int(ffi.cast("intptr_t", pointer)), False)}
        setattr(self, interface, described)


class NumPy:
    """Arrays of NumPy, in host memory."""

    name = "NumPy"

    def __init__(self, numpy=np):
        self.module, self.array = numpy, numpy.ndarray
        self.floats = {np.dtype(np.float32): lib.TULLE_F32, np.dtype(np.float64): lib.TULLE_F64}
        self.indices = {np.dtype(np.int32): 4, np.dtype(np.int64): 8}

    def device(self, array):
        """The number of the GPU in whose memory an array is; HOST: it is in host memory."""
        return HOST

    def pointer(self, array):
        return array.__array_interface__["data"][0]

    def edits(self, array):
        """A number that changes when the array is edited in place; None where the library does not count edits."""
        return None

    def alias(self, array):
        """An array of the same memory, which keeps the memory alive."""
        return array

    def is_dense(self, array):
        return True

    def is_sparse_csr(self, array):
        return False

    def tracks(self, array):
        """True where gradients are wanted of what is computed with the array."""
        return False

    def is_plain(self, array):
        """True where the numbers follow each other in memory."""
        return array.flags.c_contiguous and array.flags.aligned

    def plain(self, array):
        """The array, or a copy whose numbers follow each other."""
        return array if self.is_plain(array) else np.array(array, order="C")

    def strides(self, array):
        """Strides in numbers; None where the memory cannot be read in steps of whole numbers."""
        size = array.itemsize
        whole = array.flags.aligned and all(step % size == 0 for step in array.strides)
        return tuple(step // size for step in array.strides) if whole else None

    def empty(self, shape, like, device):
        """A new array on a device, of the type of an array that is there."""
        return np.empty(shape, like.dtype)

    def copy_to(self, target, source):
        target[...] = source

    def around(self, pointer, length, dtype, owner, device):
        """An array of this kind on memory of the library, which the owner keeps alive."""
        if length == 0:
            return np.empty(0, dtype)
        return np.asarray(Lent(pointer, length, dtype, owner, "__array_interface__"))

    def context(self, device, solving=False):
        """The context of this thread in which the caller's work runs: on a GPU that of his current stream."""
        return cpu()

    def place(self, device):
        return "the CPU" if device == HOST else f"GPU {device}"


class CuPy(NumPy):
    """Arrays of CuPy, in the memory of a GPU. What this class inherits serves CuPy's arrays, since their attributes are
    those of NumPy's."""

    name = "CuPy"

    def __init__(self, cupy):
        super().__init__()
        self.module, self.array = cupy, cupy.ndarray
        self._current = cupy.cuda.runtime.getDevice

    def device(self, array):
        return array.data.device_id

    def pointer(self, array):
        return array.data.ptr

    def is_plain(self, array):
        return array.flags.c_contiguous

    def plain(self, array):
        return array if array.flags.c_contiguous else self.module.ascontiguousarray(array)

    def strides(self, array):
        return tuple(step // array.itemsize for step in array.strides)

    def empty(self, shape, like, device):
        if self._current() == device:
            return self.module.empty(shape, like.dtype)
        with self.module.cuda.Device(device):
            return self.module.empty(shape, like.dtype)

    def around(self, pointer, length, dtype, owner, device):
        with self.module.cuda.Device(device):
            if length == 0:
                return self.module.empty(0, dtype)
            return self.module.asarray(Lent(pointer, length, dtype, owner, "__cuda_array_interface__"))

    def context(self, device, solving=False):
        if self._current() == device:
            stream = self.module.cuda.get_current_stream()
        else:
            with self.module.cuda.Device(device):
                stream = self.module.cuda.get_current_stream()
        return gpu(device, stream.ptr, solving, stream)


NO_TRANSFORMS = ("transforms of torch.func (vmap, grad, jvp), batched gradients and derivatives in forward mode are "
                 "not supported: torch.autograd.grad, and torch.autograd.functional without vectorize, are")


class PyTorch:
    """Tensors of PyTorch, in host memory or in that of a GPU."""

    name = "PyTorch"

    def __init__(self, torch):
        self.module, self.array = torch, torch.Tensor
        self.floats = {torch.float32: lib.TULLE_F32, torch.float64: lib.TULLE_F64}
        self.indices = {torch.int32: 4, torch.int64: 8}
        self._numbers = {np.dtype(np.float32): torch.float32, np.dtype(np.float64): torch.float64,
                         np.dtype(np.int32): torch.int32, np.dtype(np.int64): torch.int64}
        # The first function, which PyTorch's own generated code calls, gives the stream's address without an object.
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        self._stream = raw or (lambda device: torch.cuda.current_stream(device).cuda_stream)
        self._forward = torch.autograd.forward_ad

    def device(self, array):
        if array.is_cuda:
            return array.get_device()
        if not array.is_cpu:
            raise InvalidArgument(f"a tensor lives on {array.device}: CPUs and CUDA's GPUs are computed on")
        return HOST

    def pointer(self, array):
        """The address of the numbers. Tensors of torch.func have none; those of forward mode have a derivative, too, of
        which a product would lose sight."""
        if getattr(self._forward, "_current_level", -1) >= 0 and self._forward.unpack_dual(array).tangent is not None:
            raise Unsupported(NO_TRANSFORMS)
        try:
            return array.data_ptr()
        except RuntimeError as error:
            raise Unsupported(NO_TRANSFORMS) from error

    def edits(self, array):
        """The number of edits that PyTorch counts; None of a tensor of its inference mode, where it counts none. It
        leaves out edits of `array.data`, of other libraries' arrays on the same memory, and of replayed CUDA graphs."""
        return None if array.is_inference() else array._version

    def alias(self, array):
        return array.detach()

    def is_dense(self, array):
        return array.layout is self.module.strided

    def is_sparse_csr(self, array):
        return array.layout is self.module.sparse_csr

    def tracks(self, array):
        return array.requires_grad and self.module.is_grad_enabled()

    def is_plain(self, array):
        return array.is_contiguous() and not array.is_neg()

    def plain(self, array):
        return array.resolve_neg().contiguous()

    def strides(self, array):
        return None if array.is_neg() else array.stride()

    def empty(self, shape, like, device):
        return like.new_empty(shape)

    def copy_to(self, target, source):
        target.copy_(source)

    def around(self, pointer, length, dtype, owner, device):
        if length == 0:
            where = "cpu" if device == HOST else f"cuda:{device}"
            return self.module.empty(0, dtype=self._numbers[np.dtype(dtype)], device=where)
        if device == HOST:
            return self.module.from_numpy(np.asarray(Lent(pointer, length, dtype, owner, "__array_interface__")))
        lent = Lent(pointer, length, dtype, owner, "__cuda_array_interface__")
        return self.module.as_tensor(lent, device=f"cuda:{device}")

    def context(self, device, solving=False):
        return cpu() if device == HOST else gpu(device, self._stream(device), solving)

    place = NumPy.place


NUMPY = NumPy()
_MAKERS = {"torch": (PyTorch, "Tensor"), "cupy": (CuPy, "ndarray")}
_made = {}  # kinds by the name of their module
_of_type = {np.ndarray: NUMPY}


def _imported(name):
    """The kind of a module that the program has imported; None where it has not."""
    maker, array = _MAKERS[name]
    module = sys.modules.get(name)
    if not hasattr(module, array):
        return None
    if name not in _made:
        _made[name] = maker(module)
    return _made[name]


def _kind_of_type(cls):
    for name in _MAKERS:
        kind = _imported(name)
        if kind is not None and issubclass(cls, kind.array):
            return kind
    return NUMPY if issubclass(cls, np.ndarray) else None


def kind_of(array):
    """The kind of an array; None where it is of none of these libraries."""
    cls = type(array)
    kind = _of_type.get(cls)
    if kind is None:
        kind = _kind_of_type(cls)
        if kind is not None:
            _of_type[cls] = kind
    return kind


def is_foreign(thing):
    """True for what PyTorch and CuPy make: tensors, arrays and sparse matrices on a GPU."""
    return kind_of(thing) not in (None, NUMPY) or type(thing).__module__.split(".")[0] == "cupyx"


def _of_gpu(array):
    """CuPy, or else PyTorch, for an array of another library in the memory of a GPU."""
    for name in ("cupy", "torch"):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
        return _imported(name)
    raise InvalidArgument(f"{type(array).__name__} is an array on a GPU: CuPy or PyTorch is wanted to see it, and to "
                          f"make results")


def taken(array):
    """The array and its kind, on the same memory: an array of another library is seen by CuPy or PyTorch, or by NumPy,
    through `__cuda_array_interface__`, `__dlpack__` or `__array_interface__`; lists become arrays of NumPy."""
    kind = kind_of(array)
    if kind is not None:
        return array, kind
    if hasattr(array, "__cuda_array_interface__"):
        kind = _of_gpu(array)
        maker = kind.module.as_tensor if kind.name == "PyTorch" else kind.module.asarray
    elif hasattr(array, "__dlpack_device__"):
        kind = NUMPY if array.__dlpack_device__()[0] == _HOST_DLPACK else _of_gpu(array)
        maker = kind.module.from_dlpack
    else:
        kind, maker = NUMPY, np.asarray
    return maker(array), kind
