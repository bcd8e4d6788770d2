#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes build/peers, the Python environment of the peers. Safe to repeat.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/peers
stamp=$venv/.requirements.sha256
want=$(sha256sum < benchmarks/requirements.txt)
if [ ! -f $stamp ] || [ "$(cat $stamp)" != "$want" ]; then
  echo "setup: creating $venv (ONNX Runtime, OpenVINO, IREE, ncnn, MNN, MKL; about 2 GB)"
  /usr/bin/python3 -m venv --clear $venv
  $venv/bin/pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt < /dev/null
  # pnnx converts for ncnn by a program in its package; what the package says to need is PyTorch, which nothing here reads.
  $venv/bin/pip install --quiet --disable-pip-version-check --no-deps pnnx==20261020 < /dev/null
  echo "$want" > $stamp
fi
