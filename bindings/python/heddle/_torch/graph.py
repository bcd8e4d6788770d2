# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend of torch.compile: graphs of Dynamo run in Heddle where they go through torch.onnx.export whole, else in PyTorch."""
from __future__ import annotations

import pathlib
import re
import tempfile
import threading
from typing import Any, Callable, NamedTuple, Sequence

import torch
from torch.utils import _pytree as pytree

from .._compile import compile, find_compiled, may_cache
from .._errors import CompileError, Error, InvalidArgumentError, KernelFailedError, UnsupportedError
from .._fallback import Found, Reason, count_compiled, warn
from .._module import load
from .export import export
from .key import key_of
from .values import Tensors, compare, judge_tensor
from .views import Split
from .watch import run_watched


def _is_weight(tensor: Any) -> bool:
    """A parameter or buffer, which Dynamo passes as an argument of the graph."""
    return isinstance(tensor, torch.nn.Parameter) or hasattr(tensor, "_dynamo_static_input_type")


class _Weight(NamedTuple):
    """A parameter or buffer that is a constant of the artifact. `held` keeps its memory, so that no other gets the address.
    `version`: None for one of inference mode, which has none."""

    place: int
    tensor: torch.Tensor
    held: torch.Tensor
    version: int | None
    address: int


def _changed(weights: Sequence[_Weight], arguments: Sequence[Any]) -> list[int]:
    """The places of weights that are no longer what they were."""
    return [place for place, tensor, _, version, address in weights
            if (now := arguments[place]) is not tensor or now.data_ptr() != address or (version is not None and now._version != version)]


class _Frozen(torch.nn.Module):
    """A graph of Dynamo as a module of its tensors only: weights are its own, sizes are read off the tensors."""

    def __init__(self, graph: torch.fx.GraphModule, weights: dict[int, torch.Tensor], tensors: list[int],
                 sizes: dict[int, tuple[int, int]]):
        super().__init__()
        self.graph_module = graph
        self.places = tensors
        self.sizes = sizes
        self.count = len(weights) + len(tensors) + len(sizes)
        self.weight_places = list(weights)
        for place, weight in weights.items():
            self.register_buffer(f"weight_{place}", weight.detach())

    def forward(self, *tensors: torch.Tensor) -> Any:
        values: list[Any] = [None] * self.count
        for place in self.weight_places:
            values[place] = getattr(self, f"weight_{place}")
        for place, tensor in zip(self.places, tensors):
            values[place] = tensor
        for place, (source, dim) in self.sizes.items():
            values[place] = tensors[source].shape[dim]
        return tuple(leaf for leaf in pytree.tree_leaves(self.graph_module(*values)) if isinstance(leaf, torch.Tensor))


