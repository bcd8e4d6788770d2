# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a compiled program became: the text and the page of `heddle explain`."""
from __future__ import annotations

import html
import pathlib

from . import _tools
from ._errors import Error


class Explanation:
    """Text for print(), a page for notebooks. `html` is the page by itself, which needs nothing else."""

    def __init__(self, path: pathlib.Path, why: str | None = None, why_not: str | None = None):
        self._path = path
        flags = [f"--why={why}"] if why is not None else []
        flags += [f"--why-not={why_not}"] if why_not is not None else []
        self.text = self._run(*flags)

    def _run(self, *flags: object) -> str:
        done = _tools.run("explain", self._path, *flags)
        if done.returncode != 0:
            raise Error(*_tools.message_of("explain", done.stderr))
        return done.stdout

    @property
    def html(self) -> str:
        return self._run("--html=-")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        # A frame, so that the page's styles and scripts and those of the notebook do not meet.
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:40em;border:0" '
                'title="heddle explain"></iframe>')
