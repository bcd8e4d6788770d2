#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's operator database through torch.compile(backend="heddle"), against PyTorch itself.

  op_db.py [--jobs N] [--records FILE] [--write docs/pytorch.md] [--again] [NAME]…

The first and the middle sample of each entry of `op_db` (float32, else int64, else what there is), forward and without
gradients, three calls each: the first, which runs in PyTorch; the same again; and that of another seed. Results, arguments
and the state of the random generator after each must be those of PyTorch. Records (a line of JSON a sample) are kept, and
samples that have one are not run again unless --again. Exit status 1 where one differs. Needs torch and expecttest.
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

BEGIN, END = "<!-- op_db -->", "<!-- end of op_db -->"
SECONDS = 300   # for a sample; one that takes longer counts as different
SEEDS = (0, 0, 1)
UNWRITTEN = ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided")  # values of no meaning


def samples(op, seed):
    """The chosen samples' places and inputs."""
    import torch
    wanted = [dtype for dtype in (torch.float32, torch.int64) if op.supports_dtype(dtype, "cpu")]
    dtype = wanted[0] if wanted else sorted(op.supported_dtypes("cpu"), key=str)[0]
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
    if isinstance(want, torch.Tensor):
        if not isinstance(got, torch.Tensor):
            return f"{path} is a {type(got).__name__}"
        if want.is_floating_point() and want.itemsize == 1:
            return differs(got.float(), want.float(), path) if got.dtype == want.dtype else f"{path} is of type {got.dtype}"
        try:
            torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-5, equal_nan=True, check_stride=False)
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


def call(function, arguments, named):
    """The result, or the exception's class; the arguments as they are then; the random state."""
    import torch
    arguments, named = copied((arguments, named))
    torch.manual_seed(7)
    try:
        result = function(*arguments, **named)
    except Exception as error:
        return ("raised", error), (arguments, named), torch.get_rng_state()
    return ("gave", result), (arguments, named), torch.get_rng_state()


def judge(name, op, inputs):
    """Runs the calls; gives what differs (None: nothing) and the kinds of graphs that the sample made."""
    import torch
    from heddle import _fallback
    _fallback.forget()
    torch._dynamo.reset()
    compiled = torch.compile(lambda *a, **k: op(*a, **k), backend="heddle")
    for number, sample in enumerate(inputs):
        arguments, named = (sample.input, *sample.args), sample.kwargs
        (how, want), kept, state = call(op, arguments, named)
        (mine, got), changed, mine_state = call(compiled, arguments, named)
        if how == "raised" or mine == "raised":
            if how != mine:
                return f"call {number} {mine} {type(got).__name__}: {str(got)[:200]}, PyTorch {how}: {str(want)[:100]}", _fallback.report()
            continue
        text = (None if name in UNWRITTEN else differs(got, want)) or differs(changed, kept, "argument")
        if text is None and not torch.equal(state, mine_state):
            text = "the state of the random generator"
        if text is not None:
            return f"call {number}: {text}", _fallback.report()
    return None, _fallback.report()


class Late(BaseException):
    pass


def late(*_):
    raise Late


def judge_sample(op, key, place, sets):
    from heddle import _fallback
    record = {"op": key, "sample": place}
    signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            record["differs"], record["graphs"] = judge(op.name, op, [samples[place] for samples in sets if place in samples])
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


def work(pipe, path, done):
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
        with torch.no_grad():
            try:
                sets = [samples(entries[key], seed) for seed in SEEDS]
            except Exception as error:
                sets = [{0: None}]
                records = [{"op": key, "sample": -1, "skipped": f"{type(error).__name__}: {error}"[:200]}]
            else:
                records = [judge_sample(entries[key], key, place, sets) for place in sets[0] if (key, place) not in done]
        if not sets[0]:
            records = [{"op": key, "sample": -1, "skipped": "no samples"}]
        with open(path, "a") as file:
            file.write("".join(json.dumps(record) + "\n" for record in records))
        pipe.send("ready")


def read(path):
    """The records by entry and sample; the last counts."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {(record["op"], record["sample"]): record for record in map(json.loads, lines)}


def run(names, path, jobs, again):
    """Runs what has no record. An entry whose worker dies is recorded as different."""
    from torch.testing._internal.common_methods_invocations import op_db
    known = {} if again else read(path)
    recorded = {op for op, _ in known}
    wanted = [key for key in keys(op_db) if (not names or key in names) and (key not in recorded)]
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
                        file.write(json.dumps({"op": key, "sample": -1, "differs": f"the process ended with {process.exitcode}",
                                               "graphs": {}}) + "\n")
        while len(running) < min(jobs, len(wanted)):
            pipe, other = context.Pipe()
            process = context.Process(target=work, args=(other, path, set(known)))
            process.start()
            other.close()
            running[process] = (None, pipe)


def way_of(record):
    """Where the sample ran: 'heddle' if each of its graphs did, the kind of the first reason if none did, else 'both'."""
    graphs = record.get("graphs") or {}
    if not graphs:
        return "no graph"
    if set(graphs) == {"heddle"}:
        return "heddle"
    return "both" if "heddle" in graphs else next(iter(graphs))


def table(records):
    """The section of docs/pytorch.md."""
    import torch
    from torch.testing._internal.common_methods_invocations import op_db
    from heddle._fallback import KINDS
    run = [record for record in records.values() if "skipped" not in record]
    ways = collections.Counter(way_of(record) for record in run)
    wrong = [record for record in run if record["differs"]]
    named = {**{kind: f"PyTorch: {text}" for kind, text in KINDS.items()}, "heddle": "Heddle",
             "both": "some of its graphs in Heddle, some in PyTorch", "no graph": "Dynamo made no graph"}
    rows = "".join(f"| {named[way]} | {count} |\n" for way, count in ways.most_common())
    return (f"`op_db` of PyTorch {torch.__version__.split('+')[0]}: of {len(keys(op_db))} entries {len({op for op, _ in records})} were run, "
            f"{len({r['op'] for r in run})} have samples; {len(run)} samples, three calls each; **{len(wrong)} differ from PyTorch**.\n\n| where it runs | samples |\n|---|---|\n{rows}")


def write(page, text):
    page.write_text(re.sub(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n{text}{END}", page.read_text(), flags=re.S))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--records", type=pathlib.Path, default=pathlib.Path("build/torch/op_db.jsonl"))
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="put the table into this page")
    parser.add_argument("--again", action="store_true", help="run also what has a record")
    options = parser.parse_args()
    options.records.parent.mkdir(parents=True, exist_ok=True)
    run(set(options.names), options.records, options.jobs, options.again)
    records = {key: record for key, record in read(options.records).items() if not options.names or key[0] in options.names}
    wrong = [record for record in records.values() if record.get("differs")]
    for record in wrong:
        print(f"{record['op']} sample {record['sample']}: {record['differs']}")
    print(table(records))
    if options.write:
        write(options.write, table(records))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
