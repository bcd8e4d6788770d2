# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's OrtValue: an array of the host, or a tensor on a device."""
from __future__ import annotations

from typing import Any, Sequence

import numpy
from numpy import ndarray as _ndarray

from ._errors import InvalidArgumentError, UnsupportedError
from ._module import Module
from ._runtime import Tensor

# TensorProto.DataType by the names of NumPy's types and of those of ml_dtypes, and as ONNX Runtime writes them.
_ELEMENTS = {"float32": (1, "float"), "uint8": (2, "uint8"), "int8": (3, "int8"), "uint16": (4, "uint16"), "int16": (5, "int16"),
             "int32": (6, "int32"), "int64": (7, "int64"), "bool": (9, "bool"), "float16": (10, "float16"),
             "float64": (11, "double"), "uint32": (12, "uint32"), "uint64": (13, "uint64"), "bfloat16": (16, "bfloat16"),
             "float8_e4m3fn": (17, "float8e4m3fn"), "float8_e4m3fnuz": (18, "float8e4m3fnuz"), "float8_e5m2": (19, "float8e5m2"),
             "float8_e5m2fnuz": (20, "float8e5m2fnuz"), "uint4": (21, "uint4"), "int4": (22, "int4"),
             "float4_e2m1fn": (23, "float4e2m1"), "float8_e8m0fnu": (24, "float8e8m0")}


def element_dtype(element_type: Any) -> numpy.dtype[Any]:
    """NumPy's type for one of NumPy or a number of onnx.TensorProto.DataType."""
    if isinstance(element_type, int) and not isinstance(element_type, bool):
        for name, (number, _) in _ELEMENTS.items():
            if number == element_type:
                return _dtype_of(name)
        raise UnsupportedError(f"the element type {element_type} of onnx.TensorProto is not known here")
    dtype: numpy.dtype[Any] = numpy.dtype(element_type)
    return dtype


def _dtype_of(name: str) -> numpy.dtype[Any]:
    try:
        dtype: numpy.dtype[Any] = numpy.dtype(name)
    except TypeError:
        try:
            import ml_dtypes
        except ImportError:
            raise UnsupportedError(f"elements of type {name} need the package ml_dtypes") from None
        dtype = numpy.dtype(getattr(ml_dtypes, name))
    return dtype


def is_packed(dtype: numpy.dtype[Any]) -> bool:
    """Whether ONNX Runtime has two elements in a byte, where arrays have one."""
    return dtype.name in ("uint4", "int4", "float4_e2m1fn")


def kind_of(device_type: str) -> str:
    """'cpu', or 'gpu' for any other device that ONNX Runtime's values may lie on."""
    kind = device_type.lower()
    if kind not in ("cpu", "cuda", "cuda_pinned", "gpu", "vulkan"):
        raise InvalidArgumentError(f"a value lies on 'cpu', 'cuda', 'vulkan' or 'gpu', got '{device_type}'")
    return "cpu" if kind in ("cpu", "cuda_pinned") else "gpu"


class OrtValue:
    """A tensor: `OrtValue.ortvalue_from_numpy(x)`. One for a device goes there with the first session that uses it."""

    def __init__(self, value: Any, device_type: str = "cpu"):
        self._value = value
        self._kind = kind_of(device_type) if not isinstance(value, Tensor) else "cpu"

    @classmethod
    def ortvalue_from_numpy(cls, numpy_obj: Any, /, device_type: str = "cpu", device_id: int = 0) -> OrtValue:
        return cls(numpy.ascontiguousarray(numpy_obj).reshape(numpy.shape(numpy_obj)), device_type)

    @classmethod
    def ortvalue_from_shape_and_type(cls, shape: Sequence[int], element_type: Any, device_type: str = "cpu",
                                     device_id: int = 0) -> OrtValue:
        return cls(numpy.empty(shape, element_dtype(element_type)), device_type)

    @classmethod
    def from_dlpack(cls, data: Any, /) -> OrtValue:
        return cls(numpy.from_dlpack(data))

    def _on(self, module: Module) -> Any:
        """What a call of the module takes."""
        if self._kind == "gpu" and not isinstance(self._value, Tensor):
            self._value = module.to_device(self._value)
        return self._value

    def numpy(self) -> _ndarray[Any, Any]:
        value: _ndarray[Any, Any] = self._value.numpy() if isinstance(self._value, Tensor) else self._value
        return value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> _ndarray[Any, Any]:
        array = self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        return self._value.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        place: tuple[int, int] = self._value.__dlpack_device__()
        return place

    def update_inplace(self, np_arr: Any) -> None:
        """Other elements of the same type and shape, where the old ones were."""
        array = np_arr.numpy() if isinstance(np_arr, OrtValue) else numpy.asarray(np_arr)
        if array.dtype != self._value.dtype or tuple(array.shape) != tuple(self._value.shape):
            raise InvalidArgumentError(f"the value has the type {self._value.dtype} and the shape {tuple(self._value.shape)}, "
                                       f"got {array.dtype} and {tuple(array.shape)}")
        if isinstance(self._value, Tensor):
            raise UnsupportedError("a value that lies on a device cannot be written in place; make another one")
        self._value[...] = array

    def shape(self) -> list[int]:
        return list(self._value.shape)

    def data_type(self) -> str:
        name = self._value.dtype.name
        return f"tensor({_ELEMENTS[name][1] if name in _ELEMENTS else name})"

    def element_type(self) -> int:
        return _ELEMENTS[self._value.dtype.name][0]

    def tensor_size_in_bytes(self) -> int:
        return int(self._value.nbytes)

    def data_ptr(self) -> int:
        if isinstance(self._value, Tensor):
            raise UnsupportedError("memory of a device is reached by DLPack: torch.from_dlpack(value)")
        if is_packed(self._value.dtype):
            raise UnsupportedError(f"elements of {self._value.dtype.name} lie two in a byte in memory of ONNX Runtime, and in one each here; "
                                   "numpy() gives them")
        return int(self._value.ctypes.data)

    def device_name(self) -> str:
        if isinstance(self._value, Tensor):
            driver = self._value.device.split("?")[0].split(":")[0]
            return "cpu" if driver in ("host", "local") else driver
        return "cpu" if self._kind == "cpu" else "gpu"

    def has_value(self) -> bool:
        return True

    def is_tensor(self) -> bool:
        return True

    def is_sparse_tensor(self) -> bool:
        return False

    def is_tensor_sequence(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<heddle.OrtValue {self.data_type()} {self.shape()} on {self.device_name()}>"
