#!/usr/bin/env python3
"""Builds the fuzz preset and runs each libFuzzer target for a while.

  run_fuzzers.py [--jobs N] [--seconds 60] [NAME…]

What a target learned is kept in build/fuzz/corpus/NAME and is where the next run begins; seeds are the artifacts of the
end-to-end tests and of the unit tests, if they have run. An input that breaks a target is written to
build/fuzz/findings. The last line is `N passed, N failed`, counting targets.
"""
import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "fuzz"
SEED_LIMIT = 1 << 20  # bytes; larger ones slow the fuzzer down


def run(command, **kwargs):
    print("$ " + " ".join(map(str, command)), flush=True)
    return subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, **kwargs).returncode


def build(jobs):
    if not (BUILD / "build.ninja").exists() and run(["cmake", "--preset", "fuzz"]) != 0:
        return False
    return run(["ninja", "-C", BUILD, f"-j{jobs}", "fuzzers"]) == 0


def seeds():
    """Small artifacts that other builds made."""
    found = list((ROOT / "build").glob("*/e2e/*.heddle")) + list((ROOT / "build").glob("*/tools/test/*.heddle"))
    return [path for path in found if path.stat().st_size <= SEED_LIMIT]


def fuzz(program, seconds):
    name = program.name.removesuffix("_fuzzer")
    corpus, seed_folder, findings = BUILD / "corpus" / name, BUILD / "seeds" / name, BUILD / "findings"
    for folder in (corpus, seed_folder, findings):
        folder.mkdir(parents=True, exist_ok=True)
    if name == "artifact":
        for number, path in enumerate(seeds()):
            (seed_folder / f"{number}.heddle").write_bytes(path.read_bytes())
    environment = dict(os.environ, ASAN_OPTIONS="allocator_may_return_null=1:detect_leaks=1")
    return run([program, corpus, seed_folder, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=4096", f"-max_len={SEED_LIMIT}",
                f"-artifact_prefix={findings}/{name}-", "-print_final_stats=1"], env=environment) == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    passed, failed = 0, []
    if build(options.jobs):
        programs = sorted((BUILD / "bin").glob("*_fuzzer"))
        chosen = [p for p in programs if not options.names or p.name.removesuffix("_fuzzer") in options.names]
        for program in chosen:
            if fuzz(program, options.seconds):
                passed += 1
            else:
                failed.append(program.name)
    else:
        failed.append("build")
    for name in failed:
        print(f"FAILED {name}")
    print(f"{passed} passed, {len(failed)} failed", flush=True)
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
