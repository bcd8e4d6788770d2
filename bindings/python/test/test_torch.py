# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="heddle"), where PyTorch is installed; CI has none and skips this."""
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

if getattr(importlib.util.find_spec("torch"), "origin", None) is None:
    raise unittest.SkipTest("torch is not installed")

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


class Broken(nn.Module):
    """A print is what Dynamo breaks a graph at."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        x = self.first(x)
        print(end="")
        return self.last(x).relu()


class Unsupported(nn.Module):
    def forward(self, x):
        return torch.ops.heddle_test.untranslated(x)


def close(got, want):
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


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
