# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A small language model of random weights: tokens as ONNX Runtime's, which gets the caches as arguments."""
import sys
import unittest

import numpy
import onnx
import onnxruntime
import support
from runtime import Program
from support import heddle

sys.path.insert(0, str(support.ROOT / "examples" / "llm"))

import language_model  # noqa: E402
from tokenizer import WORDS  # noqa: E402

STEPS, CAPACITY = 32, 64
PROMPT = [7, 100, 3, 250, 31]
STATES = {"concat": ["--state=past.*=present.*"], "fixed": ["--state=past.*=present.*", "--state=length=new_length"]}


class LanguageModelTest(support.EndToEnd):
    def decode(self, step):
        tokens = [step(PROMPT)]
        while len(tokens) < STEPS:
            tokens.append(step(tokens[-1:]))
        return tokens

    def reference(self, path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 3
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        kinds = {"tensor(int64)": numpy.int64, "tensor(float)": numpy.float32}
        feed = {value.name: numpy.zeros([size if isinstance(size, int) else 0 for size in value.shape], kinds[value.type])
                for value in session.get_inputs()}
        names = [output.name for output in session.get_outputs()]

        def step(tokens):
            feed["tokens"] = numpy.array([tokens], numpy.int64)
            results = dict(zip(names, session.run(None, feed)))
            feed.update({language_model.input_of(name): value for name, value in results.items() if name != "next"})
            return int(results["next"].item())

        return self.decode(step)

    def check(self, cache):
        config, weights = language_model.random_weights(layers=2)
        path, artifact = self.folder / f"{cache}.onnx", self.folder / f"{cache}.heddle"
        onnx.save(language_model.build(config, weights, cache, capacity=CAPACITY), path)
        result = heddle("compile", path, "-o", artifact, *STATES[cache])
        self.assertEqual(0, result.returncode, result.stderr)
        program = Program(artifact)
        self.addCleanup(program.close)
        got = self.decode(lambda tokens: int(program(None, numpy.array([tokens], numpy.int64))[0].item()))
        self.assertEqual(self.reference(path), got)
        return config, program

    def test_caches_that_grow(self):
        self.check("concat")

    # A step moves the new keys and values of each layer, and nothing of the caches.
    def test_caches_of_fixed_size_are_written_in_place(self):
        config, program = self.check("fixed")
        new = 2 * config.layers * config.kv_heads * config.head_size * 4
        self.assertLessEqual(program.statistics(None).copied_bytes, new + 8)


class WordsTest(unittest.TestCase):
    def test_digits_stand_alone_and_spaces_go_with_words(self):
        self.assertEqual(["It", "'s", " ", "4", "2", " naïve", ".", "\n\n ", " end"], WORDS.findall("It's 42 naïve.\n\n  end"))


if __name__ == "__main__":
    unittest.main()
