#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes malformed ONNX models, one file for each, to a folder.

    malformed.py FOLDER
"""
import pathlib
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FOLDER = pathlib.Path(sys.argv[1])
FLOAT = TensorProto.FLOAT


def value(name, shape=("n",), kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs=None, initializers=(), outputs=None, opset=17):
    graph = helper.make_graph(nodes, "g", inputs or [value("x")], outputs or [value("y")], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def save(name, contents):
    data = contents if isinstance(contents, bytes) else contents.SerializeToString()
    (FOLDER / f"{name}.onnx").write_bytes(data)


def relu(source, target, name=None):
    return helper.make_node("Relu", [source], [target], name=name)


def tensor(name, dims, kind=FLOAT, raw=b"", **fields):
    return TensorProto(name=name, dims=dims, data_type=kind, raw_data=raw, **fields)


def external(location, **entries):
    proto = TensorProto(name="w", dims=[2], data_type=FLOAT, data_location=TensorProto.EXTERNAL)
    for key, text in {"location": location, **entries}.items():
        proto.external_data.add(key=key, value=text)
    return model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[proto])


def with_initializer(proto):
    return model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[proto])


FOLDER.mkdir(parents=True, exist_ok=True)
good = model([relu("x", "y")]).SerializeToString()
save("truncated", good[:-7])
save("text", b"\x08 this is no protobuf at all")
save("empty", b"")
large = numpy_helper.from_array(numpy.zeros(4096, numpy.float32), "w")
save("truncated_weights", with_initializer(large).SerializeToString()[:-9000])
save("cycle", model([relu("b", "a", "first"), relu("a", "b", "second"), relu("x", "y")]))
save("missing_input", model([relu("z", "y", "lonely")]))
save("missing_output", model([relu("x", "z")]))
save("scalar_axes", model([helper.make_node("ReduceSum", ["x", "axes"], ["y"], name="sum")],
                          [value("x"), value("axes", (), TensorProto.INT64)]))
save("long_resize", model([helper.make_node("Resize", ["x", "", "", "s"], ["y"], name="grow", keep_aspect_ratio_policy="not_smaller")],
                          [value("x", (1, 4096))], [numpy_helper.from_array(numpy.array([2**62, 1]), "s")], opset=18))
save("resize_to_nothing", model([helper.make_node("Resize", ["x", "", "", "s"], ["y"], name="shrink", mode="cubic", antialias=1)],
                                [value("x", (1, 1, 4, 4))], [numpy_helper.from_array(numpy.zeros(4, numpy.int64), "s")], outputs=[value("y", (0, 0, 0, 0))], opset=19))
save("resize_to_everything", model([helper.make_node("Resize", ["x", "", "", "s"], ["y"], name="grow", mode="nearest")],
                                   [value("x", (1, 2))], [numpy_helper.from_array(numpy.full(2, 2**63 - 1), "s")], outputs=[value("y", (None, None))], opset=19))
save("scan_of_nobody", model([helper.make_node("Scan", ["x"], ["y"], name="scan", num_scan_inputs=-2**63, body=helper.make_graph(
    [relu("a", "b")], "body", [value("a")], [value("b")]))]))
save("few_write_indices", model([helper.make_node("TensorScatter", ["x", "u", "i"], ["y"], name="cache")],
                                [value("x", (5, 2, 4, 5)), value("u", (5, 2, 1, 5)), value("i", (2,), TensorProto.INT64)], opset=24))
save("empty_range", model([helper.make_node("Range", ["s", "s", "s"], ["y"], name="range")],
                          initializers=[numpy_helper.from_array(numpy.zeros(0, numpy.int64), "s")], outputs=[value("y", kind=TensorProto.INT64)]))
save("endless_range", model([helper.make_node("Range", ["s", "l", "d"], ["y"], name="range")],
                            initializers=[numpy_helper.from_array(numpy.array(v, numpy.float64), n) for n, v in (("s", 0), ("l", 1e300), ("d", 1e-3))],
                            outputs=[value("y", kind=TensorProto.DOUBLE)]))
INT64 = TensorProto.INT64
save("empty_of_many", model([helper.make_node("Transpose", ["w"], ["y"], perm=[3, 2, 1, 0])], initializers=[tensor("w", [0, 2**40, 2**40, 2**40], raw=b"")]))
save("empty_input_of_many", model([relu("x", "y")], inputs=[value("x", (0, 2**24, 2**24))]))
save("endless_sums", model([helper.make_node("ConstantOfShape", ["s"], ["a"], name="fill"), helper.make_node("CumSum", ["a", "k"], ["y"])],
                           initializers=[numpy_helper.from_array(numpy.array(v, numpy.int64), n) for n, v in (("s", [5, 2**63 - 1]), ("k", 0))]))
many_groups = [numpy_helper.from_array(numpy.ones((0, 4, 3, 3), numpy.float32), "w")]
save("many_groups", model([helper.make_node(op, ["x", "w"], [y], name=op, group=2**62) for op, y in (("ConvTranspose", "y"), ("Conv", "z"))],
                          [value("x", (1, 0, 5, 5))], many_groups, [value("y"), value("z")]))
save("prime_transform", model([helper.make_node("DFT", ["x", "n"], ["y"], name="dft")], [value("x", (1, 16777213, 1))],
                              [numpy_helper.from_array(numpy.array(16777213), "n")], opset=20))
# In its first branch n is known to be [3], but was read before.
known = [helper.make_graph([helper.make_node(op, ["n"], [op])], op, [], [value(op, None, INT64)]) for op in ("Abs", "Neg")]
save("known_in_branch", model([helper.make_node("Reshape", ["x", "n"], ["r"]), helper.make_node("Equal", ["n", "three"], ["c"]),
                               helper.make_node("If", ["c"], ["y"], then_branch=known[0], else_branch=known[1])],
                              [value("x"), value("n", (1,), INT64)], [numpy_helper.from_array(numpy.array([3]), "three")],
                              [value("r"), value("y", None, INT64)]))

save("cast_to_many", model([helper.make_node("Cast", ["x"], ["y"], to=2**32 + 1)]))
save("no_outputs", model([helper.make_node("Max", ["x", "x", "x"], []), helper.make_node("Relu", ["x"], ["y"])], outputs=[value("y")]))


# In the first branch a = t - b - c - d - e - f, whose power has half a million terms when it is multiplied out.
power = [helper.make_node("Shape", ["x" + n], [n]) for n in "abcdeft"] + [helper.make_node("Identity", ["a"], ["p0"]), helper.make_node("Identity", ["t"], ["sa"])]
power += [helper.make_node("Mul", [f"p{i}", f"p{i}"], [f"p{i + 1}"]) for i in range(5)]
power += [helper.make_node("Sub", ["s" + n, m], ["s" + m]) for n, m in zip("abcde", "bcdef")] + [helper.make_node("Equal", ["a", "sf"], ["is"])]
sides = [helper.make_graph([helper.make_node(op, ["p5", "b"], [op])], op, [], [value(op, None, INT64)]) for op in ("Add", "Mul")]
save("power_in_branch", model(power + [helper.make_node("If", ["is"], ["y"], then_branch=sides[0], else_branch=sides[1])],
                              [value("x" + n, (n,)) for n in "abcdeft"], outputs=[value("y", None, INT64)]))
sizes_of_x = helper.make_node("Shape", ["x"], ["s"])
save("negative_part", model([sizes_of_x, helper.make_node("Split", ["s"], ["y", "z"], name="split", split=[-1, 4])], [value("x", (2, 3, 4))],
                            outputs=[value("y", None, INT64), value("z", None, INT64)], opset=11))
save("endless_part", model([sizes_of_x, helper.make_node("Split", ["s", "p"], ["y", "z", "w"], name="split")], [value("x", (2, 3, 4))],
                           [numpy_helper.from_array(numpy.array([2**63 - 1, 2**63 - 1, 5]), "p")], [value(n, None, INT64) for n in "yzw"]))
save("parts_of_call", model([sizes_of_x, helper.make_node("Split", ["s", "p"], ["y", "z"])], [value("x", ("n", 3, 4)), value("p", (2,), INT64)],
                            outputs=[value("y", None, INT64), value("z", None, INT64)]))
save("empty_ring", model([helper.make_node("TensorScatter", ["x", "u", "i"], ["y"], name="cache", mode="circular")],
                         [value("x", (1, 0, 4)), value("u", (1, 1, 4))], [numpy_helper.from_array(numpy.array([1]), "i")], opset=24))
skip = model([helper.make_node("SkipLayerNormalization", ["x", "x", "x"], ["y"], name="skip", domain="com.microsoft")], [value("x", ())])
packed = model([helper.make_node("MatMulNBits", ["x", "b", "s"], ["y"], name="product", domain="com.microsoft", K=5, N=1, bits=2, block_size=5)], [value("x", (1, 5))],
               [numpy_helper.from_array(numpy.zeros((1, 1, 1), numpy.uint8), "b"), numpy_helper.from_array(numpy.ones(1, numpy.float32), "s")])
lstm = model([helper.make_node("DynamicQuantizeLSTM", ["x", "W", "R"] + 5 * [""] + ["s", "z", "s", "z"], ["y"], name="lstm", domain="com.microsoft",
                               hidden_size=3, direction="bidirectional")],
             [value("x", (2, 1, 4)), value("W", (2, 4, 12), TensorProto.UINT8), value("R", (2, 3, 12), TensorProto.UINT8), value("s", (1,)),
              value("z", (1,), TensorProto.UINT8)])
for name, made in (("scalar_skip", skip), ("broken_bytes", packed), ("one_scale", lstm)):
    made.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    save(name, made)
branch = helper.make_graph([relu("x", "then")], "side", [], [value("")])
save("nameless_output", model([helper.make_node("If", ["c"], ["y"], name="if", then_branch=branch, else_branch=branch)],
                              [value("x"), value("c", (), TensorProto.BOOL)]))
sides = [helper.make_graph(nodes, "side", [], [value(node.output[0]) for node in nodes]) for nodes in ([relu("x", "then")], [])]
save("if_without_outputs", model([helper.make_node("If", ["c"], [], name="if", then_branch=sides[0], else_branch=sides[1]), relu("x", "y")],
                                 [value("x"), value("c", (), TensorProto.BOOL)]))
save("duplicate_value", model([relu("x", "y", "one"), relu("x", "y", "two")]))
save("duplicate_initializer", model([relu("x", "y")], initializers=[tensor("w", [0]), tensor("w", [0])]))
save("duplicate_input", model([relu("x", "y")], inputs=[value("x"), value("x")]))
save("negative_dimension", with_initializer(tensor("w", [-4])))
save("negative_input", model([relu("x", "y")], inputs=[value("x", (-2,))]))
save("huge", with_initializer(tensor("w", [2**40, 2**40])))
save("size_mismatch", with_initializer(tensor("w", [2, 2], raw=b"0123456789ab")))
save("typed_mismatch", with_initializer(TensorProto(name="w", dims=[3], data_type=FLOAT, float_data=[1.0])))
save("unknown_type", with_initializer(tensor("w", [1], kind=99)))
save("wrong_attribute", model([helper.make_node("Elu", ["x"], ["y"], name="elu", alpha=3)]))
save("wrong_operands", model([helper.make_node("Add", ["x", "i"], ["y"], name="sum")],
                             inputs=[value("x"), value("i", kind=TensorProto.INT64)]))
save("no_operator_set", model([helper.make_node("Frob", ["x"], ["y"], name="frob", domain="other")]))
save("wrong_output_type", model([relu("x", "y")], outputs=[value("y", kind=TensorProto.INT64)]))
save("recursive", helper.make_model(
    helper.make_graph([helper.make_node("f", ["x"], ["y"], domain="local")], "g", [value("x")], [value("y")]),
    functions=[helper.make_function("local", "f", ["a"], ["b"], [helper.make_node("f", ["a"], ["b"], domain="local")],
                                    [helper.make_opsetid("local", 1)])],
    opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("local", 1)], ir_version=8))
(FOLDER / "weights.bin").write_bytes(b"01234567")
(FOLDER.parent / "outside.bin").write_bytes(b"01234567")
save("external_outside", external("../outside.bin"))
save("external_absolute", external("/etc/passwd"))
save("external_missing", external("nowhere.bin"))
save("external_past_end", external("weights.bin", offset="4"))
save("external_offset", external("weights.bin", offset="-8"))
(FOLDER / "link.bin").unlink(missing_ok=True)
(FOLDER / "link.bin").symlink_to("/etc/passwd")
save("external_link", external("link.bin"))
