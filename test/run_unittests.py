#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the unittest modules test_*.py of a folder, or one of them, and writes what happened as JUnit XML.

  run_unittests.py FOLDER|FOLDER/test_NAME.py [--xml OUT.xml] [-k PATTERN] [--failfast]

Exit status: 0 when all passed and there was at least one test, 1 otherwise.
"""
import argparse
import os
import sys
import time
import unittest
import xml.etree.ElementTree as ElementTree


class RecordingResult(unittest.TextTestResult):
    """A text result that also keeps one record for each test, and one for each failed subtest."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.records = []
        self._started = 0.0

    def startTest(self, test):
        super().startTest(test)
        self._started = time.monotonic()

    def _record(self, test, outcome, text=""):
        self.records.append((test.id(), outcome, text, time.monotonic() - self._started))

    def addSuccess(self, test):
        super().addSuccess(test)
        self._record(test, "passed")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._record(test, "failure", self._exc_info_to_string(err, test))

    def addError(self, test, err):
        super().addError(test, err)
        self._record(test, "error", self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._record(test, "skipped", reason)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._record(subtest, "failure", self._exc_info_to_string(err, test))

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self._record(test, "failure", "unexpected success")


def write_xml(path, name, records):
    bad = [r for r in records if r[1] in ("failure", "error")]
    skipped = [r for r in records if r[1] == "skipped"]
    suite = ElementTree.Element(
        "testsuite", name=name, tests=str(len(records)), failures=str(len(bad)), skipped=str(len(skipped))
    )
    for test, outcome, text, seconds in records:
        case = ElementTree.SubElement(suite, "testcase", name=test, classname=name, time=f"{seconds:.3f}")
        if outcome != "passed":
            ElementTree.SubElement(case, outcome).text = text
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    ElementTree.ElementTree(suite).write(path, encoding="unicode")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--xml")
    parser.add_argument("-k", dest="pattern", help="only tests whose id contains this (or matches it, with *)")
    parser.add_argument("--failfast", action="store_true", help="stop at the first failure")
    options = parser.parse_args()

    folder, modules = os.path.abspath(options.folder), "test_*.py"
    if os.path.isfile(folder):
        folder, modules = os.path.split(folder)
    loader = unittest.TestLoader()
    if options.pattern:
        pattern = options.pattern if "*" in options.pattern else f"*{options.pattern}*"
        loader.testNamePatterns = [pattern]
    suite = loader.discover(folder, pattern=modules, top_level_dir=folder)
    result = unittest.TextTestRunner(resultclass=RecordingResult, verbosity=2, stream=sys.stderr, failfast=options.failfast).run(suite)
    if options.xml:
        write_xml(options.xml, os.path.basename(folder), result.records)
    if not result.records:
        print(f"run_unittests: no test in {folder}", file=sys.stderr)
        return 1
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
