# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command-line programs, run by servers that stay (heddle_tool_server): starting LLVM anew for each of hundreds of
models would take most of the time of these tests.

    run(("heddle-compile", model, "-o", artifact), ("heddle-run", artifact, …))

raises ToolError with the program's own words when one fails, crashes or takes too long.
"""
import atexit
import json
import os
import pathlib
import select
import subprocess
import tempfile

BIN = pathlib.Path(os.environ["HEDDLE_BIN"])
TIMEOUT_S = 120


class ToolError(AssertionError):
    """A program failed; the text has what it printed."""


class Server:
    """One process; a request at a time. Starts again after a crash."""

    def __init__(self):
        self.process = None
        self.printed = tempfile.TemporaryFile()
        atexit.register(self.stop)

    def ask(self, command):
        if not self.process:
            self.process = subprocess.Popen([BIN / "heddle_tool_server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.printed)
        self.process.stdin.write(json.dumps([str(word) for word in command]).encode() + b"\n")
        self.process.stdin.flush()

    def answer(self, command):
        """Waits for the program to end well."""
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT_S)
        line = self.process.stdout.readline() if ready else b""
        status = json.loads(line)["status"] if line else self.stop(kill=not ready)
        self.printed.seek(0)
        text = self.printed.read().decode(errors="replace")
        self.printed.seek(0)  # the server writes at the same position
        self.printed.truncate()
        if status or not line:
            how = f"ended with {status}" if ready else f"took more than {TIMEOUT_S} s"
            raise ToolError(f"{' '.join(map(str, command))} {how}: {text}")

    def run(self, *commands):
        """Runs programs one after another."""
        for command in commands:
            self.ask(command)
            self.answer(command)

    def stop(self, kill=False):
        """Returns the server's exit status."""
        process, self.process = self.process, None
        if not process:
            return 0
        if kill:
            process.kill()
        process.stdin.close()
        process.stdout.close()
        return process.wait()


SERVERS = (Server(), Server())


def is_other_processor(error):
    """Whether a program failed because its artifact is for a processor with more than this one has."""
    return any(text in str(error) for text in ("it can run no executable", "has no variant that"))


def run(*commands):
    """Runs programs one after another."""
    SERVERS[0].run(*commands)


def run_beside(beside, *commands):
    """Runs programs one after another, and `beside` at the same time."""
    SERVERS[1].ask(beside)
    try:
        run(*commands)
    finally:
        SERVERS[1].answer(beside)
