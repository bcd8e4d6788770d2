# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""magika's model and our preparation of files, against the package's own and ONNX Runtime."""
import io
import json
import unittest

import numpy
import support
import wheels
from features import features
from labels import labels
from support import DEVICES, ROOT, error_bound, oracle

FILES = ["Makefile", "CMakeLists.txt", "CMakePresets.json", "scripts/run_tests.py", "scripts/setup.sh", "contract/lib/Plan.cpp"]
TYPES = ["makefile", "cmake", "json", "python", "shell", "cpp"]

# On the way to a score: two layer norms over 512 values and their variances, the convolution over 256 channels by 5, the
# last product over 512, softmax over 214; two GELU by Tanh. The logits it works on stay below 32, and a score's slope in
# a logit is at most 1/4.
BOUND = error_bound([512, 512, 1280, 512, 512, 512, 214, 16, 16], scale=32 / 4)


class FeaturesTest(unittest.TestCase):
    def package_features(self, content):
        from magika.magika import Magika
        from magika.types.seekable import Seekable

        found = Magika._extract_features_from_seekable(Seekable(io.BytesIO(content)), 1024, 0, 1024, 256, 4096, False)
        return found.beg + found.end

    def test_same_as_the_package(self):
        generator = numpy.random.default_rng(3)
        random = generator.integers(0, 256, 20000, dtype=numpy.uint8).tobytes()
        samples = [random, random[:1000], random[:1024], random[:1500], random[:4096], random[:4097], b" " * 5000 + random,
                   b"\n\t word " * 300, b" " * 3000, b"x", b"  \n some words \t ", random[:5000] + b"\0 \n" * 700]
        for content in samples:
            with self.subTest(bytes=len(content)):
                # No assertEqual: it would spend minutes on a readable difference.
                self.assertTrue(numpy.array_equal(self.package_features(content), features(content)))


class MagikaTest(support.EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.reference = staticmethod(oracle("magika"))
        cls.config = json.loads(wheels.magika_config().read_text())

    def test_types_of_files(self):
        rows = numpy.stack([features((ROOT / path).read_bytes()) for path in FILES])
        (scores,) = self.run_model("magika", {"bytes": rows}, ["target_label"])
        self.assertEqual(TYPES, [label for label, _ in labels(scores, self.config)])

    def test_agrees_with_onnxruntime(self):
        generator = numpy.random.default_rng(5)
        for batch in (1, 3, 16):
            rows = generator.integers(0, 257, (batch, 2048), dtype=numpy.int32)
            rows[0] = features((ROOT / FILES[batch % len(FILES)]).read_bytes())
            (want,) = self.reference({"bytes": rows})
            for device in DEVICES:
                with self.subTest(batch=batch, device=device):
                    (got,) = self.run_model("magika", {"bytes": rows}, ["target_label"], device)
                    self.assert_close(got, want, BOUND)


if __name__ == "__main__":
    unittest.main()
