# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the command line that the package carries."""
from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from ._errors import Error, UnsupportedError

BIN = pathlib.Path(__file__).parent / "bin"


def not_installed(what: str) -> UnsupportedError:
    return UnsupportedError(f"'{what}' is not installed: this is the runtime alone, which loads and runs artifacts; "
                            "install the wheel 'heddle' of the same version, too (docs/install.md)")


def run(verb: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs `heddle VERB …` as a process of its own and returns what became of it: it cannot take the interpreter along."""
    program = BIN / f"heddle-{verb}"
    if not program.exists():
        raise not_installed(f"heddle {verb}")
    with _terminal() as terminal:
        environment = None if terminal is None else {"HEDDLE_PROGRESS": str(terminal), **os.environ}
        return subprocess.run([str(program), *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", env=environment, pass_fds=() if terminal is None else (terminal,))


@contextlib.contextmanager
def _terminal() -> Iterator[int | None]:
    """A descriptor of the terminal that is standard error, on which the compiler shows how far it is; None where it is none."""
    try:
        terminal = os.dup(sys.stderr.fileno()) if sys.stderr.isatty() else None
    except (AttributeError, OSError, ValueError):  # no standard error, or one without a descriptor
        terminal = None
    try:
        yield terminal
    finally:
        if terminal is not None:
            os.close(terminal)


def has_cache() -> bool:
    return (BIN / "heddle-cache").exists()


def compile(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs `heddle compile …` with the cache in front of it, which starts no compiler where it has the artifact."""
    if has_cache():
        return run("cache", "compile", *arguments)
    return run("compile", *[argument for argument in arguments if not str(argument).startswith("--cache")])


def make_folder(prefix: str) -> pathlib.Path:
    """A temporary folder of its own, for the caller to remove."""
    try:
        return pathlib.Path(tempfile.mkdtemp(prefix=prefix))
    except OSError as error:
        where = f" in '{tempfile.tempdir}'" if tempfile.tempdir else ""
        raise Error(f"cannot make a temporary folder{where}: {error.strerror}; set TMPDIR to a folder that can be written") from error


def message_of(verb: str, text: str) -> tuple[str, list[str]]:
    """What a tool printed, as the message and notes of an exception: without the tool's name and the indentation."""
    lines = text.strip().splitlines() or ["no message"]
    lines[0] = lines[0].removeprefix(f"heddle {verb}: ")
    return lines[0], [line.removeprefix("  ") for line in lines[1:]]


def main() -> None:
    """The command `heddle` of an installed package."""
    program = str(BIN / "heddle")
    os.execv(program, [program, *sys.argv[1:]])
