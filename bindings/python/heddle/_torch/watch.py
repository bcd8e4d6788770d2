# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a graph in PyTorch and finds what else it does than compute results from arguments."""
from __future__ import annotations

import contextlib
import os
import re
from typing import Any, Mapping, NamedTuple, Sequence

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from .._fallback import Found, Reason, is_random, judge_operator
from .values import judge_tensor
from .views import Split, Value, describe, memory_of, shares, split


def bind(schema: torch.FunctionSchema, arguments: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of an operator by the names of its schema, defaults among them."""
    bound = {}
    for place, argument in enumerate(schema.arguments):
        if place < len(arguments) and not argument.kwarg_only:
            bound[argument.name] = arguments[place]
        elif argument.name in named:
            bound[argument.name] = named[argument.name]
        elif argument.has_default_value():
            bound[argument.name] = argument.default_value
    return bound


def name_of(operator: torch._ops.OpOverload) -> str:
    """Without namespace and overload."""
    return str(operator._schema.name.split("::")[-1])


def _can_draw(operator: torch._ops.OpOverload) -> bool:
    return torch.Tag.nondeterministic_seeded in operator.tags


def judge_node(node: torch.fx.Node) -> tuple[str, str] | None:
    """judge_operator() of a node of an exported program, and whether it draws random numbers."""
    operator = node.target
    if not isinstance(operator, torch._ops.OpOverload):
        return None
    bound = {key: value.meta.get("val") if isinstance(value, torch.fx.Node) else value
             for key, value in bind(operator._schema, node.args, node.kwargs).items()}
    if _can_draw(operator) and is_random(bound):
        return "random", f"it draws random numbers ({name_of(operator)})"
    reason = judge_operator(name_of(operator), bound)
    return None if reason is not None and reason[0] == "strides" else reason  # decompositions use them where they hold


def _calls(node: torch.fx.Node | None, name: str) -> bool:
    """Whether a node of Dynamo's graph calls an operator by its name, not one made of others."""
    target = None if node is None else node.target
    return (target if isinstance(target, str) else getattr(target, "__name__", "").split(".")[0]) == name


def _written(operator: torch._ops.OpOverload, bound: Mapping[str, Any]) -> list[torch.Tensor]:
    """The arguments that an operator writes to."""
    names = [a.name for a in operator._schema.arguments if a.alias_info is not None and a.alias_info.is_write]
    return [leaf for name in names for leaf in pytree.tree_leaves(bound.get(name)) if isinstance(leaf, torch.Tensor)]


_PYTORCH = os.path.dirname(torch.__file__) + os.sep


class _Watch(TorchDispatchMode):
    """Sees each ATen operator that is called, and remembers the first reason."""

    supports_higher_order_operators = True

    def __init__(self, owned: Mapping[int, str]):
        super().__init__()
        self.owned = dict(owned)
        self.node: torch.fx.Node | None = None
        self.writes = False
        self.reason: Reason | None = None

    def found(self, kind: str, text: str) -> None:
        if self.reason is None:
            self.reason = Reason(kind, text, place_of(self.node))

    def __torch_dispatch__(self, operator: Any, types: Any, arguments: Any = (), named: Any = None) -> Any:
        named = named or {}
        if not isinstance(operator, torch._ops.OpOverload):
            return self.control(operator, arguments, named)
        if torch.is_inference_mode_enabled():  # composite operators come whole there
            with self:
                result = operator.decompose(*arguments, **named)
            if result is not NotImplemented:
                return result
        name, bound = name_of(operator), bind(operator._schema, arguments, named)
        reason = judge_operator(name, bound)
        if reason is not None and (reason[0] != "strides" or _calls(self.node, name)):
            self.found(*reason)
        for tensor in _written(operator, bound):
            self.writes = True
            if memory_of(tensor) in self.owned:
                self.found("write", f"{name} writes to {self.owned[memory_of(tensor)]} in place")
        if not _can_draw(operator):
            return operator(*arguments, **named)
        state = torch.get_rng_state()
        result = operator(*arguments, **named)
        if bound.get("generator") is not None or not torch.equal(state, torch.get_rng_state()):
            self.found("random", f"it draws random numbers ({name})")
        return result

    def control(self, operator: Any, arguments: Any, named: Any) -> Any:
        """An operator that calls graphs: each of them runs watched, the branch that is not taken for nothing else."""
        if operator is torch.ops.higher_order.cond and not named:
            condition, yes, no, operands = arguments
            taken, other = (yes, no) if condition else (no, yes)
            with self:
                result = taken(*operands)
            copies = [operand.clone() if isinstance(operand, torch.Tensor) else operand for operand in operands]
            self.owned.update({memory_of(copy): "what a branch takes" for copy in copies if isinstance(copy, torch.Tensor)})
            with self, torch.random.fork_rng(devices=[]), contextlib.suppress(Exception):
                other(*copies)
            return result
        if operator is torch.ops.higher_order.while_loop and not named:
            proceeds, body, carried, more = arguments
            with self:
                while proceeds(*carried, *more):
                    carried = body(*carried, *more)
            return tuple(carried)
        self.found("translation", f"{operator} holds graphs of its own, in which writes are not seen")
        return operator(*arguments, **named)


def place_of(node: torch.fx.Node | None) -> str:
    """FILE:LINE of the user's code that a node comes from, or ''."""
    trace = (node.meta.get("stack_trace") if node is not None else None) or ""
    lines = re.findall(r'File "([^"]+)", line (\d+)', trace)
    mine = [line for line in lines if not line[0].startswith(_PYTORCH)] or lines
    return ":".join(mine[-1]) if mine else ""


class _Steps(torch.fx.Interpreter):
    """Tells the watch which node runs, and keeps what each gave."""

    def __init__(self, graph: torch.fx.GraphModule, watch: _Watch):
        super().__init__(graph)
        self.watch = watch
        self.values: dict[torch.fx.Node, Value] = {}

    def run_node(self, n: torch.fx.Node) -> Any:
        self.watch.node, self.watch.writes = n, False
        if "autocast" in getattr(n.target, "__name__", str(n.target)):
            self.watch.found("autocast", "autocast is on in it, whose types torch.onnx.export does not keep")
        value = super().run_node(n)
        self.values[n] = describe(value, self.watch.writes)
        return value


def _owners(graph: torch.fx.GraphModule, arguments: Sequence[Any], names: Sequence[str]) -> dict[int, str]:
    """Whose memory is whose before the call."""
    owners: dict[int, str] = {}
    own = [*graph.named_parameters(), *graph.named_buffers()]
    for name, tensor in [*zip(names, arguments), *own]:
        if isinstance(tensor, torch.Tensor):
            memory = memory_of(tensor)
            if memory:
                owners.setdefault(memory, name)
    return owners


def _judge_results(results: Sequence[Any]) -> None:
    for place, result in enumerate(results):
        if result is None:
            continue
        if not isinstance(result, torch.Tensor):
            raise Found("number", f"result {place} is a number of Python, no tensor")
        judge_tensor(result, f"result {place}")
        if result.requires_grad:
            raise Found("training", "gradients are wanted of its results (call it under torch.no_grad() for inference)")


class Watched(NamedTuple):
    """`results`: of the graph. `reason`: the first why it has to run in PyTorch always. `split`: where results share memory.

    Without a reason the results are of the arguments alone, and nothing else has changed."""

    results: Any
    reason: Reason | None = None
    split: Split | None = None


def run_watched(graph: torch.fx.GraphModule, arguments: Sequence[Any], names: Sequence[str]) -> Watched:
    """Runs `graph` in PyTorch, effects among it. `names`: of the arguments, for the reason's text."""
    owners = _owners(graph, arguments, names)
    versions = [a._version if isinstance(a, torch.Tensor) and not a.is_inference() else 0 for a in arguments]
    random = torch.get_rng_state()
    watch = _Watch(owners)
    steps = _Steps(graph, watch)
    with watch:
        results = steps.run(*arguments)
    if watch.reason is not None:
        return Watched(results, watch.reason)
    try:
        leaves = pytree.tree_leaves(results)
        _judge_results(leaves)
        for name, argument, version in zip(names, arguments, versions):
            if isinstance(argument, torch.Tensor) and not argument.is_inference() and argument._version != version:
                raise Found("write", f"it writes to {name} in place")
        if not torch.equal(random, torch.get_rng_state()):
            raise Found("random", "it draws random numbers")
        return Watched(results, None, split(graph, steps.values) if shares(leaves, owners) else None)
    except Found as found:
        return Watched(results, found.reason)
