// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"

#include "compiler/Dialect/Flow/Analysis/ByteEstimate.h"
#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::flow;

// Larger sizes than memory has are as good as this one, and products of a few do not overflow.
static constexpr int64_t kLargest = int64_t{1} << 47;

static SmallVector<int64_t> guessShape(RankedTensorType type) {
  return llvm::map_to_vector(type.getShape(),
                             [](int64_t size) { return ShapedType::isDynamic(size) ? kUnknownSize : size; });
}

SizeEstimates::SizeEstimates(ModuleOp module) : expected(getExpected(module)) {}

int64_t SizeEstimates::named(StringRef name) const {
  auto size = expected ? expected.getAs<IntegerAttr>(name) : IntegerAttr();
  return size ? size.getInt() : kUnknownSize;
}

//===--- Index values --------------------------------------------------------------------------------------------===//

int64_t SizeEstimates::size(Value index) {
  if (auto known = sizes.find(index); known != sizes.end())
    return known->second;
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  // Of a loop's index the first: what is left of a part is the most then.
  if (auto argument = dyn_cast<BlockArgument>(index))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        loop && argument == loop.getInductionVar())
      return size(loop.getLowerBound());
  Operation *op = index.getDefiningOp();
  if (!op || !open.insert(index).second)
    return kUnknownSize;
  int64_t result = std::clamp(computeSize(op, index), -kLargest, kLargest);
  open.erase(index);
  return sizes[index] = result;
}

int64_t SizeEstimates::mixed(OpFoldResult size) {
  std::optional<int64_t> constant = getConstantIntValue(size);
  return constant ? *constant : this->size(cast<Value>(size));
}

static bool isBinary(Operation *op) { return op->getNumOperands() == 2 && op->getNumResults() == 1; }

static std::optional<int64_t> computeBinary(Operation *op, int64_t a, int64_t b) {
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op)) {
    int64_t product = 0;
    return llvm::MulOverflow(a, b, product) ? kLargest : product;
  }
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return std::min(a, b);
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::max(a, b);
  if (b == 0)
    return std::nullopt;
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return llvm::divideCeilSigned(a, b);
  if (isa<arith::FloorDivSIOp>(op))
    return llvm::divideFloorSigned(a, b);
  if (isa<arith::DivSIOp, arith::DivUIOp>(op))
    return a / b;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return a % b;
  return std::nullopt;
}

int64_t SizeEstimates::computeSize(Operation *op, Value index) {
  if (auto dimension = dyn_cast<DimensionOp>(op))
    return named(dimension.getName());
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> position = dim.getConstantIndex();
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    return position && type && *position < type.getRank() ? shape(dim.getSource())[*position] : kUnknownSize;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return size(op->getOperand(0));
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, size(compare.getLhs()), true),
                                    APInt(64, size(compare.getRhs()), true));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Operation *condition = select.getCondition().getDefiningOp();
    bool isTold = condition && isa<arith::CmpIOp>(condition);
    return size(!isTold || size(select.getCondition()) ? select.getTrueValue() : select.getFalseValue());
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return size(loop.getInitArgs()[cast<OpResult>(index).getResultNumber()]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return size(branch.thenYield().getOperand(cast<OpResult>(index).getResultNumber()));
  if (isa<arith::ArithDialect>(op->getDialect()) && isBinary(op))
    return computeBinary(op, size(op->getOperand(0)), size(op->getOperand(1))).value_or(kUnknownSize);
  return kUnknownSize;
}

//===--- Tensors -------------------------------------------------------------------------------------------------===//

SmallVector<int64_t> SizeEstimates::shape(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (auto known = shapes.find(tensor); known != shapes.end())
    return known->second;
  if (type.hasStaticShape() || !open.insert(tensor).second)
    return guessShape(type);
  SmallVector<int64_t> result = computeShape(tensor);
  open.erase(tensor);
  // What an op's type states is known better.
  for (auto [size, stated] : llvm::zip_equal(result, type.getShape()))
    size = ShapedType::isDynamic(stated) ? std::max<int64_t>(size, 0) : stated;
  return shapes[tensor] = result;
}

uint64_t SizeEstimates::bytes(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || !any() || type.hasStaticShape())
    return estimateBytes(tensor.getType());
  return estimateBytes(RankedTensorType::get(shape(tensor), type.getElementType()));
}

SmallVector<int64_t> SizeEstimates::merge(RankedTensorType type, ValueRange dims) {
  SmallVector<int64_t> result = guessShape(type);
  for (auto [size, stated] : llvm::zip_equal(result, type.getShape()))
    if (ShapedType::isDynamic(stated) && !dims.empty()) {
      size = std::max<int64_t>(0, this->size(dims.front()));
      dims = dims.drop_front();
    }
  return result;
}

