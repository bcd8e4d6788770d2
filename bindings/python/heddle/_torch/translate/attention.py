# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled dot product attention whole, and its gradient."""
from __future__ import annotations

import math
import operator
from typing import Any

import torch

from .products import matmul
from .table import FLOATS, Context, require_types, translates
from .values import Unsupported, Value, shape_of


def _scale(c: Context, query: Value, scale: Any) -> float | Value:
    """A tensor where the depth is free."""
    if isinstance(scale, torch.SymFloat):
        return c.value(scale, query.dtype)
    if scale is not None:
        return float(scale)
    depth = query.shape[-1]
    if isinstance(depth, int):
        return 1 / math.sqrt(depth)
    root = c.b.op("Sqrt", c.b.cast(c.b.scalar(depth), torch.float64))
    return c.b.cast(c.b.op("Reciprocal", root), query.dtype)


def _scaled(c: Context, x: Value, factor: float | Value) -> Value:
    return c.b.op("Mul", x, factor if isinstance(factor, Value) else c.b.const(factor, x.dtype))


def attend(c: Context, query: Value, key: Value, value: Value, mask: Value | None, causal: bool, scale: Any) -> Value:
    require_types("attention", query, FLOATS)
    if query.rank != 4 or 0 in query.shape or 0 in key.shape:
        raise Unsupported("attention of other than four dimensions, or of none")
    if mask is not None and mask.dtype != torch.bool:
        mask = c.value(mask, query.dtype)
    factor = _scale(c, query, scale)
    if isinstance(factor, Value) or query.dtype == torch.float64:  # an attribute is f32
        query, factor = _scaled(c, query, factor), 1.0
    shape = (*query.shape[:-1], value.shape[-1])
    return c.b.op("Attention", query, key, value, mask, dtype=query.dtype, shape=shape, is_causal=int(causal), scale=factor)


def of_groups(node: torch.fx.Node) -> dict[int, torch.fx.Node]:
    """The arguments of an attention, by place, that are a few heads repeated for more heads of the query, and those few: a model's
    Attention has such groups itself. Empty where someone reads more than the output."""
    if node.target is not torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default or any(
            user.target is not operator.getitem or user.args[1] != 0 for user in node.users):
        return {}
    heads = {place: _repeated(node.args[place]) for place in (1, 2)}
    if None in heads.values() or heads[1].meta["val"].shape[1] != heads[2].meta["val"].shape[1]:  # type: ignore[union-attr]
        return {}
    return heads


_SAME_ELEMENTS = (torch.ops.aten.view.default, torch.ops.aten.reshape.default, torch.ops.aten._unsafe_view.default)


def _repeated(node: Any) -> torch.fx.Node | None:
    """[batch, heads, length, depth] of which `node` repeats each head; None: it is nothing of the kind."""
    whole = node.meta["val"].shape
    if node.target not in _SAME_ELEMENTS:
        return None
    node = node.args[0]
    if node.target is torch.ops.aten.clone.default:
        node = node.args[0]
    if node.target is not torch.ops.aten.expand.default:
        return None
    wide, node = node.meta["val"].shape, node.args[0]
    if node.target is not torch.ops.aten.unsqueeze.default or node.args[1] != 2 or node.meta["val"].dim() != 5:
        return None
    few = node.args[0].meta["val"].shape
    is_repeated = len(whole) == 4 and isinstance(wide[2], int) and isinstance(few[1], int) and whole[1] == wide[2] * few[1] \
        and all(shape_of((wide[axis],)) == shape_of((few[axis - (axis > 2)],)) for axis in (0, 1, 3, 4)) and shape_of(whole[2:]) == shape_of(few[2:])
    return node.args[0] if is_repeated else None


