// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle check names the stage and the dispatch of each seeded bug, and finds none in the compiler as it is.
#include "test/seeded_bugs/SeededBugs.h"
#include "tools/check/Check.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::test;

namespace {

struct SeededBugs : testing::TestWithParam<SeededBug> {
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  std::vector<check::StageReport> reports;

  FailureOr<bool> run(const check::CheckOptions &options, const char *model = "model.mlir") {
    registerDialects(registry);
    context = std::make_unique<MLIRContext>(registry);
    ScopedDiagnosticHandler quiet(context.get(), [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module =
        parseSourceFile<ModuleOp>(std::string(HEDDLE_SEEDED_MODELS "/") + model, context.get());
    if (!module)
      return failure();
    reference::Tensor x = reference::Tensor::allocate(reference::ElementType::F32, {5, 8});
    for (int64_t i = 0; i < x.count(); ++i)
      x.setDouble(i, static_cast<double>((i * 7) % 11) / 5 - 1);
    return check::checkModule(*module, x, options,
                              [&](const check::StageReport &report) { reports.push_back(report); });
  }
};

TEST_P(SeededBugs, StageAndDispatchAreNamed) {
  const SeededBug &bug = GetParam();
  bool seeded = false;
  check::CheckOptions options;
  options.compile.layout.dataTiling = DataTiling::Off; // some bugs exchange values, which then have one type
  options.tamper = [&](Stage stage, ModuleOp module) {
    if (stage != bug.stage || !bug.tamper)
      return success();
    seeded = true;
    return bug.tamper(module);
  };
  if (bug.tamperArtifact)
    options.tamperArtifact = [&](const std::string &path) {
      seeded = true;
      bug.tamperArtifact(path);
    };
  FailureOr<bool> right = run(options);
  ASSERT_TRUE(succeeded(right));
  ASSERT_TRUE(seeded);
  EXPECT_FALSE(*right);
  EXPECT_STREQ(getInfo(reports.back().stage).name, getInfo(bug.stage).name) << reports.back().fault;
  EXPECT_FALSE(reports.back().fault.empty());
  EXPECT_EQ(reports.back().where, bug.where) << reports.back().fault;
  for (const check::StageReport &report : ArrayRef(reports).drop_back())
    EXPECT_EQ(report.fault, "");
}

INSTANTIATE_TEST_SUITE_P(All, SeededBugs, testing::ValuesIn(getSeededBugs().begin(), getSeededBugs().end()),
                         [](const auto &info) { return std::string(info.param.name); });

// What is left as the kernel harness filled it, all ones, is no value that the row may have.
TEST_F(SeededBugs, ARowOfScalarCodeIsNotWritten) {
  check::CheckOptions options;
  options.tamper = [&](Stage stage, ModuleOp module) {
    return stage == Stage::Codegen ? dropWorkgroup(module, "rows_0") : success();
  };
  FailureOr<bool> right = run(options, "rows.mlir");
  ASSERT_TRUE(succeeded(right));
  EXPECT_FALSE(*right);
  EXPECT_EQ(reports.back().stage, Stage::Codegen);
  EXPECT_EQ(reports.back().where, "@rows_0 (node \"Rows_0\")");
  EXPECT_EQ(reports.back().fault, "result 0 differs at [4]: -1 vs 5");
}

TEST_F(SeededBugs, NoneInTheCompilerAsItIs) {
  for (const char *model : {"model.mlir", "rows.mlir"}) {
    FailureOr<bool> right = run({}, model);
    ASSERT_TRUE(succeeded(right));
    EXPECT_TRUE(*right) << getInfo(reports.back().stage).name << ": " << reports.back().fault;
    EXPECT_EQ(reports.back().stage, Stage::Package);
  }
}

} // namespace
