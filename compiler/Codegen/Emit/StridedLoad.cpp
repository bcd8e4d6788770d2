// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Emit/StridedLoad.h"

using namespace mlir;
using namespace mlir::heddle::codegen;

namespace {

// Which of the contiguous loads has each lane's element, and where in it.
struct StridedPlan {
  StridedPlan(int64_t width, int64_t stride) {
    for (int64_t load = 0; load < stride; ++load)
      begins.push_back(load + 1 < stride ? load * width : (stride - 1) * (width - 1));
    for (int64_t lane = 0; lane < width; ++lane) {
      int64_t load = std::min(lane * stride / width, stride - 1);
      loads.push_back(load);
      places.push_back(lane * stride - begins[load]);
    }
  }

  SmallVector<int64_t> begins;        // of the loads, after the first lane's element
  SmallVector<int64_t> loads, places; // of the lanes
};

} // namespace

// The elements of one load that lanes which are on need.
static Value elementMask(LaneBuilder &lanes, const StridedPlan &plan, int64_t load) {
  SmallVector<int64_t> from(lanes.width, lanes.width); // of the zeros
  for (int64_t lane = 0; lane < lanes.width; ++lane)
    if (plan.loads[lane] == load)
      from[plan.places[lane]] = lane;
  auto type = cast<VectorType>(lanes.mask.getType());
  Value none = arith::ConstantOp::create(lanes.builder, lanes.loc, DenseElementsAttr::get(type, false));
  return vector::ShuffleOp::create(lanes.builder, lanes.loc, lanes.mask, none, from);
}

Value mlir::heddle::codegen::loadStrided(LaneBuilder &lanes, VectorType type, Value memory, Value base,
                                         int64_t stride) {
  OpBuilder &builder = lanes.builder;
  Location loc = lanes.loc;
  StridedPlan plan(lanes.width, stride);
  Value result;
  for (auto [load, begin] : llvm::enumerate(plan.begins)) {
    Value at = builder.createOrFold<arith::AddIOp>(loc, base, lanes.index(begin)), part;
    if (lanes.mask) {
      Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
      part = vector::MaskedLoadOp::create(builder, loc, type, memory, ValueRange{at}, elementMask(lanes, plan, load),
                                          zero);
    } else {
      part = vector::LoadOp::create(builder, loc, type, memory, ValueRange{at});
    }
    if (!result) {
      result = part;
      continue;
    }
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes.width; ++lane) {
      int64_t earlier = load == 1 ? plan.places[lane] : lane; // the first shuffle takes both as they lie
      int64_t here = lanes.width + plan.places[lane], owner = plan.loads[lane], now = static_cast<int64_t>(load);
      from.push_back(owner < now ? earlier : owner == now ? here : vector::ShuffleOp::kPoisonIndex);
    }
    result = vector::ShuffleOp::create(builder, loc, result, part, from);
  }
  return result;
}
