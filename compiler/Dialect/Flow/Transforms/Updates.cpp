// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Flow/Transforms/Updates.h"

#include "compiler/Dialect/Flow/IR/FlowCollectives.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;

// Memory that the call may write: state that it gives a new value, or what the caller donates.
static bool isWritableArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (!func || !func.isPublic())
    return false;
  Attribute state = func.getArgAttr(argument.getArgNumber(), kStateAttr);
  auto isStored = [&](unsigned result) { return func.getResultAttr(result, kStateAttr) == state; };
  return state ? llvm::any_of(llvm::seq(func.getNumResults()), isStored)
               : func.getArgAttr(argument.getArgNumber(), kDonatedAttr) != nullptr;
}

bool flow::isArgumentUpdate(tensor::InsertSliceOp op) {
  for (unsigned depth = 0; depth < 1000; ++depth) {
    if (!op.getDest().hasOneUse() || !op.hasUnitStride())
      return false;
    if (isWritableArgument(op.getDest()))
      return isa<func::FuncOp>(op->getParentOp());
    op = op.getDest().getDefiningOp<tensor::InsertSliceOp>();
    if (!op)
      return false;
  }
  return false;
}

bool flow::isUpdate(tensor::InsertSliceOp op) {
  return isRowUpdate(op) || isPartUpdate(op) || isFill(op) || isPartOfLoop(op) || isArgumentUpdate(op);
}

Value flow::findMemory(tensor::InsertSliceOp op) {
  while (auto before = op.getDest().getDefiningOp<tensor::InsertSliceOp>())
    op = before;
  return op.getDest();
}

std::optional<flow::InsertedValue> flow::findInserted(tensor::InsertSliceOp op) {
  std::optional<SliceForm> form = findForm(op);
  if (!form)
    return std::nullopt;
  InsertedValue inserted{op.getSource(), form->outer};
  while (inserted.value.hasOneUse()) {
    Operation *def = inserted.value.getDefiningOp();
    int64_t dims = 0, groups = 0;
    if (auto expand = dyn_cast_if_present<tensor::ExpandShapeOp>(def)) {
      SmallVector<ReassociationIndices> all = expand.getReassociationIndices();
      while (dims < inserted.outer)
        dims += all[groups++].size();
      if (dims != inserted.outer)
        return std::nullopt;
      inserted = {expand.getSrc(), groups};
    } else if (auto collapse = dyn_cast_if_present<tensor::CollapseShapeOp>(def)) {
      SmallVector<ReassociationIndices> all = collapse.getReassociationIndices();
      while (groups < inserted.outer)
        dims += all[groups++].size();
      inserted = {collapse.getSrc(), dims};
    } else {
      return inserted;
    }
  }
  return std::nullopt;
}

int64_t flow::nextFilled(Operation *module) {
  int64_t next = 0;
  module->walk([&](tensor::EmptyOp memory) {
    if (auto number = memory->getAttrOfType<IntegerAttr>(kFilledAttr))
      next = std::max(next, number.getInt() + 1);
  });
  return next;
}

bool flow::cuts(tensor::InsertSliceOp op, int64_t dim) {
  int64_t size = op.getDestType().getDimSize(dim);
  if (op.getStaticSizes()[dim] != size || !isConstantIntValue(op.getMixedOffsets()[dim], 0))
    return true;
  auto memory = findMemory(op).getDefiningOp<tensor::EmptyOp>();
  return ShapedType::isDynamic(size) && memory && memory->hasAttr(kFilledAttr) &&
         !isEqualConstantIntOrValue(op.getMixedSizes()[dim], memory.getMixedSizes()[dim]);
}

