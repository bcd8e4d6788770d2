#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles what export.py exported, runs it, and compares with ONNX Runtime and PyTorch.

  run.py OUT --bin build/release/bin [--way WAY]… [NAME]…

Results must agree with both; an error may be a few times that of ONNX Runtime against PyTorch. Where that is above 1e-3
(numbers drawn, choices between equal scores) nothing is judged but that the model compiles and runs. Free sizes are also
tried with twice and three times the batch, longer texts and wider images, where ONNX Runtime takes them. One line a
model; exit status 1 if one is refused or differs. `--times` also measures, with one thread, in turn with ONNX Runtime.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
import onnx
import onnxruntime

LEAST, FACTOR = 3e-5, 10  # tolerance, of the largest magnitude: at least, and times the error of ONNX Runtime against PyTorch
MOST = 1e-3               # of which nothing is judged
MOST_BYTES = 20e6         # of inputs that are made larger
SECONDS = 600
CORE, ROUNDS, ROUND_SECONDS = 0, 3, 0.3


def error(result, want):
    """The greatest difference in parts of the largest magnitude; of integers the share that differs."""
    if result.shape != want.shape or result.dtype.kind != want.dtype.kind:
        return numpy.inf
    if want.size == 0:
        return 0.0
    if want.dtype.kind in "bui":
        return float((result != want).mean())
    result, want = result.astype(numpy.float64), want.astype(numpy.float64)
    finite = numpy.isfinite(want)
    if not numpy.array_equal(result[~finite], want[~finite], equal_nan=True) or not numpy.isfinite(result[finite]).all():
        return numpy.inf
    return float(numpy.abs(result - want)[finite].max() / max(numpy.abs(want[finite]).max(), 1e-30)) if finite.any() else 0.0


def errors(results, wanted):
    if len(results) != len(wanted):
        return numpy.inf
    return max((error(result, want) for result, want in zip(results, wanted)), default=0.0)


