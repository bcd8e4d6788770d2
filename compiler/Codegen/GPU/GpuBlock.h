// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products by workgroups: the sizes of the blocks they compute.
//
// A workgroup computes a block of rows times columns. It walks what is reduced in steps of `depth`: all invocations
// together bring the step's panels of both operands to shared memory, wait for each other, and each multiplies into a
// tile that it keeps in registers. A value of an operand is brought once for all rows or columns of a block.
//
// Sizes are a function of the product and of the device's limits alone:
//
//   invocations   a grid as square as can be; a subgroup's are a square part of it, so that what it reads of both
//   panels
//                 at a time is least. What the subgroup's size is said to be changes no result.
//   tile          16 words of sums in an invocation, 64 where workgroups have 128 invocations or more and 32 KiB or
//                 more to share (such devices have the registers); smaller where the product has fewer rows or columns,
//                 or fewer than 4,096 invocations would have work
//   depth         16, less where panels would take more than half of shared memory, so that a second workgroup has room
//
// A product is computed so where invocations have tiles of 2x2 or larger, no block is larger than the product and no
// step deeper; else each invocation reads what it needs by itself (GpuTile). Never on a device of which no subgroup
// size, or one below kLeastBlockSubgroup, is known: processors that play a GPU have such, and to them shared memory is
// memory like any other and a barrier costs more than what it saves.
#ifndef HEDDLE_COMPILER_CODEGEN_GPU_GPUBLOCK_H
#define HEDDLE_COMPILER_CODEGEN_GPU_GPUBLOCK_H

#include "compiler/Target/GPU/GpuFeatures.h"

namespace mlir::heddle::codegen {

inline constexpr int64_t kLeastBlockSubgroup = 16; // invocations

struct GpuProduct {
  int64_t batch = 1, rows, columns, depth; // ShapedType::kDynamic: not known
  int64_t rowBytes, columnBytes;           // that one row or column brings for each k
  int64_t sumBytes;                        // of one sum
};

struct GpuBlock {
  int64_t gridRows = 1, gridColumns = 1;         // invocations
  int64_t subgroupRows = 1, subgroupColumns = 1; // of the grid, that a subgroup takes
  int64_t tileRows = 1, tileColumns = 1;         // of an invocation, gridRows and gridColumns apart
  int64_t depth = 16;

  int64_t rows() const { return gridRows * tileRows; }
  int64_t columns() const { return gridColumns * tileColumns; }
  // Elements of a panel from one k to the next; one more than the block has, so that neighbours in k lie in different
  // banks.
  int64_t rowPitch() const { return rows() + 1; }
  int64_t columnPitch() const { return columns() + 1; }
  int64_t sharedBytes(const GpuProduct &product) const {
    return depth * (rowPitch() * product.rowBytes + columnPitch() * product.columnBytes);
  }
};

// None where it does not pay, or nothing fits.
std::optional<GpuBlock> chooseBlock(const GpuProduct &product, const gpu::GpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_GPU_GPUBLOCK_H
