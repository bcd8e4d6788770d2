# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile and run small models: values, names, files, comparison, devices."""
import json
import subprocess
import unittest

import numpy
import support
from support import DEVICES, artifact, error_bound, heddle, oracle

A = numpy.array([1.5, -2, 7], numpy.float32)
B = numpy.array([1, 5, 7], numpy.int64)


class RunTest(support.EndToEnd):
    def test_prints_results_in_model_order(self):
        result = heddle("run", artifact("two"), "--input=3xf32=1.5,-2,7", "--input=3xi64=1,5,7")
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        lines = result.stdout.splitlines()
        self.assertEqual(2, len(lines), result.stdout)
        self.assertRegex(lines[0], r"sum.*3xf32.*2\.5.*3.*14")
        self.assertRegex(lines[1], r"less.*3xi1")

    def test_positions_names_and_files_give_the_same(self):
        a, b = self.save("a", A), self.save("b", B)
        raw = self.folder / "a.raw"
        A.tofile(raw)
        for number, inputs in enumerate([[a, b], [f"b={b}", f"a={a}"], [f"3xf32=@{raw}", b], ["3xf32=1.5,-2,7", "b=3xi64=1,5,7"]]):
            with self.subTest(inputs=inputs):
                out = [self.folder / f"{name}{number}.npy" for name in ("sum", "less")]
                result = heddle("run", artifact("two"), *[f"--input={i}" for i in inputs], *[f"--output=@{o}" for o in out])
                self.assertEqual(0, result.returncode, result.stderr)
                total, less = map(numpy.load, out)
                self.assert_close(total, A + B.astype(numpy.float32), 0.0)
                self.assertEqual(([False, True, False], numpy.dtype(bool)), (less.tolist(), less.dtype))

    def test_expected_output(self):
        a, b = f"--input={self.save('a', A)}", f"--input={self.save('b', B)}"
        less = self.save("less", A < B)
        for offset, arguments, status in [(0, [], 0), (0.5, [], 1), (0.5, ["--atol=0.6"], 0), (0.5, ["--atol=0.4"], 1)]:
            total = self.save("total", A + B.astype(numpy.float32) + numpy.float32(offset))
            with self.subTest(offset=offset, arguments=arguments):
                result = heddle("run", artifact("two"), a, b, f"--expected-output={total}", f"--expected-output={less}", *arguments)
                self.assertEqual(status, result.returncode, result.stdout + result.stderr)
                if status:
                    self.assertIn("sum", result.stderr)

    def test_expected_output_of_another_type_or_shape(self):
        a, b = f"--input={self.save('a', A)}", f"--input={self.save('b', B)}"
        total = A + B.astype(numpy.float32)
        for wrong in (total.astype(numpy.float64), total[:2], total.reshape(1, 3)):
            with self.subTest(shape=wrong.shape, dtype=wrong.dtype):
                result = heddle("run", artifact("two"), a, b, f"--expected-output=sum={self.save('wrong', wrong)}")
                self.assertEqual(1, result.returncode, result.stdout + result.stderr)
                self.assertIn("expected", result.stderr)

    def test_free_dimension_and_devices(self):
        reference = oracle("mlp")
        generator = numpy.random.default_rng(2)
        for rows in (1, 4, 33):
            x = generator.standard_normal((rows, 8)).astype(numpy.float32)
            (want,) = reference({"x": x})
            for device in DEVICES:
                with self.subTest(rows=rows, device=device):
                    (got,) = self.run_model("mlp", {"x": x}, ["y"], device)
                    self.assert_close(got, want, error_bound([8, 16], scale=float(numpy.abs(want).max()) * 8))

    def test_empty_batch(self):
        (got,) = self.run_model("mlp", {"x": numpy.zeros((0, 8), numpy.float32)}, ["y"])
        self.assertEqual(((0, 4), numpy.dtype(numpy.float32)), (got.shape, got.dtype))

    def test_same_bytes_twice(self):
        again = self.folder / "again.heddle"
        result = heddle("compile", support.model("mlp"), "-o", again)
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertTrue(artifact("mlp").read_bytes() == again.read_bytes())

    def test_dry_run(self):
        result = heddle("run", artifact("mlp"), "--dry-run", "--device=local://0")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("local://0", result.stdout)


class ReportsTest(support.EndToEnd):
    def test_compile_stats(self):
        stats = self.folder / "stats.json"
        result = heddle("compile", support.model("mlp"), "-o", self.folder / "mlp.heddle", f"--stats={stats}")
        self.assertEqual(0, result.returncode, result.stderr)
        report = json.loads(stats.read_text())
        for key in ("compile_ms", "peak_rss_mib", "artifact_bytes", "dispatches", "executables", "kernels", "transfers",
                    "transfer_bytes"):
            self.assertIn(key, report)
        self.assertEqual((self.folder / "mlp.heddle").stat().st_size, report["artifact_bytes"])
        self.assertGreaterEqual(report["dispatches"], 2)
        self.assertRegex(result.stderr, r"placed \d+ ops: ")

    def test_bench(self):
        x = self.save("x", numpy.ones((4, 8), numpy.float32))
        result = heddle("bench", artifact("mlp"), f"--input={x}", "--device=local://0", "--iterations=20", "--json")
        self.assertEqual(0, result.returncode, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(20, report["iterations"])
        self.assertGreater(report["latency_us"]["median"], 0)
        self.assertGreaterEqual(report["dispatches"], 2)

    def test_inspect(self):
        result = heddle("inspect", artifact("two"), "--json")
        self.assertEqual(0, result.returncode, result.stderr)
        report = json.loads(result.stdout)
        for key in ("entry_points", "executables", "parameters", "host", "devices"):
            self.assertIn(key, report)
        self.assertEqual(1, len(report["entry_points"]))


class SizeTest(unittest.TestCase):
    """The runtime stays small and free of LLVM."""

    def test_runtime_library(self):
        (library,) = [p for p in support.BIN.parent.glob("**/libheddle_runtime.so") if p.exists()][:1]
        needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(needed, "LLVM|MLIR")
        stripped = subprocess.run(["llvm-strip-22", "--strip-all", "-o", "-", library], capture_output=True, check=True).stdout
        self.assertLess(len(stripped), 3 * 2**20)

    def test_programs_without_the_compiler(self):
        for program in ("heddle", "heddle-run", "heddle-bench", "heddle-inspect", "heddle-devices"):
            needed = subprocess.run(["readelf", "-d", support.BIN / program], capture_output=True, text=True, check=True).stdout
            self.assertNotRegex(needed, "LLVM|MLIR", program)


if __name__ == "__main__":
    unittest.main()
