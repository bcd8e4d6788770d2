# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small whole programs as users write them, trained with torch.compile(backend="heddle") and by eager: losses and all that they leave
behind are the same, and nothing runs in PyTorch. CI has no PyTorch and skips this; `make torch-ops` runs it."""
import importlib.util
import unittest

if getattr(importlib.util.find_spec("torch"), "origin", None) is None:  # a folder of that name is no package
    raise unittest.SkipTest("torch is not installed")

import heddle.torch  # noqa: E402, F401
import torch  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional  # noqa: E402


class Queue(nn.Module):
    """Contrast with a queue of keys that is written in place behind a pointer, and a second network that follows the first."""

    def __init__(self):
        super().__init__()
        self.query, self.key = nn.Linear(6, 4), nn.Linear(6, 4)
        self.register_buffer("queue", functional.normalize(torch.randn(4, 12), dim=0))
        self.register_buffer("at", torch.zeros(1, dtype=torch.long))

    def forward(self, a, b):
        with torch.no_grad():
            for mine, theirs in zip(self.key.parameters(), self.query.parameters()):
                mine.data = mine.data * 0.9 + theirs.data * 0.1
            keys = functional.normalize(self.key(b), dim=1)
        queries = functional.normalize(self.query(a), dim=1)
        scores = torch.cat([(queries * keys).sum(1, keepdim=True), queries @ self.queue.clone().detach()], 1) / 0.07
        at = int(self.at)
        self.queue[:, at:at + keys.shape[0]] = keys.T
        self.at[0] = (at + keys.shape[0]) % 12
        return functional.cross_entropy(scores, torch.zeros(len(a), dtype=torch.long))


class Samples(nn.Module):
    """Attention to a few places of images, which it finds itself."""

    def __init__(self):
        super().__init__()
        self.offsets, self.weights, self.values = nn.Linear(8, 12), nn.Linear(8, 6), nn.Conv2d(3, 8, 1)

    def forward(self, queries, image, places):
        batch, count, _ = queries.shape
        offsets = self.offsets(queries).tanh().view(batch, count, 2, 3, 2) * 0.3
        weights = self.weights(queries).view(batch, count, 2, 3).softmax(-1)
        values = self.values(image).view(batch * 2, 4, *image.shape[-2:])
        grid = (places[:, :, None, None] * 2 - 1 + offsets).transpose(1, 2).reshape(batch * 2, count, 3, 2)
        read = functional.grid_sample(values, grid, "bilinear", "border", align_corners=False)
        return (read * weights.transpose(1, 2).reshape(batch * 2, 1, count, 3)).sum(-1).square().mean()


class Speech(nn.Module):
    """Spectra, a convolution and a recurrent layer, of sounds of several lengths."""

    def __init__(self):
        super().__init__()
        self.first, self.layer, self.last, self.norm = nn.Conv1d(17, 12, 3, 2, 1), nn.GRU(12, 8, batch_first=True), nn.Linear(8, 6), nn.BatchNorm1d(12)

    def forward(self, x):
        spectra = torch.stft(x, 32, 8, window=torch.hann_window(32), return_complex=True).abs().clamp(min=1e-5).log()
        return self.last(self.layer(functional.gelu(self.norm(self.first(spectra))).transpose(1, 2))[0]).log_softmax(-1).square().mean()


class Graph(nn.Module):
    """Attention along the edges of graphs of several sizes."""

    def __init__(self):
        super().__init__()
        self.first, self.weight, self.last = nn.Linear(5, 8, bias=False), nn.Parameter(torch.randn(16) * 0.1), nn.Linear(8, 3)

    def forward(self, x, edges):
        nodes, (source, target) = self.first(x), edges
        scores = functional.leaky_relu(torch.cat([nodes[source], nodes[target]], -1) @ self.weight, 0.2)
        peaks = torch.full((len(x),), -torch.inf).scatter_reduce(0, target, scores, "amax", include_self=False)
        shares = (scores - peaks[target]).exp()
        total = torch.zeros(len(x)).index_add(0, target, shares)
        mixed = torch.zeros_like(nodes).index_add(0, target, nodes[source] * (shares / total[target])[:, None])
        return self.last(functional.elu(mixed)).logsumexp(-1).mean()


def of_graph(size, count):
    edges = torch.randint(0, size, (2, count))
    return torch.randn(size, 5), torch.cat([edges, torch.arange(size).expand(2, size)], 1)


PROGRAMS = {
    "queue": (Queue, [lambda: (torch.randn(4, 6), torch.randn(4, 6))] * 5),
    "samples": (Samples, [lambda: (torch.randn(2, 6, 8), torch.randn(2, 3, 7, 5, requires_grad=True), torch.rand(2, 6, 2, requires_grad=True))] * 2),
    "speech": (Speech, [lambda: (torch.randn(3, 256),), lambda: (torch.randn(3, 320),)]),
    "graph": (Graph, [lambda: of_graph(9, 20), lambda: of_graph(14, 31), lambda: of_graph(6, 11)]),
}


class Trials(unittest.TestCase):
    def train(self, name, compiles):
        torch._dynamo.reset()
        torch.manual_seed(0)
        kind, batches = PROGRAMS[name]
        module, left = kind(), []
        called = torch.compile(module, backend="heddle", options={"fallback": False}) if compiles else module
        optimiser = torch.optim.SGD([parameter for key, parameter in module.named_parameters() if not key.startswith("key.")], 0.1)
        for batch in batches:
            arguments = batch()
            loss = called(*arguments)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            left += [loss.detach(), *[argument.grad for argument in arguments if argument.requires_grad]]
        return left, dict(module.state_dict())

    def check(self, name):
        torch.testing.assert_close(self.train(name, True), self.train(name, False), rtol=1e-3, atol=1e-4)

    def test_queue(self):
        self.check("queue")

    def test_samples(self):
        self.check("samples")

    def test_speech(self):
        self.check("speech")

    def test_graph(self):
        self.check("graph")


if __name__ == "__main__":
    unittest.main()
