# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of other sizes."""
from __future__ import annotations

from typing import Any

from .table import Context, translates
from .values import Unsupported, Value


def _nearest(count: int) -> None:
    @translates(f"aten.upsample_nearest{count}d.default")
    def function(c: Context, x: Value, output_size: Any, *scales: Any) -> Value:
        """By whole factors; PyTorch's own decomposition has the others."""
        b = c.b
        if any(scale is not None for scale in scales):
            raise Unsupported("nearest neighbours by given scales")
        for axis in range(x.rank - count, x.rank):
            size, made = x.shape[axis], c.shape[axis]
            if not isinstance(size, int) or not isinstance(made, int) or size == 0 or made % size:
                raise Unsupported("nearest neighbours by no whole factor")
        factors = [1.0] * (x.rank - count) + [1.0 * c.shape[axis] / x.shape[axis] for axis in range(x.rank - count, x.rank)]  # type: ignore[operator]
        import torch
        return b.op("Resize", x, None, b.tensor(torch.tensor(factors, dtype=torch.float32)), dtype=x.dtype, shape=c.shape, mode="nearest",
                    coordinate_transformation_mode="asymmetric", nearest_mode="floor")
