# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with loops over parts (scf.forall) and what they give by NumPy: name → (program, arguments of `case`, dispatches)."""
import numpy

SIGNATURE = "tensor<{0}x{1}xf32>"

# Rows of x times w, in tiles of 16 rows and 32 columns that do not divide anything.
TILES = """
#rows = affine_map<(i)[m] -> (16, m - i)>
#columns = affine_map<(j)[n] -> (32, n - j)>
func.func @main(%x: {x} {{heddle.dims = ["m", "k"]}}, %w: {w} {{heddle.dims = ["k", "n"]}}) -> {y} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : {x}
  %k = tensor.dim %x, %c1 : {x}
  %n = tensor.dim %w, %c1 : {w}
  %z = arith.constant 0.0 : f32
  %e = tensor.empty({free}) : {y}
  %r = scf.forall (%i, %j) = (0, 0) to (%m, %n) step (16, 32) shared_outs(%o = %e) -> ({y}) {{
    %rows = affine.min #rows(%i)[%m]
    %columns = affine.min #columns(%j)[%n]
    %a = tensor.extract_slice %x[%i, 0] [%rows, %k] [1, 1] : {x} to tensor<?x?xf32>
    %b = tensor.extract_slice %w[0, %j] [%k, %columns] [1, 1] : {w} to tensor<?x?xf32>
    %p = tensor.empty(%rows, %columns) : tensor<?x?xf32>
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<?x?xf32>) -> tensor<?x?xf32>
    %t = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
    %s = linalg.exp ins(%t : tensor<?x?xf32>) outs(%p : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.forall.in_parallel {{
      tensor.parallel_insert_slice %s into %o[%i, %j] [%rows, %columns] [1, 1] : tensor<?x?xf32> into {y}
    }}
  }}
  return %r : {y}
}}"""


def tiles(m="?", k="?", n="?"):
    free = ", ".join(name for name, size in (("%m", m), ("%n", n)) if size == "?")
    return TILES.format(x=SIGNATURE.format(m, k), w=SIGNATURE.format(k, n), y=SIGNATURE.format(m, n), free=free)


# Each row: its greatest element and, into another result, its exponentials: two results, elementwise before and after.
TWO_RESULTS = """
func.func @main(%x: tensor<24x37xf32>) -> (tensor<24xf32>, tensor<24x37xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<24x37xf32>
  %before = linalg.negf ins(%x : tensor<24x37xf32>) outs(%e : tensor<24x37xf32>) -> tensor<24x37xf32>
  %e0 = tensor.empty() : tensor<24xf32>
  %r:2 = scf.forall (%i) = (0) to (24) step (4) shared_outs(%o0 = %e0, %o1 = %e) -> (tensor<24xf32>, tensor<24x37xf32>) {
    %a = tensor.extract_slice %before[%i, 0] [4, 37] [1, 1] : tensor<24x37xf32> to tensor<4x37xf32>
    %p = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%low : f32) outs(%p : tensor<4xf32>) -> tensor<4xf32>
    %m = linalg.reduce { arith.maximumf } ins(%a : tensor<4x37xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
    %q = tensor.empty() : tensor<4x37xf32>
    %y = linalg.exp ins(%a : tensor<4x37xf32>) outs(%q : tensor<4x37xf32>) -> tensor<4x37xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o0[%i] [4] [1] : tensor<4xf32> into tensor<24xf32>
      tensor.parallel_insert_slice %y into %o1[%i, 0] [4, 37] [1, 1] : tensor<4x37xf32> into tensor<24x37xf32>
    }
  }
  %after = linalg.abs ins(%r#0 : tensor<24xf32>) outs(%e0 : tensor<24xf32>) -> tensor<24xf32>
  return %after, %r#1 : tensor<24xf32>, tensor<24x37xf32>
}"""

# A softmax of each row, in parts of rows: several structured ops that one dispatch holds. In a function that is called.
ROWS = """
func.func private @rows(%x: tensor<?x50xf32>) -> tensor<?x50xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x50xf32>
  %e = tensor.empty(%m) : tensor<?x50xf32>
  %r = scf.forall (%i) = (0) to (%m) step (3) shared_outs(%o = %e) -> (tensor<?x50xf32>) {
    %rows = affine.min affine_map<(i)[m] -> (3, m - i)>(%i)[%m]
    %a = tensor.extract_slice %x[%i, 0] [%rows, 50] [1, 1] : tensor<?x50xf32> to tensor<?x50xf32>
    %p = tensor.empty(%rows) : tensor<?x50xf32>
    %s = linalg.softmax dimension(1) ins(%a : tensor<?x50xf32>) outs(%p : tensor<?x50xf32>) -> tensor<?x50xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [%rows, 50] [1, 1] : tensor<?x50xf32> into tensor<?x50xf32>
    }
  }
  return %r : tensor<?x50xf32>
}
func.func @main(%x: tensor<?x50xf32> {heddle.dims = ["m", ""]}) -> tensor<?x50xf32> {
  %r = func.call @rows(%x) : (tensor<?x50xf32>) -> tensor<?x50xf32>
  return %r : tensor<?x50xf32>
}"""

