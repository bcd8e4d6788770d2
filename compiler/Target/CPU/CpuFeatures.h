// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code generation asks about a CPU: one row of a table per vector instruction set, chosen by the processor's
// features.
#ifndef HEDDLE_COMPILER_TARGET_CPU_CPUFEATURES_H
#define HEDDLE_COMPILER_TARGET_CPU_CPUFEATURES_H

#include "compiler/Dialect/Device/IR/DeviceOps.h"

#include <memory>

namespace llvm {
class TargetMachine;
}

namespace mlir::heddle::cpu {

// How products of 8-bit integers are summed to 32 bits.
enum class IntegerDot {
  None,  // one by one
  Pairs, // two products of 16 bits in one instruction
  Quads, // four products of bytes in one instruction, of the signs that CpuFeatures says
  Tiles, // products of matrices of bytes, of any signs, in tile registers
};

// Plain data: `configure` (compiler/Codegen) decides from it alone.
struct CpuFeatures {
  const char *name;            // of the instruction set, for reports
  int64_t vectorBytes;         // width of a register
  int64_t vectorRegisters;     // how many
  bool masks;                  // masked loads and stores cost nothing and do not fault
  int64_t contractionRows;     // register tile of a contraction: rows of scalars …
  int64_t contractionVectors;  // … times vectors
  bool rounding = true;        // floor, ceil, trunc, round to even are instructions
  bool fma = true;             // multiply and add, rounded once, is an instruction
  bool halfConversions = true; // f16 to f32 and back are instructions
  bool bfloatRounding = false; // f32 to bf16 is an instruction
  bool scaling = false;        // products with powers of two are an instruction, x86's vscalef
  int64_t permutedLanes = 0;   // 32-bit elements of a vector that one instruction puts in any order
  IntegerDot dot = IntegerDot::None;
  bool mixedSignDots = false, equalSignDots = false; // Quads of an unsigned and a signed byte; of two of one sign
  // Unsigned bytes below 16 times signed ones, two of which are summed in 16 bits on the way (x86's vpmaddubsw).
  bool dotsThroughWords = false;
  bool bfloatDot = false; // two products of bf16, summed in f32, are one instruction
  bool byteTiles = false; // products of matrices of bytes in tile registers (AMX)
  // Constant columns in memory: docs/design/data-tiling.md. Equal in all rows, so that an artifact for several
  // processors has one copy of its weights.
  int64_t panelColumns = 16;        // a cache line of f32: one vector of AVX-512, two of AVX2, four of NEON
  int64_t narrowPanelColumns = 128; // of quantised weights, at most: two cache lines of codes
  int64_t dotGroup = 4;             // 8-bit products in a lane of a dot product
  // A core's caches: by the cpu's name, not read from this machine.
  int64_t secondLevelBytes = 1 << 20;
  int64_t firstLevelBytes = 32 << 10, firstLevelWays = 8;
};

// The row for the target: the widest instruction set its cpu and features have. Fails with a diagnostic at `op` when
// LLVM has no code generator for the format.
FailureOr<CpuFeatures> getFeatures(Operation *op, device::ExecutableAttr target);

// Asks the system to let this process use tile registers (AMX), without which their first instruction ends it. False
// where it refuses or there are none. Any thread, any number of times.
bool requestTileRegisters();

// Makes LLVM's code generators known, those of other architectures too. May be called again and by many threads.
void initializeTargets();

// LLVM's code generator for the target; position-independent code, floating-point contraction allowed. Thread safe; the
// result belongs to one thread at a time. Fails with a diagnostic at `op`.
FailureOr<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(Operation *op, device::ExecutableAttr target);

} // namespace mlir::heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_CPUFEATURES_H
