#!/usr/bin/env python3
"""ONNX Runtime as a process that measures on request; the peer in benchmarks/run.py.

  ort_loop.py MODEL.onnx FEED.npz THREADS

Reads one number of seconds a line and answers each with one line of JSON: the latencies of the calls made in that time,
in microseconds. Ends with its input. It runs on cores 0 to THREADS-1, as `heddle bench --device=local://0-…` does.
"""
import json
import os
import sys
import time

import numpy
import onnxruntime


def main():
    model, feed_path, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.sched_setaffinity(0, set(range(threads)))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feed = dict(numpy.load(feed_path))
    for line in sys.stdin:
        seconds = float(line)
        session.run(None, feed)
        latencies = []
        end = time.perf_counter() + seconds
        while not latencies or time.perf_counter() < end:
            start = time.perf_counter()
            session.run(None, feed)
            latencies.append((time.perf_counter() - start) * 1e6)
        print(json.dumps(latencies), flush=True)


if __name__ == "__main__":
    main()
