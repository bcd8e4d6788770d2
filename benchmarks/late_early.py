#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Late data tiling beside early: whether any network is more than 2 % slower with the former (behaviour 14 of data tiling).

  late_early.py --bin build/release/bin [--only PATTERN]… [--rounds 15] [--most 60]

Each network is compiled both ways. Where the host program, parameters, layouts and sizes of kernels come out equal there
is nothing to measure. Else rounds measure both for the same time, the first one changing from round to round, by the best
call, as other work only adds time. The verdict is about the median of the ratios in one round: within where its 99 %
interval ends at 1.02 or below, slower where it begins above, and as long as it is neither, twice as many rounds up to
`--most`. The table has the 95 % interval, and what else the machine did meanwhile.
Exit status 1 where a network is slower, 0 otherwise; "open" says that `--most` rounds did not decide.
"""
import argparse
import fnmatch
import hashlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

import machine
from cases import networks
from engines import WORK, Heddle, Unsupported, run_measured, save_feed
from statistics_of_rounds import median_interval, verdict

LIMIT = 1.02
STRATEGIES = {"late": [], "early": ["--strategy=early-data-tiling"]}


class Strategy(Heddle):
    """The network compiled one way."""

    def __init__(self, bin_folder, case, path, name):
        self.name, self.facts, artifact = name, {}, path.with_suffix(f".{name}.heddle")
        run_measured([bin_folder / "heddle-compile", path, "-o", artifact, *STRATEGIES[name]], 600)
        self.command = [str(bin_folder / "heddle"), "bench", str(artifact), "--device=local://0", "--json", "--warmup=1"]
        self.command += [f"--input={key}=@{value}" for key, value in save_feed(case)]
        self.content = self.read(bin_folder, artifact)

    def read(self, bin_folder, artifact):
        """What a call does, for comparison: executables by their place, since their names differ, and parameters by their
        bytes, which early data tiling gives a shape of their own."""
        text = subprocess.run([str(bin_folder / "heddle"), "inspect", str(artifact), "--json"], capture_output=True, text=True, check=True)
        parts = json.loads(text.stdout)
        parameters = [[parameter["bytes"], parameter["hash"]] for parameter in parts["parameters"]]
        content = json.dumps([parts["executables"], parameters, parts["host"]])
        places = {executable["name"]: str(place) for place, executable in enumerate(parts["executables"])}
        content = re.sub(r'"(\w+)"', lambda found: places.get(found[1], found[1]), content)
        return hashlib.sha256(content.encode()).hexdigest()


def measure(options, late, early):
    """(ratios of rounds, {name: [best call of a round in us]})."""
    times, ratios, rounds = {"late": [], "early": []}, [], options.rounds
    while True:
        while len(ratios) < rounds:
            for engine in (late, early) if len(ratios) % 2 else (early, late):
                times[engine.name].append(engine.measure(options.seconds)["latency_us"]["min"])
            ratios.append(times["late"][-1] / times["early"][-1])
        if rounds >= options.most or verdict(ratios, LIMIT) != "open":
            return ratios, times
        rounds = min(2 * rounds, options.most)


def compare(options, case):
    """The verdict, and the rest of the network's row."""
    path = case.write(WORK)
    late, early = (Strategy(options.bin, case, path, name) for name in STRATEGIES)
    if late.content == early.content:
        return "equal", "the same program and kernels | | | |"
    start, busy, own = time.monotonic(), machine.busy_seconds(), machine.own_seconds()
    ratios, times = measure(options, late, early)
    others = machine.busy_seconds() - busy - (machine.own_seconds() - own)
    middle, low, high = median_interval(ratios)
    ms = [f"{statistics.median(times[name]) / 1000:.3f}" for name in STRATEGIES]
    return verdict(ratios, LIMIT), (f"{middle:.3f} [{low:.3f}, {high:.3f}] | {len(ratios)} | {ms[0]} | {ms[1]} | "
                                    f"{max(0.0, others) / (time.monotonic() - start):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--only", action="append", default=[], help="networks whose names match")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=0.3, help="of one measurement")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    WORK.mkdir(parents=True, exist_ok=True)
    print("| | verdict | late ÷ early | rounds | late ms | early ms | other load |\n|---|---|---|---|---|---|---|")
    verdicts = []
    for case in networks():
        if options.only and not any(fnmatch.fnmatch(case.name, pattern) for pattern in options.only):
            continue
        try:
            found, row = compare(options, case)
        except Unsupported as error:
            found, row = "failed", f"{error} | | | |"
        verdicts.append(found)
        print(f"| {case.name} | {found} | {row} |", flush=True)
    if not verdicts:
        sys.exit("no network matches --only")
    sys.exit(any(found in ("slower", "failed") for found in verdicts))


if __name__ == "__main__":
    main()
