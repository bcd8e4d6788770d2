#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with quantised weights and a free number of rows beside ONNX Runtime, one thread.

  narrow_weights.py --bin build/release/bin [--before OTHER/bin] [--only PATTERN]… [--rows 1 4 16 128 512] [--rounds 7]

MatMulNBits of 4 and 8 bits at accuracy_level 0 and 4 (rows rounded to bytes) and DequantizeLinear with MatMul, also with
--round-activations. One artifact for all numbers of rows. A figure is the least time of the rounds, in which engines take turns, in ms; GB/s are the bytes
of codes and scales that one row reads. --before adds another build's compiler; artifacts of both are run by --bin's.
"""
import argparse
import fnmatch
import json
import pathlib
import subprocess
import time

import numpy
import onnx
import onnxruntime

from engines import WORK

K, N, BLOCK = 2048, 8192, 32
HELPER = onnx.helper
FLOAT = onnx.TensorProto.FLOAT


def graph(nodes, constants):
    body = HELPER.make_graph(nodes, "product", [HELPER.make_tensor_value_info("x", FLOAT, ["m", K])],
                             [HELPER.make_tensor_value_info("y", FLOAT, ["m", N])],
                             [onnx.numpy_helper.from_array(value, key) for key, value in constants.items()])
    return HELPER.make_model(body, ir_version=10, opset_imports=[HELPER.make_opsetid("", 21), HELPER.make_opsetid("com.microsoft", 1)])


def nbits(bits, level):
    random = numpy.random.default_rng(1)
    constants = {"w": random.integers(0, 256, (N, K // BLOCK, BLOCK * bits // 8), dtype=numpy.uint8),
                 "s": (random.random(N * K // BLOCK) * 0.02 + 0.01).astype(numpy.float32)}
    node = HELPER.make_node("MatMulNBits", ["x", "w", "s"], ["y"], domain="com.microsoft", K=K, N=N, bits=bits, block_size=BLOCK,
                            accuracy_level=level)
    return graph([node], constants), constants


def dequantized():
    random = numpy.random.default_rng(1)
    constants = {"w": random.integers(-128, 128, (K, N), dtype=numpy.int8), "s": (random.random(N) * 0.02 + 0.01).astype(numpy.float32)}
    nodes = [HELPER.make_node("DequantizeLinear", ["w", "s"], ["f"], axis=1), HELPER.make_node("MatMul", ["x", "f"], ["y"])]
    return graph(nodes, constants), constants


MODELS = {"nbits 4": lambda: nbits(4, 0), "nbits 8": lambda: nbits(8, 0), "nbits 4 level 4": lambda: nbits(4, 4),
          "nbits 8 level 4": lambda: nbits(8, 4), "dequantize 8": dequantized, "dequantize 8 rounded": dequantized}


class Artifact:
    def __init__(self, runner, compiler, name, path, flags=()):
        self.file, self.runner = path.with_suffix(f".{name}.heddle"), runner
        subprocess.run([compiler / "heddle-compile", path, "-o", self.file, *flags], check=True)

    def ms(self, rows, feed, seconds):
        result = subprocess.run([self.runner / "heddle", "bench", self.file, "--device=local://0", "--json", "--warmup=1",
                                 f"--input=x=@{feed}", f"--min-time={seconds}"], capture_output=True, text=True, check=True)
        return json.loads(result.stdout)["latency_us"]["min"] / 1000


class Peer:
    def __init__(self, proto):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])

    def ms(self, rows, feed, seconds):
        x, best, end = numpy.load(feed), float("inf"), time.monotonic() + seconds
        self.session.run(None, {"x": x})
        while time.monotonic() < end:
            start = time.perf_counter()
            self.session.run(None, {"x": x})
            best = min(best, time.perf_counter() - start)
        return best * 1000


def engines(options, name):
    proto, constants = MODELS[name]()
    flags = ["--round-activations"] if name.endswith("rounded") else []
    path = WORK / f"narrow_{name.replace(' ', '_')}.onnx"
    onnx.save(proto, path)
    found = {"now": Artifact(options.bin, options.bin, "now", path, flags)}
    if options.before:
        found["before"] = Artifact(options.bin, options.before, "before", path)
    found["ORT"] = Peer(proto)
    for key in ("now", "before"):
        if key in found:
            print(f"{name}: {key}: artifact {found[key].file.stat().st_size / path.stat().st_size:.3f} of the model's bytes")
    return found, sum(value.nbytes for value in constants.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rows", type=int, nargs="+", default=[1, 4, 16, 128, 512])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        if options.only and not any(fnmatch.fnmatch(name, pattern) for pattern in options.only):
            continue
        found, read = engines(options, name)
        for rows in options.rows:
            feed = WORK / f"narrow_{rows}.npy"
            numpy.save(feed, numpy.random.default_rng(2).normal(0, 1, (rows, K)).astype(numpy.float32))
            best = {key: float("inf") for key in found}
            for turn in range(options.rounds):
                for key in list(found)[:: 1 if turn % 2 else -1]:
                    best[key] = min(best[key], found[key].ms(rows, feed, options.seconds))
            figures = ", ".join(f"{key} {ms:.3f} ({best['now'] / ms:.2f})" for key, ms in best.items() if key != "now")
            print(f"{name}, {rows} rows: {best['now']:.3f} ms, {read / best['now'] / 1e6:.1f} GB/s; {figures}", flush=True)


if __name__ == "__main__":
    main()
