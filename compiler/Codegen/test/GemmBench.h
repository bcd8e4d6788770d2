// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `heddle-kernel-bench gemm`: matrix products beside the processor's peak, and a sweep over register tiles.
#ifndef HEDDLE_COMPILER_CODEGEN_TEST_GEMMBENCH_H
#define HEDDLE_COMPILER_CODEGEN_TEST_GEMMBENCH_H

#include <string>
#include <vector>

namespace heddle::test {

struct GemmBench {
  std::string cpu = "x86-64-v4";
  std::string only;               // "MxKxN"; else: all of a list
  std::vector<std::string> tiles; // values of kernel.tile to compare, in interleaved rounds; none: what is chosen
  std::string objects;            // folder for the shared objects, MxKxN.NUMBER.so; empty: they are not kept

  // Arguments: [cpu [MxKxN [kernel.tile …]]], objects=FOLDER anywhere.
  explicit GemmBench(std::vector<std::string> arguments);
  // Prints GFLOP/s and % of peak of products MxKxN with constant columns. A wrong result is said.
  void run() const;
};

} // namespace heddle::test

#endif // HEDDLE_COMPILER_CODEGEN_TEST_GEMMBENCH_H
