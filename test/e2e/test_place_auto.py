# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--place=auto`: what it expects is what a simulated machine takes, and parameters that fit no device are split."""
import json
import random
import re
import unittest

import support

UNITS = {"ns": 1e-3, "µs": 1, "ms": 1e3, "s": 1e6}


def products(seed):
    """A graph of matrix products, each of two earlier values."""
    choose = random.Random(seed)
    size = choose.choice([96, 128, 192])
    t = f"tensor<{size}x{size}xf32>"
    text = f"""func.func @main(%v0: {t} {{heddle.name = "x"}}, %v1: {t} {{heddle.name = "y"}}) -> ({t} {{heddle.name = "z"}}) {{
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : {t}
  %i = linalg.fill ins(%c : f32) outs(%e : {t}) -> {t}
"""
    count = choose.randrange(6, 16)
    unread = []
    for i in range(2, count):
        a, b = choose.randrange(i), choose.randrange(i)
        unread = [v for v in unread if v not in (a, b)] + [i]
        text += f"  %v{i} = linalg.matmul ins(%v{a}, %v{b} : {t}, {t}) outs(%i : {t}) -> {t}\n"
    last = unread[0]
    for k, v in enumerate(unread[1:]):
        text += f"  %j{k} = linalg.matmul ins(%{'v' if k == 0 else 'j'}{last if k == 0 else k - 1}, %v{v} : {t}, {t}) outs(%i : {t}) -> {t}\n"
    result = f"%j{len(unread) - 2}" if len(unread) > 1 else f"%v{last}"
    return text + f"  return {result} : {t}\n}}\n", size


