# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts of --split-file: they choose ops by name, size and device, say how these are split, and say what they cannot."""
import json
import re
import unittest

import numpy
import onnx
from support import ROOT, ToolTest, heddle

MAIN = "transform.named_sequence @__transform_main(%program: !transform.any_op {transform.readonly})"
SCRIPT = "module attributes {transform.with_named_sequence} {\n" + MAIN + " {\n@BODY\ntransform.yield\n}\n@OTHERS\n}\n"


def named(pattern, how):
    """The body of a script: what the pattern fits is split so."""
    return (f'%ops = transform.heddle.match_reductions "{pattern}" in %program : (!transform.any_op) -> !transform.any_op\n'
            f"transform.heddle.split_reduction %ops {how} : !transform.any_op")


class SplitScript(ToolTest):
    SEED = 11

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.a, cls.b, cls.c = (cls.random.standard_normal(shape).astype(numpy.float32) for shape in ((8, 9001), (9001, 16), (16, 500)))
        initialisers = [onnx.numpy_helper.from_array(cls.b, "b"), onnx.numpy_helper.from_array(cls.c, "c")]
        nodes = [onnx.helper.make_node("MatMul", ["a", "b"], ["h"], name="/block/first/MatMul"),
                 onnx.helper.make_node("Relu", ["h"], ["r"], name="/block/Relu"),
                 onnx.helper.make_node("MatMul", ["r", "c"], ["y"], name="/block/second/MatMul")]
        values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in (("a", (8, 9001)), ("y", (8, 500)))]
        graph = onnx.helper.make_graph(nodes, "g", values[:1], values[1:], initialisers)
        onnx.save(onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8), cls.folder / "m.onnx")

    def compile(self, body, *flags, sequences="", script=None):
        (self.folder / "splits.mlir").write_text(SCRIPT.replace("@BODY", body).replace("@OTHERS", sequences) if script is None else script)
        return heddle("compile", self.folder / "m.onnx", "-o", self.folder / "m.heddle",
                      f"--split-file={self.folder / 'splits.mlir'}", *flags)

    def check(self, body, text, *flags, sequences=""):
        """The model computes what NumPy does, and `heddle explain` says `text` of it."""
        done = self.compile(body, *flags, sequences=sequences)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("", re.sub(r"(?m)^placed .*\n", "", done.stderr))
        self.assertRegex(self.tool("explain", self.folder / "m.heddle").stdout, text)
        numpy.save(self.folder / "a.npy", self.a)
        self.tool("run", self.folder / "m.heddle", f"--input=@{self.folder}/a.npy", f"--output=@{self.folder}/y.npy", "--device=local://0-1")
        exact = numpy.maximum(self.a.astype(numpy.float64) @ self.b, 0) @ self.c
        numpy.testing.assert_allclose(numpy.load(self.folder / "y.npy"), exact, rtol=1e-4, atol=2e-2)

    def refuse(self, text, body="", **how):
        done = self.compile(body, **how)
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stderr, text)

    def test_one_named_op_in_13(self):
        self.check(named("/block/first/*", "into 13"), r"split into 13 parts: 13 asked for by splits\.mlir:4, length 9001")
        bound = json.loads(self.tool("inspect", self.folder / "m.heddle", "--json", "--bound", "--device=local://0").stdout)
        self.assertEqual(3, len([entry for entry in bound["host"] if entry["op"] == "dispatch"]), bound)

    def test_parts_of_a_size_and_for_each_unit(self):
        self.check(named("*first*", "by 1000 along 2"), r"split into 10 parts: parts of 1000 asked for by splits\.mlir:4")
        self.check(named("*first*", "by 20000"), r"not split: one part is what was asked for: parts of 20000 asked for by splits\.mlir:4, length 9001")
        self.check(named("*first*", "into 3 per_unit"), r"split into parts: 3 for each of the device's units asked for by splits")
        self.check(named("*first*", "into 3 per_unit"), r"split into 24 parts: 24 asked for by splits", "--reproducible")

    def test_what_a_script_keeps_whole(self):
        self.check(named("*first*", "into 1"), r"not split: splits\.mlir:4 keeps it whole")

    def test_with_strategies(self):
        self.check(named("*second*", "into 2"), r"split into 2 parts: 2 asked for by splits\.mlir:4, length 16", "--strategy=split:off")

    def test_sizes_and_devices(self):
        matcher = """
          transform.named_sequence @is_long(%op: !transform.any_op {transform.readonly}) -> !transform.any_op {
            %least = transform.param.constant 5000 : i64 -> !transform.param<i64>
            transform.match.structured %op : !transform.any_op {
            ^bb0(%reduction: !transform.any_op):
              %length = transform.match.structured.dim %reduction[-1] {reduction} : (!transform.any_op) -> !transform.param<i64>
              transform.match.param.cmpi ge %length, %least : !transform.param<i64>
            }
            transform.heddle.match_target %op is "KIND" : !transform.any_op
            transform.yield %op : !transform.any_op
          }"""
        body = """
          %ops = transform.collect_matching @is_long in %program : (!transform.any_op) -> !transform.any_op
          %steps = transform.heddle.target_fact "vector_registers" of %ops over 8 : (!transform.any_op) -> !transform.param<i64>
          transform.heddle.split_reduction %ops into %steps : !transform.any_op, !transform.param<i64>"""
        self.check(body, r"split into 4 parts: 4 asked for by splits\.mlir:6, length 9001", "--target-cpu=x86-64-v4",
                   sequences=matcher.replace("KIND", "cpu"))
        done = self.compile(body, sequences=matcher.replace("KIND", "cuda"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stderr, "warning: splits nothing: no op of the program was matched")
        self.refuse("unknown kind of device 'cdua'; known: cpu, vulkan, cuda; did you mean 'cuda'", body, sequences=matcher.replace("KIND", "cdua"))

    def test_a_name_that_nothing_has(self):
        done = self.compile(named("/block/frst/MatMul", "into 13"))
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r"splits\.mlir:3:\d+: warning: the pattern '/block/frst/MatMul' fits no reduction that can be split; "
                                      r"did you mean '/block/first/MatMul'")
        self.assertNotIn("splits nothing", done.stderr)

    def test_what_cannot_be(self):
        self.refuse(r"splits\.mlir:4:\d+: error: .*there is at least 1 part, got 0", named("*first*", "into 0"))
        self.refuse(r"a part has at least 1 step, got -3", named("*first*", "by -3"))
        self.refuse(r"cannot split the op: it has 3 loops, counted from 0, and no loop 7", named("*first*", "into 4 along 7"))
        self.refuse(r"cannot split the op: its loop 0 is none that is reduced", named("*first*", "into 4 along 0"))
        self.refuse(r"transform.heddle.split_reductions",
                    named("*first*", "into 2").replace("split_reduction ", "split_reductions "))
        self.refuse(r"nothing is known by the name 'cores' of .*, but vector_bytes, vector_registers, first_level_bytes, second_level_bytes",
                    named("*first*", "into 2") + '\n%n = transform.heddle.target_fact "cores" of %ops : (!transform.any_op) -> !transform.param<i64>')

    def test_strict_floats_are_not_split(self):
        done = self.compile(named("*first*", "into 2"), "--strict-float")
        self.assertEqual(1, done.returncode, done.stderr)
        self.assertRegex(done.stderr, r"cannot be split, as splits\.mlir:4 asks: ")

    def test_scripts_that_are_none(self):
        self.refuse("splits.mlir:1:1: error: ", script="pattern = 3\n")
        self.refuse("__transform_main", script="module attributes {transform.with_named_sequence} {}\n")
        self.refuse(r"splits\.mlir:3:\d+: error: rewrites the program, and a script of --split-file only says what is split",
                    "transform.apply_cse to %program : !transform.any_op")
        (self.folder / "splits.mlir").unlink()
        done = heddle("compile", self.folder / "m.onnx", "-o", self.folder / "m.heddle", f"--split-file={self.folder / 'splits.mlir'}")
        self.assertNotEqual(0, done.returncode)
        self.assertRegex(done.stderr, "cannot read .*splits.mlir")

    def test_the_example_of_the_documentation(self):
        page = (ROOT / "docs" / "making-it-fast.md").read_text()
        script = re.search(r"```mlir\n(.*?)```", page, re.DOTALL).group(1)
        done = self.compile("", script=script.replace("/encoder/*/MatMul", "/block/first/*"))
        self.assertEqual((0, ""), (done.returncode, re.sub(r"(?m)^placed .*\n", "", done.stderr)))
        self.assertIn("asked for by splits.mlir", self.tool("explain", self.folder / "m.heddle").stdout)


if __name__ == "__main__":
    unittest.main()
