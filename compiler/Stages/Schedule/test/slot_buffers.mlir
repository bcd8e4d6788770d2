// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(schedule-slot-buffers,canonicalize,cse))' | FileCheck %s

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }

// Equal sizes: a slot of that size, from one multiple of 64 to another.
// CHECK-LABEL: host.func @equal
// CHECK: %[[SLOTS:.*]] = arith.minsi %{{.*}}, %c2
// CHECK: %[[BYTES:.*]] = arith.muli %[[SLOTS]], %c128 overflow<nsw>
// CHECK: %[[ALL:.*]] = host.alloc on @d size %[[BYTES]]
// CHECK: host.stream_for %{{.*}} to %{{.*}} slot %[[K:.*]] stream %[[MINE:.*]] on @d 0 streams
// CHECK: %[[AT:.*]] = arith.muli %[[K]], %c128
// CHECK: %[[OWN:.*]] = host.view %[[ALL]][%[[AT]]] size %c100
// CHECK: host.dispatch %[[MINE]], @f(%{{.*}}, %[[OWN]])
// CHECK-NOT: host.free %[[MINE]]
// CHECK: }
// CHECK-NEXT: host.free %{{.*}}, %[[ALL]]
host.func @equal(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  %c100 = arith.constant 100 : index
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %b = host.alloc on @d size %c100
    host.dispatch %mine, @f(%x, %b) access(["r", "w"])
    host.dispatch %mine, @f(%b, %x) access(["r", "w"])
    host.free %mine, %b
  }
  host.return shape()
}

// Balanced parts: the largest is ceil(n / 3) rows.
// CHECK-LABEL: host.func @balanced
// CHECK: %[[ROWS:.*]] = arith.ceildivsi %{{.*}}, %c3
// CHECK: %[[MOST:.*]] = arith.muli %[[ROWS]], %c4
// CHECK: %[[UNITS:.*]] = arith.ceildivsi %[[MOST]], %c64
// CHECK: arith.muli %[[UNITS]], %c64
host.func @balanced(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  host.stream_for %i to %c3 slot %k stream %mine on @d 0 streams %c2 issue %s {
    %next = arith.addi %i, %c1 : index
    %p = arith.muli %i, %n : index
    %q = arith.muli %next, %n : index
    %begin = arith.divsi %p, %c3 : index
    %end = arith.divsi %q, %c3 : index
    %rows = arith.subi %end, %begin : index
    %size = arith.muli %rows, %c4 : index
    %b = host.alloc on @d size %size
    host.dispatch %mine, @f(%x, %b) access(["r", "w"])
    host.free %mine, %b
  }
  host.return shape()
}

// Any other formula: a loop of scalars finds the largest.
// CHECK-LABEL: host.func @searched
// CHECK: %[[MOST:.*]] = scf.for %[[J:.*]] = %c0 to %{{.*}} step %c1 iter_args(%[[SO:.*]] = %c0)
// CHECK: %[[SIZE:.*]] = arith.remsi %[[J]], %c3
// CHECK: arith.maxsi %[[SO]], %[[SIZE]]
// CHECK: host.alloc
// CHECK: host.stream_for
host.func @searched(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %size = arith.remsi %i, %c3 : index
    %b = host.alloc on @d size %size
    host.dispatch %mine, @f(%x, %b) access(["r", "w"])
    host.free %mine, %b
  }
  host.return shape()
}

// What a device computes is known in its iteration only.
// CHECK-LABEL: host.func @dataSize
// CHECK: host.stream_for
// CHECK: host.alloc
// CHECK: host.free %{{.*}}, %{{.*}}
// CHECK: }
host.func @dataSize(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %size = host.read %mine, %x[%i] : i8
    %b = host.alloc on @d size %size
    host.dispatch %mine, @f(%x, %b) access(["r", "w"])
    host.free %mine, %b
  }
  host.return shape()
}

// What the iteration's stream no longer uses is used again: %c lies where %a was, %d where %b was, though smaller; %b
// lives beside %a. What a branch uses has a place of its own.
// CHECK-LABEL: host.func @inTurn
// CHECK: %[[FIRST:.*]] = host.alloc on @d size
// CHECK: %[[SECOND:.*]] = host.alloc on @d size
// CHECK: %[[THIRD:.*]] = host.alloc on @d size
// CHECK-NOT: host.alloc
// CHECK: host.stream_for
// CHECK: %[[A:.*]] = host.view %[[FIRST]][%{{.*}}] size %c100
// CHECK: host.dispatch %{{.*}}, @f(%{{.*}}, %[[A]])
// CHECK: %[[B:.*]] = host.view %[[SECOND]][%{{.*}}] size %c100
// CHECK: host.dispatch %{{.*}}, @f(%[[A]], %[[B]])
// CHECK: host.dispatch %{{.*}}, @f(%[[B]], %[[A]])
// CHECK: %[[D:.*]] = host.view %[[SECOND]][%{{.*}}] size %c40
// CHECK: host.dispatch %{{.*}}, @f(%[[A]], %[[D]])
// CHECK: %[[E:.*]] = host.view %[[THIRD]][%{{.*}}] size %c40
// CHECK: scf.if
// CHECK: host.dispatch %{{.*}}, @f(%{{.*}}, %[[E]])
host.func @inTurn(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  %c40 = arith.constant 40 : index
  %c100 = arith.constant 100 : index
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %a = host.alloc on @d size %c100
    host.dispatch %mine, @f(%x, %a) access(["r", "w"])
    %b = host.alloc on @d size %c100
    host.dispatch %mine, @f(%a, %b) access(["r", "w"])
    host.free %mine, %a
    %c = host.alloc on @d size %c100
    host.dispatch %mine, @f(%b, %c) access(["r", "w"])
    host.free %mine, %b
    %d = host.alloc on @d size %c40
    host.dispatch %mine, @f(%c, %d) access(["r", "w"])
    host.free %mine, %c
    %e = host.alloc on @d size %c40
    %first = arith.cmpi eq, %i, %c2 : index
    scf.if %first {
      host.dispatch %mine, @f(%x, %e) access(["r", "w"])
    }
    host.free %mine, %d
    host.free %mine, %e
  }
  host.return shape()
}
