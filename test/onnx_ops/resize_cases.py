# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resize of integers for test_types.py: interpolated in floats along all axes, rounded once, within the type's range.

What is right is what the evaluator of the package onnx gives. Numbers fill the whole range, so that a cubic overshoots
it and rounding after each axis shows.
"""
import numpy
import onnx.reference.ops.op_resize as reference

from typed_cases import Case, Group

KINDS = (numpy.uint8, numpy.int8, numpy.int16, numpy.int32)
# Mode, attributes.
MODES = {"linear": {"mode": "linear"}, "cubic": {"mode": "cubic"}, "cubic_inside": {"mode": "cubic", "exclude_outside": 1},
         "linear_antialias": {"mode": "linear", "antialias": 1}, "cubic_antialias": {"mode": "cubic", "antialias": 1},
         "corners": {"mode": "linear", "coordinate_transformation_mode": "align_corners"}}
# By the number of axes that change, up and down. Powers of 2, for which all weights are exact: else the coordinates of
# onnx's evaluator differ from ONNX Runtime's and ours in the last place of f32, and ties round either way.
SCALES = ((2,), (0.5, 4), (2, 4, 0.5), (2, 2, 0.5, 2))
NONE = numpy.array([], numpy.float32)


def resized(x, scales, attributes):
    """By onnx's evaluator."""
    names = ("antialias", "axes", "coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value",
             "keep_aspect_ratio_policy", "mode", "nearest_mode")
    defaults = {"antialias": 0, "coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.75, "exclude_outside": 0,
                "extrapolation_value": 0.0, "keep_aspect_ratio_policy": "stretch"}
    values = {name: (defaults | attributes).get(name) for name in names}
    return reference.Resize._run(None, x, None, scales, None, **values)[0]


def case(kind, attributes, scales):
    limits = numpy.iinfo(kind)
    shape = (1,) * (3 - len(scales)) + (5, 4, 6, 7)[-max(len(scales), 1):]
    x = numpy.random.default_rng(len(scales)).integers(limits.min, limits.max, shape, kind, endpoint=True)
    whole = numpy.array([1] * (len(shape) - len(scales)) + list(scales), numpy.float32)
    return Case("Resize", [x, NONE, whole], attributes, (1, 2), want=resized(x, whole, attributes))


# In f32 a sum of elements of 16 bits may lie beside its tie, and coordinates of aligned corners are quotients.
STEP = {"int16": 1}
GROUPS = {f"Resize_{name}_of_integers": Group([case(kind, attributes, scales) for kind in kinds for scales in SCALES],
                                              tolerance=dict.fromkeys(("uint8", "int8"), 1) if name == "corners" else STEP)
          for name, attributes in MODES.items() for kinds in (KINDS[:2] if name == "corners" else KINDS,)}
