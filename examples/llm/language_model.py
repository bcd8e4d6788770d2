# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A llama-like language model as an ONNX graph that decodes greedily: tokens in, the next token out, keys and values of all
earlier tokens in caches that go in and out.

`concat`: the caches grow (inputs past.0.key …, outputs present.0.key …; they begin with no tokens).
`fixed`: caches of `capacity` tokens that TensorScatter writes into, and `length`, how many there are (output new_length).

    config, weights = random_weights(layers=2)
    onnx.save(build(config, weights, "concat"), "model.onnx")
"""
import dataclasses

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 24


@dataclasses.dataclass
class Config:
    layers: int
    width: int
    inner: int
    heads: int
    kv_heads: int
    vocabulary: int
    head_size: int
    context: int
    base: float = 10000.0
    epsilon: float = 1e-5
    interleaved: bool = True  # rotary pairs are neighbours, as in GGUF


def read_weights(gguf):
    """Config and weights of a GGUF file of architecture `llama`."""
    of = lambda key: gguf.metadata[f"llama.{key}"]
    if gguf.metadata["general.architecture"] != "llama":
        raise ValueError(f"the architecture is llama, got {gguf.metadata['general.architecture']}")
    config = Config(of("block_count"), of("embedding_length"), of("feed_forward_length"), of("attention.head_count"),
                    of("attention.head_count_kv"), of("vocab_size"), of("rope.dimension_count"), of("context_length"),
                    of("rope.freq_base"), of("attention.layer_norm_rms_epsilon"))
    return config, {name: gguf.tensor(name) for name in gguf.tensors}


def random_weights(layers=2, seed=1, heads=4, kv_heads=2, embedding=4):
    """A small model of the same kind. A large `embedding` makes it say the same word again and again."""
    config = Config(layers, heads * 16, 96, heads, kv_heads, 256, 16, 128)
    generator = numpy.random.default_rng(seed)
    of = lambda *shape: (generator.standard_normal(shape) / numpy.sqrt(shape[-1])).astype(numpy.float32)
    weights = {"token_embd.weight": of(config.vocabulary, config.width) * numpy.float32(embedding), "output_norm.weight": numpy.ones(config.width, numpy.float32)}
    kv = config.kv_heads * config.head_size
    for i in range(layers):
        shapes = {"attn_q": (config.width, config.width), "attn_k": (kv, config.width), "attn_v": (kv, config.width),
                  "attn_output": (config.width, config.width), "ffn_gate": (config.inner, config.width),
                  "ffn_up": (config.inner, config.width), "ffn_down": (config.width, config.inner)}
        weights |= {f"blk.{i}.{name}.weight": of(*shape) for name, shape in shapes.items()}
        weights |= {f"blk.{i}.{name}.weight": numpy.ones(config.width, numpy.float32) for name in ("attn_norm", "ffn_norm")}
    return config, weights


class Graph:
    def __init__(self, config, weights, kind):
        self.config, self.weights, self.kind = config, weights, kind
        self.nodes, self.initializers, self.inputs, self.outputs = [], [], [], []

    def constant(self, name, value):
        self.initializers.append(numpy_helper.from_array(value, name))
        return name

    def node(self, op, inputs, name, outputs=1, **attributes):
        """The names of the results: one, or a list."""
        results = [name] if outputs == 1 else [f"{name}.{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, results, name=name, **attributes))
        return results[0] if outputs == 1 else results

    def weight(self, name):
        """A weight, transposed for MatMul; of a type narrower than f32 behind a Cast."""
        value = numpy.ascontiguousarray(self.weights[name].T)
        if self.kind == numpy.float32 or value.ndim == 1:
            return self.constant(name, value)
        return self.node("Cast", [self.constant(name, value.astype(self.kind))], name + ".f32", to=TensorProto.FLOAT)

    def value(self, name, kind, shape):
        return helper.make_tensor_value_info(name, kind, shape)


def build(config, weights, cache, kind=numpy.float32, capacity=0):
    """The ONNX model. `kind`: how matrices are kept. Input `tokens` [1, step], output `next` [1], and the caches."""
    g = Graph(config, weights, kind)
    g.inputs.append(g.value("tokens", TensorProto.INT64, [1, "step"]))
    g.outputs.append(g.value("next", TensorProto.INT64, [1]))
    half = config.head_size // 2
    angles = numpy.arange(config.context)[:, None] * config.base ** (-numpy.arange(half) / half)[None, :]
    g.constant("cos", numpy.cos(angles).astype(numpy.float32))
    g.constant("sin", numpy.sin(angles).astype(numpy.float32))
    g.constant("zero", numpy.int64(0))
    g.constant("one", numpy.int64(1))
    g.constant("first", numpy.array([0], numpy.int64))
    positions(g, cache, capacity)
    # Tied to the output, which takes it as it is: one copy of the table serves both.
    table = g.constant("token_embd.weight", weights["token_embd.weight"].astype(kind))
    x = g.node("Gather", [table, "tokens"], "embedding")
    if kind != numpy.float32:
        x = g.node("Cast", [x], "embedding.f32", to=TensorProto.FLOAT)
    for i in range(config.layers):
        x = layer(g, i, x, cache, capacity)
    x = g.node("Gather", [x, g.constant("last", numpy.int64(-1))], "last_token", axis=1)
    x = g.node("RMSNormalization", [x, g.weight("output_norm.weight")], "output_norm", axis=-1, epsilon=config.epsilon)
    if kind != numpy.float32:
        table = g.node("Cast", [table], "output.f32", to=TensorProto.FLOAT)
    logits = g.node("MatMul", [x, g.node("Transpose", [table], "output.transposed", perm=[1, 0])], "logits")
    g.nodes.append(helper.make_node("ArgMax", [logits], ["next"], name="next", axis=-1, keepdims=0))
    graph = helper.make_graph(g.nodes, "language_model", g.inputs, g.outputs, g.initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=11)


def positions(g, cache, capacity):
    """`positions` [1, step] of the new tokens and `mask` [step, total]: a token sees itself and those before."""
    g.node("Shape", ["tokens"], "tokens.shape")
    g.node("Gather", ["tokens.shape", "one"], "step", axis=0)
    if cache == "fixed":
        g.inputs.append(g.value("length", TensorProto.INT64, [1]))
        g.outputs.append(g.value("new_length", TensorProto.INT64, [1]))
        g.nodes.append(helper.make_node("Add", ["length", "step"], ["new_length"], name="new_length"))
        g.node("Range", ["zero", "step", "one"], "steps")
        g.node("Add", ["steps", "length"], "positions.1d")
        g.constant("total", numpy.int64(capacity))
    else:
        g.node("Shape", ["past.0.key"], "past.shape")
        g.node("Gather", ["past.shape", g.constant("two", numpy.int64(2))], "past.length", axis=0)
        g.node("Add", ["past.length", "step"], "total")
        g.node("Range", ["past.length", "total", "one"], "positions.1d")
    g.node("Unsqueeze", ["positions.1d", "first"], "positions")
    g.node("Range", ["zero", "total", "one"], "keys.1d")
    g.node("Unsqueeze", ["positions.1d", g.constant("inner", numpy.array([1], numpy.int64))], "queries.2d")
    g.node("Unsqueeze", ["keys.1d", "first"], "keys.2d")
    g.node("LessOrEqual", ["keys.2d", "queries.2d"], "mask")


def layer(g, i, x, cache, capacity):
    config = g.config
    of = lambda name: g.weight(f"blk.{i}.{name}.weight")
    name = lambda text: f"layer{i}.{text}"
    normal = g.node("RMSNormalization", [x, of("attn_norm")], name("attn_norm"), axis=-1, epsilon=config.epsilon)
    q, k, v = (g.node("MatMul", [normal, of(f"attn_{c}")], name(c)) for c in "qkv")
    rotate = lambda value, heads, text: g.node("RotaryEmbedding", [value, "cos", "sin", "positions"], name(text),
                                               num_heads=heads, interleaved=int(config.interleaved))
    q, k = rotate(q, config.heads, "q.rotated"), rotate(k, config.kv_heads, "k.rotated")
    attributes = {"q_num_heads": config.heads, "kv_num_heads": config.kv_heads}
    past, present = (f"past.{i}.{c}" for c in ("key", "value")), [f"present.{i}.{c}" for c in ("key", "value")]
    past = list(past)
    shape = lambda tokens: [1, config.kv_heads, tokens, config.head_size]
    for inward, outward in zip(past, present):
        g.inputs.append(g.value(inward, TensorProto.FLOAT, shape(capacity if cache == "fixed" else "past")))
        g.outputs.append(g.value(outward, TensorProto.FLOAT, shape(capacity if cache == "fixed" else "total")))
    if cache == "concat":
        y = name("attention")
        g.nodes.append(helper.make_node("Attention", [q, k, v, "mask", *past], [y, *present], name=y, **attributes))
    else:
        for value, inward, outward, heads in ((k, past[0], present[0], "k"), (v, past[1], present[1], "v")):
            g.node("Reshape", [value, g.constant(name(heads + ".shape"), numpy.array([1, -1, config.kv_heads, config.head_size]))], name(heads + ".split"))
            g.node("Transpose", [name(heads + ".split")], name(heads + ".heads"), perm=[0, 2, 1, 3])
            g.nodes.append(helper.make_node("TensorScatter", [inward, name(heads + ".heads"), "length"], [outward], name=outward, axis=2))
        g.node("Reshape", [q, g.constant(name("q.shape"), numpy.array([1, -1, config.heads, config.head_size]))], name("q.split"))
        g.node("Transpose", [name("q.split")], name("q.heads"), perm=[0, 2, 1, 3])
        g.node("Attention", [name("q.heads"), *present, "mask"], name("attention.heads"))
        g.node("Transpose", [name("attention.heads")], name("attention.split"), perm=[0, 2, 1, 3])
        y = g.node("Reshape", [name("attention.split"), g.constant(name("y.shape"), numpy.array([1, -1, config.width]))], name("attention"))
    x = g.node("Add", [x, g.node("MatMul", [y, of("attn_output")], name("attn_output"))], name("attn_residual"))
    normal = g.node("RMSNormalization", [x, of("ffn_norm")], name("ffn_norm"), axis=-1, epsilon=config.epsilon)
    gate = g.node("MatMul", [normal, of("ffn_gate")], name("gate"))
    gate = g.node("Mul", [gate, g.node("Sigmoid", [gate], name("gate.sigmoid"))], name("gate.silu"))
    inner = g.node("Mul", [gate, g.node("MatMul", [normal, of("ffn_up")], name("up"))], name("inner"))
    return g.node("Add", [x, g.node("MatMul", [inner, of("ffn_down")], name("down"))], name("ffn_residual"))


def input_of(output):
    """The input that takes in the next step what this output gives."""
    return {"new_length": "length"}.get(output, output.replace("present.", "past."))
