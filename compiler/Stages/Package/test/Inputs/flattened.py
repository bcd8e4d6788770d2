# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random host programs, structured and flattened: their instructions, run here, give what `heddle-opt --run-host` gives.

  flattened.py COUNT [SEED]

The programs are those of Host/Interpreter/test/Inputs/random_programs.py that the verifier accepts: loops that carry and
swap streams, events, barriers, copies, one kernel. Streams are queues here, too, whose items run in random orders. Prints
what differs; exit status 1 if anything does, or if no program was accepted.
"""
import collections
import pathlib
import random
import re
import subprocess
import sys
import tempfile

INPUTS = pathlib.Path(__file__).resolve().parents[4] / "Dialect" / "Host" / "Interpreter" / "test" / "Inputs"
sys.path.insert(0, str(INPUTS))
import random_programs  # noqa: E402


class Machine:
    """Registers, and queues of work whose first items wait for an event or run."""

    def __init__(self, code, argument, rng):
        self.code = {}
        self.next = {}
        for line in code:
            at, mnemonic, *operands = re.sub(r"[\[\]]", " ", line).split()
            self.code[int(at[1:])] = (mnemonic, operands)
        ordered = list(self.code)
        self.next = dict(zip(ordered, ordered[1:]))
        self.rng = rng
        self.most = rng.choice([0, 0, 2])  # items between two instructions: queues mostly lag behind
        self.favourite = 0
        self.registers = {"t0": "call", "b0": (argument, 0, len(argument))}
        self.queues = collections.defaultdict(collections.deque)
        self.result = None

    def run_one(self):
        ready = [queue for queue in self.queues.values() if queue and (queue[0][0] is None or queue[0][0][0])]
        if not ready:
            return False
        if self.rng.random() < 0.2:  # one stream runs ahead of the others for a while
            self.favourite = self.rng.randrange(100)
        ready[self.favourite % len(ready)].popleft()[1]()
        return True

    def record(self, stream):
        event = [False]
        self.queues[stream].append((None, lambda: event.__setitem__(0, True)))
        return event

    def wait(self, stream, event):
        self.queues[stream].append((event, lambda: None))

    def cut(self, buffer, offset, size):
        storage, begin, length = buffer
        assert 0 <= offset and offset + size <= length, (offset, size, length)
        return storage, begin + offset, size

    def issue(self, stream, target, source, combine):
        def work():
            values = source[0][source[1]:source[1] + source[2]]
            old = target[0][target[1]:target[1] + target[2]]
            target[0][target[1]:target[1] + target[2]] = [combine(a, b) for a, b in zip(old, values)]
        self.queues[stream].append((None, work))

    def step(self, mnemonic, names):
        """Runs one instruction; gives the label it jumps to, or None. Bytes are elements of four."""
        to = names[0] if names else None
        writes = {"const", "move", "move_stream", "move_event", "add", "cmp_lt", "alloc", "result", "view", "stream", "record"}
        get = [self.registers[name] if name[0] in "sbte" and (i or mnemonic not in writes) else None
               for i, name in enumerate(names)]
        if mnemonic == "const":
            self.registers[to] = int(names[1])
        elif mnemonic in ("move", "move_stream", "move_event"):
            self.registers[to] = get[1]
        elif mnemonic == "add":
            self.registers[to] = get[1] + get[2]
        elif mnemonic == "cmp_lt":
            self.registers[to] = int(get[1] < get[2])
        elif mnemonic in ("alloc", "result"):
            self.registers[to] = ([-1] * (get[-1] // 4), 0, get[-1] // 4)
        elif mnemonic == "view":
            self.registers[to] = self.cut(get[1], get[2] // 4, get[3] // 4)
        elif mnemonic == "stream":
            self.registers[to] = f"extra {names[2]}"
        elif mnemonic == "record":
            self.registers[to] = self.record(get[1])
        elif mnemonic == "wait":
            self.wait(get[0], get[1])
        elif mnemonic == "follow":
            self.wait(get[0], self.record(get[1]))
        elif mnemonic == "copy":
            self.issue(get[0], self.cut(get[1], get[2] // 4, get[5] // 4), self.cut(get[3], get[4] // 4, get[5] // 4),
                       lambda old, new: new)
        elif mnemonic == "dispatch":  # of the only kernel, accumulate
            self.issue(get[0], get[5], get[4], lambda old, new: old + new)
        elif mnemonic == "set_result":
            self.result = get[1]
        elif mnemonic == "br":
            return int(to[1:])
        elif mnemonic == "br_if":
            return int(names[1 if get[0] else 2][1:])
        else:
            assert mnemonic in ("free", "return"), mnemonic
        return None

    def run(self):
        at = 0
        while True:
            mnemonic, operands = self.code[at]
            jump = self.step(mnemonic, operands)
            for _ in range(self.rng.randint(0, self.most)):
                self.run_one()
            if mnemonic == "return":
                break
            at = self.next[at] if jump is None else jump
        done = self.record("call")
        while not done[0]:
            assert self.run_one(), "no stream can go on"
        storage, begin, length = self.result
        return storage[begin:begin + length]


def heddle_opt(path, *flags):
    done = subprocess.run(["heddle-opt", path, *flags, "-o", "/dev/null"], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def wrapped(values):
    return [(value + 2**31) % 2**32 - 2**31 for value in values]


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    accepted = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.mlir"
        for i in range(count):
            rng = random.Random(seed * 1000003 + i)
            text = random_programs.Program(rng).text().replace(" access(", " launch(%c1, %c1) access(")
            path.write_text(text)
            if heddle_opt(path, "--schedule-verify-host")[0]:
                continue
            accepted += 1
            wanted = re.search(r"y = dense<\[?([-0-9, ]+)\]?>", heddle_opt(path, "--run-host=schedules=4")[1])
            want = [int(value) for value in wanted.group(1).split(",")]
            want = want * 4 if len(want) == 1 else want
            code = [line for line in heddle_opt(path, "--package-print-instructions")[1].splitlines() if line[0] == "@"]
            for order in range(16):
                got = wrapped(Machine(code, [1, 2, 3, 4], random.Random(order)).run())
                if got != want:
                    print(f"program {i}, order {order}: {got}, wanted {want}\n{text}\n" + "\n".join(code))
                    wrong += 1
                    break
    print(f"seed {seed}: {accepted} programs, {wrong} wrong")
    return 1 if wrong or not accepted else 0


if __name__ == "__main__":
    sys.exit(main())
