// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not heddle-opt %s --import-bind-state="states=pas=present" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not heddle-opt %s --import-bind-state="states=past=presnt" 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not heddle-opt %s --import-bind-state="states=past=y" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not heddle-opt %s --import-bind-state="states=past" 2>&1 | FileCheck %s --check-prefix=PAIR
// RUN: not heddle-opt %s --import-bind-state="donations=past=y" 2>&1 | FileCheck %s --check-prefix=DONATED
// RUN: not heddle-opt %s --import-bind-state="states=past=present donations=past" 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not heddle-opt %s --import-bind-state="states=scale=present" 2>&1 | FileCheck %s --check-prefix=DEFAULT
// RUN: not heddle-opt %s --import-bind-state="donations=scale=present" 2>&1 | FileCheck %s --check-prefix=DEFAULT

// NAME: --state=pas=present: no input has this name; did you mean 'past'?; inputs: past, scale
// OUTPUT: --state=past=presnt: input 'past' has no output 'presnt'; did you mean 'present'?
// TYPE: the value of 'past' is kept from call to call, so its output has its type, 'tensor<4xf32>', got 'tensor<4xi32>'
// PAIR: --state takes INPUT=OUTPUT with as many stars on both sides, got 'past'
// DONATED: 'past' is donated to a result of its type 'tensor<4xf32>' that has no memory yet, got 'y'
// OWN: 'past' is the module's own; only a caller donates
// DEFAULT: 'scale' has a default, so it cannot be state or donated; make it an input that has no initialiser
func.func @main(%past: tensor<4xf32> {heddle.name = "past"},
                %scale: tensor<4xf32> {heddle.name = "scale", heddle.default = dense<1.0> : tensor<4xf32>})
    -> (tensor<4xf32> {heddle.name = "present"}, tensor<4xi32> {heddle.name = "y"}) {
  %y = arith.constant dense<0> : tensor<4xi32>
  return %past, %y : tensor<4xf32>, tensor<4xi32>
}
