# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A few lines over onnx.helper: a graph that is written op by op, each op a call that returns the name of its result."""
import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
OPSET = 17


class Graph:
    """A graph under construction.

    graph = Graph("double")
    x = graph.input("x", FLOAT, ["n"])
    graph.output(graph.op("Add", x, x, name="y"), FLOAT, ["n"])
    model = graph.model()
    """

    def __init__(self, name):
        self.name = name
        self.nodes, self.inputs, self.outputs = [], [], []
        self.constants = {}

    def input(self, name, element_type, shape):
        self.inputs.append(helper.make_tensor_value_info(name, element_type, shape))
        return name

    def output(self, value, element_type, shape):
        self.outputs.append(helper.make_tensor_value_info(value, element_type, shape))

    def constant(self, name, value):
        """An initialiser; the same name again is the same initialiser."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(numpy.array(value, order="C"), name)
        return name

    def op(self, kind, *operands, name=None, **attributes):
        """A node with one result, which is called `name`, or after the node."""
        result = name or f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(operands), [result], name=f"node_{result}", **attributes))
        return result

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, list(self.constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.checker.check_model(model, full_check=True)
        return model
