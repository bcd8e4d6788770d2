#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The translation of ATen graphs (heddle._torch.translate) over PyTorch's operator database, without a backend.

  translation.py [--types float32,int64] [--samples N] [--backward] [--dynamic] [--records FILE] [--part I/N] [NAME]…

Each sample becomes a graph of AOTAutograd; where each of its nodes is translated, the graph is compiled whole, run, and
compared with PyTorch: types and shapes exactly, values as close as their types. What is not translated is counted by operator.
`--backward`: the joint graphs with gradients. `--dynamic`: every size of two and more is free. Exit status 1 where one is
wrong or the importer refuses it. Needs torch and expecttest.
"""
import argparse
import collections
import json
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import warnings

import torch
from torch._functorch.aot_autograd import aot_export_joint_simple
from torch.utils import _pytree as pytree

UNWRITTEN = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")  # values of no meaning
TOLERANCES = {torch.float32: (1e-3, 2e-5), torch.float64: (1e-7, 1e-7), torch.bfloat16: (2e-2, 2e-2), torch.float16: (2e-3, 3e-3),
              torch.complex32: (2e-3, 3e-3), torch.complex64: (1e-3, 1e-5), torch.complex128: (1e-7, 1e-7)}
SECONDS = 120


def graph_of(function, tensors, backward, dynamic):
    from heddle._torch.translate import decompositions
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv
    mode = FakeTensorMode(shape_env=ShapeEnv() if dynamic else None, allow_non_fake_inputs=True)
    with mode:
        fakes = [mode.from_tensor(tensor, static_shapes=not dynamic) for tensor in tensors]
        return without_checks(aot_export_joint_simple(function, fakes, trace_joint=backward, decompositions=decompositions()))


def without_checks(graph):
    """Checks give nothing but a token that keeps their order; the backend leaves them to PyTorch."""
    tokens = set()
    for node in graph.graph.find_nodes(op="call_function", target=torch.ops.higher_order.with_effects):
        if not node.args[1]._schema.returns:
            tokens.add(node.args[0])
            for user in list(node.users):
                user.replace_all_uses_with(node.args[0])
                graph.graph.erase_node(user)
            graph.graph.erase_node(node)
    if tokens:
        output = graph.graph.output_node()
        output.args = (type(output.args[0])(value for value in output.args[0] if value not in tokens),)
        for token in tokens:
            graph.graph.erase_node(token)
        graph.recompile()
    return graph


def flat_call(op, sample):
    """The operator as a function of tensors that gives a list of tensors, and the tensors."""
    leaves, spec = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def function(*tensors):
        values = list(leaves)
        for place, tensor in zip(places, tensors):  # neither views nor writes reach the caller's tensors
            values[place] = tensor.clone()
        given, arguments, named = pytree.tree_unflatten(values, spec)
        return [leaf.clone() for leaf in pytree.tree_leaves(op(given, *arguments, **named)) if isinstance(leaf, torch.Tensor)]
    return function, [leaves[place] for place in places]


def run_translated(graph, tensors):
    """The graph's results by Heddle."""
    import heddle
    from heddle._torch import translate
    from heddle._torch.values import Tensors
    model = translate.translate(graph, {})
    folder = pathlib.Path(tempfile.mkdtemp(prefix="translation-"))
    try:
        artifact = heddle.compile(translate.write(model, folder), folder / "model.heddle", cache=False)
        call = Tensors(heddle.load(artifact))
        names = [node.name for node in graph.graph.nodes if node.op == "placeholder"]
        given = dict(zip(names, tensors))
        made = call([torch.view_as_real(given[name].resolve_conj()) if given[name].is_complex() else given[name] for name in model.inputs])
        return [tensor.clone() for tensor in made]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def interpret(graph, tensors):
    """The graph's results by PyTorch."""
    return torch.fx.Interpreter(graph).run(*[tensor.clone() for tensor in tensors], enable_io_processing=False)


def bounds_of(tensor):
    """(relative, absolute) tolerance of values that should be these. Sums that cancel are as inexact as what is in them."""
    relative, absolute = TOLERANCES.get(tensor.dtype, (0, 0))
    if tensor.layout != torch.strided:
        return relative, absolute
    if tensor.dtype in (torch.bfloat16, torch.float16) and tensor.numel():
        absolute *= max(1.0, float(tensor.float().abs().nan_to_num(0, 0).mean()))
    elif tensor.is_floating_point() and tensor.itemsize > 1 and tensor.numel():
        absolute *= max(1.0, float(tensor.abs().nan_to_num(0, 0, 0).max()) / 4)
    return relative, absolute


def differs(got, want):
    """What differs between two lists of tensors; None if nothing."""
    if len(got) != len(want):
        return f"{len(got)} results, expected {len(want)}"
    for number, (mine, theirs) in enumerate(zip(got, want)):
        if theirs.is_complex():
            mine = torch.view_as_complex(mine.contiguous())
        relative, absolute = bounds_of(theirs)
        if theirs.is_floating_point() and theirs.itemsize == 1:
            mine, theirs = mine.float(), theirs.float()
        try:
            torch.testing.assert_close(mine, theirs, rtol=relative, atol=absolute, equal_nan=True, check_stride=False)
        except AssertionError as error:
            return f"result {number}: {' '.join(str(error).split())[:140]}: {mine.flatten()[:4].tolist()}, expected {theirs.flatten()[:4].tolist()}"
    return None


