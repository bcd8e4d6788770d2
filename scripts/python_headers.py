#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fetches the headers of other Pythons for the wheel of the runtime: from Debian, where this machine's apt gets its packages.

  python_headers.py FOLDER [--machine x86_64|aarch64] [--python310 PROGRAM]

FOLDER gets a folder of headers for each: cp39 (Debian 11), cp311 (Debian 12), abi3 (Debian 13's 3.13, whose headers also
describe the stable ABI of 3.12). Needs apt-get, no root. No Debian had 3.10: cp310 is made of an interpreter of this machine,
python3.10 of the PATH where none is named, and left out with a line where there is none. What is there is left alone.
"""
import argparse
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

from debian_packages import ARCHITECTURES, unpack

PYTHONS = {"cp39": ("bullseye", "3.9"), "cp311": ("bookworm", "3.11"), "abi3": ("trixie", "3.13")}


def fetch(tag, machine, target):
    suite, version = PYTHONS[tag]
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name) / "tree"
        unpack(suite, ARCHITECTURES[machine], [f"libpython{version}-dev"], name, tree)
        headers = tree / "usr" / "include"
        # The one that chooses by processor makes way for the one that it would choose.
        keep(headers / f"python{version}", headers / f"{machine}-linux-gnu" / f"python{version}" / "pyconfig.h", target)


def keep(headers, config, target):
    shutil.copytree(headers, target)
    # A header of another package, which Python's own include for what no extension of ours calls.
    (target / "pyconfig.h").write_text(config.read_text().replace("#define HAVE_CRYPT_H 1", "/* #undef HAVE_CRYPT_H */"))


def of_interpreter(program, version, target):
    """Whether there are headers, which are then in `target`."""
    ask = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2]); print(sysconfig.get_path('include')); print(sysconfig.get_config_h_filename())"
    try:
        said = subprocess.run([program, "-c", ask], capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return False
    if said[0] != version:
        sys.exit(f"python_headers: {program} is Python {said[0]}, not {version}")
    if not (pathlib.Path(said[1]) / "Python.h").exists():
        return False
    keep(pathlib.Path(said[1]), pathlib.Path(said[2]), target)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--machine", choices=ARCHITECTURES, default="x86_64")
    parser.add_argument("--python310", metavar="PROGRAM", help="CPython 3.10 of this machine; default: python3.10")
    options = parser.parse_args()
    for tag in PYTHONS:
        if not (options.folder / tag).exists():
            fetch(tag, options.machine, options.folder / tag)
    target = options.folder / "cp310"
    if options.machine == platform.machine() and not target.exists():
        if not of_interpreter(options.python310 or "python3.10", "3.10", target):
            if options.python310:
                sys.exit(f"python_headers: {options.python310} does not run, or has no headers")
            print("python_headers: no python3.10 with headers here, so there is no wheel for CPython 3.10", file=sys.stderr)


if __name__ == "__main__":
    main()
