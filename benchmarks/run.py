#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures Heddle beside ONNX Runtime, OpenVINO, IREE, ncnn and MNN and writes the tables as Markdown.

  run.py --bin build/release/bin [--output docs/benchmarks.md] [--peers ort,openvino,iree] [--only PATTERN]…

All engines get the same file with fixed sizes, the same inputs and the same cores. Each round measures every engine, for
the same time, the first one changing from round to round; what is reported is the median over the rounds of the ratio in
one round, with its 95 % interval, so that a neighbour who comes and goes does not decide. Heddle is timed in its own
process by `heddle bench --json`, IREE by iree-benchmark-module, the others in a Python process (5 to 15 us of each of their
calls are Python). The rest of the machine's load is measured meanwhile.
"""
import argparse
import concurrent.futures
import fnmatch
import importlib.metadata
import pathlib
import statistics
import sys
import time

import numpy
import onnx

import free_sizes
import machine
import mobile
import narrow_weights
from cases import Case, kernels, model, networks, products
from engines import PEER_ENGINES, PEERS, WORK, Heddle, Unsupported, process_ids
from long_cases import long_cases
from operators import operators
from rarer_operators import rarer_operators
from statistics_of_rounds import median_interval

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUSY = 0.1  # cores used by others above which a row is marked


def start_engines(options, case, threads):
    """([engine], {name: reason}): Heddle first, and which peers cannot do the case."""
    path = case.write(WORK)
    engines, refused = [Heddle(options.bin, case, path, threads, options.precision)], {}
    for peer in options.peers:
        try:
            engines.append(PEER_ENGINES[peer](case, path, threads))
            engines[-1].median_us(0)
        except Unsupported as error:
            refused[PEER_ENGINES[peer].name] = str(error)
            engines = [engine for engine in engines if engine.name != PEER_ENGINES[peer].name]
    return engines, refused


def measure(options, case, threads):
    """Interleaved rounds; {"ms": {engine: median}, "ratio": {peer: (median, low, high)}, "load", "facts", "stats"}."""
    engines, refused = start_engines(options, case, threads)
    times = {engine.name: [] for engine in engines}
    start, busy, own = time.monotonic(), machine.busy_seconds(), machine.own_seconds(process_ids(engines))
    for i in range(options.rounds):
        turn = i % len(engines)
        for engine in engines[turn:] + engines[:turn]:
            times[engine.name].append(engine.median_us(options.seconds))
    others = machine.busy_seconds() - busy - (machine.own_seconds(process_ids(engines)) - own)
    load = max(0.0, others) / (time.monotonic() - start)
    for engine in engines:
        engine.close()
    ours = times[Heddle.name]
    return {
        "case": case, "threads": threads, "load": load, "refused": refused, "stats": engines[0].stats,
        "ms": {name: statistics.median(values) / 1000 for name, values in times.items()},
        "ratio": {name: median_interval([a / b for a, b in zip(ours, values)]) for name, values in times.items() if name != Heddle.name},
        "facts": {engine.name: engine.facts for engine in engines},
    }


def measure_all(options, cases, threads):
    rows = []
    for case in cases:
        if options.only and not any(fnmatch.fnmatch(case.name, pattern) for pattern in options.only):
            continue
        try:
            rows.append(measure(options, case, threads))
            print(latency_line(rows[-1], options.peers), flush=True)
        except Unsupported as error:
            rows.append({"case": case, "threads": threads, "failed": str(error)})
            print(f"{case.name}: {error}", file=sys.stderr, flush=True)
    return rows


def figure(value):
    return f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def latency_line(row, peers):
    if "failed" in row:
        return f"| {row['case'].name} | failed: {row['failed']} |" + " |" * (len(peers) + 1)
    cells = [row["case"].name, figure(row["ms"][Heddle.name])]
    for peer in peers:
        name = PEER_ENGINES[peer].name
        if name in row["ratio"]:
            mid, low, high = row["ratio"][name]
            cells.append(f"{figure(row['ms'][name])} · **{mid:.2f}** [{low:.2f}, {high:.2f}]")
        else:
            cells.append("–")
    if row["case"].work:
        amount, unit = row["case"].work
        cells.append(f"{amount / row['ms'][Heddle.name] / 1e6:.0f} {unit}")
    cells.append(f"{row['load']:.2f}" + ("*" if row["load"] > BUSY else ""))
    return "| " + " | ".join(cells) + " |"


def count(threads):
    return f"{threads} thread{'s' if threads > 1 else ''}"


def geometric_mean(values):
    return float(numpy.exp(numpy.mean(numpy.log(values)))) if values else float("nan")


def latency_table(rows, peers, extra=()):
    names = [PEER_ENGINES[peer].name for peer in peers]
    head = ["", "Heddle ms", *(f"{name} ms · Heddle ÷ it" for name in names), *extra, "other load"]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += [latency_line(row, peers) for row in rows]
    good = [row for row in rows if "ratio" in row]
    means = [[row["ratio"][name][0] for row in good if name in row["ratio"]] for name in names]
    cells = ["geometric mean (of)", "", *(f"**{geometric_mean(m):.2f}** ({len(m)})" for m in means), *("" for _ in extra), ""]
    return lines + ["| " + " | ".join(cells) + " |", ""]


FACTS = [("compile_cpu_s", "load_cpu_s", "compilation, CPU s"), ("load_ms", None, "load, ms"), ("first_call_ms", None, "first call, ms"),
         ("compile_rss_mib", None, "peak memory compiling, MiB"), ("artifact_mib", None, "artifact, MiB"),
         ("peak_rss_mib", None, "peak memory running, MiB")]


def fact_tables(rows, peers):
    lines = []
    names = [Heddle.name] + [PEER_ENGINES[peer].name for peer in peers]
    for key, otherwise, title in FACTS:
        known = [n for n in names if any(key in r["facts"].get(n, {}) or otherwise in r["facts"].get(n, {}) for r in rows)]
        lines += [f"### {title[0].upper()}{title[1:]}", "", "| | " + " | ".join(known) + " |", "|---" * (len(known) + 1) + "|"]
        for row in rows:
            cells = []
            for name in known:
                facts = row["facts"].get(name, {})
                value = facts.get(key, facts.get(otherwise))
                cells.append("–" if value is None else figure(value))
            lines.append(f"| {row['case'].name} | " + " | ".join(cells) + " |")
        lines.append("")
    return lines


def refused_lines(rows):
    lines = [f"- {row['case'].name}, {name}: {reason}" for row in rows for name, reason in row.get("refused", {}).items()]
    return ["What a peer does not run:", "", *lines, ""] if lines else []


def host_rows(options):
    """Host time per dispatch of the chain, and of a call that does nothing: (what, median, low, high), in us."""
    values = {"chain": [], "whole": [], "empty": []}
    engines = {}
    for name, shape in (("chain_1000", (4, 4)), ("empty", (4,))):
        case = Case(name, lambda name=name: onnx.load(model(name)), {"x": numpy.ones(shape, numpy.float32)})
        engines[name] = Heddle(options.bin, case, case.write(WORK), 1)
    for _ in range(options.rounds):
        report = engines["chain_1000"].measure(options.seconds)
        if report["dispatches"] < 1000:
            raise RuntimeError(f"the chain has {report['dispatches']} dispatches, not 1000: it measures something else")
        values["chain"].append(report["host_us_per_dispatch"])
        values["whole"].append(report["latency_us"]["median"] / report["dispatches"])
        values["empty"].append(engines["empty"].median_us(options.seconds))
    names = {"chain": "chain of 1,000 dependent 4x4 matmuls: host time per dispatch (call - kernels, each timed)",
             "whole": "the same, not profiled: whole call / dispatches, kernels included", "empty": "call that does nothing"}
    return [(names[key], *median_interval(values[key])) for key in names]


def peer_version(package):
    found = list(PEERS.parent.glob(f"lib/python3*/site-packages/{package}-*.dist-info"))
    return importlib.metadata.PathDistribution(found[0]).version if found else "?"


def machine_lines(options):
    versions = {"ort": ("ONNX Runtime", "onnxruntime", "all graph optimisations, CPU provider"),
                "openvino": ("OpenVINO", "openvino", "latency hint, f32, activations not rounded"),
                "iree": ("IREE", "iree_base_compiler", "llvm-cpu for this host, O2, data tiling and im2col where it compiles")}
    return [
        "# Benchmarks", "",
        "Made by `make bench`; do not edit. Method: `benchmarks/run.py --help`.", "",
        *(f"- {line}" for line in machine.describe()),
        *(f"- {title} {peer_version(package)}: {how}" for key, (title, package, how) in versions.items() if key in options.peers),
        f"- {options.rounds} interleaved rounds, {options.seconds} s per engine and round; batch 1; ratio = Heddle / peer, "
        "median of the per-round ratios [95 % interval]; below 1 Heddle is faster",
        f"- other load: cores that other processes kept busy meanwhile; above {BUSY} the row is marked `*`", "",
    ]


def operator_lines(options):
    first = PEER_ENGINES[options.peers[0]].name
    rows = measure_all(options, operators() + rarer_operators(), 1)
    rows.sort(key=lambda row: row.get("ratio", {}).get(first, [0])[0], reverse=True)
    ratios = [row["ratio"][first][0] for row in rows if first in row.get("ratio", {})]
    above = ", ".join(f"{sum(ratio > limit for ratio in ratios)} above {limit}" for limit in (1.0, 1.2, 1.5))
    return ["## Operators, 1 thread", "",
            f"One node each, those that are slowest beside {first} on top. Of {len(ratios)} ratios {above}.", "",
            *latency_table(rows, options.peers), *refused_lines(rows), *free_sizes.lines(options, "operators")]


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--threads", default="1,2", help="one table of networks for each")
    parser.add_argument("--peers", default="ort,openvino,iree", help="of " + ", ".join(PEER_ENGINES))
    parser.add_argument("--precision", choices=("f32", "bf16", "f16"), default="f32", help="of Heddle's products")
    parser.add_argument("--table", choices=TABLES, default="networks",
                        help="networks: all of docs/benchmarks.md; operators: single nodes at typical shapes; precision: networks in "
                             "bf16; mobile: networks of images beside ncnn and MNN; long: long sums; narrow: narrow weights")
    parser.add_argument("--only", action="append", metavar="PATTERN", help="only cases of this name (shell pattern; may be repeated)")
    options = parser.parse_args()
    options.peers = [peer for peer in options.peers.split(",") if peer]
    unknown = set(options.peers) - set(PEER_ENGINES)
    if unknown:
        parser.error(f"no peer {', '.join(sorted(unknown))}; there are {', '.join(PEER_ENGINES)}")
    options.threads = [int(n) for n in options.threads.split(",")]
    return options


def main():
    options = parse_options()
    WORK.mkdir(parents=True, exist_ok=True)
    lines = machine_lines(options)
    lines += TABLES[options.table](options)
    text = "\n".join(lines) + "\n"
    if options.output:
        options.output.write_text(text)
    else:
        print(text)


def sharing_line(options):
    """What the cores share: how long one core's product takes while the next core computes one, too."""
    case = kernels()[0]
    engine = Heddle(options.bin, case, case.write(WORK), 1)
    neighbour = Heddle(options.bin, case, case.write(WORK), 1)
    neighbour.command = [word.replace("local://0", "local://1") for word in neighbour.command]
    ratios = []
    for _ in range(options.rounds):
        alone = engine.median_us(options.seconds)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            other = pool.submit(neighbour.median_us, 3 * options.seconds)
            time.sleep(options.seconds)
            ratios.append(engine.median_us(options.seconds) / alone)
            other.result()
    mid, low, high = median_interval(ratios)
    return (f"{case.name} takes {mid:.2f} [{low:.2f}, {high:.2f}] times as long while the other core computes one, too: "
            f"two threads can be {2 / mid:.2f} times as fast as one.")


