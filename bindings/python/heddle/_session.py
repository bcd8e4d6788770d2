# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.Session: a model behind the calls that users of ONNX Runtime know. heddle/onnxruntime.py has all of its names."""
from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

import numpy

from . import _runtime, _sources
from ._compile import Artifact
from ._errors import CancelledError, Error, InvalidArgumentError, NotFoundError, did_you_mean
from ._module import Module, load

if TYPE_CHECKING:
    from ._binding import IOBinding
    from ._ortvalue import OrtValue

# As ONNX Runtime writes the types that MLIR writes otherwise.
_TYPES = {"f32": "float", "f64": "double", "f16": "float16", "bf16": "bfloat16", "i1": "bool", "f8E4M3FN": "float8e4m3fn",
          "f8E4M3FNUZ": "float8e4m3fnuz", "f8E5M2": "float8e5m2", "f8E5M2FNUZ": "float8e5m2fnuz", "f8E8M0FNU": "float8e8m0",
          "f4E2M1FN": "float4e2m1"}

# What providers are in Heddle. The second: a remark for those that are something else in ONNX Runtime.
_PROVIDERS = {
    "CPUExecutionProvider": ("cpu", ""),
    "CUDAExecutionProvider": ("cuda", ""),
    "VulkanExecutionProvider": ("vulkan", ""),
    "TensorrtExecutionProvider": ("cuda", "Heddle's own code for CUDA takes its place"),
    "NvTensorRTRTXExecutionProvider": ("cuda", "Heddle's own code for CUDA takes its place"),
    "WebGpuExecutionProvider": ("gpu", "the first GPU that Heddle has a driver for takes its place"),
    "ROCMExecutionProvider": ("vulkan", "Heddle reaches GPUs of AMD by Vulkan"),
    "MIGraphXExecutionProvider": ("vulkan", "Heddle reaches GPUs of AMD by Vulkan"),
    "DmlExecutionProvider": ("gpu", "the first GPU that Heddle has a driver for takes its place"),
    "OpenVINOExecutionProvider": ("cpu", "Heddle's own code for the processor takes its place"),
    "DnnlExecutionProvider": ("cpu", "Heddle's own code for the processor takes its place"),
    "XnnpackExecutionProvider": ("cpu", "Heddle's own code for the processor takes its place"),
}
# By the kind of an input's NumPy type, kinds of numbers that it would cut.
_LOSSY = {"i": "fc", "u": "fc", "b": "iufc", "f": "c"}
_OF_DRIVERS = {"local": "CPUExecutionProvider", "cuda": "CUDAExecutionProvider", "vulkan": "VulkanExecutionProvider"}


def type_name(value: _runtime.Value) -> str:
    """'tensor(float)'"""
    kind = value.type
    if kind not in _TYPES and kind.startswith("ui"):
        kind = f"uint{kind[2:]}"
    elif kind not in _TYPES and kind.startswith("i"):
        kind = f"int{kind[1:]}"
    return f"tensor({_TYPES.get(kind, kind)})"


class NodeArg:
    """An input or an output: `name`, `type` ('tensor(float)'), `shape` (a name for a size that calls decide, None where it has none)."""

    def __init__(self, name: str, type: str, shape: list[int | str | None]):
        self.name = name
        self.type = type
        self.shape = shape

    def __repr__(self) -> str:
        return f"NodeArg(name={self.name!r}, type={self.type!r}, shape={self.shape})"

    __str__ = __repr__


class ModelMetadata:
    """What the model's file says of itself, by the names that ONNX Runtime has for it."""

    def __init__(self, module: Module):
        self.producer_name = module._model_fact("producer_name")
        self.graph_name = module._model_fact("graph_name")
        self.domain = module._model_fact("domain")
        self.description = module._model_fact("description")
        self.graph_description = module._model_fact("graph_description")
        self.version = int(module._model_fact("version") or 0)
        self.custom_metadata_map = module.metadata


