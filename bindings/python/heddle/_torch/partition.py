# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts a graph of AOTAutograd into islands, which Heddle computes, and nodes that run in PyTorch between them.

Each node has a level: an island is all nodes of a level that Heddle can have, and runs before the nodes of that level that run in
PyTorch. Levels grow only on the way from PyTorch to Heddle, so there are as few islands as a path changes sides.
"""
from __future__ import annotations

from typing import Callable, Iterable, NamedTuple

from torch.fx import Graph, Node

from .._fallback import Reason
from .nodes import checks, is_ordered, is_part, is_view, reads_nothing, root_of, tensors_of, written_by


class Island(NamedTuple):
    """`nodes`: in the graph's order; views and constants may be in several islands. `results`: those whose values others need."""

    nodes: list[Node]
    results: list[Node]


class Partition(NamedTuple):
    """`steps`: islands and nodes in an order that may run. `outside`: the nodes that compute in PyTorch, and why. Views and
    numbers, which cost nothing there, checks, and the writes to arguments at the end are not among them."""

    steps: list[Island | Node]
    outside: dict[Node, Reason]

    @property
    def islands(self) -> list[Island]:
        return [step for step in self.steps if isinstance(step, Island)]


def partition(graph: Graph, reason_of: Callable[[Node], Reason | None], is_dense: Callable[[Node], bool]) -> Partition:
    """`reason_of`: why a node runs in PyTorch, None where Heddle may have it. `is_dense`: whether a value's memory has the order
    of its dimensions, without gaps."""
    nodes = [node for node in graph.nodes if node.op == "call_function"]
    final = _final_writes(nodes)
    body = [node for node in nodes if node not in final]
    mine, outside = _sides(body, reason_of)
    if any(written_by(node) for node in outside):  # the order of all reads and writes counts
        text = "the graph writes in place before its end"
        return Partition(list(nodes), {node: outside.get(node, Reason("write", text)) for node in body
                                       if node in outside or node in mine and not is_view(node)})
    return Partition(_Cut(graph, body, final, mine, is_dense).steps(), outside)


def _final_writes(nodes: list[Node]) -> list[Node]:
    """The writes by which AOTAutograd gives arguments their new values: of whose arguments nothing behind them reads, so that they may
    stand at the end."""
    final: list[Node] = []
    read: set[Node] = set()  # by what stands behind
    for node in reversed(nodes):
        written = written_by(node)
        if written and all(target.op == "placeholder" and target not in read for target in written) \
                and all(user.op == "output" for user in node.users):
            final.append(node)
        else:
            read.update(root_of(given) for given in node.all_input_nodes)
    return final[::-1]


def _sides(nodes: list[Node], reason_of: Callable[[Node], Reason | None]) -> tuple[set[Node], dict[Node, Reason]]:
    mine: set[Node] = set()
    outside: dict[Node, Reason] = {}
    for node in nodes:
        if is_part(node):
            mine.update([node] if node.args[0] in mine else [])
        elif not reads_nothing(node) and not checks(node):
            reason = reason_of(node)
            if reason is None:
                mine.add(node)
            else:
                outside[node] = reason
    return mine, outside


class _Cut:
    def __init__(self, graph: Graph, nodes: list[Node], final: list[Node], mine: set[Node],
                 is_dense: Callable[[Node], bool]):
        self.nodes, self.final, self.mine, self.is_dense = nodes, final, mine, is_dense
        self.places = {node: place for place, node in enumerate(nodes)}
        self.levels = self.find_levels()
        self.shared = _shared(graph)
        self.needed = set(graph.output_node().all_input_nodes)

    def find_levels(self) -> dict[Node, int]:
        levels: dict[Node, int] = {}
        ordered = 0
        for node in self.nodes:
            level = max((levels[given] + (node in self.mine and given not in self.mine) for given in node.all_input_nodes
                         if given in levels), default=0)
            if node not in self.mine and is_ordered(node):
                level = ordered = max(level, ordered)
            levels[node] = level
        return levels

    def steps(self) -> list[Island | Node]:
        """From the last level to the first, as each says what it needs of those before."""
        for node in [*self.nodes, *self.final]:
            if node not in self.mine:
                self.needed.update(node.all_input_nodes)
        backwards: list[list[Island | Node]] = []
        for level in reversed(range(max(self.levels.values(), default=-1) + 1)):
            outside: list[Island | Node] = [node for node in self.nodes if self.levels[node] == level and node not in self.mine]
            backwards.append([*self.island(level), *outside])
        return [step for steps in reversed(backwards) for step in steps] + self.final

    def island(self, level: int) -> list[Island | Node]:
        """The island of a level, and the views of its results or of others' values that are made in PyTorch."""
        owned = {node for node in self.mine if self.levels[node] == level}
        results: dict[Node, None] = {}
        replayed: dict[Node, None] = {}

        def need(node: Node) -> None:
            if node not in owned or node in results or node in replayed:
                return
            if is_view(node) and (node in self.shared or root_of(node) not in owned or is_part(node) or not self.is_dense(node)):
                for given in node.all_input_nodes:
                    need(given)
                replayed[node] = None
            elif isinstance(node.meta["val"], (tuple, list)) and not is_part(node):
                for user in node.users:
                    need(user)
            else:
                results[node] = None

        for node in self.nodes:
            if node in owned and node in self.needed:
                need(node)
        live = self.live(results, owned)
        for node in [*live, *replayed]:
            self.needed.update(given for given in node.all_input_nodes if given not in live)
        steps: list[Island | Node] = list(replayed)
        return [Island(sorted(live, key=self.places.__getitem__), list(results)), *steps] if results else steps

    def live(self, results: Iterable[Node], owned: set[Node]) -> set[Node]:
        """What an island computes: what is its own, and again those views and constants of other levels that it reads."""
        live: set[Node] = set()
        waiting = list(results)
        while waiting:
            node = waiting.pop()
            if node not in live:
                live.add(node)
                waiting += [given for given in node.all_input_nodes if given in owned or given in self.mine and (
                    is_view(given) or not any(tensors_of(source) for source in given.all_input_nodes))]
        return live


def _shared(graph: Graph) -> set[Node]:
    """Views among the results that share memory with another result or an argument, and what lies on the way to it."""
    results = list(dict.fromkeys(graph.output_node().all_input_nodes))
    roots = [root_of(node) for node in results]
    shared = set()
    for node, root in zip(results, roots):
        while is_view(node) and (roots.count(root) > 1 or root.op == "placeholder"):
            shared.add(node)
            node = node.all_input_nodes[0]
    return shared
