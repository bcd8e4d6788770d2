# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of core ATen operators as models for Heddle's importer (docs/design/torch-translation.md)."""
from __future__ import annotations

import operator
import os
import pathlib
from typing import Any, Mapping, NamedTuple, Sequence

import sympy
import torch
from torch.utils import _pytree as pytree

from . import (activations, attention, backward, bags, bessel, complexes, convolutions, distances, elementwise, exponentials, factories,  # noqa: F401
               histograms, indexing, linear_algebra, movement, normalisation, pools, products, recurrent, reductions, resizing, sampling,
               scattering, segments, selection, sorting, special, spectra, spectral, windows, wire)
from .builder import Builder
from .control import is_control, translate_control
from .decompose import decompositions  # noqa: F401
from .table import PAIRS, PARTWISE, TABLE, Context
from .values import KINDS, REAL_OF, Complex, Unsupported, Value, judge, name_of, shape_of, size_of


# Checks of what FX knew when it made the graph.
NOTHING = {"aten._assert_tensor_metadata.default", "aten._assert_scalar.default", "aten.sym_constrain_range_for_size.default"}


class Model(NamedTuple):
    """`data`: the model; the elements of `tensors` lie in the file wire.LOCATION beside it, one after the other, each at a
    multiple of 64 bytes (`write`). `inputs`: the placeholders that are its arguments, by name, in order. `outputs`: its
    results: those of the graph, without None."""

    data: bytes
    tensors: dict[str, torch.Tensor]
    inputs: list[str]
    outputs: list[str]


class Names(NamedTuple):
    """What a model's parts are called where that is not what the graph calls them. `constants`: by placeholder; `sizes`: by symbol;
    `places`: of nodes, as errors have them; `values`: of nodes whose value has a name; `results`: in their order."""

    constants: Mapping[str, str] = {}
    sizes: Mapping[sympy.Symbol, str] = {}
    places: Mapping[str, str] = {}
    values: Mapping[str, str] = {}
    results: Sequence[str] = ()

    def size(self, size: Any) -> str:
        return str(size.xreplace({symbol: sympy.Symbol(name) for symbol, name in self.sizes.items()}))


def write(model: Model, folder: pathlib.Path) -> pathlib.Path:
    """Writes the model and its tensors into a folder; gives the model's path. Tensors are not copied on the way unless they are
    no contiguous memory of the CPU."""
    path = folder / "model.onnx"
    path.write_bytes(model.data)
    if model.tensors:
        with open(folder / wire.LOCATION, "wb") as file:
            for tensor in model.tensors.values():
                file.write(b"\0" * (-file.tell() % 64))
                file.write(memoryview(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()))
    return path


def _is_number(value: Any) -> bool:
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float, bool)) or value is None


class _Part:
    """Of a complex tensor's meta value: what the translations of movements ask for."""

    def __init__(self, out: torch.Tensor):
        self.shape, self.dtype = out.shape, REAL_OF.get(out.dtype, out.dtype)
        self.ndim = out.ndim


def _call(b: Builder, node: torch.fx.Node, arguments: Any, named: Any) -> Any:
    """The translation of a node, of the types that FX knows."""
    name, out = str(node.target), node.meta["val"]
    leaves = [*pytree.tree_leaves((arguments, named), is_leaf=lambda leaf: isinstance(leaf, (Value, Complex))),
              *pytree.tree_leaves(out)]
    is_complex = any(isinstance(leaf, (Complex, complex)) or isinstance(leaf, torch.Tensor) and leaf.dtype.is_complex for leaf in leaves)
    if name.startswith("aten.as_strided") and not _lies_in_order(node.args[0]):
        raise Unsupported("a strided view of what is a view itself")
    context = Context(b, out, _read_of(node), [given.meta["val"] if isinstance(given, torch.fx.Node) else given for given in node.args])
    if name in TABLE or name in PAIRS:
        tensors = [leaf for leaf in pytree.tree_leaves(out) if isinstance(leaf, torch.Tensor)]
        if tensors and all(0 in shape_of(tensor.shape) for tensor in tensors):
            return pytree.tree_map_only(torch.Tensor, lambda tensor: _nothing(b, tensor), out)
    if not is_complex:
        if name not in TABLE:
            raise Unsupported("no translation")
        return _typed(b, TABLE[name](context, *arguments, **named), out)
    if name in PAIRS:
        return _typed(b, PAIRS[name](context, *arguments, **named), out)
    if name not in PARTWISE:
        raise Unsupported("no translation for complex numbers")
    return _by_parts(context, TABLE[name], arguments, named)


