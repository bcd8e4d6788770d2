# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's IOBinding: inputs and outputs of later calls, by name."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Sequence

import numpy

from ._errors import InvalidArgumentError, UnsupportedError
from ._ortvalue import OrtValue, element_dtype, is_packed, kind_of
from ._runtime import Tensor

if TYPE_CHECKING:
    from ._session import Session


def _host_memory(what: str, device_type: str, element_type: Any, shape: Sequence[int] | None, pointer: int) -> Any:
    if kind_of(device_type) != "cpu":
        raise UnsupportedError(f"{what}: a bare pointer into memory of a device says too little; bind what speaks DLPack (a tensor of "
                               "torch, a cupy array) with bind_ortvalue_input(name, value)")
    if element_type is None or shape is None:
        raise InvalidArgumentError(f"{what}: memory that is bound has an element_type and a shape, got {element_type!r} and {shape!r}")
    dtype = element_dtype(element_type)
    if is_packed(dtype):
        raise UnsupportedError(f"{what}: elements of {dtype.name} lie two in a byte in memory of ONNX Runtime, and in one each in arrays; "
                               f"give an array of ml_dtypes.{dtype.name} to bind_cpu_input() or bind_ortvalue_output()")
    size = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(pointer)
    return numpy.ndarray(tuple(shape), dtype, memoryview(memory))


class IOBinding:
    """`binding = session.io_binding()`, then bind_…(), `session.run_with_iobinding(binding)` and get_outputs().

    An output with memory of yours is written there. One for a device stays there; bind it to the next call's input.
    """

    def __init__(self, session: Session):
        self._session = session
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, tuple[str, Any]] = {}  # where it is to lie, and in what
        self._got: dict[str, Any] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        self._check_input(name)
        self._inputs[name] = arr_on_cpu

    def bind_input(self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int) -> None:
        """Memory of the host at an address, which must live as long as the binding."""
        self._check_input(name)
        self._inputs[name] = _host_memory(f"input '{name}'", device_type, element_type, shape, buffer_ptr)

    def bind_ortvalue_input(self, name: str, ortvalue: Any) -> None:
        """An OrtValue, or anything that a call takes: a heddle.Tensor, an array, what speaks DLPack."""
        self._check_input(name)
        self._inputs[name] = ortvalue

    def bind_output(self, name: str, device_type: str = "cpu", device_id: int = 0, element_type: Any = None,
                    shape: Sequence[int] | None = None, buffer_ptr: int | None = None) -> None:
        self._session._indices([name])
        storage = None if buffer_ptr is None else _host_memory(f"output '{name}'", device_type, element_type, shape, buffer_ptr)
        self._outputs[name] = (kind_of(device_type), storage)

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        self._session._indices([name])
        if ortvalue._kind == "gpu" and not isinstance(ortvalue._value, Tensor):
            ortvalue._value = self._session.module.empty(ortvalue.shape(), ortvalue._value.dtype)
        self._outputs[name] = ("gpu" if isinstance(ortvalue._value, Tensor) else "cpu", ortvalue)

    def clear_binding_inputs(self) -> None:
        self._inputs.clear()

    def clear_binding_outputs(self) -> None:
        self._outputs.clear()
        self._got.clear()

    def synchronize_inputs(self) -> None:
        """Nothing to do: calls wait for what they need."""

    def synchronize_outputs(self) -> None:
        """Nothing to do: a call that returned is done."""

    def get_outputs(self) -> list[OrtValue]:
        """In the order in which they were bound, of the last call."""
        return [value if isinstance(value, OrtValue) else self._session._ort_value(value) for value in self._got.values()]

    def copy_outputs_to_cpu(self) -> list[Any]:
        return [value.numpy() for value in self.get_outputs()]

    def _check_input(self, name: str) -> None:
        if name not in self._session._arguments:
            self._session._feed({name: None})  # says so

    def _run(self, run_options: Any) -> None:
        session = self._session
        if not self._outputs:
            raise InvalidArgumentError("no output is bound; bind_output(name) before the call")
        feed = {name: value._on(session.module) if isinstance(value, OrtValue) else value for name, value in self._inputs.items()}
        storage = [None] * len(session._results)
        for name, (_, place) in self._outputs.items():
            storage[session._results.index(name)] = place._value if isinstance(place, OrtValue) else place
        options: dict[str, Any] = {}
        if any(place is not None for place in storage):
            options["out"] = tuple(storage)
        if any(kind == "gpu" and place is None for kind, place in self._outputs.values()):
            options["on"] = 0
        results = session._call(session._feed(feed), run_options, **options)
        self._got = {name: self._take(results[session._results.index(name)], kind, place)
                     for name, (kind, place) in self._outputs.items()}

    @staticmethod
    def _take(result: Any, kind: str, place: Any) -> Any:
        if isinstance(place, OrtValue):
            if tuple(result.shape) != tuple(place.shape()):  # on the beginning of larger memory
                return result
            return place
        return result.numpy() if kind == "cpu" and isinstance(result, Tensor) else result
