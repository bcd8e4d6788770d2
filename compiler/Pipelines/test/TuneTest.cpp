// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tuning with measurements made up, which are counted; and one real one.
#include "compiler/Pipelines/Tune.h"
#include "compiler/Pipelines/Stages.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

constexpr const char *kDense = R"(
device.global @d = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64", features = ""}>]>
flow.executable private @dense {
  func.func @dense(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>) -> tensor<128x128xf32> {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<128x128xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x128xf32>) -> tensor<128x128xf32>
    %r = linalg.matmul ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%init : tensor<128x128xf32>) -> tensor<128x128xf32>
    return %r : tensor<128x128xf32>
  }
}
)";

struct TuneTest : testing::Test {
  TuneTest() : folder(std::filesystem::temp_directory_path() / ("heddle-tune-" + std::to_string(getpid()))) {
    std::filesystem::remove_all(folder);
    options.cacheDir = (folder / "cache").string();
    options.measure = [this](ModuleOp candidate) -> std::optional<double> {
      ++calls;
      Attribute tile = (*candidate.getOps<flow::ExecutableOp>().begin())->getDiscardableAttr("kernel.tile");
      auto values = dyn_cast_or_null<DictionaryAttr>(tile);
      auto vectors = values ? values.getAs<IntegerAttr>("vectors") : IntegerAttr();
      return vectors && vectors.getInt() == 2 ? ofTwoVectors : std::optional<double>(1.0);
    };
  }
  ~TuneTest() override { std::filesystem::remove_all(folder); }

  // Tunes a new module, as another compilation would; the attribute as text, "" without.
  std::string tune() {
    module = parse();
    report = tuneExecutables(*module, options);
    Attribute tile = (*module->getOps<flow::ExecutableOp>().begin())->getDiscardableAttr("kernel.tile");
    std::string text;
    if (tile)
      llvm::raw_string_ostream(text) << tile;
    return text;
  }

  OwningOpRef<ModuleOp> parse() { return parseSourceString<ModuleOp>(kDense, &context); }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  MLIRContext context{registry(), MLIRContext::Threading::DISABLED};
  std::string diagnostics;
  ScopedDiagnosticHandler handler{&context, [&](Diagnostic &diagnostic) {
                                    diagnostics += diagnostic.str() + "\n";
                                    return success();
                                  }};
  std::filesystem::path folder;
  TuneOptions options;
  TuneReport report;
  OwningOpRef<ModuleOp> module;
  std::optional<double> ofTwoVectors = 0.5;
  int calls = 0;
};

TEST_F(TuneTest, WinnerIsKeptAndReused) {
  EXPECT_EQ(tune(), "{vectors = 2 : i64}");
  EXPECT_EQ(std::tuple(report.costly, report.measured, report.reused), std::tuple(1u, 1u, 0u));
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(tune(), "{vectors = 2 : i64}");
  EXPECT_EQ(std::tuple(report.costly, report.measured, report.reused), std::tuple(1u, 0u, 1u));
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(diagnostics, "");
}

TEST_F(TuneTest, NoiseIsNoWinner) {
  ofTwoVectors = 0.98;
  EXPECT_EQ(tune(), "");
  EXPECT_EQ(tune(), "");
  EXPECT_EQ(calls, 7); // that nothing is faster is kept, too
}

TEST_F(TuneTest, RefusedCandidatesAreNone) {
  ofTwoVectors.reset();
  EXPECT_EQ(tune(), "");
  EXPECT_EQ(report.measured, 1u);
  EXPECT_EQ(diagnostics, "");
}

TEST_F(TuneTest, DamagedFilesAreMeasuredAgain) {
  tune();
  auto entry = *std::filesystem::directory_iterator(options.cacheDir);
  std::string path = entry.path().string(), text;
  std::getline(std::ifstream(path), text, '\0');
  for (const std::string &damaged :
       {text.substr(0, text.size() - 3), std::string(text).replace(text.find("= 2"), 3, "= 3")}) {
    std::ofstream(path, std::ios::trunc) << damaged;
    diagnostics.clear();
    int before = calls;
    EXPECT_EQ(tune(), "{vectors = 2 : i64}");
    EXPECT_EQ(calls, before + 7);
    EXPECT_EQ(diagnostics, "the tuning cache has a damaged file, which is ignored and written again: '" + path + "'\n");
  }
}

TEST_F(TuneTest, CacheThatCannotBeWritten) {
  std::filesystem::create_directories(folder);
  std::ofstream(options.cacheDir) << "a file, no folder";
  EXPECT_EQ(tune(), "{vectors = 2 : i64}");
  EXPECT_TRUE(StringRef(diagnostics).starts_with("the tuning cache '" + options.cacheDir + "' cannot be written: "));
  EXPECT_TRUE(StringRef(diagnostics).ends_with("winners are used, but not kept\n")) << diagnostics;
}

TEST_F(TuneTest, MeasuresForReal) {
  OwningOpRef<ModuleOp> fixed = parse();
  ASSERT_TRUE(fixed);
#ifdef __x86_64__
  std::optional<double> seconds = measureKernel(*fixed);
  ASSERT_TRUE(seconds);
  EXPECT_GT(*seconds, 1e-6); // 4 MFLOP
  EXPECT_LT(*seconds, 1);
#endif
}

} // namespace
