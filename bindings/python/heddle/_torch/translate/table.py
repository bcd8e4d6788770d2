# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators that are translated, and what a translation is given.

  @translates("aten.relu.default")
  def relu(c, x):
      return c.b.op("Relu", x)

A function gets the operator's arguments by PyTorch's order and names: tensors as Value or Complex, sizes as SymInt. It gives
what the operator gives; a Value of another type than PyTorch's is cast. What it cannot do it says by raising Unsupported.
"""
from __future__ import annotations

from typing import Any, Callable, Sequence

import torch

from .builder import Builder, math_type
from .values import KINDS, REAL_OF, Complex, Size, Unsupported, Value, shape_of

Function = Callable[..., Any]

TABLE: dict[str, Function] = {}
PAIRS: dict[str, Function] = {}  # for complex operands or results
PARTWISE: set[str] = set()       # which move elements: of a complex tensor each part by itself


def translates(*operators: str, partwise: bool = False) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        for operator in operators:
            assert operator not in TABLE, operator
            TABLE[operator] = function
            if partwise:
                PARTWISE.add(operator)
        return function
    return register


def translates_complex(*operators: str) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        for operator in operators:
            assert operator not in PAIRS, operator
            PAIRS[operator] = function
        return function
    return register


def _category(dtype: torch.dtype) -> int:
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 1 if dtype != torch.bool else 0


def _type_of(operand: Any) -> torch.dtype:
    if isinstance(operand, Complex):
        return {torch.float32: torch.complex64, torch.float64: torch.complex128, torch.float16: torch.complex32}[operand.re.dtype]
    if isinstance(operand, Value):
        return operand.dtype
    if isinstance(operand, bool):
        return torch.bool
    if isinstance(operand, complex):
        return torch.complex64
    return torch.int64 if isinstance(operand, (int, torch.SymInt)) else torch.get_default_dtype()


def common(*operands: Any) -> torch.dtype:
    """PyTorch's rule of promotion: tensors with dimensions count first, then scalars, then numbers."""
    result: torch.dtype | None = None
    tensors = [operand for operand in operands if isinstance(operand, (Value, Complex))]
    for group in ([t for t in tensors if t.rank], [t for t in tensors if not t.rank], [n for n in operands if n not in tensors]):
        of_group: torch.dtype | None = None
        for operand in group:
            dtype = _type_of(operand)
            of_group = dtype if of_group is None else torch.promote_types(of_group, dtype)
        if of_group is not None and (result is None or _category(of_group) > _category(result)):
            narrower = result is not None and _category(of_group) == 3 and _category(result) == 2
            result = torch.promote_types(result, torch.complex32) if narrower else of_group
    assert result is not None
    return result


class Context:
    """`b`: the model; `out`: what FX knows of the result (a tensor of no data, or several); `read`: which of several someone
    reads; None: any. `given`: what FX knows of the operands, as the node has them."""

    def __init__(self, b: Builder, out: Any, read: set[int] | None = None, given: Sequence[Any] = ()):
        self.b, self.out, self.read, self.given = b, out, read, given

    def reads(self, number: int) -> bool:
        return self.read is None or number in self.read

    @property
    def dtype(self) -> torch.dtype:
        """Of the result, of its parts where it is complex."""
        return REAL_OF.get(self.out.dtype, self.out.dtype)

    @property
    def shape(self) -> tuple[Size, ...]:
        return shape_of(self.out.shape)

    def value(self, operand: Any, dtype: torch.dtype | None = None) -> Value:
        """A tensor or number as a tensor of this type."""
        if isinstance(operand, Complex):
            raise Unsupported("complex numbers")
        if isinstance(operand, torch.SymInt):
            operand = self.b.scalar(operand)
        if isinstance(operand, torch.SymFloat):
            operand = self.b.number(operand)
        if isinstance(operand, torch.SymBool):
            raise Unsupported("a number that only the call knows")
        if isinstance(operand, Value):
            return operand if dtype is None else self.b.cast(operand, dtype)
        if isinstance(operand, complex):
            raise Unsupported("a complex number")
        return self.b.const(operand, dtype if dtype is not None else _type_of(operand))

    def pair(self, operand: Any, dtype: torch.dtype | None = None) -> Complex:
        """The same as a complex tensor; `dtype`: of its parts."""
        if isinstance(operand, Complex):
            return operand if dtype is None else Complex(self.value(operand.re, dtype), self.value(operand.im, dtype))
        if isinstance(operand, complex):
            part = dtype or torch.float32
            return Complex(self.b.const(operand.real, part), self.b.const(operand.imag, part))
        re = self.value(operand, dtype)
        return Complex(re, self.b.expand(self.b.const(0.0, re.dtype), re.shape))

    def math(self, operand: Any, dtype: torch.dtype | None = None) -> Value:
        """The operand in the type in which PyTorch computes this result (or one of `dtype`)."""
        return self.value(operand, math_type(dtype or self.dtype))


def require_types(what: str, value: Value, types: Sequence[torch.dtype]) -> None:
    if value.dtype not in types:
        raise Unsupported(f"{what} of {str(value.dtype).removeprefix('torch.')}")


FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
assert all(dtype in KINDS for dtype in FLOATS)
