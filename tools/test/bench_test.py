# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle bench."""
import json
import unittest

import tool_case
from tool_case import FIXTURE

INPUTS = ("--input=3xf32=1,2,3", "--input=3xf32=10,20,30")


class Bench(tool_case.ToolCase):
    verb = "bench"

    def report(self, *arguments):
        return json.loads(self.good(FIXTURE, "--json", "--device=local://0", *arguments))

    def test_json(self):
        report = self.report(*INPUTS, "--iterations=25", "--warmup=3")
        self.assertEqual(list(report), ["latency_us", "iterations", "in_flight", "calls_per_second", "load_ms",
                                        "first_call_ms", "dispatches", "host_us_per_dispatch", "peak_rss_mib", "cpu_ms", "page_faults", "devices"])
        latency = report["latency_us"]
        self.assertEqual(list(latency), ["min", "median", "p90", "p99"])
        self.assertTrue(0 < latency["min"] <= latency["median"] <= latency["p90"] <= latency["p99"], latency)
        self.assertEqual((report["iterations"], report["dispatches"]), (25, 2))
        self.assertGreater(report["host_us_per_dispatch"], 0)
        self.assertGreater(report["load_ms"], 0)
        self.assertGreater(report["first_call_ms"], 0)
        self.assertGreater(report["peak_rss_mib"], 1)
        for cost in (report["cpu_ms"], report["page_faults"]):
            self.assertEqual(list(cost), ["load", "first_call", "call"])
        self.assertGreater(report["cpu_ms"]["load"], 0)
        self.assertGreater(report["page_faults"]["load"], 0)
        self.assertEqual(report["devices"], [{"name": "device_0", "uri": "local://0", "cores": 1}])

    def test_calls_in_flight(self):
        for count in (1, 2, 5):
            report = self.report(*INPUTS, "--iterations=13", f"--in-flight={count}")
            self.assertEqual((report["iterations"], report["in_flight"]), (13, count))
            self.assertGreater(report["calls_per_second"], 0)
        self.assertIn("3 calls in flight: ", self.good(FIXTURE, *INPUTS, "--iterations=10", "--in-flight=3"))
        self.refused(1, "dispatch 'fixture_refuse'", FIXTURE, "--function=refuse", "--input=3xf32=1", "--in-flight=2")

    def test_call_without_dispatches(self):
        report = self.report("--function=nothing", "--iterations=10")
        self.assertEqual((report["dispatches"], report["host_us_per_dispatch"]), (0, None))

    def test_min_time(self):
        report = self.report(*INPUTS, "--min-time=0.02")
        spent_us = report["iterations"] * report["latency_us"]["p99"]
        self.assertTrue(report["iterations"] == 1000000 or spent_us > 1000, report)

    def test_table_and_baseline(self):
        table = self.good(FIXTURE, *INPUTS, "--iterations=10", "--device=local://0")
        self.assertIn("device_0 = local://0 (1 core)\n", table)
        self.assertIn("2 dispatches per call", table)
        self.write("old.json", json.dumps(self.report(*INPUTS, "--iterations=10")).encode())
        self.assertIn("now/before", self.good(FIXTURE, *INPUTS, "--iterations=10", "--baseline=old.json"))
        report = self.report(*INPUTS, "--iterations=10", "--baseline=old.json")
        self.assertGreater(report["baseline"]["speedup"], 0)

    def test_refused(self):
        self.write("old.json", b"{}")
        self.refused(1, "'old.json': not a report of heddle bench --json", FIXTURE, *INPUTS, "--baseline=old.json")
        self.refused(2, "--iterations and --min-time exclude each other", FIXTURE, "--iterations=1", "--min-time=1")
        self.refused(2, "--iterations takes 1 to 1000000, got 0", FIXTURE, "--iterations=0")
        self.refused(2, "--in-flight takes 1 to 1024, got 0", FIXTURE, *INPUTS, "--in-flight=0")
        self.refused(2, "--min-time takes seconds, more than 0 and at most 3600", FIXTURE, "--min-time=0")
        self.refused(2, "--warmup takes a whole number, got '1.5'", FIXTURE, "--warmup=1.5")
        self.refused(2, "--dim: no free size is called 'm'", FIXTURE, "--dim=m=2")
        self.assertIn("fixture_refuse", self.refused(1, "", FIXTURE, "--function=refuse", "--input=3xf32=1"))


if __name__ == "__main__":
    unittest.main()
