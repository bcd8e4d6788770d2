#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a wheel of the runtime on the Python of another Debian: pip installs it there by its tags, with NumPy, and a model runs.

  try_wheels.py build/wheel/heddle_runtime-*-cp312-abi3-*_x86_64.whl [--suite trixie]
  try_wheels.py build/wheel/heddle_runtime-*-cp39-*_x86_64.whl --suite bullseye --compiler build/wheel/heddle-0*.whl   # needs root
  try_wheels.py build/wheel/heddle_runtime-*-cp312-abi3-*_aarch64.whl --artifact model.heddle   # by qemu-user

The suite's Python and C library lie in a folder and are used from there: no root, no chroot. With --compiler, which is the other
wheel, that is installed, too, and a model of ONNX is compiled and runs there; its programs start by the system's own loader, so
this is in a chroot. A wheel for AArch64 takes an artifact that was compiled with --target-cpu=aarch64:generic, of one f32 vector
to another.
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
        assert "element type" in str(error) or "install the wheel 'heddle'" in str(error), error
    else:
        sys.exit("no error")
print(f"CPython {platform.python_version()} on {platform.machine()}, NumPy {numpy.__version__}: {results[0]}")
"""
COMPILER = """
import subprocess, sys
import heddle, numpy
module = heddle.load(heddle.compile("/model.onnx"))
sizes = [[3 if isinstance(size, str) else size for size in value.shape] for value in module.main.arguments]
x = [numpy.ones(size, value.dtype) for size, value in zip(sizes, module.main.arguments)]
result = module(*x)
assert numpy.isfinite(result).all() and numpy.abs(result).max() > 0, result
command = "import heddle._tools; heddle._tools.main()"  # the script that pip made names the Python of another system
text = subprocess.run([sys.executable, "-c", command, "check", "/model.onnx"], capture_output=True, text=True)
assert text.returncode == 0 and "package ok" in text.stdout, text
print(f"compiled, run and checked: {module.main}")
"""


def in_chroot(root, wheels, version, machine):
    """Compiles a model of ONNX where only the files of `root` are."""
    install(root / "site", ["numpy", *wheels], version, machine)
    shutil.copyfile(ROOT / "test" / "torch" / "mlp.onnx", root / "model.onnx")
    for folder in ("dev", "proc", "tmp"):
        (root / folder).mkdir(exist_ok=True)
    enter = 'mount --bind /proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" /usr/bin/"$1" -c "$2"'
    environment = {"PYTHONPATH": "/site", "PATH": os.environ["PATH"], "HEDDLE_CACHE_DIR": ""}
    subprocess.run(["unshare", "--mount", "sh", "-c", enter, root, f"python{version}", COMPILER], check=True, env=environment)


def interpreter(root, machine):
    """The command that starts the Python of `root`."""
    python, = (path for path in (root / "usr" / "bin").glob("python3.*") if not path.name.endswith("config"))
    if machine == platform.machine():
        # Of Debian 11 the one in lib64 is a link to a path of the root, which is not ours here.
        loader = next(path for folder in ("usr/lib", "lib", "lib64") for path in (root / folder).rglob("ld-linux*.so.2") if path.exists())
        libraries = [root / "usr" / "lib" / f"{machine}-linux-gnu", root / "lib" / f"{machine}-linux-gnu"]
        return python.name, [loader, "--library-path", ":".join(map(str, libraries)), python]
    emulator = shutil.which(f"qemu-{machine}") or shutil.which(f"qemu-{machine}-static")
    if not emulator:
        sys.exit(f"try_wheels: no qemu-{machine}; install qemu-user")
    return python.name, [emulator, "-L", root, python]


def install(site, wheels, version, machine):
    """As pip chooses by tags for that Python and machine, without what the wheels depend on."""
    platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in (27, 28)] + [f"--platform=manylinux2014_{machine}"]
    # Of Requires-Python pip asks its own version; the tags say as much.
    common = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--target", site,
              "--only-binary=:all:", "--ignore-requires-python", f"--python-version={version}", *platforms]
    subprocess.run([*common, "--no-deps", *wheels], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--suite", default="trixie")
    parser.add_argument("--compiler", type=pathlib.Path, metavar="WHEEL", help="install this one, too, and compile in a chroot")
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
        version = python.removeprefix("python")
        install(site, ["numpy", options.wheel], version, machine)
        environment = {"PYTHONHOME": str(root / "usr"), "PYTHONPATH": str(site), "PATH": os.environ["PATH"]}
        subprocess.run([*command, "-c", PROGRAM, options.artifact.resolve()], check=True, env=environment)
        if options.compiler:
            in_chroot(root, [options.wheel, options.compiler], version, machine)


if __name__ == "__main__":
    main()
