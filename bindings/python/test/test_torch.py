# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_torch() and torch.compile(backend="heddle"), where PyTorch is installed; CI has none and skips this."""
import concurrent.futures
import importlib.util
import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock
import warnings

import heddle

if getattr(importlib.util.find_spec("torch"), "origin", None) is None or importlib.util.find_spec("onnxscript") is None:
    raise unittest.SkipTest("torch and onnxscript are not installed")

import heddle.torch  # noqa: E402
import torch  # noqa: E402
from heddle import _fallback  # noqa: E402
from heddle._torch import island  # noqa: E402
from heddle._torch.translate import table  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test" / "torch"))
import untranslated  # noqa: E402, F401


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(16, 32), nn.Linear(32, 4)

    def forward(self, x):
        return functional.softmax(self.last(functional.gelu(self.first(x))), -1)


class Named(nn.Module):
    def forward(self, x, scale):
        return {"twice": x * 2, "pair": (x + scale, scale)}


class Broken(nn.Module):
    """A print is what Dynamo breaks a graph at."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        x = self.first(x)
        print(end="")
        return self.last(x).relu()


class Counter(nn.Module):
    """Keeps a sum of what it saw."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        self.seen += x
        return self.seen * 2


class Doubler(nn.Module):
    def forward(self, x):
        return x.mul_(2) + 1


class Noise(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


class Pool(nn.Module):
    def forward(self, x):
        return functional.avg_pool2d(x, 2, divisor_override=1)


class Partly(nn.Module):
    """A layer of it is in training mode."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x)


class Unsupported(nn.Module):
    def forward(self, x):
        return torch.ops.heddle_test.untranslated(x)


def close(got, want):
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


class FromTorch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.enterContext(torch.no_grad())

    def test_dynamic_batch(self):
        module = Mlp().eval()
        compiled = heddle.from_torch(module, torch.randn(3, 16), ({0: torch.export.Dim("batch")},))
        for batch in (1, 3, 50):
            x = torch.randn(batch, 16)
            close(compiled(x), module(x))
        transposed = torch.randn(16, 5).T
        close(compiled(transposed), module(transposed))

    def test_structures_and_types(self):
        x = torch.randn(2, 3).to(torch.bfloat16)
        compiled = heddle.from_torch(Named().eval(), (x, torch.tensor(3.0, dtype=torch.bfloat16)))
        got, want = compiled(x, torch.tensor(4.0, dtype=torch.bfloat16)), Named()(x, torch.tensor(4.0, dtype=torch.bfloat16))
        self.assertEqual(["twice", "pair"], list(got))
        torch.testing.assert_close(got, want)

    def test_refusals(self):
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "in training mode; call its eval"):
            heddle.from_torch(Mlp(), torch.randn(3, 16))
        compiled = heddle.from_torch(Mlp().eval(), torch.randn(3, 16))
        with torch.enable_grad(), self.assertRaisesRegex(heddle.InvalidArgumentError, "want gradients; call it under"):
            compiled(torch.randn(3, 16, requires_grad=True))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "dimension 0"):
            compiled(torch.randn(4, 16))
        with self.assertRaisesRegex(heddle.CompileError, "untranslated"):
            heddle.from_torch(Unsupported().eval(), torch.randn(3))


    def test_what_is_no_function_is_refused(self):
        for module, text in ((Counter(), "writes to the buffer 'seen' in place"),
                             (Doubler(), "writes to the argument 'x' in place"), (Noise(), "draws random numbers"),
                             (Pool(), "drops divisor_override of avg_pool2d")):
            argument = torch.ones(1, 1, 4, 4) if isinstance(module, Pool) else torch.ones(3)
            with self.subTest(type(module).__name__), self.assertRaisesRegex(heddle.CompileError, text):
                heddle.from_torch(module.eval(), argument)
        partly = Partly().eval()
        partly.norm.train()
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "'norm', a BatchNorm1d, in training mode"):
            heddle.from_torch(partly, torch.ones(2, 3))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "tensor 0 of the example arguments is sparse"):
            heddle.from_torch(Mlp().eval(), torch.eye(3).to_sparse())

    def test_keywords_and_exported_programs(self):
        x, scale = torch.randn(2, 3), torch.tensor(3.0)
        compiled = heddle.from_torch(Named().eval(), (x,), kwargs={"scale": scale})
        torch.testing.assert_close(compiled(x, scale=scale), Named()(x, scale))
        program = torch.export.export(Named().eval(), (x,), {"scale": scale},
                                      dynamic_shapes={"x": {0: torch.export.Dim.DYNAMIC}, "scale": None})
        compiled, y = heddle.from_torch(program), torch.randn(5, 3)
        torch.testing.assert_close(compiled(y, scale=scale), Named()(y, scale))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "example arguments and dynamic shapes of its own"):
            heddle.from_torch(program, (x,))

    def test_precision(self):
        module, x = Mlp().eval(), torch.randn(3, 16)
        exact, rounded = heddle.from_torch(module, x)(x), heddle.from_torch(module, x, precision="bf16")(x)
        self.assertFalse(torch.equal(exact, rounded))
        torch.testing.assert_close(rounded, module(x), rtol=6e-2, atol=1e-1)


class Ranks(unittest.TestCase):
    """DTensor's placements by names of parameters, arguments and nodes of the exported program."""

    def test_placements(self):
        from torch.distributed.tensor import Replicate, Shard
        module, x = Mlp().eval(), torch.randn(6, 16)
        shared = heddle.from_torch(module, (x,), mesh=heddle.Mesh(tp=2),
                                   shardings={"first.*": [Shard(0)], "last.weight": [Shard(1)], "linear_1": [Replicate()]})
        self.assertEqual(2, shared.module.size)
        with torch.no_grad():
            close(shared(x), module(x))

    def test_names_that_are_none(self):
        with self.assertRaisesRegex(heddle.CompileError, "'frist.weight' fits no .*did you mean 'first.weight'"):
            heddle.from_torch(Mlp().eval(), (torch.randn(6, 16),), mesh=heddle.Mesh(tp=2), shardings={"frist.weight": "{tp: 0}"})

    def test_parts_are_no_modules(self):
        class DTensor(nn.Parameter):
            """As PyTorch's, by name."""

        module = Mlp().eval()
        module.first.weight = DTensor(module.first.weight.detach())
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "'first.weight' is a DTensor.*shardings="):
            heddle.from_torch(module, (torch.randn(6, 16),))


