#!/usr/bin/env python3
"""Writes the fuzzers' seeds: small models of every op, and an artifact of each.

  make_seeds.py OUT [--bin build/release/bin]

OUT/importer gets the models of test/onnx_ops and the node tests of the package onnx that are small; OUT/artifact gets what
heddle-compile in BIN makes of the former, and the artifacts of test/artifacts. Without a compiler only the latter.
"""
import argparse
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile

import onnx
import onnx.parser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test" / "onnx_ops"))
import cases  # noqa: E402

MODEL_LIMIT, ARTIFACT_LIMIT = 8 << 10, 64 << 10  # bytes


def write(folder, data, suffix):
    """Equal seeds are one file, whatever they are called."""
    (folder / (hashlib.sha1(data).hexdigest()[:16] + suffix)).write_bytes(data)


def models():
    for text, *_ in cases.CASES.values():
        model = onnx.parser.parse_model(text)
        model.graph.output[0].type.tensor_type.ClearField("shape")
        yield model.SerializeToString()


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


def artifacts(compiler):
    states = [(onnx.parser.parse_model(text).SerializeToString(), flags) for text, flags in STATES]
    with tempfile.TemporaryDirectory() as name:
        model, out = pathlib.Path(name) / "m.onnx", pathlib.Path(name) / "m.heddle"
        for data, flags in (*((data, []) for data in models()), *states):
            model.write_bytes(data)
            done = subprocess.run([compiler, model, "-o", out, *flags], capture_output=True, timeout=60, check=False)
            if done.returncode == 0 and out.stat().st_size <= ARTIFACT_LIMIT:
                yield out.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build" / "release" / "bin")
    options = parser.parse_args()
    for name in ("importer", "artifact"):
        shutil.rmtree(options.out / name, ignore_errors=True)
        (options.out / name).mkdir(parents=True)
    for data in (*models(), *node_tests()):
        write(options.out / "importer", data, ".onnx")
    for path in (ROOT / "test" / "artifacts").glob("*.heddle"):
        write(options.out / "artifact", path.read_bytes(), ".heddle")
    compiler = options.bin / "heddle-compile"
    if compiler.exists():
        for data in artifacts(compiler):
            write(options.out / "artifact", data, ".heddle")
    for name in ("importer", "artifact"):
        print(f"{len(list((options.out / name).iterdir()))} seeds for {name}")


if __name__ == "__main__":
    main()
