#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the C and C++ sources are formatted as .clang-format says; with --fix, formats them.

  check_format.py [--fix] [--root DIR] [FILE…]
"""
import argparse
import pathlib
import subprocess
import sys

from source_tree import CPP_SUFFIXES, ROOT, tracked_files

CLANG_FORMAT = "clang-format-22"


def unformatted(root, paths):
    """The paths that clang-format would change."""
    return [path for path in paths
            if subprocess.run([CLANG_FORMAT, "--dry-run", "-Werror", path], cwd=root, capture_output=True).returncode]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    parser.add_argument("files", nargs="*", help="only these (default: all tracked sources)")
    options = parser.parse_args()
    paths = options.files or tracked_files(options.root, CPP_SUFFIXES)
    if options.fix:
        subprocess.run([CLANG_FORMAT, "-i", *paths], cwd=options.root, check=True)
        return 0
    bad = unformatted(options.root, paths)
    for path in bad:
        print(f"{path}: not formatted; run `make format`", file=sys.stderr)
    print(f"check_format: {len(paths)} files, {len(bad)} not formatted")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
