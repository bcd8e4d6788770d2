// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-write-artifact=path=%t.heddle -o /dev/null
// RUN: heddle inspect %t.heddle --json | FileCheck %s

// Two parameters of equal bytes lie in the file once (8192 + 64 + 9 bytes); one that no op names is left out.
// A result's dimension without a name is the symbol whose value the program returns.
// CHECK: "file_bytes": 8265
// CHECK: "results"
// CHECK: "shape": [
// CHECK-NEXT: "n"
// CHECK: "bytes": 3
// CHECK: "key": "a"
// CHECK: "hash": "[[HASH:.*]]"
// CHECK: "key": "b"
// CHECK: "hash": "[[HASH]]"
// CHECK: "key": "mask"
// CHECK: "bytes": 9
// CHECK-NOT: unused
// CHECK: "report": {
// CHECK: "binding": "bind"
// CHECK-NEXT: "device": "d"
// CHECK-NEXT: "function": "main"
// CHECK-NEXT: "name": "a"
// CHECK-NEXT: "op": "host.parameter"
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.parameter private @a : tensor<4xi32> = dense<[1, 2, 3, 4]>
flow.parameter private @b : tensor<2x2xi32> = dense<[[1, 2], [3, 4]]>
flow.parameter private @mask : tensor<9xi1> = dense<true>
flow.parameter private @unused : tensor<4xi32> = dense<[5, 6, 7, 8]>
flow.executable private @f {
  func.func private @f()
  flow.variant @v target("x86-64-v3") format("elf-x86_64") features(["avx2"]) symbol("f") object(dense<7> : tensor<3xi8>) {
    func.func @workgroups() -> index { %c1 = arith.constant 1 : index return %c1 : index }
    func.func @scratch() -> index { %c0 = arith.constant 0 : index return %c0 : index }
  }
}
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?x2xi32>, ["n", ""]>]) results([#host.value<"y", tensor<?xi32>, [""]>]) symbols(["n"]) {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %a = host.parameter @a on @d
  %b = host.parameter @b on @d
  %m = host.parameter @mask on @d
  %y = host.result 0 on @d size %c16
  host.dispatch %s, @f(%x, %a, %b, %m, %y) launch(%c1, %c1) access(["r", "r", "r", "r", "w"])
  host.return %y shape(%n)
}
