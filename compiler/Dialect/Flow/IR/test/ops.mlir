// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

#rhs = #encoding.contraction<role = rhs, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], sizes = [?, 4, 4], constant>
#panels = #encoding.layout<perm = [1, 0], inner_dims = [1], inner_tiles = [16], swizzle = []>

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>

// CHECK: flow.parameter private @w : tensor<2x2xf32> = dense<1.000000e+00>
flow.parameter private @w : tensor<2x2xf32> = dense<1.0>
// CHECK: flow.parameter scope "model" private @v : tensor<1xi64> = dense<7>
flow.parameter scope "model" private @v : tensor<1xi64> = dense<7>

// CHECK: flow.parameter private @encoded : tensor<4x4xf32, #encoding.contraction<{{.*}}>> = dense<2.000000e+00> : tensor<4x4xf32>
flow.parameter private @encoded : tensor<4x4xf32, #rhs> = dense<2.0> : tensor<4x4xf32>
// CHECK: flow.parameter private @packed : tensor<4x4xf32, #encoding.layout<{{.*}}>> = dense<2.000000e+00> : tensor<1x4x16xf32>
flow.parameter private @packed : tensor<4x4xf32, #panels> = dense<2.0> : tensor<1x4x16xf32>

// CHECK: flow.executable private @copy {
flow.executable private @copy {
  func.func @copy(%a: tensor<?x2xf32>, %m: index) -> tensor<?x2xf32> { return %a : tensor<?x2xf32> }
  // CHECK: flow.variant @v4 target("x86-64-v4") format("elf-x86_64") features(["avx512f"]) symbol("kernel") object(dense<[127, 69]> : tensor<2xi8>)
  flow.variant @v4 target("x86-64-v4") format("elf-x86_64") features(["avx512f"]) symbol("kernel") object(dense<[127, 69]> : tensor<2xi8>) {
    func.func @workgroups(%m: index) -> index { return %m : index }
    func.func @scratch(%m: index) -> index { return %m : index }
  }
}

// CHECK-LABEL: @main
func.func @main(%x: tensor<?x2xf32> {heddle.dims = ["m", ""]}) -> tensor<?x2xf32> {
  // CHECK: %[[M:.*]] = flow.dimension "m"
  %m = flow.dimension "m"
  // CHECK: flow.parameter.load @w : tensor<2x2xf32>
  %w = flow.parameter.load @w : tensor<2x2xf32>
  // CHECK: flow.region -> (tensor<?x2xf32>{%[[M]]}) {
  %r = flow.region -> (tensor<?x2xf32>{%m}) {
    // CHECK: flow.return %{{.*}} : tensor<?x2xf32>
    flow.return %x : tensor<?x2xf32>
  }
  // CHECK: flow.dispatch @copy(%{{.*}}) [%[[M]]] : (tensor<?x2xf32>{%[[M]]}) -> (tensor<?x2xf32>{%[[M]]})
  %0 = flow.dispatch @copy(%r)[%m] : (tensor<?x2xf32>{%m}) -> (tensor<?x2xf32>{%m})
  // CHECK: flow.transfer %{{.*}}{%[[M]]} : tensor<?x2xf32> to #device.affinity<@d>
  %1 = flow.transfer %0{%m} : tensor<?x2xf32> to #device.affinity<@d>
  return %1 : tensor<?x2xf32>
}

// A proved index needs no check; an unproved one keeps it.
// FOLD-LABEL: @checked
// FOLD-SAME: (%[[I:.*]]: index)
func.func @checked(%i: index) -> (index, index, index) {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %inside = flow.checked_index %c3, %c4
  // FOLD: %[[OUT:.*]] = flow.checked_index %c4
  %outside = flow.checked_index %c4, %c4
  // FOLD: %[[UNKNOWN:.*]] = flow.checked_index %[[I]], %c4
  %unknown = flow.checked_index %i, %c4
  // FOLD: return %c3, %[[OUT]], %[[UNKNOWN]]
  return %inside, %outside, %unknown : index, index, index
}

// FOLD-LABEL: @checks
// FOLD-NOT: "held"
// FOLD: flow.check %false, "broken"
func.func @checks() {
  %true = arith.constant true
  %false = arith.constant false
  flow.check %true, "held"
  flow.check %false, "broken"
  return
}

// CHECK-LABEL: @encode
// CHECK: flow.encode %{{.*}} : tensor<?x4xf32>{%{{.*}}} -> tensor<?x4xf32, #encoding.layout<{{.*}}>>
// FOLD-LABEL: @encode
// FOLD-SAME: (%{{.*}}: tensor<?x4xf32>, %[[E:.*]]: tensor<4x4xf32, #{{.*}}>, %{{.*}}: index)
// FOLD: return %{{.*}}, %[[E]] :
func.func @encode(%x: tensor<?x4xf32>, %e: tensor<4x4xf32, #panels>, %m: index) -> (tensor<?x4xf32, #panels>, tensor<4x4xf32, #panels>) {
  %0 = flow.encode %x : tensor<?x4xf32>{%m} -> tensor<?x4xf32, #panels>
  %1 = flow.encode %e : tensor<4x4xf32, #panels> -> tensor<4x4xf32, #panels>
  return %0, %1 : tensor<?x4xf32, #panels>, tensor<4x4xf32, #panels>
}
