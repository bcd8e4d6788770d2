# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices of called functions, transfers that go nowhere, and what else a program may say that was once dropped."""
import unittest

import support

TWO = ("--target-device=a=local", "--target-device=b=local")
PROMISE = "#device.promise<@{}>"

MAIN = """
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {{
  %0 = func.call @f(%x) {call}: (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}}
func.func {visibility}@f(%x: tensor<4xi32>{argument}) -> (tensor<4xi32>{result}){function} {{
  {body}
  return %r : tensor<4xi32>
}}
"""
SQUARE = "%r = arith.muli %x, %x : tensor<4xi32>"
ON_B = "heddle.affinity = #device.promise<@b>"


def program(call="", visibility="private ", argument="", result="", function="", body=SQUARE):
    return MAIN.format(call=call, visibility=visibility, argument=argument, result=result, function=function, body=body)


# What states a device, where, and how many transfers that makes: the argument comes to the called function on @b.
CALLS = {
    "function": (program(function=f" attributes {{{ON_B}}}"), None),
    "argument": (program(argument=f" {{{ON_B}}}", result=" {heddle.affinity = #device.promise<@a>}"), "b to a"),
    "call": (program(call=f"{{{ON_B}}} "), None),
    "entry point": (program(visibility="", argument=f" {{{ON_B}}}", result=f" {{{ON_B}}}"), None),
    "import": (program(visibility="", body="%i = flow.import %x : tensor<4xi32> to #device.promise<@b>\n"
                                           "  %r = arith.muli %i, %i : tensor<4xi32>"), None),
    "transfer": (program(body="%b = flow.transfer %x : tensor<4xi32> to #device.promise<@b>\n"
                              "  %r = arith.muli %b, %b : tensor<4xi32>"), None),
    "of a call's call": (program(call=f"{{{ON_B}}} ", body="%r = func.call @g(%x) : (tensor<4xi32>) -> tensor<4xi32>") +
                         "func.func private @g(%x: tensor<4xi32>) -> tensor<4xi32> {\n  " + SQUARE +
                         "\n  return %r : tensor<4xi32>\n}\n", None),
}

PARAMETER = """
flow.parameter private @w : tensor<4xi32> = dense<[1, 2, 3, 4]>
""" + program(body="%w = flow.parameter.load @w : tensor<4xi32>\n  %r = arith.muli %x, %w : tensor<4xi32>")

SWITCH = """
func.func @main(%x: tensor<4xi32>, %n: tensor<i64>) -> tensor<4xi32> {
  %t = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %t : i64 to index
  %r = scf.index_switch %k -> tensor<4xi32>
  case 0 {
    %s = arith.muli %x, %x : tensor<4xi32>
    scf.yield %s : tensor<4xi32>
  }
  case 7 {
    %s = arith.addi %x, %x : tensor<4xi32>
    scf.yield %s : tensor<4xi32>
  }
  default { scf.yield %x : tensor<4xi32> }
  return %r : tensor<4xi32>
}
"""

SELF = """
func.func @main(%x: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi1>, tensor<?xi1>) {{
  %r = arith.{op} %x, %x : tensor<?xi32>
  %e = arith.cmpi sge, %x, %x : tensor<?xi32>
  %u = arith.cmpi ult, %x, %x : tensor<?xi32>
  return %r, %e, %u : tensor<?xi32>, tensor<?xi1>, tensor<?xi1>
}}
"""


def chain(count, device="a"):
    """Elementwise ops with a transfer before each."""
    lines, value = [], "%x"
    for i in range(count):
        lines.append(f"  %t{i} = flow.transfer {value} : tensor<4xi32> to #device.promise<@{device}>")
        lines.append(f"  %v{i} = arith.{('muli', 'addi')[i % 2]} %t{i}, %t{i} : tensor<4xi32>")
        value = f"%v{i}"
    body = "\n".join(lines)
    return f"func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {{\n{body}\n  return {value} : tensor<4xi32>\n}}\n"


