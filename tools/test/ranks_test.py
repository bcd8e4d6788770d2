# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of many ranks in the tools: all ranks as threads of one process. usage: ranks_test.py BIN RANKS.heddle"""
import json
import os
import struct
import time
import unittest

import tool_case
from tool_case import FIXTURE as RANKS, npy

FIXTURE = os.path.join(os.path.dirname(RANKS), "fixture.heddle")


def vector(*values):
    return npy("<f4", f"({len(values)},)", struct.pack(f"<{len(values)}f", *values))


class Run(tool_case.ToolCase):
    verb = "run"
    WHOLE = ("--mesh=x=2", "--input=a=4xf32=1,2,3,4", "--input=b=2xf32=10,20")

    def test_whole_in_and_out(self):
        self.assertEqual(self.good(RANKS, *self.WHOLE),
                         "result 'total': 2xf32=[4 6]\nresult 'sum': 4xf32=[11 22 13 24]\n"
                         "result 'mine' of rank 0: 2xf32=[20 40]\nresult 'mine' of rank 1: 2xf32=[20 40]\n")

    def test_any_number_of_ranks(self):
        for ranks in (1, 3, 8):
            values = ",".join(map(str, range(2 * ranks)))
            total = [sum(range(0, 2 * ranks, 2)), sum(range(1, 2 * ranks, 2))]
            out = self.good(RANKS, f"--mesh=x={ranks}", f"--input={2 * ranks}xf32={values}", "--input=2xf32=0")
            self.assertIn(f"result 'total': 2xf32=[{total[0]} {total[1]}]\n", out)
            self.assertIn(f"result 'sum': {2 * ranks}xf32=[{values.replace(',', ' ')}]\n", out)

    def test_devices(self):
        self.assertIn("[4 6]", self.good(RANKS, *self.WHOLE, "--device=local://0"))
        self.assertIn("[4 6]", self.good(RANKS, *self.WHOLE, "--device=local://0", "--device=local://0?discrete=yes"))
        self.assertIn("[4 6]", self.good(RANKS, *self.WHOLE, "--device=sim"))

    def test_files(self):
        self.write("a.npy", vector(1, 2, 3, 4))
        for rank in (0, 1):
            self.write(f"b.{rank}.npy", vector(10 * rank, 20 * rank))
        self.assertEqual(self.good(RANKS, "--mesh=x=2", "--input=@a.npy", "--input=@b.{rank}.npy", "--output=sum=@s.npy",
                                   "--output=mine=@m.{rank}.npy", "--expected-output=total=2xf32=4,6"),
                         "result 'total': 2xf32 as expected, largest error 0\n")
        self.assertEqual(self.read("s.npy")[-16:], struct.pack("<4f", 1, 2, 13, 24))
        self.assertEqual(self.read("m.0.npy")[-8:], struct.pack("<2f", 0, 0))
        self.assertEqual(self.read("m.1.npy")[-8:], struct.pack("<2f", 20, 40))
        # A rank's own part of a whole, in and out.
        for rank in (0, 1):
            self.write(f"a.{rank}.npy", vector(rank, 5))
        self.good(RANKS, "--mesh=x=2", "--input=@a.{rank}.npy", "--input=2xf32=0", "--output=sum=@s.{rank}.npy")
        self.assertEqual(self.read("s.1.npy")[-8:], struct.pack("<2f", 1, 5))

    def test_rows_of_files(self):
        self.write("a.npy", vector(1, 2, 3, 4))
        self.write("odd.npy", vector(1, 2, 3))
        self.write("cut.npy", vector(1, 2, 3, 4)[:-1])
        self.write("two.npy", npy("<f4", "(2, 2)", bytes(16)))
        self.write("i.npy", npy("<i4", "(4,)", bytes(16)))
        self.assertIn("[11 22 13 24]", self.good(RANKS, "--mesh=x=2", "--input=@a.npy", "--input=2xf32=10,20"))
        for name, status, text in (("odd", 2, "argument 'a': dimension 0 is dealt out along 'x' in 2 parts"),
                                   ("two", 2, "argument 'a': the whole tensor has 1 dimensions, got 2"),
                                   ("cut", 1, "'cut.npy': an array of 4xf32 has 16 bytes, the file has 15"),
                                   ("none", 1, "cannot read 'none.npy'")):
            self.refused(status, text, RANKS, "--mesh=x=2", f"--input=@{name}.npy", "--input=2xf32=0")
        self.assertIn("'a'", self.refused(2, "", RANKS, "--mesh=x=2", "--input=@i.npy", "--input=2xf32=0"))

    def test_what_does_not_fit(self):
        self.refused(2, "argument 'a': dimension 0 is dealt out along 'x' in 4 parts, which do not divide its size 5; give a "
                        "multiple of 4", RANKS, "--mesh=x=4", "--input=5xf32=1", "--input=1xf32=1")
        # Of either rank, whichever comes first.
        self.assertIn("argument 1 'b': dimension 0 'n' is 2 in argument 0 'a', got 1; give equal sizes",
                      self.refused(2, "", RANKS, "--mesh=x=2", "--input=4xf32=1", "--input=1xf32=1"))
        self.refused(2, "argument 'a': the whole tensor has 1 dimensions, got 2", RANKS, "--mesh=x=2", "--input=2x2xf32=1",
                     "--input=1xf32=1")
        self.refused(2, "--output: each of 2 ranks has a result 'mine' of its own, which cannot go to one file; put {rank} "
                        "into its name, as in @y.{rank}.npy", RANKS, *self.WHOLE, "--output=mine=@m.npy")
        self.refused(1, "cannot read 'none.0.npy'", RANKS, "--mesh=x=2", "--input=4xf32=1", "--input=@none.{rank}.npy")
        self.refused(2, "--mesh: the program has no mesh", FIXTURE, "--mesh=x=2", "--input=3xf32=1", "--input=3xf32=1")
        self.refused(2, "--timeout takes seconds, more than 0", RANKS, *self.WHOLE, "--timeout=0")
        for mesh, text in (("", "free"), ("y=2", "'y'"), ("x=0", "x=0"), ("x=-1", "x=-1"), ("x=99999999999999999999", "x="),
                           ("x", "x"), ("x=2,x=3", "x")):
            with self.subTest(mesh):
                flags = [f"--mesh={mesh}"] if mesh else []
                done = self.start(RANKS, *flags, "--input=4xf32=1", "--input=2xf32=1")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(text, done.stderr)

    def test_not_the_same_after_all(self):
        for rank in (0, 1):
            self.write(f"a.{rank}.npy", vector(rank, 5))
        self.refused(1, "result 'y': ranks 0 and 1 have the same part of it by its sharding, and differ", RANKS,
                     "--mesh=x=2", "--function=differs", "--input=@a.{rank}.npy")

    def test_a_rank_fails(self):
        for ranks in (2, 5):
            error = self.refused(1, "rank 1: dispatch 'fixture_refuse': an index is out of range", RANKS, f"--mesh=x={ranks}",
                                 "--function=refuse", f"--input={ranks}xf32=1")
            self.assertEqual(error.count("rank"), 1, error)

    def test_a_rank_hangs(self):
        begin = time.monotonic()
        error = self.refused(1, "", RANKS, "--mesh=x=3", "--function=hang", "--input=3xf32=1", "--timeout=1")
        self.assertLess(time.monotonic() - begin, 8)
        self.assertIn("psum", error)
        self.assertIn("\n  rank 1 does not end, so the process does\n", error)


