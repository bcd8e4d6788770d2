# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of examples/ranks: each on its ranks, beside one device and ONNX Runtime."""
import importlib
import pathlib
import sys
import unittest

import heddle
import numpy
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "examples" / "ranks"))

import language_model_ranks  # noqa: E402
import models  # noqa: E402
from language_model_ranks import compile_for, decode, language_model  # noqa: E402

PROMPT, TOKENS = [7, 100, 3, 250, 31], 24


def oracle(example):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(example.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, example.feed)[0]


class Examples(unittest.TestCase):
    def check(self, name, size, **arguments):
        example = importlib.import_module(name).build(**arguments)
        program = models.on_ranks(example)
        self.assertEqual(program.size, size)
        got = program(**example.feed)
        numpy.testing.assert_allclose(got, oracle(example), rtol=1e-4, atol=1e-5)
        return program

    def on(self, name, sizes=(2, 3, 4), **arguments):
        """Of 2 ranks, of 3 (parts of different sizes), and of 4."""
        for ranks in sizes:
            with self.subTest(ranks=ranks):
                self.check(name, ranks, ranks=ranks, **arguments)

    def test_tensor_parallel_mlp(self):
        self.on("tensor_parallel_mlp")

    def test_tensor_parallel_attention(self):
        self.on("tensor_parallel_attention")

    def test_data_parallel(self):
        self.on("data_parallel", (2, 4), batch=8)

    def test_sequence_parallel_norm(self):
        self.on("sequence_parallel_norm", (2, 4))

    def test_expert_parallel(self):
        self.on("expert_parallel")

    def test_pipeline(self):
        self.check("pipeline", 4)


class LanguageModel(unittest.TestCase):
    def test_tokens_are_those_of_one_rank(self):
        """Three heads share keys and values, as in SmolLM2. Three such groups on two ranks are parts of two sizes, also of the cache."""
        for ranks, groups in ((2, 2), (3, 3), (2, 3)):
            with self.subTest(ranks=ranks, groups=groups):
                config, values = language_model.random_weights(heads=3 * groups, kv_heads=groups, embedding=0.25)
                alone = decode(heddle.load(compile_for(config, values)), PROMPT, TOKENS)
                self.assertGreater(len(set(alone)), 3)
                self.assertEqual(decode(heddle.load(compile_for(config, values, heddle.Mesh(tp=ranks))), PROMPT, TOKENS), alone)


if __name__ == "__main__":
    unittest.main()
