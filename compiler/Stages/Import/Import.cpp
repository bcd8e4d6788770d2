// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Import/Import.h"

#include "compiler/Dialect/Flow/IR/FlowShardings.h"
#include "compiler/Dialect/Heddle/IR/Shards.h"
#include "compiler/Dialect/SilentFailures.h"
#include "compiler/Dialect/Verification.h"
#include "compiler/Stages/Import/Annotations/KeptMemory.h"
#include "compiler/Stages/Import/Annotations/ShardRequests.h"
#include "compiler/Stages/Import/FixSizes.h"
#include "compiler/Stages/Import/ListSyntax.h"
#include "compiler/Stages/Import/MergeModels.h"
#include "compiler/Stages/Import/Onnx/Graph/Importer.h"
#include "compiler/Stages/Import/Onnx/Model/FixedSizes.h"
#include "compiler/Stages/Import/Passes.h"
#include "compiler/Stages/Import/ReadBytecode.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::heddle;

static bool isBytecodeText(StringRef file) { return file.starts_with("ML\xefR"); }

// Whether a file has ops or attributes of StableHLO. Beside those come attributes of dialects that nobody here knows
// (mhlo, jax), which the reader must be told to let pass.
static bool hasStableHlo(StringRef file) {
  if (isBytecodeText(file)) // names of dialects stand alone
    return file.contains("stablehlo") || file.contains("chlo");
  return llvm::any_of(ArrayRef<StringRef>{"stablehlo.", "#stablehlo", "chlo.", "#chlo"},
                      [&](StringRef start) { return file.contains(start); });
}

// What jax.export writes: MLIR bytecode of the dialect VHLO, alone or in a record of its own.
static LogicalResult refusePortable(StringRef file, StringRef path, MLIRContext *context) {
  if (!file.contains("ML\xefR\rStableHLO_v")) // the bytecode's number and who wrote it
    return success();
  emitError(FileLineColLoc::get(context, path, 0, 0))
      << (isBytecodeText(file) ? "these are portable bytes of StableHLO (VHLO)"
                               : "these are bytes of jax.export, with StableHLO in portable form (VHLO)")
      << ", which jaxlib reads: heddle.compile(bytes) or heddle.jax.from_exported(…) in Python do that; or save the "
         "text "
      << (isBytecodeText(file) ? "of jaxlib.mlir.dialects.stablehlo.deserialize_portable_artifact(context, bytes)"
                               : "that jax.export.deserialize(bytes).mlir_module() gives")
      << " as .mlir";
  return failure();
}

// MLIR's own passes look for the module that a function belongs to, and do not expect an unknown op on the way; nor one
// with regions in what they inline.
static LogicalResult checkUnknownOps(ModuleOp module) {
  auto check = [](Operation *op) -> WalkResult {
    StringRef dialect = op->getName().getDialectNamespace();
    if (!op->isRegistered() && dialect != "stablehlo" && dialect != "chlo" && dialect != "sdy")
      return op->emitError()
             << "op " << op->getName()
             << " is not known; models are func, linalg, tensor, arith, math, scf, TOSA and StableHLO ops";
    Attribute properties = op->isRegistered() ? Attribute() : op->getPropertiesAsAttribute();
    if (properties && !isa<DictionaryAttr>(properties))
      return op->emitError() << "the attributes of op " << op->getName()
                             << " are in the bytecode of its own dialect, which is not read; save text instead, as "
                                "jax.jit(f).lower(x).as_text() gives it";
    if (isa<func::FuncOp>(op) && !op->getParentOp()->isRegistered())
      return op->emitOpError("stands in '") << op->getParentOp()->getName() << "'; a function stands in a module";
    if (op->getName().getStringRef() == "sdy.mesh" && op->getNumRegions() == 0 && op->use_empty())
      return WalkResult::advance(); // names devices of another run time
    if (!op->isRegistered() && !op->getParentOfType<func::FuncOp>())
      return op->emitOpError("stands outside of a function");
    return WalkResult::advance();
  };
  return failure(module.walk(check).wasInterrupted());
}

// Refuses texts that MLIR's parser does not survive.
static LogicalResult checkSyntax(StringRef text, StringRef path, MLIRContext *context) {
  auto errorAt = [&](size_t at) {
    StringRef before = text.take_front(at);
    unsigned line = before.count('\n') + 1, column = before.size() - (before.rfind('\n') + 1) + 1;
    return emitError(FileLineColLoc::get(context, path, line, column));
  };
  if (std::optional<size_t> at = findDeepNesting(text))
    return errorAt(*at) << "brackets nest more than a thousand deep here";
  if (std::optional<size_t> at = findMalformedList(text))
    return errorAt(*at) << "expected a list of integers, such as [1, 0]";
  return success();
}