def scores_of(c: Context, query: Value, key: Value, mask: Value | None, causal: bool, scale: Any) -> Value:
    """The scores in f32 or wider, as they are before the softmax."""
    b = c.b
    query, key = c.math(query, query.dtype), c.math(key, query.dtype)
    product = matmul(c, query, b.transpose(key, [*range(key.rank - 2), key.rank - 1, key.rank - 2]))
    scores = _scaled(c, product, _scale(c, query, scale))
    lowest = b.const(-math.inf, scores.dtype)
    if causal:
        rows, columns = b.unsqueeze(b.range(query.shape[-2]), -1), b.range(key.shape[-2])
        scores = b.where(b.compare("GreaterOrEqual", rows, columns), scores, lowest)
    if mask is not None:
        scores = b.where(mask, scores, lowest) if mask.dtype == torch.bool else b.op("Add", scores, c.value(mask, scores.dtype))
    return scores


def _log_sum(c: Context, scores: Value) -> Value:
    """The logarithm of the sum of exponentials; 0 of a row that is masked whole, as PyTorch has it, whose gradient is 0 so."""
    b = c.b
    peak, zero = b.reduce("ReduceMax", scores, [-1], True), b.const(0.0, scores.dtype)
    is_masked = b.compare("Equal", peak, b.const(-math.inf, scores.dtype))
    safe = b.where(b.op("IsInf", peak, dtype=torch.bool), zero, peak)
    total = b.op("Log", b.reduce("ReduceSum", b.op("Exp", b.op("Sub", scores, safe)), [-1]))
    return b.where(b.squeeze(is_masked, -1), zero, b.op("Add", total, b.squeeze(safe, -1)))


@translates("aten._scaled_dot_product_flash_attention_for_cpu.default")
def flash_for_cpu(c: Context, query: Value, key: Value, value: Value, dropout_p: float = 0.0, is_causal: bool = False, *,
                  attn_mask: Value | None = None, scale: Any = None) -> Any:
    if dropout_p:
        raise Unsupported("attention with dropout draws")
    output = attend(c, query, key, value, attn_mask, is_causal, scale)
    if not c.reads(1):
        return output, c.b.fill(0.0, torch.float32, c.out[1].shape)
    return output, _log_sum(c, scores_of(c, query, key, attn_mask, is_causal, scale))


@translates("aten._scaled_dot_product_flash_attention_for_cpu_backward.default")
def flash_for_cpu_backward(c: Context, grad: Value, query: Value, key: Value, value: Value, output: Value, logsumexp: Value,
                           dropout_p: float, is_causal: bool, *, attn_mask: Value | None = None, scale: Any = None) -> Any:
    b, dtype = c.b, query.dtype
    if dropout_p:
        raise Unsupported("attention with dropout draws")
    scores = scores_of(c, query, key, attn_mask, is_causal, scale)
    wide = scores.dtype
    grad, query, key, value, output = (b.cast(tensor, wide) for tensor in (grad, query, key, value, output))
    weights = b.op("Exp", b.op("Sub", scores, b.unsqueeze(b.cast(logsumexp, wide), -1)))

    def turned(tensor: Value) -> Value:
        return b.transpose(tensor, [*range(tensor.rank - 2), tensor.rank - 1, tensor.rank - 2])
    to_weights = matmul(c, grad, turned(value))
    rest = b.reduce("ReduceSum", b.op("Mul", grad, output), [-1], True)
    to_scores = _scaled(c, b.op("Mul", weights, b.op("Sub", to_weights, rest)), _scale(c, query, scale))
    return tuple(b.cast(result, dtype) for result in (matmul(c, to_scores, key), matmul(c, turned(to_scores), query), matmul(c, turned(weights), grad)))


@translates("aten.scaled_dot_product_attention.default")
def scaled_dot_product_attention(c: Context, query: Value, key: Value, value: Value, attn_mask: Value | None = None, dropout_p: float = 0.0,
                                 is_causal: bool = False, *, scale: Any = None, enable_gqa: bool = False) -> Value:
    if dropout_p:
        raise Unsupported("attention with dropout draws")
    return attend(c, query, key, value, attn_mask, is_causal, scale)
