# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs of 2 x 2 ranks with collectives in branches and loops: schedule, verify, interpret, compare.

random_ranks.py COUNT [SEED]: prints how many ran and how many were wrong."""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

RANKS = 4
AXES = {'["x"]': [[0, 2], [1, 3]], '["y"]': [[0, 1], [2, 3]], '["x", "y"]': [[0, 1, 2, 3]], '["y", "x"]': [[0, 2, 1, 3]]}
HEADER = """device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.mesh @m = [x = SIZE, y = 2]
flow.executable private @add attributes {host.fake = "add"} { func.func @add(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> } }
flow.executable private @sub attributes {host.fake = "sub"} { func.func @sub(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> } }
"""
TYPE = "tensor<4xi32>"
PASSES = ("builtin.module(schedule-order-issue,schedule-build-host-program,host.func(canonicalize,cse),schedule-update-in-place,"
          "host.func(schedule-free-buffers,schedule-synchronize-streams,schedule-plan-memory,canonicalize,cse),schedule-verify-host,"
          "run-host{ranks=4 schedules=8 seed=%d})")


def signed(number):
    return (number + (1 << 31)) % (1 << 32) - (1 << 31)


class Program:
    """Text and values at once: a value is its name and its numbers on each rank."""

    def __init__(self, generator):
        self.random, self.count, self.lines = generator, 0, []

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, depth, text):
        self.lines.append("  " * depth + text)

    def pick(self, values):
        return self.random.choice(values[-4:])

    def dispatch(self, depth, values):
        op, (a, left), (b, right) = self.random.choice(["add", "sub"]), self.pick(values), self.pick(values)
        name, sign = self.fresh(), 1 if op == "add" else -1
        self.emit(depth, f"{name} = flow.dispatch @{op}({a}, {b}) : ({TYPE}, {TYPE}) -> ({TYPE})")
        return name, [[signed(x + sign * y) for x, y in zip(*pair)] for pair in zip(left, right)]

    def collective(self, depth, values):
        (source, numbers), name = self.pick(values), self.fresh()
        axes = self.random.choice(list(AXES))
        members, result = len(AXES[axes][0]), [[0] * 4 for _ in range(RANKS)]
        kind = self.random.choice(["sum", "max", "broadcast", "shift", "pairs", "all_to_all", "pieces"])
        root, shift = self.random.randrange(members), self.random.randrange(-2, 4)
        pairs = list(zip(range(members), self.random.sample(range(members), members)))[:self.random.randrange(1, members + 1)]
        over = f"over @m{axes} : {TYPE}"
        if kind in ("sum", "max"):
            self.emit(depth, f"{name} = flow.all_reduce {source} {kind} {over}")
        elif kind == "broadcast":
            self.emit(depth, f"{name} = flow.broadcast {source} root {root} {over}")
        elif kind == "shift":
            self.emit(depth, f"{name} = flow.permute {source} shift {shift} {over}")
        elif kind == "pairs":
            self.emit(depth, f"{name} = flow.permute {source} pairs {[list(pair) for pair in pairs]} {over}")
        elif kind == "all_to_all":
            self.emit(depth, f"{name} = flow.all_to_all {source} split 0 concat 0 {over} -> {TYPE}")
        else:
            all_ = self.fresh()
            whole = f"tensor<{4 * members}xi32>"
            self.emit(depth, f"{all_} = flow.all_gather {source} dim 0 {over} -> {whole}")
            self.emit(depth, f"{name} = flow.scatter {all_} dim 0 root {root} over @m{axes} : {whole} -> {TYPE}")
        for group in AXES[axes]:
            sources, size = [numbers[rank] for rank in group], 4 // members
            for position, rank in enumerate(group):
                if kind == "sum":
                    result[rank] = [signed(sum(column)) for column in zip(*sources)]
                elif kind == "max":
                    result[rank] = [max(column) for column in zip(*sources)]
                elif kind == "broadcast":
                    result[rank] = sources[root]
                elif kind == "shift":
                    result[rank] = sources[(position - shift) % members]
                elif kind == "pairs":
                    result[rank] = next((sources[a] for a, b in pairs if b == position), [0] * 4)
                elif kind == "all_to_all":
                    result[rank] = [x for piece in sources for x in piece[position * size:(position + 1) * size]]
                else:
                    result[rank] = sources[position]
        return name, result

    def loop(self, depth, values):
        (start, numbers), name, carried = self.pick(values), self.fresh(), self.fresh()
        trips = self.random.randrange(3)
        self.emit(depth, f"{name} = scf.for %i{name[2:]} = %c0 to %c{trips} step %c1 iter_args({carried} = {start}) -> ({TYPE}) {{")
        # One body, computed once for each trip.
        state, lines, count = self.random.getstate(), len(self.lines), self.count
        for trip in range(max(trips, 1)):
            del self.lines[lines:]
            self.random.setstate(state)
            self.count = count
            inner = [*values, (carried, numbers)]
            for _ in range(2):
                inner.append(self.dispatch(depth + 1, inner))
                inner.append(self.collective(depth + 1, inner))
            if trip < trips:
                numbers = inner[-1][1]
        self.emit(depth + 1, f"scf.yield {inner[-1][0]} : {TYPE}")
        self.emit(depth, "}")
        return name, numbers

    def branch(self, depth, values):
        taken, name, results = self.random.randrange(2), self.fresh(), []
        self.emit(depth, f"{name} = scf.if %taken{taken} -> ({TYPE}) {{")
        for _ in range(2):
            inner = list(values)
            for _ in range(self.random.randrange(1, 3)):
                inner.append(self.random.choice([self.dispatch, self.collective])(depth + 1, inner))
            self.emit(depth + 1, f"scf.yield {inner[-1][0]} : {TYPE}")
            self.emit(depth, "} else {" if not results else "}")
            results.append(inner[-1][1])
        return name, results[1 - taken]

    def build(self):
        inputs = [[self.random.randrange(-9, 10) for _ in range(4)] for _ in range(RANKS)]
        values = [("%x", inputs)]
        for c in range(3):
            self.emit(1, f"%c{c} = arith.constant {c} : index")
        self.emit(1, '%n = flow.mesh_size @m "x"')
        for taken, predicate in enumerate(("ne", "eq")):
            self.emit(1, f"%taken{taken} = arith.cmpi {predicate}, %n, %c2 : index")
        for _ in range(self.random.randrange(4, 12)):
            makes = self.random.choices([self.dispatch, self.collective, self.loop, self.branch], [5, 5, 1, 1])[0]
            values.append(makes(1, values))
        returned = self.random.sample(values[1:], min(3, len(values) - 1))
        names, types = ", ".join(name for name, _ in returned), ", ".join([TYPE] * len(returned))
        results = ", ".join(f'{TYPE} {{heddle.name = "r{i}"}}' for i in range(len(returned)))
        given = ", ".join(f"[dense<{numbers}> : {TYPE}]" for numbers in inputs)
        size = self.random.choice(["2", "?"])
        text = HEADER.replace("SIZE", size) + (
            f'func.func @main(%x: {TYPE} {{heddle.name = "x"}}) -> ({results}) attributes {{host.inputs = [[{given}]]}} {{\n'
            + "\n".join(self.lines) + f"\n  return {names} : {types}\n}}\n")
        return text, [[numbers[rank] for _, numbers in returned] for rank in range(RANKS)]


def numbers_of(line):
    found = []
    for text in re.findall(r"dense<(.*?)> : tensor<4xi32>", line):
        numbers = [int(number) for number in re.findall(r"-?\d+", text)]
        found.append(numbers * 4 if len(numbers) == 1 else numbers)
    return found


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    wrong = 0
    for number in range(count):
        text, expected = Program(random.Random(seed + number)).build()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "program.mlir"
            path.write_text(text)
            done = subprocess.run(["heddle-opt", path, f"--pass-pipeline={PASSES % (seed + number)}", "-o", "/dev/null"],
                                  capture_output=True, text=True, timeout=120)
        got = [numbers_of(line) for line in done.stdout.splitlines() if line.startswith("  rank ")]
        if done.returncode or got != expected:
            wrong += 1
            print(f"seed {seed + number}: expected {expected}, got {got}\n{done.stderr[:2000]}\n{text}")
    print(f"{count} programs, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
