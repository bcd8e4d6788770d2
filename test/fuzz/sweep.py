#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a fuzz target, `importer` or `mlir`, on each small change of each of its seeds: what a mutator comes to by chance, in order.

  sweep.py FUZZER SEEDS OUT [--part I/N]

A change touches one thing of one model: an input's or a constant's shape, element type or values, an input that becomes a constant,
an attribute, an operand or a result of a node, its operator, the opset; in StableHLO (stablehlo_changes.py) the same of one op, a
program by itself. What breaks the target is left in OUT, with what it said beside it. --part takes each N-th model, the I-th first. The last line is `N passed, N failed`, counting changed models.
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

import stablehlo_changes

BATCH = 400
HUGE = 1 << 62
TYPES = [TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.INT64, TensorProto.INT32, TensorProto.UINT8, TensorProto.BOOL,
         TensorProto.STRING, TensorProto.INT4, TensorProto.COMPLEX64, TensorProto.UNDEFINED]
OPSETS = [1, 6, 9, 11, 13, 18, 22]
NUMBERS = [0, 1, -1, 2, 5, 1 << 31, HUGE, -HUGE - 1, (1 << 63) - 1, -(1 << 63)]
REALS = [0.0, -1.0, 0.5, 1e30, float("nan"), float("inf")]
LISTS = [lambda v: [], lambda v: v[:-1], lambda v: [*v, 1], lambda v: [*v, *v], lambda v: v[::-1]] + [
    lambda v, n=n: [n] * len(v) for n in NUMBERS] + [lambda v, n=n: [*v[:-1], n] for n in (-1, 0, HUGE)]


def shapes(dims):
    """Other shapes than `dims`, whose sizes are numbers or names."""
    yield from ([], [0], [1], [2], [1, *dims], [*dims, 1], dims[1:], dims[:-1], [0, *dims], ["q"] * len(dims), ["q", *dims], dims[::-1])
    for at in range(len(dims)):
        for size in (0, 1, 2, 7, "q", HUGE, -1):
            yield [*dims[:at], size, *dims[at + 1:]]


def arrays(array):
    """Other values than the array's, then other shapes."""
    kind = array.dtype.kind
    bounds = numpy.iinfo(array.dtype) if kind in "iu" else None
    values = [n for n in NUMBERS if bounds.min <= n <= bounds.max] if bounds else REALS if kind == "f" else [False, True]
    with numpy.errstate(all="ignore"):
        for number in values:
            yield numpy.full(array.shape, number, array.dtype)
            if array.size > 1:
                changed = array.copy()
                changed.flat[-1] = number
                yield changed
    flat = array.reshape(-1)
    yield from (flat[:0], flat[:1], flat[:1].reshape([]) if flat.size else flat, flat, flat[:-1],
                numpy.concatenate([flat, flat]), array.reshape([1, *array.shape]), array.reshape([*array.shape, 1]),
                numpy.zeros((0, *array.shape), array.dtype), numpy.zeros((2, 0), array.dtype))


def sizes(value):
    return [d.dim_value if d.HasField("dim_value") else d.dim_param or "u" for d in value.type.tensor_type.shape.dim]


def set_sizes(value, dims):
    shape = value.type.tensor_type.shape
    del shape.dim[:]
    for size in dims:
        dim = shape.dim.add()
        if isinstance(size, str):
            dim.dim_param = size
        else:
            dim.dim_value = size


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.type == AttributeProto.GRAPH else attribute.graphs:
                yield from graphs(inner)


