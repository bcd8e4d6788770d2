#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with quantised weights and a free number of rows beside ONNX Runtime, one thread.

  narrow_weights.py --bin build/release/bin [--before OTHER/bin] [--only PATTERN]… [--rows 1 4 16 128 512] [--rounds 7]
  lines(options)      # for benchmarks/run.py

MatMulNBits of 4 and 8 bits, at accuracy_level 0 and 4 as both engines read it, and DequantizeLinear with MatMul, also
with --round-activations; where it is not, ONNX Runtime, which rounds by itself, gets f32 weights. One artifact for all numbers of rows. A figure is the least time of the rounds, in which engines take turns; GB/s are the
bytes of codes and scales that one row reads. --before adds another build's compiler; artifacts of both are run by
--bin's.
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

from cases import file_name
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


def widened():
    constants = dequantized()[1]
    constants = {"f": constants["w"].astype(numpy.float32) * constants["s"]}
    return graph([HELPER.make_node("MatMul", ["x", "f"], ["y"])], constants), constants


ROWS = (1, 4, 16, 128, 512)
MODELS = {"4 bits": lambda: nbits(4, 0), "4 bits, level 4": lambda: nbits(4, 4), "8 bits": lambda: nbits(8, 0),
          "8 bits, level 4": lambda: nbits(8, 4), "DequantizeLinear, 8 bits": dequantized, "DequantizeLinear, 8 bits, rounded": dequantized}
# ONNX Runtime rounds activations to 8 bits where weights of 8 bits are dequantised; exact products are its f32 ones.
PEER_MODELS = {"DequantizeLinear, 8 bits": widened}


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
    """{engine: its product}, bytes of the weights."""
    proto, constants = MODELS[name]()
    flags = ["--round-activations"] if name.endswith("rounded") else []
    path = WORK / f"narrow_{file_name(name)}.onnx"
    onnx.save(proto, path)
    found = {"now": Artifact(options.bin, options.bin, "now", path, flags)}
    if getattr(options, "before", None):
        found["before"] = Artifact(options.bin, options.before, "before", path)
    found["ORT"] = Peer(PEER_MODELS.get(name, MODELS[name])()[0])
    return found, sum(value.nbytes for value in constants.values())


def measure(options, name, rows):
    """Yields (number of rows, {engine: least ms}, bytes of the weights)."""
    found, read = engines(options, name)
    for count in rows:
        feed = WORK / f"narrow_{count}.npy"
        numpy.save(feed, numpy.random.default_rng(2).normal(0, 1, (count, K)).astype(numpy.float32))
        best = {key: float("inf") for key in found}
        for turn in range(options.rounds):
            for key in list(found)[:: 1 if turn % 2 else -1]:
                best[key] = min(best[key], found[key].ms(count, feed, options.seconds))
        yield count, best, read


def chosen(options):
    return [name for name in MODELS if not options.only or any(fnmatch.fnmatch(name, pattern) for pattern in options.only)]


def lines(options):
    """A table of Markdown."""
    made = [f"## Narrow weights, {K}x{N}, free rows, 1 thread", "",
            f"MatMulNBits in blocks of {BLOCK} and DequantizeLinear with MatMul; level 4 lets activations be rounded to 8 bits. "
            "Beside DequantizeLinear without rounding ONNX Runtime has f32 weights, as it rounds by itself.", "",
            "| | rows | Heddle ms | Heddle GB/s | Heddle ÷ ONNX Runtime |", "|---|---|---|---|---|"]
    for name in chosen(options):
        for rows, best, read in measure(options, name, ROWS):
            made.append(f"| {name} | {rows} | {best['now']:.3f} | {read / best['now'] / 1e6:.1f} | **{best['now'] / best['ORT']:.2f}** |")
            print(made[-1], flush=True)
    return [*made, ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    for name in chosen(options):
        for rows, best, read in measure(options, name, options.rows):
            figures = ", ".join(f"{key} {ms:.3f} ({best['now'] / ms:.2f})" for key, ms in best.items() if key != "now")
            print(f"{name}, {rows} rows: {best['now']:.3f} ms, {read / best['now'] / 1e6:.1f} GB/s; {figures}", flush=True)


if __name__ == "__main__":
    main()