OwningOpRef<ModuleOp> mlir::heddle::readModule(StringRef path, MLIRContext *context, unsigned bytecodeSeconds) {
  std::string message;
  auto file = openInputFile(path, &message);
  if (!file) {
    emitError(FileLineColLoc::get(context, path, 0, 0)) << message;
    return nullptr;
  }
  StringRef text = file->getBuffer();
  if (failed(refusePortable(text, path, context)))
    return nullptr;
  context->allowUnregisteredDialects(hasStableHlo(text));
  if (isBytecode(*file))
    return readBytecode(std::move(file), context, bytecodeSeconds);
  if (failed(checkSyntax(text, path, context)))
    return nullptr;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}

// Requests of values that nothing reads vanish with these; the function stays a whole program.
static void warnOfUnread(ModuleOp module) {
  module.walk([](flow::ShardOp op) {
    if (!op->use_empty())
      return;
    op.emitWarning() << "this sharding is not applied: no result depends on the value";
    if (auto function = op->getParentOfType<func::FuncOp>())
      function->setAttr(kWholeProgramAttr, UnitAttr::get(op.getContext()));
  });
}

static OwningOpRef<ModuleOp> readMlir(StringRef path, MLIRContext *context, const ImportOptions &options,
                                      importer::FixedSizes *sizes) {
  OwningOpRef<ModuleOp> module = readModule(path, context, options.bytecodeSeconds);
  if (module && failed(checkUnknownOps(*module)))
    return nullptr;
  if (module && !options.dims.empty() && failed(fixSizes(*module, *sizes, FileLineColLoc::get(context, path, 0, 0))))
    return nullptr;
  if (module)
    warnOfUnread(*module);
  return module;
}

static OwningOpRef<ModuleOp> readModel(StringRef path, MLIRContext *context, const ImportOptions &options,
                                       ShardRequests *requests, importer::FixedSizes *sizes) {
  if (path.ends_with(".mlir") || path.ends_with(".mlirbc"))
    return readMlir(path, context, options, sizes);
  if (path.ends_with(".onnx")) {
    const KeptMemory kept{options.states, options.donations};
    return importer::importOnnx(path, context, {options.forms, requests, sizes, &kept, options.outputAll});
  }
  if (auto file = openInputFile(path); file && failed(refusePortable(file->getBuffer(), path, context)))
    return nullptr;
  emitError(FileLineColLoc::get(context, path, 0, 0))
      << "unknown kind of model: a model's name ends in .onnx, .mlir or .mlirbc";
  return nullptr;
}

// The sharding file, if it is for ONNX models, which have names of values while they are read; MLIR has its own pass.
// Fails where there are models of both kinds.
static FailureOr<std::optional<ShardRequests>> readRequests(StringRef path, MLIRContext *context,
                                                            const ImportOptions &options) {
  bool isOnnx = path.ends_with(".onnx");
  if (options.shardFile.empty())
    return std::optional<ShardRequests>();
  for (StringRef other : options.others)
    if (other.ends_with(".onnx") != isOnnx)
      return emitError(FileLineColLoc::get(context, options.shardFile, 0, 0))
             << "a sharding file is for ONNX models or for MLIR, got '" << path << "' and '" << other << "'";
  if (!isOnnx)
    return std::optional<ShardRequests>();
  FailureOr<ShardRequests> requests = ShardRequests::read(options.shardFile, context, {});
  if (failed(requests))
    return failure();
  return std::optional<ShardRequests>(std::move(*requests));
}

OwningOpRef<ModuleOp> mlir::heddle::importModel(StringRef path, MLIRContext *context, const ImportOptions &options) {
  FailureOr<std::optional<ShardRequests>> sharding = readRequests(path, context, options);
  if (failed(sharding))
    return nullptr;
  ShardRequests *requests = *sharding ? &**sharding : nullptr;
  Location location = FileLineColLoc::get(context, path, 0, 0);
  auto sizes = importer::FixedSizes::parse(options.dims, location);
  if (failed(sizes))
    return nullptr;
  if (options.outputAll && !path.ends_with(".onnx")) {
    emitError(location) << "--output-all is for ONNX models; return the values in a program in MLIR";
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = readModel(path, context, options, requests, &*sizes);
  if (!module)
    return nullptr;
  if (!options.others.empty())
    nameEntryPoint(*module, path);
  for (const std::string &other : options.others) {
    OwningOpRef<ModuleOp> read = readModel(other, context, options, requests, &*sizes);
    if (!read)
      return nullptr;
    nameEntryPoint(*read, other);
    if (failed(mergeModel(*module, std::move(read))))
      return nullptr;
  }
  if (failed(sizes->reportUnknown(location)))
    return nullptr;
  if (requests && (failed(requests->declareMeshes(*module)) || failed(requests->reportIdle())))
    return nullptr;
  auto pm = PassManager::on<ModuleOp>(context);
  nameSilentFailures(pm);
  ImportOptions passes = options;
  if (requests) // done
    passes.shardFile.clear();
  buildImportPipeline(pm, passes);
  LogicalResult imported = runVerified(pm, *module);
  context->allowUnregisteredDialects(false);
  return failed(imported) ? OwningOpRef<ModuleOp>() : std::move(module);
}
