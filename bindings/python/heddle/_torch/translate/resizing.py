# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images of other sizes."""
from __future__ import annotations

from typing import Any

import torch

from .products import matmul
from .table import Context, translates
from .values import Unsupported, Value, is_fixed, shape_of


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


# With antialiasing: products with matrices of weights, along each dimension, which PyTorch's own operator gives for unit vectors.

def _matrix(operator: Any, size: int, made: int, align_corners: bool, scale: float | None) -> torch.Tensor:
    """[made, size]"""
    units = torch.eye(size, dtype=torch.float64).reshape(size, 1, 1, size)
    return operator(units, (1, made), align_corners, None, scale).reshape(size, made).T.contiguous()


def _antialiased(name: str) -> None:
    operator = getattr(getattr(torch.ops.aten, name, None), "default", None)
    if operator is None:
        return

    def matrices(c: Context, sizes: Any, made: Any, align_corners: bool, scales: Any, dtype: torch.dtype) -> list[Value]:
        if not is_fixed((*sizes, *made)) or 0 in (*sizes, *made):
            raise Unsupported("antialiasing of free or no places")
        return [c.b.tensor(_matrix(operator, size, wanted, align_corners, scale).to(dtype)) for size, wanted, scale in zip(sizes, made, scales)]

    @translates(f"aten.{name}.default")
    def function(c: Context, x: Value, output_size: Any, align_corners: bool, scales_h: Any = None, scales_w: Any = None) -> Value:
        if not x.dtype.is_floating_point or 0 in x.shape:
            raise Unsupported("antialiasing of integers or of nothing")
        value = c.math(x)
        rows, columns = matrices(c, x.shape[2:], shape_of(output_size), align_corners, (scales_h, scales_w), value.dtype)
        return matmul(c, rows, matmul(c, value, c.b.transpose(columns, [1, 0])), (*x.shape[:2], *c.shape[2:]))

    @translates(f"aten.{name}_backward.default")
    def backward(c: Context, grad: Value, output_size: Any, input_size: Any, align_corners: bool, scales_h: Any = None,
                 scales_w: Any = None) -> Value:
        value = c.math(grad)
        if 0 in grad.shape:
            raise Unsupported("antialiasing of nothing")
        rows, columns = matrices(c, shape_of(input_size)[2:], grad.shape[2:], align_corners, (scales_h, scales_w), value.dtype)
        return matmul(c, c.b.transpose(rows, [1, 0]), matmul(c, value, columns), c.shape)


for _name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa"):
    _antialiased(_name)


@translates("torchvision.roi_align.default")
def roi_align(c: Context, x: Value, rois: Value, spatial_scale: float, pooled_height: Any, pooled_width: Any, sampling_ratio: int,
              aligned: bool) -> Value:
    """Torchvision's, whose rows are the image's number and a box."""
    b = c.b
    if x.dtype != torch.float32 or 0 in x.shape or 0 in rois.shape or not is_fixed(c.shape[2:]):
        raise Unsupported("regions of other than f32, or of nothing")
    images = b.cast(b.squeeze(b.slice(rois, 1, 0, 1), 1), torch.int64)
    return b.op("RoiAlign", x, b.slice(rois, 1, 1, 5), images, dtype=x.dtype, shape=c.shape, mode="avg", output_height=pooled_height,
                output_width=pooled_width, sampling_ratio=max(sampling_ratio, 0), spatial_scale=float(spatial_scale),
                coordinate_transformation_mode="half_pixel" if aligned else "output_half_pixel")
