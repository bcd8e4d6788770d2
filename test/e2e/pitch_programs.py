# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of results in larger tensors share: programs with loops over columns, and running them."""
import itertools
import pathlib
import tempfile
import unittest

import numpy
import onnx
from runtime import Program
from support import heddle

SEED = 29
# What the body computes of a slice, by element type; and the same in NumPy.
UNARY = {"f32": "arith.mulf %v, %v : f32", "f16": "arith.addf %v, %v : f16", "i8": "arith.addi %v, %v : i8", "i1": "arith.xori %v, %true : i1"}
NUMPY = {"f32": (numpy.float32, lambda x: x * x), "f16": (numpy.float16, lambda x: x + x), "i8": (numpy.int8, lambda x: x + x),
         "i1": (numpy.bool_, lambda x: ~x)}


def tensor(sizes, kind):
    return f"tensor<{'x'.join([*map(str, sizes), kind])}>"


def maps(rank, *results):
    dims = ", ".join(f"d{i}" for i in range(rank))
    return "[" + ", ".join(f"affine_map<({dims}) -> ({result})>" for result in results) + "]"


def loop(shape, axis, size, kind="f32", free=(), body="unary", trips=None):
    """y = f(x), `size` positions along `axis` in each iteration. `free`: dimensions that only the call knows."""
    rank = len(shape)
    whole, part = ["?" if d in free else n for d, n in enumerate(shape)], None
    part = ["?" if d == axis or d in free else n for d, n in enumerate(shape)]
    t, p = tensor(whole, kind), tensor(part, kind)
    names = ", ".join(f'"d{d}"' if d in free else '""' for d in range(rank))
    lines = [f"  %c{d} = arith.constant {d} : index" for d in range(max(rank, 2))]
    lines += [f"  %n{d} = " + (f"tensor.dim %x, %c{d} : {t}" if d in free else f"arith.constant {shape[d]} : index") for d in range(rank)]
    dynamic = ", ".join(f"%n{d}" for d in range(rank) if d in free)
    places = ", ".join("%lo" if d == axis else "0" for d in range(rank))
    extents = ", ".join("%size" if d == axis else f"%n{d}" if d in free else str(shape[d]) for d in range(rank))
    steps = ", ".join(["1"] * rank)
    own = ", ".join("%size" if d == axis else f"%n{d}" for d in range(rank) if d == axis or d in free)
    all_parallel = "[" + ", ".join(['"parallel"'] * rank) + "]"
    identity = ", ".join(f"d{d}" for d in range(rank))
    if body == "copy":
        made = "    %made = tensor.extract_slice %x[{0}] [{1}] [{2}] : {3} to {4}".format(places, extents, steps, t, p)
    else:
        made = f"""    %from = tensor.extract_slice %x[{places}] [{extents}] [{steps}] : {t} to {p}
    %o = tensor.empty({own}) : {p}
    %made = linalg.generic {{indexing_maps = {maps(rank, identity, identity)}, iterator_types = {all_parallel}}}
        ins(%from : {p}) outs(%o : {p}) {{
    ^bb0(%v: {kind}, %w: {kind}):
      %s = {UNARY[kind]}
      linalg.yield %s : {kind}
    }} -> {p}"""
    count = f"arith.constant {trips} : index" if trips is not None else f"arith.ceildivsi %n{axis}, %g : index"
    true = "  %true = arith.constant true\n" if kind == "i1" else ""
    return f"""
func.func @main(%x: {t} {{heddle.name = "x", heddle.dims = [{names}]}}) -> ({t} {{heddle.name = "y"}}) {{
{chr(10).join(lines)}
{true}  %g = arith.constant {size} : index
  %trips = {count}
  %e = tensor.empty({dynamic}) : {t}
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%all = %e) -> ({t}) {{
    %lo = arith.muli %i, %g : index
    %left = arith.subi %n{axis}, %lo : index
    %size = arith.minsi %left, %g : index
{made}
    %next = tensor.insert_slice %made into %all[{places}] [{extents}] [{steps}] : {p} into {t}
    scf.yield %next : {t}
  }}
  return %y : {t}
}}
"""


