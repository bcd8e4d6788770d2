# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`heddle VERB`: which program starts, and what a wrong verb says. usage: dispatcher_test.py BIN"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = sys.argv.pop(1)


class Dispatcher(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.heddle = os.path.join(self.folder, "heddle")
        shutil.copy(os.path.join(BIN, "heddle"), self.heddle)
        self.program("run", '#!/bin/sh\necho "$(basename "$0")" "$#" "$@"\nexit 7\n')

    def tearDown(self):
        shutil.rmtree(self.folder)

    def program(self, verb, text, mode=0o755):
        path = os.path.join(self.folder, "heddle-" + verb)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)

    def heddle_says(self, *arguments):
        done = subprocess.run([self.heddle, *arguments], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_starts_the_program_beside_it(self):
        self.assertEqual(self.heddle_says("run", "a b", "--x=1"), (7, "heddle-run 2 a b --x=1\n", ""))

    def test_found_through_a_link(self):
        with tempfile.TemporaryDirectory() as other:
            link = os.path.join(other, "h")
            os.symlink(self.heddle, link)
            done = subprocess.run([link, "run"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (7, "heddle-run 0\n"))

    def test_help_of_a_verb(self):
        self.assertEqual(self.heddle_says("help", "run")[:2], (7, "heddle-run 1 --help\n"))

    def test_help(self):
        status, out, err = self.heddle_says("--help")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("  run       run a model or an artifact, print or compare its results\n", out)
        self.assertIn("  bench     measure the latency and throughput of a model or an artifact (not in this build)\n", out)

    def test_version(self):
        status, out, err = self.heddle_says("--version")
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"^heddle \d+\.\d+\.\d+( \((commit [0-9a-f]{12}(, )?)?(LLVM 22\.\d+\.\d+)?\))?\n$")

    def refused(self, arguments, status, message):
        got_status, out, err = self.heddle_says(*arguments)
        self.assertEqual((got_status, out), (status, ""))
        self.assertEqual(err.split("\n")[0], "heddle: " + message)

    def test_wrong_usage(self):
        self.refused(["rnu"], 2, "unknown verb 'rnu'; did you mean 'run'?")
        self.refused(["frobnicate"], 2, "unknown verb 'frobnicate'; the verbs are 'compile', 'run', 'launch', 'bench', "
                                        "'compare', 'check', 'reduce', 'inspect', 'cache', 'devices', 'explain', 'trace'")
        self.refused(["../heddle-run"], 2, "unknown verb '../heddle-run'; the verbs are 'compile', 'run', 'launch', "
                                           "'bench', 'compare', 'check', 'reduce', 'inspect', 'cache', 'devices', 'explain', 'trace'")
        self.refused([], 2, "a verb is missing: heddle VERB …")
        self.refused([""], 2, "a verb is missing: heddle VERB …")
        self.refused(["--device=local"], 2, "unknown flag '--device=local'; flags follow the verb")

    def test_not_built(self):
        self.refused(["bench"], 1, f"'bench' is not part of this build: there is no '{self.folder}/heddle-bench'; "
                                   "build it (compile and check need -DHEDDLE_COMPILER=ON)")

    def test_not_executable(self):
        self.program("bench", "#!/bin/sh\n", mode=0o644)
        self.refused(["bench"], 1, f"cannot start '{self.folder}/heddle-bench': Permission denied")


if __name__ == "__main__":
    unittest.main()
