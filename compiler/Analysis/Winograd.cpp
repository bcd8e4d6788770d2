// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/Winograd.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::winograd;

bool winograd::isRole(StringRef role) { return role == kInput || role == kProduct || role == kOutput; }

bool winograd::hasRole(Operation *op, StringRef role) {
  auto attribute = op ? op->getAttrOfType<StringAttr>(kRoleAttr) : StringAttr();
  return attribute && attribute.getValue() == role && isa<linalg::GenericOp>(op);
}

// The coefficients, that of 1 first, of the product of (x - p) over all points but the one at `left`.
static std::vector<double> multiplyOut(ArrayRef<double> points, size_t left) {
  std::vector<double> polynomial{1};
  for (auto [i, point] : llvm::enumerate(points)) {
    if (i == left)
      continue;
    polynomial.push_back(0);
    for (size_t power = polynomial.size(); power-- > 0;)
      polynomial[power] = (power > 0 ? polynomial[power - 1] : 0) - point * polynomial[power];
  }
  return polynomial;
}

// Of Toom and Cook's scheme, its last point infinity.
Transforms winograd::getTransforms(int64_t tile) {
  std::vector<double> points{0, 1, -1};
  if (tile == 4)
    points = {0, 1.5, -1.5, 0.75, -0.75};
  const size_t places = tile + kWindow - 1, last = places - 1;
  auto zeros = [](size_t rows, size_t columns) { return Matrix(rows, std::vector<double>(columns, 0.0)); };
  Transforms made{zeros(places, places), zeros(places, kWindow), zeros(tile, places)};
  for (size_t place = 0; place < last; ++place) {
    double point = points[place], scale = 1;
    for (size_t other = 0; other < last; ++other)
      scale *= other == place ? 1 : point - points[other];
    llvm::copy(multiplyOut(points, place), made.input[place].begin());
    for (int64_t power = 0; power < kWindow; ++power)
      made.weights[place][power] = std::pow(point, power) / scale;
    for (int64_t row = 0; row < tile; ++row)
      made.output[row][place] = std::pow(point, row);
  }
  llvm::copy(multiplyOut(points, points.size()), made.input[last].begin());
  made.weights[last][kWindow - 1] = 1;
  made.output[tile - 1][last] = 1;
  return made;
}

static linalg::GenericOp findProducer(linalg::GenericOp op, unsigned input, StringRef role) {
  if (op.getNumDpsInputs() <= static_cast<int64_t>(input))
    return nullptr;
  auto producer = op.getDpsInputs()[input].getDefiningOp<linalg::GenericOp>();
  return hasRole(producer, role) ? producer : nullptr;
}

std::optional<Convolution> winograd::match(linalg::GenericOp output) {
  if (!hasRole(output, kOutput))
    return std::nullopt;
  Convolution found;
  found.output = output;
  found.product = findProducer(output, 2, kProduct);
  found.input = found.product ? findProducer(found.product, 0, kInput) : nullptr;
  if (!found.input || found.input.getNumDpsInputs() != 3)
    return std::nullopt;
  found.tile = cast<RankedTensorType>(found.input->getResult(0).getType()).getDimSize(0) - kWindow + 1;
  return found.tile == 2 || found.tile == 4 ? std::optional(found) : std::nullopt;
}
