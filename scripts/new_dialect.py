#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a new dialect with one op: dialect and op definitions, C++ of the two, a test, registration.

  new_dialect.py Mesh "Which devices form a grid"

A dialect is a decision: say why it exists in docs/design/structure.md.
"""
import argparse
import pathlib

from scaffold import Changes, ScaffoldError, fill, main, require_camel_case, snake
from source_tree import ROOT

REGISTRATION = "compiler/Pipelines/Registration.cpp"


def new_dialect(root, name, summary):
    require_camel_case(name)
    if not 10 <= len(summary) <= 100 or '"' in summary:
        raise ScaffoldError(f"a summary has 10 to 100 characters and no quotation mark; got '{summary}'")
    mnemonic = snake(name)
    values = {"Name": name, "NAME": name.upper(), "name": mnemonic, "summary": summary}
    folder = f"compiler/Dialect/{name}/IR"
    changes = Changes(root)
    for template, path in [("Dialect.td", f"{name}Dialect.td"), ("Ops.td", f"{name}Ops.td"), ("Ops.h", f"{name}Ops.h"),
                           ("Ops.cpp", f"{name}Ops.cpp"), ("CMakeLists.txt", "CMakeLists.txt"),
                           ("test.mlir", "test/ops.mlir")]:
        changes.create(f"{folder}/{path}", fill(f"dialect/{template}", **values))
    changes.edit("compiler/CMakeLists.txt", r"^(add_subdirectory\(Dialect/\w+/IR\)\n)",
                 rf"\1add_subdirectory(Dialect/{name}/IR)\n", "list of folders")
    changes.edit(REGISTRATION, r'^(#include "compiler/Dialect/\w+/IR/\w+\.h"\n)',
                 rf'\1#include "{folder}/{name}Ops.h"\n', "include of the dialect")
    changes.edit(REGISTRATION, r"(registry\.insert<[^>]*)>", rf"\1, {mnemonic}::{name}Dialect>", "registration")
    changes.edit("compiler/Pipelines/CMakeLists.txt", r"(LIBS\s[^)]*)\)", rf"\1 Heddle{name})", "library of the dialect")
    changes.apply()


def run():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("summary")
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    options = parser.parse_args()
    new_dialect(options.root, options.name, options.summary)


if __name__ == "__main__":
    main(run)
