# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A graph of AOTAutograd as a program: islands in Heddle, all else in PyTorch, in one function."""
from __future__ import annotations

import operator
import threading
from typing import Any, Callable, NamedTuple, Sequence

import torch
from torch.fx import Graph, GraphModule, Node

from .._errors import UnsupportedError
from .._fallback import Reason, count, warn
from .._runtime import Watch
from . import island as islands
from .donation import Donations, find_donations, settle
from .island import Settings
from .nodes import calls_graphs, is_idle, place_of, reason_of, root_of, written_by
from .partition import Island, Partition, partition


class _Weights(NamedTuple):
    """Parameters and buffers that are constants of the artifact: `watch` says which of them changed. `held` keeps them and their
    memory, so that no other gets the address."""

    watch: Watch
    held: list[torch.Tensor]


_SAMPLE = 64
_NO_WEIGHTS = _Weights(Watch(), [])


def _sample(tensor: torch.Tensor) -> torch.Tensor:
    """Bytes all over its memory (a view): PyTorch does not count all writes (running statistics of batches, fused optimisers,
    `.data`)."""
    dense = torch.view_as_real(tensor.detach().resolve_conj()) if tensor.is_complex() else tensor.detach()
    order = sorted(range(dense.dim()), key=dense.stride, reverse=True)
    dense = dense.permute(order)
    if dense.numel() == 0 or not dense.is_contiguous():
        return torch.zeros(0, dtype=torch.uint8)
    flat = dense.reshape(-1).view(torch.uint8)
    return flat[::(len(flat) // _SAMPLE) | 1]  # odd: all bytes of an element are among them


def _watch(weights: dict[int, torch.Tensor]) -> _Weights:
    """`weights`: by their place among the arguments."""
    made = _Weights(Watch(), [])
    for place, weight in weights.items():
        sample = _sample(weight)
        version = None if weight.is_inference() else weight._version  # which it has not
        made.watch.add(place, weight, weight.data_ptr(), version, sample.data_ptr(), sample.stride(0), len(sample))
        made.held.extend((weight, weight.detach(), sample))
    return made


def _is_weight(tensor: Any) -> bool:
    """A parameter or buffer of a module."""
    return isinstance(tensor, torch.nn.Parameter) or hasattr(tensor, "_dynamo_static_input_type")


def hint(size: Any) -> int:
    """A size, or what it was when the graph was traced."""
    if not isinstance(size, torch.SymInt):
        return int(size)
    return int(size.node.hint) if size.node.has_hint() else 2


def _order(node: Node) -> list[int] | None:
    """The dimensions from that of the largest stride to that of the smallest, of memory without gaps; None where it has some."""
    value = node.meta["val"]
    if value.layout != torch.strided:
        return None
    sizes, strides = [hint(size) for size in value.shape], [hint(stride) for stride in value.stride()]
    if 0 in sizes:
        return list(range(len(sizes)))
    order = sorted(range(len(sizes)), key=lambda axis: (-strides[axis], axis))
    expected = 1
    for axis in reversed(order):
        if sizes[axis] != 1:
            if strides[axis] != expected:
                return None
            expected *= sizes[axis]
    kept = iter(axis for axis in order if sizes[axis] != 1)  # those of one element stay where they are
    return [next(kept) if sizes[axis] != 1 else axis for axis in range(len(sizes))]


def _is_dense(node: Node) -> bool:
    order = _order(node) if isinstance(node.meta["val"], torch.Tensor) else None
    return order is not None and order == sorted(order)


def _symbols(value: Any) -> set[Any]:
    sizes = value.shape if isinstance(value, torch.Tensor) else [value]
    return {symbol for size in sizes if isinstance(size, torch.SymInt) for symbol in size.node.expr.free_symbols}


class _Piece(NamedTuple):
    """An island's graph, and the nodes of the whole graph that are its operands and results. `orders`: of the dimensions of each
    result as the graph gives it, None: as they are."""

    graph: GraphModule
    operands: list[Node]
    results: list[Node]
    orders: list[list[int] | None]


def _piece(whole: GraphModule, island: Island) -> _Piece:
    graph = Graph()
    made: dict[Node, Node] = {}
    operands: list[Node] = []
    members = set(island.nodes)

    def place(node: Node) -> None:
        if node in made or node in members:
            return
        if node.op == "get_attr":
            made[node] = graph.node_copy(node)
        else:
            operands.append(node)
            made[node] = graph.placeholder(node.name)
            made[node].meta = dict(node.meta)

    for node in island.nodes:
        for given in node.all_input_nodes:
            place(given)
    for node in _sizes_of(whole.graph, island.nodes, operands):
        place(node)
    for node in island.nodes:
        made[node] = graph.node_copy(node, made.__getitem__)
    results: list[Node] = []
    orders: list[list[int] | None] = []
    for node in island.results:
        order = _order(node)
        if order is None or order == sorted(order):
            results.append(made[node])
            orders.append(None)
        else:  # memory in another order, as PyTorch would have it
            results.append(graph.call_function(torch.ops.aten.permute.default, (made[node], order)))
            results[-1].meta["val"] = node.meta["val"].permute(order)
            orders.append([order.index(axis) for axis in range(len(order))])
    graph.output(tuple(results))
    return _Piece(GraphModule(whole, graph), operands, island.results, orders)


def _sizes_of(whole: Graph, nodes: list[Node], operands: list[Node]) -> list[Node]:
    """The arguments that are free sizes which appear in an island, and are those of none of its operands."""
    known = {size.node.expr for node in operands for size in getattr(node.meta.get("val"), "shape", ()) if isinstance(size, torch.SymInt)}
    wanted = {symbol for node in [*nodes, *operands] for leaf in torch.utils._pytree.tree_leaves(node.meta.get("val"))
              for symbol in _symbols(leaf)} - known
    return [node for node in whole.nodes if node.op == "placeholder" and isinstance(node.meta.get("val"), torch.SymInt)
            and node.meta["val"].node.expr in wanted]


class Program:
    """What a compiler of AOTAutograd gives: called with a list of arguments, which it empties; any number of threads may.

    Islands are compiled at the first call, when the arguments are there. With `freeze`, parameters and buffers that the graph
    does not write to are constants of them, and they are compiled anew when one has changed since, once: a weight that
    changes again becomes an argument. A graph that writes to a parameter trains, and has no constants.
    """

    def __init__(self, whole: GraphModule, settings: Settings, freeze: bool):
        self._boxed_call = True  # for AOTAutograd; of the object, as wrappers take over what its __dict__ has
        for node in list(whole.graph.nodes):
            if is_idle(node):
                whole.graph.erase_node(node)
        self.whole, self.settings, self.freeze = whole, settings, freeze
        self.compile_branches()
        self.lock = threading.Lock()
        self.placeholders = [node for node in whole.graph.nodes if node.op == "placeholder"]
        self.partition: Partition = partition(whole.graph, reason_of, _is_dense)
        if not settings.fallback:
            self.refuse()
        self.donations = find_donations(self.partition)
        self.pieces = [_piece(whole, island) for island in self.partition.islands]
        self.state: tuple[Callable[[list[Any]], Any] | None, _Weights] = (None, _NO_WEIGHTS)  # one object for all threads
        self.changed: set[int] = set()
        self.varying: set[int] = set()

    def compile_branches(self) -> None:
        """The graphs that operators of this one call become programs. They have no constants, as a loop may give them other tensors."""
        for node in self.whole.graph.nodes:
            if node.op == "get_attr" and node.users and all(calls_graphs(user) for user in node.users):
                graph = getattr(self.whole, node.target)
                if isinstance(graph, GraphModule):
                    setattr(self.whole, node.target, _Branch(Program(graph, self.settings, False)))

    def refuse(self) -> None:
        for node, reason in self.partition.outside.items():
            if reason.kind != "random" and not calls_graphs(node):
                place = f" ({reason.place})" if reason.place else ""
                raise UnsupportedError(f"{reason.text}{place}; options={{'fallback': True}} has PyTorch run it")

    def __call__(self, arguments: list[Any]) -> Any:
        run, weights = self.state
        if run is None or weights.held and weights.watch.changed(arguments):
            run = self.build(arguments)
        return run(arguments)

    def build(self, arguments: list[Any]) -> Callable[[list[Any]], Any]:
        with self.lock:
            old, weights = self.state
            is_new = old is None
            changed = weights.watch.changed(arguments)
            if old is not None and not changed:  # another thread's call did it
                return old
            for place in changed:
                (self.varying if place in self.changed else self.changed).add(place)
            frozen = self.find_weights(arguments)
            watched = _watch({place: arguments[place] for place in sorted(frozen)})
            built = [islands.Island(piece.graph, {place: arguments[at] for place, node in enumerate(piece.operands)
                                                  if (at := self.place_of(node)) in frozen}, self.settings,
                                    {piece.operands.index(argument): piece.results.index(result) for result, argument in donated.items()})
                     for piece, donated in zip(self.pieces, self.donations.of_islands)]
            run = _link(self.whole, self.partition, self.donations, self.pieces, [_First(island, self, is_new) for island in built])
            self.state = (run, watched)
            if is_new:
                self.count()
            return run

    def place_of(self, node: Node) -> int:
        return self.placeholders.index(node) if node.op == "placeholder" else -1

    def find_weights(self, arguments: Sequence[Any]) -> set[int]:
        """The places of arguments that become constants."""
        if not self.freeze:
            return set()
        written = {place for place, node in enumerate(self.placeholders) if any(node in written_by(user) for user in node.users)}
        if any(isinstance(arguments[place], torch.nn.Parameter) for place in written):
            return set()
        return {place for place, argument in enumerate(arguments) if isinstance(argument, torch.Tensor) and _is_weight(argument)
                and place not in written and place not in self.varying and islands.of_weights([argument])}

    def count(self) -> None:
        """Once for each program: whether islands are in it, and each kind of reason why others are not."""
        outside = self.partition.outside
        if self.pieces:
            count("heddle")
        elif not outside:
            count("view")
        kinds = set()
        for node, reason in outside.items():
            if reason.kind not in kinds:
                kinds.add(reason.kind)
                count(reason.kind)
            if reason.kind != "random" and not calls_graphs(node):
                warn(reason)


class _Branch(torch.nn.Module):
    """A program as a module, for operators that call modules."""

    def __init__(self, program: Program):
        super().__init__()
        self.program = program

    def forward(self, *arguments: Any) -> Any:
        return self.program(list(arguments))


class _First:
    """An island that is compiled at its first call, when its operands are there."""

    def __init__(self, island: islands.Island, program: Program, is_new: bool):
        self.island, self.program, self.is_new = island, program, is_new
        self.lock = threading.Lock()
        self.is_ready = False
        self.__name__ = "island"

    def __call__(self, *operands: Any) -> Any:
        if not self.is_ready:
            self.prepare(operands)
        return self.island(*operands)

    def prepare(self, operands: Sequence[Any]) -> None:
        with self.lock:
            if self.is_ready:
                return
            reason = self.island.prepare(operands)
            if reason is None and self.program.settings.compare:
                reason = self.island.compare(operands)
            self.is_ready = True
            if reason is not None:
                count(reason.kind)
                warn(reason._replace(place=place_of(next(iter(self.island.results()), None))))


def _link(whole: GraphModule, parts: Partition, donations: Donations, pieces: list[_Piece],
          calls: Sequence[Callable[..., Any]]) -> Callable[[list[Any]], Any]:
    """The function that runs a program: it frees each value behind its last use, and takes its arguments' list empty."""
    graph = Graph()
    graph.set_codegen(torch.fx.graph._BoxedCodeGen())
    made: dict[Node, Node] = {}
    for node in whole.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            made[node] = graph.node_copy(node)
    remaining = iter(zip(pieces, calls))
    for step in parts.steps:
        if isinstance(step, Node):
            made[step] = graph.call_function(settle, (made[step.args[0]], made[step.args[1]])) if step in donations.settled else \
                graph.node_copy(step, made.__getitem__)
            continue
        piece, call = next(remaining)
        results = graph.call_function(call, tuple(made[node] for node in piece.operands))
        for place, (node, order) in enumerate(zip(piece.results, piece.orders)):
            made[node] = graph.call_function(operator.getitem, (results, place))
            if order is not None:
                made[node] = graph.call_function(torch.ops.aten.permute.default, (made[node], order))
    graph.output(torch.fx.node.map_arg(whole.graph.output_node().args[0], made.__getitem__))
    linked = GraphModule(whole, graph)
    run: Callable[[list[Any]], Any] = linked.forward
    return run
