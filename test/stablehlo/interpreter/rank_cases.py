# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of programs that run on several processes: collectives, and the questions which process this is.

By the behaviour of StableHLO's interpreter tests of collectives, and of IREE's end-to-end tests of them, with values of
our own. A case is one body that all processes run, with inputs and wanted results for each: process (r, p) is number
r * partitions + p. What is wanted comes from NumPy and the specification's rules of who belongs together.
"""
import dataclasses
import re

import numpy

from cases import type_of


@dataclasses.dataclass
class RankCase:
    op: str
    name: str
    replicas: int
    partitions: int
    body: str  # makes %r, or %r0, %r1, … where there are several results
    inputs: list  # by process: the arrays %x0, %x1, …
    wanted: list  # by process: arrays
    mesh: str = ""  # an sdy.mesh whose axes the body names

    def text(self):
        arguments = ", ".join(f"%x{n}: {type_of(array)}" for n, array in enumerate(self.inputs[0]))
        types = [type_of(array) for array in self.wanted[0]]
        names = ["%r"] if len(types) == 1 else [f"%r{n}" for n in range(len(types))]
        return (f"module attributes {{mhlo.num_replicas = {self.replicas} : i32, "
                f"mhlo.num_partitions = {self.partitions} : i32}} {{\n{self.mesh}\n"
                f"func.func @main({arguments}) -> ({', '.join(types)}) {{\n{self.body}\n"
                f"return {', '.join(names)} : {', '.join(types)}\n}}\n}}\n")


CASES = []
FLAT, REPLICA, PARTITION, BOTH = "flattened_ids", "cross_replica", "cross_partition", "cross_replica_and_partition"


def process_groups(kind, groups, replicas, partitions):
    """The specification's four strategies: lists of process numbers."""
    number = lambda r, p: r * partitions + p
    groups = [[i for i in group if i >= 0] for group in groups]
    if kind == FLAT:
        return groups
    if kind == REPLICA:
        return [[number(r, p) for r in group] for group in groups for p in range(partitions)]
    if kind == PARTITION:
        return [[number(r, p) for p in group] for group in groups for r in range(replicas)]
    return [[number(r, p) for p in range(partitions) for r in group] for group in groups]


def attributes(kind, groups, more=(), name="replica_groups"):
    lists = ", ".join("[" + ", ".join(map(str, group)) + "]" for group in groups)
    text = [f"{name} = dense<[{lists}]> : tensor<{len(groups)}x{len(groups[0])}xi64>", *more]
    if kind != REPLICA:
        text.append("channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>")
    if kind == FLAT:
        text.append("use_global_device_ids")
    return "{" + ", ".join(text) + "}"


def region(combiner, element="i64"):
    kind = f"tensor<{element}>"
    return (f"({{\n^bb0(%a: {kind}, %b: {kind}):\n{combiner.format(kind=kind)}\n"
            f"stablehlo.return %c : {kind}\n}}) ")


ADD = "%c = stablehlo.add %a, %b : {kind}"


def values(processes, *shapes, dtype=numpy.int64, seed=5):
    generator = numpy.random.default_rng(seed + processes)
    make = lambda shape: generator.integers(1, 60, shape).astype(dtype)
    return [[make(shape) for shape in shapes] for _ in range(processes)]


def add(op, name, grid, kind, groups, more, inputs, result_of, regions="", pairs=False):
    """`result_of(group, position, number, inputs of the group)` gives the results of a member of a group."""
    replicas, partitions = grid
    wanted = [None] * (replicas * partitions)
    for group in process_groups(kind, groups, *grid):
        for position, process in enumerate(group):
            made = result_of([inputs[member] for member in group], position)
            if made is not None:
                wanted[process] = made
    shape_of = next(result for result in wanted if result is not None)
    wanted = [result if result is not None else [numpy.zeros_like(array) for array in shape_of] for result in wanted]
    operands = ", ".join(f"%x{n}" for n in range(len(inputs[0])))
    results = "%r" if len(shape_of) == 1 else ", ".join(f"%r{n}" for n in range(len(shape_of)))
    types = lambda arrays: "(" + ", ".join(type_of(array) for array in arrays) + ")"
    text = attributes(kind, groups, more, "source_target_pairs" if pairs else "replica_groups")
    body = (f'{results} = "stablehlo.{op}"({operands}) {regions}{text} : '
            f"{types(inputs[0])} -> {types(shape_of)}")
    CASES.append(RankCase(op, name, replicas, partitions, body, inputs, wanted))


