// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK: device.global @any = <"local", ordinal = -1, [<"elf-x86_64", cpu = "x86-64-v4", features = "">]>
device.global @any = #device.target<"local", ordinal = -1, [#device.executable<"elf-x86_64", cpu = "x86-64-v4", features = "">]>
// CHECK: device.global @second = <"local", ordinal = 1, [<"elf-x86_64", cpu = "x86-64", features = "+avx2">, <"elf-x86_64", cpu = "x86-64", features = "">]>
device.global @second = #device.target<"local", ordinal = 1, [#device.executable<"elf-x86_64", cpu = "x86-64", features = "+avx2">, #device.executable<"elf-x86_64", cpu = "x86-64", features = "">]>
