// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An executable has the layouts of all devices that run it, by executable target.
// RUN: heddle-opt %s "--resolve-encodings=resolver=x86-64-v4=blocked,x86-64-v3=identity" | FileCheck %s
// RUN: heddle-opt %s "--resolve-encodings=resolver=x86-64-v4=blocked,x86-64-v3=identity" --resolve-encodings | FileCheck %s
// RUN: heddle-opt %s --resolve-encodings | FileCheck %s --check-prefix=SAME
// A target that two devices use with different layouts makes a copy; each call goes to its own.
// RUN: heddle-opt %s "--resolve-encodings=resolver=one=blocked,two=identity,three=identity" | FileCheck %s --check-prefix=COPY

#map = affine_map<(m, n, k) -> (m, n)>
#e = #encoding.contraction<role = acc, types = [f32, f32, f32], maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, #map], sizes = [4, 4, 4]>
device.global @one = #device.target<"local", {ordinal = 0}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>
device.global @two = #device.target<"local", {ordinal = 1}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @three = #device.target<"local", {ordinal = 2}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v4", features = ""}>]>

// CHECK: flow.executable private @f {
// CHECK: func.func @f(%{{.*}}: tensor<4x4xf32, #encoding.by_target<[#device.executable<"elf-x86_64", {cpu = "x86-64-v4"{{.*}}}>, #device.executable<"elf-x86_64", {cpu = "x86-64-v3"{{.*}}}>], [#encoding.layout<{{.*}}>, #encoding.identity]>>) -> tensor<4x4xf32>
// COPY: flow.executable private @f {
// COPY: func.func @f(%{{.*}}: tensor<4x4xf32, #encoding.by_target<
// COPY: flow.executable private @f_layout_1 {
// COPY: func.func @f_layout_1(%{{.*}}: tensor<4x4xf32>) -> tensor<4x4xf32>
// COPY-NOT: flow.executable private @f_
// CHECK-NOT: flow.executable private @f_
// What has no encoding is never copied.
// CHECK: flow.executable private @plain
// CHECK-NOT: flow.executable private @plain_
// SAME: flow.executable private @f
// SAME-NOT: flow.executable private @f_
flow.executable private @f {
  func.func @f(%x: tensor<4x4xf32, #e>) -> tensor<4x4xf32> {
    %r = encoding.unset %x : tensor<4x4xf32, #e> -> tensor<4x4xf32>
    return %r : tensor<4x4xf32>
  }
}
flow.executable private @plain {
  func.func @plain(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
    return %x : tensor<4x4xf32>
  }
}
// CHECK-LABEL: func.func @main
// CHECK: flow.dispatch @f(%{{.*}}) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32, #encoding.layout
// CHECK: flow.dispatch @f(%{{.*}}) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32>)
// CHECK: flow.dispatch @f(%{{.*}}) {heddle.affinity = #device.affinity<@three>} : (tensor<4x4xf32, #encoding.layout
// COPY-LABEL: func.func @main
// COPY: flow.dispatch @f(%{{.*}}) {heddle.affinity = #device.affinity<@one>}
// COPY: flow.dispatch @f(%{{.*}}) {heddle.affinity = #device.affinity<@two>}
// COPY: flow.dispatch @f_layout_1(%{{.*}}) {heddle.affinity = #device.affinity<@three>}
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %a = flow.encode %x {heddle.affinity = #device.affinity<@one>} : tensor<4x4xf32> -> tensor<4x4xf32, #e>
  %0 = flow.dispatch @f(%a) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  %b = flow.encode %x {heddle.affinity = #device.affinity<@two>} : tensor<4x4xf32> -> tensor<4x4xf32, #e>
  %1 = flow.dispatch @f(%b) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  %c = flow.encode %x {heddle.affinity = #device.affinity<@three>} : tensor<4x4xf32> -> tensor<4x4xf32, #e>
  %2 = flow.dispatch @f(%c) {heddle.affinity = #device.affinity<@three>} : (tensor<4x4xf32, #e>) -> (tensor<4x4xf32>)
  %3 = flow.dispatch @plain(%x) {heddle.affinity = #device.affinity<@one>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>)
  %4 = flow.dispatch @plain(%x) {heddle.affinity = #device.affinity<@two>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %0, %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
