#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks budgets of whole things, as check_sizes.py does of files and functions.

  check_budgets.py [--root DIR] [--fix | --accept]

  class     at most 25 methods; its methods are defined in one .cpp
  folder    at most 30 sources: a .cpp with its .h is one, and so is a .h alone
  circle    no units (a .cpp with its .h) that include each other in a circle
  folders   no two folders include each other: of two, one comes first
  comments  of the lines of headers at least 35 % have a comment

Tests are free of these. What breaks a budget today stands in scripts/budgets.txt with its figure, which may only get
better: a worse figure is an error, and so is an entry that is not needed any more. --fix writes today's better figures
into the list; it makes no figure worse and adds no entry. --accept writes the list anew, with whatever it finds: for
files that moved. A review asks why a line of the list is new.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import check_includes
from source_tree import CPP_SUFFIXES, ROOT, tracked_files

METHODS, FILES, SOURCES, COMMENTS = 25, 1, 30, 35
LIST = "scripts/budgets.txt"
HALVES = ("bindings/", "compiler/", "contract/", "include/", "runtime/", "tools/")
HEADER = """# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What breaks a budget of scripts/check_budgets.py, and by how much. A figure may only get better.
"""


def sources(root):
    paths = tracked_files(root, CPP_SUFFIXES)
    return [path for path in paths if path.startswith(HALVES) and not check_includes.is_test(path)]


def tags(root, paths):
    """What Universal Ctags finds of C++: classes, functions with bodies, and declarations."""
    if not paths:
        return []
    command = ["ctags", "-L", "-", "-f", "-", "--output-format=json", "--fields=+neS", "--languages=C++",
               "--langmap=C++:.h.hpp.cpp", "--kinds-C++=cspf"]
    text = subprocess.run(command, cwd=root, input="\n".join(paths), check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in text.splitlines()]


def is_method(tag):
    """Not a constructor, a destructor, or an assignment."""
    return tag["name"] != tag["scope"].rsplit("::", 1)[-1] and not re.match(r"~|operator ?=$", tag["name"])


def class_figures(root, paths):
    """(kind, name, figure): the methods of each class, and the .cpp files of its folder that define methods of it."""
    found = [tag for tag in tags(root, paths) if tag["path"].endswith((".h", ".hpp", ".cpp"))]
    classes = [tag for tag in found if tag["kind"] in ("class", "struct") and "end" in tag]
    own = {(tag["path"], tag["name"]) for tag in classes}  # a .cpp may have a class of the same name
    declared, defined = {}, {}
    for tag in found:
        if tag["kind"] not in ("function", "prototype") or "scope" not in tag:
            continue
        name = tag["scope"].rsplit("::", 1)[-1]
        declared.setdefault((tag["path"], tag["scope"]), []).append(tag)
        if tag["kind"] == "function" and tag["path"].endswith(".cpp") and (tag["path"], name) not in own:
            defined.setdefault((folder_of(unit_of(tag["path"])), name), set()).add(tag["path"])
    for tag in classes:
        scope = f"{tag['scope']}::{tag['name']}" if "scope" in tag else tag["name"]
        methods = {(m["name"], m.get("signature", "")) for m in declared.get((tag["path"], scope), [])
                   if tag["line"] <= m["line"] <= tag["end"] and is_method(m)}
        yield "methods", f"{tag['path']} {tag['name']}", len(methods)
        if tag["path"].endswith((".h", ".hpp")):
            place = folder_of(unit_of(tag["path"])), tag["name"]
            yield "files", f"{tag['path']} {tag['name']}", len(defined.get(place, ()))


def folder_of(path):
    return path.rsplit("/", 1)[0]


def unit_of(path):
    """A header and the .cpp of its name are one; headers of the contract lie apart from their sources."""
    return path.replace("contract/include/heddle/contract/", "contract/lib/").rsplit(".", 1)[0]


def folder_figures(paths):
    folders = {}
    for path in paths:
        folders.setdefault(folder_of(path), set()).add(path.rsplit(".", 1)[0])
    return [("sources", folder, len(units)) for folder, units in sorted(folders.items())]


