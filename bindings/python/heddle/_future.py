# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Futures in asyncio."""
from __future__ import annotations

import asyncio
import concurrent.futures
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._ranks import RankFuture
    from ._runtime import Future

# Waiting blocks a thread each; threads of our own, so that the loop's executor stays free for its user.
_waiters = concurrent.futures.ThreadPoolExecutor(max_workers=64, thread_name_prefix="heddle-wait")


async def wait(future: Future | RankFuture) -> Any:
    """The future's results; a task that is cancelled while it waits cancels the call."""
    if not future.done():
        try:
            await asyncio.get_running_loop().run_in_executor(_waiters, future.wait)
        except asyncio.CancelledError:
            future.cancel()
            raise
    return future.result()
