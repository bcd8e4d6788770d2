# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Free sizes of an exported program: what users call them, and what those of a call have to be."""
from __future__ import annotations

from typing import Any, Iterator, Mapping, NamedTuple, Sequence

import sympy
import torch
from torch.export import Dim
from torch.utils import _pytree as pytree

from .._errors import InvalidArgumentError
from .translate.values import linear, size_of


def without_names(shapes: Any) -> Any:
    """dynamic_shapes as torch.export.export() takes them: a name alone is a size that is free."""
    return pytree.tree_map_only(str, lambda _: Dim.DYNAMIC, shapes)


def named_sizes(arguments: Mapping[str, Any], shapes: Any) -> Iterator[tuple[torch.Tensor, int, str]]:
    """The dimensions that dynamic_shapes have a name for, of the tensors in `arguments`, which are by parameters of forward()."""
    if isinstance(shapes, Mapping):
        yield from _named(arguments, shapes)
    elif isinstance(shapes, (list, tuple)):
        for tree, part in zip(arguments.values(), shapes):
            yield from _named(tree, part)


def _named(tree: Any, shapes: Any) -> Iterator[tuple[torch.Tensor, int, str]]:
    if not isinstance(shapes, (Mapping, list, tuple)):
        return
    if isinstance(tree, torch.Tensor):
        for axis, entry in shapes.items() if isinstance(shapes, Mapping) else enumerate(shapes):
            if isinstance(entry, (str, Dim)):
                yield tree, axis, entry if isinstance(entry, str) else entry.__name__
    elif isinstance(tree, Mapping) and isinstance(shapes, Mapping):
        for key, part in tree.items():
            yield from _named(part, shapes.get(key))
    else:
        parts = pytree.tree_flatten(tree, is_leaf=lambda part: part is not tree)[0]
        for part, entry in zip(parts, shapes.values() if isinstance(shapes, Mapping) else shapes):
            yield from _named(part, entry)


class Condition(NamedTuple):
    """What has to hold of free sizes. `is_check`: the program says so itself; else it was found on the way, of sizes that are
    neither 0 nor 1."""

    expression: Any
    is_check: bool
    text: str = ""


class Sizes:
    """The free sizes of a call's tensors. `values`: what is known of them, by their place in the call; `names`: of symbols."""

    def __init__(self, values: Sequence[torch.Tensor], names: Mapping[sympy.Symbol, str], conditions: Sequence[Condition]):
        self.ranks = [value.dim() for value in values]
        self.names = dict(names)
        dims: list[tuple[int, int, Any]] = [(place, axis, size_of(size)) for place, value in enumerate(values) for axis, size in enumerate(value.shape)]
        self.free = [dim for dim in dims if not isinstance(dim[2], int)]
        self.sources: dict[sympy.Symbol, tuple[int, int, int]] = {}  # number in `free`, factor, summand
        for is_symbol in (True, False):
            for number, (_, _, size) in enumerate(self.free):
                form = linear(size)
                if form is not None and isinstance(size, sympy.Symbol) == is_symbol:
                    self.sources.setdefault(form[0], (number, form[1], form[2]))
        known = set(self.sources)
        self.conditions = [condition for condition in conditions if condition.expression.free_symbols and condition.expression.free_symbols <= known]
        self.held: set[tuple[int, ...]] = set()

    @property
    def has_conditions(self) -> bool:
        return bool(self.conditions) or any(not isinstance(size, sympy.Symbol) for _, _, size in self.free)

    def check(self, tensors: Sequence[torch.Tensor]) -> None:
        """Raises InvalidArgumentError where the program was not made for these sizes. Tensors of other ranks are left to the call."""
        if not self.has_conditions or [tensor.dim() for tensor in tensors] != self.ranks:
            return
        sizes = tuple(tensors[place].shape[axis] for place, axis, _ in self.free)
        if sizes in self.held:
            return
        values = {symbol: sympy.Integer((sizes[number] - summand) // factor) for symbol, (number, factor, summand) in self.sources.items()}
        for (_, _, size), given in zip(self.free, sizes):
            if size.free_symbols <= set(values) and size.xreplace(values) != given:
                raise InvalidArgumentError(f"the module was exported for a size of {self.text(size)}, got {given}")
        for condition in self.conditions:
            if sympy.sympify(condition.expression.xreplace(values)) == sympy.false and (
                    condition.is_check or all(values[symbol] > 1 for symbol in condition.expression.free_symbols)):
                self.refuse(condition, values)
        self.held.add(sizes)

    def refuse(self, condition: Condition, values: Mapping[sympy.Symbol, Any]) -> None:
        got = ", ".join(sorted(f"{self.names.get(symbol, symbol)} = {values[symbol]}" for symbol in condition.expression.free_symbols))
        why = f"{condition.text}: " if condition.text else ""
        raise InvalidArgumentError(f"{why}the module was exported for sizes of which {self.text(condition.expression)} holds, got {got}")

    def text(self, expression: Any) -> str:
        return str(expression.xreplace({symbol: sympy.Symbol(name) for symbol, name in self.names.items()}))


def conditions_of(program: torch.export.ExportedProgram, values: Sequence[torch.Tensor]) -> list[Condition]:
    """Bounds of free sizes, and what PyTorch took for true of them on the way. `values`: of the program's arguments."""
    made = []
    for symbol, bounds in program.range_constraints.items():
        if isinstance(symbol, sympy.Symbol):
            if bounds.lower > 2:  # as torch.export has it: 0 and 1 may pass for others
                made.append(Condition(sympy.Ge(symbol, bounds.lower), True))
            if isinstance(bounds.upper, (int, sympy.Integer)) and bounds.upper < 2**31 - 1:
                made.append(Condition(sympy.Le(symbol, bounds.upper), True))
    free = next((size for value in values for size in value.shape if isinstance(size, torch.SymInt)), None)
    if free is not None:
        environment = free.node.shape_env
        made += [Condition(environment.replace(guard.expr), False) for guard in environment.guards]
    return made
