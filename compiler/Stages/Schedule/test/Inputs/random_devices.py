# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on three devices, one of which may turn out to be another: schedule, verify, interpret, compare.

random_devices.py COUNT [SEED]: prints how many ran and how many were wrong."""
import pathlib
import random
import subprocess
import sys
import tempfile

DEVICES = ["a", "b", "c"]
TARGET = '#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>'
HEADER = f"""device.global @a = {TARGET}
device.global @b = #device.select<[{TARGET}, #device.fallback<@a>]>
device.global @c = {TARGET}
flow.parameter private @w : tensor<4xi32> = dense<[1, 2, 3, 4]>
flow.executable private @add attributes {{host.fake = "add"}} {{ func.func @add(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {{ return %a : tensor<4xi32> }} }}
flow.executable private @mul attributes {{host.fake = "mul"}} {{ func.func @mul(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {{ return %a : tensor<4xi32> }} }}
"""
TYPE = "tensor<4xi32>"
PASSES = (
    "builtin.module(schedule-order-issue,schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-synchronize-streams{plan},"
    "canonicalize,cse),schedule-verify-host,run-host{{schedules=6 {options}}})"
)
MASK = (1 << 32) - 1


class Program:
    """Text and values at once; `trips` and `taken` decide loops and branches, as read from the argument %n."""

    def __init__(self, generator, number):
        self.random, self.number, self.count = generator, number, 0
        self.lines = []

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, depth, text):
        self.lines.append("  " * depth + text)

    def bring(self, depth, value, device):
        name, home, numbers = value
        if home == device:
            return value
        there = self.fresh()
        self.emit(depth, f"{there} = flow.transfer {name} : {TYPE} to #device.affinity<@{device}>")
        return there, device, numbers

    def dispatch(self, depth, values):
        device = self.random.choice(DEVICES)
        op = self.random.choice(["add", "mul"])
        lhs, rhs = (self.bring(depth, self.random.choice(values[-4:]), device) for _ in range(2))
        name = self.fresh()
        self.emit(depth, f"{name} = flow.dispatch @{op}({lhs[0]}, {rhs[0]}) {{heddle.affinity = #device.affinity<@{device}>}}"
                  f" : ({TYPE}, {TYPE}) -> ({TYPE})")
        compute = (lambda x, y: x + y) if op == "add" else (lambda x, y: x * y)
        return name, device, [compute(x, y) & MASK for x, y in zip(lhs[2], rhs[2])]

    def branch(self, depth, values):
        name, taken, results = self.fresh(), self.number % 2 == 0, []
        self.emit(depth, f"{name} = scf.if %isEven -> ({TYPE}) {{")
        for index in range(2):
            inner = self.body(depth + 1, list(values), self.random.randint(1, 3))
            self.emit(depth + 1, f"scf.yield {inner[-1][0]} : {TYPE}")
            self.emit(depth, "} else {" if index == 0 else "}")
            results.append(inner[-1])
        return name, results[0][1], results[0 if taken else 1][2]

    # The numbers of an iteration depend on those of the one before, so the body's text is made once and its effect
    # is replayed: only the carried values may change. The second one is what the first one was before.
    def loop(self, depth, values):
        carried, late, step, name = self.fresh(), self.fresh(), self.random.choice(DEVICES), self.fresh()
        init, before = self.random.choice(values[-4:]), self.random.choice(values[-4:])
        self.emit(depth, f"{name}:2 = scf.for %i{self.count} = %c0 to %k step %c1 iter_args({carried} = {init[0]}, "
                  f"{late} = {before[0]}) -> ({TYPE}, {TYPE}) {{")
        other = self.random.choice(values[-4:])
        here = self.bring(depth + 1, (carried, init[1], None), step)
        there = self.bring(depth + 1, other, step)
        product, total = self.fresh(), self.fresh()
        affinity = f"{{heddle.affinity = #device.affinity<@{step}>}} : ({TYPE}, {TYPE}) -> ({TYPE})"
        self.emit(depth + 1, f"{product} = flow.dispatch @mul({here[0]}, {there[0]}) {affinity}")
        last = self.random.choice(DEVICES)
        moved = self.bring(depth + 1, (product, step, None), last)
        fixed = self.bring(depth + 1, other, last)
        affinity = f"{{heddle.affinity = #device.affinity<@{last}>}} : ({TYPE}, {TYPE}) -> ({TYPE})"
        self.emit(depth + 1, f"{total} = flow.dispatch @add({moved[0]}, {fixed[0]}) {affinity}")
        end = self.bring(depth + 1, (total, last, None), init[1]) if self.random.random() < 0.7 else (total,)
        previous = self.bring(depth + 1, (carried, init[1], None), before[1])
        self.emit(depth + 1, f"scf.yield {end[0]}, {previous[0]} : {TYPE}, {TYPE}")
        self.emit(depth, "}")
        numbers, delayed = init[2], before[2]
        for _ in range(self.number):
            numbers, delayed = [(x * y + y) & MASK for x, y in zip(numbers, other[2])], numbers
        values.append((f"{name}#1", before[1], delayed))
        return f"{name}#0", init[1], numbers

    def body(self, depth, values, size):
        for _ in range(size):
            choice = self.random.random()
            make = self.loop if choice < 0.12 else self.branch if choice < 0.24 and depth < 3 else self.dispatch
            values.append(make(depth, values))
        return values

    def text(self):
        numbers = [1, 2, 3, 4]
        values = [("%x", "a", [5, 6, 7, 8])] + [(f"%w{d}", d, numbers) for d in DEVICES]
        for device in DEVICES:
            self.emit(1, f"%w{device} = flow.parameter.load @w {{heddle.affinity = #device.affinity<@{device}>}} : {TYPE}")
        values = self.body(1, values, self.random.randint(4, 14))
        results = [values[-1]] + [self.random.choice(values) for _ in range(self.random.randint(0, 2))]
        results = [self.bring(1, value, self.random.choice(DEVICES)) for value in results]
        types = ", ".join(f"{TYPE} {{heddle.affinity = #device.affinity<@{device}>}}" for _, device, _ in results)
        head = f"""func.func @main(%x: {TYPE}, %n: tensor<index>) -> ({types})
    attributes {{host.inputs = [[dense<[5, 6, 7, 8]> : {TYPE}, dense<{self.number}> : tensor<index>]]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = tensor.extract %n[] : tensor<index>
  %rest = arith.remsi %k, %c2 : index
  %isEven = arith.cmpi eq, %rest, %c0 : index
"""
        names = ", ".join(name for name, _, _ in results)
        types = ", ".join(TYPE for _ in results)
        return HEADER + head + "\n".join(self.lines) + f"\n  return {names} : {types}\n}}\n", [r[2] for r in results]


def signed(number):
    return number - (1 << 32) if number >= 1 << 31 else number


def spell(numbers):
    numbers = [signed(n) for n in numbers]
    return str(numbers[0]) if len(set(numbers)) == 1 else str(numbers)


def check(path, text, expected):
    path.write_text(text)
    for plan in ("", ",schedule-plan-memory"):
        for options in ("", "fallbacks=b:a", "one-device=true"):
            passes = PASSES.format(plan=plan, options=options)
            done = subprocess.run(["heddle-opt", str(path), f"--pass-pipeline={passes}", "-o", "/dev/null"],
                                  capture_output=True, text=True, timeout=60)
            wanted = ", ".join(f"result{i} = dense<{spell(numbers)}>" for i, numbers in enumerate(expected))
            got = done.stdout.replace(" : tensor<4xi32>", "")
            if done.returncode != 0 or wanted not in got:
                return f"{passes}\nwanted {wanted}\ngot {got}{done.stderr}"
    return ""


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            program = Program(random.Random(seed * 100003 + index), index % 4)
            text, expected = program.text()
            if problem := check(pathlib.Path(folder) / "program.mlir", text, expected):
                wrong += 1
                print(f"program {index} of seed {seed}:\n{text}\n{problem}")
                if wrong >= 3:
                    break
    print(f"{count} programs, {wrong} wrong")


main()
