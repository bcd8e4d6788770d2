# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle devices."""
import json
import os
import unittest

import tool_case


class Devices(tool_case.ToolCase):
    verb = "devices"

    def test_json(self):
        devices = json.loads(self.good("--json"))["devices"]
        cpu = [device for device in devices if device["driver"] == "local"][0]
        self.assertTrue(cpu["available"])
        self.assertTrue(cpu["default"])
        self.assertEqual(cpu["cores"], len(os.sched_getaffinity(0)))
        self.assertIn("elf-x86_64" if os.uname().machine == "x86_64" else "elf-aarch64", cpu["formats"])
        self.assertIsInstance(cpu["features"], list)
        for device in devices:
            self.assertEqual(device["available"], device["reason"] == "", device)

    def test_page(self):
        page = self.good()
        self.assertRegex(page, r"(?m)^local\S*  .*\(default\)$")
        self.assertIn("    cores     %d\n" % len(os.sched_getaffinity(0)), page)

    def test_measure(self):
        text = self.good("--measure", "--device=local://0?memory=64m", "--device=local://0?memory=64m", "-o", "t.json", "--json")
        report = json.loads(text)
        self.assertEqual(text, self.read("t.json").decode())
        self.assertEqual([device["name"] for device in report["devices"]], ["local[0]", "local[1]"])
        self.assertTrue(all(device["gflops"] > 0 and device["memory_gbps"] > 0 for device in report["devices"]), report)
        ends = [(link["from"], link["to"]) for link in report["links"]]
        self.assertEqual(ends, [("local[0]", "local[1]"), ("local[1]", "local[0]"), ("host", "local[0]"),
                                ("local[0]", "host"), ("host", "local[1]"), ("local[1]", "host")])
        for link in report["links"]:
            self.assertTrue(link["bandwidth_gbps"] > 0 and link["latency_us"] > 0 and link["unified"], link)

    def test_measured_is_kept_for_the_machine(self):
        done = self.start("--measure", "--device=local://0?memory=8m", env=dict(os.environ, HEDDLE_CACHE_DIR=self.path("cache")))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        name = f"topology-{os.uname().nodename}.json"
        self.assertTrue(done.stdout.endswith(f"written to {self.path('cache')}/{name}\n"), done.stdout)
        self.assertEqual(json.loads(self.read(f"cache/{name}"))["machine"], os.uname().nodename)

    def test_measures_all_that_compute(self):
        listed = json.loads(self.good("--json"))["devices"]
        want = [device["uri"] for device in listed if device["available"] and device["driver"] not in ("null", "sim")]
        report = json.loads(self.good("--measure", "-o", "all.json", "--json"))
        self.assertEqual(want, [device["uri"] for device in report["devices"]])
        # Of a processor what its registers do, of others what a compiled product reaches: where there is a compiler.
        compiles = os.path.exists(os.path.join(tool_case.BIN, "heddle-compile"))
        measured = [device for device in report["devices"] if compiles or device["uri"].startswith("local")]
        self.assertTrue(all(device["gflops"] > 0 for device in measured), report)

    def test_refused(self):
        self.refused(2, "--device and --output belong to --measure", "--device=local")
        self.refused(2, "--device: ", "--measure", "--device=lcoal", "-o", "t.json")
        self.assertIn("none/t.json", self.refused(1, "", "--measure", "-o", "none/t.json"))
        self.refused(2, "unknown flag '--jsno'; did you mean '--json'?", "--jsno")
        self.refused(2, "unexpected argument 'local'", "local")


if __name__ == "__main__":
    unittest.main()
