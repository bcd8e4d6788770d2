#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fetches the headers of other Pythons from Debian, where this machine's apt gets its packages, for the wheel of the runtime.

  python_headers.py FOLDER [--machine x86_64|aarch64]

FOLDER gets a folder of headers for each: cp39 (Debian 11), cp311 (Debian 12), abi3 (Debian 13's 3.13, whose headers also
describe the stable ABI of 3.12). Needs apt-get, no root. One that is there is left alone.
"""
import argparse
import pathlib
import shutil
import tempfile

from debian_packages import ARCHITECTURES, unpack

PYTHONS = {"cp39": ("bullseye", "3.9"), "cp311": ("bookworm", "3.11"), "abi3": ("trixie", "3.13")}


def fetch(tag, machine, target):
    suite, version = PYTHONS[tag]
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name) / "tree"
        unpack(suite, ARCHITECTURES[machine], [f"libpython{version}-dev"], name, tree)
        headers = tree / "usr" / "include"
        shutil.copytree(headers / f"python{version}", target)
        # The one that chooses by processor makes way for the one that it would choose.
        config = (headers / f"{machine}-linux-gnu" / f"python{version}" / "pyconfig.h").read_text()
        # A header of another package, which Python's own include for what no extension of ours calls.
        (target / "pyconfig.h").write_text(config.replace("#define HAVE_CRYPT_H 1", "/* #undef HAVE_CRYPT_H */"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--machine", choices=ARCHITECTURES, default="x86_64")
    options = parser.parse_args()
    for tag in PYTHONS:
        if not (options.folder / tag).exists():
            fetch(tag, options.machine, options.folder / tag)


if __name__ == "__main__":
    main()
