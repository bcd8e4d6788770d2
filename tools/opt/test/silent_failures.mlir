// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pass that fails without an error is named by one, also inside of a nested pipeline; one that says why is not.

// RUN: not heddle-opt %s --test-fail-silently 2>&1 | FileCheck %s --check-prefix=MODULE
// RUN: not heddle-opt %s --pass-pipeline='builtin.module(func.func(test-fail-silently))' 2>&1 | FileCheck %s
// RUN: not heddle-opt %s --pass-pipeline='builtin.module(func.func(test-fail-silently{says=true}))' 2>&1 | FileCheck %s --check-prefix=SAYS

// CHECK-COUNT-1: silent_failures.mlir:[[@LINE+9]]:1: error: the pass 'test-fail-silently' failed without a reason: a bug of Heddle; please report it with what 'heddle reduce' leaves of the model
// CHECK-NOT: failed without a reason
// SAYS: error: fails as asked
// SAYS-NOT: failed without a reason
// MODULE: the pass 'test-fail-silently' failed without a reason

module attributes {test.fail} {
func.func @fine() { return }

func.func @bad() attributes {test.fail} { return }

func.func @worse() attributes {test.fail} { return }
}
