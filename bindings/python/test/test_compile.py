# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling and loading: what a model may be, flags, files, errors, devices, explanations."""
import gc
import inspect
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import heddle
import numpy
import onnx

from support import FIXTURE, onnx_model

ADD = "add (float[n] a, float[n] b) => (float[n] y) { y = Add (a, b) }"
TEXT = """func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = tosa.add %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}"""
ONE = numpy.ones(3, numpy.float32)


class Compile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_progress_on_a_terminal(self):
        """A line on the terminal that is standard error, which is gone at the end; nothing where that is no terminal."""
        (self.folder / "add.mlir").write_text(TEXT)
        program = f"import heddle; heddle.compile({str(self.folder / 'add.mlir')!r}, cache=False)"
        ours, theirs = os.openpty()
        done = subprocess.run([sys.executable, "-c", program], stderr=theirs, capture_output=False)
        os.close(theirs)
        text = os.read(ours, 65536).decode()
        os.close(ours)
        self.assertEqual((0, True, True), (done.returncode, text.startswith("\rcompiling: import"), text.endswith("\r\x1b[K")), text)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_kinds_of_models(self):
        model, path = onnx_model(ADD), self.folder / "add.onnx"
        onnx.save_model(model, path)
        for given in (model, model.SerializeToString(), bytearray(model.SerializeToString()), path, str(path)):
            with self.subTest(type(given).__name__):
                numpy.testing.assert_array_equal(ONE * 2, heddle.load(heddle.compile(given))(ONE, ONE))
        (self.folder / "add.mlir").write_text(TEXT)
        for given in (TEXT, self.folder / "add.mlir"):
            with self.subTest(type(given).__name__):
                numpy.testing.assert_array_equal(ONE * 2, heddle.load(heddle.compile(given))(ONE))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "a model is a path, .* got an object of type int"):
            heddle.compile(3)

    def test_files(self):
        artifact = heddle.compile(TEXT)
        path = artifact.path
        self.assertTrue(path.exists())
        module = heddle.load(artifact)
        del artifact
        gc.collect()
        self.assertTrue(path.exists())
        del module
        gc.collect()
        self.assertFalse(path.parent.exists())
        kept = heddle.compile(TEXT, self.folder / "kept.heddle")
        self.assertEqual(self.folder / "kept.heddle", kept.path)
        del kept
        gc.collect()
        numpy.testing.assert_array_equal(ONE * 2, heddle.load(self.folder / "kept.heddle")(ONE))

    def test_nothing_is_left_by_a_failure(self):
        with unittest.mock.patch.object(tempfile, "tempdir", str(self.folder)), self.assertRaises(heddle.CompileError):
            heddle.compile("{")
        self.assertEqual([], list(self.folder.iterdir()))

    def test_no_temporary_folder(self):
        with unittest.mock.patch.object(tempfile, "tempdir", str(self.folder / "missing")):
            with self.assertRaises(heddle.Error) as caught:
                heddle.compile(TEXT)
        self.assertRegex(str(caught.exception), r"^cannot make a temporary folder in '.*missing': .*; set TMPDIR to a folder that can be written$")

    def test_explanations_need_no_temporary_folder(self):
        artifact = heddle.compile(TEXT)
        with unittest.mock.patch.object(tempfile, "tempdir", str(self.folder / "missing")):
            self.assertRegex(artifact.explain().html, r"(?s)^<!doctype html>.*</html>\s*$")

    def test_warnings(self):
        """What the compiler says of a model that it takes is a warning where compile() is called."""
        random = onnx_model("g (float[2] x) => (float[2] y) { r = RandomNormal <shape = [2], seed = 1.0> ()  y = Add (x, r) }")
        with self.assertWarnsRegex(heddle.CompileWarning, "warning: in .*RandomNormal") as caught:
            artifact = heddle.compile(random)
        self.assertEqual(caught.filename, __file__)
        self.assertIn(str(caught.warning), artifact.log)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            heddle.compile(TEXT)

    def test_a_model_without_a_file_has_no_path(self):
        with self.assertRaises(heddle.CompileError) as caught:
            heddle.compile(onnx_model("g (float[2] x, int64[2] i) => (float[2] y) { y = Add (x, i) }"))
        self.assertNotIn(tempfile.gettempdir(), str(caught.exception))
        self.assertIn("both operands must have the same element type, got f32[2] and i64[2]", str(caught.exception))

    def test_keywords_are_flags(self):
        tool = pathlib.Path(heddle.__file__).parent / "bin" / "heddle-compile"
        text = subprocess.run([tool, "--help"], capture_output=True, text=True).stdout
        flags = {flag.replace("-", "_") for flag in re.findall(r"--([a-z][a-z-]+)", text)}
        self.assertEqual(set(), set(inspect.signature(heddle.compile).parameters) - flags - {"model", "optimization", "flags", "shardings"})  # a shard file
        with self.assertRaisesRegex(heddle.CompileError, r"compile\(\) has no keyword 'timng'; did you mean 'timing'"):
            heddle.compile(TEXT, timng=True)
        with self.assertRaisesRegex(heddle.CompileError, r"has no keyword 'optimisation'; did you mean 'optimization'\?\nkeywords are target_device, .*docs/cli.md"):
            heddle.compile(TEXT, optimisation=3)
        self.assertGreater(len(heddle.compile(TEXT, timing=True).log.splitlines()), 10)

    def test_values_of_flags(self):
        for name in ("place", "strategy", "state"):
            with self.assertRaisesRegex(heddle.InvalidArgumentError, f"{name} takes a value; leave it out"):
                heddle.compile(TEXT, **{name: False})
        heddle.compile(TEXT, tune=False, timing=False, reproducible=True, strict_float=True)
        with self.assertRaisesRegex(heddle.CompileError, "0.5"):
            heddle.compile(TEXT, place=0.5)
        braces = self.folder / "{add}.mlir"
        braces.write_text(TEXT)
        numpy.testing.assert_array_equal(ONE * 2, heddle.load(heddle.compile(str(braces)))(ONE))

    def test_flags(self):
        dump = self.folder / "dump"
        artifact = heddle.compile(onnx_model(ADD), target_device=["a=local", "b=null,fallback(@a)"], default_device="a",
                                  data_tiling=False, optimization=0, disable_pass="cse", dump_dir=dump)
        self.assertTrue(any(dump.iterdir()))
        self.assertEqual(["a"], [device.name for device in heddle.load(artifact).devices if device.uri.startswith("local")][:1])
        place = self.folder / "place.txt"
        place.write_text("nothing = a\n")
        for flags, text in [({"target_device": "lcal"}, "did you mean 'local'"), ({"optimization": 4}, "-O takes 0, 1, 2 or 3"),
                            ({"strategy": "x"}, "--strategy"), ({"max_transient": "x"}, "--max-transient takes bytes"),
                            ({"mesh": {"x": 2}}, "the program has no device.mesh, got 'x=2'"),
                            ({"target_device": "a=local", "place_file": place}, "place.txt")]:
            with self.subTest(flags), self.assertRaisesRegex(heddle.CompileError, text):
                heddle.compile(onnx_model(ADD), **flags)

    def test_a_limit_of_transient_memory(self):
        text = "f (float[256,32] x, float[32,512] w, float[512,8] v) => (float[256,8] y) { h = MatMul (x, w) t = Tanh (h) y = MatMul (t, v) }"
        whole, limited = (heddle.compile(onnx_model(text), max_transient=limit) for limit in (None, 64 << 10))
        self.assertEqual([512 << 10, 64 << 10], [artifact.stats["transient_bytes"] for artifact in (whole, limited)])
        arguments = [numpy.random.default_rng(29).standard_normal(shape).astype(numpy.float32) for shape in ((256, 32), (32, 512), (512, 8))]
        numpy.testing.assert_array_equal(*(heddle.load(artifact)(*arguments) for artifact in (whole, limited)))
        with self.assertWarnsRegex(heddle.CompileWarning, "more than --max-transient=1024"):
            heddle.compile(onnx_model(text), max_transient="1KiB")

    def test_errors_have_the_tools_text(self):
        path = self.folder / "add.onnx"
        onnx.save_model(onnx_model("f (float[n] a) => (float[n] y) { y = NoSuchOp (a) }"), path)
        tool = pathlib.Path(heddle.__file__).parent / "bin" / "heddle-compile"
        done = subprocess.run([tool, path, "-o", self.folder / "x.heddle"], capture_output=True, text=True)
        with self.assertRaises(heddle.CompileError) as caught:
            heddle.compile(path)
        self.assertEqual(1, caught.exception.exit_status)
        self.assertIn("NoSuchOp", caught.exception.message)
        self.assertEqual(done.stderr.strip(), str(caught.exception))
        with self.assertRaises(heddle.NotFoundError) as missing:
            heddle.load(self.folder / "none.heddle")
        run = subprocess.run([tool.parent / "heddle-run", self.folder / "none.heddle"], capture_output=True, text=True)
        self.assertEqual("heddle run: " + str(missing.exception), run.stderr.strip())

    def test_a_compiler_that_dies_is_an_exception(self):
        from heddle import _tools
        saved = _tools.BIN
        self.addCleanup(setattr, _tools, "BIN", saved)
        _tools.BIN = self.folder
        (self.folder / "heddle-compile").write_text("#!/bin/sh\necho last words >&2\nkill -SEGV $$\n")
        os.chmod(self.folder / "heddle-compile", 0o755)
        with self.assertRaisesRegex(heddle.CompileError, "ended by signal 11, a bug of Heddle\nlast words"):
            heddle.compile(TEXT)

    def test_malformed_artifacts(self):
        path = self.folder / "x.heddle"
        path.write_bytes(pathlib.Path(FIXTURE).read_bytes()[:200])
        with self.assertRaises(heddle.MalformedError):
            heddle.load(path)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "on_device_lost is 'fail' or 'fallback', got 'x'"):
            heddle.load(FIXTURE, on_device_lost="x")

    def test_machine_code_and_hashes(self):
        artifact = heddle.compile(onnx_model(ADD), self.folder / "add.heddle")
        numpy.testing.assert_array_equal(ONE * 2, heddle.load(artifact, verify=True)(ONE, ONE))
        with self.assertRaisesRegex(heddle.UnsupportedError, "machine code"):
            heddle.load(artifact, allow_native=False)
        data = bytearray(artifact.path.read_bytes())
        data[-1] ^= 1
        artifact.path.write_bytes(data)
        with self.assertRaises(heddle.MalformedError):
            heddle.load(artifact, verify=True)

    def test_explain(self):
        module = heddle.load(heddle.compile(onnx_model(ADD)))
        self.assertIn("device_0", str(module.explain()))
        self.assertIn("elementwise", module.explain(why="y").text + str(module.explain()))
        page = module.explain().html
        self.assertTrue(page.lstrip().lower().startswith("<!doctype html>"))
        self.assertNotRegex(page, r'(src|href)="https?:')
        framed = module._repr_html_()
        self.assertTrue(framed.startswith("<iframe srcdoc=") and framed.endswith("</iframe>"))
        self.assertNotIn("<script", framed)
        with self.assertRaisesRegex(heddle.Error, "has no graph in its report; compile it anew"):
            heddle.load(FIXTURE).explain()

    def test_devices(self):
        names = [device.uri for device in heddle.devices()]
        self.assertIn("local", names)
        for device in heddle.devices():
            self.assertEqual(device.available, device.reason == "", device)
        only, = heddle.devices("local://0")
        self.assertEqual((1, True), (only.cores, only.available))
        self.assertIn("elf-x86_64", only.formats)
        with self.assertRaisesRegex(heddle.NotFoundError, "did you mean 'local'"):
            heddle.devices("lokal")


if __name__ == "__main__":
    unittest.main()