SmallVector<int64_t> SizeEstimates::computeShape(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return shapeOfArgument(argument);
  return shapeOfResult(cast<OpResult>(tensor));
}

SmallVector<int64_t> SizeEstimates::shapeOfArgument(BlockArgument argument) {
  SmallVector<int64_t> result = guessShape(cast<RankedTensorType>(argument.getType()));
  Operation *owner = argument.getOwner()->getParentOp();
  if (auto func = dyn_cast<func::FuncOp>(owner)) {
    if (auto names = func.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr))
      for (auto [size, name] : llvm::zip_equal(result, names.getAsValueRange<StringAttr>()))
        if (!name.empty())
          size = named(name);
    return result;
  }
  if (auto loop = dyn_cast<scf::ForOp>(owner); loop && argument.getArgNumber() > 0)
    return shape(loop.getInitArgs()[argument.getArgNumber() - 1]);
  auto loop = dyn_cast<scf::WhileOp>(owner);
  if (loop && argument.getOwner() == loop.getBeforeBody())
    return shape(loop.getInits()[argument.getArgNumber()]);
  if (loop)
    return shape(loop.getConditionOp().getArgs()[argument.getArgNumber()]);
  return result;
}

// The sizes of a result's dynamic dimensions among those of all results.
static ValueRange dimsOf(OpResult result, OperandRange all) {
  unsigned before = 0;
  for (Value earlier : result.getOwner()->getResults().take_front(result.getResultNumber()))
    if (auto type = dyn_cast<RankedTensorType>(earlier.getType()))
      before += type.getNumDynamicDims();
  return all.slice(before, cast<RankedTensorType>(result.getType()).getNumDynamicDims());
}

SmallVector<int64_t> SizeEstimates::shapeOfResult(OpResult result) {
  auto type = cast<RankedTensorType>(result.getType());
  Operation *op = result.getOwner();
  auto mixedShape = [&](ArrayRef<OpFoldResult> list) {
    SmallVector<int64_t> made = llvm::map_to_vector(list, [&](OpFoldResult one) { return mixed(one); });
    return static_cast<int64_t>(made.size()) == type.getRank() ? made : guessShape(type);
  };
  if (auto dispatch = dyn_cast<DispatchOp>(op))
    return merge(type, dimsOf(result, dispatch.getResultDims()));
  if (auto region = dyn_cast<RegionOp>(op))
    return merge(type, dimsOf(result, region.getResultDims()));
  if (auto collective = dyn_cast<CollectiveOpInterface>(op))
    return merge(type, collective.getResultDims());
  if (isa<TransferOp, EncodeOp, tensor::CastOp>(op))
    return shape(op->getOperand(0));
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return mixedShape(empty.getMixedSizes());
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return mixedShape(slice.getMixedSizes());
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return mixedShape(expand.getMixedOutputShape());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    SmallVector<int64_t> from = shape(collapse.getSrc()), made;
    for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
      int64_t product = 1;
      for (int64_t dim : group)
        product = llvm::MulOverflow(product, from[dim], product) ? kLargest : product;
      made.push_back(product);
    }
    return made;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return shape(loop.getInitArgs()[result.getResultNumber()]);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return shape(loop.getConditionOp().getArgs()[result.getResultNumber()]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return shape(branch.thenYield().getOperand(result.getResultNumber()));
  if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
    return shape(style.getTiedOpOperand(result)->get());
  if (op->getNumOperands() > 0 && op->getOperand(0).getType() == type) // elementwise
    return shape(op->getOperand(0));
  return guessShape(type);
}

//===--- Dispatches ----------------------------------------------------------------------------------------------===//

SizeEstimates SizeEstimates::within(DispatchOp dispatch, func::FuncOp function) {
  SizeEstimates inside;
  inside.expected = expected;
  OperandRange dims = dispatch.getBindingDims();
  auto arguments = function.getArguments();
  for (auto [binding, argument] : llvm::zip(dispatch.getBindings(), arguments)) {
    auto type = cast<RankedTensorType>(binding.getType());
    inside.shapes[argument] = merge(type, dims.take_front(type.getNumDynamicDims()));
    dims = dims.drop_front(type.getNumDynamicDims());
  }
  for (auto [constant, argument] :
       llvm::zip(dispatch.getConstants(), arguments.drop_front(dispatch.getBindings().size())))
    inside.sizes[argument] = size(constant);
  return inside;
}
