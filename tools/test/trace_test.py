# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle trace: the files it writes follow the rules of their formats."""
import json
import unittest
import xml.etree.ElementTree

import tool_case
from tool_case import FIXTURE

INPUTS = ("--input=3xf32=1,2,3", "--input=3xf32=10,20,30")


class Trace(tool_case.ToolCase):
    verb = "trace"

    def events(self, *arguments):
        self.good(FIXTURE, "-o", "t.json", "--device=local://0", *arguments)
        return json.loads(self.read("t.json"))["traceEvents"]

    def check_rules(self, events):
        """Lanes are named before use, times never go back, slices of a lane nest, flows have both ends."""
        named, last, open_until, flows = set(), {}, {}, {}
        for event in events:
            lane = (event["pid"], event["tid"])
            if event["ph"] == "M":
                if event["name"] == "thread_name":
                    named.add(lane)
                continue
            self.assertIn(lane, named)
            self.assertGreaterEqual(event["ts"], last.get(lane, 0))
            last[lane] = event["ts"]
            if event["ph"] == "X":
                self.assertGreaterEqual(event["ts"] + 1e-6, open_until.get(lane, 0))
                open_until[lane] = event["ts"] + event["dur"]
            else:
                flows.setdefault(event["id"], []).append(event["ph"])
        self.assertTrue(all(ends == ["s", "f"] for ends in flows.values()), flows)

    def test_json(self):
        events = self.events(*INPUTS)
        self.check_rules(events)
        names = {event["args"]["name"] for event in events if event["ph"] == "M" and "name" in event["args"]}
        self.assertEqual(names, {"host", "calls", "instructions", "device_0 = local://0", "stream 0"})
        dispatches = [event for event in events if event.get("cat") == "dispatch"]
        self.assertEqual([event["name"] for event in dispatches], ["fixture_add", "fixture_scale"])
        self.assertEqual([event["args"]["bytes"] for event in dispatches], [36, 28])
        self.assertEqual(dispatches[0]["args"]["source"], "/Add_1")

    def test_calls(self):
        events = self.events(*INPUTS, "--calls=3", "--warmup=0")
        self.check_rules(events)
        self.assertEqual(len([event for event in events if event.get("cat") == "call"]), 3)
        self.assertEqual({event["args"]["call"] for event in events if event.get("cat") == "dispatch"}, {0, 1, 2})

    def test_summary_and_picture(self):
        summary = self.good(FIXTURE, *INPUTS, "--svg=t.svg", "--device=local://0")
        self.assertRegex(summary, r"^fixture.heddle: main: 1 call in .*\n  device_0 = local://0  busy .* 2 dispatches\n"
                                  r"no transfers between devices\nwhere the time goes, of .* of work a call\n +% +time +runs +device +kernel +node\n"
                                  r"( +[\d.]+ % +[\d.]+ .?s +\d+  device_0  fixture_\w+ .*\n){2}$")
        root = xml.etree.ElementTree.fromstring(self.read("t.svg"))
        self.assertTrue(root.tag.endswith("svg"))
        titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
        self.assertTrue(any(title.startswith("fixture_add: ") for title in titles), titles)
        self.assertNotIn(b"http://", self.read("t.svg").replace(b"http://www.w3.org/2000/svg", b""))

    def test_only_the_table(self):
        """Of inputs that are made up, with sizes that --dim says, and no more rows than are asked for; means over the calls."""
        done = self.start(FIXTURE, "--device=local://0", "--dim=n=4", "--calls=3", "--rows=1")
        summary = done.stdout
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn(": main: 3 calls in ", summary)
        self.assertRegex(summary, r"\n +[\d.]+ % +[\d.]+ .?s +1  device_0  fixture_\w+ +\S*\n +[\d.]+ %  in 1 more \(--rows=2 shows all\)\n$")
        self.refused(2, "--dim: no free size is called 'm'", FIXTURE, "--dim=m=4")

    def test_without_work(self):
        self.good(FIXTURE, "--function=nothing", "-o", "t.json", "--svg=t.svg")

    def test_refused(self):
        self.refused(2, "--calls takes 1 to 1000, got 0", FIXTURE, *INPUTS, "-o", "t.json", "--calls=0")
        self.assertIn("fixture_refuse", self.refused(1, "", FIXTURE, "-o", "t.json", "--function=refuse",
                                                     "--input=3xf32=1"))


if __name__ == "__main__":
    unittest.main()
