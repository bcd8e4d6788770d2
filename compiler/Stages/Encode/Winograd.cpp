// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Winograd.h"

#include "compiler/Analysis/Structure.h"
#include "compiler/Dialect/Device/IR/DeviceQuery.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Stages/Encode/Passes.h"
#include "compiler/Stages/Encode/WinogradTile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_WINOGRAD
#include "compiler/Stages/Encode/Passes.h.inc"
} // namespace mlir::heddle

// Loops of a convolution with channels last: n where there is a batch, h, w, f, then the window's and c. The number of
// batch loops, 0 or 1; none for another op.
static std::optional<unsigned> countBatchLoops(linalg::GenericOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned loops = op.getNumLoops(), batch = loops - 6;
  if (loops < 6 || batch > 1 || op.getNumReductionLoops() != 3 || maps.size() != 3)
    return std::nullopt;
  auto loop = [&](unsigned i) { return getAffineDimExpr(batch + i, context); };
  auto is = [&](AffineMap map, bool hasBatch, ArrayRef<AffineExpr> last) {
    SmallVector<AffineExpr> results;
    if (hasBatch && batch)
      results.push_back(getAffineDimExpr(0, context));
    llvm::append_range(results, last);
    return map == AffineMap::get(loops, 0, results, context);
  };
  bool isWindow = is(maps[0], true, {loop(0) + loop(3), loop(1) + loop(4), loop(5)}) &&
                  is(maps[1], false, {loop(3), loop(4), loop(5), loop(2)}) &&
                  is(maps[2], true, {loop(0), loop(1), loop(2)});
  return isWindow ? std::optional(batch) : std::nullopt;
}

static bool isConstantTensor(Value value) {
  return value.getDefiningOp<flow::ParameterLoadOp>() || matchPattern(value, m_Constant());
}

// A 3x3 convolution of f32 with constant weights, which begins at zero.
static bool isCandidate(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !countBatchLoops(op) ||
      op->hasAttr(kKeepsLayoutAttr) || op->hasAttr(kSplitAttr))
    return false;
  const Structure structure = Structure::of(op);
  bool isF32 = llvm::all_of(op->getOperandTypes(), [](Type type) { return getElementTypeOrSelf(type).isF32(); });
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  ArrayRef<int64_t> weights = cast<RankedTensorType>(op.getDpsInputs()[1].getType()).getShape();
  return isF32 && structure.isProduct() && structure.isPlain() && structure.arithmetic == Arithmetic::Float && fill &&
         matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) && isConstantTensor(op.getDpsInputs()[1]) &&
         weights[0] == winograd::kWindow && weights[1] == winograd::kWindow && !ShapedType::isDynamic(weights[2]) &&
         weights[2] > 1 && !ShapedType::isDynamic(weights[3]) && weights[3] > 1;
}

namespace {

// Writes one convolution anew.
class Rewriter {
public:
  Rewriter(IRRewriter &rewriter, linalg::GenericOp op, int64_t tile)
      : rewriter(rewriter), loc(op.getLoc()), op(op), tile(tile), places(tile + winograd::kWindow - 1),
        batch(*countBatchLoops(op)), transforms(winograd::getTransforms(tile)) {}

  void run() {
    rewriter.setInsertionPoint(op);
    Value weights = transformWeights(), input = transformInput();
    Value product = multiply(input, weights);
    rewriter.replaceOp(op, transformOutput(product));
  }

private:
  AffineExpr loop(unsigned i) { return rewriter.getAffineDimExpr(i); }

