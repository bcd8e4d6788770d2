# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random whole programs with random requests on random meshes of 1 to 8 ranks, against numpy: by the reference as written, by the
reference behind stage `partition` as the compiler decides and as dice decide, compiled and run as threads and as MPI processes.

HEDDLE_SHARD_PROGRAMS=1000 HEDDLE_SHARD_SEED=7 for more, and others; `make shard-random`. A failing program is kept in the folder that
HEDDLE_SHARD_KEEP names.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from shard_programs import WholeProgram, random_mesh  # noqa: E402
from support import BIN, TIMEOUT_S, EndToEnd  # noqa: E402

PROGRAMS = int(os.environ.get("HEDDLE_SHARD_PROGRAMS", "12"))
RUNS = int(os.environ.get("HEDDLE_SHARD_RUNS", str(max(2, PROGRAMS // 10))))  # of these programs are compiled and run
SEED = int(os.environ.get("HEDDLE_SHARD_SEED", "1"))
KEEP = os.environ.get("HEDDLE_SHARD_KEEP")
PASSES = ["ranks-partition", "ranks-resolve-meshes", "ranks-keep-shapes", "ranks-verify-uniform", "ranks-lower-collectives", "ranks-keep-shapes", "ranks-verify"]


def with_mpi():
    """The environment in which `heddle launch` finds an MPI, where there is one."""
    mpiexec = pathlib.Path(os.environ.get("HEDDLE_TEST_MPICH", sys.prefix)) / "bin" / "mpiexec"
    variables = {name: value for name, value in os.environ.items() if name not in ("HEDDLE_MPI", "VIRTUAL_ENV")}
    return variables | ({"HEDDLE_MPIEXEC": str(mpiexec)} if mpiexec.exists() else {})


MPI = with_mpi()


class RandomPrograms(EndToEnd):
    def tool(self, *command):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL, env=MPI)
        self.assertEqual(0, done.returncode, f"{' '.join(map(str, command))}\n{done.stderr[-4000:]}")
        return done.stdout

    def compare(self, way, program, command):
        flags = [f"--input=@{self.folder}/in{i}.npy" for i in range(len(program.inputs))]
        flags += [f"--output=@{self.folder}/out{i}.npy" for i in range(len(program.results))]
        self.tool(*command, *flags)
        for i, wanted in enumerate(program.expected()):
            got = numpy.load(self.folder / f"out{i}.npy")
            self.assertEqual(wanted.shape, got.shape, f"{way}, result {i}")
            numpy.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4, err_msg=f"{way}, result {i}")

    def prepare(self, seed):
        random = numpy.random.default_rng(seed)
        program = WholeProgram(random, random_mesh(random))
        (self.folder / "program.mlir").write_text(program.text())
        for i, value in enumerate(program.inputs):
            numpy.save(self.folder / f"in{i}.npy", value)
        sizes = [f"--mesh={program.mesh.flag()}"] if program.mesh.flag() else []
        return program, sizes

    def check(self, seed, ways):
        program, sizes = self.prepare(seed)
        source = self.folder / "program.mlir"
        written, decided, drawn, artifact = (self.folder / name for name in ("written.mlir", "decided.mlir", "drawn.mlir", "program.heddle"))
        if "reference" in ways:
            self.tool(BIN / "heddle", "compile", source, "--compile-to=import", "-o", written, *sizes)
            self.compare("as written", program, [BIN / "heddle-reference", written, "--small", *sizes])
            self.tool(BIN / "heddle", "compile", source, "--compile-to=partition", "-o", decided, *sizes)
            self.compare("as decided", program, [BIN / "heddle-reference", decided, "--small", *sizes])
            resolve = "--ranks-resolve-meshes" + (f"=sizes={program.mesh.flag()}" if sizes else "")
            self.tool(BIN / "heddle-opt", written, resolve, f"--ranks-decide-randomly=seed={seed}", *(f"--{name}" for name in PASSES), "-o", drawn)
            self.compare("as drawn", program, [BIN / "heddle-reference", drawn, "--small", *sizes])
        if "run" in ways:
            self.tool(BIN / "heddle", "compile", source, "-o", artifact)
            self.compare("run", program, [BIN / "heddle", "run", artifact, *sizes])

        if "launch" in ways:
            self.tool(BIN / "heddle", "compile", source, "-o", artifact)
            self.compare("launch", program, [BIN / "heddle", "launch", "-n", program.mesh.ranks, "run", artifact, *sizes])

    def keep(self, seed):
        if KEEP:
            shutil.copytree(self.folder, pathlib.Path(KEEP) / str(seed), dirs_exist_ok=True)

    def each(self, seeds, ways):
        failed = []
        for seed in seeds:
            with self.subTest(seed=seed):
                try:
                    self.check(seed, ways)
                except BaseException:
                    failed.append(seed)
                    self.keep(seed)
                    raise
        print(f"{len(seeds)} programs of seeds {seeds[0]} to {seeds[-1]}, {ways}: {len(failed)} failed {failed}", flush=True)

    def test_by_the_reference(self):
        self.each(range(SEED, SEED + PROGRAMS), ["reference"])

    def test_run_as_threads(self):
        self.each(range(SEED, SEED + RUNS), ["run"])

    def test_run_as_processes(self):
        if "HEDDLE_MPIEXEC" not in MPI:
            self.skipTest("no MPI is installed; scripts/setup.sh brings it")
        self.each(range(SEED, SEED + RUNS), ["launch"])


if __name__ == "__main__":
    unittest.main()
