# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random whole programs as text with random requests for shardings, and what numpy makes of them: for the tests of shardings."""
import math

import numpy
from rank_programs import Mesh, tensor

ROWS = (1, 2, 3, 4, 6, 7, 8, 12)
FREE = "?"  # in shapes: the named dimension "n"


def static(shape, size):
    return [size if extent == FREE else extent for extent in shape]


class Value:
    """`function`: its elements, of the arguments by number, what loops carry by depth, and a memo."""

    def __init__(self, name, shape, function):
        self.name, self.shape, self.function = name, list(shape), function

    def compute(self, inputs):
        memo = inputs["memo"]
        if self.name not in memo:
            memo[self.name] = self.function(inputs)
        return memo[self.name]

    @property
    def type(self):
        return tensor(self.shape, "f32")


class WholeProgram:
    """A function of a few arguments. `size`: what the free dimension is in the call. `requests`: how often a value has one."""

    MOST = 24  # positions of a dimension behind a join

    def __init__(self, random, mesh, requests=0.4, ops=10):
        self.random, self.mesh, self.requests = random, mesh, requests
        self.lines, self.indent, self.count = [], "  ", 0
        self.size = int(random.choice(ROWS))
        self.inputs = []
        self.arguments = self.make_arguments()
        self.head = list(self.arguments)
        self.inputs.append(numpy.array(random.integers(2), numpy.bool_))  # %flag, which branches ask
        self.index = None
        self.values = [self.request(value) for value in self.arguments]
        self.begin()
        for _ in range(ops):
            self.step()
        last = self.values[-3:]
        self.results = [self.request(value) for value in last]
        if all(result is value for result, value in zip(self.results, last)):  # a program without any is each rank's own
            self.results[-1] = self.shard(last[-1])

    def make_arguments(self):
        return [self.argument([FREE, int(self.pick(ROWS))]) if self.random.random() < 0.4 else self.argument(self.shape()) for _ in range(3)]

    def begin(self):
        """What stands in front of the random ops."""

    # Text.

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def shape(self):
        return [int(self.pick(ROWS)) for _ in range(self.pick([1, 2, 2, 2, 3]))]

    def argument(self, shape):
        shape = list(shape)
        self.inputs.append(self.random.integers(-4, 5, static(shape, self.size)).astype(numpy.float32) / 4)
        place = len(self.inputs) - 1
        return Value(f"%a{place}", shape, lambda inputs, place=place: inputs[place].astype(numpy.float64))

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append(self.indent + text)

    def emit(self, text):
        name = self.name()
        self.line(f"{name} = {text}")
        return name

    def free(self):
        """The index value of the free dimension."""
        if self.index is None:
            holder = next(value for value in self.head if FREE in value.shape)
            self.index = "%n"
            self.lines.insert(0, f"  %n = tensor.dim {holder.name}, %c0 : {holder.type}")
        return self.index

    def empty(self, shape):
        dims = ", ".join(self.free() for extent in shape if extent == FREE)
        return self.emit(f"tensor.empty({dims}) : {tensor(shape, 'f32')}")

    def filled(self, shape, value):
        empty, kind = self.empty(shape), tensor(shape, "f32")
        return self.emit(f"linalg.fill ins(%{value} : f32) outs({empty} : {kind}) -> {kind}")

    def generic(self, operands, maps, shape, body, iterators=None, init=None):
        """`maps`: for each operand the loops that its dimensions walk; the result's is `shape`'s with `init`'s map last."""
        out = init or self.empty(shape)
        loops = ", ".join(f"d{i}" for i in range(len(iterators or shape)))
        spelled = ", ".join(f"affine_map<({loops}) -> ({', '.join(f'd{i}' for i in walked)})>" for walked in maps)
        kinds = ", ".join(f'"{kind}"' for kind in iterators or ["parallel"] * len(shape))
        block = ", ".join([f"%x{i}: f32" for i in range(len(operands))] + ["%o: f32"])
        return self.emit(f"linalg.generic {{indexing_maps = [{spelled}], iterator_types = [{kinds}]}} "
                         f"ins({', '.join(v.name for v in operands)} : {', '.join(v.type for v in operands)}) "
                         f"outs({out} : {tensor(shape, 'f32')}) {{ ^bb0({block}): {body} }} -> {tensor(shape, 'f32')}")

    # Requests.

    def sharding(self, rank):
        axes = [[] for _ in range(rank)]
        for axis in self.random.permutation(list(self.mesh.sizes)):
            dim = int(self.random.integers(rank + 1))
            if dim < rank:
                axes[dim].append(f'"{axis}"')
        dims = [f"[{', '.join(names)}]" if names or self.random.random() < 0.6 else "?" for names in axes]
        return f"<@{self.mesh.name}, [{', '.join(dims)}]>"

    def request(self, value):
        return value if self.random.random() >= self.requests else self.shard(value)

    def shard(self, value):
        return Value(self.emit(f"flow.shard {value.name} as {self.sharding(len(value.shape))} : {value.type}"), value.shape, value.function)

    # Ops.

    def choose(self, fits=lambda value: True):
        fitting = [value for value in self.values if fits(value)]
        return self.pick(fitting) if fitting else None

    def add(self, name, shape, compute):
        self.values.append(self.request(Value(name, shape, compute)))

    def kinds(self):
        kinds = [self.unary, self.binary, self.broadcast, self.product, self.product, self.reduce, self.softmax, self.norm, self.transpose,
                 self.reshape, self.slice, self.position, self.concat, self.free_join, self.pad]
        if self.indent == "  ":
            kinds += [self.loop, self.branch]
        return kinds

    def step(self):
        self.pick(self.kinds())()

    def unary(self):
        x = self.choose()
        name, body, compute = self.pick([("tanh", "math.tanh %x0 : f32", numpy.tanh), ("abs", "math.absf %x0 : f32", numpy.abs),
                                         ("neg", "arith.negf %x0 : f32", numpy.negative)])
        walked = list(range(len(x.shape)))
        made = self.generic([x], [walked, walked], x.shape, f"%r = {body} linalg.yield %r : f32")
        self.add(made, x.shape, lambda inputs: compute(x.compute(inputs)))

    def binary(self):
        x = self.choose()
        y = self.choose(lambda value: value.shape == x.shape)
        op, compute = self.pick([("addf", numpy.add), ("subf", numpy.subtract), ("maximumf", numpy.maximum)])
        walked = list(range(len(x.shape)))
        made = self.generic([x, y], [walked] * 3, x.shape, f"%r = arith.{op} %x0, %x1 : f32 linalg.yield %r : f32")
        self.add(made, x.shape, lambda inputs: compute(x.compute(inputs), y.compute(inputs)))

    def broadcast(self):
        """A smaller tensor to the last dimensions of a larger one."""
        x = self.choose(lambda value: len(value.shape) > 1)
        y = x and self.choose(lambda value: len(value.shape) < len(x.shape) and value.shape == x.shape[-len(value.shape):])
        if not y:
            return self.unary()
        walked = list(range(len(x.shape)))
        made = self.generic([x, y], [walked, walked[-len(y.shape):], walked], x.shape, "%r = arith.addf %x0, %x1 : f32 linalg.yield %r : f32")
        self.add(made, x.shape, lambda inputs: x.compute(inputs) + y.compute(inputs))

    def product(self):
        """A matrix product, with an initial value of zeros or another tensor; of two tensors that are at hand or with a transposed one."""
        x = self.choose(lambda value: len(value.shape) == 2)
        if not x:
            return self.reshape()
        y = self.choose(lambda value: len(value.shape) == 2 and value.shape[0] == x.shape[1])
        transposed = y is None
        if transposed:
            y = self.choose(lambda value: len(value.shape) == 2 and value.shape[1] == x.shape[1])
        shape = [x.shape[0], y.shape[0 if transposed else 1]]
        bias = self.choose(lambda value: value.shape == shape) if self.random.random() < 0.4 else None
        init = bias.name if bias else self.filled(shape, "zero")
        maps = [[0, 2], [1, 2] if transposed else [2, 1], [0, 1]]
        made = self.generic([x, y], maps, shape, "%p = arith.mulf %x0, %x1 : f32 %r = arith.addf %o, %p : f32 linalg.yield %r : f32",
                            ["parallel", "parallel", "reduction"], init)

        def compute(inputs):
            a, b = x.compute(inputs), y.compute(inputs)
            return a @ (b.T if transposed else b) + (bias.compute(inputs) if bias else 0)
        self.squash(made, shape, compute)

    def squash(self, name, shape, compute):
        """Keeps what grows within [-1, 1]."""
        x = Value(name, shape, compute)
        walked = list(range(len(shape)))
        if self.random.random() < 0.3:
            x = self.request(x)
        made = self.generic([x], [walked, walked], shape, "%r = math.tanh %x0 : f32 linalg.yield %r : f32")
        self.add(made, shape, lambda inputs: numpy.tanh(compute(inputs)))

    def reduce(self):
        x = self.choose(lambda value: len(value.shape) > 1)
        if not x:
            return self.unary()
        dim = int(self.random.integers(len(x.shape)))
        shape = [extent for i, extent in enumerate(x.shape) if i != dim]
        op, start, compute = self.pick([("addf", "zero", numpy.sum), ("maximumf", "low", numpy.max), ("minimumf", "high", numpy.min)])
        walked = list(range(len(x.shape)))
        kinds = ["reduction" if i == dim else "parallel" for i in walked]
        made = self.generic([x], [walked, [i for i in walked if i != dim]], shape,
                            f"%r = arith.{op} %o, %x0 : f32 linalg.yield %r : f32", kinds, self.filled(shape, start))
        self.squash(made, shape, lambda inputs: compute(x.compute(inputs), axis=dim))

    def softmax(self):
        x = self.choose()
        dim = int(self.random.integers(len(x.shape)))
        made = self.emit(f"linalg.softmax dimension({dim}) ins({x.name} : {x.type}) outs({self.empty(x.shape)} : {x.type}) -> {x.type}")

        def compute(inputs):
            a = numpy.exp(x.compute(inputs) - x.compute(inputs).max(axis=dim, keepdims=True))
            return a / a.sum(axis=dim, keepdims=True)
        self.add(made, x.shape, compute)

    def norm(self):
        """Each row without its mean."""
        x = self.choose(lambda value: len(value.shape) > 1 and value.shape[-1] != FREE)
        if not x:
            return self.unary()
        walked, length = list(range(len(x.shape))), x.shape[-1]
        total = self.generic([x], [walked, walked[:-1]], x.shape[:-1], "%r = arith.addf %o, %x0 : f32 linalg.yield %r : f32",
                             ["parallel"] * len(walked[:-1]) + ["reduction"], self.filled(x.shape[:-1], "zero"))
        sums = self.request(Value(total, x.shape[:-1], None))
        made = self.generic([x, sums], [walked, walked[:-1], walked], x.shape,
                            f"%c = arith.constant {float(length):e} : f32 %m = arith.divf %x1, %c : f32 %r = arith.subf %x0, %m : f32 linalg.yield %r : f32")
        self.add(made, x.shape, lambda inputs: x.compute(inputs) - x.compute(inputs).mean(axis=-1, keepdims=True))

    def transpose(self):
        x = self.choose(lambda value: len(value.shape) > 1)
        if not x:
            return self.unary()
        order = [int(i) for i in self.random.permutation(len(x.shape))]
        shape = [x.shape[i] for i in order]
        made = self.emit(f"linalg.transpose ins({x.name} : {x.type}) outs({self.empty(shape)} : {tensor(shape, 'f32')}) permutation = {order}")
        self.add(made, shape, lambda inputs: x.compute(inputs).transpose(order))

    def reshape(self):
        """Joins two dimensions, or splits one."""
        x = self.choose(lambda value: FREE not in value.shape)
        if not x:
            return self.unary()
        rank = len(x.shape)
        if rank > 1 and self.random.random() < 0.5:
            at = int(self.random.integers(rank - 1))
            shape = x.shape[:at] + [x.shape[at] * x.shape[at + 1]] + x.shape[at + 2:]
            groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i] for i in range(at + 2, rank)]
            made = self.emit(f"tensor.collapse_shape {x.name} {groups} : {x.type} into {tensor(shape, 'f32')}")
        else:
            at = int(self.random.integers(rank))
            factor = self.pick([f for f in range(1, x.shape[at] + 1) if x.shape[at] % f == 0])
            shape = x.shape[:at] + [factor, x.shape[at] // factor] + x.shape[at + 1:]
            if len(shape) > 4:
                return self.unary()
            groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i + 1] for i in range(at + 1, rank)]
            made = self.emit(f"tensor.expand_shape {x.name} {groups} output_shape {shape} : {x.type} into {tensor(shape, 'f32')}")
        self.add(made, shape, lambda inputs: x.compute(inputs).reshape(static(shape, self.size)))

    def slice(self):
        x = self.choose(lambda value: any(extent not in (FREE, 1) for extent in value.shape))
        if not x:
            return self.unary()
        dim = self.pick([i for i, extent in enumerate(x.shape) if extent not in (FREE, 1)])
        begin = int(self.random.integers(x.shape[dim]))
        shape = list(x.shape)
        stride = int(self.pick([1, 1, 2, 3]))
        shape[dim] = int(self.random.integers(1, -(-(x.shape[dim] - begin) // stride) + 1))
        offsets = ", ".join(str(begin if i == dim else 0) for i in range(len(shape)))
        sizes = ", ".join(self.free() if extent == FREE else str(extent) for extent in shape)
        strides = ", ".join(str(stride if i == dim else 1) for i in range(len(shape)))
        made = self.emit(f"tensor.extract_slice {x.name}[{offsets}] [{sizes}] [{strides}] : {x.type} to {tensor(shape, 'f32')}")
        self.add(made, shape, lambda inputs: x.compute(inputs).take(range(begin, begin + shape[dim] * stride, stride), axis=dim))

    def position(self):
        """One position of a dimension, which the result has not, or has alone."""
        x = self.choose(lambda value: len(value.shape) > 1 and any(extent not in (FREE, 1) for extent in value.shape))
        if not x:
            return self.unary()
        dim = self.pick([i for i, extent in enumerate(x.shape) if extent not in (FREE, 1)])
        at, stays = int(self.random.integers(x.shape[dim])), bool(self.random.random() < 0.3)
        taken = [1 if i == dim else extent for i, extent in enumerate(x.shape)]
        shape = taken if stays else [extent for i, extent in enumerate(x.shape) if i != dim]
        offsets = ", ".join(str(at if i == dim else 0) for i in range(len(taken)))
        sizes = ", ".join(self.free() if extent == FREE else str(extent) for extent in taken)
        made = self.emit(f"tensor.extract_slice {x.name}[{offsets}] [{sizes}] [{', '.join('1' for _ in taken)}] : {x.type} to {tensor(shape, 'f32')}")
        self.add(made, shape, lambda inputs: x.compute(inputs).take([at] if stays else at, axis=dim))

    def free_join(self):
        """Three times a value along its free dimension, and as many positions as it has of that."""
        x = self.choose(lambda value: FREE in value.shape)
        if not x:
            return self.unary()
        dim, begin = x.shape.index(FREE), int(self.random.integers(3))
        joined = self.emit(f"tensor.concat dim({dim}) {x.name}, {x.name}, {x.name} : ({x.type}, {x.type}, {x.type}) -> {x.type}")
        offsets = ", ".join(str(begin if i == dim else 0) for i in range(len(x.shape)))
        sizes = ", ".join(self.free() if extent == FREE else str(extent) for extent in x.shape)
        made = self.emit(f"tensor.extract_slice {joined}[{offsets}] [{sizes}] [{', '.join('1' for _ in x.shape)}] : {x.type} to {x.type}")
        self.add(made, x.shape, lambda inputs: numpy.concatenate([x.compute(inputs)] * 3, axis=dim).take(range(begin, begin + self.size), axis=dim))

    def concat(self):
        x = self.choose(lambda value: any(extent != FREE for extent in value.shape))
        if not x:
            return self.unary()
        dim = self.pick([i for i, extent in enumerate(x.shape) if extent != FREE])
        y = self.choose(lambda value: len(value.shape) == len(x.shape) and value.shape[dim] != FREE
                        and all(a == b for i, (a, b) in enumerate(zip(value.shape, x.shape)) if i != dim))
        shape = list(x.shape)
        shape[dim] += y.shape[dim]
        if shape[dim] > self.MOST:
            return self.unary()
        made = self.emit(f"tensor.concat dim({dim}) {x.name}, {y.name} : ({x.type}, {y.type}) -> {tensor(shape, 'f32')}")
        self.add(made, shape, lambda inputs: numpy.concatenate([x.compute(inputs), y.compute(inputs)], axis=dim))

    def pad(self):
        x = self.choose(lambda value: any(extent != FREE for extent in value.shape))
        if not x:
            return self.unary()
        dim = self.pick([i for i, extent in enumerate(x.shape) if extent != FREE])
        low, high = int(self.random.integers(3)), int(self.random.integers(3))
        shape = list(x.shape)
        shape[dim] += low + high
        block = ", ".join(f"%i{i}: index" for i in range(len(shape)))
        spell = lambda amount: ", ".join(str(amount if i == dim else 0) for i in range(len(shape)))  # noqa: E731
        made = self.emit(f"tensor.pad {x.name} low[{spell(low)}] high[{spell(high)}] {{ ^bb0({block}): tensor.yield %one : f32 }} : "
                         f"{x.type} to {tensor(shape, 'f32')}")
        widths = [(low, high) if i == dim else (0, 0) for i in range(len(shape))]
        self.add(made, shape, lambda inputs: numpy.pad(x.compute(inputs), widths, constant_values=1.0))

    # Control flow: the body is a few steps on what is carried and what stands outside.

    def body(self, carried):
        outside, self.values = self.values, self.values + [carried]
        self.indent += "  "
        first = len(self.values)
        for _ in range(3):
            self.step()
        last = next((value for value in reversed(self.values[first:]) if value.shape == carried.shape), carried)
        x = self.request(last)
        self.values = outside
        return x

    def loop(self):
        x = self.choose()
        trips = int(self.random.integers(4))
        name, carried = self.name(), Value(self.name(), x.shape, None)
        limit = self.emit(f"arith.constant {trips} : index")
        self.line(f"{name} = scf.for %i{self.count} = %c0 to {limit} step %c1 iter_args({carried.name} = {x.name}) -> ({x.type}) {{")
        depth = f"loop {self.count}"
        carried.function = lambda inputs, depth=depth: inputs[depth]
        yielded = self.body(carried)
        self.line(f"  scf.yield {yielded.name} : {x.type}")
        self.indent = self.indent[2:]
        self.line("}")

        def compute(inputs):
            now = x.compute(inputs)
            for _ in range(trips):
                now = yielded.compute({**inputs, depth: now, "memo": {}})
            return now
        self.add(name, x.shape, compute)

    def branch(self):
        x = self.choose()
        y = self.choose(lambda value: value.shape == x.shape)
        name = self.name()
        taken = self.emit("tensor.extract %flag[] : tensor<i1>")
        self.line(f"{name} = scf.if {taken} -> ({x.type}) {{")
        yes = self.body(x)
        self.line(f"  scf.yield {yes.name} : {x.type}")
        self.indent = self.indent[2:]
        self.line("} else {")
        no = self.body(y)
        self.line(f"  scf.yield {no.name} : {x.type}")
        self.indent = self.indent[2:]
        self.line("}")
        flag = self.inputs[len(self.arguments)]
        self.add(name, x.shape, lambda inputs: (yes if flag else no).compute(inputs))

    # The whole.

    def text(self):
        def dims(value):
            names = ", ".join('"n"' if extent == FREE else '""' for extent in value.shape)
            return f" {{heddle.dims = [{names}]}}" if FREE in value.shape else ""
        arguments = ", ".join(f"{value.name}: {value.type}{dims(value)}" for value in self.arguments)
        types = ", ".join(value.type for value in self.results)
        lines = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", "%zero = arith.constant 0.0 : f32",
                 "%one = arith.constant 1.0 : f32", "%low = arith.constant -1.0e30 : f32", "%high = arith.constant 1.0e30 : f32"]
        body = "".join(f"  {line}\n" for line in lines) + "".join(line + "\n" for line in self.lines)
        return (f"{self.mesh.text()}func.func @main({arguments}, %flag: tensor<i1>) -> ({types}) {{\n{body}"
                f"  return {', '.join(value.name for value in self.results)} : {types}\n}}\n")

    def expected(self):
        inputs = {**dict(enumerate(self.inputs)), "memo": {}}
        return [numpy.asarray(value.compute(inputs)) for value in self.results]


class BehindProduct(WholeProgram):
    """Slices with steps, pads, joins and the like behind a product that is cut over its sum, large enough to be moved in pieces and
    computed in parts of the sum."""

    MOST = 400

    def __init__(self, random):
        super().__init__(random, Mesh(x=int(random.choice([2, 3, 3, 3, 4, 5]))), requests=0.2, ops=int(random.integers(1, 5)))

    def make_arguments(self):
        rows, depth, columns = (int(self.pick(sizes)) for sizes in ((32, 65, 96, 128), (64, 128, 130, 256), (32, 40, 64, 65)))
        return [self.argument([rows, depth]), self.argument([depth, columns])]

    def begin(self):
        x, y = self.arguments
        y = Value(self.emit(f'flow.shard {y.name} as <@m, [["x"], []]> : {y.type}'), y.shape, y.function)
        shape = [x.shape[0], y.shape[1]]
        init = self.filled(shape, "zero")
        made = self.emit(f"linalg.matmul ins({x.name}, {y.name} : {x.type}, {y.type}) outs({init} : {tensor(shape, 'f32')}) -> {tensor(shape, 'f32')}")
        self.values = [Value(made, shape, lambda inputs: x.compute(inputs) @ y.compute(inputs))]

    def kinds(self):
        return [self.slice, self.slice, self.pad, self.concat, self.concat, self.unary, self.transpose]


def random_mesh(random):
    """Up to 8 ranks on one to three axes, some of which have a free size."""
    sizes = [(2,), (3,), (4,), (5,), (7,), (8,), (2, 2), (2, 3), (3, 2), (4, 2), (2, 4), (1, 3), (2, 2, 2), (6, 1)]
    chosen = sizes[int(random.integers(len(sizes)))]
    names = "xyz"[:len(chosen)]
    free = [name for name in names if random.random() < 0.3]
    mesh = Mesh(free=free, **dict(zip(names, chosen)))
    assert mesh.ranks == math.prod(chosen)
    return mesh
