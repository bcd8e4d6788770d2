// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/StableHlo/RewriteOps.h"

#include "compiler/Stages/Import/StableHlo/Assembly/Attributes.h"
#include "compiler/Stages/Import/StableHlo/Assembly/OpFormat.h"
#include "compiler/Stages/Import/StableHlo/Scan.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::hlo;

using Rewrite = LogicalResult (*)(Operation *);

//===--- Forms of one op -----------------------------------------------------------------------------------------===//

static bool hasStaticResult(Operation *op) {
  auto type = op->getNumResults() == 1 ? dyn_cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
  return type && type.hasStaticShape();
}

// Integers of operand `i` if it is a constant.
static std::optional<SmallVector<int64_t>> constantInts(Operation *op, unsigned i) {
  Operation *made = op->getOperand(i).getDefiningOp();
  if (!made || made->getName().getStringRef() != "stablehlo.constant")
    return std::nullopt;
  Attribute value = made->getAttr("value");
  return value ? readInts(value) : std::nullopt;
}

static FailureOr<SmallVector<int64_t>> requireInts(Operation *op, unsigned i, StringRef what) {
  if (std::optional<SmallVector<int64_t>> ints = constantInts(op, i))
    return *ints;
  return op->emitError() << "op " << op->getName() << ": operand " << i << ", the " << what
                         << ", must be a constant: sizes that are computed are not supported";
}

// `op` as op `name` of its first operands and its attributes but those `without`.
static Operation *replaceOp(Operation *op, StringRef name, unsigned operands, ArrayRef<NamedAttribute> more = {},
                            ArrayRef<StringRef> without = {}) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), name);
  state.addOperands(op->getOperands().take_front(operands));
  state.addTypes(op->getResultTypes());
  for (NamedAttribute attribute : attributesOf(op))
    if (!llvm::is_contained(without, attribute.getName()) &&
        llvm::none_of(more, [&](NamedAttribute given) { return given.getName() == attribute.getName(); }))
      state.attributes.push_back(attribute);
  for (NamedAttribute given : more)
    state.attributes.push_back(given);
  Operation *made = builder.create(state);
  op->replaceAllUsesWith(made);
  op->erase();
  return made;
}

static NamedAttribute intsAttribute(Operation *op, StringRef name, ArrayRef<int64_t> ints) {
  Builder builder(op->getContext());
  return builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(ints));
}

//===--- Sizes that are operands ---------------------------------------------------------------------------------===//

// The last operand is the shape, which the result's type says.
static LogicalResult dropShape(Operation *op) {
  if (!hasStaticResult(op) || op->getNumOperands() == 0 || op->getNumRegions() != 0)
    return success();
  StringRef name = op->getName().getStringRef();
  name.consume_front("stablehlo.dynamic_");
  replaceOp(op, ("stablehlo." + name).str(), op->getNumOperands() - 1, {},
            {"known_expanding_dimensions", "known_nonexpanding_dimensions"});
  return success();
}

static LogicalResult rewritePad(Operation *op) {
  if (op->getNumOperands() != 5 || !hasStaticResult(op))
    return success();
  FailureOr<SmallVector<int64_t>> low = requireInts(op, 2, "padding before"),
                                  high = requireInts(op, 3, "padding behind"),
                                  between = requireInts(op, 4, "padding between elements");
  if (failed(low) || failed(high) || failed(between))
    return failure();
  replaceOp(op, "stablehlo.pad", 2,
            {intsAttribute(op, "edge_padding_low", *low), intsAttribute(op, "edge_padding_high", *high),
             intsAttribute(op, "interior_padding", *between)});
  return success();
}

static LogicalResult rewriteSlice(Operation *op) {
  if (op->getNumOperands() != 4 || !hasStaticResult(op))
    return success();
  FailureOr<SmallVector<int64_t>> starts = requireInts(op, 1, "starts"), limits = requireInts(op, 2, "limits"),
                                  steps = requireInts(op, 3, "steps");
  if (failed(starts) || failed(limits) || failed(steps))
    return failure();
  replaceOp(op, "stablehlo.slice", 1,
            {intsAttribute(op, "start_indices", *starts), intsAttribute(op, "limit_indices", *limits),
             intsAttribute(op, "strides", *steps)});
  return success();
}

static LogicalResult rewriteGather(Operation *op) {
  if (op->getNumOperands() != 3 || !hasStaticResult(op))
    return success();
  FailureOr<SmallVector<int64_t>> sizes = requireInts(op, 2, "sizes of the slices");
  if (failed(sizes))
    return failure();
  replaceOp(op, "stablehlo.gather", 2, {intsAttribute(op, "slice_sizes", *sizes)});
  return success();
}

