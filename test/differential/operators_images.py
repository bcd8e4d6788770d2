# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of images and their regions (see operators.py). Places are of few bits: what is at one is not a matter of rounding."""
import numpy

from builder import Domain
from operators import operator


def places(b, shape, low, high, parts=16):
    """Numbers of `parts` of one, odd, so that none is whole."""
    return (2 * b.random.integers(low * parts // 2, high * parts // 2, shape) + 1).astype(numpy.float32) / parts


@operator("GridSample", ("float32",), [4, 5])
def grid_sample(b, kind, x):
    space = x.rank - 2
    grid = places(b, (x.shape[0], *(b.choose([1, 2, 3]) for _ in range(space)), space), -1.5, 1.5, 64)
    mode = b.choose(["linear", "nearest", "cubic"] if space == 2 else ["linear", "nearest"])
    return b.node(kind, [x, b.known(grid)], (*x.shape[:2], *grid.shape[1:-1]), exact=mode == "nearest", rounds=4, scale=4 * x.scale, mode=mode,
                  padding_mode=b.choose(["zeros", "border", "reflection"]), align_corners=b.between(0, 1))


@operator("AffineGrid", ("float32", "float64"), [3], shape=lambda b, rank: b.choose([(2, 2, 3), (1, 3, 4), (b.rows, 2, 3)]))
def affine_grid(b, kind, x):
    """Where a single place is if corners are at the ends, is not said: onnx's evaluator has -1, ONNX Runtime 1."""
    space, align = x.shape[1], b.between(0, 1)
    size = [x.shape[0], 2, *(b.choose([1, 2, 3, 5][align:]) for _ in range(space))]
    return b.node(kind, [x, b.known(numpy.int64(size), fixed=True)], (x.shape[0], *size[2:], space), rounds=3, scale=4 * x.scale,
                  align_corners=align)


@operator("Col2Im", ("float32",), [3], shape=lambda b, rank: (b.choose([1, 2, b.rows]), b.choose([4, 12]), 6))
def col_to_im(b, kind, x):
    """Six places of a block of four: apart, or in an image of three by four, or with padding, gaps and a rest that no block reaches."""
    places, block = b.choose([(2, 3), (3, 2), (6, 1)]), b.choose([(2, 2), (1, 4), (4, 1)])
    strides = [b.choose([1, 2, 3]) for _ in range(2)]
    rest = [b.between(0, stride - 1) for stride in strides]
    reach = [(count - 1) * stride + size + more for count, stride, size, more in zip(places, strides, block, rest)]
    before = [b.between(0, min(1, size - 1)) for size in block]
    after = [b.between(0, min(1, total - low - 1)) for total, low in zip(reach, before)]
    image = [total - low - high for total, low, high in zip(reach, before, after)]
    return b.node(kind, [x, b.known(numpy.int64(image), fixed=True), b.integers(block)], (x.shape[0], x.shape[1] // 4, *image), rounds=2,
                  scale=4 * x.scale, strides=strides, pads=[*before, *after])


@operator("MaxUnpool", ("float32",), range(3, 6), least=2)
def max_unpool(b, kind, x):
    """Windows that do not overlap: no place is written twice."""
    window = [b.choose([reach for reach in (1, 2, 4) if size % reach == 0]) for size in x.shape[2:]]
    pooled = (*x.shape[:2], *(size // reach for size, reach in zip(x.shape[2:], window)))
    attributes = {"kernel_shape": window, "strides": window}
    values, index = b.node("MaxPool", [x], pooled, (pooled, "int64"), **attributes)
    return b.node(kind, [values, index], x.shape, **attributes)


@operator("MaxRoiPool", ("float32",), [4])
def max_roi_pool(b, kind, x):
    batch, channels, rows, columns = x.shape
    count, pooled = b.between(1, 3), [b.choose([1, 2]), b.choose([1, 2, 3])]
    begin = b.random.integers(0, [columns, rows], (count, 2))
    end = begin + b.random.integers(0, 5, (count, 2))
    regions = numpy.concatenate([b.random.integers(0, batch, (count, 1)), begin, end], 1).astype(numpy.float32)
    return b.node(kind, [x, b.known(regions)], (count, channels, *pooled), pooled_shape=pooled, spatial_scale=1.0)


@operator("RoiAlign", ("float32",), [4])
def roi_align(b, kind, x):
    """The greatest of several samples is not what ONNX Runtime makes of them, as it says itself."""
    batch, channels, rows, columns = x.shape
    count, shape = b.between(1, 3), (b.choose([1, 2]), b.choose([1, 2, 4]))
    begin = places(b, (count, 2), 0, 4)
    mode = b.choose(["avg", "max"])
    regions = numpy.concatenate([begin, begin + 1 + numpy.abs(places(b, (count, 2), 0, 4))], 1)
    return b.node(kind, [x, b.known(regions), b.known(b.random.integers(0, batch, count))], (count, channels, *shape), rounds=5, scale=x.scale,
                  output_height=shape[0], output_width=shape[1], sampling_ratio=1 if mode == "max" else b.choose([1, 2]), mode=mode,
                  coordinate_transformation_mode=b.choose(["half_pixel", "output_half_pixel"]))


@operator("DeformConv", ("float32",), [4])
def deform_conv(b, kind, x):
    batch, channels, rows, columns = x.shape
    reach, pad = [min(size, b.choose([1, 2])) for size in (rows, columns)], b.between(0, 1)
    groups = channels if b.chance(3) else 1
    shape = [size + 2 * pad - k + 1 for size, k in zip((rows, columns), reach)]
    filters, taps = groups * b.choose([1, 2]), reach[0] * reach[1]
    weights = b.random_constant(x.dtype, (filters, channels // groups, *reach), Domain(-1, 1))
    offsets = b.known(places(b, (batch, 2 * taps, *shape), -2, 2))
    bias = b.random_constant(x.dtype, (filters,)) if b.chance(2) else None
    scales = b.operand(x.dtype, 4, "rows", domain=Domain(0, 1), shape=(batch, taps, *shape)) if b.chance(2) else None
    return b.node(kind, [x, weights, offsets, bias, scales], (batch, filters, *shape), rounds=4, scale=x.scale * channels * taps + 4,
                  kernel_shape=reach, pads=[pad] * 4, group=groups)


@operator("Det", ("float32",), range(2, 5), shape=lambda b, rank: (*b.shape(rank - 2), *[b.choose([1, 2, 3, 4])] * 2))
def determinant(b, kind, x):
    return b.node(kind, [x], x.shape[:-2], rounds=4, scale=24 * x.scale ** x.shape[-1])