def wider(inputs):
    """Other inputs for a model of free sizes, by what was done to them."""
    def batch(times):
        return [numpy.concatenate([numpy.roll(array, n, -1) if array.dtype.kind == "i" else (array * (1 - 0.1 * n)).astype(array.dtype)
                                   for n in range(times)]) for array in inputs]
    longer = [numpy.concatenate([array, array[:, :5]], 1) if array.ndim == 2 and array.dtype.kind == "i" else array for array in batch(3)]
    images = [numpy.concatenate([array, array[..., :array.shape[-1] // 2]], -1) if array.ndim > 2 else array for array in inputs]
    made = {"batch 2": batch(2), "batch 3, longer": longer, "wider": images}
    return {what: arrays for what, arrays in made.items() if sum(array.nbytes for array in arrays) <= MOST_BYTES}


class Refused(Exception):
    pass


class Model:
    def __init__(self, folder, binaries, scratch):
        self.path, self.binaries, self.scratch = folder / "model.onnx", binaries, scratch
        graph = onnx.load(self.path, load_external_data=False).graph
        constants = {constant.name for constant in graph.initializer}
        arguments = [argument for argument in graph.input if argument.name not in constants]
        self.inputs, self.outputs = [argument.name for argument in arguments], [result.name for result in graph.output]
        self.is_free = any(size.dim_param for argument in arguments for size in argument.type.tensor_type.shape.dim)
        arrays = numpy.load(folder / "io.npz")
        self.given = [arrays[f"in_{i}"] for i in range(sum(name.startswith("in_") for name in arrays))]
        self.wanted = [arrays[f"out_{i}"] for i in range(len(arrays) - len(self.given))]

    def heddle(self, *arguments):
        done = subprocess.run([self.binaries / "heddle", *arguments], capture_output=True, text=True, timeout=SECONDS)
        if done.returncode:
            raise Refused(f"{arguments[0]}: exit status {done.returncode}: {done.stderr.strip()[-400:]}")

    def compile(self):
        begin = time.monotonic()
        self.heddle("compile", self.path, "-o", self.scratch / "m.heddle")
        return time.monotonic() - begin

    def run(self, arrays):
        for i, array in enumerate(arrays):
            numpy.save(self.scratch / f"in_{i}.npy", array)
        self.heddle("run", self.scratch / "m.heddle", *(f"--input={name}=@{self.scratch}/in_{i}.npy" for i, name in enumerate(self.inputs)),
                    *(f"--output={name}=@{self.scratch}/out_{i}.npy" for i, name in enumerate(self.outputs)))
        return [numpy.load(self.scratch / f"out_{i}.npy") for i in range(len(self.outputs))]

    def time(self):
        """Seconds of a call on one core."""
        given = [f"--input={name}=@{self.scratch}/in_{i}.npy" for i, name in enumerate(self.inputs)]
        done = subprocess.run([self.binaries / "heddle", "bench", self.scratch / "m.heddle", f"--device=local://{CORE}", "--warmup=2",
                               f"--min-time={ROUND_SECONDS}", "--json", *given], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["latency_us"]["median"] * 1e-6


def time_of(run):
    run()
    times, begin = [], time.monotonic()
    while time.monotonic() - begin < ROUND_SECONDS or len(times) < 3:
        before = time.perf_counter()
        run()
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def compare_times(model, run):
    """Our time in parts of ONNX Runtime's: the middle of some rounds, and its time."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CORE})
    try:
        rounds = [(time_of(lambda: run(model.inputs, model.given)), model.time()) for _ in range(ROUNDS)]
    finally:
        os.sched_setaffinity(0, cores)
    return statistics.median(ours / theirs for theirs, ours in rounds), statistics.median(theirs for theirs, _ in rounds)


def reference(path, threads):
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, threads
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda names, arrays: session.run(None, dict(zip(names, arrays)))


def judge(model, times):
    """What to print of a model, and whether it is as it should be."""
    try:
        run = reference(str(model.path), threads=1 if times else 0)
        wanted = run(model.inputs, model.given)
    except Exception as reason:  # it has no one class for its errors
        run, wanted = None, model.wanted
        said = f"judged by PyTorch (ONNX Runtime: {str(reason).splitlines()[0][:80]})"
    else:
        said = "ok"
    apart = errors(wanted, model.wanted)
    tolerance = max(LEAST, FACTOR * apart)
    if apart > MOST:  # random numbers, or a choice between scores that are nearly equal
        said, tolerance = f"not judged, ONNX Runtime and PyTorch differ by {apart:.1e}", numpy.inf
    try:
        seconds = model.compile()
        results = model.run(model.given)
        worst = max(errors(results, wanted), errors(results, model.wanted))
        said += f", compiled in {seconds:.1f} s, error {worst:.1e}"
        if times and run:
            said += ", {:.2f} of ONNX Runtime's {:.3g} s".format(*compare_times(model, run))
        for what, arrays in (wider(model.given) if model.is_free and run else {}).items():
            try:
                wanted = run(model.inputs, arrays)
            except Exception:
                said += f"; {what}: not for ONNX Runtime"
                continue
            worst = max(worst, now := errors(model.run(arrays), wanted))
            said += f"; {what}: {now:.1e}"
    except (Refused, subprocess.TimeoutExpired) as reason:
        return f"{said}; REFUSED {reason}", False
    return said if worst <= tolerance else f"DIFFERS by more than {tolerance:.1e}: {said}", worst <= tolerance


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--way", action="append", help="of export.py; all that are there")
    parser.add_argument("--times", action="store_true")
    options = parser.parse_intermixed_args()
    counts = {True: 0, False: 0}
    for folder in sorted(path.parent for way in options.way or ["*"] for path in options.out.glob(f"{way}/*/io.npz")):
        if not folder.name.startswith(tuple(options.names)):
            continue
        with tempfile.TemporaryDirectory() as scratch:
            said, is_right = judge(Model(folder, options.bin, pathlib.Path(scratch)), options.times)
        counts[is_right] += 1
        print(f"{folder.parent.name} {folder.name}: {said}", flush=True)
    print(f"{sum(counts.values())} models, {counts[False]} refused or different")
    return 0 if counts[True] and not counts[False] else 1


if __name__ == "__main__":
    sys.exit(main())
