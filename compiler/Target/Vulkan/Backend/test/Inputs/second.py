# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the second of the SPIR-V modules on stdin, which follow one another, to stdout."""
import struct
import sys

MAGIC, HEADER = 0x07230203, 5
code = sys.stdin.buffer.read()
words = struct.unpack(f"<{len(code) // 4}I", code)
at = HEADER
while words[at] != MAGIC:
    at += words[at] >> 16
sys.stdout.buffer.write(code[4 * at:])
