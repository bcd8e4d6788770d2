# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""from_torch() and torch.compile(backend="heddle"), where PyTorch is installed; CI has none and skips this."""
import importlib.util
import unittest

import heddle

if importlib.util.find_spec("torch") is None or importlib.util.find_spec("onnxscript") is None:
    raise unittest.SkipTest("torch and onnxscript are not installed")

import heddle.torch  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402


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


class Unsupported(nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x)


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
        with self.assertRaisesRegex(heddle.CompileError, "bessel_j0"):
            heddle.from_torch(Unsupported().eval(), torch.randn(3))


class Compile(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        torch._dynamo.reset()
        self.enterContext(torch.no_grad())

    def test_weights_are_constants_until_they_change(self):
        module = Mlp().eval()
        compiled, x = torch.compile(module, backend="heddle"), torch.randn(3, 16)
        close(compiled(x), module(x))
        module.last.weight.mul_(2)
        close(compiled(x), module(x))

    def test_dynamic_sizes(self):
        module, count = Mlp().eval(), heddle._torch.export
        exports = []
        self.addCleanup(setattr, heddle._torch, "export", count)
        heddle._torch.export = lambda *a: exports.append(1) or count(*a)
        compiled = torch.compile(lambda x: module(x).view(x.shape[0], -1), backend="heddle", dynamic=True)
        for batch in (3, 5, 9):
            x = torch.randn(batch, 16)
            close(compiled(x), module(x))
        self.assertEqual(1, len(exports))

    def test_graph_breaks(self):
        module, x = Broken().eval(), torch.randn(2, 4)
        close(torch.compile(module, backend="heddle")(x), module(x))

    def test_refusals(self):
        compiled, x = torch.compile(Mlp().eval(), backend="heddle"), torch.randn(3, 16)
        with torch.enable_grad(), self.assertRaisesRegex(Exception, "compiles for inference, got weights that want gradients"):
            compiled(x)
        with self.assertRaisesRegex(Exception, "bessel_j0"):
            torch.compile(Unsupported().eval(), backend="heddle")(x)

    def test_options(self):
        module, x = Mlp().eval(), torch.randn(3, 16)
        close(torch.compile(module, backend="heddle", options={"optimization": 1, "devices": "local://0"})(x), module(x))
        with self.assertRaisesRegex(Exception, "unknown flag '--optimisation'"):
            torch.compile(module, backend="heddle", options={"optimisation": 1})(x)


if __name__ == "__main__":
    unittest.main()
