#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles magika's model and names the types of a few files, or of those given.
#
#   examples/magika/demo.sh build/release/bin [FILE…]
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$1
shift
out=build/demo
mkdir -p $out
python=.venv/bin/python
if [ $# -eq 0 ]; then
  $python examples/magika/binary_samples.py $out/samples
  set -- README.md Makefile CMakeLists.txt CMakePresets.json scripts/run_tests.py scripts/setup.sh contract/lib/Plan.cpp \
    $out/samples/gradient.png $out/samples/archive.zip $out/samples/array.npy "$bin/heddle"
fi

show() { echo "\$ $*"; "$@"; }

model=$($python test/models/make_models.py magika)
config=$($python -c 'import sys; sys.path.insert(0, "test/models"); import wheels; print(wheels.magika_config())')
show "$bin/heddle" compile "${model#"$PWD"/}" -o $out/magika.heddle
$python examples/magika/features.py --output $out/features.npy "$@"
show "$bin/heddle" run $out/magika.heddle --input=@$out/features.npy --output=@$out/scores.npy
echo
$python examples/magika/labels.py $out/scores.npy "$config" "$@"
