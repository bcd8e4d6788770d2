# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What machine this is, and how much of it others use."""
import os
import pathlib
import resource

TICKS = os.sysconf("SC_CLK_TCK")


def describe():
    """Lines of text: processor, cores, memory, system."""
    info = pathlib.Path("/proc/cpuinfo").read_text()
    name = next((line.split(":", 1)[1].strip() for line in info.splitlines() if line.startswith("model name")), "unknown")
    flags = next((line.split(":", 1)[1].split() for line in info.splitlines() if line.startswith("flags")), [])
    known = [f for f in ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile") if f in flags]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return [f"{name}, {os.cpu_count()} cores ({', '.join(known)}), {memory:.0f} GiB", f"Linux {os.uname().release}"]


def busy_seconds():
    """CPU time that everything on this machine has used since it started."""
    fields = [int(x) for x in pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields[:8]
    return (user + nice + system + irq + softirq + steal) / TICKS


def process_seconds(pid):
    """CPU time of one process, its threads included."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    fields = text[text.rindex(")") + 2 :].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def own_seconds(peers=()):
    """CPU time of this process, of its children that have ended, and of the running `peers`."""
    own = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        own += usage.ru_utime + usage.ru_stime
    return own + sum(process_seconds(pid) for pid in peers)
