# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A slice of device_lists.py (`make device-lists`): two networks on every list of devices, and the page's table."""
import unittest

import device_lists
from support import BIN, ROOT


class DeviceListsTest(unittest.TestCase):
    def test_networks(self):
        for name in ("magika", "silero_vad"):
            with self.subTest(network=name):
                row = device_lists.check_network(name, BIN)
                self.assertEqual([], device_lists.failures(row))
                self.assertEqual([len(program.lists) for program in device_lists.PROGRAMS], [len(cells) for cells in row.values()])

    def test_what_is_off_is_found(self):
        network = device_lists.Network.__new__(device_lists.Network)
        network.want, network.moved, network.lengths = [device_lists.normal(4, 4)], None, [512]
        self.assertEqual(0, network.error(0, network.want[0]))
        for wrong in (network.want[0] + 1, network.want[0][:2], network.want[0] * float("nan")):
            with self.assertRaises(RuntimeError):
                network.error(0, wrong)

    def test_page_has_every_network(self):
        page = (ROOT / "docs" / "design" / "multi-device-tests.md").read_text()
        table = page.split(device_lists.BEGIN)[1].split(device_lists.END)[0]
        for name in device_lists.FEEDS:
            self.assertIn(f"| {name} |", table)
        self.assertNotIn("FAILS", table)


if __name__ == "__main__":
    unittest.main()
