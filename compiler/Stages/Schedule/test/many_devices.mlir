// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-synchronize-streams,schedule-plan-memory,canonicalize,cse),schedule-verify-host,run-host{schedules=2})' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-synchronize-streams,schedule-plan-memory,canonicalize,cse),schedule-verify-host,run-host{schedules=2 one-device=true})' | FileCheck %s

// More devices that may turn out to be another one than can be proved answer by answer: one proof for all of them.
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @g0 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g1 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g2 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g3 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g4 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g5 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g6 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g7 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g8 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g9 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g10 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
device.global @g11 = #device.select<[#device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>, #device.fallback<@a>]>
flow.executable private @add attributes {host.fake = "add"} { func.func @add(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> { return %a : tensor<4xi32> } }

// CHECK: chain call 0: result0 = dense<4096> : tensor<4xi32>
func.func @chain(%x: tensor<4xi32>) -> tensor<4xi32> attributes {host.inputs = [[dense<1> : tensor<4xi32>]]} {
  %t0 = flow.transfer %x : tensor<4xi32> to #device.affinity<@g0>
  %y0 = flow.dispatch @add(%t0, %t0) {heddle.affinity = #device.affinity<@g0>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t1 = flow.transfer %y0 : tensor<4xi32> to #device.affinity<@g1>
  %y1 = flow.dispatch @add(%t1, %t1) {heddle.affinity = #device.affinity<@g1>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t2 = flow.transfer %y1 : tensor<4xi32> to #device.affinity<@g2>
  %y2 = flow.dispatch @add(%t2, %t2) {heddle.affinity = #device.affinity<@g2>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t3 = flow.transfer %y2 : tensor<4xi32> to #device.affinity<@g3>
  %y3 = flow.dispatch @add(%t3, %t3) {heddle.affinity = #device.affinity<@g3>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t4 = flow.transfer %y3 : tensor<4xi32> to #device.affinity<@g4>
  %y4 = flow.dispatch @add(%t4, %t4) {heddle.affinity = #device.affinity<@g4>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t5 = flow.transfer %y4 : tensor<4xi32> to #device.affinity<@g5>
  %y5 = flow.dispatch @add(%t5, %t5) {heddle.affinity = #device.affinity<@g5>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t6 = flow.transfer %y5 : tensor<4xi32> to #device.affinity<@g6>
  %y6 = flow.dispatch @add(%t6, %t6) {heddle.affinity = #device.affinity<@g6>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t7 = flow.transfer %y6 : tensor<4xi32> to #device.affinity<@g7>
  %y7 = flow.dispatch @add(%t7, %t7) {heddle.affinity = #device.affinity<@g7>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t8 = flow.transfer %y7 : tensor<4xi32> to #device.affinity<@g8>
  %y8 = flow.dispatch @add(%t8, %t8) {heddle.affinity = #device.affinity<@g8>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t9 = flow.transfer %y8 : tensor<4xi32> to #device.affinity<@g9>
  %y9 = flow.dispatch @add(%t9, %t9) {heddle.affinity = #device.affinity<@g9>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t10 = flow.transfer %y9 : tensor<4xi32> to #device.affinity<@g10>
  %y10 = flow.dispatch @add(%t10, %t10) {heddle.affinity = #device.affinity<@g10>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %t11 = flow.transfer %y10 : tensor<4xi32> to #device.affinity<@g11>
  %y11 = flow.dispatch @add(%t11, %t11) {heddle.affinity = #device.affinity<@g11>} : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>)
  %r = flow.transfer %y11 : tensor<4xi32> to #device.affinity<@a>
  return %r : tensor<4xi32>
}
