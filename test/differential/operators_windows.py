# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools (see operators.py)."""
from builder import Domain
from operators import length, operator


def divisors(count):
    return [n for n in range(1, count + 1) if count % n == 0]


def window(b, space):
    """A kernel, strides, dilations and paddings (each end its own, or by auto_pad), and the sizes of what they make of `space`."""
    kernel = [min(size, b.choose([1, 2, 3, 5])) for size in space]
    strides = [b.choose([1, 1, 2, 3]) for _ in space]
    attributes = {"kernel_shape": kernel, "strides": strides}
    if b.chance(4):
        attributes["auto_pad"] = b.choose(["SAME_UPPER", "SAME_LOWER", "VALID"])
        strides[:] = [min(step, k) for step, k in zip(strides, kernel)]  # ONNX Runtime: a padding less than 0
        reach = kernel if attributes["auto_pad"] == "VALID" else [1 for _ in space]
        return kernel, [-(-(size - k + 1) // step) for size, k, step in zip(space, reach, strides)], attributes
    dilations = [b.choose([1, 1, 2]) if 2 * k <= size else 1 for k, size in zip(kernel, space)]
    before, after = ([b.between(0, k) for k in kernel] for _ in range(2))
    sizes = [(size + low + high - (k - 1) * gap - 1) // step + 1
             for size, k, gap, step, low, high in zip(space, kernel, dilations, strides, before, after)]
    return kernel, sizes, {**attributes, "dilations": dilations, "pads": [*before, *after]}


@operator("Conv", ("float32", "float16"), range(3, 6))
def conv(b, kind, x):
    batch, channels, *space = x.shape
    group = channels if b.chance(3) else b.choose(divisors(channels))
    filters = group * b.choose([1, 2, 5])
    kernel, result, attributes = window(b, space)
    weights = b.random_constant(x.dtype, (filters, channels // group, *kernel), Domain(-1, 1))
    more = [b.random_constant(x.dtype, (filters,))] if b.chance(2) else []
    return b.node(kind, [x, weights, *more], (batch, filters, *result), rounds=2, scale=x.scale * channels * 9, group=group, **attributes)


@operator("ConvTranspose", ("float32",), range(3, 5))
def conv_transpose(b, kind, x):
    batch, channels, *space = x.shape
    group = b.choose(divisors(channels))
    filters = group * b.choose([1, 2, 5])
    kernel, strides = [b.choose([1, 2, 3]) for _ in space], [b.choose([1, 2, 3]) for _ in space]
    dilations = [b.choose([1, 1, 2]) for _ in space]
    more = [b.between(0, max(step, gap) - 1) for step, gap in zip(strides, dilations)]
    whole = [(size - 1) * step + (k - 1) * gap + 1 + rest for size, step, k, gap, rest in zip(space, strides, kernel, dilations, more)]
    before = [b.between(0, min(2, size - 1)) for size in whole]
    after = [b.between(0, min(2, size - low - 1)) for size, low in zip(whole, before)]
    weights = b.random_constant(x.dtype, (channels, filters // group, *kernel), Domain(-1, 1))
    bias = [b.random_constant(x.dtype, (filters,))] if b.chance(2) else []
    result = [size - low - high for size, low, high in zip(whole, before, after)]
    return b.node(kind, [x, weights, *bias], (batch, filters, *result), rounds=2, scale=x.scale * channels * 9, kernel_shape=kernel, group=group,
                  strides=strides, dilations=dilations, output_padding=more, pads=[*before, *after])


@operator("ConvInteger", ("uint8",), [4])
def conv_integer(b, kind, x):
    batch, channels, *space = x.shape
    kernel, result, attributes = window(b, space)
    weights = b.random_constant("uint8", (3, channels, *kernel))
    zeros = [b.integers(2, "uint8"), b.integers(1, "uint8")][:b.between(0, 2)]
    return b.node(kind, [x, weights, *zeros], (batch, 3, *result), dtype="int32", scale=1000, **attributes)


@operator("MaxPool AveragePool LpPool", ("float32", "float16"), range(3, 6))
def pool(b, kind, x):
    space, ceil = x.shape[2:], b.between(0, 1)
    kernel = [min(size, b.choose([1, 2, 3])) for size in space]
    dilation = [b.choose([1, 1, 2]) if 2 * k <= size else 1 for k, size in zip(kernel, space)]
    stride = [b.choose([1, 2, 3]) for _ in space]
    before, after = ([b.between(0, k - 1) for k in kernel] for _ in range(2))
    more = {"count_include_pad": b.between(0, 1)} if kind == "AveragePool" else {}
    result = []
    for size, k, d, step, low, high in zip(space, kernel, dilation, stride, before, after):
        count = (size + low + high - (k - 1) * d - 1 + (step - 1) * ceil) // step + 1
        result.append(count - (ceil and (count - 1) * step >= size + low))  # none begins in the padding behind
    scale = x.scale * (27 if kind == "LpPool" else 1)
    return b.node(kind, [x], (*x.shape[:2], *result), rounds=0 if kind == "MaxPool" else 2, scale=scale, kernel_shape=kernel, strides=stride,
                  dilations=dilation, pads=[*before, *after], ceil_mode=ceil, **more)


@operator("GlobalAveragePool GlobalMaxPool GlobalLpPool", ("float32", "float16"), range(3, 6))
def global_pool(b, kind, x):
    scale = x.scale * (length(x, range(2, x.rank)) if kind == "GlobalLpPool" else 1)
    return b.node(kind, [x], (*x.shape[:2], *(1 for _ in x.shape[2:])), rounds=0 if kind == "GlobalMaxPool" else 2, scale=scale)
