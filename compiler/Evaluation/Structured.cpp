// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Evaluation/Structured.h"

using namespace mlir;
using namespace mlir::heddle::evaluation;

static constexpr int64_t kMaximumIterations = int64_t{1} << 30;

// The coefficient of each loop in `expr`, then the constant; none if it is not linear.
static std::optional<SmallVector<int64_t>> linearize(AffineExpr expr, unsigned loops) {
  SmallVector<int64_t> result(loops + 1, 0);
  auto add = [&](auto &self, AffineExpr e, int64_t factor) -> bool {
    if (auto dim = dyn_cast<AffineDimExpr>(e)) {
      result[dim.getPosition()] += factor;
      return true;
    }
    if (auto constant = dyn_cast<AffineConstantExpr>(e)) {
      result[loops] += factor * constant.getValue();
      return true;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(e);
    if (binary && e.getKind() == AffineExprKind::Add)
      return self(self, binary.getLHS(), factor) && self(self, binary.getRHS(), factor);
    auto constant = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : AffineConstantExpr();
    return constant && e.getKind() == AffineExprKind::Mul && self(self, binary.getLHS(), factor * constant.getValue());
  };
  if (!add(add, expr, 1))
    return std::nullopt;
  return result;
}

// For each loop how far one iteration moves in `array`, then the offset of the first, in elements.
static SmallVector<int64_t> stridesThrough(AffineMap map, const Array &array) {
  SmallVector<int64_t> strides(map.getNumDims() + 1, 0);
  for (auto [d, expr] : llvm::enumerate(map.getResults()))
    for (auto [stride, factor] : llvm::zip(strides, *linearize(expr, map.getNumDims())))
      stride += factor * array.strides[d];
  return strides;
}

static bool isKnownOperand(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return (!tensor || tensor.hasStaticShape()) && !isa<MemRefType>(type) && byteWidth(getElementTypeOrSelf(type)) != 0;
}

std::optional<StructuredEvaluation> StructuredEvaluation::plan(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || !llvm::all_of(op->getOperandTypes(), isKnownOperand))
    return std::nullopt;
  int64_t iterations = 1;
  for (int64_t range : op.getStaticLoopRanges())
    if (llvm::MulOverflow(iterations, range, iterations) || iterations > kMaximumIterations)
      return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr expr : map.getResults())
      if (map.getNumSymbols() != 0 || !linearize(expr, map.getNumDims()))
        return std::nullopt;
  for (utils::IteratorType iterator : op.getIteratorTypesArray())
    if (iterator != utils::IteratorType::parallel && iterator != utils::IteratorType::reduction)
      return std::nullopt;
  std::optional<Body> body = Body::compile(*op.getBlock());
  if (!body)
    return std::nullopt;
  return StructuredEvaluation(op, std::move(*body));
}

// A body that yields an operand's element, nothing reduced: the operand, seen through the maps.
std::optional<Array> StructuredEvaluation::view(ArrayRef<Array> operands) {
  auto element = dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 || !element || element.getOwner() != op.getBlock() ||
      !op.isDpsInput(&op->getOpOperand(element.getArgNumber())))
    return std::nullopt;
  AffineMap write = op.getIndexingMapsArray().back();
  if (!write.isPermutation())
    return std::nullopt;
  const Array &source = operands[element.getArgNumber()];
  SmallVector<int64_t> strides = stridesThrough(op.getIndexingMapsArray()[element.getArgNumber()], source);
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Array result = source;
  result.origin += strides.back() * byteWidth(source.elementType);
  result.shape.clear();
  result.strides.clear();
  for (AffineExpr expr : write.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    result.shape.push_back(ranges[loop]);
    result.strides.push_back(strides[loop]);
  }
  return result;
}

// Whether every iteration computes the same.
bool StructuredEvaluation::isUniform(ArrayRef<Array> operands) {
  if (op.getNumReductionLoops() != 0 || !body.indices().empty() || !body.captured().empty())
    return false;
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand) && !operands[operand.getOperandNumber()].isSplat())
      return false;
  return llvm::all_of(op.getDpsInits(),
                      [](Value init) { return cast<RankedTensorType>(init.getType()).getNumElements(); });
}

// The op's loops without those of one iteration; neighbours that all operands walk as one are one.
SmallVector<StructuredEvaluation::Loop> StructuredEvaluation::loops(ArrayRef<Array> operands) {
  SmallVector<Loop> result;
  SmallVector<SmallVector<int64_t>> strides;
  for (auto [map, array] : llvm::zip(op.getIndexingMapsArray(), operands))
    strides.push_back(stridesThrough(map, array));
  for (auto [i, size, iterator] : llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray())) {
    if (size == 1)
      continue;
    Loop loop{size, iterator == utils::IteratorType::parallel, static_cast<int64_t>(i), {}};
    for (auto [stride, array] : llvm::zip(strides, operands))
      loop.strides.push_back(stride[i] * byteWidth(array.elementType));
    bool joins = !result.empty() && body.indices().empty() && result.back().isParallel == loop.isParallel &&
                 llvm::all_of(llvm::zip(result.back().strides, loop.strides),
                              [size = size](auto it) { return std::get<0>(it) == std::get<1>(it) * size; });
    if (joins) {
      loop.size *= result.back().size;
      result.pop_back();
    }
    result.push_back(std::move(loop));
  }
  return result;
}