class Changes:
    """Calls `emit` with the model after each change, and takes the change back."""

    def __init__(self, data, operators, emit):
        self.data, self.operators, self.emit = data, operators, emit
        self.random = random.Random(len(data))

    def run(self):
        model = onnx.load_from_string(self.data)
        for number, graph in enumerate(graphs(model.graph)):
            for at, value in enumerate(graph.input):
                self.of_input(number, at, value)
            for at, tensor in enumerate(graph.initializer):
                self.of_constant(number, at, tensor)
            for at, node in enumerate(graph.node):
                self.of_node(number, at, node)
            for at, _ in enumerate(graph.output):
                self.change(number, lambda g, at=at: g.output[at].type.Clear())
                self.change(number, lambda g, at=at: g.output[at].__setattr__("name", "nobody"))
        for version in OPSETS:
            self.change(None, lambda m, version=version: m.opset_import[0].__setattr__("version", version))

    def change(self, graph, how):
        model = onnx.load_from_string(self.data)
        try:
            how(model if graph is None else list(graphs(model.graph))[graph])
            data = model.SerializeToString()
        except (ValueError, TypeError, OverflowError, IndexError, KeyError):
            return  # what protobuf or NumPy cannot say
        self.emit(data)

    def of_input(self, graph, at, value):
        if not value.type.HasField("tensor_type"):
            return
        for dims in shapes(sizes(value)):
            self.change(graph, lambda g, dims=dims: set_sizes(g.input[at], dims))
        self.change(graph, lambda g: g.input[at].type.tensor_type.ClearField("shape"))
        self.change(graph, lambda g: g.input[at].ClearField("type"))
        for kind in TYPES:
            self.change(graph, lambda g, kind=kind: g.input[at].type.tensor_type.__setattr__("elem_type", kind))
        dims = [size if isinstance(size, int) and 0 <= size < 9 else 3 for size in sizes(value)]
        kind = value.type.tensor_type.elem_type
        if kind in (TensorProto.UNDEFINED, TensorProto.STRING) or numpy.prod(dims, dtype=object) > 4096:
            return
        try:
            array = numpy.ones(dims, helper.tensor_dtype_to_np_dtype(kind))
        except (KeyError, TypeError):
            return
        for other in [array, *(arrays(array) if array.dtype.kind in "iufb" else [])]:
            self.change(graph, lambda g, other=other: g.initializer.append(numpy_helper.from_array(other, g.input[at].name)) or g.input.pop(at))

    def of_constant(self, graph, at, tensor):
        try:
            array = numpy_helper.to_array(tensor)
        except (ValueError, TypeError, KeyError, onnx.checker.ValidationError):  # the last: stored elsewhere
            return
        for other in arrays(array) if array.dtype.kind in "iufb" else []:
            self.change(graph, lambda g, other=other: g.initializer[at].CopyFrom(numpy_helper.from_array(other, tensor.name)))
        for kind in TYPES:
            self.change(graph, lambda g, kind=kind: g.initializer[at].__setattr__("data_type", kind))
        for dims in shapes(list(tensor.dims)):
            self.change(graph, lambda g, dims=dims: (g.initializer[at].ClearField("dims"), g.initializer[at].dims.extend(dims)))

    def of_node(self, graph, at, node):
        for i, attribute in enumerate(node.attribute):
            self.change(graph, lambda g, i=i: g.node[at].attribute.pop(i))
            self.of_attribute(graph, at, i, attribute)
        for i in range(len(node.input)):
            self.change(graph, lambda g, i=i: g.node[at].input.__setitem__(i, ""))
            self.change(graph, lambda g, i=i: g.node[at].input.__delitem__(slice(i, None)))
            for j in range(len(node.input)):
                self.change(graph, lambda g, i=i, j=j: g.node[at].input.__setitem__(i, g.node[at].input[j]))
        self.change(graph, lambda g: g.node[at].input.append(g.node[at].input[0]))
        for i in range(len(node.output)):
            self.change(graph, lambda g, i=i: g.node[at].output.__setitem__(i, ""))
            self.change(graph, lambda g, i=i: g.node[at].output.__delitem__(slice(i, None)))
        self.change(graph, lambda g: g.node[at].output.append("more"))
        for operator, domain in self.random.sample(self.operators, min(24, len(self.operators))):
            self.change(graph, lambda g, o=operator, d=domain: (g.node[at].__setattr__("op_type", o), g.node[at].__setattr__("domain", d)))

    def of_attribute(self, graph, at, i, attribute):
        def into(field, value, kind=None):
            def how(g):
                target = g.node[at].attribute[i]
                if isinstance(value, list):
                    target.ClearField(field)
                    getattr(target, field).extend(value)
                else:
                    setattr(target, field, value)
                if kind:
                    target.type = kind
            self.change(graph, how)
        for number in NUMBERS:
            into("i", number, AttributeProto.INT)
        for number in REALS:
            into("f", number, AttributeProto.FLOAT)
        for text in (b"", b"x", b"linear"):
            into("s", text, AttributeProto.STRING)
        for other in LISTS:
            if attribute.type == AttributeProto.INTS:
                into("ints", other(list(attribute.ints)))
            elif attribute.type == AttributeProto.FLOATS:
                into("floats", [float(v) for v in other(list(attribute.floats))])
        if attribute.type == AttributeProto.TENSOR:
            array = numpy_helper.to_array(attribute.t)
            for other in arrays(array) if array.dtype.kind in "iufb" else []:
                self.change(graph, lambda g, other=other: g.node[at].attribute[i].t.CopyFrom(numpy_helper.from_array(other)))


