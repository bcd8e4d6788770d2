// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-build-host-program --split-input-file --verify-diagnostics

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<1x4xi32>) -> tensor<1x4xi32> { return %a : tensor<1x4xi32> } }
func.func @scalar(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = tensor.empty() : tensor<4x4xi32>
  // expected-error @+1 {{'scf.for' op runs on streams and carries 'index' from one iteration to the next; only tensors of which each iteration writes a part can be}}
  %y:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%whole = %empty, %sum = %c0) -> (tensor<4x4xi32>, index) {
    %from = tensor.extract_slice %x[%sum, 0] [1, 4] [1, 1] : tensor<4x4xi32> to tensor<1x4xi32>
    %a = flow.dispatch @f(%from) : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
    %next = tensor.insert_slice %a into %whole[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<4x4xi32>
    %more = arith.addi %sum, %c1 : index
    scf.yield %next, %more : tensor<4x4xi32>, index
  } {heddle.streams = #flow.streams<2>}
  return %y#0 : tensor<4x4xi32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4x4xi32>) -> tensor<4x4xi32> { return %a : tensor<4x4xi32> } }
func.func @whole(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{'scf.for' op runs on streams, so each iteration writes a part of what it carries by one tensor.insert_slice of unit strides and reads nothing of it, got result 0 changed otherwise}}
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%whole = %x) -> (tensor<4x4xi32>) {
    %a = flow.dispatch @f(%whole) : (tensor<4x4xi32>) -> (tensor<4x4xi32>)
    scf.yield %a : tensor<4x4xi32>
  } {heddle.streams = #flow.streams<2>}
  return %y : tensor<4x4xi32>
}

// -----

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @g = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<1x4xi32>) -> tensor<1x4xi32> { return %a : tensor<1x4xi32> } }
func.func @devices(%x: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %empty = tensor.empty() : tensor<4x4xi32>
  %y = scf.for %i = %c0 to %c4 step %c1 iter_args(%whole = %empty) -> (tensor<4x4xi32>) {
    %from = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<4x4xi32> to tensor<1x4xi32>
    %a = flow.dispatch @f(%from) : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
    // expected-error @+1 {{'flow.transfer' op runs on @g in a loop over streams of @d; a loop over streams stays on one device}}
    %b = flow.transfer %a : tensor<1x4xi32> to #device.affinity<@g>
    %next = tensor.insert_slice %b into %whole[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<4x4xi32>
    scf.yield %next : tensor<4x4xi32>
  } {heddle.streams = #flow.streams<2>}
  return %y : tensor<4x4xi32>
}
