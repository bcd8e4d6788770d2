# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs StableHLO's own interpreter tests (stablehlo/tests/interpret of a checkout) by the reference and compiled.

  HEDDLE_BIN=build/release/bin python test/stablehlo/interpreter/run_upstream.py CHECKOUT [NAME…]

Each function with `check.expect_…` becomes one that returns what it checks; the constants checked against are read here.
Left out: collectives and what talks to a host (infeed, send), quantised types, and tests of the interpreter's own ops.
Prints what is not right, a table by file, and the share. Not a part of the tests, which need no checkout.
"""
import argparse
import collections
import pathlib
import re
import tempfile

import ml_dtypes
import numpy

from cases import NUMPY, tensor
from run_cases import run_module, tools, why_of

LEFT_OUT = re.compile(r"all_gather|all_reduce|all_to_all|collective_|reduce_scatter|run_parallel|infeed|outfeed|stablehlo\.send|"
                      r"stablehlo\.recv|partition_id|replica_id|interpreter\.|quant|serialized|dense_resource")
TYPE = r"tensor<(?:[^<>]|<[^<>]*>)*>"
CHECK = re.compile(rf"check\.(expect_\w+?)(_const)?\s+(%[\w#]+)\s*,\s*(.*?)\s*:\s*({TYPE})(?:\s*,\s*{TYPE})?", re.S)
FUNCTION = re.compile(r"func\.func (?:public |private )?@([\w$.-]+)\s*\((.*?)\)(?:\s*->\s*[^{]*)?\s*\{", re.S)
WIDE = {"i2": "i8", "i4": "i8", "ui2": "ui8", "ui4": "ui8"}  # other types that come out as another: floats, as f32


def float_type(element):
    names = {"f64": numpy.float64, "f32": numpy.float32, "f16": numpy.float16, "bf16": ml_dtypes.bfloat16}
    small = re.fullmatch(r"f(\d)(E\d+M\d+\w*)", element)
    return names.get(element) or (small and getattr(ml_dtypes, f"float{small[1]}_{small[2].lower()}"))


def split_type(text):
    shape, element = re.fullmatch(r"tensor<((?:\d+x)*)(.+)>", text).groups()
    return [int(size) for size in shape.split("x") if size], element


def number(token, element):
    if token in ("true", "false"):
        return token == "true"
    kind = float_type(element)
    if not kind:
        return int(token, 0)
    if token.startswith("0x"):
        width = numpy.dtype(kind).itemsize
        return float(numpy.array(int(token, 16), f"u{width}").view(kind))
    return float(numpy.array(float(token)).astype(kind))


def read_dense(text, kind):
    """The parts of a constant: one array, or real and imaginary parts."""
    shape, element = split_type(kind)
    part = element[8:-1] if element.startswith("complex") else element
    inside = re.match(r"dense<(.*)>", text, re.S)
    tokens = re.findall(r"[-+]?(?:0x[0-9A-Fa-f]+|[0-9.]+(?:[eE][-+]?\d+)?)|true|false", inside[1] if inside else text)
    count, values = int(numpy.prod(shape, dtype=int)), [number(token, part) for token in tokens]
    parts = 2 if part is not element else 1
    array = lambda given: numpy.array(given * count if len(given) == 1 else given, dtype=object).reshape(shape)
    return [array(values[i::parts]) if count else numpy.zeros(shape, object) for i in range(parts)]


def results_of(value, kind, number_of):
    """Lines that make results that a file can hold, with their names and types."""
    shape, element = split_type(kind)
    lines, parts = "", [(value, element)]
    if element.startswith("complex"):
        parts = []
        for word in ("real", "imag"):
            parts.append((f"%{word}{number_of}", element[8:-1]))
            lines += f"{parts[-1][0]} = stablehlo.{word} {value} : ({kind}) -> {tensor(shape, element[8:-1])}\n"
    results = []
    for i, (name, part) in enumerate(parts):
        target = WIDE.get(part) or (part if part in NUMPY else "f32")
        if target != part:
            lines += f"%wide{number_of}_{i} = stablehlo.convert {name} : ({tensor(shape, part)}) -> {tensor(shape, target)}\n"
            name = f"%wide{number_of}_{i}"
        results.append((name, tensor(shape, target)))
    return lines, results


def rewrite(test, others):
    """Text of the module, and what is checked: [(kind of check, wanted or None, type)] by result."""
    lines, results, wanted = "", [], []
    for number_of, (kind, is_constant, value, other, type_) in enumerate(CHECK.findall(test)):
        more, made = results_of(value, type_, f"_{number_of}")
        lines, results = lines + more, results + made
        if is_constant:
            wanted += [(kind, array, type_) for array in read_dense(other, type_)]
            continue
        more, again = results_of(re.match(r"%[\w#]+", other)[0], type_, f"_{number_of}b")
        lines, results = lines + more, results + again
        wanted += [(kind, None, type_)] * len(made) + [("same", len(wanted), type_)] * len(again)
    types = ", ".join(kind for _, kind in results)
    body = FUNCTION.sub(lambda m: f"func.func @main({m[2]}) -> ({types}) {{", CHECK.sub("", test), count=1)
    body = re.sub(r"(?:func\.)?return\s*\n\s*\}\s*$", lambda _: f"{lines}return {', '.join(n for n, _ in results)} : {types}\n}}\n", body.rstrip() + "\n")
    private = "".join(re.sub(r"func\.func (public |private )?@", "func.func private @", text) for text in others)
    return body + private, wanted


def is_right(kind, got, want, type_):
    part = split_type(type_)[1].removeprefix("complex<").rstrip(">")
    if not float_type(part) or got.dtype.kind != "f":
        return numpy.array_equal(got.astype(object), want)
    got, want = got.astype(numpy.float64), want.astype(numpy.float64)
    if kind == "expect_eq":
        return numpy.array_equal(got, want, equal_nan=True)
    epsilon = float(ml_dtypes.finfo(float_type(part)).eps)
    return numpy.allclose(got, want, rtol=max(1e-4, 8 * epsilon), atol=max(1e-6, 4 * epsilon), equal_nan=True)


def run(text, wanted):
    """`right`, `wrong …` or `refused …`."""
    with tempfile.TemporaryDirectory() as name:
        try:
            ways = run_module(text, [], len(wanted), pathlib.Path(name))
        except tools.ToolError as error:
            return "refused", why_of(error)
    for way, results in ways.items():
        for i, (kind, want, type_) in enumerate(wanted):
            if want is not None and not is_right(kind, results[i], results[want] if kind == "same" else want, type_):
                return "wrong", f"{way}: got {results[i].ravel()[:6]} want {want if kind == 'same' else want.ravel()[:6]} {type_}"
    return "right", ""


def tests_of(path):
    for section in re.split(r"^// -----.*$", path.read_text(), flags=re.M):
        section = re.sub(r"//.*$", "", section, flags=re.M)
        functions = [part for part in re.split(r"(?=^\s*func\.func )", section, flags=re.M) if "func.func" in part]
        for test in functions:
            if "check." in test:
                yield FUNCTION.search(test)[1], test, [f for f in functions if "check." not in f], bool(LEFT_OUT.search(section))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    total, table = collections.Counter(), {}
    for path in sorted((options.checkout / "stablehlo/tests/interpret").rglob("*.mlir")):
        if path.stem in ("check", "printing", "probe") or (options.names and path.stem not in options.names):
            continue
        row = table.setdefault(path.stem, collections.Counter())
        for name, test, others, is_left_out in tests_of(path):
            kind, why = ("left out", "") if is_left_out else run(*rewrite(test, others))
            row[kind] += 1
            if kind in ("wrong", "refused"):
                print(f"{kind}: {path.stem} @{name}: {why}", flush=True)
        total.update(row)
    for name, row in table.items():
        print(f"{name:26}", ", ".join(f"{count} {kind}" for kind, count in row.items()))
    count = total["right"] + total["wrong"] + total["refused"]
    print(f"{total['right']} of {count} right ({100 * total['right'] / max(count, 1):.1f} %), {total['left out']} left out")


if __name__ == "__main__":
    main()
