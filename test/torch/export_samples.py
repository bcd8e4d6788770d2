#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports small PyTorch modules with torch.onnx.export(dynamo=True), with inputs and what PyTorch computes for them.

  export_samples.py [NAME]…          writes NAME.onnx and NAME.npz beside this file

Needs torch and onnxscript, which nothing else here does: the files are committed, and test_torch_samples.py reads them.
docs/pytorch.md says with which versions they were made. `.npz` holds in_0, in_1, … and out_0, …; a second set of inputs
of other sizes, where sizes are dynamic, is in2_0, … and out2_0, ….
"""
import pathlib
import sys

import numpy
import onnx
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional

FOLDER = pathlib.Path(__file__).resolve().parent


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Linear(16, 32), nn.BatchNorm1d(32), nn.Linear(32, 4)

    def forward(self, x):
        return functional.softmax(self.last(functional.gelu(self.norm(self.first(x)))), -1)


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8)
        self.depthwise, self.point = nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Conv2d(8, 16, 1)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = functional.max_pool2d(functional.relu6(self.norm(self.stem(x))), 2)
        x = functional.silu(self.point(functional.hardswish(self.depthwise(x))))
        return self.head(functional.adaptive_avg_pool2d(x, 1).flatten(1))


class TransformerBlock(nn.Module):
    """Attention with a causal mask, then a gated feed-forward, both with residuals."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.gate, self.down = nn.Linear(width, 64), nn.Linear(width, 64), nn.Linear(64, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
                   for part in self.qkv(self.norm1(x)).chunk(3, -1))
        attended = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).reshape(batch, length, width))
        y = self.norm2(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(6, 10, num_layers=2, batch_first=True, bidirectional=True), nn.Linear(20, 3)

    def forward(self, x):
        out, (hidden, _) = self.lstm(x)
        return self.head(out), hidden


class Lookup(nn.Module):
    """Embeddings and index operations."""

    def __init__(self):
        super().__init__()
        self.table, self.places = nn.Embedding(50, 12), nn.Embedding(20, 12)

    def forward(self, ids, chosen):
        x = self.table(ids) + self.places(torch.arange(ids.shape[1]))
        x = x.masked_fill((ids == 0)[..., None], 0.0)
        picked = torch.gather(x, 1, chosen[..., None].expand(-1, -1, 12))
        return picked, torch.cumsum(x.sum(-1), 1), x.index_select(1, torch.tensor([2, 0]))


class CrossAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 2, batch_first=True)

    def forward(self, x, memory):
        out, weights = self.attention(x, memory, memory)
        return out, weights


class Upsampler(nn.Module):
    """What decoders of images have: group norms, transposed convolutions, resizing, concatenation."""

    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(2, 8, 4, stride=2, padding=1), nn.ConvTranspose2d(8, 4, 4, stride=2, padding=1)
        self.norm, self.out = nn.GroupNorm(2, 8), nn.Conv2d(6, 3, 3, padding=1)

    def forward(self, x):
        small = functional.elu(self.norm(self.down(x)))
        y = torch.cat([self.up(small), x], 1)
        return functional.interpolate(self.out(y), scale_factor=2.0, mode="bilinear", align_corners=False)


def floats(*shape):
    return torch.randn(*shape)


def ids(high, *shape):
    return torch.randint(0, high, shape)


BATCH, LENGTH = Dim("batch", min=1, max=64), Dim("length", min=1, max=512)
# name: module, inputs, dynamic_shapes, inputs of other sizes
SAMPLES = {
    "mlp": (Mlp, lambda: (floats(3, 16),), ({0: BATCH},), lambda: (floats(7, 16),)),
    "convnet": (ConvNet, lambda: (floats(2, 3, 32, 32),), ({0: BATCH},), lambda: (floats(5, 3, 32, 32),)),
    "transformer": (TransformerBlock, lambda: (floats(2, 9, 32),), ({0: BATCH, 1: LENGTH},), lambda: (floats(3, 17, 32),)),
    "lstm": (Lstm, lambda: (floats(2, 7, 6),), None, None),
    "lookup": (Lookup, lambda: (ids(50, 2, 8), ids(8, 2, 3)), None, None),
    "cross_attention": (CrossAttention, lambda: (floats(2, 5, 16), floats(2, 7, 16)), None, None),
    "upsampler": (Upsampler, lambda: (floats(1, 2, 12, 16),), None, None),
}


def strip(path):
    """Without the exporter's notes: stack traces with paths of the machine."""
    model = onnx.load(path)
    graph = model.graph
    for noted in (model, graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        del noted.metadata_props[:]
        noted.doc_string = ""
    onnx.save_model(model, path)


def write(name):
    make, inputs, dynamic_shapes, others = SAMPLES[name]
    torch.manual_seed(list(SAMPLES).index(name))
    module, values = make().eval(), {}
    for norm in module.modules():  # statistics of a trained network, not of a fresh one
        if isinstance(norm, (nn.BatchNorm1d, nn.BatchNorm2d)):
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 2.0)
    given = inputs()
    with torch.no_grad():
        torch.onnx.export(module, given, str(FOLDER / f"{name}.onnx"), dynamo=True, opset_version=20, verbose=False,
                          dynamic_shapes=dynamic_shapes, external_data=False)
        strip(FOLDER / f"{name}.onnx")
        for prefix, tensors in [("", given)] + ([("2", others())] if others else []):
            results = module(*tensors)
            results = results if isinstance(results, tuple) else (results,)
            values |= {f"in{prefix}_{i}": tensor.numpy() for i, tensor in enumerate(tensors)}
            values |= {f"out{prefix}_{i}": tensor.numpy() for i, tensor in enumerate(results)}
    numpy.savez_compressed(FOLDER / f"{name}.npz", **values)
    print(name, (FOLDER / f"{name}.onnx").stat().st_size, "bytes")


if __name__ == "__main__":
    print("torch", torch.__version__)
    for sample in sys.argv[1:] or SAMPLES:
        write(sample)
