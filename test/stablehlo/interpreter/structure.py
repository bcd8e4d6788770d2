# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that move elements, make them, or pass values on."""
import numpy

from cases import compute, tensor

LETTERS = ["i1", "i4", "ui8", "i64", "bf16", "f32", "complex<f64>"]


def grid(*shape):
    return numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape)


def values_of(element, *shape):
    """Small numbers that every type has."""
    return grid(*shape) % 2 == 1 if element == "i1" else grid(*shape) % 8


def move(op, name, text, shape, function):
    """`text` with {a} and {r} for the types of operand and result, on each type."""
    for element in LETTERS:
        values = values_of(element, *shape)
        wanted = function(values)
        compute(op, f"{name} {element}", text.format(a=tensor(shape, element), r=tensor(wanted.shape, element), s=tensor([], element),
                                                     o=tensor([1, 1], element)),
                {"a": (values, element)}, wanted, element)


def add_moves():
    move("broadcast_in_dim", "rows", "%r = stablehlo.broadcast_in_dim %a, dims = [1] : ({a}) -> {r}", [3],
         lambda v: numpy.broadcast_to(v, (2, 3)))
    move("broadcast_in_dim", "ones", "%r = stablehlo.broadcast_in_dim %a, dims = [2, 0] : ({a}) -> {r}", [1, 3],
         lambda v: numpy.broadcast_to(v.T[:, None, :], (3, 2, 2)))
    move("broadcast", "", "%r = stablehlo.broadcast %a, sizes = [2, 1] : ({a}) -> {r}", [3], lambda v: numpy.broadcast_to(v, (2, 1, 3)))
    move("transpose", "", "%r = stablehlo.transpose %a, dims = [2, 0, 1] : ({a}) -> {r}", [2, 3, 4], lambda v: v.transpose(2, 0, 1))
    move("reshape", "", "%r = stablehlo.reshape %a : ({a}) -> {r}", [2, 6], lambda v: v.reshape(3, 4))
    move("reshape", "to a scalar", "%r = stablehlo.reshape %a : ({a}) -> {r}", [1, 1], lambda v: v.reshape(()))
    move("reverse", "", "%r = stablehlo.reverse %a, dims = [1, 0] : {a}", [2, 3], lambda v: v[::-1, ::-1])
    move("slice", "", "%r = stablehlo.slice %a [1:3, 0:7:2] : ({a}) -> {r}", [4, 7], lambda v: v[1:3, 0:7:2])
    move("slice", "empty", "%r = stablehlo.slice %a [2:2] : ({a}) -> {r}", [4], lambda v: v[2:2])
    move("concatenate", "", "%r = stablehlo.concatenate %a, %a, dim = 1 : ({a}, {a}) -> {r}", [2, 3], lambda v: numpy.concatenate([v, v], 1))
    move("pad", "", "%z = stablehlo.slice %a [0:1, 0:1] : ({a}) -> {o}\n%s = stablehlo.reshape %z : ({o}) -> {s}\n"
         "%r = stablehlo.pad %a, %s, low = [1, -1], high = [0, 1], interior = [1, 2] : ({a}, {s}) -> {r}", [2, 3], pad)
    compute("pad", "with a number that comes as an argument", "%r = stablehlo.pad %a, %s, low = [1], high = [2], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>",
            {"a": ([1, 2, 3], "f32"), "s": (numpy.array(9), "f32")}, [9, 1, 2, 3, 9, 9], "f32")
    move("optimization_barrier", "", "%r = stablehlo.optimization_barrier %a : {a}", [3], lambda v: v)
    move("dynamic_reshape", "", "%n = stablehlo.constant dense<[3, 2]> : tensor<2xi32>\n"
         "%r = stablehlo.dynamic_reshape %a, %n : ({a}, tensor<2xi32>) -> {r}", [2, 3], lambda v: v.reshape(3, 2))
    move("dynamic_broadcast_in_dim", "", "%n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
         "%r = stablehlo.dynamic_broadcast_in_dim %a, %n, dims = [1] : ({a}, tensor<2xi64>) -> {r}", [3], lambda v: numpy.broadcast_to(v, (2, 3)))
    move("real_dynamic_slice", "", "%f = stablehlo.constant dense<1> : tensor<1xi64>\n%t = stablehlo.constant dense<6> : tensor<1xi64>\n"
         "%p = stablehlo.constant dense<2> : tensor<1xi64>\n%r = stablehlo.real_dynamic_slice %a, %f, %t, %p : "
         "({a}, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> {r}", [7], lambda v: v[1:6:2])
    low = "%l = stablehlo.constant dense<[0, 1]> : tensor<2xi64>\n%h = stablehlo.constant dense<[1, 0]> : tensor<2xi64>\n"
    compute("dynamic_pad", "i64", low + "%i = stablehlo.constant dense<1> : tensor<2xi64>\n%r = stablehlo.dynamic_pad %a, %s, %l, %h, %i : "
            "(tensor<2x2xi64>, tensor<i64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<4x4xi64>",
            {"a": (grid(2, 2) + 1, "i64"), "s": (numpy.array(-1), "i64")},
            [[-1, 1, -1, 2], [-1] * 4, [-1, 3, -1, 4], [-1] * 4], "i64")


