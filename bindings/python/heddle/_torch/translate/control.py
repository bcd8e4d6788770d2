# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches and loops that data tell, of exported programs: torch.cond and while_loop. For torch.compile PyTorch chooses."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import torch
from torch.utils import _pytree as pytree

from . import wire
from .builder import Builder
from .values import KINDS, Unsupported, Value

COND, WHILE = torch.ops.higher_order.cond, torch.ops.higher_order.while_loop
Inline = Callable[[torch.fx.GraphModule, Sequence[Any]], "list[Any]"]


def is_control(node: torch.fx.Node) -> bool:
    return node.op == "call_function" and node.target in (COND, WHILE)


def graphs_of(node: torch.fx.Node) -> list[torch.fx.GraphModule]:
    """What it calls."""
    owner = node.graph.owning_module
    return [getattr(owner, str(given.target)) for given in node.all_input_nodes if given.op == "get_attr"]


def translate_control(b: Builder, node: torch.fx.Node, arguments: Sequence[Any], inline: Inline) -> Sequence[Value]:
    out = pytree.tree_leaves(node.meta["val"])
    if not all(isinstance(leaf, torch.Tensor) and leaf.dtype in KINDS for leaf in out):
        raise Unsupported("a branch or a loop that gives other than real tensors")
    if node.target is COND:
        return _branch(b, arguments[0], arguments[1], arguments[2], list(arguments[3]), out, inline)
    return _loop(b, arguments[0], arguments[1], list(arguments[2]), list(arguments[3]) if len(arguments) > 3 else [], out, inline)


def _typed(b: Builder, values: Sequence[Any], out: Sequence[torch.Tensor]) -> list[Value]:
    if not all(isinstance(value, Value) for value in values):
        raise Unsupported("a branch or a loop that gives other than real tensors")
    return [b.cast(value, leaf.dtype) for value, leaf in zip(values, out)]


def _condition(b: Builder, value: Any) -> Value:
    if not isinstance(value, Value):
        raise Unsupported("a condition that is no tensor")
    return b.reshape(b.cast(value, torch.bool), ())


def _branch(b: Builder, condition: Any, yes: Any, no: Any, operands: list[Any], out: Sequence[torch.Tensor], inline: Inline) -> Sequence[Value]:
    graphs = []
    for graph in (yes, no):
        nodes, results = b.inside(lambda graph=graph: [b.op("Identity", value) for value in _typed(b, inline(graph, operands), out)])  # type: ignore[misc]
        graphs.append(wire.graph(nodes, [], [wire.value(value.name, KINDS[value.dtype], None) for value in results]))
    shapes = [(value.dtype, value.shape) for value in results]
    return b.ops("If", [_condition(b, condition)], shapes, then_branch=graphs[0], else_branch=graphs[1])


def _loop(b: Builder, goes_on: Any, body: Any, carried: list[Any], others: list[Any], out: Sequence[torch.Tensor], inline: Inline) -> Sequence[Value]:
    first = _typed(b, carried, out)

    def turn(_: Value, values: Sequence[Value]) -> tuple[Value, Sequence[Value]]:
        made = _typed(b, inline(body, [*values, *others]), out)
        return _condition(b, inline(goes_on, [*made, *others])[0]), made
    return b.loop(None, _condition(b, inline(goes_on, [*first, *others])[0]), first, turn)
