# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GroupQueryAttention whose caches stay where they are, as state or donated: beside ONNX Runtime, which gets them as arguments."""
import json
import unittest

import numpy
import onnx.parser
import onnxruntime
import support
from runtime import Failure, Program, State
from support import heddle

SEED = 20261128
HEADS, SHARED, DEPTH, CAPACITY = 4, 2, 16, 64
MODEL = """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
main ({0}[{1},n,64] q, {0}[{1},n,32] k, {0}[{1},n,32] v, {0}[{1},2,past,16] pk, {0}[{1},2,past,16] pv, int32[{1}] l, int32 t,
      {0}[80,8] c, {0}[80,8] s) => ({0}[{1},n,64] y, {0}[{1},2,total,16] nk, {0}[{1},2,total,16] nv) {{
  y, nk, nv = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2, do_rotary = 1{2}> (q, k, v, pk, pv, l, t, c, s)
}}"""
STATE = ("--state=p*=n*", f"--dim=past={CAPACITY}")
TOLERANCE = {numpy.float32: 1e-5, numpy.float16: 3e-3}


class KeyCaches(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def model(self, kind=numpy.float32, batch=1, attributes=""):
        model = onnx.parser.parse_model(MODEL.format({numpy.float32: "float", numpy.float16: "float16"}[kind], batch, attributes))
        path = self.folder / "m.onnx"
        onnx.save(model, path)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        return path, onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def compile(self, path, *flags):
        artifact = self.folder / "m.heddle"
        result = heddle("compile", path, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def draw(self, kind, *shape):
        return self.random.standard_normal(shape, numpy.float32).astype(kind)

    def step(self, kind, lengths, new):
        """Arguments of a call after which batches have `lengths` rows, `new` of them from it; but for the caches."""
        batch = len(lengths)
        rows = {name: self.draw(kind, batch, new, heads * DEPTH) for name, heads in (("q", HEADS), ("k", SHARED), ("v", SHARED))}
        angles = numpy.arange(80)[:, None] / 10 ** numpy.linspace(0, 3, DEPTH // 2)
        return rows | {"l": numpy.array(lengths, numpy.int32) - 1, "t": numpy.array(max(lengths), numpy.int32),
                       "c": numpy.cos(angles).astype(kind), "s": numpy.sin(angles).astype(kind)}

    def check_state(self, kind, steps, attributes=""):
        """`steps`: lengths after each call, and its rows. Each call writes the new rows, and copies no more than them."""
        path, session = self.model(kind, len(steps[0][0]), attributes)
        artifact = self.compile(path, *STATE)
        held = json.loads(heddle("inspect", artifact, "--json").stdout)["entry_points"][0]["state"]
        self.assertEqual([True, True], [state["in_place"] for state in held])
        program = Program(artifact)
        self.addCleanup(program.close)
        caches = {name: numpy.zeros((len(steps[0][0]), SHARED, 0, DEPTH), kind) for name in ("pk", "pv")}
        for lengths, new in steps:
            given = self.step(kind, lengths, new)
            want, caches["pk"], caches["pv"] = session.run(None, given | caches)
            got, = program(None, *given.values())
            for batch, length in enumerate(lengths):  # rows of padding are anything
                seen = min(new, length)
                numpy.testing.assert_allclose(got[batch, :seen].astype(numpy.float32), want[batch, :seen].astype(numpy.float32),
                                              atol=TOLERANCE[kind], rtol=TOLERANCE[kind], err_msg=f"seed {SEED}, lengths {lengths}")
            size = 2 * len(lengths) * SHARED * new * DEPTH * numpy.dtype(kind).itemsize
            self.assertLessEqual(program.statistics(None).copied_bytes, size)
        return program

    def test_a_step_writes_its_rows(self):
        for kind in TOLERANCE:
            with self.subTest(kind.__name__):
                self.check_state(kind, [((5,), 5), ((6,), 1), ((7,), 1), ((16,), 9), ((17,), 1)])

    def test_batches_of_several_lengths(self):
        self.check_state(numpy.float32, [((5, 3), 5), ((6, 4), 1), ((7, 5), 1)], ", local_window_size = 4, softcap = 5.0")

    def test_more_batches_than_slices(self):
        lengths = numpy.arange(1, 21)
        path, session = self.model(batch=20)
        program = Program(self.compile(path, *STATE))
        self.addCleanup(program.close)
        caches = {name: numpy.zeros((20, SHARED, 0, DEPTH), numpy.float32) for name in ("pk", "pv")}
        for given in (self.step(numpy.float32, lengths, 20), self.step(numpy.float32, lengths + 1, 1)):
            want, caches["pk"], caches["pv"] = session.run(None, given | caches)
            got, = program(None, *given.values())
        numpy.testing.assert_allclose(got, want, atol=1e-5, rtol=1e-5)

    def test_more_rows_than_the_cache_has(self):
        program = self.check_state(numpy.float32, [((60,), 60)])
        given = self.step(numpy.float32, (64,), 4)
        for late in ({"l": numpy.array([64], numpy.int32), "t": numpy.array(65, numpy.int32)}, {"l": numpy.array([64], numpy.int32)}):
            with self.assertRaises(Failure) as failure:
                program(None, *(given | late).values())
            self.assertIn("GroupQueryAttention", str(failure.exception))
            State(program, own=False).reset()

    def test_donated_caches(self):
        """The rest of a donated cache stays as it was; its length may be free."""
        path, session = self.model()
        past = {name: self.draw(numpy.float32, 1, SHARED, 9, DEPTH) for name in ("pk", "pv")}
        given = self.step(numpy.float32, (7,), 2)
        want = session.run(None, given | {name: rows[:, :, :5] for name, rows in past.items()})
        for flags in ((), ("--dim=past=9",)):
            artifact = self.compile(path, "--donate=pk=nk", "--donate=pv=nv", *flags)
            inputs, outputs = [], []
            for name, array in (given | past).items():
                numpy.save(self.folder / f"{name}.npy", array)
                inputs.append(f"--input={name}=@{self.folder}/{name}.npy")
            outputs = [f"--output={name}=@{self.folder}/{name}.npy" for name in ("y", "nk", "nv")]
            result = heddle("run", artifact, *inputs, *outputs)
            self.assertEqual(0, result.returncode, result.stderr)
            got = [numpy.load(self.folder / f"{name}.npy") for name in ("y", "nk", "nv")]
            numpy.testing.assert_allclose(got[0], want[0], atol=1e-5, rtol=1e-5)
            for new, old, wanted in zip(got[1:], past.values(), want[1:]):
                numpy.testing.assert_allclose(new[:, :, :7], wanted, atol=1e-6)
                numpy.testing.assert_array_equal(new[:, :, 7:], old[:, :, 7:])


if __name__ == "__main__":
    unittest.main()
