// RUN: not heddle-opt %s --devices-assign-targets=cpu=x86-64-v33 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not heddle-opt %s --devices-assign-targets=targets=gpu 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: heddle-opt %s --devices-assign-targets=targets=local | not heddle-opt --devices-assign-targets=targets=local 2>&1 | FileCheck %s --check-prefix=TWICE

// CPU: error: unknown target CPU 'x86-64-v33'; did you mean 'x86-64-v3'?
// TARGET: error: unknown target device 'gpu'; known: local
// TWICE: error: the module declares its devices; --target-device would declare more: give them in one place
func.func @main() { return }
