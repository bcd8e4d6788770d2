#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fetches the headers of other Pythons from Debian, where this machine's apt gets its packages, for the wheel of the runtime.

  python_headers.py FOLDER [--machine x86_64|aarch64]

FOLDER gets a folder of headers for each: cp39 (Debian 11), cp311 (Debian 12), abi3 (Debian 13's 3.13, whose headers also
describe the stable ABI of 3.12). Needs apt-get, no root. One that is there is left alone.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PYTHONS = {"cp39": ("bullseye", "3.9"), "cp311": ("bookworm", "3.11"), "abi3": ("trixie", "3.13")}
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def mirror():
    """Where apt gets Debian's packages."""
    text = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)"], check=True, capture_output=True,
                          text=True).stdout
    found = re.search(r"^(\S+/debian/?) ", text, re.M)
    if not found:
        sys.exit("python_headers: apt lists no mirror of Debian; run apt-get update")
    return found.group(1)


def download(suite, package, architecture, folder):
    """The package's file, from a state of apt that lies in `folder` and has nothing of this machine's."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "sources.list").write_text(f"deb [signed-by={keys}] {mirror()} {suite} main\n")
    options = {"Dir::Etc::SourceList": folder / "sources.list", "Dir::Etc::SourceParts": "/dev/null", "Dir::State::Lists": folder / "lists",
               "Dir::State::status": folder / "status", "Dir::Cache": folder / "cache", "APT::Architecture": architecture,
               "APT::Architectures": architecture, "APT::Sandbox::User": "root"}
    apt = ["apt-get", "-qq", *(f"-o{key}={value}" for key, value in options.items())]
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "download", package], check=True, cwd=folder)
    file, = folder.glob("*.deb")
    return file


def fetch(tag, machine, target):
    suite, version = PYTHONS[tag]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file = download(suite, f"libpython{version}-dev", ARCHITECTURES[machine], folder)
        subprocess.run(["dpkg-deb", "-x", file, folder / "tree"], check=True)
        headers = folder / "tree" / "usr" / "include"
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
