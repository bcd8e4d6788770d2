# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that write, give views, draw random numbers and train: with torch.compile(backend="heddle") each must be what it is
without, in its results and in what it leaves behind. bindings/python/test/test_torch_programs.py runs them.

A program is a function that makes what is compiled, and one that makes the calls' arguments; see Program.
"""
from typing import Any, Callable, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
import untranslated  # noqa: F401
from torch._higher_order_ops.while_loop import while_loop


class Program(NamedTuple):
    """`make()` gives a module or function. `calls`: functions that make the arguments of a call. `kinds`: what
    heddle.torch.report() must name, 'heddle' among it where a graph runs there; None: whatever Dynamo makes of it.
    `between(made, number, result)`: runs after each call; `run`: calls it otherwise than by compiled(*arguments).
    `grad`: with gradients on."""

    make: Callable[[], Any]
    calls: list[Callable[[], tuple[Any, ...]]]
    kinds: set[str] | None
    between: Callable[[Any, int, Any], None] | None = None
    run: Callable[..., Any] | None = None
    grad: bool = False


def numbers(*shape: int) -> torch.Tensor:
    """Values that depend on nothing but the shape."""
    count = torch.tensor(shape).prod()
    return (torch.arange(float(count)) * 0.37).sin().reshape(shape)


def twice(make: Callable[[], tuple[Any, ...]]) -> list[Callable[[], tuple[Any, ...]]]:
    return [make, make, make]


class Cache(nn.Module):
    """Keys of earlier positions in a buffer, as a static cache of a language model holds them."""

    def __init__(self, how: str):
        super().__init__()
        self.how = how
        self.register_buffer("keys", torch.zeros(1, 8, 4))

    def forward(self, x, position):
        if self.how == "index_copy":
            self.keys.index_copy_(1, position, x)
        elif self.how == "scatter":
            self.keys.scatter_(1, position.reshape(1, 1, 1).expand(1, 1, 4), x)
        else:
            self.keys[:, position] = x
        return self.keys * 1.0


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.tensor(0))
        self.register_buffer("average", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        self.average.lerp_(x, 0.1)
        return self.average / self.count


class Net(nn.Module):
    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(6, 8), nn.Dropout(dropout), nn.Linear(8, 2)

    def forward(self, x):
        return self.last(self.drop(F.gelu(self.first(x))))


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(6, momentum=0.5)

    def forward(self, x):
        return self.norm(x) * 2


class Window(nn.Module):
    """Gives a part of its buffer, which the caller may write to."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", numbers(5, 3))

    def forward(self, x):
        return self.table[1:3], x + 1


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(7, 4)
        self.out = nn.Linear(4, 7, bias=False)
        self.out.weight = self.table.weight

    def forward(self, tokens):
        return self.out(self.table(tokens))


