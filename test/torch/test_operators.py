# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators through the translation of ATen graphs, forward and gradients, against PyTorch: forms that `op_db` has not, or few of.

Needs torch; `make torch-ops` runs it. Values are those of one seed.
"""
import pathlib
import sys
import unittest

import mpmath
import torch
from torch.nn import functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import translation  # noqa: E402

INF, NAN = float("inf"), float("nan")
SPECIAL = torch.special


def normal(*shape, scale=1.0, dtype=torch.float32):
    return (torch.randn(*shape) * scale).to(dtype)


def wide_range():
    """Both sides of where ranges of approximations meet, and far away."""
    return torch.cat([torch.linspace(-30, 30, 241), torch.tensor([0.0, 1e-6, 8.0, 8.0001, 2.0, 2.0001, 4.0, -4.0001, 90.0, 1e3])])


TRUE = {"bessel_j0": lambda x: mpmath.besselj(0, x), "bessel_j1": lambda x: mpmath.besselj(1, x),
        "bessel_y0": lambda x: mpmath.bessely(0, x), "bessel_y1": lambda x: mpmath.bessely(1, x),
        "modified_bessel_k0": lambda x: mpmath.besselk(0, x), "modified_bessel_k1": lambda x: mpmath.besselk(1, x),
        "scaled_modified_bessel_k0": lambda x: mpmath.besselk(0, x) * mpmath.exp(x),
        "scaled_modified_bessel_k1": lambda x: mpmath.besselk(1, x) * mpmath.exp(x), "airy_ai": mpmath.airyai}
FORWARD = {
    **{f"special_{name}": (lambda x, name=name: [getattr(SPECIAL, name)(x)], lambda: [wide_range()]) for name in TRUE},
    "trunc_bfloat16": (lambda x, y: [torch.div(x, y, rounding_mode="trunc")], lambda: [normal(4000, scale=8, dtype=torch.bfloat16),
                                                                                      normal(4000, scale=4, dtype=torch.bfloat16)]),
    "floor_bfloat16": (lambda x, y: [torch.div(x, y, rounding_mode="floor")], lambda: [normal(4000, scale=8, dtype=torch.bfloat16),
                                                                                      normal(4000, scale=4, dtype=torch.bfloat16)]),
    "floor_by_one_number_bfloat16": (lambda x: [torch.div(x, 3.3, rounding_mode="floor"), torch.div(x, 3.3, rounding_mode="trunc")],
                                     lambda: [normal(4000, scale=8, dtype=torch.bfloat16)]),
    "histc_bfloat16": (lambda x: [torch.histc(x, 100), torch.histc(x, 7, -10, 10)], lambda: [normal(1000, scale=4, dtype=torch.bfloat16)]),
    "nextafter_bfloat16": (lambda x, y: [torch.nextafter(x, y)], lambda: [
        torch.tensor([0.0, -0.0, 0.0, 1.0, -1.0, 1.0, INF, -INF, 2.0, NAN, 3.0]).bfloat16(),
        torch.tensor([1.0, -1.0, 0.0, 2.0, -2.0, 0.0, 0.0, 0.0, 2.0, 0.0, NAN]).bfloat16()]),
    "frexp_half": (lambda x: list(torch.frexp(x)), lambda: [torch.tensor([0.0, 1.0, -3.5, 6e-8, 6e-5, 65504.0, INF, NAN]).half()]),
    "mode": (lambda x: [*torch.mode(x, 0), torch.mode(x, 1)[0], *torch.mode(x > 0, 0)], lambda: [torch.randint(-2, 3, (9, 40)).float()]),
    "mode_of_nan": (lambda x: list(torch.mode(x)), lambda: [torch.tensor([[NAN, 1.0, 1.0], [NAN, NAN, NAN], [-0.0, 0.0, 1.0]])]),
    "logcumsumexp": (lambda x: [torch.logcumsumexp(x, 1)], lambda: [torch.tensor([[-INF, -INF, 1.0, 2.0, 90.0], [1.0, INF, 2.0, -INF, 0.0]])]),
    "antialias": (lambda x: [F.interpolate(x, size, mode=mode, antialias=True, align_corners=corners) for size in ((3, 9), (11, 4), (8, 8))
                             for mode in ("bilinear", "bicubic") for corners in (False, True)], lambda: [normal(2, 3, 8, 7)]),
    "histogram": (lambda x, w: [*torch.histogram(x, 5), *torch.histogram(x, 4, range=(-1.0, 1.0), weight=w, density=True),
                                *torch.histogram(x, torch.tensor([-2.0, -0.5, 0.0, 3.0]))], lambda: [normal(200), normal(200).abs()]),
    "histogram_of_edges": (lambda x: [*torch.histogram(x, 4, range=(0.0, 1.0))], lambda: [torch.linspace(-0.25, 1.25, 13)]),
    "segments": (lambda x, n: [torch.segment_reduce(x, kind, lengths=n, axis=0, initial=initial) for kind in ("sum", "mean", "max", "min", "prod")
                               for initial in (None, 2.0)], lambda: [normal(7, 3), torch.tensor([2, 0, 4, 1])]),
    "bags": (lambda w, i, o: [F.embedding_bag(i, w, o, mode=mode, padding_idx=pad) for mode in ("sum", "mean", "max") for pad in (None, 1)],
             lambda: [normal(6, 4), torch.tensor([1, 2, 4, 5, 4, 1, 2, 1]), torch.tensor([0, 3, 3, 7])]),
    "bags_with_weights": (lambda w, i, o, s: [F.embedding_bag(i, w, o, mode="sum", per_sample_weights=s, include_last_offset=True)],
                          lambda: [normal(6, 4), torch.tensor([1, 2, 4, 5]), torch.tensor([0, 1, 4]), normal(4)]),
    "determinants": (lambda x: [torch.linalg.det(x), *torch.linalg.slogdet(x), torch.linalg.det(x.mT)], lambda: [normal(3, 4, 4)]),
    "empty_determinants": (lambda x: [torch.linalg.det(x), *torch.linalg.slogdet(x)], lambda: [normal(3, 0, 0)]),
    "reflections": (lambda x, t, y: [torch.ormqr(x, t, y), torch.ormqr(x, t, y, transpose=True), torch.ormqr(x, t, y.mT, left=False)],
                    lambda: [*torch.geqrf(normal(5, 3)), normal(5, 2)]),
    "systems": (lambda f, p, y: [torch.linalg.lu_solve(f, p, y, adjoint=adjoint) for adjoint in (False, True)] +
                [torch.linalg.lu_solve(f, p, y.mT, left=False, adjoint=adjoint) for adjoint in (False, True)],
                lambda: [*torch.linalg.lu_factor(normal(2, 4, 4)), normal(2, 4, 3)]),
    "bits": (lambda x: [torch.hash_tensor(x), torch.hash_tensor(x, 0), torch.hash_tensor(x.long(), 1, keepdim=True)], lambda: [normal(5, 6, scale=9)]),
}
GRADIENTS = {
    "solve": (lambda a, b: [torch.linalg.solve(a, b), torch.linalg.solve(a.mT, b)], lambda: [normal(2, 4, 4), normal(2, 4, 3)]),
    "solve_right": (lambda a, b: [torch.linalg.solve(a, b, left=False)], lambda: [normal(4, 4), normal(3, 4)]),
    "determinant": (lambda a: [torch.linalg.det(a), torch.linalg.det(a.mT), torch.linalg.slogdet(a)[1]], lambda: [normal(4, 4)]),
    **{f"distances_{p}": (lambda x, y, p=p: [torch.cdist(x, y, p), F.pdist(x, p)], lambda: [normal(5, 3), normal(4, 3)])
       for p in (0.5, 1.0, 2.0, 3.0, INF)},
    # More channels than taps, whose weights are turned as matrices.
    **{f"convolution_{name}": (lambda x, w, how=how: [how(x, w)], lambda shapes=shapes: [normal(*shape) for shape in shapes]) for name, how, *shapes in (
        ("plain", lambda x, w: F.conv2d(x, w, padding=1), (2, 20, 5, 6), (24, 20, 3, 3)),
        ("strided", lambda x, w: F.conv2d(x, w, stride=2, padding=(1, 2)), (2, 20, 7, 6), (24, 20, 3, 5)),
        ("dilated", lambda x, w: F.conv2d(x, w, dilation=(1, 2)), (1, 16, 6, 9), (20, 16, 2, 3)),
        ("groups", lambda x, w: F.conv2d(x, w, padding=1, groups=2), (2, 40, 5, 5), (24, 20, 3, 3)),
        ("line", lambda x, w: F.conv1d(x, w, padding=2), (2, 17, 9), (33, 17, 5)),
        ("back", lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=1), (2, 24, 4, 5), (24, 20, 3, 4)),
        ("volume", lambda x, w: F.conv3d(x, w, padding=1), (1, 12, 3, 4, 5), (16, 12, 3, 3, 3)))},
    "antialias": (lambda x: [F.interpolate(x, (3, 9), mode="bilinear", antialias=True)], lambda: [normal(2, 3, 8, 7)]),
    "logcumsumexp": (lambda x: [torch.logcumsumexp(x, 1)], lambda: [normal(3, 6)]),
    "segments": (lambda x: [torch.segment_reduce(x, kind, lengths=torch.tensor([2, 0, 4, 1]), axis=0, initial=1.5)
                            for kind in ("sum", "mean", "max", "min")], lambda: [normal(7, 3)]),
}
BAGS = (torch.tensor([1, 2, 4, 5, 4, 1, 2, 1]), torch.tensor([0, 3, 3, 7]))
GRADIENTS.update({
    **{f"bags_{mode}_{pad}": (lambda w, mode=mode, pad=pad: [F.embedding_bag(BAGS[0], w, BAGS[1], mode=mode, padding_idx=pad)],
                              lambda: [normal(6, 4)]) for mode in ("sum", "mean", "max") for pad in (None, 1)},
    "bags_by_frequency": (lambda w: [F.embedding_bag(BAGS[0], w, BAGS[1], mode=mode, scale_grad_by_freq=True) for mode in ("sum", "mean")],
                          lambda: [normal(6, 4)]),
    "bags_with_weights": (lambda w, s: [F.embedding_bag(BAGS[0], w, torch.tensor([0, 2, 5, 8]), mode="sum", per_sample_weights=s, padding_idx=pad,
                                                        include_last_offset=True) for pad in (None, 4)], lambda: [normal(6, 4), normal(8)]),
    "bags_of_equal_rows": (lambda w: [F.embedding_bag(BAGS[0], w * 0 + 1, BAGS[1].int().long(), mode="max")], lambda: [normal(6, 4)]),
    "bags_of_rows": (lambda w: [F.embedding_bag(BAGS[0].reshape(2, 4), w, mode="mean")], lambda: [normal(6, 4)]),
    "diagonals": (lambda x: [x.diagonal(k) * 2 for k in (0, 2, -1)] + [x.diagonal(1, 0, 2).exp()], lambda: [normal(3, 5, 4)]),
})
HOWS = [(padding, corners) for padding in ("zeros", "border", "reflection") for corners in (False, True)]
SAMPLES = {f"samples_{mode}_{rank}d": (mode, rank) for mode in ("bilinear", "nearest", "bicubic") for rank in (2, 3) if (mode, rank) != ("bicubic", 3)}
GRADIENTS.update({name: (lambda x, grid, mode=mode: [F.grid_sample(x, grid, mode, *how) for how in HOWS],
                         lambda rank=rank: [normal(2, 3, *(5, 7, 4)[:rank]), normal(2, *(4, 6, 3)[:rank], rank, scale=0.9)])
                  for name, (mode, rank) in SAMPLES.items()})
GRADIENTS["samples_of_one_element"] = (lambda x, grid: [F.grid_sample(x, grid, "bilinear", *how) for how in HOWS], lambda: [normal(1, 2, 1, 3), normal(1, 2, 2, 2)])
GRADIENTS["weight_norm"] = (lambda v, g: [torch._weight_norm(v, g, 0), torch._weight_norm(v, g.mT, 1)], lambda: [normal(4, 4), normal(4, 1)])
GRADIENTS["matrix_exp"] = (lambda x, y: [torch.linalg.matrix_exp(x), torch.linalg.matrix_exp(y)], lambda: [normal(2, 4, 4), normal(3, 3, scale=4)])
GRADIENTS["igamma"] = (lambda x: [torch.igamma(torch.full_like(x, 2.5).detach(), x), torch.igammac(torch.full_like(x, 0.3).detach(), x)],
                       lambda: [torch.rand(20) * 5 + 0.1])
FORWARD.update({f"{name}_half": (lambda x, grid, mode=mode: [F.grid_sample(x, grid, mode, *how) for how in HOWS],
                                 lambda rank=rank: [normal(2, 3, *(5, 7, 4)[:rank], dtype=torch.float16),
                                                    normal(2, *(4, 6, 3)[:rank], rank, scale=0.9, dtype=torch.float16)])
                for name, (mode, rank) in SAMPLES.items() if mode != "bicubic"})
FORWARD["matrix_exp"] = (lambda x, y, z: [torch.linalg.matrix_exp(x), torch.linalg.matrix_exp(y), torch.linalg.matrix_exp(z)], lambda: [
    torch.stack([torch.zeros(4, 4), normal(4, 4), normal(4, 4, scale=0.01), torch.diag(torch.tensor([-80.0, 1.0, 20.0, 0.0]))]),
    (lambda m: m - m.mT)(normal(5, 5, scale=300, dtype=torch.float64)), normal(1, 1)])
GAMMAS = torch.cartesian_prod(torch.tensor([0.0, 1e-3, 0.5, 1.0, 2.5, 19.0, 70.0, 300.0, 1e4, 3e6, INF, -1.0, NAN]),
                              torch.tensor([0.0, 1e-4, 0.7, 1.0, 2.0, 20.0, 65.0, 310.0, 1.01e4, 2.999e6, INF, -2.0, NAN]))
FORWARD["igamma"] = (lambda a, x: [torch.igamma(a, x), torch.igammac(a, x)], lambda: [GAMMAS[:, 0].contiguous(), GAMMAS[:, 1].contiguous()])
FORWARD["igamma_of_doubles"] = (lambda a, x: [torch.igamma(a, x), torch.igammac(a, x)], lambda: [GAMMAS[:, 0].double(), GAMMAS[:, 1].double()])
IMAGE = (lambda: [normal(2, 3, 11, 8)])
FREE = {  # of sizes that are free
    "max_pools": (lambda x: [F.max_pool2d(x, k, s, p, ceil_mode=True) for k, s, p in ((3, 2, 0), (2, 2, 0), (3, 2, 1), (2, 3, 1))] +
                  [*F.max_pool2d(x, 3, 2, 1, 1, True, True)], IMAGE),
    "average_pools": (lambda x: [F.avg_pool2d(x, k, s, p, True, inside) for k, s, p in ((3, 2, 0), (2, 2, 0), (3, 2, 1), (2, 3, 1))
                                 for inside in (True, False)] + [F.avg_pool2d(x, 3, 2, 1, False, inside) for inside in (True, False)] +
                      [F.avg_pool2d(x, 3, 2, 1, divisor_override=5)], IMAGE),
    "written_runs": (lambda x: [x.slice_scatter(x[:, :, :4] * 2, 2, x.shape[3] - 5, x.shape[3] - 1), torch.zeros(20).slice_scatter(
        torch.ones(4), 0, x.shape[2], x.shape[2] + 4), torch.zeros(2, 20).slice_scatter(torch.ones(2, 4), 1, x.shape[2], x.shape[2] + 4),
        torch.zeros(17, 20).slice_scatter(torch.ones(17, 4), 1, x.shape[2], x.shape[2] + 4),
        torch.zeros(2, 20).slice_scatter(x[0, :2, 0], 1, 3, 3 + x.shape[3])], IMAGE),
    "transforms": (lambda x: [torch.view_as_real(torch.fft.fft(x, dim=2)), torch.fft.irfft2(torch.fft.rfft2(x), s=x.shape[-2:]),
                              torch.view_as_real(torch.fft.ifft2(x, norm="ortho")), torch.fft.hfft(x, n=2 * (x.shape[-1] - 1))], IMAGE),
    "diagonals": (lambda x: [x.diagonal(k, 2, 3) for k in (0, 2, -3)] + [x.diagonal(-1, 3, 1)], IMAGE),
    "written_diagonals": (lambda x: [x.diagonal_scatter(x.diagonal(k, 2, 3) * 2, k, 2, 3) for k in (0, 2, -3)], IMAGE),
    "bags": (lambda w, i, o: [F.embedding_bag(i, w, o, mode=mode, padding_idx=pad) for mode in ("sum", "mean", "max") for pad in (None, 1)],
             lambda: [normal(6, 4), *BAGS]),
}
LAYOUTS = {  # whose results lie as their operand does
    "adaptive_avg_pool": lambda x: F.adaptive_avg_pool2d(x, (4, 5)), "adaptive_max_pool": lambda x: F.adaptive_max_pool2d(x, 3),
    "whole_pool": lambda x: F.adaptive_avg_pool2d(x, 3), "channel_shuffle": lambda x: F.channel_shuffle(x, 2), "roll": lambda x: x.roll(1, 2),
    "flat_roll": lambda x: x.roll(3), "max_pool": lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), "resize": lambda x: F.interpolate(x, (5, 5), mode="bicubic"),
}


class OperatorsTest(unittest.TestCase):
    def check(self, function, tensors, backward, dynamic=False):
        def whole(*given):
            return [leaf.clone() for leaf in function(*[tensor.clone() for tensor in given])]
        tensors = [tensor.requires_grad_(backward and tensor.is_floating_point()) for tensor in tensors]
        graph = translation.graph_of(whole, tensors, backward, dynamic)
        self.assertEqual({}, translation.untranslated(graph))
        inputs = [tensor.detach() for tensor in tensors]
        with torch.no_grad():
            want = whole(*inputs)
        if backward:
            results = whole(*tensors)
            seeds = [torch.randn_like(result) for result in results]
            want += torch.autograd.grad(results, tensors, seeds)
            inputs += seeds
        self.assertIsNone(translation.differs(translation.run_translated(graph, inputs), want))

    def test_the_memory_of_results(self):
        for layout in (torch.channels_last, torch.contiguous_format):
            x = torch.randn(2, 8, 9, 7).to(memory_format=layout)
            for name, function in LAYOUTS.items():
                graph = translation.graph_of(lambda x, function=function: [function(x)], [x], False, False)
                made = graph.graph.output_node().args[0][0].meta["val"]
                self.assertEqual((name, function(x).stride()), (name, made.stride()))
                self.assertEqual({}, translation.untranslated(graph))
                self.assertIsNone(translation.differs(translation.run_translated(graph, [x]), [function(x)]), name)

    def test_bessel_functions_of_doubles(self):
        """PyTorch's own are off by up to 2e-6 in the middle."""
        x = torch.cat([torch.linspace(0.25, 30, 120), torch.tensor([1e-6, 8.0, 8.0001, 2.0, 2.0001, 4.0001, 200.0])]).double()
        for name, function in TRUE.items():
            points = torch.cat([x, -x]) if name in ("airy_ai", "bessel_j0", "bessel_j1") else x
            want = torch.tensor([float(function(point)) for point in points.tolist()], dtype=torch.float64)
            graph = translation.graph_of(lambda x, name=name: [getattr(SPECIAL, name)(x)], [points], False, False)
            torch.testing.assert_close(translation.run_translated(graph, [points])[0], want, rtol=1e-12, atol=1e-14)

    def test_products_and_biases_are_rounded_once(self):
        """As PyTorch does; products that were rounded before made every fourth element another one."""
        torch.manual_seed(0)
        for dtype in (torch.bfloat16, torch.float16):
            b, x, y = normal(32, scale=8, dtype=dtype), normal(48, 40, scale=8, dtype=dtype), normal(40, 32, scale=8, dtype=dtype)
            for function in (torch.addmm, lambda b, x, y: torch.baddbmm(b, x[None], y[None]), lambda b, x, y: torch.addmv(x[:, 0], x, y[:, 0]),
                             lambda b, x, y: torch.addmm(b, x, y, beta=0.5, alpha=1.5)):
                graph = translation.graph_of(lambda *given, function=function: [function(*given)], [b, x, y], False, False)
                want = function(b.double(), x.double(), y.double()).to(dtype)
                differ = (translation.run_translated(graph, [b, x, y])[0] != want).double().mean()
                self.assertLess(float(differ), 0.01)

    def test_lengths_that_do_not_fit_fail(self):
        graph = translation.graph_of(lambda x, n: [torch.segment_reduce(x, "sum", lengths=n)], [normal(4), torch.tensor([1, 3])], False, False)
        self.assertIsNone(translation.differs(translation.run_translated(graph, [torch.ones(4), torch.tensor([1, 3])]), [torch.tensor([1.0, 3.0])]))
        for lengths in ([1, 2], [-1, 5]):
            with self.assertRaises(Exception) as caught:
                translation.run_translated(graph, [torch.ones(4), torch.tensor(lengths)])
            self.assertEqual("KernelFailedError", type(caught.exception).__name__)

    def test_vectors_of_signs_stay(self):
        for function in (lambda x: [torch.linalg.svd(x)[0]], lambda x: [torch.linalg.eigh(x)[1]]):
            self.assertIn("LAPACK", str(translation.untranslated(translation.graph_of(function, [normal(3, 3)], False, False))))
        self.check(lambda x: [torch.linalg.svdvals(x), torch.linalg.eigvalsh(x @ x.mT), torch.linalg.norm(x, "nuc")], [normal(3, 3)], False)


