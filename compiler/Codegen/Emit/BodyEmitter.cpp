// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/BodyEmitter.h"

#include "compiler/Codegen/IR/KernelOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "heddle/contract/KernelAbi.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

BodyEmitter::BodyEmitter(ElementSource &source, linalg::GenericOp generic, ArrayRef<LaneValue> dims,
                         DenseMap<Value, LaneValue> known)
    : source(source), lanes(source.lanes), builder(lanes.builder), loc(lanes.loc), generic(generic), dims(dims),
      values(std::move(known)) {}

SmallVector<LaneValue> mlir::heddle::codegen::loopIndices(ElementSource &source, linalg::GenericOp op, unsigned result,
                                                          ArrayRef<LaneValue> index) {
  SmallVector<LaneValue> dims(op.getNumLoops());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  for (auto [expr, i] : llvm::zip_equal(map.getResults(), index))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims[dim.getPosition()] = i;
  for (auto [dim, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      dims[dim] = source.lanes.constant(0);
    else if (!dims[dim].base && !dims[dim].vector)
      dims[dim] = source.fail(op, "needs a result map that is a permutation of its parallel loops in a dispatch");
  return dims;
}

SmallVector<LaneValue> BodyEmitter::results() {
  SmallVector<LaneValue> results;
  for (Value value : generic.getBody()->getTerminator()->getOperands())
    results.push_back(evaluate(value));
  return results;
}

SmallVector<LaneValue> mlir::heddle::codegen::evaluateReduction(ElementSource &source, linalg::GenericOp op,
                                                                ArrayRef<LaneValue> index) {
  LaneBuilder &lanes = source.lanes;
  SmallVector<LaneValue> dims = loopIndices(source, op, 0, index);
  SmallVector<Value> sizes, initial, bounds = source.scalars.loopSizes(op);
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (unsigned dim : reductions)
    sizes.push_back(bounds[dim]);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    SmallVector<LaneValue> at;
    for (AffineExpr expr : op.getMatchingIndexingMap(&init).getResults())
      at.push_back(lanes.apply(expr, dims));
    LaneValue value = source.evaluate(init.get(), at);
    initial.push_back(lanes.width == 1 ? value.base : lanes.toVector(value));
  }
  auto wrap = [&](Value value) { return lanes.width == 1 ? LaneValue::uniform(value) : LaneValue::any(value); };
  SmallVector<Value> totals = source.loops(sizes, initial, [&](ArrayRef<Value> at, ValueRange carried) {
    SmallVector<LaneValue> inner(dims);
    for (auto [dim, i] : llvm::zip(reductions, at))
      inner[dim] = LaneValue::uniform(i);
    DenseMap<Value, LaneValue> arguments;
    for (auto [argument, value] : llvm::zip(op.getRegionOutputArgs(), carried))
      arguments[argument] = wrap(value);
    SmallVector<Value> next;
    for (LaneValue value : BodyEmitter(source, op, inner, arguments).results())
      next.push_back(lanes.width == 1 ? value.base : lanes.toVector(value));
    return next;
  });
  SmallVector<LaneValue> results;
  for (Value total : totals)
    results.push_back(wrap(total));
  return results;
}

LaneValue BodyEmitter::evaluate(Value value) {
  if (auto known = values.find(value); known != values.end())
    return known->second;
  LaneValue result;
  Block *body = generic.getBody();
  if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == body) {
    OpOperand *operand = generic.getMatchingOpOperand(argument);
    SmallVector<LaneValue> index;
    for (AffineExpr expr : generic.getMatchingIndexingMap(operand).getResults())
      index.push_back(lanes.apply(expr, dims));
    result = isa<ShapedType>(operand->get().getType()) ? source.evaluate(operand->get(), index)
                                                       : source.toScalar(operand->get());
  } else if (Operation *op = value.getDefiningOp(); op && generic->isProperAncestor(op)) {
    result = compute(value.getDefiningOp(), cast<OpResult>(value).getResultNumber());
  } else {
    result = source.toScalar(value);
  }
  values[value] = result;
  return result;
}

