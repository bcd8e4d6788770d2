#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks on every list of devices there may be, one artifact for each way to name devices, against ONNX Runtime.

  device_lists.py --bin build/release/bin [--table docs/design/multi-device-tests.md] [--keep build/device_lists.json] [NETWORK…]

Without names: every network of NETWORKS. `--table` replaces what stands between the page's markers; `--keep` holds the
rows, so that a run goes on where one stopped (delete it after a change of the compiler). Exit status 1 where a list fails.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy
import onnx

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import test_networks  # noqa: E402
from support import error_bound, model, oracle  # noqa: E402

BEGIN, END = "<!-- device lists: begin -->", "<!-- device lists: end -->"
NONE = ()  # every device that the machine has and the program names
CPU, GPU = "local://0", "vulkan://0"


@dataclasses.dataclass(frozen=True)
class Program:
    """Flags of heddle compile, and for each list of devices (URIs, in order) what the program's device `dev` must be."""
    title: str
    flags: tuple
    lists: dict


def one_of(*alternatives, lists):
    return Program(f"`{','.join(alternatives)}`", (f"--target-device=dev={','.join(alternatives)}",), lists)


# On a machine without CUDA. Beside `#device.ordinal<0>` the others only say what it may be.
PROGRAMS = (
    one_of("vulkan", "local", lists={(GPU,): GPU, (CPU,): CPU, (CPU, GPU): GPU, NONE: GPU}),
    one_of("local", "vulkan", lists={(GPU,): GPU, (CPU,): CPU, (GPU, CPU): CPU}),
    one_of("cuda", "vulkan", "local", lists={(GPU,): GPU, (CPU,): CPU, (CPU, GPU): GPU, NONE: GPU}),
    Program("`#device.ordinal<0>`", ("--target-device=dev=#device.ordinal<0>", "--target-device=cpu=local",
                                     "--target-device=gpu=vulkan"),
            {(GPU,): GPU, (CPU,): CPU, (GPU, CPU): GPU, (CPU, GPU): CPU}),
    Program("`gpu=vulkan[0],fallback(@dev)`, `--place=auto`",
            ("--target-device=dev=local", "--target-device=gpu=vulkan[0],fallback(@dev)", "--place=auto"),
            {(CPU,): CPU, (GPU, CPU): CPU, NONE: "local"}),
)


def normal(*shape):
    return test_networks.normal(sum(shape), *shape)


def silero():
    state = numpy.random.default_rng(1).uniform(-0.5, 0.5, (2, 1, 128)).astype(numpy.float32)
    return {"input": 0.1 * normal(1, 576), "state": state, "sr": numpy.array(16000, numpy.int64)}


# The first inputs of test_networks, and those of the networks that have a test of their own.
FEEDS = {name: lambda feeds=feeds: feeds()[0] for name, feeds in (test_networks.SLICE | test_networks.REST).items()}
FEEDS |= {
    "magika": lambda: {"bytes": numpy.random.default_rng(5).integers(0, 257, (2, 2048), dtype=numpy.int32)},
    "minilm": lambda: test_networks.tokens(1, 24),
    "minilm_w8": lambda: test_networks.tokens(1, 24),
    "minilm_dq8": lambda: test_networks.tokens(2, 16),
    "mlp": lambda: {"x": normal(4, 8)},
    "silero_vad": silero,
}
# Two cores emulate the GPU: the other networks only where one device is one of two.
ALL_WAYS = ("light_squeezenet", "magika", "minilm", "mlp", "ppocr_cls", "silero_vad")


def programs_of(name):
    return PROGRAMS if name in ALL_WAYS else PROGRAMS[:1]


def describe(uris):
    return "{" + ", ".join(uri.split(":")[0] for uri in uris) + "}" if uris else "none given"