def blas_lines(options):
    """Products beside libraries that have nothing else; MKL's right side is packed before the clock starts."""
    beside = argparse.Namespace(**vars(options) | {"peers": ["mkl", "openblas"]})
    rows = measure_all(beside, products(), 1)
    return ["## Products beside BLAS libraries, 1 thread", "",
            f"MKL {peer_version('mkl')} with the right side packed before the clock starts, OpenBLAS as NumPy has it. Bytes: what they have.", "",
            *latency_table(rows, beside.peers, ["rate"])]


def precision_lines(options):
    """Networks whose products are in bf16 beside what OpenVINO takes by itself."""
    beside = argparse.Namespace(**vars(options) | {"precision": "bf16", "peers": ["openvino-default"]})
    rows = measure_all(beside, networks(), 1)
    return ["## Networks in bf16, 1 thread", "",
            "Heddle with `--precision=bf16`; OpenVINO with no word about precision: it takes bf16 where the processor has it.", "",
            *latency_table(rows, beside.peers), *refused_lines(rows)]


def mobile_lines(options):
    """Networks whose argument is one image beside the peers that phones have."""
    beside = argparse.Namespace(**vars(options) | {"peers": ["ncnn", "mnn"]})
    images = [Case(case.name + ", body", lambda case=case: mobile.without_softmax(case.build()), case.feed)
              for case in networks() if len(case.feed) == 1 and next(iter(case.feed.values())).ndim == 4]
    lines = []
    for threads in options.threads:
        rows = measure_all(beside, images, threads)
        lines += [f"## Networks of images beside ncnn and MNN, {count(threads)}", "", *latency_table(rows, beside.peers), *refused_lines(rows)]
    return [*lines, f"ncnn {peer_version('ncnn')} and MNN {peer_version('mnn')} in f32, as their converters leave the model; a Softmax at its end is left out.", ""]


