# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A part of a graph that Heddle computes: translated, compiled, called with tensors."""
from __future__ import annotations

import concurrent.futures
import hashlib
import pathlib
import tempfile
from typing import Any, Callable, Iterable, Mapping, NamedTuple, Sequence

import torch

from .._compile import compile, find_compiled, may_cache
from .._errors import CompileError, Error, InvalidArgumentError, KernelFailedError, UnsupportedError
from .._fallback import Reason, warn
from .._module import Module, load
from .donation import may_donate
from .translate import Model, translate, write
from .translate.values import Unsupported
from .values import PLAIN, Tensors, adaptation_of, compare

VERSION = "heddle torch 2"  # changes when the meaning of a model's bytes does


class Settings(NamedTuple):
    """`flags`: of compile(). `fallback`: whether PyTorch may run what Heddle has not. `compare`: whether first calls are
    compared with PyTorch's."""

    flags: dict[str, Any]
    devices: Any
    fallback: bool
    compare: bool


def _digest(tensor: torch.Tensor) -> bytes:
    dense = tensor.detach().contiguous()
    array = dense.reshape(-1).view(torch.uint8).numpy() if dense.numel() else b""
    return hashlib.blake2b(array, digest_size=32).digest()


def _content(model: Model) -> str:
    """Stands for a model and its tensors in the cache's keys."""
    digest = hashlib.blake2b(VERSION.encode() + model.data, digest_size=32)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for part in pool.map(_digest, model.tensors.values()):
            digest.update(part)
    return digest.hexdigest()


def compile_model(model: Model, settings: Settings) -> Module:
    """Compiled and loaded, or taken from the cache before its tensors are written to a file."""
    flags, content = dict(settings.flags), ""
    if model.tensors and may_cache(flags.get("cache"), flags):
        flags.pop("cache", None)
        content = _content(model)
        found = find_compiled(content, flags)
        if found is not None:
            return load(found, settings.devices)
    if not model.tensors:
        return load(compile(model.data, **flags), settings.devices)
    with tempfile.TemporaryDirectory(prefix="heddle-torch-") as folder:
        return load(compile(write(model, pathlib.Path(folder)), _content=content, **flags), settings.devices)