class _Compiled:
    """A graph in Heddle. `places`: of the arguments that the artifact takes; `weights`: those that are constants of it."""

    def __init__(self, call: Tensors, places: list[int], weights: list[_Weight], split: Split | None, results: Any):
        self.call, self.places, self.weights, self.split = call, places, weights, split
        leaves, self.structure = pytree.tree_flatten(results)
        self.are_tensors = [isinstance(leaf, torch.Tensor) for leaf in leaves]

    def run(self, arguments: Sequence[Any]) -> Any:
        tensors = self.call([arguments[place] for place in self.places])
        if self.split is not None:
            return self.split.viewing(*arguments, *tensors)
        given = iter(tensors)
        return pytree.tree_unflatten([next(given) if is_tensor else None for is_tensor in self.are_tensors], self.structure)

    def compare(self, arguments: Sequence[Any], results: Any) -> Reason | None:
        """Why a call that gave `results` in PyTorch is not the same here; None where it is."""
        try:
            text = compare(*([leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
                             for tree in (self.run(arguments), results)))
        except Error as error:
            return Reason("call", f"its first call in Heddle failed: {error.message}")
        return None if text is None else Reason("differs", f"Heddle's results of its first call are not PyTorch's: {text}")


class _Graph:
    """A graph of Dynamo, which any number of threads may call.

    Its first call runs in PyTorch, watched. A graph that only computes is then compiled, and that call repeated in Heddle and
    compared; later calls run there. It is compiled anew when a weight has changed since, once: a weight that changes again
    becomes an argument. Every other graph stays in PyTorch, with a warning that says why.
    """

    def __init__(self, graph: torch.fx.GraphModule, flags: dict[str, Any], devices: Any, trust: bool):
        self.graph, self.flags, self.devices, self.trust = graph, flags, devices, trust
        placeholders = [node for node in graph.graph.nodes if node.op == "placeholder"]
        self.names = [f"the argument '{node.name}'" for node in placeholders]
        self.examples = [node.meta.get("example_value") for node in placeholders]
        self.lock = threading.Lock()
        self.in_pytorch = False
        self.has_failed = False
        self.compiled: _Compiled | None = None
        self.changed: set[int] = set()
        self.varying: set[int] = set()

    def __call__(self, *arguments: Any) -> Any:
        if self.in_pytorch:
            return self.graph(*arguments)
        compiled = self.compiled
        if compiled is None or _changed(compiled.weights, arguments):
            return self.first(arguments)
        try:
            return compiled.run(arguments)
        except (KernelFailedError, InvalidArgumentError, UnsupportedError) as error:
            failure = error
        return self.after_failure(arguments, failure)

    def first(self, arguments: Sequence[Any]) -> Any:
        """A call in PyTorch, after which the graph is compiled where it can be."""
        with self.lock:
            is_new = self.compiled is None
            changed = [] if self.compiled is None else _changed(self.compiled.weights, arguments)
            if self.in_pytorch or not (is_new or changed):  # the first call was another thread's
                return self.graph(*arguments)
            for place in changed:
                (self.varying if place in self.changed else self.changed).add(place)
            results, reason = self.build(arguments)
            if reason is not None:
                self.in_pytorch = True
                warn(reason)
            elif is_new:
                count_compiled()
            return results

    def build(self, arguments: Sequence[Any]) -> tuple[Any, Reason | None]:
        """The results of a call in PyTorch. Sets `compiled`, or gives the reason why the graph stays there."""
        weights = {i: a for i, a in enumerate(arguments)
                   if isinstance(a, torch.Tensor) and _is_weight(a) and i not in self.varying}
        places = [i for i, a in enumerate(arguments) if isinstance(a, torch.Tensor) and i not in weights]
        try:
            sizes = self.judge(arguments, places)
        except Found as found:
            return self.graph(*arguments), found.reason
        results, reason, split = run_watched(self.graph, arguments, self.names)
        if reason is not None:
            return results, reason
        frozen = _Frozen(split.computing if split else self.graph, weights, places, sizes).eval()
        try:
            call = self.compile(frozen, tuple(arguments[place].detach() for place in places))
        except CompileError as error:
            if error.exit_status == 2:  # a flag among the options
                raise
            if error.message.startswith("torch.onnx.export"):
                return results, Reason("translation", error.message)
            text = re.sub(r"^\S*/model\.onnx(:\d+)*: (error: )?", "", error.message)
            return results, Reason("compiler", f"heddle compile: {text}")
        compiled = _Compiled(call, places, [_Weight(place, weight, weight.detach(), None if weight.is_inference() else weight._version,
                                                    weight.data_ptr()) for place, weight in weights.items()], split, results)
        reason = None if self.trust else compiled.compare(arguments, results)
        if reason is None:
            self.compiled = compiled
        return results, reason

    def judge(self, arguments: Sequence[Any], places: list[int]) -> dict[int, tuple[int, int]]:
        """Which arguments are sizes of which tensors. Raises Found where the graph cannot be compiled for such arguments."""
        if torch.is_autocast_enabled("cpu"):
            raise Found("autocast", "autocast is on around it, whose types torch.onnx.export does not keep")
        for name, argument in zip(self.names, arguments):
            if isinstance(argument, torch.Tensor):
                judge_tensor(argument, name)
        if not places:
            raise Found("none", "no tensor is among its arguments")
        return {i: self.find_size(i, places) for i, a in enumerate(arguments) if not isinstance(a, torch.Tensor)}

    def compile(self, frozen: _Frozen, examples: tuple[torch.Tensor, ...]) -> Tensors:
        """Exported and compiled, unless the cache has it by the graph itself."""
        dynamic_shapes = self.dynamic_shapes(frozen.places)
        flags, content = dict(self.flags), ""
        if may_cache(flags.get("cache"), flags):
            flags.pop("cache", None)
            content = key_of(frozen, examples, dynamic_shapes)
            found = find_compiled(content, flags) if content else None
            if found is not None:
                return Tensors(load(found, self.devices))
        with tempfile.TemporaryDirectory(prefix="heddle-torch-") as folder, torch.no_grad():
            path = pathlib.Path(folder) / "model.onnx"
            export(frozen, examples, path, (dynamic_shapes,))
            return Tensors(load(compile(path, _content=content, **flags), self.devices))

    def after_failure(self, arguments: Sequence[Any], error: Error) -> Any:
        """The call in PyTorch, which has its own words for what is wrong with its arguments."""
        results = self.graph(*arguments)
        if not self.has_failed:
            self.has_failed = True
            warn(Reason("call", f"a call of it in Heddle failed: {error.message}"))
        return results

    def find_size(self, place: int, places: list[int]) -> tuple[int, int]:
        """Which dimension of which tensor has the size that is argument `place`."""
        wanted = str(self.examples[place])
        for index, tensor in enumerate(places):
            for dim, size in enumerate(self.examples[tensor].shape):
                if not isinstance(size, int) and str(size) == wanted:
                    return index, dim
        raise Found("number", f"{self.names[place]} is a Python number that is no size of a tensor (a tensor can vary)")

    def dynamic_shapes(self, places: list[int]) -> tuple[Any, ...]:
        return tuple({dim: torch.export.Dim.AUTO for dim, size in enumerate(self.examples[place].shape)
                      if not isinstance(size, int)} for place in places)


def backend(graph: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None,
            mode: str | None = None) -> Callable[..., Any]:
    """torch.compile(module, backend="heddle", options={…}): options are keywords of compile(), `devices`, and `trust`: whether
    the first call of a graph is not compared with PyTorch's."""
    if mode not in (None, "default"):
        raise InvalidArgumentError(f"the backend heddle has no modes, got '{mode}'; options take keywords of heddle.compile()")
    flags = dict(options or {})
    devices, trust = flags.pop("devices", ()), bool(flags.pop("trust", False))
    compiled: Callable[..., Any] = torch.compiler.disable(_Graph(graph, flags, devices, trust))
    return compiled
