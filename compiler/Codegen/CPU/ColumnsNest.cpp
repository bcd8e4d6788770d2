// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nests of columns: vectors of rows; what is reduced is walked one by one.
#include "compiler/Codegen/CPU/RowWalker.h"
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/Emit/VectorLoops.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

namespace {

RowSpace getSpace(const ColumnsPlan &nest, FunctionScalars &scalars) {
  SmallVector<Value> sizes = scalars.sizes(nest.value);
  RowSpace space;
  space.lanes = sizes[*nest.laneDim];
  Value work = scalars.constant(1);
  for (unsigned dim : nest.innerDims)
    work = scalars.mul(work, sizes[dim]);
  for (unsigned dim : nest.joined)
    space.lanes = scalars.mul(space.lanes, sizes[dim]);
  work = mostSteps(work, nest.steps, scalars);
  for (unsigned dim : nest.rowDims)
    space.sizes.push_back(dim == nest.laneDim ? scalars.ceilDiv(space.lanes, nest.width * nest.together) : sizes[dim]);
  space.total = scalars.product(space.sizes);
  space.setWork(work, scalars);
  return space;
}

class ColumnsEmitter : RowWalker {
public:
  ColumnsEmitter(const ColumnsPlan &nest, ElementEmitter &emitter, const Buffer &output)
      : RowWalker(nest, nest.rowDims, emitter, output, getSpace(nest, emitter.scalars)), nest(nest) {}

  void run(Value workgroup) {
    auto [begin, end] = rangeOf(workgroup);
    forEachRow(begin, end, [&](SmallVector<LaneValue> &index) { emitVector(index); });
  }

private:
  void emitVector(SmallVector<LaneValue> &index) {
    OpBuilder &builder = lanes.builder;
    Value block = lanes.index(nest.width * nest.together);
    Value begin = builder.createOrFold<arith::MulIOp>(lanes.loc, index[*nest.laneDim].base, block);
    Value after = builder.createOrFold<arith::AddIOp>(lanes.loc, begin, block);
    Value end = builder.createOrFold<arith::MinSIOp>(lanes.loc, after, space.lanes);
    auto emit = [&](LaneValue at) {
      index[*nest.laneDim] = at;
      for (const RowStep &step : nest.steps) {
        SmallVector<LaneValue> position =
            llvm::map_to_vector(step.position, [&](int64_t dim) { return dim < 0 ? lanes.constant(0) : index[dim]; });
        for (auto [result, value] : llvm::zip(step.op->getResults(), emitter.evaluateReduction(step.op, position)))
          emitter.bind(result, value);
      }
      walkInner(index, nest.innerDims, [&] { store(index); });
      for (const RowStep &step : nest.steps)
        for (Value result : step.op->getResults())
          emitter.unbind(result);
    };
    auto oneByOne = [&] { forEachVector(emitter, begin, end, nest.width, nest.masks, emit); };
    if (nest.together == 1)
      return oneByOne();
    Value isWhole = builder.createOrFold<arith::CmpIOp>(lanes.loc, arith::CmpIPredicate::eq, end, after);
    auto sideBySide = [&] {
      lanes.width = nest.width * nest.together;
      emit(LaneValue::affine(begin, 1));
      lanes.width = 1;
    };
    emitter.either(isWhole, sideBySide, oneByOne);
  }

  const ColumnsPlan &nest;
};

class ColumnsNest : public Strategy {
public:
  explicit ColumnsNest(const ColumnsPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override { return getSpace(nest, scalars).workgroups(scalars); }
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    ColumnsEmitter(nest, emitter, at.output).run(at.number);
  }
  std::string describe() const override {
    std::string text = "columns, " + std::to_string(nest.steps.size()) + " steps, width " + std::to_string(nest.width);
    return nest.joined.empty() ? text : text + ", rows of " + std::to_string(nest.joined.size() + 1);
  }
  bool isScalar() const override { return nest.width == 1; }

private:
  const ColumnsPlan &nest;
};

} // namespace

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const ColumnsPlan &nest) {
  return std::make_unique<ColumnsNest>(nest);
}
