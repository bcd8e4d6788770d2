#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the fuzzers' seeds: small models of every op, and an artifact of each.

  make_seeds.py OUT [--bin build/release/bin]

OUT/importer gets the models of test/onnx_ops, of the importer's own tests and of seed_models.py, and the node tests of the package
onnx that are small; OUT/artifact gets what heddle-compile in BIN makes of the first, and the artifacts of test/artifacts. Without a compiler only the latter. OUT/mlir gets
the StableHLO of test/stablehlo and the programs of the importer's own tests, OUT/bytecode the same as heddle-opt in BIN writes
it in bytecode; OUT/flags, OUT/settings, OUT/tensors and OUT/value
examples of each kind, after the byte that says which it is where there is more than one.
"""
import argparse
import hashlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy
import onnx
import onnx.parser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEVICES = ROOT / "test" / "fuzz" / "Inputs" / "devices.mlir"
sys.path.insert(0, str(ROOT / "test" / "onnx_ops"))
import attention_cases  # noqa: E402
import cases  # noqa: E402
import control_flow_cases  # noqa: E402
import loop_cases  # noqa: E402
import quantized_cases  # noqa: E402
import seed_models  # noqa: E402
import selection_cases  # noqa: E402
import static_ops_cases  # noqa: E402
import window_cases  # noqa: E402

MODEL_LIMIT, PROGRAM_LIMIT, ARTIFACT_LIMIT = 8 << 10, 12 << 10, 64 << 10  # bytes
FOLDERS = ("artifact", "bytecode", "flags", "importer", "mlir", "settings", "tensors", "value")


def write(folder, data, suffix):
    """Equal seeds are one file, whatever they are called."""
    (folder / (hashlib.sha1(data).hexdigest()[:16] + suffix)).write_bytes(data)


def models():
    for text, *_ in cases.CASES.values():
        model = onnx.parser.parse_model(text)
        model.graph.output[0].type.tensor_type.ClearField("shape")
        yield model.SerializeToString()


def model_of(case):
    """One node, whose constants are initialisers."""
    domain, _, op = case.op.rpartition(".")
    names = [f"x{i}" for i in range(len(case.inputs))]
    infos = [onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
             for i, (name, value) in enumerate(zip(names, case.inputs)) if i not in case.constants]
    graph = onnx.helper.make_graph([onnx.helper.make_node(op, names, ["y"], domain=domain, **case.attributes)], "main", infos,
                                   [onnx.helper.make_empty_tensor_value_info("y")],
                                   [onnx.numpy_helper.from_array(case.inputs[i], names[i]) for i in case.constants])
    return onnx.helper.make_model(graph, ir_version=10, opset_imports=[onnx.helper.make_opsetid("", 21),
                                                                       onnx.helper.make_opsetid("com.microsoft", 1)])


def more_models():
    """For the importer alone: the other cases, the texts in its own tests, and seed_models.py."""
    texts = [text for module in (attention_cases, control_flow_cases, loop_cases, selection_cases, static_ops_cases, window_cases)
             for text, *_ in module.CASES.values()]
    for path in sorted((ROOT / "compiler").rglob("*.test")):
        sections = path.read_text().split("\n//---")[1:]
        texts += [body for _, _, body in (section.partition("\n") for section in sections) if body.lstrip().startswith("<")]
    for text in texts:
        try:
            model = onnx.parser.parse_model(text).SerializeToString()
        except (onnx.parser.ParseError, ValueError):  # a test of other text
            continue
        if len(model) <= MODEL_LIMIT:
            yield model
    for model in seed_models.models():
        yield model.SerializeToString()
    for case in quantized_cases.contrib():
        yield model_of(case).SerializeToString()


def node_tests():
    folder = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
    for path in sorted(folder.glob("*/*/model.onnx")):
        if path.stat().st_size <= MODEL_LIMIT:
            yield path.read_bytes()


# A cache that is written in place, one that grows, and memory that the caller gives away.
STATES = [("""<ir_version: 11, opset_import: ["" : 24]>
main (float[1,n,4] x, float[1,8,4] cache, int64[1] length) => (float[1,8,4] new_cache, int64[1] new_length) {
  new_cache = TensorScatter<axis = 1>(cache, x, length)
  shape = Shape<start = 1, end = 2>(x)
  new_length = Add(length, shape)
}""", ["--state=cache=new_cache", "--state=length=new_length"]),
          ("""<ir_version: 10, opset_import: ["" : 20]>
