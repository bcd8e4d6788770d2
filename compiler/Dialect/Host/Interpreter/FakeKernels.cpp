// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/FakeKernels.h"

#include "llvm/ADT/StringSwitch.h"

#include <vector>

using namespace mlir;
using namespace mlir::heddle::host;

namespace {

// Wrapping arithmetic: kernels never trap.
using Element = uint32_t;
using Elements = std::span<Element>;

struct Call {
  std::vector<Elements> bindings;
  ArrayRef<int64_t> constants;
  Elements in(size_t i) const { return bindings[i]; }
  Elements out() const { return bindings.back(); }
};

std::string binary(const Call &call, Element (*compute)(Element, Element)) {
  for (size_t i = 0; i < call.out().size(); ++i)
    call.out()[i] = compute(call.in(0)[i], call.in(1)[i]);
  return "";
}

std::string unary(const Call &call, Element (*compute)(Element, Element), Element operand) {
  for (size_t i = 0; i < call.out().size(); ++i)
    call.out()[i] = compute(call.in(0)[i], operand);
  return "";
}

Element add(Element a, Element b) { return a + b; }
Element subtract(Element a, Element b) { return a - b; }
Element multiply(Element a, Element b) { return a * b; }
Element maximum(Element a, Element b) { return static_cast<int32_t>(a) > static_cast<int32_t>(b) ? a : b; }

std::string sum(const Call &call) {
  call.out()[0] = 0;
  for (Element element : call.in(0))
    call.out()[0] += element;
  return "";
}

// Where element [row, column] of [rows, columns] lies in column panels of `panel` columns.
size_t packedIndex(int64_t row, int64_t column, int64_t rows, int64_t panel) {
  return (column / panel) * rows * panel + row * panel + column % panel;
}

// panel 0: the right operand is row-major.
std::string matmul(const Call &call, int64_t panel) {
  int64_t m = call.constants[0], k = call.constants[1], n = call.constants[2];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      Element sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum += call.in(0)[i * k + l] * call.in(1)[panel ? packedIndex(l, j, k, panel) : l * n + j];
      call.out()[i * n + j] = sum;
    }
  return "";
}

std::string bias(const Call &call) {
  size_t n = call.in(1).size();
  for (size_t i = 0; i < call.out().size(); ++i)
    call.out()[i] = call.in(0)[i] + call.in(1)[i % n];
  return "";
}

std::string pack(const Call &call, bool isInverse) {
  int64_t m = call.constants[0], n = call.constants[1], panel = call.constants[2];
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      size_t packed = packedIndex(i, j, m, panel), plain = i * n + j;
      call.out()[isInverse ? plain : packed] = call.in(0)[isInverse ? packed : plain];
    }
  return "";
}

struct Kernel {
  size_t bindings;
  size_t constants;
  // The least elements each binding must have, so that a wrong call is a message and no stray access.
  bool (*fits)(const Call &);
  std::string (*run)(const Call &);
};

bool fitsElementwise(const Call &call) {
  return llvm::all_of(call.bindings, [&](Elements e) { return e.size() == call.out().size(); });
}
bool fitsMatmul(const Call &call) {
  size_t m = call.constants[0], k = call.constants[1], n = call.constants[2];
  return call.in(0).size() == m * k && call.in(1).size() == k * n && call.out().size() == m * n &&
         (call.constants.size() == 3 || (call.constants[3] > 0 && n % call.constants[3] == 0));
}
bool fitsPack(const Call &call) {
  size_t size = call.constants[0] * call.constants[1];
  return call.constants[2] > 0 && call.constants[1] % call.constants[2] == 0 && call.in(0).size() == size &&
         call.out().size() == size;
}

const Kernel *find(StringRef name) {
  static const std::pair<StringRef, Kernel> kernels[] = {
      {"add", {3, 0, fitsElementwise, [](const Call &c) { return binary(c, add); }}},
      {"sub", {3, 0, fitsElementwise, [](const Call &c) { return binary(c, subtract); }}},
      {"mul", {3, 0, fitsElementwise, [](const Call &c) { return binary(c, multiply); }}},
      {"add_constant", {2, 1, fitsElementwise, [](const Call &c) { return unary(c, add, c.constants[0]); }}},
      {"relu", {2, 0, fitsElementwise, [](const Call &c) { return unary(c, maximum, 0); }}},
      {"sum", {2, 0, [](const Call &c) { return c.out().size() == 1; }, sum}},
      {"accumulate",
       {2, 0, fitsElementwise, [](const Call &c) { return binary({{c.in(0), c.out(), c.out()}, c.constants}, add); }}},
      {"matmul", {3, 3, fitsMatmul, [](const Call &c) { return matmul(c, 0); }}},
      {"matmul_packed", {3, 4, fitsMatmul, [](const Call &c) { return matmul(c, c.constants[3]); }}},
      {"bias",
       {3, 0,
        [](const Call &c) {
          return !c.in(1).empty() && c.in(0).size() == c.out().size() && c.out().size() % c.in(1).size() == 0;
        },
        bias}},
      {"pack", {2, 3, fitsPack, [](const Call &c) { return pack(c, false); }}},
      {"unpack", {2, 3, fitsPack, [](const Call &c) { return pack(c, true); }}},
  };
  for (auto &[known, kernel] : kernels)
    if (known == name)
      return &kernel;
  return nullptr;
}

} // namespace

std::string mlir::heddle::host::runFakeKernel(StringRef name, ArrayRef<std::span<std::byte>> bindings,
                                              ArrayRef<int64_t> constants) {
  const Kernel *kernel = find(name);
  if (!kernel)
    return "no fake kernel is named '" + name.str() + "'";
  if (bindings.size() != kernel->bindings || constants.size() != kernel->constants)
    return "fake kernel '" + name.str() + "' takes " + std::to_string(kernel->bindings) + " bindings and " +
           std::to_string(kernel->constants) + " constants, got " + std::to_string(bindings.size()) + " and " +
           std::to_string(constants.size());
  Call call{{}, constants};
  for (std::span<std::byte> bytes : bindings) {
    if (bytes.size() % sizeof(Element) || reinterpret_cast<uintptr_t>(bytes.data()) % sizeof(Element))
      return "fake kernel '" + name.str() + "' takes whole, aligned i32 elements, got " + std::to_string(bytes.size()) +
             " bytes";
    call.bindings.emplace_back(reinterpret_cast<Element *>(bytes.data()), bytes.size() / sizeof(Element));
  }
  if (!kernel->fits(call))
    return "fake kernel '" + name.str() + "' got bindings whose sizes do not fit";
  return kernel->run(call);
}
