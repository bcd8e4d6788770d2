// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-resolve-launches | FileCheck %s

flow.executable private @mm {
  func.func private @mm()
  flow.variant @v target("x86-64-v3") format("elf-x86_64") features(["avx2"]) symbol("mm") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups(%m: index) -> index {
      %c16 = arith.constant 16 : index
      %0 = arith.ceildivsi %m, %c16 : index
      return %0 : index
    }
    func.func @scratch(%m: index) -> index {
      %c64 = arith.constant 64 : index
      return %c64 : index
    }
  }
}
// CHECK-LABEL: host.func @main
host.func @main(%s: !host.stream, %x: !host.buffer, %m: index)
    arguments([#host.value<"x", tensor<?xf32>, ["m"]>]) results([]) symbols(["m"]) {
  // CHECK: %[[GROUPS:.*]] = arith.ceildivsi %[[M:.*]], %{{.*}} : index
  // CHECK: %[[SCRATCH:.*]] = arith.constant 64 : index
  // CHECK: host.dispatch %{{.*}}, @mm(%{{.*}}) [%[[M]]] launch(%[[GROUPS]], %[[SCRATCH]]) access(["r"])
  host.dispatch %s, @mm(%x) [%m] access(["r"])
  host.return shape()
}

// Variants: the same scratch memory, different workgroups.
flow.executable private @two {
  func.func private @two()
  flow.variant @v4 target("x86-64-v4") format("elf-x86_64") features(["avx512f"]) symbol("mm") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups(%m: index) -> index {
      %c32 = arith.constant 32 : index
      %0 = arith.ceildivsi %m, %c32 : index
      return %0 : index
    }
    func.func @scratch(%m: index) -> index {
      %c64 = arith.constant 64 : index
      return %c64 : index
    }
  }
  flow.variant @v3 target("x86-64-v3") format("elf-x86_64") features(["avx2"]) symbol("mm") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups(%m: index) -> index {
      %c16 = arith.constant 16 : index
      %0 = arith.ceildivsi %m, %c16 : index
      return %0 : index
    }
    func.func @scratch(%m: index) -> index {
      %c64 = arith.constant 64 : index
      return %c64 : index
    }
  }
}

// Variants that launch alike share one pair.
flow.executable private @alike {
  func.func private @alike()
  flow.variant @v4 target("x86-64-v4") format("elf-x86_64") features(["avx512f"]) symbol("mm") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups(%m: index) -> index { return %m : index }
    func.func @scratch(%m: index) -> index { return %m : index }
  }
  flow.variant @v3 target("x86-64-v3") format("elf-x86_64") features(["avx2"]) symbol("mm") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups(%n: index) -> index { return %n : index }
    func.func @scratch(%n: index) -> index { return %n : index }
  }
}
// CHECK-LABEL: host.func @variants
host.func @variants(%s: !host.stream, %x: !host.buffer, %m: index)
    arguments([#host.value<"x", tensor<?xf32>, ["m"]>]) results([]) symbols(["m"]) {
  // CHECK: %[[C32:.*]] = arith.constant 32
  // CHECK: %[[V4:.*]] = arith.ceildivsi %[[M:.*]], %[[C32]]
  // CHECK: %[[SCRATCH:.*]] = arith.constant 64
  // CHECK: %[[C16:.*]] = arith.constant 16
  // CHECK: %[[V3:.*]] = arith.ceildivsi %[[M]], %[[C16]]
  // CHECK: host.dispatch %{{.*}}, @two(%{{.*}}) [%[[M]]] launch(%[[V4]], %[[SCRATCH]], %[[V3]], %[[SCRATCH]])
  host.dispatch %s, @two(%x) [%m] access(["r"])
  // CHECK: host.dispatch %{{.*}}, @alike(%{{.*}}) [%[[M]]] launch(%[[M]], %[[M]]) access
  host.dispatch %s, @alike(%x) [%m] access(["r"])
  host.return shape()
}
