#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The architectures of `make zoo` through torch.compile(backend="heddle"), against eager: what they give, or a step of training.

  models.py [NAMES] [--train] [--records FILE] [--again] [--backend heddle]

NAMES are beginnings of names (tv_resnet, hf_); without any, all of them, or the twenty of a step of training. Inference compares the
results of two calls. `--train`: loss, gradients and buffers, in training mode, draws of the same seed, two steps without an
optimiser. What differs by more than 1e-4 of its greatest element is held against eager's own error, of doubles, in training the greater
one of both memory formats. `--records`: a line of
JSON for each model; those of an earlier run are not run again. Exit status 1 where one differs or fails. Needs torch, torchvision, timm
and transformers.
"""
import argparse
import json
import os
import pathlib
import random
import sys
import time
import warnings

os.environ.setdefault("HEDDLE_TORCH_STRICT", "1")  # a defect of the translation is an error, no fallback
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "zoo"))

import numpy  # noqa: E402
import torch  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

import architectures  # noqa: E402

TRAINED = """tv_resnet18 tv_mobilenet_v3_small tv_shufflenet_v2_x0_5 tv_squeezenet1_1 tv_densenet121 timm_convnextv2_atto
    timm_deit_tiny_patch16_224 timm_levit_128s timm_mobilevit_xxs timm_xcit_nano_12_p16_224 timm_ghostnet_100 hf_Bert hf_GPT2 hf_Llama
    hf_T5 hf_Whisper hf_ViT hf_Mamba hf_Wav2Vec2 hf_Segformer hf_DebertaV2 hf_Mixtral""".split()
LEAST, FACTOR = 1e-4, 4


def tensors_of(tree):
    return [leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor)]


def errors(mine, theirs):
    """For each tensor its greatest error, in parts of the greatest element; what is not comparable is infinitely far apart."""
    if len(mine) != len(theirs):
        return [float("inf")]
    found = []
    for a, b in zip(mine, theirs):
        if a.shape != b.shape:
            found.append(float("inf"))
            continue
        if a.numel() == 0:
            continue
        a, b = (value.detach().to(torch.complex128 if value.is_complex() else torch.float64) for value in (a, b))
        same = (a == b) | (a.isnan() & b.isnan())
        apart = torch.where(same, 0.0, (a - b).abs())
        scale = torch.where(b.isfinite(), b.abs(), 0.0).max().clamp(min=1e-30)
        found.append(float((apart / scale).nan_to_num(float("inf")).max()))
    return found


def seed(number):
    """Models draw by all of them."""
    torch.manual_seed(number)
    numpy.random.seed(number)
    random.seed(number)


def infer(module, inputs, call):
    """The results of two calls, the second of other numbers."""
    results = []
    with torch.no_grad():
        for turn in range(2):
            given = [value.flip(-1) if turn and value.is_floating_point() else value for value in inputs]
            seed(turn)
            results += [value.clone() for value in tensors_of(call(*given))]
    return results


def weights_like(values):
    generator = torch.Generator().manual_seed(5)
    return [torch.randn(value.shape, generator=generator).to(value.dtype) for value in values]


def train(module, inputs, call):
    """Losses and gradients of two steps, and the buffers behind them. Small gradients count in parts of the greatest one of all."""
    results, gradients = [], []
    for turn in range(2):
        seed(turn)
        module.zero_grad()
        values = [value for value in tensors_of(call(*inputs)) if value.is_floating_point() and value.requires_grad]
        loss = sum((value * weight).mean() for value, weight in zip(values, weights_like(values)))
        loss.backward()
        results.append(torch.stack([loss.detach(), *[value.detach().double().pow(2).mean().sqrt().to(loss.dtype) for value in values]]))
        gradients += [parameter.grad.clone() for parameter in module.parameters() if parameter.grad is not None]
    greatest = max(float(gradient.abs().max()) for gradient in gradients)
    return results + [torch.cat([gradient.flatten(), torch.full((1,), 1e-2 * greatest, dtype=gradient.dtype)]) for gradient in gradients] + [
        buffer.clone() for buffer in module.buffers()]


def prepare(name, is_training):
    module, inputs = architectures.build(name)
    if is_training:
        module.train()
        for parameter in module.parameters():
            parameter.requires_grad_(parameter.is_floating_point())
        inputs = [torch.cat([value, value.roll(1, -1)]) for value in inputs]
    return module, inputs


def of_doubles(name, run, is_training):
    module, inputs = prepare(name, is_training)
    module.double()
    return run(module, [value.double() if value.is_floating_point() else value for value in inputs], module)


def check(name, backend, is_training):
    """A record: what differs, or None; seconds; what ran where."""
    import heddle.torch
    heddle._fallback.forget()
    torch._dynamo.reset()
    run = train if is_training else infer
    module, inputs = prepare(name, is_training)
    want = run(module, inputs, module)
    module, inputs = prepare(name, is_training)
    before = time.monotonic()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        got = run(module, inputs, torch.compile(module, backend=backend))
    record = {"name": name, "train": is_training, "seconds": round(time.monotonic() - before, 1), "report": heddle.torch.report(),
              "reasons": sorted({str(warning.message).split("not in Heddle: ")[-1] for warning in said
                                 if issubclass(warning.category, heddle.torch.FallbackWarning)})}
    apart = errors(got, want)
    record["error"], record["differs"] = max(apart, default=0), None
    if record["error"] <= LEAST:
        return record
    record["differs"] = f"value {apart.index(max(apart))} of {len(apart)} by {max(apart):.1e}"
    try:
        truth = of_doubles(name, run, is_training)
        mine, theirs = errors(got, truth), errors(want, truth)
        if is_training:  # one element that falls to the other side of a ReLU moves whole gradients
            theirs = [max(pair) for pair in zip(theirs, errors(in_other_order(name, run), truth))]
    except Exception as error:  # it has types of its own
        record["differs"] += f" ({type(error).__name__} with doubles)"
        return record
    wrong = [place for place, (a, b) in enumerate(zip(mine, theirs)) if a > max(LEAST, FACTOR * b)]
    record["apart"] = f"{max(mine):.1e} from doubles, eager {max(theirs):.1e}"
    record["differs"] = f"value {wrong[0]} of {len(apart)}: {mine[wrong[0]]:.1e} from doubles, eager {theirs[wrong[0]]:.1e}" if wrong else None
    if wrong and is_pytorchs(name, run, is_training, want, wrong[0], truth):
        record["differs"], record["apart"] = None, "PyTorch's aot_eager differs so, too"
    return record


def in_other_order(name, run):
    """What eager gives with channels last: other sums, and other sides of a ReLU for values near 0."""
    module, inputs = prepare(name, True)
    module.to(memory_format=torch.channels_last)
    return run(module, [value.contiguous(memory_format=torch.channels_last) if value.ndim == 4 else value for value in inputs], module)


def is_pytorchs(name, run, is_training, want, place, truth):
    """Whether PyTorch's own compiled form without a compiler is as wrong at this place."""
    torch._dynamo.reset()
    module, inputs = prepare(name, is_training)
    got = run(module, inputs, torch.compile(module, backend="aot_eager"))
    return len(got) == len(want) and errors(got, truth)[place] > max(LEAST, FACTOR * errors(want, truth)[place])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--train", action="store_true")
    parser.add_argument("--records", type=pathlib.Path)
    parser.add_argument("--again", action="store_true", help="also what the records have")
    parser.add_argument("--backend", default="heddle")
    options = parser.parse_intermixed_args()
    torch.set_num_threads(1)
    names = [name for name in architectures.NAMES if name.startswith(tuple(options.names))] if options.names else \
        TRAINED if options.train else architectures.NAMES
    old = {}
    if options.records and options.records.exists():
        old = {record["name"]: record for line in options.records.read_text().splitlines() for record in [json.loads(line)]
               if record["train"] == options.train}
    counts = {"as eager": 0, "differ": 0, "fail": 0, "with parts in PyTorch": 0}
    for name in names:
        if options.again or name not in old:
            try:
                old[name] = check(name, options.backend, options.train)
            except Exception as error:
                old[name] = {"name": name, "train": options.train, "failed": f"{type(error).__name__}: {str(error)[:600]}"}
            if options.records:
                with options.records.open("a") as file:
                    file.write(json.dumps(old[name]) + "\n")
        record = old[name]
        counts["fail" if "failed" in record else "differ" if record["differs"] else "as eager"] += 1
        counts["with parts in PyTorch"] += bool(record.get("reasons"))
        said = record.get("failed") or record["differs"] or f"as eager, error {record['error']:.1e}" + (
            f" ({record['apart']})" if "apart" in record else "")
        print(f"{name}: {said}, {record.get('seconds')} s, {record.get('report')}", *record.get("reasons", []), sep="\n    ", flush=True)
    print(f"{len(names)} models: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    sys.exit(bool(counts["differ"] or counts["fail"]))


if __name__ == "__main__":
    main()
