# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The engines of benchmarks/run.py, one interface: prepare a case, then measure for a while, as often as asked.

    engine = Heddle(bin_folder, case, path, threads)   # compiles, once for all thread counts
    engine.median_us(0.3)
    engine.facts        # compile_cpu_s, compile_rss_mib, artifact_mib, load_ms, first_call_ms, peak_rss_mib: what is known

An engine that cannot do a case raises Unsupported with the reason.
"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import time

import numpy

from cases import file_name

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench"
PEERS = ROOT / "build" / "peers" / "bin"


class Unsupported(RuntimeError):
    pass


def resident_mib(pid):
    """The most memory the process has held since it was loaded (a child's ru_maxrss begins with its parent's); 0 at its end."""
    try:
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = re.search(r"VmHWM:\s*(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else 0.0


def run_measured(command, timeout):
    """Runs a command to its end; returns (CPU seconds, peak memory in MiB, looked at every 5 ms). Unsupported when it fails."""
    with open(WORK / "stderr.txt", "w+") as errors:
        process = subprocess.Popen([str(x) for x in command], stdout=subprocess.DEVNULL, stderr=errors)
        end, peak = time.monotonic() + timeout, 0.0
        while True:
            peak = max(peak, resident_mib(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                process.kill()
                os.wait4(process.pid, 0)
                raise Unsupported(f"{pathlib.Path(command[0]).name} took more than {timeout} s")
            time.sleep(0.005)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            text = [line for line in errors.read().splitlines() if line.strip()]
            reason = next((line for line in text if "error" in line.lower()), text[-1] if text else "no message")
            raise Unsupported(f"{pathlib.Path(command[0]).name}: {reason.replace(f'{WORK}/', '')[:200]}")
    return usage.ru_utime + usage.ru_stime, peak


def save_feed(case):
    """[--input=NAME=@FILE] of `heddle bench`."""
    arguments = []
    for i, (key, value) in enumerate(case.feed.items()):
        path = WORK / f"{file_name(case.name)}.{i}.npy"
        numpy.save(path, value)
        arguments.append((key, path))
    return arguments


class Heddle:
    name = "Heddle"

    def __init__(self, bin_folder, case, path, threads, precision="f32"):
        artifact = path.with_suffix(f".{precision}.heddle")
        stats = path.with_suffix(f".{precision}.stats.json")
        cpu, _ = run_measured([bin_folder / "heddle-compile", path, "-o", artifact, f"--stats={stats}", f"--precision={precision}"], 600)
        self.stats = json.loads(stats.read_text())
        device = "local://0" if threads == 1 else f"local://0-{threads - 1}"
        self.command = [str(bin_folder / "heddle"), "bench", str(artifact), f"--device={device}", "--json", "--warmup=1"]
        self.command += [f"--input={key}=@{value}" for key, value in save_feed(case)]
        self.facts = {"compile_cpu_s": cpu, "compile_rss_mib": self.stats["peak_rss_mib"],
                      "artifact_mib": artifact.stat().st_size / 2**20}

    def measure(self, seconds):
        """The report of `heddle bench`."""
        result = subprocess.run([*self.command, f"--min-time={seconds}"], capture_output=True, text=True)
        if result.returncode != 0:
            raise Unsupported(result.stderr.strip().splitlines()[-1])
        report = json.loads(result.stdout)
        self.facts |= {key: report[key] for key in ("load_ms", "first_call_ms", "peak_rss_mib")}
        return report

    def median_us(self, seconds):
        return self.measure(seconds)["latency_us"]["median"]

    def close(self):
        pass


class PythonPeer:
    """An engine in a process of peer_loop.py."""

    def __init__(self, kind, case, path, threads):
        feed = path.with_suffix(".npz")
        numpy.savez(feed, **case.feed)
        self.process = subprocess.Popen(
            [str(PEERS / "python"), str(ROOT / "benchmarks" / "peer_loop.py"), kind, str(path), str(feed), str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=dict(os.environ, OPENBLAS_NUM_THREADS=str(threads)))  # OpenBLAS reads it when NumPy is imported
        self.facts = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise Unsupported(f"the process ended with {self.process.wait()}")
        answer = json.loads(line)
        if "refused" in answer:
            raise Unsupported(answer["refused"])
        return answer

    def latencies(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        answer = self.read()
        self.facts["peak_rss_mib"] = answer["peak_rss_mib"]
        return answer["latencies"]

    def median_us(self, seconds):
        return statistics.median(self.latencies(seconds))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class OnnxRuntime(PythonPeer):
    name = "ONNX Runtime"

    def __init__(self, case, path, threads):
        super().__init__("ort", case, path, threads)


class OpenVino(PythonPeer):
    name = "OpenVINO"

    def __init__(self, case, path, threads):
        super().__init__("openvino", case, path, threads)


class OpenVinoDefault(PythonPeer):
    name = "OpenVINO by default"

    def __init__(self, case, path, threads):
        super().__init__("openvino_default", case, path, threads)


class Ncnn(PythonPeer):
    name = "ncnn"

    def __init__(self, case, path, threads):
        super().__init__("ncnn", case, path, threads)


class Mnn(PythonPeer):
    name = "MNN"

    def __init__(self, case, path, threads):
        super().__init__("mnn", case, path, threads)


class Mkl(PythonPeer):
    name = "MKL"

    def __init__(self, case, path, threads):
        super().__init__("mkl", case, path, threads)


class OpenBlas(PythonPeer):
    name = "OpenBLAS"

    def __init__(self, case, path, threads):
        super().__init__("openblas", case, path, threads)


IREE_FLAGS = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
              "--iree-llvmcpu-target-cpu=host", "--iree-opt-level=O2"]
# The best flags known for whole networks first; what does not compile with them is tried with the next.
IREE_VARIANTS = [["--iree-opt-data-tiling", "--iree-global-opt-use-im2col-for-convs", "--iree-llvmcpu-stack-allocation-limit=1048576"],
                 ["--iree-opt-data-tiling", "--iree-llvmcpu-stack-allocation-limit=1048576"], []]
IREE_TIMEOUT_S = 150


def iree_tool(name):
    tools = sorted(path for path in PEERS.parent.glob(f"lib/python3*/site-packages/iree/**/{name}") if "tracy" not in str(path))
    return tools[0] if tools else PEERS / name


def entry_point(source):
    """The name of the function in an imported module."""
    with open(source, errors="replace") as text:
        return next(found.group(1) for line in text if (found := re.search(r"func\.func @\"?([^\"(]+)", line)))


class Iree:
    name = "IREE"

    def __init__(self, case, path, threads):
        self.facts, self.threads = {}, threads
        self.module = path.with_suffix(".vmfb")
        saved = path.with_suffix(".iree.json")
        if not saved.exists() or saved.stat().st_mtime < path.stat().st_mtime:
            saved.write_text(json.dumps(self.compile(path)))
        self.facts |= json.loads(saved.read_text())
        if "reason" in self.facts:
            raise Unsupported(self.facts["reason"])
        self.command = [str(iree_tool("iree-benchmark-module")), f"--module={self.module}", f"--function={self.facts['function']}",
                        "--benchmark_format=json"]
        self.command += ["--device=local-sync"] if threads == 1 else ["--device=local-task", f"--task_topology_group_count={threads}"]
        self.command += [f"--input=@{file}" for _key, file in save_feed(case)]

    def compile(self, path):
        source = path.with_suffix(".iree.mlir")
        try:
            imported = run_measured([PEERS / "iree-import-onnx", path, "-o", source, "--opset-version=17"], IREE_TIMEOUT_S)
        except Unsupported as error:
            return {"reason": str(error)}
        reason = ""
        for variant in IREE_VARIANTS:
            try:
                cpu, peak = run_measured([iree_tool("iree-compile"), source, "-o", self.module, *IREE_FLAGS, *variant], IREE_TIMEOUT_S)
            except Unsupported as error:
                reason = str(error)
                continue
            return {"function": entry_point(source), "compile_cpu_s": imported[0] + cpu, "compile_rss_mib": max(peak, imported[1]),
                    "artifact_mib": self.module.stat().st_size / 2**20}
        return {"reason": reason}

    def median_us(self, seconds):
        result = subprocess.run([*self.command, f"--benchmark_min_time={seconds}s"], capture_output=True, text=True,
                                preexec_fn=lambda: os.sched_setaffinity(0, set(range(self.threads))))
        if result.returncode != 0 or "{" not in result.stdout:
            raise Unsupported(f"iree-benchmark-module: {(result.stderr.strip() or 'no message').splitlines()[-1][:200]}")
        rows = [b for b in json.loads(result.stdout[result.stdout.index("{"):])["benchmarks"] if b.get("run_type") != "aggregate"]
        unit = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
        return rows[0]["real_time"] * unit[rows[0]["time_unit"]]

    def close(self):
        pass


PEER_ENGINES = {"ort": OnnxRuntime, "openvino": OpenVino, "openvino-default": OpenVinoDefault, "iree": Iree, "ncnn": Ncnn, "mnn": Mnn, "mkl": Mkl, "openblas": OpenBlas}


def process_ids(engines):
    return [engine.process.pid for engine in engines if isinstance(engine, PythonPeer)]


