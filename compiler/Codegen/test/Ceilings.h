// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What this machine's processor can do at most, measured: the denominators of the kernel benchmarks. All times are
// processor time of the calling thread, so that other load on the machine matters little.
#ifndef HEDDLE_COMPILER_CODEGEN_TEST_CEILINGS_H
#define HEDDLE_COMPILER_CODEGEN_TEST_CEILINGS_H

#include <cstddef>

namespace heddle::test {

// Seconds of processor time of this thread.
double processorSeconds();

// GFLOP/s of independent f32 multiply-adds in registers of so many bytes (16, 32 or 64), best of a hundred runs of
// 0.1 ms; 0 where the processor has none. The clock moves by a tenth with the load of the other cores: measure it
// beside what it is compared with, and take the best of both.
double measurePeak(int vectorBytes);

// The same of products of bytes summed in i32 by VNNI instructions, in GOP/s; 0 where the processor has none.
double measureBytePeak();

// GB/s of a loop that reads `bytes` once, best of a few runs.
double measureRead(size_t bytes);

} // namespace heddle::test

#endif // HEDDLE_COMPILER_CODEGEN_TEST_CEILINGS_H