def product(m, k, n, size, free):
    """Columns of a product: a * b[:, lo:lo + size], with a bias of the columns."""
    row = "?" if free else m
    a, b, c, v = tensor([row, k], "f32"), tensor([k, n], "f32"), tensor([row, n], "f32"), tensor([n], "f32")
    pb, pc, pv = tensor([k, "?"], "f32"), tensor([row, "?"], "f32"), tensor(["?"], "f32")
    rows, size_of = ("%m", f"tensor.dim %a, %c0 : {a}") if free else (str(m), f"arith.constant {m} : index")
    return f"""
func.func @main(%a: {a} {{heddle.name = "a", heddle.dims = ["{'m' if free else ''}", ""]}}, %b: {b}, %v: {v}) -> ({c} {{heddle.name = "y"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {n} : index
  %g = arith.constant {size} : index
  %z = arith.constant 0.0 : f32
  %m = {size_of}
  %trips = arith.ceildivsi %n, %g : index
  %e = tensor.empty({'%m' if free else ''}) : {c}
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%all = %e) -> ({c}) {{
    %lo = arith.muli %i, %g : index
    %left = arith.subi %n, %lo : index
    %size = arith.minsi %left, %g : index
    %cols = tensor.extract_slice %b[0, %lo] [{k}, %size] [1, 1] : {b} to {pb}
    %bias = tensor.extract_slice %v[%lo] [%size] [1] : {v} to {pv}
    %o = tensor.empty({'%m, ' if free else ''}%size) : {pc}
    %f = linalg.fill ins(%z : f32) outs(%o : {pc}) -> {pc}
    %p = linalg.matmul ins(%a, %cols : {a}, {pb}) outs(%f : {pc}) -> {pc}
    %made = linalg.generic {{indexing_maps = {maps(2, 'd0, d1', 'd1', 'd0, d1')}, iterator_types = ["parallel", "parallel"]}}
        ins(%p, %bias : {pc}, {pv}) outs(%o : {pc}) {{
    ^bb0(%u: f32, %w: f32, %x: f32):
      %s = arith.addf %u, %w : f32
      linalg.yield %s : f32
    }} -> {pc}
    %next = tensor.insert_slice %made into %all[0, %lo] [{rows}, %size] [1, 1] : {pc} into {c}
    scf.yield %next : {c}
  }}
  return %y : {c}
}}
"""


def reduction(shape, size):
    """Sums over the last dimension, columns of the result in parts."""
    a, b, c = shape
    x, y = tensor(shape, "f32"), tensor([a, b], "f32")
    px, py = tensor([a, "?", c], "f32"), tensor([a, "?"], "f32")
    return f"""
func.func @main(%x: {x} {{heddle.name = "x"}}) -> ({y} {{heddle.name = "y"}}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {b} : index
  %g = arith.constant {size} : index
  %z = arith.constant 0.0 : f32
  %trips = arith.ceildivsi %n, %g : index
  %e = tensor.empty() : {y}
  %y = scf.for %i = %c0 to %trips step %c1 iter_args(%all = %e) -> ({y}) {{
    %lo = arith.muli %i, %g : index
    %left = arith.subi %n, %lo : index
    %size = arith.minsi %left, %g : index
    %from = tensor.extract_slice %x[0, %lo, 0] [{a}, %size, {c}] [1, 1, 1] : {x} to {px}
    %o = tensor.empty(%size) : {py}
    %f = linalg.fill ins(%z : f32) outs(%o : {py}) -> {py}
    %made = linalg.reduce {{ arith.addf }} ins(%from : {px}) outs(%f : {py}) dimensions = [2]
    %next = tensor.insert_slice %made into %all[0, %lo] [{a}, %size] [1, 1] : {py} into {y}
    scf.yield %next : {y}
  }}
  return %y : {y}
}}
"""


class EndToEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.held = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.held.name)
        cls.random = numpy.random.default_rng(SEED)
        cls.numbers = itertools.count()

    @classmethod
    def tearDownClass(cls):
        cls.held.cleanup()

    def write(self, model):
        path = self.folder / f"m{next(self.numbers)}{'.mlir' if isinstance(model, str) else '.onnx'}"
        path.write_text(model) if isinstance(model, str) else onnx.save(model, path)
        return path

    def compile(self, source, *flags):
        artifact = source.with_suffix(f".{next(self.numbers)}.heddle")
        result = heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        program = Program(artifact)
        self.addCleanup(program.close)
        return program

    def text(self, source, stage, *flags):
        result = heddle("compile", source, f"--compile-to={stage}", *flags, "-o", "-")
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout

    def array(self, shape, kind="f32"):
        if kind == "i1":
            return self.random.random(shape) < 0.5
        return (self.random.standard_normal(shape) * 20).astype(NUMPY[kind][0])
