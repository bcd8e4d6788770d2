// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which results may lie over an operand, and that kernels made so compute the same bits there as elsewhere, whatever
// the order of their workgroups.
#include "compiler/Codegen/test/CpuTest.h"
#include "compiler/Codegen/test/KernelHarness.h"
#include "compiler/Codegen/test/RowDispatches.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace heddle::test;

namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

struct Case {
  std::string name;
  std::string function;
  std::vector<int64_t> bytes; // of each binding
  std::vector<int64_t> constants;
  Pairs pairs; // that are promised
};

// func.func @f(%a: …, %b: …) -> … of square tensors of `n` rows; `body` computes %r (and %q) of %e, an empty tensor.
std::string square(int64_t n, const std::string &body, const std::string &results = "%r", int count = 1) {
  std::string type = "tensor<" + std::to_string(n) + "x" + std::to_string(n) + "xf32>", text = body, list = type;
  for (int i = 1; i < count; ++i)
    list += ", " + type;
  for (size_t at; (at = text.find("$T")) != std::string::npos;)
    text.replace(at, 2, type);
  return "func.func @f(%a: " + type + ", %b: " + type + ") -> (" + list + ") {\n  %e = tensor.empty() : " + type +
         "\n" + text + "\n  return " + results + " : " + list + "\n}";
}

// %`name` = op(%x, %y), elements at the maps `first` and `second`.
std::string add(const std::string &name, const std::string &x, const std::string &first, const std::string &y,
                const std::string &second) {
  return "  %" + name + " = linalg.generic {indexing_maps=[affine_map<(i,j)->(" + first + ")>,affine_map<(i,j)->(" +
         second + ")>,affine_map<(i,j)->(i,j)>], iterator_types=[\"parallel\",\"parallel\"]} ins(%" + x + ", %" + y +
         " : $T, $T) outs(%e : $T) {\n  ^bb0(%x: f32, %y: f32, %o: f32):\n    %s = arith.addf %x, %y : f32\n"
         "    linalg.yield %s : f32 } -> $T\n";
}

// %p = a · b, or a · b + `init`.
std::string product(const std::string &init) {
  std::string fill =
      init.empty() ? "  %z = arith.constant 0.0 : f32\n  %i = linalg.fill ins(%z : f32) outs(%e : $T) -> $T\n" : "";
  return fill + "  %p = linalg.matmul ins(%a, %b : $T, $T) outs(%" + (init.empty() ? "i" : init) + " : $T) -> $T\n";
}

// %r = a minus the sum of its row (that of row `from`), or of its column.
std::string centred(bool byRow, int64_t n, const std::string &from = "i") {
  std::string vector = "tensor<" + std::to_string(n) + "xf32>", kept = byRow ? "i" : "j";
  std::string iterators = byRow ? "\"parallel\",\"reduction\"" : "\"reduction\",\"parallel\"";
  return "  %z = arith.constant 0.0 : f32\n  %ev = tensor.empty() : " + vector +
         "\n  %i = linalg.fill ins(%z : f32) outs(%ev : " + vector + ") -> " + vector +
         "\n  %sum = linalg.generic {indexing_maps=[affine_map<(i,j)->(" + from + ",j)>,affine_map<(i,j)->(" + kept +
         ")>], iterator_types=[" + iterators + "]} ins(%a : $T) outs(%i : " + vector +
         ") {\n  ^bb0(%x: f32, %o: f32):\n    %s = arith.addf %x, %o : f32\n    linalg.yield %s : f32 } -> " + vector +
         "\n  %r = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(" + kept +
         ")>,affine_map<(i,j)->(i,j)>], iterator_types=[\"parallel\",\"parallel\"]} ins(%a, %sum : $T, " + vector +
         ") outs(%e : $T) {\n  ^bb0(%x: f32, %y: f32, %o: f32):\n    %s = arith.subf %x, %y : f32\n"
         "    linalg.yield %s : f32 } -> $T\n";
}

