# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Futures in asyncio."""
from __future__ import annotations

import asyncio
import concurrent.futures
from typing import Any, Protocol

# Waiting blocks a thread each; threads of our own, so that the loop's executor stays free for its user.
_waiters = concurrent.futures.ThreadPoolExecutor(max_workers=64, thread_name_prefix="heddle-wait")


class Future(Protocol):
    """What is awaited: a call of one rank, or of many."""

    def done(self) -> bool: ...
    def wait(self) -> None: ...
    def cancel(self) -> bool: ...
    def result(self) -> Any: ...


async def wait(future: Future) -> Any:
    """The future's results; a task that is cancelled while it waits cancels the call."""
    if not future.done():
        try:
            await asyncio.get_running_loop().run_in_executor(_waiters, future.wait)
        except asyncio.CancelledError:
            future.cancel()
            raise
    return future.result()