class PlaceAutoTest(support.EndToEnd):
    def compile(self, text, *flags):
        source, self.artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(text)
        result = support.heddle("compile", source, "-o", self.artifact, f"--stats={self.folder / 'stats.json'}",
                                "--place=auto", *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        self.stats = json.loads((self.folder / "stats.json").read_text())
        return result.stderr

    def test_expects_what_a_simulated_machine_takes(self):
        for seed in range(10):
            text, size = products(seed)
            self.compile(text, "--target-device=a=local", "--target-device=b=local", "--data-tiling=off")
            self.assertLessEqual(self.stats["estimate_us"], self.stats["single_device_us"])
            value = f"--input={size}x{size}xf32=0.5"
            result = support.heddle("trace", self.artifact, "--device=sim://a", "--device=sim://b", value, value,
                                    "-o", self.folder / "trace.json")
            self.assertEqual(0, result.returncode, result.stderr)
            number, unit = re.search(r"1 call in ([0-9.]+) (\S+)", result.stdout + result.stderr).groups()
            self.assertAlmostEqual(1, float(number) * UNITS[unit] / self.stats["estimate_us"], delta=0.1,
                                   msg=f"seed {seed}: {self.stats['estimate_us']} expected, {result.stdout}")

    # 4 MB in and out: 100 and 100 us at 40 GB/s, and 5 each. The host reads a simulated device's results where they are.
    def test_arguments_and_results_take_the_hosts_links(self):
        t = "tensor<1024x1024xf32>"
        text = f"""func.func @main(%x: {t}) -> {t} {{
  %0 = arith.mulf %x, %x : {t}
  return %0 : {t}
}}
"""
        link = "from_host_gbps=40,from_host_us=5,to_host_gbps=40,to_host_us=5"
        self.compile(text, "--target-device=a=local", "--target-device=b=local")
        free = self.stats["estimate_us"]
        self.compile(text, f"--target-device=a=local{{{link}}}", f"--target-device=b=local{{{link}}}")
        expected = 2 * (4 * 2 ** 20 / 40e3 + 5)
        self.assertAlmostEqual(self.stats["estimate_us"], free + expected, delta=1)
        arguments = "from_host_gbps=40,from_host_us=5"
        self.compile(text, f"--target-device=a=local{{{arguments}}}", f"--target-device=b=local{{{arguments}}}")
        value = "--input=1024x1024xf32=0.5"
        result = support.heddle("trace", self.artifact, "--device=sim://a?host_gbps=40&host_us=5",
                                "--device=sim://b?host_gbps=40&host_us=5", value, "-o", self.folder / "trace.json")
        self.assertEqual(0, result.returncode, result.stderr)
        number, unit = re.search(r"1 call in ([0-9.]+) (\S+)", result.stdout + result.stderr).groups()
        self.assertAlmostEqual(1, float(number) * UNITS[unit] / self.stats["estimate_us"], delta=0.1, msg=result.stdout)
        # Ten times the arithmetic, behind a slow bus, is not worth the way.
        slow = "from_host_gbps=1,from_host_us=5,to_host_gbps=1,to_host_us=5"
        message = self.compile(text, "--target-device=a=local",
                               f"--target-device=b=local{{gflops=1000,memory_gbps=200,{slow}}}")
        self.assertIn("@a 1 dispatches", message)
        message = self.compile(text, "--target-device=a=local", "--target-device=b=local{gflops=1000,memory_gbps=200}")
        self.assertIn("@b 1 dispatches", message)

    FREE = """func.func @main(%x: tensor<?x?x256xf32> {heddle.dims = ["batch", "seq", ""]}, %y: tensor<?x?x256xf32> {heddle.dims = ["batch", "seq", ""]})
    -> tensor<?x?x256xf32> {
  %0 = arith.mulf %x, %y : tensor<?x?x256xf32>
  %1 = flow.transfer %0 : tensor<?x?x256xf32> to #device.promise<@b>
  %2 = math.exp %1 : tensor<?x?x256xf32>
  return %2 : tensor<?x?x256xf32>
}
"""

    # Values of batch x seq x 1 KiB: 64 of each where nothing is expected, 4 MiB.
    def test_expected_sizes(self):
        text = self.FREE.replace("%0 = ", "%c = tensor.dim %x, %c0 : tensor<?x?x256xf32>\n  %d = tensor.dim %x, %c1 : tensor<?x?x256xf32>\n  %0 = ")
        text = text.replace("{\n  %c =", "{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c =")
        text = text.replace("flow.transfer %0 :", "flow.transfer %0{%c, %d} :")
        small = ["--target-device=a=local{memory=64KiB}", "--target-device=b=local{memory=64KiB}"]
        source = self.folder / "program.mlir"
        source.write_text(text)
        refused = support.heddle("compile", source, "-o", self.folder / "x.heddle", "--place=auto", *small)
        self.assertEqual(1, refused.returncode)
        self.assertIn("no placement fits the devices' memory", refused.stderr)
        self.compile(text, *small, "--expect=batch=1,seq=17")
        graph = support.heddle("explain", self.artifact)
        self.assertEqual(0, graph.returncode, graph.stderr)
        self.assertIn("with batch = 1, seq = 17 expected", graph.stdout)
        self.assertEqual(17 * 1024 * self.stats["transfers"], self.stats["transfer_bytes"])
        estimate = self.stats["estimate_us"]
        self.compile(text, *small[:0], "--target-device=a=local", "--target-device=b=local", "--expect=batch=1", "--expect=seq=34")
        self.assertGreater(self.stats["estimate_us"], estimate)
        # Any size runs.
        for batch, seq in ((1, 17), (3, 5)):
            value = f"--input={batch}x{seq}x256xf32=0"
            result = support.heddle("run", self.artifact, value, value, "--device=local://0")
            self.assertEqual(0, result.returncode, result.stderr)

    def test_wrong_expectations(self):
        source = self.folder / "program.mlir"
        source.write_text(products(1)[0])
        for flag, text in (("batch=1", "--expect: no free dimension is called 'batch'; the program has none"),
                           ("batch", "--expect takes NAME=SIZE, a size of at least 1, got 'batch'"),
                           ("n=0", "--expect takes NAME=SIZE, a size of at least 1, got 'n=0'")):
            result = support.heddle("compile", source, "-o", self.folder / "x.heddle", f"--expect={flag}")
            self.assertEqual(2, result.returncode, flag)
            self.assertIn(text, result.stderr)
        source.write_text("""func.func @main(%x: tensor<?xf32> {heddle.dims = ["sequence"]}) -> tensor<?xf32> { return %x : tensor<?xf32> }""")
        for flag, text in (("sequenc=1", "there are: sequence; did you mean 'sequence'?"), ("sequence=1,sequence=2", "'sequence' is given twice")):
            result = support.heddle("compile", source, "-o", self.folder / "x.heddle", f"--expect={flag}")
            self.assertIn(text, result.stderr)

    # Six parameters of 64 KiB, and 256 KiB of memory on each device.
    def test_parameters_beyond_one_device(self):
        t = "tensor<128x128xf32>"
        text = "".join(f"flow.parameter private @w{i} : {t} = dense<0.0{i + 1}>\n" for i in range(6))
        text += f"""func.func @main(%x: {t} {{heddle.name = "x"}}) -> ({t} {{heddle.name = "y"}}) {{
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : {t}
  %i = linalg.fill ins(%c : f32) outs(%e : {t}) -> {t}
"""
        text += "".join(f"  %l{i} = flow.parameter.load @w{i} : {t}\n"
                        f"  %y{i} = linalg.matmul ins(%{f'y{i - 1}' if i else 'x'}, %l{i} : {t}, {t}) outs(%i : {t}) -> {t}\n"
                        for i in range(6))
        text += f"  return %y5 : {t}\n}}\n"
        # Memory of their own, so that the limit binds; 64 KiB more than is declared below: a copy of the argument lies there.
        limited = [f"--device=local://{core}?discrete=yes&memory=512k" for core in (0, 1)]
        run = ["run", self.folder / "program.heddle", "--input=128x128xf32=1"]
        self.compile(text, "--target-device=local")
        self.assertIn("cannot allocate", support.heddle(*run, limited[0]).stderr)
        message = self.compile(text, "--target-device=a=local{memory=448KiB}", "--target-device=b=local{memory=448KiB}")
        self.assertIn("no device has memory for it alone", message)
        self.assertEqual(1, self.stats["transfers"])
        for devices in (limited, ["--device=local://0"]):
            result = support.heddle(*run, *devices)
            self.assertEqual(0, result.returncode, result.stderr)
            self.assertIn("result 'y': 128x128xf32", result.stdout)


if __name__ == "__main__":
    unittest.main()