def pad(v):
    wide = numpy.full((4, 8), v[0, 0])
    wide[1:4:2, 0:7:3] = v
    return wide[:, 1:]


def add_indexed():
    table = grid(4, 5).astype(numpy.float32)
    for start in ([1, 2], [-3, 9], [3, 4]):
        at = [min(max(start[0], 0), 2), min(max(start[1], 0), 2)]
        index = {"i": (numpy.array(start[0]), "i32"), "j": (numpy.array(start[1]), "i32")}
        compute("dynamic_slice", str(start), "%r = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 3] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>",
                {"a": (table, "f32"), **index}, table[at[0]:at[0] + 2, at[1]:at[1] + 3], "f32")
        written = table.copy()
        written[at[0]:at[0] + 2, at[1]:at[1] + 3] = -1
        compute("dynamic_update_slice", str(start), "%r = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<4x5xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>",
                {"a": (table, "f32"), "u": (numpy.full((2, 3), -1), "f32"), **index}, written, "f32")
    rows = numpy.array([[2], [0], [9]])
    numbers = "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
    compute("gather", "rows", f'%r = "stablehlo.gather"(%a, %i) {{{numbers}, slice_sizes = array<i64: 1, 5>, indices_are_sorted = false}} : (tensor<4x5xf32>, tensor<3x1xi64>) -> tensor<3x5xf32>',
            {"a": (table, "f32"), "i": (rows, "i64")}, table[[2, 0, 3]], "f32")
    compute("dynamic_gather", "rows", "%n = stablehlo.constant dense<[1, 5]> : tensor<2xi64>\n"
            f'%r = "stablehlo.dynamic_gather"(%a, %i, %n) {{{numbers}, indices_are_sorted = false}} : (tensor<4x5xf32>, tensor<3x1xi64>, tensor<2xi64>) -> tensor<3x5xf32>',
            {"a": (table, "f32"), "i": (rows, "i64")}, table[[2, 0, 3]], "f32")
    batched = "#stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>"
    compute("gather", "batched", f'%r = "stablehlo.gather"(%a, %i) {{dimension_numbers = {batched}, slice_sizes = array<i64: 1, 2>, indices_are_sorted = false}} : (tensor<4x5xf32>, tensor<4x1xi64>) -> tensor<4x2xf32>',
            {"a": (table, "f32"), "i": ([[0], [1], [3], [4]], "i64")},
            numpy.stack([table[n, s:s + 2] for n, s in enumerate([0, 1, 3, 3])]), "f32")
    summed = table.copy()
    for row in (2, 0, 2):
        summed[row] += 10
    update = ("^bb0(%o: tensor<f32>, %u: tensor<f32>):\n%q = stablehlo.add %o, %u : tensor<f32>\nstablehlo.return %q : tensor<f32>\n")
    compute("scatter", "sum of rows", '%r = "stablehlo.scatter"(%a, %i, %w) ({\n' + update + "}) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
            "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false} : (tensor<4x5xf32>, tensor<4x1xi64>, tensor<4x5xf32>) -> tensor<4x5xf32>",
            {"a": (table, "f32"), "i": ([[2], [0], [2], [7]], "i64"), "w": (numpy.full((4, 5), 10), "f32")}, summed, "f32")


def add_makers():
    for element in ["i4", "ui2", "i32", "ui64", "f16", "bf16", "f64", "complex<f32>"]:
        for dim in (0, 1):
            wanted = numpy.broadcast_to(numpy.arange(2)[:, None] if dim == 0 else numpy.arange(3), (2, 3)) % 4
            kind = tensor([2, 3], element)
            compute("iota", f"{element} along {dim}", f"%r = stablehlo.iota dim = {dim} : {kind}", {}, wanted, element)
            compute("dynamic_iota", f"{element} along {dim}", "%n = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
                    f"%r = stablehlo.dynamic_iota %n, dim = {dim} : (tensor<2xi64>) -> {kind}", {}, wanted, element)
    for element, text, wanted in [("i1", "[true, false]", [True, False]), ("i2", "[-2, 1]", [-2, 1]), ("i4", "[-8, 7]", [-8, 7]),
                                  ("ui2", "[3, 0]", [3, 0]), ("ui4", "[15, 0]", [15, 0]), ("i8", "[-128, 127]", [-128, 127]),
                                  ("ui64", "[18446744073709551615, 0]", [2**64 - 1, 0]), ("f16", "[1.5, 0x7C00]", [1.5, numpy.inf]),
                                  ("bf16", "[-0.5, 0x3FC0]", [-0.5, 1.5]), ("f32", "[0.1, -0.0]", [0.1, -0.0]), ("f64", "7.5", [7.5, 7.5]),
                                  ("f8E4M3FN", "[1.5, -448.0]", [1.5, -448]), ("f8E5M2", "[0.25, 57344.0]", [0.25, 57344]),
                                  ("complex<f32>", "[(1.0, -2.0), (0.0, 3.5)]", [1 - 2j, 3.5j])]:
        compute("constant", element, f"%r = stablehlo.constant dense<{text}> : {tensor([2], element)}", {},
                numpy.array(wanted, dtype=numpy.uint64) if element == "ui64" else wanted, element)
    compute("constant", "empty", "%r = stablehlo.constant dense<> : tensor<0xf32>", {}, numpy.zeros(0), "f32")
    compute("get_dimension_size", "", "%r = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>",
            {"a": (grid(2, 3), "f32")}, numpy.array(3), "i32")


