#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An mpiexec for tests of `heddle launch` on machines without an MPI: mpiexec -n N PROGRAM ARGUMENTS.

Starts the ranks with PMI's variables, and ends all when one ends with another status than 0 or when it is told to."""
import os
import signal
import subprocess
import sys

count, program = int(sys.argv[2]), sys.argv[3:]
ranks = [subprocess.Popen(program, env=dict(os.environ, PMI_RANK=str(rank), PMI_SIZE=str(count))) for rank in range(count)]


def end(*_):
    for rank in ranks:
        rank.kill()
    sys.exit(1)


signal.signal(signal.SIGTERM, end)
for _ in ranks:
    pid, status = os.wait()
    if status:
        print("the fake mpiexec ends all", file=sys.stderr)
        end()
