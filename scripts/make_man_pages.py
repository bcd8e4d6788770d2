#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the manual pages out of the programs' own tables of flags: heddle.1 and one for each verb in the build.

  make_man_pages.py BIN FOLDER     # BIN: where heddle is; pages go to FOLDER (share/man/man1 of an installation)
"""
import pathlib
import subprocess
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    heddle, folder = pathlib.Path(sys.argv[1]) / "heddle", pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)

    def page(*verb):
        return subprocess.run([heddle, "help", "--man", *verb], capture_output=True, text=True)

    overview = page()
    overview.check_returncode()
    (folder / "heddle.1").write_text(overview.stdout, encoding="utf-8")
    verbs = [line.removeprefix(".B ") for line in overview.stdout.splitlines() if line.startswith(".B ") and line != ".B heddle"]
    for verb in verbs:
        done = page(verb)
        if done.returncode == 0:
            (folder / f"heddle-{verb}.1").write_text(done.stdout, encoding="utf-8")


if __name__ == "__main__":
    main()
