# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random whole programs with random requests on random meshes of 1 to 8 ranks, against numpy: by the reference as written, by the
reference behind stage `partition` as the compiler decides and as dice decide, compiled and run as threads and as MPI processes.

HEDDLE_SHARD_PROGRAMS=1000 HEDDLE_SHARD_SEED=7 for more, and others; `make shard-random`. A failing program is kept in the folder that
HEDDLE_SHARD_KEEP names. The tools are run by servers that stay, one for each processor (HEDDLE_SHARD_WORKERS).
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / folder) for folder in ("e2e", "onnx_ops")]

from shard_programs import BehindProduct, WholeProgram, random_mesh  # noqa: E402
from support import BIN, TIMEOUT_S  # noqa: E402

os.environ.setdefault("HEDDLE_BIN", str(BIN))
import tools  # noqa: E402

PROGRAMS = int(os.environ.get("HEDDLE_SHARD_PROGRAMS", "12"))
RUNS = int(os.environ.get("HEDDLE_SHARD_RUNS", str(max(2, PROGRAMS // 10))))  # of these programs are compiled and run
SEED = int(os.environ.get("HEDDLE_SHARD_SEED", "1"))
REFUSED_ONCE = [28, 50, 52]  # of products
WORKERS = int(os.environ.get("HEDDLE_SHARD_WORKERS", str(len(os.sched_getaffinity(0)))))
KEEP = os.environ.get("HEDDLE_SHARD_KEEP")
PASSES = ["ranks-partition", "ranks-resolve-meshes", "ranks-keep-shapes", "ranks-verify-uniform", "ranks-lower-collectives", "ranks-keep-shapes", "ranks-verify"]


def with_mpi():
    """The environment in which `heddle launch` finds an MPI, where there is one."""
    mpiexec = pathlib.Path(os.environ.get("HEDDLE_TEST_MPICH", sys.prefix)) / "bin" / "mpiexec"
    variables = {name: value for name, value in os.environ.items() if name not in ("HEDDLE_MPI", "VIRTUAL_ENV")}
    return variables | ({"HEDDLE_MPIEXEC": str(mpiexec)} if mpiexec.exists() else {})


MPI = with_mpi()


class Check:
    """One program on the way through the tools, in a folder of its own."""

    server = threading.local()  # a worker's

    def __init__(self, seed, folder):
        random = numpy.random.default_rng(seed)
        self.seed, self.folder = seed, folder
        self.program = self.make(random)
        self.sizes = [f"--mesh={self.program.mesh.flag()}"] if self.program.mesh.flag() else []
        (folder / "program.mlir").write_text(self.program.text())
        for i, value in enumerate(self.program.inputs):
            numpy.save(folder / f"in{i}.npy", value)

    def make(self, random):
        return WholeProgram(random, random_mesh(random))

    def tool(self, name, *words):
        """By the worker's server, which has the programs that tests run most; else by a process."""
        if name in ("heddle-compile", "heddle-reference", "heddle-run"):
            if not hasattr(self.server, "tools"):
                self.server.tools = tools.Server()
            return self.server.tools.run([name, *words])
        command = [str(word) for word in (BIN / name, *words)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, env=MPI)
        if done.returncode:
            raise tools.ToolError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-4000:]}")
        return None

    def compare(self, way, *command):
        program = self.program
        flags = [f"--input=@{self.folder}/in{i}.npy" for i in range(len(program.inputs))]
        flags += [f"--output=@{self.folder}/out{i}.npy" for i in range(len(program.results))]
        self.tool(*command, *self.sizes, *flags)
        for i, wanted in enumerate(program.expected()):
            got = numpy.load(self.folder / f"out{i}.npy")
            numpy.testing.assert_equal(got.shape, wanted.shape, f"{way}, result {i}")
            numpy.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4, err_msg=f"{way}, result {i}")

    def reference(self):
        source, written, decided, drawn = (self.folder / f"{name}.mlir" for name in ("program", "written", "decided", "drawn"))
        self.tool("heddle-compile", source, "--compile-to=import", "-o", written, *self.sizes)
        self.compare("as written", "heddle-reference", written, "--small")
        self.tool("heddle-compile", source, "--compile-to=partition", "-o", decided, *self.sizes)
        self.compare("as decided", "heddle-reference", decided, "--small")
        resolve = "--ranks-resolve-meshes" + (f"=sizes={self.program.mesh.flag()}" if self.sizes else "")
        self.tool("heddle-opt", written, resolve, f"--ranks-decide-randomly=seed={self.seed}", *(f"--{name}" for name in PASSES), "-o", drawn)
        self.compare("as drawn", "heddle-reference", drawn, "--small")

    def run(self):
        self.tool("heddle-compile", self.folder / "program.mlir", "-o", self.folder / "program.heddle")
        self.compare("run", "heddle-run", self.folder / "program.heddle")

    def launch(self):
        self.tool("heddle-compile", self.folder / "program.mlir", "-o", self.folder / "program.heddle")
        self.compare("launch", "heddle-launch", "-n", self.program.mesh.ranks, "run", self.folder / "program.heddle")


class CheckBehindProduct(Check):
    def make(self, random):
        return BehindProduct(random)


def check(seed, way, kind=Check):
    """None where all is well, else what is not."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            getattr(kind(seed, pathlib.Path(folder)), way)()
        except Exception as error:  # whatever it is, it is this program's
            if KEEP:
                shutil.copytree(folder, pathlib.Path(KEEP) / str(seed), dirs_exist_ok=True)
            return f"{type(error).__name__}: {error}"
    return None


class RandomPrograms(unittest.TestCase):
    def each(self, seeds, way, kind=Check):
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            wrong = list(pool.map(lambda seed: check(seed, way, kind), seeds))
        failed = [seed for seed, text in zip(seeds, wrong) if text]
        print(f"{len(seeds)} programs of seeds {seeds[0]} to {seeds[-1]}, {way}: {len(failed)} failed {failed}, "
              f"{(time.monotonic() - start) / len(seeds):.2f} s a program", flush=True)
        for seed, text in zip(seeds, wrong):
            with self.subTest(seed=seed):
                self.assertIsNone(text, text)

    def test_by_the_reference(self):
        self.each(range(SEED, SEED + PROGRAMS), "reference")

    def test_run_as_threads(self):
        self.each(range(SEED, SEED + RUNS), "run")

    def test_sides_of_a_branch_wait_apart(self):
        """Both sides write a value's buffer, on other streams: what one of them waited for, the other has not."""
        self.each(range(60014, 60015), "run")

    def test_behind_products_run_as_threads(self):
        self.each([*REFUSED_ONCE, *range(SEED, SEED + PROGRAMS // 2)], "run", CheckBehindProduct)

    def test_run_as_processes(self):
        if "HEDDLE_MPIEXEC" not in MPI:
            self.skipTest("no MPI is installed; scripts/setup.sh brings it")
        self.each(range(SEED, SEED + RUNS), "launch")


if __name__ == "__main__":
    unittest.main()
