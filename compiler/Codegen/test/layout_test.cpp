// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read and write tensors in layouts, against packBytes and naive loops, with pages that fault around every
// binding.
#include "compiler/Codegen/test/KernelHarness.h"
#include "heddle/contract/Packing.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace heddle::test;
using ::heddle::contract::physicalShape;
using ::heddle::contract::Tiling;

namespace {

using Shape = std::vector<int64_t>;

struct Layout {
  const char *name;
  Tiling tiling;
};

// What processors and the test resolver choose, a turned one, and one with its tiles the other way round.
const Layout kLayouts[] = {
    {"panels", {{1, 0}, {1}, {16}, {}}},
    {"groups", {{1, 0}, {1, 0}, {16, 4}, {}}},
    {"tiles", {{0, 1}, {0, 1}, {8, 16}, {}}},
    {"turned", {{1, 0}, {0}, {3}, {}}},
    {"swizzled", {{0, 1}, {0, 1}, {8, 4}, {1, 0}}},
};

std::string list(const Shape &values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

std::string spell(const Tiling &tiling) {
  return "#encoding.layout<perm = " + list(tiling.perm) + ", inner_dims = " + list(tiling.innerDims) +
         ", inner_tiles = " + list(tiling.innerTiles) + ", swizzle = " + list(tiling.swizzle) + ">";
}

std::string size(int64_t size, bool dynamic) { return dynamic ? "?" : std::to_string(size); }

int64_t product(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

std::span<std::byte> bytesOf(const GuardedArray &array) { return array.as<std::byte>(); }

void fill(const GuardedArray &array, std::mt19937 &random) {
  for (std::byte &byte : bytesOf(array))
    byte = static_cast<std::byte>(1 + random() % 255);
}

constexpr GuardedArray::At kBoth[] = {GuardedArray::At::End, GuardedArray::At::Start};

// `set` and `unset` alone in a dispatch: the bytes of packBytes and back.
void checkCopies(const Layout &layout, const std::string &element, size_t width, const Shape &shape, bool dynamic,
                 const std::string &cpu) {
  SCOPED_TRACE(std::string(layout.name) + " " + element + " " + list(shape) + (dynamic ? " dynamic " : " static ") +
               cpu);
  std::string plain = "tensor<" + size(shape[0], dynamic) + "x" + size(shape[1], dynamic) + "x" + element;
  std::string tiled = plain + ", " + spell(layout.tiling) + ">", rows = plain + ">";
  std::string sizes = dynamic ? ", %m: index, %n: index" : "";
  std::vector<int64_t> constants = dynamic ? shape : Shape();
  CompiledKernel set("func.func @set(%x: " + rows + sizes + ") -> " + tiled + " { %r = encoding.set %x : " + rows +
                         " -> " + tiled + " return %r : " + tiled + " }",
                     cpu);
  CompiledKernel unset("func.func @unset(%x: " + tiled + sizes + ") -> " + rows +
                           " { %r = encoding.unset %x : " + tiled + " -> " + rows + " return %r : " + rows + " }",
                       cpu);
  ASSERT_EQ(set.error() + unset.error(), "");
  size_t count = product(shape) * width, packedCount = product(physicalShape(layout.tiling, shape)) * width;
  std::mt19937 random(11);
  for (auto at : kBoth) {
    GuardedArray x(count, at), packed(packedCount, at), back(count, at);
    fill(x, random);
    std::vector<std::byte> expected(packedCount);
    ASSERT_EQ(packBytes(layout.tiling, width, shape, bytesOf(x), expected), "");
    ASSERT_EQ(set.run({x.data(), packed.data()}, constants, 3), 0);
    EXPECT_TRUE(std::ranges::equal(bytesOf(packed), expected));
    ASSERT_EQ(unset.run({packed.data(), back.data()}, constants, 3), 0);
    EXPECT_TRUE(std::ranges::equal(bytesOf(back), bytesOf(x)));
  }
}

TEST(Layouts, CopiesAreThoseOfPackBytes) {
  for (const Layout &layout : kLayouts)
    for (auto [element, width] : {std::pair("f32", 4), {"f16", 2}, {"i8", 1}, {"f64", 8}})
      for (bool dynamic : {false, true})
        checkCopies(layout, element, width, {33, 29}, dynamic, hostLevel());
}

TEST(Layouts, CopiesOfSmallAndEmptyTensors) {
  for (const Layout &layout : kLayouts)
    for (const Shape &shape : {Shape{1, 1}, {1, 40}, {40, 1}, {0, 5}, {5, 0}, {16, 32}})
      checkCopies(layout, "f32", 4, shape, true, hostLevel());
}

TEST(Layouts, CopiesWithoutMaskedVectors) {
  for (const Layout &layout : kLayouts)
    for (const char *cpu : {"x86-64-v3", "x86-64"})
      if (runsHere(cpu))
        checkCopies(layout, "f32", 4, {33, 29}, true, cpu);
}

struct Product {
  int64_t m, n, k;
  bool dynamic; // m
};

// x[m, k] by w[k, n], each tensor in the layout given or in rows (null), and the result doubled by an epilogue.
void checkProduct(const Product &p, const Tiling *a, const Tiling *b, const Tiling *c) {
  SCOPED_TRACE(list({p.m, p.n, p.k}) + (p.dynamic ? " dynamic " : " static ") + (a ? "a" : "") + (b ? "b" : "") +
               (c ? "c" : ""));
  std::string m = size(p.m, p.dynamic), n = std::to_string(p.n), k = std::to_string(p.k);
  auto type = [](const std::string &shape, const Tiling *tiling) {
    return "tensor<" + shape + "xf32" + (tiling ? ", " + spell(*tiling) : "") + ">";
  };
  std::string ta = type(m + "x" + k, a), tb = type(k + "x" + n, b), tc = type(m + "x" + n, c);
  std::string empty = std::string("tensor.empty(") + (p.dynamic ? "%m" : "") + ") : " + tc;
  CompiledKernel kernel("func.func @f(%a: " + ta + ", %b: " + tb + (p.dynamic ? ", %m: index" : "") + ") -> " + tc +
                        R"( {
    %zero = arith.constant 0.0 : f32
    %e = )" + empty + R"(
    %z = linalg.fill ins(%zero : f32) outs(%e : )" +
                        tc + ") -> " + tc + R"(
    %p = linalg.matmul ins(%a, %b : )" +
                        ta + ", " + tb + ") outs(%z : " + tc + ") -> " + tc + R"(
    %o = )" + empty + R"(
    %r = linalg.add ins(%p, %p : )" +
                        tc + ", " + tc + ") outs(%o : " + tc + ") -> " + tc + R"(
    return %r : )" + tc +
                        "\n}");
  ASSERT_EQ(kernel.error(), "");
  auto memory = [](const Shape &shape, const Tiling *tiling) {
    return static_cast<size_t>(product(tiling ? physicalShape(*tiling, shape) : shape)) * 4;
  };
  std::mt19937 random(5);
  std::vector<float> x(p.m * p.k), w(p.k * p.n), expected(p.m * p.n);
  for (float &value : x)
    value = static_cast<int>(random() % 17) - 8; // sums of such products are exact
  for (float &value : w)
    value = static_cast<int>(random() % 17) - 8;
  for (int64_t i = 0; i < p.m; ++i)
    for (int64_t l = 0; l < p.k; ++l)
      for (int64_t j = 0; j < p.n; ++j)
        expected[i * p.n + j] += 2 * x[i * p.k + l] * w[l * p.n + j];
  auto place = [](const std::vector<float> &from, const Shape &shape, const Tiling *tiling, const GuardedArray &to) {
    std::span<const std::byte> source = std::as_bytes(std::span(from));
    if (tiling)
      ASSERT_EQ(packBytes(*tiling, 4, shape, source, bytesOf(to)), "");
    else
      std::ranges::copy(source, bytesOf(to).begin());
  };
  for (auto at : kBoth) {
    GuardedArray ma(memory({p.m, p.k}, a), at), mb(memory({p.k, p.n}, b), at), mc(memory({p.m, p.n}, c), at),
        wanted(memory({p.m, p.n}, c), at);
    place(x, {p.m, p.k}, a, ma);
    place(w, {p.k, p.n}, b, mb);
    place(expected, {p.m, p.n}, c, wanted);
    std::vector<int64_t> constants = p.dynamic ? Shape{p.m} : Shape();
    ASSERT_EQ(kernel.run({ma.data(), mb.data(), mc.data()}, constants, 2), 0);
    EXPECT_TRUE(std::ranges::equal(mc.as<float>(), wanted.as<float>())); // -0 is 0
  }
}

const Product kProducts[] = {{33, 29, 47, true},  {33, 29, 47, false}, {1, 29, 47, true}, {33, 1, 47, false},
                             {1, 1, 5, true},     {33, 29, 1, true},   {33, 29, 0, true}, {16, 32, 130, true},
                             {33, 29, 130, true}, {7, 61, 300, true}};

TEST(Layouts, ProductsWithColumnsInPanels) {
  for (const Product &product : kProducts)
    checkProduct(product, nullptr, &kLayouts[0].tiling, nullptr);
}

TEST(Layouts, ProductsWithAllOperandsInTiles) {
  for (const Product &product : kProducts) {
    checkProduct(product, &kLayouts[2].tiling, &kLayouts[2].tiling, &kLayouts[2].tiling);
    checkProduct(product, &kLayouts[3].tiling, nullptr, &kLayouts[4].tiling);
  }
}

} // namespace
