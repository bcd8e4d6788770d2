# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch: heddle.from_torch() and the backend of torch.compile. Its modules need torch and onnxscript.

values: tensors and Heddle's arrays. watch: what a graph does besides computing. views: results that share memory. export: the way to ONNX. module: from_torch().
graph: the backend. The reasons why a graph runs in PyTorch are in heddle._fallback, tolerances in heddle._closeness.
"""