class Inspect(tool_case.ToolCase):
    verb = "inspect"

    def test_meshes_and_collectives(self):
        out = self.good(RANKS)
        self.assertIn("\nmeshes\n  m: [x = ?] of device_0\ncollectives\n  psum: all_reduce sum f32 over m[x]  (/Psum_1)\n", out)
        self.assertIn("  main(a: [n]xf32 by [x] of m, b: [n]xf32) -> (total: [n]xf32 the same on m, sum: [n]xf32 by [x] of m, "
                      "mine: [n]xf32)\n", out)

    def test_bound(self):
        report = json.loads(self.good(RANKS, "--bound", "--mesh=x=2", "--device=local://0", "--json"))
        self.assertIn("collective", [row["op"] for row in report["host"]])
        self.refused(2, "the axis 'x' of mesh @m is free", RANKS, "--bound")

    def test_json(self):
        report = json.loads(self.good(RANKS, "--json"))
        self.assertEqual(report["meshes"], [{"name": "m", "axes": [{"name": "x", "size": None}], "first": 0,
                                             "device": "device_0"}])
        self.assertEqual(report["collectives"], [{"name": "psum", "kind": "all_reduce", "reduction": "sum", "type": "f32",
                                                  "mesh": "m", "axes": ["x"], "source": "/Psum_1"}])
        main = report["entry_points"][0]
        self.assertEqual([value.get("sharding") for value in main["arguments"] + main["results"]],
                         [{"mesh": "m", "dims": [["x"]]}, None, {"mesh": "m", "dims": [[]]}, {"mesh": "m", "dims": [["x"]]},
                          None])
        host = [(row["name"], row["binding"]) for row in report["host"] if row["op"] in ("collective", "coordinate")]
        self.assertEqual(host, [("psum", "call"), ("", "bind"), ("psum", "call"), ("", "bind"), ("psum", "call")])


