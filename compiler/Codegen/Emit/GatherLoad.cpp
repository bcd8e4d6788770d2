// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/GatherLoad.h"

#include "compiler/Codegen/IR/KernelOps.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

//===--- What is known of the offsets ----------------------------------------------------------------------------===//

namespace {

// Offsets as `uniform + pattern[lane] + step * times[lane] + rest[lane]`.
struct Offsets {
  Value uniform;                // scalar; null: 0
  SmallVector<int64_t> pattern; // empty: 0
  Value rest;                   // vector of index or i32; null: 0
  Value step = {};              // scalar that only the call knows; null: 0
  SmallVector<int64_t> times = {};
};

class OffsetSplitter {
public:
  // `bySteps`: whether a step may be told from the rest.
  OffsetSplitter(LaneBuilder &lanes, bool bySteps)
      : lanes(lanes), builder(lanes.builder), loc(lanes.loc), bySteps(bySteps) {}

  Offsets split(Value vector) {
    DenseIntElementsAttr constant;
    if (matchPattern(vector, m_Constant(&constant)))
      return {{}, llvm::map_to_vector(constant.getValues<APInt>(), [](APInt i) { return i.getSExtValue(); }), {}};
    if (auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
        broadcast && !isa<VectorType>(broadcast.getSource().getType()))
      return {broadcast.getSource(), {}, {}};
    if (auto sum = vector.getDefiningOp<arith::AddIOp>()) {
      Offsets left = split(sum.getLhs()), right = split(sum.getRhs());
      return left.step && right.step ? Offsets{{}, {}, vector} : add(std::move(left), right);
    }
    if (auto product = vector.getDefiningOp<arith::MulIOp>()) {
      if (std::optional<int64_t> factor = getSplat(product.getRhs()))
        return multiply(split(product.getLhs()), *factor);
      for (auto [factor, step] : {std::pair(product.getLhs(), product.getRhs()), {product.getRhs(), product.getLhs()}})
        if (auto spread = step.getDefiningOp<vector::BroadcastOp>(); bySteps && spread)
          if (Offsets some = split(factor); !some.rest && !some.step && !some.pattern.empty())
            return stepwise(some, spread.getSource());
    }
    if (auto cast = vector.getDefiningOp<arith::IndexCastOp>();
        cast && getElementTypeOrSelf(cast.getIn().getType()).isInteger(32))
      return {{}, {}, cast.getIn()};
    return {{}, {}, vector};
  }

private:
  static std::optional<int64_t> getSplat(Value vector) {
    DenseIntElementsAttr constant;
    if (matchPattern(vector, m_Constant(&constant)) && constant.isSplat())
      return constant.getSplatValue<APInt>().getSExtValue();
    return std::nullopt;
  }

  Value widened(Value rest) {
    VectorType type = lanes.vectorOf(builder.getIndexType());
    return rest.getType() == type ? rest : builder.createOrFold<arith::IndexCastOp>(loc, type, rest);
  }

  Offsets stepwise(const Offsets &a, Value step) {
    Value uniform = a.uniform ? builder.createOrFold<arith::MulIOp>(loc, a.uniform, step) : Value();
    return {uniform, {}, {}, step, a.pattern};
  }

  Offsets add(Offsets a, const Offsets &b) {
    if (b.step) {
      a.step = b.step;
      a.times = b.times;
    }
    if (a.uniform && b.uniform)
      a.uniform = builder.createOrFold<arith::AddIOp>(loc, a.uniform, b.uniform);
    else if (b.uniform)
      a.uniform = b.uniform;
    if (a.pattern.empty())
      a.pattern = b.pattern;
    else
      for (auto [lane, offset] : llvm::enumerate(b.pattern))
        a.pattern[lane] += offset;
    if (a.rest && b.rest)
      a.rest = arith::AddIOp::create(builder, loc, widened(a.rest), widened(b.rest));
    else if (b.rest)
      a.rest = b.rest;
    return a;
  }

  Offsets multiply(Offsets a, int64_t factor) {
    if (factor == 1)
      return a;
    if (a.uniform)
      a.uniform = builder.createOrFold<arith::MulIOp>(loc, a.uniform, lanes.index(factor));
    for (int64_t &offset : a.pattern)
      offset *= factor;
    for (int64_t &times : a.times)
      times *= factor;
    if (a.rest)
      a.rest =
          arith::MulIOp::create(builder, loc, widened(a.rest), lanes.toVector(LaneValue::uniform(lanes.index(factor))));
    return a;
  }

  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  bool bySteps;
};

// Contiguous loads that have all elements of a pattern, each of them those of one number of steps.
struct PatternPlan {
  // Elements of one load are at most this far apart, and there are at most this many loads.
  static constexpr int64_t kMostGap = 4, kMostLoads = 4;

