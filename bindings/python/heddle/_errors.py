# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions: one class for each status code of heddle.h, with the texts of the command line."""
from __future__ import annotations

import inspect
from typing import Any, Callable, Iterable


class Error(Exception):
    """A failure. `message`: the rule, what was given, the remedy. `notes`: further lines. `code`: 'invalid-argument', …"""

    code = "internal"

    def __init__(self, message: str, notes: Iterable[str] = ()):
        self.message = message
        self.notes = list(notes)
        super().__init__("\n".join([message, *self.notes]))


class CompileWarning(UserWarning):
    """A warning of the compiler about a model that it compiles. The text is in Artifact.log, too."""


class InvalidArgumentError(Error, ValueError):
    """The caller's values break a rule: type, rank, size, index, a URI."""

    code = "invalid-argument"


class NotFoundError(Error, LookupError):
    """There is no such file, entry point or device."""

    code = "not-found"


class MalformedError(Error):
    """Not an artifact, or a damaged one."""

    code = "malformed"


class UnsupportedError(Error):
    """A newer format, an absent CPU feature, a driver that is not here."""

    code = "unsupported"


class OutOfMemoryError(Error, MemoryError):
    code = "out-of-memory"


class CancelledError(Error):
    """The call was cancelled."""

    code = "cancelled"


class DeadlineExceededError(Error, TimeoutError):
    """The call took longer than its timeout, or did not end in the time that result() waits."""

    code = "deadline-exceeded"


class KernelFailedError(Error, ArithmeticError):
    """The program refused the data: an index out of range, a division by zero."""

    code = "kernel-failed"


class BusyError(Error):
    code = "busy"


class IoError(Error):
    """The operating system refused a file, a mapping, a thread."""

    code = "io"


class InternalError(Error):
    """A bug of Heddle."""

    code = "internal"


class DeviceLostError(Error):
    """A device stopped working; the next call opens it anew."""

    code = "device-lost"


class StateLostError(Error):
    """What the module keeps between calls has no value: a call failed half way, or its device was lost."""

    code = "state-lost"


class RankFailedError(Error):
    """Another rank of the program failed, ended, or runs something else; the message has its rank and cause."""

    code = "rank-failed"


class CompileError(Error):
    """The compiler refused the model or a flag. `exit_status`: 1 the model or a file, 2 a flag, negative a signal."""

    code = "compile"

    def __init__(self, message: str, notes: Iterable[str] = (), exit_status: int = 1):
        super().__init__(message, notes)
        self.exit_status = exit_status


_BY_STATUS = (Error, InvalidArgumentError, NotFoundError, MalformedError, UnsupportedError, OutOfMemoryError,
              CancelledError, DeadlineExceededError, KernelFailedError, BusyError, IoError, InternalError,
              DeviceLostError, StateLostError, RankFailedError)
for _kind in (*_BY_STATUS, CompileError):
    _kind.__module__ = "heddle"  # where users find them


def from_status(code: int, message: str, notes: list[str]) -> Error:
    """The exception of a heddle_status_code."""
    kind = _BY_STATUS[code] if code < len(_BY_STATUS) else Error
    return kind(message, notes)


def _count_typos(a: str, b: str) -> int:
    """Letters to insert, delete, replace, or swap with their neighbour, to make `b` of `a`."""
    before: list[int] = []
    above = list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            row.append(min(above[j + 1] + 1, row[j] + 1, above[j] + (x != y)))
            if i and j and x == b[j - 1] and a[i - 1] == y:
                row[-1] = min(row[-1], before[j - 1] + 1)
        before, above = above, row
    return above[-1]


def did_you_mean(word: object, names: Iterable[str]) -> str:
    """"; did you mean 'NAME'?" or "", by the rule of the compiler and the tools (heddle/contract/Suggest.h)."""
    longest = 200  # beyond, nobody mistyped a name
    text, best = str(word), ""
    fewest = (len(text) + 2) // 3 + 1
    for name in names if 0 < len(text) <= longest else ():
        if len(name) > longest or abs(len(text) - len(name)) >= fewest:
            continue
        typos = _count_typos(text.lower(), name.lower())
        if typos < min(fewest, max(len(text), len(name))):
            fewest, best = typos, name
    return f"; did you mean '{best}'?" if best else ""


def in_python_words(said: tuple[str, list[str]], function: Callable[..., Any]) -> tuple[str, list[str]]:
    """The message and notes of a tool about an unknown flag, as one about a keyword of `function`; others as they are."""
    message, notes = said
    if not message.startswith("unknown flag '--"):
        return said
    word, *near = [name.removeprefix("--").split("=")[0].replace("-", "_") for name in message.split("'")[1::2]]
    known = [name for name in inspect.signature(function).parameters if name not in ("model", "output", "flags")]
    if word in known:  # the package and its programs are of two versions
        return said
    return (f"{function.__name__}() has no keyword '{word}'{did_you_mean(word, [*known, *near])}",
            [f"keywords are {', '.join(known)}, and the other flags of `heddle {function.__name__}` with underscores (docs/cli.md)"])