def _read_of(node: torch.fx.Node) -> set[int] | None:
    if not all(user.target is operator.getitem for user in node.users):
        return None
    return {user.args[1] for user in node.users}


def _nothing(b: Builder, out: torch.Tensor) -> Any:
    """A tensor without elements."""
    made = b.fill(0, REAL_OF.get(out.dtype, out.dtype), out.shape)
    return Complex(made, made) if out.dtype in REAL_OF else made


def _lies_in_order(node: Any) -> bool:
    value = node.meta["val"]
    return value.is_contiguous() and value.storage_offset() == 0  # type: ignore[no-any-return]


def _by_parts(c: Context, function: Any, arguments: Any, named: Any) -> Any:
    def pick(tree: Any, part: int) -> Any:
        pairs = pytree.tree_map(lambda leaf: c.pair(leaf) if isinstance(leaf, Value) and leaf.dtype.is_floating_point else leaf, tree,
                                is_leaf=lambda leaf: isinstance(leaf, (Value, Complex)))
        return pytree.tree_map(lambda leaf: leaf[part] if isinstance(leaf, Complex) else leaf, pairs,
                               is_leaf=lambda leaf: isinstance(leaf, (Value, Complex)))
    out = pytree.tree_map_only(torch.Tensor, _Part, c.out)
    parts = [function(Context(c.b, out, c.read, c.given), *pick(arguments, part), **pick(named, part)) for part in (0, 1)]
    if isinstance(parts[0], Value):
        return Complex(*parts)
    return [Complex(re, im) for re, im in zip(*parts)]


def _typed(b: Builder, result: Any, out: Any) -> Any:
    """The results with the types that PyTorch gives them."""
    if isinstance(out, (list, tuple)):
        return [_typed(b, mine, theirs) for mine, theirs in zip(result, out)]
    if isinstance(result, Complex):
        part = REAL_OF[out.dtype]
        return Complex(b.cast(result.re, part), b.cast(result.im, part))
    if isinstance(result, Value):
        result = b.cast(result, out.dtype)
        assert len(result.shape) == out.dim(), f"rank {len(result.shape)}, expected {out.dim()}"
        if result.shape == (0,) and out.dim() == 1:  # what no call reads
            return result
        for mine, theirs in zip(result.shape, shape_of(out.shape)):
            assert not (isinstance(mine, int) and isinstance(theirs, int)) or mine == theirs, f"{result.shape}, expected {out.shape}"
        return Value(result.name, result.dtype, shape_of(out.shape))
    return result


def _is_symbolic(node: torch.fx.Node) -> bool:
    """It computes sizes, which are known by their expressions."""
    return "val" in node.meta and _is_number(node.meta["val"]) and not isinstance(node.meta["val"], torch.SymBool)


def why_not(node: torch.fx.Node) -> str | None:
    """None: this node of ATen is translated, for these types and forms; else why not, in words."""
    if node.op != "call_function" or node.target is operator.getitem:
        return None
    if str(node.target) in NOTHING:
        return None
    if "val" not in node.meta:
        return "nothing is known of its result"
    if _is_symbolic(node):
        return None if node.meta["val"] is not None else "it gives nothing"
    try:
        for value in [*(given.meta.get("val") for given in node.all_input_nodes), *pytree.tree_leaves(node.meta["val"])]:
            for leaf in pytree.tree_leaves(value):
                judge(leaf)
        b = _Trial()
        arguments, named = pytree.tree_map_only(torch.fx.Node, b.stand_in, (node.args, node.kwargs))
        _call(b, node, arguments, named)
    except Unsupported as reason:
        return str(reason)
    except Exception as error:  # a defect of the translation: the node is right in PyTorch
        if os.environ.get("HEDDLE_TORCH_STRICT"):
            raise
        return f"its translation failed: {type(error).__name__}: {error}"
    return None