static LogicalResult rewriteConvolution(Operation *op) {
  if (op->getNumOperands() != 3 || !hasStaticResult(op))
    return success();
  FailureOr<SmallVector<int64_t>> padding = requireInts(op, 2, "padding");
  if (failed(padding))
    return failure();
  Builder builder(op->getContext());
  if (padding->size() % 2)
    return op->emitError() << "op " << op->getName() << ": the padding has an odd number of elements";
  auto type = RankedTensorType::get({static_cast<int64_t>(padding->size() / 2), 2}, builder.getI64Type());
  replaceOp(op, "stablehlo.convolution", 2,
            {builder.getNamedAttr("padding", DenseIntElementsAttr::get(type, *padding))});
  return success();
}

static LogicalResult rewriteDimensionSize(Operation *op) {
  auto dimension = op->getAttrOfType<IntegerAttr>("dimension");
  auto operand =
      op->getNumOperands() == 1 ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : RankedTensorType();
  auto result = hasStaticResult(op) ? cast<RankedTensorType>(op->getResult(0).getType()) : RankedTensorType();
  if (!dimension || !operand || !result || result.getRank() != 0 || !result.getElementType().isSignlessInteger(32) ||
      dimension.getInt() < 0 || dimension.getInt() >= operand.getRank() || operand.isDynamicDim(dimension.getInt()) ||
      operand.getDimSize(dimension.getInt()) > std::numeric_limits<int32_t>::max())
    return success();
  Builder builder(op->getContext());
  auto value = DenseIntElementsAttr::get(result, static_cast<int32_t>(operand.getDimSize(dimension.getInt())));
  replaceOp(op, "stablehlo.constant", 0, {builder.getNamedAttr("value", value)}, {"dimension"});
  return success();
}

//===--- Other words for the same --------------------------------------------------------------------------------===//

static LogicalResult rewriteDot(Operation *op) {
  auto left = op->getNumOperands() == 2 ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : RankedTensorType();
  if (!left || left.getRank() < 1 || left.getRank() > 2)
    return success();
  Attribute numbers =
      textAttribute(op->getContext(), Twine("dot<lhs_contracting_dimensions = [") + Twine(left.getRank() - 1) +
                                          "], rhs_contracting_dimensions = [0]>");
  replaceOp(op, "stablehlo.dot_general", 2, {Builder(op->getContext()).getNamedAttr("dot_dimension_numbers", numbers)});
  return success();
}

static LogicalResult rewriteBroadcast(Operation *op) {
  auto operand =
      op->getNumOperands() == 1 ? dyn_cast<RankedTensorType>(op->getOperand(0).getType()) : RankedTensorType();
  if (!operand || !hasStaticResult(op))
    return success();
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  if (rank < operand.getRank())
    return success();
  SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(rank - operand.getRank(), rank));
  replaceOp(op, "stablehlo.broadcast_in_dim", 1, {intsAttribute(op, "broadcast_dimensions", dims)},
            {"broadcast_sizes"});
  return success();
}

static LogicalResult rewriteConstant(Operation *op) {
  replaceOp(op, "stablehlo.constant", op->getNumOperands());
  return success();
}

namespace {

// Makes elementwise ops of one type before an op.
struct Elementwise {
  OpBuilder builder;
  Location loc;
  RankedTensorType type;

  Value make(StringRef name, ValueRange operands, Type result) {
    OperationState state(loc, name);
    state.addOperands(operands);
    state.addTypes(result);
    return builder.create(state)->getResult(0);
  }
  Value make(StringRef name, ValueRange operands) { return make(name, operands, type); }
  Value constant(const APInt &value) {
    Value made = make("stablehlo.constant", {});
    made.getDefiningOp()->setAttr("value", DenseElementsAttr::get(type, value));
    return made;
  }
};

} // namespace

// Of 64 bits: the sum of the four products of halves, less what a sign adds to them.
static Value multiplyHighByHalves(Elementwise e, Value left, Value right, bool isUnsigned) {
  Value half = e.constant(APInt(64, 32)), mask = e.constant(APInt::getLowBitsSet(64, 32));
  auto add = [&](Value a, Value b) { return e.make("stablehlo.add", {a, b}); };
  auto multiply = [&](Value a, Value b) { return e.make("stablehlo.multiply", {a, b}); };
  auto high = [&](Value a) { return e.make("stablehlo.shift_right_logical", {a, half}); };
  auto low = [&](Value a) { return e.make("stablehlo.and", {a, mask}); };
  Value first = add(multiply(high(left), low(right)), high(multiply(low(left), low(right))));
  Value second = add(multiply(low(left), high(right)), low(first));
  Value result = add(add(multiply(high(left), high(right)), high(first)), high(second));
  if (isUnsigned)
    return result;
  Value sign = e.constant(APInt(64, 63));
  for (auto [a, b] : {std::pair(left, right), std::pair(right, left)}) {
    Value negative = e.make("stablehlo.shift_right_arithmetic", {a, sign}); // all ones, or none
    result = e.make("stablehlo.subtract", {result, e.make("stablehlo.and", {negative, b})});
  }
  return result;
}

