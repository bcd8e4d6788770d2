// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/GPU/GpuKernelEmitter.h"
#include "compiler/Stages/Codegen/LlvmLowering.h"
#include "compiler/Target/CUDA/Backend/Passes.h"
#include "heddle/contract/PtxAbi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::heddle;
namespace contract = ::heddle::contract;

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
        bindings(kernel->getAttrOfType<IntegerAttr>(codegen::kBindingsAttr).getInt()),
        constants(kernel->getAttrOfType<IntegerAttr>(codegen::kConstantsAttr).getInt()) {}

  // Parameters as PtxAbi.h lists them. Gives the bytes of shared memory that a workgroup needs.
  int64_t run() {
    MLIRContext *context = kernel.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context, kGlobal);
    SmallVector<Type> types(bindings, pointer);
    types.append(constants, IntegerType::get(context, 64));
    types.push_back(pointer);
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
    return sharedBytes;
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
      Value value = kernel.getArgument(bindings + constant.getIndex());
      constant.replaceAllUsesWith(arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value).getResult());
    } else if (isa<kernel::WorkgroupOp>(op)) {
      op->getResult(0).replaceAllUsesWith(toIndex(builder, loc, read(builder, loc, "ctaid.x")));
    } else if (isa<kernel::InvocationOp>(op)) {
      op->getResult(0).replaceAllUsesWith(toIndex(builder, loc, read(builder, loc, "tid.x")));
    } else if (isa<kernel::BarrierOp>(op)) {
      Value all = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(0));
      LLVM::CallIntrinsicOp::create(builder, loc, builder.getStringAttr("llvm.nvvm.barrier.cta.sync.aligned.all"),
                                    ValueRange{all});
    } else if (auto fail = dyn_cast<kernel::FailOp>(op)) {
      Value status =
          LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(fail.getStatus()));
      LLVM::StoreOp::create(builder, loc, status, kernel.getArgument(bindings + constants));
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

  Value toGeneric(OpBuilder &builder, Location loc, Value address) {
    return LLVM::AddrSpaceCastOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), address);
  }

  // A part of the memory that the launch gives the workgroup.
  Value makeShared(kernel::SharedOp op) {
    OpBuilder builder(kernel);
    if (!shared)
      shared = LLVM::GlobalOp::create(builder, op.getLoc(), LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                                      /*isConstant=*/false, LLVM::Linkage::External, "shared_memory", Attribute(),
                                      contract::ptx::kSharedAlignment, kShared);
    MemRefType type = op.getType();
    int64_t offset = llvm::alignTo(sharedBytes, contract::ptx::kSharedAlignment);
    sharedBytes = offset + *tensorBytes(type);
    builder.setInsertionPointToStart(&kernel.getBody().front());
    Value base = LLVM::AddressOfOp::create(builder, op.getLoc(), shared);
    if (offset)
      base = LLVM::GEPOp::create(builder, op.getLoc(), base.getType(), builder.getI8Type(), base,
                                 LLVM::GEPArg(static_cast<int32_t>(offset)));
    return toGeneric(builder, op.getLoc(), base);
  }

  func::FuncOp kernel;
  const LLVMTypeConverter &converter;
  int64_t bindings, constants;
  LLVM::GlobalOp shared;
  int64_t sharedBytes = 0;
};

struct ConvertToNvvm : cuda::impl::ConvertToNvvmBase<ConvertToNvvm> {
  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    auto kernel = program.lookupSymbol<func::FuncOp>("kernel");
    if (!kernel || !kernel->hasAttr(codegen::kBindingsAttr))
      return;
    codegen::LoopsToLLVM loops(&getContext(), program.getTarget().getFormat().getValue());
    int64_t sharedBytes = KernelLowering(kernel, loops.getConverter()).run();
    if (failed(loops.convert(kernel)))
      return signalPassFailure();
    auto entry = program.lookupSymbol<LLVM::LLVMFuncOp>("kernel");
    auto invocations = static_cast<int32_t>(mlir::heddle::gpu::getFeatures(program.getTarget()).invocations);
    entry->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), UnitAttr::get(&getContext()));
    entry->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), DenseI32ArrayAttr::get(&getContext(), {invocations, 1, 1}));
    codegen::setLaunch(program, invocations, sharedBytes);
    if (sharedBytes > contract::ptx::kLeastSharedBytes)
      requireShared(program, sharedBytes);
  }

  // What most devices give a workgroup only when they are asked.
  static void requireShared(kernel::ProgramOp program, int64_t bytes) {
    Builder builder(program.getContext());
    auto features = llvm::to_vector(cuda::getRequiredFeatures(program.getTarget()));
    features.push_back(builder.getStringAttr(StringRef(contract::ptx::kSharedLimit) + ">=" + Twine(bytes)));
    program->setDiscardableAttr("kernel.features", builder.getArrayAttr(features));
  }
};

} // namespace
