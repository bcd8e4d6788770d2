#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/passes.md: every pass, with its flag, description and options, from the Passes.td files.

    scripts/make_pass_reference.py [--check]

With --check nothing is written: exit status 1 if the page is not what the files say today.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/passes.md"
INTRO = """# Passes

Made by `scripts/make_pass_reference.py` from the `Passes.td` files. `heddle-opt --FLAG` runs one; `heddle compile --timing` shows which
ran, `--disable-pass=FLAG` skips one. The stages in order: `compiler/Pipelines/Stages.cpp`.
"""


def find_tblgen() -> str:
    for candidate in ("/usr/lib/llvm-22/bin/mlir-tblgen", shutil.which("mlir-tblgen-22"), shutil.which("mlir-tblgen")):
        if candidate and pathlib.Path(candidate).exists():
            return candidate
    sys.exit("mlir-tblgen is not installed: run scripts/setup.sh")


def describe(tblgen: str, definition: pathlib.Path) -> str:
    command = [tblgen, "-gen-pass-doc", "-I", ROOT, "-I", "/usr/lib/llvm-22/include", definition]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    room = definition.parent.relative_to(ROOT)
    return f"## {room}\n\n{text.strip()}\n"


def make_page() -> str:
    tblgen = find_tblgen()
    definitions = sorted((ROOT / "compiler").rglob("Passes.td"))
    return "\n".join([INTRO, *(describe(tblgen, definition) for definition in definitions)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    page = make_page()
    if not parser.parse_args().check:
        PAGE.write_text(page)
        return 0
    if not PAGE.exists() or PAGE.read_text() != page:
        print("docs/passes.md is out of date: run scripts/make_pass_reference.py", file=sys.stderr)
        return 1
    print("docs/passes.md is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
