# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of programs whose collectives overlap with other work: in loops over streams, in rings, with slices that turn with a
rank's place. A wait or record is deleted or moved, a step of a ring swapped, a slice moved by one, a slot changed.

  overlap_mutants.py

Each is refused by a verifier, or gives the same under every order of the work of all ranks, or fails on all ranks alike.
Prints what became of them; exit status 1 if one was accepted and depends on the order.
"""
import itertools
import re
import sys

from loop_mutants import Mutants, changes, report

CONSTANTS = (0, 1, 2, 3, 4, 5, 8, 9, 12, 16, 24)
HEAD = """device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2]
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[[dense<[1, 2, 3]> : tensor<3xi32>], [dense<[10, 20, 30]> : tensor<3xi32>]]]} {
""" + "".join(f"  %c{i} = arith.constant {i} : index\n" for i in CONSTANTS) + """  %bytes = arith.muli %n, %c4 : index
  %c = host.comm_stream
  %r = host.coordinate @m "x"
  %y = host.result 0 on @d size %bytes
"""
TAIL = """  host.return %y shape(%n)
}
"""
FOR = "  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {\n"
PLACE = """    %offset = arith.muli %i, %c4 : index
    %from = host.view %x[%offset] size %c4
    %to = host.view %y[%offset] size %c4
"""
SLOT = """    %at = arith.muli %k, %c4 : index
    %own = host.view %t[%at] size %c4
"""
READY = "    %ready = host.record %mine\n    host.wait %c, %ready\n"
DONE = "    %done = host.record %c\n    host.wait %mine, %done\n"
FIRST = "    host.dispatch %mine, @add_constant(%from, %own) [%r] access([\"r\", \"w\"])\n"
LAST = "    host.dispatch %mine, @add_constant(%own, %to) [%c9] access([\"r\", \"w\"])\n"
SLOTS = "  %slots = arith.minsi %n, %c2 : index\n  %size = arith.muli %slots, %c4 : index\n  %t = host.alloc on @d size %size\n"
FREE = "  host.free %s, %t\n"


def reduce(source, target):
    return f"    host.collective %c all_reduce sum i32 over @m[\"x\"] ({source}) -> ({target}) count %c1\n"


def loop(body, before=SLOTS, after=FREE, ordered=""):
    return HEAD + before + FOR.replace("{\n", ordered + "{\n") + body + "  }\n" + after + TAIL


def turn(sum_of):
    """The place of a slice that turns with the rank's place."""
    return (f"    %sum = arith.{sum_of} : index\n    %whole = arith.addi %sum, %n : index\n    %place = arith.remsi %whole, %n : index\n"
            "    %offset = arith.muli %place, %c4 : index\n    %from = host.view %x[%offset] size %c4\n"
            "    %to = host.view %y[%offset] size %c4\n")


DIRECT = "    host.dispatch %mine, @add_constant(%from, %to) [%c9] access([\"r\", \"w\"])\n"
# Each rank gathers the pieces of all three by steps around the ring, and works on the one that it has meanwhile.
PIECE = """    %sum = arith.addi %r, {i} : index
    %place = arith.remsi %sum, %c3 : index
    %offset = arith.muli %place, %c4 : index
    %here = host.view %t[%offset] size %c4
    %to = host.view %y[%offset] size %c4
"""
RING = """  %t = host.alloc on @d size %c12
  %first = arith.muli %r, %c4 : index
  %own = host.view %t[%first] size %c4
  host.copy %s, %own[%c0] from %x[%c0] size %c4
  %start = host.record %s
  host.wait %c, %start
  scf.for %i = %c0 to %c2 step %c1 {
""" + PIECE.format(i="%i") + """    %next = arith.addi %sum, %c1 : index
    %after = arith.remsi %next, %c3 : index
    %begin = arith.muli %after, %c4 : index
    %there = host.view %t[%begin] size %c4
    %came = host.record %c
    host.collective %c permute i32 shift -1 over @m["x"] (%here) -> (%there) count %c1
    host.wait %s, %came
    host.dispatch %s, @add_constant(%here, %to) [%c9] access(["r", "w"])
  }
  %end = host.record %c
  host.wait %s, %end
""" + PIECE.format(i="%c2") + """    host.dispatch %s, @add_constant(%here, %to) [%c9] access(["r", "w"])
  host.free %s, %t
"""


# Three pieces beside one another, as ranks-overlap makes them: their collectives are all in flight.
def views(buffers):
    return "".join(f"  %{b}{i} = host.view %{b}[%c{4 * i}] size %c4\n" for b in buffers for i in range(3))


def work(source, target, number):
    return f'  host.dispatch %s, @add_constant({source}, {target}) [{number}] access(["r", "w"])\n'


def then(first, second, name):
    return f"  %{name} = host.record {first}\n  host.wait {second}, %{name}\n"


MADE = "  %t = host.alloc on @d size %c12\n"
PERMUTE = '    host.collective %c permute i32 shift 1 over @m["x"] ({}) -> ({}) count %c1\n'
# What is computed is moved, and computed with when all is there.
FED = (MADE + views("xty") + "".join(work(f"%x{i}", f"%t{i}", "%r") + then("%s", "%c", f"ready{i}") + reduce(f"%t{i}", f"%t{i}") for i in range(3)) +
       "".join(then("%c", "%s", f"done{i}") + work(f"%t{i}", f"%y{i}", "%c9") for i in range(3)) + FREE)