LaneValue BodyEmitter::compute(Operation *op, unsigned result) {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return dims[index.getDim()];
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return evaluateExtract(extract);
  if (isa<tensor::DimOp>(op))
    return source.toScalar(op->getResult(0));
  if (op->hasTrait<OpTrait::ConstantLike>())
    return LaneValue::uniform(builder.clone(*op)->getResult(0));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return evaluateLoop(loop, result);
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    if (std::optional<LaneValue> narrow = clampIn32Bits(cast))
      return *narrow;
  SmallVector<LaneValue> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand));
  if (auto check = dyn_cast<flow::CheckedIndexOp>(op))
    return checkIndex(operands[0], operands[1]);
  if (isa<arith::AddIOp>(op) && op->getResult(0).getType().isIndex())
    return lanes.add(operands[0], operands[1]);
  if (isa<arith::SubIOp>(op) && op->getResult(0).getType().isIndex())
    return lanes.sub(operands[0], operands[1]);
  if (isa<arith::MulIOp>(op) && op->getResult(0).getType().isIndex())
    return lanes.mul(operands[0], operands[1]);
  if (isa<arith::DivUIOp, arith::RemUIOp>(op) && lanes.dividesInDoubles(operands[0], operands[1]))
    return divideByCallSize(op, operands);
  if (auto quotient = dyn_cast<arith::DivFOp>(op); quotient && dividesByReciprocal(quotient, operands))
    return divideByReciprocal(quotient, operands[0], operands[1].base);
  if (OpTrait::hasElementwiseMappableTraits(op) && op->getNumRegions() == 0)
    return lanes.apply(op, operands, result);
  if (lanes.width != 1)
    return source.fail(op, "is not an elementwise op, and the kernel is vectorised");
  IRMapping mapping;
  for (auto [operand, value] : llvm::zip(op->getOperands(), operands))
    mapping.map(operand, value.base);
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    mapping.map(value, evaluate(value).base);
  return LaneValue::uniform(builder.clone(*op, mapping)->getResult(result));
}

// A loop of a body, which may read tensors and runs equally often in all lanes. What it has from outside is evaluated
// before it, for use behind it too; what it carries is a vector.
LaneValue BodyEmitter::evaluateLoop(scf::ForOp op, unsigned result) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  for (Value value : captured)
    if (!isa<ShapedType>(value.getType()))
      evaluate(value);
  auto bound = [&](Value value) -> Value {
    LaneValue all = evaluate(value);
    return all.vector ? vector::ExtractOp::create(builder, loc, all.vector, 0).getResult() : all.base;
  };
  Value low = bound(op.getLowerBound()), high = bound(op.getUpperBound()), step = bound(op.getStep());
  auto unwrap = [&](LaneValue value) { return lanes.width == 1 ? value.base : lanes.toVector(value); };
  auto wrap = [&](Value value) { return lanes.width == 1 ? LaneValue::uniform(value) : LaneValue::any(value); };
  SmallVector<Value> initial, next;
  for (Value value : op.getInitArgs())
    initial.push_back(unwrap(evaluate(value)));
  auto loop = scf::ForOp::create(builder, op.getLoc(), low, high, step, initial);
  values[op.getInductionVar()] = LaneValue::uniform(loop.getInductionVar());
  for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    values[argument] = wrap(value);
  source.inside(loop.getBody(), [&] {
    for (Value value : op.getBody()->getTerminator()->getOperands())
      next.push_back(unwrap(evaluate(value)));
    scf::YieldOp::create(builder, op.getLoc(), next);
  });
  for (auto [from, to] : llvm::zip(op.getResults(), loop.getResults()))
    values[from] = wrap(to);
  return values[op.getResult(result)];
}

// Lanes of base + lane * stride beyond a bound by no more than a vector reaches stay beyond it, so the base is clamped
// first, which is one scalar.
std::optional<LaneValue> BodyEmitter::clampIn32Bits(arith::IndexCastOp cast) {
  auto upper = cast.getIn().getDefiningOp<arith::MinSIOp>();
  auto lower = upper ? upper.getLhs().getDefiningOp<arith::MaxSIOp>() : arith::MaxSIOp();
  std::optional<int64_t> most = upper ? getConstant(upper.getRhs()) : std::nullopt,
                         least = lower ? getConstant(lower.getRhs()) : std::nullopt;
  if (lanes.width == 1 || !cast.getType().isInteger(32) || !most || !least)
    return std::nullopt;
  constexpr int64_t kBound = 1 << 30;
  LaneValue place = evaluate(lower.getLhs());
  int64_t reach = std::abs(place.stride) * lanes.width;
  if (place.vector || place.stride == 0 || *least < -kBound || *most > kBound || reach > kBound)
    return std::nullopt;
  Value base = builder.createOrFold<arith::MaxSIOp>(loc, place.base, lanes.index(*least - reach));
  base = builder.createOrFold<arith::MinSIOp>(loc, base, lanes.index(*most + reach));
  base = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), base);
  Value all = lanes.toVector(LaneValue::affine(base, place.stride));
  auto type = lanes.vectorOf(builder.getI32Type());
  auto bound = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, static_cast<int32_t>(value)));
  };
  all = arith::MaxSIOp::create(builder, loc, all, bound(*least));
  return LaneValue::any(arith::MinSIOp::create(builder, loc, all, bound(*most)));
}

