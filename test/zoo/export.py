#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports the architectures of architectures.py to ONNX, with inputs and what PyTorch computes for them.

  export.py OUT [--way fixed] [NAME]…     writes OUT/WAY/NAME/model.onnx and io.npz (in_0 …, out_0 …)

Ways: `fixed` sizes, by the exporter that is PyTorch's default; `free`, the same with every size free that can be;
`traced`, by the exporter before it, with a free batch and operator set 17. A name stands for all that begin so; what is
there already stays. `why` in place of the model says why there is none: that is no failure of ours.

Needs torch, torchvision, timm, transformers, onnx and onnxscript: `make zoo` installs them.
"""
import argparse
import inspect
import pathlib
import signal
import time
import traceback
import warnings

import numpy
import torch

from architectures import NAMES, build

WAYS = ("fixed", "free", "traced")
SECONDS = 300
TRACED_OPSET = 17


def free_sizes(module, inputs):
    """`dynamic_shapes` of torch.onnx.export(): all free, as far as the module lets them be."""
    shapes = tuple({axis: torch.export.Dim.AUTO for axis in range(tensor.ndim)} for tensor in inputs)
    parameters = list(inspect.signature(module.forward).parameters.values())
    if parameters[0].kind == inspect.Parameter.VAR_POSITIONAL:
        return {parameters[0].name: shapes}
    return {parameter.name: shape for parameter, shape in zip(parameters, shapes)}


def export(module, inputs, way, path):
    if way == "traced":
        names = [f"x{i}" for i in range(len(inputs))]
        axes = {name: {0: "batch", **({1: f"length_{name}"} if tensor.ndim == 2 else {})} for name, tensor in zip(names, inputs)}
        torch.onnx.export(module, inputs, path, dynamo=False, opset_version=TRACED_OPSET, input_names=names, dynamic_axes=axes)
    else:
        more = {"dynamic_shapes": free_sizes(module, inputs)} if way == "free" else {}
        torch.onnx.export(module, inputs, dynamo=True, verbose=False, **more).save(path)


def out_of_time(*_):
    raise TimeoutError(f"longer than {SECONDS} s")


def make(name, way, folder):
    folder.mkdir(parents=True)
    signal.alarm(SECONDS)
    try:
        module, inputs = build(name)
        with torch.no_grad():
            given = module(*inputs)
            export(module, inputs, way, folder / "model.onnx")
        arrays = {f"in_{i}": tensor.numpy() for i, tensor in enumerate(inputs)}
        results = [given] if isinstance(given, torch.Tensor) else given
        numpy.savez(folder / "io.npz", **arrays, **{f"out_{i}": tensor.numpy() for i, tensor in enumerate(results)})
        return "exported"
    except Exception as error:  # whatever an architecture or an exporter does
        (folder / "model.onnx").unlink(missing_ok=True)
        (folder / "why").write_text(traceback.format_exc())
        return f"not exported: {type(error).__name__}"
    finally:
        signal.alarm(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--way", choices=WAYS, default="fixed")
    options = parser.parse_intermixed_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    signal.signal(signal.SIGALRM, out_of_time)
    for name in NAMES:
        folder = options.out / options.way / name
        if name.startswith(tuple(options.names)) and not folder.exists():
            begin = time.monotonic()
            print(f"{name}: {make(name, options.way, folder)}, {time.monotonic() - begin:.0f} s", flush=True)


if __name__ == "__main__":
    main()
