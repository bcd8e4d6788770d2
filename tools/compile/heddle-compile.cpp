// heddle-compile: a model in, an artifact out. Flags: docs/cli.md.
#include "compiler/Pipelines/Compile.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <optional>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

// Exit status of all Heddle programs.
enum ExitStatus { kDone = 0, kFailed = 1, kUsage = 2 };

struct Flags {
  std::string model, output, compileTo = "package", stats, explain;
  bool explainSet = false;
  CompileOptions options;
};

void define(CLI::App &app, Flags &flags) {
  app.add_option("MODEL", flags.model, "model: .onnx (with external data), .mlir or .mlirbc")->required();
  app.add_option("-o,--output", flags.output, "where the artifact goes (with --compile-to: the IR)")->required();
  app.add_option("--target-device", flags.options.targetDevices,
                 "device the artifact may run on; may be repeated; known: local");
  app.add_option("--target-cpu", flags.options.targetCpu, "processor of local devices: host, or a name LLVM knows");
  app.add_option("--compile-to", flags.compileTo, "stop after this stage and write its IR");
  app.add_option("--dump-dir", flags.options.dumpDir, "write the IR after each stage to NN-stage.mlir in this folder");
  app.add_option("--disable-pass", flags.options.disabledPasses, "skip a pass, by its flag; may be repeated");
  app.add_flag("--timing", flags.options.timing, "print how long each pass took");
  app.add_option("--explain", flags.explain, "what shares a dispatch, and why; on standard error, or =FILE")
      ->expected(0, 1);
  app.add_option("--stats", flags.stats, "write figures of the compilation to this JSON file");
}

std::string stageNames() {
  std::string names;
  for (const StageInfo &info : getStages())
    names += (names.empty() ? "" : " ") + std::string(info.name);
  return names;
}

// The first name that is no pass; none when all are.
std::optional<std::string> findUnknownPass(const std::vector<std::string> &names) {
  if (names.empty())
    return std::nullopt;
  registerPasses();
  registerTransformsPasses();
  registerLinalgPasses();
  for (const std::string &name : names)
    if (!PassInfo::lookup(name))
      return name;
  return std::nullopt;
}

// Notes, warnings and errors as `file:line: error: text`, like any compiler.
class Messages {
public:
  explicit Messages(MLIRContext &context) : handler(sources, &context, llvm::errs()) {}

private:
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler;
};

LogicalResult writeText(const std::string &path, StringRef text) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (error) {
    llvm::errs() << "error: cannot write '" << path << "': " << error.message() << '\n';
    return failure();
  }
  file.os() << text;
  file.keep();
  return success();
}

int run(Flags &flags) {
  std::optional<Stage> stage = parseStage(flags.compileTo);
  if (!stage) {
    llvm::errs() << "error: unknown stage '" << flags.compileTo << "'; stages: " << stageNames() << '\n';
    return kUsage;
  }
  if (std::optional<std::string> unknown = findUnknownPass(flags.options.disabledPasses)) {
    llvm::errs() << "error: --disable-pass: no pass '" << *unknown
                 << "'; --timing and docs/passes.md show their names\n";
    return kUsage;
  }
  flags.options.compileTo = *stage;
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  Messages messages(context);
  CompileReport report;
  if (failed(compileModel(flags.model, flags.output, &context, flags.options, &report)))
    return kFailed;
  if (!flags.stats.empty() && failed(writeText(flags.stats, toJson(report) + "\n")))
    return kFailed;
  if (flags.explainSet && flags.explain.empty())
    llvm::errs() << report.explanation;
  else if (flags.explainSet && failed(writeText(flags.explain, report.explanation)))
    return kFailed;
  if (*stage == Stage::Package)
    llvm::errs() << toSentence(report) << '\n';
  return kDone;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Compiles a model to a Heddle artifact.", "heddle compile");
  Flags flags;
  define(app, flags);
  try {
    app.parse(argc, argv);
    flags.explainSet = app.count("--explain") > 0;
  } catch (const CLI::ParseError &error) {
    app.exit(error);
    return error.get_exit_code() == 0 ? kDone : kUsage;
  }
  return run(flags);
}
