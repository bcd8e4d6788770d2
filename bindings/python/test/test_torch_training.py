# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of training with torch.compile(backend="heddle"): losses, gradients, parameters and buffers follow eager's. CI has no PyTorch and
skips this; `make torch-ops` runs it."""
import copy
import importlib.util
import unittest
import warnings

if getattr(importlib.util.find_spec("torch"), "origin", None) is None:  # a folder of that name is no package
    raise unittest.SkipTest("torch is not installed")

import heddle.torch  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402


class Block(nn.Module):
    """Of a transformer, with dropout."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down, self.drop = nn.Linear(width, 2 * width), nn.Linear(2 * width, width), nn.Dropout(0.1)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.first(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape)
        x = x + self.drop(self.out(mixed))
        return x + self.drop(self.down(functional.gelu(self.up(self.second(x)))))


class Transformer(nn.Module):
    def __init__(self, words=31, width=32):
        super().__init__()
        self.table, self.places = nn.Embedding(words, width), nn.Embedding(16, width)
        self.blocks, self.last = nn.Sequential(Block(width, 4), Block(width, 4)), nn.Linear(width, words, bias=False)
        self.last.weight = self.table.weight

    def forward(self, tokens):
        return self.last(self.blocks(self.table(tokens) + self.places(torch.arange(tokens.shape[1]))))


class Residual(nn.Module):
    def __init__(self, planes):
        super().__init__()
        self.first, self.second = (nn.Conv2d(planes, planes, 3, padding=1, bias=False) for _ in range(2))
        self.norm, self.last = nn.BatchNorm2d(planes), nn.BatchNorm2d(planes)

    def forward(self, x):
        return functional.relu(x + self.last(self.second(functional.relu(self.norm(self.first(x)), inplace=True))), inplace=True)


def resnet():
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(2), Residual(8), Residual(8),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5))


def words(step):
    tokens = torch.randint(0, 31, (4, 9), generator=torch.Generator().manual_seed(step % 7))
    return tokens[:, :-1], tokens[:, 1:].flatten()


def pictures(step):
    generator = torch.Generator().manual_seed(step % 7)
    return torch.randn(6, 3, 12, 12, generator=generator), torch.randint(0, 5, (6,), generator=generator)


OPTIMISERS = {"slow": lambda p: torch.optim.SGD(p, 0.01), "sgd": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, nesterov=True), "adamw": lambda p: torch.optim.AdamW(p, 2e-3),
              "adagrad": lambda p: torch.optim.Adagrad(p, 0.01)}


class Training(unittest.TestCase):
    def steps(self, make, data, count, optimiser, compiled):
        """The losses of `count` steps; the module; the gradients of the first step."""
        torch.manual_seed(0)
        torch._dynamo.reset()
        module = make().train()
        optimiser = OPTIMISERS[optimiser](module.parameters())
        called = torch.compile(module, backend="heddle") if compiled else module
        step_of = torch.compile(lambda: optimiser.step(), backend="heddle") if compiled else optimiser.step
        losses, first = [], None
        for step in range(count):
            x, y = data(step)
            optimiser.zero_grad()
            loss = functional.cross_entropy(called(x).flatten(0, -2), y)
            loss.backward()
            first = first or [parameter.grad.clone() for parameter in module.parameters()]
            step_of()
            losses.append(loss.item())
        return losses, module, first

    def check(self, make, data, count, optimiser="sgd"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want, theirs, gradients = self.steps(make, data, count, optimiser, False)
            state = torch.get_rng_state()
            got, mine, my_gradients = self.steps(make, data, count, optimiser, True)
        torch.testing.assert_close(my_gradients, gradients, rtol=1e-4, atol=1e-4)
        self.assertLess(want[-1], want[0] * 0.9)
        for step, (a, b) in enumerate(zip(got, want)):
            self.assertAlmostEqual(a, b, delta=2e-2 * abs(b) if step > 20 else 1e-3 * abs(b), msg=f"step {step}")
        self.assertTrue(torch.equal(state, torch.get_rng_state()))
        if count <= 5:
            torch.testing.assert_close(mine.state_dict(), theirs.state_dict(), rtol=1e-2, atol=1e-3)

    def test_transformer(self):
        self.check(Transformer, words, 200, "adamw")

    def test_resnet(self):
        self.check(resnet, pictures, 200, "slow")

    def test_optimisers(self):
        for optimiser in OPTIMISERS:
            with self.subTest(optimiser=optimiser):
                self.check(lambda: nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 5)), lambda step: (
                    x := torch.randn(16, 3, generator=torch.Generator().manual_seed(1)), (x.sum(1) > 0).long())[:2], 100, optimiser)

    def test_second_gradients_are_refused_as_pytorch_does(self):
        x = torch.randn(4, requires_grad=True)
        y = torch.compile(lambda x: (x ** 3).sum(), backend="heddle")(x)
        gradient, = torch.autograd.grad(y, x, create_graph=True)
        with self.assertRaisesRegex(RuntimeError, "double backward"):
            gradient.sum().backward()

    def test_functional_gradients_and_autocast(self):
        def loss(w, x):
            return (x @ w).sin().pow(2).mean()
        w, x = torch.randn(4, 3), torch.randn(5, 4)
        torch.testing.assert_close(torch.compile(torch.func.grad(loss), backend="heddle")(w, x), torch.func.grad(loss)(w, x))
        vectorised = torch.func.vmap(loss, (None, 0))
        torch.testing.assert_close(torch.compile(vectorised, backend="heddle")(w, x[:, None]), vectorised(w, x[:, None]))
        module = nn.Linear(4, 3)
        compiled = torch.compile(module, backend="heddle")
        for function in (module, compiled):
            module.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                function(x).float().pow(2).mean().backward()
            seen = module.weight.grad.clone() if function is module else seen
        torch.testing.assert_close(module.weight.grad, seen, rtol=2e-2, atol=2e-2)