  // `times`: of the lanes; empty: no steps.
  PatternPlan(ArrayRef<int64_t> pattern, ArrayRef<int64_t> times, int64_t width) {
    SmallVector<std::pair<int64_t, int64_t>> places(width);
    for (int64_t lane = 0; lane < width; ++lane)
      places[lane] = {times.empty() ? 0 : times[lane], pattern.empty() ? 0 : pattern[lane]};
    SmallVector<std::pair<int64_t, int64_t>> sorted(places);
    llvm::sort(sorted);
    for (auto [steps, at] : sorted)
      if (begins.empty() || steps != this->steps.back() || at - (begins.back() + sizes.back() - 1) > kMostGap ||
          at - begins.back() >= width) {
        begins.push_back(at);
        sizes.push_back(1);
        this->steps.push_back(steps);
      } else {
        sizes.back() = at - begins.back() + 1;
      }
    for (auto [steps, at] : places) {
      size_t load = begins.size() - 1;
      while (this->steps[load] != steps || begins[load] > at)
        --load;
      loads.push_back(load);
      this->places.push_back(at - begins[load]);
    }
  }
  bool pays() const { return static_cast<int64_t>(begins.size()) <= kMostLoads; }

  SmallVector<int64_t> begins, sizes, steps; // of the loads
  SmallVector<int64_t> loads, places;        // of each lane's element
};

//===--- Loads ---------------------------------------------------------------------------------------------------===//

class GatherLoader {
public:
  GatherLoader(ControlFlow &flow, VectorType type, Value memory, Value size, int64_t permutedLanes)
      : flow(flow), lanes(flow.lanes), builder(lanes.builder), loc(lanes.loc), type(type), memory(memory), size(size),
        permutedLanes(permutedLanes) {}

  Value run(Value offsets) {
    Offsets known = OffsetSplitter(lanes, true).split(offsets);
    if (known.step)
      if (PatternPlan plan(known.pattern, known.times, lanes.width); !known.rest && plan.pays())
        return loadPattern(plan, known);
    if (known.step)
      known = OffsetSplitter(lanes, false).split(offsets);
    if (!known.uniform)
      known.uniform = lanes.index(0);
    if (!known.rest && !known.pattern.empty())
      if (PatternPlan plan(known.pattern, {}, lanes.width); plan.pays())
        return loadPattern(plan, known);
    int64_t part = permutedLanes;
    bool words = type.getElementTypeBitWidth() == 32 && isa<Float32Type, IntegerType>(type.getElementType());
    if (part == 0 || !size || !words || lanes.width % part != 0 || !known.rest || !known.pattern.empty())
      return gather(offsets, lanes.mask, type);
    if (lanes.width == part)
      return loadPart(known, offsets, lanes.mask, type);
    SmallVector<Value> parts;
    auto partType = VectorType::get({part}, type.getElementType());
    for (int64_t begin = 0; begin < lanes.width; begin += part) {
      auto slice = [&](Value vector) {
        return vector ? shuffle(vector, vector, llvm::to_vector(llvm::seq(begin, begin + part))) : Value();
      };
      Offsets some{known.uniform, {}, slice(known.rest)};
      parts.push_back(loadPart(some, slice(offsets), slice(lanes.mask), partType));
    }
    Value result = parts.front();
    for (Value next : ArrayRef(parts).drop_front())
      result = concatenate(result, next);
    return result;
  }

private:
  Value shuffle(Value a, Value b, ArrayRef<int64_t> from) {
    return vector::ShuffleOp::create(builder, loc, a, b, from);
  }

  // One after the other; the second may be shorter.
  Value concatenate(Value a, Value b) {
    int64_t size = cast<VectorType>(a.getType()).getNumElements() + cast<VectorType>(b.getType()).getNumElements();
    return shuffle(a, b, llvm::to_vector(llvm::seq<int64_t>(0, size)));
  }

  Value gather(Value offsets, Value mask, VectorType type) {
    Value passThru = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    if (!mask) {
      auto bits = VectorType::get(type.getShape(), builder.getI1Type());
      mask = arith::ConstantOp::create(builder, loc, bits, DenseElementsAttr::get(bits, true));
    }
    // Offsets of 32 bits fill half as many vectors.
    constexpr int64_t kMostNarrow = int64_t{1} << 31;
    if (std::optional<int64_t> elements = getConstant(size); elements && *elements <= kMostNarrow)
      offsets =
          arith::IndexCastOp::create(builder, loc, VectorType::get(type.getShape(), builder.getI32Type()), offsets);
    return vector::GatherOp::create(builder, loc, type, memory, ValueRange{lanes.index(0)}, offsets, mask, passThru);
  }

