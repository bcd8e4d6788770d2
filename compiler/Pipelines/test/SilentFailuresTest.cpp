// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/SilentFailures.h"
#include "compiler/Dialect/Rewrite.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct Fail : PassWrapper<Fail, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fail)

  explicit Fail(StringRef words) : words(words) {}
  StringRef getArgument() const override { return "fail"; }
  void runOnOperation() override {
    if (!words.empty())
      getOperation().emitError(words);
    signalPassFailure();
  }

  StringRef words;
};

// Never ends: a constant and its negation take turns.
struct Negate : OpRewritePattern<arith::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ConstantOp op, PatternRewriter &rewriter) const override {
    auto value = cast<IntegerAttr>(op.getValue());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, rewriter.getI32IntegerAttr(-value.getInt()));
    return success();
  }
};

// One more op in each iteration over the IR, up to a hundred.
struct Count : OpRewritePattern<ModuleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ModuleOp op, PatternRewriter &rewriter) const override {
    auto count = op->getAttrOfType<IntegerAttr>("count");
    if (!count || count.getInt() == 100)
      return failure();
    rewriter.modifyOpInPlace(op, [&] { op->setAttr("count", rewriter.getI32IntegerAttr(count.getInt() + 1)); });
    return success();
  }
};

class SilentFailuresTest : public testing::Test {
protected:
  SilentFailuresTest() : handler(&context, [this](Diagnostic &diagnostic) { messages.push_back(diagnostic.str()); }) {
    context.loadDialect<arith::ArithDialect>();
  }

  LogicalResult run(StringRef words) {
    auto pm = PassManager::on<ModuleOp>(&context);
    nameSilentFailures(pm);
    pm.addPass(std::make_unique<Fail>(words));
    return pm.run(*module);
  }

  MLIRContext context;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
};

TEST_F(SilentFailuresTest, APassThatSaysNothingIsNamed) {
  EXPECT_TRUE(failed(run("")));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "the pass 'fail' failed without a reason: a bug of Heddle; please report it with what 'heddle "
                         "reduce' leaves of the model");
}

TEST_F(SilentFailuresTest, APassThatSaysWhyIsNot) {
  EXPECT_TRUE(failed(run("no room")));
  EXPECT_EQ(messages, std::vector<std::string>{"no room"});
}

TEST_F(SilentFailuresTest, RewritingThatDoesNotEndIsAnError) {
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  auto constant = arith::ConstantOp::create(builder, module->getLoc(), builder.getI32IntegerAttr(1));
  auto keep = OperationState(module->getLoc(), "test.keep", constant->getResults(), {}, {});
  context.allowUnregisteredDialects();
  builder.create(keep);
  RewritePatternSet patterns(&context);
  patterns.add<Negate>(&context);
  EXPECT_TRUE(failed(rewriteGreedily(*module, std::move(patterns))));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_TRUE(StringRef(messages[0]).starts_with("rewriting does not end")) << messages[0];
}

TEST_F(SilentFailuresTest, ManyRewritesOfOneOpAreNone) {
  OpBuilder builder = OpBuilder::atBlockBegin(module->getBody());
  ModuleOp inner = ModuleOp::create(builder, module->getLoc());
  inner->setAttr("count", builder.getI32IntegerAttr(0));
  RewritePatternSet patterns(&context);
  patterns.add<Count>(&context);
  EXPECT_TRUE(succeeded(rewriteGreedily(*module, std::move(patterns))));
  EXPECT_TRUE(messages.empty());
}

} // namespace
