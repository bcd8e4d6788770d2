#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that one pass is one file, one flag and one test, all of the same name.

  check_passes.py [--root DIR]

For `def FooBar : Pass<"form-foo-bar", …>` in compiler/…/Form/Passes.td: the file FooBar.cpp beside it, the flag
`--form-foo-bar`, a test test/foo_bar.mlir or test/foo_bar_errors.mlir that runs the flag, and words on what it does. The
folder gives the first word of the flag (FormRegions: `--form-regions`; VerifyForm: `--form-verify`).
"""
import argparse
import pathlib
import re
import sys

from source_tree import ROOT, tracked_files

PASS = re.compile(r'^def (\w+)\s*:\s*(?:Interface)?Pass<"([^"]*)"[^{]*\{(.*?)^\}', re.MULTILINE | re.DOTALL)


def words(name):
    """FooBar2D → [foo, bar2, d]; SetCPUTarget → [set, cpu, target]"""
    return [w.lower() for w in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*", name)]


def scope_of(folder):
    """The first word of the flags of a folder: Stages/Form → form, Dialect/Host/Transforms → host, Target/Vulkan/Backend → vulkan."""
    name = folder.parent.name if folder.name in ("Transforms", "Backend") else folder.name
    return "-".join(words(name))


def flag_of(name, scope):
    """The flag of a pass: the scope and its words, the scope once; a verifier of the scope is `<scope>-verify`."""
    kebab = "-".join(words(name))
    if kebab == f"verify-{scope}":
        return f"{scope}-verify"
    return kebab if kebab.startswith(scope + "-") else f"{scope}-{kebab}"


def check_pass(root, folder, name, flag, body, files):
    """The errors of one pass."""
    where = f"{folder}/Passes.td: pass {name}"
    expected = flag_of(name, scope_of(folder))
    if flag != expected:
        yield f"{where}: has the flag --{flag}, got to be --{expected}"
    if f"{folder}/{name}.cpp" not in files:
        yield f"{where}: no file {folder}/{name}.cpp"
    summary = re.search(r'let summary = "(.*)"', body)
    if not summary:
        yield f"{where}: no `let summary`"
    elif len(summary.group(1)) < 40 and "let description" not in body:
        yield f"{where}: says too little: a summary of forty characters or more, or a description"
    snake = "_".join(words(name))
    tests = [t for t in (f"{folder}/test/{snake}.mlir", f"{folder}/test/{snake}_errors.mlir") if t in files]
    if not tests:
        yield f"{where}: no test {folder}/test/{snake}.mlir (nor {snake}_errors.mlir)"
    for test in tests:
        runs = [l for l in (root / test).read_text().splitlines() if "RUN:" in l or re.match(r"^// +\S.*--", l)]
        if not re.search(rf"--{re.escape(flag)}(?![\w-])|[(,]{re.escape(flag)}(?![\w-])", "\n".join(runs)):
            yield f"{test}: does not run --{flag}"


def check(root):
    files = set(tracked_files(root))
    errors, known = [], {}
    count = 0
    for path in sorted(f for f in files if f.startswith("compiler/") and f.endswith("/Passes.td")):
        folder = pathlib.PurePosixPath(path).parent
        text = (root / path).read_text()
        passes = PASS.findall(text)
        if len(passes) != len(re.findall(r"^def \w+\s*:", text, re.MULTILINE)):
            errors.append(f"{path}: a `def` that this script does not read as a pass; one pass: "
                          '`def Name : Pass<"flag", "op"> {` … `}` with the closing brace at the margin')
        for name, flag, body in passes:
            count += 1
            if name in known:
                errors.append(f"{path}: pass {name} is also in {known[name]}")
            known[name] = path
            errors.extend(check_pass(root, folder, name, flag, body, files))
    return errors, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    options = parser.parse_args()
    errors, count = check(options.root.resolve())
    for error in errors:
        print(error, file=sys.stderr)
    print(f"check_passes: {count} passes, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
