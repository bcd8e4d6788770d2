// RUN: heddle-opt %s --place-assign-affinities | FileCheck %s

// CHECK: flow.dispatch @e(%arg0) {heddle.affinity = #device.affinity<@a>}
// CHECK: flow.dispatch @e({{.*}}) {heddle.affinity = #device.affinity<@b>}
device.global @a = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = flow.dispatch @e(%x) : (tensor<4xf32>) -> (tensor<4xf32>)
  %1 = flow.dispatch @e(%0) {heddle.affinity = #device.affinity<@b>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return %1 : tensor<4xf32>
}
flow.executable private @e {
  func.func @e(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
}