// %r = element i*n+j of `a` rounded to i32, or narrowed to f16.
std::string converted(int64_t n, bool narrow) {
  std::string from = "tensor<" + std::to_string(n) + "xf32>", element = narrow ? "f16" : "i32";
  std::string to = "tensor<" + std::to_string(n) + "x" + element + ">", op = narrow ? "truncf" : "fptosi";
  return "func.func @f(%a: " + from + ") -> " + to + " {\n  %e = tensor.empty() : " + to +
         "\n  %r = linalg.generic {indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>], "
         "iterator_types=[\"parallel\"]} ins(%a : " +
         from + ") outs(%e : " + to + ") {\n  ^bb0(%x: f32, %o: " + element + "):\n    %s = arith." + op +
         " %x : f32 to " + element + "\n    linalg.yield %s : " + element + " } -> " + to + "\n  return %r : " + to +
         "\n}";
}

// A pool of 3x3 over padded positions, and then `b` added where `isAdded`: its rows end with windows computed again.
std::string pooled() {
  return R"(func.func @f(%a: tensor<1x30x30x16xf32>, %b: tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x28x28x16xf32>
    %w = tensor.empty() : tensor<3x3xf32>
    %i = linalg.fill ins(%z : f32) outs(%e : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
    %p = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%a, %w : tensor<1x30x30x16xf32>, tensor<3x3xf32>) outs(%i : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
    %r = linalg.add ins(%p, %b : tensor<1x28x28x16xf32>, tensor<1x28x28x16xf32>) outs(%e : tensor<1x28x28x16xf32>) -> tensor<1x28x28x16xf32>
    return %r : tensor<1x28x28x16xf32>
  })";
}

std::string gathered() {
  return R"(func.func @f(%a: tensor<64xf32>, %b: tensor<64xi32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %r = linalg.generic {indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types=["parallel"]} ins(%a, %b : tensor<64xf32>, tensor<64xi32>) outs(%e : tensor<64xf32>) {
    ^bb0(%x: f32, %k: i32, %o: f32):
      %c = arith.constant 63 : i32
      %m = arith.andi %k, %c : i32
      %at = arith.index_cast %m : i32 to index
      %y = tensor.extract %a[%at] : tensor<64xf32>
      %s = arith.addf %x, %y : f32
      linalg.yield %s : f32 } -> tensor<64xf32>
    return %r : tensor<64xf32>
  })";
}

