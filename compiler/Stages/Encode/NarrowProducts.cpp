// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Structure.h"
#include "compiler/Stages/Encode/NarrowRange.h"
#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/Permutation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_NARROWPRODUCTS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// A sum of products of f32 whose elements are used many times, with weights for one operand: its sides, or nothing.
// Depthwise convolutions are windows, whose products no instruction adds up.
static std::optional<ProductSides> findWeightedProduct(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0)
    return std::nullopt;
  const Structure structure = Structure::of(op);
  std::optional<ProductSides> sides = findSides(op);
  bool isF32 = llvm::all_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isF32(); });
  if (!sides || !isF32 || !structure.isProduct() || !structure.isPlain() || structure.arithmetic != Arithmetic::Float ||
      (!encode::isConstant(sides->rows->get()) && !encode::isConstant(sides->columns->get())))
    return std::nullopt;
  // Each operand's elements are those of several results.
  bool isShared = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    AffineMap map = op.getMatchingIndexingMap(input);
    return llvm::any_of(llvm::enumerate(op.getIteratorTypesArray()), [&](auto loop) {
      return loop.value() == utils::IteratorType::parallel && !map.isFunctionOfDim(loop.index());
    });
  });
  return isShared ? sides : std::nullopt;
}

// Whether a window's innermost reduction is known to be no whole number of pairs: each tap of each row would be copied
// to have a zero beside its last element.
static bool isOddWindow(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  int64_t innermost = op.getStaticLoopRanges()[reductions.back()];
  return reductions.size() > 1 && !ShapedType::isDynamic(innermost) && innermost % 2 != 0;
}

namespace {

// Narrow values, each made once.
class Narrower {
public:
  Narrower(IRRewriter &rewriter, FloatType type) : rewriter(rewriter), type(type) {}

  Value narrowed(Value value) {
    if (Value known = values.lookup(value))
      return known;
    Value narrow = exact(value);
    Operation *op = value.getDefiningOp();
    if (!narrow)
      narrow = movesElements(op, /*isExact=*/false) ? moved(op, narrowed(op->getOperand(0))) : rounded(value);
    return values[value] = narrow;
  }

  // The narrow value that `value` is, widened; null where it may have lost something by rounding. A generic that widens
  // what it computes computes the narrow value instead.
  Value exact(Value value) {
    if (Value known = widened.lookup(value))
      return known;
    if (Operation *move = value.getDefiningOp(); movesElements(move, /*isExact=*/true)) {
      Value source = exact(move->getOperand(0));
      return source ? widened[value] = moved(move, source) : Value();
    }
    auto op = value.getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return nullptr;
    auto widen = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::ExtFOp>();
    if (!widen || widen.getIn().getType() != type || !op.getRegionOutputArgs()[0].use_empty())
      return nullptr;
    bool isCopy = op.getNumDpsInputs() == 1 && widen.getIn() == op.getBlock()->getArgument(0) &&
                  op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
    return widened[value] = isCopy ? op.getDpsInputs()[0] : withoutWidening(op, widen.getIn());
  }

private:
  // The same generic with the result `narrow`; what reads the wide one gets it widened.
  Value withoutWidening(linalg::GenericOp op, Value narrow) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    Location loc = op.getLoc();
    Value old = op.getResult(0);
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, op.getDpsInits()[0]), type);
    auto made = linalg::GenericOp::create(rewriter, loc, typeOf(old), op.getDpsInputs(), empty,
                                          op.getIndexingMapsArray(), op.getIteratorTypesArray());
    IRMapping mapping;
    op.getRegion().cloneInto(&made.getRegion(), mapping);
    made.getRegionOutputArgs()[0].setType(type);
    made.getBlock()->getTerminator()->setOperand(0, mapping.lookup(narrow));
    Value wide = elementwise<arith::ExtFOp>(made.getResult(0), cast<RankedTensorType>(old.getType()));
    rewriter.replaceAllUsesWith(old, wide);
    widened[wide] = made.getResult(0);
    return made.getResult(0);
  }

  RankedTensorType typeOf(Value value) const { return cast<RankedTensorType>(value.getType()).clone(type); }

  // Whether the op only moves elements, for one reader, or pads them with a constant. `isExact`: one that is not
  // rounded.
  bool movesElements(Operation *op, bool isExact) {
    if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::PadOp>(op) || !op->hasOneUse())
      return false;
    auto pad = dyn_cast<tensor::PadOp>(op);
    std::optional<FloatAttr> padding = pad ? roundedPadding(pad, isExact) : FloatAttr();
    return padding.has_value();
  }

  std::optional<FloatAttr> roundedPadding(tensor::PadOp pad, bool isExact) {
    FloatAttr padding;
    if (!matchPattern(pad.getConstantPaddingValue(), m_Constant(&padding)))
      return std::nullopt;
    APFloat amount = padding.getValue();
    bool loses = false;
    amount.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
    return loses && isExact ? std::nullopt : std::optional(FloatAttr::get(type, amount));
  }

  // The op on a narrow source: fewer bytes are moved.
  Value moved(Operation *op, Value source) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    Location loc = op->getLoc();
    RankedTensorType result = typeOf(op->getResult(0));
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return tensor::ExpandShapeOp::create(rewriter, loc, result, source, expand.getReassociationIndices(),
                                           expand.getMixedOutputShape());
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return tensor::CollapseShapeOp::create(rewriter, loc, result, source, collapse.getReassociationIndices());
    auto pad = cast<tensor::PadOp>(op);
    Value padding = arith::ConstantOp::create(rewriter, loc, *roundedPadding(pad, /*isExact=*/false));
    return tensor::PadOp::create(rewriter, loc, result, source, pad.getMixedLowPad(), pad.getMixedHighPad(), padding,
                                 pad.getNofold());
  }

  Value rounded(Value value) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(value);
    return elementwise<arith::TruncFOp>(value, typeOf(value));
  }

  template <typename Conversion> Value elementwise(Value value, RankedTensorType result) {
    Location loc = value.getLoc();
    Value empty =
        tensor::EmptyOp::create(rewriter, loc, tensor::getMixedSizes(rewriter, loc, value), result.getElementType());
    SmallVector<AffineMap> maps(2, rewriter.getMultiDimIdentityMap(result.getRank()));
    SmallVector<utils::IteratorType> loops(result.getRank(), utils::IteratorType::parallel);
    auto convert = [](OpBuilder &builder, Location loc, ValueRange arguments) {
      Value converted = Conversion::create(builder, loc, arguments[1].getType(), arguments[0]);
      linalg::YieldOp::create(builder, loc, converted);
    };
    return linalg::GenericOp::create(rewriter, loc, result, value, empty, maps, loops, convert).getResult(0);
  }

  IRRewriter &rewriter;
  FloatType type;
  DenseMap<Value, Value> values, widened; // by the wide value
};

