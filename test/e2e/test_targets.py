# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code for several processors in one artifact: the right results by each, the best chosen at load, clear refusals."""
import json
import unittest

import numpy
import support

LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
TEXT = """<ir_version: 8, opset_import: ["" : 17]>
g (float[n,20] a, float[20,30] b, float[30] c) => (float[n,30] y) { m = MatMul (a, b) s = Add (m, c) t = Erf (s) y = Softmax (t) }"""


class TargetsTest(support.EndToEnd):
    def setUp(self):
        super().setUp()
        import onnx
        import onnx.parser
        import onnxruntime

        self.model = self.folder / "m.onnx"
        onnx.save(onnx.parser.parse_model(TEXT), self.model)
        generator = numpy.random.default_rng(5)
        feed = {"a": (7, 20), "b": (20, 30), "c": (30,)}
        feed = {name: generator.uniform(-1, 1, shape).astype(numpy.float32) for name, shape in feed.items()}
        self.inputs = [f"--input={name}={self.save(name, value)}" for name, value in feed.items()]
        self.expected = self.save("y", onnxruntime.InferenceSession(str(self.model)).run(None, feed)[0])

    def compile(self, *cpus):
        artifact = self.folder / "m.heddle"
        result = support.heddle("compile", self.model, "-o", artifact, *[f"--target-cpu={cpu}" for cpu in cpus])
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def has(self, level):
        return support.heddle("inspect", support.ROOT / "test/artifacts/format-1.heddle", f"--device=local?cpu={level}").returncode == 0

    def run_on(self, artifact, device):
        return support.heddle("run", artifact, f"--device={device}", *self.inputs, f"--expected-output={self.expected}")

    def chosen(self, artifact, device):
        result = support.heddle("run", artifact, f"--device={device}", "--dry-run")
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout.strip().split("variants: ")[1]

    def test_every_level(self):
        artifact = self.compile(",".join(LEVELS[:2]), *LEVELS[2:])
        present = [level for level in LEVELS if self.has(level)]
        self.assertIn("x86-64", present)
        for level in present:
            self.assertEqual(f"{level} 2", self.chosen(artifact, f"local://0?cpu={level}"))
            result = self.run_on(artifact, f"local://0?cpu={level}")
            self.assertEqual(0, result.returncode, level + ": " + result.stderr)
        self.assertEqual(f"{present[-1]} 2", self.chosen(artifact, "local"))

    def test_features_beyond_a_level(self):
        artifact = self.compile("x86-64-v3+avxvnni,x86-64-v3")
        self.assertEqual("x86-64-v3 2", self.chosen(artifact, "local://0?cpu=x86-64-v3"))

    def test_no_variant_fits(self):
        artifact = self.compile("x86-64-v3,x86-64-v4,aarch64:generic")
        result = self.run_on(artifact, "local://0?cpu=x86-64")
        self.assertEqual(1, result.returncode)
        for text in ["needs local, got no device that fits", "x86-64-v3 needs sse3, ssse3", "x86-64-v4 needs sse3",
                     "aarch64:generic needs format elf-aarch64"]:
            self.assertIn(text, result.stderr)

    def test_other_architecture(self):
        result = self.run_on(self.compile("aarch64:cortex-a72", "riscv64:generic+v"), "local://0")
        self.assertEqual(1, result.returncode)
        self.assertIn("it does not load elf-aarch64, elf-riscv64", result.stderr)

    def test_inspect_shows_variants_and_the_choice(self):
        artifact = self.compile("x86-64-v3,x86-64,riscv64:generic+v")
        report = json.loads(support.heddle("inspect", artifact, "--json", "--device=local://0?cpu=x86-64").stdout)
        variants = report["executables"][0]["variants"]
        self.assertEqual(["x86-64-v3", "x86-64", "riscv64:generic+v"], [variant["target"] for variant in variants])
        self.assertTrue(all(variant["bytes"] > 0 for variant in variants))
        self.assertEqual(["device_0 = local://0?cpu=x86-64 (alternative 0 of 1: local), variants: x86-64 2"], report["plan"])
        page = support.heddle("inspect", artifact, "--device=local://0?cpu=x86-64").stdout
        self.assertIn("would run as\n  device_0 = local://0?cpu=x86-64", page)

    def test_equal_code_is_stored_once(self):
        """LLVM makes the same code for both processors."""
        one = self.compile("sapphirerapids").stat().st_size
        artifact = self.compile("sapphirerapids,emeraldrapids")
        report = json.loads(support.heddle("inspect", artifact, "--json").stdout)
        code = sum(variant["bytes"] for executable in report["executables"] for variant in executable["variants"])
        self.assertEqual([2, 2], [len(executable["variants"]) for executable in report["executables"]])
        self.assertLess(artifact.stat().st_size - one, code / 2)

    def test_unknown_names_are_wrong_usage(self):
        for flags, text in [(["--target-cpu=x86-64-v3,x86-64-v33"], "unknown target CPU 'x86-64-v33'; did you mean 'x86-64-v3'?"),
                            (["--target-cpu=arm:generic"], "unknown architecture 'arm'"),
                            (["--target-cpu=riscv64:generic+w"], "unknown feature 'w' of riscv64"),
                            (["--target-device=npu"], "unknown target device 'npu'; known: ")]:
            self.assert_fails(2, text, "compile", self.model, "-o", self.folder / "x.heddle", *flags)
        self.assert_fails(2, "unknown target CPU 'x86-64-v33'", "check", self.model, "--target-cpu=x86-64-v33")


if __name__ == "__main__":
    unittest.main()
