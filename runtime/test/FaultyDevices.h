// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices that fail: this program's registry opens every device behind a wrapper in which the n-th operation fails.
//
//   Faults::arm(3);                     // the third operation from now on fails, once
//   … load, call …
//   if (!Faults::disarm()) …            // false: there were fewer than three
#ifndef HEDDLE_RUNTIME_TEST_FAULTYDEVICES_H
#define HEDDLE_RUNTIME_TEST_FAULTYDEVICES_H

#include <cstdint>

namespace heddle::test {

struct Faults {
  // What counts: opening a device, allocations, streams, executables, imports; commands, submissions, waits of them.
  static void arm(int64_t operations);
  // Whether an operation failed since arm().
  static bool disarm();
};

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_FAULTYDEVICES_H
