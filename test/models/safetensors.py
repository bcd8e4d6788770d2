# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a .safetensors file: eight bytes of header length, a JSON header of names, types and offsets, then the values."""
import json
import struct

import numpy

TYPES = {"F32": numpy.float32, "F16": numpy.float16, "I64": numpy.int64, "I32": numpy.int32}


def read_safetensors(path):
    """{name: array} of all tensors; arrays are read-only views of the file's bytes."""
    data = path.read_bytes()
    (header_bytes,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + header_bytes])
    values = memoryview(data)[8 + header_bytes :]
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        tensors[name] = numpy.frombuffer(values[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors
