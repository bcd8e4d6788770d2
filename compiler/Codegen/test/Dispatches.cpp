// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/test/Dispatches.h"

namespace heddle::test {

// Replaces $N, $K, … in a text.
static std::string fill(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
  for (auto &[name, value] : values)
    for (size_t at; (at = text.find("$" + name + "$")) != std::string::npos;)
      text.replace(at, name.size() + 2, value);
  return text;
}

static std::string str(int64_t value) { return std::to_string(value); }

std::string operandLayouts(const std::string &layout) {
  return ", encoding.operands = [#encoding.identity, #encoding.layout<" + layout + ", swizzle = []>]";
}

std::string gemmText(int64_t m, int64_t k, int64_t n, int64_t panel) {
  std::string shape = str(k) + "x" + str(n), map = "k,j", layout;
  if (panel > 0) {
    shape = str((n + panel - 1) / panel) + "x" + str(k) + "x" + str(panel);
    map = "j floordiv " + str(panel) + ",k,j mod " + str(panel);
    layout = operandLayouts("perm = [1, 0], inner_dims = [1], inner_tiles = [" + str(panel) + "]");
  }
  return fill(R"(func.func @gemm(%a: tensor<$M$x$K$xf32>, %b: tensor<$B$xf32>) -> tensor<$M$x$N$xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<$M$x$N$xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<$M$x$N$xf32>) -> tensor<$M$x$N$xf32>
    %r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(i,k)>,affine_map<(i,j,k)->($MAP$)>,affine_map<(i,j,k)->(i,j)>],
                         iterator_types=["parallel","parallel","reduction"]$LAYOUT$}
         ins(%a, %b : tensor<$M$x$K$xf32>, tensor<$B$xf32>) outs(%f : tensor<$M$x$N$xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %o, %p : f32
      linalg.yield %s : f32 } -> tensor<$M$x$N$xf32>
    return %r : tensor<$M$x$N$xf32>
  })",
              {{"M", str(m)}, {"K", str(k)}, {"N", str(n)}, {"B", shape}, {"MAP", map}, {"LAYOUT", layout}});
}

std::string denseText(int64_t n, int64_t k, Epilogue epilogue) {
  static const char *gelu = R"(
      %h = arith.constant 0.5 : f32
      %one = arith.constant 1.0 : f32
      %r2 = arith.constant 0.70710678 : f32
      %u = arith.mulf %s, %r2 : f32
      %e1 = math.erf %u : f32
      %e2 = arith.addf %e1, %one : f32
      %e3 = arith.mulf %s, %h : f32
      %v = arith.mulf %e3, %e2 : f32
      linalg.yield %v : f32)";
  std::string head =
      R"(func.func @dense(%a: tensor<?x$K$xf32>, %b: tensor<$K$x$N$xf32>$ARGS$, %m: index) -> tensor<?x$N$xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty(%m) : tensor<?x$N$xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x$N$xf32>) -> tensor<?x$N$xf32>
    %r = linalg.matmul ins(%a, %b : tensor<?x$K$xf32>, tensor<$K$x$N$xf32>) outs(%f : tensor<?x$N$xf32>) -> tensor<?x$N$xf32>
)";
  std::string tail =
      R"(    %g = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(j)>$MAPS$,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%r, %bias$INS$ : tensor<?x$N$xf32>, tensor<$N$xf32>$TYPES$) outs(%e : tensor<?x$N$xf32>) {
    ^bb0(%x: f32, %y: f32$BB$, %o: f32):
      %s = arith.addf %x, %y : f32
$BODY$
    } -> tensor<?x$N$xf32>
    return %g : tensor<?x$N$xf32>
})";
  std::string args = epilogue == Epilogue::None ? "" : ", %bias: tensor<$N$xf32>", body, maps, ins, types, bb;
  if (epilogue == Epilogue::None)
    tail = "return %r : tensor<?x$N$xf32>\n}";
  else if (epilogue == Epilogue::Bias)
    body = "linalg.yield %s : f32";
  else if (epilogue == Epilogue::BiasGelu)
    body = gelu;
  else {
    args += ", %res: tensor<?x$N$xf32>";
    maps = ",affine_map<(i,j)->(i,j)>", ins = ", %res", types = ", tensor<?x$N$xf32>", bb = ", %w: f32";
    body = "%v = arith.addf %s, %w : f32\n linalg.yield %v : f32";
    head.replace(head.find("%m: index"), 9, "%m: index, %m2: index");
  }
  return fill(head + tail, {{"ARGS", args},
                            {"BODY", body},
                            {"MAPS", maps},
                            {"INS", ins},
                            {"TYPES", types},
                            {"BB", bb},
                            {"N", str(n)},
                            {"K", str(k)}});
}

std::string softmaxText() {
  return R"(func.func @softmax(%x: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
    %z = arith.constant 0.0 : f32
    %inf = arith.constant 0xFF800000 : f32
    %er = tensor.empty(%m) : tensor<?xf32>
    %e = tensor.empty(%m, %n) : tensor<?x?xf32>
    %fi = linalg.fill ins(%inf : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
    %fz = linalg.fill ins(%z : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
    %max = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x : tensor<?x?xf32>) outs(%fi : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.maximumf %a, %o : f32
      linalg.yield %r : f32 } -> tensor<?xf32>
    %exp = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.subf %a, %b : f32
      %r = math.exp %s : f32
      linalg.yield %r : f32 } -> tensor<?x?xf32>
    %sum = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%exp : tensor<?x?xf32>) outs(%fz : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %o : f32
      linalg.yield %r : f32 } -> tensor<?xf32>
    %div = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%exp, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %r = arith.divf %a, %b : f32
      linalg.yield %r : f32 } -> tensor<?x?xf32>
    return %div : tensor<?x?xf32>
  })";
}

std::string layerNormText(int64_t n) {
  return fill(
      R"(func.func @layernorm(%x: tensor<?x$N$xf32>, %scale: tensor<$N$xf32>, %bias: tensor<$N$xf32>, %m: index) -> tensor<?x$N$xf32> {
    %z = arith.constant 0.0 : f32
    %er = tensor.empty(%m) : tensor<?xf32>
    %e = tensor.empty(%m) : tensor<?x$N$xf32>
    %fz = linalg.fill ins(%z : f32) outs(%er : tensor<?xf32>) -> tensor<?xf32>
    %sum = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%x : tensor<?x$N$xf32>) outs(%fz : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %r = arith.addf %a, %o : f32
      linalg.yield %r : f32 } -> tensor<?xf32>
    %dif = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%x, %sum : tensor<?x$N$xf32>, tensor<?xf32>) outs(%e : tensor<?x$N$xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %n = arith.constant $N$.0 : f32
      %mean = arith.divf %b, %n : f32
      %r = arith.subf %a, %mean : f32
      linalg.yield %r : f32 } -> tensor<?x$N$xf32>
    %var = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>], iterator_types=["parallel","reduction"]} ins(%dif : tensor<?x$N$xf32>) outs(%fz : tensor<?xf32>) {
    ^bb0(%a: f32, %o: f32):
      %q = arith.mulf %a, %a : f32
      %r = arith.addf %q, %o : f32
      linalg.yield %r : f32 } -> tensor<?xf32>
    %res = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i)>,affine_map<(i,j)->(j)>,affine_map<(i,j)->(j)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]} ins(%dif, %var, %scale, %bias : tensor<?x$N$xf32>, tensor<?xf32>, tensor<$N$xf32>, tensor<$N$xf32>) outs(%e : tensor<?x$N$xf32>) {
    ^bb0(%a: f32, %v: f32, %s: f32, %b: f32, %o: f32):
      %n = arith.constant $N$.0 : f32
      %eps = arith.constant 1.0e-5 : f32
      %v1 = arith.divf %v, %n : f32
      %v2 = arith.addf %v1, %eps : f32
      %v3 = math.sqrt %v2 : f32
      %y = arith.divf %a, %v3 : f32
      %y1 = arith.mulf %y, %s : f32
      %y2 = arith.addf %y1, %b : f32
      linalg.yield %y2 : f32 } -> tensor<?x$N$xf32>
    return %res : tensor<?x$N$xf32>
  })",
      {{"N", str(n)}});
}

static std::string attentionText(int64_t h, const std::string &a, const std::string &b, const std::string &c,
                                 const std::string &args, const std::string &dims, const std::string &mapB,
                                 const std::string &body) {
  return fill(
      R"(func.func @attention(%a: tensor<?x$H$x$A$xf32>, %b: tensor<?x$H$x$B$xf32>, $ARGS$) -> tensor<?x$H$x$C$xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty($DIMS$) : tensor<?x$H$x$C$xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x$H$x$C$xf32>) -> tensor<?x$H$x$C$xf32>
    %r = linalg.generic {indexing_maps=[affine_map<(b,h,m,n,k)->(b,h,m,k)>,affine_map<(b,h,m,n,k)->$MAPB$>,affine_map<(b,h,m,n,k)->(b,h,m,n)>], iterator_types=["parallel","parallel","parallel","parallel","reduction"]} ins(%a, %b : tensor<?x$H$x$A$xf32>, tensor<?x$H$x$B$xf32>) outs(%f : tensor<?x$H$x$C$xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %p = arith.mulf %x, %y : f32
      %acc = arith.addf %o, %p : f32
      linalg.yield %acc : f32 } -> tensor<?x$H$x$C$xf32>
    $BODY$
  })",
      {{"BODY", body}, {"A", a}, {"B", b}, {"C", c}, {"ARGS", args}, {"DIMS", dims}, {"MAPB", mapB}, {"H", str(h)}});
}

std::string scoresText(int64_t h, int64_t d, bool transposed) {
  std::string body =
      R"(%g = linalg.generic {indexing_maps=[affine_map<(b,h,i,j)->(b,h,i,j)>,affine_map<(b,h,i,j)->(b,h,i,j)>], iterator_types=["parallel","parallel","parallel","parallel"]} ins(%r : tensor<?x$H$x?x?xf32>) outs(%e : tensor<?x$H$x?x?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %q = arith.constant 0.17677669 : f32
      %scaled = arith.mulf %x, %q : f32
      linalg.yield %scaled : f32 } -> tensor<?x$H$x?x?xf32>
    return %g : tensor<?x$H$x?x?xf32>)";
  return attentionText(h, "?x" + str(d), transposed ? "?x" + str(d) : str(d) + "x?", "?x?",
                       "%b0: index, %s: index, %b1: index, %t: index", "%b0, %s, %t",
                       transposed ? "(b,h,n,k)" : "(b,h,k,n)", body);
}

std::string contextText(int64_t h, int64_t d) {
  return attentionText(h, "?x?", "?x" + str(d), "?x" + str(d),
                       "%b0: index, %s: index, %t0: index, %b1: index, %t: index", "%b0, %s", "(b,h,k,n)",
                       "return %r : tensor<?x$H$x?x" + str(d) + "xf32>");
}

std::string convText(int64_t hw, int64_t c, int64_t f, int64_t kernel, int64_t stride) {
  int64_t in = (hw - 1) * stride + kernel;
  return fill(
      R"(func.func @conv(%x: tensor<1x$I$x$I$x$C$xf32>, %w: tensor<$K$x$K$x$C$x$F$xf32>) -> tensor<1x$O$x$O$x$F$xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<1x$O$x$O$x$F$xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x$O$x$O$x$F$xf32>) -> tensor<1x$O$x$O$x$F$xf32>
    %r = linalg.conv_2d_nhwc_hwcf {strides = dense<$S$> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<1x$I$x$I$x$C$xf32>, tensor<$K$x$K$x$C$x$F$xf32>) outs(%f : tensor<1x$O$x$O$x$F$xf32>) -> tensor<1x$O$x$O$x$F$xf32>
    return %r : tensor<1x$O$x$O$x$F$xf32>
  })",
      {{"I", str(in)}, {"O", str(hw)}, {"C", str(c)}, {"F", str(f)}, {"K", str(kernel)}, {"S", str(stride)}});
}

std::string integerMatmulText(int64_t n, int64_t k, bool rowSigned, bool columnSigned, IntegerColumns columns) {
  bool plain = columns == IntegerColumns::Plain, transposed = columns == IntegerColumns::Transposed;
  std::string type = plain        ? str(k) + "x" + str(n)
                     : transposed ? str(n) + "x" + str(k)
                                  : str((n + 15) / 16) + "x" + str((k + 3) / 4) + "x16x4";
  std::string map = plain ? "(k,j)" : transposed ? "(j,k)" : "(j floordiv 16,k floordiv 4,j mod 16,k mod 4)";
  std::string layout =
      plain || transposed ? "" : operandLayouts("perm = [1, 0], inner_dims = [1, 0], inner_tiles = [16, 4]");
  return fill(
      R"(func.func @matmul(%a: tensor<?x$K$xi8>, %b: tensor<$B$xi8>, %m: index) -> tensor<?x$N$xi32> {
    %z = arith.constant 0 : i32
    %e = tensor.empty(%m) : tensor<?x$N$xi32>
    %f = linalg.fill ins(%z : i32) outs(%e : tensor<?x$N$xi32>) -> tensor<?x$N$xi32>
    %r = linalg.generic {indexing_maps=[affine_map<(i,j,k)->(i,k)>,affine_map<(i,j,k)->$MAP$>,affine_map<(i,j,k)->(i,j)>],
                         iterator_types=["parallel","parallel","reduction"]$LAYOUT$}
         ins(%a, %b : tensor<?x$K$xi8>, tensor<$B$xi8>) outs(%f : tensor<?x$N$xi32>) {
    ^bb0(%x: i8, %y: i8, %o: i32):
      %xx = arith.$XEXT$ %x : i8 to i32
      %yy = arith.$YEXT$ %y : i8 to i32
      %p = arith.muli %xx, %yy : i32
      %s = arith.addi %o, %p : i32
      linalg.yield %s : i32 } -> tensor<?x$N$xi32>
    %g = linalg.generic {indexing_maps=[affine_map<(i,j)->(i,j)>,affine_map<(i,j)->(i,j)>], iterator_types=["parallel","parallel"]}
         ins(%r : tensor<?x$N$xi32>) outs(%e : tensor<?x$N$xi32>) {
    ^bb0(%x: i32, %o: i32):
      %three = arith.constant 3 : i32
      %one = arith.constant 1 : i32
      %p = arith.muli %x, %three : i32
      %q = arith.addi %p, %one : i32
      linalg.yield %q : i32 } -> tensor<?x$N$xi32>
    return %g : tensor<?x$N$xi32>
  })",
      {{"XEXT", rowSigned ? "extsi" : "extui"},
       {"YEXT", columnSigned ? "extsi" : "extui"},
       {"MAP", map},
       {"LAYOUT", layout},
       {"B", type},
       {"N", str(n)},
       {"K", str(k)}});
}

static Dispatch dense(const char *name, int64_t m, int64_t n, int64_t k, Epilogue epilogue) {
  Dispatch d{name, denseText(n, k, epilogue), {m * k, k * n}, {m}, 2.0 * m * n * k};
  if (epilogue != Epilogue::None)
    d.elements.push_back(n);
  if (epilogue == Epilogue::BiasResidual) {
    d.elements.push_back(m * n);
    d.constants.push_back(m);
  }
  d.elements.push_back(m * n);
  return d;
}

static Dispatch integer(const char *name, int64_t m, int64_t n, int64_t k, bool rowSigned, IntegerColumns columns) {
  return {name, integerMatmulText(n, k, rowSigned, true, columns), {m * k / 4, k * n / 4, m * n}, {m}, 2.0 * m * n * k};
}

static Dispatch conv(int64_t hw, int64_t c, int64_t f, int64_t kernel, int64_t stride) {
  int64_t in = (hw - 1) * stride + kernel;
  return {"conv " + str(hw) + " " + str(c) + "->" + str(f) + " k" + str(kernel) + " s" + str(stride),
          convText(hw, c, f, kernel, stride),
          {in * in * c, kernel * kernel * c * f, hw * hw * f},
          {},
          2.0 * hw * hw * f * c * kernel * kernel};
}

std::vector<Dispatch> modelDispatches() {
  int64_t m = 128, s = 128, h = 12, d = 32;
  std::vector<Dispatch> all = {
      dense("dense 384x384", m, 384, 384, Epilogue::None),
      dense("dense 384x384 bias", m, 384, 384, Epilogue::Bias),
      dense("dense 384x384 bias residual", m, 384, 384, Epilogue::BiasResidual),
      dense("dense 384x1536 bias gelu", m, 1536, 384, Epilogue::BiasGelu),
      dense("dense 1536x384 bias residual", m, 384, 1536, Epilogue::BiasResidual),
      dense("dense m=1 384x384 bias", 1, 384, 384, Epilogue::Bias),
      dense("dense m=37 384x384 bias", 37, 384, 384, Epilogue::Bias),
      dense("dense m=508 1280x512", 508, 512, 1280, Epilogue::None),
      integer("integer 1024x1024 u8 i8", 1024, 1024, 1024, false, IntegerColumns::Plain),
      integer("integer 1024x1024 u8 i8 grouped", 1024, 1024, 1024, false, IntegerColumns::Grouped),
      integer("integer 1024x1024 i8 i8", 1024, 1024, 1024, true, IntegerColumns::Plain),
      integer("integer 128x384x1536 u8 i8 grouped", 128, 384, 1536, false, IntegerColumns::Grouped),
      integer("integer 128x384x1536 u8 i8", 128, 384, 1536, false, IntegerColumns::Plain),
      {"scores k", scoresText(h, d, false), {h * s * d, h * s * d, h * s * s}, {1, s, 1, s}, 2.0 * h * s * s * d},
      {"scores k^T", scoresText(h, d, true), {h * s * d, h * s * d, h * s * s}, {1, s, 1, s}, 2.0 * h * s * s * d},
      {"context", contextText(h, d), {h * s * s, h * s * d, h * s * d}, {1, s, s, 1, s}, 2.0 * h * s * s * d},
      {"softmax 1536x128", softmaxText(), {h * s * s, h * s * s}, {h * s, s}, 0},
      {"softmax 512x1000", softmaxText(), {512000, 512000}, {512, 1000}, 0},
      {"layernorm 128x384", layerNormText(384), {m * 384, 384, 384, m * 384}, {m}, 0},
  };
  for (int64_t hw : {56, 28, 14, 7}) {
    int64_t c = 64 * 56 / hw;
    all.push_back(conv(hw, c, c, 3, 1));
    all.push_back(conv(hw, c, 4 * c, 1, 1));
    all.push_back(conv(hw, 4 * c, c, 1, 1));
    if (hw < 56) {
      all.push_back(conv(hw, c, c, 3, 2));
      all.push_back(conv(hw, 2 * c, 4 * c, 1, 2));
    }
  }
  all.push_back(conv(112, 3, 64, 7, 2));
  return all;
}

} // namespace heddle::test