class Batches:
    """Runs the target on files in batches; counts, and keeps what breaks it."""

    def __init__(self, fuzzer, prefix, suffix):
        self.fuzzer, self.prefix, self.suffix = fuzzer, prefix, suffix
        self.waiting, self.seen, self.passed, self.failed = [], set(), 0, 0  # seen: hashes

    def add(self, data):
        if hash(data) not in self.seen:
            self.seen.add(hash(data))
            self.waiting.append(data)
            if len(self.waiting) == BATCH:
                self.flush()

    def flush(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / f"{i:04}" for i in range(len(self.waiting))]
            for file, data in zip(files, self.waiting):
                file.write_bytes(data)
            while files:
                done = subprocess.run([self.fuzzer, *files, "-timeout=100", "-rss_limit_mb=3000", f"-artifact_prefix={folder}/crash-"],
                                      capture_output=True, text=True, errors="replace", check=False)
                last = done.stderr.count("\nRunning: ") + done.stderr.startswith("Running: ")
                self.passed += len(files) if done.returncode == 0 else last - 1
                if done.returncode == 0:
                    break
                self.failed += 1
                kept = f"{self.prefix}-{self.failed:03}"
                shutil.copy(files[max(last, 1) - 1], kept + self.suffix)
                pathlib.Path(kept + ".log").write_text(done.stderr[-20_000:])
                said = (line for line in done.stderr.splitlines() if "SUMMARY" in line or "ERROR" in line)
                print(f"{kept}{self.suffix}: " + next(said, f"exit status {done.returncode}"), flush=True)
                files = files[max(last, 1):]
        self.waiting = []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fuzzer", type=pathlib.Path)
    parser.add_argument("seeds", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--part", default="0/1", metavar="I/N")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    first, step = map(int, options.part.split("/"))
    seeds = [path.read_bytes() for path in sorted(options.seeds.iterdir())]
    is_text = options.fuzzer.name.startswith("mlir")
    if is_text:
        # Programs without an op to change would be models with nothing done, and a part could be of them only.
        named = {data: {op.name for op in stablehlo_changes.ops(data.decode())} for data in seeds}
        seeds = [data for data in seeds if named[data]]
        operators = sorted(set().union(*named.values()))
        change = lambda data: stablehlo_changes.Changes(data, operators, shapes, batches.add)
    else:
        operators = sorted({(node.op_type, node.domain) for data in seeds for node in onnx.load_from_string(data).graph.node})
        change = lambda data: Changes(data, operators, batches.add)
    kind = options.fuzzer.name.removesuffix("_fuzzer")
    batches = Batches(options.fuzzer, options.out / f"sweep-{kind}-{first}-of-{step}", ".mlir" if is_text else ".onnx")
    for number, data in enumerate(seeds[first::step]):
        change(data).run()
        if number % 50 == 49:
            print(f"{number + 1} models, {batches.passed} changes passed, {batches.failed} failed", flush=True)
    batches.flush()
    print(f"{batches.passed} passed, {batches.failed} failed", flush=True)
    return 1 if batches.failed or not batches.passed else 0


if __name__ == "__main__":
    sys.exit(main())