def add_gathers():
    def joined(dim):
        return lambda group, _: [numpy.concatenate(parts, dim) for parts in zip(*group)]

    more = ["all_gather_dim = 1 : i64"]
    add("all_gather", "replicas", (2, 1), REPLICA, [[0, 1]], more, values(2, (2, 2)), joined(1))
    add("all_gather", "replicas and partitions", (2, 1), BOTH, [[0, 1]], more, values(2, (2, 2)), joined(1))
    add("all_gather", "all of a grid", (2, 2), BOTH, [[0, 1]], more, values(4, (2, 2)), joined(1))
    add("all_gather", "flattened", (2, 1), FLAT, [[0, 1]], more, values(2, (2, 2)), joined(1))
    add("all_gather", "two operands", (2, 1), REPLICA, [[0, 1]], more, values(2, (2, 2), (3, 1)), joined(1))
    add("all_gather", "the other order", (3, 1), REPLICA, [[2, 0, 1]], ["all_gather_dim = 0 : i64"], values(3, (2, 3)), joined(0))
    add("all_gather", "pairs that no axis has", (1, 4), FLAT, [[0, 3], [2, 1]], more, values(4, (1, 3)), joined(1))
    for dtype in (numpy.int8, numpy.bool_, numpy.float16, numpy.uint32, numpy.float64):
        add("all_gather", dtype.__name__, (2, 2), FLAT, [[0, 2], [1, 3]], more, values(4, (3, 1, 2), dtype=dtype), joined(1))


