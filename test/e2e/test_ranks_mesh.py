# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collectives of ranks against numpy: every kind along every dimension, over every choice of axes, on several meshes; in loops and
branches; sizes that are free; each by the reference as written, by the reference in leading form, and run on threads.
"""
import itertools
import os
import subprocess
import unittest

import numpy
from rank_programs import Mesh, expected, op, tensor
from support import BIN, TIMEOUT_S, EndToEnd, heddle

SEED = int(os.environ.get("HEDDLE_SEED", 20261126))
RANDOM_PROGRAMS = int(os.environ.get("HEDDLE_RANDOM_PROGRAMS", 8))
KINDS = (
    [("all_reduce", {"reduction": "sum"}), ("all_reduce", {"reduction": "max"})]
    + [("all_gather", {"dim": dim}) for dim in range(3)]
    + [("reduce_scatter", {"reduction": "sum", "dim": dim}) for dim in range(3)]
    + [("all_to_all", {"dim": split, "concat": concat}) for split, concat in itertools.product(range(3), range(3))]
    + [("broadcast", {"root": 1}), ("permute", {"shift": 1}), ("permute", {"shift": -2}), ("permute", {"pairs": [(0, 1), (1, 0)]}),
       ("permute", {"pairs": [(1, 0)]}), ("permute", {"pairs": []})]
    + [("gather", {"dim": dim, "root": 1}) for dim in range(3)]
    + [("scatter", {"dim": dim, "root": 1}) for dim in range(3)])


class Ranks(EndToEnd):
    """Runs a program in several ways; each gives the results of each rank."""

    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def values(self, shape, dtype=numpy.float32):
        if dtype == numpy.bool_:
            return self.random.integers(0, 2, shape).astype(dtype)
        if numpy.issubdtype(dtype, numpy.integer):
            return self.random.integers(0, 100, shape).astype(dtype)
        return self.random.integers(-8, 9, shape).astype(dtype)  # sums are exact

    def run_tool(self, command, inputs, results):
        """`inputs` and the results by argument and rank."""
        for i, by_rank in enumerate(inputs):
            for rank, value in enumerate(by_rank):
                numpy.save(self.folder / f"in{i}_{rank}.npy", value)
        flags = [f"--input=@{self.folder}/in{i}_{{rank}}.npy" for i in range(len(inputs))]
        flags += [f"--output=@{self.folder}/out{i}_{{rank}}.npy" for i in range(results)]
        done = subprocess.run([*command, *flags], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(0, done.returncode, done.stderr)
        return [[numpy.load(self.folder / f"out{i}_{rank}.npy") for rank in range(len(inputs[0]))] for i in range(results)]

    def check(self, text, inputs, wanted, mesh):
        """The values of each result on each rank, in every way to run the program."""
        path, written, leading, artifact = (self.folder / name for name in ("program.mlir", "written.mlir", "leading.mlir", "program.heddle"))
        path.write_text(text)
        sizes = [f"--mesh={mesh.flag()}"] if mesh.flag() else []
        self.compile(path, "--compile-to=import", "-o", written)
        self.compile(path, "--compile-to=partition", "-o", leading, *sizes)
        for name, source in (("as written", written), ("leading form", leading)):
            command = [BIN / "heddle-reference", source, "--small", *sizes]
            self.compare(name, self.run_tool(command, inputs, len(wanted)), wanted)
        for early, late in ([sizes, []], [[], sizes]) if sizes else ([[], []],):
            self.compile(path, "-o", artifact, *early)
            command = [BIN / "heddle", "run", artifact, *late]
            self.compare(f"run, sizes {early} {late}", self.run_tool(command, inputs, len(wanted)), wanted)

    def compile(self, *arguments):
        done = heddle("compile", *arguments)
        self.assertEqual(0, done.returncode, done.stderr)

    def compare(self, name, got, wanted):
        for i, (ours, theirs) in enumerate(zip(got, wanted)):
            for rank, (a, b) in enumerate(zip(ours, theirs)):
                with self.subTest(way=name, result=i, rank=rank):
                    self.assertEqual(b.shape, a.shape)
                    numpy.testing.assert_array_equal(a, b)

    def grid(self, mesh, axes, shape=(12, 6, 6), element="f32", dtype=numpy.float32, kinds=KINDS):
        """One program of all kinds over the axes."""
        lines, types, wanted = [], [], []
        operands = [self.values(shape, dtype) for _ in range(mesh.at + mesh.ranks)]
        for i, (kind, attributes) in enumerate(kinds):
            line, result = op(kind, mesh, axes, shape, element, **attributes)
            lines.append(f"  %r{i} = {line}\n")
            types.append(tensor(result, element))
            wanted.append(expected(kind, mesh, axes, operands, **attributes))
        names = ", ".join(f"%r{i}" for i in range(len(kinds)))
        text = (f"{mesh.text()}func.func @main(%x: {tensor(shape, element)}) -> ({', '.join(types)}) {{\n{''.join(lines)}"
                f"  return {names} : {', '.join(types)}\n}}\n")
        self.check(text, [operands], wanted, mesh)


class EveryKind(Ranks):
    def test_one_axis(self):
        self.grid(Mesh(x=2), ["x"])
        self.grid(Mesh(x=3), ["x"])

    def test_two_axes(self):
        mesh = Mesh(x=2, y=3)
        for axes in (["x"], ["y"], ["x", "y"], ["y", "x"]):
            with self.subTest(axes=axes):
                self.grid(mesh, axes)

    def test_lists_of_ranks(self):
        self.grid(Mesh(x=2, y=2), [[3, 0], [1, 2]])

    def test_types(self):
        mesh = Mesh(x=2)
        for element, dtype, reductions in (
                ("f64", numpy.float64, ("sum", "product", "min", "max")), ("f16", numpy.float16, ("sum", "min")),
                ("i64", numpy.int64, ("sum", "min", "and", "or", "xor")), ("i16", numpy.int16, ("sum", "max")),
                ("i8", numpy.int8, ("sum", "product", "min")), ("ui8", numpy.uint8, ("sum", "umin", "umax")),
                ("ui32", numpy.uint32, ("product", "umax")), ("i1", numpy.bool_, ("and", "or", "xor"))):
            with self.subTest(element=element):
                kinds = [("all_reduce", {"reduction": name}) for name in reductions]
                kinds += [("reduce_scatter", {"reduction": reductions[0], "dim": 1}), ("all_gather", {"dim": 1}),
                          ("permute", {"pairs": [(0, 1)]}), ("all_to_all", {"dim": 1, "concat": 0})]
                self.grid(mesh, ["x"], (4, 6, 3), element, dtype, kinds)

    def test_small_tensors(self):
        mesh = Mesh(x=2)
        moves = [("broadcast", {"root": 1}), ("all_reduce", {"reduction": "sum"}), ("permute", {"shift": 1})]
        self.grid(mesh, ["x"], (), kinds=moves)
        self.grid(mesh, ["x"], (0,), kinds=moves + [("all_gather", {"dim": 0}), ("reduce_scatter", {"reduction": "sum", "dim": 0})])
        self.grid(mesh, ["x"], (3, 0, 4), kinds=moves + [("all_gather", {"dim": 2}), ("all_to_all", {"dim": 2, "concat": 0})])
        self.grid(mesh, ["x"], (1, 1, 4), kinds=moves + [("all_gather", {"dim": 2}), ("scatter", {"dim": 2, "root": 0})])

    def test_one_rank(self):
        self.grid(Mesh(x=2, one=1), ["one"], kinds=[
            ("all_reduce", {"reduction": "sum"}), ("all_gather", {"dim": 1}), ("permute", {"shift": 5}), ("permute", {"pairs": [(0, 0)]}),
            ("broadcast", {"root": 0}), ("all_to_all", {"dim": 0, "concat": 1}), ("reduce_scatter", {"reduction": "sum", "dim": 2})])


class Programs(Ranks):
    def test_loops_and_branches(self):
        mesh = Mesh(x=2, y=2)
        text = f"""{mesh.text()}
