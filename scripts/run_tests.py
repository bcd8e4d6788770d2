#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds Heddle and runs its checks and tests; what `make test` and `.ci/run` call, after scripts/setup.sh.

  run_tests.py [--jobs N] [--only STEP]…

Steps, in order: checks (source tree: include order, names, sizes, formatting; the scripts' own tests), release (build,
every test), asan (runtime and tools under AddressSanitizer and UBSan), fuzz (each libFuzzer target for about a
minute, the same inputs each time). Asked for only: `--only tsan` (the tests of asan under ThreadSanitizer).
A step that fails does not keep the later ones from running. The last line is `N passed, N failed`, counting single
tests; exit status 0 only when nothing failed.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHECKS = ["check_license.py", "check_includes.py", "check_passes.py", "check_numbers.py", "check_isa.py", "check_sizes.py", "check_budgets.py",
          "check_format.py", "make_pass_reference.py --check", "make_operator_table.py --check", "make_onnx_schemas.py --check", "make_python_api.py --check", "check_prose.py",
          "check_pages.py", "run_mutants.py --check"]
DEFAULT_STEPS = ["checks", "release", "asan", "fuzz"]
STEPS = DEFAULT_STEPS + ["tsan"]


class Count:
    """Passed and failed tests, and the names of the failed ones."""

    def __init__(self):
        self.passed = 0
        self.skipped = 0
        self.failed = []

    def record(self, name, ok):
        if ok:
            self.passed += 1
        else:
            self.failed.append(name)


def run(command, **kwargs):
    print("$ " + " ".join(map(str, command)), flush=True)
    return subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, **kwargs).returncode


def count_file(path, count):
    """Adds the test cases of one JUnit file; returns whether one of them failed."""
    failed = False
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except ElementTree.ParseError as error:
        count.record(f"{path}: unreadable results: {error}", False)
        return True
    for case in cases:
        name = f"{path.stem}: {case.get('classname', '')}.{case.get('name', '')}"
        if case.find("failure") is not None or case.find("error") is not None:
            failed = True
            count.record(name, False)
        elif case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.record(name, True)
    return failed


def count_results(results, count):
    """Counts what ctest ran: single cases where a program wrote its own file, else the program as one test."""
    summary = results / "ctest.xml"
    if not summary.exists():
        count.record(f"{results}: ctest wrote no results", False)
        return
    programs = list(ElementTree.parse(summary).getroot().iter("testcase"))
    if not programs:
        count.record(f"{results}: ctest found no tests", False)
    for program in programs:
        name, failed = program.get("name"), program.get("status") != "run"
        if program.get("status") == "disabled":
            count.skipped += 1
            continue
        detail = results / f"{name}.xml"
        if not detail.exists():
            count.record(name, not failed)
        elif not count_file(detail, count) and failed:
            count.record(f"{name}: failed outside its test cases", False)


def slowest_units(build, limit=15):
    """Prints the slowest commands of the last build, from ninja's log."""
    log = build / ".ninja_log"
    if not log.exists():
        return
    seconds = {}
    for line in log.read_text().splitlines()[1:]:
        fields = line.split("\t")
        if len(fields) == 5:
            seconds[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    slowest = sorted(((s, output) for output, s in seconds.items()), reverse=True)[:limit]
    print(f"slowest of {len(seconds)} build steps in {build.relative_to(ROOT)}:")
    for spent, output in slowest:
        print(f"  {spent:7.1f} s  {output}")


def checks(count, jobs):
    for script in CHECKS:
        count.record(script, run([sys.executable, *f"scripts/{script}".split()]) == 0)
    results = ROOT / "build" / "results"
    shutil.rmtree(results, ignore_errors=True)
    detail = results / "scripts.xml"
    status = run([sys.executable, "test/run_unittests.py", "scripts/test", "--xml", detail])
    if not detail.exists():
        count.record("scripts/test", False)
    elif not count_file(detail, count) and status != 0:
        count.record("scripts/test: failed outside its test cases", False)


def preset(name, count, jobs):
    build = ROOT / "build" / name
    if not (build / "build.ninja").exists() and run(["cmake", "--preset", name]) != 0:
        count.record(f"configure {name}", False)
        return
    if run(["ninja", "-C", build, f"-j{jobs}", "-k0"]) != 0:
        count.record(f"build {name}", False)
        return
    slowest_units(build)
    results = build / "results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    run(["ctest", "--test-dir", build, f"-j{jobs}", "--output-on-failure", "--no-tests=error",
         "--output-junit", results / "ctest.xml"])
    count_results(results, count)


def fuzz(count, jobs):
    status = run([sys.executable, "scripts/run_fuzzers.py", "--jobs", jobs, "--repeatable"])
    count.record("fuzz: a target failed, see build/fuzz/*.log", status == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append", choices=STEPS, help="run only this step (may be repeated)")
    options = parser.parse_args()

    count = Count()
    for step in options.only or DEFAULT_STEPS:
        start = time.monotonic()
        print(f"=== {step}", flush=True)
        if step == "checks":
            checks(count, options.jobs)
        elif step == "fuzz":
            fuzz(count, options.jobs)
        else:
            preset(step, count, options.jobs)
        print(f"=== {step}: {time.monotonic() - start:.0f} s", flush=True)
    for name in count.failed:
        print(f"FAILED {name}")
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    print(f"{count.passed} passed, {len(count.failed)} failed{skipped}", flush=True)
    return 1 if count.failed or count.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
