// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --pass-pipeline='builtin.module(host.func(package-flatten-stream-loops,canonicalize,cse))' | FileCheck %s

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }

// The streams wait for the event before the loop; behind it each is waited for.
// CHECK-LABEL: host.func @plain
// CHECK-SAME: (%[[S:.*]]: !host.stream, %{{.*}}: !host.buffer, %[[N:.*]]: index)
// CHECK-DAG: %[[USED:.*]] = arith.minsi %[[N]], %c2
// CHECK: %[[START:.*]] = host.record %[[S]]
// CHECK: scf.for %[[Q:.*]] = %c0 to %[[USED]] step %c1 {
// CHECK-NEXT: %[[T:.*]] = host.stream_at on @d %[[Q]]
// CHECK-NEXT: host.wait %[[T]], %[[START]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[N]] step %c1 {
// CHECK-NEXT: %[[K:.*]] = arith.remsi %[[I]], %c2
// CHECK-NEXT: %[[MINE:.*]] = host.stream_at on @d %[[K]]
// CHECK: host.dispatch %[[MINE]], @f
// CHECK: scf.for %[[Q:.*]] = %c0 to %[[USED]] step %c1 {
// CHECK-NEXT: %[[T:.*]] = host.stream_at on @d %[[Q]]
// CHECK-NEXT: %[[E:.*]] = host.record %[[T]]
// CHECK-NEXT: host.wait %[[S]], %[[E]]
host.func @plain(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  host.stream_for %i to %n slot %k stream %mine on @d 0 streams %c2 issue %s {
    %v = host.view %x[%i] size %c1
    host.dispatch %mine, @f(%v) access(["r"])
  }
  host.return shape()
}

// An ordered loop carries the event of the iteration before. As many streams as the device has are checked in the call;
// they count from the first one that is not the device's own.
// CHECK-LABEL: host.func @ordered
// CHECK: %[[COUNT:.*]] = host.query @d "streams"
// CHECK: %[[SOME:.*]] = arith.cmpi sgt, %[[COUNT]], %c0
// CHECK: host.check %[[SOME]], "a loop over streams takes turns on one stream or more"
// CHECK: scf.for %{{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (!host.event) {
// CHECK-NEXT: %[[K:.*]] = arith.remsi
// CHECK-NEXT: %[[NUMBER:.*]] = arith.addi %[[K]], %c1
// CHECK-NEXT: %[[MINE:.*]] = host.stream_at on @d %[[NUMBER]]
// CHECK-NEXT: host.wait %[[MINE]], %[[BEFORE]]
// CHECK: host.dispatch %[[MINE]], @f
// CHECK-NEXT: %[[DONE:.*]] = host.record %[[MINE]]
// CHECK-NEXT: scf.yield %[[DONE]]
host.func @ordered(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi8>, ["n"]>]) results([]) symbols(["n"]) {
  %count = host.query @d "streams"
  host.stream_for %i to %n slot %k stream %mine on @d 1 streams %count issue %s ordered {
    host.dispatch %mine, @f(%x) access(["r"])
  }
  host.return shape()
}
