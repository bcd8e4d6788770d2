# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ten wrong uses at each of three doors — inputs, flags, output paths: a clear message, status 1 or 2, nothing printed."""
import os
import pathlib
import unittest

import numpy
import support
from support import artifact, model

OK_A, OK_B = "--input=a=3xf32=1,2,3", "--input=b=3xi64=1,2,3"


class InputsTest(support.EndToEnd):
    """heddle run on a: [n]xf32, b: [n]xi64."""

    def refused(self, status, text, *inputs):
        self.assert_fails(status, text, "run", artifact("two"), *inputs)

    def test_missing(self):
        self.refused(2, "'b' is missing", OK_A)

    def test_too_many(self):
        self.refused(2, "has 2 inputs, got 3", "--input=3xf32=1", "--input=3xi64=1", "--input=f32=1")

    def test_unknown_name(self):
        self.refused(2, "no input 'aa'; did you mean 'a'?", "--input=aa=3xf32=1,2,3", OK_B)

    def test_given_twice(self):
        self.refused(2, "input 'a' is given twice", OK_A, OK_A)

    def test_not_a_number(self):
        self.refused(2, "'x' is not a value of type f32", "--input=a=3xf32=1,x,3", OK_B)

    def test_wrong_count(self):
        self.refused(2, "3xf32 has 3", "--input=a=3xf32=1,2", OK_B)

    def test_wrong_type(self):
        self.refused(2, "'b'", OK_A, "--input=b=3xi32=1,2,3")

    def test_wrong_rank(self):
        self.refused(2, "'a'", "--input=a=1x3xf32=1,2,3", OK_B)

    def test_unequal_sizes_of_one_dimension(self):
        self.refused(2, "'b'", OK_A, "--input=b=4xi64=1")

    def test_huge_dimension(self):
        self.refused(1, "4611686018427387904xf32 needs more memory", "--input=a=4611686018427387904xf32=1", OK_B)

    def test_absent_file(self):
        self.refused(1, "No such file", f"--input=a=@{self.folder}/none.npy", OK_B)

    def test_cut_off_file(self):
        path = self.folder / "cut.npy"
        self.save("cut", numpy.ones(3, numpy.float32))
        path.write_bytes(path.read_bytes()[:-3])
        self.refused(1, "cut.npy", f"--input=a=@{path}", OK_B)

    def test_python_objects_in_a_file(self):
        numpy.save(self.folder / "objects.npy", numpy.array([{}, 1], object), allow_pickle=True)
        self.refused(1, "objects.npy", f"--input=a=@{self.folder}/objects.npy", OK_B)

    def test_raw_file_of_another_size(self):
        (self.folder / "raw.bin").write_bytes(b"12345")
        self.refused(1, "raw.bin", f"--input=a=3xf32=@{self.folder}/raw.bin", OK_B)

    def test_folder_as_a_file(self):
        self.refused(1, "not a regular file", f"--input=a=@{self.folder}", OK_B)


