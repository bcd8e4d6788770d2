# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which devices each of a process's ranks gets."""
from __future__ import annotations

import json
import os
from typing import Sequence

from . import _runtime


def _cores(index: int, count: int) -> str:
    cores = sorted(os.sched_getaffinity(0))
    if count > len(cores):
        return str(cores[index % len(cores)])
    return ",".join(map(str, cores[len(cores) * index // count:len(cores) * (index + 1) // count]))


def share(path: str, devices: Sequence[str], member: int, members: int) -> list[str]:
    """As `heddle run` deals devices out: those given in turn, as many for each rank as the program has; of `local` without
    cores each rank of this process gets an equal part of its cores. Without any, those that one rank would get, and their
    like for the next."""
    if members == 1:
        return list(devices)
    plan = json.loads(_runtime.plan_json(path, list(devices)))["devices"]
    if devices:
        wanted = min(max(len(plan), 1), len(devices))
        chosen = [devices[(member * wanted + i) % len(devices)] for i in range(wanted)]
    else:
        present = [device for device in _runtime.devices() if device.available]
        chosen = []
        for uri in dict.fromkeys(entry["device"] for entry in plan if entry["device"]):
            kind = [device.uri for device in present if device.driver == uri.split("?")[0].split(":")[0]]
            chosen.append(kind[(kind.index(uri) + member) % len(kind)] if uri in kind else uri)
    return [_with_cores(uri, member, members) for uri in chosen]


def _with_cores(uri: str, member: int, members: int) -> str:
    name, _, rest = uri.partition("?")
    if name not in ("local", "cpu"):
        return uri
    return f"local://{_cores(member, members)}" + (f"?{rest}" if rest else "")
