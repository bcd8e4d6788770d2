# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Certificates of artifacts (docs/design/certificate.md): every program's is true and checked again, no mutant's is.

HEDDLE_SEED and HEDDLE_MUTANTS say which mutants and how many of each program.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy
import onnx
import onnx.parser

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import data_dependent_programs  # noqa: E402
import pitch_programs  # noqa: E402
import stream_programs  # noqa: E402
import support  # noqa: E402
import test_memory_in_place  # noqa: E402
import test_queues  # noqa: E402
import test_ranks_overlap as overlap  # noqa: E402
import test_state  # noqa: E402
from support import BIN, heddle  # noqa: E402

SEED = int(os.environ.get("HEDDLE_SEED", "1"))
MUTANTS = int(os.environ.get("HEDDLE_MUTANTS", "45"))
MARK = "0, {}"

FREE_MESH = """device.mesh @m = [x = ?]
func.func @main(%x: tensor<?x8xf32> {heddle.name = "x", heddle.dims = ["n", ""]}) -> (tensor<?x8xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %a = linalg.exp ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %s = flow.all_reduce %a sum over @m["x"] : tensor<?x8xf32>{%n}
  %p = flow.permute %a shift 1 over @m["x"] : tensor<?x8xf32>{%n}
  %y = linalg.add ins(%s, %p : tensor<?x8xf32>, tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
"""


def ring(d, m=4, k=8, n=8):
    """A ring of permutes beside products: what comes from the neighbour is worked on next."""
    t, body, value = overlap.tensor, "", "x"
    for step in range(d):
        body += overlap.product(f"p{step}", value, "w", m, k, n)
        body += f'  %v{step} = flow.permute %{value} shift 1 over @m["x"] : {t(m, k)}\n'
        value = f"v{step}"
    total = "p0"
    for step in range(1, d):
        body += overlap.add(f"y{step}", total, f"p{step}", (m, n))
        total = f"y{step}"
    return overlap.main({"x": (m, k), "w": (k, n)}, (m, n), body, total)


def programs():
    """Of each: a name, what is compiled, flags."""
    model = ", ".join(f"{key} = {float(value)}" for key, value in overlap.MODEL.items())

    def ranks(text, size):
        return overlap.HEAD.replace("SIZE", str(size)).replace("MODEL", model) + text

    for case in overlap.CASES:
        yield f"overlap {case.__name__}", ranks(case(2)[0], 2), ["--strategy=overlap:3"]
    yield "ring", ranks(ring(3), 3), []
    yield "free mesh", FREE_MESH, []
    marks = [MARK.format(3)] * 3
    yield "streams", stream_programs.chain(*marks), []
    yield "streams, ordered", stream_programs.chain(*["0, 2, parts = 5, ordered"] * 2), []
    yield "columns", pitch_programs.loop((6, 9), 1, 2).replace("scf.yield %next : tensor<6x9xf32>\n  }", "scf.yield %next : tensor<6x9xf32>\n  } {heddle.streams = #flow.streams<3>}"), []
    yield "rows that are free", pitch_programs.loop((6, 9), 1, 4, free=(0,)), []
    yield "queues", test_memory_in_place.chains(4, 3, False), []
    yield "queues, free", test_memory_in_place.chains(3, 2, True), []
    yield "in place", test_memory_in_place.residual_blocks(2), []
    yield "two chains", test_queues.DEVICE + test_queues.CHAINS.replace("LEFT", "{heddle.affinity = #device.affinity<@a, [0]>}").replace(
        "RIGHT", "{heddle.affinity = #device.affinity<@a, [1]>}").replace("SUM", "{heddle.affinity = #device.affinity<@a, [0]>}"), []
    yield "loop", test_queues.DEVICE + test_queues.LOOP, []
    yield "two devices", test_queues.DEVICE + test_queues.OTHER + test_queues.CHAINS.replace("LEFT", "").replace(
        "RIGHT", "{heddle.affinity = #device.affinity<@b>}").replace("SUM", ""), []
    yield "counter", test_state.COUNTER, []
    yield "cache", onnx.parser.parse_model(test_state.CACHE), []
    yield "growing", onnx.parser.parse_model(test_state.GROWING), []
    for kind in ("NonZero", "Unique", "Compress"):
        if kind in data_dependent_programs.PROGRAMS:
            yield kind, data_dependent_programs.make(numpy.random.default_rng(3), 20, kind)[0], []


class Certificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.held.name)
        cls.artifacts = {}
        for number, (name, model, flags) in enumerate(programs()):
            source = cls.folder / f"p{number}{'.mlir' if isinstance(model, str) else '.onnx'}"
            source.write_text(model) if isinstance(model, str) else onnx.save(model, source)
            result = heddle("compile", source, "-o", source.with_suffix(".heddle"), *flags)
            if result.returncode:
                raise AssertionError(f"{name}: {result.stderr}\n{model}")
            cls.artifacts[name] = source.with_suffix(".heddle")

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def verify(self, artifact, *flags):
        return heddle("inspect", artifact, "--verify", *flags)

    def test_no_false_alarm(self):
        for name, artifact in self.artifacts.items():
            with self.subTest(program=name):
                result = self.verify(artifact, "--json")
                self.assertEqual(0, result.returncode, result.stderr)
                report = json.loads(result.stdout)
                self.assertEqual([each["name"] for each in report["certificate"]["programs"]],
                                 [each["name"] for each in report["verified_programs"]])
                self.assertTrue(all(each["cases"] for each in report["verified_programs"]), report["verified_programs"])
                self.assertTrue(all(int(each["dataflow"], 16) for each in report["certificate"]["programs"]))

    def test_complete_where_nothing_is_free(self):
        for name, complete in (("queues", True), ("overlap reduced", True), ("queues, free", False), ("free mesh", False)):
            report = json.loads(self.verify(self.artifacts[name], "--json").stdout)
            self.assertEqual([complete], [each["complete"] for each in report["verified_programs"]], name)

    def test_sizes_by_flag(self):
        artifact = self.artifacts["free mesh"]
        result = self.verify(artifact, "--dim=n=5", "--mesh=x=6")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertRegex(result.stdout, r"verified: main: holds in \d+ cases?: n 5; x 6")
        for flag, reason in (("--dim=m=5", "no dimension of this name"), ("--mesh=y=2", "no axis of this name"), ("--dim=n", "takes NAME=SIZE"),
                             ("--mesh=x=0", "is no size"), ("--dim=n=x", "takes NAME=SIZE")):
            result = self.verify(artifact, flag)
            self.assertEqual(2, result.returncode, result.stderr)
            self.assertIn(reason, result.stderr)
        self.assertEqual(2, heddle("inspect", artifact, "--dim=n=5").returncode)

    def test_sentences(self):
        text = heddle("inspect", self.artifacts["free mesh"]).stdout
        self.assertIn("main, on all ranks of m:", text)
        self.assertIn("proved: all members of a group come to the same collectives in one order", text)
        self.assertIn("left: that the axes take as many ranks as the world has", text)
        self.assertNotIn("all ranks", heddle("inspect", self.artifacts["queues"]).stdout)

    def test_without_the_proof_there_is_no_certificate(self):
        source = self.folder / "unproved.mlir"
        source.write_text(test_memory_in_place.chains(2, 2, False))
        result = heddle("compile", source, "-o", source.with_suffix(".heddle"), "--disable-pass=schedule-verify-host")
        self.assertEqual(0, result.returncode, result.stderr)
        result = self.verify(source.with_suffix(".heddle"))
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("the artifact has no certificate", result.stdout)
        self.assertIsNone(json.loads(heddle("inspect", source.with_suffix(".heddle"), "--json").stdout)["certificate"])

    def test_mutants(self):
        """Each is refused, or computes the same whatever the order."""
        done = subprocess.run([str(BIN / "heddle_artifact_mutants"), f"--seed={SEED}", f"--each={MUTANTS}", *map(str, self.artifacts.values())],
                              capture_output=True, text=True, timeout=1200)
        print(done.stdout.splitlines()[-1] if done.stdout else done.stderr)
        self.assertEqual(0, done.returncode, f"seed {SEED}: {done.stdout}{done.stderr}")
        found = re.search(r"(\d+) mutants: (\d+) refused by the hash; .* (\d+) refused by the check", done.stdout)
        mutants, by_hash, by_check = map(int, found.groups())
        self.assertGreaterEqual(mutants, 500)
        self.assertEqual(mutants, by_hash)
        self.assertGreater(by_check, mutants // 3)


if __name__ == "__main__":
    unittest.main()