// An operand that nothing reads may always be overwritten.
std::vector<Case> cases() {
  auto squares = [](int64_t n, size_t count) { return std::vector<int64_t>(count, n * n * 4); };
  std::string same = add("r", "a", "i,j", "b", "i,j");
  return {
      {"sum", square(37, same), squares(37, 3), {}, {{0, 2}, {1, 2}}},
      {"large sum", square(300, same), squares(300, 3), {}, {{0, 2}, {1, 2}}},
      // The row of b for all rows, the column, the transpose: others read them later.
      {"row", square(37, add("r", "a", "i,j", "b", "0,j")), squares(37, 3), {}, {{0, 2}}},
      {"column", square(37, add("r", "a", "i,j", "b", "i,0")), squares(37, 3), {}, {{0, 2}}},
      {"transpose", square(37, add("r", "a", "j,i", "b", "i,j")), squares(37, 3), {}, {}},
      {"own transpose", square(37, add("r", "a", "j,i", "a", "i,j")), squares(37, 3), {}, {{1, 2}}},
      {"fused",
       square(37, add("p", "a", "i,j", "a", "i,j") + add("r", "p", "i,j", "b", "0,j")),
       squares(37, 3),
       {},
       {{0, 2}}},
      // What is computed again at another index reads the operand there.
      {"recomputed",
       square(37, add("p", "a", "i,j", "b", "i,j") + add("r", "p", "j,i", "a", "i,j")),
       squares(37, 3),
       {},
       {}},
      {"two results",
       square(37, add("r", "a", "i,j", "a", "i,j") + add("q", "b", "i,j", "b", "i,j"), "%r, %q", 2),
       squares(37, 4),
       {},
       {{0, 2}, {1, 3}}},
      {"shared by two",
       square(37, add("r", "a", "i,j", "b", "i,j") + add("q", "a", "i,j", "b", "0,j"), "%r, %q", 2),
       squares(37, 4),
       {},
       {}},
      {"product and sum", square(96, product("") + add("r", "p", "i,j", "b", "i,j")), squares(96, 3), {}, {}},
      {"product onto", square(96, product("a") + add("r", "p", "i,j", "p", "i,j")), squares(96, 3), {}, {}},
      {"long rows", square(600, centred(true, 600)), squares(600, 3), {}, {{0, 2}, {1, 2}}},
      {"another row", square(600, centred(true, 600, "599 - i")), squares(600, 3), {}, {{1, 2}}},
      {"short rows", square(37, centred(true, 37)), squares(37, 3), {}, {}},
      {"columns", square(600, centred(false, 600)), squares(600, 3), {}, {{1, 2}}},
      {"to integers", converted(1000, false), {4000, 4000}, {}, {{0, 1}}},
      {"narrowed", converted(1000, true), {4000, 2000}, {}, {}},
      {"windows", pooled(), {30 * 30 * 64, 28 * 28 * 64, 28 * 28 * 64}, {}, {}},
      {"gathered", gathered(), {256, 256, 256}, {}, {{1, 2}}},
      {"softmax", softmaxText(), {7 * 700 * 4, 7 * 700 * 4}, {7, 700}, {{0, 1}}},
      {"softmax of a vector", softmaxText(), {7 * 13 * 4, 7 * 13 * 4}, {7, 13}, {{0, 1}}},
      {"layer norm", layerNormText(768), {9 * 768 * 4, 768 * 4, 768 * 4, 9 * 768 * 4}, {9}, {{0, 3}}},
      {"short layer norm", layerNormText(64), {9 * 64 * 4, 64 * 4, 64 * 4, 9 * 64 * 4}, {9}, {}},
      {"dense",
       denseText(48, 40, Epilogue::BiasResidual),
       {161 * 40 * 4, 40 * 48 * 4, 48 * 4, 161 * 48 * 4, 161 * 48 * 4},
       {161, 161},
       {{3, 4}}},
      {"dense of odd sizes",
       denseText(37, 40, Epilogue::BiasResidual),
       {51 * 40 * 4, 40 * 37 * 4, 37 * 4, 51 * 37 * 4, 51 * 37 * 4},
       {51, 51},
       {{3, 4}}},
  };
}

std::vector<GuardedArray> randomArrays(const std::vector<int64_t> &bytes) {
  std::mt19937 random(11);
  std::uniform_real_distribution<float> uniform(-100, 100);
  std::vector<GuardedArray> arrays;
  for (int64_t size : bytes) {
    arrays.emplace_back(size);
    for (float &x : arrays.back().as<float>())
      x = uniform(random);
  }
  return arrays;
}

// All workgroups, in `parts` ranges: the last first, or each on a thread of its own.
void run(const CompiledKernel &kernel, const std::vector<void *> &bindings, const std::vector<int64_t> &constants,
         int64_t parts, bool threads) {
  HeddleKernelState state{bindings.data(), constants.data()};
  int64_t total = kernel.workgroups(constants), bytes = kernel.scratchBytes(constants);
  auto part = [&](int64_t i) {
    GuardedArray scratch((bytes + 63) / 64 * 64);
    EXPECT_EQ(kernel.entry()(&state, total * i / parts, total * (i + 1) / parts, scratch.data()), 0);
  };
  std::vector<std::thread> running;
  for (int64_t i = parts; i-- > 0;)
    threads ? (void)running.emplace_back(part, i) : part(i);
  for (std::thread &thread : running)
    thread.join();
}