// The upper half of a product's bits.
static LogicalResult rewriteMulHigh(Operation *op) {
  if (op->getNumOperands() != 2 || !hasStaticResult(op) || op->getOperand(0).getType() != op->getResult(0).getType() ||
      op->getOperand(1).getType() != op->getResult(0).getType())
    return success();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element || !llvm::is_contained({8u, 16u, 32u, 64u}, element.getWidth()))
    return success();
  unsigned width = element.getWidth();
  Value left = op->getOperand(0), right = op->getOperand(1), result;
  if (width == 64) {
    result = multiplyHighByHalves({OpBuilder(op), op->getLoc(), type}, left, right, element.isUnsigned());
  } else {
    Type wideElement = IntegerType::get(op->getContext(), 2 * width, element.getSignedness());
    Elementwise wide{OpBuilder(op), op->getLoc(), cast<RankedTensorType>(type.clone(wideElement))};
    Value product =
        wide.make("stablehlo.multiply", {wide.make("stablehlo.convert", left), wide.make("stablehlo.convert", right)});
    StringRef shift = element.isUnsigned() ? "stablehlo.shift_right_logical" : "stablehlo.shift_right_arithmetic";
    Value high = wide.make(shift, {product, wide.constant(APInt(2 * width, width))});
    result = wide.make("stablehlo.convert", high, type);
  }
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

//===--- Tuples and tokens ---------------------------------------------------------------------------------------===//

static LogicalResult rewriteTupleElement(Operation *op) {
  auto index = op->getAttrOfType<IntegerAttr>("index");
  Operation *tuple = op->getNumOperands() == 1 ? op->getOperand(0).getDefiningOp() : nullptr;
  if (!index || !tuple || tuple->getName().getStringRef() != "stablehlo.tuple" || index.getInt() < 0 ||
      index.getInt() >= tuple->getNumOperands() || op->getNumResults() != 1)
    return success();
  Value element = tuple->getOperand(index.getInt());
  if (element.getType() != op->getResult(0).getType() || element == op->getResult(0))
    return success();
  op->getResult(0).replaceAllUsesWith(element);
  op->erase();
  return success();
}

// Those that nobody reads any more.
static void eraseUnused(ModuleOp module) {
  SmallVector<Operation *> unused;
  auto isPassive = [](Operation *op) {
    StringRef name = op->getName().getStringRef();
    return name == "stablehlo.tuple" || name == "stablehlo.after_all" || name == "stablehlo.create_token";
  };
  do {
    unused.clear();
    module.walk([&](Operation *op) {
      if (isPassive(op) && op->use_empty() && op->getNumRegions() == 0)
        unused.push_back(op);
    });
    for (Operation *op : unused)
      op->erase();
  } while (!unused.empty());
}

LogicalResult mlir::heddle::hlo::rewriteOps(ModuleOp module) {
  static const llvm::StringMap<Rewrite> rewrites = {
      {"chlo.constant", rewriteConstant},
      {"chlo.mulhi", rewriteMulHigh},
      {"chlo.scan", rewriteScan},
      {"stablehlo.broadcast", rewriteBroadcast},
      {"stablehlo.dot", rewriteDot},
      {"stablehlo.dynamic_broadcast_in_dim", dropShape},
      {"stablehlo.dynamic_conv", rewriteConvolution},
      {"stablehlo.dynamic_gather", rewriteGather},
      {"stablehlo.dynamic_iota", dropShape},
      {"stablehlo.dynamic_pad", rewritePad},
      {"stablehlo.dynamic_reshape", dropShape},
      {"stablehlo.get_dimension_size", rewriteDimensionSize},
      {"stablehlo.get_tuple_element", rewriteTupleElement},
      {"stablehlo.real_dynamic_slice", rewriteSlice},
  };
  SmallVector<std::pair<Operation *, Rewrite>> found;
  module.walk([&](Operation *op) { // what lies in a region comes before its owner, which may go
    if (auto rewrite = rewrites.find(op->getName().getStringRef()); rewrite != rewrites.end())
      found.emplace_back(op, rewrite->second);
  });
  bool refused = false;
  for (auto [op, rewrite] : found)
    if (op->getNumRegions() == 0 || rewrite == rewriteScan)
      refused |= failed(rewrite(op));
  eraseUnused(module);
  return failure(refused);
}