std::optional<flow::SliceForm> flow::findForm(tensor::InsertSliceOp op) {
  RankedTensorType type = op.getDestType();
  unsigned bits = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  bool hasBytes = bits == 1 || (bits > 0 && bits % 8 == 0);
  if (!op.hasUnitStride() || !hasBytes || type.getEncoding() || op.getSourceType().getEncoding())
    return std::nullopt;
  SliceForm form;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  bool isFirst = true;
  for (int64_t d = 0, outer = 0; d < type.getRank(); ++d) {
    int64_t size = op.getStaticSizes()[d];
    if (cuts(op, d) && !isFirst) {
      if (form.cut > 0)
        return std::nullopt;
      form = {d, outer};
    }
    isFirst &= size == 1;
    outer += !dropped.test(d);
  }
  return form;
}

// Nothing but its size is read by another op.
static bool isReadByOne(Value value) {
  return llvm::count_if(value.getUsers(), [](Operation *user) { return !isa<tensor::DimOp>(user); }) == 1;
}

// The insertion of the next part into the value, in its block; null where there is none or are several.
static tensor::InsertSliceOp findNext(Value value) {
  tensor::InsertSliceOp next;
  for (Operation *user : value.getUsers()) {
    auto insert = dyn_cast<tensor::InsertSliceOp>(user);
    if (!insert || insert.getDest() != value)
      continue;
    if (next || insert->getBlock() != value.getParentBlock())
      return {};
    next = insert;
  }
  return next;
}

// Whether a part of `size` that begins there is known to end at `end`.
static bool endsAt(OpFoldResult begin, OpFoldResult size, OpFoldResult end) {
  std::optional<int64_t> from = getConstantIntValue(begin), extent = getConstantIntValue(size);
  if (from && extent)
    return getConstantIntValue(end) == *from + *extent;
  if (from == 0)
    return isEqualConstantIntOrValue(size, end);
  auto are = [](Value a, OpFoldResult b) { return isEqualConstantIntOrValue(getAsOpFoldResult(a), b); };
  auto difference = extent ? arith::SubIOp() : cast<Value>(size).getDefiningOp<arith::SubIOp>();
  if (difference && are(difference.getRhs(), begin))
    return are(difference.getLhs(), end);
  auto value = dyn_cast<Value>(end);
  auto sum = value ? value.getDefiningOp<arith::AddIOp>() : arith::AddIOp();
  return sum && ((are(sum.getLhs(), begin) && are(sum.getRhs(), size)) ||
                 (are(sum.getLhs(), size) && are(sum.getRhs(), begin)));
}

// At which place of a ring of `places` a part of so many positions begins, counted from the rank's own: the offset is
// (%coordinate + place) mod places, or %coordinate, times `extent`.
static std::optional<int64_t> findPlace(OpFoldResult offset, int64_t places, int64_t extent) {
  auto value = dyn_cast<Value>(offset);
  auto scaled = value ? value.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!scaled || getConstantIntValue(scaled.getRhs()) != extent)
    return std::nullopt;
  Value at = scaled.getLhs();
  int64_t place = 0;
  if (auto turned = at.getDefiningOp<arith::RemSIOp>()) {
    auto sum = turned.getLhs().getDefiningOp<arith::AddIOp>();
    std::optional<int64_t> distance = sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
    if (!distance || *distance < 0 || getConstantIntValue(turned.getRhs()) != places)
      return std::nullopt;
    at = sum.getLhs();
    place = *distance % places;
  }
  auto coordinate = at.getDefiningOp<flow::CoordinateOp>();
  if (!coordinate)
    return std::nullopt;
  device::MeshOp mesh = flow::getMesh(coordinate, coordinate.getMeshAttr());
  if (!mesh || mesh.getSize(coordinate.getAxisAttr()) != places)
    return std::nullopt;
  return place;
}

// Whether equal parts of a known size are at all places of a ring, once each.
static bool fillsRing(tensor::EmptyOp memory) {
  int64_t axis = -1, extent = 0;
  llvm::SmallBitVector places;
  RankedTensorType type = memory.getType();
  for (tensor::InsertSliceOp part = findNext(memory); part; part = findNext(part.getResult())) {
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!flow::cuts(part, d))
        continue;
      if (axis < 0 && type.getDimSize(d) > 0 && part.getStaticSizes()[d] > 0) {
        axis = d;
        extent = part.getStaticSizes()[d];
        places.resize(type.getDimSize(d) / extent);
      }
      if (axis != d || part.getStaticSizes()[d] != extent)
        return false;
    }
    if (axis < 0 || !flow::findForm(part))
      return false;
    auto place = findPlace(part.getMixedOffsets()[axis], static_cast<int64_t>(places.size()), extent);
    if (!place || places.test(*place))
      return false;
    places.set(*place);
  }
  return axis >= 0 && places.all() && static_cast<int64_t>(places.size()) * extent == type.getDimSize(axis);
}