  // The elements of one load that lanes which are on need; several lanes may have the same one.
  Value elementMask(const PatternPlan &plan, int64_t load) {
    auto bits = cast<VectorType>(lanes.mask.getType());
    Value none = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(bits, false)), needed;
    SmallVector<SmallVector<int64_t>> lanesOf(plan.sizes[load]);
    for (int64_t lane = 0; lane < lanes.width; ++lane)
      if (plan.loads[lane] == load)
        lanesOf[plan.places[lane]].push_back(lane);
    size_t most = 0;
    for (ArrayRef<int64_t> owners : lanesOf)
      most = std::max(most, owners.size());
    for (size_t i = 0; i < most; ++i) {
      auto from = llvm::map_to_vector(
          lanesOf, [&](ArrayRef<int64_t> owners) { return i < owners.size() ? owners[i] : lanes.width; });
      Value some = shuffle(lanes.mask, none, from);
      needed = needed ? builder.createOrFold<arith::OrIOp>(loc, needed, some) : some;
    }
    return needed;
  }

  Value loadPattern(const PatternPlan &plan, const Offsets &known) {
    Value base = known.uniform ? known.uniform : lanes.index(0);
    Value result = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    for (auto [load, begin] : llvm::enumerate(plan.begins)) {
      Value at = builder.createOrFold<arith::AddIOp>(loc, base, lanes.index(begin)), some;
      if (plan.steps[load] != 0) {
        Value steps = builder.createOrFold<arith::MulIOp>(loc, known.step, lanes.index(plan.steps[load]));
        at = builder.createOrFold<arith::AddIOp>(loc, at, steps);
      }
      auto partType = VectorType::get({plan.sizes[load]}, type.getElementType());
      if (lanes.mask) {
        Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(partType));
        some = vector::MaskedLoadOp::create(builder, loc, partType, memory, ValueRange{at},
                                            elementMask(plan, static_cast<int64_t>(load)), zero);
      } else {
        some = vector::LoadOp::create(builder, loc, partType, memory, ValueRange{at});
      }
      SmallVector<int64_t> from;
      for (int64_t lane = 0; lane < lanes.width; ++lane)
        from.push_back(plan.loads[lane] == static_cast<int64_t>(load) ? lanes.width + plan.places[lane] : lane);
      result = shuffle(result, some, from);
    }
    return result;
  }

  // A vector of as many lanes as one permutation has.
  Value loadPart(const Offsets &known, Value offsets, Value mask, VectorType type) {
    int64_t part = type.getNumElements();
    auto toIndex = [&](Value scalar) {
      return scalar.getType().isIndex() ? scalar
                                        : arith::IndexCastOp::create(builder, loc, builder.getIndexType(), scalar);
    };
    // The vector starts at the first lane's element, or earlier where it would end outside the memory.
    Value first = toIndex(vector::ExtractOp::create(builder, loc, known.rest, 0));
    Value last = builder.createOrFold<arith::SubIOp>(loc, size, lanes.index(part));
    Value begin = arith::AddIOp::create(builder, loc, first, known.uniform);
    begin = arith::MinSIOp::create(builder, loc, begin, last);
    begin = arith::MaxSIOp::create(builder, loc, begin, lanes.index(0));
    Value shift = arith::SubIOp::create(builder, loc, begin, known.uniform);
    Type element = getElementTypeOrSelf(known.rest.getType());
    if (!element.isIndex())
      shift = arith::IndexCastOp::create(builder, loc, element, shift);
    Value places = arith::SubIOp::create(builder, loc, known.rest,
                                         vector::BroadcastOp::create(builder, loc, known.rest.getType(), shift));
    Value limit = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<VectorType>(places.getType()), builder.getIntegerAttr(element, part)));
    Value near = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, places, limit);
    if (mask) {
      Value all =
          arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(cast<VectorType>(mask.getType()), true));
      near = arith::OrIOp::create(builder, loc, near, arith::XOrIOp::create(builder, loc, mask, all));
    }
    Value isNear = vector::ReductionOp::create(builder, loc, vector::CombiningKind::AND, near);
    Value fits = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, last, lanes.index(0));
    isNear = builder.createOrFold<arith::AndIOp>(loc, isNear, fits);
    auto permute = [&]() -> SmallVector<Value> {
      auto words = VectorType::get({part}, builder.getI32Type());
      Value from = places.getType() == words ? places : arith::IndexCastOp::create(builder, loc, words, places);
      Value loaded = vector::LoadOp::create(builder, loc, type, memory, ValueRange{begin});
      return {kernel::PermuteOp::create(builder, loc, type, loaded, from)};
    };
    return flow.branches(isNear, TypeRange{type}, permute,
                         [&]() -> SmallVector<Value> { return {gather(offsets, mask, type)}; })[0];
  }

  ControlFlow &flow;
  LaneBuilder &lanes;
  OpBuilder &builder;
  Location loc;
  VectorType type;
  Value memory, size;
  int64_t permutedLanes;
};

} // namespace

Value mlir::heddle::codegen::loadGathered(ControlFlow &flow, VectorType type, Value memory, Value offsets, Value size,
                                          int64_t permutedLanes) {
  return GatherLoader(flow, type, memory, size, permutedLanes).run(offsets);
}
