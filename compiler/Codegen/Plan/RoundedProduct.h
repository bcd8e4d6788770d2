// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of rows that were rounded to 8 bits by block and weights that are codes: sums of a block in integers, by dot
// products, its scales applied once. What the op is says its attribute (intent::kRoundedAttr), not its body.
#ifndef HEDDLE_COMPILER_CODEGEN_PLAN_ROUNDEDPRODUCT_H
#define HEDDLE_COMPILER_CODEGEN_PLAN_ROUNDEDPRODUCT_H

#include "compiler/Codegen/Plan/Configure.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::heddle::codegen {

struct RoundedProduct {
  // How groups of four products are added.
  enum class Dots {
    Mixed,  // codes as they are, unsigned, times signed rows
    Signed, // both signed: codes of 8 bits are taken 128 down
    Words,  // by halves of a byte, through words of 16 bits
  };

  unsigned perByte;              // codes in a byte
  unsigned rowScales, rowSums;   // operands; rows are the first ones. 0: there are no sums, the zero is 0
  unsigned codes, scales;        //
  std::optional<unsigned> zeros; // else `zero` is that of all codes
  double zero = 0;
  bool isByte = false; // codes have all 8 bits
  Dots dots = Dots::Mixed;
  int64_t panel = 0; // columns are stored (n floordiv panel, blocks, j floordiv 4, n mod panel, j mod 4)

  static constexpr int64_t kGroup = 4; // bytes of a dot product

  // Codes are 128 less than they say, and so is the zero.
  int64_t shift() const { return dots == Dots::Signed && isByte ? 128 : 0; }
  // Vectors that are multiplied, of each of codes.
  int64_t parts() const { return perByte == 2 || (dots == Dots::Words && isByte) ? 2 : 1; }
};

// The op as such a product, whose result's lanes walk its loop `lane`; none where it is something else, its codes are
// not in groups, or the processor has no instruction for them.
std::optional<RoundedProduct> findRoundedProduct(linalg::GenericOp op, unsigned lane, const cpu::CpuFeatures &features);

// The register tile: it has a sum of floats and one of integers for every row and vector, beside the codes' vectors.
ContractionOverride configureRounded(const RoundedProduct &product, const ContractionShape &shape,
                                     const cpu::CpuFeatures &features);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_PLAN_ROUNDEDPRODUCT_H
