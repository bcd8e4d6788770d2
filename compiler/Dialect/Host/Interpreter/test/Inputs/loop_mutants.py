# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of loops over streams: waits, slots and offsets deleted or changed by one.

  loop_mutants.py

Each is refused by the verifier, or gives the same under every order of its streams' work (a wrong offset may read other
bytes, and be as wrong in each order), or fails before it issues anything. Prints what became of them; exit status 1 if one
was accepted and depends on the order.
"""
import collections
import itertools
import re
import subprocess
import sys
import tempfile

CONSTANTS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24)
HEAD = """device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
flow.executable private @accumulate attributes {host.fake = "accumulate"} { func.func private @accumulate() }
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>], [dense<[1, 2, 3]> : tensor<3xi32>]]} {
""" + "".join(f"  %c{i} = arith.constant {i} : index\n" for i in CONSTANTS) + """  %bytes = arith.muli %n, %c4 : index
  %y = host.result 0 on @d size %bytes
"""
TAIL = """  host.return %y shape(%n)
}
"""
FOR = "  host.stream_for %i to {trips} slot %k stream %mine on @d 0 streams %c2 issue %s {ordered}{{\n"
RAGGED = """    %row = arith.muli %i, %c2 : index
    %offset = arith.muli %row, %c4 : index
    %left = arith.subi %n, %row : index
    %rows = arith.minsi %left, %c2 : index
    %part = arith.muli %rows, %c4 : index
"""
BALANCED = """    %next = arith.addi %i, %c1 : index
    %p = arith.muli %i, %n : index
    %q = arith.muli %next, %n : index
    %begin = arith.divsi %p, %c3 : index
    %end = arith.divsi %q, %c3 : index
    %rows = arith.subi %end, %begin : index
    %offset = arith.muli %begin, %c4 : index
    %part = arith.muli %rows, %c4 : index
"""
SINGLE = """    %offset = arith.muli %i, %c4 : index
    %part = arith.muli %c1, %c4 : index
"""
DIRECT = """    %from = host.view %x[%offset] size %part
    %to = host.view %y[%offset] size %part
    host.dispatch %mine, @add_constant(%from, %to) [%c9] access(["r", "w"])
"""
SLOTS = """    %at = arith.muli %k, %c8 : index
    %from = host.view %x[%offset] size %part
    %own = host.view %t[%at] size %part
    %to = host.view %y[%offset] size %part
    host.dispatch %mine, @add_constant(%from, %own) [%c9] access(["r", "w"])
    host.dispatch %mine, @add_constant(%own, %to) [%c9] access(["r", "w"])
"""
BEFORE_SLOTS = """  %slots = arith.minsi {trips}, %c2 : index
  %size = arith.muli %slots, %c8 : index
  %t = host.alloc on @d size %size
"""
PARTS = """    %at = arith.muli %i, %c4 : index
    %from = host.view %x[%at] size %c4
    %own = host.view %t[%at] size %c4
    host.dispatch %mine, @add_constant(%from, %own) [%c9] access(["r", "w"])
"""
SUM = """    %own = host.view %t[%c0] size %c4
    %at = arith.muli %i, %c4 : index
    %from = host.view %x[%at] size %c4
    host.dispatch %mine, @accumulate(%from, %own) access(["r", "rw"])
"""
COLUMNS = """    %offset = arith.muli %i, %c4 : index
    %stride = arith.muli %half, %c4 : index
    %from = host.view %x[%offset] size %c4 times %c2 stride %stride
    %to = host.view %y[%offset] size %c4 times %c2 stride %stride
    host.dispatch %mine, @add_constant(%from, %to) [%c9] access(["r", "w"])
"""
CARRIED = """  %s0 = host.stream on @d 0
  %s1 = host.stream on @d 1
  %start = host.record %s
  host.wait %s0, %start
  host.wait %s1, %start
  %r:2 = scf.for %i = %c0 to {trips} step %c1 iter_args(%mine = %s0, %other = %s1) -> (!host.stream, !host.stream) {{
{body}    scf.yield %other, %mine : !host.stream, !host.stream
  }}
  %end0 = host.record %r#0
  host.wait %s, %end0
  %end1 = host.record %r#1
  host.wait %s, %end1
