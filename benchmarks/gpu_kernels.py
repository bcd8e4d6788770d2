#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of kernels on a GPU: products, reductions, convolutions, attention, each a model of one operator, beside PyTorch.

  gpu_kernels.py make FOLDER [--bin BIN] [--devices cuda,vulkan]      where the compiler is (needs onnx)
  gpu_kernels.py run FOLDER [--bin BIN] [--devices cuda,vulkan]       where the GPU is (PyTorch's column where it is installed)

`run` prints a table of microseconds: the least of ten calls. `kernels` is the sum of a call's dispatches by the device's clock, `call` the
whole call with its arguments and results in memory of the host. PyTorch's are kernels in a CUDA graph, f32 without TF32.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import tempfile


def cases():
    """name: operator, attributes, shapes of the operands, shape of the result."""
    out = {f"product {m}x{k}x{n}": ("MatMul", {}, [(m, k), (k, n)], (m, n))
           for m, k, n in ((1024,) * 3, (4096,) * 3, (16, 4096, 4096), (1, 4096, 4096))}
    out["softmax 4096x1024"] = ("Softmax", {"axis": -1}, [(4096, 1024)], (4096, 1024))
    out["softmax 1x131072"] = ("Softmax", {"axis": -1}, [(1, 131072)], (1, 131072))
    out["layer norm 4096x1024"] = ("LayerNormalization", {"axis": -1}, [(4096, 1024), (1024,), (1024,)], (4096, 1024))
    out["add 16x1024x1024"] = ("Add", {}, [(16, 1024, 1024)] * 2, (16, 1024, 1024))
    out["sum of 16x1024x1024"] = ("ReduceSum", {"keepdims": 0}, [(16, 1024, 1024)], ())
    out["transpose 4096x4096"] = ("Transpose", {"perm": [1, 0]}, [(4096, 4096)], (4096, 4096))
    for name, x, w, groups in (("conv 3x3 1x64x56x56", (1, 64, 56, 56), (64, 64, 3, 3), 1),
                               ("conv 3x3 16x128x28x28", (16, 128, 28, 28), (128, 128, 3, 3), 1),
                               ("conv 1x1 16x256x14x14", (16, 256, 14, 14), (1024, 256, 1, 1), 1),
                               ("depthwise 3x3 16x256x28x28", (16, 256, 28, 28), (256, 1, 3, 3), 256)):
        pad = w[2] // 2
        out[name] = ("Conv", {"group": groups, "pads": [pad] * 4}, [x, w], (x[0], w[0], *x[2:]))
    out["attention 12x512x64"] = ("Attention", {"scale": 0.125}, [(1, 12, 512, 64)] * 3, (1, 12, 512, 64))
    return out


def file_of(folder, name, device):
    return folder / f"{name.replace(' ', '_')}.{device}.heddle"


def make(folder, tools, devices):
    import onnx
    from onnx import helper
    folder.mkdir(parents=True, exist_ok=True)
    info = lambda name, shape: helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
    for name, (op, attributes, operands, result) in cases().items():
        inputs = [f"x{i}" for i in range(len(operands))]
        graph = helper.make_graph([helper.make_node(op, inputs, ["y"], **attributes)], "g", [info(*pair) for pair in zip(inputs, operands)],
                                  [info("y", result)])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)
        with tempfile.TemporaryDirectory() as scratch:
            path = pathlib.Path(scratch) / "model.onnx"
            onnx.save(model, path)
            for device in devices:
                subprocess.run([tools / "heddle", "compile", path, "-q", "-o", file_of(folder, name, device), f"--target-device=gpu={device}"], check=True)


def traced(tools, artifact, operands):
    """Microseconds: the least sum of dispatches, and the least call."""
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "trace.json"
        inputs = [f"--input={'x'.join(map(str, shape))}xf32=1" for shape in operands]
        subprocess.run([tools / "heddle", "trace", artifact, *inputs, "--warmup=5", "--calls=10", "-o", path], check=True, capture_output=True)
        events = json.loads(path.read_text())
    durations = collections.defaultdict(list)
    for event in events["traceEvents"]:
        if event.get("ph") == "X":
            durations[event.get("cat"), event["name"]].append(event["dur"])
    kernels = sum(min(times) for (kind, _), times in durations.items() if kind == "dispatch")
    return kernels, min(min(times) for (kind, _), times in durations.items() if kind == "call")


def peer(op, attributes, operands):
    """Microseconds of PyTorch's kernels, the best of five graphs of twenty calls."""
    import torch
    functional = torch.nn.functional
    tensors = [torch.randn(shape, device="cuda") for shape in operands]
    call = {"MatMul": torch.matmul, "Softmax": lambda x: x.softmax(-1), "Add": torch.add, "ReduceSum": torch.sum,
            "Transpose": lambda x: x.t().contiguous(), "Attention": functional.scaled_dot_product_attention,
            "LayerNormalization": lambda x, s, b: functional.layer_norm(x, s.shape, s, b),
            "Conv": lambda x, w: functional.conv2d(x, w, padding=attributes["pads"][0], groups=attributes["group"])}[op]
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    for _ in range(3):
        call(*tensors)
    torch.cuda.synchronize()
    graph, times = torch.cuda.CUDAGraph(), []
    with torch.cuda.graph(graph):
        for _ in range(20):
            call(*tensors)
    for _ in range(5):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record(), graph.replay(), end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / 20)
    return min(times)


def run(folder, tools, devices):
    try:
        import torch
        has_peer = torch.cuda.is_available()
    except ImportError:
        has_peer = False
    print("| | " + " | ".join(f"{device} kernels | {device} call" for device in devices) + (" | PyTorch |" if has_peer else " |"))
    print("|---|" + "---|---|" * len(devices) + ("---|" if has_peer else ""))
    for name, (op, attributes, operands, _) in cases().items():
        cells = [f"{time:.0f}" for device in devices for time in traced(tools, file_of(folder, name, device), operands)]
        if has_peer:
            cells.append(f"{peer(op, attributes, operands):.1f}")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "run"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=pathlib.Path("build/release/bin"))
    parser.add_argument("--devices", default="cuda,vulkan")
    arguments = parser.parse_args()
    {"make": make, "run": run}[arguments.what](arguments.folder, arguments.bin.resolve(), arguments.devices.split(","))


if __name__ == "__main__":
    main()
