#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the include graph: who may include whom (docs/design/structure.md), no cycles, LLVM only in the compiler.

  check_includes.py [--root DIR] [--dot FILE]

Every source file lies in a *room*, the longest prefix of its path in ROOMS. Within a half (contract, public, runtime,
compiler, tools) a room may include rooms of lower rank; rooms of equal rank do not see each other, except where the
table says so. Between halves: the runtime and the compiler see the contract and never each other; tools see both. Tests
see all of their half, and nobody includes a test. --dot writes the graph of rooms for Graphviz.
"""
import argparse
import pathlib
import re
import sys

from source_tree import CPP_SUFFIXES, ROOT, tracked_files


class Room:
    """One row of the table. `peers`: may include rooms of its own rank, as long as there is no cycle."""

    def __init__(self, prefix, half, rank, peers=False):
        self.prefix = prefix.split("/")
        self.half = half
        self.rank = rank
        self.peers = peers


# `*` stands for one folder. A new row is a decision: say why in docs/design/structure.md.
ROOMS = [
    Room("contract", "contract", 0),
    Room("include/heddle", "public", 0),
    Room("bindings/python", "bindings", 0),
    Room("runtime/base", "runtime", 1),
    Room("runtime/match", "runtime", 2),
    Room("runtime/hal", "runtime", 3),
    Room("runtime/drivers/common", "runtime", 3.5),
    Room("runtime/drivers/*", "runtime", 4),
    Room("runtime/drivers", "runtime", 5),
    Room("runtime/executor/program", "runtime", 4),
    Room("runtime/executor/load", "runtime", 5),
    Room("runtime/executor/call", "runtime", 6),
    Room("runtime/collectives", "runtime", 4),
    Room("runtime/capi", "runtime", 7),
    Room("runtime/test", "runtime", 8),
    Room("runtime/benchmarks", "runtime", 8),
    Room("compiler/Analysis", "compiler", 1),
    Room("compiler/Dialect", "compiler", 1),
    Room("compiler/Dialect/*/IR", "compiler", 2, peers=True),
    Room("compiler/Target/Forms", "compiler", 2.2),
    Room("compiler/Stages/Import/Annotations", "compiler", 2.4),
    Room("compiler/Stages/Import/Emit", "compiler", 2.4),
    Room("compiler/Stages/Import/Onnx", "compiler", 2.6),
    Room("compiler/Stages/Import/StableHlo", "compiler", 2.6),
    Room("compiler/Stages/Import/Tosa", "compiler", 2.6),
    Room("compiler/Dialect/*/Analysis", "compiler", 3),
    Room("compiler/Evaluation", "compiler", 3),
    Room("compiler/Target/*", "compiler", 3),
    Room("compiler/Target", "compiler", 4),
    Room("compiler/Target/*/Backend", "compiler", 7, peers=True),
    Room("compiler/Dialect/*/Transforms", "compiler", 4),
    Room("compiler/Dialect/*/Interpreter", "compiler", 4),
    Room("compiler/Codegen/IR", "compiler", 5),
    Room("compiler/Codegen/Math", "compiler", 5.2),
    Room("compiler/Codegen/ISA", "compiler", 5.2),
    Room("compiler/Codegen/Link", "compiler", 5.2),
    Room("compiler/Codegen/Plan", "compiler", 5.2),
    Room("compiler/Codegen/Emit", "compiler", 5.4),
    Room("compiler/Codegen/CPU/Contraction", "compiler", 5.5),
    Room("compiler/Codegen/CPU", "compiler", 5.6),
    Room("compiler/Codegen/GPU", "compiler", 5.6),
    Room("compiler/Stages/*", "compiler", 6),
    Room("compiler/Pipelines", "compiler", 8),
    Room("compiler/Reference", "compiler", 9),
    Room("compiler/Codegen/test", "tools", 0),
    Room("tools/lib", "tools", 0),
    Room("tools/*", "tools", 1, peers=True),
]

MAY_SEE = {
    "contract": {"contract"},
    "public": {"public"},
    "bindings": {"public", "bindings"},
    "runtime": {"contract", "public", "runtime"},
    "compiler": {"contract", "compiler"},
    "tools": {"contract", "public", "runtime", "compiler", "tools"},
}

# Programs that link the compiler; every other tool starts without LLVM.
COMPILER_TOOLS = ["tools/compile", "tools/opt", "tools/check", "tools/reduce", "tools/package", "tools/reference", "test/fuzz", "test/onnx_backend", "test/placement", "test/seeded_bugs", "compiler/Codegen/test"]
# Reads one C header of LLVM; the code behind it is linked by itself.
LLVM_DIGEST = "tools/cache/Digest.cpp"
LLVM = re.compile(r"^(llvm|llvm-c|mlir|mlir-c|lld|clang|clang-c)/")
INCLUDE = re.compile(r'^[ \t]*#?[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
TEST_FOLDERS = {"test", "cts", "benchmarks"}
OURS = ("bindings/", "compiler/", "runtime/", "contract/", "tools/", "heddle/", "test/")


def room_of(path):
    """The room of a path, as (name, Room); None when no row fits."""
    parts = path.split("/")
    best = None
    for room in ROOMS:
        depth = len(room.prefix)
        fits = len(parts) > depth and all(p in ("*", part) for p, part in zip(room.prefix, parts))
        if fits and (best is None or depth > len(best.prefix)):
            best = room
    return best and ("/".join(parts[: len(best.prefix)]), best)


def is_test(path):
    return bool(TEST_FOLDERS & set(path.split("/")[:-1])) or path.endswith(("Test.cpp", "_test.cpp"))


def target_of(include, including, files):
    """Where an include leads, as a path from the root; None for a header that is not ours."""
    sibling = str(pathlib.PurePosixPath(including).parent / include)
    if sibling in files:
        return sibling
    if include.startswith("heddle/contract/"):
        return "contract/include/" + include  # may be generated: its room is known all the same
    if include.startswith("heddle/"):
        return "include/" + include
    return include if include.startswith(OURS) or include in files else None


def may_use_llvm(path):
    compiler_tool = path == LLVM_DIGEST or any(path.startswith(tool + "/") for tool in COMPILER_TOOLS)
    return path.startswith(("compiler/", "cmake/")) or compiler_tool


def edge_error(path, target):
    """Why `path` may not include `target`, or None."""
    source, sink = room_of(path), room_of(target)
    if sink is None:
        return "includes a file outside every room"
    (source_name, a), (sink_name, b) = source, sink
    if b.half not in MAY_SEE[a.half]:
        return f"{a.half} may not include {b.half}"
    if is_test(target) and not is_test(path):
        return "only a test may include a test"
    if is_test(path) or source_name == sink_name or a.half != b.half:
        return None
    if b.rank > a.rank or (b.rank == a.rank and not (a.peers and b.peers)):
        return f"{source_name} comes before {sink_name}, or beside it"
    return None


def find_cycle(graph):
    """One cycle of a graph {node: iterable of nodes} as a list that begins and ends with one node; None if none."""
    state, path = {}, []

    def visit(node):
        state[node] = "open"
        path.append(node)
        for successor in sorted(graph.get(node, ())):
            if state.get(successor) == "open":
                return path[path.index(successor):] + [successor]
            if successor not in state:
                cycle = visit(successor)
                if cycle:
                    return cycle
        path.pop()
        state[node] = "done"
        return None

    for node in sorted(graph):
        if node not in state:
            cycle = visit(node)
            if cycle:
                return cycle
    return None


def check(root):
    """All errors of a tree, and its graph of rooms."""
    files = set(tracked_files(root, CPP_SUFFIXES + (".td", ".def", ".inc")))
    errors, file_graph, room_graph = [], {}, {}
    for path in sorted(files):
        source = room_of(path)
        in_build = path.startswith(("cmake/", "test/", "benchmarks/", "examples/"))
        if source is None and not in_build:
            errors.append(f"{path}: lies in no room; add a row to ROOMS in scripts/check_includes.py and say why in "
                          "docs/design/structure.md, or move it")
            continue
        text = (pathlib.Path(root) / path).read_text(errors="replace")
        for match in INCLUDE.finditer(text):
            include = match.group(1) or match.group(2)
            line = text.count("\n", 0, match.start()) + 1
            if LLVM.match(include) and not may_use_llvm(path):
                errors.append(f"{path}:{line}: includes {include}; LLVM is for compiler/ and {', '.join(COMPILER_TOOLS)}")
            target = target_of(include, path, files)
            if target is None or source is None:
                continue
            compiler_only = target.startswith("compiler/") and path.startswith("tools/") and not may_use_llvm(path)
            error = "this tool starts without the compiler" if compiler_only else edge_error(path, target)
            if error:
                errors.append(f"{path}:{line}: includes {include}: {error}")
            file_graph.setdefault(path, set()).add(target)
            sink = room_of(target)
            if sink and sink[0] != source[0] and not is_test(path):
                room_graph.setdefault(source[0], set()).add(sink[0])
    for graph, what in ((file_graph, "files"), (room_graph, "rooms")):
        cycle = find_cycle(graph)
        if cycle:
            errors.append(f"{what} include each other in a cycle: " + " -> ".join(cycle))
    return errors, room_graph


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=ROOT, type=pathlib.Path)
    parser.add_argument("--dot", type=pathlib.Path)
    options = parser.parse_args()
    errors, rooms = check(options.root)
    if options.dot:
        edges = [f'  "{a}" -> "{b}";\n' for a in sorted(rooms) for b in sorted(rooms[a])]
        options.dot.write_text("digraph rooms {\n  rankdir=BT;\n" + "".join(edges) + "}\n")
    for error in errors:
        print(error, file=sys.stderr)
    print(f"check_includes: {len(rooms)} rooms, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
