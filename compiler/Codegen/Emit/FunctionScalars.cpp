// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/FunctionScalars.h"

#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Dialect/Encoding/IR/PhysicalLayout.h"
#include "compiler/Dialect/Flow/IR/FlowRows.h"
#include "heddle/contract/KernelAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

unsigned mlir::heddle::codegen::getNumTensorArguments(func::FuncOp func) {
  return llvm::count_if(func.getArgumentTypes(), [](Type type) { return isa<RankedTensorType>(type); });
}

Value FunctionScalars::get(Value scalar) {
  if (Value known = values.lookup(scalar))
    return known;
  return values[scalar] = compute(scalar);
}

Value FunctionScalars::fail(Operation *op, const Twine &message, Type type) {
  if (!hasFailed)
    op->emitError(message);
  hasFailed = true;
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value FunctionScalars::compute(Value scalar) {
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return constantAt(builder, argument.getArgNumber() - getNumTensorArguments(source));
  Operation *op = scalar.getDefiningOp();
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    if (std::optional<int64_t> position = dim.getConstantIndex())
      return size(dim.getSource(), *position);
  if (isa<flow::CheckedIndexOp>(op))
    return check(op);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op);
      extract && readElement && isa<BlockArgument>(extract.getTensor())) {
    SmallVector<Value> index = llvm::map_to_vector(extract.getIndices(), [&](Value at) { return get(at); });
    return readElement(builder, cast<BlockArgument>(extract.getTensor()), index);
  }
  auto isTensor = [](Type type) { return isa<ShapedType>(type); };
  if (op->getNumRegions() != 0 || llvm::any_of(op->getOperandTypes(), isTensor))
    return fail(op, "a dispatch needs this scalar before its tensors are computed", scalar.getType());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand));
  return builder.clone(*op, mapping)->getResult(cast<OpResult>(scalar).getResultNumber());
}

Value FunctionScalars::check(Operation *op) {
  Value index = get(op->getOperand(0)), size = get(op->getOperand(1));
  Value inside = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, index, size);
  if (failsChecks && getConstantIntValue(inside) != -1) {
    Value yes = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
    Value outside = builder.createOrFold<arith::XOrIOp>(loc, inside, yes);
    auto branch = scf::IfOp::create(builder, loc, outside, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    kernel::FailOp::create(builder, loc, HEDDLE_KERNEL_INDEX_OUT_OF_RANGE);
  }
  return select(inside, index, constant(0));
}

Value FunctionScalars::toValue(OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return constant(cast<IntegerAttr>(attr).getInt());
  return get(cast<Value>(value));
}

Value FunctionScalars::size(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constant(type.getDimSize(dim));
  if (Value known = knownSizes.lookup({tensor, dim}))
    return known;
  Value value = computeSize(tensor, dim);
  return knownSizes[{tensor, dim}] = value;
}

SmallVector<Value> FunctionScalars::sizes(Value tensor) {
  SmallVector<Value> result;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(tensor.getType()).getRank(); ++dim)
    result.push_back(size(tensor, dim));
  return result;
}

// The outliner passes the sizes of the arguments' dynamic dimensions first, in order. Of an argument with a layout they
// are those of the tensor, not those in memory.
Value FunctionScalars::argumentSize(BlockArgument argument, int64_t dim) {
  auto layout = source.getArgAttrOfType<encoding::LayoutAttr>(argument.getArgNumber(), encoding::kLayoutAttr);
  unsigned position = 0;
  for (BlockArgument earlier : source.getArguments().take_front(argument.getArgNumber()))
    position += cast<RankedTensorType>(earlier.getType()).getNumDynamicDims();
  auto type = cast<RankedTensorType>(argument.getType());
  int64_t step = 1;
  if (layout) {
    SmallVector<encoding::PhysicalDim> dims = encoding::getPhysicalDims(layout);
    step = dims[dim].step;
    for (auto [d, other] : llvm::enumerate(dims))
      position += !other.inner && other.dim < dims[dim].dim && type.isDynamicDim(d);
  } else {
    for (int64_t d = 0; d < dim; ++d)
      position += type.isDynamicDim(d);
  }
  unsigned tensors = getNumTensorArguments(source);
  if (tensors + position >= source.getNumArguments())
    return fail(source, "needs an index argument for each dynamic dimension of its tensors", builder.getIndexType());
  return ceilDiv(get(source.getArgument(tensors + position)), step);
}