class Recurrent(nn.Module):
    """Its state is an attribute that becomes another tensor at each call."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(6, 6)
        self.state = torch.zeros(1, 6)

    def forward(self, x):
        self.state = self.cell(x, self.state)
        return self.state * 2


def evaluated(module: nn.Module) -> nn.Module:
    return module.eval()


def train(optimiser: Any) -> Callable[..., Any]:
    """A step of training for each call."""
    def run(compiled, module, x):
        optimiser_ = module.__dict__.setdefault("_optimiser", optimiser(module.parameters()))
        optimiser_.zero_grad()
        loss = (compiled(x) ** 2).mean()
        loss.backward()
        optimiser_.step()
        return loss.detach()
    return run


def train_then_infer(compiled, module, x):
    loss = train(lambda parameters: torch.optim.Adam(parameters, 0.05))(compiled, module, x)
    with torch.no_grad():
        return loss, compiled(x)


def one_layer() -> Callable[..., Any]:
    """A function of a layer, called with several: one graph of Dynamo with other weights at each call."""
    def apply(layer, x):
        return layer(x).relu()
    setattr(apply, "layers", [nn.Linear(6, 6).eval() for _ in range(4)])
    return apply


def through_layers(compiled, made, x):
    for layer in made.layers:
        x = compiled(layer, x)
    return x


def write_to_first(made, number, result):
    result[0].add_(1)


def change_data(module, number, result):
    module.first.weight.data = numbers(8, 6) * (number + 2)


def load_others(module, number, result):
    module.load_state_dict({name: value * 0.5 + number for name, value in module.state_dict().items()})


def row(cache, value):
    cache[1] = value
    return cache.sum(0)


def written_out(x, y):
    torch.add(x, 1, out=y)
    return y * 2


def overlapping(a, b):
    a.add_(1)
    return b * 2


def local_writes(x):
    y = x.clone()
    y[1:, 0] = 5
    y.mul_(2)
    F.relu(y, inplace=True)
    return y.sum(-1), y[y.shape[0] - 1] + 0


def view_then_write(x):
    y = x * 2
    z = y.view(-1)
    y.add_(1)
    return y, z


def write_through_a_view(x):
    y = x * 2
    return y, y[0].add_(1)


def autocast_inside(x):
    with torch.autocast("cpu", torch.bfloat16):
        return x @ x.T


def autocast_around(compiled, made, x):
    with torch.autocast("cpu", torch.bfloat16):
        return compiled(x)


def inference_mode(compiled, made, x):
    with torch.inference_mode():
        return compiled(x)


def seeded(compiled, made, x):
    torch.manual_seed(3)
    return compiled(x), torch.rand(2)


def sgd_step(weight, gradient):
    weight.sub_(gradient, alpha=0.1)
    return weight.norm()


def positions(x):
    return torch.arange(5) * 2


def draw(x):
    return x + torch.empty_like(x).normal_() + torch.bernoulli(torch.full_like(x, 0.5))


def branches(yes, no):
    """A function that calls `yes` where the sum of its argument is above 0."""
    return lambda: lambda x: torch.cond(x.sum() > 0, yes, no, (x,))


def three_times(x):
    return while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), x))


def own_generator(x):
    return x + torch.rand(4, generator=torch.Generator().manual_seed(5))


def value_dependent(x):
    return x * 2 if x.sum().item() > 0 else x - 1


def argument(*shape: int) -> Callable[[], tuple[Any, ...]]:
    return lambda: (numbers(*shape),)


def shared(offset: int) -> tuple[torch.Tensor, torch.Tensor]:
    base = numbers(6)
    return base[:4], base[offset:offset + 4]


def quantised() -> tuple[Any, ...]:
    return (torch.quantize_per_tensor(numbers(4), 0.1, 0, torch.qint8),)


SIGNS = [lambda s=s: (numbers(5) + s,) for s in (1, -1, 2)]
POSITIONS = [lambda p=p: (torch.full((1, 1, 4), p + 1.0), torch.tensor([p])) for p in (0, 1, 5)]
SGD = train(lambda parameters: torch.optim.SGD(parameters, 0.1, momentum=0.9))
PROGRAMS = {
    "key_cache_index_copy": Program(lambda: Cache("index_copy"), POSITIONS, {"heddle"}),
    "key_cache_scatter": Program(lambda: Cache("scatter"), POSITIONS, {"heddle"}),
    "key_cache_index_put": Program(lambda: Cache("index_put"), POSITIONS, {"heddle"}),
    "row_of_an_argument": Program(lambda: row, twice(lambda: (torch.zeros(4, 3), numbers(3))), {"heddle"}),
    "argument_doubled": Program(lambda: lambda x: x.mul_(2).sum(), twice(argument(6)), {"heddle"}),
    "argument_out": Program(lambda: written_out, twice(lambda: (numbers(3), torch.zeros(3))), {"heddle"}),
    "relu_in_place": Program(lambda: nn.ReLU(inplace=True), twice(argument(6)), {"heddle"}),
    "writes_to_own_memory": Program(lambda: local_writes, twice(argument(4, 3)), {"heddle"}),
    "overlapping_arguments": Program(lambda: overlapping, [lambda: shared(1), lambda: shared(2)], None),
    "same_argument_twice": Program(lambda: lambda a, b: a * 2 + b, twice(lambda: (numbers(3),) * 2), {"heddle"}),
    "counters": Program(Counter, twice(argument(3)), {"heddle"}),
    "renormalised_embedding": Program(lambda: nn.Embedding(5, 3, max_norm=0.5), twice(lambda: (torch.tensor([1, 4]),)), {"heddle"}),
    "statistics_in_training": Program(lambda: Norm().train(), twice(argument(5, 6)), {"heddle"}),
    "statistics_after_training": Program(lambda: Norm().eval(), twice(argument(5, 6)), {"heddle"}),
    "step_of_an_optimiser": Program(lambda: sgd_step, twice(lambda: (numbers(5), numbers(5))), {"heddle"}),
    "view_of_an_argument": Program(lambda: lambda x: (x.view(-1), x + 1), twice(argument(2, 3)), {"heddle"}, write_to_first),
    "view_of_a_buffer": Program(Window, twice(argument(3)), {"heddle"}, write_to_first),
    "results_that_share_memory": Program(lambda: lambda x: (x * 2).chunk(2), twice(argument(4, 3)), {"heddle"}, write_to_first),
    "results_that_overlap": Program(lambda: lambda x: (y := x * 2, y[1:]), twice(argument(4, 3)), {"heddle"}, write_to_first),
    "nothing_but_views": Program(lambda: lambda x: (x.view(-1), x[1:]), twice(argument(2, 3)), {"view"}, write_to_first),
    "views_by_free_sizes": Program(lambda: lambda x: (y := x * 2, y.view(x.shape[0] * 2, -1), x.view(-1, 2), x.sum(0)),
                                   [lambda n=n: (numbers(n, 4),) for n in (3, 5, 2, 9)], {"heddle"}, write_to_first),
    "view_then_write": Program(lambda: view_then_write, twice(argument(4, 3)), {"heddle"}, write_to_first),
    "write_through_a_view": Program(lambda: write_through_a_view, twice(argument(4, 3)), None, write_to_first),
    "parts_of_a_sort": Program(lambda: lambda x: (v := x.sort(0).values, v[0], x.max(1).indices), twice(argument(4, 3)), {"heddle"}, write_to_first),
    "views_of_a_transposed": Program(lambda: lambda x: (y := (x * 2).T, y[0]), twice(argument(4, 3)), {"heddle"}, write_to_first),
    "transposed_result": Program(lambda: lambda x: (x + 1).T, twice(argument(4, 3)), {"heddle"}),
    "attention": Program(lambda: lambda x: F.scaled_dot_product_attention(x, x, x), twice(argument(1, 2, 5, 4)), {"heddle"}),
    "attention_with_dropout": Program(lambda: lambda x: F.scaled_dot_product_attention(x, x, x, dropout_p=0.5), twice(argument(1, 2, 5, 4)), {"heddle", "random"}),
    "attention_in_inference_mode": Program(lambda: nn.MultiheadAttention(4, 2, batch_first=True).eval(), twice(lambda: (numbers(1, 5, 4),) * 3), None, run=inference_mode),
    "transformer_layer": Program(lambda: nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval(), twice(argument(1, 5, 4)), None),
    "long_short_term_memory": Program(lambda: nn.LSTM(4, 3, 2).eval(), twice(argument(5, 1, 4)), None),
    "gated_recurrent_unit": Program(lambda: nn.GRU(4, 3, bidirectional=True).eval(), twice(argument(5, 1, 4)), None),
    "convolutions": Program(lambda: nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3),
                                                  nn.GroupNorm(1, 3), nn.Dropout(), nn.Hardswish(inplace=True)).eval(), twice(argument(2, 1, 8, 8)), {"heddle"}),
    "generator_of_its_own": Program(lambda: own_generator, twice(argument(4)), None),
    "branches": Program(branches(lambda x: x * 2, lambda x: x - 1), SIGNS, {"heddle", "control"}),
    "branch_that_draws": Program(branches(lambda x: x * 2, lambda x: x + torch.rand_like(x)), SIGNS, {"heddle", "control", "random"}),
    "loop": Program(lambda: three_times, SIGNS, {"heddle", "control"}),
    "as_strided": Program(lambda: lambda x: torch.as_strided(x, (2, 2), (1, 2)) + 1, twice(lambda: (numbers(3, 4).T,)), {"heddle", "translation"}),
    "dropout": Program(lambda: Net(0.5).train(), twice(argument(3, 6)), {"heddle", "random"}),
    "dropout_in_evaluation": Program(lambda: Net(0.5).eval(), twice(argument(3, 6)), {"heddle"}),
    "draws": Program(lambda: draw, twice(argument(5)), {"heddle", "random"}),
    "draws_of_a_seed": Program(lambda: lambda x: x + torch.rand_like(x), twice(argument(5)), {"heddle", "random"}, run=seeded),
    "training_sgd": Program(lambda: Net(0.2).train(), twice(argument(5, 6)), {"heddle", "random"}, run=SGD, grad=True),
    "training_norm": Program(lambda: Norm().train(), twice(argument(5, 6)), {"heddle"}, run=SGD, grad=True),
    "training_and_inference": Program(lambda: Net().eval(), twice(argument(5, 6)), {"heddle"}, run=train_then_infer, grad=True),
    "gradient_of_an_argument": Program(lambda: lambda x: (x * x).sum(), twice(lambda: (numbers(4).requires_grad_(),)), {"heddle"},
                                       run=lambda compiled, made, x: compiled(x).backward() or x.grad, grad=True),
    "statistics_of_the_call": Program(lambda: lambda x: F.batch_norm(x, None, None, training=True), twice(argument(5, 6)), {"heddle"}),
    "same_result_twice": Program(lambda: lambda x: (y := x * 2, y), twice(argument(4, 3)), None, write_to_first),
    "weights_get_other_memory": Program(lambda: evaluated(Net()), twice(argument(3, 6)), {"heddle"}, change_data),
    "weights_loaded": Program(lambda: evaluated(Net()), twice(argument(3, 6)), {"heddle"}, load_others),
    "layers_of_one_graph": Program(one_layer, twice(argument(3, 6)), {"heddle"}, run=through_layers),
    "tied_weights": Program(lambda: evaluated(Tied()), twice(lambda: (torch.tensor([[1, 2, 6]]),)), {"heddle"}),
    "state_in_an_attribute": Program(lambda: evaluated(Recurrent()), twice(argument(1, 6)), None),
    "whole_number_that_changes": Program(lambda: lambda x, step: x * step + step, [lambda s=s: (numbers(3), s) for s in (2, 5, 9)], {"heddle"}),
    "real_number_that_changes": Program(lambda: lambda x, step: x * step, [lambda s=s: (numbers(3), s) for s in (0.5, 0.25, 0.125)], None),
    "slice_bound_that_changes": Program(lambda: lambda x, end: x[:end] + 1, [lambda s=s: (numbers(9), s) for s in (2, 5, 7)], None),
    "batch_that_changes": Program(lambda: evaluated(Net()), [lambda n=n: (numbers(n, 6),) for n in (3, 5, 1, 9)], {"heddle"}),
    "value_dependent": Program(lambda: value_dependent, SIGNS, None),
    "complex_result": Program(lambda: lambda x: torch.fft.rfft(x), twice(argument(8)), {"heddle"}),
    "complex_argument": Program(lambda: lambda x: x.abs(), twice(lambda: (torch.fft.fft(numbers(8)),)), {"heddle"}),
    "complex_inside": Program(lambda: lambda x: torch.fft.rfft(x).abs(), twice(argument(8)), None),
    "sparse_argument": Program(lambda: lambda x: x @ torch.ones(3, 1), twice(lambda: (torch.eye(3).to_sparse(),)), None),
    "quantised_argument": Program(lambda: lambda x: x.dequantize() + 1, twice(quantised), None),
    "no_arguments": Program(lambda: lambda: positions(None), twice(lambda: ()), {"heddle"}),
    "autocast_inside": Program(lambda: autocast_inside, twice(argument(3, 4)), {"heddle"}),
    "autocast_around": Program(lambda: evaluated(Net()), twice(argument(3, 6)), {"heddle"}, run=autocast_around),
    "inference_mode": Program(lambda: evaluated(Net()), twice(argument(3, 6)), {"heddle"}, run=inference_mode),
    "no_translation": Program(lambda: lambda x: torch.ops.heddle_test.untranslated(x) * 2, twice(argument(5)), {"heddle", "translation"}),
    "dropped_attribute": Program(lambda: lambda x: F.avg_pool2d(x, 2, divisor_override=3), twice(argument(1, 1, 4, 4)), {"heddle"}),
    "index_out_of_range_later": Program(lambda: lambda x, i: x[i] * 2, [lambda i=i: (numbers(5), torch.tensor([i])) for i in (1, -1, 7, 2)], None),
    "brain_floats": Program(lambda: lambda x: (x @ x.T).softmax(-1), twice(lambda: (numbers(3, 4).bfloat16(),)), {"heddle"}),
}
