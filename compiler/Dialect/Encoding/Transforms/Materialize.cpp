// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Encoding/Transforms/Materialize.h"

#include "compiler/Dialect/Encoding/IR/OperandLayouts.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::encoding;

//===--- Copies --------------------------------------------------------------------------------------------------===//

// A generic that copies `source`, read at `map`, to a new tensor of these sizes.
static Value copy(OpBuilder &builder, Location location, Value source, AffineMap map, ArrayRef<OpFoldResult> sizes) {
  Type element = cast<RankedTensorType>(source.getType()).getElementType();
  Value empty = tensor::EmptyOp::create(builder, location, sizes, element);
  AffineMap maps[] = {map, builder.getMultiDimIdentityMap(sizes.size())};
  SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, location, empty.getType(), source, empty, maps, loops,
                                   [](OpBuilder &inner, Location at, ValueRange arguments) {
                                     linalg::YieldOp::create(inner, at, arguments.front());
                                   })
      ->getResult(0);
}

static OpFoldResult ceilDiv(OpBuilder &builder, Location location, OpFoldResult size, int64_t tile) {
  if (tile == 1)
    return size;
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return builder.getIndexAttr(llvm::divideCeil(*known, tile));
  Value last = arith::ConstantIndexOp::create(builder, location, tile - 1);
  Value divisor = arith::ConstantIndexOp::create(builder, location, tile);
  Value sum = arith::AddIOp::create(builder, location, cast<Value>(size), last);
  return Value(arith::DivSIOp::create(builder, location, sum, divisor));
}

// The tensor with zeros at the end of a dimension, up to a multiple of the tile.
static Value padToTile(OpBuilder &builder, Location location, Value tensor, int64_t dim, int64_t tile,
                       OpFoldResult size) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (tile == 1 || (!type.isDynamicDim(dim) && type.getDimSize(dim) % tile == 0))
    return tensor;
  SmallVector<OpFoldResult> low(type.getRank(), builder.getIndexAttr(0)), high(low);
  SmallVector<int64_t> shape(type.getShape());
  if (!type.isDynamicDim(dim)) {
    shape[dim] = llvm::alignTo(type.getDimSize(dim), tile);
    high[dim] = builder.getIndexAttr(shape[dim] - type.getDimSize(dim));
  } else {
    Value end = getValueOrCreateConstantIndexOp(builder, location, size);
    Value tiles = getValueOrCreateConstantIndexOp(builder, location, ceilDiv(builder, location, size, tile));
    Value step = arith::ConstantIndexOp::create(builder, location, tile);
    Value whole = arith::MulIOp::create(builder, location, tiles, step);
    high[dim] = Value(arith::SubIOp::create(builder, location, whole, end));
  }
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(type.getElementType()));
  auto padded = RankedTensorType::get(shape, type.getElementType());
  return tensor::PadOp::create(builder, location, padded, tensor, low, high, zero);
}

// Vectors walk the last dimension in memory. Its border goes inside all others: a mask then guards only lanes, and what
// does not depend on them is not read where a whole row is padding.
static Value padToTiles(OpBuilder &builder, Location location, Value tensor, LayoutAttr layout,
                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<PhysicalDim> dims = getPhysicalDims(layout);
  for (const PhysicalDim &dim : llvm::reverse(dims))
    if (dim.inner)
      tensor = padToTile(builder, location, tensor, dim.dim, dim.tile, sizes[dim.dim]);
  return tensor;
}

Value mlir::heddle::encoding::pack(OpBuilder &builder, Location location, Value tensor, LayoutAttr layout,
                                   ArrayRef<OpFoldResult> sizes) {
  Value padded = padToTiles(builder, location, tensor, layout, sizes);
  SmallVector<OpFoldResult> physical;
  SmallVector<AffineExpr> index(sizes.size(), builder.getAffineConstantExpr(0));
  for (auto [position, dim] : llvm::enumerate(getPhysicalDims(layout))) {
    AffineExpr loop = builder.getAffineDimExpr(position);
    index[dim.dim] = index[dim.dim] + loop * dim.step;
    physical.push_back(dim.inner ? OpFoldResult(builder.getIndexAttr(dim.tile))
                                 : ceilDiv(builder, location, sizes[dim.dim], dim.step));
  }
  auto map = AffineMap::get(physical.size(), 0, index, builder.getContext());
  return copy(builder, location, padded, map, physical);
}

static AffineMap getUnpackMap(LayoutAttr layout, AffineMap map) {
  return AffineMap::get(map.getNumDims(), 0, getPhysicalIndex(layout, map.getResults()), map.getContext());
}

