# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of few queries over a long cache: in parts along its positions, beside ONNX Runtime and exact arithmetic."""
import json
import unittest

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from support import ToolTest

SEED = 20261127
FORMS = ("turned", "given", "rows first", "op")  # how keys come: [.., L, d], [.., d, L], [L, .., d]; ONNX's own op


def value(name, array):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)


def model(nodes, inputs, constants=(), opset=23, free=()):
    """`free`: names of inputs and the dimension of theirs that has no size."""
    infos = [value(name, array) for name, array in inputs.items()]
    for info in infos:
        for name, dim in free:
            if info.name == name:
                info.type.tensor_type.shape.dim[dim].dim_param = "positions"
    graph = helper.make_graph(nodes, "g", infos, [helper.make_empty_tensor_value_info("y")],
                              [numpy_helper.from_array(array, name) for name, array in dict(constants).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def plain(form, queries, keys, values, mask=None, free=False):
    """MatMul, Add, Softmax, MatMul of [heads, rows, d], [heads, L, d]; the inputs that the form has."""
    kind, node = queries.dtype, helper.make_node
    nodes, given = [node("Mul", ["q", "c"], ["s"])], {"q": queries}
    if form == "given":
        given["k"] = numpy.ascontiguousarray(keys.transpose(0, 2, 1))
    elif form == "turned":
        given["k"] = keys
        nodes.append(node("Transpose", ["k"], ["t"], perm=[0, 2, 1]))
    else:
        given["k"], given["v"] = (numpy.ascontiguousarray(x.transpose(1, 0, 2)) for x in (keys, values))
        nodes += [node("Transpose", ["k"], ["t"], perm=[1, 2, 0]), node("Transpose", ["v"], ["w"], perm=[1, 0, 2])]
    given.setdefault("v", values)
    nodes.append(node("MatMul", ["s", "k" if form == "given" else "t"], ["scores"]))
    if mask is not None:
        given["m"] = mask
        nodes.append(node("Add", ["scores", "m"], ["masked"]))
    nodes += [node("Softmax", ["scores" if mask is None else "masked"], ["p"], axis=-1),
              node("MatMul", ["p", "w" if form == "rows first" else "v"], ["y"])]
    dims = [("k", {"given": 2, "turned": 1, "rows first": 0}[form]), ("v", 0 if form == "rows first" else 1), ("m", 2)]
    return model(nodes, given, {"c": numpy.array(queries.shape[-1] ** -0.5, kind)}, free=dims if free else ()), given


def attention(queries, keys, values, mask=None, attributes=None):
    """ONNX's Attention of [1, heads, rows, d] and [1, shared heads, L, d]."""
    given = {"q": queries[None], "k": keys[None], "v": values[None]} | ({} if mask is None else {"m": mask})
    return model([helper.make_node("Attention", list(given), ["y"], **(attributes or {}))], given), given


def exact(queries, keys, values, mask=None):
    q, k, v = (x.astype(numpy.float64) for x in (queries, keys, values))
    k, v = (numpy.repeat(x, len(q) // len(x), axis=0) for x in (k, v))
    scores = q @ k.transpose(0, 2, 1) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = numpy.where(mask, scores, -numpy.inf) if mask.dtype == bool else scores + mask
    with numpy.errstate(invalid="ignore"):
        power = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        return power @ v / power.sum(axis=-1, keepdims=True)


class SplitAttention(ToolTest):
    SEED = SEED

    def compile(self, made, *flags):
        onnx.save(made, self.folder / "m.onnx")
        self.tool("compile", self.folder / "m.onnx", "-o", self.folder / "m.heddle", *flags)
        return self.folder / "m.heddle"

    def run_on(self, device, artifact, given):
        inputs = []
        for name, array in given.items():
            numpy.save(self.folder / f"{name}.npy", array)
            inputs.append(f"--input={name}=@{self.folder}/{name}.npy")
        self.tool("run", artifact, f"--device={device}", *inputs, f"--output=@{self.folder}/o.npy")
        return numpy.load(self.folder / "o.npy")

    def runtime(self, made, given):
        session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
        return session.run(None, given)[0]

    def dispatches(self, artifact, device="local://0-1"):
        bound = json.loads(self.tool("inspect", artifact, "--json", "--bound", f"--device={device}").stdout)
        return [entry["name"] for entry in bound["host"] if entry["op"] == "dispatch"]

    def draw(self, heads, shared, rows, length, depth, kind=numpy.float32):
        def normal(*shape):
            return self.random.standard_normal(shape, dtype=numpy.float32).astype(kind)
        return normal(heads, rows, depth), normal(shared, length, depth), normal(shared, length, depth)

    def test_random_shapes(self):
        for number in range(12):
            heads, rows, depth = (int(self.random.choice(x)) for x in ((1, 2, 3), (1, 1, 2, 5), (16, 40, 64)))
            group, length = int(self.random.choice((1, 1, 3))), int(self.random.integers(5000, 20000))
            form, kind = FORMS[number % 4], (numpy.float32, numpy.float16)[int(self.random.integers(2)) * (number % 4 != 3)]
            group = group if form == "op" else 1
            length = max(length, 2**19 // (heads * rows * depth))  # two parts are worth it
            operands = self.draw(heads * group, heads, rows, length, depth, kind)
            mask = None
            if self.random.integers(2):
                seen = self.random.random((1, rows, length)) < 0.5
                seen[..., : length // 2] &= self.random.integers(2) == 0  # whole parts that nobody sees
                seen[..., -1] = True
                mask = seen[None] if form == "op" else numpy.where(seen, 0, -numpy.inf).astype(kind)
            with self.subTest(seed=SEED, number=number, form=form, shape=(heads, group, rows, length, depth), kind=kind.__name__,
                              masked=mask is not None):
                made, given = attention(*operands, mask) if form == "op" else plain(form, *operands, mask)
                artifact = self.compile(made, "--reproducible")
                names = self.dispatches(artifact)
                self.assertEqual(sum("parts" in name for name in names), 1, names)
                self.assertFalse(any("transpose" in name for name in names), names)
                want = exact(*operands, mask[0] if form == "op" and mask is not None else mask)
                got = self.run_on("local://0-1", artifact, given).astype(numpy.float64).reshape(want.shape)
                limit = 3e-6 if kind == numpy.float32 else 3e-3
                self.assertLessEqual(numpy.abs(got - want).max(), limit * max(1, numpy.abs(want).max()))
                other = self.runtime(made, given).astype(numpy.float64).reshape(want.shape)
                self.assertLessEqual(numpy.abs(got - other).max(), 2 * limit * max(1, numpy.abs(want).max()))

    def test_causal_windows_and_groups(self):
        for rows, shared in ((1, 2), (4, 1)):
            operands = self.draw(4, shared, rows, 9000, 32)
            made, given = attention(*operands, attributes={"is_causal": 1})
            with self.subTest(rows=rows):
                artifact = self.compile(made, "--reproducible")
                got = self.run_on("local://0-1", artifact, given)
                numpy.testing.assert_allclose(got, self.runtime(made, given), atol=3e-6)

    def test_by_itself_on_two_cores(self):
        made, given = plain("turned", *self.draw(1, 1, 1, 65536, 128))
        artifact = self.compile(made)
        two, one = self.dispatches(artifact), self.dispatches(artifact, "local://0")
        self.assertEqual([name.split("_")[0] for name in two], ["elementwise", "parts", "reduction"])
        self.assertFalse(any("parts" in name for name in one), one)
        for device in ("local://0", "local://0-1"):
            numpy.testing.assert_allclose(self.run_on(device, artifact, given), exact(*(given[x] for x in "qkv")), atol=3e-6)
        text = self.tool("explain", artifact).stdout
        self.assertIn("split into parts along its positions: 2 for each of the device's units", text)
        self.assertIn("merges the parts by their peaks and sums", text)

    def test_any_number_of_positions(self):
        for form in FORMS[:3]:
            made, _ = plain(form, *self.draw(2, 2, 1, 8, 64), numpy.zeros((1, 1, 8), numpy.float32), free=True)
            artifact = self.compile(made)
            for length in (0, 1, 2, 7, 4099, 4111, 30000):
                operands = self.draw(2, 2, 1, length, 64)
                mask = numpy.where(numpy.arange(length) < length - 1, 0, -numpy.inf).astype(numpy.float32)[None, None]
                _, given = plain(form, *operands, mask)
                for device in ("local://0", "local://0-1"):
                    with self.subTest(form=form, length=length, device=device):
                        got = self.run_on(device, artifact, given)
                        want = exact(*operands, mask) if length else numpy.zeros_like(got)
                        numpy.testing.assert_allclose(got, want, atol=3e-6)

    def test_what_no_query_sees_and_what_is_no_number(self):
        queries, keys, values = self.draw(2, 2, 3, 6000, 16)
        mask = numpy.zeros((2, 3, 6000), numpy.float32)
        mask[0, 0] = -numpy.inf  # nothing seen: not a number, as ONNX Runtime says
        mask[0, 1, :5990] = -numpy.inf
        mask[1, 0, 4000] = numpy.nan
        mask[1, 1, 17] = numpy.inf
        for form in FORMS[:2]:
            made, given = plain(form, queries, keys, values, mask)
            got = self.run_on("local://0-1", self.compile(made, "--reproducible"), given)
            numpy.testing.assert_allclose(got, self.runtime(made, given), atol=3e-6)
        values[0, 5] = numpy.inf
        made, given = plain("turned", queries, keys, values)
        got = self.run_on("local://0-1", self.compile(made, "--reproducible"), given)
        numpy.testing.assert_allclose(got, exact(queries, keys, values), atol=3e-6)
        seen = mask[:1] == 0  # ONNX's op: a query that sees nothing gets zeros
        made, given = attention(queries, keys, self.draw(2, 2, 3, 6000, 16)[2], seen[None])
        got = self.run_on("local://0-1", self.compile(made, "--reproducible"), given)
        self.assertTrue((got[0, :, 0] == 0).all())
        numpy.testing.assert_allclose(got, self.runtime(made, given), atol=3e-6)

    def test_the_same_bits_every_time(self):
        made, given = attention(*self.draw(2, 2, 1, 20000, 64))
        artifact = self.compile(made, "--reproducible")
        first = self.run_on("local://0-1", artifact, given)
        for device in ("local://0", "local://0-1"):
            self.assertEqual(self.run_on(device, artifact, given).tobytes(), first.tobytes())

    def test_one_row_of_softmax(self):
        row = self.random.standard_normal((1, 151936), dtype=numpy.float32)
        made = model([helper.make_node("Softmax", ["x"], ["y"], axis=-1)], {"x": row})
        artifact = self.compile(made)
        self.assertEqual(len(self.dispatches(artifact, "local://0")), 1)
        for device in ("local://0", "local://0-1"):
            numpy.testing.assert_allclose(self.run_on(device, artifact, {"x": row}), self.runtime(made, {"x": row}), rtol=1e-5)
        text = self.tool("explain", self.compile(made, "--target-device=vulkan")).stdout
        self.assertIn("parts", text)


if __name__ == "__main__":
    unittest.main()
