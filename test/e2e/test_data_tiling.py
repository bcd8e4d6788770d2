# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data tiling, whatever the devices' layouts: the same results, no more dispatches, and nothing where there is nothing to do."""
import json
import re
import unittest

import numpy
import support

# Each with the flags of heddle compile. `blocked` lays out all operands and results, also those that are computed.
MODES = {
    "late": [],
    "early": ["--strategy=early-data-tiling"],
    "off": ["--data-tiling=off"],
    "identity": ["--layout-resolver=identity"],
    "blocked": ["--layout-resolver=blocked"],
}

# Products of odd sizes. Lower-case names are inputs, W… weights, B… biases.
LAYERS = """(float[n,33] x) => (float[n,29] y) <float[33,47] W0, float[47] B0, float[47,50] W1, float[50,29] W2> {
  m0 = MatMul (x, W0) a0 = Add (m0, B0) r0 = Relu (a0) m1 = MatMul (r0, W1) r1 = Relu (m1) y = MatMul (r1, W2) }"""
TRANSFORMER = """(float[n,17,24] x) => (float[n,17,24] y)
  <float[24,24] WQ, float[24,24] WK, float[24,24] WV, float[24,24] WO, float[24] B0, float[24] B1, float[24,40] WU, float[40,24] WD,
   int64[4] H = {0, 17, 3, 8}, int64[3] F = {0, 17, 24}> {
  q = MatMul (x, WQ) k = MatMul (x, WK) v = MatMul (x, WV)
  qr = Reshape (q, H) qh = Transpose <perm = [0, 2, 1, 3]> (qr)
  kr = Reshape (k, H) kh = Transpose <perm = [0, 2, 3, 1]> (kr)
  vr = Reshape (v, H) vh = Transpose <perm = [0, 2, 1, 3]> (vr)
  s = MatMul (qh, kh) p = Softmax <axis = -1> (s) o = MatMul (p, vh)
  ot = Transpose <perm = [0, 2, 1, 3]> (o) of = Reshape (ot, F) c = MatMul (of, WO) d = Add (c, x)
  e = LayerNormalization <axis = -1> (d, B0, B1) u = MatMul (e, WU) g = Relu (u) w = MatMul (g, WD) y = Add (w, e) }"""
SHARED = """(float[n,33] x, float[n,33] z) => (float[n,47] y, float[n,47] t) <float[33,47] W0> {
  y = MatMul (x, W0) m = MatMul (z, W0) t = Relu (m) }"""
# A sum of values of two layouts, concatenated and cut again.
PIECES = """(float[n,33] x) => (float[n,29] y, float[n,20] t) <float[33,47] W0, float[33,47] W1, float[94,29] W2, int64[1] S = {10}, int64[1] E = {30}, int64[1] A = {1}> {
  a = MatMul (x, W0) b = MatMul (x, W1) s = Add (a, b) r = Relu (s) c = Concat <axis = 1> (r, a) y = MatMul (c, W2) t = Slice (c, S, E, A) }"""
BRANCH = """(float[n,33] x, bool[1] c) => (float[n,29] y) <float[33,47] W0, float[33,47] W1, float[47,29] W2> {
  m = If (c) <then_branch = a () => (float[n,47] u) { u = MatMul (x, W0) },
              else_branch = b () => (float[n,47] w) { v = MatMul (x, W1) w = Relu (v) }>
  y = MatMul (m, W2) }"""
LOOP = """(float[5,n,12] x) => (float[5,1,n,20] y, float[n,9] z) <float[1,80,12] W0, float[1,80,20] W1, float[20,9] W2, int64[1] A = {0}> {
  y, h = LSTM <hidden_size = 20> (x, W0, W1) s = Squeeze (h, A) z = MatMul (s, W2) }"""
CONVOLUTIONS = """(float[1,6,11,13] x) => (float[1,18,9,11] y) <float[18,6,3,3] W0, float[18,18,1,1] W1, float[18] B0> {
  c = Conv (x, W0, B0) r = Relu (c) y = Conv (r, W1) }"""
MODELS = {"layers": LAYERS, "transformer": TRANSFORMER, "shared": SHARED, "pieces": PIECES, "branch": BRANCH, "loop": LOOP,
          "convolutions": CONVOLUTIONS}


