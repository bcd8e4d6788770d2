# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program of several ranks: all of them as threads of one process."""
import pathlib
import sys

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "onnx_ops"))

import tools  # noqa: E402


def run_own(text, inputs, results, folder):
    """Every rank has its own inputs; the results of each rank: [[arrays]]. Raises tools.ToolError."""
    model, artifact = folder / "m.mlir", folder / "m.heddle"
    model.write_text(text)
    for rank, arrays in enumerate(inputs):
        for n, array in enumerate(arrays):
            numpy.save(folder / f"in{n}_{rank}.npy", array)
    rank = "{rank}" if len(inputs) > 1 else "0"
    given = [f"--input=@{folder}/in{n}_{rank}.npy" for n in range(len(inputs[0]))]
    wanted = [f"--output=@{folder}/out{n}_{rank}.npy" for n in range(results)]
    tools.run(("heddle-compile", model, "-o", artifact), ("heddle-run", artifact, *given, *wanted))
    return [[numpy.load(folder / f"out{n}_{rank}.npy") for n in range(results)] for rank in range(len(inputs))]


def run_whole(model, inputs, names, folder):
    """Whole arrays in and out, which ranks have parts of: {name: array}. Raises tools.ToolError."""
    artifact = folder / "m.heddle"
    for key, array in inputs.items():
        numpy.save(folder / f"{key}.npy", array)
    tools.run(("heddle-compile", model, "-o", artifact),
              ("heddle-run", artifact, *(f"--input=@{folder}/{key}.npy" for key in inputs),
               *(f"--output=@{folder}/{key}.npy" for key in names)))
    return {key: numpy.load(folder / f"{key}.npy") for key in names}
