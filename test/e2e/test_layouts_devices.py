# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts by device: what is compiled how often, values that cross between devices with different tiles, both ways."""
import json
import os
import pathlib
import platform
import re
import tempfile
import unittest

import numpy

from support import EndToEnd, heddle


def executable(cpu):
    """The executable target that the compiler makes of a processor's name, with all the features it needs."""
    with tempfile.TemporaryDirectory() as folder:
        model, out = pathlib.Path(folder, "in.mlir"), pathlib.Path(folder, "out.mlir")
        model.write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\nreturn %x : tensor<4xf32>\n}\n")
        result = heddle("compile", model, f"--target-cpu={cpu}", "--compile-to=devices", "-o", out)
        assert result.returncode == 0, result.stderr
        return "#device.executable" + re.search(r'<"elf-[^>]*>', out.read_text()).group(0)


V2, V3, V4, ARM = map(executable, ("x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64:generic"))
# Same tiles everywhere; other ones; only one of the two tiles; none; what processors choose.
RESOLVERS = ["blocked", "one=blocked,two=blocked:4x2", "one=blocked:2x3,two=identity", "one=identity,two=blocked:4x4",
             "identity", ""]
# Of one kind, and two levels, the first of which the second's code does not fit.
TARGETS = {"one kind": ([V3], [V3]), "two levels": ([V2], [V3]), "one shared": ([V2, V3], [V3])}


def small(shape, seed):
    """Small integers: sums of products of them are exact in every order."""
    return numpy.random.default_rng(seed).integers(-2, 3, shape).astype(numpy.float32)


def dense(array):
    return f'dense<"0x{array.tobytes().hex()}"> : tensor<{"x".join(map(str, array.shape))}xf32>'


def devices(targets):
    return "\n".join(f'device.global @{name} = #device.target<"local", [{", ".join(executables)}]>'
                     for name, executables in targets.items())


def to(result, value, device, shape="5x6"):
    return f"%{result} = flow.transfer %{value} : tensor<{shape}xf32> to #device.affinity<@{device}>\n"


WHOLE = "8x16", "16x16", "8x16"


def product(result, left, right, shapes=("5x6", "6x6", "5x6")):
    a, b, c = shapes
    return (f"%{result}_e = tensor.empty() : tensor<{c}xf32>\n"
            f"%{result}_z = linalg.fill ins(%zero : f32) outs(%{result}_e : tensor<{c}xf32>) -> tensor<{c}xf32>\n"
            f"%{result} = linalg.matmul ins(%{left}, %{right} : tensor<{a}xf32>, tensor<{b}xf32>) "
            f"outs(%{result}_z : tensor<{c}xf32>) -> tensor<{c}xf32>\n")


W1, W2 = small((6, 6), 1), small((6, 6), 2)


def program(targets, body, result="5x6", arguments="", returns="y"):
    return f"""module attributes {{device.default = #device.affinity<@{next(iter(targets))}>}} {{
{devices(targets)}
func.func @main(%x: tensor<5x6xf32> {{heddle.name = "x"}}{arguments}) -> (tensor<{result}xf32> {{heddle.name = "y"}}) {{
%w1 = arith.constant {dense(W1)}
%w2 = arith.constant {dense(W2)}
%zero = arith.constant 0.0 : f32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
{body}
return %{returns} : tensor<{result}xf32>
}}
}}
"""


