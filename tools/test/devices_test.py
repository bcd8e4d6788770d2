"""heddle devices."""
import json
import os
import unittest

import tool_case


class Devices(tool_case.ToolCase):
    verb = "devices"

    def test_json(self):
        devices = json.loads(self.good("--json"))["devices"]
        cpu = [device for device in devices if device["driver"] == "local"][0]
        self.assertTrue(cpu["available"])
        self.assertTrue(cpu["default"])
        self.assertEqual(cpu["cores"], len(os.sched_getaffinity(0)))
        self.assertIn("elf-x86_64" if os.uname().machine == "x86_64" else "elf-aarch64", cpu["formats"])
        self.assertIsInstance(cpu["features"], list)
        for device in devices:
            self.assertEqual(device["available"], device["reason"] == "", device)

    def test_page(self):
        page = self.good()
        self.assertRegex(page, r"(?m)^local\S*  .*\(default\)$")
        self.assertIn("    cores     %d\n" % len(os.sched_getaffinity(0)), page)

    def test_refused(self):
        self.refused(2, "unknown flag '--jsno'; did you mean '--json'?", "--jsno")
        self.refused(2, "unexpected argument 'local'", "local")


if __name__ == "__main__":
    unittest.main()