// What a body divides may be any 64 bits, unless it is a loop's index: lanes that are no positions are divided one by
// one.
LaneValue BodyEmitter::divideByCallSize(Operation *op, ArrayRef<LaneValue> operands) {
  LaneValue all = LaneValue::any(lanes.toVector(operands[0]));
  auto inDoubles = [&] {
    return isa<arith::DivUIOp>(op) ? lanes.floorDiv(all, operands[1]) : lanes.mod(all, operands[1]);
  };
  if (op->getOperand(0).getDefiningOp<linalg::IndexOp>())
    return inDoubles();
  LaneValue limit = lanes.constant(int64_t(1) << 52);
  Value large = lanes.compare(arith::CmpIPredicate::uge, all, limit).vector;
  Value any = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, large);
  return source.branch(
      any, lanes.vectorOf(builder.getIndexType()), [&] { return lanes.apply(op, operands, 0); }, inDoubles);
}

static bool needsNotBeExact(arith::DivFOp op) {
  return bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp);
}

// Constants are left to `expand-math`, which divides by them as exactly.
bool BodyEmitter::dividesByReciprocal(arith::DivFOp op, ArrayRef<LaneValue> operands) {
  return lanes.width > 1 && op.getType().isF32() && !operands[0].isUniform() && operands[1].isUniform() &&
         !matchPattern(operands[1].base, m_Constant()) && (source.hasFma || needsNotBeExact(op));
}

LaneValue BodyEmitter::divideByReciprocal(arith::DivFOp op, LaneValue dividend, Value divisor) {
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(value));
  };
  auto spread = [&](Value value) { return lanes.toVector(LaneValue::uniform(value)); };
  auto times = [&](Value x, Value y) -> Value { return arith::MulFOp::create(builder, loc, x, y); };
  Value one = constant(1);
  if (needsNotBeExact(op))
    return LaneValue::any(times(dividend.vector, spread(arith::DivFOp::create(builder, loc, one, divisor))));
  Value size = math::AbsFOp::create(builder, loc, divisor);
  Value tiny = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, size, constant(0x1p-100f));
  Value huge = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, size, constant(0x1p100f));
  Value factor = arith::SelectOp::create(builder, loc, huge, constant(0x1p-64f), one);
  factor = arith::SelectOp::create(builder, loc, tiny, constant(0x1p64f), factor);
  Value scaled = times(dividend.vector, spread(factor));
  divisor = times(divisor, factor);
  Value reciprocal = spread(arith::DivFOp::create(builder, loc, one, divisor));
  // The quotient to an ulp, then what its remainder says is missing: correctly rounded, so that x / x is 1.
  Value first = times(scaled, reciprocal);
  Value minus = spread(arith::NegFOp::create(builder, loc, divisor));
  Value remainder = math::FmaOp::create(builder, loc, minus, first, scaled);
  Value quotient = math::FmaOp::create(builder, loc, remainder, reciprocal, first);
  // Of infinities, zeros below and what is no number the remainder is no number.
  Value known = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, quotient, quotient);
  return LaneValue::any(arith::SelectOp::create(builder, loc, known, quotient, first));
}

// An index that the same condition chooses in all lanes (a size that is 1 or not, told at the call) is a choice between
// two reads, of neighbours and of one element: not a read of elements anywhere.
LaneValue BodyEmitter::evaluateExtract(tensor::ExtractOp op) {
  SmallVector<LaneValue> index;
  SmallVector<IndexChoice> choices;
  for (auto [position, i] : llvm::enumerate(op.getIndices())) {
    auto select = i.getDefiningOp<arith::SelectOp>();
    Value known = source.findDecision(op, static_cast<unsigned>(position));
    if (select && (known || lanes.width > 1) && generic->isProperAncestor(select)) {
      LaneValue condition = known ? LaneValue::uniform(known) : evaluate(select.getCondition());
      LaneValue yes = evaluate(select.getTrueValue()), no = evaluate(select.getFalseValue());
      if (condition.isUniform() && !(yes.isUniform() && no.isUniform())) {
        choices.push_back({position, condition.base, yes, no});
        index.push_back(yes);
        continue;
      }
      if (known) {
        index.push_back(lanes.select(condition, yes, no));
        continue;
      }
    }
    index.push_back(evaluate(i));
  }
  return extractChosen(op, index, choices);
}

