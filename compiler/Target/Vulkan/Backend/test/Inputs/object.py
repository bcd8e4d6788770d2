# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the only dense resource of the MLIR text on stdin, a compiled object, to stdout."""
import re
import sys

match = re.search(r'^\s+\w+: "0x([0-9A-F]+)"', sys.stdin.read(), re.MULTILINE)
sys.stdout.buffer.write(bytes.fromhex(match.group(1))[4:])  # four bytes of alignment first
