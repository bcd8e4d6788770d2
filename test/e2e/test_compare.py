# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle compile --output-all against ONNX Runtime with every value marked, and heddle compare."""
import json
import unittest

import numpy
import onnx
import onnx.parser
import onnxruntime
from support import EndToEnd, heddle

HEADER = '<ir_version: 10, opset_import: ["" : 20]> '
MODEL = HEADER + """g (float[n, 4] x, int64[2] ids) => (float[n, 4] y, float[2, 4] rows) <float[3, 4] table = {1,2,3,4,5,6,7,8,9,10,11,12}> {
    one = Constant <value = float[1] {1}> ()
    sum = Add(x, one)
    a, b = Split <axis = 1, num_outputs = 2> (sum)
    back = Concat <axis = 1> (b, a)
    list = SequenceConstruct(a, b)
    first = SequenceAt(list, zero)
    kept, mask = Dropout(back)
    hidden = Relu(kept)
    y = Neg(hidden)
    rows = Gather(table, ids)
    zero = Constant <value = int64 {0}> ()
}"""


def heddle_outputs(path):
    """Names of the results, in order: that of the nodes."""
    entry, = json.loads(heddle("inspect", path, "--json").stdout)["entry_points"]
    return [result["name"] for result in entry["results"]]


class Compare(EndToEnd):
    def write(self, name, text):
        model = onnx.parser.parse_model(text)
        # The parser keeps the order of the text; nodes are to be in order.
        nodes = sorted(model.graph.node, key=lambda node: node.op_type != "Constant")
        del model.graph.node[:]
        model.graph.node.extend(nodes)
        path = self.folder / f"{name}.onnx"
        onnx.save(model, path)
        return path

    def compare(self, *arguments):
        done = heddle("compare", *arguments)
        return done.returncode, done.stdout, done.stderr

    def test_every_value_is_an_output(self):
        path, out = self.write("m", MODEL), self.folder / "m.heddle"
        self.assertEqual(0, heddle("compile", path, "-o", out, "--output-all").returncode)
        marked = onnx.load(path)
        names = ["sum", "a", "b", "back", "first", "kept", "mask", "hidden"]
        marked.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
        feed = {"x": numpy.random.default_rng(3).standard_normal((5, 4), numpy.float32), "ids": numpy.array([2, 0])}
        want = onnxruntime.InferenceSession(marked.SerializeToString()).run(None, feed)
        order = ["y", "rows", *names]
        self.assertEqual(["sum", "a", "b", "back", "first", "kept", "mask", "hidden", "y", "rows"], heddle_outputs(out))
        files = [self.folder / f"{name}.npy" for name in order]
        done = heddle("run", out, *(f"--input={self.save(name, array)}" for name, array in feed.items()),
                      *(f"--output={name}=@{file}" for name, file in zip(order, files)))
        self.assertEqual((0, "", ""), (done.returncode, done.stdout, done.stderr))  # no other output was printed
        for file, array in zip(files, want):
            got = numpy.load(file)
            self.assertEqual(array.dtype, got.dtype, file.name)
            numpy.testing.assert_allclose(got, array, rtol=1e-6, err_msg=file.name)

    def test_the_edited_node_is_named(self):
        one, other = self.write("m", MODEL), self.write("edited", MODEL.replace("Relu(kept)", "Sigmoid(kept)"))
        status, text, log = self.compare(one, other, "--dim=n=3")
        self.assertEqual(1, status, log)
        lines = text.splitlines()
        self.assertRegex(lines[0], "^first difference: 'hidden': 1[0-2] of 12 elements differ; first at ")
        self.assertRegex(lines[1], "^then: 'y': ")
        self.assertEqual("10 values compared, 2 differ", lines[2])
        self.assertEqual((0, "10 values compared, all agree\n"), self.compare(one, one, "--dim=n=3")[:2])
        self.assertEqual(0, self.compare(one, other, "--atol=100")[0])
        self.assertRegex(self.compare(one, other, "--limit=1")[1], "… 1 more differ")

    def test_renamed_values_and_inputs(self):
        one = self.write("m", MODEL)
        other = self.write("renamed", MODEL.replace("hidden", "hid").replace("int64[2] ids)", "int64[2] ids, float[n] extra)"))
        status, text, _ = self.compare(one, other, "--input=x=2x4xf32=1", "--seed=4")
        self.assertEqual((0, ["only in " + str(one) + ": 'hidden'", "only in " + str(other) + ": 'hid'",
                              "9 values compared, all agree"]), (status, text.splitlines()))

    def test_an_artifact_with_a_model(self):
        one, out = self.write("m", MODEL), self.folder / "m.heddle"
        self.assertEqual(0, heddle("compile", one, "-o", out).returncode)
        self.assertEqual((0, "2 values compared, all agree"), self.compare(out, one)[:1] + (self.compare(out, one)[1].splitlines()[-1],))

    def test_made_up_indices_are_rows_of_their_tables(self):
        """Through casts and shapes; what two tables are read by fits the smaller; other integers are 0 and 1."""
        rows = "{" + ",".join(["0"] * 400) + "}"
        path = self.write("tables", HEADER + f"""g (int32[1, 64] ids, int64[8] both, int64[4] plain, uint8[300] small)
            => (float[64, 1] a, float[8, 1] b, float[8, 1] c, int64[4] d, float[300, 1] e)
            <float[400, 1] table = {rows}, float[3, 1] three = {{0, 0, 0}}, int64[1] flat = {{-1}}> {{
                wide = Cast <to = 7> (ids)
                line = Reshape(wide, flat)
                a = Gather(table, line)
                b = Gather(table, both)
                c = Gather(three, both)
                d = Neg(plain)
                narrow = Cast <to = 7> (small)
                e = Gather(table, narrow)
            }}""")
        done = heddle("bench", path, "--iterations=1")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertEqual("inputs made up with --seed=1: ids 1x64xi32 below 400, both 8xi64 below 3, plain 4xi64, small 300xui8 below 400",
                         done.stderr.splitlines()[-1])

    def test_refused(self):
        one = self.write("m", MODEL)
        other = self.write("other", HEADER + "g (float[n] q) => (float[n] z) { z = Neg(q) }")
        status, _, log = self.compare(one, other)
        self.assertEqual((1, True), (status, f"no value of '{one}' has a name of one of '{other}'" in log), log)
        status, _, log = self.compare(one, one, "--input=nope=1xf32=1")
        self.assertEqual((2, True), (status, "the model has no input 'nope'" in log), log)
        self.assertEqual(2, self.compare(one)[0])
        self.assertEqual(1, self.compare(one, self.folder / "none.onnx")[0])
        mlir = self.folder / "m.mlir"
        mlir.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
        done = heddle("compile", mlir, "-o", self.folder / "x.heddle", "--output-all")
        self.assertEqual((2, True), (done.returncode, "--output-all is for ONNX models" in done.stderr), done.stderr)


if __name__ == "__main__":
    unittest.main()