def devices_of(providers: Iterable[Any]) -> list[str]:
    """Devices for names of ONNX Runtime's providers, or pairs of a name and options; those of absent devices are left out
    with a warning, as there. Of options the `device_id` counts; the others say how ONNX Runtime works."""
    chosen: list[str] = []
    for entry in providers:
        name, options = entry if isinstance(entry, (tuple, list)) and len(entry) == 2 else (entry, None)
        if not isinstance(name, str) or not isinstance(options, (Mapping, type(None))):
            raise InvalidArgumentError(f"a provider is a name, or a pair of a name and a dictionary of options, got {entry!r}")
        if name not in _PROVIDERS:
            raise InvalidArgumentError(f"no provider is called {name!r}{did_you_mean(name, _PROVIDERS)}; known: {', '.join(_PROVIDERS)}")
        device, remark = _PROVIDERS[name]
        if remark:
            warnings.warn(f"{name}: {remark}", UserWarning, stacklevel=4)
        number = str((options or {}).get("device_id", 0))
        if not number.isdecimal():
            raise InvalidArgumentError(f"{name}: 'device_id' is a number from 0, got {number!r}")
        if device != "cpu" and int(number):
            device = f"{device}://{int(number)}"
        reason = _sources.why_absent(device)
        if reason:
            warnings.warn(f"{name} is left out: {reason}", UserWarning, stacklevel=4)
        elif device not in chosen:
            chosen.append(device)
    return chosen


