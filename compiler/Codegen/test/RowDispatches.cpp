#include "compiler/Codegen/test/RowDispatches.h"

namespace heddle::test {

static std::string str(int64_t value) { return std::to_string(value); }

std::string elementwiseText(int64_t rows, int64_t columns, int inputs, const std::string &body) {
  std::string type = "tensor<" + str(rows) + "x" + str(columns) + "xf32>", map = "affine_map<(i,j)->(i,j)>";
  std::string arguments, names, types, elements, maps;
  for (int i = 0; i < inputs; ++i) {
    std::string name(1, static_cast<char>('a' + i)), comma = i ? ", " : "";
    arguments += comma + "%t" + name + ": " + type;
    names += comma + "%t" + name;
    types += comma + type;
    elements += "%" + name + ": f32, ";
    maps += map + ", ";
  }
  return "func.func @elementwise(" + arguments + ") -> " + type + " {\n  %e = tensor.empty() : " + type +
         "\n  %g = linalg.generic {indexing_maps=[" + maps + map +
         "], iterator_types=[\"parallel\",\"parallel\"]} ins(" + names + " : " + types + ") outs(%e : " + type +
         ") {\n  ^bb0(" + elements + "%o: f32):\n" + body + "\n    linalg.yield %r : f32 } -> " + type +
         "\n  return %g : " + type + "\n}";
}

std::string transposeText(int64_t rows, int64_t columns) {
  auto size = [](int64_t n) { return n ? str(n) : "?"; };
  std::string from = "tensor<" + size(rows) + "x" + size(columns) + "xf32>";
  std::string to = "tensor<" + size(columns) + "x" + size(rows) + "xf32>";
  std::string arguments = "%x: " + from, empty;
  if (!rows)
    arguments += ", %m: index";
  if (!columns)
    arguments += ", %n: index", empty = "%n";
  if (!rows)
    empty += empty.empty() ? "%m" : ", %m";
  return "func.func @transpose(" + arguments + ") -> " + to + " {\n  %e = tensor.empty(" + empty + ") : " + to +
         "\n  %t = linalg.transpose ins(%x : " + from + ") outs(%e : " + to +
         ") permutation = [1, 0]\n  return %t : " + to + "\n}";
}

std::string geluBody() {
  return R"(
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 1.41421354 : f32
    %u = arith.divf %a, %root : f32
    %v = math.erf %u : f32
    %w = arith.addf %v, %one : f32
    %x = arith.mulf %a, %w : f32
    %r = arith.mulf %x, %half : f32)";
}

std::vector<Dispatch> rowDispatches() {
  int64_t m = 4096, n = 1024, large = m * n;
  auto unary = [&](const char *name, const std::string &body) {
    return Dispatch{name, elementwiseText(64, 256, 1, body), {16384, 16384}, {}, 0};
  };
  std::vector<Dispatch> all = {
      {"softmax 4096x1024", softmaxText(), {large, large}, {m, n}, 0},
      {"layernorm 4096x1024", layerNormText(n), {large, n, n, large}, {m}, 0},
      {"add 64 MiB", elementwiseText(m, m, 2, "%r = arith.addf %a, %b : f32"), {m * m, m * m, m * m}, {}, 0},
      {"relu 64 MiB",
       elementwiseText(m, m, 1, "%z = arith.constant 0.0 : f32\n%r = arith.maximumf %a, %z : f32"),
       {m * m, m * m},
       {},
       0},
      {"transpose 4096x4096", transposeText(m, m), {m * m, m * m}, {}, 0},
      {"transpose 384x128", transposeText(384, 128), {384 * 128, 384 * 128}, {}, 0},
      {"transpose 1000x999 dynamic", transposeText(0, 0), {999000, 999000}, {1000, 999}, 0},
      {"gelu 64 MiB", elementwiseText(m, m, 1, geluBody()), {m * m, m * m}, {}, 0},
  };
  for (const char *name : {"exp", "tanh", "erf", "log"}) // in first- and second-level cache
    all.push_back(unary(name, std::string("%r = math.") + name + " %a : f32"));
  all.push_back(unary("gelu", geluBody()));
  return all;
}

} // namespace heddle::test
