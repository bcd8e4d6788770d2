#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that write in place, through views of arguments and of what they compute, with torch.compile(backend="heddle") and
without: results, arguments, and which of them share memory must be the same.

  random_writes.py [--seeds 0:500] [--show]

Exit status 1 where one differs; each line names its seed. Needs torch.
"""
import argparse
import os
import random
import sys
import warnings

os.environ["HEDDLE_TORCH_STRICT"] = "1"  # a defect of the translation is an error, no fallback

import torch  # noqa: E402
import untranslated  # noqa: E402, F401

VIEWS = ("{0}.t() if {0}.dim() == 2 else {0}", "{0}[1:]", "{0}[::2]", "{0}.reshape(-1)[:4]", "{0}.unsqueeze(0)", "{0}.transpose(0, -1)",
         "{0}.select(0, 0) if {0}.dim() > 1 else {0}[0:]", "{0}.expand(2, *{0}.shape)[0]", "{0}.chunk(2)[0]", "{0}.detach()",
         "{0}.diagonal() if {0}.dim() == 2 else {0}.view_as({0})", "{0}.narrow(0, 0, 1)", "{0}.flatten()", "{0}.split(1)[0]",
         "{0}.view(-1) if {0}.is_contiguous() else {0}.contiguous().view(-1)", "{0}.permute(*reversed(range({0}.dim())))")
WRITES = ("{0}.add_(1)", "{0}.mul_(0.5)", "{0}.copy_({0} * 2)", "{0}.relu_()", "{0}.zero_()", "{0}[0] = 3", "{0}[-1:] = 2", "{0}.fill_(1.5)", "{0}.clamp_(-1, 1)",
          "{0}.sub_({1}.mean())", "{0}.masked_fill_({0} > 0.5, 0)", "{0}.index_fill_(0, torch.tensor([0]), 4)", "{0}.add_({0}.sum())",
          "{0}.add_({1}.reshape(-1)[0])", "{0}.neg_()", "{0}.lerp_({0} + 1, 0.25)", "torch.sin({0}, out={0})", "{0}.addcmul_({0}, {0})",
          "{0}.index_add_(0, torch.tensor([0]), {0}[:1])", "{0}.transpose_(0, -1)", "{0}.normal_()", "{0}.unsqueeze_(-1)", "{0} += {1}.amax()")
VALUES = ("{0} * 2", "{0} + {1}.sum()", "{0}.clone()", "{0}.softmax(-1)", "{0}.cumsum(0)", "torch.stack([{0}, {0}])", "{0}.exp()", "{0}.contiguous()",
          "{0}.to({0}.dtype)", "torch.where({0} > 0, {0}, 0.1)", "torch.rand_like({0})", "{0}.sort(0).values", "torch.zeros_like({0})",
          "{0}.t().contiguous() if {0}.dim() == 2 else {0} - 1", "torch.ops.heddle_test.untranslated({0})", "{0} * (torch.arange({0}.shape[-1]) + 1)")


def program(seed):
    """Its text: a function of two arguments."""
    choice = random.Random(seed)
    names, lines = ["a", "b"], []
    for number in range(choice.randint(3, 9)):
        kind = choice.choice((VIEWS, VIEWS, WRITES, WRITES, VALUES, VALUES))
        text = choice.choice(kind).format(choice.choice(names), choice.choice(names))
        if kind is WRITES:
            lines.append(text)
        else:
            names.append(f"v{number}")
            lines.append(f"v{number} = {text}")
    results = choice.sample(names, choice.randint(1, min(4, len(names))))
    body = "\n".join(f"    {line}" for line in lines)
    return f"def program(a, b):\n{body}\n    return {', '.join(results)},\n"


def arguments(seed):
    torch.manual_seed(seed)
    choice = random.Random(seed + 1)
    rows = choice.choice(((4, 4), (2, 6), (6,)))
    base = torch.randn(3, *rows)
    a = choice.choice((lambda: base[0], lambda: base[0].clone(), lambda: torch.randn(*reversed(rows)).permute(*reversed(range(len(rows))))))()
    return a, choice.choice((lambda: torch.randn(5), lambda: base[1], lambda: a, lambda: base[2].clone()))()


def layout(tensor):
    """Its sizes and strides; where there is one element, or none, any stride is the same."""
    return [(size, stride if size > 1 and tensor.numel() else 0) for size, stride in zip(tensor.shape, tensor.stride())]


def sharing(tensors):
    """For each tensor the first one that has the same memory, and where in it."""
    memories = [tensor.untyped_storage().data_ptr() for tensor in tensors]
    return [(memories.index(memory), tensor.storage_offset() if memories.index(memory) != place else 0)
            for place, (memory, tensor) in enumerate(zip(memories, tensors)) if tensor.numel()]


def trace(function, seed):
    """What three calls give and leave behind."""
    seen = []
    for call in range(3):
        given = arguments(seed + call % 2)
        torch.manual_seed(seed)
        try:
            results = function(*given)
        except Exception as error:
            return [*seen, f"raised {type(error).__name__}: {str(error)[:200]}"]
        if call == 1:
            with_writes = next((result for result in results if result.numel()), None)
            if with_writes is not None:
                with_writes.add_(1)  # of the caller: it arrives wherever the memory is shared
        seen.append(([value.clone() for value in (*results, *given)], [layout(value) for value in results],
                     sharing([*given, *results])))
    return seen


def differs(mine, theirs):
    for call, (got, want) in enumerate(zip(mine, theirs)):
        if isinstance(got, str) or isinstance(want, str):
            return None if isinstance(got, str) and isinstance(want, str) else f"call {call}: {got if isinstance(got, str) else 'gave'}, eager {want if isinstance(want, str) else 'gave'}"
        for place, (a, b) in enumerate(zip(got[0], want[0])):
            if a.shape != b.shape or not torch.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True):
                return f"call {call}, value {place}: {a.flatten()[:4].tolist()}, expected {b.flatten()[:4].tolist()}"
        if got[1] != want[1]:
            return f"call {call}: sizes and strides {got[1]}, expected {want[1]}"
        if got[2] != want[2]:
            return f"call {call}: who shares memory {got[2]}, expected {want[2]}"
    return None if len(mine) == len(theirs) else f"{len(mine)} calls, expected {len(theirs)}"


def check(seed, backend="heddle"):
    """What differs for this seed, or None; and whether the program counts: eager takes it, and PyTorch's own compiled form (aot_eager),
    which has defects with views, gives the same as eager where we do not."""
    names = {"torch": torch}
    exec(program(seed), names)  # noqa: S102
    torch._dynamo.reset()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = trace(names["program"], seed)
        if isinstance(want[0], str):
            return None, False
        text = differs(trace(torch.compile(names["program"], backend=backend), seed), want)
        if text is None:
            return None, True
        torch._dynamo.reset()
        is_pytorchs = differs(trace(torch.compile(names["program"], backend="aot_eager"), seed), want) is not None
        return (None, False) if is_pytorchs else (text, True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0:500", metavar="FIRST:END")
    parser.add_argument("--backend", default="heddle")
    parser.add_argument("--show", action="store_true", help="print the programs that differ")
    options = parser.parse_args()
    import heddle.torch  # noqa: F401
    torch.set_num_threads(1)
    first, end = map(int, options.seeds.split(":"))
    wrong = taken = 0
    for seed in range(first, end):
        text, is_taken = check(seed, options.backend)
        taken += is_taken
        if text:
            wrong += 1
            print(f"seed {seed}: {text}", flush=True)
            if options.show:
                print(program(seed))
    print(f"{end - first} seeds, {taken} programs that PyTorch takes, {wrong} differ; {heddle.torch.report()}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
