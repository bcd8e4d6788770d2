#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the fuzz preset and runs each libFuzzer target for a while, --jobs of them at a time.

  run_fuzzers.py [--jobs N] [--seconds 60] [NAME…]
  run_fuzzers.py --repeatable [NAME…]      a minute's inputs, the same ones each time, from the seeds alone
  run_fuzzers.py --coverage [NAME…]        which lines and branches the corpora reach, without fuzzing
  run_fuzzers.py --sweep                   every small change of every seed of the importers (test/fuzz/sweep.py), two hours or three of a core

What a target learned is kept in build/fuzz/corpus/NAME and is where the next run begins; seeds are made by
test/fuzz/make_seeds.py, those of the artifact and bytecode fuzzers with the compiler of build/release. An input that breaks a target is
written to build/fuzz/findings, what a target says to build/fuzz/NAME.log. The last line is `N passed, N failed`, counting
targets.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD, COVERAGE = ROOT / "build" / "fuzz", ROOT / "build" / "fuzz-coverage"
# Bytes; larger ones slow a fuzzer down.
LIMITS = {"artifact": 200_000, "bytecode": 16_384, "flags": 1024, "importer": 8192, "mlir": 16_384, "settings": 2048, "tensors": 4096, "value": 4096}
# libMLIR is not instrumented: what it shares with us through inline functions must not be poisoned by one side only.
ASAN_OPTIONS = "allocator_may_return_null=1:detect_leaks=1:allow_user_poisoning=0:detect_container_overflow=0"
# In less than a minute each, on two cores.
RUNS = {"artifact": 100_000, "bytecode": 1_500, "flags": 40_000, "importer": 25_000, "mlir": 4_000, "settings": 20_000, "tensors": 30_000, "value": 50_000}
# Of the importer's seeds, for --repeatable: the seventh of every four hundred.
SWEEP_SLICES = {"importer": "7/400", "mlir": "7/60"}
# What reads what a user gives: for `artifact` the verifier, the decoder, and what a load and a call make of the program.
COVERED = {"artifact": [*(f"contract/lib/{name}" for name in ("ArtifactVerifier.cpp", "FunctionVerifier.cpp", "Plan.cpp", "VerifierContext.h")),
                        "runtime/executor/program", "runtime/executor/call",
                        "runtime/executor/load/LoadPlan.cpp", "runtime/executor/load/ParameterStore.cpp"],
           "bytecode": ["compiler/Stages/Import/ReadBytecode.cpp", "compiler/Stages/Import/RunApart.cpp"],
           "flags": ["runtime/base/DeviceUri.cpp", "tools/lib/CommandLine.cpp", "tools/lib/Arguments.cpp"],
           "importer": ["compiler/Stages/Import/Onnx", "compiler/Stages/Import/Emit"], "mlir": ["compiler/Stages/Import/StableHlo", "compiler/Stages/Import/Import.cpp"],
           "settings": ["compiler/Stages/Devices/DeviceFlags.cpp", "compiler/Stages/Devices/PlaceFile.cpp", "compiler/Stages/Import/Annotations/ShardFile.cpp",
                        "compiler/Pipelines/ReadTopology.cpp", "compiler/Pipelines/TuneCache.cpp"],
           "tensors": ["tools/lib/Npy.cpp", "runtime/executor/load/PackCache.cpp"], "value": ["tools/lib/ValueSyntax.cpp"]}


def run(command, **kwargs):
    print("$ " + " ".join(map(str, command)), flush=True)
    return subprocess.run(list(map(str, command)), cwd=ROOT, stdin=subprocess.DEVNULL, **kwargs).returncode


def build(folder, jobs):
    if not (folder / "build.ninja").exists() and run(["cmake", "--preset", folder.name]) != 0:
        return False
    return run(["ninja", "-C", folder, f"-j{jobs}", "fuzzers"]) == 0


def folders(name, corpus="corpus"):
    found = [BUILD / corpus / name, BUILD / "seeds" / name]
    for folder in (*found, BUILD / "findings"):
        folder.mkdir(parents=True, exist_ok=True)
    return found


