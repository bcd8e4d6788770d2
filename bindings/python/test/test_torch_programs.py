# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of test/torch/programs.py, compiled and not: results, arguments, parameters, gradients, buffers and the state of
the random generator must be the same after each call. CI has no PyTorch and skips this; `make torch-ops` runs it."""
import copy
import importlib.util
import os
import pathlib
import sys
import unittest
import warnings

import heddle

if getattr(importlib.util.find_spec("torch"), "origin", None) is None:  # a folder of that name is no package
    raise unittest.SkipTest("torch is not installed")

import heddle.torch  # noqa: E402
import torch  # noqa: E402
from heddle import _fallback  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test" / "torch"))
from programs import PROGRAMS  # noqa: E402

os.environ["HEDDLE_TORCH_STRICT"] = "1"  # a defect of the translation is an error, no fallback
SEED = 11


def traces(program, compile):
    """What is to be seen after each call, by name. `compile`: gives what is called in place of what was made."""
    torch.manual_seed(SEED)
    made = program.make()
    called = compile(made)
    seen = []
    for number, call in enumerate(program.calls):
        arguments = call()
        torch.manual_seed(SEED + number)
        with torch.set_grad_enabled(program.grad):
            try:
                result = program.run(called, made, *arguments) if program.run else called(*arguments)
                if program.between:
                    program.between(made, number, result)
            except Exception as error:
                result = f"raised {type(error).__name__}"
        values = {"result": result, "arguments": arguments, "random state": torch.get_rng_state()}
        if isinstance(made, torch.nn.Module):
            values.update({name: value for name, value in [*made.named_buffers(), *made.named_parameters()]})
            values.update({f"gradient of {name}": value.grad for name, value in made.named_parameters()})
        seen.append(pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), values))
    return seen


class Programs(unittest.TestCase):
    def check(self, name, program):
        torch._dynamo.reset()
        _fallback.forget()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = traces(copy.copy(program), lambda made: made)
            got = traces(program, lambda made: torch.compile(made, backend="heddle"))
        for number, (mine, theirs) in enumerate(zip(got, want)):
            self.assertEqual(list(theirs), list(mine))
            for what, value in theirs.items():
                close = {} if what == "random state" else {"rtol": 1e-4, "atol": 1e-5}
                if what == "result" and any(leaf.dtype == torch.bfloat16 for leaf in pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)):
                    close = {"rtol": 2e-2, "atol": 1e-2}
                leaves = [pytree.tree_leaves(tree) for tree in (mine[what], value)]
                self.assertEqual(len(leaves[1]), len(leaves[0]), f"call {number}: {what}")
                for a, b in zip(*leaves):
                    if isinstance(b, torch.Tensor):
                        torch.testing.assert_close(a, b, msg=lambda text: f"call {number}, {what}: {text}", **close)
                    else:
                        self.assertEqual(b, a, f"call {number}: {what}")
        if program.kinds is not None:
            self.assertEqual(program.kinds, set(heddle.torch.report()))


for _name, _program in PROGRAMS.items():
    setattr(Programs, f"test_{_name}", lambda self, name=_name, program=_program: self.check(name, program))

if __name__ == "__main__":
    unittest.main()