class Island:
    """`graph`: what it computes, in operators of ATen, a placeholder for each operand. Called with operands, it gives a tuple.

    `weights`: operands that are constants of the program, by place. `donations`: operands in whose memory a result may be made, and
    the place of that result; a call may overwrite them. What Heddle does not compile, or refuses in a call, PyTorch
    runs, with a warning; an operand out of range has PyTorch's error so.
    """

    def __init__(self, graph: torch.fx.GraphModule, weights: Mapping[int, torch.Tensor], settings: Settings,
                 donations: Mapping[int, int] = {}):
        self.graph, self.settings, self.donations = graph, settings, donations
        self.names = [node.name for node in graph.graph.nodes if node.op == "placeholder"]
        self.weights = {self.names[place]: tensor.detach() for place, tensor in weights.items()}
        self.reason: Reason | None = None
        self.failed = False
        self.run: Callable[[Sequence[Any]], list[torch.Tensor]] | None = None

    def prepare(self, operands: Sequence[Any]) -> Reason | None:
        """Compiles it. `operands`: of the first call, of whose kind those of later calls are. The reason why PyTorch runs it."""
        try:
            model = translate(self.graph, self.weights)
            donated = self.donated(model, operands)
            flags = {"donate": [f"{self.names[place]}=result.{result}" for place, result in donated.items()]} if donated else {}
            compiled = compile_model(model, self.settings._replace(flags={**self.settings.flags, **flags}))
            call = Tensors(compiled, [value.meta["val"].dtype for value in self.results()],
                           [model.inputs.index(self.names[place]) for place in donated])
        except CompileError as error:
            if error.exit_status == 2 or not self.settings.fallback:  # a flag among the options
                raise
            self.reason = Reason("compiler", f"heddle compile: {error.message}")
            return self.reason
        except Unsupported as error:
            if not self.settings.fallback:
                raise UnsupportedError(str(error)) from error
            self.reason = Reason("translation", str(error))
            return self.reason
        places = [self.names.index(name) for name in model.inputs]
        changes = [(place, change) for place in places if (change := adaptation_of(operands[place])) is not None]

        def run(operands: Sequence[Any]) -> list[torch.Tensor]:
            if changes:
                operands = list(operands)
                for place, change in changes:
                    operands[place] = change(operands[place])
            return call([operands[place] for place in places])
        self.run = run
        return None

    def donated(self, model: Model, operands: Sequence[Any]) -> dict[int, int]:
        return {place: result for place, result in self.donations.items() if self.names[place] in model.inputs and may_donate(operands[place])}

    def results(self) -> list[torch.fx.Node]:
        return list(self.graph.graph.output_node().args[0])

    def __call__(self, *operands: Any) -> Sequence[torch.Tensor]:
        if self.run is None:
            result: Sequence[torch.Tensor] = self.graph(*operands)
            return result
        try:
            return self.run(operands)
        except (KernelFailedError, InvalidArgumentError, UnsupportedError) as error:
            failure = error
        return self.after_failure(operands, failure)

    def after_failure(self, operands: Sequence[Any], error: Error) -> Sequence[torch.Tensor]:
        """The call in PyTorch, which has its own words for what is wrong with its arguments."""
        results: Sequence[torch.Tensor] = self.graph(*operands)
        if not self.settings.fallback or self.donations and isinstance(error, KernelFailedError):  # which may have overwritten some
            raise error
        if not self.failed:
            self.failed = True
            warn(Reason("call", f"a call in Heddle failed: {error.message}"))
        return results

    def compare(self, operands: Sequence[Any]) -> Reason | None:
        """Why this call is not the same in Heddle as in PyTorch; from then on PyTorch runs it. None where it is."""
        if self.run is None:
            return None
        want = self.graph(*operands)
        try:
            given = [operand.clone() if place in self.donations else operand for place, operand in enumerate(operands)]
            text = compare(self.run(given), want, self.settings.flags.get("precision"))
        except Error as error:
            text = error.message
        if text is None:
            return None
        self.run = None
        self.reason = Reason("differs", f"Heddle's results of a first call are not PyTorch's: {self.first_difference(operands) or text}")
        return self.reason

    def first_difference(self, operands: Sequence[Any]) -> str | None:
        """The first operator that gives something else by itself, for what PyTorch gives it."""
        values: dict[torch.fx.Node, Any] = {}
        given = iter(operands)
        for node in self.graph.graph.nodes:
            if node.op == "placeholder":
                values[node] = next(given)
            elif node.op == "get_attr":
                values[node] = getattr(self.graph, node.target)
            elif node.op == "call_function":
                arguments, named = torch.fx.node.map_arg((node.args, node.kwargs), values.__getitem__)
                values[node] = node.target(*arguments, **named)
                if isinstance(values[node], torch.Tensor):
                    text = self.difference_of(node, values)
                    if text is not None:
                        return f"{node.target}: {text}"
        return None

    def difference_of(self, node: torch.fx.Node, values: Mapping[torch.fx.Node, Any]) -> str | None:
        graph = torch.fx.Graph()
        made: dict[torch.fx.Node, torch.fx.Node] = {}
        chain = [node]
        while chain[0].target is torch.ops.aten._to_copy.default or chain[0].op == "call_function" and not isinstance(
                chain[0].target, torch._ops.OpOverload):  # a part of several results
            chain.insert(0, chain[0].all_input_nodes[0])
            if chain[0].op != "call_function":
                break
        chain = [link for link in chain if link.op == "call_function"]
        for link in chain:
            for operand in link.all_input_nodes:
                if operand not in made:
                    made[operand] = graph.placeholder(operand.name)
                    made[operand].meta = dict(operand.meta)
            made[link] = graph.node_copy(link, made.__getitem__)
        graph.output((made[node],))
        operands = [values[operand] for operand in made if operand not in chain]
        small = Island(torch.fx.GraphModule(self.graph, graph), {}, self.settings._replace(fallback=True))
        if small.prepare(operands) is not None or small.run is None:
            return None
        return compare(small.run(operands), [values[node]], self.settings.flags.get("precision"))


def of_weights(weights: Iterable[torch.Tensor]) -> bool:
    """Whether they may be constants: plain tensors of the CPU's memory."""
    return all(type(weight) in PLAIN and weight.device.type == "cpu" for weight in weights)
