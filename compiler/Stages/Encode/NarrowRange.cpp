// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/NarrowRange.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Evaluation/Evaluator.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <vector>

using namespace mlir;
using namespace mlir::heddle;

static std::string spell(double number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number);
  return text;
}

// "weight 'w'", or "a weight" where the model has no name for it.
static std::string nameOf(Value value) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  std::string name;
  for (SmallVector<Value> open{value}; !open.empty();) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    auto load = dyn_cast<flow::ParameterLoadOp>(op);
    if (load && !name.empty())
      return "a weight computed of several";
    if (load)
      name = "weight '" + load.getParameter().str() + "'";
    llvm::append_range(open, op->getOperands());
  }
  return name.empty() ? "a weight" : name;
}

// The strides with which an element's number tells the column it belongs to: those of the loops that the results walk.
static SmallVector<int64_t> columnStrides(AffineMap map, ArrayRef<utils::IteratorType> iterators,
                                          ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 0);
  int64_t columns = 1;
  for (int64_t dim = static_cast<int64_t>(shape.size()) - 1; dim >= 0; --dim)
    if (auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
        loop && iterators[loop.getPosition()] == utils::IteratorType::parallel) {
      strides[dim] = columns;
      columns *= shape[dim];
    }
  return strides;
}

// Finite magnitudes of each column: the greatest; and of all the greatest.
static std::vector<float> greatestOfColumns(const evaluation::Array &dense, ArrayRef<int64_t> strides) {
  int64_t columns = 1;
  for (auto [stride, size] : llvm::zip_equal(strides, dense.shape))
    columns *= stride > 0 ? size : 1;
  std::vector<float> greatest(columns, 0);
  SmallVector<int64_t> index(dense.rank(), 0);
  int64_t column = 0;
  for (int64_t i = 0; i < dense.count(); ++i) {
    float element;
    std::memcpy(&element, dense.origin + i * sizeof element, sizeof element);
    if (std::isfinite(element))
      greatest[column] = std::max(greatest[column], std::abs(element));
    for (int64_t dim = dense.rank() - 1; dim >= 0; --dim) {
      column += strides[dim];
      if (++index[dim] < dense.shape[dim])
        break;
      column -= strides[dim] * dense.shape[dim];
      index[dim] = 0;
    }
  }
  return greatest;
}

std::string encode::explainUnfit(OpOperand &weights, FloatType type, SymbolTable &symbols) {
  FailureOr<evaluation::Array> array = evaluation::evaluate(weights.get(), symbols);
  if (failed(array) || !array->elementType.isF32())
    return nameOf(weights.get()) + " is not known yet";
  auto op = cast<linalg::LinalgOp>(weights.getOwner());
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  evaluation::Array dense = array->dense();
  std::vector<float> greatest = greatestOfColumns(
      dense, columnStrides(op.getMatchingIndexingMap(&weights), op.getIteratorTypesArray(), dense.shape));
  std::string spelt;
  llvm::raw_string_ostream(spelt) << type;
  for (float column : greatest) {
    APFloat rounded(column);
    bool loses = false;
    rounded.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    if (rounded.isInfinity())
      return nameOf(weights.get()) + " has " + spell(column) + ", and " + spelt + " ends at " +
             spell(APFloat::getLargest(semantics).convertToDouble());
    if (column != 0 &&
        APFloat(column) < APFloat(static_cast<float>(APFloat::getSmallestNormalized(semantics).convertToDouble())))
      return nameOf(weights.get()) + " has a column of at most " + spell(column) + ", and numbers of " + spelt +
             " lose digits below " + spell(APFloat::getSmallestNormalized(semantics).convertToDouble());
  }
  return "";
}