//===--- The loops -----------------------------------------------------------------------------------------------===//

// Parallel loops outside, then one of them in pieces of kLanes, then the reductions.
class StructuredEvaluation::Nest {
public:
  Nest(StructuredEvaluation &evaluation, ArrayRef<Array> arrays, SmallVector<Loop> all, ArrayRef<Array> captured)
      : body(evaluation.body), frame(evaluation.body.makeFrame(captured)), index(evaluation.op.getNumLoops(), 0),
        inputs(evaluation.op.getNumDpsInputs()) {
    linalg::LinalgOp op = evaluation.op;
    for (auto [map, array, operand] : llvm::zip(op.getIndexingMapsArray(), arrays, op->getOpOperands())) {
      int64_t offset = stridesThrough(map, array).back() * byteWidth(array.elementType);
      pointers.push_back(const_cast<char *>(array.origin) + offset);
      isRead.push_back(op.payloadUsesValueFromOperand(&operand));
      loads.push_back(selectLoad(array.elementType));
      stores.push_back(selectStore(array.elementType));
    }
    order(std::move(all));
  }

  LogicalResult run() {
    walk(0);
    return success(!frame.failed);
  }

private:
  void order(SmallVector<Loop> all) {
    auto best = all.end();
    for (auto it = all.begin(); it != all.end(); ++it)
      if (it->isParallel && (best == all.end() || std::min(it->size, kLanes) >= std::min(best->size, kLanes)))
        best = it;
    lanes = {1, true, -1, SmallVector<int64_t>(pointers.size(), 0)};
    if (best != all.end()) {
      lanes = *best;
      all.erase(best);
    }
    for (bool parallel : {true, false}) {
      for (Loop &loop : all)
        if (loop.isParallel == parallel)
          levels.push_back(loop);
      if (parallel)
        lanesAt = levels.size();
    }
    levels.insert(levels.begin() + lanesAt, lanes);
  }

  void move(const Loop &loop, int64_t by) {
    for (auto [pointer, stride] : llvm::zip(pointers, loop.strides))
      pointer += stride * by;
    if (loop.index >= 0)
      index[loop.index] += by;
  }

  void walk(size_t level) {
    if (level == levels.size())
      return compute();
    const Loop &loop = levels[level];
    int64_t step = level == lanesAt ? kLanes : 1, at = 0;
    for (; at < loop.size && !frame.failed; at += step) {
      if (level == lanesAt)
        count = std::min(step, loop.size - at);
      walk(level + 1);
      move(loop, step);
    }
    move(loop, -at);
  }

  void compute() {
    for (size_t i = 0; i < pointers.size(); ++i)
      if (isRead[i])
        loads[i](pointers[i], lanes.strides[i], frame.registers[i], count);
    for (auto [loop, target] : body.indices())
      for (int64_t i = 0; i < count; ++i)
        frame.registers[target].integers[i] = index[loop] + (static_cast<int64_t>(loop) == lanes.index ? i : 0);
    body.run(frame, count);
    for (auto [i, value] : llvm::enumerate(body.yielded()))
      stores[inputs + i](frame.registers[value], pointers[inputs + i], lanes.strides[inputs + i], count);
  }

  const Body &body;
  Frame frame;
  SmallVector<int64_t> index;
  size_t inputs;
  SmallVector<char *> pointers;
  SmallVector<bool> isRead;
  SmallVector<LoadFunction> loads;
  SmallVector<StoreFunction> stores;
  Loop lanes;
  size_t lanesAt = 0;
  SmallVector<Loop> levels;
  int64_t count = 1;
};

// Memory for the result of `init`, which holds the init's elements where they are read or not all overwritten.
static Array allocateResult(linalg::LinalgOp op, OpOperand &init, const Array &value) {
  char *data;
  Array result = Array::allocate(value.elementType, value.shape, data);
  if (op.payloadUsesValueFromOperand(&init) || !op.getMatchingIndexingMap(&init).isPermutation())
    copyElements(value, data, result.strides);
  return result;
}

// The same for a result whose elements are all alike: memory for one.
static Array allocateUniform(const Array &value) {
  Array one = value;
  one.shape.assign(value.rank(), 1);
  char *data;
  Array result = Array::allocate(value.elementType, {}, data);
  copyElements(one, data, SmallVector<int64_t>(value.rank(), 0));
  result.shape = value.shape;
  result.strides.assign(value.rank(), 0);
  return result;
}

FailureOr<SmallVector<Array>> StructuredEvaluation::run(ArrayRef<Array> all) {
  ArrayRef<Array> captured = all.drop_front(op->getNumOperands());
  SmallVector<Array> operands(all.take_front(op->getNumOperands()));
  if (std::optional<Array> same = view(operands))
    return SmallVector<Array>{*same};
  bool uniform = isUniform(operands);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Array &value = operands[init.getOperandNumber()];
    value = uniform ? allocateUniform(value) : allocateResult(op, init, value);
  }
  SmallVector<Loop> nest;
  if (!uniform)
    nest = loops(operands);
  if (failed(Nest(*this, operands, nest, captured).run()))
    return failure();
  return SmallVector<Array>(ArrayRef<Array>(operands).drop_front(op.getNumDpsInputs()));
}