@unittest.skipUnless(platform.machine() == "x86_64", "runs code of x86-64 levels")
class LayoutsOfDevicesTest(EndToEnd):
    def write(self, name, text):
        path = self.folder / f"{name}.mlir"
        path.write_text(text)
        return path

    def check(self, name, body, want, result="5x6", arguments="", inputs=(), resolvers=RESOLVERS, returns="y"):
        """Every stage against the reference, the artifact against numpy, for pairs of layouts and of targets."""
        x = small((5, 6), 3)
        feed = [f"--input=x={self.save('x', x)}", *inputs]
        for kind, (one, two) in TARGETS.items():
            model = self.write(name, program({"one": one, "two": two}, body, result, arguments, returns))
            for resolver in resolvers if kind == "two levels" else resolvers[:2]:
                with self.subTest(kind=kind, resolver=resolver):
                    flags = [f"--layout-resolver={resolver}"] if resolver else []
                    checked = heddle("check", model, *feed, *flags)
                    self.assertEqual(0, checked.returncode, checked.stdout + checked.stderr)
                    self.assertIn("package ok", checked.stdout)
                    artifact = self.folder / "a.heddle"
                    compiled = heddle("compile", model, "-o", artifact, *flags)
                    self.assertEqual(0, compiled.returncode, compiled.stderr)
                    ran = heddle("run", artifact, *feed, f"--output=y=@{self.file('y')}",
                                 "--device=local://0?cpu=x86-64-v3", "--device=local://1?cpu=x86-64-v3")
                    self.assertEqual(0, ran.returncode, ran.stderr)
                    numpy.testing.assert_array_equal(numpy.load(self.file("y")), want(x))

    def test_chain(self):
        self.check("chain", product("a", "x", "w1") + to("t", "a", "two") + product("b", "t", "w2") + to("y", "b", "one"),
                   lambda x: x @ W1 @ W2)

    def test_residual(self):
        """The sum of a value of each device, where both are tiled in their own way."""
        add = ("%e = tensor.empty() : tensor<5x6xf32>\n"
               "%s = linalg.add ins(%a, %u : tensor<5x6xf32>, tensor<5x6xf32>) outs(%e : tensor<5x6xf32>) "
               "-> tensor<5x6xf32>\n")
        self.check("residual", product("a", "x", "w1") + to("t", "a", "two") + product("b", "t", "w2") +
                   to("u", "b", "one") + add + product("y", "s", "w1"), lambda x: (x @ W1 + x @ W1 @ W2) @ W1)

    def test_concat_and_slice(self):
        move = ("%c = tensor.concat dim(0) %a, %u : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<10x6xf32>\n"
                "%s = tensor.extract_slice %c[3, 0] [5, 6] [1, 1] : tensor<10x6xf32> to tensor<5x6xf32>\n")
        self.check("concat", product("a", "x", "w1") + to("t", "a", "two") + product("b", "t", "w2") +
                   to("u", "b", "one") + move + product("y", "s", "w2"),
                   lambda x: numpy.concatenate([x @ W1, x @ W1 @ W2])[3:8] @ W2)

    def test_loop(self):
        """A value that goes to the other device and back in each of 0, 1 and 3 rounds."""
        for rounds in (0, 1, 3):
            body = (product("a", "x", "w1") + f"%n = arith.constant {rounds} : index\n"
                    "%y = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (tensor<5x6xf32>) {\n" +
                    to("t", "v", "two") + product("b", "t", "w2") + to("u", "b", "one") +
                    "scf.yield %u : tensor<5x6xf32>\n}\n")
            self.check(f"loop{rounds}", body, lambda x: x @ W1 @ numpy.linalg.matrix_power(W2, rounds),
                       resolvers=RESOLVERS[1:3])

    def test_branch(self):
        for taken in (0, 1):
            body = (product("a", "x", "w1") + "%k = tensor.extract %p[] : tensor<i1>\n"
                    "%r = scf.if %k -> (tensor<5x6xf32>) {\n" + to("t", "a", "two") + product("b", "t", "w2") +
                    to("u", "b", "one") + "scf.yield %u : tensor<5x6xf32>\n} else {\n" + product("d", "a", "w1") +
                    "scf.yield %d : tensor<5x6xf32>\n}\n" + product("y", "r", "w2"))
            self.check(f"branch{taken}", body, lambda x: x @ W1 @ (W2 if taken else W1) @ W2,
                       arguments=', %p: tensor<i1> {heddle.name = "p"}', inputs=[f"--input=p=i1={taken}"],
                       resolvers=RESOLVERS[1:3])

    def stats(self, targets, *flags):
        """What compiling a product on each device in turn makes; no tile is padded."""
        body, last = f"%v = arith.constant {dense(small((16, 16), 4))}\n", "x"
        for name in targets:
            body += to(f"t_{name}", last, name, "8x16") + product(f"p_{name}", f"t_{name}", "v", WHOLE)
            last = f"p_{name}"
        text = program(targets, body, "8x16", returns=last).replace("%x: tensor<5x6xf32>", "%x: tensor<8x16xf32>")
        model, stats = self.write("many", text), self.folder / "stats.json"
        compiled = heddle("compile", model, "-o", self.folder / "many.heddle", f"--stats={stats}", *flags)
        self.assertEqual(0, compiled.returncode, compiled.stderr)
        return json.loads(stats.read_text())

    def test_kernels_are_those_of_different_needs(self):
        one = self.stats({"d": [V3]})
        eight = self.stats({f"d{i}": [V3] for i in range(8)})
        self.assertEqual((1, 1), (one["executables"], one["kernels"]))
        self.assertEqual((1, 1), (eight["executables"], eight["kernels"]))
        two = self.stats({"gpu0": [ARM], "gpu1": [ARM], "cpu": [V3]})
        self.assertEqual((1, 2), (two["executables"], two["kernels"]))
        shared = self.stats({"both": [V3, V4], "one": [V4]})
        self.assertEqual((1, 2), (shared["executables"], shared["kernels"]))

    def test_kernels_of_targets_with_different_tiles(self):
        flags = ["--layout-resolver=x86-64-v3=blocked,x86-64-v4=blocked:4x4"]
        tiled = self.stats({"one": [V3], "two": [V4], "three": [V3]}, *flags)
        relayouts = tiled["dispatches"] - 3
        self.assertEqual(3, relayouts, "into the first, one at each crossing; the last product gives rows")
        # The two products that keep tiles in one executable with a variant for each target, the last, three relayouts.
        self.assertEqual(5, tiled["executables"])
        self.assertEqual(6, tiled["kernels"])

    def test_one_target_with_two_layouts_has_two_executables(self):
        flags = ["--layout-resolver=one=blocked,two=identity,three=identity"]
        tiled = self.stats({"one": [V3], "two": [V3], "three": [V3]}, *flags)
        names = {e["name"] for e in json.loads(heddle("inspect", self.folder / "many.heddle", "--json").stdout)
                 ["executables"]}
        self.assertTrue(any(name.endswith("_layout_1") for name in names), names)
        self.assertEqual(tiled["executables"], tiled["kernels"])

    def test_each_device_loads_its_variant(self):
        """Of one artifact, on devices that hide features from each other."""
        model = self.write("levels", program({"one": [V2], "two": [V3]}, product("a", "x", "w1") + to("t", "a", "two") +
                                             product("b", "t", "w2") + to("y", "b", "one")))
        artifact = self.folder / "levels.heddle"
        self.assertEqual(0, heddle("compile", model, "-o", artifact).returncode)
        x = small((5, 6), 3)
        for order in (("x86-64-v2", "x86-64-v3"), ("x86-64-v3", "x86-64-v3")):
            uris = [f"--device=local://{i}?cpu={cpu}" for i, cpu in enumerate(order)]
            ran = heddle("run", artifact, f"--input=x={self.save('x', x)}", f"--output=y=@{self.file('y')}", *uris)
            self.assertEqual(0, ran.returncode, ran.stderr)
            numpy.testing.assert_array_equal(numpy.load(self.file("y")), x @ W1 @ W2)
        refused = heddle("run", artifact, f"--input=x={self.save('x', x)}", "--device=local://0?cpu=x86-64-v2",
                         "--device=local://1?cpu=x86-64-v2")
        self.assertNotEqual(0, refused.returncode)
        self.assertIn("two", refused.stderr)

    def compile_alternatives(self):
        """A product on a device that is any of three levels, the last of which reads rows, and on each level alone."""
        weights = small((24, 40), 5)
        artifacts = {}
        for name, levels in (("select", [[V4], [V3], [V2]]), ("split", [[V2, V3]]), ("v4", [[V4]]), ("v3", [[V3]]),
                             ("v2", [[V2]])):
            targets = [f'#device.target<"local", [{", ".join(level)}]>' for level in levels]
            text = (f"device.global @d = #device.select<[{', '.join(targets)}]>\n"
                    'func.func @main(%x: tensor<5x24xf32> {heddle.name = "x"}) -> '
                    '(tensor<5x40xf32> {heddle.name = "y"}) {\n'
                    f"%w = arith.constant {dense(weights)}\n%zero = arith.constant 0.0 : f32\n" +
                    product("y", "x", "w", ("5x24", "24x40", "5x40")) + "return %y : tensor<5x40xf32>\n}\n")
            artifacts[name] = self.folder / f"{name}.heddle"
            compiled = heddle("compile", self.write(name, text), "-o", artifacts[name],
                              "--layout-resolver=x86-64-v2=identity")
            self.assertEqual(0, compiled.returncode, compiled.stderr)
        return artifacts, weights

    def run_cached(self, artifact, level, weights, cache):
        x = small((5, 24), 6)
        ran = heddle("run", artifact, f"--input=x={self.save('x', x)}", f"--output=y=@{self.file('y')}",
                     f"--device=local://0?cpu=x86-64-{level}", env={**os.environ, "HEDDLE_CACHE_DIR": str(cache)})
        self.assertEqual(0, ran.returncode, ran.stderr)
        numpy.testing.assert_array_equal(numpy.load(self.file("y")), x @ weights)
        return ran.stderr

    def bound_program(self, artifact, level):
        """Op for op. A parameter is the same thing whether the program names it or what was bound of it."""
        inspected = heddle("inspect", artifact, "--bound", "--json", f"--device=local://0?cpu=x86-64-{level}")
        self.assertEqual(0, inspected.returncode, inspected.stderr)
        return [(op["op"], op.get("name"), op.get("device")) for op in json.loads(inspected.stdout)["host"]
                if op["op"] not in ("parameter", "parameter_on", "bound_buffer")]

    def test_alternatives_are_each_as_if_alone(self):
        artifacts, weights = self.compile_alternatives()
        flags = pathlib.Path("/proc/cpuinfo").read_text()
        for level in ("v4", "v3", "v2") if "avx512f" in flags else ("v3", "v2"):
            with self.subTest(level=level):
                alone = self.bound_program(artifacts[level], level)
                self.assertIn("dispatch", [op for op, *_ in alone])
                self.assertEqual(alone, self.bound_program(artifacts["select"], level))
                self.run_cached(artifacts["select"], level, weights, self.folder / "cache")

    def test_targets_of_one_alternative_each_have_their_layout(self):
        artifacts, weights = self.compile_alternatives()
        for level in ("v3", "v2"):
            self.assertEqual(self.bound_program(artifacts[level], level),
                             self.bound_program(artifacts["split"], level))
            self.run_cached(artifacts["split"], level, weights, self.folder / "cache")
        inspected = json.loads(heddle("inspect", artifacts["split"], "--json").stdout)
        self.assertEqual(2, len(inspected["executables"][0]["variants"]))
        checked = heddle("check", self.folder / "split.mlir", "--layout-resolver=x86-64-v2=identity")
        self.assertEqual(0, checked.returncode, checked.stdout + checked.stderr)
        self.assertIn("codegen ok ·", checked.stdout)

    def test_cache_of_packed_parameters(self):
        artifacts, weights = self.compile_alternatives()
        cache = self.folder / "packed"
        self.run_cached(artifacts["select"], "v2", weights, cache)
        self.assertFalse(cache.exists() and list(cache.iterdir()), "rows are not packed")
        self.run_cached(artifacts["select"], "v3", weights, cache)
        (entry,) = [path for path in cache.rglob("*") if path.is_file()]
        written, good = entry.stat().st_mtime_ns, entry.read_bytes()
        self.run_cached(artifacts["select"], "v3", weights, cache)
        self.assertEqual(written, entry.stat().st_mtime_ns, "the second load packs nothing")
        entry.write_bytes(good[:-1] + bytes([good[-1] ^ 255]))
        self.run_cached(artifacts["select"], "v3", weights, cache)
        self.assertEqual(good, entry.read_bytes(), "a corrupted entry is rebuilt")
        nowhere = self.folder / "file"
        nowhere.write_text("no folder")
        self.run_cached(artifacts["select"], "v3", weights, nowhere)


if __name__ == "__main__":
    unittest.main()
