# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of networks through the translation of ATen graphs: forward and gradients, of fixed and free sizes, against PyTorch.

Needs torch; `make torch` runs it. Values are those of one seed.
"""
import pathlib
import sys
import tempfile
import unittest

import torch
from torch import nn
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import translation  # noqa: E402


class Attention(nn.Module):
    def __init__(self, causal=False, masked=False):
        super().__init__()
        self.project, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.causal, self.masked = causal, masked

    def forward(self, x):
        query, key, value = (part.unflatten(-1, (2, 8)).transpose(1, 2) for part in self.project(x).chunk(3, -1))
        mask = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril(1) if self.masked else None
        made = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=self.causal)
        return self.out(made.transpose(1, 2).flatten(2))


class Last(nn.Module):
    """The first of what a recurrent module gives."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x)[0]


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(11, 8, padding_idx=0), nn.Linear(8, 5)

    def forward(self, tokens):
        scores = self.head(self.table(tokens))
        return F.cross_entropy(scores.flatten(0, 1), tokens.flatten() % 5, ignore_index=3, label_smoothing=0.1)


def image(*layers):
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), *layers), (torch.randn(2, 3, 9, 8),)


MODULES = {
    "linear": lambda: (nn.Sequential(nn.Linear(6, 7), nn.GELU(), nn.Linear(7, 5), nn.SiLU(), nn.Linear(5, 3), nn.Softmax(-1)), (torch.randn(4, 6),)),
    "layer_norm": lambda: (nn.Sequential(nn.LayerNorm(6), nn.Tanh(), nn.LayerNorm(6, elementwise_affine=False)), (torch.randn(4, 5, 6),)),
    "rms_norm": lambda: (nn.Sequential(nn.RMSNorm(6), nn.ELU()), (torch.randn(4, 5, 6),)),
    "encoder": lambda: (nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True, norm_first=True), (torch.randn(2, 5, 16),)),
    "attention": lambda: (Attention(), (torch.randn(2, 5, 16),)),
    "causal_attention": lambda: (Attention(causal=True), (torch.randn(2, 5, 16),)),
    "masked_attention": lambda: (Attention(masked=True), (torch.randn(2, 5, 16),)),
    "lstm": lambda: (Last(nn.LSTM(4, 5, num_layers=2, batch_first=True, bidirectional=True)), (torch.randn(2, 3, 4),)),
    "gru": lambda: (Last(nn.GRU(4, 5, batch_first=True)), (torch.randn(2, 3, 4),)),
    "classifier": lambda: (Classifier(), (torch.randint(0, 11, (3, 4)),)),
    "residual": lambda: image(nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1), nn.Conv2d(8, 8, 3, stride=2, padding=1, groups=2), nn.AdaptiveAvgPool2d(1)),
    "pools": lambda: image(nn.AvgPool2d(2, ceil_mode=True), nn.LeakyReLU(), nn.AdaptiveAvgPool2d((3, 2)), nn.Hardswish(), nn.AdaptiveMaxPool2d(2)),
    "group_norm": lambda: image(nn.GroupNorm(4, 8), nn.Mish(), nn.InstanceNorm2d(8, affine=True)),
    "transposed": lambda: image(nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, output_padding=1), nn.Softplus(), nn.Upsample(scale_factor=2)),
    "resized": lambda: image(nn.Upsample(size=(5, 7), mode="bilinear"), nn.ReflectionPad2d(1), nn.PixelShuffle(2)),
    "dilated": lambda: image(nn.Conv2d(8, 6, (3, 2), dilation=(2, 1), padding=(2, 0), stride=(1, 3)), nn.Hardsigmoid(), nn.Conv2d(6, 4, 1, padding=2)),
}
FIXED = ("residual", "pools", "group_norm", "transposed", "resized", "dilated", "lstm", "gru")  # loops and images of free sizes: forward, by op_db


