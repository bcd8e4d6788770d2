#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/design/tour.md: one small model through every stage, with the real IR.

    scripts/make_tour.py [--build build/release] [--check]

Compiles docs/design/tour.mlir with --dump-dir and puts each stage's dump under its heading. With --check nothing is written:
exit status 1 and a diff if the page is not what the compiler prints today.
"""

import argparse
import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/design/tour.md"
MODEL = ROOT / "docs/design/tour.mlir"

INTRO = """# A tour: one model through every stage

Made by `scripts/make_tour.py` from `tour.mlir`; CI fails when it is not what the compiler prints. The model is a dense layer
with bias and relu and one dynamic dimension, compiled for `x86-64-v3`.
"""

STAGES = {
    "import": "The model as linalg on tensors. The argument's dynamic dimension has a name; its size is `flow.dimension`.",
    "devices": "The program's devices are symbols from here on. Without flags: the host CPU (here a named level).",
    "partition": "Loops over streams would be here ([stream-loops.md](stream-loops.md)); nothing is marked, so nothing changed.",
    "simplify": "Folds that are true everywhere; bias and relu became one elementwise op.",
    "encode": "The product's operands and result say what they are used for; the constant's encoding moved to its parameter.",
    "form": "One dispatch: the matmul and its epilogue became an executable, constants became parameters.",
    "place": "The dispatch has a device.",
    "resolve": "The device says how: more than 16 constant columns would lie in panels (encode.md), these four stay in rows, and no encoding is left.",
    "schedule": "Host IR: buffers, a stream, the dispatch in destination form. The result is written to the caller's buffer.",
    "codegen": "The executable has a variant: machine code, and host functions that tell workgroups and scratch memory.",
    "package": "Each dispatch knows its workgroups and scratch bytes: the variant's functions are inlined.",
    "artifact": "The file, as `heddle inspect` prints it.",
}


def shorten(text: str) -> str:
    """Drops what says nothing here: resource sections and long hex strings."""
    text = re.sub(r"\n\{-#.*?#-\}\n?", "\n", text, flags=re.S)
    text = re.sub(r'"0x[0-9A-Fa-f]{64,}"', '"0x…"', text)
    return text.strip()


def compile_model(build: pathlib.Path, folder: pathlib.Path) -> None:
    artifact = folder / "tour.heddle"
    command = [build / "bin/heddle-compile", MODEL.relative_to(ROOT), "-o", artifact, "--target-cpu=x86-64-v3"]
    subprocess.run([*command, f"--dump-dir={folder}"], check=True, cwd=ROOT, stderr=subprocess.DEVNULL)
    text = subprocess.run([build / "bin/heddle-inspect", artifact], check=True, capture_output=True, text=True).stdout
    text = re.sub(r"by heddle [^\n]*", "by heddle", text)  # each commit has another build
    (folder / "99-artifact.mlir").write_text(re.sub(r"\S*tour\.heddle", "tour.heddle", text))


def make_page(build: pathlib.Path) -> str:
    parts = [INTRO]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_model(build, folder)
        for dump in sorted(folder.glob("*.mlir")):
            stage = dump.stem.split("-", 1)[1]
            language = "text" if stage == "artifact" else "mlir"
            parts.append(f"## {stage}\n\n{STAGES[stage]}\n\n```{language}\n{shorten(dump.read_text())}\n```\n")
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    arguments = parser.parse_args()
    page = make_page(arguments.build.resolve())
    if not arguments.check:
        PAGE.write_text(page)
        return 0
    old = PAGE.read_text().splitlines() if PAGE.exists() else []
    diff = list(difflib.unified_diff(old, page.splitlines(), "tour.md", "today", lineterm=""))
    print("\n".join(diff[:60]))
    if diff:
        print("docs/design/tour.md is out of date: run scripts/make_tour.py", file=sys.stderr)
    return 1 if diff else 0


if __name__ == "__main__":
    sys.exit(main())
