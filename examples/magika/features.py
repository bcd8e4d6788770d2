#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prepares files for magika's model: its input is int32 [files, 2048], the first and the last 1024 bytes of each file.

  features.py --output features.npy FILE…

White space at the outer end of each half is dropped first, looking no further than one block (4096 bytes); what a short
file lacks is filled with 256, which is no byte: at the end of the first half, at the beginning of the last.
"""
import argparse
import pathlib
import sys

import numpy

HALF = 1024
BLOCK = 4096
PADDING = 256


def padding(values):
    return numpy.full(HALF - len(values), PADDING, numpy.int32)


def features(content):
    """The 2048 integers of one file's bytes."""
    first = numpy.frombuffer(content[:BLOCK].lstrip()[:HALF], numpy.uint8)
    last = numpy.frombuffer(content[-BLOCK:].rstrip()[-HALF:], numpy.uint8)
    return numpy.concatenate([first, padding(first), padding(last), last]).astype(numpy.int32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", required=True)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    try:
        rows = [features(path.read_bytes()) for path in options.files]
    except OSError as error:
        sys.exit(f"features.py: cannot read {error.filename}: {error.strerror}")
    numpy.save(options.output, numpy.stack(rows))


if __name__ == "__main__":
    main()
