# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What heddle explain and heddle trace say of a program on two devices, and what a topology changes."""
import json
import pathlib
import re
import tempfile
import unittest

from support import ROOT, heddle

PROGRAM = ROOT / "examples" / "devices" / "three_products.mlir"
# b reaches too little memory at once.
SMALL_GPU = """
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.target<"vulkan", [#device.executable<"spirv", {features = [], maxStorageBufferRange = 1000}>]>
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32> loc("first")
  return %0 : tensor<64x64xf32>
}
"""
FREE_ROWS = """
flow.parameter private @w : tensor<64x64xf32> = dense<0.25>
func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %w = flow.parameter.load @w : tensor<64x64xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %empty = tensor.empty(%m) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xf32>, tensor<64x64xf32>) outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %0 : tensor<?x64xf32>
}
"""
BYTES = 64 * 64 * 4
INPUTS = ("--input=64x64xf32=0.25", "--input=64x64xf32=0.5")
DEVICES = ("--device=local://0", "--device=local://0")
UNIFIED = {"links": [{"from": "a", "to": "b", "unified": True}, {"from": "b", "to": "a", "unified": True}]}


class ExplainTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *arguments):
        done = heddle(*arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def compile(self, *flags):
        return self.run_tool("compile", PROGRAM, "-o", "x.heddle", "--target-device=a=local", "--target-device=b=local",
                             "-O1", *flags).stderr

    def trace(self):
        self.run_tool("trace", "x.heddle", *DEVICES, *INPUTS, "-o", "x.json")
        return json.loads((self.folder / "x.json").read_text())["traceEvents"]

    def test_row_classes(self):
        source = self.folder / "free.mlir"
        source.write_text(FREE_ROWS)
        self.run_tool("compile", source, "-o", "x.heddle", "--target-cpu=x86-64-v3")
        text = self.run_tool("explain", "x.heddle").stdout
        self.assertIn("    free rows: contraction, tile 6x2x8; up to 1 row 1x4x8\n", text)
        node = next(n for n in json.loads(self.run_tool("explain", "x.heddle", "--json").stdout)["functions"][0]["nodes"] if n.get("free_rows"))
        self.assertEqual(node["free_rows"], "contraction, tile 6x2x8; up to 1 row 1x4x8")

    def test_all_and_why(self):
        self.assertIn("placed 3 ops: a 2, b 1 (2 transfers, 32.0 KiB)\n", self.compile())
        text = self.run_tool("explain", "x.heddle").stdout
        self.assertIn("x.heddle: main: 3 dispatches on 2 devices, 2 transfers\n", text)
        self.assertRegex(text, r"  a -> b  16.0 KiB, about .*  matmul_0 \(first\) -> matmul_0 \(second\)\n  b -> a  16.0 KiB")
        why = self.run_tool("explain", "x.heddle", "--why=second").stdout
        self.assertRegex(why, r"^dispatch matmul_0 on b\n  because       follows its operands, from the transfer to b \(explicit\)\n  nodes         second\n")
        self.assertRegex(self.run_tool("explain", "x.heddle", "--why-not=b").stdout, r"^2 of 3 dispatches not on b\n  1  on a: follows its operands, from the argument x \(heddle.affinity\)\n")
        wrong = heddle("explain", "x.heddle", "--why-not=c", cwd=self.folder)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        self.assertIn("--why-not: the program has no device 'c'", wrong.stderr)

    def test_pins(self):
        """A pin is the reason of what it pins, also where no transfer is left of it."""
        model = PROGRAM.read_text()
        for device in "ab":
            model = model.replace(f" to #device.promise<@{device}>", "")
        model = re.sub(r"%(\d) = flow.transfer %(\d) : tensor<64x64xf32>\n", "", model.replace(", heddle.affinity = #device.promise<@a>", ""))
        (self.folder / "x.mlir").write_text(model.replace("%1, %1", "%0, %0").replace("%3, %0", "%2, %0"))
        def compile_with(place):
            (self.folder / "place").write_text(place)
            self.run_tool("compile", "x.mlir", "-o", "x.heddle", "--target-device=a=local", "--target-device=b=local", "-O1",
                          "--place-file=place")

        compile_with("first=a\nsecond=b\n")
        why = lambda name: re.search(r"  because +(.*)\n", self.run_tool("explain", "x.heddle", f"--why={name}").stdout)[1]
        self.assertEqual(why("first"), "pinned by place:1")
        self.assertEqual(why("second"), "pinned by place:2")
        self.assertEqual(why("transfer"), "pinned by place:2")
        self.assertEqual(why("third"), "follows its operands, from the transfer to a (cheapest of several)")
        self.assertIn(why("w"), ("default device", "follows its users"))
        compile_with("first=a\nsecond=a\n")
        self.assertEqual((why("first"), why("second")), ("pinned by place:1", "pinned by place:2"))
        self.assertEqual(why("third"), "follows its operands, from second (pinned by place:2)")

    def test_what_a_device_cannot_run(self):
        (self.folder / "small.mlir").write_text(SMALL_GPU)
        self.run_tool("compile", "small.mlir", "-o", "x.heddle")
        said = self.run_tool("explain", "x.heddle", "--why-not=b").stdout
        self.assertRegex(said, r"(?s)^1 of 1 dispatch not on b\n  1  cannot: vulkan: a tensor of 16384 bytes .*1000 bytes.*\(first\)\n$")
        self.assertIn("cannot run on b: vulkan: a tensor of 16384 bytes", self.run_tool("explain", "x.heddle", "--why=first").stdout)

    def test_page(self):
        self.compile()
        self.run_tool("explain", "x.heddle", "--html=x.html")
        page = (self.folder / "x.html").read_text()
        data = json.loads(page.split('type="application/json">')[1].split("</script>")[0])
        nodes = data["functions"][0]["nodes"]
        self.assertEqual([(node["k"], node["d"]) for node in nodes],
                         [("a", 0), ("a", 0), ("d", 0), ("t", 1), ("d", 1), ("t", 0), ("d", 0), ("r", 0)])
        self.assertNotIn("http", page)

    def test_same_bytes(self):
        self.compile()
        first = (self.folder / "x.heddle").read_bytes()
        self.compile()
        self.assertEqual(first, (self.folder / "x.heddle").read_bytes())

    def test_trace_shows_the_transfers(self):
        self.compile()
        events = self.trace()
        moves = [event for event in events if event.get("cat") == "transfer"]
        self.assertEqual([(move["args"]["from"], move["args"]["to"], move["args"]["bytes"]) for move in moves],
                         [("a", "b", BYTES), ("b", "a", BYTES)])
        dispatches = [(event["pid"], event["args"]["source"]) for event in events if event.get("cat") == "dispatch"]
        self.assertEqual(sorted(dispatches), [(1, "first"), (1, "third"), (2, "second")])
        # An arrow to each transfer, from the dispatch that made the value.
        starts = {event["id"]: event for event in events if event["ph"] == "s" and event["name"] == "transfer"}
        ends = {event["id"]: event for event in events if event["ph"] == "f" and event["name"] == "transfer"}
        self.assertEqual(sorted((starts[flow]["pid"], ends[flow]["pid"]) for flow in ends), [(1, 2), (2, 1)])
        for flow, end in ends.items():
            self.assertLessEqual(starts[flow]["ts"], end["ts"])

    def test_time_of_simulated_devices(self):
        self.compile()
        times = []
        for _ in range(2):
            self.run_tool("trace", "x.heddle", "--device=sim://a", "--device=sim://b?gflops=2000", *INPUTS, "-o", "x.json")
            events = json.loads((self.folder / "x.json").read_text())["traceEvents"]
            times.append([(event["cat"], event["ts"], event["dur"]) for event in events if event["ph"] == "X"])
        self.assertEqual(times[0], times[1])
        self.assertEqual([what for what, _, _ in times[0] if what in ("dispatch", "transfer")],
                         ["dispatch", "transfer", "dispatch", "transfer", "dispatch"])
        self.assertNotIn("host", {what for what, _, _ in times[0]})
        mixed = heddle("trace", "x.heddle", "--device=sim://a", "--device=local://0", *INPUTS, "-o", "x.json", cwd=self.folder)
        self.assertEqual(mixed.returncode, 2)
        self.assertIn("devices of sim have a time of their own", mixed.stderr)

    def test_one_memory_needs_no_transfer(self):
        (self.folder / "t.json").write_text(json.dumps(UNIFIED))
        self.assertIn("(0 transfers", self.compile("--topology=t.json"))
        self.assertEqual([event for event in self.trace() if event.get("cat") == "transfer"], [])
        self.assertIn("no transfers", self.run_tool("explain", "x.heddle").stdout)
        # Devices that do not share memory are named as the reason, and what to do.
        apart = heddle("run", "x.heddle", "--device=local://0", "--device=local://0?discrete=yes", *INPUTS, cwd=self.folder)
        self.assertEqual(apart.returncode, 1, apart.stderr)
        self.assertIn("the program was compiled for devices that share memory (--topology); compile it without, or name such "
                      "devices", apart.stderr)
        # Both programs compute the same.
        self.run_tool("run", "x.heddle", *DEVICES, *INPUTS, "--output=@y.npy")
        self.compile()
        self.run_tool("run", "x.heddle", *DEVICES, *INPUTS, "--expected-output=@y.npy", "--atol=0")


if __name__ == "__main__":
    unittest.main()
