# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose sizes data tell, end to end: detection post-processing, every stage against the reference, the C ABI."""
import ctypes
import unittest

import numpy
import support

# Boxes that overlap go, and the best of what is left come first.
TEXT = """<ir_version: 8, opset_import: ["" : 17]>
post (float[1,n,4] boxes, float[1,5,n] scores) => (float[k] top, float[k,4] kept)
<int64[1] most = {50}, float[1] iou = {0.45}, float[1] least = {0.6}, int64 two = {2}, int64[1] axis = {0}, int64[1] limit = {20}> {
  n = NonMaxSuppression <center_point_box = 1> (boxes, scores, most, iou, least)
  b = Gather <axis = 1> (n, two)
  f = Squeeze (boxes, axis)
  g = GatherND (scores, n)
  s = Shape (g)
  k = Min (s, limit)
  top, order = TopK <axis = 0> (g, k)
  i = Gather <axis = 0> (b, order)
  kept = Gather <axis = 0> (f, i)
}"""
LOOP = """<ir_version: 8, opset_import: ["" : 17]>
g (float[n,4] x) => (float[n,4] y, float[t,n,4] z) <float limit = {9}> {
  y, z = Loop (, , x) <body = b (int64 i, bool go, float[n,4] s) => (bool more, float[n,4] t, float[n,4] u) {
    t = Add (s, s) m = ReduceMax <keepdims = 0> (t) more = Less (m, limit) u = Neg (t) }>
}"""


# Sizes that data make and no memory holds: four rows of 2^62 are 2^64 elements, which 64 bits count as none.
HUGE = ("y = OneHot (i, n, v)", "s = Concat <axis = 0> (four, n) y = Expand (u, s)", "s = Concat <axis = 0> (four, n) e = Expand (u, s) y = Exp (e)",
        "s = Concat <axis = 0> (four, n) z = ConstantOfShape (s) y = Neg (z)")
HUGE_HEAD = ('<ir_version: 8, opset_import: ["" : 17]> g (int64[4] i, int64[1] n) => (float[p,q] y) '
             "<float[2] v = {0, 1}, float[1] u = {1}, int64[1] four = {4}> { ")


# Sums with these wrap to sizes that look right.
MOST = 2**63 - 1
WRAPPING = (('y = Pad (x, p)', (MOST, MOST)), ('y = Pad (x, p)', (MOST, -MOST)), ('y = Pad (x, p)', (-MOST, MOST)), ('y = Pad <mode = "reflect"> (x, p)', (MOST, -MOST)),
            ("y = Pad (x, p)", (-7, 1)), ("y, z, w = Split (x, p)", (MOST, MOST, 7)))


class Dim(ctypes.Structure):
    _fields_ = [("size", ctypes.c_int64), ("symbol", ctypes.c_char_p), ("min", ctypes.c_int64), ("max", ctypes.c_int64)]


class Value(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int32), ("rank", ctypes.c_uint32), ("dims", ctypes.POINTER(Dim))]


class EntryPoint(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("argument_count", ctypes.c_uint32), ("result_count", ctypes.c_uint32),
                ("arguments", ctypes.POINTER(Value)), ("results", ctypes.POINTER(Value))]


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("bytes", ctypes.c_uint64), ("type", ctypes.c_int32), ("rank", ctypes.c_uint32),
                ("dims", ctypes.c_int64 * 16), ("owner", ctypes.c_void_p)]


def tensor(array, code=12):
    return Tensor(array.ctypes.data, array.nbytes, code, array.ndim, (ctypes.c_int64 * 16)(*array.shape), None)


