// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not heddle-opt %s --run-host=all-orders -o /dev/null 2>&1 | FileCheck %s
// RUN: not heddle-opt %s --schedule-verify-host -o /dev/null 2>&1 | FileCheck %s --check-prefix=VERIFY

// A race that only one of all orders shows: the last of three iterations first.

device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
// CHECK: error: 'host.func' op gives "y = dense<3> : tensor<1xi32>" in order 0 and "y = dense<{{[12]}}> : tensor<1xi32>" in order {{[0-9]+}}: it has a race
// VERIFY: error: 'host.fill' op writes what 'host.fill' may still be writing on another stream; wait for an event recorded after it
host.func @main(%s: !host.stream) arguments([]) results([#host.value<"y", tensor<1xi32>, [""]>]) symbols([])
    attributes {host.inputs = [[]]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %y = host.result 0 on @d size %c4
  host.stream_for %i to %c3 slot %k stream %mine on @d 0 streams %c3 issue %s {
    %value = arith.addi %i, %c1 : index
    host.fill %mine, %y[%c0] size %c4 pattern %value : 4
  }
  host.return %y shape(%c1)
}
