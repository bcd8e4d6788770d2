#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX Runtime, OpenVINO, ncnn, MNN or a BLAS as a process that measures on request; a peer in benchmarks/run.py.

  peer_loop.py ort|openvino|openvino_default|ncnn|mnn|mkl|openblas MODEL.onnx FEED.npz THREADS

First answers with one line of JSON: load_ms, load_cpu_s and first_call_ms, or why it is refused. Then reads one number of seconds a line and
answers each with the latencies of the calls made in that time, in microseconds, and the process' peak memory so far, in
MiB. Ends with its input. It runs on cores 0 to THREADS-1, as `heddle bench --device=local://0-…` does. OpenVINO computes
in f32, as the others do; openvino_default in what it takes by itself, which is bf16 where the processor has it.
"""
import json
import os
import pathlib
import resource
import sys
import time

import numpy

import blas
import mobile


def load_ort(path, feed, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, feed)


def load_openvino(path, feed, threads, precision="f32"):
    import openvino

    core = openvino.Core()
    settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads,
                **({"INFERENCE_PRECISION_HINT": precision} if precision else {}),
                # Else it rounds activations to bytes, in groups of 32, where weights are bytes: MiniLM's results are then off by 6e-2 instead of 3e-6.
                "DYNAMIC_QUANTIZATION_GROUP_SIZE": "0"}
    compiled = core.compile_model(core.read_model(path), "CPU", settings)
    request = compiled.create_infer_request()
    for i, argument in enumerate(compiled.inputs):
        name = next(n for n in argument.get_names() if n in feed)
        request.set_input_tensor(i, openvino.Tensor(feed[name]))
    return request.infer


def load_openvino_default(path, feed, threads):
    return load_openvino(path, feed, threads, precision=None)


LOADERS = {"ort": load_ort, "openvino": load_openvino, "openvino_default": load_openvino_default, "ncnn": mobile.load_ncnn,
           "mnn": mobile.load_mnn, "mkl": blas.load_mkl, "openblas": blas.load_openblas}


def peak_mib():
    status = pathlib.Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    engine, path, feed_path, threads = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    os.sched_setaffinity(0, set(range(threads)))
    feed = dict(numpy.load(feed_path))
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # MNN writes what it thinks of the processor
    load = LOADERS[engine]
    if engine.startswith(("ort", "openvino")):
        __import__({"ort": "onnxruntime"}.get(engine, "openvino"))
    start, cpu = time.perf_counter(), cpu_seconds()
    try:
        call = load(path, feed, threads)
    except ValueError as error:
        print(json.dumps({"refused": str(error)}), file=answers, flush=True)
        return
    loaded, loaded_cpu = time.perf_counter(), cpu_seconds()
    call()
    print(json.dumps({"load_ms": (loaded - start) * 1e3, "load_cpu_s": loaded_cpu - cpu,
                      "first_call_ms": (time.perf_counter() - loaded) * 1e3}), file=answers, flush=True)
    for line in sys.stdin:
        call()  # what was idle since the last round is cold
        end = time.perf_counter() + float(line)
        latencies = []
        while not latencies or time.perf_counter() < end:
            begin = time.perf_counter()
            call()
            latencies.append((time.perf_counter() - begin) * 1e6)
        print(json.dumps({"latencies": latencies, "peak_rss_mib": peak_mib()}), file=answers, flush=True)


if __name__ == "__main__":
    main()
