// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts on a processor: constant columns of contractions and convolutions lie as kernels walk them, everything else
// in rows. Rows of the left side cost nothing in row-major order (measured: docs/design/data-tiling.md), and packing
// what is computed costs more per call than it gains.
#ifndef HEDDLE_COMPILER_TARGET_CPU_CPULAYOUTRESOLVER_H
#define HEDDLE_COMPILER_TARGET_CPU_CPULAYOUTRESOLVER_H

#include "compiler/Dialect/Encoding/IR/LayoutResolver.h"
#include "compiler/Target/CPU/CpuFeatures.h"

namespace mlir::heddle::cpu {

// f32 with more columns than a panel: `[batch…, k…, n]` as `[batch…, n / P, k…, P]`.
// 8-bit integers summed in 32 bits:  `[batch…, k…, n]` as `[batch…, n / P, k…, last k / G, P, G]`.
// Codes, scales and zeros of quantised weights: `[k…, n]` as `[n / Q, k…, Q]`, Q from the table's narrowPanelColumns
// down to P, the widest that divides n, so that what a tile of one row reads is one run of bytes.
// P and G are the table's panelColumns and dotGroup. In all, n is the result's last dimension and the other operand
// does not depend on it; k… may have the window of a convolution in front.
class CpuLayoutResolver : public encoding::LayoutResolver {
public:
  explicit CpuLayoutResolver(const CpuFeatures &features) : features(features) {}

  encoding::Resolution resolve(RankedTensorType type) const override;

private:
  CpuFeatures features;
};

// Fails with a diagnostic at `op` when LLVM has no code generator for the target.
FailureOr<std::unique_ptr<encoding::LayoutResolver>> createLayoutResolver(Operation *op, device::ExecutableAttr target);

} // namespace mlir::heddle::cpu

#endif // HEDDLE_COMPILER_TARGET_CPU_CPULAYOUTRESOLVER_H