void check(const Case &one, const char *cpu, std::pair<int64_t, int64_t> pair) {
  CompiledKernel apart(one.function, cpu), over(one.function, cpu, "{}", {pair});
  ASSERT_EQ(apart.error() + over.error(), "");
  auto bindingsOf = [](std::vector<GuardedArray> &arrays) {
    std::vector<void *> bindings;
    for (GuardedArray &array : arrays)
      bindings.push_back(array.data());
    return bindings;
  };
  std::vector<GuardedArray> want = randomArrays(one.bytes);
  ASSERT_EQ(apart.run(bindingsOf(want), one.constants), 0);
  for (auto [parts, threads] : {std::pair(1, false), std::pair(7, false), std::pair(3, true)}) {
    std::vector<GuardedArray> got = randomArrays(one.bytes);
    std::vector<void *> bindings = bindingsOf(got);
    bindings[pair.second] = bindings[pair.first];
    run(over, bindings, one.constants, parts, threads);
    ASSERT_EQ(std::memcmp(bindings[pair.second], want[pair.second].data(), one.bytes[pair.second]), 0)
        << one.name << ", binding " << pair.second << " over " << pair.first << ", " << parts << " parts";
  }
}

} // namespace

class Overwrites : public CpuTest<const char *> {};

TEST_P(Overwrites, ArePromisedAndKept) {
  for (const Case &one : cases()) {
    EXPECT_EQ(findOverwrites(one.function, GetParam()), one.pairs) << one.name;
    for (auto pair : one.pairs)
      check(one, GetParam(), pair);
  }
}

// Whatever is promised of the dispatches that models have is kept.
TEST_P(Overwrites, OfModelsAreKept) {
  int64_t checked = 0;
  for (const std::vector<Dispatch> &all : {modelDispatches(), rowDispatches()})
    for (const Dispatch &dispatch : all) {
      Case one{dispatch.name, dispatch.function, {}, dispatch.constants, findOverwrites(dispatch.function, GetParam())};
      int64_t total = 0;
      for (int64_t elements : dispatch.elements) {
        one.bytes.push_back(elements * 4);
        total += elements * 4;
      }
      for (auto pair : total < (1 << 22) ? one.pairs : Pairs()) {
        check(one, GetParam(), pair);
        ++checked;
      }
    }
  EXPECT_GT(checked, 0);
}

// Rows of free sizes less their sums: those that are at most a vector have code of their own.
std::string freeRows() {
  return R"(func.func @f(%a: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %z = arith.constant 0.0 : f32
  %ev = tensor.empty(%m) : tensor<?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %i = linalg.fill ins(%z : f32) outs(%ev : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>],
      iterator_types=["parallel","reduction"]} ins(%a : tensor<?x?xf32>) outs(%i : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %r = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i,j)>],
      iterator_types=["parallel","parallel"]} ins(%a, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.subf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
})";
}

TEST_P(Overwrites, RowsOfAtMostAVectorComeOnce) {
  for (int64_t length : {5, 13, 16, 17})
    check({"free rows", freeRows(), {7 * length * 4, 7 * length * 4}, {7, length}, {}}, GetParam(), {0, 1});
}

// Short rows are computed side by side, of an odd number the last one twice: not where they overwrite what they read.
// Schedule does not ask for it, since it costs time.
TEST_P(Overwrites, ShortRowsComeOnce) {
  Case one = {"short rows", square(37, centred(true, 37)), {37 * 37 * 4, 37 * 37 * 4, 37 * 37 * 4}, {}, {}};
  check(one, GetParam(), {0, 2});
}

TEST(OverwritesRefused, ByCodegenWhereTheKernelDoesNotReadInTime) {
  Case transposed = cases()[4];
  CompiledKernel kernel(transposed.function, "x86-64", "{}", {{0, 2}});
  EXPECT_NE(kernel.error().find("is to write binding 2 over binding 0, which its kernel does not read in time"),
            std::string::npos)
      << kernel.error();
}

INSTANTIATE_TEST_SUITE_P(Levels, Overwrites, testing::Values("x86-64", "x86-64-v3", "x86-64-v4"));
