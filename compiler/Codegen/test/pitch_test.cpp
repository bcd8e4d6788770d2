// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that are stored with a pitch (Dialect/Flow/IR/Pitch.h): every kind of nest computes the same bits as side by
// side, and touches no byte between the runs nor behind the last one.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"
#include "compiler/Codegen/test/RowDispatches.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace heddle::test;

namespace {

struct Case {
  std::string name;
  std::string function;
  std::vector<int64_t> operands; // elements of each
  std::vector<int64_t> sizes;    // of the result
  std::vector<int64_t> constants;
  int64_t elementBytes = 4;
};

int64_t product(const std::vector<int64_t> &sizes, size_t from, size_t to) {
  return std::accumulate(sizes.begin() + from, sizes.begin() + to, int64_t(1), std::multiplies<>());
}

// The function whose result has a pitch: of `elements`, or (0) of its new last argument.
std::string withPitch(const std::string &function, size_t outer, int64_t elements, size_t arguments) {
  std::string text = function;
  size_t arrow = text.find("-> "), brace = text.find(" {", arrow), close = text.rfind(')', arrow);
  std::string type = text.substr(arrow + 3, brace - arrow - 3);
  std::string pitch = elements ? "elements = " + std::to_string(elements) : "argument = " + std::to_string(arguments);
  text.replace(arrow, brace - arrow,
               "-> (" + type + " {flow.pitch = {outer = " + std::to_string(outer) + " : i64, " + pitch + " : i64}})");
  if (!elements)
    text.insert(close, ", %pitch: index");
  return text;
}

// A sum over the first dimension of [k, a, b], of any sizes: columns, whose rows are joined where they are dense.
std::string columnsText() {
  return R"(func.func @f(%x: tensor<?x?x?xf32>, %k: index, %a: index, %b: index) -> tensor<?x?xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%a, %b) : tensor<?x?xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(k,i,j)>,affine_map<(i,j,k)->(i,j)>],
        iterator_types=["parallel","parallel","reduction"]} ins(%x : tensor<?x?x?xf32>) outs(%i : tensor<?x?xf32>) {
    ^bb0(%v: f32, %o: f32):
      %s = arith.addf %o, %v : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    return %r : tensor<?x?xf32>
  })";
}

// [a, b, c] times a scale of [a]: rows of a channel are one, by their types or in the call.
std::string scaledText(bool isOpen) {
  std::string type = isOpen ? "tensor<?x?x?xf32>" : "tensor<3x5x7xf32>",
              vector = isOpen ? "tensor<?xf32>" : "tensor<3xf32>";
  return "func.func @f(%x: " + type + ", %y: " + vector +
         (isOpen ? ", %a: index, %b: index, %c: index, %d: index" : "") + ") -> " + type + " {\n  %e = tensor.empty(" +
         (isOpen ? "%a, %b, %c" : "") + ") : " + type +
         "\n  %r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(i,j,k)>,affine_map<(i,j,k)->(i)>,"
         "affine_map<(i,j,k)->(i,j,k)>], iterator_types=[\"parallel\",\"parallel\",\"parallel\"]} ins(%x, %y : " +
         type + ", " + vector + ") outs(%e : " + type +
         ") {\n  ^bb0(%u: f32, %v: f32, %o: f32):\n    %s = arith.mulf %u, %v : f32\n    linalg.yield %s : f32\n"
         "  } -> " +
         type + "\n  return %r : " + type + "\n}";
}

// [a, b, c] widened from f16, narrowed to i8 or compared: elements of 1, 2 and 4 bytes.
std::string convertedText(const std::string &from, const std::string &to, const std::string &op) {
  std::string in = "tensor<4x6x9x" + from + ">", out = "tensor<4x6x9x" + to + ">";
  return "func.func @f(%x: " + in + ") -> " + out +
         " {\n  %c = arith.constant 0.0 : f32\n  %e = tensor.empty() : " + out +
         "\n  %r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(i,j,k)>,affine_map<(i,j,k)->(i,j,k)>],"
         " iterator_types=[\"parallel\",\"parallel\",\"parallel\"]} ins(%x : " +
         in + ") outs(%e : " + out + ") {\n  ^bb0(%u: " + from + ", %o: " + to + "):\n    %s = " + op +
         "\n    linalg.yield %s : " + to + "\n  } -> " + out + "\n  return %r : " + out + "\n}";
}

// [a, b] turned, any sizes; with a third dimension that stays in front.
std::string turnedText() {
  return R"(func.func @f(%x: tensor<?x?x?xf32>, %a: index, %b: index, %c: index) -> tensor<?x?x?xf32> {
    %e = tensor.empty(%a, %c, %b) : tensor<?x?x?xf32>
    %r = linalg.transpose ins(%x : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) permutation = [0, 2, 1]
    return %r : tensor<?x?x?xf32>
  })";
}

