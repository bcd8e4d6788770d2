# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch modules through torch.onnx.export(dynamo=True). Inference only: parameters become constants of the artifact."""
from __future__ import annotations

import pathlib
import tempfile
from typing import Any, Callable, Iterable, Sequence

import torch
from torch.utils import _pytree as pytree

from ._compile import Artifact, compile
from ._errors import CompileError, InvalidArgumentError
from ._module import Module, load
from ._signature import Signature

OPSET = 20
# Types that NumPy lacks cross as integers of their width.
_BITS = {"bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn, "f8E4M3FNUZ": torch.float8_e4m3fnuz,
         "f8E5M2": torch.float8_e5m2, "f8E5M2FNUZ": torch.float8_e5m2fnuz}


def _refuse_training(tensors: Iterable[torch.Tensor], what: str) -> None:
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        raise InvalidArgumentError(f"Heddle compiles for inference, got {what} that want gradients; "
                                   "call it under torch.no_grad() or torch.inference_mode()")


def _to_tensor(array: Any, kind: str) -> torch.Tensor:
    """A tensor on the array's memory."""
    if kind in _BITS:
        return torch.from_numpy(array.view(f"u{array.itemsize}")).view(_BITS[kind])
    return torch.from_dlpack(array)


class _Tensors:
    """A module of Heddle called with a list of tensors, giving a list of tensors."""

    def __init__(self, module: Module):
        self.module = module
        self._function = next(iter(module.entry_points.values()))
        self._kinds = [value.type for value in self._function.results]

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        _refuse_training(tensors, "arguments")
        results = self._function(*[tensor.detach() for tensor in tensors])
        if len(self._kinds) == 1:
            results = (results,)
        return [_to_tensor(array, kind) for array, kind in zip(results, self._kinds)]


class TorchModule:
    """What from_torch() gives: called like the module it was made of. `artifact`, `module`: what it runs."""

    def __init__(self, module: Module, signature: Signature, results: pytree.TreeSpec | None):
        self.module = module
        self.artifact: Artifact = module.artifact
        self._call = _Tensors(module)
        self._signature, self._results = signature, results

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        results = self._call(self._signature.tensors(arguments, named))
        if self._results is None:
            return tuple(results)
        return pytree.tree_unflatten(results, self._results)


def export(module: torch.nn.Module, example_inputs: tuple[Any, ...], path: pathlib.Path,
           dynamic_shapes: Any = None) -> pytree.TreeSpec | None:
    """Writes `module` as ONNX, its weights beside it, and returns the structure of its results.

    Raises CompileError with what the exporter says, which names the operator that it cannot translate.
    """
    try:
        program = torch.onnx.export(module, example_inputs, dynamo=True, opset_version=OPSET, verbose=False,
                                    dynamic_shapes=dynamic_shapes)
    except Exception as error:
        causes: list[BaseException] = [error]
        while causes[-1].__cause__ is not None:
            causes.append(causes[-1].__cause__)
        raise CompileError(f"torch.onnx.export refuses the module: {causes[-1]}".strip(),
                           [str(cause) for cause in causes[:-1]]) from error
    assert program is not None
    program.save(str(path), external_data=True)
    exported = program.exported_program
    return exported.call_spec.out_spec if exported is not None else None


def from_torch(module: torch.nn.Module, example_inputs: Any, dynamic_shapes: Any = None, *,
               devices: str | Iterable[str] = (), **flags: Any) -> TorchModule:
    """Compiles a module for inference.

    `example_inputs`: a tensor or a tuple of what forward() takes. `dynamic_shapes`: as for torch.export.export(); without it
    sizes are those of the examples. `devices`: as for load(); `flags`: as for compile(). Tensors go in without a copy where
    they are dense and on the CPU, and results are tensors on Heddle's memory.
    """
    if module.training:
        raise InvalidArgumentError("Heddle compiles for inference, got a module in training mode; call its eval() first")
    examples = example_inputs if isinstance(example_inputs, tuple) else (example_inputs,)
    with tempfile.TemporaryDirectory(prefix="heddle-torch-") as folder, torch.no_grad():
        path = pathlib.Path(folder) / "model.onnx"
        results = export(module, examples, path, dynamic_shapes)
        signature = Signature(module.forward, examples, pytree.tree_flatten, lambda leaf: isinstance(leaf, torch.Tensor))
        return TorchModule(load(compile(path, **flags), devices), signature, results)


