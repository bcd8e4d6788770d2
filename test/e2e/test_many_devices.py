# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thousand devices in one program, each of which computes: compiled, matched, loaded and run, with the right values."""
import json
import resource
import time
import unittest

import numpy
import support
from support import heddle

MOST = 4096  # devices of an artifact
X = numpy.arange(4, dtype=numpy.int32) - 1


def program(names):
    """On each device in turn, of what the one before made and of the argument: v = 3 v + x."""
    lines = ["func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {", "  %three = arith.constant dense<3> : tensor<4xi32>"]
    before = "%x"
    for i, name in enumerate(names):
        on = f"{{heddle.affinity = #device.promise<@{name}>}} : tensor<4xi32>"
        lines += [f"  %a{i} = arith.muli {before}, %three {on}", f"  %v{i} = arith.addi %a{i}, %x {on}"]
        before = f"%v{i}"
    return "\n".join([*lines, f"  return {before} : tensor<4xi32>", "}", ""])


def expected(count):
    value = X.astype(numpy.int64)
    for _ in range(count):
        value = (3 * value + X) % 2 ** 32
    return value.astype(numpy.uint32).view(numpy.int32)


class Measured:
    """Processor seconds and wall seconds of the processes that ran inside, printed."""

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        self.begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        return self

    def __exit__(self, *_):
        now, (before, began) = resource.getrusage(resource.RUSAGE_CHILDREN), self.begin
        self.seconds = now.ru_utime + now.ru_stime - before.ru_utime - before.ru_stime
        print(f"{self.what}: {self.seconds:.2f} s of the processor, {time.monotonic() - began:.2f} s, "
              f"at most {now.ru_maxrss >> 10} MiB", flush=True)


class ManyDevicesTest(support.EndToEnd):
    def compile(self, source, *flags):
        path, artifact = self.folder / "m.mlir", self.folder / "m.heddle"
        path.write_text(source)
        result = heddle("compile", path, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        return artifact

    def plan(self, artifact, *devices):
        """{name: the device it gets}."""
        result = heddle("run", artifact, "--dry-run", "--json", *(f"--device={device}" for device in devices))
        self.assertEqual(0, result.returncode, result.stderr)
        return {device["name"]: device["device"] for device in json.loads(result.stdout)["devices"]}

    def run_on(self, artifact, *devices):
        result = heddle("run", artifact, f"--input=arg0={self.save('x', X)}", f"--output=@{self.file('y')}",
                        *(f"--device={device}" for device in devices))
        self.assertEqual(0, result.returncode, result.stderr)
        return numpy.load(self.file("y"))

    def check(self, count):
        with Measured(f"compile for {count} devices") as compiled:
            artifact = self.compile(program(f"d_{i}" for i in range(count)), f"--target-device=d=sim*{count}")
        with Measured(f"run on {count} simulated devices"):
            got = self.run_on(artifact, *(f"sim://{i}" for i in range(count)))
        numpy.testing.assert_array_equal(got, expected(count))
        return artifact, compiled.seconds

    def test_a_thousand_on_devices_of_their_own(self):
        _, few = self.check(256)
        artifact, many = self.check(1024)
        self.assertLess(many, 8 * few)  # four times the program; what is not linear must stay small
        plan = self.plan(artifact, *(f"sim://{i}" for i in range(1024)))
        self.assertEqual({f"d_{i}": f"sim://{i}" for i in range(1024)}, plan)

    def test_a_thousand_logical_devices_of_one(self):
        artifact = self.compile(program(f"d_{i}" for i in range(1024)), "--target-device=d=local*1024")
        numpy.testing.assert_array_equal(self.run_on(artifact, "local://0"), expected(1024))
        with Measured("run on null"):
            self.run_on(artifact, "null")

    def test_ordinals_of_members(self):
        artifact = self.compile(program(["d_0", "d_1", "d_2"]), "--target-device=d=sim[1]*3")
        devices = [f"--device=sim://{i}" for i in range(4)]
        self.assertEqual({"d_0": "sim://1", "d_1": "sim://2", "d_2": "sim://3"},
                         self.plan(artifact, *(f"sim://{i}" for i in range(4))))
        self.assert_fails(1, "the program's device 'd_2' needs sim[3], got no device that fits", "run", artifact,
                          f"--input=arg0={self.save('x', X)}", *devices[:3])

    def test_alike_in_the_order_of_declaration(self):
        flags = [f"--target-device={name}=sim" for name in "abc"]
        for order in ("abc", "cba", "cb", "bac"):
            with self.subTest(order):
                artifact = self.compile(program(order), *flags)
                plan = self.plan(artifact, "sim://0", "sim://1", "sim://2")
                self.assertEqual(sorted(plan), [name for name, _ in sorted(plan.items(), key=lambda entry: entry[1])])

    def test_devices_of_the_module(self):
        globals_ = "".join(f'device.global @d{i} = #device.target<"sim", {{ordinal = {i}}}, [#device.executable<"elf-x86_64", '
                           '{cpu = "x86-64", features = ""}>]>\n' for i in range(257))
        artifact = self.compile(globals_ + program(f"d{i}" for i in range(257)))
        got = self.run_on(artifact, *(f"sim://{i}" for i in range(257)))
        numpy.testing.assert_array_equal(got, expected(257))

    def test_one_too_many(self):
        path = self.folder / "m.mlir"
        path.write_text(program(["d_0"]))
        self.assert_fails(2, f"an artifact has at most {MOST} devices, got {MOST + 1}", "compile", path, "-o",
                          self.folder / "m.heddle", f"--target-device=d=sim*{MOST}", "--target-device=e=local")
        path.write_text("".join(f'device.global @d{i} = #device.alias<"local">\n' for i in range(MOST + 1)) + program(["d0"]))
        self.assert_fails(1, f"m.mlir:{MOST + 1}:1: error: @d{MOST} is device {MOST + 1} of {MOST + 1}", "compile",
                          path, "-o", self.folder / "m.heddle")


if __name__ == "__main__":
    unittest.main()
