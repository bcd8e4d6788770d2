// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dispatches as the stage `form` makes them, as text, with the sizes to run them on.
#ifndef HEDDLE_COMPILER_CODEGEN_TEST_DISPATCHES_H
#define HEDDLE_COMPILER_CODEGEN_TEST_DISPATCHES_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test {

struct Dispatch {
  std::string name;
  std::string function;
  std::vector<int64_t> elements; // of each binding, f32
  std::vector<int64_t> constants;
  double flops = 0;
};

enum class Epilogue { None, Bias, BiasGelu, BiasResidual };

// [m, k] x [k, n] with m dynamic.
std::string denseText(int64_t n, int64_t k, Epilogue epilogue);
// [m, k] x [k, n], all static, the second in panels of `panel` columns as stage `encode` lays out constants, or plain
// (0).
std::string gemmText(int64_t m, int64_t k, int64_t n, int64_t panel);
// Row-wise softmax and layer normalisation of [?, n] and [?, ?].
std::string softmaxText();
std::string layerNormText(int64_t n);
// [b, h, s, d] x [b, h, d, t] and [b, h, s, t] x [b, h, t, d], b, s and t dynamic; `transposed`: the second is [b, h,
// t, d] / scores
std::string scoresText(int64_t h, int64_t d, bool transposed);
std::string contextText(int64_t h, int64_t d);
// NHWC x HWCF.
std::string convText(int64_t hw, int64_t c, int64_t f, int64_t kernel, int64_t stride);

// How the columns of an integer product are stored: [k, n], [n, k] or in panels [n / 16, k / 4, 16, 4].
enum class IntegerColumns { Plain, Transposed, Grouped };

// An attribute of a linalg.generic, after a comma: its second input of two lies in this #encoding.layout.
std::string operandLayouts(const std::string &layout);

// 3 * ([m, k] x [k, n]) + 1 of 8-bit integers in 32 bits, m dynamic.
std::string integerMatmulText(int64_t n, int64_t k, bool rowSigned, bool columnSigned, IntegerColumns columns);

std::vector<Dispatch> modelDispatches();

} // namespace heddle::test

#endif // HEDDLE_COMPILER_CODEGEN_TEST_DISPATCHES_H
