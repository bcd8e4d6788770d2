// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that place elements: constants, shapes, slices, paddings.
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Stages/Import/StableHlo/Converter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;
using importer::TensorData;

// One operand, one result of its element type.
static LogicalResult requireUnary(OpContext &op) {
  if (failed(op.requireOperands(1)) || failed(op.requireResults(1)))
    return failure();
  if (op.operandType(0).getElementType() != op.resultType(0).getElementType())
    return op.refuse("operand and result must have one element type");
  return success();
}

static bool isSingle(const Tensor &tensor) { return tensor.staticCount() == 1; }

//===--- Constants -----------------------------------------------------------------------------------------------===//

// The bytes of a literal as TensorData has them: i1 and integers of 2 and 4 bits take a byte each.
static TensorData dataOf(DenseElementsAttr value, RankedTensorType type) {
  auto bytes = std::make_shared<std::vector<char>>();
  Type element = type.getElementType();
  if (element.isInteger(1))
    for (bool flag : value.getValues<bool>())
      bytes->push_back(flag);
  else if (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() < 8)
    for (const APInt &number : value.getValues<APInt>())
      bytes->push_back(static_cast<char>(element.isUnsignedInteger() ? number.getZExtValue() : number.getSExtValue()));
  else
    bytes->assign(value.getRawData().begin(), value.getRawData().end());
  return {type, ArrayRef<char>(*bytes), bytes};
}

static LogicalResult lowerConstant(OpContext &op) {
  if (failed(op.requireOperands(0)) || failed(op.requireResults(1)))
    return failure();
  RankedTensorType type = op.resultType(0);
  auto elements = dyn_cast_or_null<ElementsAttr>(op.op->getAttr("value"));
  if (!elements || elements.getShapedType() != type)
    return op.refuse("needs the attribute value, elements of the result's type");
  auto resource = dyn_cast<DenseResourceElementsAttr>(elements);
  if (resource && type.getElementTypeBitWidth() > 1 && type.getElementTypeBitWidth() < 8)
    return op.refuse("a resource of elements of less than a byte is not supported; use dense<…>");
  if (resource) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || static_cast<int64_t>(blob->getData().size()) != tensorBytes(type))
      return op.refuse("the resource '" + resource.getRawHandle().getKey() + "' is not there, or has another size");
    return op.setResult(0, op.emitter.fromData({type, blob->getData(), nullptr}));
  }
  auto value = dyn_cast<DenseElementsAttr>(elements);
  if (!value)
    return op.refuse("attribute value must be dense");
  if (!value.isSplat() || type.getNumElements() == 0)
    return op.setResult(0, op.emitter.fromData(dataOf(value, type)));
  SmallVector<int64_t> ones(type.getRank(), 1);
  auto unit = RankedTensorType::get(ones, type.getElementType());
  return op.setNarrowResult(0, op.emitter.fromData(dataOf(value.resizeSplat(unit), unit)));
}

static LogicalResult lowerIota(OpContext &op) {
  if (failed(op.requireOperands(0)) || failed(op.requireResults(1)))
    return failure();
  FailureOr<int64_t> dim = op.integer("iota_dimension");
  RankedTensorType type = op.resultType(0);
  if (failed(dim) || failed(op.requireDims({*dim}, type.getRank(), "iota_dimension")))
    return failure();
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[*dim] = type.getDimSize(*dim);
  Type i64 = op.emitter.builder.getI64Type(), element = type.getElementType();
  return op.setNarrowResult(
      0, op.emitter.generate(op.sizesOf(shape), element, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
        return importer::convert({b, loc}, arith::IndexCastOp::create(b, loc, i64, v[*dim]), i64, element);
      }));
}

//===--- Shapes --------------------------------------------------------------------------------------------------===//

static LogicalResult lowerBroadcast(OpContext &op) {
  if (failed(requireUnary(op)))
    return failure();
  RankedTensorType from = op.operandType(0), to = op.resultType(0);
  FailureOr<SmallVector<int64_t>> dims = op.ints("broadcast_dimensions");
  if (failed(dims) || failed(op.requireLength(*dims, from.getRank(), "broadcast_dimensions")) ||
      failed(op.requireDims(*dims, to.getRank(), "broadcast_dimensions")))
    return failure();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, from.getRank()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return (*dims)[a] < (*dims)[b]; });
  Tensor tensor = op.emitter.transpose(op.narrow(0), order);
  SmallVector<int64_t> shape(to.getRank(), 1);
  for (int64_t d = 0; d < from.getRank(); ++d) {
    int64_t size = from.getDimSize(d), wide = to.getDimSize((*dims)[d]);
    if (size != wide && size != 1)
      return op.refuse("dimension " + Twine(d) + " of size " + Twine(size) + " does not broadcast to " + Twine(wide));
    shape[(*dims)[d]] = *op.narrow(0).staticSize(d);
  }
  return op.setNarrowResult(0, op.emitter.reshape(tensor, op.sizesOf(shape)));
}