def add_reductions():
    def combined(function):
        def result(group, _):
            return [function(parts) for parts in zip(*group)]
        return result

    total = combined(sum)
    add("all_reduce", "replicas", (2, 1), REPLICA, [[0, 1]], (), values(2, (4,)), total, region(ADD))
    add("all_reduce", "replicas and partitions", (2, 1), BOTH, [[0, 1]], (), values(2, (4,)), total, region(ADD))
    add("all_reduce", "flattened", (2, 1), FLAT, [[0, 1]], (), values(2, (4,)), total, region(ADD))
    add("all_reduce", "ragged", (3, 1), REPLICA, [[0, 1], [2, -1]], (), values(3, (4,)), total, region(ADD))
    add("all_reduce", "two operands", (2, 1), REPLICA, [[0, 1]], (), values(2, (4,), (5,)), total, region(ADD))
    add("all_reduce", "scalar", (2, 3), BOTH, [[0, 1]], (), values(6, ()), total, region(ADD))
    add("all_reduce", "one process", (1, 1), FLAT, [[0]], (), values(1, (4,), dtype=numpy.float32), total, region(ADD, "f32"))
    add("all_reduce", "two processes", (1, 2), FLAT, [[0, 1]], (), values(2, (4,), dtype=numpy.float32), total, region(ADD, "f32"))
    for name, groups in {"rows": [[0, 1], [2, 3]], "columns": [[0, 2], [1, 3]]}.items():
        add("all_reduce", name, (2, 2), FLAT, groups, (), values(4, (2,), dtype=numpy.float32), total, region(ADD, "f32"))
    kinds = {"maximum": numpy.maximum, "minimum": numpy.minimum, "multiply": numpy.multiply, "and": numpy.bitwise_and,
             "or": numpy.bitwise_or, "xor": numpy.bitwise_xor}
    for op, function in kinds.items():
        for element, dtype in {"i32": numpy.int32, "ui8": numpy.uint8}.items():
            add("all_reduce", f"{op} {element}", (4, 1), REPLICA, [[0, 1, 2, 3]], (),
                [[(array[0] * 4).astype(dtype)] for array in values(4, (5,), seed=len(op))],
                combined(lambda parts, function=function: function.reduce(parts, dtype=parts[0].dtype)),
                region(f"%c = stablehlo.{op} %a, %b : {{kind}}", element))
    flags = [[numpy.array([n & 1, n & 2, 0, 1, n == 3], bool)] for n in range(4)]
    for op, function in {"add": numpy.any, "multiply": numpy.all, "maximum": numpy.any, "minimum": numpy.all}.items():
        add("all_reduce", f"{op} i1", (4, 1), REPLICA, [[0, 1, 2, 3]], (), flags,
            combined(lambda parts, function=function: function(parts, axis=0)),
            region(f"%c = stablehlo.{op} %a, %b : {{kind}}", "i1"))
    own = "%d = stablehlo.subtract %a, %b : {kind}\n%c = stablehlo.abs %d : {kind}"  # no reduction with a name
    add("all_reduce", "a region of its own", (2, 1), REPLICA, [[0, 1]], (), values(2, (3, 2)),
        combined(lambda parts: numpy.abs(parts[0] - parts[1])), region(own))
    first = "%z = stablehlo.multiply %b, %b : {kind}\n%c = stablehlo.subtract %z, %z : {kind}\n%e = stablehlo.add %a, %c : {kind}"
    first = first.replace("%c = stablehlo.subtract", "%y = stablehlo.subtract").replace("%a, %c", "%a, %y").replace("%e =", "%c =")
    add("all_reduce", "the first of three", (1, 3), FLAT, [[1, 2, 0]], (), values(3, (4,)),
        combined(lambda parts: parts[0]), region(first))

    def scattered(dim):
        def result(group, position):
            return [numpy.split(sum(parts), len(group), dim)[position] for parts in zip(*group)]
        return result

    more = ["scatter_dimension = 1 : i64"]
    for kind in (REPLICA, BOTH, FLAT):
        add("reduce_scatter", kind, (2, 1), kind, [[0, 1]], more, values(2, (2, 4)), scattered(1), region(ADD))
    add("reduce_scatter", "the other order", (1, 4), FLAT, [[3, 1], [0, 2]], ["scatter_dimension = 0 : i64"], values(4, (4, 3)),
        scattered(0), region(ADD))
    add("reduce_scatter", "a region of its own", (1, 2), FLAT, [[1, 0]], more, values(2, (3, 4)),
        lambda group, position: [numpy.split(numpy.abs(group[0][0] - group[1][0]), 2, 1)[position]], region(own))
    add("collective_reduce", "replicas", (2, 1), REPLICA, [[0, 1]], (), values(2, (4,)),
        lambda group, position: [group[0][0] + group[1][0]] if position == 0 else None, region(ADD))


def add_exchanges():
    def exchanged(split, concat):
        def result(group, position):
            return [numpy.concatenate([numpy.split(part, len(group), split)[position] for part in parts], concat)
                    for parts in zip(*group)]
        return result

    more = lambda split, concat, count=2: [f"split_dimension = {split} : i64", f"concat_dimension = {concat} : i64",
                                           f"split_count = {count} : i64"]
    add("all_to_all", "replicas", (2, 1), REPLICA, [[0, 1]], more(1, 0), values(2, (2, 4)), exchanged(1, 0))
    add("all_to_all", "the other order", (2, 1), REPLICA, [[1, 0]], more(1, 0), values(2, (2, 4)), exchanged(1, 0))
    add("all_to_all", "partitions", (1, 2), PARTITION, [[0, 1]], more(1, 0), values(2, (2, 4)), exchanged(1, 0))
    add("all_to_all", "one dimension", (2, 1), REPLICA, [[0, 1]], more(0, 0), values(2, (2, 4)), exchanged(0, 0))
    add("all_to_all", "two operands", (2, 1), REPLICA, [[0, 1]], more(1, 0), values(2, (2, 4), (3, 4)), exchanged(1, 0))
    add("all_to_all", "one process", (1, 1), REPLICA, [[0]], more(0, 1, 1), values(1, (2, 2), dtype=numpy.float32),
        exchanged(0, 1))
    add("all_to_all", "rows of a grid", (2, 2), PARTITION, [[0, 1]], more(0, 1), values(4, (2, 1), dtype=numpy.float32),
        exchanged(0, 1))
    add("all_to_all", "columns of a grid", (2, 2), REPLICA, [[0, 1]], more(0, 2), values(4, (4, 1, 3)), exchanged(0, 2))
    add("all_to_all", "of four", (4, 1), REPLICA, [[2, 0, 3, 1]], more(2, 1, 4), values(4, (3, 2, 8)), exchanged(2, 1))


