# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that the importer's fuzzer does not come to by itself: each way to store a tensor, weights of few bits, local functions, devices.

Text where onnx.parser has words for it, built otherwise.
"""
import numpy
import onnx
import onnx.parser
from onnx import TensorProto, helper

TEXTS = [
    # A function with an attribute that has a default, one that its caller leaves out, and one that calls another, in a branch too.
    """<ir_version: 10, opset_import: ["" : 20, "own" : 1]>
main (float[n,4] x, bool c) => (float[n,4] y) {
  a = own.scaled <by = 3.0> (x)
  b = own.twice (a)
  y = If (c) <then_branch = t () => (float[n,4] u) { u = own.twice (b) }, else_branch = e () => (float[n,4] v) { v = Neg (b) }>
}
<domain: "own", opset_import: ["" : 20]>
scaled <by, axis: int = 0> (p) => (q) { s = Constant <value_float : float = @by> () r = Mul (p, s) q = Softmax <axis : int = @axis> (r) }
<domain: "own", opset_import: ["" : 20, "own" : 1]>
twice (p, unused) => (q) { h = own.scaled <by = 2.0, axis = 1> (p) q = Add (h, p) }""",
    """<ir_version: 10, opset_import: ["" : 20]>
main (float[2,16,1] x, int64 length) => (float[2,a,b] y, float[2,c,2] z) {
  y = DFT <onesided = 1> (x, length)
  w = Constant <value_floats = [0.5, 1.0, 1.0, 0.5, 0.25]> ()
  step = Constant <value_int = 3> ()
  s = STFT <onesided = 1> (x, step, w)
  k = Constant <value_int = 7> ()
  z = DFT <inverse = 1> (x, k)
}""",
    """<ir_version: 10, opset_import: ["" : 22]>
main (float[2,3] x, int64[2] shape) => (float[2,3] a, float[m,n] b, int64[2,4] c, float16[2,3] d, double[3] e) {
  a = Bernoulli <seed = 1.5> (x)
  b = RandomUniform <shape = [2, 3], high = 2.0, low = -1.0, seed = 2.5> ()
  c = Multinomial <sample_size = 4, dtype = 7> (x)
  d = RandomNormalLike <dtype = 10, mean = 1.0, scale = 0.5> (x)
  e = RandomNormal <shape = [3], dtype = 11> ()
}""",
    """<ir_version: 10, opset_import: ["" : 19]>