class Network:
    """A network with inputs, the wanted results and how far ours may be off, compiled and run in a folder."""

    def __init__(self, name, folder, bin_folder):
        self.name, self.folder, self.heddle = name, pathlib.Path(folder), pathlib.Path(bin_folder) / "heddle"
        self.feed = FEEDS[name]()
        self.want = oracle(name)(self.feed)
        self.outputs = [value.name for value in onnx.load(model(name), load_external_data=False).graph.output]
        # A difference in a last digit moves values of integers by whole steps: what that does to ONNX Runtime's result.
        self.moved = None
        if name == "minilm_dq8":
            self.moved = test_networks.run_perturbed(onnx.load(model(name)), "LayerNorm", self.feed)
        self.lengths = test_networks.reductions(name) or [512] * 8
        for i, (key, value) in enumerate(self.feed.items()):
            numpy.save(self.folder / f"in{i}.npy", value)

    def tool(self, *arguments):
        result = subprocess.run([str(self.heddle), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=1800)
        if result.returncode:
            lines = [line for line in result.stderr.splitlines() if "error:" in line or "heddle run:" in line]
            raise RuntimeError((lines or [f"exit status {result.returncode}"])[0])
        return result.stdout

    def compile(self, program):
        target = self.folder / "n.heddle"
        self.tool("compile", model(self.name), "-o", target, *program.flags)
        return target

    def check(self, program, target, uris):
        """Where the program ran, and its worst error, relative to the largest value; raises where it is wrong."""
        devices = [f"--device={uri}" for uri in uris]
        plan = self.tool("run", target, "--dry-run", *devices)
        wanted = program.lists[uris]
        if not re.search(rf"(?m)^dev = {re.escape(wanted)}", plan):
            raise RuntimeError(f"dev is not {wanted}: {plan.splitlines()[0]}")
        inputs = [f"--input={key}=@{self.folder / f'in{i}.npy'}" for i, key in enumerate(self.feed)]
        results = [f"--output={key}=@{self.folder / f'out{i}.npy'}" for i, key in enumerate(self.outputs)]
        self.tool("run", target, *inputs, *results, *devices)
        return max(self.error(i, numpy.load(self.folder / f"out{i}.npy")) for i in range(len(self.outputs)))

    def error(self, index, got):
        want = self.want[index]
        if (want.shape, want.dtype) != (got.shape, got.dtype):
            raise RuntimeError(f"result {index} is {got.dtype} {got.shape}, not {want.dtype} {want.shape}")
        far = numpy.abs(got.astype(numpy.float64) - want)
        scale = float(numpy.abs(want).max()) or 1.0
        if self.moved is not None:
            bound, worst = 2 * float(numpy.abs(self.moved[index] - want).mean()), float(far.mean())
        else:
            bound, worst = error_bound(self.lengths, 32 * scale), float(far.max())
        if not worst <= bound:  # also where it is not a number
            raise RuntimeError(f"result {index} is off by {worst:.2g}, allowed are {bound:.2g}")
        return worst / scale


def check_network(name, bin_folder):
    """{title of the program: [(list, error or words)]}."""
    row = {}
    with tempfile.TemporaryDirectory() as folder:
        network = Network(name, folder, bin_folder)
        for program in programs_of(name):
            row[program.title] = cells = []
            try:
                target = network.compile(program)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                cells.append(("compile", str(error)))
                continue
            for uris in program.lists:
                try:
                    cells.append((describe(uris), network.check(program, target, uris)))
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    cells.append((describe(uris), str(error)))
    return row


def failures(row):
    return [f"{title} on {where}: {got}" for title, cells in row.items() for where, got in cells if isinstance(got, str)]


def cell(cells):
    if not cells:
        return "not run"
    errors = [got for _, got in cells if not isinstance(got, str)]
    bad = ", ".join(where for where, got in cells if isinstance(got, str))
    worst = f"{max(errors):.0e}" if errors else "-"
    return f"{len(errors)}, {worst}" + (f"; FAILS on {bad}" if bad else "")


def table(rows):
    lines = ["| network | " + " | ".join(program.title for program in PROGRAMS) + " |", "|---" * (1 + len(PROGRAMS)) + "|"]
    lines.append("| *lists* | " + " | ".join(", ".join(map(describe, program.lists)) for program in PROGRAMS) + " |")
    for name in sorted(FEEDS, key=lambda name: (name not in ALL_WAYS, name)):
        row = rows.get(name, {PROGRAMS[0].title: None})
        cells = [cell(row[program.title]) if program.title in row else "" for program in PROGRAMS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_table(path, rows):
    text = path.read_text()
    head, rest = text.split(BEGIN)
    path.write_text(head + BEGIN + "\n" + table(rows) + "\n" + END + rest.split(END)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--table", type=pathlib.Path, metavar="PAGE.md")
    parser.add_argument("--keep", type=pathlib.Path, metavar="FILE.json")
    parser.add_argument("networks", nargs="*", metavar="NETWORK", help=", ".join(FEEDS))
    options = parser.parse_args()
    if unknown := set(options.networks) - set(FEEDS):
        parser.error(f"no network {', '.join(sorted(unknown))}; there are {', '.join(FEEDS)}")
    kept = json.loads(options.keep.read_text()) if options.keep and options.keep.exists() else {}
    with tempfile.TemporaryDirectory() as cache:
        os.environ["HEDDLE_CACHE_DIR"] = cache  # what is packed is packed here
        rows = {}
        for name in options.networks or sorted(FEEDS, key=lambda name: (name not in ALL_WAYS, name)):
            rows[name] = kept[name] if name in kept else check_network(name, options.bin.resolve())
            print(f"{name}: " + "; ".join(failures(rows[name]) or ["agrees"]), flush=True)
            if options.keep:
                options.keep.write_text(json.dumps(kept | rows, indent=1))
    if options.table:
        write_table(options.table, rows)
    else:
        print(table(rows))
    return 1 if any(failures(row) for row in rows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
