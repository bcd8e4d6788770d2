# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle run."""
import os
import struct
import subprocess
import unittest

import tool_case
from tool_case import FIXTURE, npy

INPUTS = ("--input=3xf32=1,2,3", "--input=3xf32=10,20,30")
SUM = "result 'sum': 3xf32=[11 22 33]\n"
SCALED = "result 'scaled': 3xf32=[2 4 6]\n"


class Run(tool_case.ToolCase):
    verb = "run"

    def test_prints_results_in_model_order(self):
        self.assertEqual(self.good(FIXTURE, *INPUTS), SUM + SCALED)

    def test_inputs_by_name(self):
        self.assertEqual(self.good(FIXTURE, "--input=b=3xf32=10,20,30", "--input=a=3xf32=1,2,3"), SUM + SCALED)

    def test_other_sizes_with_one_artifact(self):
        self.assertEqual(self.good(FIXTURE, "--input=1xf32=1", "--input=1xf32=2"),
                         "result 'sum': 1xf32=[3]\nresult 'scaled': 1xf32=[2]\n")

    def test_help(self):
        text = self.good("--help")
        self.assertIn("Usage: heddle run [OPTIONS] MODEL\n", text)
        for flag in ("--device URI", "--input [NAME=]VALUE", "--expected-output", "--dry-run"):
            self.assertIn(flag, text)

    def test_devices(self):
        self.assertEqual(self.good(FIXTURE, "--device=local://0", *INPUTS), SUM + SCALED)
        self.assertTrue(self.good(FIXTURE, "--dry-run", "--device=local://0", "--device=null").endswith("\nnot used: null\n"))
        plan = self.good(FIXTURE, "--dry-run", "--device=local://0")
        self.assertNotIn("not used", plan)
        self.assertIn("device_0", plan)
        self.assertIn("local://0", plan)

    def test_names_of_devices_and_threads(self):
        self.assertEqual(self.good(FIXTURE, "--device=cpu", "--threads=3", *INPUTS), SUM + SCALED)
        self.assertIn("device_0 = local?threads=3", self.good(FIXTURE, "--dry-run", "--threads=3"))
        self.assertIn("device_0 = local?threads=2", self.good(FIXTURE, "--dry-run", "--device=cpu?threads=2", "--threads=3"))
        self.assertIn("device_0 = local://0?threads=3", self.good(FIXTURE, "--dry-run", "--device=local://0", "--threads=3"))
        self.refused(2, "--threads takes a number from 1 to 1024, got 0", FIXTURE, "--threads=0", *INPUTS)
        self.refused(2, "--threads takes a number from 1 to 1024, got 2000", FIXTURE, "--dry-run", "--threads=2000")
        failed = self.start(FIXTURE, "--device=cpux", *INPUTS)
        self.assertIn("the drivers are cuda, vulkan, local, sim, null (cpu is local, gpu is cuda or vulkan), got 'cpux'; did you mean 'cpu'?",
                      failed.stderr)

    def test_lost_device(self):
        devices = ["--device=null?lose=1", "--device=local://0"]
        lost = self.start(FIXTURE, *devices, *INPUTS)
        self.assertEqual((lost.returncode, lost.stdout), (1, ""), lost)
        self.assertIn("the device 'null?lose=1' was lost", lost.stderr)
        done = self.start(FIXTURE, *devices, *INPUTS, "--on-device-lost=fallback")
        self.assertEqual((done.returncode, done.stdout), (0, SUM + SCALED), done)
        self.assertEqual(done.stderr, "heddle run: warning: the device null?lose=1 was lost; the program was loaded "
                                      "anew without it\n")
        self.refused(2, "--on-device-lost takes fail or fallback, got 'never'", FIXTURE, *INPUTS,
                     "--on-device-lost=never")

    def test_machine_code_is_refused_on_request(self):
        why = ("machine code is not allowed, got executable 'vector' with a variant of format 'elf-x86_64'; allow it only "
               "for an artifact of someone you trust, or compile the model yourself")
        self.refused(1, why, FIXTURE, *INPUTS, "--allow-native=never")
        self.refused(1, why, FIXTURE, "--dry-run", "--allow-native=never")
        self.assertEqual(self.good(FIXTURE, *INPUTS, "--allow-native=always"), SUM + SCALED)
        self.refused(2, "--allow-native takes always or never, got 'no'", FIXTURE, *INPUTS, "--allow-native=no")

    def test_entry_point_by_name(self):
        self.assertEqual(self.good(FIXTURE, "--function=copy16", "--input=2xbf16=1,-0.5"),
                         "result 'y': 2xbf16=[1 -0.5]\n")
        self.assertEqual(self.good(FIXTURE, "--function=nothing"), "")

    def test_files(self):
        self.write("a.npy", npy("<f4", "(3,)", struct.pack("<3f", 1, 2, 3)))
        self.write("b.bin", struct.pack("<3f", 10, 20, 30))
        self.write("out.npy", b"old")
        self.assertEqual(self.good(FIXTURE, "--input=@a.npy", "--input=3xf32=@b.bin", "--output=@out.npy"), SCALED)
        self.assertEqual(self.read("out.npy")[-12:], struct.pack("<3f", 11, 22, 33))
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.bin", "out.npy"])
        self.assertEqual(self.good(FIXTURE, *INPUTS, "--expected-output=@out.npy", "--output=scaled=@s.npy"),
                         "result 'sum': 3xf32 as expected, largest error 0\n")
        self.assertEqual(self.read("s.npy")[-12:], struct.pack("<3f", 2, 4, 6))

    def test_type_that_numpy_lacks(self):
        self.write("x.npy", npy("<u2", "(2,)", struct.pack("<2H", 0x3f80, 0xbf00)))
        self.assertEqual(self.good(FIXTURE, "--function=copy16", "--input=@x.npy", "--expected-output=2xbf16=1,-0.5"),
                         "result 'y': 2xbf16 as expected, largest error 0\n")
        self.good(FIXTURE, "--function=copy16", "--input=@x.npy", "--output=@y.npy")
        self.assertIn(b"'<u2'", self.read("y.npy"))

    def test_differences(self):
        done = self.start(FIXTURE, *INPUTS, "--expected-output=sum=3xf32=11,22,34")
        self.assertEqual((done.returncode, done.stdout), (1, SCALED))
        self.assertEqual(done.stderr, "heddle run: result 'sum' is not as expected: 1 of 3 elements differ; first at "
                                      "[2]: got 33, expected 34; worst at [2]: got 33, expected 34 (error 1, allowed "
                                      "1e-05 + 0.0001 × |expected|)\n")
        self.assertEqual(self.start(FIXTURE, *INPUTS, "--expected-output=3xf32=11,22,34", "--atol=1").returncode, 0)
        self.assertEqual(self.start(FIXTURE, *INPUTS, "--expected-output=3xf32=11,22,34", "--rtol=0.1").returncode, 0)
        self.assertEqual(self.start(FIXTURE, *INPUTS, "--expected-output=3xf32=11,22,34", "--rtol=0.01").returncode, 1)
        done = self.start(FIXTURE, *INPUTS, "--expected-output=1x3xf32=11,22,33")
        self.assertEqual(done.returncode, 1)
        self.assertIn("got 3xf32, expected 1x3xf32", done.stderr)

    def test_wrong_inputs(self):
        what = "\n    a: [n]xf32\n    b: [n]xf32\n"
        self.assertIn(what, self.refused(2, "--input: 'main' takes 2 inputs, got 1; 'b' is missing", FIXTURE,
                                         INPUTS[0]))
        self.refused(2, "--input: the model has 2 inputs, got 3", FIXTURE, *INPUTS, INPUTS[0])
        self.refused(2, "--input: the model has no input 'aa'; did you mean 'a'?", FIXTURE, "--input=aa=f32=1")
        self.refused(2, "value '3xf32=1,x,3': 'x' is not a value of type f32", FIXTURE, "--input=3xf32=1,x,3", INPUTS[1])
        self.refused(1, "cannot read 'none.npy': No such file or directory", FIXTURE, "--input=@none.npy", INPUTS[1])
        self.assertIn("'b'", self.refused(2, "", FIXTURE, INPUTS[0], "--input=3xi32=1"))   # the type
        self.assertIn("'b'", self.refused(2, "", FIXTURE, INPUTS[0], "--input=4xf32=1"))   # [n] is 3 and 4
        self.assertIn("'a'", self.refused(2, "", FIXTURE, "--input=1x3xf32=1", INPUTS[1])) # the rank

    def test_wrong_outputs(self):
        self.refused(1, "cannot write 'none/x.npy': No such file or directory", FIXTURE, *INPUTS, "--output=@a.npy",
                     "--output=@none/x.npy")
        self.assertEqual(os.listdir(self.folder), [])
        self.refused(1, "cannot write 'none/x.npy'", FIXTURE, "--function=refuse", "--input=3xf32=1",
                     "--output=@none/x.npy")  # found before the call, which would fail too
        self.refused(2, "--output: the model has no result 'smu'; did you mean 'sum'?", FIXTURE, *INPUTS,
                     "--output=smu=@x.npy")
        self.refused(2, "--output takes @FILE.npy or NAME=@FILE.npy, got 'x.npy'", FIXTURE, *INPUTS, "--output=x.npy")

    def test_wrong_flags(self):
        self.refused(2, "unknown flag '--inptu'; did you mean '--input'?", FIXTURE, "--inptu=f32=1")
        self.refused(2, "MODEL is missing", "--input=f32=1")
        self.refused(2, "--function: the artifact has no entry point 'mian'; did you mean 'main'?", FIXTURE,
                     "--function=mian")
        self.refused(2, "--atol takes a finite number that is not negative", FIXTURE, "--atol=-1")
        self.refused(2, "--rtol takes a number, got 'x'", FIXTURE, "--rtol=x")
        self.assertNotEqual(self.start(FIXTURE, "--device=lcoal", *INPUTS).returncode, 0)
        self.assertIn("local", self.start(FIXTURE, "--device=lcoal", *INPUTS).stderr)

    def test_wrong_artifacts(self):
        self.assertIn("none.heddle", self.refused(1, "", "none.heddle"))
        self.assertIn("x.heddle", self.refused(1, "", self.write("x.heddle", b"not an artifact")))

    def test_kernel_that_refuses(self):
        error = self.refused(1, "", FIXTURE, "--function=refuse", "--input=3xf32=1")
        self.assertIn("fixture_refuse", error)

    def test_output_that_takes_no_more(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([os.path.join(tool_case.BIN, "heddle-run"), FIXTURE, *INPUTS], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (1, "heddle run: cannot write to standard output\n"))

    def test_no_llvm(self):
        libraries = subprocess.run(["ldd", os.path.join(tool_case.BIN, "heddle-run")], capture_output=True, text=True)
        self.assertIn("libheddle_runtime", libraries.stdout)
        self.assertNotRegex(libraries.stdout, "LLVM|MLIR")


if __name__ == "__main__":
    unittest.main()