func.func @main(%x: tensor<4xf32>, %n: tensor<i64> {{heddle.sharding = #flow.sharding<@m, []>}}) -> tensor<4xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = tensor.extract %n[] : tensor<i64>
  %trips = arith.index_cast %v : i64 to index
  %j = flow.coordinate @m "y"
  %isFirst = arith.cmpi eq, %j, %c0 : index
  %r = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %x) -> tensor<4xf32> {{
    %half = arith.divsi %i, %c2 : index
    %even = arith.muli %half, %c2 : index
    %odd = arith.subi %i, %even : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    %next = scf.if %isOdd -> tensor<4xf32> {{
      %0 = flow.permute %acc shift 1 over @m["x", "y"] : tensor<4xf32>
      scf.yield %0 : tensor<4xf32>
    }} else {{
      %1 = scf.if %isFirst -> tensor<4xf32> {{
        %0 = flow.all_reduce %acc sum over @m["x"] : tensor<4xf32>
        scf.yield %0 : tensor<4xf32>
      }} else {{
        scf.yield %acc : tensor<4xf32>
      }}
      scf.yield %1 : tensor<4xf32>
    }}
    scf.yield %next : tensor<4xf32>
  }}
  return %r : tensor<4xf32>
}}
"""
        for trips in (0, 1, 2, 5):
            x = [self.values((4,)) for _ in range(4)]
            now = x
            for i in range(trips):
                if i % 2:
                    now = [now[(rank - 1) % 4] for rank in range(4)]
                else:
                    now = [now[0] + now[2] if rank % 2 == 0 else now[rank] for rank in range(4)]
            with self.subTest(trips=trips):
                flags = [x, [numpy.array(trips)] * 4]
                self.check(text, flags, [now], mesh)

    def test_a_loop_of_free_sizes(self):
        """What a loop carries is read after a collective of it, and chosen by a branch."""
        mesh = Mesh(x=3)
        text = f"""{mesh.text()}
