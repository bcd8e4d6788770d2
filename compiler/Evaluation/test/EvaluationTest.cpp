// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The evaluator against the reference, which computes the same functions with code made by upstream passes.
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Evaluation/Evaluator.h"
#include "compiler/Evaluation/Lanes.h"
#include "compiler/Reference/Reference.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::heddle;
using reference::Tensor;

namespace {

// "{T}" and "{S}" and so on in a text replaced.
std::string fill(std::string text, std::initializer_list<std::pair<const char *, std::string>> words) {
  for (auto [key, value] : words)
    for (size_t at; (at = text.find(key)) != std::string::npos;)
      text.replace(at, strlen(key), value);
  return text;
}

struct EvaluationTest : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string diagnostics;
  ScopedDiagnosticHandler handler{&context, [&](Diagnostic &diagnostic) {
                                    llvm::raw_string_ostream(diagnostics)
                                        << diagnostic.getLocation() << ": " << diagnostic;
                                    return success();
                                  }};
  std::mt19937 random{11};

  EvaluationTest() {
    context.loadDialect<flow::FlowDialect, func::FuncDialect, linalg::LinalgDialect, arith::ArithDialect,
                        math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  }

  // A parameter of values in [-20, 20], with fractions where the type has them; filled in by parse().
  std::string parameter(StringRef name, StringRef type) {
    StringRef zero = type.ends_with("xi1>") ? "false" : type.contains('f') ? "0.0" : "0";
    return ("flow.parameter private @" + name + " : " + type + " = dense<" + zero + "> {random}\n").str();
  }

  OwningOpRef<ModuleOp> parse(const std::string &source) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module) << diagnostics;
    if (!module)
      return ModuleOp::create(UnknownLoc::get(&context));
    for (auto op : module->getOps<flow::ParameterOp>())
      if (op->hasAttr("random"))
        op.setValueAttr(randomElements(cast<RankedTensorType>(op.getType())));
    return module;
  }

  ElementsAttr randomElements(RankedTensorType type) {
    Tensor tensor = Tensor::allocate(reference::elementTypeOf(type.getElementType()), type.getShape());
    std::uniform_int_distribution<int> value(-80, 80);
    bool isFloat = isa<FloatType>(type.getElementType()), isBool = type.getElementType().isInteger(1);
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.setDouble(i, isBool ? value(random) & 1 : isFloat ? value(random) / 4.0 : value(random) / 4);
    evaluation::Array array{type.getElementType(), SmallVector<int64_t>(type.getShape()),
                            evaluation::denseStrides(type.getShape()), tensor.data, tensor.owner};
    return evaluation::makeElements(array, "random");
  }

  // Runs @main both ways; every result must have the same bytes.
  void check(const std::string &source) {
    SCOPED_TRACE(source);
    OwningOpRef<ModuleOp> module = parse(source);
    SymbolTable symbols(*module);
    auto main = symbols.lookup<func::FuncOp>("main");
    ASSERT_TRUE(main);
    SmallVector<evaluation::Array> got;
    for (Value value : main.getBody().front().getTerminator()->getOperands()) {
      FailureOr<evaluation::Array> array = evaluation::evaluate(value, symbols);
      ASSERT_TRUE(succeeded(array)) << "not computable";
      got.push_back(array->dense());
    }
    auto oracle = reference::Reference::create(*module);
    ASSERT_TRUE(succeeded(oracle)) << diagnostics;
    std::vector<Tensor> expected;
    ASSERT_EQ((*oracle)->run({}, expected), "");
    ASSERT_EQ(got.size(), expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].shape, expected[i].shape);
      for (int64_t e = 0; e < expected[i].count(); ++e) {
        size_t width = evaluation::byteWidth(got[i].elementType);
        Tensor mine{expected[i].type, {}, const_cast<char *>(got[i].origin) + e * width, nullptr};
        ASSERT_EQ(memcmp(mine.data, expected[i].data + e * width, width), 0)
            << "result " << i << ", element " << e << ": got " << mine.asDouble(0) << ", expected "
            << expected[i].asDouble(e);
      }
    }
  }

  bool isComputable(const std::string &source) {
    OwningOpRef<ModuleOp> module = parse(source);
    SymbolTable symbols(*module);
    auto main = symbols.lookup<func::FuncOp>("main");
    return evaluation::isConstantExpression(main.getBody().front().getTerminator()->getOperand(0));
  }
};

