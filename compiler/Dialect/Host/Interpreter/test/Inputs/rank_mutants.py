# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants of programs of many ranks: waits deleted, collectives swapped, groups, roots, pairs, counts, buffers and
conditions changed.

  rank_mutants.py

Each is refused by a verifier, or gives the same under every order of the work of all ranks, or fails on all ranks alike
before bytes move. No mutant may hang. Prints what became of them; exit status 1 if one was accepted and depends on the order.
"""
import itertools
import re
import sys

from loop_mutants import Mutants, report

CONSTANTS = (0, 1, 2, 3, 4, 8, 12, 16, 20)
HEAD = """device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = 2, y = 2]
device.mesh @tail = [z = 2] at 2
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
host.func @main(%s: !host.stream, %x: !host.buffer, %u: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>,
               #host.value<"u", tensor<1xi32>, [""] sharding(#flow.sharding<@m, [[]]>)>])
    results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[""" + ", ".join(
        f"[dense<[{rank + 1}, {10 * rank + 2}]> : tensor<2xi32>, dense<2> : tensor<1xi32>]" for rank in range(4)) + """]]} {
""" + "".join(f"  %c{i} = arith.constant {i} : index\n" for i in CONSTANTS) + """  %bytes = arith.muli %n, %c4 : index
  %c = host.comm_stream
  %ix = host.coordinate @m "x"
  %iy = host.coordinate @m "y"
  %nx = host.mesh_size @m "x"
  %y = host.result 0 on @d size %bytes
"""
TAIL = """  host.return %y shape(%n)
}
"""
# A sum beside work that does not need it; then an exchange of what both made.
OVERLAP = """  %a = host.alloc on @d size %bytes
  %b = host.alloc on @d size %bytes
  %t = host.alloc on @d size %bytes
  host.dispatch %s, @add_constant(%x, %a) [%iy] access(["r", "w"])
  %ready = host.record %s
  host.wait %c, %ready
  host.collective %c all_reduce sum i32 over @m["x"] (%a) -> (%a) count %n
  %summed = host.record %c
  host.dispatch %s, @add_constant(%x, %b) [%c3] access(["r", "w"])
  %made = host.record %s
  host.wait %c, %made
  host.collective %c permute i32 pairs [[0, 1], [1, 0]] over @m["y"] (%b) -> (%t) count %n
  %moved = host.record %c
  host.wait %s, %summed
  host.wait %s, %moved
  host.dispatch %s, @add(%a, %t, %y) access(["r", "r", "w"])
  host.free %s, %a
  host.free %s, %b
  host.free %s, %t
"""
# Rounds of a ring in two buffers in turn, whose number all ranks know.
RING = """  %a = host.alloc on @d size %bytes
  %t = host.alloc on @d size %bytes
  host.copy %s, %a[%c0] from %x[%c0] size %bytes
  host.copy %s, %y[%c0] from %x[%c0] size %bytes
  scf.for %i = %c1 to %nx step %c1 {
    %ready = host.record %s
    host.wait %c, %ready
    host.collective %c permute i32 shift 1 over @m["x"] (%a) -> (%t) count %n
    %moved = host.record %c
    host.wait %s, %moved
    host.copy %s, %a[%c0] from %t[%c0] size %bytes
    host.dispatch %s, @add(%a, %t, %y) access(["r", "r", "w"])
  }
  host.free %s, %a
  host.free %s, %t
"""
# As long as a number is small that all ranks of a column have summed.
UNTIL = """  %k = host.alloc on @d size %c4
  host.copy %s, %k[%c0] from %u[%c0] size %c4
  host.copy %s, %y[%c0] from %x[%c0] size %bytes
  scf.while : () -> () {
    %sum = host.read %s, %k[%c0] : i32
    %more = arith.cmpi slt, %sum, %c20 : index
    scf.condition(%more)
  } do {
    %ready = host.record %s
    host.wait %c, %ready
    host.collective %c all_reduce sum i32 over @m["x"] (%k) -> (%k) count %c1
    host.collective %c broadcast i32 root 1 over @m["y"] (%y) -> (%y) count %n
    %end = host.record %c
    host.wait %s, %end
    scf.yield
  }
  host.free %s, %k
"""
# A part of the world, and a branch that its members agree on.
PART = """  %member = host.member @tail
  %isTwo = arith.cmpi eq, %n, %c2 : index
  %isFirst = arith.cmpi eq, %iy, %c0 : index
  host.copy %s, %y[%c0] from %x[%c0] size %bytes
  scf.if %member {
    scf.if %isTwo {
      %ready = host.record %s
      host.wait %c, %ready
      host.collective %c all_reduce max i32 over @tail["z"] (%y) -> (%y) count %n
      %end = host.record %c
      host.wait %s, %end
    }
  }
