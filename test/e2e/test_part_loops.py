# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over parts that a program has (scf.forall): values by NumPy at every stage, on a processor and on Vulkan, and what
is refused."""
import json
import os
import unittest

import numpy
import support
from part_loop_programs import CASES, tiles

SEED = int(os.environ.get("HEDDLE_TEST_SEED", 11))
STAGES = ("import", "simplify", "encode", "form", "resolve")


class PartLoops(support.EndToEnd):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def tool(self, *arguments):
        done = support.heddle(*arguments)
        self.assertEqual(done.returncode, 0, f"seed {SEED}: {done.stderr}")
        return done

    def write(self, text):
        (self.folder / "m.mlir").write_text(text)
        return self.folder / "m.mlir"

    def arguments(self, shapes):
        arrays = [self.random.standard_normal(shape).astype(numpy.float32) / 4 for shape in shapes]
        for i, array in enumerate(arrays):
            numpy.save(self.folder / f"{i}.npy", array)
        return arrays, [f"--input=@{self.folder}/{i}.npy" for i in range(len(arrays))]

    def check(self, name, wanted, command, *flags):
        wanted = wanted if isinstance(wanted, tuple) else (wanted,)
        outputs = [f"--output=@{self.folder}/o{i}.npy" for i in range(len(wanted))]
        self.tool(*command, *flags, *outputs)
        for i, value in enumerate(wanted):
            got = numpy.load(self.folder / f"o{i}.npy")
            self.assertEqual(got.shape, value.shape, (name, command, SEED))
            numpy.testing.assert_allclose(got, value, rtol=2e-5, atol=2e-5, err_msg=f"{name} {command} {SEED}")

    def check_on(self, device, *flags):
        for name, (text, give, calls, dispatches) in CASES.items():
            with self.subTest(name):
                model, artifact = self.write(text), self.folder / "m.heddle"
                self.tool("compile", model, "-o", artifact, *flags)
                if dispatches is not None:
                    bound = json.loads(self.tool("inspect", artifact, "--json").stdout)
                    self.assertEqual(sum(entry["op"] == "dispatch" for entry in bound["host"]), dispatches, name)
                for shapes in calls:
                    arrays, inputs = self.arguments(shapes)
                    self.check(name, give(*arrays), ("run", artifact, f"--device={device}"), *inputs)

    def test_on_a_processor(self):
        self.check_on("local://0-1")

    def test_on_vulkan(self):
        self.check_on("vulkan", "--target-device=vulkan")

    def test_every_stage(self):
        for name, (text, give, calls, _) in CASES.items():
            model = self.write(text)
            arrays, inputs = self.arguments(calls[0])
            for stage in STAGES:
                with self.subTest(name, stage=stage):
                    cut = self.folder / "cut.mlir"
                    self.tool("compile", model, "-o", cut, f"--compile-to={stage}")
                    self.check(name, give(*arrays), ("reference", cut, "--small"), *inputs)

    def test_explain_says_whose_parts(self):
        self.tool("compile", self.write(tiles(100, 20, 70)), "-o", self.folder / "m.heddle")
        self.assertIn("the parts of a loop of the program", self.tool("explain", self.folder / "m.heddle").stdout)

    def test_places_that_only_the_call_knows_are_checked(self):
        """A slice one row past the end of a tensor of free size fails the call."""
        text = tiles().replace("affine_map<(i)[m] -> (16, m - i)>", "affine_map<(i)[m] -> (16, m - i + 1)>")
        self.tool("compile", self.write(text), "-o", self.folder / "m.heddle")
        _, inputs = self.arguments(((20, 8), (8, 40)))
        done = support.heddle("run", self.folder / "m.heddle", *inputs)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("out of range", done.stderr)


if __name__ == "__main__":
    unittest.main()
