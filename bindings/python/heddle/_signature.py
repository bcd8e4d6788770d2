# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of a call's arguments a compiled program takes, of one that was exported with example arguments."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Sequence

from ._errors import InvalidArgumentError

# A tree of arguments as its leaves and its structure.
Flatten = Callable[[Any], "tuple[Sequence[Any], Any]"]


class Signature:
    """Arguments are bound as the function `like` binds them, by position, by name and by default, so that each comes to the
    place that it had among `examples`. What is no tensor is part of the program and must be as it was there."""

    def __init__(self, like: Callable[..., Any], examples: tuple[Any, ...], flatten: Flatten,
                 is_tensor: Callable[[Any], bool], named: dict[str, Any] | None = None):
        self._signature = inspect.signature(like)
        self._flatten, self._is_tensor = flatten, is_tensor
        self._leaves, self._structure = self._bind(examples, named or {})

    def _bind(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Sequence[Any], Any]:
        try:
            bound = self._signature.bind(*arguments, **named)
        except TypeError as error:
            raise InvalidArgumentError(f"forward{self._signature}: {error}") from None
        bound.apply_defaults()
        return self._flatten(tuple(bound.arguments.values()))

    @property
    def examples(self) -> list[Any]:
        """The tensors of the examples in the program's order."""
        return [leaf for leaf in self._leaves if self._is_tensor(leaf)]

    def tensors(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """The tensors of a call in the program's order."""
        leaves, structure = self._bind(arguments, named)
        if structure != self._structure:
            raise InvalidArgumentError(f"the module was exported with arguments {self._structure}, got {structure}")
        for got, had in zip(leaves, self._leaves):
            if self._is_tensor(got) != self._is_tensor(had) or not (self._is_tensor(had) or got is had or got == had):
                raise InvalidArgumentError(f"the module was exported with {self._show(had)}, got {self._show(got)}; "
                                           "arguments that are not tensors are part of the program, so export it again")
        return [leaf for leaf in leaves if self._is_tensor(leaf)]

    def _show(self, leaf: Any) -> str:
        return "a tensor" if self._is_tensor(leaf) else repr(leaf)
