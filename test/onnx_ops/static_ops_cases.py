# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases (see cases.py) of losses, scans, contractions by equation, signals, sampling, and other ops that real models seldom have."""
from cases import f, given, graph, i, literal

GRID = ('y = GridSample <mode = "{}", padding_mode = "{}", align_corners = {}> (a, b)')
GRIDS = {f"GridSample_{mode}_{padding}_{align}": graph(GRID.format(mode, padding, align), "float",
                                                       [f(2, 3, 5, 4), f(2, 6, 7, 2, low=-2.3, high=2.3)], free=free, opset=opset)
         for mode, padding, align, free, opset in (
             ("linear", "zeros", 0, True, 20), ("linear", "border", 1, False, 20), ("linear", "reflection", 0, False, 20),
             ("nearest", "zeros", 0, False, 20), ("nearest", "reflection", 1, False, 20), ("bilinear", "zeros", 1, False, 16),
             ("cubic", "zeros", 0, False, 20), ("cubic", "border", 1, False, 20), ("cubic", "reflection", 0, False, 20))}
EINSUMS = {  # names are not the equations': those have no letters in common
    "matmul": ("ij,jk->ik", [f(5, 6), f(6, 7)]), "turned": ("ji,kj->ki", [f(6, 5), f(7, 6)]),
    "heads": ("bqhd,bkhd->bhqk", [f(2, 5, 3, 8), f(2, 7, 3, 8)]), "mixed": ("bhqk,bkhd->bqhd", [f(2, 3, 5, 7), f(2, 7, 3, 8)]),
    "inner": ("i,i", [f(13), f(13)]), "outer": ("i,j->ji", [f(3), f(4)]), "trace": ("ii", [f(5, 5)]),
    "diagonals": ("...ii->...i", [f(3, 5, 5)]), "sum": ("ijk->k", [f(3, 4, 5)]), "implicit": ("ba", [f(3, 4)]),
    "rows": ("bi,bi->b", [f(4, 7), f(4, 7)]),
    "three": ("ab,bc,cd->ad", [f(3, 4), f(4, 5), f(5, 6)]), "summed_apart": ("ab,cd->", [f(3, 4), f(5, 6)]),
    "bilinear": ("bi,oij,bj->bo", [f(3, 4), f(6, 4, 5), f(3, 5)]), "scaled": ("bhn,bhnc->bhnc", [f(2, 3, 4), f(2, 3, 4, 5)]),
}
LABELS = i(2, 4, low=0, high=3)

