// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

std::string attentionText(int64_t heads, int64_t depth) {
  std::string text =
      R"(func.func @attention(%q: tensor<?xHx?xDxf32>, %k: tensor<?xHxDx?xf32>, %mask: tensor<?x?xf32>, %v: tensor<?xHx?xDxf32>,
      %b: index, %s: index, %b1: index, %t: index, %b2: index, %t2: index, %b3: index, %t3: index) -> tensor<?xHx?xDxf32> {
    %zero = arith.constant 0.0 : f32
    %least = arith.constant 0xFF800000 : f32
    %escores = tensor.empty(%b, %s, %t) : tensor<?xHx?x?xf32>
    %erows = tensor.empty(%b, %s) : tensor<?xHx?xf32>
    %eresult = tensor.empty(%b, %s) : tensor<?xHx?xDxf32>
    %fscores = linalg.fill ins(%zero : f32) outs(%escores : tensor<?xHx?x?xf32>) -> tensor<?xHx?x?xf32>
    %fleast = linalg.fill ins(%least : f32) outs(%erows : tensor<?xHx?xf32>) -> tensor<?xHx?xf32>
    %fzero = linalg.fill ins(%zero : f32) outs(%erows : tensor<?xHx?xf32>) -> tensor<?xHx?xf32>
    %fresult = linalg.fill ins(%zero : f32) outs(%eresult : tensor<?xHx?xDxf32>) -> tensor<?xHx?xDxf32>
    %scores = linalg.generic {indexing_maps=[affine_map<(b,h,m,n,k)->(b,h,m,k)>,affine_map<(b,h,m,n,k)->(b,h,k,n)>,affine_map<(b,h,m,n,k)->(b,h,m,n)>],
        iterator_types=["parallel","parallel","parallel","parallel","reduction"]} ins(%q, %k : tensor<?xHx?xDxf32>, tensor<?xHxDx?xf32>) outs(%fscores : tensor<?xHx?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      %a = arith.addf %o, %p : f32
      linalg.yield %a : f32 } -> tensor<?xHx?x?xf32>
    %biased = linalg.generic {indexing_maps=[affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,j)>,affine_map<(b,h,i,j)->(b,h,i,j)>],
        iterator_types=["parallel","parallel","parallel","parallel"]} ins(%scores, %mask : tensor<?xHx?x?xf32>, tensor<?x?xf32>) outs(%escores : tensor<?xHx?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %scale = arith.constant 0.25 : f32
      %p = arith.mulf %x, %scale : f32
      %a = arith.addf %p, %y : f32
      linalg.yield %a : f32 } -> tensor<?xHx?x?xf32>
    %max = linalg.generic {indexing_maps=[affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,h,i)>], iterator_types=["parallel","parallel","parallel","reduction"]}
        ins(%biased : tensor<?xHx?x?xf32>) outs(%fleast : tensor<?xHx?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %r = arith.maximumf %o, %x : f32
      linalg.yield %r : f32 } -> tensor<?xHx?xf32>
    %exp = linalg.generic {indexing_maps=[affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,h,i)>,affine_map<(b,h,i,j)->(b,h,i,j)>],
        iterator_types=["parallel","parallel","parallel","parallel"]} ins(%biased, %max : tensor<?xHx?x?xf32>, tensor<?xHx?xf32>) outs(%escores : tensor<?xHx?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.subf %x, %y : f32
      %r = math.exp %p : f32
      linalg.yield %r : f32 } -> tensor<?xHx?x?xf32>
    %sum = linalg.generic {indexing_maps=[affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,h,i)>], iterator_types=["parallel","parallel","parallel","reduction"]}
        ins(%exp : tensor<?xHx?x?xf32>) outs(%fzero : tensor<?xHx?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %r = arith.addf %o, %x : f32
      linalg.yield %r : f32 } -> tensor<?xHx?xf32>
    %weights = linalg.generic {indexing_maps=[affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,h,i)>,affine_map<(b,h,i,j)->(b,h,i,j)>],
        iterator_types=["parallel","parallel","parallel","parallel"]} ins(%exp, %sum : tensor<?xHx?x?xf32>, tensor<?xHx?xf32>) outs(%escores : tensor<?xHx?x?xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %r = arith.divf %x, %y : f32
      linalg.yield %r : f32 } -> tensor<?xHx?x?xf32>
    %result = linalg.generic {indexing_maps=[affine_map<(b,h,m,n,k)->(b,h,m,k)>,affine_map<(b,h,m,n,k)->(b,h,k,n)>,affine_map<(b,h,m,n,k)->(b,h,m,n)>],
        iterator_types=["parallel","parallel","parallel","parallel","reduction"]} ins(%weights, %v : tensor<?xHx?x?xf32>, tensor<?xHx?xDxf32>) outs(%fresult : tensor<?xHx?xDxf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      %a = arith.addf %o, %p : f32
      linalg.yield %a : f32 } -> tensor<?xHx?xDxf32>
    return %result : tensor<?xHx?xDxf32>
  })";
  for (auto [mark, value] : {std::pair{"xHx", heads}, {"xDx", depth}})
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; ++at)
      text.replace(at + 1, 1, str(value));
  return text;
}

Dispatch attention(int64_t batch, int64_t heads, int64_t depth, int64_t rows, int64_t columns) {
  int64_t scores = batch * heads * rows * columns;
  return {"attention " + str(rows) + "x" + str(columns) + " " + str(heads) + "x" + str(depth),
          attentionText(heads, depth),
          {batch * heads * rows * depth, batch * heads * columns * depth, batch * columns,
           batch * heads * columns * depth, batch * heads * rows * depth},
          {batch, rows, batch, columns, batch, columns, batch, columns},
          4.0 * scores * depth};
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
  for (int64_t length : {16, 128, 512, 4096})
    all.push_back(attention(1, length > 1000 ? 4 : 12, 32, length, length));
  return all;
}

} // namespace heddle::test