// A pool of 3x3.
std::string pooledText() {
  return R"(func.func @f(%a: tensor<1x15x15x20xf32>) -> tensor<1x13x13x20xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x13x13x20xf32>
    %w = tensor.empty() : tensor<3x3xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x13x13x20xf32>) -> tensor<1x13x13x20xf32>
    %p = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
        ins(%a, %w : tensor<1x15x15x20xf32>, tensor<3x3xf32>) outs(%i : tensor<1x13x13x20xf32>) -> tensor<1x13x13x20xf32>
    return %p : tensor<1x13x13x20xf32>
  })";
}

// A product whose result has a border of zeros.
std::string paddedText() {
  return R"(func.func @f(%a: tensor<21x8xf32>, %b: tensor<8x40xf32>) -> tensor<24x43xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<21x40xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<21x40xf32>) -> tensor<21x40xf32>
    %m = linalg.matmul ins(%a, %b : tensor<21x8xf32>, tensor<8x40xf32>) outs(%i : tensor<21x40xf32>) -> tensor<21x40xf32>
    %p = tensor.pad %m low[1, 2] high[2, 1] {
    ^bb0(%x: index, %y: index):
      tensor.yield %z : f32
    } : tensor<21x40xf32> to tensor<24x43xf32>
    return %p : tensor<24x43xf32>
  })";
}

// The argument itself: what form-copy-parts makes.
std::string copyText() {
  return "func.func @f(%x: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {\n  return %x : tensor<3x5x7xf32>\n}";
}

// Scalar code: each row is an element of the argument, over and over.
std::string rowsText() {
  return R"(func.func @f(%x: tensor<6xi32>) -> tensor<6x5xi32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c6 = arith.constant 6 : index
    %r = flow.rows %c6 -> (tensor<6x5xi32>) {
    ^bb0(%i: index, %o: tensor<6x5xi32>):
      %v = tensor.extract %x[%i] : tensor<6xi32>
      %filled = scf.for %j = %c0 to %c5 step %c1 iter_args(%t = %o) -> (tensor<6x5xi32>) {
        %n = tensor.insert %v into %t[%i, %j] : tensor<6x5xi32>
        scf.yield %n : tensor<6x5xi32>
      }
      flow.yield %filled : tensor<6x5xi32>
    }
    return %r : tensor<6x5xi32>
  })";
}

std::vector<Case> cases() {
  std::string relu = "%z = arith.constant 0.0 : f32\n%r = arith.maximumf %a, %z : f32";
  int64_t conv = (9 - 1) * 1 + 3;
  return {
      {"elements", elementwiseText(37, 19, 1, relu), {37 * 19}, {37, 19}, {}},
      {"elements of two", elementwiseText(64, 32, 2, "%r = arith.addf %a, %b : f32"), {64 * 32, 64 * 32}, {64, 32}, {}},
      {"scaled", scaledText(false), {105, 3}, {3, 5, 7}, {}},
      {"scaled, free", scaledText(true), {105, 3}, {3, 5, 7}, {3, 5, 7, 3}},
      {"scaled, free and long", scaledText(true), {2 * 40 * 33, 2}, {2, 40, 33}, {2, 40, 33, 2}},
      {"copy", copyText(), {105}, {3, 5, 7}, {}},
      {"narrowed", convertedText("f32", "f16", "arith.truncf %u : f32 to f16"), {216}, {4, 6, 9}, {}, 2},
      {"to bytes", convertedText("f32", "i8", "arith.fptosi %u : f32 to i8"), {216}, {4, 6, 9}, {}, 1},
      {"compared", convertedText("f32", "i1", "arith.cmpf ogt, %u, %c : f32"), {216}, {4, 6, 9}, {}, 1},
      {"transpose", transposeText(33, 70), {33 * 70}, {70, 33}, {}},
      {"turned, free", turnedText(), {2 * 35 * 50}, {2, 50, 35}, {2, 35, 50}},
      {"turned, short", turnedText(), {3 * 40 * 5}, {3, 5, 40}, {3, 40, 5}},
      {"softmax", softmaxText(), {7 * 70}, {7, 70}, {7, 70}},
      {"short softmax", softmaxText(), {7 * 13}, {7, 13}, {7, 13}},
      {"layer norm", layerNormText(96), {9 * 96, 96, 96}, {9, 96}, {9}},
      {"columns", columnsText(), {11 * 6 * 19}, {6, 19}, {11, 6, 19}},
      {"windows", pooledText(), {15 * 15 * 20}, {1, 13, 13, 20}, {}},
      {"product", gemmText(37, 24, 50, 0), {37 * 24, 24 * 50}, {37, 50}, {}},
      {"product of panels", gemmText(20, 24, 40, 16), {20 * 24, 3 * 24 * 16}, {20, 40}, {}},
      {"dense", denseText(48, 40, Epilogue::BiasResidual), {51 * 40, 40 * 48, 48, 51 * 48}, {51, 48}, {51, 51}},
      {"dense of few rows", denseText(37, 40, Epilogue::BiasGelu), {3 * 40, 40 * 37, 37}, {3, 37}, {3}},
      {"padded product", paddedText(), {21 * 8, 8 * 40}, {24, 43}, {}},
      {"convolution", convText(9, 12, 24, 3, 1), {conv * conv * 12, 9 * 12 * 24}, {1, 9, 9, 24}, {}},
      {"scores", scoresText(2, 16, false), {2 * 2 * 9 * 16, 2 * 2 * 16 * 21}, {2, 2, 9, 21}, {2, 9, 2, 21}},
      {"attention",
       attentionText(2, 16),
       {2 * 2 * 9 * 16, 2 * 2 * 16 * 21, 2 * 21, 2 * 2 * 21 * 16},
       {2, 2, 9, 16},
       {2, 9, 2, 21, 2, 21, 2, 21}},
      {"scalar code", rowsText(), {6}, {6, 5}, {}},
      {"nothing", scaledText(true), {0, 3}, {3, 0, 7}, {3, 0, 7, 3}},
  };
}