class Constants(unittest.TestCase):
    """Weights that are constants of a program, changed by writes that PyTorch does not count."""

    def test_uncounted_writes(self):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        compiled, x = torch.compile(model, backend="heddle"), torch.randn(2, 3, 8, 8)

        def same():
            model.eval()
            with torch.no_grad():
                torch.testing.assert_close(compiled(x), model(x))

        same()
        for step in range(3):
            model.train()
            compiled(x + step)  # the running statistics
            same()
        model[0].weight.data.mul_(2)
        same()

    def test_fused_optimisers(self):
        x = torch.randn(6, 4)
        for kind, named in ((torch.optim.SGD, {"lr": 0.1}), (torch.optim.AdamW, {"lr": 0.1})):
            model = nn.Linear(4, 3)
            compiled, optimiser = torch.compile(model, backend="heddle"), kind(model.parameters(), fused=True, **named)
            for _ in range(3):
                with torch.no_grad():
                    torch.testing.assert_close(compiled(x), model(x))
                model(x).pow(2).mean().backward()
                optimiser.step()

    def test_weights_of_inference_mode(self):
        with torch.inference_mode():
            model = nn.Linear(4, 3)
            compiled, x = torch.compile(model, backend="heddle"), torch.randn(2, 4)
            for _ in range(3):
                torch.testing.assert_close(compiled(x), model(x))
                model.weight.mul_(2)