def long_lines(options):
    """Long sums with few results, attention over a long cache."""
    beside = argparse.Namespace(**vars(options) | {"peers": [peer for peer in options.peers if peer != "iree"]})
    lines = []
    for threads in options.threads:
        rows = measure_all(beside, long_cases(), threads)
        lines += [f"## Long sums, {count(threads)}", "", "M x K x N; both sides are arguments unless one is constant.", "",
                  *latency_table(rows, beside.peers, ["rate"]), *refused_lines(rows)]
    return lines


def narrow_lines(options):
    return narrow_weights.lines(options)


def network_lines(options):
    lines, single = [], []
    for threads in options.threads:
        rows = measure_all(options, networks(), threads)
        single = single or [row for row in rows if "facts" in row]
        lines += [f"## Networks, {count(threads)}", "", *latency_table(rows, options.peers), *refused_lines(rows)]
    lines += precision_lines(options) + mobile_lines(options)
    lines += ["One-thread figures bind; those of more threads are for information.", ""]
    for threads in options.threads:
        rows = measure_all(options, kernels(), threads)
        lines += [f"## Kernels, {count(threads)}", "", *latency_table(rows, options.peers, ["rate"]), *refused_lines(rows)]
    if max(options.threads) > 1:
        lines += [sharing_line(options), ""]
    lines += blas_lines(options) + long_lines(options) + narrow_lines(options)
    lines += free_sizes.lines(options, "rows") + free_sizes.lines(options, "networks")
    lines += ["## Compilation, load, memory", "",
              "ONNX Runtime and OpenVINO compile when they load. The peak memory of Python and its libraries, about 50 MiB, is in theirs.", "",
              *fact_tables(single, options.peers)]
    if not options.only:
        lines += ["## Host overhead, one core", "", "| what | us [95 % interval] |", "|---|---|",
                  *(f"| {what} | {mid:.3f} [{low:.3f}, {high:.3f}] |" for what, mid, low, high in host_rows(options)), ""]
    lines += ["## What Heddle compiles a network to", "", "| | dispatches | kernels | parameters and code, MiB |", "|---|---|---|---|"]
    lines += [f"| {row['case'].name} | {row['stats']['dispatches']} | {row['stats']['kernels']} | "
              f"{row['stats']['artifact_bytes'] / 2**20:.1f} |" for row in single]
    return lines


TABLES = {"networks": network_lines, "operators": operator_lines, "precision": precision_lines, "mobile": mobile_lines,
          "long": long_lines, "narrow": narrow_lines}

if __name__ == "__main__":
    main()