  Value constant(const winograd::Matrix &matrix, Type element) {
    SmallVector<APFloat> values;
    for (const std::vector<double> &row : matrix)
      for (double value : row) {
        values.push_back(APFloat(value));
        bool loses = false;
        values.back().convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &loses);
      }
    int64_t rows = matrix.size(), columns = matrix.front().size();
    auto type = RankedTensorType::get({rows, columns}, element);
    return arith::ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, values));
  }

  // A sum of products of its inputs, whose last `reduced` loops are reduced, beginning at zero; of elements widened to
  // those of the result.
  linalg::GenericOp sum(ValueRange inputs, ArrayRef<SmallVector<AffineExpr>> reads, ArrayRef<AffineExpr> write,
                        unsigned reduced, ArrayRef<OpFoldResult> sizes, Type element) {
    unsigned loops = write.size() + reduced;
    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> read : reads)
      maps.push_back(AffineMap::get(loops, 0, read, rewriter.getContext()));
    maps.push_back(AffineMap::get(loops, 0, write, rewriter.getContext()));
    SmallVector<utils::IteratorType> kinds(write.size(), utils::IteratorType::parallel);
    kinds.append(reduced, utils::IteratorType::reduction);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, element);
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(element));
    Value start = linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    return linalg::GenericOp::create(
        rewriter, loc, empty.getType(), inputs, start, maps, kinds,
        [&](OpBuilder &b, Location at, ValueRange arguments) {
          SmallVector<Value> factors;
          for (Value factor : arguments.drop_back())
            factors.push_back(factor.getType() == element ? factor : arith::ExtFOp::create(b, at, element, factor));
          Value product = factors.front();
          for (Value factor : ArrayRef(factors).drop_front())
            product = arith::MulFOp::create(b, at, product, factor);
          Value total = arith::AddFOp::create(b, at, arguments.back(), product);
          linalg::YieldOp::create(b, at, total);
        });
  }

  SmallVector<OpFoldResult> staticSizes(ArrayRef<int64_t> sizes) {
    return llvm::map_to_vector(sizes, [&](int64_t size) { return OpFoldResult(rewriter.getIndexAttr(size)); });
  }

  // G w Gt in f64, rounded once.
  Value transformWeights() {
    Value weights = op.getDpsInputs()[1];
    ArrayRef<int64_t> shape = cast<RankedTensorType>(weights.getType()).getShape();
    Type f64 = rewriter.getF64Type(), f32 = rewriter.getF32Type();
    Value matrix = constant(transforms.weights, f64);
    SmallVector<AffineExpr> four{loop(0), loop(1), loop(2), loop(3)};
    Value rows = sum({matrix, weights}, {{loop(0), loop(4)}, {loop(4), loop(1), loop(2), loop(3)}}, four, 1,
                     staticSizes({places, shape[1], shape[2], shape[3]}), f64)
                     ->getResult(0);
    Value both = sum({matrix, rows}, {{loop(1), loop(4)}, {loop(0), loop(4), loop(2), loop(3)}}, four, 1,
                     staticSizes({places, places, shape[2], shape[3]}), f64)
                     ->getResult(0);
    auto type = RankedTensorType::get({places, places, shape[2], shape[3]}, f32);
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), f32);
    AffineMap identity = rewriter.getMultiDimIdentityMap(4);
    SmallVector<utils::IteratorType> kinds(4, utils::IteratorType::parallel);
    return linalg::GenericOp::create(rewriter, loc, type, both, empty, ArrayRef({identity, identity}), kinds,
                                     [&](OpBuilder &b, Location at, ValueRange arguments) {
                                       Value narrow = arith::TruncFOp::create(b, at, f32, arguments[0]);
                                       linalg::YieldOp::create(b, at, narrow);
                                     })
        ->getResult(0);
  }

  OpFoldResult tilesOf(OpFoldResult size) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, loop(0).ceilDiv(tile), {size});
  }

  // The operand with zeros behind it, up to whole tiles.
  Value padded(ArrayRef<OpFoldResult> sizes) {
    Value operand = op.getDpsInputs()[0];
    OpFoldResult none = rewriter.getIndexAttr(0);
    SmallVector<OpFoldResult> low(batch + 3, none), high(low);
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (unsigned dim : {batch, batch + 1}) {
      AffineExpr missing = loop(0).ceilDiv(tile) * tile - loop(0);
      high[dim] = affine::makeComposedFoldedAffineApply(rewriter, loc, missing, {sizes[dim]});
      std::optional<int64_t> known = getConstantIntValue(high[dim]);
      shape[dim] = known && !type.isDynamicDim(dim) ? shape[dim] + *known : ShapedType::kDynamic;
    }
    if (isConstantIntValue(high[batch], 0) && isConstantIntValue(high[batch + 1], 0))
      return operand;
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getF32FloatAttr(0));
    Value source = operand;
    // One border instead of two.
    auto before = operand.getDefiningOp<tensor::PadOp>();
    if (before && before.getConstantPaddingValue() &&
        matchPattern(before.getConstantPaddingValue(), m_AnyZeroFloat())) {
      source = before.getSource();
      low = before.getMixedLowPad();
      for (auto [more, own] : llvm::zip(high, before.getMixedHighPad()))
        more = affine::makeComposedFoldedAffineApply(rewriter, loc, loop(0) + loop(1), {own, more});
    }
    return tensor::PadOp::create(rewriter, loc, type.clone(shape), source, low, high, zero);
  }

  // Loops i, j, (n), y, x and one more of what lies between the transforms.
  SmallVector<AffineExpr> tileLoops() {
    return llvm::map_to_vector(llvm::seq<unsigned>(0, batch + 5), [&](unsigned i) { return loop(i); });
  }

  // The loop of the batch, where there is one, and what follows.
  SmallVector<AffineExpr> behindBatch(unsigned at, ArrayRef<AffineExpr> exprs) {
    SmallVector<AffineExpr> all;
    if (batch)
      all.push_back(loop(at));
    llvm::append_range(all, exprs);
    return all;
  }

  Value transformInput() {
    SmallVector<OpFoldResult> results = tensor::getMixedSizes(rewriter, loc, op.getDpsInits()[0]);
    Value operand = padded(results), matrix = constant(transforms.input, rewriter.getF32Type());
    SmallVector<OpFoldResult> sizes(2, rewriter.getIndexAttr(places));
    sizes.append(results.begin(), results.begin() + batch);
    sizes.push_back(tilesOf(results[batch]));
    sizes.push_back(tilesOf(results[batch + 1]));
    sizes.push_back(rewriter.getIndexAttr(cast<RankedTensorType>(operand.getType()).getShape().back()));
    AffineExpr y = loop(batch + 2), x = loop(batch + 3), c = loop(batch + 4), a = loop(batch + 5), b = loop(batch + 6);
    linalg::GenericOp input =
        sum({matrix, matrix, operand}, {{loop(0), a}, {loop(1), b}, behindBatch(2, {y * tile + a, x * tile + b, c})},
            tileLoops(), 2, sizes, rewriter.getF32Type());
    return mark(input, winograd::kInput, /*keepsLayout=*/true);
  }

  Value multiply(Value input, Value weights) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, input);
    sizes.back() = rewriter.getIndexAttr(cast<RankedTensorType>(weights.getType()).getShape().back());
    SmallVector<AffineExpr> write = tileLoops(), read(write);
    AffineExpr f = write.back(), c = loop(batch + 5);
    read.back() = c;
    linalg::GenericOp product =
        sum({input, weights}, {read, {loop(0), loop(1), c, f}}, write, 1, sizes, rewriter.getF32Type());
    return mark(product, winograd::kProduct, /*keepsLayout=*/false);
  }

  Value transformOutput(Value product) {
    Value matrix = constant(transforms.output, rewriter.getF32Type());
    AffineExpr h = loop(batch), w = loop(batch + 1), f = loop(batch + 2), i = loop(batch + 3), j = loop(batch + 4);
    SmallVector<AffineExpr> read{i, j};
    llvm::append_range(read, behindBatch(0, {h.floorDiv(tile), w.floorDiv(tile), f}));
    linalg::GenericOp output =
        sum({matrix, matrix, product}, {{h % tile, i}, {w % tile, j}, read}, behindBatch(0, {h, w, f}), 2,
            tensor::getMixedSizes(rewriter, loc, op.getDpsInits()[0]), rewriter.getF32Type());
    return mark(output, winograd::kOutput, /*keepsLayout=*/true);
  }

  Value mark(linalg::GenericOp made, StringRef role, bool keepsLayout) {
    made->setAttr(winograd::kRoleAttr, rewriter.getStringAttr(role));
    if (keepsLayout)
      made->setAttr(kKeepsLayoutAttr, rewriter.getUnitAttr());
    // All of it computes one tile at a time: no part of it is split.
    made->setAttr(kSplitAttr, rewriter.getI64IntegerAttr(1));
    if (Attribute affinity = op->getAttr(kAffinityAttr))
      made->setAttr(kAffinityAttr, affinity);
    return made->getResult(0);
  }

  IRRewriter &rewriter;
  Location loc;
  linalg::GenericOp op;
  int64_t tile, places;
  unsigned batch; // loops of it, 0 or 1
  winograd::Transforms transforms;
};

