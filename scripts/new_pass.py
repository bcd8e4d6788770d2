#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a new pass: file, flag, test, entry in Passes.td and CMakeLists.txt.

  new_pass.py compiler/Stages/Form SplitLoops "Splits a loop nest that no core could share" [--op func::FuncOp]

The pass is one that changes nothing and its test says so: write the test you want, see it fail, then write the pass.
"""
import argparse
import pathlib

from check_passes import flag_of, scope_of
from scaffold import Changes, ScaffoldError, fill, main, require_camel_case, snake
from source_tree import ROOT


def new_pass(root, folder, name, summary, op):
    require_camel_case(name)
    folder = pathlib.PurePosixPath(folder)
    if not (root / folder / "Passes.td").exists():
        raise ScaffoldError(f"a pass lives in a folder with a Passes.td; {folder} has none")
    if not 10 <= len(summary) <= 110 or '"' in summary:
        raise ScaffoldError(f"a summary has 10 to 110 characters and no quotation mark; got '{summary}'")
    op = op.removeprefix("::mlir::").removeprefix("mlir::")
    values = {
        "Name": name, "NAME": name.upper(), "summary": summary, "flag": flag_of(name, scope_of(folder)),
        "folder": str(folder), "op": op,
    }
    changes = Changes(root)
    changes.create(f"{folder}/{name}.cpp", fill("pass/Pass.cpp", **values))
    changes.create(f"{folder}/test/{snake(name)}.mlir", fill("pass/test.mlir", **values))
    definition = fill("pass/Passes.td", **values).replace("\\", r"\\")
    changes.edit(f"{folder}/Passes.td", r"^#endif", definition + "\n#endif", "definition of the pass")
    changes.edit(f"{folder}/CMakeLists.txt", r"(heddle_mlir_library\([^)]*?\bSRCS\b[^)]*?)(\s+LIBS\b|\))", rf"\1 {name}.cpp\2", "list of sources")
    changes.apply()


def run():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("name")
    parser.add_argument("summary")
    parser.add_argument("--op", default="ModuleOp", help="what the pass runs on (default ModuleOp)")
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    options = parser.parse_args()
    new_pass(options.root, options.folder, options.name, options.summary, options.op)
    print("now: add it to Pipeline.cpp of its folder, with a comment on why it stands there")


if __name__ == "__main__":
    main(run)
