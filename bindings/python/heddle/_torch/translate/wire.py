# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages of ONNX in the wire format of protobuf, as bytes. Only the fields that a translation needs."""
from __future__ import annotations

import struct
from typing import Iterable, Sequence

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, BOOL, FLOAT16, DOUBLE, UINT32, UINT64 = 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13
BFLOAT16, FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ = 16, 17, 18, 19, 20

IR_VERSION = 11
OPSET = 26  # the first with CumProd and BitCast
LOCATION = "weights"  # the file beside the model that has the large tensors

Size = "int | str"
Attribute = "int | float | str | bytes | Sequence[int]"  # bytes: a graph


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    if value < 0x80:
        return bytes((value,))
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())


def _attribute(name: str, value: int | float | str | bytes | Sequence[int]) -> bytes:
    if isinstance(value, (bool, int)):
        return _text(1, name) + _number(3, int(value)) + _number(20, 2)
    if isinstance(value, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, 1)
    if isinstance(value, bytes):
        return _text(1, name) + _bytes(6, value) + _number(20, 5)
    if isinstance(value, list) and value and isinstance(value[0], str):
        return _text(1, name) + b"".join(_text(9, item) for item in value) + _number(20, 8)
    if isinstance(value, str):
        return _text(1, name) + _text(4, value) + _number(20, 3)
    return _text(1, name) + b"".join(_number(8, item) for item in value) + _number(20, 7)


def node(op: str, inputs: Iterable[str], outputs: Iterable[str], name: str, domain: str, attributes: dict[str, object]) -> bytes:
    """NodeProto."""
    parts = [_text(1, given) for given in inputs] + [_text(2, made) for made in outputs] + [_text(3, name), _text(4, op)]
    parts += [_bytes(5, _attribute(key, value)) for key, value in attributes.items()]  # type: ignore[arg-type]
    return b"".join(parts + ([_text(7, domain)] if domain else []))


def tensor(name: str, kind: int, shape: Sequence[int], data: bytes) -> bytes:
    """TensorProto that holds its elements."""
    return b"".join(_number(1, size) for size in shape) + _number(2, kind) + _text(8, name) + _bytes(9, data)


def outside_tensor(name: str, kind: int, shape: Sequence[int], offset: int, length: int) -> bytes:
    """TensorProto whose elements lie in the file LOCATION."""
    entries = {"location": LOCATION, "offset": str(offset), "length": str(length)}
    place = b"".join(_bytes(13, _text(1, key) + _text(2, value)) for key, value in entries.items())
    return b"".join(_number(1, size) for size in shape) + _number(2, kind) + _text(8, name) + place + _number(14, 1)


def value(name: str, kind: int, shape: Sequence[int | str] | None) -> bytes:
    """ValueInfoProto; a size is a number or the name of a dimension; without `shape` the importer finds it."""
    tensor_type = _number(1, kind)
    if shape is not None:
        sizes = (_text(2, size) if isinstance(size, str) else _number(1, size) for size in shape)
        tensor_type += _bytes(2, b"".join(_bytes(1, size) for size in sizes))
    return _text(1, name) + _bytes(2, _bytes(1, tensor_type))


def graph(nodes: Iterable[bytes], inputs: Iterable[bytes], outputs: Iterable[bytes]) -> bytes:
    """GraphProto of a loop's body or of a branch."""
    return b"".join([*(_bytes(1, item) for item in nodes), _text(2, "body"), *(_bytes(11, item) for item in inputs),
                     *(_bytes(12, item) for item in outputs)])


def model(nodes: Iterable[bytes], initializers: Iterable[bytes], inputs: Iterable[bytes], outputs: Iterable[bytes],
          domains: Iterable[str]) -> bytes:
    """ModelProto."""
    graph = b"".join([*(_bytes(1, item) for item in nodes), _text(2, "graph"), *(_bytes(5, item) for item in initializers),
                      *(_bytes(11, item) for item in inputs), *(_bytes(12, item) for item in outputs)])
    opsets = [_bytes(8, _text(1, "") + _number(2, OPSET))] + [_bytes(8, _text(1, domain) + _number(2, 1)) for domain in domains]
    return _number(1, IR_VERSION) + _text(2, "heddle") + _bytes(7, graph) + b"".join(opsets)
