# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random host programs on two extra streams: whatever the verifier accepts must give one result in every order.

  random_programs.py COUNT [SEED]

Prints how many were accepted and refused, and each that was accepted and yet has a race; exit status 1 if there is one,
or if either kind never came up.
"""
import pathlib
import random
import subprocess
import sys
import tempfile

HEAD = """
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
flow.executable private @accumulate attributes {host.fake = "accumulate"} { func.func private @accumulate() }
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>]) results([#host.value<"y", tensor<4xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2, 3, 4]> : tensor<4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  %t = host.stream on @d 0
  %u = host.stream on @d 1
  %a = host.alloc on @d size %c16
  %b = host.alloc on @d size %c16
  host.copy %s, %y[%c0] from %x[%c0] size %c16
  host.copy %s, %a[%c0] from %x[%c0] size %c16
  host.copy %s, %b[%c0] from %x[%c0] size %c16
"""
TAIL = """  host.free %s, %a
  host.free %s, %b
  host.return %y shape(%c4)
}
"""


class Program:
    """Grows one program; names are unique, events stay in scope."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.count = 0

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def sync(self, first, second, indent):
        """`second` comes after what `first` was given so far."""
        if self.rng.random() < 0.2:
            self.lines.append(f"{indent}host.barrier {first}, {second}")
            return
        event = self.fresh()
        self.lines += [f"{indent}{event} = host.record {first}", f"{indent}host.wait {second}, {event}"]

    def slice(self, buffer, indent):
        """The whole buffer, or half of it."""
        if self.rng.random() < 0.5:
            return buffer, 16
        view = self.fresh()
        self.lines.append(f"{indent}{view} = host.view {buffer}[%c{self.rng.choice([0, 8])}] size %c8")
        return view, 8

    def work(self, streams, indent):
        stream = self.rng.choice(streams)
        if self.rng.random() < 0.45:
            first, second = self.rng.sample(streams, 2)
            return self.sync(first, second, indent)
        target, source = self.rng.sample(["%a", "%b", "%y"], 2)
        to, size = self.slice(target, indent)
        view = self.fresh()
        self.lines.append(f"{indent}{view} = host.view {source}[%c{self.rng.choice([0, 16 - size])}] size %c{size}")
        if self.rng.random() < 0.5:
            self.lines.append(f'{indent}host.dispatch {stream}, @accumulate({view}, {to}) access(["r", "rw"])')
        else:
            self.lines.append(f"{indent}host.copy {stream}, {to}[%c0] from {view}[%c0] size %c{size}")

    def loop(self):
        """A loop whose streams change places or stay."""
        swapped = self.rng.random() < 0.5
        p, q, index, result = self.fresh(), self.fresh(), self.fresh(), self.fresh()
        self.lines.append(f"  {result}:2 = scf.for {index} = %c0 to %c3 step %c1 iter_args({p} = %t, {q} = %u) "
                          "-> (!host.stream, !host.stream) {")
        for _ in range(self.rng.randint(1, 4)):
            self.work([p, q] + (["%s"] if self.rng.random() < 0.4 else []), "    ")
        order = f"{q}, {p}" if swapped else f"{p}, {q}"
        self.lines += [f"    scf.yield {order} : !host.stream, !host.stream", "  }"]
        for i in (0, 1):
            if self.rng.random() < 0.9:
                self.sync(f"{result}#{i}", "%s", "  ")

    def text(self):
        streams = ["%s", "%t", "%u"]
        for stream in streams[1:]:
            if self.rng.random() < 0.95:
                self.sync("%s", stream, "  ")
        for _ in range(self.rng.randint(1, 4)):
            self.work(streams, "  ")
        if self.rng.random() < 0.6:
            self.loop()
        for stream in streams[1:]:
            if self.rng.random() < 0.95:
                self.sync(stream, "%s", "  ")
        return HEAD + "\n".join(self.lines) + "\n" + TAIL


def run(path, *flags):
    return subprocess.run(["heddle-opt", path, *flags, "-o", "/dev/null"], capture_output=True, text=True)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    accepted = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.mlir"
        for i in range(count):
            text = Program(random.Random(seed * 1000003 + i)).text()
            path.write_text(text)
            verified = run(path, "--schedule-verify-host")
            if verified.returncode:
                if "error:" not in verified.stderr or "'host." not in verified.stderr:
                    print(f"program {i}: {verified.stderr}\n{text}")
                    wrong += 1
                continue
            accepted += 1
            ran = run(path, "--run-host=schedules=64")
            if ran.returncode:
                print(f"program {i} was accepted: {ran.stderr.splitlines()[0]}\n{text}")
                wrong += 1
    print(f"{accepted} accepted, {count - accepted} refused, {wrong} wrong")
    return 1 if wrong or accepted in (0, count) else 0


if __name__ == "__main__":
    sys.exit(main())
