# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the package's tests share. HEDDLE_FIXTURE is the artifact of tools/test: main(a, b) -> (sum = a + b, scaled = 2 a)."""
import functools
import os

import heddle
import onnx.parser

FIXTURE = os.environ["HEDDLE_FIXTURE"]
HEADER = '<ir_version: 10, opset_import: ["" : 20]> '


def onnx_model(text):
    return onnx.parser.parse_model(HEADER + text)


@functools.cache
def compiled(text):
    """The module of a graph in the language of onnx.parser."""
    return heddle.load(heddle.compile(onnx_model(text)))


def pair():
    return heddle.load(FIXTURE)
