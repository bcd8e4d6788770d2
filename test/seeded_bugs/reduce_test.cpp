// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle reduce --diverges brings a model down to the op that a bug of the compiler loses.
#include "tools/reduce/Interest.h"
#include "tools/reduce/Reducer.h"

#include "compiler/Pipelines/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct ReduceDiverges : testing::Test {
  void SetUp() override {
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry);
    module = parseSourceFile<ModuleOp>(HEDDLE_SEEDED_MODELS "/model.mlir", context.get());
    ASSERT_TRUE(module);
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("candidate", "mlir", path));
    interest.kind = ::heddle::tools::Interest::Kind::Diverges;
    interest.programs = HEDDLE_SEEDED_CHECK_FOLDER;
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  bool diverges(ModuleOp each) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << spell(each);
    return ::heddle::tools::holds(interest, path.str().str());
  }

  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  llvm::SmallString<128> path;
  ::heddle::tools::Interest interest;
};

unsigned maximaOf(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](arith::MaximumFOp) { ++count; });
  return count;
}

TEST_F(ReduceDiverges, ToTheOpThatIsLost) {
  Reduction reduction = reduce(*module, [&](ModuleOp each) { return diverges(each); }, 150);
  EXPECT_EQ(maximaOf(*reduction.module), 1u) << spell(*reduction.module);
  EXPECT_LE(countOps(*reduction.module), 2u) << spell(*reduction.module); // the generic and the maximum in it
  EXPECT_TRUE(diverges(*reduction.module));
}

TEST_F(ReduceDiverges, WithoutItNothingDiffers) {
  module->walk([](arith::MaximumFOp op) {
    op.replaceAllUsesWith(op.getLhs());
    op.erase();
  });
  EXPECT_FALSE(diverges(*module));
}

// What the program refuses does not diverge.
TEST_F(ReduceDiverges, AFailureIsNone) {
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << "this is no module";
  EXPECT_FALSE(::heddle::tools::holds(interest, path.str().str()));
}

} // namespace
