# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of Dynamo as keys of the cache: known before they are exported, which takes longer than all else.

A key holds all that the exported model is made of: the graph's nodes, contents of weights, shapes of arguments, versions. A
graph with something whose meaning is not certain by its name (a function of the user's, an object) has no key.
"""
from __future__ import annotations

import concurrent.futures
import hashlib
import importlib.metadata
import os
from typing import Any, Callable, Iterable, Sequence

import torch

from .export import OPSET

VERSION = "heddle torch 1"  # changes when the way from a graph to ONNX does
_ROOTS = ("torch", "operator", "_operator", "builtins", "math")
_SPACES = ("aten", "prims", "prim")
_PLAIN = (int, float, bool, complex, str, bytes, type(None), type(Ellipsis), torch.dtype, torch.device, torch.layout,
          torch.memory_format)


class _Unknown(Exception):
    """Something that its text does not tell."""


def _versions() -> list[str]:
    versions = [VERSION, str(OPSET), torch.__version__, str(torch.version.git_version)]
    for package in ("onnxscript", "onnx", "onnx-ir"):
        try:
            versions.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {package}")
    return versions


def _settings() -> list[str]:
    settings = [str(torch.get_default_dtype()), str(torch.are_deterministic_algorithms_enabled()),
                str(torch.backends.mha.get_fastpath_enabled())]
    return settings + [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(("TORCH", "PYTORCH"))]


def _function(target: Any) -> str:
    """The name of a function that PyTorch or Python brings."""
    if isinstance(target, torch._ops.OpOverload):
        if target.namespace in _SPACES:
            return str(target)
    elif isinstance(target, torch._ops.HigherOrderOperator):
        return f"higher order {target.name()}"
    elif isinstance(target, type) or callable(target):
        module, name = getattr(target, "__module__", None), getattr(target, "__qualname__", None)
        resolved = torch.overrides.resolve_name(target)
        if resolved is not None and resolved.startswith("torch."):
            return str(resolved)
        if module is not None and name is not None and "<" not in name and module.partition(".")[0] in _ROOTS:
            return f"{module}.{name}"
    raise _Unknown(str(target))


def _value(value: Any, numbers: dict[torch.fx.Node, int]) -> str:
    if isinstance(value, torch.fx.Node):
        return f"%{numbers[value]}"
    if type(value) in _PLAIN:
        return f"{type(value).__name__}:{value!r}"
    if isinstance(value, (list, tuple)):  # fx has classes of its own for both, torch.Size
        kind = "list" if isinstance(value, list) else "tuple"
        return f"{kind}({','.join(_value(item, numbers) for item in value)})"
    if isinstance(value, dict):
        return f"dict({','.join(f'{_value(key, numbers)}={_value(item, numbers)}' for key, item in value.items())})"
    if isinstance(value, slice):
        return f"slice({_value([value.start, value.stop, value.step], numbers)})"
    if isinstance(value, type) or callable(value):
        return _function(value)
    raise _Unknown(str(type(value)))


def _attribute(module: torch.nn.Module, target: str) -> Any:
    value: Any = module
    for name in target.split("."):
        value = getattr(value, name)
    return value


def _bytes(tensor: torch.Tensor) -> str:
    """The digest of a tensor's elements."""
    dense = tensor.detach().contiguous()
    array = dense.reshape(-1).view(torch.uint8).numpy() if dense.numel() else b""
    return hashlib.blake2b(array, digest_size=32).hexdigest()


def _tensors(tensors: Sequence[torch.Tensor]) -> Iterable[str]:
    for tensor in tensors:
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer) or tensor.layout != torch.strided:
            raise _Unknown(str(type(tensor)))
    places: dict[tuple[int, int], int] = {}  # equal ones of one memory are one weight to the exporter
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for i, (tensor, digest) in enumerate(zip(tensors, pool.map(_bytes, tensors))):
            same = places.setdefault((tensor.data_ptr(), tensor.numel()), i)
            yield f"{tensor.dtype} {tuple(tensor.shape)} {tensor.stride()} {same} {digest}"


def _graph(module: torch.fx.GraphModule) -> Iterable[str]:
    numbers: dict[torch.fx.Node, int] = {}
    for node in module.graph.nodes:
        numbers[node] = len(numbers)
        if node.op == "call_function":
            target = _function(node.target)
        elif node.op == "get_attr":
            value = _attribute(module, str(node.target))
            if isinstance(value, torch.fx.GraphModule):
                target = f"graph {_digest(_graph(value))}"
            elif isinstance(value, torch.Tensor):
                target = f"tensor {_digest(_tensors([value]))}"
            else:
                raise _Unknown(str(type(value)))
        elif node.op == "call_module":
            raise _Unknown(str(node.target))
        else:
            target = "" if node.op in ("placeholder", "output") else str(node.target)
        # The name is that of the model's node, which the artifact shows.
        yield f"{node.name} {node.op} {target} {_value(node.args, numbers)} {_value(node.kwargs, numbers)}"


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def _examples(examples: Sequence[torch.Tensor], dynamic_shapes: Sequence[dict[int, Any]]) -> Iterable[str]:
    for tensor, dims in zip(examples, dynamic_shapes):
        yield f"{tensor.dtype} {tuple(tensor.shape)} {tensor.stride()} {sorted(dims)}"


def key_of(frozen: Any, examples: Sequence[torch.Tensor], dynamic_shapes: Sequence[dict[int, Any]]) -> str:
    """Of a graph as it goes to the exporter (graph._Frozen); "" where there is no certain one."""
    places = [list(frozen.places), sorted(frozen.sizes.items()), frozen.weight_places, frozen.count]
    weights: Callable[[], Iterable[str]] = lambda: _tensors([getattr(frozen, f"weight_{place}") for place in frozen.weight_places])
    try:
        return _digest([*_versions(), *_settings(), repr(places), _digest(_graph(frozen.graph_module)), _digest(weights()),
                        _digest(_examples(examples, dynamic_shapes))])
    except (_Unknown, AttributeError, RuntimeError, TypeError):
        return ""
