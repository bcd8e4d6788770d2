#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes an ONNX model from the text in a test file.

    make_model.py TEST.test NAME OUT.onnx

The text stands between a line `//--- NAME` and the next line `//---`, in the language of onnx.parser.
"""
import sys

import onnx
import onnx.parser

path, name, out = sys.argv[1:]
sections = {}
for line in open(path, encoding="utf-8"):
    if line.startswith("//---"):
        lines = sections.setdefault(line[5:].strip(), [])
    elif sections:
        lines.append(line)
onnx.save(onnx.parser.parse_model("".join(sections[name])), out)
