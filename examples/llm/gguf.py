# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a GGUF file: metadata, and tensors as float32. The format: github.com/ggml-org/ggml/blob/master/docs/gguf.md

    model = Gguf("model.gguf")
    model.metadata["llama.block_count"], model.tensor("token_embd.weight")
"""
import mmap
import struct

import numpy

SCALARS = {0: "B", 1: "b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "?", 10: "<Q", 11: "<q", 12: "<d"}
STRING, ARRAY = 8, 9


def half(block, at):
    return block[:, at:at + 2].copy().view(numpy.float16).astype(numpy.float32)


def nibbles(packed):
    """The low halves of all bytes, then the high ones."""
    return numpy.concatenate([packed & 15, packed >> 4], axis=1).astype(numpy.float32)


def q4_0(block):
    return half(block, 0) * (nibbles(block[:, 2:]) - 8)


def q4_1(block):
    return half(block, 0) * nibbles(block[:, 4:]) + half(block, 2)


def q8_0(block):
    return half(block, 0) * block[:, 2:].view(numpy.int8).astype(numpy.float32)


def q6_k(block):
    low, high = block[:, :128].reshape(-1, 2, 64), block[:, 128:192].reshape(-1, 2, 32)
    scales = block[:, 192:208].view(numpy.int8).astype(numpy.float32)
    parts = [(low[:, :, :32] & 15) | ((high & 3) << 4), (low[:, :, 32:] & 15) | ((high >> 2 & 3) << 4),
             (low[:, :, :32] >> 4) | ((high >> 4 & 3) << 4), (low[:, :, 32:] >> 4) | ((high >> 6 & 3) << 4)]
    values = numpy.stack(parts, axis=2).reshape(len(block), 16, 16).astype(numpy.float32) - 32
    return half(block, 208) * (scales[:, :, None] * values).reshape(len(block), 256)


# By type: elements and bytes of a block, and its elements as float32.
BLOCKS = {0: (1, 4, lambda b: b.view("<f4")), 1: (1, 2, lambda b: b.view("<f2").astype(numpy.float32)),
          2: (32, 18, q4_0), 3: (32, 20, q4_1), 8: (32, 34, q8_0), 14: (256, 210, q6_k)}


class Gguf:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, tensors, pairs = struct.unpack_from("<4sIQQ", self.data)
        if magic != b"GGUF" or version < 2:
            raise ValueError(f"{path}: a GGUF file of version 2 or later begins with 'GGUF', got {magic!r} {version}")
        self.at = 24
        self.metadata = {}
        for _ in range(pairs):
            key = self.string()
            self.metadata[key] = self.value(self.number("<I"))
        self.tensors = {}
        for _ in range(tensors):
            name, rank = self.string(), self.number("<I")
            shape = [self.number("<Q") for _ in range(rank)][::-1]
            self.tensors[name] = (shape, self.number("<I"), self.number("<Q"))
        alignment = self.metadata.get("general.alignment", 32)
        self.start = -(-self.at // alignment) * alignment

    def number(self, kind):
        value, = struct.unpack_from(kind, self.data, self.at)
        self.at += struct.calcsize(kind)
        return value

    def string(self):
        length = self.number("<Q")
        self.at += length
        return self.data[self.at - length:self.at].decode("utf-8", "surrogateescape")

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            element, count = self.number("<I"), self.number("<Q")
            return [self.value(element) for _ in range(count)]
        return self.number(SCALARS[kind])

    def tensor(self, name):
        shape, kind, offset = self.tensors[name]
        if kind not in BLOCKS:
            raise ValueError(f"{name}: tensor type {kind} is not one of {sorted(BLOCKS)}")
        elements, size, dequantize = BLOCKS[kind]
        count = int(numpy.prod(shape))
        raw = numpy.frombuffer(self.data, numpy.uint8, count // elements * size, self.start + offset)
        return numpy.ascontiguousarray(dequantize(raw.reshape(-1, size)).reshape(shape).astype(numpy.float32))
