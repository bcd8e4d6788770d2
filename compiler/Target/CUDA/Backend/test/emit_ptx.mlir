// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-lower-to-invocations,cuda-convert-to-nvvm,cuda-emit-ptx))' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(kernel.program(codegen-compile-programs))' | %python %root/compiler/Target/Vulkan/Backend/test/Inputs/object.py | FileCheck %s --check-prefix=PTX

// CHECK: kernel.program @p of @e for {{.*}} object(dense_resource<p> : tensor<{{[0-9]+}}xi8>)

// PTX: .version 8.0
// PTX: .target sm_90
// PTX: .visible .entry kernel(
// PTX: .reqntid 128, 1, 1
// Rows are summed through shared memory.
// PTX: ld.global
// PTX: st.shared
// PTX: {{bar.sync|barrier.sync.aligned}}
// PTX: ld.shared
// PTX: st.global
kernel.program @p of @e for #device.executable<"ptx", {arch = "sm_90", workgroup = 128}> {
  func.func @kernel(%x: tensor<8x200xf32>) -> tensor<8xf32> {
    %zero = arith.constant 0.0 : f32
    %row = tensor.empty() : tensor<8xf32>
    %zeros = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%row : tensor<8xf32>) {
    ^bb0(%b: f32):
      linalg.yield %zero : f32
    } -> tensor<8xf32>
    %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<8x200xf32>) outs(%zeros : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32):
      %m = arith.addf %a, %b : f32
      linalg.yield %m : f32
    } -> tensor<8xf32>
    return %sum : tensor<8xf32>
  }
}
