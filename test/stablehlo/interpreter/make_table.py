# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the table in docs/design/stablehlo-interpreter.md: each op's cases, how many are right, what is refused and why.

  HEDDLE_BIN=build/release/bin python test/stablehlo/interpreter/make_table.py [OP…]     (with ops: prints their rows)
"""
import collections
import pathlib
import sys

import run_cases

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/design/stablehlo-interpreter.md"
START = "| op | cases | right | refused | why |\n|---|---|---|---|---|\n"


def row(op, answers):
    kinds = collections.Counter(a.kind for a in answers)
    reasons = dict.fromkeys(a.why.split(";")[0].split(":")[-1].strip().replace("|", "\\|") for a in answers if a.kind == "refused")
    if kinds["wrong"]:
        print(*(f"WRONG {op} {a.case.name}: {a.why}" for a in answers if a.kind == "wrong"), sep="\n", file=sys.stderr)
    return f"| {op} | {len(answers)} | {kinds['right']} | {kinds['refused']} | {'; '.join(reasons)} |\n", kinds


def main():
    total, rows = collections.Counter(), ""
    for op, group in sorted(run_cases.cases_by_op().items()):
        if sys.argv[1:] and op not in sys.argv[1:]:
            continue
        line, kinds = row(op, run_cases.answer(group))
        print(line, end="", flush=True)
        rows += line
        total.update(kinds)
    count = sum(total.values())
    summary = f"Of {count} cases {total['right']} are right ({100 * total['right'] / count:.1f} %), {total['refused']} are refused."
    print(summary)
    if not sys.argv[1:]:
        before = PAGE.read_text().split(START)[0].rsplit("Of ", 1)[0] if PAGE.exists() else ""
        PAGE.write_text(f"{before}{summary}\n\n{START}{rows}")
    sys.exit(1 if total["wrong"] else 0)


if __name__ == "__main__":
    main()
