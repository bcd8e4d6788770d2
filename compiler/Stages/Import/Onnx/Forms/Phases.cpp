// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Onnx/Forms/Phases.h"

#include "compiler/Stages/Import/Emit/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::heddle::importer;

SmallVector<PhaseSet> mlir::heddle::importer::findPhases(int64_t kernel, int64_t stride, int64_t dilation) {
  SmallVector<PhaseSet> sets;
  if (dilation == 1) {
    int64_t longer = kernel % stride;
    if (longer > 0)
      sets.push_back({0, longer, kernel / stride + 1, 0, stride});
    sets.push_back({longer, stride - longer, kernel / stride, longer, stride});
    return sets;
  }
  int64_t common = std::gcd(stride, dilation), period = stride / common;
  for (int64_t phase = 0; phase < stride; ++phase) {
    PhaseSet set{phase, 1, 0, 0, period, dilation / common};
    for (int64_t k = 0; k < std::min(period, kernel); ++k)
      if (k * dilation % stride == phase) {
        set.firstTap = k;
        set.taps = (kernel - k + period - 1) / period;
        set.base = (k * dilation - phase) / stride;
      }
    sets.push_back(set);
  }
  return sets;
}

SmallVector<PhaseSet> mlir::heddle::importer::separatePhases(ArrayRef<PhaseSet> sets) {
  SmallVector<PhaseSet> phases;
  for (const PhaseSet &set : sets)
    for (int64_t i = 0; i < set.count; ++i) {
      phases.push_back(set);
      phases.back().first += i, phases.back().firstTap += i, phases.back().count = 1;
    }
  return phases;
}

bool mlir::heddle::importer::placePhases(Sizes &sizes, PhasedAxis &axis, int64_t before) {
  OpFoldResult strided = sizes.mul(axis.input, sizes.constant(axis.stride));
  std::optional<int64_t> beyond = getConstantIntValue(sizes.sub(axis.size, strided));
  if (!beyond)
    return false;
  axis.crop = before % axis.stride;
  axis.skip = before / axis.stride;
  int64_t more = *beyond + axis.crop;
  axis.steps = more >= 0 ? (more + axis.stride - 1) / axis.stride : -(-more / axis.stride);
  return true;
}

namespace {

class Interleaving {
public:
  Interleaving(Emitter &emitter, ArrayRef<PhasedAxis> axes, int64_t front,
               llvm::function_ref<std::optional<Tensor>(ArrayRef<PhaseSet>)> part)
      : emitter(emitter), axes(axes), front(front), part(part) {}

  // All phases of the dimensions after those `chosen`.
  std::optional<Tensor> assemble(SmallVector<PhaseSet> chosen) {
    size_t d = chosen.size();
    if (d == axes.size())
      return part(chosen);
    SmallVector<Tensor> parts;
    for (const PhaseSet &set : axes[d].phases) {
      SmallVector<PhaseSet> next = chosen;
      next.push_back(set);
      std::optional<Tensor> one = assemble(next);
      if (!one)
        return std::nullopt;
      parts.push_back(std::move(*one));
    }
    if (parts.size() == 1)
      return parts.front();
    if (d + 1 == axes.size() && static_cast<int64_t>(parts.size()) <= emitter.forms.chosenPhases &&
        static_cast<int64_t>(parts.size()) == axes[d].stride)
      return chooseByLane(parts);
    int64_t position = front + 2 * d + 1;
    SizeList shape = parts.front().sizes;
    shape[position] = emitter.sizes.constant(axes[d].stride);
    SmallVector<Value> values = llvm::map_to_vector(parts, [&](Tensor &one) { return emitter.value(one); });
    auto type = RankedTensorType::get(shapeOf(shape), parts.front().elementType);
    return emitter.fromValue(tensor::ConcatOp::create(emitter.builder, emitter.loc, type, position, values), shape);
  }

private:
  // [.., t * parts, 1] of parts [.., t, 1]: neighbours of the result come from different parts, so that it is vectors
  // of each, spread and chosen by lane, and not pieces as short as there are parts.
  Tensor chooseByLane(ArrayRef<Tensor> parts) {
    SizeList shape = parts.front().sizes;
    int64_t dim = shape.size() - 2, stride = parts.size();
    shape[dim] = emitter.sizes.mul(shape[dim], emitter.sizes.constant(stride));
    SmallVector<Value> values = llvm::map_to_vector(parts, [&](Tensor part) { return emitter.value(part); });
    Type type = parts.front().elementType;
    return emitter.generate(shape, type, {}, [&](OpBuilder &b, Location loc, ValueRange at) {
      Scalar s{b, loc, type}, index{b, loc};
      auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
      SmallVector<Value> where(at);
      where[dim] = arith::DivUIOp::create(b, loc, at[dim], constant(stride));
      Value phase = arith::RemUIOp::create(b, loc, at[dim], constant(stride)), element;
      for (auto [i, value] : llvm::enumerate(values)) {
        Value one = tensor::ExtractOp::create(b, loc, value, where);
        element = element ? s.select(index.equal(phase, constant(i)), one, element) : one;
      }
      return element;
    });
  }

  Emitter &emitter;
  ArrayRef<PhasedAxis> axes;
  int64_t front;
  llvm::function_ref<std::optional<Tensor>(ArrayRef<PhaseSet>)> part;
};

} // namespace

std::optional<Tensor>
mlir::heddle::importer::interleavePhases(Emitter &emitter, ArrayRef<PhasedAxis> axes, int64_t front, SizeList result,
                                         llvm::function_ref<std::optional<Tensor>(ArrayRef<PhaseSet>)> part) {
  std::optional<Tensor> phases = Interleaving(emitter, axes, front, part).assemble({});
  if (!phases)
    return std::nullopt;
  Sizes &sizes = emitter.sizes;
  SizeList whole = result, offsets(result.size(), sizes.constant(0));
  for (const PhasedAxis &axis : axes) {
    whole.push_back(sizes.mul(axis.stepsOf(sizes), sizes.constant(axis.stride)));
    offsets.push_back(sizes.constant(axis.crop));
    result.push_back(axis.size);
  }
  Tensor interleaved = emitter.reshape(*phases, whole);
  if (llvm::all_of(llvm::zip_equal(whole, result),
                   [&](auto pair) { return sizes.equal(std::get<0>(pair), std::get<1>(pair)); }))
    return interleaved;
  return emitter.slice(interleaved, offsets, result, SmallVector<int64_t>(whole.size(), 1));
}
