# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes what the fuzzer found small, by `heddle reduce`."""
import re
import subprocess

LIMIT_S = 600


def message_of(text):
    """The longest part of a refusal's text that names nothing of the model; "" where the text has no refusal."""
    found = re.search(r"error: (.*)", text)
    parts = re.split(r"'[^']*'|\"[^\"]*\"|loc\(|[<>()\d#]+", found.group(1)) if found else [""]
    return max(parts, key=len).strip(" :;,")


def interest(failure, flags):
    """The flags of `heddle reduce` that say what to look for."""
    if re.search(r"heddle-compile .* ended with -\d+", failure.text):
        looked_for = ["--crashes"]
    elif message_of(failure.text):
        looked_for = [f"--error={message_of(failure.text)}"]
    else:
        looked_for = ["--diverges"]
    return looked_for + [f"--with={flag}" for flag in flags]


def reduce(programs, folder, failure, flags):
    """Writes folder/small.mlir, from folder/model.onnx; gives words for what came of it."""
    command = [programs / "heddle-reduce", folder / "model.onnx", "-o", folder / "small.mlir", "--max-tests=500", "--seconds=30",
               *interest(failure, flags)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return f"not reduced in {LIMIT_S} s"
    return (done.stderr.strip().splitlines() or [f"heddle reduce ended with {done.returncode}"])[-1]
