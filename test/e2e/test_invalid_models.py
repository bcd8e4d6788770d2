# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An invalid ONNX model is called invalid, with the rule that it breaks; a valid one that Heddle cannot compile is called
unsupported. Each model has one fault."""
import unittest

import onnx.parser
from support import EndToEnd, heddle

HEADER = '<ir_version: 8, opset_import: ["" : 17]>\n'
# The graph, and what is said of it.
BROKEN_RULES = {
    "element types differ": ("g (float[2] x, int64[2] i) => (float[2] y) { y = Add (x, i) }",
                             "(ai.onnx Add, operator set 17): both operands must have the same element type, got f32[2] and i64[2]"),
    "element types of three differ": ("g (float[2] x, float[2] a, double[2] b) => (float[2] y) { y = Max (x, a, b) }",
                                      "must have the same element type, got f32[2] and f64[2]"),
    "element types of free sizes": ("g (float[n,2] x, int32[2] i) => (float[n,2] y) { y = Mul (x, i) }", "got f32[?,2] and i32[2]"),
    "shapes do not broadcast": ("g (float[3] x, float[4] w) => (float[3] y) { y = Add (x, w) }", "the operands do not broadcast: f32[3] and f32[4]"),
    "too few inputs": ("g (float[2] x) => (float[2] y) { y = Add (x) }", "(ai.onnx Add, operator set 17): takes 2 inputs, got 1"),
    "too many inputs": ("g (float[2] x) => (float[2] y) { y = Relu (x, x) }", "(ai.onnx Relu, operator set 17): takes 1 input, got 2"),
    "too many optional inputs": ("g (float[2] x) => (float[2] y) { y = Clip (x, x, x, x) }", "takes 1 to 3 inputs, got 4"),
    "no inputs of any number": ("g (float[2] x) => (float[2] y) { y = Concat <axis = 0> () }", "takes at least 1 input, got 0"),
    "too many outputs": ("g (float[2] x) => (float[2] y) { y, z = Relu (x) }", "(ai.onnx Relu, operator set 17): gives 1 output, got 2"),
    "a required attribute is missing": ("g (float[2] x) => (float[4] y) { y = Concat (x, x) }", "(ai.onnx Concat, operator set 17): needs the attribute 'axis'"),
    "an attribute of another type": ("g (float[2] x) => (float[2] y) { y = Softmax <axis = 0.0> (x) }", "attribute 'axis' must be of type int, got float"),
    "an attribute that is none": ("g (float[2] x) => (float[2] y) { y = Softmax <axes = 0> (x) }", "has no attribute 'axes'; did you mean 'axis'?"),
    "an axis outside": ("g (float[2] x) => (float[2] y) { y = Softmax <axis = 5> (x) }", "axis 5 is outside a tensor of rank 1"),
    "sizes of a product": ("g (float[2,3] x, float[4,5] w) => (float[2,5] y) { y = MatMul (x, w) }", "the inner sizes must be equal, got 3 and 4"),
    "channels of a convolution": ("g (float[1,3,8,8] x, float[4,2,3,3] w) => (float[1,4,6,6] y) { y = Conv (x, w) }", "the operand has 3 channels, the weights are for 2"),
    "a reshape to another count": ("g (float[6] x) => (float[4] y) <int64[1] s = {4}> { y = Reshape (x, s) }", "cannot reshape 6 elements to [4], which holds 4; operands: x f32[6], s i64[1]"),
    "an index outside": ("g (float[6] x) => (float[1] y) <int64[1] i = {9}> { y = Gather (x, i) }", "index 9 is outside a dimension of size 6"),
    "no such operator": ("g (float[2] x) => (float[2] y) { y = Reluu (x) }", "(ai.onnx Reluu, operator set 17): ai.onnx has no such operator; did you mean 'Relu'?"),
    "an operator of later sets": ("g (float[2] x) => (float[2] y) { y = Gelu (x) }", "(ai.onnx Gelu, operator set 17): ai.onnx has this operator from operator set 20 on"),
}
BROKEN_GRAPHS = {
    "a cycle": ("g (float[2] x) => (float[2] y) { a = Add (x, y)  y = Relu (a) }", "the graph has a cycle through node #0 'Add_0' (Add)"),
    "a value that nothing gives": ("g (float[2] x) => (float[2] y) { y = Add (x, z) }", "node #0 'Add_0' (Add) reads 'z', which nothing defines"),
    "an output that nothing gives": ("g (float[2] x) => (float[2] y) { z = Relu (x) }", "nothing defines the output 'y'"),
    "a value given twice": ("g (float[2] x) => (float[2] y) { y = Relu (x)  y = Neg (x) }", "node #1 'Neg_1' gives 'y', which is already defined"),
    "two inputs of one name": ("g (float[2] x, float[2] x) => (float[2] y) { y = Relu (x) }", "two inputs have the name 'x'"),
    "a domain without operator set": ("g (float[2] x) => (float[2] y) { y = other.Relu (x) }", "is of domain other, but the model imports no operator set of it"),
}
UNSUPPORTED = {
    "an operator": ("g (float[2] x) => (int64[2] y) { y = TfIdfVectorizer <max_gram_length = 1, max_skip_count = 0, min_gram_length = 1, mode = \"TF\", ngram_counts = [0], ngram_indexes = [0]> (x) }",
                    "this op is not supported"),
    "a length that data tell": ("g (float[6] x, int64[k] s) => (float[a,b] y) { y = Reshape (x, s) }", "the new shape must be a list of integers of fixed length"),
}
INVALID_TAIL = "error: the model is invalid: 1 node breaks the rules of its operator; correct the model, or what exports it"
UNSUPPORTED_TAIL = "error: the model cannot be imported: 1 node is not supported; replace such nodes when exporting"


class InvalidModelsTest(EndToEnd):
    def say(self, graph):
        path = self.folder / "model.onnx"
        path.write_bytes(onnx.parser.parse_model(HEADER + graph).SerializeToString())
        done = heddle("compile", path, "-o", self.folder / "model.heddle")
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def test_rules_of_operators(self):
        for name, (graph, rule) in BROKEN_RULES.items():
            with self.subTest(name):
                said = self.say(graph)
                self.assertIn(rule, said)
                self.assertIn(INVALID_TAIL, said)
                self.assertNotIn("support", said)

    def test_rules_of_graphs(self):
        for name, (graph, rule) in BROKEN_GRAPHS.items():
            with self.subTest(name):
                self.assertIn("error: invalid model: ", self.say(graph))
                self.assertIn(rule, self.say(graph))

    def test_unsupported(self):
        for name, (graph, reason) in UNSUPPORTED.items():
            with self.subTest(name):
                said = self.say(graph)
                self.assertIn(reason, said)
                self.assertIn(UNSUPPORTED_TAIL, said)
                self.assertNotIn("invalid", said)

    def test_both(self):
        said = self.say("g (float[3] x, float[4] w, int64[k] s) => (float[a,b] y, float[3] z) { y = Reshape (x, s)  z = Add (x, w) }")
        self.assertIn("error: the model cannot be imported: 1 node breaks the rules of its operator; correct the model, or what exports it; "
                      "1 node is not supported; replace such nodes when exporting", said)


if __name__ == "__main__":
    unittest.main()