def fuzz(program, seconds, repeatable):
    name = program.name.removesuffix("_fuzzer")
    shutil.rmtree(BUILD / "repeatable" / name, ignore_errors=True)
    limits = ["-seed=1", f"-runs={RUNS[name]}"] if repeatable else [f"-max_total_time={seconds}"]
    log = BUILD / f"{name}.log"
    with log.open("w") as out:
        status = run([program, *folders(name, "repeatable" if repeatable else "corpus"), *limits, "-timeout=100", "-rss_limit_mb=3000", f"-max_len={LIMITS[name]}",
                      "-reload=0", "-close_fd_mask=3", f"-artifact_prefix={BUILD}/findings/{name}-", "-print_final_stats=1"],
                     env=dict(os.environ, ASAN_OPTIONS=ASAN_OPTIONS), stdout=out, stderr=subprocess.STDOUT)
    lines = log.read_text(errors="replace").splitlines()
    shown = [line for line in lines if " DONE " in line or line.startswith("Done ")] if status == 0 else lines[-60:]
    print("\n".join(f"{name}: {line}" for line in shown), flush=True)
    return status == 0


def sweep(name, part):
    """Part I/N of a target's seeds, each changed in every small way."""
    log, program = BUILD / f"sweep-{name}-{part.replace('/', '-of-')}.log", BUILD / "bin" / f"{name}_fuzzer"
    with log.open("w") as out:
        status = run([sys.executable, "test/fuzz/sweep.py", program, BUILD / "seeds" / name, BUILD / "findings", "--part", part],
                     env=dict(os.environ, ASAN_OPTIONS=ASAN_OPTIONS), stdout=out, stderr=subprocess.STDOUT)
    print("\n".join(f"sweep of {name}: {line}" for line in log.read_text(errors="replace").splitlines()[-1 if status == 0 else -60:]), flush=True)
    return status == 0


def measure(program):
    """Prints llvm-cov's report on the program's corpus."""
    name = program.name.removesuffix("_fuzzer")
    raw, data = COVERAGE / f"{name}.profraw", COVERAGE / f"{name}.profdata"
    done = run([program, *folders(name), "-runs=0"], env=dict(os.environ, LLVM_PROFILE_FILE=str(raw)), stderr=subprocess.DEVNULL)
    objects = [argument for library in sorted((COVERAGE / "lib").glob("*.so")) for argument in ("-object", library)]
    return (done == 0 and run(["llvm-profdata-22", "merge", "-sparse", raw, "-o", data]) == 0
            and run(["llvm-cov-22", "report", program, *objects, f"-instr-profile={data}",
                     *[ROOT / path for path in COVERED[name]]]) == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--repeatable", action="store_true", help="a number of inputs instead of a time, with one seed")
    parser.add_argument("--coverage", action="store_true", help="report the coverage of the corpora")
    parser.add_argument("--sweep", action="store_true", help="every small change of every seed of the importers")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    folder = COVERAGE if options.coverage else BUILD
    passed, failed = 0, []
    if build(folder, options.jobs) and run([sys.executable, "test/fuzz/make_seeds.py", BUILD / "seeds"]) == 0:
        programs = sorted((folder / "bin").glob("*_fuzzer"))
        chosen = [p for p in programs if not options.names or p.name.removesuffix("_fuzzer") in options.names]
        action = measure if options.coverage else lambda program: fuzz(program, options.seconds, options.repeatable)
        parts = lambda name: [f"{i}/{options.jobs}" for i in range(options.jobs)] if options.sweep else [SWEEP_SLICES[name]]
        sweeps = [(f"sweep of {name}", sweep, name, part) for name in SWEEP_SLICES for part in parts(name)
                  if options.sweep or options.repeatable]
        tasks = [(program.name, action, program) for program in ([] if options.sweep else chosen)] + sweeps
        with concurrent.futures.ThreadPoolExecutor(1 if options.coverage else options.jobs) as pool:
            for (name, *_), ok in zip(tasks, pool.map(lambda task: task[1](*task[2:]), tasks)):
                passed += ok
                failed += [] if ok else [name]
    else:
        failed.append("build")
    for name in failed:
        print(f"FAILED {name}")
    print(f"{passed} passed, {len(failed)} failed", flush=True)
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
