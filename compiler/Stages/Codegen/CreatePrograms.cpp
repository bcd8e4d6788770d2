#include "compiler/Codegen/TileAttribute.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Stages/Codegen/Targets.h"

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CREATEPROGRAMS
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

struct CreatePrograms : heddle::impl::CreateProgramsBase<CreatePrograms> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<device::ExecutableAttr> targets = codegen::getTargets(module);
    for (auto executable : llvm::make_early_inc_range(module.getOps<flow::ExecutableOp>()))
      for (device::ExecutableAttr target : llvm::reverse(targets)) // each goes in front of those before it
        if (!codegen::findVariant(executable, target))
          create(symbols, executable, target);
  }

  static void create(SymbolTable &symbols, flow::ExecutableOp executable, device::ExecutableAttr target) {
    OpBuilder builder(executable->getContext());
    builder.setInsertionPointAfter(executable);
    std::string name = (executable.getSymName() + "_" + codegen::getVariantName(target)).str();
    auto program =
        kernel::ProgramOp::create(builder, executable.getLoc(), builder.getStringAttr(name),
                                  FlatSymbolRefAttr::get(executable.getSymNameAttr()), target, ElementsAttr());
    if (Attribute tile = executable->getDiscardableAttr(codegen::kTileAttribute))
      program->setDiscardableAttr(codegen::kTileAttribute, tile);
    symbols.insert(program);
    builder.setInsertionPointToStart(&program.getBody().emplaceBlock());
    auto kernel = cast<func::FuncOp>(builder.clone(*executable.getFunction()));
    kernel.setName("kernel");
    kernel.setPublic();
  }
};

} // namespace
