# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of a call of operators whose work depends on data, on a Vulkan device, with one or two builds.

    .venv/bin/python benchmarks/data_dependent.py --bin build/release/bin [--before OTHER/bin] [--sizes 20000,1000000]

Each is called from Python's view: a process of `heddle bench`, whose median counts; the builds take turns, --rounds times each.
Prints a table of milliseconds, in Markdown; "wrong" where a result is not ONNX Runtime's, "fails" where the call does.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "test" / "e2e"))
import data_dependent_programs as programs  # noqa: E402


def cases(size):
    random = numpy.random.default_rng(0)
    x, i64, f32 = programs.whole(random, size, 1000), TensorProto.INT64, TensorProto.FLOAT
    node, y = helper.make_node, [("y", TensorProto.FLOAT)]
    flat, few = random.permutation(size), random.integers(0, 7, size)
    yield "NonZero", [node("NonZero", ["x"], ["y"])], {"x": programs.whole(random, size, 1)}, [("y", i64)]
    yield "Compress", [node("Compress", ["x", "c"], ["y"], axis=0)], {"x": x, "c": x > 0}, y
    yield "Unique", [node("Unique", ["x"], ["y"])], {"x": x}, y
    yield "ArgMax", [node("ArgMax", ["x"], ["y"], axis=1)], {"x": x[None]}, [("y", i64)]
    yield "TopK of 10", [node("TopK", ["x", "k"], ["y", "i"])], {"x": x, "k": numpy.array([10])}, y + [("i", i64)]
    yield "TopK of all", [node("TopK", ["x", "k"], ["y", "i"])], {"x": x, "k": numpy.array([size])}, y + [("i", i64)]
    yield "CumSum", [node("Constant", [], ["a"], value_int=0), node("CumSum", ["x", "a"], ["y"])], {
        "x": programs.whole(random, size, 1)}, y
    yield "ScatterElements", [node("ScatterElements", ["d", "i", "u"], ["y"])], {"d": x, "i": flat, "u": x}, y
    yield "ScatterElements, add to 7", [node("ScatterElements", ["d", "i", "u"], ["y"], reduction="add")], {
        "d": x[:7], "i": few, "u": x}, y
    yield "ScatterND, add", [node("ScatterND", ["d", "i", "u"], ["y"], reduction="add")], {
        "d": x, "i": random.integers(0, size, (size, 1)), "u": x}, y
    yield "ScatterND of 1 row", [node("ScatterND", ["d", "i", "u"], ["y"])], {
        "d": x[: size // 10 * 10].reshape(-1, 10), "i": numpy.array([[3]]), "u": x[None, :10]}, y


class Case:
    def __init__(self, folder, nodes, feed, results):
        self.model, self.feed = programs.model_of(nodes, feed, results, free=True)
        self.path, self.folder = folder / "m.onnx", folder
        onnx.save(self.model, str(self.path))
        self.words = []
        for name, value in feed.items():
            numpy.save(folder / f"{name}.npy", value)
            self.words.append(f"--input={name}=@{folder}/{name}.npy")
        self.want = programs.expected(self.model, feed)

    def compile(self, bin, artifact):
        subprocess.run([bin / "heddle", "compile", self.path, "-o", artifact, "--target-device=vulkan"], check=True,
                       stderr=subprocess.DEVNULL)

    def judge(self, bin, artifact):
        names = [port.name for port in self.model.graph.output]
        outputs = [f"--output={name}=@{self.folder}/out_{name}.npy" for name in names]
        ran = subprocess.run([bin / "heddle", "run", artifact, "--device=vulkan", *self.words, *outputs],
                             capture_output=True, timeout=600)
        if ran.returncode:
            return "fails"
        got = [numpy.load(self.folder / f"out_{name}.npy") for name in names]
        return "" if all(numpy.array_equal(x, y) for x, y in zip(got, self.want)) else "wrong"

    def measure(self, bin, artifact):
        made = subprocess.run([bin / "heddle", "bench", artifact, "--device=vulkan", "--warmup=1", "--iterations=5",
                               "--json", *self.words], check=True, capture_output=True, text=True, timeout=600)
        return json.loads(made.stdout)["latency_us"]["median"] / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--before", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sizes", default="20000,1000000")
    flags = parser.parse_args()
    onnxruntime.set_default_logger_severity(4)
    builds = [build for build in (flags.before, flags.bin) if build]
    sizes = [int(float(size)) for size in flags.sizes.split(",")]
    print("| |" + "".join(f" {size:,}: {build} |" for size in sizes for build in ("before", "now")[2 - len(builds):]))
    rows = {}
    for size in sizes:
        for name, nodes, feed, results in cases(size):
            with tempfile.TemporaryDirectory() as text:
                folder = pathlib.Path(text)
                case, cells = Case(folder, nodes, feed, results), []
                artifacts = [folder / f"{i}.heddle" for i in range(len(builds))]
                for build, artifact in zip(builds, artifacts):
                    case.compile(build, artifact)
                verdicts = [case.judge(*pair) for pair in zip(builds, artifacts)]
                times = [[] for _ in builds]
                for _ in range(flags.rounds):
                    for i, pair in enumerate(zip(builds, artifacts)):
                        if not verdicts[i]:
                            times[i].append(case.measure(*pair))
                for verdict, taken in zip(verdicts, times):
                    cells.append(verdict or f"{numpy.median(taken):.3g}")
            rows.setdefault(name, []).extend(cells)
            print(f"{size} {name}: {cells}", file=sys.stderr, flush=True)
    for name, cells in rows.items():
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
