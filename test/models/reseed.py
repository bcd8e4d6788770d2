# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives the `light_*` networks of the onnx package weights.

The package ships their graphs only: every weight is a ConstantOfShape, so all activations of a layer are equal and an
output proves nothing. Here each becomes a random initialiser of the size that its role asks for, so that activations
keep their spread from layer to layer and the last layer's results are spread by one, as those of a trained network.
"""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

VIEWS = ("Unsqueeze", "Reshape", "Identity")


def weight_shapes(graph):
    """{name: shape} of what the ConstantOfShape nodes of a graph make."""
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    return {node.output[0]: numpy_helper.to_array(initializers[node.input[0]]).tolist()
            for node in graph.node if node.op_type == "ConstantOfShape"}


def find_roles(graph, shapes):
    """{weight: (node, operand number)} of the first op that computes with it, seen through views."""
    source = {name: name for name in shapes}
    roles = {}
    for node in graph.node:
        for number, name in enumerate(node.input):
            if name not in source:
                continue
            if node.op_type in VIEWS and number == 0:
                source[node.output[0]] = source[name]
            else:
                roles.setdefault(source[name], (node, number))
    return roles


def draw(generator, shape, role):
    """Values for a weight: He's initialisation for products, close to neutral for norms, small for biases."""
    node, number = role if role else (None, 0)
    kind = node.op_type if node else ""
    if kind == "Conv" and number == 1:
        values = generator.normal(0, numpy.sqrt(2 / numpy.prod(shape[1:])), shape)
    elif kind in ("Gemm", "MatMul") and number == 1:
        transposed = any(a.name == "transB" and a.i for a in node.attribute)
        values = generator.normal(0, numpy.sqrt(2 / shape[1 if transposed else 0]), shape)
    elif kind == "Mul" or (kind == "BatchNormalization" and number in (1, 4)):
        values = generator.uniform(0.8, 1.2, shape)
    else:
        values = generator.normal(0, 0.05, shape)
    return values.astype(numpy.float32)


def replace_weights(graph, generator):
    """Every ConstantOfShape becomes an initialiser; what is then unused goes, and no initialiser is an input."""
    shapes = weight_shapes(graph)
    roles = find_roles(graph, shapes)
    nodes = [node for node in graph.node if node.op_type != "ConstantOfShape"]
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used]
    kept += [numpy_helper.from_array(draw(generator, shape, roles.get(name)), name) for name, shape in shapes.items()]
    names = {tensor.name for tensor in kept}
    inputs = [value for value in graph.input if value.name in used and value.name not in names]
    for field, values in ((graph.node, nodes), (graph.initializer, kept), (graph.input, inputs)):
        del field[:]
        field.extend(values)
    del graph.value_info[:]


def last_product(graph):
    """The Conv or Gemm nearest to the output."""
    producer = {name: node for node in graph.node for name in node.output}
    node = producer[graph.output[0].name]
    while node.op_type not in ("Conv", "Gemm", "MatMul"):
        node = producer[node.input[0]]
    return node


def spread_logits(model, generator):
    """Scales the last product so that its results have a standard deviation of one on a random input."""
    import onnxruntime

    node = last_product(model.graph)
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    del probe.graph.output[:]
    probe.graph.output.append(helper.make_tensor_value_info(node.output[0], TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    argument = session.get_inputs()[0]
    feed = {argument.name: generator.standard_normal(argument.shape).astype(numpy.float32)}
    scale = numpy.float32(1 / session.run(None, feed)[0].std())
    for tensor in model.graph.initializer:
        if tensor.name in node.input[1:]:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * scale, tensor.name))


def reseed(model, seed=0):
    """The model with weights, in place. IR version 8: from version 4 on an initialiser need not be an input."""
    generator = numpy.random.default_rng(seed)
    model.ir_version = 8
    replace_weights(model.graph, generator)
    spread_logits(model, generator)
    onnx.checker.check_model(model)
    return model
