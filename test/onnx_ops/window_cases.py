"""Large windows, which are computed one dimension after the other; images that are resized. In the style of cases.py."""
from cases import f, given, graph

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

CASES = {
    **{name: graph(f"y = {node} (a)", "float", shapes) for name, (node, shapes) in POOLS.items()},
    **{f"Resize_image_{name}": graph(f'y = Resize <mode = "{mode}"> (a, , s)', "float", [f(1, 3, 23, 37)], constants=f"<float[4] s = {{1, 1, {high}, {wide}}}>")
       for name, (mode, high, wide) in RESIZE.items()},
    "Resize_image_channels_last": graph('t = Transpose <perm = [0, 2, 3, 1]> (a) y = Resize <mode = "linear"> (t, , s)', "float", [f(1, 19, 11, 13)], free=False,
                                        constants="<float[4] s = {1, 2.2, 3, 1}>"),
    "Resize_image_wide_at_the_call": graph('y = Resize <mode = "linear"> (a, , , b)', "float", [f(1, 2, 6, 40), given(1, 2, 9, 71)], opset=18, free=False),
    "Resize_image_region": graph('y = Resize <mode = "linear", coordinate_transformation_mode = "tf_crop_and_resize", extrapolation_value = 7.0> (a, r, , s)', "float",
                                 [f(1, 2, 17, 40)], free=False, constants="<float[8] r = {0, 0, 0.2, -0.3, 1, 1, 0.7, 1.4}, int64[4] s = {1, 2, 21, 50}>"),
}
