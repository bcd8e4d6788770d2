// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions of 3x3 windows by fewer products (Winograd's F(m, 3)): a tile of m x m results is a transform of
// (m+2)^2 products, each of one place of a transformed tile of the operand and of the weights. Why and when:
// docs/design/winograd.md.
//
//   input[i, j, n, y, x, c]   = sum of B[i, a] * B[j, b] * operand[n, y*m + a, x*m + b, c] over a, b
//   product[i, j, n, y, x, f] = sum of input[i, j, n, y, x, c] * weights[i, j, c, f] over c
//   output[n, h, w, f]        = sum of A[h mod m, i] * A[w mod m, j] * product[i, j, n, h / m, w / m, f] over i, j
//
// Each is a linalg.generic with its loops in this order, reduced ones last, and the attribute `heddle.winograd` with
// its role. The matrices are operands, so the ops say what they compute; code generation that knows the role has them
// as constants.
#ifndef HEDDLE_COMPILER_ANALYSIS_WINOGRAD_H
#define HEDDLE_COMPILER_ANALYSIS_WINOGRAD_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>
#include <vector>

namespace mlir::heddle::winograd {

// On the three ops: "input", "product" or "output".
inline constexpr llvm::StringLiteral kRoleAttr = "heddle.winograd";
inline constexpr llvm::StringLiteral kInput = "input", kProduct = "product", kOutput = "output";
inline constexpr int64_t kWindow = 3;

bool isRole(llvm::StringRef role);
// Whether the op has this role.
bool hasRole(Operation *op, llvm::StringRef role);

using Matrix = std::vector<std::vector<double>>; // rows

struct Transforms {
  Matrix input;   // B, (m+2) x (m+2): exact in f32
  Matrix weights; // G, (m+2) x 3
  Matrix output;  // A, m x (m+2): exact in f32
};

// `tile`: m, which is 2 or 4. The points are 0, 1, -1 for 2; 0, ±3/2, ±3/4 for 4: of those that f32 holds they have the
// smallest errors measured.
Transforms getTransforms(int64_t tile);

// The ops of one convolution, found from the last one.
struct Convolution {
  linalg::GenericOp input, product, output;
  int64_t tile = 0; // m

  int64_t places() const { return (tile + kWindow - 1) * (tile + kWindow - 1); }
};
std::optional<Convolution> match(linalg::GenericOp output);

} // namespace mlir::heddle::winograd

#endif // HEDDLE_COMPILER_ANALYSIS_WINOGRAD_H