std::vector<GuardedArray> randomArrays(const std::vector<int64_t> &elements) {
  std::mt19937 random(13);
  std::uniform_real_distribution<float> uniform(-100, 100);
  std::vector<GuardedArray> arrays;
  for (int64_t size : elements) {
    arrays.emplace_back(size * 4);
    for (float &x : arrays.back().as<float>())
      x = uniform(random);
  }
  return arrays;
}

int32_t run(const CompiledKernel &kernel, std::vector<GuardedArray> &operands, GuardedArray &result,
            const std::vector<int64_t> &constants, int parts) {
  std::vector<void *> bindings;
  for (GuardedArray &array : operands)
    bindings.push_back(array.data());
  bindings.push_back(result.data());
  return kernel.run(bindings, constants, parts);
}

// `dense`: the same function. `more`: elements between two runs. `asArgument`: the pitch is one of the call's
// constants.
void check(const Case &one, const CompiledKernel &dense, const char *cpu, size_t outer, int64_t more, bool asArgument) {
  SCOPED_TRACE(one.name + ", " + std::to_string(outer) + " dimensions apart by " + std::to_string(more));
  int64_t runElements = product(one.sizes, outer, one.sizes.size()), count = product(one.sizes, 0, outer);
  int64_t pitch = std::max<int64_t>(runElements + more, 1);
  int64_t runBytes = runElements * one.elementBytes, pitchBytes = pitch * one.elementBytes;
  CompiledKernel apart(
      withPitch(one.function, outer, asArgument ? 0 : pitch, one.operands.size() + one.constants.size()), cpu);
  ASSERT_EQ(dense.error() + apart.error(), "");
  std::vector<GuardedArray> operands = randomArrays(one.operands);
  GuardedArray want(count * runBytes);
  ASSERT_EQ(run(dense, operands, want, one.constants, 1), 0);
  std::vector<int64_t> constants = one.constants;
  if (asArgument)
    constants.push_back(pitch);
  constexpr char kBetween = 0x5a;
  for (int parts : {1, 5}) {
    int64_t bytes = count * runBytes == 0 ? 0 : (count - 1) * pitchBytes + runBytes;
    GuardedArray got(bytes);
    std::memset(got.data(), kBetween, bytes);
    ASSERT_EQ(run(apart, operands, got, constants, parts), 0);
    for (int64_t i = 0; i < (bytes ? count : 0); ++i) {
      const char *at = static_cast<const char *>(got.data()) + i * pitchBytes;
      ASSERT_EQ(std::memcmp(at, static_cast<const char *>(want.data()) + i * runBytes, runBytes), 0) << "run " << i;
      for (int64_t j = runBytes; i + 1 < count && j < pitchBytes; ++j)
        ASSERT_EQ(at[j], kBetween) << "byte " << j << " from run " << i;
    }
  }
}

} // namespace

class Pitch : public CpuTest<const char *> {};

TEST_P(Pitch, EveryKindOfNestStoresApart) {
  for (const Case &one : cases()) {
    CompiledKernel dense(one.function, GetParam());
    for (size_t outer = 1; outer <= one.sizes.size(); ++outer)
      check(one, dense, GetParam(), outer, outer == 1 ? 16 : 3, outer == 1);
  }
}

// No element between the runs: the same memory as a dense result's.
TEST_P(Pitch, MayBeARun) {
  for (size_t i : {0, 2, 9, 15}) {
    Case one = cases()[i];
    check(one, CompiledKernel(one.function, GetParam()), GetParam(), 1, 0, false);
  }
}

TEST(PitchRefused, WhereElementsShareBytes) {
  std::string text = withPitch(convertedText("f32", "i4", "arith.fptosi %u : f32 to i4"), 1, 100, 0);
  EXPECT_NE(CompiledKernel(text).error().find("pitch of result 0 is of elements that have bytes of their own"),
            std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Levels, Pitch, testing::Values("x86-64", "x86-64-v3", "x86-64-v4"));
