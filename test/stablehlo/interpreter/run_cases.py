# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs cases by the reference and compiled, and says of each whether it was right, wrong or refused, and why."""
import collections
import pathlib
import re
import sys
import tempfile

import numpy

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "onnx_ops"))

import cases  # noqa: E402
import elementwise  # noqa: E402
import reductions  # noqa: E402
import structure  # noqa: E402
import tools  # noqa: E402

Answer = collections.namedtuple("Answer", "case kind why")  # kind: right, wrong, refused


def cases_by_op():
    if not cases.CASES:
        for part in (elementwise, structure, reductions):
            part.add_all()
    by_op = collections.defaultdict(list)
    for case in cases.CASES:
        by_op[case.op].append(case)
    return by_op


def run_module(text, inputs, count, folder):
    """The results of both ways: {way: [arrays]}. Raises tools.ToolError."""
    model, artifact, imported = folder / "m.mlir", folder / "m.heddle", folder / "imported.mlir"
    model.write_text(text)
    given = []
    for number, array in enumerate(inputs):
        numpy.save(folder / f"in{number}.npy", array)
        given.append(f"--input=@{folder}/in{number}.npy")
    write = lambda way: [f"--output=@{folder}/{way}{number}.npy" for number in range(count)]
    tools.run(("heddle-compile", model, "--compile-to=import", "-o", imported))
    tools.run_beside(("heddle-reference", "--small", imported, *given, *write("reference")),
                     ("heddle-compile", model, "-o", artifact), ("heddle-run", artifact, *given, *write("compiled")))
    return {way: [numpy.load(folder / f"{way}{number}.npy") for number in range(count)] for way in ("reference", "compiled")}


def why_of(error):
    """The compiler's reason without the place and without shapes."""
    found = re.search(r"error: (.*)", str(error))
    return re.sub(r"tensor<(?:\d+x)*", "tensor<", found[1] if found else str(error).strip()[:200])


def answer(group):
    """Answers for cases, as one module if it is accepted, else one by one."""
    text, inputs, wanted = cases.module_of(group)
    with tempfile.TemporaryDirectory() as name:
        try:
            results = run_module(text, inputs, len(wanted), pathlib.Path(name))
        except tools.ToolError as error:
            if len(group) == 1:
                return [Answer(group[0], "refused", why_of(error))]
            half = len(group) // 2
            return answer(group[:half]) + answer(group[half:])
    wrong = {}
    for way, arrays in results.items():
        for (case, want), got in zip(wanted, arrays):
            if not cases.is_right(got, want, case):
                wrong.setdefault(id(case), f"{way}: got {got.ravel()[:8]}, want {want.ravel()[:8]}")
    return [Answer(case, "wrong" if id(case) in wrong else "right", wrong.get(id(case), "")) for case in group]