def add_sends():
    def root(group, _):
        return group[0]

    one = lambda count: values(count, (1, 2))
    for kind, grid, single in ((REPLICA, (4, 1), (1, 4)), (PARTITION, (1, 4), (4, 1))):
        word = kind.removeprefix("cross_")
        add("collective_broadcast", f"{word}s, some get nothing", grid, kind, [[2, 1]], (), one(4), root)
        add("collective_broadcast", f"{word}s, one gets nothing", grid, kind, [[2, 1, 0]], (), one(4), root)
        add("collective_broadcast", f"one {word}", single, kind, [[0]], (), one(4), root)
        add("collective_broadcast", f"{word}s of a grid", (2, 2), kind, [[1, 0]], (), one(4), root)
    add("collective_broadcast", "all", (3, 1), REPLICA, [[0, 1, 2]], (), values(3, (2, 3), dtype=numpy.float32), root)

    def from_root(roots):
        return lambda group, _: [group[at][n] for n, at in enumerate(roots)]

    for name, roots in {"a root that data tell": [1], "two roots that data tell": [0, 1]}.items():
        inputs = [[*arrays, numpy.array(roots, numpy.int32)] for arrays in values(2, *[(1, 2)] * len(roots))]
        add("collective_broadcast", name, (2, 1), REPLICA, [[0, 1]], ["has_dynamic_root"], inputs, from_root(roots))

    def moved(group, position):
        return group[0] if position == len(group) - 1 else None

    pairs = [[0, 1], [1, 2], [3, 3], [4, 4]]
    vectors = values(5, (2, 2))
    for kind, grid in ((REPLICA, (5, 1)), (PARTITION, (1, 5))):
        number = lambda pair: process_groups(kind, [pair], *grid)[0]
        wanted = [[numpy.zeros_like(vectors[0][0])] for _ in range(5)]
        for source, target in map(number, pairs):
            wanted[target] = vectors[source]
        text = attributes(kind, pairs, (), "source_target_pairs")
        body = f'%r = "stablehlo.collective_permute"(%x0) {text} : (tensor<2x2xi64>) -> tensor<2x2xi64>'
        CASES.append(RankCase("collective_permute", kind, *grid, body, vectors, wanted))


def add_meshes():
    """Axes in place of lists of ids, on meshes of one to four axes, some of one process."""
    axes = lambda *names: (f"#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = ["
                           + ", ".join(f'#stablehlo.axis_ref<name = "{name}">' for name in names) + "]>")
    meshes = {"1": "abcd", "2": "abcd", "1x2x1": "abcd", "2x2": "abcd", "1x2x1x2": "abcd"}
    for shape, names in meshes.items():
        sizes = [int(size) for size in shape.split("x")]
        mesh = "sdy.mesh @mesh = <[" + ", ".join(f'"{name}"={size}' for name, size in zip(names, sizes)) + "]>"
        count = int(numpy.prod(sizes))
        places = numpy.arange(count).reshape(sizes)
        inputs = values(count, (2, 2), dtype=numpy.float32)
        for axis, size in enumerate(sizes):
            if size == 1 and len(sizes) > 1:
                continue
            lines = numpy.moveaxis(places, axis, -1).reshape(-1, size).tolist()
            sums, parts = [None] * count, [None] * count
            for line in lines:
                for position, process in enumerate(line):
                    sums[process] = [sum(inputs[member][0] for member in line)]
                    parts[process] = [numpy.concatenate([numpy.split(inputs[member][0], size)[position] for member in line], 1)]
            reduce = (f'%r = "stablehlo.all_reduce"(%x0) {region(ADD, "f32")}{{replica_groups = {axes(names[axis])}}} : '
                      "(tensor<2x2xf32>) -> tensor<2x2xf32>")
            CASES.append(RankCase("all_reduce", f"axis {axis} of {shape}", 1, count, reduce, inputs, sums, mesh))
            exchange = (f'%r = "stablehlo.all_to_all"(%x0) {{split_dimension = 0 : i64, concat_dimension = 1 : i64, '
                        f"split_count = {size} : i64, replica_groups = {axes(names[axis])}}} : "
                        f"(tensor<2x2xf32>) -> {type_of(parts[0][0])}")
            CASES.append(RankCase("all_to_all", f"axis {axis} of {shape}", 1, count, exchange, inputs, parts, mesh))