class _Trial(Builder):
    """A model that is thrown away: any size may be read off somewhere."""

    def size(self, size: Any) -> Value:
        size = size_of(size)
        if isinstance(size, sympy.Symbol):
            return Value("size", torch.int64, (1,))
        return super().size(size)

    def stand_in(self, node: torch.fx.Node) -> Any:
        def of(leaf: Any) -> Any:
            if not isinstance(leaf, torch.Tensor):
                return leaf
            if leaf.dtype in REAL_OF:
                part = Value(node.name, REAL_OF[leaf.dtype], shape_of(leaf.shape))
                return Complex(part, part)
            return Value(node.name, leaf.dtype, shape_of(leaf.shape))
        return pytree.tree_map(of, node.meta["val"])


class _Translation:
    """Of one graph."""

    def __init__(self, graph: torch.fx.GraphModule, weights: Mapping[str, torch.Tensor], names: Names):
        self.module, self.weights, self.names, self.b = graph, weights, names, Builder()
        self.shared: dict[Any, Any] = {}  # constants by their memory
        self.values: dict[torch.fx.Node, Any] = {}
        self.inputs: list[str] = []

    def run(self) -> Model:
        for node in self.module.graph.nodes:
            self.b.place = self.names.places.get(node.name, node.name)
            if node.op == "placeholder":
                self.values[node] = self.place(node)
            elif node.op == "output":
                names = self.give(pytree.tree_leaves(node.args))
            else:
                self.values[node] = self.made(node)
        data = self.b.model(names)
        return Model(data, self.b.tensors, self.inputs, [name for name, _ in names])

    def made(self, node: torch.fx.Node) -> Any:
        if node.op == "call_function":
            return self.named(node, self.call(node))
        value = getattr(self.module, str(node.target))
        return value if isinstance(value, torch.nn.Module) else self.constant(value, None)

    def inline(self, graph: torch.fx.GraphModule, operands: Sequence[Any]) -> list[Any]:
        """The results of a graph that an operator of this one calls."""
        inner = _Translation(graph, {}, self.names._replace(places={}, values={}))
        inner.b = self.b
        given = iter(operands)
        for node in graph.graph.nodes:
            if node.op == "output":
                return [inner.values[leaf] if isinstance(leaf, torch.fx.Node) else leaf for leaf in pytree.tree_leaves(node.args)]
            inner.values[node] = next(given) if node.op == "placeholder" else inner.made(node)
        return []

    def constant(self, tensor: torch.Tensor, name: str | None) -> Any:
        if not tensor.dtype.is_complex:
            return self.b.tensor(tensor.detach(), name)
        return Complex(*[self.b.tensor(part.contiguous()) for part in (tensor.real, tensor.imag)])

    def weight(self, name: str) -> Any:
        """One constant for all placeholders that are the same memory."""
        tensor = self.weights[name]
        memory = (tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()) if tensor.numel() else name
        if memory not in self.shared:
            self.shared[memory] = self.constant(tensor, self.names.constants.get(name, name))
        return self.shared[memory]

    def named(self, node: torch.fx.Node, value: Any) -> Any:
        name = self.names.values.get(node.name)
        if name is None or not isinstance(value, Value):
            return value
        self.b.nodes.append(wire.node("Identity", [value.name], [name], name, "", {}))
        return value._replace(name=name)

    def place(self, node: torch.fx.Node) -> Any:
        value = node.meta["val"]
        if not isinstance(value, torch.Tensor):
            return self.place_size(node, value)
        judge(value)
        if node.name in self.weights:
            return self.weight(node.name)
        self.inputs.append(node.name)
        is_pair = value.dtype in REAL_OF
        shape = shape_of(value.shape) + ((2,) if is_pair else ())
        given = Value(node.name, REAL_OF.get(value.dtype, value.dtype), shape)
        self.b.inputs.append(wire.value(node.name, KINDS[given.dtype], [size if isinstance(size, int) else self.names.size(size) for size in shape]))
        self.b.learn(given)
        if not is_pair:
            return given
        return Complex(*[self.b.op("Gather", given, self.b.const(part, torch.int64), dtype=given.dtype, shape=shape[:-1], axis=len(shape) - 1)
                         for part in (0, 1)])

    def place_size(self, node: torch.fx.Node, value: Any) -> Any:
        """A size that no tensor has is an argument of its own, and so is a formula of such sizes."""
        if not isinstance(value, (torch.SymInt, torch.SymFloat)) or value.node.expr.is_number or value.node.expr.free_symbols <= self.known_sizes(node):
            return value
        is_whole = isinstance(value, torch.SymInt)
        self.inputs.append(node.name)
        self.b.inputs.append(wire.value(node.name, wire.INT64 if is_whole else wire.DOUBLE, []))
        given = Value(node.name, torch.int64 if is_whole else torch.float64, ())
        if isinstance(value.node.expr, sympy.Symbol) and is_whole:
            self.b.sources[value.node.expr] = (given, None)
        elif is_whole:
            self.b.known[value.node.expr] = self.b.reshape(given, (1,))
        else:
            self.b.numbers[value.node.expr] = given
        return value

    def known_sizes(self, but: torch.fx.Node) -> set[sympy.Symbol]:
        """Free sizes of tensors among the arguments, and those that are arguments themselves."""
        known = set()
        for node in self.module.graph.nodes:
            value = node.meta["val"] if node.op == "placeholder" else None
            sizes = value.shape if isinstance(value, torch.Tensor) else [value] if isinstance(value, torch.SymInt) and node is not but else []
            known |= {expression for size in sizes if isinstance(expression := size_of(size), sympy.Symbol)}
        return known

    def call(self, node: torch.fx.Node) -> Any:
        if str(node.target) in NOTHING:
            return None
        if _is_symbolic(node):
            return node.meta["val"]
        arguments, named = pytree.tree_map_only(torch.fx.Node, self.values.__getitem__, (node.args, node.kwargs))
        if node.target is operator.getitem:
            return arguments[0][arguments[1]]
        if is_control(node):
            return translate_control(self.b, node, arguments, self.inline)
        few = attention.of_groups(node)
        arguments = [self.values[few[place]] if place in few else argument for place, argument in enumerate(arguments)]
        try:
            return _call(self.b, node, arguments, named)
        except Unsupported as reason:
            raise Unsupported(f"{node.target} ({node.name}): {reason}") from None

    def give(self, leaves: list[Any]) -> list[tuple[str, torch.dtype]]:
        names: list[tuple[str, torch.dtype]] = []
        for leaf in leaves:
            value = self.values[leaf] if isinstance(leaf, torch.fx.Node) else leaf
            if value is None:
                continue
            if _is_number(value):
                value = self.b.number(value) if isinstance(value, (float, torch.SymFloat)) else self.b.scalar(value)
            if isinstance(value, Complex):
                value = self.b.concat([self.b.unsqueeze(part, -1) for part in value], -1)
            given = self.names.results
            names.append((given[len(names)] if given else f"result.{len(names)}", value.dtype))
            self.b.nodes.append(wire.node("Identity", [value.name], [names[-1][0]], names[-1][0], "", {}))
        return names


def translate(graph: torch.fx.GraphModule, weights: Mapping[str, torch.Tensor], names: Names = Names()) -> Model:
    """A graph of functional ATen operators, with meta["val"] on every node, of which `why_not` says nothing. Placeholders that
    `weights` names are constants. Complex arguments and results are pairs of reals in a last dimension, as view_as_real has it."""
    return _Translation(graph, weights, names).run()
