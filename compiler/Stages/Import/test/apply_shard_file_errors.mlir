// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && split-file %S/Inputs/apply_shard_file_errors.txt %t
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: none{{.*}}error: cannot read the sharding file
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/text.shard 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: text.shard:2:1: error: expected '[' or '{' to begin a sharding
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/mesh.shard 2>&1 | FileCheck %s --check-prefix=MESH
// MESH: mesh.shard:1:1: error: there are several meshes (m, other); say which one: 'pattern = @m …'
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/taken.shard 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: taken.shard:1:1: error: the model declares a mesh 'm' itself; remove this line, or give this one a name: 'mesh NAME: …'
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/symbol.shard 2>&1 | FileCheck %s --check-prefix=SYMBOL
// SYMBOL: symbol.shard:1:1: error: the model has something else that is called 'main'; give the mesh another name: 'mesh NAME: …'
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/unknown.shard 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown.shard:2:1: error: there is no mesh 'mm'; meshes: m; did you mean 'm'?
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/axis.shard 2>&1 | FileCheck %s --check-prefix=AXIS
// AXIS: axis.shard:1:1: error: the mesh 'm' has no axis 'tpp'; axes: tp; did you mean 'tp'?
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/twice.shard 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: twice.shard:1:1: error: the axis 'tp' is named twice; it cuts one dimension, once
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/reduction.shard 2>&1 | FileCheck %s --check-prefix=REDUCTION
// REDUCTION: reduction.shard:1:1: error: no reduction is called 'mean'; there are sum, product
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/rank.shard 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: rank.shard:1:1: error: the pattern 'x' shards 1 dimensions and fits 'x', which has 2 dimensions; put a line that fits it in front of this one
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/dimension.shard 2>&1 | FileCheck %s --check-prefix=DIMENSION
// DIMENSION: dimension.shard:1:1: error: the pattern 'x' shards dimension -3 and fits 'x', which has 2 dimensions; put
// RUN: not heddle-opt %s --import-apply-shard-file=file=%t/idle.shard 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE-NOT: idle.shard:2
// IDLE: idle.shard:3:1: error: the pattern 'input_x' fits no input, parameter, value or node of the model, or import computed what it fits away; did you mean 'input_a'?
// IDLE: idle.shard:4:1: error: the pattern 'n' fits only what the host computes, sizes and counters, which every rank has; remove the line
// IDLE-NOT: idle.shard:2

device.mesh @m = [tp = 2]

func.func @main(%x: tensor<4x4xf32> {heddle.name = "x"}, %a: tensor<4x4xf32> {heddle.name = "input_a"},
                %n: index {heddle.name = "n"}) -> (tensor<4x4xf32> {heddle.name = "y"}) {
  %0 = linalg.add ins(%x, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
