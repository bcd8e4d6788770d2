#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/python-api.md: the Python package's public names with their signatures and docstrings, read from the sources.

  make_python_api.py           writes the page
  make_python_api.py --check   fails where the page is not what the sources say
"""
import ast
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "bindings" / "python" / "heddle"
PAGE = ROOT / "docs" / "python-api.md"
# What comes first, in this order; the other names behind it.
FIRST = ["load", "compile", "Session", "Module", "Function", "Value", "Future", "Tensor", "State", "Artifact", "Explanation", "Profile",
                      "devices", "Device", "ModuleDevice", "Mesh", "shard", "Sharding", "Ranks", "RankFunction", "PerRank", "from_torch"]
INTRO = """# Python API

Made of the package's docstrings by `scripts/make_python_api.py`. [python.md](python.md) explains, with examples; this page lists.
"""


def parse(name):
    return ast.parse((PACKAGE / name).read_text(encoding="utf-8"))


def definitions(tree):
    return {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def public_names():
    """(name, its definition) of all that `heddle` exports."""
    tree = parse("__init__.py")
    sources, names = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            for alias in node.names:
                sources[alias.asname or alias.name] = (node.module, alias.name)
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            names = [item.value for item in node.value.elts]
    ordered = FIRST + [name for name in names if name not in FIRST]
    for name in ordered:
        if name not in sources:
            continue  # a constant
        module, original = sources[name]
        path = PACKAGE / (module.replace(".", "/") + ".py")
        file = path.relative_to(PACKAGE) if path.exists() else f"{module}.pyi"
        found = definitions(parse(file))
        if original in found:
            yield name, found[original]


def signature(node, prefix=""):
    """As it is written, without annotations, `self` and what begins with an underscore."""
    arguments = node.args
    texts = []
    positional = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    for argument, default in zip(positional, defaults):
        if argument.arg in ("self", "cls"):
            continue
        texts.append(argument.arg + (f"={ast.unparse(default)}" if default is not None else ""))
    if arguments.vararg:
        texts.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        texts.append("*")
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        texts.append(argument.arg + (f"={ast.unparse(default)}" if default is not None else ""))
    if arguments.kwarg:
        texts.append(f"**{arguments.kwarg.arg}")
    return f"{prefix}{node.name}({', '.join(texts)})"


def is_property(node):
    return any(getattr(decorator, "id", "") == "property" for decorator in node.decorator_list)


def is_overload(node):
    return any(getattr(decorator, "id", "") == "overload" for decorator in node.decorator_list)


def docstring(node):
    return ast.get_docstring(node) or ""


def members(node):
    """Methods and properties, one line each where they have no docstring of several."""
    lines = []
    inherited = [definitions(parse("_runtime.pyi"))[base.attr] for base in node.bases if ast.unparse(base).startswith("_runtime.")]
    for member in [*node.body, *(member for base in inherited for member in base.body)]:
        if not isinstance(member, ast.FunctionDef) or member.name.startswith("_") or is_overload(member):
            continue
        title = f"`.{member.name}`" if is_property(member) else f"`.{signature(member)}`"
        text = " ".join(docstring(member).split())
        lines.append(f"- {title}" + (f": {text}" if text else ""))
    return lines


def initializer(node):
    return next((member for member in node.body if isinstance(member, ast.FunctionDef) and member.name == "__init__"), None)


def entry(name, node, module="heddle"):
    out = []
    if isinstance(node, ast.FunctionDef):
        out += [f"### {module}.{name}", "", "```python", f"{module}." + signature(node), "```", ""]
    else:
        start = initializer(node)
        out += [f"### {module}.{name}", ""]
        if start and not name.startswith(("Module", "Ranks", "Explanation", "Profile", "RankFunction")):
            out += ["```python", f"{module}." + signature(start).replace("__init__", name), "```", ""]
    text = docstring(node)
    if text:
        out += [text, ""]
    if isinstance(node, ast.ClassDef):
        listed = members(node)
        out += listed + [""] if listed else []
    return out


def errors():
    """Exceptions as a table: class, what else it is, its docstring."""
    lines = ["## Exceptions", "", "| class | is also | when |", "|---|---|---|"]
    for name, node in definitions(parse("_errors.py")).items():
        if isinstance(node, ast.ClassDef):
            bases = ", ".join(f"`{ast.unparse(base)}`" for base in node.bases)
            lines.append(f"| `heddle.{name}` | {bases} | {' '.join(docstring(node).split())} |")
    return lines + [""]


def module_section(title, file, module, skip=()):
    tree = parse(file)
    lines = [f"## {title}", "", ast.get_docstring(tree) or "", ""]
    for name, node in definitions(tree).items():
        if not name.startswith("_") and name not in skip:
            lines += entry(name, node, module)
    return lines


def render():
    lines = [INTRO, "## heddle", ""]
    exceptions = set(definitions(parse("_errors.py")))
    for name, node in public_names():
        if name not in exceptions:
            lines += entry(name, node)
    lines += errors()
    lines += module_section("heddle.onnxruntime", "onnxruntime.py", "heddle.onnxruntime")
    lines += module_section("heddle.jax", "jax.py", "heddle.jax")
    text = "\n".join(lines)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return text.rstrip() + "\n"


def main():
    text = render()
    if "--check" in sys.argv[1:]:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print("make_python_api: docs/python-api.md " + ("is what the sources say" if same else "is not what the sources say; run scripts/make_python_api.py"))
        return 0 if same else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
