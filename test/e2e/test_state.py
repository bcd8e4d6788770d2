# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that keep values between calls: MLIR globals, ONNX inputs held as outputs, caches, donated arguments."""
import unittest

import numpy
import onnx.parser
import support
from runtime import Failure, Program, State
from support import heddle

COUNTER = """
ml_program.global private mutable @count(dense<40> : tensor<i64>) : tensor<i64>
func.func @add(%x: tensor<i64>) -> tensor<i64> {
  %old = ml_program.global_load @count : tensor<i64>
  %empty = tensor.empty() : tensor<i64>
  %new = linalg.add ins(%old, %x : tensor<i64>, tensor<i64>) outs(%empty : tensor<i64>) -> tensor<i64>
  ml_program.global_store @count = %new : tensor<i64>
  return %new : tensor<i64>
}
func.func @get() -> tensor<i64> {
  %old = ml_program.global_load @count : tensor<i64>
  return %old : tensor<i64>
}
func.func @set(%x: tensor<i64>) {
  ml_program.global_store @count = %x : tensor<i64>
  return
}
"""

GROWING = """<ir_version: 10, opset_import: ["" : 20]>
main (float[1,n,4] x, float[1,past,4] past_x) => (float[1,4] sum, float[1,total,4] present_x) {
  present_x = Concat<axis = 1>(past_x, x)
  axes = Constant<value_ints = [1]>()
  sum = ReduceSum<keepdims = 0>(present_x, axes)
}"""

CACHE = """<ir_version: 11, opset_import: ["" : 24]>
main (float[1,2,n,4] x, float[1,2,64,4] cache, int64[1] length) => (float[1,2,4] sum, float[1,2,64,4] new_cache, int64[1] new_length) {
  new_cache = TensorScatter<axis = 2>(cache, x, length)
  axes = Constant<value_ints = [2]>()
  sum = ReduceSum<keepdims = 0>(new_cache, axes)
  shape = Shape<start = 2, end = 3>(x)
  new_length = Add(length, shape)
}"""


