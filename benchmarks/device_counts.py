#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What declaring devices of one kind costs: processor seconds of `heddle compile` with 1 to 4,096 of them.

  device_counts.py --bin build/release/bin [--rounds 5] [MODEL.onnx]…

All work stays on the first device, so the kernels must be those of one device. Rounds compile once with each number, the
order turning from round to round; a cell is the least of the rounds, as other work only adds time. Without models: magika and MiniLM. Exit status 1 where kernels differ.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = (1, 8, 64, 1024, 4096)


def compile_once(bin_folder, model, kind, count, folder):
    """(processor seconds of the compiler, the artifact's kernels) with `count` devices declared."""
    artifact = pathlib.Path(folder) / f"{kind}{count}.heddle"
    flag = f"--target-device={kind}[0]*{count}"
    process = subprocess.Popen([bin_folder / "heddle-compile", model, "-o", artifact, flag], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"heddle compile {model} {flag} failed with {process.returncode}")
    text = subprocess.run([bin_folder / "heddle", "inspect", artifact, "--json"], capture_output=True, text=True, check=True)
    return usage.ru_utime + usage.ru_stime, json.loads(text.stdout)["executables"]


def measure(bin_folder, model, kind, counts=COUNTS, rounds=5):
    """({count: [seconds of each round]}, whether all have the kernels of the first count)."""
    seconds, kernels = {count: [] for count in counts}, {}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            at = turn % len(counts)
            for count in counts[at:] + counts[:at]:
                took, kernels[count] = compile_once(pathlib.Path(bin_folder), model, kind, count, folder)
                seconds[count].append(took)
    return seconds, all(kernels[count] == kernels[counts[0]] for count in counts)


def ratio(seconds, count):
    """Of the least time to that of the first count."""
    return min(seconds[count]) / min(next(iter(seconds.values())))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("models", nargs="*", type=pathlib.Path, metavar="MODEL.onnx")
    options = parser.parse_args()
    models = options.models
    if not models:
        sys.path.insert(0, str(ROOT / "test" / "models"))
        from make_models import model

        models = [pathlib.Path(model(name)) for name in ("magika", "minilm")]
    print("| model | devices | " + " | ".join(f"{count}" for count in COUNTS) + " | "
          + " | ".join(f"{count} to 1" for count in COUNTS[1:]) + " | kernels |")
    print("|---|---|" + "---|" * (2 * len(COUNTS)))
    same = True
    for model in models:
        for kind in ("local", "null"):
            seconds, equal = measure(options.bin, model, kind, rounds=options.rounds)
            same &= equal
            cells = [f"{min(seconds[count]):.2f} s" for count in COUNTS]
            cells += [f"{ratio(seconds, count):.2f}" for count in COUNTS[1:]]
            print(f"| {model.stem} | {kind} | {' | '.join(cells)} | {'the same' if equal else 'OTHERS'} |", flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
