# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every small change of every op of a StableHLO program in generic form, each as a program of that op alone (sweep.py)."""
import itertools
import re

ELEMENTS = ["f64", "f16", "bf16", "i1", "i8", "i16", "i32", "i64", "ui8", "ui32", "ui64", "i4", "f8E4M3FN", "complex<f32>", "index"]
NUMBERS = [0, 1, -1, 2, 7, 1 << 31, 1 << 62, (1 << 63) - 1, -(1 << 63)]
COMBINERS = ["add", "multiply", "minimum", "and", "subtract", "compare", "dot_general"]
MOST_OF_A_KIND = 3  # ops of one name in one program

OPENING = re.compile(r'^(\s*)(%\w+(?::\d+)? = )?"([\w.]+)"\(([^()]*)\)(?:\[\S*\])?\s*(<\{.*?\}>)?\s*(.*)$')
SIGNATURE = re.compile(r": \((.*?)\) -> (.*)$")
TYPE = re.compile(r"tensor<(?:[^<>]|<[^<>]*>)*>")
CONSTANT = re.compile(r'^\s*(%\w+) = "stablehlo\.constant"')


class Op:
    """An op: its operands' types, or the text of the constant that one is; attributes `name = value`; regions as text."""

    def __init__(self, name, operands, attributes, regions, results):
        self.name, self.operands, self.attributes, self.regions, self.results = name, operands, attributes, regions, results

    def changed(self, **fields):
        return Op(**{**self.__dict__, **fields})

    def with_type(self, old, new):
        constants = [None if value and old in value else value for _, value in self.operands]
        return self.changed(operands=[(new if kind == old else kind, value) for (kind, _), value in zip(self.operands, constants)],
                            results=[new if kind == old else kind for kind in self.results],
                            regions=self.regions.replace(old, new))

    def program(self):
        arguments = [f"%in{i}: {kind}" for i, (kind, value) in enumerate(self.operands) if not value]
        constants = "".join(f"  %in{i} = {value}\n" for i, (_, value) in enumerate(self.operands) if value)
        names = ", ".join(f"%in{i}" for i in range(len(self.operands)))
        attributes = f" <{{{', '.join(self.attributes)}}}>" if self.attributes else ""
        regions = f" ({self.regions})" if self.regions else ""
        results, count = ", ".join(self.results), len(self.results)
        target = "" if count == 0 else f"%out:{count} = "
        values = ", ".join(f"%out#{i}" for i in range(count))
        return (f"func.func @main({', '.join(arguments)}) -> ({results}) {{\n{constants}"
                f'  {target}"{self.name}"({names}){attributes}{regions} : ({", ".join(kind for kind, _ in self.operands)}) -> ({results})\n'
                f"  func.return{' ' + values + ' : ' + results if count else ''}\n}}\n")


def split(text):
    """The parts between commas that no bracket encloses."""
    parts, depth, start = [], 0, 0
    for at, c in enumerate(text):
        arrow = c == ">" and text[at - 1:at] == "-"
        depth += (c in "<[({") - (c in ">])}" and not arrow)
        if c == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [part for part in [*parts, text[start:].strip()] if part]


def ops(text):
    """The ops of a program as JAX prints it, an op or the edge of a region a line; not those that read what lies around them."""
    lines, constants, counts = text.splitlines(), {}, {}
    for at, line in enumerate(lines):
        opening = OPENING.match(line)
        if not opening:
            continue
        indent, _, name, operands, attributes, rest = opening.groups()
        if constant := CONSTANT.match(line):
            constants[constant[1]] = line.split(" = ", 1)[1]
        if name.startswith(("func.", "builtin.")) or name.endswith(".return") or counts.get(name, 0) == MOST_OF_A_KIND:
            continue
        regions = ""
        if rest.startswith("({"):
            end = next((i for i in range(at + 1, len(lines)) if lines[i].startswith(indent + "})")), None)
            if end is None:
                continue
            regions, rest = "\n".join(["{", *lines[at + 1:end], "}"]), lines[end][len(indent) + 2:].strip()
            inner = set(re.findall(r"(%\w+)(?::\d+)?(?=[:,)]?.* = |: )", regions)) | set(re.findall(r"(%\w+):", regions))
            if any(value not in inner for value in re.findall(r"%\w+", regions)):
                continue
        if not (signature := SIGNATURE.search(rest)):
            continue
        kinds = TYPE.findall(signature[1])
        values = [constants.get(value) for value in re.findall(r"%\w+(?:#\d+)?", operands)]
        if len(kinds) == len(values):
            counts[name] = counts.get(name, 0) + 1
            yield Op(name, list(zip(kinds, values)), split(attributes[2:-2]) if attributes else [], regions, TYPE.findall(signature[2]))


