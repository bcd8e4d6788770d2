#!/usr/bin/env python3
"""Writes docs/passes.md, the reference of all passes, from the Passes.td files.

  make_pass_reference.py            write it
  make_pass_reference.py --check    fail if it is out of date
"""
import argparse
import pathlib
import re
import subprocess
import sys

from source_tree import ROOT, tracked_files

TABLEGEN = "/usr/lib/llvm-22/bin/mlir-tblgen"
INCLUDES = ["-I/usr/lib/llvm-22/include", "-I."]
REFERENCE = "docs/passes.md"
HEADER = """# Passes

Every pass of Heddle, by folder; a flag is one of `heddle-opt`. Made by `scripts/make_pass_reference.py` from the Passes.td
files; do not edit. Stages run in the order of `compiler/Pipelines/Stages.h`; `heddle-opt --stage-NAME` runs a whole one.
"""


def section(root, path):
    """The passes of one Passes.td, headings one level down."""
    text = subprocess.run([TABLEGEN, "-gen-pass-doc", *INCLUDES, path], cwd=root, check=True, capture_output=True,
                          text=True).stdout
    text = re.sub(r"^<!--.*?-->\n", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^(###+ )`-(?=\w)", r"\1`--", text, flags=re.MULTILINE)
    text = "\n".join(line.rstrip() for line in text.strip().splitlines())
    return f"## {pathlib.PurePosixPath(path).parent}\n\n{text}\n"


def reference(root):
    paths = [p for p in tracked_files(root, ("/Passes.td",)) if p.startswith("compiler/")]
    return "\n".join([HEADER, *(section(root, path) for path in paths)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    options = parser.parse_args()
    path, text = options.root / REFERENCE, reference(options.root)
    if not options.check:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        print(f"{REFERENCE} is out of date; run scripts/make_pass_reference.py", file=sys.stderr)
        return 1
    print(f"{REFERENCE}: {text.count(chr(10) + '### ')} passes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
