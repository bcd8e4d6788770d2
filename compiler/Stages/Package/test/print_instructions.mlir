// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --package-print-instructions -o /dev/null | FileCheck %s

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @f { func.func private @f() }

// A loop: the carried value, the body's argument and the result share s6; its swap with s7 goes through other registers.
// CHECK: function loop: {{.*}} scalars, 0 buffers, 1 streams, 0 events
// CHECK-DAG: const s[[C0:[0-9]+]] 0
// CHECK-DAG: const s[[C1:[0-9]+]] 1
// CHECK: move s[[I:[0-9]+]] s[[C0]]
// CHECK-NEXT: move s[[A:[0-9]+]] s[[C0]]
// CHECK-NEXT: move s[[B:[0-9]+]] s[[C1]]
// CHECK-NEXT: @[[HEAD:[0-9]+]] cmp_lt s[[MORE:[0-9]+]] s[[I]] s0
// CHECK-NEXT: br_if s[[MORE]] @[[BODY:[0-9]+]] @[[END:[0-9]+]]
// CHECK-NEXT: @[[BODY]] move s[[T0:[0-9]+]] s[[B]]
// CHECK-NEXT: move s[[T1:[0-9]+]] s[[A]]
// CHECK-NEXT: move s[[A]] s[[T0]]
// CHECK-NEXT: move s[[B]] s[[T1]]
// CHECK-NEXT: add s[[I]] s[[I]] s[[C1]]
// CHECK-NEXT: br @[[HEAD]]
// CHECK-NEXT: @[[END]] cmp_lt s{{[0-9]+}} s[[C0]] s[[A]]
// CHECK-NEXT: check
// CHECK: return
host.func @loop(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c1) -> (index, index) {
    scf.yield %b, %a : index, index
  }
  %ok = arith.cmpi sgt, %r#0, %c0 : index
  host.check %ok, "positive"
  host.return shape()
}

// CHECK-LABEL: function branches
// CHECK: cmp_eq s[[IS:[0-9]+]] s0
// CHECK-NEXT: br_if s[[IS]] @[[ONE:[0-9]+]] @[[OTHER:[0-9]+]]
// CHECK-NEXT: @[[ONE]] move_buffer b[[R:[0-9]+]] b0
// CHECK-NEXT: br @[[DONE:[0-9]+]]
// CHECK-NEXT: @[[OTHER]] move_buffer b[[R]] b1
// CHECK-NEXT: @[[DONE]] dispatch t0 0.0 s{{[0-9]+}} s{{[0-9]+}} [b[[R]]] [s0]
host.func @branches(%s: !host.stream, %x: !host.buffer, %z: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>, #host.value<"z", tensor<?xi32>, ["n"]>]) results([]) symbols(["n"]) {
  %c2 = arith.constant 2 : index
  %r = scf.index_switch %n -> !host.buffer
  case 2 { scf.yield %x : !host.buffer }
  default { scf.yield %z : !host.buffer }
  host.dispatch %s, @f(%r) [%n] launch(%c2, %c2) access(["r"])
  host.return shape()
}

// i32 arrives sign-extended and leaves so: a cast to it drops the upper bits. Order without sign flips the sign bits.
// CHECK-LABEL: function casts
// CHECK: mul s[[UP:[0-9]+]] s0 s[[SCALE:[0-9]+]]
// CHECK-NEXT: floordiv_s s[[NARROW:[0-9]+]] s[[UP]] s[[SCALE]]
// CHECK-NEXT: and s[[WIDE:[0-9]+]] s[[NARROW]]
// CHECK-NEXT: xor s[[L:[0-9]+]] s[[WIDE]]
// CHECK-NEXT: xor s[[R:[0-9]+]] s0
// CHECK-NEXT: cmp_lt s{{[0-9]+}} s[[L]] s[[R]]
host.func @casts(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %0 = arith.index_cast %n : index to i32
  %1 = arith.index_castui %0 : i32 to index
  %2 = arith.cmpi ult, %1, %n : index
  host.check %2, "casts"
  host.return shape()
}

// A pair of launch numbers for each variant of an executable.
flow.executable private @two {
  func.func private @two()
  flow.variant @v4 target("v4") format("elf-x86_64") features(["avx512f"]) symbol("two") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups() -> index { %c = arith.constant 1 : index return %c : index }
    func.func @scratch() -> index { %c = arith.constant 1 : index return %c : index }
  }
  flow.variant @v3 target("v3") format("elf-x86_64") features([]) symbol("two") object(dense<0> : tensor<3xi8>) {
    func.func @workgroups() -> index { %c = arith.constant 2 : index return %c : index }
    func.func @scratch() -> index { %c = arith.constant 2 : index return %c : index }
  }
}
// CHECK-LABEL: function variants
// CHECK-DAG: const s[[ONE:[0-9]+]] 1
// CHECK-DAG: const s[[TWO:[0-9]+]] 2
// CHECK: dispatch_variant t0 {{[0-9]+}}.0 [s[[ONE]] s[[TWO]]] [s[[TWO]] s[[ONE]]] [] []
host.func @variants(%s: !host.stream) arguments([]) results([]) symbols([]) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  host.dispatch %s, @two() launch(%c1, %c2, %c2, %c1) access([])
  host.return shape()
}

// What a loop carries of streams and events: two streams that swap go through two others, the event is moved.
// CHECK-LABEL: function turns: {{.*}} scalars, 0 buffers, 7 streams, 4 events
// CHECK: stream t1 x0 0
// CHECK-NEXT: stream t2 x0 1
// CHECK-NEXT: record e0 t0
// CHECK-NEXT: move s
// CHECK-NEXT: move_stream t[[A:[0-9]+]] t1
// CHECK-NEXT: move_stream t[[B:[0-9]+]] t2
// CHECK-NEXT: move_event e[[E:[0-9]+]] e0
// CHECK: wait t[[A]] e[[E]]
// CHECK-NEXT: record e[[NEXT:[0-9]+]] t[[A]]
// CHECK-NEXT: move_stream t[[T0:[0-9]+]] t[[B]]
// CHECK-NEXT: move_stream t[[T1:[0-9]+]] t[[A]]
// CHECK-NEXT: move_event e[[HELD:[0-9]+]] e[[NEXT]]
// CHECK-NEXT: move_stream t[[A]] t[[T0]]
// CHECK-NEXT: move_stream t[[B]] t[[T1]]
// CHECK-NEXT: move_event e[[E]] e[[HELD]]
// CHECK: wait t0 e[[E]]
host.func @turns(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s0 = host.stream on @d 0
  %s1 = host.stream on @d 1
  %first = host.record %s
  %t:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %s0, %b = %s1, %e = %first)
      -> (!host.stream, !host.stream, !host.event) {
    host.wait %a, %e
    %next = host.record %a
    scf.yield %b, %a, %next : !host.stream, !host.stream, !host.event
  }
  host.wait %s, %t#2
  host.return shape()
}

// CHECK-LABEL: function chosen
// CHECK: move_stream t2 t0
// CHECK: move_stream t2 t1
// CHECK: record e0 t2
host.func @chosen(%s: !host.stream, %n: index) arguments([]) results([]) symbols(["n"]) {
  %c0 = arith.constant 0 : index
  %s0 = host.stream on @d 0
  %is = arith.cmpi eq, %n, %c0 : index
  %t = arith.select %is, %s, %s0 : !host.stream
  %e = host.record %t
  host.await %e
  host.return shape()
}
