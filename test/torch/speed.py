#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile(backend="heddle") beside eager and Inductor, on one thread: first calls and calls.

  speed.py [NAMES] [--rounds N] [--no-first] [--write docs/pytorch.md]

Names: those of MODELS; `_step` ones are a step of training (forward, backward). First calls are those of new processes, with an empty
cache and with that of the process before. Calls are the least of interleaved rounds in one process. `--write` puts the table into a
page. Needs torch, torchvision, timm and transformers; Inductor needs a C++ compiler.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import torch

BACKENDS = ("heddle", "inductor")


def vision(make):
    return lambda: (make(), (torch.randn(1, 3, 224, 224),))


def of_torchvision(name):
    def make():
        import torchvision
        return getattr(torchvision.models, name)(weights=None)
    return vision(make)


def of_timm(name):
    def make():
        import timm
        return timm.create_model(name, pretrained=False)
    return vision(make)


def of_transformers(name, **sizes):
    def make():
        import transformers
        config = getattr(transformers, f"{name}Config")(use_cache=False, **sizes)
        return getattr(transformers, f"{name}Model")(config), (torch.randint(0, 1000, (1, 64)),)
    return make


def transformer():
    layer = torch.nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(4, 32, 128),)


def resnet_step():
    return of_torchvision("resnet18")()[0], (torch.randn(4, 3, 64, 64),)


MODELS = {
    "resnet18": of_torchvision("resnet18"), "mobilenet_v3_small": of_torchvision("mobilenet_v3_small"),
    "convnext_atto": of_timm("convnext_atto"), "vit_tiny": of_timm("vit_tiny_patch16_224"),
    "bert": of_transformers("Bert", hidden_size=256, num_hidden_layers=4, num_attention_heads=4, intermediate_size=1024),
    "gpt2": of_transformers("GPT2", n_embd=256, n_layer=4, n_head=4),
    "transformer_step": transformer, "resnet18_step": resnet_step,
}


def call_of(name, backend):
    """A function without arguments: a call of the model, or a step."""
    torch.manual_seed(0)
    module, inputs = MODELS[name]()
    if not name.endswith("_step"):
        module.eval()
        compiled = torch.compile(module, backend=backend) if backend else module

        def call():
            with torch.no_grad():
                return compiled(*inputs)
        return call
    module.train()
    trained = torch.compile(module, backend=backend) if backend else module

    def step():
        module.zero_grad()
        trained(*inputs).square().mean().backward()
    return step


def seconds_of(call):
    before = time.perf_counter()
    call()
    return time.perf_counter() - before


def first(name, backend):
    """Seconds of a first call in this process."""
    call = call_of(name, backend)
    call_of("transformer_step", None)()  # what PyTorch loads once
    print(json.dumps(seconds_of(call)))


def first_calls(name, backend):
    """Of a new process with an empty cache, and of the next one."""
    with tempfile.TemporaryDirectory() as folder:
        cache = {"HEDDLE_CACHE_DIR": f"{folder}/heddle", "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor"}
        return [json.loads(subprocess.run([sys.executable, __file__, name, "--first", backend], env={**os.environ, **cache}, check=True,
                                          capture_output=True, text=True).stdout.splitlines()[-1]) for _ in range(2)]


def call_times(name, rounds):
    torch._dynamo.reset()
    calls = {}
    for backend in (None, *BACKENDS):
        calls[backend] = call_of(name, backend)
        for _ in range(3):
            calls[backend]()
    torch._dynamo.config.error_on_recompile = True
    counts = {backend: max(1, min(100, int(0.05 / seconds_of(call)))) for backend, call in calls.items()}
    times = {backend: [] for backend in calls}
    for _ in range(rounds):
        for backend, call in calls.items():
            times[backend] += [seconds_of(call) for _ in range(counts[backend])]
    torch._dynamo.config.error_on_recompile = False
    return {backend: min(found) for backend, found in times.items()}


def line(name, rounds, with_first):
    cells = []
    if with_first:
        for backend in BACKENDS:
            cold, warm = first_calls(name, backend)
            cells.append(f"{cold:.1f} / {warm:.1f}")
    times = call_times(name, rounds)
    cells += [f"{times[backend] * 1e3:.2f}" for backend in (None, *BACKENDS)]
    cells.append(f"{times['heddle'] / times['inductor']:.2f}")
    return f"| {name} | " + " | ".join(cells) + " |"


def write(page, lines):
    begin, end = "<!-- torch speed -->\n", "<!-- end of torch speed -->"
    text = page.read_text()
    head, rest = text.split(begin)
    page.write_text(head + begin + "\n".join(lines) + "\n" + end + rest.split(end)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--first", metavar="BACKEND", help=argparse.SUPPRESS)
    parser.add_argument("--no-first", action="store_true", help="calls only")
    parser.add_argument("--write", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    torch.set_num_threads(1)
    if not options.first:  # one core for all, Heddle's threads and the processes begun here among them
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    warnings.simplefilter("ignore")
    import heddle.torch  # noqa: F401
    if options.first:
        return first(options.names[0], options.first)
    headings = ["model", *([] if options.no_first else [f"{backend}: first call, second process's (s)" for backend in BACKENDS]),
                "eager (ms)", "Heddle (ms)", "Inductor (ms)", "of Inductor's"]
    lines = [f"| {' | '.join(headings)} |", "|" + "---|" * len(headings)]
    print(*lines, sep="\n", flush=True)
    for name in options.names or MODELS:
        lines.append(line(name, options.rounds, not options.no_first))
        print(lines[-1], flush=True)
    if options.write:
        write(options.write, lines)


if __name__ == "__main__":
    main()
