#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the text that PP-OCR's recogniser saw.

  read_line.py probabilities.npy MODEL.onnx

The model's result is float [batch, steps, characters]: at each step along the line a probability for every character and,
first, for "nothing". A character that stays likely over several steps is one character (CTC). The model's metadata lists
the characters.
"""
import argparse

import numpy
import onnx


def alphabet(model):
    """The text of each column."""
    listed = next(entry.value for entry in model.metadata_props if entry.key == "character")
    return ["", *listed.splitlines(), " "]


def decode(probabilities, characters):
    """The text of one line, from [steps, characters]."""
    if probabilities.ndim != 2 or probabilities.shape[1] != len(characters):
        raise ValueError(f"a line has one column for each of {len(characters)} characters, got shape {probabilities.shape}")
    best = probabilities.argmax(axis=1)
    starts = numpy.flatnonzero(numpy.diff(best, prepend=-1))
    return "".join(characters[best[i]] for i in starts).strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("probabilities")
    parser.add_argument("model")
    options = parser.parse_args()
    characters = alphabet(onnx.load(options.model))
    for line in numpy.load(options.probabilities):
        print(decode(line, characters))


if __name__ == "__main__":
    main()