Value mlir::heddle::encoding::unpack(OpBuilder &builder, Location location, Value physical, RankedTensorType type,
                                     LayoutAttr layout, ArrayRef<OpFoldResult> sizes) {
  AffineMap map = getUnpackMap(layout, builder.getMultiDimIdentityMap(type.getRank()));
  Value copied = copy(builder, location, physical, map, sizes);
  auto plain = withoutEncoding(type);
  return copied.getType() == plain ? copied : Value(tensor::CastOp::create(builder, location, plain, copied));
}

//===--- Functions -----------------------------------------------------------------------------------------------===//

namespace {

class Materializer {
public:
  explicit Materializer(func::FuncOp function) : function(function), builder(function.getContext()) {}

  LogicalResult run();

private:
  // A value that comes from outside.
  struct Source {
    Value value;
    LayoutAttr layout;
    RankedTensorType type; // with the layout
  };
  // An operand that goes out.
  struct Sink {
    OpOperand *operand;
    LayoutAttr layout;
  };

  void collect();
  void dropEncodings();
  LogicalResult pack(const Sink &sink);
  LogicalResult read(const Source &source);
  FailureOr<SmallVector<OpFoldResult>> sizesOf(const Source &source);

  func::FuncOp function;
  OpBuilder builder;
  SmallVector<Source> sources;
  SmallVector<Sink> sinks;
};

} // namespace

void Materializer::collect() {
  auto addSource = [&](Value value) {
    if (LayoutAttr layout = getLayout(value.getType()))
      sources.push_back({value, layout, cast<RankedTensorType>(value.getType())});
  };
  auto addSinks = [&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (LayoutAttr layout = getLayout(operand.get().getType()))
        sinks.push_back({&operand, layout});
  };
  llvm::for_each(function.getArguments(), addSource);
  function.walk([&](Operation *op) {
    if (isa<flow::ParameterLoadOp, flow::DispatchOp>(op))
      llvm::for_each(op->getResults(), addSource);
    if (isa<func::ReturnOp, flow::DispatchOp>(op))
      addSinks(op);
  });
}

// Every type becomes plain, also those of sources and sinks.
void Materializer::dropEncodings() {
  auto drop = [](Value value) {
    if (isEncoded(value.getType()))
      value.setType(withoutEncoding(cast<RankedTensorType>(value.getType())));
  };
  SmallVector<Operation *> changes;
  function.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), drop);
    llvm::for_each(op->getResults(), drop);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
          elements && elements.getType() != constant.getType())
        constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
    if (isa<SetOp, UnsetOp, flow::EncodeOp>(op))
      changes.push_back(op);
  });
  for (Operation *op : changes) {
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  }
}

// The sizes of the tensor, available where its physical value is.
FailureOr<SmallVector<OpFoldResult>> Materializer::sizesOf(const Source &source) {
  SmallVector<Value> dynamic;
  if (auto argument = dyn_cast<BlockArgument>(source.value)) {
    // Index arguments: the sizes of dynamic dimensions first, in the order of the arguments.
    unsigned first = 0, tensors = 0;
    for (BlockArgument other : function.getArguments())
      if (auto tensor = dyn_cast<RankedTensorType>(other.getType())) {
        ++tensors;
        first += other.getArgNumber() < argument.getArgNumber() ? tensor.getNumDynamicDims() : 0;
      }
    unsigned count = source.type.getNumDynamicDims();
    if (tensors + first + count > function.getNumArguments())
      return function.emitError() << "needs an index argument for each dynamic dimension of its tensors", failure();
    for (unsigned i = 0; i < count; ++i)
      dynamic.push_back(function.getArgument(tensors + first + i));
  } else if (auto dispatch = source.value.getDefiningOp<flow::DispatchOp>()) {
    auto sizes = dispatch.getResultDims().begin();
    for (Value result : dispatch.getResults()) {
      int64_t count = cast<RankedTensorType>(result.getType()).getNumDynamicDims();
      if (result == source.value)
        dynamic.append(sizes, sizes + count);
      sizes += count;
    }
  }
  return getMixedValues(source.type.getShape(), dynamic, builder);
}

LogicalResult Materializer::pack(const Sink &sink) {
  Value value = sink.operand->get();
  // Passed on as it came.
  if (llvm::any_of(sources,
                   [&](const Source &source) { return source.value == value && source.layout == sink.layout; }))
    return success();
  builder.setInsertionPoint(sink.operand->getOwner());
  Location location = sink.operand->getOwner()->getLoc();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, location, value);
  sink.operand->set(encoding::pack(builder, location, value, sink.layout, sizes));
  return success();
}

