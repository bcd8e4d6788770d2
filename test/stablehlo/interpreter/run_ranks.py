# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program of several ranks: all of them as threads of one process, or each as a process that MPI starts."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "onnx_ops"))

import tools  # noqa: E402

MPICH = pathlib.Path(os.environ.get("HEDDLE_TEST_MPICH", sys.prefix)) / "bin" / "mpiexec"


def compile_and_run(model, artifact, ranks, arguments, by_mpi):
    """Raises tools.ToolError."""
    run = ("heddle-run", artifact, *arguments)
    if not by_mpi:
        return tools.run(("heddle-compile", model, "-o", artifact), run)
    tools.run(("heddle-compile", model, "-o", artifact))
    launch = [tools.BIN / "heddle-launch", "-n", ranks, f"--mpiexec={MPICH}", "run", *run[1:]]
    done = subprocess.run([str(word) for word in launch], capture_output=True, text=True, timeout=tools.TIMEOUT_S)
    if done.returncode:
        raise tools.ToolError(f"{' '.join(map(str, launch))} ended with {done.returncode}: {done.stdout}{done.stderr}")


def run_own(text, inputs, results, folder, by_mpi=False):
    """Every rank has its own inputs; the results of each rank: [[arrays]]. Raises tools.ToolError."""
    model = folder / "m.mlir"
    model.write_text(text)
    for rank, arrays in enumerate(inputs):
        for n, array in enumerate(arrays):
            numpy.save(folder / f"in{n}_{rank}.npy", array)
    rank = "{rank}" if len(inputs) > 1 else "0"
    given = [f"--input=@{folder}/in{n}_{rank}.npy" for n in range(len(inputs[0]))]
    wanted = [f"--output=@{folder}/out{n}_{rank}.npy" for n in range(results)]
    compile_and_run(model, folder / "m.heddle", len(inputs), [*given, *wanted], by_mpi)
    return [[numpy.load(folder / f"out{n}_{rank}.npy") for n in range(results)] for rank in range(len(inputs))]


def run_whole(model, ranks, inputs, names, folder, by_mpi=False):
    """Whole arrays in and out, which ranks have parts of: {name: array}. Raises tools.ToolError."""
    for key, array in inputs.items():
        numpy.save(folder / f"{key}.npy", array)
    arguments = [*(f"--input=@{folder}/{key}.npy" for key in inputs), *(f"--output=@{folder}/{key}.npy" for key in names)]
    compile_and_run(model, folder / "m.heddle", ranks, arguments, by_mpi)
    return {key: numpy.load(folder / f"{key}.npy") for key in names}


TOLERANCE = 2e-5  # of f32, relative to the largest element: sums over ranks come in another order than JAX's


def check_sample(case, inputs, name, rounded, by_mpi=False):
    """NAME_N.mlir of the folder `inputs` on N ranks gives what NAME_N.npz has; `rounded`: wider bounds by (sample, result)."""
    arrays = numpy.load(inputs / f"{name}.npz")
    given = {key: arrays[key] for key in arrays.files if key.startswith("in")}
    wanted = [key for key in arrays.files if key.startswith("out")]
    sample, ranks = name.rsplit("_", 1)
    with tempfile.TemporaryDirectory() as folder:
        results = run_whole(inputs / f"{name}.mlir", int(ranks), given, wanted, pathlib.Path(folder), by_mpi)
    for key in wanted:
        got, want, what = results[key], arrays[key], f"{name}: {key}"
        case.assertEqual((want.shape, want.dtype), (got.shape, got.dtype), what)
        if want.dtype.kind != "f":
            numpy.testing.assert_array_equal(got, want, what)
            continue
        scale = max(1.0, numpy.abs(want).max(initial=0))
        bound = rounded.get((sample, key), TOLERANCE)
        numpy.testing.assert_allclose(got, want, rtol=0, atol=bound * scale, err_msg=what)
