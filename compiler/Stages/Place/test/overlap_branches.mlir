// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --place-overlap-branches --split-input-file | FileCheck %s

// Two branches of 16 and 8 operations at one a nanosecond between a dispatch that both read and one that reads both: the
// shorter one goes to the second of the queues that the device states. What the program waits for ends what may be
// issued in another order.

// CHECK: module attributes {heddle.branches = ["2 branches, at @long, @short: on 2 queues, 32.0 us expected instead of 48.0 us"]
module {
device.global @a = #device.target<"local", {queues = 2, gflops = 1.0e-3, launch_us = 1.0e-3},
                                  [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @e {
  func.func @e(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
flow.executable private @short {
  func.func @short(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
flow.executable private @long {
  func.func @long(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
flow.executable private @join {
  func.func @join(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.add ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// CHECK-LABEL: func @main
// CHECK: flow.dispatch @e({{.*}}) {heddle.affinity = #device.affinity<@a>}
// CHECK: flow.dispatch @long({{.*}}) {heddle.affinity = #device.affinity<@a>}
// CHECK: flow.dispatch @short({{.*}}) {heddle.affinity = #device.affinity<@a, [1]>}
// CHECK: flow.dispatch @long({{.*}}) {heddle.affinity = #device.affinity<@a>}
// CHECK: flow.dispatch @join({{.*}}) {heddle.affinity = #device.affinity<@a>}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %1 = flow.dispatch @long(%0) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %2 = flow.dispatch @short(%0) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %3 = flow.dispatch @long(%1) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %4 = flow.dispatch @join(%2, %3) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>)
  return %4 : tensor<8xf32>
}

// CHECK-LABEL: func @waits
// CHECK-NOT: @a, [
// CHECK: return
func.func @waits(%x: tensor<8xf32>, %i: index) -> (tensor<8xf32>, tensor<8xf32>, f32) {
  %0 = flow.dispatch @long(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %e = tensor.extract %0[%i] : tensor<8xf32>
  %1 = flow.dispatch @short(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  return %0, %1, %e : tensor<8xf32>, tensor<8xf32>, f32
}
}

// -----

// Branches of small work on a processor stay: handing them over takes longer than they do. So do free sizes, a queue that
// the user names, and what stands in a loop over streams. Views are no work.

// CHECK: heddle.branches = [
// CHECK-SAME: "2 branches, at @e, @e: one queue, as others gain too little: {{[^"]*}}"
// CHECK-SAME: "2 branches, at @e, @e: one queue, as times are not known: free sizes without --expect, transfers, or queues that are named"
// CHECK-SAME: "2 branches, at @free, @free: one queue, as times are not known: free sizes without --expect, transfers, or queues that are named"
// CHECK-NOT: branches, at
module {
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @e {
  func.func @e(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
flow.executable private @free {
  func.func @free(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
}
func.func @small(%x: tensor<8xf32>) -> (tensor<2x4xf32>, tensor<8xf32>) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %v = tensor.expand_shape %0 [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  return %v, %1 : tensor<2x4xf32>, tensor<8xf32>
}
// CHECK-LABEL: func @named
// CHECK: flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a, [3]>}
// CHECK: flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a>}
func.func @named(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a, [3]>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func @sizes(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = flow.dispatch @free(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%n})
  %1 = flow.dispatch @free(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<?xf32>{%n}) -> (tensor<?xf32>{%n})
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
}

// -----

// A copy stays on the first queue, with its branch.

module {
device.global @a = #device.target<"local", {queues = 2, gflops = 1.0e-3, launch_us = 1.0e-3},
                                  [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @e {
  func.func @e(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// CHECK-LABEL: func @copy
// CHECK: flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a, [1]>}
// CHECK: %[[E:.*]] = flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a>}
// CHECK: tensor.insert_slice %[[E]]
func.func @copy(%x: tensor<8xf32>, %y: tensor<16xf32>) -> (tensor<8xf32>, tensor<16xf32>) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %2 = tensor.insert_slice %1 into %y[4] [8] [1] : tensor<8xf32> into tensor<16xf32>
  return %0, %2 : tensor<8xf32>, tensor<16xf32>
}
}

// -----

// A processor that states its cores: one has nothing beside it, two are shared, and four queues are used on four.

// CHECK: heddle.branches = ["4 branches, at @e, @e, @e, @e: on 2 queues, {{[^"]*}}", "4 branches, at @e, @e, @e, @e: on 4 queues, {{[^"]*}}"]
module {
device.global @one = #device.target<"local", {units = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @two = #device.target<"local", {units = 2}, [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @four = #device.target<"local", {units = 4}, [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @e {
  func.func @e(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
    %0 = linalg.matmul ins(%x, %x : tensor<128x128xf32>, tensor<128x128xf32>) outs(%x : tensor<128x128xf32>) -> tensor<128x128xf32>
    return %0 : tensor<128x128xf32>
  }
}
// CHECK-LABEL: func @on_one
// CHECK-NOT: @one, [
// CHECK-LABEL: func @on_two
// CHECK: #device.affinity<@two, [1]>
// CHECK-NOT: @two, [2]
// CHECK-LABEL: func @on_four
// CHECK-DAG: #device.affinity<@four, [1]>
// CHECK-DAG: #device.affinity<@four, [2]>
// CHECK-DAG: #device.affinity<@four, [3]>
func.func @on_one(%x: tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %2 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %3 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  return %0, %1, %2, %3 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
}
func.func @on_two(%x: tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@two>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@two>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %2 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@two>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %3 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@two>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  return %0, %1, %2, %3 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
}
func.func @on_four(%x: tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@four>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@four>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %2 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@four>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  %3 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@four>} : (tensor<128x128xf32>) -> (tensor<128x128xf32>)
  return %0, %1, %2, %3 : tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
}
}

// -----

// Nothing is said of one chain, with a skip in it, and nothing where devices state nothing and share no processor.

// CHECK-NOT: heddle.branches
module {
device.global @a = #device.target<"vulkan", [#device.executable<"spirv", {}>]>
flow.executable private @e {
  func.func @e(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }
}
func.func @on_two(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  %1 = flow.dispatch @e(%x) {heddle.affinity = #device.affinity<@a>} : (tensor<8xf32>) -> (tensor<8xf32>)
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
}
