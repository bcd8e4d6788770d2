// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-plan-memory))' | FileCheck %s --check-prefixes=CHECK,PLAN
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-plan-memory,canonicalize))' | FileCheck %s --check-prefixes=FOLDED

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> } }
// Three buffers of a chain: the first and the last may share their place. Constants fold to offsets.
// PLAN-LABEL: host.func @chain
// PLAN: %[[TOTAL:.*]], %[[O:.*]]:3 = host.plan(%{{.*}}) lives([#host.interval<[[A0:[0-9]+]], [[A1:[0-9]+]]>, #host.interval<[[B0:[0-9]+]], [[B1:[0-9]+]]>, #host.interval<
// PLAN: %[[SLAB:.*]] = host.slab on @d size %[[TOTAL]]
// PLAN: host.view %[[SLAB]][%[[O]]#0] size
// PLAN-NOT: host.alloc
// FOLDED-LABEL: host.func @chain
// FOLDED-DAG: %[[C0:.*]] = arith.constant 0 : index
// FOLDED-DAG: %[[C64:.*]] = arith.constant 64 : index
// FOLDED-DAG: %[[C128:.*]] = arith.constant 128 : index
// FOLDED: %[[SLAB:.*]] = host.slab on @d size %[[C128]]
// FOLDED: host.view %[[SLAB]][%[[C0]]]
// FOLDED: host.view %[[SLAB]][%[[C64]]]
// FOLDED: host.view %[[SLAB]][%[[C0]]]
host.func @chain(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  %b = host.alloc on @d size %c16
  host.dispatch %s, @f(%a, %b) access(["r", "w"])
  host.free %s, %a
  %c = host.alloc on @d size %c16
  host.dispatch %s, @f(%b, %c) access(["r", "w"])
  host.free %s, %b
  host.free %s, %c
  host.return shape()
}