constexpr const char *kAllTypes[] = {"i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64"};
constexpr const char *kNumbers[] = {"i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};

std::string isFloat(StringRef type) { return type.contains('f') ? "f" : "i"; }

} // namespace

//===--- Movement ------------------------------------------------------------------------------------------------===//

TEST_F(EvaluationTest, MovesElementsOfEveryType) {
  for (StringRef type : kAllTypes) {
    if (type == "index")
      continue; // the reference has no such parameters
    bool fraction = type.contains('f');
    std::string zero = fraction ? "3.0 : {T}" : type == "i1" ? "true" : "3 : {T}";
    check(fill(parameter("a", ("tensor<3x5x7x" + type + ">").str()) +
                   parameter("b", ("tensor<3x2x7x" + type + ">").str()) + R"(
  func.func @main() -> (tensor<7x3x5x{T}>, tensor<3x7x7x{T}>, tensor<15x7x{T}>, tensor<2x4x{T}>, tensor<3x5x7x{T}>, tensor<4x6x9x{T}>, tensor<3x1x5x7x{T}>, tensor<3x4x6x{T}>) {
    %a = flow.parameter.load @a : tensor<3x5x7x{T}>
    %b = flow.parameter.load @b : tensor<3x2x7x{T}>
    %pad = arith.constant {Z}
    %e = tensor.empty() : tensor<7x3x5x{T}>
    %t = linalg.transpose ins(%a : tensor<3x5x7x{T}>) outs(%e : tensor<7x3x5x{T}>) permutation = [2, 0, 1]
    %c = tensor.concat dim(1) %b, %a : (tensor<3x2x7x{T}>, tensor<3x5x7x{T}>) -> tensor<3x7x7x{T}>
    %f = tensor.collapse_shape %a [[0, 1], [2]] : tensor<3x5x7x{T}> into tensor<15x7x{T}>
    %s = tensor.extract_slice %t[1, 1, 0] [2, 1, 4] [3, 1, 1] : tensor<7x3x5x{T}> to tensor<2x4x{T}>
    %i = tensor.insert_slice %s into %a[1, 0, 2] [2, 1, 4] [1, 1, 1] : tensor<2x4x{T}> into tensor<3x5x7x{T}>
    %p = tensor.pad %a low[1, 0, 2] high[0, 1, 0] {
      ^bb0(%x: index, %y: index, %z: index):
        tensor.yield %pad : {T}
    } : tensor<3x5x7x{T}> to tensor<4x6x9x{T}>
    %w = tensor.expand_shape %a [[0, 1], [2], [3]] output_shape [3, 1, 5, 7] : tensor<3x5x7x{T}> into tensor<3x1x5x7x{T}>
    %cut = tensor.extract_slice %a[0, 1, 1] [3, 4, 6] [1, 1, 1] : tensor<3x5x7x{T}> to tensor<3x4x6x{T}>
    return %t, %c, %f, %s, %i, %p, %w, %cut : tensor<7x3x5x{T}>, tensor<3x7x7x{T}>, tensor<15x7x{T}>, tensor<2x4x{T}>, tensor<3x5x7x{T}>, tensor<4x6x9x{T}>, tensor<3x1x5x7x{T}>, tensor<3x4x6x{T}>
  })",
               {{"{Z}", zero}, {"{T}", type.str()}}));
  }
}

TEST_F(EvaluationTest, MovesOddShapes) {
  for (auto [n, m] : {std::pair{0, 4}, {4, 0}, {1, 1}, {1, 513}, {513, 1}, {33, 65}, {1000, 3}}) {
    std::string plain = std::to_string(n) + "x" + std::to_string(m),
                turned = std::to_string(m) + "x" + std::to_string(n);
    check(fill(parameter("a", "tensor<" + plain + "xi16>") + R"(
  func.func @main() -> (tensor<{M}xi16>, tensor<{N}xi16>) {
    %a = flow.parameter.load @a : tensor<{N}xi16>
    %e = tensor.empty() : tensor<{M}xi16>
    %t = linalg.transpose ins(%a : tensor<{N}xi16>) outs(%e : tensor<{M}xi16>) permutation = [1, 0]
    %ne = tensor.empty() : tensor<{N}xi16>
    %s = linalg.add ins(%a, %a : tensor<{N}xi16>, tensor<{N}xi16>) outs(%ne : tensor<{N}xi16>) -> tensor<{N}xi16>
    return %t, %s : tensor<{M}xi16>, tensor<{N}xi16>
  })",
               {{"{N}", plain}, {"{M}", turned}}));
  }
}

