// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-slot-buffers,schedule-synchronize-streams,schedule-plan-memory,canonicalize,cse),schedule-verify-host)' | FileCheck %s
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-slot-buffers,schedule-synchronize-streams,schedule-plan-memory,canonicalize,cse),schedule-verify-host,run-host{schedules=200})' -o /dev/null | FileCheck %s --check-prefix=RESULT
// RUN: heddle-opt %s --pass-pipeline='builtin.module(schedule-build-host-program,host.func(canonicalize,cse,schedule-free-buffers,schedule-slot-buffers,schedule-synchronize-streams,schedule-plan-memory,package-flatten-stream-loops,canonicalize,cse),run-host{schedules=200})' -o /dev/null | FileCheck %s --check-prefix=RESULT

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
device.global @g = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f attributes {host.fake = "add_constant"} {
  func.func @f(%a: tensor<?x4xi32>, %n: index) -> tensor<?x4xi32> { return %a : tensor<?x4xi32> }
}
flow.executable private @row attributes {host.fake = "add_constant"} {
  func.func @row(%a: tensor<1x4xi32>, %n: index) -> tensor<1x4xi32> { return %a : tensor<1x4xi32> }
}
flow.executable private @column attributes {host.fake = "add_constant"} {
  func.func @column(%a: tensor<2xi32>, %n: index) -> tensor<2x1xi32> { %0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 1] : tensor<2xi32> into tensor<2x1xi32>  return %0 : tensor<2x1xi32> }
}