class DataSizesTest(support.EndToEnd):
    def compile(self, text):
        import onnx
        import onnx.parser
        import onnxruntime

        path, artifact = self.folder / "m.onnx", self.folder / "m.heddle"
        onnx.save(onnx.parser.parse_model(text), path)
        result = support.heddle("compile", path, "-o", artifact)
        self.assertEqual(0, result.returncode, result.stderr)
        return path, artifact, onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])

    def detections(self, count=300):
        generator = numpy.random.default_rng(3)
        centers, sizes = generator.uniform(0, 9, (1, count, 2)), generator.uniform(1, 2, (1, count, 2))
        return {"boxes": numpy.concatenate([centers, sizes], 2).astype(numpy.float32),
                "scores": generator.uniform(0, 1, (1, 5, count)).astype(numpy.float32)}

    def test_detections(self):
        _, artifact, session = self.compile(TEXT)
        for count in (300, 1, 0):
            feed = self.detections(count)
            inputs = [f"--input={name}={self.save(name, value)}" for name, value in feed.items()]
            result = support.heddle("run", artifact, *inputs, f"--output=top=@{self.file('top')}", f"--output=kept=@{self.file('kept')}")
            self.assertEqual(0, result.returncode, result.stderr)
            if count == 0:
                self.assertEqual((0,), numpy.load(self.file("top")).shape)
                continue
            for name, want in zip(("top", "kept"), session.run(None, feed)):
                numpy.testing.assert_array_equal(numpy.load(self.file(name)), want)

    def test_check(self):
        """Every stage gives what the reference gives."""
        for text, values in ((TEXT, self.detections(40)), (LOOP, {"x": numpy.full((3, 4), 0.3, numpy.float32)})):
            path, _, _ = self.compile(text)
            result = support.heddle("check", path, *[f"--input={name}={self.save(name, value)}" for name, value in values.items()])
            self.assertEqual(0, result.returncode, result.stdout + result.stderr)

    def test_no_memory(self):
        """Refused before anything is written."""
        for number, body in enumerate(HUGE):
            _, artifact, _ = self.compile(HUGE_HEAD + body + " }")
            for rows in (3, 1 << 60, 1 << 62, (1 << 62) + 1):
                result = support.heddle("run", artifact, "--input=4xi64=0", f"--input=1xi64={rows}")
                self.assertEqual(rows == 3, result.returncode == 0, (number, rows, result.stderr))
                self.assertGreaterEqual(result.returncode, 0, (number, rows))

    def test_wrapping(self):
        """Lengths given with the call are refused before they are added to anything."""
        for body, given in WRAPPING:
            _, artifact, _ = self.compile(f'<ir_version: 8, opset_import: ["" : 17]> g (float[n] x, int64[{len(given)}] p) => (float[m] y) {{ {body} }}')
            result = support.heddle("run", artifact, "--input=5xf32=1", f"--input={len(given)}xi64={','.join(map(str, given))}")
            self.assertEqual(1, result.returncode, (body, given, result.stdout + result.stderr))
            self.assertRegex(result.stderr, "no tensor is so long|takes more than there is|larger than the operand")

    def test_storage(self):
        """A result has an unnamed size; storage that is too small says how much is needed."""
        _, artifact, session = self.compile(TEXT)
        library = ctypes.CDLL(str(support.BIN.parent / "lib" / "libheddle_runtime.so"))
        library.heddle_module_entry_point.restype = ctypes.POINTER(EntryPoint)
        library.heddle_status_message.restype = ctypes.c_char_p
        for name in ("heddle_module_load_file", "heddle_invocation_create", "heddle_invocation_call"):
            getattr(library, name).restype = ctypes.c_void_p
        module, call = ctypes.c_void_p(), ctypes.c_void_p()
        self.assertIsNone(library.heddle_module_load_file(str(artifact).encode(), None, ctypes.byref(module)))
        entry = library.heddle_module_entry_point(module, 0).contents
        self.assertEqual(-1, entry.results[0].dims[0].size)
        self.assertIsNone(library.heddle_invocation_create(module, 0, ctypes.byref(call)))
        feed = self.detections()
        want = session.run(None, feed)[0]
        arguments = (Tensor * 2)(tensor(feed["boxes"]), tensor(feed["scores"]))
        small, large = numpy.zeros(3, numpy.float32), numpy.zeros(1000, numpy.float32)
        kept = numpy.zeros(4000, numpy.float32)
        failed = library.heddle_invocation_call(call, arguments, 2, (Tensor * 2)(tensor(small), tensor(kept)), 2)
        self.assertIsNotNone(failed)
        message = library.heddle_status_message(ctypes.c_void_p(failed)).decode()
        self.assertIn(f"{4 * want.size} bytes, got storage of 12; give a larger buffer or none", message)
        results = (Tensor * 2)(tensor(large), tensor(kept))
        self.assertIsNone(library.heddle_invocation_call(call, arguments, 2, results, 2))
        self.assertEqual(want.size, results[0].dims[0])
        numpy.testing.assert_array_equal(large[:want.size], want)


if __name__ == "__main__":
    unittest.main()
