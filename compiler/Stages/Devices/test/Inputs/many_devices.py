# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A module that declares N devices, one a line: many_devices.py N"""
import sys

for i in range(int(sys.argv[1])):
    print(f'device.global @d{i} = #device.target<"local", [#device.executable<"elf-x86_64", {{cpu = "x86-64-v3"}}>]>')
print("func.func @main() { return }")
