# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MiniLM sentence encoder against ONNX Runtime: three batch sizes, three lengths, one artifact."""
import unittest

import numpy
import support
from support import DEVICES, error_bound, oracle

LAYERS = 6


def bound(length, scale):
    """On the way through a layer: query, key, value and output projections (384), scores (32), softmax and its product
    (the length), the two halves of the feed-forward block (384, 1536), two norms with their variances, GELU."""
    layer = [384, 32, length, length, 384, 384, 384, 1536, 384, 384, 384, 384, 16]
    return error_bound(layer * LAYERS + [384, 384], scale)


def sentences(batch, length, seed):
    """Token ids between [CLS] and [SEP], the rows after the first padded to different lengths."""
    generator = numpy.random.default_rng(seed)
    ids = generator.integers(1000, 30000, (batch, length))
    mask = numpy.ones((batch, length), numpy.int64)
    for row in range(batch):
        end = length if row == 0 else generator.integers(2, length)
        ids[row, 0], ids[row, end - 1] = 101, 102
        ids[row, end:], mask[row, end:] = 0, 0
    types = numpy.zeros((batch, length), numpy.int64)
    types[:, length // 2:] = 1
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


class MiniLMTest(support.EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.reference = staticmethod(oracle("minilm"))

    def test_agrees_with_onnxruntime(self):
        for batch in (1, 2, 5):
            for length in (7, 33, 128):
                feed = sentences(batch, length, seed=batch * 1000 + length)
                (want,) = self.reference(feed)
                atol = bound(length, scale=float(numpy.abs(want).max()))
                for device in DEVICES:
                    with self.subTest(batch=batch, length=length, device=device):
                        (got,) = self.run_model("minilm", feed, ["last_hidden_state"], device)
                        self.assert_close(got, want, atol)

    def test_dimensions_of_one_name_are_equal(self):
        feed = sentences(2, 9, seed=1)
        feed["attention_mask"] = feed["attention_mask"][:, :8]
        arguments = [f"--input={key}={self.save(key, value)}" for key, value in feed.items()]
        self.assert_fails(2, "seq", "run", support.artifact("minilm"), *arguments)

    def test_masked_tokens_do_not_matter(self):
        feed = sentences(2, 16, seed=2)
        (before,) = self.run_model("minilm", feed, ["last_hidden_state"])
        masked = feed["attention_mask"] == 0
        self.assertTrue(masked.any())
        feed["input_ids"] = numpy.where(masked, 2000, feed["input_ids"])
        (after,) = self.run_model("minilm", feed, ["last_hidden_state"])
        self.assert_close(after[~masked], before[~masked], bound(16, float(numpy.abs(before).max())))


if __name__ == "__main__":
    unittest.main()
