# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="heddle") among other parts of PyTorch: autocast, scaled losses, hooks, packed sequences, torch.func, operators that
call graphs, sizes that change. CI has no PyTorch and skips this; `make torch-ops` runs it."""
import copy
import gc
import importlib.util
import subprocess
import sys
import unittest
import warnings

if getattr(importlib.util.find_spec("torch"), "origin", None) is None:  # a folder of that name is no package
    raise unittest.SkipTest("torch is not installed")

import heddle.torch  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch._higher_order_ops.scan import scan  # noqa: E402
from torch._higher_order_ops.while_loop import while_loop  # noqa: E402
from torch.nn import functional  # noqa: E402
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence  # noqa: E402


def perceptron():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))


def gradients(module):
    return [parameter.grad for parameter in module.parameters()]


class Users(unittest.TestCase):
    def setUp(self):
        torch._dynamo.reset()
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def same(self, function, *arguments, **options):
        """What it gives compiled and not, twice, for copies of the arguments."""
        compiled = torch.compile(function, backend="heddle", **options)
        for _ in range(2):
            got, want = (called(*copy.deepcopy(arguments)) for called in (compiled, function))
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)

    def test_scaled_losses(self):
        x, seen = torch.randn(5, 6), []
        for backend in ("eager", "heddle"):
            module = perceptron()
            compiled, optimiser = torch.compile(module, backend=backend), torch.optim.SGD(module.parameters(), 0.1)
            scaler = torch.amp.GradScaler("cpu", init_scale=256.0, growth_interval=2)
            for step in range(6):
                optimiser.zero_grad()
                with torch.autocast("cpu", torch.float16 if step % 2 else torch.bfloat16):
                    loss = compiled(x * (float("inf") if step == 3 else 1)).float().square().mean()
                scaler.scale(loss).backward()
                scaler.unscale_(optimiser)
                nn.utils.clip_grad_norm_(module.parameters(), 1.0)
                scaler.step(optimiser)
                scaler.update()
            seen.append((scaler.get_scale(), module.state_dict()))
        self.assertEqual(seen[0][0], seen[1][0])
        torch.testing.assert_close(seen[1][1], seen[0][1], rtol=3e-2, atol=1e-2)

    def test_accumulated_gradients_and_checkpoints(self):
        class Module(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = perceptron(), nn.Linear(3, 2)

            def forward(self, x):
                return self.second(torch.utils.checkpoint.checkpoint(self.first, x, use_reentrant=False))
        module = Module()
        seen = []
        for called in (module, torch.compile(module, backend="heddle")):
            module.zero_grad()
            for step in range(3):
                called(torch.full((2, 6), step + 1.0)).sin().sum().backward()
            seen.append(copy.deepcopy(gradients(module)))
        torch.testing.assert_close(seen[1], seen[0], rtol=1e-4, atol=1e-5)

    def test_hooks(self):
        seen = []
        for backend in ("eager", "heddle"):
            torch._dynamo.reset()
            module, told = perceptron(), []
            module[0].register_forward_hook(lambda m, a, result: result * 2)
            module[2].register_forward_pre_hook(lambda m, a: (a[0] + 1,))
            module[1].register_full_backward_hook(lambda m, given, got: (given[0] * 0.5,))
            module[0].weight.register_hook(lambda gradient: gradient * 3)
            module[2].bias.register_post_accumulate_grad_hook(lambda p: told.append(p.grad.clone()))
            x = torch.ones(2, 6, requires_grad=True)
            y = torch.compile(module, backend=backend)(x)
            y.register_hook(lambda gradient: gradient + 1)
            y.square().sum().backward()
            seen.append((y, x.grad, gradients(module), told))
        torch.testing.assert_close(seen[1], seen[0], rtol=1e-4, atol=1e-5)

    def test_packed_sequences(self):
        for kind in (nn.LSTM, nn.GRU):
            torch.manual_seed(0)
            layer, lengths = kind(4, 3, batch_first=True, bidirectional=True), torch.tensor([5, 2, 4])

            def run(x, lengths):
                packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
                return pad_packed_sequence(layer(packed)[0], batch_first=True)[0]
            self.same(run, torch.randn(3, 5, 4), lengths)

    def test_functions_of_functions(self):
        module = perceptron()
        state = {name: value.detach() for name, value in module.named_parameters()}

        def loss(state, x):
            return torch.func.functional_call(module, state, (x,)).square().mean()
        x, matrix = torch.randn(5, 6), torch.randn(3, 3)
        self.same(torch.func.grad(loss), state, x)
        self.same(torch.func.vmap(torch.func.grad(loss), (None, 0)), state, x)
        self.same(torch.func.jacrev(lambda x: (x @ matrix).sin()), torch.randn(2, 3))
        self.same(torch.func.jacfwd(lambda x: (x @ matrix).sin()), torch.randn(2, 3))
        self.same(torch.func.hessian(lambda x: x.pow(3).sum()), torch.randn(3))
        self.same(lambda x, t: torch.func.jvp(torch.sin, (x,), (t,)), torch.randn(3), torch.randn(3))
        self.same(lambda x: torch.func.vjp(torch.tanh, x)[1](torch.ones(3)), torch.randn(3))
        self.same(torch.func.vmap(lambda x: x + torch.zeros(3).index_fill(0, torch.tensor([1]), 2.0)), torch.randn(4, 3))
        self.same(torch.func.functionalize(lambda x: x.clone().view(-1).add_(1)), torch.randn(2, 2))

    def test_stacked_modules(self):
        modules = [perceptron() for _ in range(3)]
        parameters, buffers = torch.func.stack_module_state(modules)
        base = copy.deepcopy(modules[0]).to("meta")
        self.same(lambda parameters, x: torch.func.vmap(lambda p, x: torch.func.functional_call(base, (p, buffers), (x,)), (0, None))(parameters, x),
                  {name: value.detach() for name, value in parameters.items()}, torch.randn(2, 6))

    def test_operators_that_call_graphs(self):
        weight = torch.randn(3, 3)

        def branches(x):
            return torch.cond(x.sum() > 0, lambda x: (x @ weight).sin(), lambda x: x.cos() - 1, (x,))

        def loop(x):
            return while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x * 1.5 + weight[0]), (torch.tensor(0), x))

        def sums(x):
            return scan(lambda carry, x: (carry + x, carry * x), torch.zeros(3), x)

        def nested(x):
            return torch.cond(x.sum() > 0, lambda x: torch.cond(x[0] > 1, lambda x: x * 2, lambda x: x * 3, (x,)), lambda x: -x, (x,))
        heddle._fallback.forget()
        for function, x in ((branches, torch.ones(3)), (branches, -torch.ones(3)), (loop, torch.ones(3)), (sums, torch.randn(5, 3)),
                            (nested, torch.full((3,), 2.0)), (nested, torch.full((3,), 0.5)), (nested, -torch.ones(3))):
            with torch.no_grad():
                self.same(function, x, options={"fallback": False})
        self.assertIn("control", heddle.torch.report())

    def test_gradients_through_branches(self):
        weight, seen = torch.randn(3, 3), []
        for called in (function := lambda x: torch.cond(x.sum() > 0, lambda x: (x @ weight).sin(), lambda x: x.cos(), (x,)),
                       torch.compile(function, backend="heddle")):
            for sign in (1, -1):
                x = torch.full((3,), 0.5 * sign, requires_grad=True)
                called(x).sum().backward()
                seen.append(x.grad)
        torch.testing.assert_close(seen[2:], seen[:2])

    def test_sizes_that_change_compile_twice(self):
        module = perceptron().eval()
        compiled, before = torch.compile(module, backend="heddle"), torch._dynamo.utils.counters["stats"]["unique_graphs"]
        with torch.no_grad():
            for size in (3, 5, 7, 9, 30, 1, 4):
                x = torch.randn(size, 6)
                torch.testing.assert_close(compiled(x), module(x), rtol=1e-4, atol=1e-5)
        self.assertLessEqual(torch._dynamo.utils.counters["stats"]["unique_graphs"] - before, 3)

    def test_numbers_that_change(self):
        def step(x, rate, name, flag=True, *, scale=None):
            return x * rate if flag else x - rate, {name: x * (scale or 1)}
        compiled = torch.compile(step, backend="heddle")
        x = torch.randn(4)
        for rate, name, named in ((0.5, "a", {}), (0.25, "b", {"flag": False}), (3, "b", {"scale": 0.1}), (7, "c", {"scale": 2})):
            torch.testing.assert_close(compiled(x, rate, name, **named), step(x, rate, name, **named))

    def test_a_loss_with_gradients_to_arguments_and_none(self):
        def run(called):
            x, y, z = (torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_(wanted) for wanted in (True, False, True))
            a, b = called(x, y, z)
            (a.sum() * 2).backward()  # b has none
            return x.grad, y.grad, z.grad, b.detach()

        def function(x, y, z):
            return (x * y).sin(), (z + x).cos()
        got, want = run(torch.compile(function, backend="heddle")), run(function)
        torch.testing.assert_close(got[0], want[0])
        torch.testing.assert_close(got[3], want[3])
        self.assertIsNone(got[1])

    def test_losses_of_all_kinds(self):
        torch.manual_seed(0)
        scores, labels = torch.randn(5, 4), torch.tensor([0, 3, -100, 1, 2])
        losses = {
            "cross_entropy": lambda s: functional.cross_entropy(s, labels, label_smoothing=0.1),
            "weighted": lambda s: functional.cross_entropy(s, labels, weight=torch.arange(1.0, 5)),
            "nll": lambda s: functional.nll_loss(s.log_softmax(-1), labels, ignore_index=-100),
            "bce": lambda s: functional.binary_cross_entropy_with_logits(s, (s.detach() > 0).float(), pos_weight=torch.full((4,), 2.0)),
            "kl": lambda s: functional.kl_div(s.log_softmax(-1), torch.full((5, 4), 0.25), reduction="batchmean"),
            "smooth": lambda s: functional.smooth_l1_loss(s, torch.zeros(5, 4), beta=0.3), "huber": lambda s: functional.huber_loss(s, torch.zeros(5, 4)),
            "cosine": lambda s: functional.cosine_embedding_loss(s, s.flip(0), torch.tensor([1, -1, 1, -1, 1])),
            "triplet": lambda s: functional.triplet_margin_loss(s, s.flip(0), s.roll(1, 0)),
            "margin": lambda s: functional.multi_margin_loss(s, labels.clamp(min=0)), "poisson": lambda s: functional.poisson_nll_loss(s, torch.ones(5, 4)),
            "gaussian": lambda s: functional.gaussian_nll_loss(s, torch.zeros(5, 4), torch.full((5, 4), 0.5)),
            "ctc": lambda s: functional.ctc_loss(s.reshape(5, 1, 4).log_softmax(-1), torch.tensor([[1, 2]]), torch.tensor([5]), torch.tensor([2])),
        }
        for name, loss in losses.items():
            with self.subTest(name):
                torch._dynamo.reset()
                seen = []
                for called in (loss, torch.compile(loss, backend="heddle")):
                    x = scores.clone().requires_grad_()
                    value = called(x)
                    value.backward()
                    seen.append((value.detach(), x.grad))
                torch.testing.assert_close(seen[1], seen[0], rtol=1e-4, atol=1e-5)

    def test_a_first_call_imports_no_other_compiler(self):
        """Inductor's modules take longer to import than a small graph takes to compile."""
        program = ("import sys, torch, heddle.torch\n"
                   "with torch.no_grad(): torch.compile(torch.nn.Linear(3, 4), backend='heddle')(torch.ones(2, 3))\n"
                   "sys.exit([name for name in sys.modules if name in ('torch._inductor.ir', 'torch._inductor.debug')] or 0)")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((0, ""), (done.returncode, done.stderr if done.returncode else ""))

    def test_the_collector_is_as_it_was(self):
        """Tracing holds Python's collector back, and neither frees nor takes what the user has frozen."""
        def compiled():
            torch._dynamo.reset()
            return torch.compile(lambda x: x + 1, backend="heddle")(torch.ones(3))
        self.addCleanup(gc.enable)
        for is_on in (True, False):
            (gc.enable if is_on else gc.disable)()
            compiled()
            self.assertEqual((is_on, 0), (gc.isenabled(), gc.get_freeze_count()))
        gc.enable()
        gc.freeze()
        self.addCleanup(gc.unfreeze)
        compiled()
        self.assertGreater(gc.get_freeze_count(), 0)

    def test_failed_calls_leave_no_wrong_values(self):
        cache = torch.zeros(4, 3)
        write = torch.compile(lambda cache, at, row: cache.index_copy_(0, at, row), backend="heddle")
        write(cache, torch.tensor([1]), torch.ones(1, 3))
        with self.assertRaises((RuntimeError, IndexError, ArithmeticError)):
            write(cache, torch.tensor([7]), torch.ones(1, 3))
        write(cache, torch.tensor([2]), torch.full((1, 3), 2.0))
        self.assertEqual([0, 1, 2, 0], cache[:, 0].tolist())


if __name__ == "__main__":
    unittest.main()
