#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that only compiler/Codegen/ISA names the instructions of a processor (docs/design/codegen.md).

  check_isa.py [--root DIR]

Refused elsewhere in the compiler: LLVM's intrinsics of an architecture
(`llvm.x86.…`, `llvm.aarch64.…`, `llvm.riscv.…`, `llvm::Intrinsic::x86_…`), MLIR's dialects for one, and inline assembly.
GPUs have dialects of their own (gpu, nvvm, spirv), which are no matter of this check.
"""
import argparse
import pathlib
import re
import sys

from source_tree import CPP_SUFFIXES, ROOT, tracked_files

FOLDER = "compiler/"
HOME = "compiler/Codegen/ISA/"
NAMED = re.compile(r"""llvm\.(?:x86|aarch64|arm|riscv)\b
                       |\bIntrinsic::(?:x86|aarch64|arm|riscv)_\w+
                       |mlir/Dialect/(?:X86Vector|X86|AMX|ArmNeon|ArmSVE|ArmSME)/
                       |\bInlineAsmOp\b|\b__asm__\b|\basm\s+volatile\b""", re.VERBOSE)


def problems_of(root, path):
    text = (pathlib.Path(root) / path).read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), 1):
        if found := NAMED.search(line):
            yield f"{path}:{number}: '{found.group()}' is a processor's own; write an op of the dialect kernel and lower it in {HOME}"


def check(root):
    paths = [path for path in tracked_files(root, (*CPP_SUFFIXES, ".td"))
             if path.startswith(FOLDER) and not path.startswith(HOME) and "test" not in pathlib.PurePath(path).parts]
    return [problem for path in paths for problem in problems_of(root, path)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT)
    found = check(parser.parse_args().root)
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
