# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of test/torch/mutations.py and a few seeds of random_writes.py, compiled and not: results, arguments, gradients, strides and who
shares memory with whom must be the same. CI has no PyTorch and skips this; `make torch-ops` runs it, and more seeds."""
import importlib.util
import os
import pathlib
import sys
import unittest
import warnings

if getattr(importlib.util.find_spec("torch"), "origin", None) is None:  # a folder of that name is no package
    raise unittest.SkipTest("torch is not installed")

import heddle.torch  # noqa: E402, F401
import torch  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test" / "torch"))
import random_writes  # noqa: E402
from mutations import ARGUMENTS, OTHERS, PROGRAMS, TRAINED, make  # noqa: E402

os.environ["HEDDLE_TORCH_STRICT"] = "1"  # a defect of the translation is an error, no fallback


def tensors(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def trace(function, kind, trained):
    """What two calls give and leave behind, or the exception of one."""
    seen = []
    for call in range(2):
        leaves = arguments = ARGUMENTS[kind]()
        if trained:
            leaves = [a.clone().requires_grad_(a.is_floating_point()) for a in arguments]
            arguments = [a * 1 if a.is_floating_point() else a for a in leaves]
        torch.manual_seed(3)
        try:
            result = function(*arguments)
        except RuntimeError as error:
            return f"raised in call {call}" if call == 0 else f"raised {error}"
        given = tensors(result)
        values = {"results": given, "arguments": list(arguments), "random state": [torch.get_rng_state()]}
        if trained:
            sum((value * value).sum() for value in given if value.requires_grad).backward()
            values["gradients"] = [leaf.grad for leaf in leaves]
        elif call and given and 0 not in given[0].stride():
            with torch.no_grad():
                given[0].add_(1)  # of the caller: it arrives wherever the memory is shared
        copies = pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.detach().clone(), values)
        seen.append((copies, [random_writes.layout(value) for value in given], [value.requires_grad for value in given],
                     random_writes.sharing([*arguments, *given]), pytree.tree_flatten(result)[1]))
    return seen


class Mutations(unittest.TestCase):
    def check(self, name, kind, trained):
        torch._dynamo.reset()
        with warnings.catch_warnings(), torch.set_grad_enabled(trained):
            warnings.simplefilter("ignore")
            want = trace(make(name), kind, trained)
            got = trace(torch.compile(make(name), backend="heddle"), kind, trained)
        if isinstance(want, str):
            self.assertEqual(want, got)
        for call, (mine, theirs) in enumerate(zip(got, want, strict=True)):
            for what, values in theirs[0].items():
                torch.testing.assert_close(mine[0][what], values, msg=lambda text: f"call {call}, {what}: {text}", rtol=1e-4, atol=1e-5)
            for what, a, b in zip(("strides", "want gradients", "share memory", "structure"), mine[1:], theirs[1:]):
                self.assertEqual(b, a, f"call {call}: {what}")


class Random(unittest.TestCase):
    def test_seeds(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                self.assertIsNone(random_writes.check(seed)[0])


for _name, _kind, _trained in [*((name, "plain", False) for name in PROGRAMS), *((name, kind, False) for name, kind in OTHERS),
                               *((name, "plain", True) for name in TRAINED)]:
    setattr(Mutations, f"test_{_name}_{_kind}{'_trained' if _trained else ''}",
            lambda self, given=(_name, _kind, _trained): self.check(*given))

if __name__ == "__main__":
    unittest.main()
