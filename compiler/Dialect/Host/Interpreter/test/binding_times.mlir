// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host=alternatives=gpu:0 -o /dev/null | FileCheck %s --check-prefixes=CHECK,COPIES
// RUN: heddle-opt %s --run-host=alternatives=gpu:1 -o /dev/null | FileCheck %s --check-prefixes=CHECK,COPIES
// RUN: heddle-opt %s --run-host='alternatives=gpu:2 one-device=true' -o /dev/null | FileCheck %s --check-prefixes=CHECK,ALIASES

// Trial (c) of docs/design/binding-times.md: relu(x * w1 + bias) * w2 on `@gpu = select<[cuda, vulkan, fallback(@cpu)]>`
// after `resolve`, written by hand. The choice decides the layout of the weights (column panels of 4, of 2, or as they
// are), the kernels, and whether the input is copied; @__bind decides it once. One artifact, three bound programs, one
// result.
//
// CHECK: main call 0: y = dense<{{\[}}[10, 0, 0, 0], [20, 0, -1, -2]]> : tensor<2x4xi32>
// COPIES-NEXT: memory: slab 128 bytes, 1 allocations
// ALIASES-NEXT: memory: slab 128 bytes, 0 allocations
module attributes {device.default = #device.affinity<@gpu>} {
device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @gpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.parameter private @w1 : tensor<2x4xi32> = dense<[[1, 0, 2, -9], [0, 1, 1, -9]]>
flow.parameter private @bias : tensor<4xi32> = dense<[0, -1, -2, 1]>
flow.parameter private @w2 : tensor<4x4xi32> = dense<[[0, 0, 2, 4], [10, 0, 0, 0], [0, 0, -1, -2], [5, 5, 5, 5]]>
flow.executable private @pack attributes {host.fake = "pack"} { func.func private @pack() }
flow.executable private @matmul attributes {host.fake = "matmul"} { func.func private @matmul() }
flow.executable private @matmul_packed attributes {host.fake = "matmul_packed"} { func.func private @matmul_packed() }
flow.executable private @add_bias attributes {host.fake = "bias"} { func.func private @add_bias() }
flow.executable private @relu attributes {host.fake = "relu"} { func.func private @relu() }

// Once for a module and its devices: the panel width is a function of the alternative, and where it is not 0 the weights
// are packed. The binding owns what it gets; where the layouts agree it gets the parameter itself.
host.func @__bind(%s: !host.stream) arguments([]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %choice = host.alternative @gpu
  %panel = scf.index_switch %choice -> index
  case 0 { scf.yield %c4 : index }
  case 1 { scf.yield %c2 : index }
  default { scf.yield %c0 : index }
  host.bind "panel" = %panel : index
  %w1 = host.parameter @w1 on @gpu
  %w2 = host.parameter @w2 on @gpu
  %isPlain = arith.cmpi eq, %panel, %c0 : index
  host.bind "plain" = %isPlain : i1
  scf.if %isPlain {
    host.bind "w1" = %w1 : !host.buffer
    host.bind "w2" = %w2 : !host.buffer
  } else {
    %p1 = host.alloc on @gpu size %c32
    host.dispatch %s, @pack(%w1, %p1) [%c2, %c4, %panel] access(["r", "w"])
    host.bind "w1" = %p1 : !host.buffer
    %p2 = host.alloc on @gpu size %c64
    host.dispatch %s, @pack(%w2, %p2) [%c4, %c4, %panel] access(["r", "w"])
    host.bind "w2" = %p2 : !host.buffer
  }
  host.return shape()
}

host.func @main(%s: !host.stream, %x: !host.buffer, %m: index)
    arguments([#host.value<"x", tensor<?x2xi32>, ["m", ""], @cpu>])
    results([#host.value<"y", tensor<?x4xi32>, ["m", ""]>]) symbols(["m"])
    attributes {host.inputs = [[dense<[[0, 2], [1, 3]]> : tensor<2x2xi32>]]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %plain = host.bound "plain" : i1
  %panel = host.bound "panel" : index
  %w1 = host.bound "w1" : !host.buffer
  %w2 = host.bound "w2" : !host.buffer
  %bias = host.parameter @bias on @gpu
  %bytes = arith.muli %m, %c16 : index
  %total, %o:3 = host.plan(%bytes, %bytes, %bytes)
      lives([#host.interval<0, 1>, #host.interval<1, 2>, #host.interval<2, 3>]) : index, index, index
  %slab = host.slab on @gpu size %total
  // The transfer exists only between two devices.
  %same = host.same @cpu, @gpu
  %there = scf.if %same -> (!host.buffer) {
    scf.yield %x : !host.buffer
  } else {
    %xBytes = arith.muli %m, %c8 : index
    %copy = host.alloc on @gpu size %xBytes
    host.copy %s, %copy[%c0] from %x[%c0] size %xBytes
    scf.yield %copy : !host.buffer
  }
  %a = host.view %slab[%o#0] size %bytes
  scf.if %plain {
    host.dispatch %s, @matmul(%there, %w1, %a) [%m, %c2, %c4] access(["r", "r", "w"])
  } else {
    host.dispatch %s, @matmul_packed(%there, %w1, %a) [%m, %c2, %c4, %panel] access(["r", "r", "w"])
  }
  scf.if %same {
  } else {
    host.free %s, %there
  }
  %b = host.view %slab[%o#1] size %bytes
  host.dispatch %s, @add_bias(%a, %bias, %b) access(["r", "r", "w"])
  %c = host.view %slab[%o#2] size %bytes
  host.dispatch %s, @relu(%b, %c) access(["r", "w"])
  %y = host.result 0 on @gpu size %bytes
  scf.if %plain {
    host.dispatch %s, @matmul(%c, %w2, %y) [%m, %c4, %c4] access(["r", "r", "w"])
  } else {
    host.dispatch %s, @matmul_packed(%c, %w2, %y) [%m, %c4, %c4, %panel] access(["r", "r", "w"])
  }
  host.return %y shape(%m, %c4)
}
}
