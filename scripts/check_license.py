#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every source file names its licence in one of its first three lines, by SPDX's short form.

  check_license.py [--root DIR] [--fix]

--fix adds the line where it is missing: first, but behind `#!` and `<!doctype`. Texts, tables of data and binary files
are covered by LICENSE and need no line.
"""
import argparse
import pathlib
import sys

from source_tree import ROOT, tracked_files

LINE = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
LEADING_LINES = 3

# How a comment is written, by the end of the file's name.
SLASHES, HASH, BLOCK, SEMICOLON, TAG = "// {}", "# {}", "/* {} */", "; {}", "<!-- {} -->"
COMMENTS = [
    ((".h", ".hpp", ".cpp", ".td", ".def", ".inc", ".fbs", ".mlir", ".js", ".ptx"), SLASHES),
    ((".c", ".map"), BLOCK),
    ((".py", ".pyi", ".sh", ".cmake", "CMakeLists.txt", ".test", "Makefile", ".ci/run", ".clang-format"), HASH),
    ((".spvasm",), SEMICOLON),
    ((".html",), TAG),
]
# Parts that scripts insert into a file that has its line already.
FRAGMENTS = ("scripts/templates/pass/Passes.td.in",)


def comment_of(path):
    """The comment for one file, with `{}` for its text; None for what needs no line."""
    name = path.removesuffix(".in")
    if path in FRAGMENTS:
        return None
    return next((form for ends, form in COMMENTS if name.endswith(ends)), None)


def has_line(text):
    return any(LINE in line for line in text.splitlines()[:LEADING_LINES])


def with_line(text, form):
    """`text` with the line in front, behind what has to be first."""
    lines = text.splitlines(keepends=True)
    behind = 1 if lines and lines[0].lower().startswith(("#!", "<!doctype")) else 0
    return "".join(lines[:behind] + [form.format(LINE) + "\n"] + lines[behind:])


def files_without(root):
    """(path, form of its comment, text) of each source file without the line."""
    for path in tracked_files(root):
        form = comment_of(path)
        if form:
            text = (root / path).read_bytes().decode("utf-8", "surrogateescape")
            if not has_line(text):
                yield path, form, text


def check(root):
    """One error, as text, for each source file without the line."""
    return [f"{path}:1: no line '{form.format(LINE)}': run scripts/check_license.py --fix"
            for path, form, _ in files_without(root)]


def fix(root):
    for path, form, text in list(files_without(root)):
        (root / path).write_bytes(with_line(text, form).encode("utf-8", "surrogateescape"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--fix", action="store_true", help="add the missing lines")
    options = parser.parse_args()
    if options.fix:
        fix(options.root)
    errors = check(options.root)
    for error in errors:
        print(error, file=sys.stderr)
    print(f"check_license: {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