static LogicalResult lowerReshape(OpContext &op) {
  if (failed(requireUnary(op)))
    return failure();
  RankedTensorType from = op.operandType(0), to = op.resultType(0);
  if (from.getNumElements() != to.getNumElements())
    return op.refuse("operand and result have different numbers of elements");
  if (isSingle(op.narrow(0)))
    return op.setNarrowResult(0, op.emitter.reshape(op.narrow(0), op.sizesOf(SmallVector<int64_t>(to.getRank(), 1))));
  // Dimensions of size 1 come and go while others stay narrow.
  auto isReal = [](int64_t size) { return size != 1; };
  auto kept = llvm::to_vector(llvm::make_filter_range(from.getShape(), isReal)),
       wanted = llvm::to_vector(llvm::make_filter_range(to.getShape(), isReal));
  if (kept != wanted)
    return op.setResult(0, op.emitter.reshape(op.operand(0), op.sizesOf(to.getShape())));
  SmallVector<int64_t> shape(to.getRank(), 1), sizes;
  for (int64_t d = 0; d < from.getRank(); ++d)
    if (isReal(from.getDimSize(d)))
      sizes.push_back(*op.narrow(0).staticSize(d));
  for (int64_t d = 0, next = 0; d < to.getRank(); ++d)
    if (isReal(to.getDimSize(d)))
      shape[d] = sizes[next++];
  return op.setNarrowResult(0, op.emitter.reshape(op.narrow(0), op.sizesOf(shape)));
}

static LogicalResult lowerTranspose(OpContext &op) {
  if (failed(requireUnary(op)))
    return failure();
  int64_t rank = op.operandType(0).getRank();
  FailureOr<SmallVector<int64_t>> order = op.ints("permutation");
  if (failed(order) || failed(op.requireLength(*order, rank, "permutation")) ||
      failed(op.requireDims(*order, rank, "permutation")))
    return failure();
  if (applyPermutation(op.operandType(0).getShape(), *order) != SmallVector<int64_t>(op.resultType(0).getShape()))
    return op.refuse("the result does not have the transposed shape");
  if (std::optional<Tensor> turned = turnedProduct(op, *order))
    return op.setResult(0, std::move(*turned));
  return op.setNarrowResult(0, op.emitter.transpose(op.narrow(0), *order));
}

// Reads from the last element to the first.
Tensor mlir::heddle::hlo::reverse(Emitter &emitter, Tensor &source, ArrayRef<int64_t> dims) {
  Value value = emitter.value(source);
  return emitter.generate(source.sizes, source.elementType, {}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    SmallVector<Value> at(v);
    for (int64_t d : dims)
      at[d] = arith::SubIOp::create(b, loc, arith::ConstantIndexOp::create(b, loc, *source.staticSize(d) - 1), at[d]);
    return tensor::ExtractOp::create(b, loc, value, at);
  });
}

static LogicalResult lowerReverse(OpContext &op) {
  if (failed(requireUnary(op)))
    return failure();
  FailureOr<SmallVector<int64_t>> dims = op.ints("dimensions");
  if (failed(dims) || failed(op.requireDims(*dims, op.operandType(0).getRank(), "dimensions")))
    return failure();
  return op.setResult(0, reverse(op.emitter, op.operand(0), *dims));
}

//===--- Slices --------------------------------------------------------------------------------------------------===//

static LogicalResult lowerSlice(OpContext &op) {
  if (failed(requireUnary(op)))
    return failure();
  ArrayRef<int64_t> shape = op.operandType(0).getShape();
  int64_t rank = shape.size();
  FailureOr<SmallVector<int64_t>> starts = op.ints("start_indices"), limits = op.ints("limit_indices"),
                                  strides = op.ints("strides");
  if (failed(starts) || failed(limits) || failed(strides) || failed(op.requireLength(*starts, rank, "start_indices")) ||
      failed(op.requireLength(*limits, rank, "limit_indices")) || failed(op.requireLength(*strides, rank, "strides")))
    return failure();
  SmallVector<int64_t> extents;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t start = (*starts)[d], limit = (*limits)[d], stride = (*strides)[d];
    if (start < 0 || limit < start || limit > shape[d] || stride < 1)
      return op.refuse("dimension " + Twine(d) + " of size " + Twine(shape[d]) + " has no part " + Twine(start) + ":" +
                       Twine(limit) + ":" + Twine(stride));
    extents.push_back(limit == start ? 0 : (limit - start - 1) / stride + 1);
  }
  if (isSingle(op.narrow(0)) && !llvm::is_contained(extents, 0))
    return op.setNarrowResult(0, op.narrow(0));
  return op.setResult(0, op.emitter.slice(op.operand(0), op.sizesOf(*starts), op.sizesOf(extents), *strides));
}

