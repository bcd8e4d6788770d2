// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The signature of a program that the reference runs: names, types and shardings of what it takes and gives.
#ifndef HEDDLE_COMPILER_REFERENCE_SIGNATURE_H
#define HEDDLE_COMPILER_REFERENCE_SIGNATURE_H

#include "compiler/Reference/Tensor.h"
#include "heddle/contract/Collectives.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::heddle::reference {

// An argument or result of the entry point.
struct BoundaryValue {
  std::string name; // heddle.name, else "arg0", "result0"
  RankedTensorType type;
  SmallVector<std::string> dims;       // one for each dimension: heddle.dims, "" where it has none
  DenseElementsAttr defaultValue = {}; // heddle.default, or null
  // heddle.sharding: for each dimension the sizes of the axes that cut it and their places among `meshSizes`, outermost
  // first. Not sharded: no list at all, and each rank has its own.
  std::vector<SmallVector<unsigned>> shards;
  std::vector<int64_t> meshSizes;
  int64_t firstRank = 0;
  // For each dimension the positions of the whole, -1 where that is not stated, and of a granule.
  std::vector<int64_t> wholes, granules;
  // Axes along which parts are combined, and how.
  std::vector<unsigned> partial;
  ::heddle::contract::Reduction reduction = ::heddle::contract::Reduction::Sum;
};

struct Signature {
  std::string name;
  SmallVector<BoundaryValue> arguments, results;
  bool hasMesh = false;
  unsigned ranks = 1; // on how many the program runs: those of its meshes; a free size counts as 1
};

// The entry point `run` would take, with its signature: also for callers that make inputs. Emits an error at the module
// where there is none.
FailureOr<Signature> signatureOf(ModuleOp module, StringRef entry = "");

// The part of a rank of a sharded argument, and the whole of what all ranks give: parts behind one another, of partial
// ones combined. "" as error; else what does not fit.
std::string cutPart(const BoundaryValue &value, const Tensor &whole, unsigned rank, Tensor &part);
unsigned partNumber(const BoundaryValue &value, unsigned rank); // equal for ranks that have the same part
// The value's type, with the sizes of that part where a whole is stated. Any number.
RankedTensorType partType(const BoundaryValue &value, unsigned number);
std::string joinParts(const BoundaryValue &value, ArrayRef<Tensor> parts, Tensor &whole);

// A misfit between inputs and signature, "" if they fit: count, element types, shapes, one size for each named
// dimension.
std::string misfit(const Signature &signature, ArrayRef<Tensor> inputs);

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_SIGNATURE_H
