# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of ops: each kind of op, cut along each factor that can be cut, into as many parts as have one row, several or none; what the
parts give together is what the op gives, by the reference.

`flow-cut-factors` makes the programs. Elements are small integers, so that sums are exact and results are equal to the bit.
"""
import os
import re
import subprocess
import unittest

import numpy
from support import BIN, TIMEOUT_S, EndToEnd

SEED = int(os.environ.get("HEDDLE_SEED", 20261126))
RANDOM_OPS = int(os.environ.get("HEDDLE_RANDOM_PROGRAMS", 12))
PARTS = (1, 3, 4, 8)
ELEMENTS = {"f32": numpy.float32, "i32": numpy.int32, "i8": numpy.int8, "i64": numpy.int64, "i1": numpy.bool_}


def tensor(shape, element="f32", names=()):
    """The text of a type; dimensions with names are free."""
    free = ["?" if i < len(names) and names[i] else str(size) for i, size in enumerate(shape)]
    return f"tensor<{'x'.join([*free, element])}>"


def generic(maps, kinds, ins, outs, body):
    """`ins` and `outs`: (name, type); the body names its elements %e0, %e1, …"""
    loops = ", ".join(f"d{i}" for i in range(len(kinds)))
    text = ", ".join(f"affine_map<({loops}) -> ({m})>" for m in maps)
    kinds = ", ".join(f'"{kind}"' for kind in kinds)
    operands = lambda values: f"({', '.join(v for v, _ in values)} : {', '.join(t for _, t in values)})"
    arguments = ", ".join(f"%e{i}: {t.rstrip('>').split('x')[-1].split('<')[-1]}" for i, (_, t) in enumerate([*ins, *outs]))
    results = ", ".join(t for _, t in outs)
    results = f"({results})" if len(outs) > 1 else results
    return (f"%r{f':{len(outs)}' if len(outs) > 1 else ''} = linalg.generic {{indexing_maps = [{text}], iterator_types = [{kinds}]}} "
            f"{f'ins{operands(ins)} ' if ins else ''}outs{operands(outs)} {{ ^bb0({arguments}): {body} }} -> {results}")


P, R = "parallel", "reduction"


class Factors(EndToEnd):
    def setUp(self):
        super().setUp()
        self.random = numpy.random.default_rng(SEED)

    def values(self, shape, element="f32", low=-4, high=5):
        if element == "i1":
            return self.random.integers(0, 2, shape).astype(numpy.bool_)
        return self.random.integers(low, high, shape).astype(ELEMENTS[element])

    def check(self, inputs, body, result="%r", constants="", least=1):
        """`inputs`: (array, element, names of free dimensions) by name; `body` ends with the op whose results are returned, of the
        types `result` after ':'. At least so many factors can be cut."""
        name, type_text = result.split(":")
        arguments = []
        for i, (array, element, names) in inputs.items():
            dims = [names[d] if d < len(names) else "" for d in range(array.ndim)]
            attributes = " {heddle.dims = [" + ", ".join(f'"{d}"' for d in dims) + "]}" if any(dims) else ""
            arguments.append(f"%{i}: {tensor(array.shape, element, names)}{attributes}")
        text = (f"{constants}\nfunc.func @main({', '.join(arguments)}) -> ({type_text}) {{\n{body}\nreturn {name} : {type_text}\n}}\n")
        program, cut = self.folder / "program.mlir", self.folder / "cut.mlir"
        program.write_text(text)
        flag = f"--flow-cut-factors=parts={','.join(map(str, PARTS))}"
        done = subprocess.run([BIN / "heddle-opt", program, flag, "--convert-elementwise-to-linalg", "-o", cut], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(0, done.returncode, done.stderr + text)
        signature = re.search(r"func.func @main\(.*\) -> \((.*)\) \{", cut.read_text())
        results, given = len(re.findall("tensor<", signature[1])) if signature else 1, len(re.findall("tensor<", type_text))
        self.assertGreaterEqual(results // given - 1, least * len(PARTS), text)
        for i, (array, _, _) in inputs.items():
            numpy.save(self.folder / f"{i}.npy", array)
        flags = [f"--input=@{self.folder}/{i}.npy" for i in inputs] + [f"--output=@{self.folder}/out{i}.npy" for i in range(results)]
        done = subprocess.run([BIN / "heddle-reference", cut, "--small", *flags], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(0, done.returncode, done.stderr + cut.read_text())
        outputs = [numpy.load(self.folder / f"out{i}.npy") for i in range(results)]
        for i in range(given, results):
            with self.subTest(seed=SEED, variant=i // given - 1, program=text):
                numpy.testing.assert_array_equal(outputs[i % given], outputs[i])

    #===--- Structured ops ---===#

    def test_products(self):
        """Rows, columns, and the sum: what it begins with is added once."""
        for m, k, n in (66, 7, 5), (1, 8, 3), (0, 4, 2), (4, 0, 2):
            self.check({"a": (self.values((m, k)), "f32", ()), "b": (self.values((k, n)), "f32", ()), "c": (self.values((m, n)), "f32", ())},
                       f"%r = linalg.matmul ins(%a, %b : {tensor((m, k))}, {tensor((k, n))}) outs(%c : {tensor((m, n))}) -> {tensor((m, n))}",
                       f"%r:{tensor((m, n))}", least=3)

    def test_products_of_free_sizes(self):
        m, k, n = 7, 5, 9
        names = {"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n")}
        a, b, c = (tensor((1, 1), "f32", names[i]) for i in "abc")
        self.check({"a": (self.values((m, k)), "f32", names["a"]), "b": (self.values((k, n)), "f32", names["b"]),
                    "c": (self.values((m, n)), "f32", names["c"])},
                   f"%r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}", f"%r:{c}", least=3)

    def test_quantised_product(self):
        a, b, c = tensor((7, 8), "i8"), tensor((8, 9), "i8"), tensor((7, 9), "i32")
        body = ("%x = arith.extsi %e0 : i8 to i32 %y = arith.extsi %e1 : i8 to i32 %p = arith.muli %x, %y : i32 "
                "%s = arith.addi %e2, %p : i32 linalg.yield %s : i32")
        self.check({"a": (self.values((7, 8), "i8"), "i8", ()), "b": (self.values((8, 9), "i8"), "i8", ()), "c": (self.values((7, 9), "i32"), "i32", ())},
                   generic(("d0, d2", "d2, d1", "d0, d1"), (P, P, R), [("%a", a), ("%b", b)], [("%c", c)], body), f"%r:{c}", least=3)

    def test_reductions(self):
        for combiner, element in (("addf", "f32"), ("mulf", "f32"), ("maximumf", "f32"), ("minimumf", "f32"), ("addi", "i32"), ("maxsi", "i32"),
                                  ("minui", "i32"), ("xori", "i32"), ("andi", "i1"), ("ori", "i1"), ("muli", "i64")):
            for size in (5, 1, 0):
                x, o = tensor((3, size), element), tensor((3,), element)
                body = f"%s = arith.{combiner} %e1, %e0 : {element} linalg.yield %s : {element}"
                self.check({"x": (self.values((3, size), element, 1, 3), element, ()), "o": (self.values((3,), element, 1, 3), element, ())},
                           generic(("d0, d1", "d0"), (P, R), [("%x", x)], [("%o", o)], body), f"%r:{o}", least=2)

    def test_sums_that_begin_with_zeros(self):
        x, o = tensor((3, 5)), tensor((3,))
        text = (f"%z = arith.constant 0.0 : f32 %i = tensor.empty() : {o} %o = linalg.fill ins(%z : f32) outs(%i : {o}) -> {o} "
                + generic(("d0, d1", "d0"), (P, R), [("%x", x)], [("%o", o)], "%s = arith.addf %e1, %e0 : f32 linalg.yield %s : f32"))
        self.check({"x": (self.values((3, 5)), "f32", ())}, text, f"%r:{o}", least=2)

    def test_argmax(self):
        """Of several results: only what is parallel is cut."""
        x, v, i = tensor((6, 5)), tensor((6,)), tensor((6,), "i32")
        body = ("%j = linalg.index 1 : index %k = arith.index_cast %j : index to i32 %p = arith.cmpf ogt, %e0, %e1 : f32 "
                "%a = arith.select %p, %e0, %e1 : f32 %b = arith.select %p, %k, %e2 : i32 linalg.yield %a, %b : f32, i32")
        self.check({"x": (self.values((6, 5)), "f32", ()), "v": (self.values((6,)), "f32", ()), "i": (self.values((6,), "i32"), "i32", ())},
                   generic(("d0, d1", "d0", "d0"), (P, R), [("%x", x)], [("%v", v), ("%i", i)], body), f"%r#0, %r#1:{v}, {i}")

    def test_positions(self):
        """What an element is depends on where it is."""
        o = tensor((7, 3), "i32")
        body = ("%i = linalg.index 0 : index %j = linalg.index 1 : index %k = arith.muli %i, %j : index %s = arith.addi %k, %i : index "
                "%v = arith.index_cast %s : index to i32 linalg.yield %v : i32")
        self.check({"o": (self.values((7, 3), "i32"), "i32", ())}, generic(("d0, d1",), (P, P), [], [("%o", o)], body), f"%r:{o}", least=2)

    def test_convolutions(self):
        """Windows with strides and dilations, along the image and inside of the window."""
        for size, stride, dilation in (9, 1, 1), (12, 2, 1), (13, 3, 2), (5, 1, 2):
            out = (size - 2 * dilation - 1) // stride + 1
            x, k, o = tensor((2, size, size, 3)), tensor((3, 3, 3, 4)), tensor((2, out, out, 4))
            attributes = f"{{strides = dense<{stride}> : tensor<2xi64>, dilations = dense<{dilation}> : tensor<2xi64>}}"
            self.check({"x": (self.values((2, size, size, 3)), "f32", ()), "k": (self.values((3, 3, 3, 4)), "f32", ()),
                        "o": (self.values((2, out, out, 4)), "f32", ())},
                       f"%r = linalg.conv_2d_nhwc_hwcf {attributes} ins(%x, %k : {x}, {k}) outs(%o : {o}) -> {o}", f"%r:{o}", least=7)

    def test_strides_beyond_the_last_window(self):
        """The last part is empty and would begin behind the operand's end."""
        x, o = tensor((5,)), tensor((3,))
        self.check({"x": (self.values((5,)), "f32", ()), "o": (self.values((3,)), "f32", ())},
                   generic(("d0 * 2", "d0"), (P,), [("%x", x)], [("%o", o)], "linalg.yield %e0 : f32"), f"%r:{o}")

    def test_pools(self):
        x, k, o = tensor((1, 8, 8, 2)), tensor((2, 2)), tensor((1, 4, 4, 2))
        self.check({"x": (self.values((1, 8, 8, 2)), "f32", ()), "k": (self.values((2, 2)), "f32", ()), "o": (self.values((1, 4, 4, 2)), "f32", ())},
                   f"%r = linalg.pooling_nhwc_max {{strides = dense<2> : tensor<2xi64>}} ins(%x, %k : {x}, {k}) outs(%o : {o}) -> {o}", f"%r:{o}", least=6)

    def test_diagonal(self):
        """A loop that walks two dimensions of an operand."""
        x, o = tensor((5, 5)), tensor((5,))
        self.check({"x": (self.values((5, 5)), "f32", ()), "o": (self.values((5,)), "f32", ())},
                   generic(("d0, d0", "d0"), (P,), [("%x", x)], [("%o", o)], "linalg.yield %e0 : f32"), f"%r:{o}")

    def test_gather(self):
        """Rows of a table by index: its columns are cut as the result's are, a row is looked up in one part. Of 3 rows some parts have none."""
        for rows in (9, 3):
            w, ids, o = tensor((rows, 6)), tensor((7,), "i64"), tensor((7, 6))
            body = (f"%j = linalg.index 1 : index %k = arith.index_cast %e0 : i64 to index %c = arith.constant {rows} : index "
                    f"%i = flow.checked_index %k, %c %v = tensor.extract %w[%i, %j] : {w} linalg.yield %v : f32")
            self.check({"w": (self.values((rows, 6)), "f32", ()), "ids": (self.values((7,), "i64", 0, rows), "i64", ()), "o": (self.values((7, 6)), "f32", ())},
                       generic(("d0", "d0, d1"), (P, P), [("%ids", ids)], [("%o", o)], body), f"%r:{o}", least=3)

    def test_random_contractions(self):
        """Random maps: permuted, broadcast, windows."""
        for _ in range(RANDOM_OPS):
            loops = int(self.random.integers(2, 5))
            kinds = [P if loop == 0 or self.random.random() < 0.6 else R for loop in range(loops)]
            sizes = [int(self.random.choice([1, 2, 3, 5, 7])) for _ in range(loops)]
            outs = [int(loop) for loop in self.random.permutation(loops) if kinds[loop] == P]
            first = [int(loop) for loop in self.random.permutation(loops)]
            terms, shape = [], []
            scale, a, b = int(self.random.integers(1, 4)), *(int(i) for i in self.random.permutation(loops)[:2])
            terms.append(f"d{a} * {scale} + d{b}")
            shape.append((sizes[a] - 1) * scale + sizes[b] + int(self.random.integers(0, 2)))
            x, y, o = tensor([sizes[i] for i in first]), tensor(shape), tensor([sizes[i] for i in outs])
            body = ("%p = arith.mulf %e0, %e1 : f32 %s = arith.addf %e2, %p : f32 linalg.yield %s : f32")
            maps = (", ".join(f"d{i}" for i in first), terms[0], ", ".join(f"d{i}" for i in outs))
            self.check({"x": (self.values([sizes[i] for i in first]), "f32", ()), "y": (self.values(shape), "f32", ()),
                        "o": (self.values([sizes[i] for i in outs]), "f32", ())},
                       generic(maps, kinds, [("%x", x), ("%y", y)], [("%o", o)], body), f"%r:{o}", least=loops)

    #===--- Reshapes, slices and the like ---===#

    def test_reshapes(self):
        for shape, groups, coarse, cut in (((6, 4, 5), "[[0, 1], [2]]", (24, 5), 2), ((1, 7, 2), "[[0, 1, 2]]", (14,), 1), ((1, 1), "[[0, 1]]", (1,), 0)):
            fine, merged = tensor(shape), tensor(coarse)
            if cut:
                self.check({"x": (self.values(shape), "f32", ())}, f"%r = tensor.collapse_shape %x {groups} : {fine} into {merged}", f"%r:{merged}", least=cut)
            self.check({"x": (self.values(coarse), "f32", ())},
                       f"%r = tensor.expand_shape %x {groups} output_shape [{', '.join(map(str, shape))}] : {merged} into {fine}", f"%r:{fine}", least=len(shape))

    def test_reshapes_of_free_sizes(self):
        """Parts of the merged dimension are multiples of a size with a name."""
        self.check({"x": (self.values((5, 3, 2)), "f32", ("batch", "seq"))},
                   "%r = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x2xf32> into tensor<?x2xf32>", "%r:tensor<?x2xf32>", least=2)
        self.check({"x": (self.values((5, 3, 2)), "f32", ("batch", "seq"))},
                   '%b = flow.dimension "batch" %s = flow.dimension "seq" %m = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x2xf32> into tensor<?x2xf32> '
                   "%r = tensor.expand_shape %m [[0, 1], [2]] output_shape [%b, %s, 2] : tensor<?x2xf32> into tensor<?x?x2xf32>",
                   "%r:tensor<?x?x2xf32>", least=3)

    def test_casts_and_elements(self):
        self.check({"x": (self.values((7, 2)), "f32", ("n",))}, "%r = tensor.cast %x : tensor<?x2xf32> to tensor<7x2xf32>", "%r:tensor<7x2xf32>", least=2)
        x = tensor((7, 2))
        self.check({"x": (self.values((7, 2)), "f32", ()), "y": (self.values((7, 2)), "f32", ())}, f"%r = arith.cmpf olt, %x, %y : {x}", "%r:tensor<7x2xi1>", least=2)
        self.check({"p": (self.values((7, 2), "i1"), "i1", ()), "x": (self.values((7, 2)), "f32", ()), "y": (self.values((7, 2)), "f32", ())},
                   f"%r = arith.select %p, %x, %y : tensor<7x2xi1>, {x}", f"%r:{x}", least=2)
        self.check({}, f"%c = arith.constant 3.0 : f32 %r = tensor.splat %c : {x}", f"%r:{x}", least=2)
        self.check({}, f"%c = arith.constant 3.0 : f32 %e = tensor.empty() : {x} %r = linalg.fill ins(%c : f32) outs(%e : {x}) -> {x}", f"%r:{x}", least=2)

    def test_moves(self):
        x, o = tensor((7, 2, 3)), tensor((3, 7, 2))
        self.check({"x": (self.values((7, 2, 3)), "f32", ()), "o": (self.values((3, 7, 2)), "f32", ())},
                   f"%r = linalg.transpose ins(%x : {x}) outs(%o : {o}) permutation = [2, 0, 1]", f"%r:{o}", least=3)
        self.check({"x": (self.values((7, 2, 3)), "f32", ())},
                   f"%z = arith.constant 9.0 : f32 %r = tensor.pad %x low[0, 1, 0] high[0, 2, 0] {{ ^bb0(%i: index, %j: index, %k: index): tensor.yield %z : f32 }} : "
                   f"{x} to tensor<7x5x3xf32>", "%r:tensor<7x5x3xf32>", least=2)
        self.check({"x": (self.values((7, 2, 3)), "f32", ()), "y": (self.values((7, 4, 3)), "f32", ())},
                   f"%r = tensor.concat dim(1) %x, %y : ({x}, tensor<7x4x3xf32>) -> tensor<7x6x3xf32>", "%r:tensor<7x6x3xf32>", least=2)
        self.check({"x": (self.values((7, 2, 3)), "f32", ()), "o": (self.values((7, 2, 3)), "f32", ())},
                   f"%r = linalg.softmax dimension(1) ins(%x : {x}) outs(%o : {x}) -> {x}", f"%r:{x}", least=2)

    def test_slices(self):
        x = tensor((7, 5, 6))
        self.check({"x": (self.values((7, 5, 6)), "f32", ())},
                   f"%r = tensor.extract_slice %x[0, 2, 1] [7, 1, 3] [1, 1, 2] : {x} to tensor<7x3xf32>", "%r:tensor<7x3xf32>", least=2)
        self.check({"x": (self.values((7, 5, 6)), "f32", ("n",))},
                   '%n = flow.dimension "n" %r = tensor.extract_slice %x[0, 1, 0] [%n, 4, 6] [1, 1, 1] : tensor<?x5x6xf32> to tensor<?x4x6xf32>',
                   "%r:tensor<?x4x6xf32>", least=3)
        self.check({"y": (self.values((7, 3)), "f32", ()), "x": (self.values((7, 5, 6)), "f32", ())},
                   f"%r = tensor.insert_slice %y into %x[0, 2, 1] [7, 1, 3] [1, 1, 2] : tensor<7x3xf32> into {x}", f"%r:{x}")

    #===--- Scalar code ---===#

    def test_rows(self):
        """Sums so far of each row; what reads elsewhere counts from the whole."""
        x, o = tensor((7, 5)), tensor((7, 5))
        body = ("%n = arith.constant 7 : index %c0 = arith.constant 0 : index %c1 = arith.constant 1 : index %c5 = arith.constant 5 : index "
                "%z = arith.constant 0.0 : f32 "
                f"%r = flow.rows %n -> ({o}) {{ ^bb0(%row: index, %out: {o}): %back = arith.subi %n, %row : index %other = arith.subi %back, %c1 : index "
                f"%all:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %z, %t = %out) -> (f32, {o}) {{ "
                f"%v = tensor.extract %x[%row, %i] : {x} %w = tensor.extract %y[%other, %i] : {x} %a = arith.addf %s, %v : f32 %b = arith.addf %a, %w : f32 "
                f"%u = tensor.insert %b into %t[%row, %i] : {o} scf.yield %b, %u : f32, {o} }} flow.yield %all#1 : {o} }}")
        self.check({"x": (self.values((7, 5)), "f32", ()), "y": (self.values((7, 5)), "f32", ())}, body, f"%r:{o}")


if __name__ == "__main__":
    unittest.main()
