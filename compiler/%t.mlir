// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-write-artifact=path=%t.heddle -o /dev/null
// RUN: heddle inspect %t.heddle --json | FileCheck %s
// RUN: sed 's/2048, 1, 1, 65536/2048, 1, 1, 65536/' %s > %t.mlir
// RUN: not heddle-opt %t.mlir --package-write-artifact=path=%t.heddle -o /dev/null 2>&1 | FileCheck %s --check-prefix=LARGE

// A variant has the launch record of its code, or none.
// CHECK: "variants": [
// CHECK: "features": [
// CHECK: "launches": [
// CHECK: "block": [
// CHECK-NEXT: 128,
// CHECK-NEXT: 1,
// CHECK-NEXT: 1
// CHECK: "shared_bytes": 65536
// CHECK-NOT: "launches"
// CHECK: "report"
// LARGE: error: 'flow.variant' op launch must be invocations along x, y and z, from 1 to 1024 together, and at most 1048576 shared bytes, got array<i64: 2048, 1, 1, 65536>
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f {
  func.func private @f()
  flow.variant @v target("sm_90") format("ptx") features(["sm_90"]) symbol("f") object(dense<7> : tensor<3xi8>) attributes {launch = array<i64: 2048, 1, 1, 65536>} {
    func.func @workgroups() -> index { %c1 = arith.constant 1 : index return %c1 : index }
    func.func @scratch() -> index { %c0 = arith.constant 0 : index return %c0 : index }
  }
}
flow.executable private @g {
  func.func private @g()
  flow.variant @w target("x86-64-v3") format("elf-x86_64") features(["avx2"]) symbol("g") object(dense<7> : tensor<3xi8>) {
    func.func @workgroups() -> index { %c1 = arith.constant 1 : index return %c1 : index }
    func.func @scratch() -> index { %c0 = arith.constant 0 : index return %c0 : index }
  }
}
host.func @main(%s: !host.stream, %x: !host.buffer)
    arguments([#host.value<"x", tensor<4xi32>, [""]>]) results([#host.value<"y", tensor<4xi32>, [""]>]) symbols([]) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %y = host.result 0 on @d size %c16
  host.dispatch %s, @f(%x, %y) launch(%c1, %c1) access(["r", "w"])
  host.dispatch %s, @g(%x, %y) launch(%c1, %c1) access(["r", "w"])
  host.return %y shape(%c4)
}
