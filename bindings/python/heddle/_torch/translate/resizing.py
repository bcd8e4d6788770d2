# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of other sizes."""
from __future__ import annotations

import math
from typing import Any

import torch

from .table import Context, translates
from .values import Unsupported, Value


def _nearest(count: int) -> None:
    @translates(f"aten.upsample_nearest{count}d.default")
    def function(c: Context, x: Value, output_size: Any, *scales: Any) -> Value:
        """By whole factors; PyTorch's own decomposition has the others."""
        b = c.b
        for axis in range(x.rank - count, x.rank):
            size, made = x.shape[axis], c.shape[axis]
            if not isinstance(size, int) or not isinstance(made, int) or size == 0 or made % size:
                raise Unsupported("nearest neighbours by no whole factor")
        factors = [1.0] * (x.rank - count) + [1.0 * c.shape[axis] / x.shape[axis] for axis in range(x.rank - count, x.rank)]
        return b.op("Resize", x, None, b.tensor(torch.tensor(factors, dtype=torch.float32)), dtype=x.dtype, shape=c.shape, mode="nearest",
                    coordinate_transformation_mode="asymmetric", nearest_mode="floor")


for _count in (1, 2, 3):
    _nearest(_count)


def _known_places(c: Context, grid: Value, mode: str, padding: str) -> Value:
    """Where PyTorch takes coordinates that are NaN (and, where it reflects, infinite) for -1: not outside, and not of cubics."""
    if padding == "zeros" or mode == "cubic":
        return grid
    b = c.b
    finite = b.compare("Less", b.op("Abs", grid), b.const(math.inf, grid.dtype)) if padding == "reflection" else b.op("Not", b.is_nan(grid))
    return b.where(finite, grid, b.const(-1.0, grid.dtype))


_MODES, _PADDINGS = ("linear", "nearest", "cubic"), ("zeros", "border", "reflection")


@translates("aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default")
def grid_sampler(c: Context, x: Value, grid: Value, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Value:
    if 0 in x.shape or x.dtype not in (torch.float32, torch.float64) or x.dtype != grid.dtype:
        raise Unsupported("samples of an empty image, or of other types than f32 and f64")
    grid = _known_places(c, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode])
    return c.b.op("GridSample", x, grid, dtype=x.dtype, shape=c.shape, mode=_MODES[interpolation_mode], padding_mode=_PADDINGS[padding_mode],
                  align_corners=int(align_corners))