def add_channels():
    """Processes that send and receive on a channel, one value after the other, and on two channels at once."""
    def channel(number):
        return (f"channel_handle = #stablehlo.channel_handle<handle = {number}, type = 1>, is_host_transfer = false, "
                "source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>")

    def body(first, second):
        send = lambda value, number: (f'%t{value} = "stablehlo.send"(%x{value}, %t) {{{channel(number)}}} : '
                                      "(tensor<2x2xi64>, !stablehlo.token) -> !stablehlo.token\n")
        receive = lambda value, number: (f'%r{value}, %u{value} = "stablehlo.recv"(%t) {{{channel(number)}}} : '
                                         "(!stablehlo.token) -> (tensor<2x2xi64>, !stablehlo.token)\n")
        return ("%t = stablehlo.create_token : !stablehlo.token\n" + send(0, first) + send(1, second) +
                receive(0, first) + receive(1, second))

    inputs = values(2, (2, 2), (2, 2))
    wanted = [[numpy.zeros_like(array) for array in inputs[0]], inputs[0]]
    for name, numbers in {"one channel": (1, 1), "two channels": (1, 2)}.items():
        CASES.append(RankCase("send", name, 1, 2, body(*numbers), inputs, wanted))


def add_ids():
    for op, grid in (("partition_id", (1, 2)), ("replica_id", (2, 1)), ("partition_id", (2, 3)), ("replica_id", (2, 3))):
        replicas, partitions = grid
        ids = [p if op == "partition_id" else r for r in range(replicas) for p in range(partitions)]
        body = f"%r = stablehlo.{op} : tensor<ui32>"
        CASES.append(RankCase(op, f"of {replicas} by {partitions}", *grid, body, [[] for _ in ids],
                              [[numpy.array(i, numpy.uint32)] for i in ids]))
    inputs = values(6, (3,))
    body = ("%i = stablehlo.partition_id : tensor<ui32>\n%j = stablehlo.replica_id : tensor<ui32>\n"
            "%ten = stablehlo.constant dense<10> : tensor<ui32>\n%k = stablehlo.multiply %j, %ten : tensor<ui32>\n"
            "%s = stablehlo.add %i, %k : tensor<ui32>\n%t = stablehlo.convert %s : (tensor<ui32>) -> tensor<i64>\n"
            "%u = stablehlo.broadcast_in_dim %t, dims = [] : (tensor<i64>) -> tensor<3xi64>\n"
            "%r = stablehlo.add %x0, %u : tensor<3xi64>")
    CASES.append(RankCase("partition_id", "in arithmetic", 2, 3, body, inputs,
                          [[inputs[r * 3 + p][0] + 10 * r + p] for r in range(2) for p in range(3)]))


def joined(cases):
    """One case of all those of one grid: one program with the inputs and results of each."""
    if len(cases) == 1:
        return cases[0]
    body, arguments, results = "", 0, 0
    for case in cases:
        number = len(body)  # makes names different

        def rename(match, arguments=arguments, results=results, number=number, case=case):
            name = match[1]
            if re.fullmatch(r"x\d+", name):
                return f"%x{arguments + int(name[1:])}"
            if re.fullmatch(r"r\d*", name):
                return f"%r{results + int(name[1:] or 0)}"
            return f"%v{number}_{name}"

        body += re.sub(r"%(\w+)", rename, case.body) + "\n"
        arguments, results = arguments + len(case.inputs[0]), results + len(case.wanted[0])
    ranks = range(len(cases[0].wanted))
    both = lambda part: [[array for case in cases for array in getattr(case, part)[rank]] for rank in ranks]
    return RankCase("all", "", cases[0].replicas, cases[0].partitions, body, both("inputs"), both("wanted"), cases[0].mesh)


def all_cases():
    if not CASES:
        for part in (add_gathers, add_reductions, add_exchanges, add_sends, add_meshes, add_channels, add_ids):
            part()
    return CASES