main (float[1,n,4] x, float[1,p,4] old) => (float[1,t,4] new) { new = Concat<axis = 1>(old, x) }""", ["--state=old=new"]),
          ("""<ir_version: 10, opset_import: ["" : 20]>
main (float[4] x, float[4] d) => (float[4] y) { y = Add(x, d) }""", ["--donate=d"])]
# Layouts that the device found at load chooses, with weights packed then.
PLACED = ("""<ir_version: 10, opset_import: ["" : 20]>
main (float[n,48] x) => (float[n,40] y) <float[48,40] w = {%s}> { y = MatMul(x, w) }""" % ", ".join(str(i % 7) for i in range(48 * 40)),
          ["--target-device=a=local", "--target-device=b=vulkan,fallback(@a)", "--default-device=b"])


def functions(text):
    """The functions of a module in generic form, each with those it calls as a module of its own."""
    begin, end = '\n  "func.func"()', "\n  }) : () -> ()"
    parts = {re.search(r'sym_name = "([^"]*)"', part)[1]: begin + part.partition(end)[0] + end for part in text.split(begin)[1:]}

    def reached(name, seen):
        if name not in seen and name in parts:
            seen.append(name)
            for callee in re.findall(r"callee = @([\w.]+)", parts[name]):
                reached(callee, seen)
        return seen

    for name, part in parts.items():
        others = [parts[other] for other in reached(name, [])[1:]]
        yield '"builtin.module"() ({' + part.replace('"private"', '"public"') + "".join(others) + "\n}) : () -> ()\n"


def programs():
    """Those of tests, as they are and in parts: what is too long or has several cases in a file."""
    for folder in ("test/stablehlo/Inputs", "compiler/Stages/Import"):
        for path in sorted((ROOT / folder).rglob("*.mlir")):
            text = path.read_text()
            cases = text.split("// -----\n")
            generic = list(functions(text)) if text.startswith('"builtin.module"') else []
            for part in {text, *cases, *(generic if len(generic) > 1 else [])}:
                if len(part) <= PROGRAM_LIMIT:
                    yield part.encode()


def arrays():
    """Of some types, orders and versions, and what the other two choices of the target take."""
    for array in (numpy.arange(6, dtype=numpy.float32).reshape(2, 3), numpy.asfortranarray(numpy.ones((3, 2), numpy.int8)),
                  numpy.uint16(7), numpy.zeros((0, 4), bool), numpy.ones(3, ">i4")):
        for version in ((1, 0), (2, 0)):
            file = io.BytesIO()
            numpy.lib.format.write_array(file, numpy.asarray(array), version=version)
            yield b"\0" + bytes([0]) + file.getvalue()
    for choice, array in enumerate((numpy.uint16([1, 0x7fc0]), numpy.int8([-8, 7]), numpy.uint8([0, 15, 16]), numpy.uint8([0, 1, 2])), 1):
        file = io.BytesIO()
        numpy.save(file, array)
        yield b"\0" + bytes([choice]) + file.getvalue()
    for header in (b"{'descr': '<f4', 'shape': (2,), }", b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }",
                   b"{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }"):
        yield b"\0\0\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(8)
    yield b"\0\0PK\3\4" + bytes(40)
    yield b"\1" + b"2x3xf32\n" + bytes(24)
    yield b"\2" + b"HDLPACK1" + (7).to_bytes(8, "little") + (64).to_bytes(8, "little") + bytes(8) + b"weights" + bytes(25) + bytes(range(64))


# Every way to spell a flag wrongly, and right.
LINES = ["", "-", "--", "---", "-h", "--help", "--help=1", "--version", "-o", "-o=", "-oout", "-o out", "--output", "--output=", "--output=a=b", "--outp=x",
         "--seconds", "--seconds=", "--seconds=x", "--seconds=1x", "--seconds=-1", "--seconds=1e400", "--seconds=nan", "--seconds=1\n--seconds=2",
         "--count=-1", "--count=+1", "--count=1.5", "--count=0x10", "--count=18446744073709551616", "--count=99999999999999999999", "--count 3", "--count\n3",
         "--timing", "--timing=1", "--timing=0", "--timing=true", "--timing=false", "--timing=maybe", "--timing\nx", "-t", "--no-timing", "--explain", "--explain=",
         "--explain=x", "--explain\nx\ny", "--device", "--device=", "--device=a\n--device=b", "--device=a,b", "--device=[a,b]", "--device={a}", "--device=\"a b\"",
         "--devise=x", "--DEVICE=x", "x", "x\ny", "--\n-o", "@x", "=", "--=x", "-=x", "a\n-o\nb\n--count=7\n--timing\n--device=c\n--seconds=.5\n--explain"]
URIS = ["", ":", "//", "local", "local:", "local:/", "local://", "local://0", "local://0,2-3", "local://3-1", "local://-1", "local://0-", "local://x", "local://0?", "local://0?=",
        "local://0?cpu", "local://0?cpu=", "local://0?cpu=a&cpu=b", "local://0?memory=1k&threads=2", "local://0?memory=1g", "local://0?memory=9999999999g",
        "local://0?memory=1x", "local://0?memory=-1", "local://0?memory=1.5m", "local://0?unknown=1", "local://0?memory=1&", "local://18446744073709551616", "vulkan://uuid=0",
        "Local://0", "a-b+c.1://0", "1a://0", "null?memory=4096", "sim://0?memory=64m&threads=x", "local://0-99999999", "cuda://0#x", "local://0?cpu=%20"]
TYPES = ["i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f4E2M1FN",
         "i4", "ui4", "i2", "ui2"]
ELEMENTS = ["", "0", "1", "-1", "+1", "+-1", "--1", "7", "8", "-8", "-9", "15", "16", "255", "256", "-129", "65536", "-32769", "4294967296", "-2147483649", "18446744073709551616",
            "-9223372036854775809", "9" * 50, "-" + "9" * 50, "0x", "0xf", "-0X8", "0xg", "1.5", "-1.5", ".5", "1e3", "1e-60", "1e39", "1e400", "-1e400", "1e", "inf", "-inf", "infinity", "nan",
            "-nan", "NaN", "true", "false", "True", "x", "1x", "1 "]
SHAPES = ["2x3x%s=1,2,3,4,5,6", "2x3x%s=[[1,1,1],[0,0,0]]", "2x3x%s=[1 1 1 0 0 0]", "2x%s=[1", "2x%s=1]", "2x%s=[[1],[1]", "2x%s=[1,,1]", "2x%s=1,1,1", "2x%s=,", "0x%s=", "0x%s=[]", "2x0x%s=1",
          "%s", "2x%s", "x%s=1", "2xx%s=1", "-1x%s=1", "?x%s=1", "99999999999999999999x%s=1", "4611686018427387904x4x%s=1", "name=%s=1", "=%s=1", "a=b=2x%s=1", "3x%s=1", "1x1x1x1x1x1x1x1x%s=1"]
FLAGS = [b"\0local://0-1?cpu=x86-64-v3&memory=64m", b"\0null", b"\1model.onnx\n-o\nout\n--seconds=1.5\n--count=3\n--device=local://0\n--explain",
         b"\2x=f32=1\npast.0=key=2xf32=1,2", b"\2@x.npy\n2xi64=[1 2]", b"\3x=2xf32=1"] + [
             bytes([choice]) + text.encode() for choice, texts in ((0, URIS), (1, LINES), (2, [shape % "f32" for shape in SHAPES]), (3, [shape % "i8" for shape in SHAPES])) for text in texts]
VALUES = [text.encode() for kind in TYPES for text in [f"{kind}={element}" for element in ELEMENTS] + [shape % kind for shape in SHAPES]] + [
    b"2x3xf32=1,2,3,4,5,6", b"x=4xi32=7", b"a=b=2x2xi4=[[1 -8] [7 0]]", b"f32=nan", b"2xi1=[true, false]", b"3xf8E4M3FN=0.5", b"x=4xi33=7", b"x=1"]
SETTINGS = [b"\0" + text for text in (
    b"cpu=local{cpu=[x86-64-v3,x86-64-v4]},vulkan[0]\ngpu=fallback(@cpu)", b"#device.target<\"local\", [#device.executable<\"elf\">]>",
    b"local", b"a=local{gflops=1.5,queues=2,cpu=native}\nb=cuda[1],a=local", b"a=local{x=[[1],[a,2]],x=1}", b"vulkan[2147483648]", b"vulkan[-1]",
    b"=local", b"local{", b"local{a", b"local{a=}", b"local{a=[1", b"fallback(cpu)", b"fallback(@)", b"fallback(@a", b"#device.target<\"a", b"#x<(->[{>",
    b"local,", b"local x", b"a=local\na=vulkan", b"a=local\nvulkan", b"local\nvulkan", b"")] + [b"\1" + text for text in (
        b"# all\nencoder/* = gpu\ndecoder/?? = cpu\n{a,b}[0-9] = cpu\n", b"a = @b\n", b"a\n", b"= b\n", b"a =\n", b"[ = b\n", b"a b = c d\n")] + [
            b"\2" + text for text in (
                b"{\"version\": 1, \"devices\": [{\"name\": \"a\", \"gflops\": 150, \"memory_gbps\": 12}, {\"name\": \"local[1]\", \"uri\": \"local://1\"}], "
                b"\"links\": [{\"from\": \"a\", \"to\": \"local[1]\", \"bandwidth_gbps\": 12.5, \"latency_us\": 0, \"unified\": true, \"transparent\": false}]}",
                b"{\"devices\": [{\"name\": \"@a\"}, {\"name\": \"b\", \"gflops\": 1e400}]}", b"{\"version\": 2}", b"[]", b"{", b"{\"devices\": {}}",
                b"{\"devices\": [1]}", b"{\"devices\": [{\"name\": 1}]}", b"{\"devices\": [{\"name\": \"a\", \"gflop\": 1}]}", b"{\"links\": [1]}",
                b"{\"links\": [{\"from\": \"a\"}]}", b"{\"links\": [{\"from\": \"a\", \"to\": \"b\", \"latency_us\": -1}]}",
                b"{\"links\": [{\"from\": \"a\", \"to\": \"b\"}, {\"from\": \"a\", \"to\": \"b\"}]}",
                b"{\"links\": [{\"from\": \"b\", \"to\": \"c\", \"unified\": 1}]}")] + [
                    b"\3" + text for text in (b"{tiles = array<i64: 4, 8>, name = \"winner\"}", b"[1]", b"{", b"")]


def artifacts(compiler):
    states = [(onnx.parser.parse_model(text).SerializeToString(), flags) for text, flags in (*STATES, PLACED)]
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name) / "m.heddle"
        for data, flags in (*((data, []) for data in models()), *states, (DEVICES.read_bytes(), [])):
            model = pathlib.Path(name) / ("m.mlir" if data.startswith(b"//") else "m.onnx")
            model.write_bytes(data)
            done = subprocess.run([compiler, model, "-o", out, *flags], capture_output=True, timeout=60, check=False)
            if done.returncode == 0 and out.stat().st_size <= ARTIFACT_LIMIT:
                yield out.read_bytes()


def bytecodes(optimizer):
    """The programs in bytecode, with and without locations."""
    for data in programs():
        for flags in ([], ["--strip-debuginfo"]):
            done = subprocess.run([optimizer, "--emit-bytecode", "--allow-unregistered-dialect", *flags], input=data, capture_output=True, timeout=60, check=False)
            if done.returncode == 0:
                yield done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    options = parser.parse_args()
    for name in FOLDERS:
        shutil.rmtree(options.out / name, ignore_errors=True)
        (options.out / name).mkdir(parents=True)
    for data in (*models(), *more_models(), *node_tests()):
        write(options.out / "importer", data, ".onnx")
    for data in programs():
        write(options.out / "mlir", data, ".mlir")
    for name, texts in (("flags", FLAGS), ("settings", SETTINGS), ("tensors", arrays()), ("value", VALUES)):
        for data in texts:
            write(options.out / name, data, "")
    for path in (ROOT / "test" / "artifacts").glob("*.heddle"):
        write(options.out / "artifact", path.read_bytes(), ".heddle")
    compiler = options.bin / "heddle-compile"
    if compiler.exists():
        for data in artifacts(compiler):
            write(options.out / "artifact", data, ".heddle")
    optimizer = options.bin / "heddle-opt"
    if optimizer.exists():
        for data in bytecodes(optimizer):
            write(options.out / "bytecode", data, ".mlirbc")
    for name in FOLDERS:
        print(f"{len(list((options.out / name).iterdir()))} seeds for {name}")


if __name__ == "__main__":
    main()
