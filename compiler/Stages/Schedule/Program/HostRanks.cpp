// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Schedule/Program/HostRanks.h"

#include "compiler/Dialect/Flow/IR/FlowPieces.h"
#include "compiler/Stages/Schedule/Program/HostUpdates.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
namespace contract = ::heddle::contract;
using contract::CollectiveKind;

// How many members a group has.
static Value buildGroupSize(flow::CollectiveOpInterface op, device::MeshOp mesh, HostScalars &scalars) {
  int64_t known = flow::getGroupSize(op, mesh);
  if (known != contract::kFreeSize)
    return scalars.constant(known);
  SmallVector<Value> factors;
  for (auto axis : op.getAxes().getAsRange<StringAttr>()) {
    int64_t size = mesh.getSize(axis);
    factors.push_back(size != contract::kFreeSize
                          ? scalars.constant(size)
                          : host::MeshSizeOp::create(scalars.builder, scalars.loc, scalars.builder.getIndexType(),
                                                     op.getMeshAttr(), axis));
  }
  return scalars.product(factors);
}

// The elements of one piece; of one that is cut, of one position.
static Value buildCount(flow::CollectiveOpInterface op, device::MeshOp mesh, ArrayRef<Value> from, ArrayRef<Value> to,
                        HostScalars &scalars) {
  CollectiveKind kind = op.getKind();
  if (auto exchange = dyn_cast<flow::ExchangeOp>(*op))
    return scalars.product(from.drop_front(exchange.getDim() + 1));
  if (op.isCut())
    return scalars.product(from.drop_front(contract::cutsOf(kind)));
  if (!contract::hasSourcePieces(kind))
    return scalars.product(from);
  if (!contract::hasTargetPieces(kind))
    return scalars.product(to);
  Value size = buildGroupSize(op, mesh, scalars);
  return scalars.builder.createOrFold<arith::DivSIOp>(scalars.loc, scalars.product(from), size);
}

// What lies in memory; unsigned where the reduction compares unsigned numbers.
static Type elementType(flow::CollectiveOpInterface op) {
  Type type = op.getOperandType().getElementType();
  std::optional<flow::Reduction> reduction = op.getCombiner();
  if (reduction && flow::isUnsigned(*reduction))
    return IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  return type;
}

static StringAttr nameOf(std::string_view name, Builder &builder) {
  return builder.getStringAttr(StringRef(name.data(), name.size()));
}

// How it is cut; of an exchange with the rows that lie behind one another.
static SmallVector<Value> buildCut(flow::CollectiveOpInterface op, ArrayRef<Value> from, HostScalars &scalars) {
  SmallVector<Value> cut = llvm::map_to_vector(op.getCut(), [&](Value value) { return scalars.of(value); });
  if (auto exchange = dyn_cast<flow::ExchangeOp>(*op)) {
    cut.insert(cut.end() - 2, scalars.product(from.take_front(exchange.getDim())));
    cut.append(2, scalars.constant(0));
  }
  return cut;
}

LogicalResult mlir::heddle::buildCollective(flow::CollectiveOpInterface op, HostScalars &scalars, Issue &issue,
                                            Storages &storages) {
  if (flow::findNotLeading(op))
    return op->emitOpError() << "cuts or joins another dimension than the outermost one; stage partition writes that "
                                "as the outermost one";
  OpBuilder &builder = scalars.builder;
  const Storage from = storages[op.getOperand()];
  RankedTensorType type = op.getResultType();
  SmallVector<Value> dims = scalars.dimsOf(type, op.getResultDims());
  device::MeshOp mesh = flow::getMesh(op, op.getMeshAttr());
  // Sizes that the op knows are equal on all ranks; where the operand was made they may be the rank's own.
  SmallVector<Value> ofOperand = scalars.dimsOf(op.getOperandType(), op.getOperandDims());
  Value count = buildCount(op, mesh, ofOperand, dims, scalars);
  OpResult result = cast<OpResult>(op.getResult());
  Value target = storages.hasTarget(result) ? Value() : placePart(result, std::nullopt, scalars, issue, storages);
  if (!target)
    target = storages.destination(result, dims, from.device);
  std::optional<flow::Reduction> reduction = op.getCombiner();
  StringAttr combiner =
      reduction ? nameOf(contract::spelling(flow::getContractReduction(*reduction)), builder) : StringAttr();
  auto root = op->getAttrOfType<IntegerAttr>("root"), shift = op->getAttrOfType<IntegerAttr>("shift");
  host::CollectiveOp::create(builder, scalars.loc, issue.commStream(), from.buffer, target, count,
                             nameOf(contract::spelling(op.getKind()), builder), combiner,
                             TypeAttr::get(elementType(op)), root ? root : builder.getI64IntegerAttr(0),
                             op->getAttrOfType<DenseI64ArrayAttr>("pairs"),
                             shift ? shift : builder.getI64IntegerAttr(0), op.getMeshAttr(), op.getAxes(),
                             op.getGroupsAttr(), buildCut(op, ofOperand, scalars));
  storages[op.getResult()] = {target, dims, from.device};
  return success();
}

LogicalResult mlir::heddle::buildRank(Operation &op, HostScalars &scalars) {
  OpBuilder &builder = scalars.builder;
  Value made = llvm::TypeSwitch<Operation &, Value>(op)
                   .Case([&](flow::CoordinateOp at) {
                     return host::CoordinateOp::create(builder, scalars.loc, builder.getIndexType(), at.getMeshAttr(),
                                                       at.getAxisAttr());
                   })
                   .Case([&](flow::MeshSizeOp size) {
                     return host::MeshSizeOp::create(builder, scalars.loc, builder.getIndexType(), size.getMeshAttr(),
                                                     size.getAxisAttr());
                   })
                   .Case([&](flow::PiecesOp pieces) -> Value {
                     std::string name =
                         "overlap." + std::to_string(pieces.getNumber()) + (pieces.getPositions() ? ".positions" : "");
                     auto bound = host::BoundOp::create(builder, scalars.loc, builder.getIndexType(), name);
                     bound->setAttr(flow::kAccountAttr, pieces.getAccount());
                     return bound.getResult();
                   })
                   .Case([&](flow::MemberOp member) {
                     return host::MemberOp::create(builder, scalars.loc, builder.getI1Type(), member.getMeshAttr());
                   });
  scalars.map(op.getResult(0), made);
  return success();
}