// Whether parts lie behind one another along one dimension, from its begin to its end.
static bool fillsInOrder(tensor::EmptyOp memory) {
  int64_t axis = -1;
  OpFoldResult end = Builder(memory.getContext()).getIndexAttr(0);
  for (tensor::InsertSliceOp part = findNext(memory); part; part = findNext(part.getResult())) {
    if (!flow::findForm(part))
      return false;
    for (int64_t d = 0; d < memory.getType().getRank(); ++d) {
      bool isCut = flow::cuts(part, d);
      if (isCut && axis < 0)
        axis = d;
      if (isCut && axis != d)
        return false;
    }
    if (axis < 0 || !isEqualConstantIntOrValue(part.getMixedOffsets()[axis], end))
      return false;
    tensor::InsertSliceOp next = findNext(part.getResult());
    end = next ? next.getMixedOffsets()[axis] : memory.getMixedSizes()[axis];
    if (!endsAt(part.getMixedOffsets()[axis], part.getMixedSizes()[axis], end))
      return false;
  }
  return axis >= 0;
}

bool flow::isFill(tensor::InsertSliceOp op) {
  auto memory = findMemory(op).getDefiningOp<tensor::EmptyOp>();
  return memory && memory->hasAttr(kFilledAttr) && memory->getBlock() == op->getBlock() &&
         (fillsInOrder(memory) || fillsRing(memory));
}

static bool replacesCarried(tensor::InsertSliceOp op) {
  auto carried = dyn_cast<BlockArgument>(op.getDest());
  auto loop = carried ? dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp()) : scf::ForOp();
  if (!loop || carried == loop.getInductionVar() || !isReadByOne(carried) || !op->hasOneUse())
    return false;
  OpOperand &use = *op.getResult().use_begin();
  return use.getOwner() == loop.getBody()->getTerminator() && use.getOperandNumber() + 1 == carried.getArgNumber();
}

// A branch hands on a tensor of free size in memory that is the block's own.
static bool replacesChosen(tensor::InsertSliceOp op) {
  auto branch = op.getDest().getDefiningOp<scf::IfOp>();
  return branch && branch->getBlock() == op->getBlock() && !op.getDestType().hasStaticShape() &&
         isReadByOne(op.getDest());
}

bool flow::isPartUpdate(tensor::InsertSliceOp op) { return replacesCarried(op) && findForm(op).has_value(); }

bool flow::isRowUpdate(tensor::InsertSliceOp op) {
  if (!replacesCarried(op) && !replacesChosen(op))
    return false;
  // Whole rows: only the first dimension is cut.
  for (int64_t d = 1; d < op.getDestType().getRank(); ++d)
    if (!isConstantIntValue(op.getMixedOffsets()[d], 0) || op.getStaticSizes()[d] != op.getDestType().getDimSize(d))
      return false;
  return op.getDestType().getRank() > 0 && op.hasUnitStride();
}

bool flow::isPartOfLoop(tensor::InsertSliceOp op) {
  return op.hasUnitStride() && op->getParentOp()->hasAttr(kStreamsAttr) && replacesCarried(op);
}

bool flow::startsStreamLoop(tensor::EmptyOp op) {
  // Equal ones are one op for several loops, or for several tensors of one: each has memory of its own.
  return !op->use_empty() && llvm::all_of(op->getUsers(), [&](Operation *user) {
    return isa<scf::ForOp>(user) && user->hasAttr(kStreamsAttr) && user->getBlock() == op->getBlock();
  });
}
