// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Register tiles of windows: configureWindow. Figures: docs/design/codegen-windows.md.
#include "compiler/Codegen/Plan/Configure.h"

#include <algorithm>
#include <cmath>

using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

// Inputs that `positions` neighbours read along an axis.
static int64_t inputsOf(const WindowAxis &axis, int64_t positions) {
  return std::min((positions - 1) * axis.stride + axis.reach + 1, positions * axis.taps);
}

// Of a tile, in instructions of which two go at once: products or loads, whichever takes longer, at least what the
// latency of one sum after the other leaves; and what comes from beyond the first-level cache.
static int64_t windowCost(const WindowShape &shape, int64_t height, int64_t length) {
  constexpr int64_t kLatency = 4;
  if (length == 0)
    return 0;
  int64_t inputs =
      inputsOf(shape.axes.back(), length) * (shape.axes.size() > 1 ? inputsOf(shape.axes.front(), height) : 1);
  return std::max({height * length * shape.taps, inputs + shape.taps, kLatency * shape.taps}) + inputs;
}

// How many sums a result takes, so that additions do not wait for those before. A processor sees some 200 instructions
// ahead, a load and a product for each tap: tiles shorter than that overlap.
static int64_t independentSums(const WindowShape &shape, int64_t positions) {
  constexpr int64_t kChains = 8, kProductsAhead = 96;
  int64_t tiles = std::max<int64_t>(kProductsAhead / (positions * shape.taps), 1);
  return std::clamp<int64_t>(kChains / (positions * tiles), 1, std::max<int64_t>(shape.taps / 8, 1));
}

WindowConfig codegen::configureWindow(const WindowShape &shape, const cpu::CpuFeatures &features) {
  constexpr int64_t kMostProducts = 360;           // of code
  constexpr int64_t kUsualRow = 56, kMostOpen = 6; // of rows of unknown length, whose rest has smaller tiles
  int64_t most = std::clamp<int64_t>(kMostProducts / shape.taps, 2, features.vectorRegisters >= 32 ? 12 : 6);
  const WindowAxis &along = shape.axes.back();
  Size rows = shape.axes.size() > 1 ? shape.axes.front().size : Size(1);
  WindowConfig config;
  double best = INFINITY;
  for (int64_t height = 1; height <= (rows ? std::min(most, *rows) : most); ++height) {
    if (rows && *rows % height != 0)
      continue;
    for (int64_t length = 1; length <= std::min(most / height, along.size ? most : kMostOpen); ++length) {
      int64_t positions = along.size && *along.size <= length ? *along.size : along.inside.value_or(kUsualRow);
      positions = std::max<int64_t>(positions, 1);
      int64_t row =
          positions / length * windowCost(shape, height, length) + windowCost(shape, height, positions % length);
      if (double cost = static_cast<double>(row) / height; cost < best) {
        best = cost;
        config.height = height, config.length = length;
      }
    }
  }
  config.parts = independentSums(shape, config.height * config.length);
  config.keepsWeights = shape.taps + config.height * config.length * config.parts + 2 <= features.vectorRegisters;
  return config;
}

WindowConfig codegen::configurePositionWindow(const WindowShape &shape, const cpu::CpuFeatures &features) {
  const WindowAxis &along = shape.axes.back();
  // Of code, which is there for borders, too, unless a row is one vector.
  bool oneVector = features.masks && along.size && *along.size <= features.vectorBytes / 4 && along.stride == 1;
  int64_t mostProducts = oneVector ? 360 : 200, mostHeight = oneVector ? 8 : 4;
  Size rows = shape.axes.size() > 1 ? shape.axes.front().size : Size(1);
  int64_t most = std::clamp<int64_t>(mostProducts / shape.taps, 1, mostHeight);
  // A vector takes as many loads and shuffles as its elements are apart; rows that share inputs share these.
  auto cost = [&](int64_t height) {
    int64_t perRow = shape.taps / (shape.axes.size() > 1 ? shape.axes.front().taps : 1);
    int64_t inputRows = shape.axes.size() > 1 ? inputsOf(shape.axes.front(), height) : 1;
    return static_cast<double>(inputRows * perRow * (2 * along.stride - 1) + height * shape.taps) / height;
  };
  WindowConfig config;
  for (int64_t height = 2; height <= (rows ? std::min(most, *rows) : most); ++height)
    if ((!rows || *rows % height == 0) && cost(height) < cost(config.height))
      config.height = height;
  config.parts = independentSums(shape, config.height);
  config.keepsWeights = shape.taps + config.height * config.parts + 2 <= features.vectorRegisters;
  return config;
}