"""
GATHER = """  %member = host.member @m
  %all = arith.muli %bytes, %nx : index
  %g = host.alloc on @d size %all
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_gather i32 over @m["x"] (%x) -> (%g) count %n
  host.collective %c reduce_scatter sum i32 over @m["y"] (%g) -> (%y) count %n
  %end = host.record %c
  host.wait %s, %end
  host.free %s, %g
"""
# Parts of several sizes: a rank's rows go to all, all rows to the ranks of a column; sent back along the other axis.
CUT = """  %one = arith.muli %ix, %c4 : index
  %own = arith.addi %one, %c4 : index
  %a = host.alloc on @d size %own
  %g = host.alloc on @d size %c12
  %t = host.alloc on @d size %own
  host.fill %s, %a[%c0] size %own pattern %iy : 4
  host.fill %s, %y[%c0] size %bytes pattern %c0 : 4
  %start = host.record %s
  host.wait %c, %start
  host.collective %c all_gather i32 over @m["x"] (%a) -> (%g) count %c1 cut(%c3, %c1, %c0, %nx)
  host.collective %c reduce_scatter sum i32 over @m["x"] (%g) -> (%t) count %c1 cut(%c3, %c1, %c0, %nx)
  %end = host.record %c
  host.wait %s, %end
  host.copy %s, %y[%c0] from %t[%c0] size %own
  host.free %s, %a
  host.free %s, %g
  host.free %s, %t
"""
PROGRAMS = {"overlap": OVERLAP, "ring": RING, "until": UNTIL, "part": PART, "gather": GATHER, "cut": CUT}
REPLACED = {
    '@m["x"]': ['@m["y"]', '@m["x", "y"]', "@m groups [[0, 1], [2, 3]]", "@m groups [[0, 3]]", '@tail["z"]'],
    '@m["y"]': ['@m["x"]', '@m["y", "x"]', "@m groups [[1, 3], [0, 2]]", '@tail["z"]'],
    '@tail["z"]': ['@m["x"]', '@m["y"]'],
    "root 1": ["root 0", "root 2"], "root 0": ["root 1", "root -1"],
    "[[0, 1], [1, 0]]": ["[[0, 1]]", "[[0, 1], [0, 0]]", "[[0, 0], [1, 1]]", "[[0, 1], [1, 2]]"],
    "shift 1": ["shift 0", "shift -1", "pairs [[0, 1]]"],
    "count %n": ["count %c1", "count %c2", "count %iy", "count %nx", "count %bytes", "count %c20"],
    "count %c1": ["count %n", "count %iy", "count %c2", "count %c3"],
    "sum i32": ["max i32", "xor i32", "sum f32"],
    "if %member": ["if %isTwo", "if %isFirst"], "if %isTwo": ["if %isFirst", "if %member"],
    "to %nx": ["to %iy", "to %ix", "to %c3", "to %n"], "%c1 to": ["%ix to", "%c0 to"],
    "%sum, %c20": ["%ix, %c1", "%sum, %iy", "%sum, %c8"], "%k[%c0] : i32": ["%x[%c0] : i32", "%u[%c0] : i32"],
    "from %u": ["from %x"], "(%a) ->": ["(%t) ->", "(%x) ->", "(%y) ->"], "(%b) ->": ["(%a) ->", "(%x) ->"],
    "-> (%t)": ["-> (%a)", "-> (%y)", "-> (%x)"], "-> (%a)": ["-> (%y)", "-> (%t)"],
    "cut(%c3": ["cut(%c4", "cut(%ix", "cut(%own"], "%c1, %c0, %nx)": ["%c2, %c0, %nx)", "%c1, %ix, %nx)", "%c1, %c1, %nx)", "%c1, %c0, %c3)",
                                                                    "%c1, %iy, %nx)", "%c1, %c0, %ix)"],
    "(%g) ->": ["(%a) ->", "(%y) ->"], "-> (%g)": ["-> (%t)", "-> (%y)"],
    "(%x) ->": ["(%y) ->"], "(%k) ->": ["(%u) ->"],
    "%c all_reduce": ["%s all_reduce", "%c reduce_scatter"], "[%iy]": ["[%ix]"],
}


def mutants_of(text):
    mutants = Mutants(text)
    for number, line in enumerate(mutants.lines):
        if re.match(r"\s*host\.(wait|free|collective|copy|fill|dispatch) ", line):
            yield from mutants.replaced(number, "")
        if "host.record" in line:
            for old, new in itertools.permutations(("%s", "%c"), 2):
                if line.endswith(old):
                    yield from mutants.replaced(number, line[:-len(old)] + new)
        for old, news in REPLACED.items():
            for new in news if old in line else ():
                yield from mutants.replaced(number, line.replace(old, new, 1))
    yield from mutants.swapped("wait|collective|copy|dispatch", 4)


# What a rank refuses while it issues, all refuse in every order.
HARMLESS = r"reaches bytes|is cut so that|moves \d+ elements a piece|did not end after|leaks"

if __name__ == "__main__":
    sys.exit(report(((name, HEAD + body + TAIL) for name, body in PROGRAMS.items()), mutants_of, HARMLESS))
