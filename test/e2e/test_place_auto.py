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
