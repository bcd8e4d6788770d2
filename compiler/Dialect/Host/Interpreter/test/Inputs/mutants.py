# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Deletes one line after another that orders or frees from good host programs: the verifier must refuse each mutant.

  mutants.py FOLDER…     the programs: all .mlir files of the folders

Prints what became of each mutant; exit status 1 if one was accepted.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ORDERS_OR_FREES = re.compile(r"^\s*host\.(wait|free|await|barrier)\b")


def refusal(text):
    """The verifier's error for a program; None if it accepts it."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(["heddle-opt", file.name, "--schedule-verify-host", "-o", "/dev/null"],
                              capture_output=True, text=True)
    if done.returncode == 0:
        return None
    return next((line for line in done.stderr.splitlines() if "error:" in line), done.stderr)


def main():
    accepted = 0
    for program in sorted(path for folder in sys.argv[1:] for path in pathlib.Path(folder).glob("*.mlir")
                          if not path.stem.endswith("_errors")):
        lines = program.read_text().splitlines()
        if refusal("\n".join(lines)) is not None:
            print(f"{program.name}: refused as it is")
            accepted += 1
        for number, line in enumerate(lines):
            if not ORDERS_OR_FREES.match(line):
                continue
            error = refusal("\n".join(lines[:number] + lines[number + 1:]))
            verdict = "ACCEPTED" if error is None else error.split("error: ")[-1]
            accepted += error is None
            print(f"{program.name}:{number + 1}: without `{line.strip()}`: {verdict}")
    print(f"{accepted} wrong")
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main())