# What is moved is computed with: all are issued first, and each work waits for its own.
FEEDS = (MADE + views("xty") + then("%s", "%c", "start") + "".join(
    (reduce(f"%x{i}", f"%t{i}") if i != 1 else PERMUTE.format(f"%x{i}", f"%t{i}")) + f"  %came{i} = host.record %c\n" for i in range(3)) +
         "".join(f"  host.wait %s, %came{i}\n" + work(f"%t{i}", f"%y{i}", "%c9") for i in range(3)) + FREE)


def fewer(text):
    """Two iterations, of a program whose orders are many."""
    return text.replace("[1, 2, 3]", "[1, 2]").replace("[10, 20, 30]", "[10, 20]").replace("tensor<3xi32>", "tensor<2xi32>")


def programs():
    yield "sum of what is computed", loop(PLACE + SLOT + FIRST + READY + reduce("%own", "%to") + DONE)
    yield "sum that is computed with", loop(PLACE + SLOT + READY + reduce("%from", "%own") + DONE + LAST)
    yield "sum between", loop(PLACE + SLOT + FIRST + READY + reduce("%own", "%own") + DONE + LAST)
    yield "sum between, ordered", loop(PLACE + SLOT + FIRST + READY + reduce("%own", "%own") + DONE + LAST, ordered="ordered ")
    beside = "    host.dispatch %mine, @add_constant(%from, %to) [%c5] access([\"r\", \"w\"])\n"
    yield "work beside", fewer(loop(PLACE + SLOT + READY + reduce("%from", "%own") + beside + DONE + LAST))
    both = SLOTS + SLOTS.replace("%slots", "%more").replace("%size", "%large").replace("%t ", "%u ")
    yield "two sums", loop(PLACE + SLOT + "    %other = host.view %u[%at] size %c4\n" + FIRST + READY + reduce("%own", "%other") +
                           reduce("%other", "%to") + DONE, both, FREE + "  host.free %s, %u\n")
    yield "turned", loop(turn("addi %i, %r") + DIRECT, "", "")
    yield "turned back", loop(turn("subi %r, %i") + DIRECT, "", "")
    yield "turned sum", fewer(loop(turn("addi %i, %r") + SLOT + FIRST + READY + reduce("%own", "%own") + DONE + LAST))
    yield "gathered before", loop(PLACE + LAST.replace("%own", "%from"), "  %t = host.alloc on @d size %bytes\n"
                                  "  %start = host.record %s\n  host.wait %c, %start\n" + reduce("%x", "%t").replace("%c1", "%n")[2:] +
                                  "  %end = host.record %c\n  host.wait %s, %end\n").replace("%x[%offset]", "%t[%offset]")
    third = "], [dense<[100, 200, 300]> : tensor<3xi32>]]]}"
    yield "pieces of a sum", HEAD + FED + TAIL
    yield "pieces of what is moved", HEAD + FEEDS + TAIL
    yield "ring", HEAD.replace("x = 2", "x = 3").replace("]]]}", third) + RING + TAIL


def mutants_of(text):
    mutants = Mutants(text)
    for number, line in enumerate(mutants.lines):
        found = [] if "constant" in line.split("=")[-1][:16] else list(changes(line))
        if re.match(r"\s*host\.(dispatch|collective|copy|fill) ", line):
            found.append("")
        for old, new in itertools.permutations(("%s", "%c", "%mine"), 2):
            if re.search(r"host\.record " + old + "$", line) and ("%mine" not in (old, new) or "stream_for" in text):
                found.append(line[:-len(old)] + new)
            if re.search(r"host\.wait " + old + ",", line) and ("%mine" not in (old, new) or "stream_for" in text):
                found.append(line.replace(f"wait {old},", f"wait {new},"))
        for old, new in itertools.permutations(("%own", "%from", "%to", "%here", "%there"), 2):
            if ("host.collective" in line or "host.dispatch" in line) and old in line and f"{new} = host.view" in text:
                found.append(line.replace(old, new, 1))
        for place in re.findall(r"%([xty])([0-2])\b", line) if "host.collective" in line or "host.dispatch" in line else ():
            for other in "xty012":  # another piece of the same buffer, the same piece of another one
                old, new = "%" + "".join(place), "%" + (place[0] + other if other.isdigit() else other + place[1])
                if new != old:
                    found.append(line.replace(old, new, 1))
        for event in re.findall(r"host\.wait %\w+, %(came|ready|done)[0-2]", line):
            found.extend(re.sub(event + "[0-2]", event + str(i), line) for i in range(3) if event + str(i) not in line)
        for old, new in (("shift -1", "shift 1"), ("shift -1", "shift -2"), ("remsi", "divsi"), ("streams %c2", "streams %c3"), ("%own", "%x"), ("%here", "%x")):
            if old in line and "host.view" not in line:
                found.append(line.replace(old, new, 1))
        for changed in found:
            yield from mutants.replaced(number, changed)
    yield from mutants.swapped("wait|collective|copy|dispatch|free", 6)


# What a rank refuses while it issues, all refuse in every order.
HARMLESS = (r"reaches bytes|moves \d+ elements a piece|did not end after|leaks|a size below zero|has no value for these|"
            r"returns \d+ bytes|sizes do not fit|whole, aligned")

if __name__ == "__main__":
    sys.exit(report(programs(), mutants_of, HARMLESS))
