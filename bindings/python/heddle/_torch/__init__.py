# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: heddle.from_torch() and the backend of torch.compile (docs/design/torch.md). Its modules need torch, module and export onnxscript, too.

backend: through AOTAutograd. nodes, partition: which nodes Heddle has, and the islands that they make. program: islands and the rest as one
function. island: one of them, compiled. translate: ATen as models. values: tensors and Heddle's arrays. module, export: from_torch() by ONNX.
The kinds of reasons why something runs in PyTorch are in heddle._fallback, tolerances in heddle._closeness.
"""
