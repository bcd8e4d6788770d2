// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Structure.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

static std::optional<Arithmetic> arithmeticOf(Operation *product, Operation *sum) {
  if (isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum))
    return Arithmetic::Float;
  if (isa<arith::MulIOp>(product) && isa<arith::AddIOp>(sum))
    return Arithmetic::Integer;
  if (isa<complex::MulOp>(product) && isa<complex::AddOp>(sum))
    return Arithmetic::Complex;
  if (isa<arith::AndIOp>(product) && isa<arith::OrIOp>(sum))
    return Arithmetic::Logic;
  return std::nullopt;
}

static Access accessOf(AffineMap map) {
  if (map.isProjectedPermutation())
    return Access::Loops;
  return map.isProjectedPermutation(/*allowZeroInResults=*/true) ? Access::Stretched : Access::Computed;
}

static Structure::Kind kindOf(linalg::LinalgOp op, const Structure &found) {
  if (op.getNumReductionLoops() == 0)
    return Structure::Kind::Elementwise;
  ArrayRef<Access> inputs = ArrayRef(found.accesses).take_front(op.getNumDpsInputs());
  auto computed = llvm::count_if(inputs, [](Access access) { return access != Access::Loops; });
  bool writesByLoops = llvm::all_of(ArrayRef(found.accesses).drop_front(op.getNumDpsInputs()),
                                    [](Access access) { return access == Access::Loops; });
  if (found.arithmetic && inputs.size() == 2 && op.getNumDpsInits() == 1 && writesByLoops && computed < 2)
    return computed ? Structure::Kind::Convolution : Structure::Kind::Contraction;
  return inputs.size() > 1 && llvm::is_contained(inputs, Access::Computed) ? Structure::Kind::Window
                                                                           : Structure::Kind::Reduction;
}

Structure Structure::of(linalg::LinalgOp op) {
  Structure found;
  Operation *product = nullptr, *sum = nullptr;
  bool isProduct = linalg::detail::isContractionBody(*op.getBlock(), [&](Operation *inner, Operation *outer) {
    product = inner, sum = outer;
    return arithmeticOf(inner, outer).has_value();
  });
  if (isProduct)
    found.product = product, found.sum = sum, found.arithmetic = arithmeticOf(product, sum);
  for (AffineMap map : op.getIndexingMapsArray())
    found.accesses.push_back(accessOf(map));
  found.kind = kindOf(op, found);
  return found;
}

bool Structure::isPlain() const {
  return arithmetic && llvm::all_of(product->getOperands(), llvm::IsaPred<BlockArgument>) &&
         llvm::is_contained(sum->getOperands(), product->getResult(0)) &&
         llvm::any_of(sum->getOperands(), llvm::IsaPred<BlockArgument>) &&
         sum->getBlock()->getTerminator()->getOperand(0) == sum->getResult(0);
}

bool mlir::heddle::isContraction(Operation *op) {
  auto structured = dyn_cast_or_null<linalg::LinalgOp>(op);
  return structured && Structure::of(structured).isContraction();
}

bool mlir::heddle::isBatchLoop(linalg::LinalgOp op, AffineExpr loop) {
  return llvm::all_of(op.getIndexingMapsArray(),
                      [&](AffineMap map) { return llvm::is_contained(map.getResults(), loop); });
}

std::optional<ProductSides> mlir::heddle::findSides(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap write = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  auto column = write.getNumResults() ? dyn_cast<AffineDimExpr>(write.getResults().back()) : nullptr;
  if (!column)
    return std::nullopt;
  OpOperand *first = op.getDpsInputOperand(0), *second = op.getDpsInputOperand(1);
  bool isFirst = op.getMatchingIndexingMap(first).isFunctionOfDim(column.getPosition());
  if (isFirst == op.getMatchingIndexingMap(second).isFunctionOfDim(column.getPosition()))
    return std::nullopt;
  return isFirst ? ProductSides{second, first} : ProductSides{first, second};
}

bool mlir::heddle::isReduced(linalg::LinalgOp op, OpOperand &input) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  AffineMap map = op.getMatchingIndexingMap(&input);
  return !input.get().getDefiningOp<tensor::EmptyOp>() &&
         llvm::any_of(loops, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
}

bool mlir::heddle::reusesElements(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return isReduced(op, *input) && llvm::any_of(llvm::enumerate(op.getIteratorTypesArray()), [&](auto loop) {
             return loop.value() == utils::IteratorType::parallel && !map.isFunctionOfDim(loop.index());
           });
  });
}
