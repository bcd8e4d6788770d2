// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Upstream passes only, in their plainest order: one-shot bufferisation, linalg to loops, LLVM dialect.
#include "compiler/Reference/Program.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/Transforms/GroupedProducts.h"
#include "compiler/Dialect/Intent/Transforms/Passes.h"
#include "compiler/Dialect/Rewrite.h"
#include "compiler/Dialect/SilentFailures.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;

static bool isEmpty(Value tensor) { return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(), 0); }

// Padding of nothing is nothing but padding, and an empty piece joins nothing: upstream would write a slice of no
// element behind the result's end, which its verifier refuses.
static void dropEmptyPieces(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  module.walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    auto pad = dyn_cast<tensor::PadOp>(op);
    if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
      SmallVector<Value> pieces =
          llvm::filter_to_vector(concat.getInputs(), [](Value piece) { return !isEmpty(piece); });
      if (!pieces.empty() && pieces.size() < concat.getInputs().size())
        rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, concat.getResultType(), concat.getDim(), pieces);
    } else if (Value padding = pad && isEmpty(pad.getSource()) ? pad.getConstantPaddingValue() : Value()) {
      ReifiedRankedShapedTypeDims sizes;
      if (failed(reifyResultShapes(rewriter, pad, sizes)))
        return;
      Value empty = tensor::EmptyOp::create(rewriter, op->getLoc(), sizes[0], pad.getResultType().getElementType());
      rewriter.replaceOp(op, linalg::FillOp::create(rewriter, op->getLoc(), padding, empty)->getResults());
    }
  });
}

// Ops that describe several loops at once become the ops they stand for.
static LogicalResult decompose(ModuleOp module) {
  dropEmptyPieces(module);
  intent::decompose(module);
  flow::decomposeGroupedProducts(module);
  IRRewriter rewriter(module.getContext());
  SmallVector<linalg::AggregatedOpInterface> aggregates;
  module.walk([&](linalg::AggregatedOpInterface op) { aggregates.push_back(op); });
  for (linalg::AggregatedOpInterface op : aggregates) {
    rewriter.setInsertionPoint(op);
    FailureOr<SmallVector<Value>> values = op.decomposeOperation(rewriter);
    if (failed(values))
      return op->emitError() << "the reference cannot decompose " << op->getName();
    rewriter.replaceOp(op, *values);
  }
  WalkResult packs = module.walk([&](Operation *op) -> WalkResult {
    rewriter.setInsertionPoint(op);
    LogicalResult lowered = success();
    if (auto pack = dyn_cast<linalg::PackOp>(op))
      lowered = success(succeeded(linalg::lowerPack(rewriter, pack)));
    else if (auto unpack = dyn_cast<linalg::UnPackOp>(op))
      lowered = success(succeeded(linalg::lowerUnPack(rewriter, unpack)));
    return succeeded(lowered) ? WalkResult::advance()
                              : WalkResult(op->emitError() << "the reference cannot lower this " << op->getName());
  });
  if (packs.wasInterrupted())
    return failure();
  RewritePatternSet patterns(module.getContext());
  tensor::populateDecomposeTensorConcatPatterns(patterns);
  return rewriteGreedily(module, std::move(patterns));
}

static LogicalResult bufferize(ModuleOp module) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::FullyDynamicLayoutMap);
  bufferization::BufferizationState state;
  if (failed(bufferization::runOneShotModuleBufferize(module, options, state)))
    return failure();
  SmallVector<memref::CopyOp> copies;
  module.walk([&](memref::CopyOp op) { copies.push_back(op); });
  for (memref::CopyOp copy : copies) {
    OpBuilder builder(copy);
    linalg::makeMemRefCopyOp(builder, copy.getLoc(), copy.getSource(), copy.getTarget());
    copy.erase();
  }
  return success();
}

static void lowerCheckedIndices(ModuleOp module, Program &program) {
  module.walk([&](flow::CheckedIndexOp op) {
    OpBuilder builder(op);
    Location location = op.getLoc();
    // Unsigned: a negative index is a very large one.
    auto inside = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, op.getIndex(), op.getSize());
    auto branch = scf::IfOp::create(builder, location, builder.getIndexType(), inside, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(builder, location, op.getIndex());
    builder.setInsertionPointToStart(branch.elseBlock());
    std::string message = "index out of range";
    llvm::raw_string_ostream(message) << " at " << location;
    callFail(builder, location, program, message);
    Value zero = arith::ConstantIndexOp::create(builder, location, 0);
    scf::YieldOp::create(builder, location, zero);
    op.replaceAllUsesWith(branch.getResult(0));
    op.erase();
  });
}

static LogicalResult run(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  nameSilentFailures(manager);
  build(manager);
  return manager.run(module);
}

// The pass of the same name would also expand maximumf and minimumf, and take -0 for +0 there.
static LogicalResult expandArith(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  arith::populateExpandBFloat16Patterns(patterns);
  return rewriteGreedily(module, std::move(patterns));
}

// What libm has no function for, or none of every type.
static LogicalResult lowerMathOfBits(ModuleOp module) {
  LLVMTypeConverter types(module.getContext());
  RewritePatternSet patterns(module.getContext());
  populateMathToLLVMConversionPatterns(types, patterns);
  ConversionTarget target(*module.getContext());
  target.addLegalDialect<LLVM::LLVMDialect, math::MathDialect>();
  target.addIllegalOp<math::AbsIOp, math::CopySignOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp,
                      math::CtPopOp, math::FPowIOp, math::IsFiniteOp, math::IsNaNOp, math::SincosOp>();
  return applyPartialConversion(module, target, std::move(patterns));
}

LogicalResult reference::lowerToLoops(ModuleOp module, Program &program) {
  if (failed(decompose(module)) || failed(bufferize(module)))
    return failure();
  outlineLoops(module);
  LogicalResult loops = run(module, [](OpPassManager &manager) {
    manager.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
    manager.addNestedPass<func::FuncOp>(createForallToForLoopPass());
  });
  if (failed(loops))
    return failure();
  lowerCheckedIndices(module, program);
  lowerExpandShapes(module);
  if (failed(expandArith(module)) || failed(lowerMathOfBits(module)))
    return failure();
  return run(module, [](OpPassManager &manager) {
    manager.addPass(memref::createExpandStridedMetadataPass());
    manager.addPass(createLowerAffinePass());
    math::MathExpandOpsPassOptions unknownToLibm;
    unknownToLibm.opMnemonics = {"rsqrt", "clampf"};
    manager.addPass(math::createMathExpandOpsPass(unknownToLibm));
    manager.addPass(createConvertMathToLibmPass());
    manager.addPass(createSCFToControlFlowPass());
    manager.addPass(createConvertToLLVMPass());
    manager.addPass(createReconcileUnrealizedCastsPass());
  });
}
