# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of ONNX Runtime's own ops that its processors refuse, beside a graph that says the same; ops on packed codes; and
what tf2onnx leaves. Each by the reference and compiled.
"""
import math
import pathlib
import tempfile
import unittest

import ml_dtypes
import numpy
import onnx
import onnxruntime

import tools
from small_cases import SEED

HELPER = onnx.helper
onnxruntime.set_default_logger_severity(3)


def generator():
    return numpy.random.default_rng(SEED)


def normal(*shape):
    return generator().normal(0, 1, shape).astype(numpy.float32)


def model_of(nodes, inputs, constants, free=(), opset=21, domain="com.microsoft"):
    """`inputs`: what the caller gives; the first dimension of those in `free` is free."""
    declared = [HELPER.make_tensor_value_info(name, HELPER.np_dtype_to_tensor_dtype(value.dtype),
                                              [f"{name}0" if d == 0 and name in free else size for d, size in enumerate(value.shape)])
                for name, value in inputs.items()]
    graph = HELPER.make_graph(nodes, "g", declared, [onnx.ValueInfoProto(name="y")],
                              [onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
    imports = [HELPER.make_opsetid("", opset), *([HELPER.make_opsetid(domain, 1)] if domain else [])]
    return HELPER.make_model(graph, ir_version=10, opset_imports=imports)


def node(op, inputs, outputs="y", domain="com.microsoft", **attributes):
    return HELPER.make_node(op, inputs.split(" "), outputs.split(" "), domain=domain, **attributes)


def run_onnxruntime(model, inputs):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]


class ContribTest(unittest.TestCase):
    def check(self, model, inputs, want=None, rtol=1e-5, atol=1e-5):
        """`want`: what is right, else what ONNX Runtime says."""
        want = run_onnxruntime(model, inputs) if want is None else want
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            onnx.save(model, folder / "m.onnx")
            flags = []
            for key, value in inputs.items():
                numpy.save(folder / f"{key}.npy", value)
                flags.append(f"--input={key}=@{folder}/{key}.npy")
            tools.run_beside(("heddle-reference", "--small", folder / "m.onnx", *flags, f"--output=y=@{folder}/reference.npy"),
                             ("heddle-compile", folder / "m.onnx", "-o", folder / "m.heddle"),
                             ("heddle-run", folder / "m.heddle", *flags, f"--output=y=@{folder}/compiled.npy"))
            for way in ("reference", "compiled"):
                got = numpy.load(folder / f"{way}.npy")
                self.assertEqual((got.shape, got.dtype), (want.shape, want.dtype), way)
                numpy.testing.assert_allclose(got.astype(numpy.float64), want.astype(numpy.float64), rtol=rtol, atol=atol, err_msg=way)

    #===--- Attention ---===#

    def packed(self, parts, heads=2, bias=False, mask=False, free=()):
        """MultiHeadAttention of operands in one tensor, beside one of operands apart."""
        batch, queries, keys, depth = 2, 5, (5 if parts == 3 else 7), 8
        whole = normal(batch, keys, heads, parts, depth)
        apart = [numpy.ascontiguousarray(whole[:, :, :, i].reshape(batch, keys, heads * depth)) for i in range(parts)]
        query = normal(batch, queries, heads * depth)
        inputs = {"p": whole} if parts == 3 else {"q": query, "p": whole}
        plain = dict(zip("qkv", apart if parts == 3 else [query, *apart]))
        extra = {**({"b": normal(3 * heads * depth)} if bias else {}), **({"m": numpy.array([3, keys], numpy.int32)} if mask else {})}
        tail = f" {'b' if bias else ''} {'m' if mask else ''}".rstrip()
        names = "p  " if parts == 3 else "q p "
        want = run_onnxruntime(model_of([node("MultiHeadAttention", "q k v" + tail, num_heads=heads)], plain, extra), plain)
        self.check(model_of([node("MultiHeadAttention", (names + tail).rstrip(), num_heads=heads)], inputs, extra, free), inputs, want)

    def test_packed_queries_keys_and_values(self):
        self.packed(3)
        self.packed(3, heads=3, bias=True, mask=True)
        self.packed(3, free=("p",))

    def test_packed_keys_and_values(self):
        self.packed(2)
        self.packed(2, heads=3, bias=True, mask=True)
        self.packed(2, free=("q", "p"))

    def test_mask_of_whole_matrices(self):
        """[batch, 1, most, most], of which the last rows before the last key count: beside [batch, queries, keys]."""
        mask = generator().integers(0, 2, (2, 1, 9, 9)).astype(numpy.int32)
        mask[..., 0] = 1  # of each row a key is seen: numbers near the filter value have few digits
        cases = {"": (4, 0), "past": (3, 2)}
        for label, (length, past) in cases.items():
            with self.subTest(label):
                inputs = {"x": normal(2, length, 8), **({"past": normal(2, 2, 2, past, 4)} if past else {})}
                constants = {"w": normal(8, 24), "b": normal(24)}
                part = numpy.ascontiguousarray(mask[:, 0, past:past + length, :past + length])
                make = lambda m: model_of([node("Attention", "x w b m" + " past" * bool(past), "y p" if past else "y", num_heads=2)],
                                          inputs, {**constants, "m": m})
                self.check(make(mask), inputs, run_onnxruntime(make(part), inputs))

    def test_grouped_heads_normalised(self):
        """q_norm_weight and k_norm_weight, beside a normalisation of the heads before."""
        inputs = {"q": normal(2, 6, 64), "k": normal(2, 6, 32), "v": normal(2, 6, 32)}
        constants = {"l": numpy.array([5, 5], numpy.int32), "t": numpy.array(6, numpy.int32), "g": normal(16), "h": normal(16) + 1,
                     "apart": numpy.array([2, 6, -1, 16]), "flat": numpy.array([2, 6, -1]), "c": normal(20, 8), "s": normal(20, 8)}
        attributes = {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1}
        before = []
        for name, weight in (("q", "g"), ("k", "h")):
            before += [node("Reshape", f"{name} apart", f"{name}1", ""),
                       node("SimplifiedLayerNormalization", f"{name}1 {weight}", f"{name}2", "", axis=-1, epsilon=1e-4),
                       node("Reshape", f"{name}2 flat", f"{name}3", "")]
        plain = model_of([*before, node("GroupQueryAttention", "q3 k3 v   l t c s", "y u w", **attributes)], inputs, constants)
        fused = model_of([node("GroupQueryAttention", "q k v   l t c s      g h", "y u w", qk_norm_epsilon=1e-4, **attributes)],
                         inputs, constants)
        self.check(fused, inputs, run_onnxruntime(plain, inputs))

    def test_grouped_queries_of_any_length(self):
        """As ONNX Runtime's builder writes it: all lengths are the call's, a cache may be longer than what is in it."""
        free = {"q": ["b", "s", 64], "k": ["b", "s", 32], "v": ["b", "s", 32], "pk": ["b", 2, "p", 16], "pv": ["b", 2, "p", 16],
                "l": ["b"], "t": [], "ab": ["b", 1, "s", "t"], "hs": [4]}
        for kind in (numpy.float32, numpy.float16):
            types = {name: numpy.int32 if name in "lt" else kind for name in free}
            attributes = {"num_heads": 4, "kv_num_heads": 2, "local_window_size": 5, "softcap": 4.0}
            graph = HELPER.make_graph(
                [node("GroupQueryAttention", "q k v pk pv l t    ab hs", "y nk nv", **attributes)], "g",
                [HELPER.make_tensor_value_info(name, HELPER.np_dtype_to_tensor_dtype(numpy.dtype(types[name])), dims) for name, dims in free.items()],
                [onnx.ValueInfoProto(name="y")])
            imports = [HELPER.make_opsetid("", 21), HELPER.make_opsetid("com.microsoft", 1)]
            model = HELPER.make_model(graph, ir_version=10, opset_imports=imports)
            for batch, new, past, total, lasts in ((2, 6, 0, 6, (5, 5)), (2, 1, 9, 6, (5, 3)), (1, 3, 5, 8, (7,)), (1, 3, 9, 8, (7,))):
                sizes = {"b": batch, "s": new, "p": past, "t": total}
                random = generator()
                inputs = {name: random.normal(0, 1, [sizes.get(d, d) for d in dims]).astype(kind) for name, dims in free.items()}
                inputs |= {"l": numpy.array(lasts, numpy.int32), "t": numpy.array(total, numpy.int32)}
                with self.subTest(kind=kind.__name__, new=new, past=past):
                    tolerance = 1e-5 if kind is numpy.float32 else 2e-3
                    self.check(model, inputs, rtol=tolerance, atol=tolerance)

    def quantised(self, kind, weight_kind, columns, past=False, mask=None, **attributes):
        low, high = numpy.iinfo(weight_kind).min, numpy.iinfo(weight_kind).max
        inputs = {"x": generator().integers(numpy.iinfo(kind).min, numpy.iinfo(kind).max, (2, 5, 12), kind, endpoint=True)}
        parameters = (24,) if columns else ()
        constants = {"w": generator().integers(low, high, (12, 24), weight_kind, endpoint=True), "b": normal(24),
                     "s": numpy.array(0.01, numpy.float32), "ws": generator().uniform(0.001, 0.01, parameters).astype(numpy.float32),
                     "z": numpy.array(7, kind), "wz": generator().integers(0, 9, parameters).astype(weight_kind)}
        if mask:
            constants["m"] = numpy.array(mask, numpy.int32)
        names = f"x w b s ws {'m' if mask else ''} z wz"
        if past:
            inputs["past"] = normal(2, 2, 2, 3, 4)
            names += " past"
        self.check(model_of([node("QAttention", names, "y p", num_heads=2, **attributes)], inputs, constants), inputs)

    def test_quantised_projection(self):
        self.quantised(numpy.uint8, numpy.int8, False)
        self.quantised(numpy.uint8, numpy.uint8, True, mask=(3, 5))
        self.quantised(numpy.uint8, numpy.int8, True, mask=(3, 5, 1, 0))
        self.quantised(numpy.uint8, numpy.int8, False, past=True, unidirectional=1)

    #===--- Tables of blocks ---===#

    def table(self, kind, shape, scales, indices=((0, 5), (-1, 3)), zero=True, bits=None, scale_kind=numpy.float32, free=(), **attributes):
        packs = {4: 2, 2: 4}.get(bits, 1)
        stored = (*shape[:-1], -(-shape[-1] // packs))
        if kind in (ml_dtypes.int4, ml_dtypes.uint4):
            codes = generator().integers(-8 if kind is ml_dtypes.int4 else 0, 8, stored).astype(kind)
        elif kind is numpy.uint8:
            codes = generator().integers(0, 256, stored).astype(kind)
        else:
            codes = normal(*stored).astype(kind)
        constants = {"t": codes, "s": normal(*scales).astype(scale_kind)}
        names = "t i s"
        if zero:
            held = (*scales[:-1], -(-scales[-1] // packs))
            high = 8 if kind in (ml_dtypes.int4, ml_dtypes.uint4) else 256
            constants["z"] = generator().integers(0, high, held).astype(kind)
            names += " z"
        inputs = {"i": numpy.array(indices, numpy.int64)}
        tolerance = 1e-5 if scale_kind is numpy.float32 else 2e-3
        given = {**attributes, **({"bits": bits} if bits else {})}
        self.check(model_of([node("GatherBlockQuantized", names, **given)], inputs, constants, free), inputs, rtol=tolerance)

    def test_gather_nibbles(self):
        for kind in (ml_dtypes.int4, ml_dtypes.uint4):
            for zero in (False, True):
                self.table(kind, (6, 64), (6, 4), zero=zero, block_size=16)
        self.table(ml_dtypes.int4, (6, 128), (6, 1), zero=False)  # the attributes' defaults
        self.table(ml_dtypes.int4, (6, 40), (6, 3), block_size=16)  # a part of a block
        self.table(ml_dtypes.int4, (6, 33), (6, 3), block_size=16)  # no whole bytes
        self.table(ml_dtypes.uint4, (6, 64), (6, 4), block_size=16, scale_kind=numpy.float16)

    def test_gather_along_axes(self):
        for axis in (0, 1, 2, -1):
            self.table(ml_dtypes.int4, (3, 32, 6), (3, 2, 6), block_size=16, indices=((0, 2), (-1, 1)), gather_axis=axis)
        self.table(ml_dtypes.uint4, (32, 5), (1, 5), indices=4, block_size=32, quantize_axis=0, gather_axis=1)

    def test_gather_bytes(self):
        for bits in (2, 4, 8):
            for zero in (False, True):
                self.table(numpy.uint8, (6, 96), (6, 3), zero=zero, bits=bits, block_size=32)
        self.table(numpy.uint8, (6, 3, 32), (6, 3, 2), bits=4, block_size=16, quantize_axis=-1)
        self.table(numpy.uint8, (6, 96), (6, 3), bits=4, block_size=32, free=("i",))

    def test_gather_bytes_of_blocks_across(self):
        """Packed along the last axis, quantised along another: ONNX Runtime's own check does not know it."""
        packed, scales = generator().integers(0, 256, (6, 32, 2)).astype(numpy.uint8), normal(6, 2, 4)
        codes = numpy.stack([packed & 15, packed >> 4], -1).reshape(6, 32, 4).astype(numpy.float32)
        inputs = {"i": numpy.array([5, -2, 0], numpy.int32)}
        model = model_of([node("GatherBlockQuantized", "t i s", block_size=16, quantize_axis=1)], inputs, {"t": packed, "s": scales})
        self.check(model, inputs, ((codes - 8) * numpy.repeat(scales, 16, 1))[inputs["i"]])

    def test_gather_small_floats(self):
        self.table(ml_dtypes.float8_e4m3fn, (6, 64), (6, 4), zero=False, block_size=16)
        self.table(ml_dtypes.float8_e5m2, (6, 64), (6, 1), zero=False, block_size=0)
        self.table(ml_dtypes.float8_e4m3fn, (6, 64), (1, 1), zero=False, block_size=0)

    def test_gather_beside_the_table(self):
        """An index out of range gives zeros, unlike Gather's."""
        self.table(ml_dtypes.int4, (6, 64), (6, 4), block_size=16, indices=((0, 6), (-7, 2**40)))
        self.table(numpy.uint8, (6, 64), (6, 4), block_size=16, bits=4, indices=(6, -1, -2**40))

    #===--- Images ---===#

    def test_shrunk_image(self):
        """Bytes with antialias: what ONNX Runtime makes of floats, rounded once. Of bytes it rounds, and cuts a cubic's
        overshoot off, after each axis: a step apart where nothing overshoots."""
        image = generator().integers(0, 256, (1, 3, 23, 31)).astype(numpy.uint8)
        for mode in ("linear", "cubic"):
            with self.subTest(mode):
                scales = {"s": numpy.array([1, 1, 0.43, 0.61], numpy.float32)}
                make = lambda x: model_of([node("Resize", "x  s", domain="", mode=mode, antialias=1)], {"x": x}, scales, domain=None)
                floats = image.astype(numpy.float32)
                want = numpy.rint(run_onnxruntime(make(floats), {"x": floats})).clip(0, 255).astype(numpy.uint8)
                self.check(make(image), {"x": image}, want, rtol=0, atol=1)  # 1: ties
                if mode == "linear":
                    self.check(make(image), {"x": image}, rtol=0, atol=1)

    #===--- What tf2onnx leaves ---===#

    def test_erfc(self):
        x = numpy.concatenate([numpy.linspace(-6, 13, 777), [0.0, -0.0, 1e-30, 30.0, -30.0, numpy.inf, -numpy.inf]])
        for domain in ("", "ai.onnx.converters.tensorflow"):
            for kind in (numpy.float32, numpy.float64):
                with self.subTest(domain=domain, kind=kind.__name__):
                    given = x.astype(kind)
                    want = numpy.array([math.erfc(value) for value in given.astype(numpy.float64)])
                    least = numpy.finfo(kind).tiny  # what is below it may be 0
                    model = model_of([node("Erfc", "x", domain=domain)], {"x": given}, {}, domain=domain or None)
                    self.check(model, {"x": given}, want.astype(kind), rtol=5e-6 if kind is numpy.float32 else 1e-13, atol=least)


if __name__ == "__main__":
    unittest.main()