Value FunctionScalars::computeSize(Value tensor, int64_t dim) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return argumentSize(argument, dim);
  auto result = cast<OpResult>(tensor);
  return llvm::TypeSwitch<Operation *, Value>(result.getOwner())
      .Case([&](linalg::LinalgOp op) { return size(op.getDpsInits()[result.getResultNumber()], dim); })
      .Case([&](scf::ForallOp op) { return size(op.getOutputs()[result.getResultNumber()], dim); })
      .Case([&](tensor::EmptyOp op) { return toValue(op.getMixedSizes()[dim]); })
      .Case([&](tensor::CastOp op) { return size(op.getSource(), dim); })
      .Case([&](tensor::InsertSliceOp op) { return size(op.getDest(), dim); })
      .Case([&](tensor::ExpandShapeOp op) { return toValue(op.getMixedOutputShape()[dim]); })
      .Case([&](tensor::ExtractSliceOp op) -> Value {
        llvm::SmallBitVector dropped = op.getDroppedDims();
        for (auto [position, size] : llvm::enumerate(op.getMixedSizes()))
          if (!dropped.test(position) && dim-- == 0)
            return toValue(size);
        llvm_unreachable("the result has fewer dimensions");
      })
      .Case([&](tensor::CollapseShapeOp op) {
        SmallVector<Value> factors;
        ReassociationIndices merged = op.getReassociationIndices()[dim];
        for (int64_t position : merged)
          factors.push_back(size(op.getSrc(), position));
        return product(factors);
      })
      .Case([&](tensor::PadOp op) {
        return add(size(op.getSource(), dim),
                   add(toValue(op.getMixedLowPad()[dim]), toValue(op.getMixedHighPad()[dim])));
      })
      .Case([&](tensor::ConcatOp op) {
        Value total = size(op.getInputs().front(), dim);
        if (dim == static_cast<int64_t>(op.getDim()))
          for (Value input : op.getInputs().drop_front())
            total = add(total, size(input, dim));
        return total;
      })
      .Case([&](tensor::GenerateOp op) {
        return get(op.getDynamicExtents()[cast<RankedTensorType>(tensor.getType()).getDynamicDimIndex(dim)]);
      })
      .Case([&](flow::RowsOp op) { return toValue(op.getMixedSizes(result.getResultNumber())[dim]); })
      .Default([&](Operation *op) -> Value {
        if (op->getNumOperands() > 0 && op->getOperand(0).getType() == tensor.getType())
          return size(op->getOperand(0), dim); // elementwise on whole tensors
        return fail(op, "does not know the size of its result in a dispatch", builder.getIndexType());
      });
}

SmallVector<Value> FunctionScalars::loopSizes(Operation *op) {
  auto linalgOp = cast<linalg::LinalgOp>(op);
  SmallVector<Value> result(linalgOp.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    for (auto [position, expr] : llvm::enumerate(linalgOp.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr); dim && !result[dim.getPosition()])
        result[dim.getPosition()] = size(operand.get(), position);
  }
  for (Value &size : result)
    if (!size)
      size = fail(op, "has a loop that is no operand's dimension", builder.getIndexType());
  return result;
}

LogicalResult mlir::heddle::codegen::emitHostFunction(func::FuncOp source, StringRef name,
                                                      llvm::function_ref<Value(FunctionScalars &)> make) {
  OpBuilder builder(source);
  SmallVector<Type> inputs(source.getArgumentTypes().drop_front(getNumTensorArguments(source)));
  auto type = builder.getFunctionType(inputs, builder.getIndexType());
  auto func = func::FuncOp::create(builder, source.getLoc(), name, type);
  Block *block = func.addEntryBlock();
  builder.setInsertionPointToStart(block);
  auto terminator = func::ReturnOp::create(builder, source.getLoc());
  builder.setInsertionPoint(terminator);
  FunctionScalars scalars(source, builder, [&](OpBuilder &, unsigned i) { return block->getArgument(i); });
  terminator->setOperands(make(scalars));
  return failure(scalars.failed());
}
