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
