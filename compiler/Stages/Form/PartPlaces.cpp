// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Form/PartPlaces.h"

#include "compiler/Stages/Form/PartTrends.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

using Numbers = SmallVector<int64_t>;

// Index arithmetic of a loop's body for one of its parts.
class PartArithmetic {
public:
  PartArithmetic(ValueRange numbers, ArrayRef<int64_t> values) {
    for (auto [number, value] : llvm::zip_equal(numbers, values))
      known[number] = IntegerAttr::get(number.getType(), value);
  }

  std::optional<int64_t> get(OpFoldResult value) {
    auto attribute = dyn_cast<Attribute>(value);
    auto number = dyn_cast_if_present<IntegerAttr>(attribute ? attribute : evaluate(cast<Value>(value)));
    return number ? std::optional(number.getValue().getSExtValue()) : std::nullopt;
  }

private:
  Attribute evaluate(Value value) {
    if (auto it = known.find(value); it != known.end())
      return it->second;
    Attribute result = compute(value);
    return known[value] = result;
  }

  Attribute compute(Value value) {
    Attribute constant;
    if (matchPattern(value, m_Constant(&constant)))
      return constant;
    Operation *op = value.getDefiningOp();
    if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0 || !value.getType().isIntOrIndex())
      return {};
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(operand.getType().isIntOrIndex() ? evaluate(operand) : Attribute());
      if (!operands.back())
        return {};
    }
    SmallVector<OpFoldResult> results;
    if (failed(op->fold(operands, results)) || results.size() != op->getNumResults())
      return {};
    OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
    auto attribute = dyn_cast<Attribute>(result);
    return attribute ? attribute : evaluate(cast<Value>(result));
  }

  DenseMap<Value, Attribute> known;
};

// What one part writes of a result.
struct Box {
  Numbers begin, size, part;

  bool isEmpty() const { return llvm::is_contained(size, 0); }
  bool meets(const Box &other) const {
    return llvm::all_of(llvm::seq<size_t>(0, begin.size()), [&](size_t dim) {
      return begin[dim] < other.begin[dim] + other.size[dim] && other.begin[dim] < begin[dim] + size[dim];
    });
  }
};

std::string print(ArrayRef<int64_t> part) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(part, os);
  os << ')';
  return text;
}

// The parts of a loop, one after the other.
class PartEnumerator {
public:
  explicit PartEnumerator(scf::ForallOp loop) : loop(loop), boxes(loop.getNumResults()) {
    for (Operation &op : *loop.getBody())
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
        slices.push_back(slice);
    for (Operation &op : loop.getTerminator().getYieldingOps())
      inserts.push_back(cast<tensor::ParallelInsertSliceOp>(op));
    for (tensor::ExtractSliceOp slice : slices)
      places.unproved.insert(slice);
    for (tensor::ParallelInsertSliceOp insert : inserts)
      places.unproved.insert(insert);
    places.covers.resize(loop.getNumResults());
  }

  FailureOr<parts::Places> run() {
    if (!readBounds())
      return places;
    proved.assign(slices.size() + inserts.size(), true);
    for (int64_t number = 0; number < total; ++number)
      if (failed(addPart(number)))
        return failure();
    if (!isWhole)
      return places;
    findLongest();
    for (auto [i, isProved] : llvm::enumerate(proved))
      if (isProved)
        places.unproved.erase(i < slices.size() ? slices[i].getOperation() : inserts[i - slices.size()].getOperation());
    places.areApart = true;
    for (unsigned result = 0; result < boxes.size(); ++result)
      if (failed(checkApart(result)))
        return failure();
    return places;
  }

private:
  static constexpr int64_t kMostParts = 1 << 14;

  bool readBounds() {
    for (auto [low, high, step] :
         llvm::zip_equal(loop.getMixedLowerBound(), loop.getMixedUpperBound(), loop.getMixedStep())) {
      std::optional<int64_t> first = getConstantIntValue(low), end = getConstantIntValue(high),
                             by = getConstantIntValue(step);
      if (!first || !end || !by || *by < 1)
        return false;
      lows.push_back(*first);
      steps.push_back(*by);
      counts.push_back(std::max<int64_t>(0, llvm::divideCeilSigned(*end - *first, *by)));
      if (counts.back() > kMostParts || total * counts.back() > kMostParts)
        return false;
      total *= counts.back();
    }
    return true;
  }

