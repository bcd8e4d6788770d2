// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DeformConv: the taps of all windows are read at their moved places in one dispatch; the rest is a matrix product. The
// places are the same for all channels, so that channels are last until the product is done.
#include "compiler/Stages/Import/Emit/Convolve.h"
#include "compiler/Stages/Import/Onnx/Forms/Products.h"
#include "compiler/Stages/Import/Onnx/Forms/Window.h"
#include "compiler/Stages/Import/Onnx/Ops/Vision/Sampling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::heddle::importer;

namespace {

struct Deformation {
  Tensor &x, &offsets, *mask;
  Window window;
  int64_t groups; // of channels that are moved alike
};

} // namespace

// [n, g, o…, k…, c / g], without g where there is one group: x at o * stride - pad + k * dilation + offset, linear
// between elements, 0 outside, times the mask.
static Tensor readTaps(Emitter &emitter, Deformation &deformation, int64_t groups) {
  const Window &window = deformation.window;
  int64_t rank = window.rank(), grouped = groups != 1, inGroup = *deformation.x.staticSize(1) / groups;
  SmallVector<int64_t> channelsLast{0};
  llvm::append_range(channelsLast, llvm::seq<int64_t>(2, 2 + rank));
  channelsLast.push_back(1);
  Tensor x = emitter.transpose(deformation.x, channelsLast);
  Type type = x.elementType;
  SizeList shape{x.sizes[0]};
  shape.append(grouped, emitter.sizes.constant(groups));
  llvm::append_range(shape, window.output);
  SmallVector<Value> extents, before;
  for (int64_t d = 0; d < rank; ++d) {
    shape.push_back(emitter.sizes.constant(window.kernel[d]));
    extents.push_back(emitter.sizes.value(x.sizes[1 + d]));
    before.push_back(emitter.sizes.value(window.before[d]));
  }
  shape.push_back(emitter.sizes.constant(inGroup));
  Value source = emitter.value(x), offsets = emitter.value(deformation.offsets),
        mask = deformation.mask ? emitter.value(*deformation.mask) : Value();
  int64_t movedAlike = *deformation.x.staticSize(1) / deformation.groups;
  return emitter.generate(shape, type, {}, [&](OpBuilder &b, Location loc, ValueRange v) {
    Sampler sampler{{b, loc, type}, source};
    Scalar &s = sampler.s, index{b, loc};
    auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
    ValueRange places = v.slice(1 + grouped, rank), taps = v.slice(1 + grouped + rank, rank);
    Value channel = grouped ? index.add(index.mul(v[1], constant(inGroup)), v.back()) : v.back();
    Value tap = deformation.groups == 1 ? constant(0) : arith::DivUIOp::create(b, loc, channel, constant(movedAlike));
    for (int64_t d = 0; d < rank; ++d)
      tap = index.add(index.mul(tap, constant(window.kernel[d])), taps[d]);
    auto read = [&](Value tensor, Value which) -> Value {
      SmallVector<Value> where{v[0], which};
      llvm::append_range(where, places);
      return tensor::ExtractOp::create(b, loc, tensor, where);
    };
    SmallVector<SmallVector<Tap>> between;
    for (int64_t d = 0; d < rank; ++d) {
      Value moved = read(offsets, index.add(index.mul(tap, constant(rank)), constant(d)));
      Value start = index.sub(index.mul(places[d], constant(window.strides[d])), before[d]);
      Value place = index.add(start, index.mul(taps[d], constant(window.dilations[d])));
      between.push_back(sampler.linearTaps(s.add(s.real(place), moved)));
    }
    Value element = sampler.sum({v[0]}, between, extents, {channel});
    return mask ? s.mul(element, read(mask, tap)) : element;
  });
}

// [g, k… * c / g, f / g] of weights [f, c / g, k…], without g where there is one group.
static Tensor weightColumns(Emitter &emitter, Tensor &weights, int64_t groups, OpFoldResult depth) {
  Sizes &sizes = emitter.sizes;
  int64_t grouped = groups != 1, rank = weights.rank() - 2;
  OpFoldResult filters = sizes.constant(*weights.staticSize(0) / groups);
  SizeList split(grouped, sizes.constant(groups)), flat = split;
  SmallVector<int64_t> permutation;
  if (grouped)
    permutation.push_back(0);
  llvm::append_range(permutation, llvm::seq<int64_t>(grouped + 2, grouped + 2 + rank));
  permutation.append({grouped + 1, grouped});
  split.push_back(filters);
  split.append(weights.sizes.begin() + 1, weights.sizes.end());
  flat.append({depth, filters});
  Tensor apart = emitter.reshape(weights, split), turned = emitter.transpose(apart, permutation);
  return emitter.reshape(turned, flat);
}

