// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seed of the fuzz target `artifact`: two devices, queues, a loop and branches, a reduction in parts.
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>

func.func @chains(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul {heddle.affinity = #device.affinity<@a, [0]>} ins(%x, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.matmul {heddle.affinity = #device.affinity<@a, [1]>} ins(%w, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = linalg.matmul {heddle.affinity = #device.affinity<@b>} ins(%0, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%z : tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = arith.addf %1, %2 {heddle.affinity = #device.affinity<@a, [1]>} : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

func.func @loop(%x: tensor<4xi32>, %n: tensor<i64>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = tensor.extract %n[] : tensor<i64>
  %k = arith.index_cast %trips : i64 to index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%v = %x) -> (tensor<4xi32>) {
    %0 = arith.addi %v, %x {heddle.affinity = #device.affinity<@a, [0]>} : tensor<4xi32>
    %1 = arith.muli %v, %v {heddle.affinity = #device.affinity<@b>} : tensor<4xi32>
    %is = arith.cmpi eq, %i, %c1 : index
    %2 = scf.if %is -> (tensor<4xi32>) {
      %a = arith.subi %0, %1 {heddle.affinity = #device.affinity<@a, [1]>} : tensor<4xi32>
      scf.yield %a : tensor<4xi32>
    } else {
      %a = arith.addi %0, %1 {heddle.affinity = #device.affinity<@b, [2]>} : tensor<4xi32>
      scf.yield %a : tensor<4xi32>
    }
    scf.yield %2 : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}

func.func @parts(%x: tensor<?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<?xf32>) outs(%z : tensor<f32>) dimensions = [0] {heddle.affinity = #device.affinity<@a>}
  return %0 : tensor<f32>
}