def untranslated(graph):
    """The reasons of nodes that are not translated."""
    from heddle._torch.translate import why_not
    return {str(node.target): reason for node in graph.graph.nodes if (reason := why_not(node)) is not None}


def judge(op, sample, backward, dynamic):
    """(what became of it, details)."""
    function, tensors = flat_call(op, sample)
    tensors = [tensor.detach() for tensor in tensors]
    if backward:
        tensors = [tensor.requires_grad_(tensor.is_floating_point()) for tensor in tensors]
    try:
        graph = graph_of(function, tensors, backward, dynamic)
    except Exception as error:
        return "no graph", f"{type(error).__name__}: {error}"[:200]
    drawn = any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ()) for node in graph.graph.nodes)
    reasons = untranslated(graph)
    if reasons:
        return ("random" if drawn else "untranslated"), reasons
    if not any(node.op == "call_function" for node in graph.graph.nodes):
        return "empty graph", ""
    inputs = list(tensors)
    if backward:
        seeds = torch.Generator().manual_seed(3)
        fakes = [node.meta["val"] for node in graph.graph.nodes if node.op == "placeholder"][len(tensors):]
        inputs += [torch.randn(tuple(int(size) for size in fake.shape), generator=seeds).to(fake.dtype) for fake in fakes]
    inputs = [tensor.detach() for tensor in inputs]
    with torch.no_grad():
        want = [leaf for leaf in pytree.tree_leaves(interpret(graph, inputs)) if isinstance(leaf, torch.Tensor)]
    if not want:
        return "empty graph", ""
    try:
        got = run_translated(graph, inputs)
    except Exception as error:
        return "refused", f"{type(error).__name__}: {error} {getattr(error, 'notes', '')}"[:400]
    text = None if op.name in UNWRITTEN else differs(got, want)
    if text is None and not backward:  # what AOTAutograd made of it counts as well as what the operator gives
        with torch.no_grad():
            eager = function(*[tensor.clone() for tensor in inputs])
        text = None if op.name in UNWRITTEN or differs(want if not any(t.is_complex() for t in want) else
                                                       [torch.view_as_real(t.resolve_conj()) if t.is_complex() else t for t in want],
                                                       eager) else differs(got, eager)
    return ("wrong", text) if text else ("right", "")


def samples_of(op, dtype, most):
    torch.manual_seed(0)
    made = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    step = max(1, len(made) // most)
    return [(place, made[place]) for place in range(0, len(made), step)][:most]


class Late(BaseException):
    pass


def late(*_):
    raise Late


def records(options):
    from torch.testing._internal import common_methods_invocations as database
    database.wrapper_set_seed = lambda op, *arguments, **named: op(*arguments, **named)
    signal.signal(signal.SIGALRM, late)
    index, count = map(int, options.part.split("/"))
    for number, op in enumerate(database.op_db):
        if number % count != index or options.names and not {op.name, op.formatted_name} & set(options.names):
            continue
        for name in options.types.split(","):
            dtype = getattr(torch, name)
            if not op.supports_dtype(dtype, "cpu") or options.backward and not (op.supports_autograd and dtype.is_floating_point):
                continue
            try:
                made = samples_of(op, dtype, options.samples)
            except Exception as error:
                print(f"{op.name}: no samples: {error}"[:150], file=sys.stderr)
                continue
            for place, sample in made:
                signal.alarm(SECONDS)
                begin = time.time()
                try:
                    how, details = judge(op, sample, options.backward, options.dynamic)
                except Late:
                    how, details = "late", f"not done in {SECONDS} s"
                except Exception as error:
                    how, details = "failed", f"{type(error).__name__}: {error}"[:300]
                signal.alarm(0)
                yield {"op": op.formatted_name, "type": name, "sample": place, "how": how, "details": details, "seconds": round(time.time() - begin, 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--types", default="float32,int64")
    parser.add_argument("--samples", type=int, default=2)
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--dynamic", action="store_true")
    parser.add_argument("--records", type=pathlib.Path)
    parser.add_argument("--part", default="0/1")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    counts, reasons = collections.Counter(), collections.Counter()
    file = open(options.records, "a") if options.records else None
    for record in records(options):
        counts[record["how"]] += 1
        if record["how"] == "untranslated":
            reasons.update(f"{target}: {reason}" for target, reason in record["details"].items())
        elif record["how"] in ("wrong", "refused", "failed", "late"):
            print(f"{record['how']}: {record['op']} {record['type']} {record['sample']}: {record['details']}", flush=True)
        if file:
            file.write(json.dumps(record) + "\n")
            file.flush()
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    graphs = sum(counts[how] for how in ("right", "wrong", "refused", "failed", "late", "untranslated"))
    print(", ".join(f"{how}: {count}" for how, count in counts.most_common()) + f"; {100 * counts['right'] / max(graphs, 1):.1f} % of what makes a graph without draws")
    sys.exit(bool(counts["wrong"] or counts["refused"] or counts["failed"] or counts["late"]))


if __name__ == "__main__":
    main()