TEST_F(EvaluationTest, PacksAndUnpacks) {
  check(parameter("a", "tensor<13x10xf32>") + R"(
  func.func @main() -> (tensor<3x4x4x4xf32>, tensor<13x10xf32>) {
    %a = flow.parameter.load @a : tensor<13x10xf32>
    %pad = arith.constant 0.5 : f32
    %e = tensor.empty() : tensor<3x4x4x4xf32>
    %p = linalg.pack %a padding_value(%pad : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4] into %e : tensor<13x10xf32> -> tensor<3x4x4x4xf32>
    %o = tensor.empty() : tensor<13x10xf32>
    %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [4, 4] into %o : tensor<3x4x4x4xf32> -> tensor<13x10xf32>
    return %p, %u : tensor<3x4x4x4xf32>, tensor<13x10xf32>
  })");
}

//===--- Computations --------------------------------------------------------------------------------------------===//

// Broadcasts on both sides, products, a sum over the middle dimension and one over all.
TEST_F(EvaluationTest, ComputesWithEveryType) {
  for (StringRef type : kNumbers)
    for (int n : {1, 5, 700})
      check(fill(parameter("a", "tensor<3x" + std::to_string(n) + "x4x" + type.str() + ">") +
                     parameter("b", ("tensor<4x" + type + ">").str()) + R"(
  func.func @main() -> (tensor<3x{N}x4x{T}>, tensor<3x4x{T}>, tensor<{T}>) {
    %a = flow.parameter.load @a : tensor<3x{N}x4x{T}>
    %b = flow.parameter.load @b : tensor<4x{T}>
    %zero = arith.constant {Z} : {T}
    %e = tensor.empty() : tensor<3x{N}x4x{T}>
    %x = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a, %b : tensor<3x{N}x4x{T}>, tensor<4x{T}>) outs(%e : tensor<3x{N}x4x{T}>) {
      ^bb0(%p: {T}, %q: {T}, %o: {T}):
        %0 = arith.mul{F} %p, %q : {T}
        %1 = arith.sub{F} %0, %p : {T}
        linalg.yield %1 : {T}
    } -> tensor<3x{N}x4x{T}>
    %se = tensor.empty() : tensor<3x4x{T}>
    %sf = linalg.fill ins(%zero : {T}) outs(%se : tensor<3x4x{T}>) -> tensor<3x4x{T}>
    %s = linalg.reduce { arith.add{F} } ins(%a : tensor<3x{N}x4x{T}>) outs(%sf : tensor<3x4x{T}>) dimensions = [1]
    %ae = tensor.empty() : tensor<{T}>
    %af = linalg.fill ins(%zero : {T}) outs(%ae : tensor<{T}>) -> tensor<{T}>
    %all = linalg.reduce { arith.add{F} } ins(%a : tensor<3x{N}x4x{T}>) outs(%af : tensor<{T}>) dimensions = [0, 1, 2]
    return %x, %s, %all : tensor<3x{N}x4x{T}>, tensor<3x4x{T}>, tensor<{T}>
  })",
                 {{"{N}", std::to_string(n)},
                  {"{T}", type.str()},
                  {"{F}", isFloat(type)},
                  {"{Z}", type.contains('f') ? "0.0" : "0"}}));
}

// One elementwise op on two operands (or one) of `type`, to `to`.
static std::string elementwise(std::string parameters, const std::string &op, StringRef type, StringRef to) {
  return fill(parameters + R"(
  func.func @main() -> tensor<9x{R}> {
    %a = flow.parameter.load @a : tensor<9x{T}>
    %b = flow.parameter.load @b : tensor<9x{T}>
    %e = tensor.empty() : tensor<9x{R}>
    %x = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a, %b : tensor<9x{T}>, tensor<9x{T}>) outs(%e : tensor<9x{R}>) {
      ^bb0(%p: {T}, %q: {T}, %o: {R}):
        %0 = {OP}
        linalg.yield %0 : {R}
    } -> tensor<9x{R}>
    return %x : tensor<9x{R}>
  })",
              {{"{OP}", op}, {"{T}", type.str()}, {"{R}", to.str()}});
}