func.func @main(%x: tensor<?xi32> {{heddle.dims = ["d"]}}) -> (tensor<?xi32>, tensor<?xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %d = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%d) : tensor<?xi32>
  %a:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %x, %sum = %x) -> (tensor<?xi32>, tensor<?xi32>) {{
    %r = flow.permute %acc shift 1 over @m["x"] : tensor<?xi32>{{%d}}
    %s = linalg.sub ins(%acc, %r : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) -> tensor<?xi32>
    %t = linalg.add ins(%sum, %s : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) -> tensor<?xi32>
    %odd = arith.remsi %i, %c2 : index
    %isOdd = arith.cmpi eq, %odd, %c1 : index
    %u = scf.if %isOdd -> tensor<?xi32> {{
      %0 = flow.all_reduce %t max over @m["x"] : tensor<?xi32>{{%d}}
      scf.yield %0 : tensor<?xi32>
    }} else {{
      scf.yield %t : tensor<?xi32>
    }}
    scf.yield %r, %u : tensor<?xi32>, tensor<?xi32>
  }}
  return %a#0, %a#1 : tensor<?xi32>, tensor<?xi32>
}}
"""
        x = [self.values((7,), numpy.int32) for _ in range(3)]
        carried, total = x, x
        for i in range(5):
            moved = [carried[(rank - 1) % 3] for rank in range(3)]
            total = [a + b - c for a, b, c in zip(total, carried, moved)]
            total = [numpy.max(total, axis=0)] * 3 if i % 2 else total
            carried = moved
        self.check(text, [x], [carried, total], mesh)

    def test_whole_arrays(self):
        """A product whose sum is cut: whole arrays go in and come out."""
        mesh = Mesh(x=2, y=2)
        text = f"""{mesh.text()}
