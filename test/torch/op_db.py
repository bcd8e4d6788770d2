#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's operator database through torch.compile(backend="heddle"), against PyTorch itself.

  op_db.py [--dtype TYPE] [--backward] [--part I/N] [--jobs N] [--records FILE] [--write docs/pytorch.md] [--again]
           [--no-run] [NAME]…

The first and the middle sample of each entry of `op_db`, three calls each: the first, which compiles; the same again; and that
of another seed. Results, arguments and the state of the random generator after each must be those of PyTorch; with --backward
the gradients too, of what is differentiable. --dtype: float32 (the default: where an entry has none, int64, else what there
is), or another, of the entries that have it. Records (a line of JSON a sample) are kept, and samples that have one are not run
again unless --again. The table has a column for each type and direction of the records. Exit status 1 where one differs.
Needs torch and expecttest.
"""
import argparse
import collections
import contextlib
import json
import multiprocessing
import os
import pathlib
import re
import signal
import sys
import warnings
from typing import NamedTuple

BEGIN, END = "<!-- op_db -->", "<!-- end of op_db -->"
SECONDS = 300   # for a sample; one that takes longer counts as different
SEEDS = (0, 0, 1)
DEFAULT = "float32"


class Kind(NamedTuple):
    """What is run of each entry."""

    dtype: str
    backward: bool

    def __str__(self):
        return self.dtype + (" backward" if self.backward else "")


def dtype_of(op, kind):
    """The type of an entry's samples; None: it has none."""
    import torch
    wanted = getattr(torch, kind.dtype)
    if kind.backward and not (op.supports_autograd and wanted in op.supported_backward_dtypes("cpu")):
        return None
    if kind == (DEFAULT, False):
        found = [dtype for dtype in (wanted, torch.int64) if op.supports_dtype(dtype, "cpu")]
        return [*found, *sorted(op.supported_dtypes("cpu"), key=str), None][0]
    return wanted if op.supports_dtype(wanted, "cpu") else None


