# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime's names for Heddle: `import heddle.onnxruntime as ort` instead of `import onnxruntime as ort`.

    session = ort.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
    outputs = session.run(None, {"x": x})

Models are compiled when a session is made, and kept for the next time. docs/coming-from-onnxruntime.md says what is the
same and what is not. Settings that change only how ONNX Runtime works (arenas, memory patterns, optimization levels) are
taken and have no effect; those that would change results, or that a program relies on, are obeyed or refused.
"""
from __future__ import annotations

import enum
import functools
import json
import os
import sys
import time
import types
import warnings
from typing import Any, Callable, Mapping, Sequence

from . import _errors, _runtime, _session
from . import _binding, _ortvalue
from ._errors import CancelledError, CompileError, Error, InvalidArgumentError, KernelFailedError, NotFoundError, UnsupportedError
from ._session import ModelMetadata, NodeArg, Session

__version__ = _runtime.__version__


class RuntimeException(Error):
    """An error that has no kind of its own in ONNX Runtime."""


class Fail(Error):
    pass


class InvalidArgument(InvalidArgumentError):
    pass


class NoSuchFile(NotFoundError):
    pass


class NotImplemented(UnsupportedError):  # noqa: A001 (ONNX Runtime's name)
    pass


class InvalidGraph(CompileError):
    pass


class InvalidProtobuf(CompileError):
    pass


class _Refused(KernelFailedError, InvalidArgument, Fail):
    """Data that the model refuses while it runs, such as an index out of range."""


class _NotCompiled(InvalidGraph, InvalidProtobuf, NotImplemented, InvalidArgument, Fail):
    """ONNX Runtime tells kinds of models that it cannot load apart; this is one of each."""


class _Ended(CancelledError, RuntimeException, Fail):
    """By `run_options.terminate`."""


class _Other(RuntimeException, Fail):
    pass


def _translated(error: Error) -> Error:
    """As the kind of exception that users of ONNX Runtime catch; still one of the kind that Heddle raises."""
    if type(error).__module__ == __name__:
        return error
    if isinstance(error, CompileError):
        return _NotCompiled(error.message, error.notes, error.exit_status)
    for kind, translated in ((KernelFailedError, _Refused), (InvalidArgumentError, InvalidArgument), (NotFoundError, NoSuchFile),
                             (UnsupportedError, NotImplemented), (CancelledError, _Ended)):
        if isinstance(error, kind):
            return translated(error.message, error.notes)
    if type(error) is Error:
        return _Other(error.message, error.notes)
    return error  # out of memory, a lost device


def _translating(kind: Any) -> Any:
    """A class whose methods raise ONNX Runtime's kinds of exceptions."""
    def wrapped(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return method(*args, **kwargs)
            except Error as error:
                raise _translated(error) from None
        return call

    for base in reversed(kind.__mro__[:-1]):
        for name, member in vars(base).items():
            if isinstance(member, classmethod):
                setattr(kind, name, classmethod(wrapped(member.__func__)))
            elif isinstance(member, types.FunctionType):
                setattr(kind, name, wrapped(member))
    return kind


@_translating
class OrtValue(_ortvalue.OrtValue):
    """heddle's own, with ONNX Runtime's kinds of exceptions."""


@_translating
class IOBinding(_binding.IOBinding):
    """heddle's own, with ONNX Runtime's kinds of exceptions."""


class GraphOptimizationLevel(enum.IntEnum):
    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


class SessionOptions:
    """Settings of a session. `intra_op_num_threads`, free dimensions and profiling count; what else there is says how ONNX
    Runtime works, and is kept without effect."""

    def __init__(self) -> None:
        self.intra_op_num_threads = 0
        self.inter_op_num_threads = 0
        self.enable_profiling = False
        self.profile_file_prefix = "onnxruntime_profile_"
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.enable_cpu_mem_arena = self.enable_mem_pattern = self.enable_mem_reuse = True
        self.use_deterministic_compute = False
        self.use_per_session_threads = True
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self._dims: dict[str, int] = {}
        self._entries: dict[str, str] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        known = getattr(self, "_entries", None) is None or hasattr(self, name)  # while it is made
        if not known:
            names = [key for key in vars(self) if not key.startswith("_")]
            raise AttributeError(f"SessionOptions has no setting '{name}'{_errors.did_you_mean(name, names)}")
        object.__setattr__(self, name, value)

    def add_free_dimension_override_by_name(self, name: str, size: int) -> None:
        """The free size of this name is `size` in all calls; the model is compiled for it."""
        self._dims[name] = int(size)

    def add_free_dimension_override_by_denotation(self, denotation: str, size: int) -> None:
        raise NotImplemented("sizes are given by their names: add_free_dimension_override_by_name(name, size)")

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Kept, without effect, but for what would change results."""
        if key == "session.set_denormal_as_zero" and value == "1":
            raise NotImplemented("denormal numbers are computed with; leave 'session.set_denormal_as_zero' out, or give '0'")
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        if key not in self._entries:
            raise _Other(f"the session has no entry '{key}'")
        return self._entries[key]

    def add_initializer(self, name: str, ortvalue: Any) -> None:
        raise NotImplemented(f"weights are part of the compiled model; put '{name}' into it")

    def register_custom_ops_library(self, path: str) -> None:
        raise NotImplemented("Heddle takes no custom operators of ONNX Runtime; write the operator as a function of the ONNX model")


class RunOptions:
    """Options of one call. `terminate = True`, set by another thread, ends the call."""

    def __init__(self) -> None:
        self.terminate = False
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self._entries: dict[str, str] = {}

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Kept, without effect."""
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        return self._entries.get(key, "")


def _checked(options: SessionOptions | None) -> SessionOptions:
    options = options or SessionOptions()
    if options.optimized_model_filepath:
        warnings.warn("optimized_model_filepath is not written: a compiled model is an artifact, heddle.compile(model, output) writes one",
                      UserWarning, stacklevel=3)
    return options


class InferenceSession(Session):
    """heddle.Session as ONNX Runtime makes it; keywords that ONNX Runtime does not have are those of heddle.compile()."""

    def __init__(self, path_or_bytes: Any, sess_options: SessionOptions | None = None, providers: Sequence[Any] | None = None,
                 provider_options: Sequence[Mapping[Any, Any]] | None = None, **kwargs: Any):
        if not isinstance(path_or_bytes, (str, bytes, os.PathLike)):
            raise TypeError(f"Unable to load from type '{type(path_or_bytes)}'")
        self._options = _checked(sess_options)
        for name in ("disabled_optimizers", "enable_fallback"):
            kwargs.pop(name, None)
        if self._options._dims:
            kwargs["dim"] = [f"{name}={size}" for name, size in self._options._dims.items()]
        if providers and provider_options:
            if len(providers) != len(provider_options):
                raise ValueError(f"providers and provider_options are of one length, got {len(providers)} and {len(provider_options)}")
            providers = [(entry, options) for entry, options in zip(providers, provider_options)]
        if self._options.use_deterministic_compute:
            kwargs.setdefault("reproducible", True)
        try:
            super().__init__(path_or_bytes, threads=self._options.intra_op_num_threads or None,
                             providers=providers or None, **kwargs)
        except Error as error:
            raise _translated(error) from None
        self._started_ns = time.monotonic_ns()
        self._events: list[dict[str, Any]] = []

    def get_session_options(self) -> SessionOptions:
        return self._options

    def get_provider_options(self) -> dict[str, dict[str, str]]:
        return {name: {} for name in self.get_providers()}

    def set_providers(self, providers: Sequence[Any] | None = None, provider_options: Any = None) -> None:
        if providers and [entry if isinstance(entry, str) else entry[0] for entry in providers] != self.get_providers():
            raise NotImplemented("a model is compiled for its devices; make a session with other providers")

    def enable_fallback(self) -> None:
        """Nothing to do."""

    def disable_fallback(self) -> None:
        """Nothing to do: nothing falls back by itself."""

    def get_profiling_start_time_ns(self) -> int:
        return self._started_ns

    def end_profiling(self) -> str:
        """Writes what was measured since the session was made, in Chrome's format, and returns the file's name."""
        if not self._options.enable_profiling:
            return ""
        path = f"{self._options.profile_file_prefix}_{time.strftime('%Y-%m-%d_%H-%M-%S')}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self._events, file)
        return path

    def _call(self, feed: dict[str, Any], run_options: Any, **options: Any) -> Sequence[Any]:
        try:
            if self._options.enable_profiling:
                return self._profiled(feed, run_options, options)
            return super()._call(feed, run_options, **options)
        except Error as error:
            raise _translated(error) from None

    def _start(self, feed: dict[str, Any], options: dict[str, Any]) -> _runtime.Future:
        try:
            return super()._start(feed, options)
        except Error as error:
            raise _translated(error) from None

    def _feed(self, feed: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return super()._feed(feed)
        except Error as error:
            raise _translated(error) from None

    def _indices(self, output_names: Sequence[str] | None) -> list[int]:
        try:
            return super()._indices(output_names)
        except Error as error:
            raise _translated(error) from None

    def io_binding(self) -> IOBinding:
        return IOBinding(self)

    def run_with_ort_values(self, output_names: Sequence[str] | None, input_dict_ort_values: Mapping[str, _ortvalue.OrtValue],
                            run_options: Any = None) -> list[_ortvalue.OrtValue]:
        try:
            return super().run_with_ort_values(output_names, input_dict_ort_values, run_options)
        except Error as error:
            raise _translated(error) from None

    def _ort_value(self, value: Any) -> OrtValue:
        return OrtValue(value)

    def _profiled(self, feed: dict[str, Any], run_options: Any, options: dict[str, Any]) -> Sequence[Any]:
        stop = None if run_options is None else lambda: bool(getattr(run_options, "terminate", False))
        if stop and stop():
            raise CancelledError("run_options.terminate was set before the call")
        results, _, calls = self._function._trace(stop, 0, 1, feed, **options)
        for kind, name, source, device, stream, begin, end, size in calls[0]:
            if kind in ("dispatch", "copy", "fill", "collective"):
                self._events.append({"cat": "Node", "ph": "X", "pid": os.getpid(), "tid": stream, "ts": (begin - self._started_ns) // 1000,
                                     "dur": (end - begin) // 1000, "name": f"{source or name}_kernel_time",
                                     "args": {"op_name": name, "provider": self.get_providers()[0], "bytes": str(size)}})
        return _session._as_tuple(results)


def get_available_providers() -> list[str]:
    """Names of the kinds of devices that this machine has."""
    kinds = {device.driver for device in _runtime.devices() if device.available}
    return [name for driver, name in (("cuda", "CUDAExecutionProvider"), ("vulkan", "VulkanExecutionProvider"),
                                      ("local", "CPUExecutionProvider")) if driver in kinds]


def get_all_providers() -> list[str]:
    """Names that a session takes."""
    return list(_session._PROVIDERS)


def get_device() -> str:
    return "GPU" if "CUDAExecutionProvider" in get_available_providers() else "CPU"


def get_version_string() -> str:
    return __version__


def get_build_info() -> str:
    return f"Heddle {__version__}"


def set_default_logger_severity(severity: int) -> None:
    """Nothing to do: Heddle logs nothing."""


def set_default_logger_verbosity(verbosity: int) -> None:
    """Nothing to do: Heddle logs nothing."""


def set_seed(seed: int) -> None:
    raise NotImplemented("random numbers are seeded by session: session.module.seed(n)")


def disable_telemetry_events() -> None:
    """Nothing to do: there is none."""


def enable_telemetry_events() -> None:
    """Nothing to do: there is none."""


def preload_dlls(*args: Any, **kwargs: Any) -> None:
    """Nothing to do: drivers are opened when a session needs them."""


def _modules() -> None:
    """`heddle.onnxruntime.capi.onnxruntime_pybind11_state`, where programs find ONNX Runtime's exceptions."""
    capi = types.ModuleType(f"{__name__}.capi")
    state = types.ModuleType(f"{__name__}.capi.onnxruntime_pybind11_state")
    for kind in (Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NoSuchFile, NotImplemented, RuntimeException):
        setattr(state, kind.__name__, kind)
    setattr(state, "OrtValue", OrtValue)
    setattr(capi, "onnxruntime_pybind11_state", state)
    sys.modules[capi.__name__], sys.modules[state.__name__] = capi, state
    globals()["capi"] = capi


_modules()

__all__ = ["ExecutionMode", "ExecutionOrder", "GraphOptimizationLevel", "IOBinding", "InferenceSession", "ModelMetadata", "NodeArg",
           "OrtValue", "RunOptions", "SessionOptions", "get_all_providers", "get_available_providers", "get_build_info", "get_device",
           "get_version_string", "preload_dlls", "set_default_logger_severity", "set_default_logger_verbosity", "set_seed"]