// A size that a device computed is not known at entry: the buffer stays an allocation. One that a product of dimensions
// gives is computed before the plan.
// CHECK-LABEL: host.func @sizes
// CHECK: %[[BYTES:.*]] = arith.muli %{{.*}}, %{{.*}} : index
// CHECK-NEXT: %{{.*}}, %{{.*}} = host.plan(%[[BYTES]])
// CHECK: %[[K:.*]] = host.read
// CHECK: host.alloc on @d size %[[K]]
// CHECK: host.view
// CHECK: host.free
host.func @sizes(%s: !host.stream, %x: !host.buffer, %n: index) arguments([#host.value<"x", tensor<?xf32>, ["n"]>]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %k = host.read %s, %x[%c0] : i32
  %a = host.alloc on @d size %k
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  %c4 = arith.constant 4 : index
  %bytes = arith.muli %n, %c4 : index
  %b = host.alloc on @d size %bytes
  host.dispatch %s, @f(%a, %b) access(["r", "w"])
  host.free %s, %a
  host.free %s, %b
  host.return shape()
}

// Two streams that nothing orders have parts of the slab of their own, with a plan each. %b comes after the uses of %a, but
// not %c, and what is freed late is not in use until then.
// CHECK-LABEL: host.func @streams
// CHECK: %[[T0:.*]], %[[O0:.*]] = host.plan(%[[N:.*]]) lives(
// CHECK: %[[T1:.*]], %[[O1:.*]]:2 = host.plan(%[[N]], %[[N]]) lives(
// CHECK: %[[B:.*]] = arith.addi %[[T0]], %[[O1]]#0 overflow<nsw>
// CHECK: %[[C:.*]] = arith.addi %[[T0]], %[[O1]]#1 overflow<nsw>
// CHECK: %[[ALL:.*]] = arith.addi %[[T0]], %[[T1]] overflow<nsw>
// CHECK: %[[SLAB:.*]] = host.slab on @d size %[[ALL]]
// CHECK: host.view %[[SLAB]][%[[O0]]]
// CHECK: host.view %[[SLAB]][%[[B]]]
// CHECK: host.view %[[SLAB]][%[[C]]]
host.func @streams(%s: !host.stream, %x: !host.buffer, %n: index) arguments([#host.value<"x", tensor<?xf32>, ["n"]>]) results([]) symbols(["n"]) {
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %n
  host.dispatch %t, @f(%x, %a) access(["r", "w"])
  %b = host.alloc on @d size %n
  host.dispatch %s, @f(%x, %b) access(["r", "w"])
  %c = host.alloc on @d size %n
  host.dispatch %s, @f(%b, %c) access(["r", "w"])
  host.free %s, %b
  host.free %s, %c
  %end = host.record %t
  host.wait %s, %end
  host.free %s, %a
  host.return shape()
}

// Where events order the two, they take turns: what %s writes after its wait may lie where %t was, and again.
// FOLDED-LABEL: host.func @in_turn
// FOLDED: %[[SLAB:.*]] = host.slab on @d size %c128
host.func @in_turn(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %c16
  host.dispatch %t, @f(%x, %a) access(["r", "w"])
  %b = host.alloc on @d size %c16
  host.dispatch %t, @f(%a, %b) access(["r", "w"])
  %half = host.record %t
  host.wait %s, %half
  %c = host.alloc on @d size %c16
  host.dispatch %s, @f(%b, %c) access(["r", "w"])
  %back = host.record %s
  host.wait %t, %back
  %d = host.alloc on @d size %c16
  host.dispatch %t, @f(%c, %d) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.free %s, %a
  host.free %s, %b
  host.free %s, %c
  host.free %s, %d
  host.return shape()
}

// So they do where the allocation stands before the wait: what counts is where the writer begins.
// FOLDED-LABEL: host.func @in_turn_behind_the_wait
// FOLDED: %[[SLAB:.*]] = host.slab on @d size %c128
host.func @in_turn_behind_the_wait(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %c16
  host.dispatch %t, @f(%x, %a) access(["r", "w"])
  %b = host.alloc on @d size %c16
  host.dispatch %t, @f(%a, %b) access(["r", "w"])
  %half = host.record %t
  %c = host.alloc on @d size %c16
  host.wait %s, %half
  host.dispatch %s, @f(%b, %c) access(["r", "w"])
  %back = host.record %s
  %d = host.alloc on @d size %c16
  host.wait %t, %back
  host.dispatch %t, @f(%c, %d) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.free %s, %a
  host.free %s, %b
  host.free %s, %c
  host.free %s, %d
  host.return shape()
}

// Without the first of the waits %c may be written while %t still reads %a.
// FOLDED-LABEL: host.func @not_in_turn
// FOLDED: %[[SLAB:.*]] = host.slab on @d size %c192
host.func @not_in_turn(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %c16
  host.dispatch %t, @f(%x, %a) access(["r", "w"])
  %b = host.alloc on @d size %c16
  host.dispatch %t, @f(%a, %b) access(["r", "w"])
  %c = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %c) access(["r", "w"])
  %end = host.record %t
  host.wait %s, %end
  host.free %s, %a
  host.free %s, %b
  host.free %s, %c
  host.return shape()
}

// A stream of its own device uses the places of what it has freed again, though other streams read it: it frees when
// they are done. Four buffers of a chain have two places.
// FOLDED-LABEL: host.func @own_stream
// FOLDED: host.slab on @d size %c128
host.func @own_stream(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %a = host.alloc on @d size %c16
  host.dispatch %t, @f(%x, %a) access(["r", "w"])
  %b = host.alloc on @d size %c16
  host.dispatch %t, @f(%a, %b) access(["r", "w"])
  host.free %t, %a
  %c = host.alloc on @d size %c16
  host.dispatch %t, @f(%b, %c) access(["r", "w"])
  host.free %t, %b
  %d = host.alloc on @d size %c16
  host.dispatch %t, @f(%c, %d) access(["r", "w"])
  host.free %t, %c
  host.free %t, %d
  %end = host.record %t
  host.wait %s, %end
  host.return shape()
}

// A buffer that one stream writes and another one reads last is kept as long as the first writes on without a wait: %b has
// another place.
// CHECK-LABEL: host.func @freed_elsewhere
// CHECK: host.plan(%{{.*}}, %{{.*}}) lives([#host.interval<4, 10>, #host.interval<10, 11>])
host.func @freed_elsewhere(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %t = host.stream on @d 0
  %a = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  %start = host.record %s
  host.wait %t, %start
  host.dispatch %t, @f(%a, %a) access(["r", "r"])
  host.free %t, %a
  %b = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %b) access(["r", "w"])
  host.free %s, %b
  %end = host.record %t
  host.wait %s, %end
  host.return shape()
}

