# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two network namespaces of this machine and a link between them that takes its time: what `tc netem` does where the kernel
has it, done by a thread for each direction that hands packets on between two TUN devices."""
import ctypes
import fcntl
import os
import pathlib
import queue
import select
import struct
import subprocess
import threading
import time

# TCP as the link needs it, whatever this machine prefers: bbr, for one, sends nearly nothing for 0.2 of every 10 seconds, and
# after a pause TCP begins anew.
SETTINGS = {"tcp_congestion_control": "reno", "tcp_slow_start_after_idle": "0"}
TUNSETIFF, IFF_TUN, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0001, 0x1000, 0x40000000
ADDRESSES = ("10.78.0.1", "10.78.0.2")


class NoLink(Exception):
    """This machine allows none."""


def ip(*arguments):
    done = subprocess.run(["ip", *map(str, arguments)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise NoLink(done.stderr.strip())


def open_tun(namespace, name):
    """A TUN device in the namespace, whose settings of TCP become SETTINGS."""
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(path):
        file = os.open(path, os.O_RDONLY)
        if libc.setns(file, CLONE_NEWNET):
            raise NoLink(os.strerror(ctypes.get_errno()))
        os.close(file)

    own = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        enter(f"/var/run/netns/{namespace}")
        for setting, value in SETTINGS.items():
            pathlib.Path("/proc/sys/net/ipv4", setting).write_text(value)
        tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH14x", name.encode(), IFF_TUN | IFF_NO_PI))
        return tun
    except OSError as error:
        raise NoLink(str(error)) from error
    finally:
        libc.setns(own, CLONE_NEWNET)
        os.close(own)


class SlowLink:
    """`delay`: seconds of each packet; `rate`: bytes a second in each direction, None: as fast as it goes. Both may change."""

    def __init__(self, delay, rate=None):
        self.delay, self.rate = delay, rate
        self.namespaces = [f"heddle{os.getpid()}_{address}" for address in ADDRESSES]
        self.tuns, self.threads, self.ended = [], [], False
        self.moved = 0
        try:
            for i, (namespace, address) in enumerate(zip(self.namespaces, ADDRESSES)):
                ip("netns", "add", namespace)
                self.tuns.append(open_tun(namespace, f"slow{i}"))
                ip("-n", namespace, "addr", "add", f"{address}/24", "dev", f"slow{i}")
                ip("-n", namespace, "link", "set", f"slow{i}", "mtu", "9000", "txqueuelen", "10000")
                ip("-n", namespace, "link", "set", f"slow{i}", "up")
                ip("-n", namespace, "link", "set", "lo", "up")
        except (NoLink, FileNotFoundError) as error:
            self.close()
            raise NoLink(str(error)) from error
        for source, target in ((0, 1), (1, 0)):
            packets = queue.Queue()
            for body in (self.take, self.give):
                self.threads.append(threading.Thread(target=body, args=(self.tuns[source], self.tuns[target], packets), daemon=True))
                self.threads[-1].start()

    def take(self, source, _, packets):
        free = 0.0  # when the link has sent what it has
        while not self.ended:
            if not select.select([source], [], [], 0.1)[0]:
                continue
            packet = os.read(source, 65536)
            self.moved += len(packet)
            free = max(free, time.monotonic()) + (len(packet) / self.rate if self.rate else 0)
            packets.put((free + self.delay, packet))

    def give(self, _, target, packets):
        while not self.ended:
            try:
                due, packet = packets.get(timeout=0.1)
            except queue.Empty:
                continue
            time.sleep(max(0.0, due - time.monotonic()))
            try:
                os.write(target, packet)
            except OSError:
                return  # the device is gone

    def close(self):
        self.ended = True
        for thread in self.threads:
            thread.join()
        for tun in self.tuns:
            os.close(tun)
        for namespace in self.namespaces:
            subprocess.run(["ip", "netns", "del", namespace], capture_output=True, check=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
