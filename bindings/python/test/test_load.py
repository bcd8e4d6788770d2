# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What load() takes, how many threads work, what a module tells of itself."""
import io
import os
import pathlib
import sys
import tempfile
import unittest

import heddle
import numpy
import onnx.parser

from support import FIXTURE, onnx_model

ADD = "add (float[n] a, float[n] b) => (float[n] y) { y = Add (a, b) }"
ONES = numpy.ones(3, numpy.float32)


class Load(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def check(self, module):
        self.assertEqual([2, 2, 2], module(ONES, ONES).tolist())

    def refused(self, kind, text, *arguments, **named):
        with self.assertRaises(kind) as caught:
            heddle.load(*arguments, **named)
        self.assertEqual(text, str(caught.exception))

    def test_models(self):
        model = onnx_model(ADD)
        path = self.folder / "add.onnx"
        path.write_bytes(model.SerializeToString())
        for source in (model, path, str(path), model.SerializeToString(), memoryview(model.SerializeToString()), open(path, "rb"),
                       io.BytesIO(model.SerializeToString())):
            with self.subTest(type(source).__name__):
                self.check(heddle.load(source))
            if hasattr(source, "close"):
                source.close()

    def test_a_module_is_called_after_its_model(self):
        """Not after the temporary file of its artifact."""
        path = self.folder / "called.onnx"
        path.write_bytes(onnx_model(ADD).SerializeToString())
        self.assertTrue(repr(heddle.load(path)).startswith(f"<heddle.Module {path}\n"))

    def test_artifacts_in_memory(self):
        artifact = heddle.compile(onnx_model(ADD))
        data = artifact.path.read_bytes()
        for source in (data, bytearray(data), io.BytesIO(data)):
            module = heddle.load(source)
            self.check(module)
        self.assertIn("main: 1 dispatch", module.explain().text)
        self.assertIn(f"<heddle.Artifact of {len(data)} bytes>", repr(module.artifact))
        self.assertIn(f"{len(data)} bytes", repr(module))
        module.artifact.save(self.folder / "copy.heddle")
        self.check(heddle.load(self.folder / "copy.heddle", verify=True))
        del artifact, source, data
        self.check(module)
        if os.fork() == 0:  # the memory has no file any more
            os._exit(0 if module(ONES, ONES).tolist() == [2, 2, 2] else 1)
        self.assertEqual(0, os.waitstatus_to_exitcode(os.wait()[1]))

    def test_certificates(self):
        artifact = heddle.compile(onnx_model(ADD))
        self.assertEqual(["main"], [program["name"] for program in artifact.certificate["programs"]])
        (entry,) = artifact.verify()
        self.assertEqual(("main", True), (entry["name"], entry["cases"] > 0))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "dimension 'other' = 4: the artifact has no dimension of this name"):
            artifact.verify(dim={"other": 4})
        self.check(heddle.load(artifact, check=True))
        unproved = heddle.compile(onnx_model(ADD), disable_pass="schedule-verify-host")
        self.assertIsNone(unproved.certificate)
        self.check(heddle.load(unproved))
        self.refused(heddle.UnsupportedError, "the artifact has no certificate, so its host program cannot be checked; compile it again, or "
                     "load it without the check", unproved, check=True)

    def test_no_descriptor_is_left(self):
        data = pathlib.Path(FIXTURE).read_bytes()
        heddle.load(data)
        before = os.listdir("/proc/self/fd")
        for _ in range(5):
            heddle.load(data)
            with self.assertRaises(heddle.MalformedError):
                heddle.load(data[:1000])
        self.assertEqual(before, os.listdir("/proc/self/fd"))

    def test_what_is_neither(self):
        data = pathlib.Path(FIXTURE).read_bytes()
        self.refused(heddle.MalformedError, "the bytes: an artifact has a header of 128 bytes, got 100 bytes in all; the file is cut off "
                     "or not an artifact", data[:100])
        self.refused(heddle.InvalidArgumentError, "an artifact or a model is expected, got no bytes", b"")
        self.refused(heddle.InvalidArgumentError, "a file-like object is opened for bytes, as open(path, 'rb') does it, got one that reads str",
                     io.StringIO("x"))
        with self.assertRaises(heddle.CompileError):
            heddle.load(b"hello world")
        with self.assertRaises(heddle.CompileError):
            heddle.load(self.folder / "none.onnx")

    def test_names_of_devices(self):
        self.assertEqual(["local"], [device.uri for device in heddle.load(FIXTURE, devices="cpu").devices])
        self.assertEqual(["local://0?memory=64m"], [device.uri for device in heddle.load(FIXTURE, devices=["cpu://0?memory=64m"]).devices])
        self.assertEqual("local", heddle.devices("cpu")[0].driver)
        try:
            gpu = heddle.devices("gpu")[0]
        except heddle.NotFoundError as error:  # a processor that plays a GPU is none
            self.assertIn("'gpu' is the first GPU of cuda or vulkan, and neither has one here; give another device, such as cpu", error.message)
            self.assertGreaterEqual(len(error.notes), 2)
            with self.assertRaises(heddle.NotFoundError):
                heddle.load(FIXTURE, devices="gpu")
            self.assertEqual("local", heddle.load(onnx_model(ADD), devices=["gpu", "cpu"]).devices[0].uri)
        else:
            self.assertEqual(gpu.uri, heddle.load(onnx_model(ADD), devices=["gpu", "cpu"]).devices[0].uri)

    def test_threads(self):
        for threads in (1, 3):
            module = heddle.load(FIXTURE, threads=threads)
            self.assertEqual([(f"local?threads={threads}", threads)], [(device.uri, device.cores) for device in module.devices])
        self.assertEqual("local?threads=2", heddle.load(FIXTURE, devices="local?threads=2", threads=5).devices[0].uri)
        for bad in (0, -1, 1025, 1.0, True, "4"):
            self.refused(heddle.InvalidArgumentError, f"threads is an integer from 1 to 1024, got {bad!r}", FIXTURE, threads=bad)

    @unittest.skipUnless(sys.platform == "linux", "counts threads in /proc")
    def test_modules_share_threads(self):
        def count():
            return len(os.listdir("/proc/self/task"))

        keep = [heddle.load(FIXTURE, threads=6)]
        first = count()
        keep += [heddle.load(FIXTURE, threads=6), heddle.load(FIXTURE, devices="cpu?threads=6")]
        self.assertEqual(first, count())
        keep.clear()
        self.assertEqual(first - 5, count())

    def test_metadata(self):
        model = onnx_model(ADD)
        for key, value in (("names", "{0: 'größer'}"), ("line", "a\nb"), ("empty", "")):
            onnx.helper.set_model_props(model, {**{p.key: p.value for p in model.metadata_props}, key: value})
        module = heddle.load(heddle.compile(model, self.folder / "m.heddle"))
        self.assertEqual({"names": "{0: 'größer'}", "line": "a\nb", "empty": ""}, module.metadata)
        self.assertEqual({}, heddle.load(FIXTURE).metadata)

    def test_profile(self):
        module = heddle.load(onnx_model("g (float[n] a, float[n] b) => (float[n] y, float[n] z) { t = Add(a, b) y = Softmax(t) z = Exp(a) }"))
        profile = module.profile(ONES, b=ONES, calls=3)
        self.assertAlmostEqual(100, sum(row.percent for row in profile.rows), 6)
        self.assertGreater(profile.call_ms, profile.work_ms)
        self.assertTrue(any("Exp" in row.node for row in profile.rows), profile)
        self.assertEqual({"local"}, {row.device for row in profile.rows})
        self.assertEqual({1.0}, {row.runs for row in profile.rows if row.kind == "dispatch"})
        self.assertEqual((3,), profile.results[0].shape)
        self.assertIn("ms a call (3 calls, traced)", str(profile))
        for row, later in zip(profile.rows, profile.rows[1:]):
            self.assertGreaterEqual(row.ms, later.ms)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "calls is an integer from 1, got 0"):
            module.profile(ONES, ONES, calls=0)
        with self.assertRaisesRegex(heddle.NotFoundError, "no entry point 'mian'; did you mean 'main'"):
            module.profile(ONES, ONES, function="mian")
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "'b' is missing"):
            module.profile(ONES)
        module(ONES, ONES)  # without a trace again

    def test_statistics(self):
        module = heddle.load(onnx_model(ADD))
        module(ONES, ONES)
        statistics = module.statistics()
        self.assertEqual({"parameters_packed", "parameters_cached", "uploaded_bytes", "calls"}, set(statistics))
        self.assertGreater(statistics["calls"]["main"]["dispatches"], 0)


if __name__ == "__main__":
    unittest.main()