class RegionsTest(unittest.TestCase):
    """Torchvision's operator, where it is installed."""

    def test_regions(self):
        try:
            from torchvision.ops import roi_align
        except ImportError:
            self.skipTest("torchvision is not installed")
        torch.manual_seed(0)
        corner = torch.rand(9, 2) * 20 - 2
        boxes = torch.cat([torch.randint(0, 2, (9, 1)).float(), corner, corner + torch.rand(9, 2) * 12], 1)
        boxes[3, 3:] = boxes[3, 1:3]  # nothing
        for ratio in (-1, 0, 2):
            for aligned in (False, True):
                for dynamic in (False, True):
                    OperatorsTest().check(lambda x, boxes: [roi_align(x, boxes, (3, 5), 0.5, ratio, aligned)], [normal(2, 3, 11, 8), boxes],
                                          False, dynamic)


def case(table, name, backward, dynamic=False):
    def test(self):
        torch.manual_seed(0)
        function, inputs = table[name]
        self.check(function, inputs(), backward, dynamic)
    return test


for _name in FORWARD:
    setattr(OperatorsTest, f"test_{_name}", case(FORWARD, _name, False))
for _name in GRADIENTS:
    setattr(OperatorsTest, f"test_{_name}_gradients", case(GRADIENTS, _name, True))
for _name in FREE:
    setattr(OperatorsTest, f"test_{_name}_of_free_sizes", case(FREE, _name, False, True))

if __name__ == "__main__":
    unittest.main()
