// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// Producer and consumer on two streams: the event of each item is carried to the next iteration, so that the
// producer does not overwrite the slot before the consumer has read it.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @add attributes {host.fake = "add"} { func.func private @add() }
// CHECK: main call 0: y = dense<[2, 4, 6]> : tensor<3xi32>
host.func @main(%s: !host.stream, %x: !host.buffer, %n: index)
    arguments([#host.value<"x", tensor<?xi32>, ["n"]>]) results([#host.value<"y", tensor<?xi32>, ["n"]>]) symbols(["n"])
    attributes {host.inputs = [[dense<[1, 2, 3]> : tensor<3xi32>]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %bytes = arith.muli %n, %c4 : index
  %y = host.result 0 on @d size %bytes
  %slot = host.slab on @d size %c4
  %producer = host.stream on @d 0
  %consumer = host.stream on @d 1
  %start = host.record %s
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%free = %start) -> (!host.event) {
    %offset = arith.muli %i, %c4 : index
    host.wait %producer, %free
    host.copy %producer, %slot[%c0] from %x[%offset] size %c4
    %full = host.record %producer
    host.wait %consumer, %full
    %to = host.view %y[%offset] size %c4
    host.dispatch %consumer, @add(%slot, %slot, %to) access(["r", "r", "w"])
    %read = host.record %consumer
    scf.yield %read : !host.event
  }
  host.wait %s, %last
  host.return %y shape(%n)
}
