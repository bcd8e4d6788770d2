# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that combine many elements: reductions, windows, sorts, products, transforms, solvers."""
import numpy

from cases import EPSILON, compute, tensor

COMBINERS = {"add": numpy.add, "multiply": numpy.multiply, "maximum": numpy.maximum, "minimum": numpy.minimum}
STARTS = {"add": 0, "multiply": 1, "maximum": -100, "minimum": 100}


def region(op, element):
    scalar = tensor([], element)
    return (f"^bb0(%x: {scalar}, %y: {scalar}):\n%q = stablehlo.{op} %x, %y : {scalar}\nstablehlo.return %q : {scalar}\n")


def add_reduce():
    values = numpy.arange(1, 7).reshape(2, 3) % 5
    for element in ("i32", "ui8", "f32", "bf16", "complex<f32>"):
        for op, function in COMBINERS.items():
            if element.startswith("c") and op in ("maximum", "minimum") or element == "ui8" and op == "maximum":
                continue
            start = STARTS[op]
            kind, scalar = tensor([2, 3], element), tensor([], element)
            for dims in ([0], [1], [0, 1], []):
                wanted = function.reduce(values, axis=tuple(dims)) if dims else values
                compute("reduce", f"{op} {element} {dims}", f"%r = stablehlo.reduce(%a init: %s) applies stablehlo.{op} across dimensions = {dims} : "
                        f"({kind}, {scalar}) -> {tensor(numpy.shape(wanted), element)}",
                        {"a": (values, element), "s": (numpy.array(start), element)}, wanted, element, EPSILON.get(element, 0))
    compute("reduce", "maximum and its place", "%w:2 = stablehlo.reduce(%a init: %s), (%i init: %z) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)\n"
            "reducer(%u: tensor<f32>, %v: tensor<f32>) (%k: tensor<i32>, %l: tensor<i32>) {\n%c = stablehlo.compare GE, %u, %v, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
            "%m = stablehlo.select %c, %u, %v : tensor<i1>, tensor<f32>\n%n = stablehlo.select %c, %k, %l : tensor<i1>, tensor<i32>\n"
            "stablehlo.return %m, %n : tensor<f32>, tensor<i32>\n}\n%r = stablehlo.optimization_barrier %w#1 : tensor<2xi32>",
            {"a": ([[1, 5, 2], [7, 3, 4]], "f32"), "i": ([[0, 1, 2]] * 2, "i32"), "s": (numpy.array(-numpy.inf), "f32"), "z": (numpy.array(-1), "i32")}, [1, 0], "i32")


def windows(values, size, stride, low, high, start, function):
    wide = numpy.pad(values, [(low, high)] * 2, constant_values=start)
    steps = range(0, wide.shape[0] - size + 1, stride), range(0, wide.shape[1] - size + 1, stride)
    return numpy.array([[function.reduce(wide[i:i + size, j:j + size], axis=None) for j in steps[1]] for i in steps[0]])


def add_windows():
    values = numpy.arange(20).reshape(4, 5) % 7
    for element in ("i64", "f32"):
        for op, function in COMBINERS.items():
            wanted = windows(values, 2, 2, 1, 1, STARTS[op], function)
            compute("reduce_window", f"{op} {element}", '%r = "stablehlo.reduce_window"(%a, %s) ({\n' + region(op, element) +
                    "}) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>, padding = dense<1> : tensor<2x2xi64>} : "
                    f"({tensor([4, 5], element)}, {tensor([], element)}) -> {tensor(wanted.shape, element)}",
                    {"a": (values, element), "s": (numpy.array(STARTS[op]), element)}, wanted, element)
    compute("reduce_window", "in order, from an argument", '%r = "stablehlo.reduce_window"(%a, %s) ({\n^bb0(%x: tensor<f32>, %y: tensor<f32>):\n%q = stablehlo.multiply %x, %x : tensor<f32>\n'
            "%t = stablehlo.add %q, %y : tensor<f32>\nstablehlo.return %t : tensor<f32>\n}) {window_dimensions = array<i64: 2>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>",
            {"a": ([0, 1, 2, 3], "f32"), "s": (numpy.array(1), "f32")}, [2, 6, 12], "f32")
    pooled = numpy.arange(16).reshape(4, 4) * 7 % 11
    source, wanted = numpy.array([[10, 20], [30, 40]]), numpy.zeros((4, 4))
    for i in range(2):
        for j in range(2):
            part = pooled[2 * i:2 * i + 2, 2 * j:2 * j + 2]
            at = numpy.unravel_index(part.argmax(), (2, 2))
            wanted[2 * i + at[0], 2 * j + at[1]] += source[i, j]
    for element in ("i64", "f32"):
        scatter(element, pooled, source, wanted)