// What is allocated early lives from its first use: both have one place. In a loop the use counts as the loop's.
// FOLDED-LABEL: host.func @early
// FOLDED: host.slab on @d size %c64
host.func @early(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c16 = arith.constant 16 : index
  %a = host.alloc on @d size %c16
  %b = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %a) access(["r", "w"])
  host.dispatch %s, @f(%a, %x) access(["r", "w"])
  host.free %s, %a
  host.dispatch %s, @f(%x, %b) access(["r", "w"])
  host.free %s, %b
  host.return shape()
}

// FOLDED-LABEL: host.func @early_in_loop
// FOLDED: host.slab on @d size %c128
host.func @early_in_loop(%s: !host.stream, %x: !host.buffer) arguments([#host.value<"x", tensor<4xf32>, [""]>]) results([]) symbols([]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %b = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %b) access(["r", "w"])
  host.free %s, %b
  %a = host.alloc on @d size %c16
  scf.for %i = %c0 to %c16 step %c1 {
    %l = host.alloc on @d size %c16
    host.dispatch %s, @f(%x, %l) access(["r", "w"])
    host.free %s, %l
    host.dispatch %s, @f(%x, %a) access(["r", "w"])
  }
  host.free %s, %a
  host.return shape()
}

// Of a branch one side runs: what two streams write in one shares its places with what they write in the other, and with
// what comes behind both, whose streams have waited.
// FOLDED-LABEL: host.func @sides
// FOLDED: %[[SLAB:.*]] = host.slab on @d size %c128
// FOLDED-NOT: host.alloc
host.func @sides(%s: !host.stream, %x: !host.buffer, %n: index) arguments([#host.value<"x", tensor<?xf32>, ["n"]>]) results([]) symbols(["n"]) {
  %c16 = arith.constant 16 : index
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %few = arith.cmpi ult, %n, %c16 : index
  scf.if %few {
    %a = host.alloc on @d size %c16
    host.dispatch %s, @f(%x, %a) access(["r", "w"])
    %e0 = host.record %s
    host.wait %t, %e0
    %b = host.alloc on @d size %c16
    host.dispatch %t, @f(%a, %b) access(["r", "w"])
    host.dispatch %t, @f(%b, %a) access(["r", "w"])
    %e1 = host.record %t
    host.wait %s, %e1
    host.free %s, %a
    host.free %t, %b
  } else {
    %c = host.alloc on @d size %c16
    host.dispatch %s, @f(%x, %c) access(["r", "w"])
    %e2 = host.record %s
    host.wait %t, %e2
    %d = host.alloc on @d size %c16
    host.dispatch %t, @f(%c, %d) access(["r", "w"])
    host.dispatch %t, @f(%d, %c) access(["r", "w"])
    %e3 = host.record %t
    host.wait %s, %e3
    host.free %s, %c
    host.free %t, %d
  }
  %g = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %g) access(["r", "w"])
  host.free %s, %g
  %end = host.record %t
  host.wait %s, %end
  host.return shape()
}

// Where one side leaves work of %t that %s has not waited for, what %s writes behind them has a place of its own.
// FOLDED-LABEL: host.func @not_waited
// FOLDED: host.slab on @d size %c192
host.func @not_waited(%s: !host.stream, %x: !host.buffer, %n: index) arguments([#host.value<"x", tensor<?xf32>, ["n"]>]) results([]) symbols(["n"]) {
  %c16 = arith.constant 16 : index
  %t = host.stream on @d 0
  %start = host.record %s
  host.wait %t, %start
  %few = arith.cmpi ult, %n, %c16 : index
  scf.if %few {
    %a = host.alloc on @d size %c16
    host.dispatch %s, @f(%x, %a) access(["r", "w"])
    %e0 = host.record %s
    host.wait %t, %e0
    %b = host.alloc on @d size %c16
    host.dispatch %t, @f(%a, %b) access(["r", "w"])
    host.free %t, %a
    host.free %t, %b
  }
  %g = host.alloc on @d size %c16
  host.dispatch %s, @f(%x, %g) access(["r", "w"])
  host.free %s, %g
  %end = host.record %t
  host.wait %s, %end
  host.return shape()
}