// Offsets [n, groups * taps * rank, o…] and mask [n, groups * taps, o…] fit the window.
static LogicalResult checkDeformation(NodeContext &node, const Deformation &deformation, int64_t channels) {
  Emitter &emitter = node.emitter;
  int64_t groups = deformation.groups, rank = deformation.window.rank();
  if (!splitsEvenly(channels, groups))
    return node.refuse("offset_group = " + Twine(groups) + " does not divide " + Twine(channels) + " channels");
  uint64_t moved = groups;
  for (int64_t size : deformation.window.kernel)
    moved = llvm::SaturatingMultiply<uint64_t>(moved, size);
  if (moved > static_cast<uint64_t>(Sizes::kMostElements))
    return node.unsupported("needs more offsets than any memory holds");
  auto check = [&](const Tensor &tensor, StringRef name, int64_t count) -> LogicalResult {
    if (tensor.elementType != deformation.x.elementType || tensor.rank() != rank + 2 || !tensor.isStaticSize(1, count))
      return node.refuse(name + " must have the type of x and " + Twine(count) + " channels");
    emitter.checkEqual(tensor.sizes[0], deformation.x.sizes[0], "DeformConv: all operands must have one batch size");
    for (int64_t d = 0; d < rank; ++d) {
      if (emitter.sizes.different(tensor.sizes[2 + d], deformation.window.output[d]))
        return node.refuse(name + " must have the sizes of the result in dimension " + Twine(2 + d));
      emitter.checkEqual(tensor.sizes[2 + d], deformation.window.output[d],
                         "DeformConv: " + name + " must have the sizes of the result");
    }
    return success();
  };
  if (failed(check(deformation.offsets, "the offset", static_cast<int64_t>(moved) * rank)))
    return failure();
  return deformation.mask ? check(*deformation.mask, "the mask", static_cast<int64_t>(moved)) : success();
}

static LogicalResult lowerDeformConv(NodeContext &node) {
  if (failed(requireFloat(node, 0)) || failed(requireSameType(node, 3)))
    return failure();
  Emitter &emitter = node.emitter;
  Sizes &sizes = emitter.sizes;
  Tensor &x = *node.input(0), &weights = *node.input(1), *bias = node.input(3);
  SmallVector<int64_t> kernel;
  for (int64_t d = 2; d < weights.rank(); ++d)
    kernel.push_back(weights.staticSize(d).value_or(0));
  int64_t groups = node.getInt("group", 1);
  if (x.rank() < 3 || weights.rank() != x.rank() || !x.staticSize(1) || !weights.staticSize(0) ||
      !splitsEvenly(*weights.staticSize(0), groups) || !splitsEvenly(*x.staticSize(1), groups) ||
      !weights.isStaticSize(1, *x.staticSize(1) / groups))
    return node.refuseFree("needs x [n, c, s…] and weights [f, c / group, k…] with fixed channels and filters");
  FailureOr<Window> window = readWindow(node, kernel);
  if (failed(window) || failed(requireElements(node, ArrayRef<OpFoldResult>(x.sizes).drop_front(2))))
    return failure();
  Deformation deformation{x, *node.input(2), node.input(4), *window, node.getInt("offset_group", 1)};
  if (failed(checkDeformation(node, deformation, *x.staticSize(1))))
    return failure();
  // [n, g, o, k * c / g] x [g, k * c / g, f / g]
  Tensor taps = readTaps(emitter, deformation, groups);
  OpFoldResult depth = sizes.product(ArrayRef<OpFoldResult>(weights.sizes).drop_front());
  int64_t grouped = groups != 1, last = 2 + grouped;
  SizeList rowShape{x.sizes[0]};
  rowShape.append(grouped, sizes.constant(groups));
  rowShape.append({sizes.product(window->output), depth});
  FailureOr<Tensor> product =
      multiplyAnyRank(node, emitter.reshape(taps, rowShape), weightColumns(emitter, weights, groups, depth));
  if (failed(product))
    return failure();
  SmallVector<int64_t> filtersFirst = llvm::to_vector(llvm::seq<int64_t>(0, 1 + grouped));
  filtersFirst.append({last, last - 1});
  Tensor turned = emitter.transpose(*product, filtersFirst);
  SizeList shape{x.sizes[0], weights.sizes[0]};
  llvm::append_range(shape, window->output);
  Tensor result = emitter.reshape(turned, shape);
  if (!bias) {
    node.setOutput(0, result);
    return success();
  }
  if (bias->rank() != 1 || bias->elementType != x.elementType || !sizes.equal(bias->sizes[0], weights.sizes[0]))
    return node.refuse("the bias must have one element for each filter");
  Tensor wide = alongFilters(emitter, *bias, x.rank());
  node.setOutput(0, emitter.elementwise({&result, &wide}, shape, x.elementType,
                                        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                          return arith::AddFOp::create(b, loc, v[0], v[1]);
                                        }));
  return success();
}

void mlir::heddle::importer::registerDeformable(LoweringTable &table) { table.add("DeformConv", 19, lowerDeformConv); }