TEST_F(EvaluationTest, ComputesEveryIntegerOp) {
  for (StringRef type : {"i8", "i16", "i32", "i64"}) {
    std::string nonzero = fill("flow.parameter private @b : tensor<9x{T}> = dense<[1, -2, 3, 7, -7, 2, 5, 4, 6]>\n",
                               {{"{T}", type.str()}});
    std::string amounts =
        fill("flow.parameter private @b : tensor<9x{T}> = dense<[1, 2, 3, 7, 0, 2, 5, 4, 6]>\n", {{"{T}", type.str()}});
    std::string a = parameter("a", ("tensor<9x" + type + ">").str());
    for (const char *op : {"addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "andi", "ori", "xori", "minsi",
                           "maxsi", "minui", "maxui"})
      check(elementwise(a + nonzero, std::string("arith.") + op + " %p, %q : {T}", type, type));
    for (const char *op : {"shli", "shrsi", "shrui"})
      check(elementwise(a + amounts, std::string("arith.") + op + " %p, %q : {T}", type, type));
    for (const char *order : {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"})
      check(elementwise(a + nonzero, std::string("arith.cmpi ") + order + ", %p, %q : {T}", type, "i1"));
  }
}

TEST_F(EvaluationTest, ComputesEveryFloatOp) {
  for (StringRef type : {"f16", "bf16", "f32", "f64"}) {
    std::string special =
        fill("flow.parameter private @b : tensor<9x{T}> = dense<[1.0, -2.0, 0.0, -0.0, {I}, {J}, {K}, 0.1, 6.0]>\n",
             {{"{T}", type.str()},
              {"{I}", type == "f16"    ? "0x7C00"
                      : type == "bf16" ? "0x7F80"
                      : type == "f32"  ? "0x7F800000"
                                       : "0x7FF0000000000000"},
              {"{J}", type == "f16"    ? "0xFC00"
                      : type == "bf16" ? "0xFF80"
                      : type == "f32"  ? "0xFF800000"
                                       : "0xFFF0000000000000"},
              {"{K}", type == "f16"    ? "0x7E00"
                      : type == "bf16" ? "0x7FC0"
                      : type == "f32"  ? "0x7FC00000"
                                       : "0x7FF8000000000000"}});
    std::string a = parameter("a", ("tensor<9x" + type + ">").str());
    // Without NaN results, whose sign is nobody's business.
    for (const char *op : {"arith.addf", "arith.subf", "arith.mulf"})
      check(elementwise(a + parameter("b", ("tensor<9x" + type + ">").str()), std::string(op) + " %p, %q : {T}", type,
                        type));
    for (const char *order :
         {"oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"})
      check(elementwise(a + special, std::string("arith.cmpf ") + order + ", %q, %p : {T}", type, "i1"));
    std::string zeros =
        fill("flow.parameter private @a : tensor<9x{T}> = dense<[0., -0., 0., -0., 1., 0., -0., 0., 2.]>\n"
             "flow.parameter private @b : tensor<9x{T}> = dense<[-0., 0., 0., -0., 0., 1., 0., -0., 1.]>\n",
             {{"{T}", type.str()}});
    for (const char *op : {"arith.maximumf", "arith.minimumf"}) {
      check(elementwise(a + special, std::string(op) + " %q, %p : {T}", type, type));
      check(elementwise(zeros, std::string(op) + " %q, %p : {T}", type, type));
    }
    for (const char *op :
         {"math.floor", "math.ceil", "math.trunc", "math.round", "math.roundeven", "math.absf", "arith.negf"})
      check(elementwise(a + special, std::string(op) + " %p : {T}", type, type));
  }
  std::string positive =
      "flow.parameter private @a : tensor<9xf32> = dense<[0.1, 0.2, 0.3, 1.0, 0.7, 0.9, 0.01, 0.5, 0.25]>\n"
      "flow.parameter private @b : tensor<9xf32> = dense<2.5>\n";
  for (const char *op : {"sqrt", "rsqrt", "exp",  "exp2", "expm1", "log",  "log2", "log10", "log1p", "sin", "cos",
                         "tan",  "asin",  "acos", "atan", "sinh",  "cosh", "tanh", "erf",   "erfc",  "cbrt"})
    check(elementwise(positive, std::string("math.") + op + " %p : {T}", "f32", "f32"));
  for (const char *op : {"math.powf", "math.atan2", "arith.divf", "arith.remf"})
    check(elementwise(positive, std::string(op) + " %p, %q : {T}", "f32", "f32"));
  check(elementwise(positive, "math.fma %p, %q, %p : {T}", "f32", "f32"));
}

// What the reference does not know.
TEST_F(EvaluationTest, ComputesMagnitudeAndSign) {
  auto values = [&]<typename T>(const std::string &source, T) {
    OwningOpRef<ModuleOp> module = parse(source);
    SymbolTable symbols(*module);
    Operation *end = symbols.lookup<func::FuncOp>("main").getBody().front().getTerminator();
    FailureOr<evaluation::Array> array = evaluation::evaluate(end->getOperand(0), symbols);
    EXPECT_TRUE(succeeded(array));
    std::vector<T> result(9);
    memcpy(result.data(), array->dense().origin, 9 * sizeof(T));
    return result;
  };
  std::string bytes = "flow.parameter private @a : tensor<9xi8> = dense<[1, -2, 3, -128, 127, 0, -1, 4, 6]>\n"
                      "flow.parameter private @b : tensor<9xi8> = dense<0>\n";
  EXPECT_EQ(values(elementwise(bytes, "math.absi %p : {T}", "i8", "i8"), int8_t()),
            (std::vector<int8_t>{1, 2, 3, -128, 127, 0, 1, 4, 6}));
  std::string floats =
      "flow.parameter private @a : tensor<9xf32> = dense<[1.0, -2.0, 3.0, -0.0, 5.0, 6.0, 7.0, 8.0, 9.0]>\n"
      "flow.parameter private @b : tensor<9xf32> = dense<-1.0>\n";
  EXPECT_EQ(values(elementwise(floats, "math.copysign %p, %q : {T}", "f32", "f32"), float()),
            (std::vector<float>{-1, -2, -3, -0.0f, -5, -6, -7, -8, -9}));
}

TEST_F(EvaluationTest, ConvertsBetweenTypes) {
  auto convert = [&](const std::string &op, StringRef from, StringRef to) {
    check(
        elementwise(parameter("a", ("tensor<9x" + from + ">").str()) + parameter("b", ("tensor<9x" + from + ">").str()),
                    "arith." + op + " %p : {T} to {R}", from, to));
  };
  for (StringRef from : {"i1", "i8", "i16", "i32"})
    for (const char *op : {"extsi", "extui"})
      convert(op, from, "i64");
  for (StringRef to : {"i1", "i8", "i16", "i32"})
    convert("trunci", "i64", to);
  for (StringRef from : {"i1", "i8", "i32", "i64"})
    for (StringRef to : {"bf16", "f16", "f32", "f64"}) {
      convert("sitofp", from, to);
      if (to != "f16") // 2^64 - 1 is infinite there or the largest number: two readings
        convert("uitofp", from, to);
    }
  for (StringRef from : {"bf16", "f16", "f32", "f64"})
    for (StringRef to : {"i8", "i16", "i32", "i64"})
      convert("fptosi", from, to);
  for (auto [from, to] : {std::pair{"f16", "f32"}, {"f16", "f64"}, {"bf16", "f32"}, {"f32", "f64"}})
    convert("extf", from, to);
  for (auto [from, to] : {std::pair{"f32", "f16"}, {"f32", "bf16"}, {"f64", "f32"}, {"f64", "f16"}})
    convert("truncf", from, to);
  convert("bitcast", "f32", "i32");
  convert("bitcast", "i64", "f64");
}

TEST_F(EvaluationTest, ReadsAtComputedIndices) {
  std::string gather = parameter("a", "tensor<5x3xf32>") + R"(
  flow.parameter private @i : tensor<4xi64> = dense<[4, 0, {LAST}, 1]>
  func.func @main() -> tensor<4x3xf32> {
    %a = flow.parameter.load @a : tensor<5x3xf32>
    %i = flow.parameter.load @i : tensor<4xi64>
    %c5 = arith.constant 5 : index
    %e = tensor.empty() : tensor<4x3xf32>
    %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<4xi64>) outs(%e : tensor<4x3xf32>) {
      ^bb0(%p: i64, %o: f32):
        %0 = arith.index_cast %p : i64 to index
        %1 = flow.checked_index %0, %c5
        %2 = linalg.index 1 : index
        %3 = tensor.extract %a[%1, %2] : tensor<5x3xf32>
        linalg.yield %3 : f32
    } -> tensor<4x3xf32>
    return %x : tensor<4x3xf32>
  })";
  check(fill(gather, {{"{LAST}", "3"}}));
  OwningOpRef<ModuleOp> module = parse(fill(gather, {{"{LAST}", "5"}}));
  SymbolTable symbols(*module);
  Operation *end = symbols.lookup<func::FuncOp>("main").getBody().front().getTerminator();
  EXPECT_TRUE(failed(evaluation::evaluate(end->getOperand(0), symbols)));
}

