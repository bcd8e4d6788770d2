# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Disassembles the objects in the MLIR text on stdin: a line `name:` for each, then its instructions."""
import pathlib
import re
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "object"
    for name, digits in re.findall(r'^\s+(\w+): "0x([0-9A-F]+)"', sys.stdin.read(), re.MULTILINE):
        path.write_bytes(bytes.fromhex(digits)[4:])  # four bytes of alignment first
        done = subprocess.run(["llvm-objdump", "-d", "--mattr=+all", "--no-show-raw-insn", path], check=True, capture_output=True, text=True)
        print(f"{name}:")
        for line in done.stdout.splitlines():
            if instruction := re.match(r"\s*[0-9a-f]+:\s+(.*)", line):
                print("  " + " ".join(instruction.group(1).split()))