Value mlir::heddle::hlo::toIndex(OpBuilder &b, Location loc, Value element, Type type) {
  return type.isUnsignedInteger() ? Value(arith::IndexCastUIOp::create(b, loc, b.getIndexType(), element))
                                  : Value(arith::IndexCastOp::create(b, loc, b.getIndexType(), element));
}

Value mlir::heddle::hlo::toIndexWithin(OpBuilder &b, Location loc, Value element, Type type, int64_t last) {
  Value index = toIndex(b, loc, element, type), limit = arith::ConstantIndexOp::create(b, loc, last);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  if (type.isUnsignedInteger()) { // what looks negative is larger than any index
    Value isLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, zero);
    return arith::MinSIOp::create(b, loc, arith::SelectOp::create(b, loc, isLarge, limit, index), limit);
  }
  return arith::MinSIOp::create(b, loc, arith::MaxSIOp::create(b, loc, index, zero), limit);
}

// Start indices, operands from `first` on, moved so that `extents` fit into `shape`.
static FailureOr<SmallVector<OpFoldResult>> readStarts(OpContext &op, unsigned first, ArrayRef<int64_t> shape,
                                                       ArrayRef<int64_t> extents) {
  Emitter &emitter = op.emitter;
  OpBuilder &b = emitter.builder;
  SmallVector<OpFoldResult> starts;
  for (auto [d, size] : llvm::enumerate(shape)) {
    RankedTensorType type = op.operandType(first + d);
    if (type.getRank() != 0 || !isa<IntegerType>(type.getElementType()) || extents[d] < 0 || extents[d] > size)
      return op.refuse("start indices must be integers of rank 0, and the part must fit into the operand");
    Tensor &index = op.operand(first + d);
    if (extents[d] == size) {
      starts.push_back(emitter.sizes.constant(0));
      continue;
    }
    importer::Sizes &sizes = emitter.sizes;
    if (index.contents) {
      OpFoldResult inside = sizes.max(index.contents->front(), sizes.constant(0));
      starts.push_back(sizes.min(inside, sizes.constant(size - extents[d])));
      continue;
    }
    Value element = tensor::ExtractOp::create(b, emitter.loc, emitter.value(index), ValueRange());
    starts.push_back(toIndexWithin(b, emitter.loc, element, index.elementType, size - extents[d]));
  }
  return starts;
}

static LogicalResult lowerDynamicSlice(OpContext &op) {
  if (op.op->getNumOperands() < 1)
    return op.refuse("needs operands");
  RankedTensorType type = op.operandType(0);
  FailureOr<SmallVector<int64_t>> extents = op.ints("slice_sizes");
  if (failed(op.requireOperands(1 + type.getRank())) || failed(op.requireResults(1)) || failed(extents) ||
      failed(op.requireLength(*extents, type.getRank(), "slice_sizes")))
    return failure();
  FailureOr<SmallVector<OpFoldResult>> starts = readStarts(op, 1, type.getShape(), *extents);
  if (failed(starts))
    return failure();
  return op.setResult(
      0, op.emitter.slice(op.operand(0), *starts, op.sizesOf(*extents), SmallVector<int64_t>(type.getRank(), 1)));
}

static LogicalResult lowerDynamicUpdateSlice(OpContext &op) {
  if (op.op->getNumOperands() < 2)
    return op.refuse("needs operands");
  RankedTensorType type = op.operandType(0), part = op.operandType(1);
  if (failed(op.requireOperands(2 + type.getRank())) || failed(op.requireResults(1)))
    return failure();
  if (part.getRank() != type.getRank() || part.getElementType() != type.getElementType())
    return op.refuse("the update must have the rank and element type of the operand");
  FailureOr<SmallVector<OpFoldResult>> starts = readStarts(op, 2, type.getShape(), part.getShape());
  if (failed(starts))
    return failure();
  Emitter &emitter = op.emitter;
  if (part.getNumElements() == 0)
    return op.setResult(0, op.operand(0));
  SizeList steps(type.getRank(), emitter.sizes.constant(1)), extents = op.sizesOf(part.getShape());
  Value update = emitter.value(op.operand(1)), target = emitter.value(op.operand(0));
  Value merged = tensor::InsertSliceOp::create(emitter.builder, emitter.loc, update, target, *starts, extents, steps);
  return op.setResult(0, emitter.fromValue(merged, op.sizesOf(type.getShape()), type.getElementType()));
}

