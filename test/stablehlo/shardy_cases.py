# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with shardings of Shardy, each by what it does: the behaviours of the tests that Shardy runs its partitioner by.

CASES: {name: Case}. A sharding is a text such as "x, -, yz": by dimension the axes that cut it, `-` for none. What a case
computes is a body of StableHLO over %0, %1, …; results are the names in `results`.
"""
import dataclasses
import re

import numpy

CASES = {}


@dataclasses.dataclass
class Case:
    axes: dict                 # of the mesh: name to size
    inputs: list               # (type, sharding or None)
    body: str
    results: list              # (value, type, sharding or None)
    wanted: object = None      # of arrays: arrays; None: what one rank computes
    ids: list = None           # of devices, in another order
    more: str = ""             # other meshes
    limits: dict = dataclasses.field(default_factory=dict)  # of integer inputs: exclusive bounds by number

    @property
    def ranks(self):
        return int(numpy.prod(list(self.axes.values())))

    def text(self, on_one=False):
        """The module; `on_one`: with one rank, for which all shardings are the same."""
        axes = ", ".join(f'"{name}"={1 if on_one else size}' for name, size in self.axes.items())
        ids = f", device_ids={self.ids}" if self.ids and not on_one else ""
        given = ", ".join(f"%{n}: {kind}{attribute(cut)}" for n, (kind, cut) in enumerate(self.inputs))
        kinds = ", ".join(f"{kind}{attribute(cut)}" for _, kind, cut in self.results)
        values = ", ".join(value for value, _, _ in self.results)
        types = ", ".join(kind for _, kind, _ in self.results)
        more = self.more.replace("=4], device_ids=[1, 2, 3, 0]", "=1]") if on_one else self.more
        return (f"module attributes {{mhlo.num_partitions = {1 if on_one else self.ranks} : i32}} {{\n"
                f"  sdy.mesh @m = <[{axes}]{ids}>\n{more}"
                f"  func.func public @main({given}) -> ({kinds}) {{\n{self.body}\n    return {values} : {types}\n  }}\n}}\n")


def spell(cut, mesh="m"):
    """"x, -, yz" as <@m, [{"x"}, {}, {"y", "z"}]>; an axis "b1/2" is the part "b":(1)2, "+z" what is left to be summed."""
    cut, _, sums = cut.partition("+")
    axis = lambda name: re.sub(r"(\w)(\d)/(\d)", r'"\1":(\2)\3', name) if len(name) > 1 else f'"{name}"'
    dims = ["{" + ", ".join(axis(a) for a in re.findall(r"[a-z](?:\d/\d)?", dim)) + "}" for dim in cut.split(",") if dim.strip()]
    extra = ", unreduced={" + ", ".join(f'"{a}"' for a in sums.strip()) + "}" if sums else ""
    return f"<@{mesh}, [{', '.join(dims)}]{extra}>"


def attribute(cut):
    return "" if cut is None else f" {{sdy.sharding = #sdy.sharding{spell(cut)}}}"


def of_op(cut):
    return f"{{sdy.sharding = #sdy.sharding_per_value<[{spell(cut)}]>}}"


def tensor(shape, element="i32"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def add(name, *args, **options):
    assert name not in CASES, name
    CASES[name] = Case(*args, **options)


# -- what goes first, and which way


def orders():
    x, w, r = tensor((8, 6), "f32"), tensor((6, 4), "f32"), tensor((8, 4), "f32")
    product = "    %s = stablehlo.dot_general %a, %1, contracting_dims = [1] x [0] : (tensor<8x6xf32>, tensor<6x4xf32>) -> tensor<8x4xf32>\n"
    for name, cut in [("rows", '<@m, [{"x"}, {?}p1]>'), ("columns", '<@m, [{?}, {"x"}p1]>')]:
        add(f"priority_of_{name}", {"x": 2}, [(x, None), (w, "-, x")], f"    %a = sdy.sharding_constraint %0 {cut} : {x}\n{product}"
            f"    %r = stablehlo.tanh %s : {r}", [("%r", r, None)])
    for direction in "NONE", "FORWARD", "BACKWARD", "BOTH":
        add(f"barrier_{direction.lower()}", {"x": 2}, [(x, "x, -"), (w, None)],
            f"    %a = sdy.propagation_barrier %0 allowed_direction={direction} : {x}\n{product}"
            f"    %b = sdy.propagation_barrier %s allowed_direction={direction} : {r}\n    %r = stablehlo.tanh %b : {r}", [("%r", r, "-, x")])


# -- ops that move what one value is cut by to another cut


def moves():
    square = tensor((4, 6))
    xy = {"x": 2, "y": 2}
    whole = "sdy.{} {}%0 out_sharding={} : {}"
    add("all_gather", xy, [(square, "x, y")], "    %r = " + whole.format("all_gather", '[{"x"}, {"y"}] ', spell("-, -"), square),
        [("%r", square, None)])
    add("all_slice", {"x": 2}, [(square, "-, -")], "    %r = " + whole.format("all_slice", '[{"x"}, {}] ', spell("x, -"), square),
        [("%r", square, "x, -")])
    eight = tensor((8, 8))
    add("all_slice_of_part", {"x": 2, "y": 4}, [(eight, "-, -")],
        "    %r = " + whole.format("all_slice", '[{}, {"x", "y":(2)2}] ', spell("-, xy2/2"), eight), [("%r", eight, "-, xy2/2")])
    box = tensor((2, 4, 2, 6))
    one = "    %a = " + whole.format("all_to_all", '[{"x"}: 0->1] ', spell("-, x, y, -"), box)
    two = f'    %r = sdy.all_to_all [{{"y"}}: 2->3] %a out_sharding={spell("-, x, -, y")} : {box}'
    add("all_to_all_by_turns", xy, [(box, "x, -, y, -")], one + "\n" + two, [("%r", box, "-, x, -, y")])
    both = "    %r = " + whole.format("all_to_all", '[{"x"}: 0->1, {"y"}: 2->3] ', spell("-, x, -, y"), box)
    add("all_to_all_at_once", xy, [(box, "x, -, y, -")], both, [("%r", box, "-, x, -, y")])
    line = tensor((12,))
    add("permute_axes", xy, [(line, "xy")], "    %r = " + whole.format("collective_permute", "", spell("yx"), line),
        [("%r", line, "yx")])
    turned = '  sdy.mesh @t = <["x"=4], device_ids=[1, 2, 3, 0]>\n'
    add("permute_order", {"x": 4}, [(line, "x")], f"    %a = stablehlo.negate %0 : {line}\n    %r = sdy.collective_permute %a "
        f"out_sharding={spell('x', 't')} : {line}", [("%r", line, "x")], more=turned)
    for name, sums, cut, by in [("one", "-, - + x", "-, -", '{"x"}'), ("both", "-, - + xy", "-, -", '{"x", "y"}')]:
        add(f"all_reduce_{name}", xy, [(square, sums)], f"    %r = sdy.all_reduce {by} %0 out_sharding={spell(cut)} : {square}",
            [("%r", square, cut)])
    add("reduce_scatter_at_once", xy, [(square, "-, - + xy")],
        "    %r = " + whole.format("reduce_scatter", '[{"x"}, {"y"}] ', spell("x, y"), square), [("%r", square, "x, y")])
    add("reduce_scatter_by_turns", xy, [(square, "-, - + xy")],
        "    %a = " + whole.format("reduce_scatter", '[{"x"}, {}] ', spell("x, - + y"), square) +
        f'\n    %r = sdy.reduce_scatter [{{}}, {{"y"}}] %a out_sharding={spell("x, y")} : {square}', [("%r", square, "x, y")])
    add("constant", {"x": 2}, [], f"    %r = sdy.constant {of_op('x, -')} dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [0, 1, 2]]> : "
        f"tensor<4x3xi32>\n    %s = sdy.constant {of_op('x, -')} dense<7> : {square}",
        [("%r", "tensor<4x3xi32>", "x, -"), ("%s", square, "x, -")])
    add("iota", {"x": 2}, [], f"    %r = stablehlo.iota dim = 0 {of_op('x')} : tensor<6xi32>\n"
        f"    %s = stablehlo.iota dim = 1 {of_op('-, x')} : {square}", [("%r", "tensor<6xi32>", "x"), ("%s", square, "-, x")])


# -- manual computations


def manual():
    one = tensor((8, 6))
    part = tensor((2, 6))
    channel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>"
    ids = "replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>"
    region = ("({\n      ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n        %s = stablehlo.add %a, %b : tensor<i32>\n"
              "        stablehlo.return %s : tensor<i32>\n      }) ")

    def case(name, op, attributes, own, cut, whole, wanted, given="x, -", local=part, body=""):
        text = (f"    %r = sdy.manual_computation(%0) in_shardings=[{spell(given)}] out_shardings=[{spell(cut)}] "
                f'manual_axes={{"x"}} (%p: {local}) {{\n      %v = "stablehlo.{op}"(%p) {body}{{{attributes}}} : ({local}) -> {own}\n'
                f"      sdy.return %v : {own}\n    }} : ({one}) -> {whole}")
        add(f"manual_{name}", {"x": 4}, [(one, given)], text, [("%r", whole, cut)], wanted)

    case("all_gather", "all_gather", f"all_gather_dim = 0 : i64, {ids}, {channel}, use_global_device_ids", one, "-, -", one,
         lambda a: [a])
    case("all_reduce", "all_reduce", f"{ids}, {channel}, use_global_device_ids", part, "-, -", part,
         lambda a: [a.reshape(4, 2, 6).sum(0, dtype=a.dtype)], body=region)
    wide = tensor((8, 8))
    row = tensor((2, 8))
    column = tensor((8, 2))
    text = (f"    %r = sdy.manual_computation(%0) in_shardings=[{spell('x, -')}] out_shardings=[{spell('-, x')}] "
            f'manual_axes={{"x"}} (%p: {row}) {{\n      %v = "stablehlo.all_to_all"(%p) {{split_dimension = 1 : i64, '
            f"concat_dimension = 0 : i64, split_count = 4 : i64, {ids}, {channel}}} : ({row}) -> {column}\n"
            f"      sdy.return %v : {column}\n    }} : ({wide}) -> {wide}")
    add("manual_all_to_all", {"x": 4}, [(wide, "x, -")], text, [("%r", wide, "-, x")], lambda a: [a])
    pairs = "source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>"
    case("permute", "collective_permute", f"{pairs}, {channel}", part, "x, -", one, lambda a: [numpy.roll(a, 2, 0)])
    case("reduce_scatter", "reduce_scatter", f"scatter_dimension = 0 : i64, {ids}, {channel}, use_global_device_ids", part, "x, -",
         one, lambda a: [a * 4], "-, -", one, region)


# -- ops along and across what is cut


def ops():
    x = {"x": 2}
    square = tensor((4, 6))
    add("concatenate", x, [(square, "x, -"), (square, "x, -")], f"    %r = stablehlo.concatenate %0, %1, dim = 1 {of_op('x, -')} : "
        f"({square}, {square}) -> {tensor((4, 12))}", [("%r", tensor((4, 12)), "x, -")])
    product = "contracting_dims = [1] x [0]"
    add("product_over_cut", x, [(tensor((3, 4)), "-, x"), (tensor((4, 5)), "x, -")],
        f"    %a = stablehlo.dot_general %0, %1, {product} : ({tensor((3, 4))}, {tensor((4, 5))}) -> {tensor((3, 5))}\n"
        f'    %r = sdy.all_reduce {{"x"}} %a out_sharding={spell("-, -")} : {tensor((3, 5))}', [("%r", tensor((3, 5)), "-, -")])
    left, right, out = tensor((3, 3), "f32"), tensor((3, 5), "f32"), tensor((3, 5), "f32")
    add("product_uneven", {"x": 2, "y": 2}, [(left, "-, -"), (right, "-, -")],
        f"    %a = sdy.reshard %0 {spell('x, y')} : {left}\n    %b = sdy.reshard %1 {spell('y, -')} : {right}\n"
        f"    %c = stablehlo.dot_general %a, %b, {product} {of_op('x, -')} : ({left}, {right}) -> {out}\n"
        f"    %r = sdy.reshard %c {spell('-, -')} : {out}", [("%r", out, "-, -")])
    lines = tensor((4, 6), "complex<f64>")
    add("fft_of_rows", x, [(lines, "x, -")], f"    %r = stablehlo.fft %0, type = FFT, length = [6] {of_op('x, -')} : ({lines}) -> "
        f"{lines}", [("%r", lines, "x, -")])
    less = ('"stablehlo.sort"(%0) ({\n    ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n      %p = stablehlo.compare LT, %a, %b : '
            '(tensor<i32>, tensor<i32>) -> tensor<i1>\n      stablehlo.return %p : tensor<i1>\n    }) ')
    for name, cut in [("rows", "x, -"), ("columns", "-, x")]:
        add(f"sort_of_cut_{name}", x, [(square, cut)], f"    %r = {less}{{dimension = 1 : i64, is_stable = true, "
            f"{of_op(cut)[1:-1]}}} : ({square}) -> {square}", [("%r", square, cut)])
    pool = ('    %z = stablehlo.constant dense<-9.0> : tensor<f32>\n    %r = "stablehlo.reduce_window"(%0, %z) '
            "<{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({\n    ^bb0(%a: tensor<f32>, %b: "
            "tensor<f32>):\n      %m = stablehlo.maximum %a, %b : tensor<f32>\n      stablehlo.return %m : tensor<f32>\n    }) ")
    f46, f43 = tensor((4, 6), "f32"), tensor((4, 3), "f32")
    add("windows_of_rows", x, [(f46, "x, -")], f"{pool}{of_op('x, -')} : ({f46}, tensor<f32>) -> {f43}", [("%r", f43, "x, -")])
    chosen = ('    %z = stablehlo.constant dense<0.0> : tensor<f32>\n    %r = "stablehlo.select_and_scatter"(%0, %1, %z) '
              "<{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>, padding = dense<0> : tensor<2x2xi64>}> ({\n"
              "    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n      %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> "
              "tensor<i1>\n      stablehlo.return %c : tensor<i1>\n    }, {\n    ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
              "      %s = stablehlo.add %a, %b : tensor<f32>\n      stablehlo.return %s : tensor<f32>\n    }) ")
    add("select_and_scatter_of_rows", x, [(f46, "x, -"), (f43, "x, -")], f"{chosen}{of_op('x, -')} : ({f46}, {f43}, tensor<f32>) -> "
        f"{f46}", [("%r", f46, "x, -")])
    reverse = lambda shape, dims, cut: f"stablehlo.reverse %a, dims = {dims} {of_op(cut)} : {tensor(shape)}"
    add("reverse", {"x": 2, "y": 2}, [(square, "x, y")], f"    %a = stablehlo.negate %0 {of_op('x, y')} : {square}\n    %r = "
        + reverse((4, 6), [0], "x, y"), [("%r", square, "-, -")])
    big, small = tensor((4, 6, 8)), tensor((4, 6, 5))
    add("reverse_uneven", {"x": 2, "y": 2, "z": 4}, [(big, "y, x, z")],
        f"    %a = stablehlo.slice %0 [0:4, 0:6, 0:5] {of_op('y, x, z')} : ({big}) -> {small}\n    %r = "
        + reverse((4, 6, 5), [0, 2], "y, x, z"), [("%r", small, None)])


def convolutions():
    form = ("dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = [2, 2], pad = [[0, 1], [0, 1]]}} "
            "{{feature_group_count = {} : i64, batch_group_count = {} : i64{}}}")

    def case(name, image, kernel, out, cuts, groups=(1, 1), sums=False):
        image, kernel, out = (tensor(shape) for shape in (image, kernel, out))
        extra = "" if sums else ", " + of_op(cuts[2])[1:-1]
        text = f"    %a = stablehlo.convolution(%0, %1) {form.format(*groups, extra)} : ({image}, {kernel}) -> {out}"
        if sums:
            text += f'\n    %r = sdy.all_reduce {{"x"}} %a out_sharding={spell(cuts[2])} : {out}'
        add(f"convolution_{name}", {"x": 2}, [(image, cuts[0]), (kernel, cuts[1])], text, [("%r" if sums else "%a", out, cuts[2])])

    none = "-, -, -, -"
    case("batch", (2, 4, 4, 2), (3, 3, 2, 4), (2, 2, 2, 4), ("x, -, -, -", None, "x, -, -, -"))
    case("batch_groups", (2, 4, 4, 2), (3, 3, 2, 4), (1, 2, 2, 4), ("x, -, -, -", "-, -, -, x", "-, -, -, x"), (1, 2))
    case("features", (2, 4, 4, 4), (3, 3, 4, 6), (2, 2, 2, 6), ("-, -, -, x", "-, -, x, -", none), sums=True)
    case("feature_groups", (2, 4, 4, 2), (3, 3, 1, 4), (2, 2, 2, 4), ("-, -, -, x", "-, -, -, x", "-, -, -, x"), (2, 1))


def lookups():
    table, rows = tensor((4, 2), "f32"), "tensor<2xi64>"
    gather = '    %a = "stablehlo.gather"(%0, %1) {{dimension_numbers = #stablehlo.gather<{}>, slice_sizes = array<i64: {}>}} : '
    sums = '({}, {}) -> {}\n    %r = sdy.all_reduce {} %a out_sharding={} : {}'

    def case(name, numbers, sizes, kinds, out, cut, axes, by, limits):
        add(f"gather_{name}", axes, [(kinds[0], cut), (kinds[1], None)], gather.format(numbers, sizes)
            + sums.format(*kinds, out, by, spell("-, -"), out), [("%r", out, None)], limits={1: limits})

    case("of_cut_rows", "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", "1, 2",
         (table, rows), tensor((2, 2), "f32"), "x, -", {"x": 2}, '{"x"}', 4)
    case("beside_cut_rows", "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1], index_vector_dim = 1", "1, 1",
         (table, rows), tensor((2, 1), "f32"), "x, -", {"x": 2}, '{"x"}', 2)
    case("of_two_cuts", "offset_dims = [], collapsed_slice_dims = [0, 2], operand_batching_dims = [1], start_indices_batching_dims = "
         "[0], start_index_map = [0, 2], index_vector_dim = 2", "1, 1, 1", (tensor((4, 2, 2), "f32"), "tensor<2x1x2xi64>"),
         tensor((2, 1), "f32"), "x, -, y", {"x": 2, "y": 2}, '{"x", "y"}', 2)
    scatter = ('    %a = "stablehlo.scatter"(%0, %1, %2) ({\n    ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n      %s = stablehlo.add '
               "%p, %q : tensor<f32>\n      stablehlo.return %s : tensor<f32>\n    }) {scatter_dimension_numbers = #stablehlo.scatter<"
               "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>EXTRA} "
               ": (tensor<4x2xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<4x2xf32>")
    add("scatter_of_cut_updates", {"x": 2}, [(table, "-, -"), ("tensor<2x1xi64>", "x, -"), ("tensor<2x2xf32>", "x, -")],
        scatter.replace("EXTRA", "") + f'\n    %r = sdy.all_reduce {{"x"}} %a out_sharding={spell("-, -")} : {table}',
        [("%r", table, None)], limits={1: 4})
    add("scatter_into_cut_rows", {"x": 2}, [(table, "x, -"), ("tensor<2x1xi64>", None), ("tensor<2x2xf32>", None)],
        scatter.replace("EXTRA", ", " + of_op("x, -")[1:-1]), [("%a", table, "x, -")], limits={1: 4})


def pads():
    def case(name, axes, shape, cut, low, high, inside=None, back="-", element="i32"):
        inside = inside or [0] * len(shape)
        size = [n + lo + hi + max(n - 1, 0) * gap for n, lo, hi, gap in zip(shape, low, high, inside)]
        kind, out = tensor(shape, element), tensor(size, element)
        back = ", ".join(back for _ in shape) if back == "-" else back
        add(f"pad_{name}", axes, [(kind, cut)], f"    %z = stablehlo.constant dense<9> : tensor<i32>\n    %a = stablehlo.pad %0, %z, "
            f"low = {low}, high = {high}, interior = {inside} {of_op(cut)} : ({kind}, tensor<i32>) -> {out}\n"
            f"    %r = sdy.reshard %a {spell(back)} : {out}", [("%r", out, back)])

    x, ab, long = {"x": 2}, {"a": 2, "b": 2}, {"a": 4, "b": 2}
    case("of_what_is_whole", x, (4, 3), "x, -", [0, 1], [0, 2], back="x, -")
    case("even_inside", x, (4,), "x", [1], [0], [1], "x")
    case("uneven_inside", x, (2,), "x", [2], [2], [2], "x")
    case("inside_of_four", {"a": 4}, (4,), "a", [1], [0], [1])
    case("far_before", ab, (4, 6), "a, -", [12, 0], [0, 0])
    case("far_behind", ab, (4, 6), "a, -", [0, 0], [11, 0])
    case("left", x, (4,), "x", [-2], [6])
    case("left_and_around", x, (4, 2), "x, -", [-2, 1], [6, 1])
    case("both_ways", ab, (4, 4, 2), "a, b, -", [-1, 2, 1], [4, 0, 1])
    case("right_by_many", long, (4, 6), "a, b", [9, 0], [0, 0])
    case("left_by_many", long, (8, 6), "a, b", [-4, 0], [0, 0])
    case("right", x, (4,), "x", [3], [1])
    case("right_by_one", {"a": 2}, (6,), "a", [2], [2])
    case("left_by_one", long, (16, 6), "a, b", [-1, 0], [0, 0])
    case("cut_and_pad", ab, (8, 6, 3), "a, b, -", [3, 0, -1], [0, 0, 2])
    case("cut_behind", x, (8, 6), "-, x", [0, 0], [-2, 1])
    case("cut_before", x, (8, 3), "x, -", [4, -1], [0, 0])
    kind, mid, out = tensor((8, 2)), tensor((7, 2)), tensor((10, 2))
    add("pad_of_uneven", {"x": 4}, [(kind, "x, -")], f"    %z = stablehlo.constant dense<3> : tensor<i32>\n    %a = stablehlo.slice %0 "
        f"[0:7, 0:2] {of_op('x, -')} : ({kind}) -> {mid}\n    %r = stablehlo.pad %a, %z, low = [1, 0], high = [2, 0], interior = "
        f"[0, 0] {of_op('x, -')} : ({mid}, tensor<i32>) -> {out}", [("%r", out, "-, -")])


def slices():
    def case(name, axes, shape, cut, ranges, gather=False):
        size = [hi - lo for lo, hi in ranges]
        kind, out, back = tensor(shape), tensor(size), ", ".join("-" for _ in shape)
        spelt = ", ".join(f"{lo}:{hi}" for lo, hi in ranges)
        groups = ", ".join("{" + ", ".join(f'"{a}"' for a in dim.strip(" -")) + "}" for dim in cut.split(","))
        move = f"sdy.all_gather [{groups}] %a out_sharding=" if gather else "sdy.reshard %a "
        add(f"slice_{name}", axes, [(kind, cut)], f"    %a = stablehlo.slice %0 [{spelt}] {of_op(cut)} : ({kind}) -> {out}\n"
            f"    %r = {move}{spell(back)} : {out}", [("%r", out, back)])

    case("of_what_is_whole", {"x": 2}, (4, 6), "x, -", [(0, 4), (0, 2)])
    case("across", {"x": 2}, (8, 3), "x, -", [(1, 5), (0, 3)])
    case("to_uneven", {"x": 4}, (4, 2), "x, -", [(0, 3), (0, 2)])
    case("to_one_rank", {"x": 2}, (8,), "x", [(0, 3)], True)
    case("beside_other_axis", {"a": 2, "b": 2}, (8,), "b", [(0, 3)], True)
    case("of_cut_rows", {"x": 2}, (4, 6), "x, -", [(0, 4), (3, 6)])


def reshapes():
    def case(name, axes, shape, cut, keep, sizes, to, ids=None):
        kind, mid, out = tensor(shape), tensor(keep), tensor(sizes)
        spelt = ", ".join(f"0:{n}" for n in keep)
        back = ", ".join("-" for _ in sizes)
        add(f"reshape_{name}", axes, [(kind, cut)], f"    %a = stablehlo.slice %0 [{spelt}] {of_op(cut)} : ({kind}) -> {mid}\n"
            f"    %b = stablehlo.reshape %a {of_op(to)} : ({mid}) -> {out}\n    %r = sdy.reshard %b {spell(back)} : {out}",
            [("%r", out, back)], ids=ids)

    bc = {"b": 2, "c": 2}
    case("to_two", bc, (8,), "bc", (6,), (2, 3), "b, c")
    case("to_two_ids", bc, (8,), "bc", (6,), (2, 3), "b, c", [3, 2, 1, 0])
    case("to_two_with_gaps", {"b": 2, "c": 3}, (18,), "bc", (14,), (2, 7), "b, c")
    case("of_two_to_four", {"a": 4, "b": 4}, (8, 16), "a, b", (6, 14), (2, 3, 2, 7), "a1/2, a2/2, b1/2, b2/2")
    case("beside", {"x": 2, "b": 2, "c": 2}, (4, 8), "x, bc", (3, 6), (3, 2, 3), "x, b, c")
    case("of_another_axis", {"a": 2, "b": 2}, (6, 4), "a, b", (5, 4), (1, 5, 4), "a, -, b")
    case("to_another_dim", {"a": 4}, (24,), "a", (18,), (3, 6), "-, a")


for group in (orders, moves, manual, ops, convolutions, lookups, pads, slices, reshapes):
    group()
