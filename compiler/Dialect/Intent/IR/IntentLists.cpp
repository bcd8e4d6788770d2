// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Intent/IR/IntentLists.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::intent;

//===--- Regions -------------------------------------------------------------------------------------------------===//

void intent::fillRegion(Region &region, TypeRange arguments, Location location, ListBody body) {
  OpBuilder builder(region.getContext());
  Block *block = builder.createBlock(&region, {}, arguments, SmallVector<Location>(arguments.size(), location));
  SmallVector<Value> made = body(builder, location, block->getArguments());
  YieldOp::create(builder, location, made);
}

SmallVector<Value> intent::inlineRegion(OpBuilder &builder, Region &region, ValueRange arguments) {
  Block &block = region.front();
  IRMapping map;
  map.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, map);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return map.lookupOrDefault(value); });
}

static LogicalResult verifyRegion(Operation *op, Region &region, ArrayRef<Type> arguments, ArrayRef<Type> yielded) {
  if (region.empty())
    return success();
  Block &block = region.front();
  if (block.getArgumentTypes() != TypeRange(arguments))
    return op->emitOpError() << "needs a region that takes (" << arguments << "), got (" << block.getArgumentTypes()
                             << ")";
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getOperandTypes() != TypeRange(yielded))
    return op->emitOpError() << "needs a region that ends in intent.yield of (" << yielded << ")";
  return success();
}

//===--- Shapes --------------------------------------------------------------------------------------------------===//

SmallVector<OpFoldResult> intent::mixedSizes(OpBuilder &builder, Location location, Value tensor, ValueRange given) {
  if (given.empty())
    return tensor::getMixedSizes(builder, location, tensor);
  return getMixedValues(cast<RankedTensorType>(tensor.getType()).getShape(), given, builder);
}

// Of the dynamic dimensions of `tensors`, if any are given.
static LogicalResult verifySizes(Operation *op, ValueRange sizes, ValueRange tensors) {
  int64_t dynamic = 0;
  for (Value tensor : tensors)
    dynamic += cast<RankedTensorType>(tensor.getType()).getNumDynamicDims();
  if (!sizes.empty() && static_cast<int64_t>(sizes.size()) != dynamic)
    return op->emitOpError() << "has one size for each dynamic dimension, " << dynamic << ", or none, got "
                             << sizes.size();
  return success();
}

static Type elementOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

// Whether a dimension can have both sizes.
static bool agree(int64_t a, int64_t b) { return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b; }
static bool agree(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() &&
         llvm::all_of(llvm::zip(a, b), [](auto sizes) { return agree(std::get<0>(sizes), std::get<1>(sizes)); });
}

// Operands of one shape that has the dimension.
static LogicalResult verifyOperands(Operation *op, ValueRange operands, uint64_t dim) {
  if (operands.empty())
    return op->emitOpError() << "needs an operand";
  auto first = cast<RankedTensorType>(operands.front().getType());
  if (dim >= static_cast<uint64_t>(first.getRank()))
    return op->emitOpError() << "goes along dimension " << static_cast<int64_t>(dim) << " of " << first
                             << ", which has no such";
  for (Value operand : operands)
    if (!agree(cast<RankedTensorType>(operand.getType()).getShape(), first.getShape()))
      return op->emitOpError() << "needs operands of one shape, got " << operands.getTypes();
  return success();
}

//===--- intent.sort ---------------------------------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  if (failed(verifyOperands(*this, getLists(), getDim())) || failed(verifySizes(*this, getSizes(), getLists().front())))
    return failure();
  if (getBefore().empty() && getLists().size() != 1)
    return emitOpError() << "orders by value one operand, got " << getLists().size()
                         << "; for several say by a region which come first";
  Type element = elementOf(getLists().front());
  if (getBefore().empty() && !element.isIntOrFloat())
    return emitOpError() << "orders numbers by value, got " << element;
  if (!getBefore().empty() && (getDescending() || getUnsignedOrder()))
    return emitOpError() << "has its order from the region; descending and unsigned are of an order by value";
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getLists().front().getType()).getShape(),
                    places = getPlaces().getType().getShape();
  bool fits = places.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d)
    fits = d != getDim() ? agree(places[d], shape[d])
                         : getFirst() || ShapedType::isDynamic(places[d]) || ShapedType::isDynamic(shape[d]) ||
                               places[d] <= shape[d];
  if (!fits)
    return emitOpError() << "gives the operands' shape, with at most as many along dimension " << getDim() << ", got "
                         << getPlaces().getType() << " of " << getLists().getTypes();
  return success();
}

