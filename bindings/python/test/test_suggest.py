# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package suggests names by the rule of the tools: the cases of contract/test/MessagesTest.cpp."""
import unittest

from heddle._errors import did_you_mean


class SuggestTest(unittest.TestCase):
    def test_near(self):
        names = ["run", "compile", "--device", "memory", "f32", "x86-64-v3", "a"]
        for word, near in (("rnu", "run"), ("complie", "compile"), ("COMPILE", "compile"), ("--devcie", "--device"), ("memry", "memory"),
                           ("f23", "f32"), ("x86-64-v33", "x86-64-v3"), ("aa", "a")):
            self.assertEqual(did_you_mean(word, names), f"; did you mean '{near}'?", word)
        self.assertEqual(did_you_mean("mry", names), "")

    def test_far(self):
        names = ["run", "compile", "a", "x" * 201]
        for word in ("", "walk", "decompiler-of-all", "b", "x" * 201):
            self.assertEqual(did_you_mean(word, names), "", word)
        self.assertEqual(did_you_mean("run", []), "")

    def test_first_of_equals(self):
        self.assertEqual(did_you_mean("gpu", ["gpv", "gpw"]), "; did you mean 'gpv'?")


if __name__ == "__main__":
    unittest.main()
