# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of another Debian or another machine, from where this machine's apt gets its own. Needs apt-get, no root.

    with tempfile.TemporaryDirectory() as folder:
        unpack("trixie", "arm64", ["python3"], folder, target, with_dependencies=True)
"""
import pathlib
import re
import subprocess
import sys

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # by what uname -m says


def mirror():
    """Where apt gets Debian's packages."""
    text = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)"], check=True, capture_output=True,
                          text=True).stdout
    found = re.search(r"^(\S+/debian/?) ", text, re.M)
    if not found:
        sys.exit("apt lists no mirror of Debian; run apt-get update")
    return found.group(1)


def unpack(suite, architecture, packages, folder, target, with_dependencies=False):
    """The files of the packages, in `target`. `folder` is for a state of apt that has nothing of this machine's."""
    folder = pathlib.Path(folder)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "sources.list").write_text(f"deb [signed-by={keys}] {mirror()} {suite} main\n")
    options = {"Dir::Etc::SourceList": folder / "sources.list", "Dir::Etc::SourceParts": "/dev/null", "Dir::State::Lists": folder / "lists",
               "Dir::State::status": folder / "status", "Dir::Cache": folder / "cache", "APT::Architecture": architecture,
               "APT::Architectures": architecture, "APT::Sandbox::User": "root", "APT::Install-Recommends": "false", "Debug::NoLocking": "true"}
    apt = ["apt-get", "-qq", *(f"-o{key}={value}" for key, value in options.items())]
    subprocess.run([*apt, "update"], check=True)
    if with_dependencies:
        subprocess.run([*apt, "install", "--yes", "--download-only", *packages], check=True, stdout=subprocess.DEVNULL)
    else:
        subprocess.run([*apt, "download", *packages], check=True, cwd=folder)
    for file in sorted([*folder.glob("*.deb"), *(folder / "cache" / "archives").glob("*.deb")]):
        subprocess.run(["dpkg-deb", "-x", file, target], check=True)
