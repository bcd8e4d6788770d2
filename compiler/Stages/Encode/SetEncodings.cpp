#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/Permutation.h"

#include "compiler/Dialect/Encoding/IR/EncodingOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_SETENCODINGS
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// Sums of products, of elements that may be widened first.
static bool isSumOfProducts(linalg::LinalgOp op) {
  return linalg::detail::isContractionBody(*op.getBlock(), [](Operation *product, Operation *sum) {
    return (isa<arith::MulFOp>(product) && isa<arith::AddFOp>(sum)) ||
           (isa<arith::MulIOp>(product) && isa<arith::AddIOp>(sum));
  });
}

static bool canBeEncoded(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() > 0 && !tensor.getEncoding() && tensor.getElementType().isIntOrFloat();
}

// What the op is for a resolver, with role 0; nothing if it is neither a contraction nor a convolution, works on
// scalars, or was told to keep its layouts.
static std::optional<encoding::AbstractEncoding> describe(linalg::LinalgOp op) {
  if (op->hasAttr(kKeepsLayoutAttr) || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || !op.hasPureTensorSemantics() ||
      !llvm::all_of(op->getOperandTypes(), canBeEncoded) || !isSumOfProducts(op))
    return std::nullopt;
  encoding::AbstractEncoding use{};
  use.maps = op.getIndexingMapsArray();
  SmallVector<unsigned> windowed;
  for (auto [i, map] : llvm::enumerate(use.maps))
    if (!map.isProjectedPermutation())
      windowed.push_back(i);
  if (windowed.size() > 1 || (windowed.size() == 1 && windowed[0] == 2))
    return std::nullopt;
  use.isConvolution = !windowed.empty();
  for (Type type : op->getOperandTypes())
    use.types.push_back(cast<RankedTensorType>(type).getElementType());
  // The filter may come first.
  if (use.isConvolution && windowed[0] == 1) {
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

// Stored with the program, not computed by it.
static bool isStored(Value value) {
  return value.getDefiningOp<flow::ParameterLoadOp>() || matchPattern(value, m_Constant());
}

namespace {

struct SetEncodings : heddle::impl::SetEncodingsBase<SetEncodings> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> found;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (describe(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : found)
      if (failed(encode(rewriter, op)))
        return signalPassFailure();
  }

  static LogicalResult encode(IRRewriter &rewriter, linalg::LinalgOp op) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> made = linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return op->emitError("cannot be written as a linalg.generic");
      generic = *made;
    }
    encoding::AbstractEncoding use = *describe(generic);
    bool filterFirst = use.isConvolution && use.maps[0] != generic.getIndexingMapsArray()[0];
    rewriter.setInsertionPoint(generic);
    for (OpOperand *operand : generic.getDpsInputOperands()) {
      unsigned role = filterFirst ? 1 - operand->getOperandNumber() : operand->getOperandNumber();
      if (!isUniform(operand->get()))
        operand->set(set(rewriter, operand->get(), withRole(use, role, isStored(operand->get()))));
    }
    OpOperand &init = *generic.getDpsInitOperand(0);
    init.set(encodeInit(rewriter, init.get(), withRole(use, 2)));
    Value result = generic.getResult(0);
    auto plain = cast<RankedTensorType>(result.getType());
    result.setType(init.get().getType());
    rewriter.setInsertionPointAfter(generic);
    Value unset = encoding::UnsetOp::create(rewriter, generic.getLoc(), plain, result);
    result.replaceAllUsesExcept(unset, unset.getDefiningOp());
    return success();
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
