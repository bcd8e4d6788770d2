# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of pieces that the load chooses (docs/design/overlap.md): one artifact for all links and numbers of ranks, the values of
the whole, and on `sim` the choice beside the best of all that could be compiled."""
import json
import os
import re
import unittest
from unittest import mock

import numpy
import support
import test_ranks_overlap as overlap
from test_ranks_overlap import CASES, free, gathered, reduced, scattered

SIZE = {"m": 32, "k": 32, "n": 24}
# Links by which a load of the small products here decides in several ways.
LINKS = ({"link_gbps": 1}, {"link_gbps": 0.05}, {"link_gbps": 0.2, "link_us": 0.5}, {"link_us": 100}, {"link_gbps": 0.01, "link_us": 0}, {"link_gbps": 50, "link_us": 0.1},
         {"link_gbps": 0.5, "link_us": 20})


def told(link):
    link = {**overlap.MODEL, **link}
    return mock.patch.dict(os.environ, {"HEDDLE_LINK": f"gbps={link['link_gbps']},us={link['link_us']}"})


class Bind(overlap.Overlap):
    test_values = test_around = test_free_sizes = test_free_sizes_by_default = test_free_rows_of_members = test_in_place = test_whole_program = None  # of numbers known before

    measure = overlap.Time.measure

    def chosen(self, artifact, *flags):
        """By the trace of a call."""
        shapes = json_inputs(artifact)
        result = support.heddle("trace", artifact, *flags, *(f"--input={shape}=1" for shape in shapes), "-o", self.folder / "trace.json")
        self.assertEqual(0, result.returncode, result.stderr)
        return result.stdout[result.stdout.index("chosen at load:"):]

    def test_values_at_load(self):
        """Whatever the link, the values of the whole; the links make several choices."""
        random = numpy.random.default_rng(11)
        for case in CASES:
            for d in (2, 3):
                text, shapes, _ = case(d)
                given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes.items()}
                whole = self.run_ranks(self.keep(self.compile(text, d, "--strategy=overlap:off"), "off"), given)
                artifact = self.keep(self.compile(text, d, "--strategy=overlap:bind"), "bind")
                said = set()
                for link in LINKS:
                    with self.subTest(case=case.__name__, ranks=d, link=link), told(link):
                        for got, want in zip(self.run_ranks(artifact, given), whole):
                            numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)
                        line = self.chosen(artifact)
                        self.assertIn("HEDDLE_LINK", line)
                        said.add(re.search(r"moved whole|in \d+ pieces|(from|to) each rank", line)[0])
                self.assertGreater(len(said), 1, (case.__name__, said))

    def test_measured(self):
        """Nothing is told: threads are measured, all alike."""
        text, shapes, value = reduced(3)
        artifact = self.compile(text, 3, "--strategy=overlap:bind")
        given = {name: [numpy.full(shape, rank + 1, numpy.float32) for rank in range(3)] for name, shape in shapes.items()}
        for got, want in zip(self.run_ranks(artifact, given), value(*given.values())):
            numpy.testing.assert_allclose(got, want)
        self.assertRegex(self.chosen(artifact), r"\(3 ranks, [0-9.e+]+ GB/s and [0-9.e+-]+ us a step, measured(, [0-9]+ % of the work stands still)?\)")

    def test_wrong_link(self):
        artifact = self.compile(reduced(2)[0], 2, "--strategy=overlap:bind")
        for link in ("gbps=1", "us=3", "gbps=0,us=1", "gbps=1,us=-1", "gbps=x,us=1", "fast", "gbps=1,us=2,x=3", "gbps=nan,us=1"):
            with self.subTest(link=link), mock.patch.dict(os.environ, {"HEDDLE_LINK": link}):
                result = support.heddle("run", artifact, "--input=16x24xf32=1", "--input=24x8xf32=1")
                self.assertEqual(2, result.returncode)
                self.assertIn(f'HEDDLE_LINK is what the link between ranks takes, as in "gbps=1.5,us=20"', result.stderr)
                self.assertIn(f'got "{link}"', result.stderr)

    def test_free_rows(self):
        """Of every case, also along the collective's own dimension; the load says whole, or in 2 or in 4 pieces."""
        random = numpy.random.default_rng(12)
        for case in (reduced, gathered, scattered):
            for d in (2, 3):
                text, shapes = free(case, d)
                whole, artifact = (self.keep(self.compile(text, d, f"--strategy=overlap:{how}"), how) for how in ("off", "bind"))
                for link in ({"link_gbps": 0.001}, {"link_gbps": 100, "link_us": 1000}):
                    for rows in (0, 1, 3, 64, 257):
                        with self.subTest(case=case.__name__, ranks=d, link=link, rows=rows), told(link):
                            given = {name: [random.standard_normal(shape, numpy.float32) for _ in range(d)] for name, shape in shapes(rows).items()}
                            for got, want in zip(self.run_ranks(artifact, given), self.run_ranks(whole, given)):
                                numpy.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-6)

    def test_any_number_of_ranks(self):
        """One artifact whose mesh is free; alone a rank moves all whole."""
        text, shapes, value = reduced(1)
        artifact = self.compile(text, "?", "--strategy=overlap:bind")
        for d in (1, 2, 3, 4):
            with self.subTest(ranks=d), told({"link_gbps": 0.05}):
                given = {name: [numpy.full(shape, rank + 1, numpy.float32) for rank in range(d)] for name, shape in shapes.items()}
                got = self.run_ranks(artifact, given, f"--mesh=x={d}")
                numpy.testing.assert_allclose(got[-1], sum(x @ w for x, w in zip(*given.values())))
                self.assertIn("moved whole" if d == 1 else " pieces: ", self.chosen(artifact, f"--mesh=x={d}"))

    def run_ranks(self, artifact, given, *flags):
        with mock.patch.object(support, "heddle", lambda *words, real=support.heddle: real(*words, *(flags if words[0] == "run" else ()))):
            return super().run_ranks(artifact, given)

    def test_choice_at_load(self):
        """On `sim`, whose devices state their link: within 3 % of the best of all numbers, never slower than the whole, to the nanosecond
        what the load reckoned."""
        for case, d in ((reduced, 2), (reduced, 8), (scattered, 4), (gathered, 2), (gathered, 5)):
            text = case(d, **SIZE)[0]
            ways = tuple(range(1, 17)) if case is reduced else ("around", *range(1, 17))
            artifact = self.keep(self.compile(text, d, "--strategy=overlap:bind"), "bind")
            fixed = {way: self.keep(self.compile(text, d, f"--strategy=overlap:{way}"), f"fixed{way}") for way in ways}
            for link in LINKS:
                with self.subTest(case=case.__name__, ranks=d, link=link):
                    got = self.measure(artifact, d, **link)
                    all_ways = {way: self.measure(each, d, **link)["makespan"] for way, each in fixed.items()}
                    self.assertLessEqual(got["makespan"], 1.03 * min(all_ways.values()), (got["chosen"], all_ways))
                    self.assertLessEqual(got["makespan"], all_ways[1])
                    self.assertIn("stated by the devices", got["chosen"])
                    self.assertIn(f": {got['makespan']} ns", got["chosen"])

    def test_default(self):
        """What nobody asks for is what the load decides."""
        text = gathered(2, **SIZE)[0]
        asked = self.compile(text, 2, "--strategy=overlap:bind").read_bytes()
        self.assertEqual(asked, self.compile(text, 2).read_bytes())
        self.assertEqual(asked, self.compile(text, 2, "--strategy=overlap:default").read_bytes())

    def test_tools(self):
        artifact = self.compile(gathered(2, **SIZE)[0], 2, "--strategy=overlap:bind")
        self.assertRegex(support.heddle("explain", artifact).stdout, r"all_gather of tensor<32x32xf32> is moved whole, .*: which, the load decides; by the target's link .* ns, whole \d+ ns \(2 ranks\)")
        self.assertRegex(support.heddle("inspect", artifact).stdout, r"all_gather of tensor<32x32xf32>: whole, .* as the load decides")
        checked = support.heddle("inspect", artifact, "--verify")
        self.assertEqual(0, checked.returncode, checked.stdout + checked.stderr)


def json_inputs(artifact):
    entry = json.loads(support.heddle("inspect", artifact, "--json").stdout)["entry_points"][0]
    return [f"{'x'.join(map(str, each['shape']))}x{each['type']}" for each in entry["arguments"]]


if __name__ == "__main__":
    unittest.main()
