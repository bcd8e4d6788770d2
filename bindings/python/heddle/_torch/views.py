# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose results share memory, with arguments or with one another, as a graph whose results do not and one that views them.

    (y := x * 2, y[0], x.T)   →   y := x * 2 in Heddle   and   (y, y[0], x.T) of x and y in PyTorch
"""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

import torch
from torch.utils import _pytree as pytree

from .._fallback import Found


class Value(NamedTuple):
    """What a node gave when the graph ran. `memory`: of its tensors; a number that two tensors have in common which share it."""

    memory: frozenset[int]
    is_tensor: bool
    is_dense: bool
    writes: bool


class Split(NamedTuple):
    """`computing` takes the arguments of the graph, and gives tensors of their own memory. `viewing` takes those arguments and
    these tensors, and gives the results of the graph."""

    computing: torch.fx.GraphModule
    viewing: torch.fx.GraphModule


def memory_of(tensor: torch.Tensor) -> int:
    """What two tensors that share memory have in common; 0 for sparse ones."""
    return 0 if tensor.layout != torch.strided else int(tensor.untyped_storage()._cdata)


def describe(value: Any, writes: bool) -> Value:
    tensors = [leaf for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]
    is_tensor = isinstance(value, torch.Tensor)
    return Value(frozenset(filter(None, map(memory_of, tensors))), is_tensor, is_tensor and value.is_contiguous(), writes)


def _base_of(result: torch.fx.Node, values: dict[torch.fx.Node, Value]) -> tuple[torch.fx.Node, list[torch.fx.Node]]:
    """The tensor that `result` is a view of, and the nodes that lead to it from there, in their order."""
    memory, chain, node = values[result].memory, [], result
    while node.op not in ("placeholder", "get_attr"):
        sources = [source for source in node.all_input_nodes if values[source].memory & memory]
        if not sources:
            break
        if len(sources) > 1 or values[node].writes:
            raise Found("view", f"'{result.name}' shares memory in a way that cannot be said again ({node.name})")
        chain.append(node)
        node = sources[0]
    if not values[node].is_tensor:  # one of several results of an operator
        node = chain.pop()
    return node, chain[::-1]


class _Viewing:
    """Builds the graph that views."""

    def __init__(self, graph: torch.fx.GraphModule, values: dict[torch.fx.Node, Value]):
        self.values = values
        self.made = torch.fx.Graph()
        self.copies = {node: self.made.placeholder(node.name) for node in graph.graph.nodes if node.op == "placeholder"}

    def copy(self, node: torch.fx.Node, is_view: bool) -> None:
        """A node of the way from a base, or a number that such a node takes."""
        if node in self.copies:
            return
        if not is_view and self.values[node].is_tensor and node.op != "get_attr":
            raise Found("view", f"a view takes '{node.name}', which is computed")
        for source in node.all_input_nodes:
            self.copy(source, False)
        self.copies[node] = self.made.node_copy(node, lambda source: self.copies[source])


def split(graph: torch.fx.GraphModule, values: dict[torch.fx.Node, Value]) -> Split:
    """Raises Found where the graph only views, or views in a way that cannot be repeated on other memory."""
    output = next(node for node in graph.graph.nodes if node.op == "output")
    results = [leaf for leaf in pytree.tree_leaves(output.args[0]) if isinstance(leaf, torch.fx.Node)]
    ways = {result: _base_of(result, values) for result in results}
    bases = list(dict.fromkeys(base for base, _ in ways.values()))
    computed = [base for base in bases if base.op not in ("placeholder", "get_attr")]
    if not computed:
        raise Found("view", "it gives nothing but views of its arguments")
    for base in computed:
        if not values[base].is_dense:
            raise Found("view", f"results are views of '{base.name}', which is not dense")
    viewing = _Viewing(graph, values)
    for base in computed:
        viewing.copies[base] = viewing.made.placeholder("computed_" + base.name)
    for base, chain in ways.values():
        viewing.copy(base, True)
        for node in chain:
            viewing.copy(node, True)
    viewing.made.output(torch.fx.node.map_arg(output.args[0], lambda node: viewing.copies[node]))
    computing = torch.fx.Graph()
    copies: dict[torch.fx.Node, torch.fx.Node] = {}
    computing.graph_copy(graph.graph, copies)
    computing.output(tuple(copies[base] for base in computed))
    return Split(torch.fx.GraphModule(graph, computing), torch.fx.GraphModule(graph, viewing.made))


def shares(results: Sequence[Any], owners: Any) -> str | None:
    """Which results share memory, in words; None where none does."""
    seen: dict[int, int] = {}
    for place, result in enumerate(results):
        memory = memory_of(result) if isinstance(result, torch.Tensor) else 0
        if memory in owners:
            return f"result {place} is a view of {owners[memory]}"
        if memory in seen:
            return f"results {seen[memory]} and {place} share memory"
        if memory:
            seen[memory] = place
    return None
