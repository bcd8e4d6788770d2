# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a translation handles: tensors of the model by name, complex ones as two of them, types and sizes."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence, Union

import sympy
import torch

from . import wire

KINDS = {torch.float32: wire.FLOAT, torch.uint8: wire.UINT8, torch.int8: wire.INT8, torch.uint16: wire.UINT16,
         torch.int16: wire.INT16, torch.int32: wire.INT32, torch.int64: wire.INT64, torch.bool: wire.BOOL,
         torch.float16: wire.FLOAT16, torch.float64: wire.DOUBLE, torch.uint32: wire.UINT32, torch.uint64: wire.UINT64,
         torch.bfloat16: wire.BFLOAT16, torch.float8_e4m3fn: wire.FLOAT8E4M3FN, torch.float8_e4m3fnuz: wire.FLOAT8E4M3FNUZ,
         torch.float8_e5m2: wire.FLOAT8E5M2, torch.float8_e5m2fnuz: wire.FLOAT8E5M2FNUZ}
REAL_OF = {torch.complex64: torch.float32, torch.complex128: torch.float64, torch.complex32: torch.float16}
NARROW = (torch.float16, torch.bfloat16)  # PyTorch computes these in f32 and rounds each result
FLOAT8 = (torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz)

Size = Union[int, sympy.Expr]


class Unsupported(Exception):
    """Why a node is not translated, in words."""


def name_of(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def size_of(size: Any) -> Size:
    """A number, or the expression of a free size."""
    if isinstance(size, torch.SymInt):
        size = size.node.expr
    if isinstance(size, sympy.Expr) and not size.is_number:
        return size
    return int(size)


def shape_of(sizes: Sequence[Any]) -> tuple[Size, ...]:
    return tuple(size_of(size) for size in sizes)


def linear(size: Any) -> tuple[sympy.Symbol, int, int] | None:
    """A size that is a free one times a number, and another number: the symbol, and both. None: it is no such formula."""
    if isinstance(size, int) or len(size.free_symbols) != 1:
        return None
    symbol = next(iter(size.free_symbols))
    factor = sympy.expand(size).coeff(symbol)
    summand = sympy.expand(size - factor * symbol)
    if not factor.is_Integer or not summand.is_Integer or factor <= 0:
        return None
    return symbol, int(factor), int(summand)


def is_fixed(sizes: Sequence[Size]) -> bool:
    return all(isinstance(size, int) for size in sizes)


def broadcast(*shapes: Sequence[Size]) -> tuple[Size, ...]:
    """Of shapes that PyTorch has found to fit: free sizes are never 1."""
    rank = max((len(shape) for shape in shapes), default=0)
    result: list[Size] = [1] * rank
    for shape in shapes:
        for place, size in enumerate(shape, rank - len(shape)):
            if not (isinstance(size, int) and size == 1):
                result[place] = size
    return tuple(result)


class Value(NamedTuple):
    """A tensor of the model."""

    name: str
    dtype: torch.dtype
    shape: tuple[Size, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)


class Complex(NamedTuple):
    """A complex tensor: its parts."""

    re: Value
    im: Value

    @property
    def shape(self) -> tuple[Size, ...]:
        return self.re.shape

    @property
    def rank(self) -> int:
        return len(self.re.shape)


def judge(value: Any) -> None:
    """Raises Unsupported where the model has no tensor like this one (of a node's meta["val"])."""
    if not isinstance(value, torch.Tensor):
        return
    if value.layout != torch.strided or value.is_quantized:
        raise Unsupported("a tensor is sparse or quantised")
    if value.dtype not in KINDS and value.dtype not in REAL_OF:
        raise Unsupported(f"a tensor is of type {name_of(value.dtype)}")
    for size in value.shape:
        expression = size_of(size)
        if isinstance(expression, sympy.Expr) and any(str(symbol).startswith(("u", "zuf", "zf")) for symbol in expression.free_symbols):
            raise Unsupported("a size depends on data")
