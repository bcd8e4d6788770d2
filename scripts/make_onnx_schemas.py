#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes compiler/Stages/Import/Onnx/Model/Schemas.inc: what ONNX says of each operator of ai.onnx, from the package onnx.

One line for each operator and operator set that changed it: name, set, whether the set took it away, how many inputs and outputs, the
inputs' type parameters, the attributes with their types (! is required).

    scripts/make_onnx_schemas.py [--check]

With --check nothing is written: exit status 1 if the file is not what the package says.
"""
import argparse
import pathlib
import sys

import onnx.defs

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "compiler" / "Stages" / "Import" / "Onnx" / "Model" / "Schemas.inc"
VARIADIC = onnx.defs.OpSchema.FormalParameterOption.Variadic


def describe(schema):
    parameters = []
    for formal in schema.inputs:
        name = formal.type_str if not formal.type_str.startswith(("tensor(", "seq(", "optional(", "map(")) else "-"
        variadic = formal.option == VARIADIC
        if variadic and not formal.is_homogeneous:
            name = "-"
        parameters.append(name + ("*" if variadic else ""))
    attributes = [f"{name}:{attribute.type.name}{'!' if attribute.required else ''}" for name, attribute in sorted(schema.attributes.items())]
    counts = [min(n, 2**31 - 1) for n in (schema.min_input, schema.max_input, schema.min_output, schema.max_output)]
    return f'{{"{schema.name}", {schema.since_version}, {str(schema.deprecated).lower()}, {", ".join(map(str, counts))}, "{" ".join(parameters)}", "{" ".join(attributes)}"}},'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the file is out of date")
    options = parser.parse_args()
    schemas = sorted((s for s in onnx.defs.get_all_schemas_with_history() if s.domain == ""), key=lambda s: (s.name, s.since_version))
    lines = ["// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception",
             f"// Operators of ai.onnx up to operator set {onnx.defs.onnx_opset_version()}, written by scripts/make_onnx_schemas.py.", "// clang-format off",
             *map(describe, schemas), "// clang-format on"]
    text = "\n".join(lines) + "\n"
    if not options.check:
        OUT.write_text(text)
    elif OUT.read_text() != text:
        print(f"{OUT.relative_to(ROOT)} is out of date: run scripts/make_onnx_schemas.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