LaneValue BodyEmitter::extractChosen(tensor::ExtractOp op, ArrayRef<LaneValue> index, ArrayRef<IndexChoice> open) {
  if (!open.empty()) {
    auto with = [&](LaneValue chosen) {
      SmallVector<LaneValue> known(index);
      known[open.front().position] = chosen;
      return extractChosen(op, known, open.drop_front());
    };
    return source.branch(
        open.front().condition, lanes.vectorOf(op.getType()), [&] { return with(open.front().yes); },
        [&] { return with(open.front().no); });
  }
  bool isOne = llvm::all_of(index, [](const LaneValue &i) { return i.isUniform(); });
  int64_t width = std::exchange(lanes.width, isOne ? 1 : lanes.width);
  Value mask = std::exchange(lanes.mask, isOne ? Value() : lanes.mask);
  LaneValue value = extractAt(op, index);
  lanes.width = width;
  lanes.mask = mask;
  return value;
}

// A loop's index, or 0 where a condition of the call says so: then there is such an element.
static bool isLoopOrStretched(Value index) {
  if (auto choice = index.getDefiningOp<arith::SelectOp>(); choice && matchPattern(choice.getTrueValue(), m_Zero()))
    index = choice.getFalseValue();
  return index.getDefiningOp<linalg::IndexOp>() != nullptr;
}

// Whether the tensor has elements, in the call.
static Value hasElements(ElementSource &source, Value tensor) {
  OpBuilder &builder = source.lanes.builder;
  Location loc = source.lanes.loc;
  Value some = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  for (auto [dim, size] : llvm::enumerate(cast<RankedTensorType>(tensor.getType()).getShape()))
    if (size == 0 || ShapedType::isDynamic(size)) {
      Value isSome = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ne,
                                                         source.scalars.size(tensor, dim), source.scalars.constant(0));
      some = builder.createOrFold<arith::AndIOp>(loc, some, isSome);
    }
  return some;
}

Value mlir::heddle::codegen::findElements(ElementSource &source) {
  OpBuilder &builder = source.lanes.builder;
  Location loc = source.lanes.loc;
  Value all = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  DenseSet<Value> seen;
  func::FuncOp function = source.scalars.getSource();
  function.walk([&](tensor::ExtractOp op) {
    bool isInBody = op->getParentOfType<linalg::GenericOp>() && op.getTensor().getParentBlock() == &function.front();
    if (isInBody && !llvm::all_of(op.getIndices(), isLoopOrStretched) && seen.insert(op.getTensor()).second)
      all = builder.createOrFold<arith::AndIOp>(loc, all, hasElements(source, op.getTensor()));
  });
  return all;
}

LaneValue BodyEmitter::extractAt(tensor::ExtractOp op, ArrayRef<LaneValue> index) {
  Value tensor = op.getTensor();
  if (source.allHaveElements || llvm::all_of(op.getIndices(), isLoopOrStretched))
    return source.evaluate(tensor, index);
  // A failed check gives index 0, which an empty tensor does not have.
  Value some = hasElements(source, tensor);
  if (getConstant(some) == 1)
    return source.evaluate(tensor, index);
  Type element = op.getType();
  return source.choose(
      LaneValue::uniform(some), element, [&] { return source.evaluate(tensor, index); },
      [&] { return lanes.zero(element); });
}

LaneValue BodyEmitter::checkIndex(LaneValue index, LaneValue size) {
  LaneValue inside = lanes.compare(arith::CmpIPredicate::ult, index, size);
  LaneValue checked = lanes.select(inside, index, lanes.constant(0));
  Value bad;
  Value yes = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  if (inside.isUniform()) {
    bad = builder.createOrFold<arith::XOrIOp>(loc, inside.base, yes);
  } else {
    Value outside = arith::XOrIOp::create(builder, loc, inside.vector, lanes.toVector(LaneValue::uniform(yes)));
    if (lanes.mask)
      outside = arith::AndIOp::create(builder, loc, outside, lanes.mask);
    bad = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, outside);
  }
  auto ifBad = scf::IfOp::create(builder, loc, bad, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(ifBad.thenBlock());
  kernel::FailOp::create(builder, loc, HEDDLE_KERNEL_INDEX_OUT_OF_RANGE);
  return checked;
}