def add_values():
    x = {"a": ([1, 2, 3], "i64")}
    compute("tuple", "", "%t = stablehlo.tuple %a, %a : tuple<tensor<3xi64>, tensor<3xi64>>\n%u = stablehlo.tuple %t, %a : "
            "tuple<tuple<tensor<3xi64>, tensor<3xi64>>, tensor<3xi64>>\n%v = stablehlo.get_tuple_element %u[0] : "
            "(tuple<tuple<tensor<3xi64>, tensor<3xi64>>, tensor<3xi64>>) -> tuple<tensor<3xi64>, tensor<3xi64>>\n"
            "%r = stablehlo.get_tuple_element %v[1] : (tuple<tensor<3xi64>, tensor<3xi64>>) -> tensor<3xi64>", x, [1, 2, 3], "i64")
    compute("after_all", "", "%t = stablehlo.create_token : !stablehlo.token\n%u = stablehlo.after_all %t, %t : !stablehlo.token\n"
            "%r = stablehlo.add %a, %a : tensor<3xi64>", x, [2, 4, 6], "i64")
    twice = "func.func private @twice(%x: tensor<3xi64>) -> tensor<3xi64> {\n%0 = stablehlo.add %x, %x : tensor<3xi64>\nreturn %0 : tensor<3xi64>\n}\n"
    compute("call", "", "%r = call @twice(%a) : (tensor<3xi64>) -> tensor<3xi64>", x, [2, 4, 6], "i64", functions=twice)
    compute("composite", "", '%r = stablehlo.composite "my.twice" %a {decomposition = @twice, version = 1 : i32} : (tensor<3xi64>) -> tensor<3xi64>',
            x, [2, 4, 6], "i64", functions=twice)
    compute("map", "", '%r = "stablehlo.map"(%a, %b) ({\n^bb0(%x: tensor<i64>, %y: tensor<i64>):\n%p = stablehlo.multiply %x, %y : tensor<i64>\n'
            "stablehlo.return %p : tensor<i64>\n}) {dimensions = array<i64: 0>} : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi64>",
            {"a": ([1, 2, 3], "i64"), "b": ([4, 5, 6], "i64")}, [4, 10, 18], "i64")
    compute("map", "with a number from outside", '%r = "stablehlo.map"(%a) ({\n^bb0(%x: tensor<f32>):\n%p = stablehlo.multiply %x, %s : tensor<f32>\n'
            "stablehlo.return %p : tensor<f32>\n}) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>",
            {"a": ([1, 2, 3], "f32"), "s": (numpy.array(4), "f32")}, [4, 8, 12], "f32")
    branch = lambda op: f"{{\n%q{op} = stablehlo.{op} %a : tensor<3xf32>\nstablehlo.return %q{op} : tensor<3xf32>\n}}"
    y = ([1.0, -2.0, 4.0], "f32")
    for index in (-1, 0, 1, 7):
        compute("case", str(index), f'%r = "stablehlo.case"(%i) ({branch("negate")}, {branch("abs")}) : (tensor<i32>) -> tensor<3xf32>',
                {"a": y, "i": (numpy.array(index), "i32")}, numpy.negative(y[0]) if index == 0 else numpy.abs(y[0]), "f32")
    for flag in (True, False):
        compute("if", str(flag), f'%r = "stablehlo.if"(%p) ({branch("negate")}, {branch("abs")}) : (tensor<i1>) -> tensor<3xf32>',
                {"a": y, "p": (numpy.array(flag), "i1")}, numpy.negative(y[0]) if flag else numpy.abs(y[0]), "f32")
    loop = ("%w:2 = stablehlo.while(%k = %i, %s = %a) : tensor<i64>, tensor<3xi64>\ncond {\n%z = stablehlo.compare LT, %k, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
            "stablehlo.return %z : tensor<i1>\n} do {\n%d = stablehlo.add %k, %o : tensor<i64>\n%t = stablehlo.add %s, %s : tensor<3xi64>\n"
            "stablehlo.return %d, %t : tensor<i64>, tensor<3xi64>\n}\n%r = stablehlo.optimization_barrier %w#1 : tensor<3xi64>")
    for count in (0, 3):
        compute("while", f"{count} times", loop, {**x, "i": (numpy.array(0), "i64"), "o": (numpy.array(1), "i64"), "n": (numpy.array(count), "i64")},
                numpy.array([1, 2, 3]) << count, "i64")


def add_all():
    add_moves()
    add_indexed()
    add_makers()
    add_values()