struct NarrowProducts : mlir::heddle::impl::NarrowProductsBase<NarrowProducts> {
  using NarrowProductsBase::NarrowProductsBase;

  void runOnOperation() override {
    bool isHalf = precision == "f16", isExact = precision == "f32";
    if (!isHalf && !isExact && precision != "bf16") {
      getOperation().emitError() << "precision is f32, bf16 or f16, got '" << precision << "'";
      return signalPassFailure();
    }
    MLIRContext *context = &getContext();
    IRRewriter rewriter(context);
    auto type = isHalf ? FloatType(Float16Type::get(context)) : FloatType(BFloat16Type::get(context));
    Narrower narrower(rewriter, type);
    SmallVector<linalg::LinalgOp> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (findWeightedProduct(op) && (isHalf || !isOddWindow(op)))
        found.push_back(op);
    });
    if (isExact)
      llvm::erase_if(found, [&](linalg::LinalgOp op) {
        return !llvm::all_of(op.getDpsInputs(), [&](Value input) { return narrower.exact(input) != nullptr; });
      });
    else
      llvm::erase_if(found, [&, symbols = SymbolTable(getOperation())](linalg::LinalgOp op) mutable {
        return loses(op, type, symbols);
      });
    for (linalg::LinalgOp op : found)
      if (failed(narrow(rewriter, narrower, op, /*weightsOnly=*/isHalf)))
        return signalPassFailure();
  }

  // Whether the product's weights do not fit the type; then it says so.
  static bool loses(linalg::LinalgOp op, FloatType type, SymbolTable &symbols) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (encode::isConstant(input->get()))
        if (std::string reason = encode::explainUnfit(*input, type, symbols); !reason.empty()) {
          op->emitRemark() << "the product stays in f32: " << reason;
          return true;
        }
    return false;
  }

  // No instruction adds products of f16 to f32: of these only what is stored is narrow.
  static LogicalResult narrow(IRRewriter &rewriter, Narrower &narrower, linalg::LinalgOp op, bool weightsOnly) {
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::GenericOp> generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!*generic)
      generic = linalg::generalizeNamedOp(rewriter, op);
    if (failed(generic))
      return op->emitError("cannot be written as a linalg.generic");
    for (OpOperand *input : generic->getDpsInputOperands()) {
      if (weightsOnly && !encode::isConstant(input->get()))
        continue;
      Value narrow = narrower.narrowed(input->get());
      BlockArgument argument = generic->getMatchingBlockArgument(input);
      Type wide = argument.getType();
      rewriter.modifyOpInPlace(*generic, [&] {
        input->set(narrow);
        argument.setType(getElementTypeOrSelf(narrow));
        rewriter.setInsertionPointToStart(generic->getBlock());
        auto extend = arith::ExtFOp::create(rewriter, generic->getLoc(), wide, argument);
        argument.replaceAllUsesExcept(extend, extend);
      });
    }
    return success();
  }
};

} // namespace