main (float[3,2,4] x, int32[2] lens, float[1,2,5] h, float[1,20,4] w, float[1,20,5] r, float[1,40] b, float[1,15] p, float[1,2,5] c)
    => (float[3,1,2,5] y, float[1,2,5] last, float[1,2,5] cell) {
  y, last, cell = LSTM <hidden_size = 5, direction = "reverse", activations = ["HardSigmoid", "Affine", "ScaledTanh"],
    activation_alpha = [0.2, 1.5, 0.5], activation_beta = [0.5, 0.25, 1.0], clip = 2.0, input_forget = 1> (x, w, r, b, lens, h, c, p)
}""",
]


def model(nodes, inputs, outputs, initializers, opset=21, **kwargs):
    graph = helper.make_graph(nodes, "main", inputs, outputs, initializers)
    return helper.make_model(graph, ir_version=13 if opset > 23 else 11,
                             opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.microsoft", 1)], **kwargs)


def value(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


def stored_tensors():
    """A constant of each type: as bytes, in its typed list, and in a file."""
    for kind in range(1, max(TensorProto.DataType.values()) + 1):
        if kind in (TensorProto.STRING, TensorProto.COMPLEX64, TensorProto.COMPLEX128):
            continue
        size = {TensorProto.BOOL: 8}.get(kind) or 8 * helper.tensor_dtype_to_np_dtype(kind).itemsize
        for name, bits in (("INT4", 4), ("UINT4", 4), ("FLOAT4E2M1", 4), ("INT2", 2), ("UINT2", 2)):
            size = bits if kind == getattr(TensorProto, name, None) else size
        raw = TensorProto(name="w", data_type=kind, dims=[2, 4], raw_data=bytes(i % 2 for i in range(size)))
        typed = helper.make_tensor("w", kind, [2, 4], [0, 1, 1, 0, 1, 0, 0, 1])
        outside = TensorProto(name="w", data_type=kind, dims=[2, 4], data_location=TensorProto.EXTERNAL)
        for key, text in (("location", "model.onnx"), ("offset", "3"), ("length", str(size))):
            outside.external_data.add(key=key, value=text)
        for tensor in (raw, typed, outside):
            yield model([helper.make_node("Cast", ["w"], ["y"], to=TensorProto.FLOAT)], [], [value("y", TensorProto.FLOAT, 2, 4)], [tensor], opset=25)


def narrow_products():
    """Products with weights of 8, 4 and 2 bits: QuantizeLinear's forms, a cast and a factor, ONNX Runtime's."""
    x, y = value("x", TensorProto.FLOAT, 3, 32), value("y", TensorProto.FLOAT, "a", "b")
    for kind, columns in ((TensorProto.INT8, 5), (TensorProto.UINT4, 32), (TensorProto.INT4, 6), (TensorProto.FLOAT8E4M3FN, 4)):
        w = helper.make_tensor("w", kind, [32, columns], [i % 3 for i in range(32 * columns)])
        for block, shape in ((0, [columns]), (0, []), (16, [2, columns])):
            scale = helper.make_tensor("s", TensorProto.FLOAT, shape, [0.5] * int(numpy.prod(shape)))
            zero = [] if kind == TensorProto.FLOAT8E4M3FN else [helper.make_tensor("z", kind, shape, [1] * int(numpy.prod(shape)))]
            nodes = [helper.make_node("DequantizeLinear", ["w", "s"] + ["z"] * len(zero), ["r"], axis=0 if block else 1, block_size=block),
                     helper.make_node("MatMul", ["x", "r"], ["y"])]
            yield model(nodes, [x], [y], [w, scale, *zero], opset=23)
    w = helper.make_tensor("w", TensorProto.INT8, [7, 32], [1] * 224)
    scale = helper.make_tensor("s", TensorProto.FLOAT, [7, 1], [0.5] * 7)
    yield model([helper.make_node("Cast", ["w"], ["f"], to=TensorProto.FLOAT), helper.make_node("Mul", ["f", "s"], ["r"]),
                 helper.make_node("Gemm", ["x", "r"], ["y"], transB=1)], [x], [y], [w, scale])
    for bits, kind in ((2, TensorProto.FLOAT), (4, TensorProto.FLOAT16), (8, TensorProto.FLOAT)):
        tensors = {"b": (TensorProto.UINT8, [6, 2, 2 * bits], 24 * bits), "s": (kind, [12], 12), "z": (TensorProto.UINT8, [6 * -(-2 * bits // 8)], 6 * -(-2 * bits // 8))}
        yield model([helper.make_node("MatMulNBits", ["x", "b", "s", "z"], ["y"], domain="com.microsoft", K=32, N=6, bits=bits, block_size=16)], [x], [y],
                    [helper.make_tensor(name, kind, shape, [1] * count) for name, (kind, shape, count) in tensors.items()])


def placed():
    """Nodes on devices: configurations of the model, and properties of a node."""
    nodes = [helper.make_node("Relu", ["x"], ["h"], name="first"), helper.make_node("Neg", ["h"], ["y"], name="second")]
    result = model(nodes, [value("x", TensorProto.FLOAT, 4)], [value("y", TensorProto.FLOAT, 4)], [], opset=24)
    configuration = result.configuration.add(name="pair", num_devices=2)
    configuration.device.extend(["cpu", "gpu"])
    stage = result.graph.node[0].device_configurations.add(configuration_id="pair", pipeline_stage=1)
    spec = stage.sharding_spec.add(tensor_name="h")
    spec.device.append(1)
    spec.index_to_device_group_map.add(key=0).value.append(1)
    result.graph.node[1].metadata_props.add(key="heddle.device", value="cpu")
    yield result


def models():
    for text in TEXTS:
        yield onnx.parser.parse_model(text)
    yield from stored_tensors()
    yield from narrow_products()
    yield from placed()
