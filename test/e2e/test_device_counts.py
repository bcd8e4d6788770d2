# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many devices of one kind: the kernels of one device, in about its processor time (`make device-counts` has the table)."""
import sys
import unittest

from support import BIN, ROOT, model

sys.path.insert(0, str(ROOT / "benchmarks"))

from device_counts import measure, ratio  # noqa: E402

# The aim is 1.1 for eight; the rest is noise. Kernels compiled once for each device would be several times the work.
MOST = {8: 1.25, 64: 1.5, 1024: 2.5}


class DeviceCountsTest(unittest.TestCase):
    def check(self, kind):
        seconds, equal = measure(BIN, model("magika"), kind, (1, *MOST), rounds=3)
        self.assertTrue(equal, "kernels differ from those of one device")
        for count, most in MOST.items():
            got = ratio(seconds, count)
            print(f"{count} devices {kind}: {got:.2f} of one's processor time", flush=True)
            self.assertLess(got, most)

    def test_processors(self):
        self.check("local")

    def test_null_driver(self):
        self.check("null")


if __name__ == "__main__":
    unittest.main()