# Two products in a row of each part: turn by turn on the host.
CHAIN = """
func.func @main(%x: tensor<12x20xf32>, %w: tensor<20x30xf32>, %v: tensor<30x10xf32>) -> tensor<12x10xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x10xf32>
  %r = scf.forall (%i) = (0) to (12) step (4) shared_outs(%o = %e) -> (tensor<12x10xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [4, 20] [1, 1] : tensor<12x20xf32> to tensor<4x20xf32>
    %p = tensor.empty() : tensor<4x30xf32>
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<4x30xf32>) -> tensor<4x30xf32>
    %s = linalg.matmul ins(%a, %w : tensor<4x20xf32>, tensor<20x30xf32>) outs(%f : tensor<4x30xf32>) -> tensor<4x30xf32>
    %q = tensor.empty() : tensor<4x10xf32>
    %g = linalg.fill ins(%z : f32) outs(%q : tensor<4x10xf32>) -> tensor<4x10xf32>
    %t = linalg.matmul ins(%s, %v : tensor<4x30xf32>, tensor<30x10xf32>) outs(%g : tensor<4x10xf32>) -> tensor<4x10xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [4, 10] [1, 1] : tensor<4x10xf32> into tensor<12x10xf32>
    }
  }
  return %r : tensor<12x10xf32>
}"""

# Every second row is written, the others keep what the result began with. What each part writes it adds to that.
SOME_ROWS = """
func.func @main(%x: tensor<7x33xf32>, %init: tensor<14x33xf32>) -> tensor<14x33xf32> {
  %r = scf.forall (%i) in (7) shared_outs(%o = %init) -> (tensor<14x33xf32>) {
    %row = affine.apply affine_map<(i) -> (2 * i + 1)>(%i)
    %a = tensor.extract_slice %x[%i, 0] [1, 33] [1, 1] : tensor<7x33xf32> to tensor<33xf32>
    %b = tensor.extract_slice %o[%row, 0] [1, 33] [1, 1] : tensor<14x33xf32> to tensor<33xf32>
    %s = linalg.add ins(%a, %b : tensor<33xf32>, tensor<33xf32>) outs(%b : tensor<33xf32>) -> tensor<33xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%row, 0] [1, 33] [1, 1] : tensor<33xf32> into tensor<14x33xf32>
    }
  }
  return %r : tensor<14x33xf32>
}"""

# All rows, added to what the result began with: one dispatch, which reads that.
ADDED = SOME_ROWS.replace("14x33", "7x33").replace("2 * i + 1", "6 - i")

# Column by column: a result whose last dimension the parts step over, read as it is and by a sum over the parts.
COLUMNS = """
func.func @main(%x: tensor<19x23xf32>) -> (tensor<19x23xf32>, tensor<19xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<19x23xf32>
  %r = scf.forall (%j) in (23) shared_outs(%o = %e) -> (tensor<19x23xf32>) {
    %a = tensor.extract_slice %x[0, %j] [19, 1] [1, 1] : tensor<19x23xf32> to tensor<19x1xf32>
    %p = tensor.empty() : tensor<19x1xf32>
    %s = linalg.exp ins(%a : tensor<19x1xf32>) outs(%p : tensor<19x1xf32>) -> tensor<19x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[0, %j] [19, 1] [1, 1] : tensor<19x1xf32> into tensor<19x23xf32>
    }
  }
  %e0 = tensor.empty() : tensor<19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e0 : tensor<19xf32>) -> tensor<19xf32>
  %t = linalg.reduce { arith.addf } ins(%r : tensor<19x23xf32>) outs(%f : tensor<19xf32>) dimensions = [1]
  return %r, %t : tensor<19x23xf32>, tensor<19xf32>
}"""

