// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Split/SplitScript.h"

#include "mlir/Dialect/Linalg/TransformOps/LinalgMatchOps.h"
#include "mlir/Dialect/Transform/IR/TransformOps.h"
#include "mlir/Dialect/Transform/Transforms/TransformInterpreterUtils.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::split;

// What calls, or repeats, other ops of the script, which are looked at themselves.
static bool isControl(Operation *op) {
  return isa<transform::AlternativesOp, transform::CollectMatchingOp, transform::ForeachOp, transform::ForeachMatchOp,
             transform::IncludeOp, transform::MatchStructuredOp, transform::NamedSequenceOp, transform::SequenceOp>(op);
}

// A script says how ops are computed; what it rewrites nobody would expect there.
static LogicalResult verifyOnlyChooses(ModuleOp script) {
  WalkResult walk = script.walk([](transform::TransformOpInterface op) {
    if (isa<SplitReductionOp>(op) || isControl(op) || !transform::doesModifyPayload(op))
      return WalkResult::advance();
    op.emitError() << "rewrites the program, and a script of --split-file only says what is split: by "
                      "transform.heddle.split_reduction";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

FailureOr<std::shared_ptr<SplitScript>> SplitScript::read(StringRef path, MLIRContext *context) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError(FileLineColLoc::get(context, path, 0, 0))
           << "cannot read the script of --split-file '" << path << "': " << file.getError().message();
  context->getOrLoadDialect<transform::TransformDialect>();
  auto made = std::make_shared<SplitScript>();
  made->script = parseSourceString<ModuleOp>((*file)->getBuffer(), context, path);
  if (!made->script || failed(verifyOnlyChooses(*made->script)))
    return failure();
  return made;
}

LogicalResult SplitScript::apply(ModuleOp module) {
  transform::TransformOpInterface entry = transform::detail::findTransformEntryPoint(*script, ModuleOp());
  if (!entry)
    return failure();
  transform::TransformOptions options;
  options.enableExpensiveChecks(false);
  return transform::applyTransformNamedSequence(module, entry, *script, options);
}