LogicalResult SortOp::verifyRegions() {
  SmallVector<Type> arguments;
  for (Value operand : getLists())
    arguments.append(2, elementOf(operand));
  return verifyRegion(*this, getBefore(), arguments, {IntegerType::get(getContext(), 1)});
}

LogicalResult SortOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  SmallVector<OpFoldResult> sizes = mixedSizes(builder, getLoc(), getLists().front(), getSizes());
  RankedTensorType type = getPlaces().getType();
  if (!type.isDynamicDim(getDim()))
    sizes[getDim()] = builder.getIndexAttr(type.getDimSize(getDim()));
  else if (getFirst())
    sizes[getDim()] = getFirst();
  shapes.push_back(std::move(sizes));
  return success();
}

//===--- intent.scan ---------------------------------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (failed(verifyOperands(*this, getLists(), getDim())) || failed(verifySizes(*this, getSizes(), getLists().front())))
    return failure();
  if (getStart().size() != getNumResults() || getNumResults() == 0)
    return emitOpError() << "needs a start for each of its states: " << getNumResults() << ", got "
                         << getStart().size();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(getLists().front().getType()).getShape();
  for (auto [state, start] : llvm::zip_equal(getStates(), getStart())) {
    auto typed = dyn_cast<TypedAttr>(start);
    if (!typed || typed.getType() != elementOf(state))
      return emitOpError() << "begins with " << start << " where the state is " << elementOf(state);
    if (!agree(cast<RankedTensorType>(state.getType()).getShape(), shape))
      return emitOpError() << "gives states of the operands' shape, got " << state.getType();
  }
  bool alike = getStates().size() == getLists().size() &&
               llvm::all_of(llvm::zip(getStates(), getLists()),
                            [](auto both) { return elementOf(std::get<0>(both)) == elementOf(std::get<1>(both)); });
  if (getAssociative() && !alike)
    return emitOpError() << "is associative where states are of the operands' types, one for each";
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  SmallVector<Type> states = llvm::map_to_vector(getStates(), elementOf), arguments{IndexType::get(getContext())};
  llvm::append_range(arguments, states);
  for (Value operand : getLists())
    arguments.push_back(elementOf(operand));
  if (failed(verifyRegion(*this, getStep(), arguments, states)))
    return failure();
  if (getAssociative() && !getStep().front().getArgument(0).use_empty())
    return emitOpError() << "is associative, so its region has no use for the position";
  return success();
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.resize(getNumResults(), mixedSizes(builder, getLoc(), getLists().front(), getSizes()));
  return success();
}

//===--- intent.scatter ------------------------------------------------------------------------------------------===//

LogicalResult ScatterOp::verify() {
  auto data = cast<RankedTensorType>(getData().getType()), updates = cast<RankedTensorType>(getUpdates().getType());
  ArrayRef<int64_t> places = getPlaces().getType().getShape();
  if (failed(verifyOperands(*this, getData(), getDim())) ||
      failed(verifySizes(*this, getSizes(), {getData(), getUpdates()})))
    return failure();
  if (getResult().getType() != data || updates.getElementType() != data.getElementType())
    return emitOpError() << "needs updates and gives a result of the data's type, got " << updates << " and "
                         << getResult().getType() << " with " << data;
  if (updates.getRank() != data.getRank())
    return emitOpError() << "needs updates of the data's rank, got " << updates << " for " << data;
  for (int64_t d = 0; d < data.getRank(); ++d)
    if (d != static_cast<int64_t>(getDim()) && !data.isDynamicDim(d) && updates.getDimSize(d) > data.getDimSize(d))
      return emitOpError() << "needs updates of no more along dimension " << d << " than the data, got " << updates
                           << " for " << data;
  if (!agree(places, updates.getShape()) && !agree(places, updates.getShape().take_front(getDim() + 1)))
    return emitOpError() << "needs places of the updates' shape, or of their first " << getDim() + 1
                         << " dimensions, got " << getPlaces().getType() << " for " << updates;
  if (getCombine().empty() && getAssociative())
    return emitOpError() << "has nothing that is associative: the last update stays";
  return success();
}

LogicalResult ScatterOp::verifyRegions() {
  Type element = elementOf(getData());
  return verifyRegion(*this, getCombine(), {element, element}, {element});
}

ValueRange ScatterOp::getDataSizes() {
  int64_t count = getSizes().empty() ? 0 : cast<RankedTensorType>(getData().getType()).getNumDynamicDims();
  return getSizes().take_front(count);
}

LogicalResult ScatterOp::reifyResultShapes(OpBuilder &builder, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(mixedSizes(builder, getLoc(), getData(), getDataSizes()));
  return success();
}

#define GET_OP_CLASSES
#include "compiler/Dialect/Intent/IR/IntentLists.cpp.inc"