static LogicalResult lowerConcatenate(OpContext &op) {
  unsigned count = op.op->getNumOperands();
  if (count == 0)
    return op.refuse("needs operands");
  if (failed(op.requireResults(1)))
    return failure();
  RankedTensorType to = op.resultType(0);
  FailureOr<int64_t> axis = op.integer("dimension");
  if (failed(axis) || failed(op.requireDims({*axis}, to.getRank(), "dimension")))
    return failure();
  int64_t total = 0;
  for (unsigned i = 0; i < count; ++i) {
    RankedTensorType type = op.operandType(i);
    if (type.getRank() != to.getRank() || type.getElementType() != to.getElementType())
      return op.refuse("operand " + Twine(i) + " does not have the rank and element type of the result");
    for (int64_t d = 0; d < to.getRank(); ++d)
      if (d != *axis && type.getDimSize(d) != to.getDimSize(d))
        return op.refuse("operand " + Twine(i) + " does not have the result's size in dimension " + Twine(d));
    total += type.getDimSize(*axis);
  }
  if (total != to.getDimSize(*axis))
    return op.refuse("the operands have " + Twine(total) + " elements along the dimension, the result has " +
                     Twine(to.getDimSize(*axis)));
  SmallVector<Value> parts;
  for (unsigned i = 0; i < count; ++i)
    if (op.operandType(i).getNumElements() != 0)
      parts.push_back(op.emitter.value(op.operand(i)));
  if (parts.empty())
    return op.setResult(0, op.emitter.empty(to.getElementType(), op.sizesOf(to.getShape())));
  Value joined = parts.size() == 1 ? parts.front()
                                   : Value(tensor::ConcatOp::create(op.emitter.builder, op.emitter.loc, *axis, parts));
  return op.setResult(0, op.emitter.fromValue(joined, op.sizesOf(to.getShape()), to.getElementType()));
}

//===--- Pad -----------------------------------------------------------------------------------------------------===//

bool mlir::heddle::hlo::fitsMemory(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  return llvm::all_of(shape, [&](int64_t size) {
    return !llvm::MulOverflow(count, std::max<int64_t>(size, 1), count) && count <= importer::Sizes::kMostElements;
  });
}

std::optional<int64_t> mlir::heddle::hlo::paddedLength(int64_t size, int64_t low, int64_t high, int64_t between) {
  auto isLength = [](int64_t padding) {
    return padding >= -importer::Sizes::kMostElements && padding <= importer::Sizes::kMostElements;
  };
  int64_t inner;
  if (!isLength(low) || !isLength(high) || between < 0 ||
      llvm::MulOverflow(std::max<int64_t>(size - 1, 0), between, inner) || !isLength(inner))
    return std::nullopt;
  return size + inner + low + high;
}

// Negative padding cuts; padding between elements is a write of steps into what is filled before.
static LogicalResult lowerPad(OpContext &op) {
  if (failed(op.requireOperands(2)) || failed(op.requireResults(1)))
    return failure();
  RankedTensorType from = op.operandType(0), to = op.resultType(0);
  int64_t rank = from.getRank();
  FailureOr<SmallVector<int64_t>> low = op.ints("edge_padding_low"), high = op.ints("edge_padding_high"),
                                  between = op.ints("interior_padding");
  if (failed(low) || failed(high) || failed(between) || failed(op.requireLength(*low, rank, "edge_padding_low")) ||
      failed(op.requireLength(*high, rank, "edge_padding_high")) ||
      failed(op.requireLength(*between, rank, "interior_padding")))
    return failure();
  if (op.operandType(1).getRank() != 0 || op.operandType(1).getElementType() != from.getElementType() ||
      to.getRank() != rank)
    return op.refuse("the padding must be a value of rank 0 and of the operand's type");
  for (int64_t d = 0; d < rank; ++d)
    if (paddedLength(from.getDimSize(d), (*low)[d], (*high)[d], (*between)[d]) != to.getDimSize(d))
      return op.refuse("the padding of dimension " + Twine(d) + " does not give the result's size");
  Tensor padded = padTensor(op.emitter, op.operand(0), op.operand(1), *low, *high, *between);
  return op.setResult(0, std::move(padded));
}

