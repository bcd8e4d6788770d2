// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Plan/TileAttribute.h"
#include "compiler/Dialect/Encoding/Transforms/SelectTarget.h"
#include "compiler/Dialect/Flow/IR/Overwrites.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/Targets.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CREATEPROGRAMS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct CreatePrograms : mlir::heddle::impl::CreateProgramsBase<CreatePrograms> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<device::ExecutableAttr> all = codegen::getExecutables(module);
    for (auto executable : llvm::make_early_inc_range(module.getOps<flow::ExecutableOp>())) {
      SmallVector<device::ExecutableAttr> targets = codegen::getExecutables(executable, all);
      for (device::ExecutableAttr target : llvm::reverse(targets)) // each goes in front of those before it
        if (!codegen::findVariant(executable, target) && failed(createAll(symbols, executable, target)))
          return signalPassFailure();
    }
  }

  static LogicalResult createAll(SymbolTable &symbols, flow::ExecutableOp executable, device::ExecutableAttr target) {
    FailureOr<const Target *> kind = getTarget(executable, target);
    if (failed(kind))
      return failure();
    for (device::ExecutableAttr refinement : llvm::reverse((*kind)->getRefinements(executable.getFunction(), target))) {
      FailureOr<kernel::ProgramOp> program = create(symbols, executable, target, refinement, **kind);
      if (failed(program))
        return failure();
      (*program)->setDiscardableAttr(codegen::kRefinementAttr, UnitAttr::get(executable->getContext()));
    }
    return create(symbols, executable, target, target, **kind);
  }

  // Layouts are those of `target`, code is for `refinement` of it.
  static FailureOr<kernel::ProgramOp> create(SymbolTable &symbols, flow::ExecutableOp executable,
                                             device::ExecutableAttr target, device::ExecutableAttr refinement,
                                             const Target &kind) {
    OpBuilder builder(executable->getContext());
    builder.setInsertionPointAfter(executable);
    std::string name = (executable.getSymName() + "_" + kind.getVariantName(refinement)).str();
    auto program =
        kernel::ProgramOp::create(builder, executable.getLoc(), builder.getStringAttr(name),
                                  FlatSymbolRefAttr::get(executable.getSymNameAttr()), refinement, ElementsAttr());
    if (Attribute tile = executable->getDiscardableAttr(codegen::kTileAttribute))
      program->setDiscardableAttr(codegen::kTileAttribute, tile);
    if (Attribute overwrites = executable->getDiscardableAttr(flow::kOverwritesAttr))
      program->setDiscardableAttr(flow::kOverwritesAttr, overwrites);
    symbols.insert(program);
    builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
    auto kernel = cast<func::FuncOp>(builder.clone(*executable.getFunction()));
    kernel.setName("kernel");
    kernel.setPublic();
    if (failed(encoding::selectTarget(kernel, target)))
      return failure();
    if (std::string reason = kind.explainUnsupported(kernel, refinement); !reason.empty())
      return executable.emitError() << "cannot be compiled for " << listDevices(executable, target) << " ("
                                    << kind.spell(refinement) << "): " << reason;
    return program;
  }

  // The devices that run the target: "@gpu, @gpu2".
  static std::string listDevices(flow::ExecutableOp executable, device::ExecutableAttr target) {
    SmallVector<std::string> names;
    auto module = executable->getParentOfType<ModuleOp>();
    device::DeviceQuery query(module);
    for (auto global : module.getOps<device::GlobalOp>())
      if (llvm::is_contained(query.getTargets(global), target))
        names.push_back(("@" + global.getSymName()).str());
    return llvm::join(names, ", ");
  }
};

} // namespace
