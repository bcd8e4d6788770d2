# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of one operator whose work depends on data, for devices with many invocations.

    model, feed = make(numpy.random.default_rng(seed), size)

All results are exact, whatever the order of arithmetic: sums are of small whole numbers, products of powers of two.
"""
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

# Seconds of a Vulkan driver on processors stay bounded: operators that look at each element many times get fewer.
LARGEST = {"Unique": 10**6, "TopK": 10**6, "Sort": 10**6}


def whole(random, shape, most=50):
    return random.integers(-most, most + 1, shape).astype(numpy.float32)


def model_of(nodes, feed, results, free):
    """A model of these arguments and results; where `free`, sizes are but for how long an index is, and how many k are."""
    def port(name, value):
        shape = [f"{name}{d}" for d in range(value.ndim)] if free and name != "k" else list(value.shape)
        if name == "i" and value.ndim > 1:
            shape[-1] = value.shape[-1]
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), shape)

    ports = [helper.make_tensor_value_info(name, kind, None) for name, kind in results]
    graph = helper.make_graph(nodes, "g", [port(*item) for item in feed.items()], ports)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), feed


def factors(random, size, places):
    """Few factors other than 1 or -1, so that products stay in range."""
    values = numpy.where(random.random(size) < 0.5, -1, 1).astype(numpy.float32)
    rare = random.integers(0, size, min(size, 8 * places))
    values[rare] = random.choice([0.5, 2.0], len(rare)).astype(numpy.float32)
    return values


def updates_of(random, reduction, size, places):
    return factors(random, size, places) if reduction == "mul" else whole(random, size, 3)


def split(random, size):
    """Rows and columns of about `size` elements."""
    columns = int(random.choice([1, 3, 8, 33]))
    return max(1, size // columns), columns


def non_zero(random, size):
    x = whole(random, split(random, size) if random.random() < 0.5 else size, 1)
    return [helper.make_node("NonZero", ["x"], ["y"])], {"x": x}, [("y", TensorProto.INT64)]


def compress(random, size):
    rows, columns = split(random, size)
    feed = {"x": whole(random, (rows, columns)), "c": random.random(rows) < random.random()}
    return [helper.make_node("Compress", ["x", "c"], ["y"], axis=0)], feed, [("y", TensorProto.FLOAT)]


def unique(random, size):
    names = ["y", "first", "inverse", "counts"]
    x = whole(random, size, int(random.choice([2, 1000, size])))
    node = helper.make_node("Unique", ["x"], names, sorted=int(random.integers(2)))
    return [node], {"x": x}, [("y", TensorProto.FLOAT)] + [(name, TensorProto.INT64) for name in names[1:]]


def unique_rows(random, size):
    rows, columns = split(random, size)
    node = helper.make_node("Unique", ["x"], ["y", "first", "inverse", "counts"], axis=0)
    return [node], {"x": whole(random, (rows, columns), 1)}, [
        ("y", TensorProto.FLOAT), ("first", TensorProto.INT64), ("inverse", TensorProto.INT64), ("counts", TensorProto.INT64)]


def scatter_nd(random, size):
    places, columns = int(random.choice([7, 1000, max(1, size)])), int(random.choice([1, 3, 9]))
    count = max(1, size // columns)
    reduction = str(random.choice(["none", "add", "mul", "max", "min"]))
    feed = {"d": whole(random, (places, columns), 3), "i": random.integers(-places, places, (count, 1)),
            "u": updates_of(random, reduction, count * columns, places * columns).reshape(count, columns)}
    if reduction == "none":  # of several updates of one element the standard says nothing
        count = min(count, places)
        feed["i"], feed["u"] = random.permutation(places)[:count, None], feed["u"][:count]
    node = helper.make_node("ScatterND", ["d", "i", "u"], ["y"], reduction=reduction)
    return [node], feed, [("y", TensorProto.FLOAT)]


def scatter_elements(random, size):
    columns, axis = int(random.choice([1, 4])), 0
    count, places = max(1, size // columns), int(random.choice([5, 1000, max(1, size // columns)]))
    reduction = str(random.choice(["none", "add", "mul", "max", "min"]))
    indices = random.integers(-places, places, (count, columns))
    if reduction == "none":
        count = min(count, places)
        indices = numpy.stack([random.permutation(places)[:count] for _ in range(columns)], axis=1)
    feed = {"d": whole(random, (places, columns), 3), "i": indices,
            "u": updates_of(random, reduction, count * columns, places * columns).reshape(count, columns)}
    node = helper.make_node("ScatterElements", ["d", "i", "u"], ["y"], axis=axis, reduction=reduction)
    return [node], feed, [("y", TensorProto.FLOAT)]


def arg_best(random, size):
    rows = int(random.choice([1, 2, 5]))
    node = helper.make_node(str(random.choice(["ArgMax", "ArgMin"])), ["x"], ["y"], axis=1, keepdims=0,
                            select_last_index=int(random.integers(2)))
    return [node], {"x": whole(random, (rows, max(1, size // rows)), 1000)}, [("y", TensorProto.INT64)]


def top_k(random, size):
    rows = int(random.choice([1, 3]))
    length = max(1, size // rows)
    k = int(random.choice([1, min(17, length), length]))
    node = helper.make_node("TopK", ["x", "k"], ["y", "i"], largest=int(random.integers(2)))
    feed = {"x": whole(random, (rows, length), 1000), "k": numpy.array([k])}
    return [node], feed, [("y", TensorProto.FLOAT), ("i", TensorProto.INT64)]


def cumulative(random, size):
    rows, columns = split(random, size)
    nodes = [helper.make_node("Constant", [], ["axis"], value_int=0),
             helper.make_node("CumSum", ["x", "axis"], ["y"], exclusive=int(random.integers(2)),
                              reverse=int(random.integers(2)))]
    return nodes, {"x": whole(random, (rows, columns), 1)}, [("y", TensorProto.FLOAT)]


def gather_nd(random, size):
    rows, columns = split(random, size)
    feed = {"x": whole(random, (rows, columns)), "i": random.integers(0, rows, (rows, 1))}
    return [helper.make_node("GatherND", ["x", "i"], ["y"])], feed, [("y", TensorProto.FLOAT)]


def chain(random, size):
    """Positions of what counts, sorted and written somewhere else."""
    x = whole(random, size, 2)
    nodes = [helper.make_node("NonZero", ["x"], ["p"]), helper.make_node("Transpose", ["p"], ["i"], perm=[1, 0]),
             helper.make_node("GatherND", ["x", "i"], ["v"]),
             helper.make_node("ScatterND", ["z", "i", "v"], ["y"], reduction="add")]
    return nodes, {"x": x, "z": whole(random, size)}, [("y", TensorProto.FLOAT)]


PROGRAMS = {"NonZero": non_zero, "Compress": compress, "Unique": unique, "UniqueRows": unique_rows,
            "ScatterND": scatter_nd, "ScatterElements": scatter_elements, "ArgBest": arg_best, "TopK": top_k,
            "CumSum": cumulative, "GatherND": gather_nd, "Chain": chain}


def make(random, size, kind=None):
    """A model, what it is given, and its kind."""
    kind = kind or str(random.choice(list(PROGRAMS)))
    size = min(size, LARGEST.get(kind.removesuffix("Rows"), size))
    nodes, feed, results = PROGRAMS[kind](random, size)
    return *model_of(nodes, feed, results, free=random.random() < 0.5), kind


def expected(model, feed):
    """ONNX Runtime's results, but for ScatterND with a reduction: of several updates of an element it loses some."""
    node = model.graph.node[0]
    reduction = next((a.s.decode() for a in node.attribute if a.name == "reduction"), "none")
    if node.op_type == "ScatterND" and reduction != "none":
        result = feed["d"].copy()
        combine = {"add": numpy.add, "mul": numpy.multiply, "max": numpy.maximum, "min": numpy.minimum}[reduction]
        combine.at(result, feed["i"][:, 0], feed["u"])
        return [result]
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, feed)


def save(model, path):
    onnx.save(model, str(path))
