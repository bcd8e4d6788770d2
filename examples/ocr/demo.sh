#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Renders a line of text and reads it back with PP-OCR's recogniser.
#
#   examples/ocr/demo.sh build/release/bin [TEXT]
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$1
text=${2:-Heddle weaves 42 tensors, warp and weft!}
out=build/demo
mkdir -p $out
python=.venv/bin/python

show() { echo "\$ $*"; "$@"; }

model=$($python test/models/make_models.py ppocr_rec)
show "$bin/heddle" compile "${model#"$PWD"/}" -o $out/ppocr_rec.heddle
$python examples/ocr/line_image.py --output $out/line.npy --picture $out/line.png "$text"
show "$bin/heddle" run $out/ppocr_rec.heddle --input=@$out/line.npy --output=@$out/line_scores.npy
echo "read from $out/line.png:"
$python examples/ocr/read_line.py $out/line_scores.npy "$model"