def kinds(kind, shapes):
    """Other types than `kind`."""
    *dims, element = kind[len("tensor<"):-1].split("x") if "complex" not in kind else [kind[len("tensor<"):-1]]
    for other in shapes([int(dim) if dim.isdigit() else dim for dim in dims]):
        yield f"tensor<{''.join(f'{size}x' if isinstance(size, int) and size >= 0 else '?x' for size in other)}{element}>"
    for other in ELEMENTS:
        yield f"tensor<{''.join(f'{dim}x' for dim in dims)}{other}>"


def values(value):
    """Other attributes than `value`."""
    for number in re.finditer(r"(?<![\w#])-?\d+\b", value):
        for other in NUMBERS:
            yield f"{value[:number.start()]}{other}{value[number.end():]}"
    for entries in re.finditer(r"(?<=\[)[-\d, ]*(?=\])|(?<=i64: )[-\d, ]+(?=>)", value):
        numbers = split(entries[0])
        for other in ([], numbers[:-1], [*numbers, "1"], [*numbers, *numbers], numbers[::-1]):
            yield f"{value[:entries.start()]}{', '.join(other)}{value[entries.end():]}".replace("i64: >", "i64>")
    for old, new in itertools.permutations(["true", "false", "LT", "GE", "TOTALORDER", "b", "f", "i", "o"], 2):
        if re.search(rf"\b{old}\b", value):
            yield re.sub(rf"\b{old}\b", new, value, count=1)
    yield "unit"


def changes(op, names, shapes):
    yield op
    for name in names:
        yield op.changed(name=name)
    for at, (kind, _) in enumerate(op.operands):
        yield op.changed(operands=op.operands[:at] + op.operands[at + 1:])
        yield op.changed(operands=op.operands[:at] + op.operands[at:at + 1] + op.operands[at:])
        yield op.changed(operands=[*op.operands[:at], (kind, None), *op.operands[at + 1:]])
        for other in kinds(kind, shapes):
            yield op.changed(operands=[*op.operands[:at], (other, None), *op.operands[at + 1:]])
    for at, kind in enumerate(op.results):
        yield op.changed(results=op.results[:at] + op.results[at + 1:])
        for other in kinds(kind, shapes):
            yield op.changed(results=[*op.results[:at], other, *op.results[at + 1:]])
    for kind in dict.fromkeys([*(kind for kind, _ in op.operands), *op.results, *TYPE.findall(op.regions)]):
        for other in kinds(kind, shapes):
            yield op.with_type(kind, other)
    for at, attribute in enumerate(op.attributes):
        name, _, value = attribute.partition(" = ")
        yield op.changed(attributes=op.attributes[:at] + op.attributes[at + 1:])
        for other in values(value):
            yield op.changed(attributes=[*op.attributes[:at], f"{name} = {other}", *op.attributes[at + 1:]])
    lines = op.regions.splitlines()
    for at, line in enumerate(lines):
        yield op.changed(regions="\n".join(lines[:at] + lines[at + 1:]))
        for old in re.findall(r'"stablehlo\.(\w+)"', line):
            for new in COMBINERS:
                yield op.changed(regions="\n".join([*lines[:at], line.replace(f'"stablehlo.{old}"', f'"stablehlo.{new}"'), *lines[at + 1:]]))
    if op.regions:
        yield op.changed(regions="")
        yield op.changed(regions=f"{op.regions}, {op.regions}")


class Changes:
    """Calls `emit` with each change of each op of a program; `names`: of ops that take each other's place."""

    def __init__(self, data, names, shapes, emit):
        self.text, self.names, self.shapes, self.emit = data.decode(errors="replace"), names, shapes, emit

    def run(self):
        for op in ops(self.text):
            for changed in changes(op, self.names, self.shapes):
                self.emit(changed.program().encode())
