#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes each mutant of test/mutants/mutants.py in a copy of the source, builds, and runs its suite until a test fails.

  run_mutants.py [--jobs N] [--first N --count N | --only N…] [--copy build/mutants]      build, run, report (`make mutants`)
  run_mutants.py --check                                                        every mutant still names one place

The copy is a worktree of the last commit with a build of its own (ccache makes it cheap). A mutant that does not compile counts as
caught, by the compiler. The last line is `N of N caught`; survivors are listed: each asks for a test.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "mutants"))
from mutants import MUTANTS, SUITES  # noqa: E402

LIMIT_S = 1200  # of a suite: a mutant that hangs is caught


def check():
    wrong = 0
    for number, mutant in enumerate(MUTANTS):
        found = (ROOT / mutant.path).read_text().count(mutant.old)
        if found != 1:
            wrong += 1
            print(f"mutant {number}: '{mutant.old}' occurs {found} times in {mutant.path}, not once")
    print(f"run_mutants: {len(MUTANTS)} mutants, {wrong} errors")
    return wrong


def commands(mutant):
    """The commands of its suite: graphs, and what an operator's tests are called, filled in."""
    nodes, _, cases = mutant.about.partition("; ")
    for command in SUITES[mutant.suite][1]:
        if command.startswith("graphs "):
            yield (f"python test/differential/differential.py --bin build/release/bin --graphs {command.split()[1]} --batch 8 "
                   "--ways O2 --out build/differential")
        else:
            yield command.format(nodes=nodes, cases=cases)


def targets(suite):
    needs_tools = any(command.startswith(("graphs ", "python")) for command in SUITES[suite][1])
    return {*SUITES[suite][0], *(["heddle_tool_server"] if needs_tools else [])}


class Copy:
    """A worktree with a build."""

    def __init__(self, folder, jobs):
        self.folder, self.jobs = folder, jobs
        self.environment = dict(os.environ, HEDDLE_BIN=str(folder / "build/release/bin"), HEDDLE_GRAPHS="5",
                                CCACHE_BASEDIR=str(folder))

    def run(self, command, limit=None):
        try:
            return subprocess.run(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=limit, check=False).returncode
        except subprocess.TimeoutExpired:
            return 1

    def make(self):
        if not self.folder.exists():
            subprocess.run(["git", "worktree", "add", "-q", "--detach", self.folder], cwd=ROOT, check=True)
            (self.folder / ".venv").symlink_to(ROOT / ".venv")
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run(["git", "checkout", "-q", "--force", "--detach", head], cwd=self.folder, check=True)
        if not (self.folder / "build/release/build.ninja").exists():
            self.run(["cmake", "--preset", "release"])

    def build(self, suite):
        return self.run(["ninja", "-C", "build/release", f"-j{self.jobs}", *sorted(targets(suite))]) == 0

    def first_failure(self, mutant):
        """The command that failed, or None."""
        for command in commands(mutant):
            words = command.split()
            if words[0].startswith("bin/"):
                words[0] = f"build/release/{words[0]}"
            if words[0] == "python":
                words[0] = ".venv/bin/python"
            if self.run(words, LIMIT_S) != 0:
                return command
        return None


def try_mutant(copy, mutant):
    """What caught it, or None."""
    file = copy.folder / mutant.path
    original = file.read_text()
    file.write_text(original.replace(mutant.old, mutant.new))
    try:
        return copy.first_failure(mutant) if copy.build(mutant.suite) else "the compiler"
    finally:
        file.write_text(original)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=len(MUTANTS))
    parser.add_argument("--only", type=int, nargs="+", help="these numbers in place of a range")
    parser.add_argument("--copy", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--check", action="store_true", help="only see that every mutant names one place")
    options = parser.parse_args()
    if options.check or check():
        return check() and 1
    copy = Copy(options.copy.resolve(), options.jobs)
    copy.make()
    numbers = options.only or range(len(MUTANTS))[options.first:options.first + options.count]
    chosen = [(number, MUTANTS[number]) for number in numbers]
    sound = {}
    survivors = []
    for number, mutant in chosen:
        suite = mutant.suite, mutant.about
        if suite not in sound:
            sound[suite] = copy.build(mutant.suite) and not copy.first_failure(mutant)
            if not sound[suite]:
                print(f"the suite '{mutant.suite}' {mutant.about} fails without a mutant", flush=True)
        if not sound[suite]:
            survivors.append(number)
            continue
        start = time.monotonic()
        by = try_mutant(copy, mutant)
        survivors += [] if by else [number]
        print(f"mutant {number} ({mutant.path}: {mutant.new.splitlines()[0]}): {f'caught by {by}' if by else 'SURVIVES'}, "
              f"{time.monotonic() - start:.0f} s", flush=True)
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} caught" + (f"; not: {survivors}" if survivors else ""))
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
