#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the README's bar chart from the first table of docs/benchmarks.md, which `make bench` made.

  plot.py [--check]

Writes docs/images/speed.svg; with --check it only says whether that file is what it would write. A bar is the time of a call on one thread,
in times of the fastest of the row's three.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "images" / "speed.svg"
# Rows of the chart: small and large, floats and integers, one where Heddle is not the fastest.
NETWORKS = {"magika": "magika", "minilm": "MiniLM", "light_resnet50": "ResNet-50", "resnet50_qdq": "ResNet-50, int8", "ppocr_det": "PP-OCR detection",
            "nudenet": "NudeNet"}
ENGINES = (("Heddle", "#d9480f"), ("ONNX Runtime", "#868e96"), ("OpenVINO", "#ced4da"))
LEFT, WIDTH, BAR, GAP = 150, 470, 13, 14


def read(page):
    """{network: its milliseconds, by ENGINES} of the first table."""
    table = page.split("\n## ")[1]
    rows = {}
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] in NETWORKS:
            rows[cells[0]] = [float(re.match(r"[0-9.]+", cell).group()) for cell in cells[1:4]]
    missing = NETWORKS.keys() - rows.keys()
    if missing:
        sys.exit(f"plot: {PAGE} has no row {sorted(missing)}")
    return rows


def text(x, y, words, extra=""):
    return f'<text x="{x}" y="{y}"{extra}>{words}</text>'


def draw(rows):
    most = max(max(times) / min(times) for times in rows.values())
    parts, y = [], 34
    for i, (name, colour) in enumerate(ENGINES):
        parts += [f'<rect x="{LEFT + 130 * i}" y="8" width="11" height="11" fill="{colour}"/>', text(LEFT + 130 * i + 17, 18, name)]
    for network, label in NETWORKS.items():
        parts.append(text(LEFT - 10, y + 1.5 * BAR + 4, label, ' text-anchor="end"'))
        for (_, colour), ms in zip(ENGINES, rows[network]):
            width = WIDTH * ms / min(rows[network]) / most
            parts += [f'<rect x="{LEFT}" y="{y}" width="{width:.0f}" height="{BAR - 1}" fill="{colour}"/>',
                      text(f"{LEFT + width + 5:.0f}", y + BAR - 3, f"{ms:g} ms", ' font-size="10"')]
            y += BAR
        y += GAP
    parts.append(text(LEFT, y + 4, "one thread, batch 1, f32 unless said; shorter is faster", ' font-size="11"'))
    size = (LEFT + WIDTH + 80, y + 14)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" viewBox="0 0 {size[0]} {size[1]}" '
            f'font-family="sans-serif" font-size="12"><title>Time of a call: Heddle, ONNX Runtime, OpenVINO</title>\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    chart = draw(read(PAGE.read_text()))
    if not options.check:
        CHART.write_text(chart)
    elif CHART.read_text() != chart:
        sys.exit(f"plot: {CHART} is not of docs/benchmarks.md; run benchmarks/plot.py")


if __name__ == "__main__":
    main()
