#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a call from Python costs beyond the C interface, for a program of one small addition.

  PYTHONPATH=build/release/python call_overhead.py [--rounds 15] [--calls 20000]

The C interface is called by `heddle bench`, with results in the same memory: compare it with the row `out=`. Rounds are
interleaved; the table has the median over rounds of the median of a round's batches of ten calls.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

import heddle
import numpy

SOURCE = """
func.func @main(%a: tensor<4xf32> {heddle.name = "a"}, %b: tensor<4xf32> {heddle.name = "b"}) -> tensor<4xf32> {
  %0 = tosa.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


class Dlpack:
    """An array of another library."""

    def __init__(self, array):
        self.array = array
        self.__dlpack_device__ = array.__dlpack_device__

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)


def c_interface(artifact, calls):
    tool = pathlib.Path(heddle.__file__).parent / "bin" / "heddle-bench"
    done = subprocess.run([tool, artifact.path, "--device=local://0", "--input=4xf32=1", "--input=4xf32=1", "--json",
                           f"--iterations={calls}"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["latency_us"]["median"]


def median_us(function, calls, batch=10):
    """Of batches short enough that few are interrupted by other work on the machine."""
    times = []
    for _ in range(max(calls // batch, 1)):
        start = time.perf_counter()
        for _ in range(batch):
            function()
        times.append((time.perf_counter() - start) / batch)
    return statistics.median(times) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=20000)
    options = parser.parse_args()
    artifact = heddle.compile(SOURCE)
    module = heddle.load(artifact, devices="local://0")
    main_function, x, out = module.main, numpy.ones(4, numpy.float32), numpy.empty(4, numpy.float32)
    other = Dlpack(x)
    rows = {
        "C interface (heddle bench)": lambda calls: c_interface(artifact, calls),
        "module(x, x, out=out)": lambda calls: median_us(lambda: module(x, x, out=out), calls),
        "module.main(x, x)": lambda calls: median_us(lambda: main_function(x, x), calls),
        "module(x, x)": lambda calls: median_us(lambda: module(x, x), calls),
        "module(a=x, b=x)": lambda calls: median_us(lambda: module(a=x, b=x), calls),
        "module(x, x, timeout=1)": lambda calls: median_us(lambda: module(x, x, timeout=1), calls),
        "module(d, d), DLPack objects": lambda calls: median_us(lambda: module(other, other), calls),
        "module.start(x, x).result()": lambda calls: median_us(lambda: module.start(x, x).result(), calls // 10),
        "numpy.add(x, x)": lambda calls: median_us(lambda: numpy.add(x, x), calls),
    }
    measured = {name: [] for name in rows}
    for _ in range(options.rounds):
        for name, measure in rows.items():
            measured[name].append(measure(options.calls))
    base = statistics.median(measured["C interface (heddle bench)"])
    print("| call | µs | over the C interface |\n|---|---|---|")
    for name, values in measured.items():
        median = statistics.median(values)
        print(f"| `{name}` | {median:.2f} | {median - base:.2f} |")


if __name__ == "__main__":
    main()
