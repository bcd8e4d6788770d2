// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// The accelerator may be the CPU itself. Then the transfer is an alias, and the source must survive: the kernel on
// the "copy" writes elsewhere. Right for both answers of host.same.

device.global @cpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @gpu = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
// RUN: heddle-opt %s --run-host=one-device=true -o /dev/null | FileCheck %s --check-prefix=ALIAS
// CHECK: main call 0: y = dense<[11, 12]> : tensor<2xi32>, z = dense<[2, 4]> : tensor<2xi32>
// CHECK-NEXT: memory: slab 64 bytes, 1 allocations
// ALIAS: main call 0: y = dense<[11, 12]> : tensor<2xi32>, z = dense<[2, 4]> : tensor<2xi32>
// ALIAS-NEXT: memory: slab 64 bytes, 0 allocations
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2xi32>, [""]>])
    results([#host.value<"y", tensor<2xi32>, [""]>, #host.value<"z", tensor<2xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2]> : tensor<2xi32>]]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c10 = arith.constant 10 : index
  %c64 = arith.constant 64 : index
  %slab = host.slab on @cpu size %c64
  %a = host.view %slab[%c0] size %c8
  host.copy %s, %a[%c0] from %x[%c0] size %c8
  %same = host.same @cpu, @gpu
  %g = host.stream on @gpu 0
  %ready = host.record %s
  host.wait %g, %ready
  %there = scf.if %same -> (!host.buffer) {
    scf.yield %a : !host.buffer
  } else {
    %copy = host.alloc on @gpu size %c8
    host.copy %g, %copy[%c0] from %a[%c0] size %c8
    scf.yield %copy : !host.buffer
  }
  %y = host.result 0 on @gpu size %c8
  host.dispatch %g, @add_constant(%there, %y) [%c10] access(["r", "w"])
  %z = host.result 1 on @cpu size %c8
  host.dispatch %s, @add(%a, %a, %z) access(["r", "r", "w"])
  %end = host.record %g
  host.wait %s, %end
  scf.if %same {
  } else {
    host.free %s, %there
  }
  host.return %y, %z shape(%c2, %c2)
}