class TranslationTest(unittest.TestCase):
    def run_module(self, name, backward, dynamic=False, dtype=torch.float32):
        torch.manual_seed(0)
        module, inputs = MODULES[name]()
        module = module.to(dtype)
        inputs = [value.to(dtype) if value.is_floating_point() else value for value in inputs]
        names, values = zip(*module.named_parameters(), *module.named_buffers())

        def function(*tensors):
            state = {name: tensor.clone() for name, tensor in zip(names, tensors)}  # buffers are written to
            return [torch.func.functional_call(module, state, tuple(tensors[len(names):])).clone()]
        trained = {id(value) for value in module.parameters()} | {id(value) for value in inputs if value.is_floating_point()}
        tensors = [value.detach().requires_grad_(backward and id(value) in trained) for value in (*values, *inputs)]
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION):
            graph = translation.graph_of(function, tensors, backward, dynamic)
        self.assertEqual({}, translation.untranslated(graph))
        given = [tensor.detach() for tensor in tensors]
        places = [node.meta["val"] for node in graph.graph.nodes if node.op == "placeholder"][len(given):]
        given += [torch.randn(tuple(map(int, place.shape))).to(place.dtype) for place in places]
        want = [leaf for leaf in torch.utils._pytree.tree_leaves(translation.interpret(graph, given)) if isinstance(leaf, torch.Tensor)]
        self.assertIsNone(translation.differs(translation.run_translated(graph, given), want))

    def test_the_same_constants_are_one(self):
        from heddle._torch.translate.builder import Builder
        b = Builder()
        self.assertEqual(b.const(1, torch.int64), b.const(1, torch.int64))
        self.assertNotEqual(b.const(1, torch.int64), b.const(True, torch.bool))
        self.assertNotEqual(b.const(0.0, torch.float32), b.const(-0.0, torch.float32))

    def test_large_weights_lie_beside_the_model(self):
        from heddle._torch import translate
        graph = translation.graph_of(lambda x, w: [x @ w], [torch.randn(2, 64), torch.randn(64, 64)], False, False)
        weight = torch.randn(64, 64)
        second = [node.name for node in graph.graph.nodes if node.op == "placeholder"][1]
        model = translate.translate(graph, {second: weight})
        self.assertEqual([weight.data_ptr()], [tensor.data_ptr() for tensor in model.tensors.values()])
        self.assertLess(len(model.data), 1000)
        with tempfile.TemporaryDirectory() as folder:
            translate.write(model, pathlib.Path(folder))
            self.assertEqual(weight.numpy().tobytes(), (pathlib.Path(folder) / "weights").read_bytes())

    def test_reasons(self):
        from heddle._torch import translate
        graph = translation.graph_of(lambda x: [torch.rand_like(x), torch.topk(x.long(), 2)[1], x.double()], [torch.randn(4)], False, False)
        reasons = {str(node.target): translate.why_not(node) for node in graph.graph.nodes if node.op == "call_function"}
        self.assertEqual("no translation", reasons["aten.rand_like.default"] if "aten.rand_like.default" in reasons else reasons["aten.rand.default"])
        self.assertIn("equal", reasons["aten.topk.default"])
        self.assertIsNone(reasons["aten._to_copy.default"])

    def test_max_pools_keep_nan(self):
        x = torch.randn(1, 2, 9, 8)
        x[torch.rand(x.shape) < 0.1] = torch.nan
        for function in (lambda x: [F.max_pool2d(x, 3, 2, 1)], lambda x: list(F.max_pool2d(x, 3, 2, 1, return_indices=True))):
            graph = translation.graph_of(function, [x], False, False)
            self.assertIsNone(translation.differs(translation.run_translated(graph, [x]), function(x)))

    def test_integer_division_by_zero_fails(self):
        graph = translation.graph_of(lambda x, y: [torch.div(x, y, rounding_mode="floor")], [torch.arange(4), torch.arange(4)], False, False)
        self.assertIsNone(translation.differs(translation.run_translated(graph, [torch.arange(-2, 2), torch.tensor([3, -3, 2, 1])]),
                                              [torch.tensor([-1, 0, 0, 1])]))
        with self.assertRaises(Exception) as caught:
            translation.run_translated(graph, [torch.arange(4), torch.arange(4)])
        self.assertEqual("KernelFailedError", type(caught.exception).__name__)


for _name in MODULES:
    setattr(TranslationTest, f"test_{_name}", lambda self, name=_name: self.run_module(name, False))
    setattr(TranslationTest, f"test_{_name}_gradients", lambda self, name=_name: self.run_module(name, True))
    if _name not in FIXED:
        setattr(TranslationTest, f"test_{_name}_free", lambda self, name=_name: self.run_module(name, True, True))
for _name in ("linear", "attention", "residual", "layer_norm"):
    setattr(TranslationTest, f"test_{_name}_bfloat16", lambda self, name=_name: self.run_module(name, False, dtype=torch.bfloat16))

if __name__ == "__main__":
    unittest.main()
