# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Byte pair encoding from the metadata of a GGUF file (tokenizer.ggml.model = gpt2).

    tokenizer = Tokenizer(gguf.metadata)
    tokenizer.decode(tokenizer.encode("Hello"))
"""
import functools
import re

# Words as GPT-2 cuts them, each digit alone: letters and digits are those of Unicode.
WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)|\d| ?[^\W\d_]+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


@functools.cache
def byte_letters():
    """The printable character that stands for each byte."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}


class Tokenizer:
    def __init__(self, metadata):
        if metadata["tokenizer.ggml.model"] != "gpt2":
            raise ValueError(f"the tokenizer is byte pair encoding (gpt2), got {metadata['tokenizer.ggml.model']}")
        self.tokens = metadata["tokenizer.ggml.tokens"]
        self.numbers = {token: i for i, token in enumerate(self.tokens)}
        self.ranks = {tuple(merge.split(" ")): i for i, merge in enumerate(metadata["tokenizer.ggml.merges"])}
        control = [self.tokens[i] for i, kind in enumerate(metadata["tokenizer.ggml.token_type"]) if kind == 3]
        self.control = set(control)
        self.special = re.compile("(" + "|".join(map(re.escape, control)) + ")")
        self.end = metadata["tokenizer.ggml.eos_token_id"]

    def encode(self, text):
        numbers = []
        for part in self.special.split(text):
            if part in self.control:
                numbers.append(self.numbers[part])
                continue
            for word in WORDS.findall(part):
                numbers += [self.numbers[piece] for piece in self.merge(word)]
        return numbers

    def merge(self, word):
        pieces = [byte_letters()[byte] for byte in word.encode()]
        while len(pieces) > 1:
            rank, i = min((self.ranks.get(pair, len(self.ranks)), i) for i, pair in enumerate(zip(pieces, pieces[1:])))
            if rank == len(self.ranks):
                break
            pieces[i:i + 2] = [pieces[i] + pieces[i + 1]]
        return pieces

    def decode(self, numbers):
        letters = {letter: byte for byte, letter in byte_letters().items()}
        data = b"".join(bytes(letters[c] for c in self.tokens[i]) for i in numbers if self.tokens[i] not in self.control)
        return data.decode("utf-8", "replace")
