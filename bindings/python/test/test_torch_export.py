# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle.from_torch(), where PyTorch is installed; CI has none and skips this."""
import importlib.util
import pathlib
import subprocess
import sys
import unittest
import unittest.mock
import warnings

import heddle

if getattr(importlib.util.find_spec("torch"), "origin", None) is None:  # a folder of that name is no package
    raise unittest.SkipTest("torch is not installed")

import torch  # noqa: E402
from heddle._torch import module as from_modules  # noqa: E402
from torch import nn  # noqa: E402
from torch._higher_order_ops.while_loop import while_loop  # noqa: E402
from torch.export import Dim  # noqa: E402
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


class Counter(nn.Module):
    """Keeps a sum of what it saw."""

    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        self.seen += x
        return self.seen * 2


class Partly(nn.Module):
    """A layer of it is in training mode."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x)


class Constants(nn.Module):
    """All kinds of them, one of which two layers share."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(64, 64), nn.Linear(64, 64, bias=False)
        self.last.weight = self.first.weight
        self.register_buffer("kept", torch.randn(64))
        self.register_buffer("lost", torch.randn(64), persistent=False)
        self.plain = torch.randn(64)

    def forward(self, x):
        return self.last(((self.first(x) + self.kept).relu() * self.lost).relu()) + self.plain + torch.tensor([0.5])


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, y=None, *rest, scale=2.0, z=None):
        return self.function(x, y, *rest, scale=scale, z=z)


def of(function):
    """A function of one tensor as a module."""
    return Function(lambda x, *rest, **named: function(x)).eval()


def close(got, want):
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def names_of(compiled):
    point = next(iter(compiled.module.entry_points.values()))
    return [value.name for value in point.arguments], [value.name for value in point.results]


