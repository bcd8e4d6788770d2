// A structured op whose reduction can be computed in parts.
#ifndef HEDDLE_COMPILER_STAGES_SPLIT_REDUCTION_H
#define HEDDLE_COMPILER_STAGES_SPLIT_REDUCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace mlir::heddle::split {

struct Reduction {
  linalg::LinalgOp op;
  unsigned loop;       // that is cut
  Operation *combiner; // of the op's body: associative, accumulator by element
  TypedAttr neutral;
};

// The reduction of `op`, cut along its longest loop, the outermost of equal ones; else the reason why there is none.
std::variant<Reduction, std::string> findReduction(linalg::LinalgOp op);

// Iterations of the loop, and results of the op: products of the sizes that are known, and whether all are.
struct KnownSize {
  int64_t product = 1;
  bool isWhole = true;
};
KnownSize countResults(linalg::LinalgOp op);
KnownSize countReduced(const Reduction &reduction);

} // namespace mlir::heddle::split

#endif // HEDDLE_COMPILER_STAGES_SPLIT_REDUCTION_H
