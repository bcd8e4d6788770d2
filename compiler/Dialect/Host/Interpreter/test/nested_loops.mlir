// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: heddle-opt %s --schedule-verify-host --run-host -o /dev/null | FileCheck %s

// A 2-D walk: element (i, j) becomes 10 * i + j, each written through a view of a view.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// CHECK: main call 0: y = dense<{{\[}}[0, 1, 2], [10, 11, 12]]> : tensor<2x3xi32>
host.func @main(%s: !host.stream) arguments([]) results([#host.value<"y", tensor<2x3xi32>, ["", ""]>]) symbols([])
    attributes {host.inputs = [[]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %c12 = arith.constant 12 : index
  %c24 = arith.constant 24 : index
  %y = host.result 0 on @d size %c24
  scf.for %i = %c0 to %c2 step %c1 {
    %rowOffset = arith.muli %i, %c12 : index
    %row = host.view %y[%rowOffset] size %c12
    %tens = arith.muli %i, %c10 : index
    scf.for %j = %c0 to %c3 step %c1 {
      %offset = arith.muli %j, %c4 : index
      %element = host.view %row[%offset] size %c4
      %value = arith.addi %tens, %j : index
      host.fill %s, %element[%c0] size %c4 pattern %value : 4
    }
  }
  host.return %y shape(%c2, %c3)
}
