// What a proof assumes of the devices: for each pair that a program asks about with host.same, whether they are one.
#ifndef HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ASSUMPTIONS_H
#define HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ASSUMPTIONS_H

#include "compiler/Dialect/Host/IR/HostOps.h"

#include "llvm/ADT/MapVector.h"

#include <vector>

namespace mlir::heddle::host {

class Assumptions {
public:
  // All combinations of answers to the questions a function asks; one empty one if it asks none. Fails, with a
  // diagnostic, when it asks more than ten: nobody could prove it a thousand times over.
  static FailureOr<std::vector<Assumptions>> enumerate(FuncOp func);

  // The truth of a condition that is constant or follows from the assumptions; nothing if it is known only later.
  std::optional<bool> decide(Value condition) const;
  // " (with @a and @b one device)", for messages; empty without assumptions.
  std::string describe() const;

private:
  using Pair = std::pair<StringRef, StringRef>;
  static Pair pairOf(SameOp op);

  llvm::MapVector<Pair, bool> same;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_ANALYSIS_ASSUMPTIONS_H
