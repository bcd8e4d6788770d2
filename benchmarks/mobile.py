# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ncnn and MNN as peers of a convolutional network (benchmarks/peer_loop.py).

Their converters read the ONNX file; both compute in f32, as the others do, and may take Winograd's products, as they do
by themselves. What is converted is compared with ONNX Runtime first: a peer that computes something else is refused.
"""
import importlib.util
import pathlib
import subprocess
import sys

import numpy

TOLERANCE = 0.02  # of the largest value: a wrong conversion is far above


def run(command, made):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=made.parent)
    if done.returncode or not made.exists():
        text = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
        raise ValueError(f"{pathlib.Path(command[0]).name} does not convert it: {text[-1][:150]}")


def newer(made, source):
    return made.exists() and made.stat().st_mtime >= source.stat().st_mtime


def expected(path, feed):
    import onnxruntime

    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, feed)


def compare(results, path, feed):
    """ValueError where results, in order, are not those of ONNX Runtime; ncnn drops dimensions of one."""
    wanted = expected(path, feed)
    if len(results) != len(wanted):
        raise ValueError(f"gives {len(results)} results, not {len(wanted)}")
    for got, want in zip(results, wanted):
        if got.size != want.size:
            raise ValueError(f"gives a result of {got.shape}, not {want.shape}")
        error = numpy.abs(got.reshape(-1) - want.reshape(-1).astype(numpy.float32)).max(initial=0)
        if not error <= TOLERANCE * max(numpy.abs(want).max(initial=0), 1e-6):
            raise ValueError(f"gives other values than ONNX Runtime: {error:.3g} apart")


def without_softmax(proto):
    """The model without the Softmax that ends it: of opset 12 and before both converters give it another axis."""
    last = proto.graph.node[-1]
    if last.op_type == "Softmax" and len(proto.graph.output) == 1:
        proto.graph.output[0].name = last.input[0]
        del proto.graph.node[-1]
    return proto


def only_image(feed):
    if len(feed) != 1 or (image := next(iter(feed.values()))).ndim != 4 or image.dtype != numpy.float32:
        raise ValueError("its arguments are not one image")
    return next(iter(feed)), image


def load_ncnn(path, feed, threads):
    _, image = only_image(feed)
    source = pathlib.Path(path)
    param, weights = (source.with_suffix(f".ncnn.{kind}") for kind in ("param", "bin"))
    if not newer(param, source):
        # The program in the package: its Python part wants PyTorch.
        run([pathlib.Path(importlib.util.find_spec("pnnx").origin).parent / "pnnx", source, "fp16=0"], param)
    import ncnn

    net = ncnn.Net()
    net.opt.num_threads, net.opt.use_bf16_storage = threads, False
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
    if net.load_param(str(param)) or net.load_model(str(weights)):
        raise ValueError("ncnn does not load what pnnx made")
    names = sorted(net.output_names(), key=lambda name: int(name.removeprefix("out")))  # pnnx numbers them
    argument = ncnn.Mat(image[0])

    def call():
        extractor = net.create_extractor()
        extractor.input(net.input_names()[0], argument)
        return [extractor.extract(name)[1] for name in names]

    compare([numpy.array(one) for one in call()], path, feed)
    return call


def load_mnn(path, feed, threads):
    name, image = only_image(feed)
    source = pathlib.Path(path)
    made = source.with_suffix(".mnn")
    if not newer(made, source):
        run([pathlib.Path(sys.executable).parent / "mnnconvert", "-f", "ONNX", "--modelFile", source, "--MNNModel", made,
             "--bizCode", "benchmark"], made)
    import MNN
    import onnx

    results = [value.name for value in onnx.load(path, load_external_data=False).graph.output]
    runtime = MNN.nn.create_runtime_manager(({"precision": "high", "backend": "CPU", "numThread": threads},))
    net = MNN.nn.load_module_from_file(str(made), [name], results, runtime_manager=runtime, shape_mutable=False)
    argument = MNN.expr.placeholder(list(image.shape), MNN.expr.NCHW)
    argument.write(image)

    def call():  # reading is what computes
        return [MNN.expr.convert(value, MNN.expr.NCHW).read() for value in net.forward([argument])]

    compare(call(), path, feed)
    return call