class FromTorch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.enterContext(torch.no_grad())
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("error", heddle.CompileWarning)

    def test_dynamic_batch(self):
        module = Mlp().eval()
        for shapes in (({0: Dim("batch")},), {"x": {0: "batch"}}, ((Dim.AUTO, Dim.STATIC),)):
            compiled = heddle.from_torch(module, torch.randn(3, 16), shapes)
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

    def test_results_of_all_kinds(self):
        module = of(lambda x: {"none": None, "tensor": x + 1, "number": 3, "size": x.shape[0], "same": x, "list": [x > 0, x.long()]})
        compiled = heddle.from_torch(module, torch.randn(3, 2))
        x = torch.randn(3, 2)
        torch.testing.assert_close(compiled(x), module(x))
        self.assertIs(None, compiled(x)["none"])

    def test_sizes_as_results(self):
        class Sizes(nn.Module):
            def forward(self, x):
                return x.shape[0] * 2, x.sum(0), x.numel()
        compiled = heddle.from_torch(Sizes().eval(), torch.randn(3, 2), ({0: Dim("n")},))
        x = torch.randn(7, 2)
        got = compiled(x)
        self.assertEqual([14, 14], [got[0], got[2]])
        self.assertIs(int, type(got[0]))

    def test_names(self):
        class Two(nn.Module):
            def forward(self, x, pair, scale):
                return {"sum": functional.relu(x + pair["a"]), "other": x * scale, "same": x}
        x = torch.randn(3, 4)
        compiled = heddle.from_torch(Two().eval(), (x, {"a": x + 1}), {"x": {0: Dim("rows")}, "pair": {"a": {0: Dim("rows")}}, "scale": None},
                                     kwargs={"scale": x[0]})
        self.assertEqual((["x", "pair_a", "scale"], ["relu", "mul", "x.result"]), names_of(compiled))
        fixed = heddle.from_torch(Two().eval(), (x, {"a": x + 1}), {"x": {0: "rows"}, "pair": {"a": {0: "rows"}}, "scale": None},
                                  kwargs={"scale": x[0]}, dim={"rows": 3})
        torch.testing.assert_close(fixed(x, {"a": x}, scale=x[1]), Two()(x, {"a": x}, x[1]))
        with self.assertRaises(heddle.InvalidArgumentError):
            fixed(torch.randn(4, 4), {"a": torch.randn(4, 4)}, scale=x[0])

    def test_refusals(self):
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "in training mode; call its eval"):
            heddle.from_torch(Mlp(), torch.randn(3, 16))
        compiled = heddle.from_torch(Mlp().eval(), torch.randn(3, 16))
        with torch.enable_grad(), self.assertRaisesRegex(heddle.InvalidArgumentError, "want gradients; call it under"):
            compiled(torch.randn(3, 16, requires_grad=True))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "dimension 0"):
            compiled(torch.randn(4, 16))

    def test_operators_without_a_translation(self):
        with self.assertRaisesRegex(heddle.CompileError, r"heddle_test.untranslated.default: no translation \(.*test_torch_export.py:\d+\); nor does"):
            heddle.from_torch(of(torch.ops.heddle_test.untranslated), torch.randn(3))

    @unittest.skipIf(importlib.util.find_spec("onnxscript") is None, "onnxscript is not installed")
    def test_by_onnx(self):
        """What the translation lacks goes the other way, and says so."""
        module, x = Mlp().eval(), torch.randn(3, 16)
        with unittest.mock.patch.object(from_modules, "convert", side_effect=from_modules.Untranslated(["aten.gelu.default: no translation"])), \
                self.assertWarnsRegex(heddle.CompileWarning, "from_torch.* goes by torch.onnx.export.*: aten.gelu.default: no translation"):
            compiled = heddle.from_torch(module, x, ({0: "batch"},))
        y = torch.randn(9, 16)
        close(compiled(y), module(y))

    def test_what_is_no_function_is_refused(self):
        for module, text in ((Counter(), "writes to the buffer 'seen' in place"), (of(lambda x: x.mul_(2) + 1), "writes to the argument 'x' in place"),
                             (of(lambda x: x + torch.rand_like(x)), "draws random numbers"),
                             (of(lambda x: functional.dropout(x, 0.5, True)), "draws random numbers")):
            with self.subTest(text), self.assertRaisesRegex(heddle.CompileError, text):
                heddle.from_torch(module.eval(), torch.ones(3))
        partly = Partly().eval()
        partly.norm.train()
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "'norm', a BatchNorm1d, in training mode"):
            heddle.from_torch(partly, torch.ones(2, 3))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "tensor 0 of the example arguments is sparse"):
            heddle.from_torch(Mlp().eval(), torch.eye(3).to_sparse())

    def test_what_onnx_has_not(self):
        """Attributes, complex numbers, antialiasing, statistics of the batch."""
        for function in (lambda x: functional.avg_pool2d(x, 2, divisor_override=1), torch.fft.rfft2, lambda x: torch.view_as_complex(x).exp(),
                         lambda x: functional.interpolate(x, (3, 3), mode="bilinear", antialias=True), lambda x: x.logcumsumexp(-1),
                         lambda x: functional.batch_norm(x, None, None, training=True), lambda x: torch.special.i0(x[0, 0])):
            module, x = of(function), torch.randn(1, 3, 4, 2)
            close(heddle.from_torch(module, x)(x), module(x))
        z = torch.randn(3, dtype=torch.complex64)
        close(heddle.from_torch(of(lambda z: z * z.conj() + 1), z)(z.conj()), z * z.conj() + 1)

    def test_arguments(self):
        """By position, by name in any order, left out; the same tensor twice; a tensor as a default."""
        x, y = torch.randn(2, 3), torch.randn(2, 3)
        module = Function(lambda x, y, *rest, scale, z: x * scale - (0 if y is None else y) + sum(rest) * (0 if z is None else z)).eval()
        close(heddle.from_torch(module, (x, x, x))(x, y, x + y), module(x, y, x + y))
        close(heddle.from_torch(module, (x,), kwargs={"z": x, "y": y})(x, z=y, y=x), module(x, x, z=y))
        close(heddle.from_torch(module, (x,), kwargs={"scale": 3.0, "y": x})(y, y=x, scale=3.0), module(y, x, scale=3.0))

        class Default(nn.Module):
            def forward(self, x, weight=torch.full((3,), 2.0), y=None):
                return x * weight + y
        close(heddle.from_torch(Default().eval(), (x,), kwargs={"y": x})(x, y=y), x * 2 + y)
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "exported with"):
            heddle.from_torch(module, (x, x))(x)

    def test_constants(self):
        module, x = Constants().eval(), torch.randn(5, 64)
        compiled = heddle.from_torch(module, x)
        close(compiled(x), module(x))
        module.last.weight = nn.Parameter(module.first.weight + 1)
        apart = heddle.from_torch(module, x)
        sizes = [made.artifact.path.stat().st_size for made in (compiled, apart)]
        self.assertGreater(sizes[1] - sizes[0], 0.9 * 4 * 64 * 64)  # a weight that two share is there once

    def test_sizes_that_were_not_exported(self):
        class Short(nn.Module):
            def forward(self, x):
                torch._check(x.shape[1] % 2 == 0, lambda: "an even width")
                return x.reshape(x.shape[0], -1, 2).sum(1) + (1 if x.shape[0] <= 64 else 2)
        compiled = heddle.from_torch(Short().eval(), torch.randn(3, 4), ({0: Dim("batch", max=64), 1: Dim.AUTO},))
        for shape in ((3, 4), (1, 2), (64, 8)):
            x = torch.randn(*shape)
            close(compiled(x), Short()(x))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "batch <= 64 holds, got batch = 65"):
            compiled(torch.randn(65, 4))
        with self.assertRaises(heddle.InvalidArgumentError):
            compiled(torch.randn(3, 5))

    def test_keywords_and_exported_programs(self):
        x, scale = torch.randn(2, 3), torch.tensor(3.0)
        compiled = heddle.from_torch(Named().eval(), (x,), kwargs={"scale": scale})
        torch.testing.assert_close(compiled(x, scale=scale), Named()(x, scale))
        program = torch.export.export(Named().eval(), (x,), {"scale": scale},
                                      dynamic_shapes={"x": {0: torch.export.Dim.DYNAMIC}, "scale": None})
        for given in (program, program.run_decompositions()):
            compiled, y = heddle.from_torch(given), torch.randn(5, 3)
            torch.testing.assert_close(compiled(y, scale=scale), Named()(y, scale))
        with self.assertRaisesRegex(heddle.InvalidArgumentError, "example arguments and dynamic shapes of its own"):
            heddle.from_torch(program, (x,))

    def test_precision(self):
        module, x = Mlp().eval(), torch.randn(3, 16)
        exact, rounded = heddle.from_torch(module, x)(x), heddle.from_torch(module, x, precision="bf16")(x)
        self.assertFalse(torch.equal(exact, rounded))
        torch.testing.assert_close(rounded, module(x), rtol=6e-2, atol=1e-1)

    def test_recurrent_layers_of_any_length(self):
        """Whole: PyTorch would take them apart for the length of the examples."""
        for kind, named in ((nn.LSTM, {}), (nn.GRU, {"num_layers": 2}), (nn.RNN, {"nonlinearity": "relu", "bias": False}), (nn.RNN, {})):
            module = kind(4, 3, batch_first=True, bidirectional=True, **named).eval()
            compiled = heddle.from_torch(module, torch.randn(2, 5, 4), ({0: Dim("batch"), 1: Dim("length")},))
            for batch, length in ((2, 5), (3, 9), (1, 1)):
                x = torch.randn(batch, length, 4)
                close(compiled(x), module(x))

    def test_branches_and_loops(self):
        weight = torch.randn(3, 3)

        def nested(x):
            return torch.cond(x[0] > 1, lambda x: x * 2, lambda x: torch.cond(x[0] > 0, lambda x: x + 3, lambda x: -x, (x,)), (x,))
        for function in (lambda x: torch.cond(x.sum() > 0, lambda x: (x @ weight).sin(), lambda x: x.cos() - 1, (x,)), nested,
                         lambda x: while_loop(lambda i, x: (i < 9) & (x.sum() < 40), lambda i, x: (i + 1, x * 1.5 + weight[0]), (torch.tensor(0), x))):
            module = of(function)
            compiled = heddle.from_torch(module, torch.ones(3))
            for x in (torch.ones(3), -torch.ones(3), torch.full((3,), 2.0), torch.full((3,), 30.0)):
                close(compiled(x), module(x))

    def test_nothing_else_is_imported(self):
        program = ("import sys, torch, heddle\n"
                   "heddle.from_torch(torch.nn.Linear(3, 4).eval(), torch.ones(2, 3))\n"
                   "sys.exit([name for name in sys.modules if name in ('onnx', 'onnxscript', 'torch._inductor.ir')] or 0)")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr if done.returncode else ""))


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


if __name__ == "__main__":
    unittest.main()