class StateTest(support.EndToEnd):
    def compile(self, text, *flags, name="model"):
        source, target = self.folder / f"{name}.mlir", self.folder / f"{name}.heddle"
        if text.startswith("<"):
            source = source.with_suffix(".onnx")
            onnx.save(onnx.parser.parse_model(text), source)
        else:
            source.write_text(text)
        result = heddle("compile", source, "-o", target, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return target

    def load(self, *arguments, **keywords):
        program = Program(self.compile(*arguments, **keywords))
        self.addCleanup(program.close)
        return program

    def test_a_counter_of_several_entry_points(self):
        program = self.load(COUNTER)
        self.assertEqual([42, 45], [int(program("add", numpy.int64(x))[0]) for x in (2, 3)])
        self.assertEqual(45, int(program("get")[0]))
        program("set", numpy.int64(-1))
        self.assertEqual(-1, int(program("get")[0]))
        State(program, own=False).reset()
        self.assertEqual(40, int(program("get")[0]))

    # An entry point that only loads writes no memory of the state, though nothing else reads the old value.
    def test_what_is_only_loaded_keeps_its_value(self):
        program = self.load("""
ml_program.global private mutable @rows(dense<0> : tensor<4x2xi64>) : tensor<4x2xi64>
func.func @store(%row: tensor<1x2xi64>) {
  %old = ml_program.global_load @rows : tensor<4x2xi64>
  %new = tensor.insert_slice %row into %old[1, 0] [1, 2] [1, 1] : tensor<1x2xi64> into tensor<4x2xi64>
  ml_program.global_store @rows = %new : tensor<4x2xi64>
  return
}
func.func @peek(%row: tensor<1x2xi64>) -> tensor<4x2xi64> {
  %old = ml_program.global_load @rows : tensor<4x2xi64>
  %new = tensor.insert_slice %row into %old[2, 0] [1, 2] [1, 1] : tensor<1x2xi64> into tensor<4x2xi64>
  return %new : tensor<4x2xi64>
}
func.func @get() -> tensor<4x2xi64> {
  %old = ml_program.global_load @rows : tensor<4x2xi64>
  return %old : tensor<4x2xi64>
}""")
        program("store", numpy.full((1, 2), 5))
        self.assertEqual(16, program.statistics("store").copied_bytes)  # in place
        self.assertEqual([0, 10, 14, 0], program("peek", numpy.full((1, 2), 7))[0].sum(axis=1).tolist())
        self.assertEqual([0, 10, 0, 0], program("get")[0].sum(axis=1).tolist())

    # Doubles the global until it is 100 or more.
    def test_stores_in_a_loop_that_ends_by_its_values(self):
        program = self.load("""
ml_program.global private mutable @n(dense<3> : tensor<i64>) : tensor<i64>
func.func @main() -> tensor<i64> {
  %limit = arith.constant 100 : i64
  scf.while : () -> () {
    %value = ml_program.global_load @n : tensor<i64>
    %element = tensor.extract %value[] : tensor<i64>
    %more = arith.cmpi slt, %element, %limit : i64
    scf.condition(%more)
  } do {
    %old = ml_program.global_load @n : tensor<i64>
    %empty = tensor.empty() : tensor<i64>
    %new = linalg.add ins(%old, %old : tensor<i64>, tensor<i64>) outs(%empty : tensor<i64>) -> tensor<i64>
    ml_program.global_store @n = %new : tensor<i64>
    scf.yield
  }
  %last = ml_program.global_load @n : tensor<i64>
  return %last : tensor<i64>
}
func.func @set(%x: tensor<i64>) {
  ml_program.global_store @n = %x : tensor<i64>
  return
}""")
        self.assertEqual([192, 192], [int(program("main")[0]) for _ in range(2)])
        program("set", numpy.int64(7))
        self.assertEqual(112, int(program("main")[0]))

    def test_independent_states(self):
        program = self.load(COUNTER)
        other = State(program)
        program("add", numpy.int64(5))
        program.use("add", other)
        self.assertEqual(41, int(program("add", numpy.int64(1))[0]))
        program.use("add", None)
        self.assertEqual(46, int(program("add", numpy.int64(1))[0]))
        other.close()

    def test_run_calls_an_entry_point_by_name(self):
        artifact = self.compile(COUNTER)
        result = heddle("run", artifact, "--function=add", "--input=i64=2")
        self.assertEqual((0, "result 'result0': i64=42\n"), (result.returncode, result.stdout), result.stderr)
        result = heddle("run", artifact, "--function=ad", "--input=i64=2")
        self.assertEqual(2, result.returncode)
        self.assertIn("did you mean 'add'?", result.stderr)

    def test_the_reference_takes_state_as_arguments(self):
        source = self.folder / "growing.onnx"
        onnx.save(onnx.parser.parse_model(GROWING), source)
        result = heddle("check", source, "--dim=past=3", "--dim=n=2")
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_a_cache_that_grows(self):
        program = self.load(GROWING, "--state=past_*=present_*")
        rows = numpy.random.default_rng(1).standard_normal((1, 40, 4)).astype(numpy.float32)
        at = 0
        for step in (1, 5, 1, 1, 32):
            total, = program(None, rows[:, at:at + step])
            at += step
            numpy.testing.assert_allclose(total, rows[:, :at].sum(axis=1), atol=1e-5)

    # Fixed capacity: only the new rows are copied, wherever they go; the sum reads what lies there.
    def test_a_cache_written_in_place(self):
        program = self.load(CACHE, "--state=cache=new_cache", "--state=length=new_length")
        rows = numpy.random.default_rng(2).standard_normal((1, 2, 64, 4)).astype(numpy.float32)
        at = 0
        for step in (3, 1, 1, 20, 1):
            total, = program(None, rows[:, :, at:at + step])
            at += step
            numpy.testing.assert_allclose(total, rows[:, :, :at].sum(axis=2), atol=1e-5)
            self.assertEqual(2 * step * 4 * 4, program.statistics(None).copied_bytes)
        with self.assertRaises(Failure) as failure:
            program(None, rows)  # 26 + 64 rows
        self.assertIn("TensorScatter", str(failure.exception))
        with self.assertRaises(Failure) as failure:
            program(None, rows[:, :, :1])
        self.assertEqual(13, failure.exception.code)  # torn
        State(program, own=False).reset()
        total, = program(None, rows)
        numpy.testing.assert_allclose(total, rows.sum(axis=2), atol=1e-5)

    def test_models_in_one_artifact_share_globals(self):
        first = self.folder / "first.onnx"
        onnx.save(onnx.parser.parse_model(CACHE.replace("main", "start")), first)
        artifact = self.compile(CACHE, f"--with={first}", "--state=cache=new_cache", "--state=length=new_length", name="next")
        program = Program(artifact)
        self.addCleanup(program.close)
        rows = numpy.ones((1, 2, 3, 4), numpy.float32)
        self.assertEqual(3, program("first", rows)[0][0, 0, 0])
        self.assertEqual(6, program("next", rows)[0][0, 0, 0])

    def test_donated(self):
        artifact = self.compile("""<ir_version: 10, opset_import: ["" : 20]>
main (float[4] x, float[4] d) => (float[4] y) { y = Add(x, d) }""", "--donate=d")
        result = heddle("run", artifact, "--input=4xf32=1,2,3,4", "--input=4xf32=10,20,30,40")
        self.assertEqual((0, "result 'y': 4xf32=[11 22 33 44]\n"), (result.returncode, result.stdout), result.stderr)

    def test_flags_that_fit_nothing(self):
        source = self.folder / "growing.onnx"
        onnx.save(onnx.parser.parse_model(GROWING), source)
        for flag, text in (("--state=pastx=present_x", "no input has this name; did you mean 'past_x'?"),
                           ("--state=x", "--state takes INPUT=OUTPUT"), ("--donate=z", "--donate=z: no input has this name")):
            result = heddle("compile", source, "-o", self.folder / "no.heddle", flag)
            self.assertEqual(2, result.returncode, flag)
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()
