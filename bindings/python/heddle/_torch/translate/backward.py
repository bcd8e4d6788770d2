# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients that PyTorch does not take apart."""
from __future__ import annotations

from typing import Any

import torch

from .table import Context, translates
from .values import Value


@translates("aten.embedding_dense_backward.default")
def embedding_dense_backward(c: Context, grad: Value, indices: Value, num_weights: Any, padding_idx: int, scale_grad_by_freq: bool) -> Value:
    b, value = c.b, c.math(grad)
    places = b.unsqueeze(c.value(indices, torch.int64), -1)
    if padding_idx >= 0:
        value = b.where(b.compare("Equal", places, b.const(padding_idx, torch.int64)), b.const(0.0, value.dtype), value)
    zeros = b.fill(0.0, value.dtype, c.shape)
    return b.op("ScatterND", zeros, places, value, dtype=value.dtype, shape=c.shape, reduction="add")