class Trace(tool_case.ToolCase):
    verb = "trace"

    def test_ranks_are_lanes(self):
        summary = self.good(RANKS, "--mesh=x=2", "--input=4xf32=1", "--input=2xf32=1", "-o", "t.json", "--svg=t.svg",
                            "--calls=2", "--device=local://0")
        self.assertRegex(summary, r"\n  all_reduce 'psum' +2 among 2 ranks, 16 B of each, .* until all are there\), "
                                  r"\d+\.\d % behind compute\n")
        events = json.loads(self.read("t.json"))["traceEvents"]
        names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.assertEqual(names, {f"rank {rank}: {what}" for rank in (0, 1) for what in ("host", "device_0 = local://0")})
        collectives = [event for event in events if event.get("cat") == "collective" and "psum" in event["name"]]
        self.assertEqual([event["name"] for event in collectives], ["all_reduce 'psum'"] * 4)
        self.assertEqual(len({event["pid"] for event in collectives}), 2)
        self.assertEqual(collectives[0]["args"], {"bytes": 16, "call": 0, "ranks": 2, "first_rank": 0, "sequence": 0,
                                                  "source": "/Psum_1"})
        # No rank leaves one before the last has come; clocks are one.
        for call in (0, 1):
            mine = [event for event in collectives if event["args"]["call"] == call]
            self.assertGreater(min(event["ts"] + event["dur"] for event in mine), max(event["ts"] for event in mine))
        lanes = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
        self.assertLessEqual({(event["pid"], event["tid"]) for event in events if event["ph"] == "X"}, lanes)

    def test_each_rank_has_a_simulated_device(self):
        self.good(RANKS, "--mesh=x=2", "--input=4xf32=1", "--input=2xf32=1", "-o", "t.json", "--device=sim://r{rank}")
        events = json.loads(self.read("t.json"))["traceEvents"]
        names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
        self.assertEqual(names, {f"rank {rank}: {what}" for rank in (0, 1) for what in ("host", f"device_0 = sim://r{rank}")})


class Bench(tool_case.ToolCase):
    verb = "bench"
    FLAGS = (RANKS, "--mesh=x=2", "--input=4xf32=1", "--input=2xf32=1", "--device=local://0")

    def test_report(self):
        report = json.loads(self.good(*self.FLAGS, "--iterations=20", "--json"))
        self.assertEqual([report[key] for key in ("iterations", "ranks", "collectives", "collective_bytes", "dispatches")],
                         [20, 2, 1, 16, 2])
        self.assertEqual([device["name"] for device in report["devices"]], ["rank 0: device_0", "rank 1: device_0"])
        out = self.good(*self.FLAGS, "--min-time=0.05")
        self.assertRegex(out, r"\n2 ranks, times are those of the slowest; 1 collective per call, 16 B given and got by rank 0\n$")

    def test_refused(self):
        self.refused(2, "--in-flight is for programs of one rank, got one of 2", *self.FLAGS, "--in-flight=2")
        self.refused(1, "rank 1: dispatch 'fixture_refuse'", *self.FLAGS[:2], "--function=refuse", "--input=4xf32=1")


if __name__ == "__main__":
    unittest.main()