"""


def programs():
    """Names and texts."""
    halves = "  %trips = arith.ceildivsi %n, %c2 : index\n"

    def loop(body, trips="%trips", before="", after="", ordered=""):
        return HEAD + before + FOR.format(trips=trips, ordered=ordered) + body + "  }\n" + after + TAIL

    free = "  host.free %s, %t\n"
    slots = halves + BEFORE_SLOTS.format(trips="%trips")
    yield "ragged", loop(RAGGED + DIRECT, before=halves)
    yield "balanced", loop(BALANCED + DIRECT, "%c3")
    yield "single", loop(SINGLE + DIRECT, "%n")
    yield "three streams", loop(RAGGED + SLOTS, before=slots.replace("%trips, %c2", "%trips, %c3"), after=free).replace(
        "streams %c2", "streams %c3")
    yield "device's streams", loop(RAGGED + SLOTS, before="  %count = host.query @d \"streams\"\n" + slots.replace(
        "%trips, %c2", "%trips, %count"), after=free).replace("streams %c2", "streams %count")
    yield "backwards", loop("    %up = arith.addi %i, %c1 : index\n    %last = arith.subi %n, %up : index\n" +
                            SINGLE.replace("%i, %c4", "%last, %c4") + DIRECT, "%n")
    yield "ragged slots", loop(RAGGED + SLOTS, before=slots, after=free)
    most = "  %most = arith.ceildivsi %n, %c3 : index\n  %slot = arith.muli %most, %c4 : index\n"
    yield "balanced slots", loop(BALANCED + SLOTS.replace("%k, %c8", "%k, %slot"), "%c3", most + BEFORE_SLOTS.format(
        trips="%c3").replace("%slots, %c8", "%slots, %slot"), free)
    yield "ordered slots", loop(RAGGED + SLOTS, before=slots, after=free, ordered="ordered ")
    yield "own buffers", loop(RAGGED + "    %t = host.alloc on @d size %part\n" +
                              SLOTS.replace("%t[%at]", "%t[%c0]") + "    host.free %mine, %t\n", before=halves)
    # What the loop writes by parts is read behind it.
    copy = "  host.copy %s, %y[%c0] from %t[%c0] size %bytes\n"
    yield "parts", loop(PARTS, "%n", "  %t = host.alloc on @d size %bytes\n", copy + free)
    # Each iteration adds to what the one before left.
    zero = "  %t = host.alloc on @d size %bytes\n  host.fill %s, %t[%c0] size %bytes pattern %c0 : 4\n"
    yield "sum", loop(SUM, "%n", zero, copy + free, "ordered ")
    yield "columns", loop(COLUMNS, "%half", "  %half = arith.divsi %n, %c2 : index\n"
                          "  host.fill %s, %y[%c0] size %bytes pattern %c0 : 4\n")
    copies = ("    scf.for %r = %c0 to %c2 step %c1 {\n      %up = arith.muli %r, %half : index\n" +
              "      %place = arith.addi %up, %i : index\n      %offset = arith.muli %place, %c4 : index\n" +
              "      host.copy %mine, %y[%offset] from %x[%offset] size %c4\n    }\n")
    yield "copied columns", loop(copies, "%half", "  %half = arith.divsi %n, %c2 : index\n"
                                 "  host.fill %s, %y[%c0] size %bytes pattern %c0 : 4\n")
    inner = ("    host.stream_for %j to %c2 slot %l stream %own on @d 2 streams %c2 issue %mine {\n" +
             "      %first = arith.muli %i, %c2 : index\n      %place = arith.addi %first, %j : index\n" +
             "      %begin = arith.minsi %place, %n : index\n      %left = arith.subi %n, %begin : index\n" +
             "      %rows = arith.minsi %left, %c1 : index\n      %offset = arith.muli %begin, %c4 : index\n" +
             "      %part = arith.muli %rows, %c4 : index\n" + DIRECT.replace("%mine", "%own") + "    }\n")
    yield "nested", loop(inner, before=halves)
    yield "carried balanced", HEAD + CARRIED.format(trips="%c3", body=BALANCED + DIRECT) + TAIL
    yield "carried ragged", HEAD + halves + CARRIED.format(trips="%trips", body=RAGGED + DIRECT) + TAIL
    yield "carried parts", HEAD + "  %t = host.alloc on @d size %bytes\n" + CARRIED.format(
        trips="%n", body=PARTS) + copy + free + TAIL


def changes(line):
    """What one line may become; "" for a deleted one."""
    if re.match(r"\s*host\.(wait|free) ", line):
        yield ""
    if "stream_for" in line:
        for old, new in (("ordered ", ""), ("slot %k", "slot %q"), ("issue %s", "issue %z")):
            if old in line and old != "slot %k" and new != "issue %z":
                yield line.replace(old, new)
    if re.search(r"arith\.(muli|addi|subi|minsi|ceildivsi|divsi)|host\.(view|copy|fill|alloc|stream_for)", line):
        for found in re.finditer(r"%c(\d+)\b", line):
            for number in (int(found[1]) - 1, int(found[1]) + 1):
                if number in CONSTANTS:
                    yield line[:found.start()] + f"%c{number}" + line[found.end():]
        for old, new in itertools.permutations(("%k", "%i", "%c0", "%c1"), 2):
            for found in re.finditer(re.escape(old) + r"\b", line):
                if old[1] != "c" and "stream_for" not in line:
                    yield line[:found.start()] + new + line[found.end():]
        for old, new in (("%offset", "%c0"), ("%part", "%c4"), ("%row", "%i"), ("%begin", "%i"), ("%end", "%begin"),
                         ("%next", "%i"), ("%rows", "%c2"), ("%left", "%c2"), ("minsi", "maxsi"), ("addi", "subi"),
                         ("divsi", "ceildivsi"), ("%at", "%c0"), ("%slot", "%c4"), ("%slot", "%c8"), ("%stride", "%c4"), ("%size", "%c8"), ("%place", "%i")):
            for found in re.finditer(re.escape(old) + r"\b", line.split("=", 1)[-1]):
                at = len(line) - len(line.split("=", 1)[-1]) + found.start()
                if not re.match(r"\s*" + re.escape(new) + " ", line):
                    yield line[:at] + new + line[at + len(old):]


def run(texts, *options):
    """The first error of each program, None for one without; they run in one process."""
    separator = "\n// -----\n"
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(separator.join(texts))
        file.flush()
        done = subprocess.run(["heddle-opt", file.name, "--split-input-file", *options, "-o", "/dev/null"],
                              capture_output=True, text=True)
    errors, begins, at = [None] * len(texts), [], 1
    for text in texts:
        begins.append(at)
        at += (text + separator).count("\n")
    for found in re.finditer(r":(\d+):\d+: error: (.*)", done.stderr):
        which = sum(begin <= int(found[1]) for begin in begins) - 1
        errors[which] = errors[which] or found[2]
    if done.returncode and not any(errors):
        raise RuntimeError(done.stderr)
    return errors


class Mutants:
    """Those of one program by its lines, each once."""

    def __init__(self, text):
        self.lines, self.seen = text.splitlines(), {text}

    def fresh(self, what, changed):
        mutant = "\n".join(changed) + "\n"
        if mutant not in self.seen:
            self.seen.add(mutant)
            yield what, mutant

    def replaced(self, number, changed, what=None):
        """With another line in place of that one; "" for none."""
        line = self.lines[number]
        yield from self.fresh(what or f"{line.strip()} -> {changed.strip() or 'nothing'}",
                              self.lines[:number] + [changed] * (changed != "") + self.lines[number + 1:])

    def swapped(self, ops, distance):
        """Where two records, or ops of that pattern, change places."""
        issued = [i for i, line in enumerate(self.lines) if re.match(rf"\s*(%\w+ = host\.record|host\.({ops})) ", line)]
        for first, second in itertools.combinations(issued, 2):
            if second - first <= distance:
                lines = list(self.lines)
                lines[first], lines[second] = lines[second], lines[first]
                yield from self.fresh(f"{self.lines[first].strip()} <-> {self.lines[second].strip()}", lines)


def mutants_of(text):
    mutants = Mutants(text)
    for number, line in enumerate(mutants.lines):
        for changed in changes(line):
            yield from mutants.replaced(number, changed)


def report(programs, mutants_of, harmless):
    """Runs the programs, of (name, text), and the mutants of each, of (what, text); says what became of them. `harmless`: errors
    of the run that do not depend on the order. The exit status: 1 where a good program is refused or a mutant is wrong.
    """
    counts, wrong = collections.Counter(), 0
    for name, text in programs:
        error = run([text], "--schedule-verify-host", "--run-host=all-orders")[0]
        if error:
            print(f"{name}: refused as it is: {error}")
            wrong += 1
            continue
        found = list(mutants_of(text))
        refused = run([mutant for _, mutant in found], "--schedule-verify-host")
        accepted = [(what, mutant) for (what, mutant), error in zip(found, refused) if error is None]
        counts["refused"] += len(found) - len(accepted)
        results = run([mutant for _, mutant in accepted], "--run-host=all-orders") if accepted else []
        for (what, _), error in zip(accepted, results):
            counts["the same in every order" if error is None else "fail alike"] += 1
            if error is not None and not re.search(harmless, error):
                print(f"{name}: ACCEPTED {what}: {error}")
                wrong += 1
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) +
          f", {sum(counts.values())} in all, {wrong} wrong")
    return 1 if wrong else 0


# What the host refuses while it issues, it refuses in every order.
HARMLESS = (r"reaches bytes|has \S+ runs|a size below zero|has no value for these|returns \d+ bytes|leaks|sizes do not fit|"
            r"whole, aligned")

if __name__ == "__main__":
    sys.exit(report(programs(), mutants_of, HARMLESS))