def _is_weight(tensor: Any) -> bool:
    """A parameter or buffer, which Dynamo passes as an argument of the graph."""
    return isinstance(tensor, torch.nn.Parameter) or hasattr(tensor, "_dynamo_static_input_type")


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
        return self.graph_module(*values)


class _Graph:
    """A graph of Dynamo. Compiled at the first call, and anew when a weight has changed since."""

    def __init__(self, graph: torch.fx.GraphModule, flags: dict[str, Any], devices: Any):
        self.graph, self.flags, self.devices = graph, flags, devices
        self.examples = [node.meta.get("example_value") for node in graph.graph.nodes if node.op == "placeholder"]
        self.compiled: _Tensors | None = None
        self.weights: list[tuple[int, torch.Tensor, int]] = []
        self.tensors: list[int] = []

    def __call__(self, *arguments: Any) -> Any:
        if self.compiled is None or any(arguments[place] is not weight or weight._version != version
                                        for place, weight, version in self.weights):
            self.compile(arguments)
        assert self.compiled is not None
        return self.compiled([arguments[place] for place in self.tensors])

    def compile(self, arguments: Sequence[Any]) -> None:
        weights = {i: a for i, a in enumerate(arguments) if isinstance(a, torch.Tensor) and _is_weight(a)}
        _refuse_training([*weights.values(), *self.graph.parameters()], "weights")
        self.tensors = [i for i, a in enumerate(arguments) if isinstance(a, torch.Tensor) and i not in weights]
        sizes = {i: self.find_size(i) for i, a in enumerate(arguments) if not isinstance(a, torch.Tensor)}
        frozen = _Frozen(self.graph, weights, self.tensors, sizes).eval()
        examples = tuple(arguments[place].detach() for place in self.tensors)
        with tempfile.TemporaryDirectory(prefix="heddle-torch-") as folder, torch.no_grad():
            path = pathlib.Path(folder) / "model.onnx"
            export(frozen, examples, path, (self.dynamic_shapes(),))
            self.compiled = _Tensors(load(compile(path, **self.flags), self.devices))
        self.weights = [(place, weight, weight._version) for place, weight in weights.items()]

    def find_size(self, place: int) -> tuple[int, int]:
        """Which dimension of which tensor has the size that is argument `place`."""
        wanted = str(self.examples[place])
        for index, tensor in enumerate(self.tensors):
            for dim, size in enumerate(self.examples[tensor].shape):
                if not isinstance(size, int) and str(size) == wanted:
                    return index, dim
        raise InvalidArgumentError(f"a number that the graph takes as an argument ({wanted}) is no size of a tensor; "
                                   "give it as a tensor, or mark_static() what it comes from")

    def dynamic_shapes(self) -> tuple[Any, ...]:
        return tuple({dim: torch.export.Dim.AUTO for dim, size in enumerate(self.examples[place].shape)
                      if not isinstance(size, int)} for place in self.tensors)


def backend(graph: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None,
            mode: str | None = None) -> Callable[..., Any]:
    """torch.compile(module, backend="heddle", options={…}): options are keywords of compile(), and `devices`."""
    if mode not in (None, "default"):
        raise InvalidArgumentError(f"the backend heddle has no modes, got '{mode}'; options take keywords of heddle.compile()")
    flags = dict(options or {})
    devices = flags.pop("devices", ())
    compiled: Callable[..., Any] = torch.compiler.disable(_Graph(graph, flags, devices))
    return compiled
