# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle inspect."""
import json
import os
import struct
import unittest

import tool_case
from tool_case import FIXTURE


def fixture_bytes():
    with open(FIXTURE, "rb") as file:
        return bytearray(file.read())


class Inspect(tool_case.ToolCase):
    verb = "inspect"

    def test_json(self):
        report = json.loads(self.good(FIXTURE, "--json"))
        self.assertEqual([entry["name"] for entry in report["entry_points"]], ["main", "copy16", "refuse", "nothing"])
        self.assertEqual(report["entry_points"][0]["arguments"][0], {"name": "a", "type": "f32", "shape": ["n"]})
        self.assertEqual([e["name"] for e in report["executables"][0]["exports"]],
                         ["fixture_add", "fixture_scale", "fixture_refuse"])
        self.assertGreater(report["executables"][0]["variants"][0]["bytes"], 100)
        self.assertEqual((report["parameters"][0]["key"], report["parameters"][0]["bytes"]), ("factor", 4))
        self.assertEqual([d["driver"] for d in report["devices"][0]["alternatives"]], ["local", "null"])
        main = [i for i in report["host"] if i["function"] == "main"]
        self.assertEqual([i["op"] for i in main if i["name"]],
                         ["parameter", "result", "result", "dispatch", "dispatch", "set_result", "set_result"])
        self.assertEqual(main[1], {"op": "mul", "name": "", "device": "", "binding": "call", "function": "main"})
        self.assertEqual(main[5]["device"], "device_0")
        self.assertEqual(report["file_bytes"], len(fixture_bytes()))

    def test_page(self):
        page = self.good(FIXTURE)
        self.assertIn("  main(a: [n]xf32, b: [n]xf32) -> (sum: [n]xf32, scaled: [n]xf32)\n", page)
        self.assertIn("  device_0: local (elf-x86_64), else null\n", page)
        self.assertIn("  factor: 1xf32, 4 B\n", page)

    def test_verify(self):
        self.assertIn("verified: the bytes of all 1 parameters and of every section have their hashes\n",
                      self.good(FIXTURE, "--verify"))
        self.assertEqual(json.loads(self.good(FIXTURE, "--verify", "--json"))["verified_sections"],
                         ["header", "metadata", "code", "data"])
        data = fixture_bytes()
        offset = data.rindex(struct.pack("<f", 2))
        data[offset] ^= 1
        damaged = self.write("damaged.heddle", data)
        self.good(damaged)
        self.assertIn("factor", self.refused(1, "", damaged, "--verify"))
        data = fixture_bytes()
        data[112] ^= 1  # the hash of the data section
        self.refused(1, "the header does not match its hash", self.write("damaged.heddle", data), "--verify")

    def test_verify_without_section_hashes(self):
        old = os.path.join(os.path.dirname(__file__), "..", "..", "test", "artifacts", "instructions-2.heddle")
        said = self.good(old, "--verify")
        self.assertIn("verified: the bytes of all 1 parameters have their hashes\n", said)
        self.assertIn("the artifact has no certificate, and its host program cannot be proved: main: n = 3: instruction", said)

    def test_device(self):
        self.assertIn("would run as\n  device_0 = local://0 ", self.good(FIXTURE, "--device=local://0"))
        self.assertNotIn("would run as", self.good(FIXTURE))

    def test_bound(self):
        report = json.loads(self.good(FIXTURE, "--json", "--bound", "--device=local://0"))
        main = [i for i in report["host"] if i["function"] == "main"]
        self.assertEqual([i["name"] for i in main if i["op"] == "dispatch"], ["fixture_add", "fixture_scale"])
        self.assertIn("lcoal", self.refused(1, "", FIXTURE, "--bound", "--device=lcoal"))
        self.assertEqual({"op", "name", "device", "binding", "operands", "function"}, set(main[0]))

    def test_html(self):
        self.assertEqual(self.good(FIXTURE, "--html=x.html"), "")
        page = self.read("x.html").decode()
        data = json.loads(page.split('type="application/json">')[1].split("</script>")[0])
        self.assertEqual(data["functions"], []) # the fixture was made without the compiler
        self.assertEqual([e["name"] for e in data["artifact"]["entry_points"]], ["main", "copy16", "refuse", "nothing"])
        self.assertNotIn("host", data["artifact"])
        self.assertNotIn("http", page)

    def test_refused(self):
        self.assertIn("none/x.html", self.refused(1, "", FIXTURE, "--html=none/x.html"))
        self.assertIn("none.heddle", self.refused(1, "", "none.heddle"))
        data = fixture_bytes()
        self.refused(1, "", self.write("short.heddle", data[:1000]))
        data[200] ^= 0x40
        self.refused(1, "", self.write("damaged.heddle", data))


if __name__ == "__main__":
    unittest.main()