# A loop in a loop, and a slice moved as it is.
NESTED = """
func.func @main(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %e = tensor.empty() : tensor<6x8xf32>
  %r = scf.forall (%i) in (6) shared_outs(%o = %e) -> (tensor<6x8xf32>) {
    %to = affine.apply affine_map<(i) -> (5 - i)>(%i)
    %e1 = tensor.empty() : tensor<1x8xf32>
    %q = scf.forall (%j) = (0) to (8) step (4) shared_outs(%p = %e1) -> (tensor<1x8xf32>) {
      %a = tensor.extract_slice %x[%i, %j] [1, 4] [1, 1] : tensor<6x8xf32> to tensor<1x4xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %a into %p[0, %j] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<1x8xf32>
      }
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %q into %o[%to, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    }
  }
  return %r : tensor<6x8xf32>
}"""

# Of no length: nothing is computed, and what the result began with stays.
NOTHING = """
func.func @main(%x: tensor<?x5xf32> {heddle.dims = ["n", ""]}, %init: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %r = scf.forall (%i) in (%n) shared_outs(%o = %init) -> (tensor<4x5xf32>) {
    %a = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<?x5xf32> to tensor<1x5xf32>
    %p = tensor.empty() : tensor<1x5xf32>
    %s = linalg.exp ins(%a : tensor<1x5xf32>) outs(%p : tensor<1x5xf32>) -> tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<4x5xf32>
    }
  }
  return %r : tensor<4x5xf32>
}"""

# A sum in n parts of lengths that the call tells, as balanced as they can be: nobody knows which is the longest.
BALANCED = """
func.func @main(%x: tensor<?xf32> {heddle.dims = ["k"]}, %n: tensor<?xf32> {heddle.dims = ["n"]}) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %k = tensor.dim %x, %c0 : tensor<?xf32>
  %parts = tensor.dim %n, %c0 : tensor<?xf32>
  %e = tensor.empty(%parts) : tensor<?xf32>
  %r = scf.forall (%s) in (%parts) shared_outs(%o = %e) -> (tensor<?xf32>) {
    %next = arith.addi %s, %c1 : index
    %first = arith.muli %s, %k : index
    %last = arith.muli %next, %k : index
    %begin = arith.divsi %first, %parts : index
    %end = arith.divsi %last, %parts : index
    %size = arith.subi %end, %begin : index
    %a = tensor.extract_slice %x[%begin] [%size] [1] : tensor<?xf32> to tensor<?xf32>
    %p = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%z : f32) outs(%p : tensor<f32>) -> tensor<f32>
    %t = linalg.reduce { arith.addf } ins(%a : tensor<?xf32>) outs(%f : tensor<f32>) dimensions = [0]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%s] [1] [1] : tensor<f32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}"""


def softmax(x):
    e = numpy.exp(x - x.max(1, keepdims=True, initial=-numpy.inf))
    return e / e.sum(1, keepdims=True)


def balanced(x, n):
    return numpy.array([x[len(x) * s // len(n):len(x) * (s + 1) // len(n)].sum() for s in range(len(n))])


def some_rows(x, init):
    wanted = init.copy()
    wanted[1::2] += x
    return wanted


def nothing(x, init):
    wanted = init.copy()
    wanted[:len(x)] = numpy.exp(x)
    return wanted


def columns(x):
    return numpy.exp(x), numpy.exp(x).sum(1)


def product(x, w):
    return numpy.exp(x @ w)


# name → program, what it gives, shapes of arguments of several calls, dispatches (None: the host's turns)
CASES = {
    "tiles": (tiles(100, 20, 70), product, [((100, 20), (20, 70))], 1),
    "free tiles": (tiles(), product, [((m, k), (k, n)) for m, k, n in
                                      ((100, 20, 70), (16, 4, 32), (1, 1, 1), (0, 3, 5), (5, 0, 40), (33, 8, 0), (47, 9, 31))], 1),
    "two results": (TWO_RESULTS, lambda x: (numpy.abs((-x).max(1)), numpy.exp(-x)), [((24, 37),)], 3),
    "rows": (ROWS, softmax, [((m, 50),) for m in (0, 1, 3, 10)], 1),
    "chain": (CHAIN, lambda x, w, v: x @ w @ v, [((12, 20), (20, 30), (30, 10))], None),
    "some rows": (SOME_ROWS, some_rows, [((7, 33), (14, 33))], None),
    "added": (ADDED, lambda x, init: init + x[::-1], [((7, 33), (7, 33))], 1),
    "columns": (COLUMNS, columns, [((19, 23),)], None),
    "nested": (NESTED, lambda x: x[::-1], [((6, 8),)], None),
    "nothing": (NOTHING, nothing, [((n, 5), (4, 5)) for n in (0, 1, 4)], None),
    "balanced": (BALANCED, balanced, [((k,), (n,)) for k, n in ((1000, 7), (3, 5), (0, 2), (5, 0), (100003, 13))], 1),
}