Value mlir::heddle::hlo::scalarOf(Emitter &emitter, Tensor &tensor) {
  if (tensor.data)
    return arith::ConstantOp::create(emitter.builder, emitter.loc,
                                     cast<TypedAttr>(*tensor.data->literal().value_begin<Attribute>()));
  Tensor scalar = emitter.reshape(tensor, {});
  return tensor::ExtractOp::create(emitter.builder, emitter.loc, emitter.value(scalar), ValueRange());
}

Value mlir::heddle::hlo::filledWith(Emitter &emitter, Tensor &element, ArrayRef<OpFoldResult> sizes) {
  if (!element.data) {
    Tensor scalar = emitter.reshape(element, {}), wide = emitter.broadcast(scalar, SizeList(sizes));
    return emitter.value(wide);
  }
  Value space = emitter.empty(element.elementType, sizes).value, scalar = scalarOf(emitter, element);
  return linalg::FillOp::create(emitter.builder, emitter.loc, ValueRange{scalar}, ValueRange{space}).getResult(0);
}

Tensor mlir::heddle::hlo::padTensor(Emitter &emitter, Tensor &tensor, Tensor &padding, ArrayRef<int64_t> low,
                                    ArrayRef<int64_t> high, ArrayRef<int64_t> between) {
  importer::Sizes &sizes = emitter.sizes;
  OpBuilder &b = emitter.builder;
  int64_t rank = tensor.rank();
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(*paddedLength(*tensor.staticSize(d), low[d], high[d], between[d]));
  auto list = [&](ArrayRef<int64_t> values) {
    return llvm::map_to_vector(values, [&](int64_t v) { return OpFoldResult(sizes.constant(v)); });
  };
  SizeList target = list(shape);
  if (llvm::is_contained(shape, 0))
    return emitter.empty(tensor.elementType, target);
  if (tensor.staticCount() == 0)
    return emitter.broadcast(padding, target);
  // Which elements stay, and where they come to lie.
  SmallVector<int64_t> first, count, at, steps, before, after;
  bool plain = true;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t size = *tensor.staticSize(d), step = size > 1 ? between[d] + 1 : 1;
    int64_t begin = low[d] < 0 ? (-low[d] + step - 1) / step : 0;
    int64_t end = size; // elements at low + i * step must lie below shape
    if (low[d] + (size - 1) * step >= shape[d])
      end = shape[d] - 1 < low[d] ? 0 : (shape[d] - 1 - low[d]) / step + 1;
    first.push_back(begin);
    count.push_back(std::max<int64_t>(end - begin, 0));
    at.push_back(low[d] + begin * step);
    steps.push_back(count.back() > 1 ? step : 1);
    before.push_back(at.back());
    after.push_back(shape[d] - at.back() - count.back());
    plain &= steps.back() == 1;
  }
  if (llvm::is_contained(count, 0))
    return emitter.broadcast(padding, target);
  Tensor part = emitter.slice(tensor, list(first), list(count), SmallVector<int64_t>(rank, 1));
  if (llvm::equal(count, shape))
    return part;
  if (plain && padding.data) {
    auto type = RankedTensorType::get(shape, storageType(tensor.elementType));
    Value padded = tensor::PadOp::create(b, emitter.loc, type, emitter.value(part), list(before), list(after),
                                         scalarOf(emitter, padding));
    return emitter.fromValue(padded, target, tensor.elementType);
  }
  Value filled = filledWith(emitter, padding, target);
  Value merged =
      tensor::InsertSliceOp::create(b, emitter.loc, emitter.value(part), filled, list(at), list(count), list(steps));
  return emitter.fromValue(merged, target, tensor.elementType);
}

void mlir::heddle::hlo::registerMovement(LoweringTable &table) {
  table["stablehlo.broadcast_in_dim"] = lowerBroadcast;
  table["stablehlo.concatenate"] = lowerConcatenate;
  table["stablehlo.constant"] = lowerConstant;
  table["stablehlo.dynamic_slice"] = lowerDynamicSlice;
  table["stablehlo.dynamic_update_slice"] = lowerDynamicUpdateSlice;
  table["stablehlo.iota"] = lowerIota;
  table["stablehlo.pad"] = lowerPad;
  table["stablehlo.reshape"] = lowerReshape;
  table["stablehlo.reverse"] = lowerReverse;
  table["stablehlo.slice"] = lowerSlice;
  table["stablehlo.transpose"] = lowerTranspose;
}
