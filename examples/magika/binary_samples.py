#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes three small binary files for the demo: a picture, an archive, an array.

  binary_samples.py FOLDER
"""
import pathlib
import struct
import sys
import zipfile
import zlib

import numpy


def png(path, size=64):
    """A grey gradient."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = b"".join(b"\0" + bytes((x * y) % 256 for x in range(size)) for y in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    png(folder / "gradient.png")
    with zipfile.ZipFile(folder / "archive.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.txt", "A file in an archive.\n" * 20)
        archive.writestr("numbers.txt", " ".join(map(str, range(500))))
    numpy.save(folder / "array.npy", numpy.arange(1000, dtype=numpy.float32))


if __name__ == "__main__":
    main()
