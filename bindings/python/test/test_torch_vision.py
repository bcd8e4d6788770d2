# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A slice of test/torch/models.py: networks of torchvision and timm by torch.compile(backend="heddle"), against eager. CI has no PyTorch
and skips this; `make torch-ops` runs it where torchvision and timm are installed."""
import importlib.util
import pathlib
import sys
import unittest
import warnings

if any(getattr(importlib.util.find_spec(name), "origin", None) is None for name in ("torch", "torchvision", "timm")):
    raise unittest.SkipTest("torch, torchvision and timm are not installed")

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test" / "torch"))
import heddle.torch  # noqa: E402
import models  # noqa: E402
import torch  # noqa: E402


class Vision(unittest.TestCase):
    """Whole in Heddle, and as eager."""

    def setUp(self):
        torch._dynamo.reset()
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def check(self, name, is_training=False):
        record = models.check(name, "heddle", is_training)
        self.assertEqual((None, []), (record["differs"], record["reasons"]))

    def test_networks(self):
        for name in ("tv_squeezenet1_1", "tv_shufflenet_v2_x0_5", "timm_lcnet_050", "timm_pit_ti_224"):
            with self.subTest(name):
                self.check(name)

    def test_detection(self):
        self.check("tv_detection.fasterrcnn_mobilenet_v3_large_320_fpn")

    def test_a_step_of_training(self):
        self.check("timm_lcnet_050", True)

    def test_images_of_free_sizes(self):
        """Its pools round the number of windows up."""
        heddle._fallback.forget()
        module, _ = models.prepare("tv_squeezenet1_1", False)
        image = torch.randn(1, 3, 97, 131)
        compiled = torch.compile(module, backend="heddle", dynamic=True, options={"fallback": False})
        with torch.no_grad():
            for height, width in ((96, 128), (97, 131), (64, 66)):
                x = image[:, :, :height, :width].contiguous()
                torch.testing.assert_close(compiled(x), module(x), rtol=1e-3, atol=1e-4)
        self.assertEqual(["heddle"], list(heddle.torch.report()))


if __name__ == "__main__":
    unittest.main()
