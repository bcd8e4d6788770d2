// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padding around a value that a kernel computes: the value's nest writes where the pad's result has it, and a nest of
// its own fills the border. Nothing is computed first and copied then.
//
//   %p = tensor.pad %conv low[1, 1, 0] high[1, 1, 0]     // the kernel's result
//
// `%conv`'s nest has the result's memory, from element [1, 1, 0] on, with the result's strides.
#include "compiler/Codegen/CPU/Strategy.h"
#include "compiler/Codegen/Emit/PadBorder.h"
#include "compiler/Codegen/Emit/VectorLoops.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static bool isZero(OpFoldResult amount) { return isConstantIntValue(amount, 0); }

namespace {

// A box of positions along each dimension.
struct Box {
  SmallVector<Value> begin, end;
};

} // namespace

static void fill(ElementEmitter &emitter, const Box &box, const Buffer &whole, Value value, int64_t width, bool masks) {
  LaneBuilder &lanes = emitter.lanes;
  OpBuilder &builder = lanes.builder;
  SmallVector<Value> sizes;
  for (auto [begin, end] : llvm::zip_equal(box.begin, box.end))
    sizes.push_back(emitter.scalars.sub(end, begin));
  SmallVector<LaneValue> at(sizes.size());
  emitter.loops(ArrayRef(sizes).drop_back(), {}, [&](ArrayRef<Value> outer, ValueRange) -> SmallVector<Value> {
    for (auto [dim, i] : llvm::enumerate(outer))
      at[dim] = LaneValue::uniform(builder.createOrFold<arith::AddIOp>(lanes.loc, box.begin[dim], i));
    forEachVector(emitter, box.begin.back(), box.end.back(), width, masks, [&](LaneValue i) {
      at.back() = i;
      emitter.store(whole, at, LaneValue::uniform(value));
    });
    return {};
  });
}

namespace {

class BorderNest : public Strategy {
public:
  explicit BorderNest(const BorderPlan &nest) : nest(nest) {}

  Value workgroups(FunctionScalars &scalars) const override { return scalars.constant(1); }
  std::string describe() const override { return "border, width " + std::to_string(nest.width); }

  // Along each padded dimension a box before the source and one after it, between the boxes of the dimensions before.
  void emit(ElementEmitter &emitter, const Workgroup &at) const override {
    FunctionScalars &scalars = emitter.scalars;
    tensor::PadOp pad = nest.pad;
    Value value = scalars.get(pad.getConstantPaddingValue());
    Box box;
    box.end = scalars.sizes(pad.getResult());
    box.begin.assign(box.end.size(), scalars.constant(0));
    for (int64_t dim = 0; dim < static_cast<int64_t>(box.end.size()); ++dim) {
      Value begin = beginOfSource(scalars, pad, dim), end = endOfSource(scalars, pad, dim);
      if (!isZero(pad.getMixedLowPad()[dim])) {
        Box before = box;
        before.end[dim] = begin;
        fill(emitter, before, at.output, value, nest.width, nest.masks);
      }
      if (!isZero(pad.getMixedHighPad()[dim])) {
        Box after = box;
        after.begin[dim] = end;
        fill(emitter, after, at.output, value, nest.width, nest.masks);
      }
      box.begin[dim] = begin;
      box.end[dim] = end;
    }
  }

private:
  const BorderPlan &nest;
};

} // namespace

std::unique_ptr<Strategy> mlir::heddle::codegen::makeStrategy(const BorderPlan &nest) {
  return std::make_unique<BorderNest>(nest);
}
