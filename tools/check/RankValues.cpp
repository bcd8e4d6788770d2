// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/RankValues.h"

#include <cstring>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;
using reference::BoundaryValue;

static std::vector<Tensor> collect(const RankTensors &values, size_t i) {
  std::vector<Tensor> column;
  for (const std::vector<Tensor> &own : values)
    column.push_back(own[i]);
  return column;
}

// Whether both are the same parts of the same mesh, or each rank's own.
static bool areAlike(const BoundaryValue &a, const BoundaryValue &b) {
  return a.meshSizes == b.meshSizes && a.firstRank == b.firstRank && a.shards == b.shards && a.granules == b.granules &&
         a.partial == b.partial;
}

std::string check::dealInputs(const Signature &from, const Signature &to, const RankTensors &inputs,
                              RankTensors &dealt) {
  dealt = inputs;
  for (size_t i = 0; i < from.arguments.size() && i < to.arguments.size(); ++i) {
    if (areAlike(from.arguments[i], to.arguments[i]) || from.arguments[i].meshSizes.empty())
      continue;
    Tensor whole;
    std::string error = reference::joinParts(from.arguments[i], collect(inputs, i), whole);
    for (size_t rank = 0; error.empty() && rank < inputs.size(); ++rank)
      error = reference::cutPart(to.arguments[i], whole, rank, dealt[rank][i]);
    if (!error.empty())
      return error;
  }
  return "";
}

std::string check::joinResults(const Signature &signature, RankTensors &results) {
  for (auto [i, value] : llvm::enumerate(signature.results)) {
    bool isCut = llvm::any_of(value.shards, [](ArrayRef<unsigned> axes) { return !axes.empty(); });
    if (!isCut && value.partial.empty())
      continue;
    Tensor whole;
    if (std::string error = reference::joinParts(value, collect(results, i), whole); !error.empty())
      return error;
    for (std::vector<Tensor> &own : results)
      own[i] = whole;
  }
  return "";
}
