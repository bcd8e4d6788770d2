// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Import.h"
#include "compiler/Stages/Import/ListSyntax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace {

// What the caller hears of a text that MLIR cannot read, in a file called "model"; nothing is printed past it.
std::string hear(llvm::StringRef text) {
  llvm::SmallString<128> path;
  EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("model", "mlir", path));
  llvm::FileRemover remove(path);
  {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    file << text;
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect>();
  context.loadDialect<linalg::LinalgDialect>();
  std::string heard;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(heard) << diagnostic.getLocation() << ": " << diagnostic << "\n";
    return success();
  });
  testing::internal::CaptureStderr();
  OwningOpRef<ModuleOp> module = mlir::heddle::importModel(path, &context, {});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(module);
  size_t name = heard.find(path.str());
  return name == std::string::npos ? heard : heard.replace(name, path.size(), "model");
}

TEST(ImportModel, ErrorsOfTheParserGoToTheCaller) {
  EXPECT_EQ(hear("func.func @main() {\n  return %nothing : f32\n}\n"),
            "loc(\"model\":2:10): use of undeclared SSA value name\n");
}

TEST(ImportModel, ListsThatMlirCrashesOn) {
  EXPECT_EQ(hear("func.func @main(%x: tensor<4x2xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {\n"
                 "  %t = linalg.transpose ins(%x : tensor<4x2xf32>) outs(%y : tensor<2x4xf32>) permutation = [1, 0\n"
                 "  return %t : tensor<2x4xf32>\n}\n"),
            "loc(\"model\":2:92): expected a list of integers, such as [1, 0]\n");
}

TEST(ImportModel, NestingThatMlirHasNoStackFor) {
  std::string deep = "func.func @main(%c: i1) {\n";
  for (int i = 0; i < 20000; ++i)
    deep += "scf.if %c {";
  EXPECT_EQ(hear(deep), "loc(\"model\":2:11000): brackets nest more than a thousand deep here\n");
}

TEST(ListSyntax, FindsDeepNesting) {
  auto many = [](const std::string &text) {
    std::string result;
    for (int i = 0; i < 2000; ++i)
      result += text;
    return result;
  };
  for (const char *bad : {"(", "[{", "<", "- ", "{a = affine_set<(d0) : (d0 >= 0)>, b = ", "(d0 -> "})
    EXPECT_TRUE(mlir::heddle::findDeepNesting(many(bad))) << bad;
  for (const char *good :
       {"()", "-1, ", "->", "a <= b ", "\"((\" ", "\"\\\"(\" ", "// (((\n", "(x >= 0)", ")(", "[<{}>]"})
    EXPECT_FALSE(mlir::heddle::findDeepNesting(many(good))) << good;
  EXPECT_EQ(mlir::heddle::findDeepNesting(many("[")), 1000u);
}

TEST(ListSyntax, FindsTheFirstMalformedList) {
  for (const char *bad : {"permutation = [1, 0", "permutation = 1", "dimensions = [1 0]", "dimensions = [1,]",
                          "outs(%y) permutation =", "dimensions = [99999999999999999999]", "dimensions = array<i64: 1>",
                          "dimensions // [1]\n = // [1]\n x"})
    EXPECT_TRUE(mlir::heddle::findMalformedList(bad)) << bad;
  for (const char *good :
       {"", "permutation", "dimensions = []", "permutation = [1, 0] x", "dimensions = [ -1 , // last\n 2 ]",
        "{permutation = array<i64: 1, 0>}", "<{a = 1, dimensions = dense<1>}>", "%permutation = f()",
        "#dimensions = affine_map<(i) -> (i)>", "// permutation = x", "\"a \\\" permutation = x\"", "\"permutation"})
    EXPECT_FALSE(mlir::heddle::findMalformedList(good)) << good;
  EXPECT_EQ(mlir::heddle::findMalformedList("permutation = [0] dimensions = x"), 31u);
}

} // namespace