TEST_F(EvaluationTest, EqualElementsTakeNoMemory) {
  auto filled = [](StringRef size) {
    return fill(R"(
  func.func @main() -> tensor<{N}xf64> {
    %one = arith.constant 1.0 : f64
    %e = tensor.empty() : tensor<{N}xf64>
    %f = linalg.fill ins(%one : f64) outs(%e : tensor<{N}xf64>) -> tensor<{N}xf64>
    %x = linalg.exp ins(%f : tensor<{N}xf64>) outs(%e : tensor<{N}xf64>) -> tensor<{N}xf64>
    return %x : tensor<{N}xf64>
  })",
                {{"{N}", size.str()}});
  };
  OwningOpRef<ModuleOp> module = parse(filled("32x1000x1000x30"));
  SymbolTable symbols(*module);
  Operation *end = symbols.lookup<func::FuncOp>("main").getBody().front().getTerminator();
  FailureOr<evaluation::Array> array = evaluation::evaluate(end->getOperand(0), symbols);
  ASSERT_TRUE(succeeded(array));
  EXPECT_TRUE(array->isSplat());
  double element;
  memcpy(&element, array->origin, sizeof element);
  EXPECT_EQ(element, std::exp(1.0));
  // More than 2^30 iterations are not computed, alike or not.
  EXPECT_FALSE(isComputable(filled("33x1000x1000x1000")));
}