class CallsTest(support.EndToEnd):
    def compile(self, text, *flags):
        source, artifact = self.folder / "program.mlir", self.folder / "program.heddle"
        source.write_text(text)
        result = support.heddle("compile", source, "-o", artifact, *flags)
        self.assertEqual(0, result.returncode, result.stderr)
        self.summary = result.stderr
        return artifact

    def explain(self, artifact):
        result = support.heddle("explain", artifact)
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout

    def check(self, artifact, devices, inputs, expected):
        result = support.heddle("run", artifact, *[f"--device={d}" for d in devices], *[f"--input={i}" for i in inputs])
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(expected, [line.split(": ")[1] for line in result.stdout.strip().splitlines()])

    def test_calls(self):
        for name, (text, crossing) in CALLS.items():
            with self.subTest(name):
                artifact = self.compile(text, *TWO)
                graph = self.explain(artifact)
                self.assertRegex(graph, r"elementwise_0 on b", graph)
                self.assertNotRegex(graph, r"elementwise_0 on a", graph)
                if crossing:
                    self.assertIn("1 transfer", graph)
                for devices in (["local://0", "local://1"], ["local://0"]):
                    self.check(artifact, devices, ["4xi32=1,2,3,-4"], ["4xi32=[1 4 9 16]"])

    def test_parameters_of_called_functions(self):
        self.check(self.compile(PARAMETER), ["local://0"], ["4xi32=1,2,3,-4"], ["4xi32=[1 4 9 -16]"])

    def test_other_frontends(self):
        """TOSA and StableHLO: an op's affinity outlives the lowering."""
        for op in ("tosa.add %x, %x", '"stablehlo.add"(%x, %x)'):
            text = ("func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"
                    f"  %r = {op} {{{ON_B}}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>\n"
                    "  return %r : tensor<4xi32>\n}\n")
            artifact = self.compile(text, *TWO)
            self.assertIn("elementwise_0 on b", self.explain(artifact))

    def test_transfers_to_where_a_value_is(self):
        for flags in (TWO[:1], TWO):
            artifact = self.compile(chain(10), *flags)
            self.assertIn("placed 1 op: a 1 (0 transfers, 0 B)", self.summary)
            graph = self.explain(artifact)
            self.assertIn("no transfers", graph)
            self.check(artifact, ["local://0"], ["4xi32=0,1,3,-1"], [self.expected([0, 1, 3, -1], 10)])
        artifact = self.compile(chain(4, "b"), *TWO)
        self.assertIn("b 1 (", self.summary)
        self.check(artifact, ["local://0", "local://1"], ["4xi32=0,1,2,3"], [self.expected([0, 1, 2, 3], 4)])

    @staticmethod
    def expected(values, count):
        for i in range(count):
            values = [(v + v if i % 2 else v * v) for v in values]
            values = [(v + 2 ** 31) % 2 ** 32 - 2 ** 31 for v in values]
        return f"4xi32=[{' '.join(map(str, values))}]"

    def test_switch(self):
        artifact = self.compile(SWITCH)
        for n, expected in ((0, "1 4 9 16"), (7, "2 4 6 8"), (1, "1 2 3 4"), (-1, "1 2 3 4")):
            self.check(artifact, ["local://0"], ["4xi32=1,2,3,4", f"i64={n}"], [f"4xi32=[{expected}]"])

    def test_same_operands_of_free_sizes(self):
        for op, expected in (("xori", "0 0 0"), ("subi", "0 0 0"), ("andi", "1 2 3"), ("ori", "1 2 3"), ("divsi", "1 1 1"),
                             ("remui", "0 0 0"), ("minsi", "1 2 3"), ("maxui", "1 2 3")):
            with self.subTest(op):
                self.check(self.compile(SELF.format(op=op)), ["local://0"], ["3xi32=1,2,3"],
                           [f"3xi32=[{expected}]", "3xi1=[1 1 1]", "3xi1=[0 0 0]"])


if __name__ == "__main__":
    unittest.main()
