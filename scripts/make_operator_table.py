#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes docs/operators.md: every ONNX operator the importer lowers, from the registrations in its sources.

    scripts/make_operator_table.py [--check]

With --check nothing is written: exit status 1 if the page is not what the sources say today.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/operators.md"
SOURCES = ROOT / "compiler/Stages/Import/Onnx"
REAL_OPS = ROOT / "test/onnx_backend/real_model_ops.txt"
CALL = re.compile(r"\btable\.add\(")
REGISTRATION = re.compile(r'\btable\.add\(\s*"([^"]+)",\s*(\d+),')
INTRO = """# Supported operators

`scripts/make_operator_table.py` makes this page from the registrations in `compiler/Stages/Import/Onnx/Ops`.

*Since* lists the operator sets from which a lowering of its own holds, of 1 to 27. A model of an operator set in between has
the meaning of the one before. *Real* marks operators of the real models that the tests began with.

A lowering may not support an element type, an attribute, or a shape that it would have to know. Then it refuses the node by
name at compile time. [The manifest of the ONNX tests](../test/onnx_backend/manifest.tsv) has every such reason. Models that ONNX
Runtime's optimiser (extended) or quantiser wrote compile as they are (`test/e2e/test_onnxruntime_models.py`).
"""


def registrations(text: str, name: str) -> list[tuple[str, int]]:
    """(operator, operator set) for each registration; one that is not written out is an error."""
    found = [(op, int(since)) for op, since in REGISTRATION.findall(text)]
    if len(found) != len(CALL.findall(text)):
        sys.exit(f'{name}: a registration must be written as table.add("Op", N, function)')
    return found


def collect() -> dict[str, tuple[list[int], str]]:
    # Control flow is no lowering of one node.
    operators = {"If": ([1], "ImportIf.cpp"), "Loop": ([1], "ImportLoop.cpp"), "Scan": ([8], "ImportLoop.cpp"),
                 "SequenceMap": ([17], "ImportSequenceMap.cpp")}
    for source in sorted(SOURCES.rglob("*.cpp")):
        for op, since in registrations(source.read_text(), str(source.relative_to(ROOT))):
            versions, _ = operators.setdefault(op, ([], source.name))
            versions.append(since)
    return operators


def make_page() -> str:
    operators, real = collect(), set(REAL_OPS.read_text().split())
    missing = sorted(real - operators.keys())
    own = [name for name in operators if name.startswith("heddle.")]
    lines = [INTRO, f"{len(operators) - len(own)} operators; of the {len(real)} of real models {len(real) - len(missing)}"
             + (f", without {', '.join(missing)}." if missing else "."),
             f"{len(own)} more are of the domain `heddle`: `torch.compile` writes them for operators of PyTorch that ONNX lacks.", "",
             "| operator | domain | since | real | lowered in |", "|---|---|---|---|---|"]
    for name in sorted(operators, key=str.lower):
        versions, source = operators[name]
        domain, _, op = name.rpartition(".")
        since = " ".join(str(version) for version in sorted(versions))
        lines.append(f"| {op} | {domain or 'ai.onnx'} | {since} | {'yes' if name in real else ''} | `{source}` |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    options = parser.parse_args()
    page = make_page()
    if not options.check:
        PAGE.write_text(page)
        return 0
    if not PAGE.exists() or PAGE.read_text() != page:
        print("docs/operators.md is out of date: run scripts/make_operator_table.py", file=sys.stderr)
        return 1
    print("docs/operators.md is up to date")
    return 0


if __name__ == "__main__":
    sys.exit(main())
