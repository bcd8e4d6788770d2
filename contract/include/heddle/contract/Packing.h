// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiled layouts of tensors as plain data, and the one function that puts bytes in such an order: run by the compiler
// for parameters with one possible layout, by the loader for those whose layout only the machine decides.
//
// As `linalg.pack`: dimensions `innerDims` are cut into tiles of `innerTiles` elements, the last one padded with zeros;
// the tiles' dimensions stand innermost, the outer ones in the order `perm`. `swizzle`, if not empty, permutes the
// inner dimensions.
//
//   Tiling panels{{1, 0}, {1}, {16}, {}};                        // [k, n] to [n / 16, k, 16]
//   std::vector<int64_t> shape = physicalShape(panels, {64, 40}); // {3, 64, 16}
//   std::string error = packBytes(panels, sizeof(float), {64, 40}, source, target);
#ifndef HEDDLE_CONTRACT_PACKING_H
#define HEDDLE_CONTRACT_PACKING_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::contract {

struct Tiling {
  std::vector<int64_t> perm, innerDims, innerTiles, swizzle;
};

// Why the tiling is none for tensors of this rank; "" when it is one.
std::string explainTiling(const Tiling &tiling, size_t rank);

// The sizes of the tensor in memory, outermost first. Needs a tiling of the shape's rank and sizes that are not
// negative.
std::vector<int64_t> physicalShape(const Tiling &tiling, std::span<const int64_t> shape);

// Writes the row-major tensor `source` to `target` in the order of the tiling; padding becomes zero. Both spans have
// exactly the bytes of their shapes and do not overlap. `elementBytes` is 1, 2, 4 or 8. "" or why nothing was written.
// Thread safe; speed is that of memory.
std::string packBytes(const Tiling &tiling, size_t elementBytes, std::span<const int64_t> shape,
                      std::span<const std::byte> source, std::span<std::byte> target);

// The inverse: `source` is tiled, `target` row-major. Padding is not read.
std::string unpackBytes(const Tiling &tiling, size_t elementBytes, std::span<const int64_t> shape,
                        std::span<const std::byte> source, std::span<std::byte> target);

} // namespace heddle::contract

#endif // HEDDLE_CONTRACT_PACKING_H
