// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Encode/Passes.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/SplitRequest.h"
#include "compiler/Dialect/Intent/IR/IntentOps.h"
#include "compiler/Stages/Encode/ProductUse.h"
#include "compiler/Stages/Encode/Stored.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SETENCODINGS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

static bool canBeEncoded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0 && !tensor.getEncoding() && tensor.getElementType().isIntOrFloat();
}

std::optional<encoding::AbstractEncoding> encode::describeProduct(linalg::LinalgOp op) {
  const Structure structure = Structure::of(op);
  if (op->hasAttr(kKeepsLayoutAttr) || op->hasAttr(intent::kCodeAttr) || !op.hasPureTensorSemantics() ||
      !llvm::all_of(op->getOperandTypes(), canBeEncoded) || !structure.isProduct() || !structure.sumsNumbers())
    return std::nullopt;
  encoding::AbstractEncoding use{};
  use.maps = op.getIndexingMapsArray();
  use.isConvolution = structure.kind == Structure::Kind::Convolution;
  for (Type type : op->getOperandTypes())
    use.types.push_back(cast<RankedTensorType>(type).getElementType());
  // The filter may come first.
  if (use.isConvolution && structure.accesses[0] == Access::Loops) {
    std::swap(use.maps[0], use.maps[1]);
    std::swap(use.types[0], use.types[1]);
  }
  use.sizes = op.getStaticLoopRanges();
  return use;
}

static encoding::AbstractEncoding withRole(encoding::AbstractEncoding use, unsigned role, bool constant = false) {
  use.role = role;
  use.constant = constant;
  return use;
}

// All elements alike, or none written yet: there is nothing to lay out.
static bool isUniform(Value value) {
  return value.getDefiningOp<linalg::FillOp>() || value.getDefiningOp<tensor::EmptyOp>() ||
         value.getDefiningOp<tensor::SplatOp>() || matchPattern(value, m_Constant<SplatElementsAttr>(nullptr));
}

// What a decomposed product reads of its weights, in the order of its operands: codes, scales, zeros. Empty where some
// of it is not stored, or has no columns: they are laid out together or not at all.
static SmallVector<std::pair<OpOperand *, encoding::QuantizedRole>> findWeights(linalg::GenericOp op) {
  using Role = encoding::QuantizedRole;
  SmallVector<std::pair<OpOperand *, Role>> weights;
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1)
    return {};
  AffineExpr column = op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults().back();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isFunctionOfDim(cast<AffineDimExpr>(column).getPosition()))
      continue;
    if (!encode::isStored(operand->get()) || !canBeEncoded(operand->get().getType()) ||
        map.getResults().back() != column)
      return {};
    bool hasBlocks = !weights.empty() && op.getMatchingIndexingMap(weights.front().first).getNumResults() == 3;
    Type element = getElementTypeOrSelf(operand->get().getType());
    Role role = weights.empty()                                               ? Role::Codes
                : hasBlocks && weights.size() == 1 && isa<FloatType>(element) ? Role::Scales
                                                                              : Role::Zeros;
    weights.push_back({operand, role});
  }
  return weights;
}

// A rank's block of filters: a convolution over all blocks is none, which could say how they lie.
static bool isBlockOfFilters(Value value, const encoding::AbstractEncoding &use) {
  return use.isConvolution && value.getDefiningOp<flow::BlockOp>();
}

// Whether the op may be computed in parts, which read slices of what is computed: only constants are laid out.
static bool isReadInParts(linalg::LinalgOp op) { return op->hasAttr(kSplitScoresAttr) || mayBeSplit(op); }

namespace {

struct SetEncodings : mlir::heddle::impl::SetEncodingsBase<SetEncodings> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      // A loop over parts reads slices: of what is computed as it lies, of constants see encode-set-sliced.
      if (!op->getParentOfType<scf::ForallOp>() && encode::describeProduct(op))
        found.push_back(op);
    });
    for (linalg::LinalgOp op : found)
      encode(op, *encode::describeProduct(op));
    getOperation().walk([&](linalg::GenericOp op) {
      auto code = op->getAttrOfType<TypeAttr>(intent::kCodeAttr);
      if (code && !op->getParentOfType<scf::ForallOp>())
        encodeWeights(op, code.getValue());
    });
  }

  static void encodeWeights(linalg::GenericOp op, Type code) {
    OpBuilder builder(op);
    const bool isRounded = op->hasAttr(intent::kRoundedAttr);
    for (auto [operand, role] : findWeights(op)) {
      auto attribute = encoding::QuantizedAttr::get(op.getContext(), role, code, isRounded);
      auto type = encoding::withEncoding(cast<RankedTensorType>(operand->get().getType()), attribute);
      operand->set(encoding::SetOp::create(builder, operand->get().getLoc(), type, operand->get()));
    }
  }

  static void encode(linalg::LinalgOp op, const encoding::AbstractEncoding &use) {
    OpBuilder builder(op);
    bool filterFirst = use.isConvolution && use.maps[0] != op.getIndexingMapsArray()[0];
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (isReadInParts(op) && !encode::isStored(operand->get()))
        continue;
      unsigned role = filterFirst ? 1 - operand->getOperandNumber() : operand->getOperandNumber();
      if (!isUniform(operand->get()) && !isBlockOfFilters(operand->get(), use))
        operand->set(set(builder, operand->get(), withRole(use, role, encode::isStored(operand->get()))));
    }
    if (isReadInParts(op))
      return;
    OpOperand &init = *op.getDpsInitOperand(0);
    Value plainInit = init.get();
    init.set(encodeInit(builder, plainInit, withRole(use, 2)));
    removeUnused(plainInit.getDefiningOp());
    Value result = op->getResult(0);
    auto plain = cast<RankedTensorType>(result.getType());
    result.setType(init.get().getType());
    builder.setInsertionPointAfter(op);
    Value unset = encoding::UnsetOp::create(builder, op.getLoc(), plain, result);
    result.replaceAllUsesExcept(unset, unset.getDefiningOp());
  }

  // A fill that was made anew, and its empty tensor.
  static void removeUnused(Operation *op) {
    if (!isa_and_present<linalg::FillOp, tensor::EmptyOp>(op) || !op->use_empty())
      return;
    Operation *empty = isa<linalg::FillOp>(op) ? op->getOperands().back().getDefiningOp() : nullptr;
    op->erase();
    removeUnused(empty);
  }

  static RankedTensorType encoded(Type type, const encoding::AbstractEncoding &use) {
    return encoding::withEncoding(cast<RankedTensorType>(type), encoding::getAttribute(type.getContext(), use));
  }

  static Value set(OpBuilder &builder, Value value, const encoding::AbstractEncoding &use) {
    return encoding::SetOp::create(builder, value.getLoc(), encoded(value.getType(), use), value);
  }

  // What sums start from: a fill is made in the encoding, any other value is set.
  static Value encodeInit(OpBuilder &builder, Value init, const encoding::AbstractEncoding &use) {
    auto fill = init.getDefiningOp<linalg::FillOp>();
    auto empty = (fill ? fill.getOutputs()[0] : init).getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return set(builder, init, use);
    Value made =
        tensor::EmptyOp::create(builder, empty.getLoc(), encoded(empty.getType(), use), empty.getDynamicSizes());
    return fill ? linalg::FillOp::create(builder, fill.getLoc(), fill.getInputs(), made).getResult(0) : made;
  }
};

} // namespace