class Compile(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()
        _fallback.forget()
        self.enterContext(torch.no_grad())

    def test_weights_are_constants_until_they_change(self):
        module = Mlp().eval()
        compiled, x = torch.compile(module, backend="heddle"), torch.randn(3, 16)
        close(compiled(x), module(x))
        module.last.weight.mul_(2)
        close(compiled(x), module(x))

    def count_compilations(self):
        made, compile_model = [], island.compile_model
        self.addCleanup(setattr, island, "compile_model", compile_model)
        island.compile_model = lambda *a: made.append(1) or compile_model(*a)
        return made

    def test_dynamic_sizes(self):
        module, made = Mlp().eval(), self.count_compilations()
        compiled = torch.compile(lambda x: module(x).view(x.shape[0], -1), backend="heddle", dynamic=True)
        for batch in (3, 5, 9):
            x = torch.randn(batch, 16)
            close(compiled(x), module(x))
        self.assertEqual(1, len(made))

    def test_graph_breaks(self):
        module, x = Broken().eval(), torch.randn(2, 4)
        close(torch.compile(module, backend="heddle")(x), module(x))

    def test_what_stays_in_pytorch(self):
        module, x = Mlp().eval(), torch.randn(3, 16)
        with torch.enable_grad():
            torch.compile(module, backend="heddle")(x).sum().backward()
        self.assertIsNotNone(module.last.weight.grad)
        self.assertEqual({"heddle": 2}, heddle.torch.report())
        with self.assertWarnsRegex(heddle.torch.FallbackWarning, r"heddle_test.untranslated.default: no translation \(.*test_torch.py:\d+\)"):
            close(torch.compile(Unsupported().eval(), backend="heddle")(x), torch.ops.heddle_test.untranslated(x))
        self.assertEqual({"heddle": 2, "translation": 1}, heddle.torch.report())

    def test_nothing_may_stay_in_pytorch(self):
        with self.assertRaisesRegex(Exception, r"heddle_test.untranslated.default: no translation \(.*test_torch.py:\d+\); options="):
            torch.compile(Unsupported().eval(), backend="heddle", options={"fallback": False})(torch.ones(3))
        x = torch.ones(3)
        close(torch.compile(lambda x: functional.dropout(x.mul_(2)) * 0, backend="heddle", options={"fallback": False})(x), torch.zeros(3))
        close(x, torch.full((3,), 2.0))

    def test_each_reason_is_said_once(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for shape in ((3,), (4, 5)):
                torch._dynamo.reset()
                torch.compile(lambda x: torch.ops.heddle_test.untranslated(x), backend="heddle")(torch.zeros(shape))
        self.assertEqual(1, len(said), said)

    def test_first_call_is_compared_where_that_is_wanted(self):
        def wrong(c, x):
            return c.b.op("Sin", x)
        table.TABLE["aten.cos.default"], right = wrong, table.TABLE["aten.cos.default"]
        self.addCleanup(table.TABLE.__setitem__, "aten.cos.default", right)
        x = torch.randn(3)
        with self.assertWarnsRegex(heddle.torch.FallbackWarning, r"aten.cos.default: result 0: 3 of 3 elements differ"):
            compiled = torch.compile(lambda x: (x * 2).cos() + 1, backend="heddle", options={"compare": True})
            close(compiled(x), (x * 2).cos() + 1)
        self.assertEqual({"heddle": 1, "differs": 1}, heddle.torch.report())
        torch._dynamo.reset()
        self.assertFalse(torch.allclose(torch.compile(lambda x: x.cos(), backend="heddle")(x), x.cos()))

    def test_modes(self):
        x = torch.ones(3)
        for mode in ("default", "reduce-overhead"):
            torch._dynamo.reset()
            close(torch.compile(lambda x: x * 2, backend="heddle", mode=mode)(x), x * 2)
        with self.assertRaisesRegex(Exception, "mode is one of 'default'.*got 'fast'"):
            torch._dynamo.reset()
            heddle.torch.backend(None, (), mode="fast")

    def test_programs_are_cached_by_content(self):
        """Another graph of the same content has no compiler started."""
        module, x, started = Mlp().eval(), torch.randn(3, 16), []
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, HEDDLE_CACHE_DIR=folder):
            for _ in range(2):
                torch._dynamo.reset()
                close(torch.compile(module, backend="heddle")(x), module(x))
                with unittest.mock.patch.object(island, "compile", lambda *a, **k: started.append(1)):
                    torch._dynamo.reset()
                    close(torch.compile(module, backend="heddle")(x), module(x))
        self.assertEqual([], started)

    def test_threads(self):
        module, x = Mlp().eval(), torch.randn(3, 16)
        want, compiled = module(x), torch.compile(module, backend="heddle")

        def call(_):
            with torch.no_grad():
                return compiled(x)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for got in pool.map(call, range(40)):
                close(got, want)

    def test_weights_that_get_other_memory(self):
        module = Mlp().eval()
        compiled, x = torch.compile(module, backend="heddle"), torch.randn(3, 16)
        for _ in range(4):
            module.last.weight.data = torch.randn(4, 32)
            close(compiled(x), module(x))

    def test_weights_that_change_again_become_arguments(self):
        module, x, made = Mlp().eval(), torch.randn(3, 16), self.count_compilations()
        compiled = torch.compile(module, backend="heddle")
        for _ in range(5):
            close(compiled(x), module(x))
            module.last.weight.mul_(1.1)
        self.assertEqual(3, len(made))

    def test_training_has_no_constants(self):
        """A step of training compiles no second time, whatever it writes."""
        module, made = Mlp(), self.count_compilations()
        compiled, optimiser = torch.compile(module, backend="heddle"), torch.optim.SGD(module.parameters(), 0.1)
        step = torch.compile(lambda: optimiser.step(), backend="heddle")
        with torch.enable_grad():
            for _ in range(4):
                compiled(torch.randn(3, 16)).sum().backward()
                step()
                optimiser.zero_grad(set_to_none=False)
        self.assertEqual(3, len(made))

    def test_options(self):
        module, x = Mlp().eval(), torch.randn(3, 16)
        close(torch.compile(module, backend="heddle", options={"optimization": 1, "devices": "local://0"})(x), module(x))
        with self.assertRaisesRegex(Exception, "no keyword 'optimisation'; did you mean 'optimization'"):
            torch.compile(module, backend="heddle", options={"optimisation": 1})(x)


if __name__ == "__main__":
    unittest.main()