CASES = {
    **GRIDS, **{f"Einsum_{name}": graph(f'y = Einsum <equation = "{equation}"> ({", ".join("abc"[:len(inputs)])})', "float", inputs,
                                        free=False) for name, (equation, inputs) in EINSUMS.items()},
    "Einsum_free_batch": graph('y = Einsum <equation = "bij,jk->bki"> (a, w)', "float", [f(3, 4, 5)],
                               constants=f"<float[5,6] w = {literal(5, 6)}>"),
    "Einsum_integers": graph('y = Einsum <equation = "ij,jk->ik"> (a, b)', "int64", [i(3, 4), i(4, 5)], free=False),
    **{f"GridSample_channels_{mode}_{padding}": graph(GRID.format(mode, padding, 0), "float",  # in vectors of channels
                                                      [f(2, 19, 5, 4), f(2, 6, 7, 2, low=-2.3, high=2.3)], free=free, opset=20)
       for mode, padding, free in (("linear", "zeros", False), ("linear", "border", True), ("nearest", "reflection", False), ("cubic", "zeros", True))},
    "GridSample_few_places": graph(GRID.format("linear", "zeros", 0), "float", [f(1, 9, 20, 30), f(1, 2, 3, 2, low=-1.3, high=1.3)], free=False, opset=20),
    "GridSample_channels_volume": graph('y = GridSample <mode = "linear"> (a, b)', "float",
                                        [f(2, 8, 3, 4, 5), f(2, 2, 3, 4, 3, low=-1.3, high=1.3)], free=False, opset=20),
    "GridSample_volume": graph('y = GridSample <mode = "linear"> (a, b)', "float", [f(2, 2, 3, 4, 5), f(2, 2, 3, 4, 3, low=-1.3, high=1.3)],
                               free=False, opset=20),
    "AffineGrid": graph("y = AffineGrid (a, s)", "float", [f(2, 2, 3)], opset=20, free=False, constants="<int64[4] s = {2, 3, 4, 6}>"),
    "AffineGrid_volume_at_call": graph("y = AffineGrid <align_corners = 1> (a, b)", "float", [f(2, 3, 4), given(2, 1, 2, 4, 3)], opset=20,
                                       free=False),
    "NegativeLogLikelihoodLoss": graph("y = NegativeLogLikelihoodLoss (a, b)", "float", [f(5, 7), i(5, low=0, high=7)], free=False),
    "NegativeLogLikelihoodLoss_weights": graph(
        'y = NegativeLogLikelihoodLoss <reduction = "mean", ignore_index = 2> (a, b, c)', "float",
        [f(2, 3, 4), LABELS, f(3, low=0.1)], free=False),
    "NegativeLogLikelihoodLoss_none": graph('y = NegativeLogLikelihoodLoss <reduction = "none", ignore_index = 1> (a, b)', "float",
                                            [f(2, 3, 4), LABELS], free=False),
    "SoftmaxCrossEntropyLoss": graph("y = SoftmaxCrossEntropyLoss (a, b)", "float", [f(5, 7), i(5, low=0, high=7)], free=False),
    "SoftmaxCrossEntropyLoss_sum": graph('y, l = SoftmaxCrossEntropyLoss <reduction = "sum"> (a, b, c)', "float",
                                         [f(2, 3, 4), LABELS, f(3, low=0.1)], free=False),
    "SoftmaxCrossEntropyLoss_likelihoods": graph("l, y = SoftmaxCrossEntropyLoss (a, b)", "float", [f(2, 3, 4), LABELS], free=False),
    "CumSum_long": graph("y = CumSum (a, x)", "float", [f(2, 300, 3)], free=False, constants="<int64 x = {1}>"),
    "CumSum_free": graph("y = CumSum <exclusive = 1> (a, x)", "float", [f(83, 2)], constants="<int64 x = {0}>"),
    "CumSum_backwards": graph("y = CumSum <exclusive = 1, reverse = 1> (a, x)", "int64", [i(1100)], free=False, constants="<int64 x = {0}>"),
    "CumSum_at_call": graph("y = CumSum <reverse = 1> (a, b)", "float", [f(3, 70, 2), given(-2)], free=False),
    "Hardmax": graph("y = Hardmax <axis = 1> (a)", "float", [f(3, 7, 2)]),
    "Hardmax_11": graph("y = Hardmax (a)", "float", [f(3, 4, 5)], opset=11),
    "LpNormalization": graph("y = LpNormalization <axis = 1> (a)", "float", [f(3, 7, 2)]),
    "LpNormalization_1": graph("y = LpNormalization <axis = -1, p = 1> (a)", "float", [f(3, 7)]),
    "MeanVarianceNormalization": graph("y = MeanVarianceNormalization (a)", "float", [f(2, 3, 4, 5)]),
    "MeanVarianceNormalization_axes": graph("y = MeanVarianceNormalization <axes = [1, 2, 3]> (a)", "float", [f(2, 3, 4, 5)]),
    "GroupNormalization_18": graph("y = GroupNormalization <num_groups = 2> (a, s, t)", "float", [f(3, 6, 5)], opset=18,
                                   constants="<float[2] s = {1, 2}, float[2] t = {0, -1}>"),
    "GroupNormalization": graph("y = GroupNormalization <num_groups = 3> (a, b, c)", "float", [f(3, 6, 4, 5), f(6), f(6)], opset=21),
    "ReverseSequence": graph("y = ReverseSequence <batch_axis = 0, time_axis = 1> (a, b)", "float", [f(3, 5, 2), i(3, low=1, high=6)], free=False),
    "CenterCropPad": graph("y = CenterCropPad <axes = [-1, 0]> (a, s)", "float", [f(4, 3, 7)], opset=18, constants="<int64[2] s = {4, 7}>"),
    "CenterCropPad_at_call": graph("y = CenterCropPad (a, b)", "float", [f(4, 7), given(9, 4)], opset=18, free=False),
    "Col2Im": graph("y = Col2Im <strides = [2, 1], pads = [1, 0, 0, 2], dilations = [1, 2]> (a, s, k)", "float", [f(2, 18, 15)], opset=18,
                    constants="<int64[2] s = {6, 5}, int64[2] k = {3, 2}>"),
    **{f"Col2Im_{name}": graph(f"y = Col2Im <{attributes}> (a, s, k)", "float", [operand], opset=18, constants=f"<int64[{len(image)}] s = {{{str(image)[1:-1]}}}, int64[{len(block)}] k = {{{str(block)[1:-1]}}}>")
       for name, attributes, operand, image, block in (
           ("side_by_side", "strides = [2, 3]", f(2, 12, 9), [6, 9], [2, 3]), ("apart", "strides = [3, 2]", f(2, 6, 12), [8, 7], [2, 1]),
           ("dilated", "strides = [2, 3], dilations = [3, 2], pads = [1, 2, 0, 1]", f(2, 12, 16), [9, 11], [2, 3]),
           ("wide_pads", "strides = [1, 2], pads = [2, 5, 2, 5]", f(2, 9, 35), [3, 5], [3, 3]), ("many_phases", "strides = [9, 8]", f(1, 20, 9), [22, 21], [4, 5]),
           ("rest", "strides = [2, 2], pads = [0, 0, 1, 1]", f(1, 2, 12), [5, 6], [1, 1]), ("padded_lanes", "strides = [1, 1, 2], pads = [0, 1, 1, 1, 1, 0]", f(2, 9, 105), [6, 5, 7], [1, 3, 3]),
           ("no_window", "strides = [3], dilations = [4], pads = [6, 0]", f(1, 2, 1), [1], [2]))},
    "Col2Im_at_call": graph("y = Col2Im (a, b, c)", "float", [f(2, 12, 6), given(3, 5), given(2, 3)], opset=18, free=False),
    "MaxUnpool": graph("v, w = MaxPool <kernel_shape = [3, 2], strides = [3, 2]> (a) y = MaxUnpool <kernel_shape = [3, 2], strides = [3, 2]> (v, w)",
                       "float", [f(2, 3, 9, 8)], free=False),
    "MaxUnpool_overlapping": graph("y = MaxUnpool <kernel_shape = [3, 3], strides = [1, 2], pads = [1, 0, 0, 1]> (a, w)", "float", [f(1, 1, 2, 2)], free=False,
                                   constants="<int64[1,1,2,2] w = {4, 6, 4, 6}>"),
    "MaxUnpool_large_kernel": graph("y = MaxUnpool <kernel_shape = [40, 40], strides = [1, 1]> (a, w)", "float", [f(1, 2, 2, 2)], free=False,
                                    constants="<int64[1,2,2,2] w = {0, 40, 1600, 1680, 1681, 2500, 3000, 3361}>"),
    "Det": graph("y = Det (a)", "float", [f(3, 2, 5, 5, low=-1.0, high=1.0)]),
    "Det_singular": graph("y = Det (a)", "float", [f(3, 3, low=1.0, high=1.0)], free=False),
    "RoiAlign": graph("y = RoiAlign <output_height = 3, output_width = 2, sampling_ratio = 2, spatial_scale = 0.5> (a, b, c)", "float",
                      [f(2, 3, 8, 7), f(4, 4, low=-2.0, high=15.0), i(4, low=0, high=2)], free=False),
    "RoiAlign_adaptive": graph('y = RoiAlign <output_height = 2, output_width = 3, coordinate_transformation_mode = "output_half_pixel"> (a, r, j)',
                               "float", [f(2, 3, 9, 8)], constants="<float[2,4] r = {0.5, 1, 6.5, 7.5, 2, 0, 7, 3}, int64[2] j = {1, 0}>"),
    "RoiAlign_max": graph('y = RoiAlign <output_height = 2, output_width = 3, mode = "max", sampling_ratio = 3> (a, r, j)', "float",
                          [f(2, 3, 9, 8)], constants="<float[2,4] r = {0.5, 1, 6.5, 7.5, 2, 0, 7, 3}, int64[2] j = {1, 0}>"),
    "RoiAlign_far": graph('y = RoiAlign <output_height = 2, output_width = 3> (a, r, j)', "float",
                          [f(2, 3, 9, 8)], constants="<float[4,4] r = {-20, -30, 40, 50, 3, 4, 300, 500, -50, -90, 5, 4, 100, 100, 104, 120}, int64[4] j = {1, 0, 0, 1}>"),
    "RoiAlign_far_max": graph('y = RoiAlign <output_height = 2, output_width = 3, mode = "max", coordinate_transformation_mode = "output_half_pixel"> (a, r, j)', "float",
                              [f(2, 3, 9, 8, low=-4.0, high=-1.0)], constants="<float[3,4] r = {-20, -30, 40, 50, 3, 4, 300, 500, 1, 2, 4, 8}, int64[3] j = {1, 0, 0}>"),
    **{f"RoiAlign_channels_{mode}_{samples}": graph(  # in vectors of channels
        f'y = RoiAlign <output_height = 3, output_width = 2, mode = "{mode}", sampling_ratio = {samples}, spatial_scale = 0.5> (a, b, c)', "float",
        [f(2, 19, 8, 7), f(4, 4, low=-2.0, high=15.0), i(4, low=0, high=2)], free=free)
       for mode, samples, free in (("avg", 2, False), ("avg", 0, True), ("max", 3, True))},
    "MaxRoiPool_channels": graph("y = MaxRoiPool <pooled_shape = [3, 2], spatial_scale = 0.7> (a, r)", "float", [f(2, 17, 9, 8)],
                                 constants="<float[3,5] r = {0, 1, 1, 9, 10, 1, 0, 3, 4, 4, 1, 9, 9, 20, 20}>"),
    "MaxRoiPool": graph("y = MaxRoiPool <pooled_shape = [3, 2], spatial_scale = 0.7> (a, r)", "float", [f(2, 3, 9, 8)],
                        constants="<float[3,5] r = {0, 1, 1, 9, 10, 1, 0, 3, 4, 4, 1, 9, 9, 20, 20}>"),
    "DFT": graph("y = DFT (a)", "float", [f(3, 12, 2)]),
    "DFT_real": graph("y = DFT <axis = 1, onesided = 1> (a)", "float", [f(2, 15, 3, 1)]),
    "DFT_inverse": graph("y = DFT <axis = 1, inverse = 1> (a)", "float", [f(2, 10, 3, 2)]),
    "DFT_padded": graph("y = DFT (a, n)", "float", [f(2, 10, 2)], constants="<int64 n = {16}>"),
    "DFT_free": graph("y = DFT <axis = 0> (a)", "float", [f(11, 3, 2)]),
    "DFT_at_call": graph("y = DFT (a, , b)", "float", [f(3, 6, 5, 1), given(-2)], opset=20, free=False),
    "STFT": graph("y = STFT (a, s, b)", "float", [f(2, 50, 1), f(16)], free=False, constants="<int64 s = {7}>"),
    "STFT_of_lists": graph("y = STFT (a, s, b)", "float", [f(2, 50), f(16)], constants="<int64 s = {7}>"),
    "STFT_complex": graph("y = STFT <onesided = 0> (a, s, , n)", "float", [f(2, 50, 2)], constants="<int64 s = {5}, int64 n = {12}>"),
    "HannWindow": graph("y = HannWindow (a)", "float", [i(low=9, high=10)], free=False),
    "HammingWindow": graph("y = HammingWindow <periodic = 0> (n)", "float", [], constants="<int64 n = {10}>"),
    "BlackmanWindow": graph("y = BlackmanWindow (n)", "float", [], constants="<int64 n = {17}>"),
    "MelWeightMatrix": graph("y = MelWeightMatrix (m, d, r, l, h)", "float", [],
                             constants="<int64 m = {12}, int64 d = {64}, int64 r = {16000}, float l = {100}, float h = {7000}>"),
}