def samples(op, dtype, seed):
    """The chosen samples' places and inputs."""
    import torch
    torch.manual_seed(seed)
    made = list(op.sample_inputs("cpu", dtype, requires_grad=False))
    return {place: made[place] for place in sorted({0, len(made) // 2}) if place < len(made)}


def copied(value):
    """Tensors of their own memory with the strides they had; views of one tensor become tensors of their own."""
    import torch
    from torch.utils import _pytree as pytree
    return pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), value)


def show(value):
    text = str(value.flatten()[:3].tolist() if hasattr(value, "flatten") and not getattr(value, "is_sparse", False) else value)
    return text[:120]


def differs(got, want, path="result"):
    """What differs between two results, however nested; None if nothing."""
    import torch
    import translation
    if isinstance(want, torch.Tensor):
        if not isinstance(got, torch.Tensor):
            return f"{path} is a {type(got).__name__}"
        if want.is_floating_point() and want.itemsize == 1:
            return differs(got.float(), want.float(), path) if got.dtype == want.dtype else f"{path} is of type {got.dtype}"
        relative, absolute = translation.bounds_of(want)
        try:
            torch.testing.assert_close(got, want, rtol=relative, atol=absolute, equal_nan=True, check_stride=False)
        except AssertionError as error:
            return f"{path}: {' '.join(str(error).split())[:160]}: {show(got)}, expected {show(want)}"
        return None
    if isinstance(want, dict):
        return differs(list(got.values()), list(want.values()), path)
    if isinstance(want, (list, tuple)):
        if len(got) != len(want):
            return f"{path} has {len(got)} parts, expected {len(want)}"
        return next((text for i, (a, b) in enumerate(zip(got, want)) if (text := differs(a, b, f"{path}[{i}]"))), None)
    return None if isinstance(want, torch.Generator) or got == want or got != got else f"{path} is {got}, expected {want}"


def call(function, arguments, named, backward):
    """The result (and gradients), or the exception's class; the arguments as they are then; the random state."""
    import torch
    from torch.utils import _pytree as pytree
    arguments, named = copied((arguments, named))
    leaves = [leaf for leaf in pytree.tree_leaves((arguments, named)) if isinstance(leaf, torch.Tensor) and backward
              and (leaf.is_floating_point() or leaf.is_complex())]
    for leaf in leaves:
        leaf.requires_grad_()
    given = pytree.tree_map_only(torch.Tensor, torch.clone, (arguments, named)) if backward else (arguments, named)
    torch.manual_seed(7)
    try:
        result = function(*given[0], **given[1])
        gradients = gradients_of(result, leaves) if backward else None
    except Exception as error:
        return ("raised", error), None, torch.get_rng_state()
    state = torch.get_rng_state()
    return ("gave", (detached(result), gradients)), detached(given), state


def detached(tree):
    import torch
    from torch.utils import _pytree as pytree
    return pytree.tree_map_only(torch.Tensor, torch.Tensor.detach, tree)


def gradients_of(result, leaves):
    """Of the results that have some, for gradients from -1 to 1; none is zeros."""
    import torch
    from torch.utils import _pytree as pytree
    made = [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if not made:
        return [torch.zeros_like(leaf) for leaf in leaves]
    seeds = [torch.linspace(-1, 1, leaf.numel(), dtype=torch.float64).reshape(leaf.shape).to(leaf.dtype) for leaf in made]
    return torch.autograd.grad(made, leaves, seeds, materialize_grads=True)


def no_worse(op, sample, backward, got, want):
    """Whether results are as near to those of f64 as PyTorch's own, where sums cancel or numbers are large."""
    import torch
    from torch.utils import _pytree as pytree
    wide = pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.double() if tensor.is_floating_point() else tensor,
                                ((sample.input, *sample.args), sample.kwargs))
    (how, exact), _, _ = call(op, *wide, backward)
    leaves = [pytree.tree_leaves(tree) for tree in (got, want, exact)]
    if how == "raised" or len({len(each) for each in leaves}) > 1:
        return False
    return all(is_no_worse(*tensors) for tensors in zip(*leaves))


def is_no_worse(mine, theirs, true):
    """Of one result."""
    import torch
    if differs(mine, theirs) is None:
        return True
    if not all(isinstance(each, torch.Tensor) and each.is_floating_point() for each in (mine, theirs, true)):
        return False
    if not mine.shape == theirs.shape == true.shape or mine.dtype != theirs.dtype:
        return False
    mine, theirs = ((each.double() - true).abs().max() for each in (mine, theirs))
    return bool(mine <= 2 * theirs)  # NaN is not


def judge(name, op, inputs, backward):
    """Runs the calls; gives what differs (None: nothing) and the kinds of graphs that the sample made."""
    import torch
    import translation
    from heddle import _fallback
    _fallback.forget()
    torch._dynamo.reset()
    compiled = torch.compile(lambda *a, **k: op(*a, **k), backend="heddle")
    for number, sample in enumerate(inputs):
        arguments, named = (sample.input, *sample.args), sample.kwargs
        (how, want), kept, state = call(op, arguments, named, backward)
        (mine, got), changed, mine_state = call(compiled, arguments, named, backward)
        if how == "raised" or mine == "raised":
            if how != mine:
                return f"call {number} {mine} {type(got).__name__}: {str(got)[:200]}, PyTorch {how}: {str(want)[:100]}", _fallback.report()
            continue
        text = None if name in translation.UNWRITTEN else differs(got, want)
        if text is not None and no_worse(op, sample, backward, got, want):
            text = None
        text = text or differs(changed, kept, "argument")
        if text is None and not torch.equal(state, mine_state):
            text = "the state of the random generator"
        if text is not None:
            return f"call {number}: {text}", _fallback.report()
    return None, _fallback.report()


class Late(BaseException):
    pass


def late(*_):
    raise Late


def judge_sample(op, key, place, sets, kind):
    from heddle import _fallback
    record = {"op": key, "sample": place, **kind._asdict()}
    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            record["differs"], record["graphs"] = judge(op.name, op, [samples[place] for samples in sets if place in samples], kind.backward)
        record["reasons"] = [str(w.message) for w in said if issubclass(w.category, _fallback.FallbackWarning)]
    except Late:
        record.update(differs=f"not done in {SECONDS} s", graphs=_fallback.report())
    finally:
        signal.alarm(0)
    return record


def keys(op_db):
    """Each entry with a name of its own."""
    found = {}
    for op in op_db:
        key = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        while key in found:
            key += "+"
        found[key] = op
    return found


def work(pipe, path, kind):
    """A worker: asks for entries until it is given None. Its output goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    import torch
    torch.set_num_threads(1)
    torch._dynamo.config.cache_size_limit = 64
    import heddle.torch  # noqa: F401
    from torch.testing._internal import common_methods_invocations as database
    database.wrapper_set_seed = lambda op, *arguments, **named: op(*arguments, **named)  # Dynamo makes no graph of it; call() sets the seed
    entries = keys(database.op_db)
    pipe.send("ready")
    while (key := pipe.recv()) is not None:
        dtype = dtype_of(entries[key], kind)
        with torch.set_grad_enabled(kind.backward):
            try:
                sets = [samples(entries[key], dtype, seed) for seed in SEEDS]
            except Exception as error:
                sets = [{0: None}]
                records = [{"op": key, "sample": -1, **kind._asdict(), "skipped": f"{type(error).__name__}: {error}"[:200]}]
            else:
                records = [judge_sample(entries[key], key, place, sets, kind) for place in sets[0]]
        if not sets[0]:
            records = [{"op": key, "sample": -1, **kind._asdict(), "skipped": "no samples"}]
        with open(path, "a") as file:
            file.write("".join(json.dumps(record) + "\n" for record in records))
        pipe.send("ready")


def read(path):
    """The records by kind, entry and sample; the last counts."""
    lines = path.read_text().splitlines() if path.exists() else []
    records = ({**Kind(DEFAULT, False)._asdict(), **json.loads(line)} for line in lines)
    return {(Kind(record["dtype"], record["backward"]), record["op"], record["sample"]): record for record in records}


def run(names, path, jobs, again, kind, part):
    """Runs what has no record. An entry whose worker dies is recorded as different."""
    from torch.testing._internal.common_methods_invocations import op_db
    recorded = set() if again else {op for of, op, _ in read(path) if of == kind}
    index, count = map(int, part.split("/"))
    wanted = [key for number, (key, op) in enumerate(keys(op_db).items()) if number % count == index and (not names or key in names)
              and key not in recorded and dtype_of(op, kind) is not None]
    context = multiprocessing.get_context("spawn")
    running = {}  # process: the entry it has, its pipe
    while wanted or running:
        for process, (key, pipe) in list(running.items()):
            ready = None
            with contextlib.suppress(EOFError):
                ready = pipe.recv() if pipe.poll(0.1 / len(running)) else None
            if ready is not None:
                running[process] = (wanted.pop() if wanted else None, pipe)
                pipe.send(running[process][0])
                if len(wanted) % 50 == 0:
                    print(f"{len(wanted)} entries left", file=sys.stderr, flush=True)
            elif not process.is_alive():
                del running[process]
                if key is not None:  # it died in there
                    with open(path, "a") as file:
                        file.write(json.dumps({"op": key, "sample": -1, **kind._asdict(), "differs": f"the process ended with {process.exitcode}",
                                               "graphs": {}}) + "\n")
        while len(running) < min(jobs, len(wanted)):
            pipe, other = context.Pipe()
            process = context.Process(target=work, args=(other, path, kind))
            process.start()
            other.close()
            running[process] = (None, pipe)


def way_of(record):
    """Where the sample ran: 'heddle' if each of its graphs that computes did, 'drawn' if PyTorch had only its draws, the kind of
    the first reason if no graph did, else 'both'."""
    graphs = set(record.get("graphs") or {})
    if not graphs:
        return "no graph"
    reasons = [kind for kind in record["graphs"] if kind not in ("heddle", "view")]
    if "heddle" in graphs:
        return "heddle" if not reasons else "drawn" if reasons == ["random"] else "both"
    return reasons[0] if reasons else "view"


APART = ("view", "random", "no graph")  # nothing to compute but draws


def share_of(ways):
    """Of the samples that compute something: how many Heddle computes itself, whole but for draws; in percent."""
    return 100 * (ways["heddle"] + ways["drawn"]) / max(1, sum(count for way, count in ways.items() if way not in APART))


def table(records):
    """The section of docs/pytorch.md: a column for each type and direction."""
    import torch
    from heddle._fallback import KINDS
    run = [record for record in records.values() if "skipped" not in record]
    kinds = list(dict.fromkeys(Kind(record["dtype"], record["backward"]) for record in run))
    ways = {kind: collections.Counter(way_of(record) for record in run if (record["dtype"], record["backward"]) == kind) for kind in kinds}
    wrong = {kind: sum(bool(record["differs"]) for record in run if (record["dtype"], record["backward"]) == kind) for kind in kinds}
    named = {**{kind: f"PyTorch: {text}" for kind, text in KINDS.items()}, "heddle": "Heddle", "drawn": "Heddle, but for its draws",
             "both": "some of it in Heddle, some in PyTorch", "no graph": "Dynamo made no graph"}
    order = ["heddle", "drawn", *[way for way in named if way not in ("heddle", "drawn", *APART)], *APART]

    def row(name, cells):
        return f"| {name} | {' | '.join(cells)} |\n"
    rows = "".join(row(named[way], [str(ways[kind][way]) for kind in kinds]) for way in order if any(ways[kind][way] for kind in kinds))
    entries = {kind: len({record["op"] for record in run if (record["dtype"], record["backward"]) == kind}) for kind in kinds}
    return (f"`op_db` of PyTorch {torch.__version__.split('+')[0]}: {len(run)} samples, three calls each; "
            f"**{sum(wrong.values())} differ from PyTorch**. The share is of the samples that compute something: not of those that\n"
            f"only give views, only draw, or make no graph, which are the last rows.\n\n{row('where it runs', map(str, kinds))}"
            f"|{'---|' * (len(kinds) + 1)}\n{row('entries', [str(entries[kind]) for kind in kinds])}{rows}{row('**share that Heddle computes itself**', [f'{share_of(ways[kind]):.1f} %' for kind in kinds])}"
            f"{row('differ', [str(wrong[kind]) for kind in kinds])}")


def write(page, text):
    page.write_text(re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{text}{END}", page.read_text(), flags=re.S))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--dtype", default=DEFAULT)
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--part", default="0/1", metavar="I/N", help="each N-th entry only")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--records", type=pathlib.Path, default=pathlib.Path("build/torch/op_db.jsonl"))
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put the table into this page")
    parser.add_argument("--again", action="store_true", help="run also what has a record")
    parser.add_argument("--no-run", action="store_true", help="the table of the records only")
    options = parser.parse_args()
    options.records.parent.mkdir(parents=True, exist_ok=True)
    if not options.no_run:
        run(set(options.names), options.records, options.jobs, options.again, Kind(options.dtype, options.backward), options.part)
    records = {key: record for key, record in read(options.records).items() if not options.names or key[1] in options.names}
    wrong = [record for record in records.values() if record.get("differs")]
    for record in wrong:
        print(f"{record['op']} {record['dtype']}{' backward' if record['backward'] else ''} sample {record['sample']}: {record['differs']}")
    print(table(records))
    if options.write:
        write(options.write, table(records))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
