// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/GPU/GpuKernelEmitter.h"
#include "compiler/Stages/Codegen/LlvmLowering.h"
#include "compiler/Target/CUDA/Backend/Passes.h"
#include "heddle/contract/PtxAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
namespace abi = ::heddle::contract::spirv; // the words of the argument block

namespace mlir::heddle::cuda {
#define GEN_PASS_DEF_CONVERTTONVVM
#include "compiler/Target/CUDA/Backend/Passes.h.inc"
} // namespace mlir::heddle::cuda

namespace {

constexpr unsigned kGlobal = 1, kShared = 3; // address spaces of NVPTX

class KernelLowering {
public:
  KernelLowering(func::FuncOp kernel, const LLVMTypeConverter &converter)
      : kernel(kernel), converter(converter),
        bindings(kernel->getAttrOfType<IntegerAttr>(codegen::kBindingsAttr).getInt()) {}

  void run() {
    MLIRContext *context = kernel.getContext();
    SmallVector<Type> types(bindings + 1, LLVM::LLVMPointerType::get(context, kGlobal));
    kernel.setFunctionType(FunctionType::get(context, types, {}));
    for (Type type : types)
      kernel.getBody().front().addArgument(type, kernel.getLoc());
    kernel->removeAttr(codegen::kBindingsAttr);
    kernel->removeAttr(codegen::kConstantsAttr);
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<kernel::KernelDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      lower(op);
  }

private:
  void lower(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    if (auto binding = dyn_cast<kernel::BindingOp>(op)) {
      Value address = toGeneric(builder, loc, kernel.getArgument(binding.getIndex()));
      binding.replaceAllUsesWith(codegen::makeMemref(builder, loc, converter, binding.getType(), address));
    } else if (auto shared = dyn_cast<kernel::SharedOp>(op)) {
      shared.replaceAllUsesWith(codegen::makeMemref(builder, loc, converter, shared.getType(), makeShared(shared)));
    } else if (auto constant = dyn_cast<kernel::ConstantOp>(op)) {
      constant.replaceAllUsesWith(readConstant(builder, constant));
    } else if (isa<kernel::WorkgroupOp>(op)) {
      Value above = arith::MulIOp::create(builder, loc, read(builder, loc, "ctaid.y"), read(builder, loc, "nctaid.x"));
      op->getResult(0).replaceAllUsesWith(
          toIndex(builder, loc, arith::AddIOp::create(builder, loc, above, read(builder, loc, "ctaid.x"))));
    } else if (isa<kernel::InvocationOp>(op)) {
      op->getResult(0).replaceAllUsesWith(toIndex(builder, loc, read(builder, loc, "tid.x")));
    } else if (isa<kernel::BarrierOp>(op)) {
      Value all = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(0));
      LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr("llvm.nvvm.barrier.cta.sync.aligned.all"),
                                    ValueRange{all});
    } else if (auto fail = dyn_cast<kernel::FailOp>(op)) {
      Value status =
          LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(fail.getStatus()));
      LLVM::StoreOp::create(builder, loc, status, wordAddress(builder, loc, abi::kStatusWord));
    }
    op->erase();
  }

  Value read(OpBuilder &builder, Location loc, StringRef reg) {
    std::string name = ("llvm.nvvm.read.ptx.sreg." + reg).str();
    return LLVM::CallIntrinsicOp::create(builder, loc, builder.getI32Type(), builder.getStringAttr(name), ValueRange{})
        .getResult(0);
  }

  Value toIndex(OpBuilder &builder, Location loc, Value word) {
    return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), word);
  }

  Value wordAddress(OpBuilder &builder, Location loc, int64_t word) {
    Value block = kernel.getArgument(bindings);
    return LLVM::GEPOp::create(builder, loc, block.getType(), builder.getI32Type(), block,
                               LLVM::GEPArg(static_cast<int32_t>(word)));
  }

  Value readConstant(OpBuilder &builder, kernel::ConstantOp op) {
    Value address = wordAddress(builder, op.getLoc(), abi::constantWord(bindings, op.getIndex()));
    Value value = LLVM::LoadOp::create(builder, op.getLoc(), builder.getI64Type(), address, /*alignment=*/4);
    return arith::IndexCastOp::create(builder, op.getLoc(), builder.getIndexType(), value);
  }

  Value toGeneric(OpBuilder &builder, Location loc, Value address) {
    return LLVM::AddrSpaceCastOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), address);
  }

  Value makeShared(kernel::SharedOp op) {
    OpBuilder builder(kernel);
    auto type = LLVM::LLVMArrayType::get(op.getType().getElementType(), op.getType().getNumElements());
    auto global =
        LLVM::GlobalOp::create(builder, op.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
                               "shared_" + std::to_string(numShared++), Attribute(), /*alignment=*/16, kShared);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    return toGeneric(builder, op.getLoc(), LLVM::AddressOfOp::create(builder, op.getLoc(), global));
  }

  func::FuncOp kernel;
  const LLVMTypeConverter &converter;
  int64_t bindings, numShared = 0;
};

struct ConvertToNvvm : cuda::impl::ConvertToNvvmBase<ConvertToNvvm> {
  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    auto kernel = program.lookupSymbol<func::FuncOp>("kernel");
    if (!kernel || !kernel->hasAttr(codegen::kBindingsAttr))
      return;
    LowerToLLVMOptions options(&getContext());
    LLVMTypeConverter converter(&getContext(), options);
    KernelLowering(kernel, converter).run();
    if (failed(codegen::convertLoopsToLLVM(kernel, converter)))
      return signalPassFailure();
    auto entry = program.lookupSymbol<LLVM::LLVMFuncOp>("kernel");
    auto invocations = static_cast<int32_t>(mlir::heddle::gpu::getFeatures(program.getTarget()).invocations);
    entry->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), UnitAttr::get(&getContext()));
    entry->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), DenseI32ArrayAttr::get(&getContext(), {invocations, 1, 1}));
  }
};

} // namespace
