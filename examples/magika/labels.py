#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the type of each file from the model's scores: the label of the highest one.

  labels.py scores.npy CONFIG.json FILE…

CONFIG.json is the model's own configuration; its target_labels_space names the columns of the scores.
"""
import argparse
import json
import pathlib
import sys

import numpy


def labels(scores, config):
    """(label, score) of each row."""
    names = config["target_labels_space"]
    if scores.ndim != 2 or scores.shape[1] != len(names):
        raise ValueError(f"scores have one column for each of {len(names)} labels, got shape {scores.shape}")
    return [(names[row.argmax()], float(row.max())) for row in scores]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scores")
    parser.add_argument("config", type=pathlib.Path)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    scores = numpy.load(options.scores)
    if len(scores) != len(options.files):
        sys.exit(f"labels.py: {len(options.files)} files but {len(scores)} rows of scores")
    width = max(map(len, options.files))
    for path, (label, score) in zip(options.files, labels(scores, json.loads(options.config.read_text()))):
        print(f"{path:{width}}  {label:10}  {score:.4f}")


if __name__ == "__main__":
    main()