def scatter(element, pooled, source, wanted):
    scalar, wide, parts = tensor([], element), tensor([4, 4], element), tensor([2, 2], element)
    compute("select_and_scatter", element, '%r = "stablehlo.select_and_scatter"(%a, %u, %s) ({\n' f"^bb0(%x: {scalar}, %y: {scalar}):\n"
            f"%c = stablehlo.compare GE, %x, %y : ({scalar}, {scalar}) -> tensor<i1>\nstablehlo.return %c : tensor<i1>\n}}, {{\n" + region("add", element) +
            f"}}) {{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}} : ({wide}, {parts}, {scalar}) -> {wide}",
            {"a": (pooled, element), "u": (source, element), "s": (numpy.array(0), element)}, wanted, element)


def add_sort():
    values = numpy.array([[3, 1, 2], [9, -7, 0]])
    for direction, dim in (("LT", 1), ("GT", 0)):
        ordered = numpy.sort(values, dim) if direction == "LT" else -numpy.sort(-values, dim)
        for element in ("i32", "f32", "f16"):
            kind = tensor([2, 3], element)
            body = (f"^bb0(%x: {tensor([], element)}, %y: {tensor([], element)}):\n%c = stablehlo.compare {direction}, %x, %y : ({tensor([], element)}, {tensor([], element)}) -> tensor<i1>\n"
                    "stablehlo.return %c : tensor<i1>\n")
            compute("sort", f"{element} {direction} {dim}", f'%r = "stablehlo.sort"(%a) ({{\n{body}}}) {{dimension = {dim} : i64, is_stable = true}} : ({kind}) -> {kind}',
                    {"a": (values, element)}, ordered, element)


def add_products():
    generator = numpy.random.default_rng(5)
    a, b = generator.integers(-4, 5, (2, 3, 4)), generator.integers(-4, 5, (2, 4, 5))
    for element, result in (("i8", "i32"), ("i64", "i64"), ("f32", "f32"), ("f64", "f64"), ("bf16", "f32"), ("f8E4M3FN", "f32"), ("complex<f32>", "complex<f32>")):
        compute("dot_general", f"batched {element}", "%r = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] : "
                f"({tensor([2, 3, 4], element)}, {tensor([2, 4, 5], element)}) -> {tensor([2, 3, 5], result)}", {"a": (a, element), "b": (b, element)}, a @ b, result,
                EPSILON.get(result, 0))
        compute("dot_general", f"free {element}", f"%r = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : ({tensor([2], element)}, {tensor([3], element)}) -> {tensor([2, 3], result)}",
                {"a": ([1, 2], element), "b": ([3, 4, 5], element)}, numpy.outer([1, 2], [3, 4, 5]), result)
    compute("dot", "", "%r = stablehlo.dot %a, %b : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>", {"a": (a[0], "f32"), "b": (b[0], "f32")}, a[0] @ b[0], "f32")
    image, kernel = generator.integers(-4, 5, (1, 4, 4, 2)), generator.integers(-4, 5, (3, 3, 2, 3))

    def convolve(stride, low, high, dilate):
        spread = numpy.zeros((1, 4 * dilate - dilate + 1, 4 * dilate - dilate + 1, 2), int)
        spread[:, ::dilate, ::dilate] = image
        wide = numpy.pad(spread, [(0, 0), (low, high), (low, high), (0, 0)])
        steps = range(0, wide.shape[1] - 2, stride)
        return numpy.array([[[numpy.tensordot(wide[0, i:i + 3, j:j + 3], kernel, 3) for j in steps] for i in steps]])
    for element in ("i64", "f32"):
        for stride, low, high, dilate in ((1, 0, 0, 1), (2, 1, 1, 1), (2, 2, 0, 2)):
            wanted = convolve(stride, low, high, dilate)
            types = f"{tensor(image.shape, element)}, {tensor(kernel.shape, element)}"
            counts = "batch_group_count = 1 : i64, feature_group_count = 1 : i64"
            operands = {"a": (image, element), "k": (kernel, element)}
            compute("convolution", f"{element} stride {stride}, dilation {dilate}", f"%r = stablehlo.convolution(%a, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
                    f"{{stride = [{stride}, {stride}], pad = [[{low}, {high}], [{low}, {high}]], lhs_dilate = [{dilate}, {dilate}]}} {{{counts}}} : ({types}) -> {tensor(wanted.shape, element)}",
                    operands, wanted, element, EPSILON.get(element, 0))
            compute("dynamic_conv", f"{element} stride {stride}, dilation {dilate}", f"%p = stablehlo.constant dense<[[{low}, {high}], [{low}, {high}]]> : tensor<2x2xi64>\n"
                    f'%r = "stablehlo.dynamic_conv"(%a, %k, %p) {{window_strides = array<i64: {stride}, {stride}>, lhs_dilation = array<i64: {dilate}, {dilate}>, '
                    f"dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, {counts}}} : ({types}, tensor<2x2xi64>) -> {tensor(wanted.shape, element)}",
                    operands, wanted, element, EPSILON.get(element, 0))


