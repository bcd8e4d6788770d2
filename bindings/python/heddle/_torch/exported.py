# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch.export makes of a module, as a model by the translation, and how it is called (docs/design/torch.md)."""
from __future__ import annotations

import contextlib
import functools
import os
import pathlib
import warnings
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Sequence

import sympy
import torch
from torch._dynamo import convert_frame
from torch._dynamo.exc import UserError
from torch.export._tree_utils import reorder_kwargs
from torch.export.dynamic_shapes import refine_dynamic_shapes_from_suggested_fixes
from torch.export.graph_signature import ConstantArgument, InputKind, OutputKind, SymIntArgument
from torch.utils import _pytree as pytree

from .._errors import CompileError, InvalidArgumentError
from .nodes import draws, name_of, place_of
from .recurrent import whole_layers, with_whole_layers
from .sizes import Condition, Sizes, conditions_of, without_names
from .translate import Names, translate, why_not, write
from .translate.control import graphs_of, is_control
from .translate.decompose import undrawn
from .translate.values import Unsupported, judge

_ASSERT = torch.ops.aten._assert_scalar.default
_IDLE = {_ASSERT, torch.ops.aten._assert_tensor_metadata.default, torch.ops.aten.sym_constrain_range.default,
         torch.ops.aten.sym_constrain_range_for_size.default}


class Untranslated(Exception):
    """Why a program does not go by the translation: `reasons`, each for an operator."""

    def __init__(self, reasons: Sequence[str]):
        super().__init__("; ".join(reasons))
        self.reasons = list(reasons)


class Leaf(NamedTuple):
    """Of what a module returns: a tensor or a number of Python, which the model gives, or a constant."""

    kind: str
    constant: Any = None
    dtype: torch.dtype | None = None


class Results:
    """What a module returns, made of the model's results. `spec`: its structure; None: a tuple of them."""

    def __init__(self, leaves: Sequence[Leaf], spec: pytree.TreeSpec | None):
        self.leaves, self.spec = list(leaves), spec

    @property
    def dtypes(self) -> list[torch.dtype]:
        return [leaf.dtype or torch.int64 for leaf in self.leaves if leaf.kind != "constant"]

    def __call__(self, tensors: Sequence[torch.Tensor]) -> Any:
        if self.spec is None:
            return tuple(tensors)
        given = iter(tensors)
        made = [leaf.constant if leaf.kind == "constant" else next(given) if leaf.kind == "tensor" else next(given).item() for leaf in self.leaves]
        return pytree.tree_unflatten(made, self.spec)


class Form(NamedTuple):
    """A module as a model in a file. `order`: for each of its arguments the place among the tensors of a call."""

    path: pathlib.Path
    order: list[int]
    results: Results
    sizes: Sizes


def trace(module: torch.nn.Module, arguments: tuple[Any, ...], named: dict[str, Any], shapes: Any) -> torch.export.ExportedProgram:
    """torch.export.export(), by Dynamo where it fails without. The state of the random generator stays. One at a time, and none while
    Dynamo compiles: modes of PyTorch's tracing are global."""
    failures: list[Exception] = []
    free = without_names(shapes)
    for strict in (False, True):
        try:
            return _export(module, arguments, named, free, strict)
        except Exception as error:
            failures.append(error)
    raise failures[0]


def _export(module: torch.nn.Module, arguments: tuple[Any, ...], named: dict[str, Any], shapes: Any, strict: bool) -> torch.export.ExportedProgram:
    def run(shapes: Any) -> torch.export.ExportedProgram:
        return torch.export.export(module, arguments, named or None, dynamic_shapes=shapes, strict=strict)
    with quiet(), whole_layers():
        try:
            return run(shapes)
        except UserError as error:
            try:
                refined = refine_dynamic_shapes_from_suggested_fixes(error.msg, shapes)
            except Exception:
                raise error from None
            return run(refined)


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """While a module is traced. Free sizes of 0 and 1 are as others."""
    with convert_frame.compile_lock, torch.random.fork_rng(devices=[]), warnings.catch_warnings(), \
            torch.fx.experimental._config.patch(backed_size_oblivious=True):
        warnings.simplefilter("ignore")
        yield


@functools.cache
def _decompositions() -> dict[Any, Any]:
    """Those of torch.compile, and of composites, which the dispatcher takes apart there."""
    table, mine = torch.export.default_decompositions().materialize(), undrawn()
    core = torch._decomp._core_aten_decompositions_post_autograd()
    return {**{operator: function for operator, function in table.items() if operator in mine or operator not in core}, **mine}


