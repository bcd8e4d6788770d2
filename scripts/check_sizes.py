#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks file and function sizes: a warning above the aim, an error above the wall.

  check_sizes.py [--root DIR]

Files: aim 500 lines, wall 1,000 (tables — .td, .def, .fbs — apart); tests: aim 400. Functions: aim 60 lines, wall 100; in
C++ found by Universal Ctags, in Python by its own parser.
"""
import argparse
import ast
import json
import pathlib
import subprocess
import sys

from source_tree import CPP_SUFFIXES, ROOT, tracked_files

FILE_AIM, FILE_WALL, TEST_AIM = 500, 1000, 400
FUNCTION_AIM, FUNCTION_WALL = 60, 100


def is_test(path):
    return "/test/" in path or path.startswith("test/") or path.endswith(("Test.cpp", "_test.cpp", ".mlir"))


def file_sizes(root, paths):
    """(path, line, what, size, aim, wall) for each file."""
    for path in paths:
        lines = (root / path).read_bytes().count(b"\n")
        yield path, 1, "file", lines, TEST_AIM if is_test(path) else FILE_AIM, FILE_WALL


def cpp_functions(root, paths):
    """(path, line, name, length) for each C and C++ function with a body."""
    if not paths:
        return
    tags = subprocess.run(
        ["ctags", "-L", "-", "-f", "-", "--output-format=json", "--fields=+ne", "--languages=C,C++",
         "--langmap=C++:.h.hpp.cpp,C:.c", "--kinds-C++=f", "--kinds-C=f"],
        cwd=root, input="\n".join(paths), check=True, capture_output=True, text=True,
    ).stdout
    for line in tags.splitlines():
        tag = json.loads(line)
        if "end" in tag:
            yield tag["path"], tag["line"], tag["name"], tag["end"] - tag["line"] + 1


def python_functions(root, paths):
    for path in paths:
        for node in ast.walk(ast.parse((root / path).read_text(), path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield path, node.lineno, node.name, node.end_lineno - node.lineno + 1


def check(root):
    """Warnings and errors, as text."""
    cpp = tracked_files(root, CPP_SUFFIXES)
    python = tracked_files(root, (".py",))
    measured = list(file_sizes(root, cpp + python + tracked_files(root, (".mlir", ".sh"))))
    for functions in (cpp_functions(root, cpp), python_functions(root, python)):
        measured += [(path, line, f"function {name}", length, FUNCTION_AIM, FUNCTION_WALL)
                     for path, line, name, length in functions]
    warnings, errors = [], []
    for path, line, what, size, aim, wall in measured:
        text = f"{path}:{line}: {what} has {size} lines; aim {aim}, wall {wall}"
        if size > wall:
            errors.append(text)
        elif size > aim:
            warnings.append(text)
    return warnings, errors, len(measured)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    options = parser.parse_args()
    warnings, errors, count = check(options.root.resolve())
    for text in warnings:
        print("warning: " + text, file=sys.stderr)
    for text in errors:
        print("error: " + text, file=sys.stderr)
    print(f"check_sizes: {count} files and functions, {len(warnings)} warnings, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
