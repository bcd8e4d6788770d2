# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks with one half of their nodes on one device and the other half on another, from one artifact."""
import json
import re
import unittest

import numpy
import onnx

import support
from support import ARTIFACTS, EndToEnd, heddle, model, oracle

NETWORKS = ("minilm", "light_resnet50")
# What the networks' own tests allow, relative to the largest value.
TOLERANCE = 2e-5


def feed_of(name):
    if name == "minilm":
        ids = numpy.random.default_rng(1).integers(1000, 30000, (1, 24))
        return {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    return {"gpu_0/data_0": numpy.random.default_rng(7).standard_normal((1, 3, 224, 224)).astype(numpy.float32)}


def halves(name, folder):
    """A placement file: the first half of the nodes on @a, the other on @b. Nodes without a name go by kind and number."""
    nodes = onnx.load(model(name), load_external_data=False).graph.node
    path = folder / "place.txt"
    path.write_text("".join(f"{node.name or f'{node.op_type}_{i}'} = {'a' if 2 * i < len(nodes) else 'b'}\n"
                            for i, node in enumerate(nodes)))
    return path


class PlacedNetworks(EndToEnd):
    def compile(self, name, *devices):
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        target = ARTIFACTS / f"{name}_halves_{re.sub('[^a-z0-9]+', '_', ' '.join(devices))}.heddle"
        flags = [f"--target-device={device}" for device in devices]
        result = heddle("compile", model(name), "-o", target, *flags, f"--place-file={halves(name, self.folder)}",
                        f"--stats={target}.json")
        self.assertEqual(0, result.returncode, result.stderr)
        return target, json.loads((ARTIFACTS / f"{target.name}.json").read_text()), result.stderr

    def check(self, name, target, *devices):
        feed = feed_of(name)
        want = oracle(name)(feed)
        outputs = [output.name for output in onnx.load(model(name), load_external_data=False).graph.output]
        arguments = [f"--input={key}={self.save('in_' + key, value)}" for key, value in feed.items()]
        arguments += [f"--output={key}=@{self.file('out_' + key)}" for key in outputs]
        result = heddle("run", target, *arguments, *(f"--device={uri}" for uri in devices))
        self.assertEqual(0, result.returncode, result.stderr)
        for key, array in zip(outputs, want):
            got = numpy.load(self.file("out_" + key))
            self.assert_close(got, array, TOLERANCE * float(numpy.abs(array).max()))

    def check_trace(self, name, target, transfers, *devices):
        """A call copies exactly what the placement said would cross, and nothing else between devices."""
        inputs = [f"--input={key}={self.save('in_' + key, value)}" for key, value in feed_of(name).items()]
        result = heddle("trace", target, *inputs, *(f"--device={uri}" for uri in devices),
                        "-o", self.folder / "t.json")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertRegex(result.stdout + result.stderr, rf"(?m)^{transfers} transfers?, ")


def test_two_core_sets(self, name):
    target, stats, text = self.compile(name, "a=local[0]", "b=local[1]")
    self.assertRegex(text, r"placed \d+ ops: a \d+, b \d+ \(\d+ transfers")
    self.assertGreater(stats["transfers"], 0)
    self.assertLess(stats["transfers"], 8)
    self.check(name, target, "local://0", "local://1")
    self.check(name, target, "local://1", "local://0")
    self.check_trace(name, target, stats["transfers"], "local://0", "local://1")


def test_processor_and_vulkan(self, name):
    devices = ("a=local", "b=vulkan,fallback(@a)")
    target, stats, _ = self.compile(name, *devices)
    first = target.read_bytes()
    self.compile(name, *devices)
    self.assertEqual(first, target.read_bytes(), "the same compilation twice")
    self.check(name, target, "local://0", "vulkan")
    self.check(name, target, "local://0")
    self.check_trace(name, target, stats["transfers"], "local://0", "vulkan")


for each in NETWORKS:
    for test in (test_two_core_sets, test_processor_and_vulkan):
        setattr(PlacedNetworks, f"{test.__name__}_{each}", lambda self, test=test, each=each: test(self, each))
del test

if __name__ == "__main__":
    unittest.main()