class Values(unittest.TestCase):
    """What differed from eager in silence once."""

    def same(self, function, *arguments, **named):
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(function, backend="heddle", **named)(*arguments), function(*arguments), equal_nan=True)

    def test_places_that_pytorch_refuses(self):
        x, wrong = torch.randn(5, 3), torch.tensor([-1, 0])
        source = torch.ones(2, 3)
        for function in (lambda index: x.gather(0, index.unsqueeze(1).expand(2, 3)), lambda index: functional.embedding(index, x),
                         lambda index: x.index_select(0, index), lambda index: x.index_add(0, index, source),
                         lambda index: x.index_copy(0, index, source), lambda index: x.scatter(0, index.unsqueeze(1).expand(2, 3), source),
                         lambda index: x.scatter_add(0, index.unsqueeze(1).expand(2, 3), source)):
            self.same(function, wrong + 2)
            with warnings.catch_warnings(), self.assertRaises((RuntimeError, IndexError)):
                warnings.simplefilter("ignore")
                torch.compile(function, backend="heddle")(wrong)

    def test_gradients_of_determinants(self):
        for function in (torch.linalg.det, lambda a: torch.linalg.slogdet(a)[1], torch.logdet, lambda a: torch.linalg.solve(a, a.T * 2),
                         torch.linalg.inv):
            torch.manual_seed(1)
            base, gradients = torch.randn(3, 3), []
            base = base @ base.T + torch.eye(3) + torch.randn(3, 3) / 9
            torch._dynamo.reset()
            for call in (function, torch.compile(function, backend="heddle")):
                x = base.clone().requires_grad_()
                (call(x) * torch.arange(1.0, 1 + call(x).numel()).reshape(call(x).shape)).sum().backward()
                gradients.append(x.grad)
            torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-4, atol=1e-4)

    def test_floored_sizes(self):
        function = torch.compile(lambda x: x + (x.shape[0] - 7) // 2, backend="heddle", dynamic=True)
        for size in (4, 5, 6, 9, 12):
            x = torch.zeros(size)
            torch.testing.assert_close(function(x), x + (size - 7) // 2)

    def test_attention_of_doubles(self):
        q, k, v = (torch.randn(1, 2, 5, 3, dtype=torch.float64) for _ in range(3))
        torch._dynamo.reset()
        got = torch.compile(functional.scaled_dot_product_attention, backend="heddle")(q, k, v)
        torch.testing.assert_close(got, functional.scaled_dot_product_attention(q, k, v), rtol=1e-12, atol=1e-12)

    def test_gradients_where_all_is_masked(self):
        lowest = -float("inf")
        for row in ([lowest] * 5, [torch.finfo(torch.float32).min] * 5, [0, lowest, 0, 0, lowest]):
            mask, seen = torch.zeros(4, 5), []
            mask[1] = torch.tensor(row)
            torch._dynamo.reset()
            for function in (functional.scaled_dot_product_attention, torch.compile(functional.scaled_dot_product_attention, backend="heddle")):
                torch.manual_seed(0)
                q, k, v = (torch.randn(1, 2, length, 3, requires_grad=True) for length in (4, 5, 5))
                y = function(q, k, v, mask)
                y.square().sum().backward()
                seen.append((y, q.grad, k.grad, v.grad))
            torch.testing.assert_close(seen[1], seen[0], rtol=1e-4, atol=1e-5)

    def test_factorizations_that_check(self):
        function = torch.compile(lambda a: torch.linalg.inv_ex(a, check_errors=True)[0], backend="heddle")
        torch.testing.assert_close(function(torch.eye(3) * 2), torch.eye(3) / 2)
        with self.assertRaises(RuntimeError):
            function(torch.zeros(3, 3))

    def test_coordinates_and_maxima_without_a_number(self):
        image, nan, inf = torch.arange(1.0, 13).reshape(1, 1, 3, 4), float("nan"), float("inf")
        for x, y in ((nan, 0.3), (0.3, nan), (inf, 0.3), (-inf, inf), (5.0, -5.0)):
            for padding in ("zeros", "border", "reflection"):
                for mode in ("bilinear", "nearest", "bicubic"):
                    with self.subTest(x=x, y=y, padding=padding, mode=mode):
                        self.same(lambda image, grid: functional.grid_sample(image, grid, mode, padding, align_corners=False), image,
                                  torch.tensor([x, y]).reshape(1, 1, 1, 2))
        x = torch.randn(1, 1, 6, 6)
        x[0, 0, 1, 1] = x[0, 0, 2, 2] = nan
        for sizes in ((2, 2), (4, 3)):
            self.same(lambda x: functional.adaptive_max_pool2d(x, sizes, return_indices=True), x)

    def test_parts_of_one_memory(self):
        torch._dynamo.reset()
        function = torch.compile(lambda a, b: a + b, backend="heddle")
        memory = torch.randn(8)
        torch.testing.assert_close(function(memory[:4], memory[4:]), memory[:4] + memory[4:])
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            torch.testing.assert_close(function(memory[1:5], memory[4:]), memory[1:5] + memory[4:])
        self.assertTrue(any("one memory" in str(warning.message) for warning in said), said)

    def test_convolutions_of_free_sizes(self):
        """And a norm whose statistics count elements: a number that the backward graph is given."""
        cases = ((nn.Conv1d(5, 4, 3, 2, 1), (3, 5, 19)), (nn.Conv2d(3, 4, 3, padding=1), (2, 3, 9, 8)), (nn.Conv2d(2, 3, 1, padding=2), (1, 2, 5, 6)),
                 (nn.Conv2d(4, 6, (2, 3), (3, 2), (2, 0), (2, 1), 2), (2, 4, 11, 9)), (nn.ConvTranspose1d(4, 3, 4, 2, 1, 1), (2, 4, 7)),
                 (nn.Sequential(nn.Conv1d(3, 4, 3, 2), nn.BatchNorm1d(4), nn.GELU()), (3, 3, 21)))
        for module, shape in cases:
            torch._dynamo.reset()
            compiled, seen = torch.compile(module, backend="heddle", dynamic=True, options={"fallback": False}), []
            state = copy.deepcopy(module.state_dict())
            for called in (module, compiled):
                module.load_state_dict(state)
                module.zero_grad()
                for more in (0, 1, 2):
                    torch.manual_seed(more)
                    x = torch.randn(*shape[:2], *[size + more for size in shape[2:]], requires_grad=True)
                    called(x).sin().sum().backward()
                    seen.append(x.grad)
                seen += [parameter.grad.clone() for parameter in module.parameters()] + [buffer.clone() for buffer in module.buffers()]
            half = len(seen) // 2
            torch.testing.assert_close(seen[half:], seen[:half], rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