// Whether the size of each loop is still a dimension of some operand when this one is read at `map`.
static bool determinesLoops(linalg::GenericOp op, OpOperand *operand, AffineMap map) {
  llvm::SmallBitVector known(op.getNumLoops());
  for (OpOperand &other : op->getOpOperands())
    for (AffineExpr expr : (&other == operand ? map : op.getMatchingIndexingMap(&other)).getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        known.set(loop.getPosition());
  return known.all();
}

static void readAt(OpOperand &use, AffineMap map) {
  auto generic = cast<linalg::GenericOp>(use.getOwner());
  SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
  maps[use.getOperandNumber()] = map;
  generic.setIndexingMapsAttr(Builder(generic).getAffineMapArrayAttr(maps));
}

// Reads the operand at its place in memory. False where the op cannot.
static bool readInPlace(OpOperand &use, LayoutAttr layout) {
  auto generic = dyn_cast<linalg::GenericOp>(use.getOwner());
  if (!generic || !generic.isDpsInput(&use))
    return false;
  AffineMap map = getUnpackMap(layout, generic.getMatchingIndexingMap(&use));
  if (!determinesLoops(generic, &use, map))
    return false;
  readAt(use, map);
  setOperandLayout(use, layout); // the map alone does not say it
  return true;
}

// The offset in memory, along a dimension that is cut in tiles; none where it may be inside of one.
static std::optional<OpFoldResult> offsetInTiles(OpBuilder &builder, Location location, OpFoldResult offset,
                                                 int64_t tile) {
  if (tile == 1)
    return offset;
  if (std::optional<int64_t> known = getConstantIntValue(offset))
    return *known % tile == 0 ? std::optional<OpFoldResult>(builder.getIndexAttr(*known / tile)) : std::nullopt;
  auto product = cast<Value>(offset).getDefiningOp<arith::MulIOp>();
  std::optional<int64_t> factor = product ? getConstantIntValue(product.getRhs()) : std::nullopt;
  if (!factor || *factor % tile != 0)
    return std::nullopt;
  Value count = product.getLhs();
  if (*factor != tile)
    count = arith::MulIOp::create(builder, location, count,
                                  arith::ConstantIndexOp::create(builder, location, *factor / tile));
  return OpFoldResult(count);
}

// How a reader of a slice, at `map`, reads the slice of the memory. Dimensions that the slice drops, which have one
// element each and no tiles, are dropped there, too.
static AffineMap getSliceMap(LayoutAttr layout, AffineMap map, const llvm::SmallBitVector &dropped) {
  SmallVector<AffineExpr> index, read;
  unsigned kept = 0;
  for (unsigned dim = 0; dim < dropped.size(); ++dim)
    index.push_back(dropped.test(dim) ? getAffineConstantExpr(0, map.getContext()) : map.getResult(kept++));
  for (auto [expr, dim] : llvm::zip_equal(getPhysicalIndex(layout, index), getPhysicalDims(layout)))
    if (!dropped.test(dim.dim))
      read.push_back(expr);
  return AffineMap::get(map.getNumDims(), 0, read, map.getContext());
}

// The layout of what is left where a slice drops dimensions, which have no tiles; null where memory is in another order
// than that of its dimensions and tiles.
static LayoutAttr withoutDims(LayoutAttr layout, const llvm::SmallBitVector &dropped) {
  if (dropped.none())
    return layout;
  if (!layout.getSwizzle().empty())
    return {};
  SmallVector<int64_t> number(dropped.size()), perm, innerDims, innerTiles;
  for (int64_t dim = 0, kept = 0; dim < static_cast<int64_t>(dropped.size()); ++dim)
    number[dim] = dropped.test(dim) ? -1 : kept++;
  for (int64_t dim : layout.getPerm())
    if (!dropped.test(dim))
      perm.push_back(number[dim]);
  for (auto [dim, tile] : llvm::zip_equal(layout.getInnerDims(), layout.getInnerTiles()))
    if (!dropped.test(dim)) {
      innerDims.push_back(number[dim]);
      innerTiles.push_back(tile);
    }
  return LayoutAttr::get(layout.getContext(), perm, innerDims, innerTiles, {});
}

// The type of the slice of the memory.
static RankedTensorType getSliceType(tensor::ExtractSliceOp slice, LayoutAttr layout,
                                     const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> shape, kept;
  for (OpFoldResult size : slice.getMixedSizes())
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto plain = RankedTensorType::get(shape, slice.getType().getElementType());
  RankedTensorType physical = getPhysicalType(withEncoding(plain, layout));
  for (auto [size, dim] : llvm::zip_equal(physical.getShape(), getPhysicalDims(layout)))
    if (!dropped.test(dim.dim))
      kept.push_back(size);
  return RankedTensorType::get(kept, plain.getElementType());
}

// Reads a slice that begins with whole tiles at its place in memory. False where it does not, or its readers cannot.
static bool sliceInPlace(OpBuilder &builder, OpOperand &use, LayoutAttr layout) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner());
  if (!slice || !slice.hasUnitStride())
    return false;
  const llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (llvm::any_of(getPhysicalDims(layout),
                   [&](const PhysicalDim &dim) { return dropped.test(dim.dim) && dim.tile != 1; }))
    return false;
  for (OpOperand &reader : slice->getUses()) {
    auto generic = dyn_cast<linalg::GenericOp>(reader.getOwner());
    if (!generic || !generic.isDpsInput(&reader) ||
        !determinesLoops(generic, &reader, getSliceMap(layout, generic.getMatchingIndexingMap(&reader), dropped)))
      return false;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(slice);
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (const PhysicalDim &dim : getPhysicalDims(layout)) {
    std::optional<OpFoldResult> offset =
        dim.inner ? OpFoldResult(builder.getIndexAttr(0))
                  : offsetInTiles(builder, slice.getLoc(), slice.getMixedOffsets()[dim.dim], dim.step);
    if (!offset)
      return false;
    offsets.push_back(*offset);
    sizes.push_back(dim.inner ? OpFoldResult(builder.getIndexAttr(dim.tile))
                              : ceilDiv(builder, slice.getLoc(), slice.getMixedSizes()[dim.dim], dim.step));
    strides.push_back(builder.getIndexAttr(1));
  }
  Value made = tensor::ExtractSliceOp::create(builder, slice.getLoc(), getSliceType(slice, layout, dropped), use.get(),
                                              offsets, sizes, strides);
  slice.getResult().replaceAllUsesWith(made);
  for (OpOperand &reader : made.getUses()) {
    auto generic = cast<linalg::GenericOp>(reader.getOwner());
    readAt(reader, getSliceMap(layout, generic.getMatchingIndexingMap(&reader), dropped));
    if (LayoutAttr left = withoutDims(layout, dropped))
      setOperandLayout(reader, left);
  }
  slice.erase();
  return true;
}

