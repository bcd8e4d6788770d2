#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Golden upper bounds of each network: dispatches of the program, distinct kernels, size of the artifact (bounds.tsv).

A change that needs more of any raises the number in the table and says why in the last column; what needs less is
lowered by `test_bounds.py --lower`, which also adds networks. Compiling may take twice the model and 500 MB of memory.
"""
import json
import math
import os
import pathlib
import re
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import support  # noqa: E402
from make_models import MODELS  # noqa: E402

TABLE = HERE / "bounds.tsv"
COLUMNS = ("dispatches", "kernels", "artifact_kib")
# These are compiled for other tests anyway, or in a second.
SLICE = ("magika", "minilm", "minilm_w8", "light_squeezenet", "light_shufflenet", "light_resnet50", "light_densenet121",
         "open_nsfw", "ppocr_det", "ppocr_rec", "ppocr_cls", "silero_vad_16k_sequence", "mlp", "two")
ALL = tuple(name for name in MODELS if name not in ("chain_1000", "empty"))
MEMORY_FACTOR, MEMORY_BYTES = 2, 500e6


def read_table():
    """{network: ({column: bound}, reason)}"""
    rows = {}
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            name, *numbers, reason = line.split("\t")
            rows[name] = (dict(zip(COLUMNS, map(int, numbers), strict=True)), reason)
    return rows


def write_table(rows):
    head = [line for line in TABLE.read_text().splitlines() if line.startswith("#")]
    lines = ["\t".join([name, *(str(bounds[c]) for c in COLUMNS), reason]) for name, (bounds, reason) in sorted(rows.items())]
    TABLE.write_text("\n".join(head + lines) + "\n")


SIZE_MARGIN = 1.05  # of bounds over what was measured: code differs by processor


def measure(name):
    """What compiling took and gave."""
    stats = json.loads(support.artifact(name).with_suffix(".json").read_text())
    return stats | {"artifact_kib": math.ceil(stats["artifact_bytes"] / 1024)}


class BoundsTest(unittest.TestCase):
    def check(self, name):
        bounds, _ = read_table()[name]
        got = measure(name)
        for column in COLUMNS:
            self.assertLessEqual(got[column], bounds[column], f"{column} of {name}: if it must be more, raise {TABLE.name} and say why")
        limit = MEMORY_FACTOR * support.model(name).stat().st_size + MEMORY_BYTES
        self.assertLessEqual(got["peak_rss_mib"] * 2**20, limit, f"memory compiling {name}")

    def test_table(self):
        """All networks, sorted; a reason is a sentence or nothing."""
        rows = read_table()
        self.assertEqual(sorted(ALL), list(rows))
        for name, (_, reason) in rows.items():
            self.assertTrue(not reason or re.fullmatch(r"[A-Z].{10,}\.", reason), f"{name}: {reason}")


def add_test(name):
    setattr(BoundsTest, f"test_{name}", lambda self: self.check(name))


for network in ALL if os.environ.get("HEDDLE_NETWORKS") == "all" else SLICE:
    add_test(network)


def lower():
    rows = read_table()
    for name in ALL:
        got = measure(name)
        new = {c: math.ceil(got[c] * SIZE_MARGIN) if c == "artifact_kib" else got[c] for c in COLUMNS}
        bounds, reason = rows.get(name, (new, ""))
        rows[name] = ({c: min(bounds[c], new[c]) for c in COLUMNS}, reason)
        above = [c for c in COLUMNS if got[c] > bounds[c]]
        print(name, *(f"{c}={got[c]}" + (" ABOVE" if c in above else "") for c in COLUMNS), flush=True)
    write_table(rows)


if __name__ == "__main__":
    if sys.argv[1:] == ["--lower"]:
        lower()
    else:
        unittest.main()
