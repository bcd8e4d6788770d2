# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decodes greedily with a language model whose keys and values stay on the device, beside ONNX Runtime with explicit caches.

    decode.py model.gguf "Gravity is" --tokens=64 --cache=fixed --weights=float16
"""
import argparse
import pathlib
import statistics
import time

import heddle
import language_model
import numpy
import onnx
from gguf import Gguf
from tokenizer import Tokenizer

STATES = {"concat": ["past.*=present.*"], "fixed": ["past.*=present.*", "length=new_length"]}


class Heddle:
    """Tokens in, the next token out; the rest is state of the module."""

    def __init__(self, path, cache, devices):
        self.module = heddle.load(heddle.compile(path, path.with_suffix(".heddle"), state=STATES[cache]), devices)

    def restart(self):
        self.module.reset_state()

    def step(self, tokens):
        return int(self.module(numpy.array([tokens], numpy.int64)).item())


class OnnxRuntime:
    """The same model; the caches go in and out."""

    def __init__(self, path, threads):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.outputs = [output.name for output in self.session.get_outputs()]
        self.restart()

    def restart(self):
        kinds = {"tensor(int64)": numpy.int64, "tensor(float)": numpy.float32}
        self.feed = {value.name: numpy.zeros([size if isinstance(size, int) else 0 for size in value.shape], kinds[value.type])
                     for value in self.session.get_inputs() if value.name != "tokens"}

    def step(self, tokens):
        results = dict(zip(self.outputs, self.session.run(None, self.feed | {"tokens": numpy.array([tokens], numpy.int64)})))
        self.feed = {language_model.input_of(name): value for name, value in results.items() if name != "next"}
        return int(results["next"].item())


def decode(engine, prompt, count):
    """`count` tokens after the prompt, and the seconds that all but the first took."""
    tokens = [engine.step(prompt)]
    begin = time.perf_counter()
    while len(tokens) < count:
        tokens.append(engine.step(tokens[-1:]))
    return tokens, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a GGUF file of architecture llama")
    parser.add_argument("prompt", nargs="?", default="Gravity is")
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--cache", choices=("concat", "fixed"), default="fixed")
    parser.add_argument("--capacity", type=int, default=256, help="tokens that fixed caches hold")
    parser.add_argument("--weights", choices=("float32", "float16"), default="float32")
    parser.add_argument("--rounds", type=int, default=3, help="of both engines in turn")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--chat", action="store_true", help="wrap the prompt as a chat's first message")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/demo3"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)

    gguf = Gguf(options.model)
    tokenizer = Tokenizer(gguf.metadata)
    text = f"<|im_start|>user\n{options.prompt}<|im_end|>\n<|im_start|>assistant\n" if options.chat else options.prompt
    prompt = tokenizer.encode(text)
    path = options.folder / f"{options.cache}-{options.weights}.onnx"
    config, weights = language_model.read_weights(gguf)
    onnx.save(language_model.build(config, weights, options.cache, numpy.dtype(options.weights).type, options.capacity), path)
    del weights
    cores = f"local://0-{options.threads - 1}" if options.threads > 1 else "local://0"
    engines = {"Heddle": Heddle(path, options.cache, [cores]), "ONNX Runtime": OnnxRuntime(path, options.threads)}
    rates = {name: [] for name in engines}
    for _ in range(options.rounds):
        answers = {}
        for name, engine in engines.items():
            engine.restart()
            answers[name], seconds = decode(engine, prompt, options.tokens)
            rates[name].append((options.tokens - 1) / seconds)
    print(text + tokenizer.decode(answers["Heddle"]))
    same = answers["Heddle"] == answers["ONNX Runtime"]
    print(f"{options.tokens} tokens, {'the same' if same else 'NOT the same'} as ONNX Runtime's")
    for name, values in rates.items():
        print(f"{name}: {statistics.median(values):.1f} tokens/s (of {', '.join(f'{value:.1f}' for value in values)})")
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