TEST_F(EvaluationTest, KnowsWhatItCannotCompute) {
  auto body = [&](const std::string &argument, const std::string &inner) {
    return fill(R"(
  func.func @main({ARG}) -> tensor<3xf32> {
    %e = tensor.empty() : tensor<3xf32>
    {X}
    %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
      ^bb0(%p: f32, %o: f32):
        {BODY}
        linalg.yield %0 : f32
    } -> tensor<3xf32>
    return %r : tensor<3xf32>
  })",
                {{"{ARG}", argument.empty() ? "" : "%x: tensor<3xf32>"},
                 {"{X}", argument.empty() ? "%x = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>" : ""},
                 {"{BODY}", inner}});
  };
  EXPECT_TRUE(isComputable(body("", "%0 = arith.negf %p : f32")));
  EXPECT_FALSE(isComputable(body("argument", "%0 = arith.negf %p : f32")));
  EXPECT_FALSE(isComputable(
      body("", "%c = arith.constant true\n%0 = scf.if %c -> f32 { scf.yield %p : f32 } else { scf.yield %p : f32 }")));
}

//===--- Rounding ------------------------------------------------------------------------------------------------===//

TEST(LanesTest, RoundsDoublesOnce) {
  // Just above the middle between two halves; a float would lose the last bit and round to even.
  EXPECT_EQ(evaluation::roundToHalf(evaluation::roundToOdd(1.0 + 0x1p-11 + 0x1p-40)), 1.0f + 0x1p-10f);
  EXPECT_EQ(evaluation::roundToHalf(evaluation::roundToOdd(1.0 + 0x1p-11)), 1.0f);
  EXPECT_EQ(evaluation::roundToHalf(65519.0f), 65504.0f);
  EXPECT_TRUE(std::isinf(evaluation::roundToHalf(65520.0f)));
  EXPECT_EQ(evaluation::roundToHalf(0x1p-24f), 0x1p-24f);
  EXPECT_EQ(evaluation::roundToHalf(0x1p-25f), 0.0f);
  EXPECT_TRUE(std::isnan(evaluation::roundToBFloat(std::nanf("")))) << "not an infinity";
}