// Three balanced parts on two streams: written into the result, which needs no zeros; a slot for each stream between.
// CHECK-LABEL: host.func @rows
// CHECK: %[[Y:.*]] = host.result 0 on @d
// CHECK-NOT: host.fill
// CHECK: host.stream_for %[[I:.*]] to %c3 slot %[[K:.*]] stream %[[MINE:.*]] on @d 0 streams %c2 issue %{{.*}} {
// CHECK: %[[TO:.*]] = host.view %[[Y]]
// CHECK: %[[FROM:.*]] = host.view %arg1
// CHECK: %[[AT:.*]] = arith.muli %[[K]]
// CHECK: %[[OWN:.*]] = host.view %{{.*}}[%[[AT]]]
// CHECK: host.dispatch %[[MINE]], @f(%[[FROM]], %[[OWN]])
// CHECK: host.dispatch %[[MINE]], @f(%[[OWN]], %[[TO]])
// CHECK-NOT: host.copy
// CHECK: host.return %[[Y]]
// RESULT: rows call 0: y = dense<{{\[\[}}110, 110, 110, 110], [111, 111, 111, 111], [112, 112, 112, 112], [113, 113, 113, 113]]>
// RESULT-NEXT: memory: slab 128 bytes, 0 allocations
// RESULT: rows call 1: y = dense<110>
// RESULT: rows call 2: y = dense<>
func.func @rows(%x: tensor<?x4xi32> {heddle.name = "x", heddle.dims = ["n", ""]})
    -> (tensor<?x4xi32> {heddle.name = "y", heddle.dims = ["n", ""]}) attributes {host.inputs = [
    [dense<[[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]> : tensor<4x4xi32>],
    [dense<0> : tensor<1x4xi32>], [dense<> : tensor<0x4xi32>]]} {
  %n = flow.dimension "n"
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c100 = arith.constant 100 : index
  %empty = tensor.empty(%n) : tensor<?x4xi32>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%whole = %empty) -> (tensor<?x4xi32>) {
    %next = arith.addi %i, %c1 : index
    %p = arith.muli %i, %n : index
    %q = arith.muli %next, %n : index
    %begin = arith.divsi %p, %c3 : index
    %end = arith.divsi %q, %c3 : index
    %size = arith.subi %end, %begin : index
    %from = tensor.extract_slice %x[%begin, 0] [%size, 4] [1, 1] : tensor<?x4xi32> to tensor<?x4xi32>
    %a = flow.dispatch @f(%from)[%c10] : (tensor<?x4xi32>{%size}) -> (tensor<?x4xi32>{%size})
    %b = flow.dispatch @f(%a)[%c100] : (tensor<?x4xi32>{%size}) -> (tensor<?x4xi32>{%size})
    %made = tensor.insert_slice %b into %whole[%begin, 0] [%size, 4] [1, 1] : tensor<?x4xi32> into tensor<?x4xi32>
    scf.yield %made : tensor<?x4xi32>
  } {heddle.streams = #flow.streams<2>}
  return %y : tensor<?x4xi32>
}

// Columns of a dispatch that knows no stride are copied to their places. Not all columns are written: the others are
// zeros.
// CHECK-LABEL: host.func @columns
// CHECK: host.fill
// CHECK: host.stream_for {{.*}} streams %c2 issue %{{.*}} ordered {
// CHECK: host.dispatch
// CHECK-COUNT-2: host.copy
// RESULT: columns call 0: y = dense<{{\[\[}}10, 11, 0], [10, 11, 0]]>
func.func @columns(%x: tensor<2x2xi32> {heddle.name = "x"}) -> (tensor<2x3xi32> {heddle.name = "y"})
    attributes {host.inputs = [[dense<[[0, 0], [1, 1]]> : tensor<2x2xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %empty = tensor.empty() : tensor<2x3xi32>
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%whole = %empty) -> (tensor<2x3xi32>) {
    %from = tensor.extract_slice %x[%i, 0] [1, 2] [1, 1] : tensor<2x2xi32> to tensor<2xi32>
    %a = flow.dispatch @column(%from)[%c10] : (tensor<2xi32>) -> (tensor<2x1xi32>)
    %made = tensor.insert_slice %a into %whole[0, %i] [2, 1] [1, 1] : tensor<2x1xi32> into tensor<2x3xi32>
    scf.yield %made : tensor<2x3xi32>
  } {heddle.streams = #flow.streams<2, ordered>}
  return %y : tensor<2x3xi32>
}

// On another device, in a loop of the host: what it reads is brought there before, and the call waits for it behind.
// CHECK-LABEL: host.func @elsewhere
// CHECK: %[[G:.*]] = host.stream on @g 0
// CHECK: scf.for
// CHECK: host.copy %[[G]]
// CHECK: host.stream_for {{.*}} on @g 1 streams %{{.*}} issue %[[G]] {
// CHECK: host.record %[[G]]
// CHECK: host.wait %arg0
// RESULT: elsewhere call 0: y = dense<{{\[\[}}20, 20, 20, 20], [21, 21, 21, 21], [22, 22, 22, 22]]>
func.func @elsewhere(%x: tensor<3x4xi32> {heddle.name = "x"}) -> (tensor<3x4xi32> {heddle.name = "y"})
    attributes {host.inputs = [[dense<[[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2]]> : tensor<3x4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %y = scf.for %j = %c0 to %c2 step %c1 iter_args(%last = %x) -> (tensor<3x4xi32>) {
    %there = flow.transfer %last : tensor<3x4xi32> to #device.affinity<@g>
    %empty = tensor.empty() : tensor<3x4xi32>
    %made = scf.for %i = %c0 to %c3 step %c1 iter_args(%whole = %empty) -> (tensor<3x4xi32>) {
      %from = tensor.extract_slice %there[%i, 0] [1, 4] [1, 1] : tensor<3x4xi32> to tensor<1x4xi32>
      %a = flow.dispatch @row(%from)[%c10] {heddle.affinity = #device.affinity<@g>} : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
      %next = tensor.insert_slice %a into %whole[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<3x4xi32>
      scf.yield %next : tensor<3x4xi32>
    } {heddle.streams = #flow.streams<?>}
    %back = flow.transfer %made : tensor<3x4xi32> to #device.affinity<@d>
    scf.yield %back : tensor<3x4xi32>
  }
  return %y : tensor<3x4xi32>
}

// Nested: the inner loop writes parts of what the outer one carries.
// RESULT: nested call 0: y = dense<{{\[\[}}10, 10, 10, 10], [11, 11, 11, 11], [12, 12, 12, 12], [13, 13, 13, 13]]>
func.func @nested(%x: tensor<4x4xi32> {heddle.name = "x"}) -> (tensor<4x4xi32> {heddle.name = "y"})
    attributes {host.inputs = [[dense<[[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]]> : tensor<4x4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %empty = tensor.empty() : tensor<4x4xi32>
  %y = scf.for %j = %c0 to %c2 step %c1 iter_args(%all = %empty) -> (tensor<4x4xi32>) {
    %first = arith.muli %j, %c2 : index
    %made = scf.for %i = %c0 to %c2 step %c1 iter_args(%whole = %all) -> (tensor<4x4xi32>) {
      %row = arith.addi %first, %i : index
      %from = tensor.extract_slice %x[%row, 0] [1, 4] [1, 1] : tensor<4x4xi32> to tensor<1x4xi32>
      %a = flow.dispatch @row(%from)[%c10] : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
      %next = tensor.insert_slice %a into %whole[%row, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<4x4xi32>
      scf.yield %next : tensor<4x4xi32>
    } {heddle.streams = #flow.streams<3>}
    scf.yield %made : tensor<4x4xi32>
  } {heddle.streams = #flow.streams<2>}
  return %y : tensor<4x4xi32>
}

// Nested loops with a buffer in the inner one: a slot for each pair of streams. What the loop gives and reads itself is
// read where the whole has it.
// CHECK-LABEL: host.func @nestedSlots
// CHECK: %[[ALL:.*]] = host.slab on @d size %c384
// CHECK: host.stream_for {{.*}} slot %[[OUTER:.*]] stream
// CHECK: %[[OWN:.*]] = host.view %{{.*}}[%{{.*}}] size %c192
// CHECK: host.stream_for {{.*}} slot %[[INNER:.*]] stream %[[MINE:.*]] on @d 2 streams %c3
// CHECK: %[[FIRST:.*]] = host.view
// CHECK: %[[SLOT:.*]] = host.view %[[OWN]]
// CHECK: host.dispatch %[[MINE]], @row(%{{.*}}, %[[SLOT]])
// CHECK: host.dispatch %[[MINE]], @row(%[[SLOT]], %[[FIRST]])
// RESULT: nestedSlots call 0: y = dense<{{\[\[}}20, 20, 20, 20], [21, 21, 21, 21], [22, 22, 22, 22], [23, 23, 23, 23], [24, 24, 24, 24], [25, 25, 25, 25]]>
func.func @nestedSlots(%x: tensor<6x4xi32> {heddle.name = "x"}) -> (tensor<6x4xi32> {heddle.name = "y"})
    attributes {host.inputs = [[dense<[[0, 0, 0, 0], [1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4], [5, 5, 5, 5]]> : tensor<6x4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %empty = tensor.empty() : tensor<6x4xi32>
  %y = scf.for %j = %c0 to %c2 step %c1 iter_args(%all = %empty) -> (tensor<6x4xi32>) {
    %first = arith.muli %j, %c3 : index
    %made = scf.for %i = %c0 to %c3 step %c1 iter_args(%whole = %all) -> (tensor<6x4xi32>) {
      %row = arith.addi %first, %i : index
      %from = tensor.extract_slice %x[%row, 0] [1, 4] [1, 1] : tensor<6x4xi32> to tensor<1x4xi32>
      %a = flow.dispatch @row(%from)[%c10] : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
      %b = flow.dispatch @row(%a)[%c10] : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
      %next = tensor.insert_slice %b into %whole[%row, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<6x4xi32>
      scf.yield %next : tensor<6x4xi32>
    } {heddle.streams = #flow.streams<3>}
    scf.yield %made : tensor<6x4xi32>
  } {heddle.streams = #flow.streams<2>}
  return %y : tensor<6x4xi32>
}

// The part of one result is what the other one's is computed from, and is one of two results at once.
// CHECK-LABEL: host.func @shared
// CHECK-NOT: host.alloc
// CHECK: host.dispatch %[[MINE:.*]], @row(%{{.*}}, %[[A:.*]]) [
// CHECK: host.copy %[[MINE]]
// CHECK: host.dispatch %[[MINE]], @row(%[[A]], %{{.*}}) [
// RESULT: shared call 0: y = dense<{{\[\[}}10, 10, 10, 10], [11, 11, 11, 11]]> : tensor<2x4xi32>, z = dense<{{\[\[}}10, 10, 10, 10], [11, 11, 11, 11]]> : tensor<2x4xi32>, w = dense<{{\[\[}}20, 20, 20, 20], [21, 21, 21, 21]]>
func.func @shared(%x: tensor<2x4xi32> {heddle.name = "x"}) -> (tensor<2x4xi32> {heddle.name = "y"},
    tensor<2x4xi32> {heddle.name = "z"}, tensor<2x4xi32> {heddle.name = "w"})
    attributes {host.inputs = [[dense<[[0, 0, 0, 0], [1, 1, 1, 1]]> : tensor<2x4xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %e0 = tensor.empty() : tensor<2x4xi32>
  %e1 = tensor.empty() : tensor<2x4xi32>
  %e2 = tensor.empty() : tensor<2x4xi32>
  %r:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%y = %e0, %z = %e1, %w = %e2)
      -> (tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>) {
    %from = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<2x4xi32> to tensor<1x4xi32>
    %a = flow.dispatch @row(%from)[%c10] : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
    %ny = tensor.insert_slice %a into %y[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<2x4xi32>
    %nz = tensor.insert_slice %a into %z[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<2x4xi32>
    %b = flow.dispatch @row(%a)[%c10] : (tensor<1x4xi32>) -> (tensor<1x4xi32>)
    %nw = tensor.insert_slice %b into %w[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<2x4xi32>
    scf.yield %ny, %nz, %nw : tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>
  } {heddle.streams = #flow.streams<2>}
  return %r#0, %r#1, %r#2 : tensor<2x4xi32>, tensor<2x4xi32>, tensor<2x4xi32>
}