def circles(graph):
    """The sets of nodes, of two or more, that all reach each other (Tarjan, without recursion)."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for start in sorted(graph):
        work = [(start, None)] if start not in index else []
        while work:
            node, successors = work.pop()
            if successors is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
                successors = iter(sorted(graph.get(node, ())))
            for successor in successors:
                if successor not in index:
                    work += [(node, successors), (successor, None)]
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                if low[node] == index[node]:
                    circle = stack[stack.index(node):]
                    del stack[stack.index(node):]
                    on_stack.difference_update(circle)
                    if len(circle) > 1:
                        found.append(sorted(circle))
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
    return sorted(found)


def unit_includes(root, paths):
    """(unit, unit that it includes), once for each such line."""
    files, found = set(paths), []
    for path in paths:
        text = (root / path).read_text(errors="replace")
        for match in check_includes.INCLUDE.finditer(text):
            target = check_includes.target_of(match.group(1) or match.group(2), path, files)
            if target in files and unit_of(target) != unit_of(path):
                found.append((unit_of(path), unit_of(target)))
    return found


def folder_pair_figures(edges):
    """Of two folders that include each other, the includes of the way that has fewer: those against the order."""
    counts = collections.Counter((folder_of(a), folder_of(b)) for a, b in edges if folder_of(a) != folder_of(b))
    return [("folders", f"{a} {b}", min(count, counts[b, a])) for (a, b), count in sorted(counts.items())
            if a < b and (b, a) in counts]


def circle_figures(edges):
    """A circle is named by its units, in order."""
    graph = {}
    for unit, included in edges:
        graph.setdefault(unit, set()).add(included)
    return [("circle", " ".join(circle), len(circle)) for circle in circles(graph)]


def comment_lines(text):
    """How many lines have a comment, and how many there are; empty ones do not count."""
    commented = total = 0
    inside = False
    for line in text.splitlines():
        total += bool(line.strip())
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)
        if inside or "//" in code or "/*" in code:
            commented += bool(line.strip())
        ends = max(code.rfind("*/"), 0)
        if inside:
            inside = "*/" not in code or "/*" in code[ends:]
        else:
            inside = "/*" in re.sub(r"//.*|/\*.*?\*/", "", code)
    return commented, total


def comment_figures(root, paths):
    """The share in percent, of all headers and of those of each folder."""
    counts = {}
    for path in paths:
        if not path.endswith((".h", ".hpp")):
            continue
        commented, total = comment_lines((root / path).read_text(errors="replace"))
        for name in ("all", folder_of(path)):
            before = counts.get(name, (0, 0))
            counts[name] = (before[0] + commented, before[1] + total)
    return [("comments", name, 100 * commented // max(1, total)) for name, (commented, total) in sorted(counts.items())]


def worse(kind, figure, than):
    return figure < than if kind == "comments" else figure > than


BUDGETS = {"methods": METHODS, "files": FILES, "sources": SOURCES, "circle": 1, "folders": 0, "comments": COMMENTS}
WORDS = {"methods": "{} methods, at most {}", "files": "methods in {} .cpp files, at most {}",
         "sources": "{} sources, at most {}", "circle": "{} units include each other in a circle, at most {}",
         "folders": "the folders include each other, by {} includes against the order, at most {}",
         "comments": "{} % of the lines of its headers have a comment, at least {}"}


def figures(root):
    """{(kind, name): figure} of everything that has a budget."""
    paths = sources(root)
    found, edges = {}, unit_includes(root, paths)
    for kind, name, figure in [*class_figures(root, paths), *folder_figures(paths), *circle_figures(edges),
                               *folder_pair_figures(edges), *comment_figures(root, paths)]:
        key = (kind, name)
        found[key] = max(figure, found.get(key, 0))
    return found


def read_list(root):
    path = root / LIST
    entries = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            kind, figure, name = line.split(" ", 2)
            entries[kind, name] = int(figure)
    return entries


def allowance(kind, name, entries):
    """The figure that the list grants; a circle may lose units of a circle that the list has."""
    if kind != "circle" or (kind, name) in entries:
        return entries.get((kind, name))
    units = set(name.split())
    return next((len(units) for other, listed in entries if other == "circle" and units <= set(listed.split())), None)


def check(root):
    """Errors, as text, and the list as it should be."""
    found, entries, errors, better = figures(root), read_list(root), [], {}
    for (kind, name), figure in sorted(found.items()):
        if not worse(kind, figure, BUDGETS[kind]):
            continue
        granted = allowance(kind, name, entries)
        if granted is None or worse(kind, figure, granted):
            errors.append(f"{name}: " + WORDS[kind].format(figure, BUDGETS[kind]) +
                          (f", and {LIST} has {granted}" if granted is not None else ""))
        if granted is not None:
            better[kind, name] = granted if worse(kind, figure, granted) else figure
    for kind, name in sorted(entries):
        if (kind, name) not in better:
            errors.append(f"{LIST}: '{kind} {name}' keeps the budget or is not there: --fix takes it from the list")
    return errors, better


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--fix", action="store_true")
    how.add_argument("--accept", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    errors, better = check(root)
    if options.accept:
        better = {key: figure for key, figure in figures(root).items() if worse(key[0], figure, BUDGETS[key[0]])}
    if options.fix or options.accept:
        lines = [f"{kind} {figure} {name}\n" for (kind, name), figure in sorted(better.items())]
        (root / LIST).write_text(HEADER + "".join(lines))
        errors, better = check(root)
    for error in errors:
        print("error: " + error, file=sys.stderr)
    print(f"check_budgets: {len(better)} exceptions, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