class Session:
    """A model that is ready to run: `Session("m.onnx", devices=["cpu"], threads=4)`.

    `model` is what load() takes: a model (compiled, and kept for the next time), an artifact, bytes of either, or a Module.
    The model runs on the first of `devices` (names or URIs) that is there; `providers` are ONNX Runtime's names for them.
    `threads`: how many work on a call. Other keywords are those of compile().
    """

    def __init__(self, model: Any, devices: str | Iterable[str] = (), *, threads: int | None = None,
                 providers: Iterable[Any] | None = None, **flags: Any):
        uris = [devices] if isinstance(devices, str) else list(devices)
        if providers is not None:
            if uris:
                raise InvalidArgumentError("devices and providers say the same thing; give one of them")
            uris = devices_of(providers)
        if isinstance(model, Module):
            if uris or threads or flags:
                raise InvalidArgumentError("a Module has its devices, threads and program; give the model or its artifact instead")
            self.module = model
        else:
            self.module = _load(model, uris, threads, flags)
        self._name = os.fspath(model) if isinstance(model, (str, os.PathLike)) else _sources.where(self.module.artifact)
        self._function = self.module._find(None)
        self._arguments = {value.name: value for value in self._function.arguments}
        self._results = [value.name for value in self._function.results]
        self._unnamed = {f"{value.name}_d{i}" for value in self._function.arguments for i in range(len(value.shape))}

    def _describe(self, values: Iterable[_runtime.Value]) -> list[NodeArg]:
        # An input's size without a name has one of its own in Heddle, and none in ONNX Runtime.
        return [NodeArg(value.name, type_name(value), [None if size == "" or size in self._unnamed else size for size in value.shape])
                for value in values]

    def get_inputs(self) -> list[NodeArg]:
        """The inputs that run() must be given."""
        return self._describe(value for value in self._arguments.values() if not value.has_default)

    def get_overridable_initializers(self) -> list[NodeArg]:
        """Inputs that the model has values for."""
        return self._describe(value for value in self._arguments.values() if value.has_default)

    def get_outputs(self) -> list[NodeArg]:
        return self._describe(self._function.results)

    def get_modelmeta(self) -> ModelMetadata:
        return ModelMetadata(self.module)

    def get_providers(self) -> list[str]:
        """ONNX Runtime's names for the devices that the model runs on."""
        drivers = [device.uri.split("?")[0].split(":")[0] for device in self.module.devices] + ["local"]
        return list(dict.fromkeys(_OF_DRIVERS[driver] for driver in drivers if driver in _OF_DRIVERS))

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any], run_options: Any = None) -> list[Any]:
        """The outputs of these names, in their order (None: all, in the model's order) for inputs by name.

        Inputs are arrays, of the input's own type, or lists of numbers. `run_options.terminate`, set by another thread, ends
        the call.
        """
        wanted = self._indices(output_names)
        results = self._call(self._feed(input_feed), run_options)
        return [results[index] for index in wanted]

    def run_async(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any],
                  callback: Callable[[list[Any], Any, str], None], user_data: Any, run_options: Any = None) -> None:
        """Starts run() and returns; `callback(outputs, user_data, error)` is called on another thread, the error "" for none.

        module.start() gives a future instead, which asyncio can await.
        """
        from . import _future
        wanted = self._indices(output_names)
        future = self._start(self._feed(input_feed), {})

        def tell() -> None:
            outputs: list[Any] = []
            message = ""
            try:
                results = _as_tuple(self._wait(future, run_options))
                outputs = [results[index] for index in wanted]
            except Exception as error:  # the callback is what tells of it, whatever it is
                message = str(error)
            callback(outputs, user_data, message)

        _future._waiters.submit(tell)

    def io_binding(self) -> IOBinding:
        """Inputs and outputs that stay where they are between calls: run_with_iobinding(binding)."""
        from ._binding import IOBinding
        return IOBinding(self)

    def run_with_iobinding(self, iobinding: IOBinding, run_options: Any = None) -> None:
        iobinding._run(run_options)

    def run_with_ort_values(self, output_names: Sequence[str] | None, input_dict_ort_values: Mapping[str, OrtValue],
                            run_options: Any = None) -> list[OrtValue]:
        """As run(), with OrtValues."""
        feed = {name: value._on(self.module) for name, value in input_dict_ort_values.items()}
        return [self._ort_value(result) for result in self.run(output_names, feed, run_options)]

    def _ort_value(self, value: Any) -> OrtValue:
        from ._ortvalue import OrtValue
        return OrtValue(value)

    def _indices(self, output_names: Sequence[str] | None) -> list[int]:
        if isinstance(output_names, str):
            raise InvalidArgumentError(f"output_names is a list of names, or None for all; got the text {output_names!r}")
        names = list(output_names or self._results)
        for name in names:
            if name not in self._results:
                raise InvalidArgumentError(f"the model has no output {name!r}{did_you_mean(name, self._results)}; it has {', '.join(self._results)}")
        return [self._results.index(name) for name in names]

    def _feed(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(feed, Mapping):
            raise InvalidArgumentError(f"input_feed is a dictionary of arrays by the names of inputs, got {type(feed).__name__}")
        for name in feed:
            if name not in self._arguments:
                raise InvalidArgumentError(f"the model has no input {name!r}{did_you_mean(name, self._arguments)}; it has {', '.join(self._arguments)}")
        missing = [name for name, value in self._arguments.items() if name not in feed and not value.has_default]
        if missing:
            raise InvalidArgumentError(f"inputs are missing: {', '.join(missing)}; the model takes {', '.join(self._arguments)}")
        return {name: self._array(name, value) for name, value in feed.items()}

    # ONNX Runtime takes lists of numbers for tensors of the input's own type.
    def _array(self, name: str, value: Any) -> Any:
        if not isinstance(value, (list, tuple, bool, int, float)):
            return value
        argument = self._arguments[name]
        try:
            given = numpy.asarray(value)
            if given.dtype.kind in "US":
                raise ValueError("got text")
            if given.size and given.dtype.kind in _LOSSY.get(argument.dtype.kind, ""):
                raise ValueError(f"got {given.dtype}, of which nothing is to be lost")
            return numpy.asarray(value, argument.dtype)
        except (ValueError, TypeError, OverflowError) as error:
            raise InvalidArgumentError(f"input {name!r} takes an array of {argument.type}: {error}") from None

    def _call(self, feed: dict[str, Any], run_options: Any, **options: Any) -> Sequence[Any]:
        if run_options is not None:
            if getattr(run_options, "terminate", False):
                raise CancelledError("run_options.terminate was set before the call")
            return _as_tuple(self._wait(self._start(feed, options), run_options))
        return _as_tuple(self._function(feed, **options))

    # In a dictionary, where names of the model may be those of options, also of inputs that are left out.
    def _start(self, feed: dict[str, Any], options: dict[str, Any]) -> _runtime.Future:
        return self._function.start(feed, **options)

    @staticmethod
    def _wait(future: _runtime.Future, run_options: Any) -> Any:
        if run_options is None:
            return future.result()
        while not future.done():
            if getattr(run_options, "terminate", False):
                future.cancel()
                break
            try:
                return future.result(timeout=0.02)
            except TimeoutError:
                if future.done():
                    break
        return future.result()

    def __repr__(self) -> str:
        return f"<heddle.Session {self._name} on {', '.join(device.uri for device in self.module.devices)}>"


def _as_tuple(results: Any) -> Sequence[Any]:
    return results if isinstance(results, tuple) else (results,)


def _load(model: Any, uris: list[str], threads: int | None, flags: dict[str, Any]) -> Module:
    if isinstance(model, (str, os.PathLike)) and not (isinstance(model, str) and "\n" in model) and not os.path.exists(model):
        raise NotFoundError(f"there is no file '{os.fspath(model)}'")
    artifact = _sources.find(model, uris, **flags)
    if flags and artifact is model:
        raise InvalidArgumentError(f"an artifact is compiled already; {', '.join(flags)} are for a model")
    module = load(artifact, _sources.present(uris, ("gpu", "cuda", "vulkan")), threads=threads)
    if not isinstance(module, Module):
        raise InvalidArgumentError("a program of many ranks cannot be a session; use heddle.load()")
    return module