struct Winograd : mlir::heddle::impl::WinogradBase<Winograd> {
  using WinogradBase::WinogradBase;

  void runOnOperation() override {
    if (tile != "default" && tile != "off" && tile != "2" && tile != "4") {
      getOperation().emitError() << "winograd is default, off, 2 or 4, got '" << tile << "'";
      return signalPassFailure();
    }
    std::optional<WinogradCosts> costs = findCosts();
    if (tile == "off" || !costs)
      return;
    SmallVector<linalg::GenericOp> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isCandidate(op))
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : found)
      if (int64_t size = tile == "2" ? 2 : tile == "4" ? 4 : encode::chooseWinogradTile(sizesOf(op), *costs))
        Rewriter(rewriter, op, size).run();
  }

  // Those of the first target; none where some target has none.
  std::optional<WinogradCosts> findCosts() {
    std::optional<WinogradCosts> found;
    device::DeviceQuery devices(getOperation());
    for (device::ExecutableAttr executable : devices.getAllTargets()) {
      const Target *target = findTarget(executable.getFormat());
      std::optional<WinogradCosts> costs = target ? target->getWinogradCosts() : std::nullopt;
      if (!costs)
        return std::nullopt;
      found = found ? found : costs;
    }
    return found;
  }

  static encode::WindowSizes sizesOf(linalg::GenericOp op) {
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    auto size = [&](unsigned dim) {
      return result.isDynamicDim(dim) ? std::nullopt : std::optional(result.getDimSize(dim));
    };
    unsigned batch = *countBatchLoops(op);
    return {batch ? size(0) : 1, size(batch), size(batch + 1),
            cast<RankedTensorType>(op.getDpsInputs()[1].getType()).getDimSize(2), result.getDimSize(batch + 2)};
  }
};

} // namespace
