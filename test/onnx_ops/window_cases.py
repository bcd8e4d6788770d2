# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Large windows, which are computed one dimension after the other; images that are resized; sums along a dimension whose neighbours are others; short last
dimensions. In the style of cases.py."""
from cases import f, given, graph, literal

X13 = [f(2, 3, 13, 17)]

POOLS = {
    "MaxPool_13x13": ("MaxPool <kernel_shape = [13, 13], pads = [6, 6, 6, 6]>", X13),
    "MaxPool_9x5_one_side": ("MaxPool <kernel_shape = [9, 5], pads = [8, 0, 0, 3]>", [f(1, 19, 21, 40)]),
    "MaxPool_9x9_strides": ("MaxPool <kernel_shape = [9, 9], strides = [2, 3], pads = [4, 4, 4, 4], ceil_mode = 1>", [f(2, 3, 22, 31)]),
    "MaxPool_7x7_dilated": ("MaxPool <kernel_shape = [7, 7], dilations = [2, 3], pads = [6, 6, 6, 6]>", X13),
    "MaxPool_5x5x5": ("MaxPool <kernel_shape = [5, 5, 5], pads = [2, 2, 2, 2, 2, 2]>", [f(1, 2, 7, 6, 9)]),
    "MaxPool_13x13_rows_of_padding": ("MaxPool <kernel_shape = [13, 13], pads = [12, 12, 12, 12]>", [f(1, 2, 3, 4)]),
    "AveragePool_9x9": ("AveragePool <kernel_shape = [9, 9], pads = [4, 4, 4, 4]>", X13),
    "AveragePool_9x9_with_padding": ("AveragePool <kernel_shape = [9, 9], pads = [4, 4, 4, 4], count_include_pad = 1>", X13),
    "AveragePool_7x7_strides": ("AveragePool <kernel_shape = [7, 7], strides = [1, 2]>", X13),
    "LpPool_9x9": ("LpPool <kernel_shape = [9, 9], p = 1, pads = [4, 4, 4, 4]>", X13),
}
RESIZE = {
    "nearest_3": ('nearest", nearest_mode = "floor', 3, 3), "nearest_2": ("nearest", 2, 2), "nearest_8_4": ("nearest", 8, 4),
    "nearest_ceil": ('nearest", nearest_mode = "ceil", coordinate_transformation_mode = "align_corners', 2, 3),
    "linear_2": ("linear", 2, 2), "linear_third": ("linear", 1 / 3, 0.4), "linear_corners": ('linear", coordinate_transformation_mode = "align_corners', 4, 5),
    "linear_mixed": ("linear", 0.5, 7.3), "cubic_2": ("cubic", 2, 2),
    "cubic_outside": ('cubic", exclude_outside = 1, coordinate_transformation_mode = "pytorch_half_pixel', 1.7, 2.2),
}
# Scales whose f32 quotients decide which elements are the nearest, on both axes: places on an element and between two.
TIES = {f"{transform}_{nearest}": (transform, nearest) for transform in ("half_pixel", "asymmetric", "tf_half_pixel_for_nn")
        for nearest in ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")}
SUMS = {"": f(2, 70, 16), "_ends": f(2, 7, 131), "_few": f(3, 4, 20), "_outermost": f(9, 65)}

CASES = {
    **{f"CumSum_columns{name}{way}": graph(f"y = CumSum <{attributes}> (a, x)", "float", [operand], constants=f"<int64 x = {{{len(operand[1]) - 2}}}>")
       for name, operand in SUMS.items() for way, attributes in (("", "reverse = 0"), ("_reverse", "reverse = 1"), ("_exclusive", "exclusive = 1"),
                                                                 ("_both", "reverse = 1, exclusive = 1"))},
    "CumSum_columns_at_the_call": graph("y = CumSum (a, b)", "float", [f(3, 70, 24), given(1)], free=False),
    "CumSum_of_nothing_at_the_call": graph("y = CumSum (a, b)", "float", [f(0, 20, 8), given(1)], free=False),
    **{f"Transpose_short_{n}": graph(f"y = Transpose <perm = {list(order)}> (a)", "float", [f(*shape)]) for n, (order, shape) in enumerate((
        ((4, 0, 2, 1, 3), (9, 13, 2, 2, 19)), ((2, 1, 0), (3, 5, 33)), ((0, 2, 1), (3, 2, 40)), ((1, 0), (7, 20)), ((3, 2, 1, 0), (5, 17, 3, 4)),
        ((0, 2, 3, 1), (2, 8, 9, 11))))},
    **{f"Conv_depthwise_{kernel}_{rows}x{columns}": graph(
        f"y = Conv <group = 3, pads = [{', '.join([str(kernel // 2)] * 4)}]> (a, w)", "float", [f(2, 3, rows, columns)],
        constants=f"<float[3,1,{kernel},{kernel}] w = {literal(3, 1, kernel, kernel)}>", free=False)
       for kernel, rows, columns in ((7, 7, 7), (7, 14, 14), (7, 9, 56), (5, 6, 33), (3, 8, 20))},
    "ConvTranspose_2x2": graph("y = ConvTranspose <strides = [2, 2]> (a, w, v)", "float", [f(2, 3, 9, 11)], constants=f"<float[3,5,2,2] w = {literal(3, 5, 2, 2)}, float[5] v = {{1, 2, 3, 4, 5}}>"),
    **{f"ConvTranspose_depthwise_{kernel}": graph(f"y = ConvTranspose <group = 3, strides = [{stride}, {stride - 1}], pads = [1, 0, 2, 1]> (a, w)", "float", [f(2, 3, 5, 7)],
                                                  constants=f"<float[3,1,{kernel},{kernel}] w = {literal(3, 1, kernel, kernel)}>") for kernel, stride in ((4, 2), (5, 4), (9, 6), (2, 3))},
    "ConvTranspose_3x1": graph("y = ConvTranspose <strides = [3, 1]> (a, w)", "float", [f(1, 3, 9, 11)], constants=f"<float[3,5,3,1] w = {literal(3, 5, 3, 1)}>"),
    "Concat_of_many": graph(f"y = Concat <axis = 1> ({', '.join('a' if i % 3 else 'b' for i in range(150))})", "float", [f(2, 3, 5), f(2, 1, 5)], free=False),
    "DepthToSpace_4": graph('y = DepthToSpace <blocksize = 4, mode = "CRD"> (a)', "float", [f(2, 32, 9, 11)]),
    **{f"Resize_ties_{name}": graph(f'y = Resize <mode = "nearest", coordinate_transformation_mode = "{transform}", nearest_mode = "{nearest}"> (a, , s)', "float",
                                    [f(1, 33, 40, 25)], constants="<float[4] s = {1, 2.1, 0.3, 4.8}>", free=False)
       for name, (transform, nearest) in TIES.items()},
    **{name: graph(f"y = {node} (a)", "float", shapes) for name, (node, shapes) in POOLS.items()},
    **{f"Resize_image_{name}": graph(f'y = Resize <mode = "{mode}"> (a, , s)', "float", [f(1, 3, 23, 37)], constants=f"<float[4] s = {{1, 1, {high}, {wide}}}>")
       for name, (mode, high, wide) in RESIZE.items()},
    "Resize_image_channels_last": graph('t = Transpose <perm = [0, 2, 3, 1]> (a) y = Resize <mode = "linear"> (t, , s)', "float", [f(1, 19, 11, 13)], free=False,
                                        constants="<float[4] s = {1, 2.2, 3, 1}>"),
    "Resize_image_wide_at_the_call": graph('y = Resize <mode = "linear"> (a, , , b)', "float", [f(1, 2, 6, 40), given(1, 2, 9, 71)], opset=18, free=False),
    "Resize_image_region": graph('y = Resize <mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.0> (a, r, , s)', "float",
                                 [f(1, 2, 17, 40)], free=False, constants="<float[8] r = {0, 0, 0.2, -0.3, 1, 1, 0.7, 1.4}, int64[4] s = {1, 2, 21, 50}>"),
}