  LogicalResult addPart(int64_t number) {
    Numbers values(counts.size()), position(counts.size());
    for (size_t dim = counts.size(); dim-- > 0; number /= counts[dim]) {
      position[dim] = number % counts[dim];
      values[dim] = lows[dim] + position[dim] * steps[dim];
    }
    PartArithmetic arithmetic(loop.getInductionVars(), values);
    Numbers lengths;
    for (auto [i, slice] : llvm::enumerate(slices))
      if (failed(addPlace(slice, slice.getSourceType(), arithmetic, values, i, lengths)))
        return failure();
    for (auto [i, insert] : llvm::enumerate(inserts)) {
      auto result = cast<OpResult>(loop.getTiedOpResult(loop.getTiedOpOperand(cast<BlockArgument>(insert.getDest()))));
      FailureOr<std::optional<Box>> box =
          addPlace(insert, insert.getDestType(), arithmetic, values, slices.size() + i, lengths);
      if (failed(box))
        return failure();
      if (*box && !(*box)->isEmpty())
        boxes[result.getResultNumber()].push_back(std::move(**box));
    }
    most.resize(lengths.size(), 0);
    for (auto [greatest, length] : llvm::zip_equal(most, lengths))
      greatest = std::max(greatest, length);
    bool isCorner = llvm::all_of(llvm::zip_equal(position, counts), [](auto pair) {
      return std::get<0>(pair) == 0 || std::get<0>(pair) == std::get<1>(pair) - 1;
    });
    if (isCorner)
      corners.push_back({position, lengths});
    return success();
  }

  // Where the slice `op` of a tensor lies for the part; none where not all of it is known.
  template <typename SliceOp>
  FailureOr<std::optional<Box>> addPlace(SliceOp op, RankedTensorType type, PartArithmetic &arithmetic,
                                         ArrayRef<int64_t> part, size_t index, Numbers &lengths) {
    Box box{{}, {}, Numbers(part)};
    for (auto [dim, offset, size] : llvm::enumerate(op.getMixedOffsets(), op.getMixedSizes())) {
      std::optional<int64_t> first = arithmetic.get(offset), count = arithmetic.get(size);
      bool isFree = type.isDynamicDim(dim);
      proved[index] &= first && count && !isFree;
      if (!first || !count) {
        isWhole &= isa<tensor::ExtractSliceOp>(op.getOperation());
        // Equal for all parts, if the call alone knows it.
        isCertain &= isa<Attribute>(size) || loop.isDefinedOutsideOfLoop(cast<Value>(size));
        lengths.push_back(0);
        continue;
      }
      if (*first < 0 || *count < 0 || (!isFree && *first + *count > type.getDimSize(dim)))
        return op.emitError() << "part " << print(part) << " of the loop is at elements " << *first << " to "
                              << *first + *count << " of dimension " << dim << ", which has "
                              << (isFree ? "no elements before 0" : std::to_string(type.getDimSize(dim)))
                              << "; give the last parts fewer elements (affine.min)";
      box.begin.push_back(*first);
      box.size.push_back(*count);
      lengths.push_back(*count);
    }
    return box.begin.size() == static_cast<size_t>(type.getRank()) ? std::optional(std::move(box)) : std::nullopt;
  }

  void findLongest() {
    if (!isCertain)
      return;
    for (auto &[position, lengths] : corners)
      if (lengths == most) {
        places.longest.emplace();
        for (int64_t at : position)
          places.longest->push_back(at > 0);
      }
  }

  LogicalResult checkApart(unsigned result) {
    std::vector<Box> &parts = boxes[result];
    llvm::sort(parts, [](const Box &a, const Box &b) { return a.begin < b.begin; });
    int64_t elements = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const Box &one = parts[i];
      elements += llvm::product_of(one.size);
      for (size_t j = i + 1; j < parts.size() && (one.begin.empty() || parts[j].begin[0] < one.begin[0] + one.size[0]);
           ++j)
        if (one.meets(parts[j]))
          return loop.emitError() << "parts " << print(one.part) << " and " << print(parts[j].part)
                                  << " write the same elements of result " << result
                                  << "; give each part elements of its own, or write scf.for, whose turns follow one "
                                     "another";
    }
    auto type = cast<RankedTensorType>(loop.getResult(result).getType());
    places.covers[result] = type.hasStaticShape() && elements == type.getNumElements();
    return success();
  }

  scf::ForallOp loop;
  parts::Places places;
  SmallVector<tensor::ExtractSliceOp> slices;
  SmallVector<tensor::ParallelInsertSliceOp> inserts;
  Numbers lows, steps, counts;
  int64_t total = 1;
  SmallVector<bool> proved; // slices, then insertions
  bool isWhole = true;      // all that is written is known
  bool isCertain = true;    // and how long each slice is beside the others
  std::vector<std::vector<Box>> boxes;
  Numbers most;
  std::vector<std::pair<Numbers, Numbers>> corners; // position, lengths
};

} // namespace

FailureOr<parts::Places> parts::findPlaces(scf::ForallOp loop) {
  FailureOr<Places> places = PartEnumerator(loop).run();
  if (failed(places))
    return failure();
  if (!places->longest)
    places->longest = findLongestByTrend(loop);
  if (!places->areApart) {
    if (failed(refuseEqualPlaces(loop)))
      return failure();
    places->areApart = areApartByTrend(loop);
  }
  return places;
}