func.func @main(%a: tensor<3x4xf32> {{heddle.sharding = #flow.sharding<@m, [["x"], ["y"]]>}},
                %b: tensor<4x2xf32> {{heddle.sharding = #flow.sharding<@m, [["y"], []]>}})
    -> (tensor<3x2xf32> {{heddle.sharding = #flow.sharding<@m, [["x"], []]>}}, tensor<1xf32> {{heddle.sharding = #flow.sharding<@m, [["y", "x"]]>}}) {{
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<3x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
  %p = linalg.matmul ins(%a, %b : tensor<3x4xf32>, tensor<4x2xf32>) outs(%f : tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = flow.all_reduce %p sum over @m["y"] : tensor<3x2xf32>
  %s = tensor.extract_slice %a[0, 0] [1, 1] [1, 1] : tensor<3x4xf32> to tensor<1xf32>
  return %r, %s : tensor<3x2xf32>, tensor<1xf32>
}}
"""
        a, b = self.values((6, 8)), self.values((8, 2))
        path, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        path.write_text(text)
        self.compile(path, "-o", artifact)
        flags = [f"--input={self.save('a', a)}", f"--input={self.save('b', b)}",
                 f"--output=@{self.file('r')}", f"--output=@{self.file('s')}"]
        for command in ([BIN / "heddle-reference", path, "--small"], [BIN / "heddle", "run", artifact]):
            with self.subTest(command=command):
                done = subprocess.run([*command, *flags], capture_output=True, text=True, timeout=TIMEOUT_S)
                self.assertEqual(0, done.returncode, done.stderr)
                numpy.testing.assert_array_equal(numpy.load(self.file("r")), a @ b)
                numpy.testing.assert_array_equal(numpy.load(self.file("s")), [a[0, 0], a[3, 0], a[0, 4], a[3, 4]])

    def test_check_runs_all_ranks(self):
        path = self.folder / "program.mlir"
        path.write_text("""
device.mesh @m = [x = ?, y = 2]
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x12xf32> {
  %0 = flow.all_reduce %x sum over @m["x"] : tensor<4x6xf32>
  %1 = flow.all_gather %0 dim 1 over @m["y"] : tensor<4x6xf32> -> tensor<4x12xf32>
  return %1 : tensor<4x12xf32>
}
""")
        done = heddle("check", path, "--mesh=x=3")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("resolve ok", done.stdout)
        done = heddle("check", path)
        self.assertEqual(1, done.returncode)
        self.assertIn("has a free size, [x = ?, y = 2]; the reference runs all ranks of known sizes: say them (--mesh=)", done.stderr)
        # What no proof has seen: ranks that do not meet.
        path.write_text("""
device.mesh @m = [x = 2]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = flow.coordinate @m "x"
  %first = arith.cmpi eq, %i, %c0 : index
  %r = scf.if %first -> tensor<4xf32> {
    %0 = flow.all_reduce %x sum over @m["x"] : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
""")
        done = subprocess.run([BIN / "heddle-reference", path, "--small"], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(1, done.returncode)
        self.assertIn("rank 0: waits in flow.all_reduce for ranks that never come", done.stderr)
        done = heddle("compile", path, "-o", self.folder / "no.heddle")
        self.assertEqual(1, done.returncode)
        self.assertIn("the condition of the branch around it may differ along axis 'x' of mesh @m", done.stderr)

    def test_parts_of_the_world(self):
        whole, tail = Mesh(x=4), Mesh("t", at=1, s=2)
        text = f"""{whole.text()}{tail.text()}
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %in = flow.member @t
  %r = scf.if %in -> tensor<3xf32> {{
    %0 = flow.all_reduce %x sum over @t["s"] : tensor<3xf32>
    scf.yield %0 : tensor<3xf32>
  }} else {{
    scf.yield %x : tensor<3xf32>
  }}
  %s = flow.permute %r shift 1 over @m["x"] : tensor<3xf32>
  return %s : tensor<3xf32>
}}
"""
        x = [self.values((3,)) for _ in range(4)]
        r = [x[0], x[1] + x[2], x[1] + x[2], x[3]]
        self.check(text, [x], [[r[(rank - 1) % 4] for rank in range(4)]], whole)

    def test_a_condition_of_the_whole_world(self):
        """What all of the world have alike decides about a part of it; an axis of one rank needs no joining."""
        whole, tail = Mesh(x=3, one=1), Mesh("t", at=1, s=2)
        text = f"""{whole.text()}{tail.text()}
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {{
  %c0 = arith.constant 0 : index
  %limit = arith.constant 10 : i32
  %all = flow.all_reduce %x max over @m["x"] : tensor<2xi32>
  %first = tensor.extract %all[%c0] : tensor<2xi32>
  %go = arith.cmpi sgt, %first, %limit : i32
  %r = scf.if %go -> tensor<2xi32> {{
    %0 = flow.all_reduce %x sum over @t["s"] : tensor<2xi32>
    scf.yield %0 : tensor<2xi32>
  }} else {{
    scf.yield %x : tensor<2xi32>
  }}
  return %r : tensor<2xi32>
}}
"""
        for largest in (1, 11):
            x = [numpy.array([largest if rank == 0 else rank, 5], numpy.int32) for rank in range(3)]
            r = [numpy.zeros(2, numpy.int32), x[1] + x[2], x[1] + x[2]] if largest > 10 else x
            with self.subTest(largest=largest):
                self.check(text, [x], [r], whole)

    def test_outside_of_the_mesh(self):
        whole, tail = Mesh(x=3), Mesh("t", at=1, s=2)
        text = f"""{whole.text()}{tail.text()}
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<4xf32>) {{
  %0 = flow.all_reduce %x sum over @t["s"] : tensor<2xf32>
  %1 = flow.all_gather %x dim 0 over @t["s"] : tensor<2xf32> -> tensor<4xf32>
  return %0, %1 : tensor<2xf32>, tensor<4xf32>
}}
"""
        x = [self.values((2,)) for _ in range(3)]
        both = numpy.concatenate(x[1:])
        self.check(text, [x], [[numpy.zeros(2, numpy.float32), x[1] + x[2], x[1] + x[2]],
                               [numpy.zeros(4, numpy.float32), both, both]], whole)

    def test_free_sizes(self):
        for size in (1, 2, 3):
            mesh = Mesh(x=size, free=("x",))
            text = f"""{mesh.text()}
func.func @main(%x: tensor<?x6xf32> {{heddle.dims = ["d", ""]}}) -> (tensor<?x6xf32>, tensor<?x?xf32>, tensor<?x6xf32>, tensor<?xf32>,
    tensor<?x?xf32>) {{
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %d = tensor.dim %x, %c0 : tensor<?x6xf32>
  %n = flow.mesh_size @m "x"
  %i = flow.coordinate @m "x"
  %w = arith.muli %d, %n : index
  %p = arith.divsi %c6, %n : index
  %0 = flow.all_gather %x dim 0 over @m["x"] : tensor<?x6xf32>{{%d}} -> tensor<?x6xf32>{{%w}}
  %1 = flow.reduce_scatter %x sum dim 1 over @m["x"] : tensor<?x6xf32>{{%d}} -> tensor<?x?xf32>{{%d, %p}}
  %2 = flow.all_gather %1 dim 1 over @m["x"] : tensor<?x?xf32>{{%d, %p}} -> tensor<?x6xf32>{{%d}}
  %from = arith.muli %i, %p : index
  %3 = tensor.extract_slice %x[0, %from] [1, %p] [1, 1] : tensor<?x6xf32> to tensor<?xf32>
  %4 = flow.permute %3 shift 1 over @m["x"] : tensor<?xf32>{{%p}}
  %5 = flow.all_to_all %x split 1 concat 0 over @m["x"] : tensor<?x6xf32>{{%d}} -> tensor<?x?xf32>{{%w, %p}}
  return %0, %1, %2, %4, %5 : tensor<?x6xf32>, tensor<?x?xf32>, tensor<?x6xf32>, tensor<?xf32>, tensor<?x?xf32>
}}
"""
            for rows in (1, 4):
                x = [self.values((rows, 6)) for _ in range(size)]
                total = sum(x)
                parts = numpy.split(total, size, 1)
                swapped = [numpy.concatenate([numpy.split(value, size, 1)[rank] for value in x]) for rank in range(size)]
                own = [numpy.split(x[rank][0], size)[rank] for rank in range(size)]
                with self.subTest(size=size, rows=rows):
                    self.check(text, [x], [[numpy.concatenate(x)] * size, parts, [total] * size,
                                           [own[(rank - 1) % size] for rank in range(size)], swapped], mesh)


class Program:
    """A random program: values are (name, shape, array by rank) of i32, whose sums are exact."""

    def __init__(self, random, mesh):
        self.random, self.mesh, self.lines, self.count = random, mesh, [], 0
        shape = [12, 6]
        self.inputs = [[random.integers(-9, 9, shape).astype(numpy.int32) for _ in range(mesh.ranks)] for _ in range(2)]
        self.values = [(f"%x{i}", shape, arrays) for i, arrays in enumerate(self.inputs)]
        for _ in range(10):
            random.choice([self.add, self.transpose, self.collective, self.collective, self.loop, self.branch])()

    def choose(self):
        return self.values[self.random.integers(len(self.values))]

    def define(self, line, shape, arrays):
        self.count += 1
        self.lines.append(f"  %{self.count} = {line}")
        self.values.append((f"%{self.count}", list(shape), arrays))

    def empty(self, shape):
        self.count += 1
        self.lines.append(f"  %{self.count} = tensor.empty() : {tensor(shape, 'i32')}")
        return f"%{self.count}"

    def add(self):
        name, shape, arrays = self.choose()
        other, _, others = self.alike(shape)
        kind = tensor(shape, "i32")
        self.define(f"linalg.add ins({name}, {other} : {kind}, {kind}) outs({self.empty(shape)} : {kind}) -> {kind}", shape,
                    [a + b for a, b in zip(arrays, others)])

    def alike(self, shape):
        fitting = [value for value in self.values if value[1] == shape]
        return fitting[self.random.integers(len(fitting))]

    def transpose(self):
        name, shape, arrays = self.choose()
        turned = shape[::-1]
        self.define(f"linalg.transpose ins({name} : {tensor(shape, 'i32')}) outs({self.empty(turned)} : {tensor(turned, 'i32')}) "
                    "permutation = [1, 0]", turned, [array.T for array in arrays])

    def axes(self):
        names = list(self.mesh.sizes)
        self.random.shuffle(names)
        return names[:self.random.integers(1, len(names) + 1)]

    def pick(self, shape, keeps):
        """A collective that the shape allows: its kind, axes and attributes."""
        axes = self.axes()
        n = int(numpy.prod([self.mesh.sizes[axis] for axis in axes]))
        cut = [dim for dim in range(2) if shape[dim] % n == 0 and shape[dim] > 0]
        any_dim, root = int(self.random.integers(2)), int(self.random.integers(n))
        fitting = [("all_reduce", {"reduction": str(self.random.choice(["sum", "max", "xor"]))}), ("broadcast", {"root": root}),
                   ("permute", {"shift": int(self.random.integers(-2, 3))}), ("permute", {"pairs": [(root, n - 1 - root)]})]
        if not keeps:
            if numpy.prod(shape) < 2000:
                fitting += [("all_gather", {"dim": any_dim}), ("gather", {"dim": any_dim, "root": root})]
            for dim in cut:
                fitting += [("reduce_scatter", {"reduction": "sum", "dim": dim}), ("scatter", {"dim": dim, "root": root}),
                            ("all_to_all", {"dim": dim, "concat": any_dim})]
        kind, attributes = fitting[self.random.integers(len(fitting))]
        return kind, axes, attributes

    def collective(self):
        name, shape, arrays = self.choose()
        kind, axes, attributes = self.pick(shape, keeps=False)
        line, result = op(kind, self.mesh, axes, shape, "i32", operand=name, **attributes)
        self.define(line, result, expected(kind, self.mesh, axes, arrays, **attributes))

    def loop(self):
        name, shape, arrays = self.choose()
        kind, axes, attributes = self.pick(shape, keeps=True)
        line, _ = op(kind, self.mesh, axes, shape, "i32", operand="%acc", **attributes)
        trips = int(self.random.integers(0, 4))
        for _ in range(trips):
            arrays = expected(kind, self.mesh, axes, arrays, **attributes)
        self.lines.append(f"  %trips{self.count} = arith.constant {trips} : index")
        self.define(f"scf.for %i = %c0 to %trips{self.count} step %c1 iter_args(%acc = {name}) -> {tensor(shape, 'i32')} {{\n"
                    f"    %next = {line}\n    scf.yield %next : {tensor(shape, 'i32')}\n  }}", shape, arrays)

    def branch(self):
        """Taken by the ranks whose coordinate along an axis that the collective does not join is 0."""
        name, shape, arrays = self.choose()
        kind, axes, attributes = self.pick(shape, keeps=True)
        others = [axis for axis in self.mesh.sizes if axis not in axes]
        if not others:
            return
        line, _ = op(kind, self.mesh, axes, shape, "i32", operand=name, **attributes)
        taken = expected(kind, self.mesh, axes, arrays, **attributes)
        places = [self.mesh.coordinates(rank)[others[0]] for rank in range(self.mesh.ranks)]
        self.lines += [f"  %at{self.count} = flow.coordinate @m \"{others[0]}\"",
                       f"  %is{self.count} = arith.cmpi eq, %at{self.count}, %c0 : index"]
        self.define(f"scf.if %is{self.count} -> {tensor(shape, 'i32')} {{\n    %then = {line}\n    scf.yield %then : {tensor(shape, 'i32')}\n"
                    f"  }} else {{\n    scf.yield {name} : {tensor(shape, 'i32')}\n  }}", shape,
                    [a if place == 0 else b for a, b, place in zip(taken, arrays, places)])

    def text(self):
        returned = self.values[-5:]
        types = ", ".join(tensor(shape, "i32") for _, shape, _ in returned)
        arguments = ", ".join(f"%x{i}: {tensor(arrays[0].shape, 'i32')}" for i, arrays in enumerate(self.inputs))
        return (f"{self.mesh.text()}func.func @main({arguments}) -> ({types}) {{\n  %c0 = arith.constant 0 : index\n"
                "  %c1 = arith.constant 1 : index\n" + "\n".join(self.lines)
                + f"\n  return {', '.join(name for name, _, _ in returned)} : {types}\n}}\n"), [arrays for _, _, arrays in returned]


class Random(Ranks):
    def test_random_programs(self):
        for i in range(RANDOM_PROGRAMS):
            random = numpy.random.default_rng([SEED, i])
            mesh = [Mesh(x=2), Mesh(x=3), Mesh(x=2, y=2), Mesh(x=2, y=3)][random.integers(4)]
            program = Program(random, mesh)
            text, wanted = program.text()
            with self.subTest(seed=[SEED, i], text=text):
                self.check(text, program.inputs, wanted, mesh)


if __name__ == "__main__":
    unittest.main()
