#!/usr/bin/env python3
"""Measures Heddle beside ONNX Runtime and writes the table as Markdown.

  run.py --bin build/release/bin [--output docs/benchmarks.md] [--rounds 15] [--seconds 0.5]

Each round measures both engines one after the other, for the same time, the first one changing from round to round;
what is reported is the median over the rounds of the ratio in one round, with its 95 % interval, so that a neighbour who
comes and goes does not decide. Heddle is timed in its own process by `heddle bench --json`, ONNX Runtime in a Python
process (5 to 15 us of each of its calls are Python). The rest of the machine's load is measured meanwhile.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "models"))

import machine  # noqa: E402
from make_models import model  # noqa: E402
from statistics_of_rounds import median_interval  # noqa: E402

WORK = ROOT / "build" / "bench"
DEVICES = {1: "local://0", 2: "local://0-1"}


def inputs():
    """{model: {input: array}} of what is compared with the peer."""
    generator = numpy.random.default_rng(1)
    tokens = generator.integers(1000, 30000, (1, 128))
    return {
        "magika": {"bytes": generator.integers(0, 256, (1, 2048), dtype=numpy.int32)},
        "minilm": {"input_ids": tokens, "attention_mask": numpy.ones_like(tokens), "token_type_ids": numpy.zeros_like(tokens)},
    }


class Heddle:
    """One artifact on one device."""

    def __init__(self, bin_folder, name, feed, device):
        self.command = [str(bin_folder / "heddle"), "bench", str(WORK / f"{name}.heddle"), f"--device={device}", "--json"]
        for key, value in feed.items():
            path = WORK / f"{name}.{key}.npy"
            numpy.save(path, value)
            self.command.append(f"--input={key}=@{path}")

    def measure(self, seconds):
        """The report of `heddle bench`."""
        result = subprocess.run([*self.command, f"--min-time={seconds}"], capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(f"{' '.join(self.command)}: {result.stderr}")
        return json.loads(result.stdout)

    def median_us(self, seconds):
        return self.measure(seconds)["latency_us"]["median"]


class OnnxRuntime:
    """One model in a process of its own."""

    def __init__(self, name, feed, threads):
        path = WORK / f"{name}.npz"
        numpy.savez(path, **feed)
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "benchmarks" / "ort_loop.py"), str(model(name)), str(path), str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def median_us(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return statistics.median(json.loads(self.process.stdout.readline()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def compile_model(bin_folder, name):
    """Compiles into WORK; returns the statistics of the compilation."""
    stats = WORK / f"{name}.stats.json"
    command = [str(bin_folder / "heddle"), "compile", str(model(name)), "-o", str(WORK / f"{name}.heddle"), f"--stats={stats}"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {result.stderr}")
    return json.loads(stats.read_text())


def compare(heddle, peer, rounds, seconds):
    """Interleaved rounds; {heddle_ms, peer_ms, ratio, low, high, load}."""
    for engine in (heddle, peer):
        engine.median_us(seconds)
    ours, theirs = [], []
    start, busy, own = time.monotonic(), machine.busy_seconds(), machine.own_seconds([peer.process.pid])
    for i in range(rounds):
        for engine, times in [(heddle, ours), (peer, theirs)][:: 1 if i % 2 == 0 else -1]:
            times.append(engine.median_us(seconds))
    others = machine.busy_seconds() - busy - (machine.own_seconds([peer.process.pid]) - own)
    ratio, low, high = median_interval([a / b for a, b in zip(ours, theirs)])
    return {"heddle_ms": statistics.median(ours) / 1000, "peer_ms": statistics.median(theirs) / 1000, "ratio": ratio,
            "low": low, "high": high, "load": max(0.0, others) / (time.monotonic() - start)}


def host_rows(bin_folder, rounds, seconds):
    """Host time per dispatch of the chain, and of a call that does nothing: (what, median, low, high, unit)."""
    values = {"chain_1000": [], "chain_us": [], "empty": []}
    engines = {}
    for name, shape in (("chain_1000", (4, 4)), ("empty", (4,))):
        compile_model(bin_folder, name)
        engines[name] = Heddle(bin_folder, name, {"x": numpy.ones(shape, numpy.float32)}, DEVICES[1])
    for _ in range(rounds):
        report = engines["chain_1000"].measure(seconds)
        if report["dispatches"] < 1000:
            raise RuntimeError(f"the chain has {report['dispatches']} dispatches, not 1000: it measures something else")
        values["chain_1000"].append(report["host_us_per_dispatch"])
        values["chain_us"].append(report["latency_us"]["median"] / report["dispatches"])
        values["empty"].append(engines["empty"].median_us(seconds))
    names = {"chain_1000": "chain of 1,000 dependent 4x4 matmuls: host time per dispatch (call - kernels, each timed)",
             "chain_us": "the same, not profiled: whole call / dispatches, kernels included", "empty": "call that does nothing"}
    return [(names[key], *median_interval(values[key])) for key in names]


def machine_lines(options):
    import onnxruntime

    return [
        "# Benchmarks", "",
        "Made by `make bench`; do not edit. Method: `benchmarks/run.py --help`.", "",
        *(f"- {line}" for line in machine.describe()),
        f"- ONNX Runtime {onnxruntime.__version__}, all graph optimisations, CPU provider, same cores",
        f"- {options.rounds} interleaved rounds, {options.seconds} s per engine and round; ratio = Heddle / ONNX Runtime, "
        "median of the per-round ratios [95 % interval]; below 1 Heddle is faster",
        "- other load: cores that other processes kept busy meanwhile; above 0.1 the row is marked `*`", "",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)

    lines = machine_lines(options)
    lines += ["## Models, batch 1 (MiniLM: 128 tokens)", "",
              "| model | threads | Heddle ms | ONNX Runtime ms | ratio | other load |", "|---|---|---|---|---|---|"]
    compiled = []
    for name, feed in inputs().items():
        compiled.append((name, compile_model(options.bin, name)))
        for threads, device in DEVICES.items():
            peer = OnnxRuntime(name, feed, threads)
            row = compare(Heddle(options.bin, name, feed, device), peer, options.rounds, options.seconds)
            peer.close()
            lines.append("| {} | {} | {heddle_ms:.2f} | {peer_ms:.2f} | {ratio:.2f} [{low:.2f}, {high:.2f}] | {load:.2f}{} |".format(
                name, threads, "*" if row["load"] > 0.1 else "", **row))
            print(lines[-1], flush=True)
    lines += ["", "One-thread figures bind; two-thread figures are for information.", "", "## Host overhead, one core", "",
              "| what | us [95 % interval] |", "|---|---|"]
    lines += [f"| {what} | {mid:.3f} [{low:.3f}, {high:.3f}] |"
              for what, mid, low, high in host_rows(options.bin, options.rounds, options.seconds)]
    lines += ["", "## Compilation", "", "| model | time s | peak memory MiB | artifact MiB | dispatches | kernels |", "|---|---|---|---|---|---|"]
    lines += [f"| {name} | {s['compile_ms'] / 1000:.1f} | {s['peak_rss_mib']:.0f} | {s['artifact_bytes'] / 2**20:.1f} | "
              f"{s['dispatches']} | {s['kernels']} |" for name, s in compiled]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
