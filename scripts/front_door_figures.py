#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of the front door beside their aims: sizes of the wheels, the first result, second starts. Run `make wheel` first.

  .venv/bin/python scripts/front_door_figures.py [--rounds 7] [--torch build/torch/venv/bin/python] [--clone]

Everything is measured with the wheels of build/wheel in a fresh environment of this Python; nothing of the build tree is used.
Times are the least of the rounds, of whole processes; beside them the processor time of the same processes, which other work on
the machine changes less. torch: the first call of a compiled module in a second process, after PyTorch is loaded. --clone builds
a fresh clone without a compiler cache by `make demo`, which takes minutes.
"""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "models"))
MIB = 2**20
START = """
import sys, heddle, numpy
module = heddle.load(sys.argv[1])
shapes = [[2 if isinstance(n, str) or n is None else n for n in value.shape] for value in module.main.arguments]
print(module(*[numpy.ones(shape, value.dtype) for shape, value in zip(shapes, module.main.arguments)]) is not None)
"""
TORCH = """
import os, sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
import speed, torch, heddle.torch
torch.set_num_threads(1)
call = speed.call_of(sys.argv[2], "heddle")
speed.call_of("transformer_step", None)()  # what PyTorch loads once
wall, cpu = time.perf_counter(), sum(os.times()[:4])  # with that of the compiler's processes
call()
print(time.perf_counter() - wall, sum(os.times()[:4]) - cpu)
"""


class Table:
    """A row for each figure; whether all aims are met."""

    def __init__(self):
        self.met = True
        print("| figure | measured | of processor time | aim |\n|---|---|---|---|", flush=True)

    def add(self, name, value, unit, aim=None, cpu=None):
        met = aim is None or value <= aim
        self.met &= met
        aims = "" if aim is None else f"{aim:g} {unit}{'' if met else ', missed'}"
        print(f"| {name} | {value:.3g} {unit} | {'' if cpu is None else f'{cpu:.3g} {unit}'} | {aims} |", flush=True)


def timed(command, environment):
    """Seconds of a process, and of processor time of it and those it began."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(runs):
    return tuple(min(column) for column in zip(*runs))


def sizes(table, wheels):
    """Returns the wheel of the runtime for this Python, and that of the compiler."""
    tag = f"cp3{sys.version_info.minor}-cp3{sys.version_info.minor}-" if sys.version_info < (3, 12) else "cp312-abi3-"
    found = sorted(wheels.glob("heddle_runtime-*_x86_64.whl")), sorted(wheels.glob("heddle-*_x86_64.whl"))
    if not all(found):
        sys.exit(f"front_door_figures: {wheels} has no wheels; run make wheel")
    for path in found[0]:
        table.add(f"wheel {path.name.split('-')[0]} for {'-'.join(path.name.split('-')[2:4])}", path.stat().st_size / 1e6, "MB", 1.5)
    compiler = found[1][-1]
    table.add("wheel heddle", compiler.stat().st_size / MIB, "MiB", 45)
    unpacked = sum(entry.file_size for path in (compiler, found[0][-1]) for entry in zipfile.ZipFile(path).infolist())
    table.add("both, installed", unpacked / 1e6, "MB", 150)
    mine = [path for path in found[0] if tag in path.name]
    if not mine:
        sys.exit(f"front_door_figures: no wheel of the runtime is for this Python ({tag})")
    return mine[-1], compiler


def install(table, folder, files, environment):
    """A fresh environment. NumPy is lent, so that the figure has no download in it."""
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check"]
    import numpy
    site = next(folder.glob("lib/python3*/site-packages"))
    for name in ("numpy", "numpy.libs"):
        source = pathlib.Path(numpy.__file__).parents[1] / name
        if source.exists():
            (site / name).symlink_to(source)
    wall, cpu = timed([*pip, "--no-index", "--no-deps", *files], environment)
    table.add("pip install of both wheels", wall, "s", None, cpu)
    return python, wall, cpu


def starts(table, python, installed, rounds, environment):
    from make_models import model
    magika, minilm = model("magika"), model("minilm")
    wall, cpu = timed([python, "-c", START, magika], environment)
    table.add("first result of magika from the wheels, with their installation", wall + installed[0], "s", 30, cpu + installed[1])
    first = timed([python, "-c", START, minilm], environment)
    table.add("first start of MiniLM: load the ONNX file and call", first[0], "s", None, first[1])
    wall, cpu = least([timed([python, "-c", START, minilm], environment) for _ in range(rounds)])
    table.add("second start of MiniLM", wall, "s", 0.25, cpu)


def torch_starts(table, python, torch_python, rounds, environment):
    """The package of the wheels in the environment of PyTorch."""
    site = next(python.parents[1].glob("lib/python3*/site-packages"))
    with tempfile.TemporaryDirectory() as lent:
        (pathlib.Path(lent) / "heddle").symlink_to(site / "heddle")
        environment = {**environment, "PYTHONPATH": lent, "OMP_NUM_THREADS": "1"}
        for name in ("resnet18", "bert"):
            runs = []
            for _ in range(rounds + 1):
                done = subprocess.run([torch_python, "-c", TORCH, ROOT / "test" / "torch", name], env=environment, capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(f"front_door_figures: {name}\n{done.stderr}")
                runs.append(tuple(map(float, done.stdout.split()[-2:])))
            table.add(f"torch.compile, {name}: first call with an empty cache", runs[0][0], "s", None, runs[0][1])
            wall, cpu = least(runs[1:])
            table.add(f"torch.compile, {name}: first call of a second process", wall, "s", 1.5, cpu)


def clone(table, folder, environment):
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    wall, cpu = timed(["make", "-C", folder, "demo"], {"CCACHE_DISABLE": "1", **environment})
    table.add("make demo of a fresh clone", wall / 60, "min", 6, cpu / 60)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheels", type=pathlib.Path, default=ROOT / "build" / "wheel")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--torch", type=pathlib.Path, metavar="PYTHON", help="one that has PyTorch, torchvision and transformers")
    parser.add_argument("--clone", action="store_true")
    options = parser.parse_args()
    table = Table()
    files = sizes(table, options.wheels)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "HEDDLE_BIN")}
        environment["HEDDLE_CACHE_DIR"] = str(folder / "cache")
        python, *installed = install(table, folder / "venv", files, environment)
        starts(table, python, installed, options.rounds, environment)
        if options.torch:
            torch_starts(table, python, options.torch, min(options.rounds, 3), environment)
        if options.clone:
            clone(table, folder / "clone", environment)
    sys.exit(0 if table.met else 1)


if __name__ == "__main__":
    main()
