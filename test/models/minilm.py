# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentence encoder all-MiniLM-L6-v2 as an ONNX model in float32, from the weights its Python package carries.

A BERT encoder: 6 layers, width 384, 12 heads. Inputs input_ids, attention_mask and token_type_ids are int64
[batch, seq] with both dimensions free; the output last_hidden_state is float [batch, seq, 384]. LayerNormalization is
one node, GELU stands in its parts (Erf), so that the graph is of ONNX's operator set 17 without contributions.
"""
import numpy

from graph import FLOAT, INT64, Graph

HEADS = 12
EPSILON = 1e-12
MASKED = -1e9  # added to the score of a padded position


class Encoder:
    """Writes the encoder into a graph, weight by weight."""

    def __init__(self, weights):
        self.weights = weights
        self.graph = Graph("minilm")
        self.width = weights["embeddings.word_embeddings.weight"].shape[1]
        self.layers = 1 + max(int(k.split(".")[2]) for k in weights if k.startswith("encoder.layer."))

    def linear(self, x, prefix):
        weight = self.graph.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"].T)
        bias = self.graph.constant(f"{prefix}.bias", self.weights[f"{prefix}.bias"])
        return self.graph.op("Add", self.graph.op("MatMul", x, weight), bias)

    def norm(self, x, prefix):
        scale = self.graph.constant(f"{prefix}.weight", self.weights[f"{prefix}.weight"])
        shift = self.graph.constant(f"{prefix}.bias", self.weights[f"{prefix}.bias"])
        return self.graph.op("LayerNormalization", x, scale, shift, axis=-1, epsilon=EPSILON)

    def scalar(self, name, value):
        return self.graph.constant(name, numpy.float32(value))

    def indices(self, name, *values):
        return self.graph.constant(name, numpy.array(values, numpy.int64))

    def table(self, name):
        key = f"embeddings.{name}_embeddings.weight"
        return self.graph.constant(key, self.weights[key])

    def embeddings(self, ids, types):
        g = self.graph
        words = g.op("Gather", self.table("word"), ids)
        kinds = g.op("Gather", self.table("token_type"), types)
        length = g.op("Gather", g.op("Shape", ids), self.indices("axis_one", 1))
        positions = g.op("Slice", self.table("position"), self.indices("zero", 0), length, self.indices("axis_zero", 0))
        return self.norm(g.op("Add", g.op("Add", words, kinds), positions), "embeddings.LayerNorm")

    def mask_bias(self, mask):
        """0 where a position counts and MASKED where it does not, [batch, 1, 1, seq]."""
        g = self.graph
        wide = g.op("Cast", g.op("Unsqueeze", mask, self.indices("axes_one_two", 1, 2)), to=FLOAT)
        return g.op("Mul", g.op("Sub", self.scalar("one", 1), wide), self.scalar("masked", MASKED))

    def heads(self, x, prefix, order):
        split = self.indices("split_heads", 0, 0, HEADS, self.width // HEADS)
        return self.graph.op("Transpose", self.graph.op("Reshape", self.linear(x, prefix), split), perm=order)

    def attention(self, x, bias, prefix):
        g = self.graph
        query = self.heads(x, f"{prefix}.self.query", [0, 2, 1, 3])
        key = self.heads(x, f"{prefix}.self.key", [0, 2, 3, 1])
        value = self.heads(x, f"{prefix}.self.value", [0, 2, 1, 3])
        scale = self.scalar("score_scale", numpy.sqrt(self.width // HEADS))
        scores = g.op("Add", g.op("Div", g.op("MatMul", query, key), scale), bias)
        mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), value)
        merge = self.indices("merge_heads", 0, 0, self.width)
        merged = g.op("Reshape", g.op("Transpose", mixed, perm=[0, 2, 1, 3]), merge)
        return self.norm(g.op("Add", self.linear(merged, f"{prefix}.output.dense"), x), f"{prefix}.output.LayerNorm")

    def gelu(self, x):
        g = self.graph
        erf = g.op("Erf", g.op("Div", x, self.scalar("sqrt_two", numpy.sqrt(2))))
        return g.op("Mul", g.op("Mul", x, g.op("Add", erf, self.scalar("one", 1))), self.scalar("half", 0.5))

    def layer(self, x, bias, prefix):
        x = self.attention(x, bias, f"{prefix}.attention")
        inner = self.gelu(self.linear(x, f"{prefix}.intermediate.dense"))
        outer = self.graph.op("Add", self.linear(inner, f"{prefix}.output.dense"), x)
        return self.norm(outer, f"{prefix}.output.LayerNorm")

    def build(self):
        names = ("input_ids", "attention_mask", "token_type_ids")
        ids, mask, types = (self.graph.input(name, INT64, ["batch", "seq"]) for name in names)
        x = self.embeddings(ids, types)
        bias = self.mask_bias(mask)
        for i in range(self.layers):
            x = self.layer(x, bias, f"encoder.layer.{i}")
        result = self.graph.op("Identity", x, name="last_hidden_state")
        self.graph.output(result, FLOAT, ["batch", "seq", self.width])
        return self.graph.model()


def build_minilm(weights):
    """The model, from {name: array} as the package's model.safetensors has them."""
    return Encoder(weights).build()
