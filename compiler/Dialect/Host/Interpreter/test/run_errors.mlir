// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not heddle-opt %s --run-host=seed=3 -o /dev/null 2>&1 | FileCheck %s

// What the verifier would refuse, the interpreter shows: the second kernel does not wait for the first.
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add_constant attributes {host.fake = "add_constant"} { func.func private @add_constant() }
// CHECK: error: 'host.func' op gives "y = {{.*}}" under seed 3 and "y = {{.*}}" under seed {{.*}}: it has a race
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<2xi32>, [""]>]) results([#host.value<"y", tensor<2xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[dense<[1, 2]> : tensor<2xi32>]]} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %y = host.result 0 on @d size %c8
  %t = host.slab on @d size %c8
  %other = host.stream on @d 0
  host.dispatch %other, @add_constant(%x, %t) [%c1] access(["r", "w"])
  host.dispatch %s, @add_constant(%t, %y) [%c1] access(["r", "w"])
  host.return %y shape(%c2)
}
