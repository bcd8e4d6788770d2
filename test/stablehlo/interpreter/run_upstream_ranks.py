# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs StableHLO's own interpreter tests of collectives (stablehlo/tests/interpret of a checkout) on ranks.

  HEDDLE_BIN=build/release/bin python test/stablehlo/interpreter/run_upstream_ranks.py CHECKOUT [NAME…]

A test says with interpreter.run_parallel which function each process runs; where it is one function, it becomes an entry
point of as many replicas and partitions, and each process' inputs and results are compared. Tests whose processes run different
functions (send and recv) are left out. Not a part of the tests, which need no checkout.
"""
import argparse
import collections
import pathlib
import re
import tempfile

import numpy

from cases import NUMPY
from run_ranks import run_own, tools
from run_upstream import FUNCTION, read_dense, split_type

PARALLEL = re.compile(r'interpreter\.run_parallel"\s*\((.*?)\)\s*\{\s*programs\s*=\s*(\[.*?\]\])', re.S)
CONSTANT = re.compile(r"(%\w+)\s*=\s*stablehlo\.constant\s+(dense<.*?>)\s*:\s*(tensor<[^>]*>)", re.S)
WANTED = re.compile(r"check\.expect_eq_const\s+%\w+(?:#(\d+))?\s*,\s*(dense<.*?>)\s*:\s*(tensor<[^>]*>)", re.S)


def array_of(text, kind):
    element = split_type(kind)[1]
    return read_dense(text, kind)[0].astype(NUMPY[element])


def rewrite(section):
    """Text of the module, inputs and wanted results by process; nothing if processes run different functions."""
    operands, programs = PARALLEL.search(section).groups()
    rows = [re.findall(r"@(\w+)", row) for row in re.findall(r"\[([^\[\]]*)\]", programs)]
    names = {name for row in rows for name in row}
    if len(names) != 1 or len({len(row) for row in rows}) != 1:
        return None
    replicas, partitions = len(rows), len(rows[0])
    constants = {name: array_of(text, kind) for name, text, kind in CONSTANT.findall(section)}
    given = [constants[name] for name in re.findall(r"%\w+", operands)]
    wanted = {int(number or 0): array_of(text, kind) for number, text, kind in WANTED.findall(section)}
    split = lambda values: [values[i * len(values) // (replicas * partitions):(i + 1) * len(values) // (replicas * partitions)]
                            for i in range(replicas * partitions)]
    start = re.search(rf"func\.func (?:public |private )?@{names.pop()}\b", section)
    end = re.search(r"\n  \}\n", section[start.start():])
    function = FUNCTION.sub(lambda m: m[0].replace(f"@{m[1]}", "@main"), section[start.start():start.start() + end.end()], count=1)
    text = (f"module attributes {{mhlo.num_replicas = {replicas} : i32, mhlo.num_partitions = {partitions} : i32}} {{\n"
            f"{function}}}\n")
    return text, split(given), split([wanted[i] for i in sorted(wanted)])


def run(section):
    made = rewrite(section)
    if not made:
        return "left out", "its processes run different functions"
    text, inputs, wanted = made
    with tempfile.TemporaryDirectory() as folder:
        try:
            results = run_own(text, inputs, len(wanted[0]), pathlib.Path(folder))
        except tools.ToolError as error:
            return "refused", str(error)
    for rank, (got, want) in enumerate(zip(results, wanted)):
        for mine, theirs in zip(got, want):
            if not numpy.array_equal(mine, theirs):
                return "wrong", f"rank {rank}: got {mine.ravel()[:8]} want {theirs.ravel()[:8]}"
    return "right", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    total = collections.Counter()
    for path in sorted((options.checkout / "stablehlo/tests/interpret").rglob("*.mlir")):
        text = re.sub(r"^\s*//(?! -----).*$", "", path.read_text(), flags=re.M)
        if "run_parallel" not in text or path.stem in ("infeed", "outfeed", "printing") or (options.names and path.stem not in options.names):
            continue
        for section in re.split(r"^// -----.*$", text, flags=re.M):
            if "run_parallel" not in section:
                continue
            kind, why = run(section)
            total[kind] += 1
            if kind != "right":
                module = re.search(r"module @(\w+)", section)[1]
                print(f"{kind}: {path.stem} {module}: {why}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in total.items()))


if __name__ == "__main__":
    main()
