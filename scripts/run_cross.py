#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the runtime for AArch64 and RISC-V and tests it, and the code that build/release makes for them, by qemu-user.

  run_cross.py [--jobs N] [--every N]      --every: of the small models each Nth only

Needs scripts/setup.sh --cross and build/release. The last line is `N passed, N failed`, counting programs.
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ["runtime_base_test", "contract_test", "drivers_test", "executor_test"]
TARGETS = [*TESTS, "heddle-run", "heddle-devices"]


def run(command, **kwargs):
    print("$ " + " ".join(map(str, command)), flush=True)
    return subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, **kwargs).returncode == 0


def test_runtime(architecture, jobs):
    build = ROOT / "build" / architecture
    return (((build / "build.ninja").exists() or run(["cmake", "--preset", architecture]))
            and run(["ninja", "-C", build, f"-j{jobs}", *TARGETS])
            and run(["ctest", "--test-dir", build, f"-j{jobs}", "--output-on-failure", "--no-tests=error", "-R", f"^({'|'.join(TESTS)})$"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    results = {f"runtime on {architecture}": test_runtime(architecture, options.jobs) for architecture in ("aarch64", "riscv64")}
    environment = dict(os.environ, HEDDLE_BIN=str(ROOT / "build" / "release" / "bin"), HEDDLE_CROSS_EVERY=str(options.every))
    results["compiled code"] = run([sys.executable, "test/run_unittests.py", "test/cross", "--xml", "build/results/cross.xml"], env=environment)
    failed = [name for name, ok in results.items() if not ok]
    for name in failed:
        print(f"FAILED {name}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