# Against the onnx package's reference implementation: ONNX Runtime has no such op for processors, not that form, or (long DFT) three digits.
REFERENCE_CASES = {
    # ONNX Runtime takes no more than the dimension has; NumPy turns back as often as it takes.
    **{f"Pad_reflect_long_{name}": graph('y = Pad <mode = "reflect"> (a, s)', "float", [f(3, 4)], constants=f"<int64[4] s = {{{pads}}}>", free=free)
       for name, pads, free in (("static", "9, 5, 2, 14", False), ("free", "9, 0, 2, 14", True), ("turned_once", "2, 5, 2, 0", True))},
    "Pad_reflect_long_at_call": graph('y = Pad <mode = "reflect"> (a, b)', "float", [f(3, 4), given(0, 13, 2, 2)], free=False),
    "Pad_reflect_of_one": graph('y = Pad <mode = "reflect"> (a, s)', "float", [f(1, 3)], constants="<int64[4] s = {2, 0, 3, 0}>"),
    "AffineGrid_of_one_place": graph("y = AffineGrid <align_corners = 1> (a, s)", "float", [f(2, 2, 3)], opset=20, free=False,
                                     constants="<int64[4] s = {2, 3, 1, 4}>"),
    "DFT_long": graph("y = DFT (a)", "float", [f(2, 600, 1)]),
    "PRelu_6": graph("y = PRelu (a, s)", "float", [f(2, 3, 4)], opset=6, constants="<float[3] s = {0.1, 0.2, 0.3}>"),
    "Einsum_ellipsis": graph('y = Einsum <equation = "...ij,...jk->...ik"> (a, b)', "float", [f(3, 1, 4, 5), f(2, 5, 6)], free=False),
    "CumProd": graph("y = CumProd (a, x)", "float", [f(3, 70, low=0.8, high=1.2)], opset=26, free=False, constants="<int64 x = {1}>"),
    "DeformConv": graph("y = DeformConv <pads = [1, 0, 1, 0], strides = [2, 1], offset_group = 2> (a, b, c, d, e)", "float",
                        [f(2, 4, 6, 5), f(3, 4, 2, 3), f(2, 24, 4, 3, low=-1.5, high=1.5), f(3), f(2, 12, 4, 3)], opset=22, free=False),
    "DeformConv_groups": graph("y = DeformConv <group = 2, dilations = [2, 1]> (a, b, c)", "float",
                               [f(1, 4, 6, 5), f(6, 2, 2, 2), f(1, 8, 4, 4, low=-1.5, high=1.5)], opset=22, free=False),
    "CausalConvWithState": graph('y, s = CausalConvWithState <activation = "silu"> (a, b, c, d)', "float",
                                 [f(2, 3, 9), f(3, 1, 4), f(3), f(2, 3, 3)], opset=27, free=False),
    "CausalConvWithState_free": graph("y, s = CausalConvWithState (a, w)", "float", [f(2, 3, 9)], opset=27,
                                      constants=f"<float[3,1,4] w = {literal(3, 1, 4)}>"),
}

# Neither has broadcasts of operator set 6: the second operand's dimension is the first one's second.
ADD_6 = graph("y = Add <broadcast = 1, axis = 1> (a, b)", "float", [f(2, 3, 4), f(3)], opset=6, free=False)