def add_transforms():
    for element in ("f32", "f64"):
        whole, epsilon = f"complex<{element}>", 64 * EPSILON[element]
        x = numpy.array([1.5, -2.0, 0.25, 3.0, 0.5, -1.0, 2.0, 4.0])
        z = x + 1j * x[::-1]
        for kind, given, source, wanted, target in [("FFT", z, whole, numpy.fft.fft(z), whole), ("IFFT", z, whole, numpy.fft.ifft(z), whole),
                                                    ("RFFT", x, element, numpy.fft.rfft(x), whole), ("IRFFT", numpy.fft.rfft(x), whole, x, element)]:
            compute("fft", f"{kind} {element}", f"%r = stablehlo.fft %a, type = {kind}, length = [8] : ({tensor(given.shape, source)}) -> {tensor(wanted.shape, target)}",
                    {"a": (given, source)}, wanted, target, epsilon, of_largest=True)
        a, b = numpy.array([[2.0, 9, 9], [1, 4, 9], [-1, 2, 5]]), numpy.array([[7.0, 1], [8, 2], [9, 3]])
        for lower in (True, False):
            for transpose in ("NO_TRANSPOSE", "TRANSPOSE"):
                part = numpy.tril(a) if lower else numpy.triu(a)
                wanted = numpy.linalg.solve(part.T if transpose == "TRANSPOSE" else part, b)
                compute("triangular_solve", f"{element} {'lower' if lower else 'upper'} {transpose}", '%r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, '
                        f"lower = {str(lower).lower()}, unit_diagonal = false, transpose_a = #stablehlo<transpose {transpose}>}} : ({tensor([3, 3], element)}, {tensor([3, 2], element)}) -> {tensor([3, 2], element)}",
                        {"a": (a, element), "b": (b, element)}, wanted, element, epsilon)


def add_scan():
    for element in ("i32", "f32"):
        values = numpy.arange(1, 7).reshape(2, 3)
        for reverse in (False, True):
            for dim in (0, 1):
                ordered = numpy.flip(values, dim) if reverse else values
                wanted = numpy.cumsum(ordered, dim)
                wanted = numpy.flip(wanted, dim) if reverse else wanted
                kind = tensor([2, 3], element)
                flag = " attributes {is_reverse = true}" if reverse else ""
                part = tensor([3 if dim == 0 else 2], element)
                compute("chlo.scan", f"sums {element} along {dim}{', reversed' if reverse else ''}", f"%w:2 = chlo.scan(%a) inits(%s) dimension={dim}{flag} {{\n"
                        f"^bb0(%x: {part}, %y: {part}):\n%q = stablehlo.add %x, %y : {part}\nstablehlo.return %q, %q : {part}, {part}\n}} : ({kind}, {part}) -> ({kind}, {part})\n"
                        f"%r = stablehlo.optimization_barrier %w#0 : {kind}",
                        {"a": (values, element), "s": (numpy.zeros(3 if dim == 0 else 2), element)}, wanted, element)


def add_all():
    add_reduce()
    add_scan()
    add_windows()
    add_sort()
    add_products()
    add_transforms()