class FlagsTest(support.EndToEnd):
    def run_refused(self, status, text, *flags):
        self.assert_fails(status, text, "run", artifact("two"), OK_A, OK_B, *flags)

    def compile_refused(self, status, text, *flags):
        self.assert_fails(status, text, "compile", model("two"), "-o", self.folder / "x.heddle", *flags)
        self.assertFalse((self.folder / "x.heddle").exists())

    def test_unknown_verb(self):
        self.assert_fails(2, "did you mean 'compile'", "complie", model("two"))

    def test_no_verb(self):
        self.assert_fails(2, "VERB")

    def test_unknown_flag(self):
        self.run_refused(2, "did you mean '--device'", "--devcie=local")

    def test_unknown_flag_of_the_compiler(self):
        self.compile_refused(2, "--target-devcie", "--target-devcie=local")

    def test_unknown_device(self):
        self.run_refused(1, "lcoal", "--device=lcoal")

    def test_absent_cores(self):
        self.run_refused(2, "got '0-4095'", "--device=local://0-4095")

    def test_unknown_stage(self):
        self.compile_refused(2, "unknown stage 'simplfy'", "--compile-to=simplfy")

    def test_unknown_data_tiling(self):
        self.compile_refused(2, "--data-tiling: unknown value 'onn'; known: 'on', 'off'; did you mean 'on'?", "--data-tiling=onn")

    def test_unknown_strategy(self):
        self.compile_refused(2, "did you mean 'early-data-tiling'?", "--strategy=early-data-tilling")

    def test_early_and_late_data_tiling(self):
        self.compile_refused(2, "give one of the two", "--data-tiling=on", "--strategy=early-data-tiling")

    def test_early_data_tiling_for_two_processors(self):
        self.compile_refused(1, "one executable target, got 2", "--strategy=early-data-tiling", "--target-cpu=x86-64-v3,x86-64-v2")

    def test_unknown_pass(self):
        self.compile_refused(2, "no pass 'form-regoins'", "--disable-pass=form-regoins")

    def test_unknown_entry_point(self):
        self.run_refused(2, "no entry point 'mian'", "--function=mian")

    def test_negative_tolerance(self):
        self.run_refused(2, "--atol", "--atol=-1", "--expected-output=sum=3xf32=2,4,6")

    def test_unknown_processor(self):
        self.compile_refused(2, "unknown target CPU 'pentium-9'; did you mean", "--target-cpu=pentium-9")

    def test_unknown_target_device(self):
        self.compile_refused(2, "unknown target device 'cdua'; known: local", "--target-device=cdua")

    def test_iterations(self):
        self.assert_fails(2, "--iterations", "bench", artifact("two"), OK_A, OK_B, "--iterations=0")

    def test_no_model(self):
        self.assert_fails(2, "MODEL", "compile", "-o", self.folder / "x.heddle")

    def test_no_artifact(self):
        self.assert_fails(2, "MODEL is missing", "run")


class OutputPathsTest(support.EndToEnd):
    """Where the results of run, and the artifact and reports of compile go."""

    def run_refused(self, status, text, *outputs):
        self.assert_fails(status, text, "run", artifact("two"), OK_A, OK_B, *outputs)

    def compile_refused(self, text, output, *flags):
        self.assert_fails(1, text, "compile", model("two"), "-o", output, *flags)

    def test_no_such_folder(self):
        self.run_refused(1, "No such file or directory", f"--output=sum=@{self.folder}/none/x.npy")

    def test_folder(self):
        (self.folder / "x.npy").mkdir()
        self.run_refused(1, "cannot write", f"--output=sum=@{self.folder}/x.npy", f"--output=less=@{self.folder}/less.npy")
        self.assertEqual(["x.npy"], os.listdir(self.folder))

    def test_no_name(self):
        self.run_refused(2, "--output takes @FILE.npy", "--output=@")

    def test_not_a_file_value(self):
        self.run_refused(2, "--output takes @FILE.npy", f"--output={self.folder}/x.npy")

    def test_unknown_result(self):
        self.run_refused(2, "did you mean 'sum'?", f"--output=smu=@{self.folder}/x.npy")

    def test_two_results_in_one_file(self):
        self.run_refused(2, "cannot go to one file", f"--output=sum=@{self.folder}/x.npy", f"--output=less=@{self.folder}/x.npy")

    def test_full_disk(self):
        (self.folder / "x.npy").symlink_to("/dev/full")
        self.run_refused(1, "x.npy", f"--output=sum=@{self.folder}/x.npy", f"--output=less=@{self.folder}/less.npy")
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())

    def test_failed_run_leaves_no_file(self):
        self.assert_fails(2, "'b'", "run", artifact("two"), OK_A, "--input=b=4xi64=1", f"--output=sum=@{self.folder}/x.npy")
        self.assertEqual([], os.listdir(self.folder))

    def test_artifact_in_no_such_folder(self):
        self.compile_refused("No such file or directory", self.folder / "none" / "x.heddle")

    def test_artifact_is_a_folder(self):
        self.compile_refused(str(self.folder), self.folder)

    def test_artifact_is_no_regular_file(self):
        self.compile_refused("regular file", pathlib.Path("/dev/full"))
        self.assertTrue(pathlib.Path("/dev/full").is_char_device())

    def test_report_in_no_such_folder(self):
        self.compile_refused("No such file or directory", self.folder / "x.heddle", f"--stats={self.folder}/none/s.json")


if __name__ == "__main__":
    unittest.main()
