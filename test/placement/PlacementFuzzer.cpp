// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/placement/PlacementFuzzer.h"

#include "compiler/Dialect/Flow/Transforms/Passes.h"
#include "compiler/Dialect/Host/IR/HostOps.h"
#include "compiler/Dialect/Host/Interpreter/Interpreter.h"
#include "compiler/Stages/Place/Pipeline.h"
#include "compiler/Stages/Schedule/Pipeline.h"
#include "test/placement/RandomGraph.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace ::heddle::test;
using namespace mlir;
using namespace mlir::heddle;

namespace {

class Check {
public:
  Check(MLIRContext &context, uint64_t seed) : context(context), seed(seed), graph(makeRandomGraph(seed)) {}

  std::string run() {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        messages += diagnostic.str() + "\n";
      return success();
    });
    OwningOpRef<ModuleOp> plain = lower(graph.plain, /*several=*/false), placed = lower(graph.placed, /*several=*/true);
    if (!plain || !placed)
      return fail("cannot be compiled");
    host::RunOptions options;
    options.schedules = 2;
    options.seed = seed;
    std::string expected = values(*plain, options);
    std::string wrong = compare(*placed, options, expected, "each device its own");
    for (const std::string &symbol : graph.fallbacks)
      options.fallbacks[symbol] = "d0";
    if (wrong.empty() && !graph.fallbacks.empty())
      wrong = compare(*placed, options, expected, "fallbacks taken");
    return wrong;
  }

private:
  OwningOpRef<ModuleOp> lower(const std::string &text, bool several) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    PassManager pm(&context);
    // Most as `compile` does, some decided by cost, some without the transfers that come before the first rewrite.
    unsigned way = seed % 4;
    if (several && way < 2)
      pm.addPass(createMaterializeTransfers());
    buildPlacePipeline(pm, {/*byCost=*/several && way == 3});
    buildSchedulePipeline(pm);
    if (!module || failed(pm.run(*module)))
      return nullptr;
    giveInputs(*module);
    return module;
  }

  // Loops run 0, 1 and 3 times.
  void giveInputs(ModuleOp module) {
    Builder builder(&context);
    SmallVector<Attribute> calls;
    for (int64_t times : {0, 1, 3}) {
      SmallVector<Attribute> inputs;
      auto type = RankedTensorType::get({4}, builder.getI32Type());
      for (int32_t i = 0; i < static_cast<int32_t>(graph.arguments); ++i)
        inputs.push_back(DenseElementsAttr::get<int32_t>(type, {i - 1, 2 * i + 1, -5 + i, 100 * i}));
      inputs.push_back(DenseElementsAttr::get<int64_t>(RankedTensorType::get({}, builder.getI64Type()), {times}));
      calls.push_back(builder.getArrayAttr(inputs));
    }
    module.walk([&](host::FuncOp func) { func->setAttr(host::kInputsAttr, builder.getArrayAttr(calls)); });
  }

  // What the calls give, without the lines on memory.
  std::string values(ModuleOp module, const host::RunOptions &options) {
    std::string text, result;
    llvm::raw_string_ostream os(text);
    if (failed(host::runPrograms(module, options, os)))
      return "";
    SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n');
    for (StringRef line : lines)
      if (!line.contains("memory:"))
        result += line.str() + "\n";
    return result;
  }

  std::string compare(ModuleOp module, const host::RunOptions &options, const std::string &expected, StringRef how) {
    std::string got = values(module, options);
    if (!got.empty() && got == expected)
      return "";
    return fail((how + ": expected\n" + expected + "got\n" + got).str());
  }

  std::string fail(const std::string &what) const {
    return "seed " + std::to_string(seed) + ": " + what + "\n" + messages + graph.placed;
  }

  MLIRContext &context;
  uint64_t seed;
  RandomGraph graph;
  std::string messages;
};

} // namespace

namespace heddle::test {
std::string checkPlacement(MLIRContext &context, uint64_t seed) { return Check(context, seed).run(); }
} // namespace heddle::test
