// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuKernelEmitter.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/SharedCode.h"
#include "compiler/Stages/Codegen/Targets.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CREATEVARIANTS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct CreateVariants : mlir::heddle::impl::CreateVariantsBase<CreateVariants> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    giveObjects(module, symbols);
    for (auto program : llvm::make_early_inc_range(module.getOps<kernel::ProgramOp>()))
      if (failed(move(symbols, program)))
        return signalPassFailure();
  }

  // Programs that have another's code take the objects made for them, in order. That code's owner is named by its
  // executable from here on.
  static void giveObjects(ModuleOp module, const SymbolTable &symbols) {
    DenseMap<Operation *, unsigned> given;
    for (auto program : module.getOps<kernel::ProgramOp>()) {
      auto name = program->getAttrOfType<FlatSymbolRefAttr>(codegen::kCodeOfAttr);
      auto owner = name ? symbols.lookup<kernel::ProgramOp>(name.getAttr()) : nullptr;
      auto objects = owner ? owner->getAttrOfType<ArrayAttr>(codegen::kObjectsAttr) : nullptr;
      if (!objects)
        continue;
      unsigned index = ++given[owner]; // its own is the first
      if (index < objects.size())
        program.setObjectAttr(cast<ElementsAttr>(objects[index]));
      program->setAttr(codegen::kCodeOfAttr, owner.getExecutableAttr());
    }
  }

  static LogicalResult move(SymbolTable &symbols, kernel::ProgramOp program) {
    auto executable = symbols.lookup<flow::ExecutableOp>(program.getExecutable());
    if (!executable)
      return program.emitOpError("is of no flow.executable: ") << program.getExecutableAttr();
    if (program->hasAttr(codegen::kRefinementAttr) && !program.lookupSymbol("kernel") && !program.getObjectAttr()) {
      program.erase();
      return success();
    }
    if (!program.getObjectAttr())
      return program.emitOpError("has no object; run codegen-emit-object first");
    device::ExecutableAttr target = program.getTarget();
    FailureOr<const Target *> kind = getTarget(program, target);
    if (failed(kind))
      return failure();
    auto features = program->getAttrOfType<ArrayAttr>("kernel.features");
    if (!features)
      features = (*kind)->getRequiredFeatures(target);
    if (!features)
      return program.emitOpError("does not say what its code needs of a device: it has no kernel.features");
    OpBuilder builder = OpBuilder::atBlockEnd(&executable.getBody().front());
    auto variant =
        flow::VariantOp::create(builder, program.getLoc(), builder.getStringAttr((*kind)->getVariantName(target)),
                                builder.getStringAttr((*kind)->spell(target)), target.getFormat(), features,
                                builder.getStringAttr((*kind)->getEntryPoint()), program.getObjectAttr(),
                                program->getAttrOfType<DenseI64ArrayAttr>(codegen::kLaunchAttr));
    for (StringRef name : {StringRef("kernel.strategy"), StringRef(codegen::kCodeOfAttr)})
      if (Attribute attribute = program->getDiscardableAttr(name))
        variant->setDiscardableAttr(name, attribute);
    builder.setInsertionPointToStart(&variant.getBody().emplaceBlock());
    for (auto function : program.getOps<func::FuncOp>())
      builder.clone(*function);
    program.erase();
    return success();
  }
};

} // namespace
