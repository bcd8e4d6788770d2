# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models of transformers through torch.compile(backend="heddle"), token by token with a static cache. CI has no PyTorch and skips
this; `make torch-ops` runs it."""
import importlib.util
import unittest
import warnings

for package in ("torch", "transformers"):
    if getattr(importlib.util.find_spec(package), "origin", None) is None:  # a folder of that name is no package
        raise unittest.SkipTest(f"{package} is not installed")

import heddle.torch  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

BASE = dict(vocab_size=96, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=96, max_position_embeddings=128)
GROUPED = {**BASE, "num_key_value_heads": 2}
SIZES = {"Llama": GROUPED, "Qwen2": GROUPED, "Mistral": {**GROUPED, "sliding_window": None}, "Gemma2": {**GROUPED, "head_dim": 16, "sliding_window": 16},
         "Phi3": {**GROUPED, "pad_token_id": 0}, "GPTNeoX": BASE, "OPT": {**BASE, "ffn_dim": 96, "word_embed_proj_dim": 64},
         "GPT2": dict(vocab_size=96, n_embd=64, n_layer=2, n_head=4, n_positions=128)}
BRANCHING = ("Gemma2",)  # their sliding caches have a branch of Python where the window is full
PROMPT, TOKENS = 5, 64


def build(name, **more):
    torch.manual_seed(3)
    config = getattr(transformers, f"{name}Config")(**SIZES[name], **more)
    return getattr(transformers, name + ("LMHeadModel" if name == "GPT2" else "ForCausalLM"))(config).eval()


def graphs():
    """How many graphs Dynamo has made."""
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]


def generate(model, decode, count=TOKENS, batch=1):
    """Greedy tokens behind a prompt that runs in eager; the logits of the last; how many graphs there were behind each token."""
    prompt = torch.randint(3, 90, (batch, PROMPT), generator=torch.Generator().manual_seed(1))
    cache = transformers.StaticCache(config=model.config, max_cache_len=PROMPT + count + 3)
    tokens, made = [], []
    with torch.no_grad():
        logits = model(prompt, past_key_values=cache, cache_position=torch.arange(PROMPT)).logits
        for place in range(count):
            tokens.append(logits[:, -1:].argmax(-1))
            logits = decode(tokens[-1], past_key_values=cache, cache_position=torch.tensor([PROMPT + place])).logits
            made.append(graphs())
    return torch.cat(tokens, 1), logits, made, cache


class Decoding(unittest.TestCase):
    def setUp(self):
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def check(self, name, **more):
        torch._dynamo.reset()
        model = build(name, **more)
        want, want_logits, _, want_cache = generate(model, model)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            got, logits, made, cache = generate(model, torch.compile(model, backend="heddle"))
        self.assertEqual(want.tolist(), got.tolist())
        torch.testing.assert_close(logits, want_logits, rtol=1e-4, atol=1e-4)
        for mine, theirs in zip(cache.layers, want_cache.layers):
            torch.testing.assert_close((mine.keys, mine.values), (theirs.keys, theirs.values), rtol=1e-4, atol=1e-4)
        if name not in BRANCHING:
            self.assertEqual(made[1], made[-1], "graphs are compiled behind the second token")
        self.assertEqual([], [str(warning.message) for warning in said if issubclass(warning.category, heddle.torch.FallbackWarning)])

    def test_greedy_tokens(self):
        for name in SIZES:
            with self.subTest(name):
                self.check(name)

    def test_brain_floats(self):
        torch._dynamo.reset()
        model = build("Llama").bfloat16()
        want, got = (generate(model, decode, 8)[1] for decode in (model, torch.compile(model, backend="heddle")))
        torch.testing.assert_close(got, want, rtol=5e-2, atol=5e-2)

    def test_the_cache_is_written_where_it_lies(self):
        torch._dynamo.reset()
        model = build("Llama")
        step = torch.compile(model, backend="heddle")
        cache = generate(model, step, 3)[3]
        before = [(layer.keys.data_ptr(), layer.keys._version) for layer in cache.layers]
        with torch.no_grad(), torch.profiler.profile() as profile:
            step(torch.tensor([[5]]), past_key_values=cache, cache_position=torch.tensor([PROMPT + 3]))
        self.assertEqual(0, sum(event.count for event in profile.key_averages() if event.key == "aten::copy_"))
        for layer, (address, version) in zip(cache.layers, before):
            self.assertEqual(address, layer.keys.data_ptr())
            self.assertGreater(layer.keys._version, version)

    def test_writes_at_one_place(self):
        """Of a slice that is written where it lies, and at places that there are not."""
        def copy(x, at, row):
            x.index_copy_(1, at, row)

        def put(x, at, row):
            x[:, at] = row
        last = torch.iinfo(torch.int64).max
        for function, places in ((copy, (0, 6, 3, 7, -1, last)), (put, (0, 6, -1, -7, 3, 7, -8, last, -last - 1))):
            for batch in (1, 3, 20):
                torch._dynamo.reset()
                compiled = torch.compile(function, backend="heddle")
                mine, theirs = torch.zeros(batch, 7, 2), torch.zeros(batch, 7, 2)
                for place in places:
                    with self.subTest(function=function.__name__, batch=batch, place=place):
                        failed = []
                        for called, x in ((compiled, mine), (function, theirs)):
                            try:
                                called(x, torch.tensor([place]), torch.arange(batch * 2.0).reshape(batch, 1, 2) + place % 5)
                                failed.append(False)
                            except (RuntimeError, IndexError, ArithmeticError):
                                failed.append(True)
                        self.assertEqual(failed[1], failed[0])
                        self.assertTrue(torch.equal(mine, theirs), (mine, theirs))

    def test_heads_of_groups(self):
        def attend(q, k, v, mask, enlarge):
            k, v = (x[:, :, None].expand(-1, -1, 2, -1, -1).reshape(x.shape[0], -1, *x.shape[2:]) if enlarge else x.repeat(1, 2, 1, 1) for x in (k, v))
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, mask), k
        q, k, v = torch.randn(2, 6, 5, 4), torch.randn(2, 3, 7, 4), torch.randn(2, 3, 7, 4)
        for enlarge in (True, False):
            for mask in (None, torch.randn(2, 1, 5, 7)):
                for grown in (1, 2):
                    q, k, v = (torch.cat([x] * grown, 0) for x in (q, k, v))
                    given = (q, k, v, None if mask is None else torch.cat([mask] * (q.shape[0] // 2)), enlarge)
                    torch.testing.assert_close(torch.compile(attend, backend="heddle")(*given), attend(*given), rtol=1e-5, atol=1e-5)

    def test_generate(self):
        torch._dynamo.reset()
        model = build("Llama")
        prompt = torch.tensor([[5, 7, 9]])
        named = dict(max_new_tokens=12, do_sample=False, cache_implementation="static", pad_token_id=0, disable_compile=True)
        want = model.generate(prompt, **named)
        model.forward = torch.compile(model.forward, backend="heddle")
        self.assertEqual(want.tolist(), model.generate(prompt, **named).tolist())

    def test_encoder_and_decoder(self):
        torch.manual_seed(3)
        torch._dynamo.reset()
        model = transformers.T5ForConditionalGeneration(transformers.T5Config(vocab_size=96, d_model=64, d_kv=16, d_ff=96, num_layers=2,
                                                                              num_heads=4, decoder_start_token_id=0)).eval()
        compiled = torch.compile(model, backend="heddle")
        source, target = torch.tensor([[5, 6, 7, 8, 1]]), [0]
        with torch.no_grad():
            for _ in range(8):
                got, want = (called(input_ids=source, decoder_input_ids=torch.tensor([target]), use_cache=False).logits for called in (compiled, model))
                torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
                target.append(int(want[0, -1].argmax()))


if __name__ == "__main__":
    unittest.main()
