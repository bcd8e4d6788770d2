# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend of torch.compile: Dynamo's graphs through AOTAutograd to programs (docs/design/torch.md)."""
from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator
from typing import Any, Callable, Sequence

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._dynamo.exc import TorchDynamoException
from torch._functorch.aot_autograd import aot_module_simplified
from torch._functorch.partitioners import min_cut_rematerialization_partition
from torch.utils._python_dispatch import _disable_current_modes

from .._errors import Error, InvalidArgumentError, UnsupportedError
from .._fallback import Reason, count, warn
from .island import Settings
from .program import Program, hint
from .translate.decompose import undrawn

_MODES = {None: {}, "default": {}, "reduce-overhead": {}, "max-autotune-no-cudagraphs": {"tune": True}, "max-autotune": {"tune": True}}


def settings_of(options: dict[str, Any] | None, mode: str | None) -> Settings:
    if mode not in _MODES:
        raise InvalidArgumentError(f"mode is one of {', '.join(repr(name) for name in _MODES if name)}, got '{mode}'")
    flags = {**_MODES[mode], **(options or {})}
    compare = bool(flags.pop("compare", os.environ.get("HEDDLE_TORCH_COMPARE", "0") not in ("", "0")))
    flags.pop("trust", None)  # of earlier versions, which compared without being asked
    return Settings(flags, flags.pop("devices", ()), bool(flags.pop("fallback", True)), compare)


def _watch_offsets(compiled: Callable[..., Any], graph: torch.fx.GraphModule, examples: Sequence[Any],
                   settings: Settings) -> Callable[..., Any]:
    """Arguments that are parts of one memory have to stand where they stood in the first call: AOTAutograd reads them by offsets,
    of which Dynamo has no guards. Other calls run in PyTorch, which a warning says, or are errors."""
    memories = [example.untyped_storage()._cdata if isinstance(example, torch.Tensor) and example.layout == torch.strided else None
                for example in examples]
    places = [place for place, memory in enumerate(memories) if memory is not None and memories.count(memory) > 1]
    if not places:
        return compiled
    offsets = [hint(examples[place].storage_offset()) for place in places]

    def call(*arguments: Any) -> Any:
        if [arguments[place].storage_offset() for place in places] == offsets:
            return compiled(*arguments)
        text = "arguments that are parts of one memory lie elsewhere in it than in the first call"
        if not settings.fallback:
            raise UnsupportedError(f"{text}; options={{'fallback': True}} has PyTorch run it")
        warn(Reason("call", text))
        return graph(*arguments)
    watched: Callable[..., Any] = torch.compiler.disable(call)
    return watched


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Tracing makes many small objects and few cycles of them: Python's collector would find nothing, and look at all of PyTorch
    for it. Behind it they count as old ones, which the next full collection looks at."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if gc.get_freeze_count() == 0:  # else some are the user's to unfreeze
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _trace(graph: torch.fx.GraphModule, examples: Sequence[Any], **settings: Any) -> Callable[..., Any]:
    """AOTAutograd. PyTorch's own way to it imports Inductor, for its logs."""
    if any(isinstance(example, (list, tuple, dict)) for example in examples):  # compiled autograd's
        made: Callable[..., Any] = aot_autograd(**settings)(graph, examples)
        return made
    disable = torch.compiler.disable  # backward graphs are compiled, and run, where Dynamo might trace them
    compile_backward = settings.pop("bw_compiler")

    def backward(*arguments: Any) -> Callable[..., Any]:
        made: Callable[..., Any] = disable(disable(compile_backward)(*arguments))
        return made
    traced: Callable[..., Any] = disable(aot_module_simplified(graph, examples, bw_compiler=backward, **settings))
    return traced


def backend(graph: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None,
            mode: str | None = None) -> Callable[..., Any]:
    """torch.compile(module, backend="heddle", options={…}): options are keywords of compile(), `devices`, `fallback` (False: what
    PyTorch would have to run is an error) and `compare` (whether first calls are compared with PyTorch's)."""
    settings = settings_of(options, mode)

    defects: list[Exception] = []

    def compiler(freeze: bool) -> Callable[..., Program]:
        def compile_graph(whole: torch.fx.GraphModule, _: Sequence[Any]) -> Program:
            try:
                with _disable_current_modes():  # where tensors made on the way would be of no data
                    return Program(whole, settings, freeze)
            except Exception as error:
                defects.append(error)
                raise
        return compile_graph

    try:
        with _uncollected():
            traced = _trace(graph, example_inputs, fw_compiler=compiler(False), bw_compiler=compiler(False), inference_compiler=compiler(True),
                            partition_fn=min_cut_rematerialization_partition, decompositions=undrawn(),
                            keep_inference_input_mutations=True)
        return _watch_offsets(traced, graph, example_inputs, settings)
    except (Error, TorchDynamoException):  # of the options; Dynamo's own way to begin anew
        raise
    except Exception as error:
        if not settings.fallback or defects and os.environ.get("HEDDLE_TORCH_STRICT"):
            raise
        lines = str(error).strip().splitlines() or [""]
        count("trace")
        warn(Reason("trace", f"AOTAutograd does not trace it: {type(error).__name__}: {lines[0][:200]}"))
        whole: Callable[..., Any] = torch.compiler.disable(graph.forward)
        return whole