def parse(text):
    """The model with random weights."""
    import onnx
    import onnx.numpy_helper
    import onnx.parser

    head, rest = text.split("<", 1)
    names = re.findall(r"float\[([\d,]+)\] ([WB]\d|W[QKVOUD])\b", rest.split("> {", 1)[0])
    declared = ", ".join(re.findall(r"int64\[\d\] \w = \{[-\d, ]+\}", rest.split("> {", 1)[0]))
    body = rest.split("> {", 1)[1]
    made = onnx.parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 17]>\ng {head} ' + (f"<{declared}> " if declared else "") + "{" + body)
    generator = numpy.random.default_rng(7)
    for sizes, name in names:
        value = generator.uniform(-0.5, 0.5, [int(size) for size in sizes.split(",")]).astype(numpy.float32)
        made.graph.initializer.append(onnx.numpy_helper.from_array(value, name))
    return made


class DataTilingTest(support.EndToEnd):
    def compile(self, name, mode, *flags):
        """Writes NAME-MODE.heddle and gives the figures of the compilation."""
        import onnx

        model = self.folder / f"{name}.onnx"
        if not model.exists():
            onnx.save(parse(MODELS[name]), model)
        stats = self.folder / "stats.json"
        result = support.heddle("compile", model, "-o", self.folder / f"{name}-{mode}.heddle", f"--stats={stats}",
                                *MODES[mode], *flags)
        self.assertEqual(0, result.returncode, f"{name} {mode}: {result.stderr}")
        return json.loads(stats.read_text())

    def feed(self, name, rows):
        generator = numpy.random.default_rng(rows)
        feed = {}
        for value in parse(MODELS[name]).graph.input:
            shape = [rows if dim.dim_param else dim.dim_value for dim in value.type.tensor_type.shape.dim]
            feed[value.name] = generator.uniform(-1, 1, shape).astype(numpy.float32) if value.name != "c" else numpy.array([rows % 2 == 0])
        return feed

    def check_results(self, name, mode):
        import onnxruntime

        self.compile(name, mode)
        session = onnxruntime.InferenceSession(str(self.folder / f"{name}.onnx"), providers=["CPUExecutionProvider"])
        outputs = [output.name for output in session.get_outputs()]
        for rows in (1, 21):
            feed = self.feed(name, rows)
            arguments = [f"--input={key}={self.save(key, value)}" for key, value in feed.items()]
            arguments += [f"--output={key}=@{self.file('out_' + key)}" for key in outputs]
            result = support.heddle("run", self.folder / f"{name}-{mode}.heddle", "--device=local://0", *arguments)
            self.assertEqual(0, result.returncode, result.stderr)
            for key, want in zip(outputs, session.run(None, feed)):
                # Values below 64; at most four products in a row of 94 terms.
                self.assert_close(numpy.load(self.file("out_" + key)), want, support.error_bound([94] * 4, scale=64))

    def test_results(self):
        for name in MODELS:
            for mode in MODES:
                with self.subTest(model=name, mode=mode):
                    self.check_results(name, mode)

    def test_dispatches(self):
        for name in ("layers", "transformer", "convolutions"):
            off = self.compile(name, "off")["dispatches"]
            self.assertEqual(off, self.compile(name, "late")["dispatches"], name)
        # Where all is laid out, the input is packed.
        self.assertEqual(self.compile("layers", "off")["dispatches"] + 1, self.compile("layers", "blocked")["dispatches"])

    def test_one_entry_pack(self):
        """Where all is laid out, only the input of the first layer is by a dispatch of its own."""
        self.compile("layers", "blocked", f"--dump-dir={self.folder}/dump")
        resolved = (self.folder / "dump" / "08-resolve.mlir").read_text()
        calls = re.findall(r"flow\.dispatch @(\w+)", resolved)
        self.assertEqual(1, sum(call.startswith("encode_") for call in calls), calls)
        self.assertEqual(4, len(calls), calls)

    def test_one_copy_of_a_shared_weight(self):
        self.compile("shared", "late", f"--dump-dir={self.folder}/dump")
        resolved = (self.folder / "dump" / "08-resolve.mlir").read_text()
        self.assertEqual(1, len(re.findall(r"^ *flow\.parameter .*#encoding\.layout", resolved, re.MULTILINE)))
        self.assertEqual(1, len(re.findall(r"^ *flow\.parameter ", resolved, re.MULTILINE)))

    def test_identity_leaves_no_trace(self):
        """A device without layouts runs the program that there is without data tiling, op for op."""
        for name in MODELS:
            programs = []
            for mode in ("off", "identity"):
                self.compile(name, mode, f"--dump-dir={self.folder}/{mode}")
                text = (self.folder / mode / "09-schedule.mlir").read_text()
                # What the host does; kernels are compared by their names and what they are given.
                programs.append([line for line in text.splitlines() if re.search(r"\bhost\.|func\.func|flow\.executable", line)])
            self.assertEqual(*programs, name)
            self.assertTrue(programs[0])


if __name__ == "__main__":
    unittest.main()
