# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files the checks look at: what git tracks, and what it would track."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

CPP_SUFFIXES = (".h", ".hpp", ".c", ".cpp")


def tracked_files(root, suffixes=()):
    """Paths relative to `root`, in order, of the files git tracks or would track there; with one of `suffixes` if given."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, capture_output=True, text=True,
    ).stdout
    paths = sorted({p for p in listing.split("\0") if p and (pathlib.Path(root) / p).is_file()})
    return [p for p in paths if not suffixes or p.endswith(tuple(suffixes))]