LogicalResult Materializer::read(const Source &source) {
  if (auto argument = dyn_cast<BlockArgument>(source.value)) {
    builder.setInsertionPointToStart(argument.getOwner());
    function.setArgAttr(argument.getArgNumber(), kLayoutAttr, source.layout);
  } else {
    builder.setInsertionPointAfterValue(source.value);
  }
  FailureOr<SmallVector<OpFoldResult>> sizes = sizesOf(source);
  if (failed(sizes))
    return failure();
  SmallVector<OpOperand *> others;
  for (OpOperand &use : llvm::make_early_inc_range(source.value.getUses())) {
    bool passedOn = llvm::any_of(sinks, [&](const Sink &sink) { return sink.operand == &use; });
    if (!passedOn && !readInPlace(use, source.layout) && !sliceInPlace(builder, use, source.layout))
      others.push_back(&use);
  }
  Value(source.value).setType(getPhysicalType(source.type));
  if (others.empty())
    return success();
  Value rows = unpack(builder, source.value.getLoc(), source.value, source.type, source.layout, *sizes);
  for (OpOperand *use : others)
    use->set(rows);
  return success();
}

// Whether the value is one with a layout, or cut out of one.
static bool readsLayout(Value value) {
  Operation *def = value.getDefiningOp();
  if (isa_and_present<tensor::ExtractSliceOp, UnsetOp>(def))
    return readsLayout(def->getOperand(0));
  return isEncoded(value.getType());
}

// Named structured ops have their maps by name: what reads or becomes a layout is written as a generic.
static LogicalResult generalize(func::FuncOp function) {
  SmallVector<linalg::LinalgOp> named;
  function.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op) && llvm::any_of(op->getOperands(), readsLayout))
      named.push_back(op);
  });
  IRRewriter rewriter(function.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::generalizeNamedOp(rewriter, op)))
      return op->emitError() << "cannot be written as a linalg.generic, which reads layouts";
  }
  return success();
}

LogicalResult Materializer::run() {
  if (failed(generalize(function)))
    return failure();
  collect();
  dropEncodings();
  for (const Sink &sink : sinks)
    if (failed(pack(sink)))
      return failure();
  for (const Source &source : sources)
    if (failed(read(source)))
      return failure();
  SmallVector<Type> results(function.getResultTypes());
  if (!function.isExternal())
    function.walk([&](func::ReturnOp op) { results.assign(op.getOperandTypes().begin(), op.getOperandTypes().end()); });
  function.setType(FunctionType::get(
      function.getContext(),
      function.isExternal() ? function.getArgumentTypes() : TypeRange(function.getBody().getArgumentTypes()), results));
  return success();
}

LogicalResult mlir::heddle::encoding::materializeEncodings(func::FuncOp function) {
  if (function.isExternal())
    return success();
  return Materializer(function).run();
}

LogicalResult mlir::heddle::encoding::materializeEncodings(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) { functions.push_back(function); });
  for (func::FuncOp function : functions)
    if (failed(materializeEncodings(function)))
      return failure();
  for (auto parameter : module.getOps<flow::ParameterOp>())
    parameter.setType(getPhysicalType(cast<RankedTensorType>(parameter.getType())));
  return success();
}
