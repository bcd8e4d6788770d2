#include "compiler/Stages/Import/Import.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace {

// What the caller hears of a file that MLIR cannot read; nothing is printed past it.
TEST(ImportModel, ErrorsOfTheParserGoToTheCaller) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("model", "mlir", path));
  llvm::FileRemover remove(path);
  {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    file << "func.func @main() {\n  return %nothing : f32\n}\n";
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect>();
  std::string heard;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(heard) << diagnostic.getLocation() << ": " << diagnostic << "\n";
    return success();
  });
  testing::internal::CaptureStderr();
  OwningOpRef<ModuleOp> module = heddle::importModel(path, &context, {});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(module);
  EXPECT_EQ(heard, "loc(\"" + path.str().str() + "\":2:10): use of undeclared SSA value name\n");
}

} // namespace
