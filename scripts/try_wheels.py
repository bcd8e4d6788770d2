#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a wheel of the runtime on the Python of another Debian: pip installs it there by its tags, with NumPy, and a model runs.

  try_wheels.py build/wheel/heddle_runtime-*-cp312-abi3-*_x86_64.whl [--suite trixie]
  try_wheels.py build/wheel/heddle_runtime-*-cp312-abi3-*_aarch64.whl --artifact model.heddle   # by qemu-user

The suite's Python and C library lie in a folder and are used from there: no root, no chroot. A wheel for AArch64 takes an
artifact that was compiled with --target-cpu=aarch64:generic, of one f32 vector to another.
"""
import argparse
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

from debian_packages import ARCHITECTURES, unpack

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = """
import platform, sys
import heddle, numpy
x = numpy.arange(1, 5, dtype=numpy.float32)
module = heddle.load(sys.argv[1])
results = [module(x), module.start(x).result()]
assert results[0].shape == x.shape and (results[0] == results[1]).all() and (results[0] != x).any(), results
for call, kind in ((lambda: module(x.astype(int)), heddle.InvalidArgumentError), (lambda: heddle.compile("m.onnx"), heddle.UnsupportedError)):
    try:
        call()
    except kind as error:
        assert "element type" in str(error) or "install the package 'heddle'" in str(error), error
    else:
        sys.exit("no error")
print(f"CPython {platform.python_version()} on {platform.machine()}, NumPy {numpy.__version__}: {results[0]}")
"""


def interpreter(root, machine):
    """The command that starts the Python of `root`."""
    python, = (path for path in (root / "usr" / "bin").glob("python3.*") if not path.name.endswith("config"))
    if machine == platform.machine():
        loader = next((root / "usr" / "lib").rglob("ld-linux*.so.2"), None) or next((root / "lib64").glob("ld-linux*"))
        libraries = [root / "usr" / "lib" / f"{machine}-linux-gnu", root / "lib" / f"{machine}-linux-gnu"]
        return python.name, [loader, "--library-path", ":".join(map(str, libraries)), python]
    emulator = shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static")
    if not emulator:
        sys.exit(f"try_wheels: no qemu-{machine}; install qemu-user")
    return python.name, [emulator, "-L", root, python]


def install(site, wheel, version, machine):
    """As pip chooses by tags for that Python and machine."""
    platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in (27, 28)] + [f"--platform=manylinux2014_{machine}"]
    # Of Requires-Python pip asks its own version; the tags say as much.
    common = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--target", site,
              "--only-binary=:all:", "--ignore-requires-python", f"--python-version={version}", *platforms]
    subprocess.run([*common, "numpy"], check=True)
    subprocess.run([*common, "--no-deps", wheel], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--suite", default="trixie")
    parser.add_argument("--artifact", type=pathlib.Path, default=ROOT / "test" / "artifacts" / "format-2.heddle")
    options = parser.parse_args()
    machine = next((name for name in ARCHITECTURES if options.wheel.stem.endswith(name)), None)
    if machine is None:
        sys.exit(f"try_wheels: {options.wheel.name} is for no machine of {', '.join(ARCHITECTURES)}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        root, site = folder / "root", folder / "site"
        unpack(options.suite, ARCHITECTURES[machine], ["python3", "libstdc++6"], folder / "apt", root, with_dependencies=True)
        for entry in ("lib", "lib64"):  # which the package base-files does not bring before it is configured
            if not (root / entry).exists() and (root / "usr" / entry).exists():
                (root / entry).symlink_to(f"usr/{entry}")
        python, command = interpreter(root, machine)
        install(site, options.wheel, python.removeprefix("python"), machine)
        environment = {"PYTHONHOME": str(root / "usr"), "PYTHONPATH": str(site), "PATH": os.environ["PATH"]}
        subprocess.run([*command, "-c", PROGRAM, options.artifact.resolve()], check=True, env=environment)


if __name__ == "__main__":
    main()
