# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random graphs against ONNX Runtime: on one device, and with every node on a random one of two.

    HEDDLE_GRAPHS=300 HEDDLE_SEED=1000 test/run_unittests.py test/random_graphs     300 graphs from seed 1000 (`make fuzz-devices`)

A failure names the seed; the same seed makes the same graph and the same placement.
"""
import os
import pathlib
import sys
import tempfile
import unittest

import numpy
import onnx
import onnxruntime

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "onnx_ops"))

import tools  # noqa: E402
from graphs import random_graph  # noqa: E402

FIRST = int(os.environ.get("HEDDLE_SEED", "0"))
COUNT = int(os.environ.get("HEDDLE_GRAPHS", "20"))
# Paths of up to 18 nodes with reductions of at most 200 terms of order one to ten; f32 has a unit roundoff of 6e-8.
RTOL, ATOL = 1e-4, 2e-4
# Where nodes may go, and what the artifact is run on.
PLACEMENTS = {
    "one device": ((), ("local://0",)),
    "two devices": (("a=local[0]", "b=local[1]"), ("local://0", "local://1")),
    "two devices, swapped": (("a=local[0]", "b=local[1]"), ("local://1", "local://0")),
    "two names for one device": (("a=local", "b=fallback(@a)"), ("local://0",)),
    "two processors": (("a=local{cpu=x86-64-v3}", "b=local{cpu=x86-64}"), ("local://0?cpu=x86-64-v3", "local://1")),
}


class RandomGraphs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compile(self, placement, model, seed):
        artifact = self.folder / f"{len(list(self.folder.iterdir()))}.heddle"
        flags = [f"--target-device={device}" for device in placement]
        if placement:
            random = numpy.random.default_rng(seed)
            names = [device.split("=")[0] for device in placement]
            lines = [f"{node.name} = {random.choice(names)}\n" for node in model.graph.node if random.integers(4)]
            place = self.folder / "place.txt"
            place.write_text("".join(lines))
            flags.append(f"--place-file={place}")
        tools.run(("heddle-compile", self.folder / "m.onnx", "-o", artifact, *flags))
        return artifact

    def check(self, placement, seed):
        model, feed = random_graph(seed)
        onnx.save(model, self.folder / "m.onnx")
        session = onnxruntime.InferenceSession(str(self.folder / "m.onnx"), providers=["CPUExecutionProvider"])
        want = dict(zip((result.name for result in session.get_outputs()), session.run(None, feed)))
        devices, uris = PLACEMENTS[placement]
        artifact = self.compile(devices, model, seed)
        arguments = [f"--device={uri}" for uri in uris]
        for name, array in feed.items():
            numpy.save(self.folder / f"{name}.npy", array)
            arguments.append(f"--input={name}=@{self.folder}/{name}.npy")
        arguments += [f"--output={name}=@{self.folder}/{name}.npy" for name in want]
        tools.run(("heddle-run", artifact, *arguments))
        for name, array in want.items():
            numpy.testing.assert_allclose(numpy.load(self.folder / f"{name}.npy"), array, rtol=RTOL, atol=ATOL)


def add_test(placement, seed):
    name = f"test_{placement.replace(', ', '_').replace(' ', '_')}_seed_{seed}"
    setattr(RandomGraphs, name, lambda self: self.check(placement, seed))


for number in range(FIRST, FIRST + COUNT):
    for each in PLACEMENTS:
        add_test(each, number)


if __name__ == "__main__":
    unittest.main()