def decompose(program: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    """The program in operators that are translated."""
    with quiet():
        return program.run_decompositions(with_whole_layers(_decompositions()))


def written(program: torch.export.ExportedProgram) -> list[str]:
    """What a program writes to, in words."""
    signature = program.graph_signature
    effects = [f"it writes to the buffer '{name}' in place" for name in signature.buffers_to_mutate.values()]
    effects += [f"it writes to the argument '{name}' in place" for name in signature.user_inputs_to_mutate.values()]
    return effects + [f"it writes to the parameter '{name}' in place" for name in getattr(signature, "parameters_to_mutate", {}).values()]


def placed(text: str, node: torch.fx.Node) -> str:
    place = place_of(node)
    return f"{text} ({place})" if place else text


def drawn(program: torch.export.ExportedProgram) -> list[str]:
    return [placed(f"it draws random numbers ({node.target._schema.name.split('::')[-1]})", node)
            for node in program.graph.nodes if draws(node)]


def convert(program: torch.export.ExportedProgram, folder: pathlib.Path, call: Call, keep_values: bool) -> Form:
    """The program as a model. `keep_values`: values have the names that nodes of the program have.

    Raises CompileError where the program is no function of its arguments, Untranslated where the translation has not all of it.
    """
    try:
        return _convert(program, folder, call, keep_values)
    except (CompileError, InvalidArgumentError, Untranslated):
        raise
    except Unsupported as reason:
        raise Untranslated([str(reason)]) from None
    except Exception as error:  # a defect of the translation
        if os.environ.get("HEDDLE_TORCH_STRICT"):
            raise
        raise Untranslated([f"the translation failed: {type(error).__name__}: {error}"]) from error


class Call(NamedTuple):
    """Of the examples. `tensors`: in the order in which calls give them; `named_sizes`: dimensions that have names."""

    arguments: tuple[Any, ...]
    named: dict[str, Any]
    tensors: list[torch.Tensor]
    named_sizes: list[tuple[torch.Tensor, int, str]]


def _convert(program: torch.export.ExportedProgram, folder: pathlib.Path, call: Call, keep_values: bool) -> Form:
    small = decompose(program)
    effects = written(small) + drawn(small)
    if effects:
        raise CompileError(f"from_torch() takes a function of its arguments, and this module is none: {effects[0]}; torch.compile(module, "
                           "backend='heddle') runs such modules, and what is written can go in and out as arguments and results", effects[1:])
    asserted = _take_checks(small.graph_module.graph)
    reasons = dict.fromkeys(_untranslated(small.graph_module))
    if reasons:
        raise Untranslated(list(reasons))
    values = {node.name: node.meta["val"] for node in small.graph.nodes if node.op == "placeholder"}
    places = places_of(small, call)
    inputs = {place: values[name] for name, place in places.items()}
    known = [inputs.get(place, tensor) for place, tensor in enumerate(call.tensors)]
    for value in known:
        judge(value)
    weights, constants = _weights(small)
    leaves, results = _results(program, small, {*values, *constants.values()})
    origins = _origins(program, small)
    sizes = Sizes(known, _names_of_sizes(known, call), [*asserted, *conditions_of(small, known)])
    model = translate(small.graph_module, weights, Names(constants, sizes.names, origins, _kept(small, origins, results) if keep_values else {}, results))
    out_spec = small.call_spec.out_spec
    assert out_spec is not None
    return Form(write(model, folder), [places[name] for name in model.inputs], Results(leaves, out_spec), sizes)


def _untranslated(module: torch.fx.GraphModule) -> Iterator[str]:
    for node in module.graph.nodes:
        if is_control(node):
            for graph in graphs_of(node):
                yield from _untranslated(graph)
        elif node.op == "call_function" and node.target is _ASSERT:  # in a branch or a loop
            yield placed(f"{name_of(node)}: it checks sizes", node)
        elif (reason := why_not(node)) is not None:
            yield placed(f"{name_of(node)}: {reason}", node)


def _take_checks(graph: torch.fx.Graph) -> list[Condition]:
    """What the program checks of free sizes, which calls check; taken out of the graph with all that nobody needs."""
    conditions = []
    for node in [node for node in graph.nodes if node.op == "call_function" and node.target in _IDLE]:
        value = node.args[0].meta.get("val") if isinstance(node.args[0], torch.fx.Node) else node.args[0]
        if node.target is _ASSERT and isinstance(value, torch.SymBool):
            expression = value.node.expr
            if any(str(symbol).startswith(("u", "zu")) for symbol in expression.free_symbols):
                raise Untranslated([placed(f"{name_of(node)}: it checks what data tell", node)])
            conditions.append(Condition(expression, True))
        graph.erase_node(node)
    graph.eliminate_dead_code()
    return conditions


def places_of(program: torch.export.ExportedProgram, call: Call) -> dict[str, int]:
    """By placeholder its place among the tensors of a call."""
    spec = program.call_spec.in_spec
    assert spec is not None
    leaves = pytree.tree_leaves((call.arguments, reorder_kwargs(call.named, spec)))
    specs = [given for given in program.graph_signature.input_specs if given.kind is InputKind.USER_INPUT]
    found = {id(tensor): place for place, tensor in enumerate(call.tensors)}
    places: dict[str, int] = {}
    for given, leaf in zip(specs, leaves):
        if isinstance(given.arg, SymIntArgument):
            raise InvalidArgumentError(f"dynamic_shapes make the number '{given.arg.name}' free, which is part of the program; give it as a tensor")
        if isinstance(leaf, torch.Tensor):
            places[given.arg.name] = found.get(id(leaf), len(places))
    return places


def _weights(program: torch.export.ExportedProgram) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """By placeholder the constants of the program, and what they are called in the module."""
    kinds = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
    weights: dict[str, torch.Tensor] = {}
    names: dict[str, str] = {}
    for spec in program.graph_signature.input_specs:
        if spec.kind in kinds and spec.target is not None:
            weight = program.state_dict.get(spec.target)
            weight = program.constants[spec.target] if weight is None else weight
            weights[spec.arg.name], names[spec.arg.name] = weight.detach(), spec.target
    return weights, names


def _results(program: torch.export.ExportedProgram, small: torch.export.ExportedProgram, taken: set[str]) -> tuple[list[Leaf], list[str]]:
    """The leaves of what the module returns, and the names of those that the model gives: as the program's nodes are called. The graph
    gives only those from here on."""
    output, leaves, names, given = small.graph.output_node(), [], [], []
    for theirs, spec, node in zip(program.graph_signature.output_specs, small.graph_signature.output_specs, output.args[0]):
        assert spec.kind is OutputKind.USER_OUTPUT
        if isinstance(spec.arg, ConstantArgument) or not isinstance(node, torch.fx.Node):
            leaves.append(Leaf("constant", spec.arg.value if isinstance(spec.arg, ConstantArgument) else node))
            continue
        value = node.meta["val"]
        leaves.append(Leaf("tensor", dtype=value.dtype) if isinstance(value, torch.Tensor) else Leaf("number"))
        name = theirs.arg.name
        while name in taken or not name:
            name += ".result"
        taken.add(name)
        names.append(name)
        given.append(node)
    output.args = (tuple(given),)
    return leaves, names


def _origins(program: torch.export.ExportedProgram, small: torch.export.ExportedProgram) -> dict[str, str]:
    """By node of the small program the node of the whole one that it is a part of."""
    known = {node.name for node in program.graph.nodes if node.op == "call_function"}

    def find(sources: Iterable[Any]) -> str | None:
        for source in sources:
            if source.name in known:
                return str(source.name)
            if (name := find(source.from_node)) is not None:
                return name
        return None
    return {node.name: name for node in small.graph.nodes if (name := find(node.meta.get("from_node", ()))) is not None}


def _kept(small: torch.export.ExportedProgram, origins: Mapping[str, str], results: Iterable[str]) -> dict[str, str]:
    """By the last node of an operator's parts the name of its value."""
    last = {origins[node.name]: node.name for node in small.graph.nodes if node.name in origins and isinstance(node.meta.get("val"), torch.Tensor)}
    return {node: name for name, node in last.items() if name not in set(results)}


def _names_of_sizes(known: Sequence[torch.Tensor], call: Call) -> dict[sympy.Symbol, str]:
    found = {id(tensor): place for place, tensor in enumerate(call.tensors)}
    names: dict[sympy.Symbol, str] = {}
    for tensor, axis, name in call.named_sizes:
        if id(tensor) in found and -tensor.dim() <= axis < tensor.dim():
            size = known[found[id(tensor)]].shape[axis]
            if isinstance(size, torch.SymInt) and isinstance(size.node.expr, sympy.Symbol):
                names.setdefault(size.node.expr, name)
    return names
