# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models compiled for Vulkan, on the first Vulkan device of the machine, against ONNX Runtime."""
import unittest

import numpy
import support
from support import ARTIFACTS, error_bound, heddle, model, oracle


def tokens(batch, length):
    ids = numpy.random.default_rng(batch + length).integers(1000, 30000, (batch, length))
    return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}


class VulkanTest(support.EndToEnd):
    def compile(self, name):
        target = ARTIFACTS / f"{name}.vulkan.heddle"
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        result = heddle("compile", model(name), "-o", target, "--target-device=vulkan")
        self.assertEqual(0, result.returncode, result.stderr)
        return target

    def check(self, artifact, name, feed, output, atol):
        inputs = [f"--input={key}={self.save('in_' + key, value)}" for key, value in feed.items()]
        result = heddle("run", artifact, "--device=vulkan", f"--output={output}=@{self.file('out')}", *inputs)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assert_close(numpy.load(self.file("out")), oracle(name)(feed)[0], atol)

    def test_magika(self):
        artifact = self.compile("magika")
        for batch in (1, 3):
            rows = numpy.random.default_rng(batch).integers(0, 257, (batch, 2048), dtype=numpy.int32)
            # As test_magika.py.
            bound = error_bound([512, 512, 1280, 512, 512, 512, 214, 16, 16], scale=32 / 4)
            self.check(artifact, "magika", {"bytes": rows}, "target_label", bound)

    def test_minilm(self):
        artifact = self.compile("minilm")
        for batch, length in ((1, 16), (2, 9)):
            # Twelve matrix products and norms over 384 in each of six layers, values up to 6.
            self.check(artifact, "minilm", tokens(batch, length), "last_hidden_state", error_bound([384] * 72, scale=6))

    def test_squeezenet(self):
        feed = {"data_0": numpy.random.default_rng(7).standard_normal((1, 3, 224, 224)).astype(numpy.float32)}
        artifact = self.compile("light_squeezenet")
        # Windows of up to 576 values, 26 convolutions; probabilities below 1 with a slope of at most 1/4 in logits below 32.
        self.check(artifact, "light_squeezenet", feed, "softmaxout_1", error_bound([576] * 26, scale=8))

    def test_refused(self):
        artifact = self.compile("magika")
        result = heddle("run", artifact, "--device=local", "--dry-run")
        self.assertNotEqual(0, result.returncode)
        self.assertIn("vulkan", result.stderr)


if __name__ == "__main__":
    unittest.main()
