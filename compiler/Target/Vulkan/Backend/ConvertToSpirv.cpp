// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/GPU/GpuKernelEmitter.h"
#include "compiler/Target/Vulkan/Backend/LoopLimit.h"
#include "compiler/Target/Vulkan/Backend/Passes.h"
#include "compiler/Target/Vulkan/Backend/SpirvPreparation.h"
#include "compiler/Target/Vulkan/Backend/VulkanFeatures.h"
#include "heddle/contract/SpirvAbi.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::heddle;
namespace abi = ::heddle::contract::spirv;

namespace mlir::heddle::vulkan {
#define GEN_PASS_DEF_CONVERTTOSPIRV
#include "compiler/Target/Vulkan/Backend/Passes.h.inc"
} // namespace mlir::heddle::vulkan

namespace {

MemRefType inStorage(MemRefType type, spirv::StorageClass storage) {
  return MemRefType::get(type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
                         spirv::StorageClassAttr::get(type.getContext(), storage));
}

// Makes a gpu.module of @kernel: bindings are arguments, the ops of the dialect kernel are reads of the argument block.
class KernelOutliner {
public:
  KernelOutliner(func::FuncOp kernel, int64_t invocations, bool usesAddresses)
      : kernel(kernel), context(kernel.getContext()), invocations(invocations),
        bindings(kernel->getAttrOfType<IntegerAttr>(codegen::kBindingsAttr).getInt()),
        constants(kernel->getAttrOfType<IntegerAttr>(codegen::kConstantsAttr).getInt()), usesAddresses(usesAddresses) {}

  mlir::gpu::GPUModuleOp run(StringRef name) {
    OpBuilder builder(kernel);
    auto module = mlir::gpu::GPUModuleOp::create(builder, kernel.getLoc(), name);
    builder.setInsertionPointToStart(module.getBody());
    SmallVector<Type> types = argumentTypes();
    entry = mlir::gpu::GPUFuncOp::create(builder, kernel.getLoc(), "kernel", builder.getFunctionType(types, {}));
    entry->setAttr(mlir::gpu::GPUDialect::getKernelFuncAttrName(), builder.getUnitAttr());
    entry->setAttr(spirv::getEntryPointABIAttrName(),
                   spirv::getEntryPointABIAttr(context, {static_cast<int32_t>(invocations), 1, 1}));
    Block &body = entry.getBody().front();
    Block &source = kernel.getBody().front();
    body.getOperations().splice(body.end(), source.getOperations());
    builder.setInsertionPointToEnd(&body);
    body.back().erase();
    mlir::gpu::ReturnOp::create(builder, kernel.getLoc());
    SmallVector<Operation *> ops;
    entry.walk([&](Operation *op) {
      if (isa<kernel::KernelDialect>(op->getDialect()))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      lower(op);
    kernel.erase();
    return module;
  }

private:
  SmallVector<Type> argumentTypes() {
    Type word = IntegerType::get(context, 32);
    SmallVector<Type> types(usesAddresses ? 1 : bindings + 1, MemRefType::get({ShapedType::kDynamic}, word));
    if (!usesAddresses)
      kernel.walk([&](kernel::BindingOp op) { types[op.getIndex()] = op.getType(); });
    for (Type &type : types)
      type = inStorage(cast<MemRefType>(type), spirv::StorageClass::StorageBuffer);
    return types;
  }

  void lower(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto index = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
    if (auto binding = dyn_cast<kernel::BindingOp>(op); binding && usesAddresses) {
      moveAccesses(binding, addressed(builder, binding), Value());
    } else if (binding) {
      moveAccesses(binding, entry.getArgument(binding.getIndex()), byteOffset(builder, binding));
    } else if (auto constant = dyn_cast<kernel::ConstantOp>(op)) {
      constant.replaceAllUsesWith(readWord(builder, loc, abi::constantWord(bindings, constant.getIndex())));
    } else if (isa<kernel::WorkgroupOp>(op)) {
      Value x = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::x);
      Value y = mlir::gpu::BlockIdOp::create(builder, loc, mlir::gpu::Dimension::y);
      Value columns = mlir::gpu::GridDimOp::create(builder, loc, mlir::gpu::Dimension::x);
      Value above = arith::MulIOp::create(builder, loc, y, columns);
      op->getResult(0).replaceAllUsesWith(arith::AddIOp::create(builder, loc, above, x));
    } else if (isa<kernel::InvocationOp>(op)) {
      op->getResult(0).replaceAllUsesWith(mlir::gpu::ThreadIdOp::create(builder, loc, mlir::gpu::Dimension::x));
    } else if (auto shared = dyn_cast<kernel::SharedOp>(op)) {
      OpBuilder top = OpBuilder::atBlockBegin(&entry.getBody().front());
      Value memory = memref::AllocOp::create(top, loc, inStorage(shared.getType(), spirv::StorageClass::Workgroup));
      moveAccesses(shared, memory, Value());
    } else if (isa<kernel::BarrierOp>(op)) {
      mlir::gpu::BarrierOp::create(builder, loc);
    } else if (auto fail = dyn_cast<kernel::FailOp>(op)) {
      Value status = arith::ConstantIntOp::create(builder, loc, fail.getStatus(), 32);
      memref::StoreOp::create(builder, loc, status, arguments(), index(abi::kStatusWord));
    }
    op->erase();
  }

  Value arguments() { return entry.getArguments().back(); }

  Value loadWord(OpBuilder &builder, Location loc, int64_t word) {
    Value at = arith::ConstantIndexOp::create(builder, loc, word);
    return memref::LoadOp::create(builder, loc, arguments(), at);
  }

  Value readWord(OpBuilder &builder, Location loc, int64_t word) {
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), loadWord(builder, loc, word));
  }

  // The tensor's memory by its address; ConvertAddress makes a pointer of the cast.
  Value addressed(OpBuilder &builder, kernel::BindingOp op) {
    Location loc = op.getLoc();
    int64_t word = abi::addressWord(bindings, constants, op.getIndex());
    auto half = [&](int64_t at) -> Value {
      return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), loadWord(builder, loc, at));
    };
    Value shift = arith::ConstantIntOp::create(builder, loc, 32, 64);
    Value high = arith::ShLIOp::create(builder, loc, half(word + 1), shift);
    Value address = arith::OrIOp::create(builder, loc, high, half(word));
    Type type = inStorage(op.getType(), spirv::StorageClass::PhysicalStorageBuffer);
    return UnrealizedConversionCastOp::create(builder, loc, type, address).getResult(0);
  }

  // Elements between the start of the descriptor and that of the tensor.
  Value byteOffset(OpBuilder &builder, kernel::BindingOp op) {
    Value bytes = readWord(builder, op.getLoc(), abi::offsetWord(op.getIndex()));
    int64_t size = storageBytes(op.getType().getElementType());
    Value divisor = arith::ConstantIndexOp::create(builder, op.getLoc(), size);
    return builder.createOrFold<arith::DivUIOp>(op.getLoc(), bytes, divisor);
  }

  // Makes all accesses to `from` ones to `memory`, `offset` elements later where it is not null.
  void moveAccesses(Value from, Value memory, Value offset) {
    for (Operation *user : llvm::make_early_inc_range(from.getUsers())) {
      OpBuilder builder(user);
      auto at = [&](Value i) -> Value {
        return offset ? builder.createOrFold<arith::AddIOp>(user->getLoc(), i, offset) : i;
      };
      if (auto load = dyn_cast<memref::LoadOp>(user))
        load.replaceAllUsesWith(
            Value(memref::LoadOp::create(builder, user->getLoc(), memory, at(load.getIndices()[0]))));
      else if (auto store = dyn_cast<memref::StoreOp>(user))
        memref::StoreOp::create(builder, user->getLoc(), store.getValueToStore(), memory, at(store.getIndices()[0]));
      user->erase();
    }
  }

  func::FuncOp kernel;
  MLIRContext *context;
  int64_t invocations, bindings, constants;
  bool usesAddresses;
  mlir::gpu::GPUFuncOp entry;
};

struct ConvertAddress : OpConversionPattern<UnrealizedConversionCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getType(0));
    if (!isa_and_nonnull<spirv::PointerType>(type))
      return failure();
    rewriter.replaceOpWithNewOp<spirv::ConvertUToPtrOp>(op, type, adaptor.getInputs().front());
    return success();
  }
};

// With the capability of addresses, the module's addressing model is that of 64-bit ones.
spirv::TargetEnvAttr getTargetEnv(device::ExecutableAttr executable, bool usesAddresses) {
  MLIRContext *context = executable.getContext();
  SmallVector<spirv::Capability> capabilities{spirv::Capability::Shader};
  for (const vulkan::Feature &feature : vulkan::getFeatures(executable))
    if (usesAddresses || feature.capability != spirv::Capability::PhysicalStorageBufferAddresses)
      capabilities.push_back(feature.capability);
  spirv::Extension extensions[] = {spirv::Extension::SPV_KHR_storage_buffer_storage_class,
                                   spirv::Extension::SPV_KHR_8bit_storage, spirv::Extension::SPV_KHR_16bit_storage,
                                   spirv::Extension::SPV_KHR_physical_storage_buffer};
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_3, capabilities, extensions, context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context));
}

struct ConvertToSpirv : vulkan::impl::ConvertToSpirvBase<ConvertToSpirv> {
  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    auto kernel = program.lookupSymbol<func::FuncOp>("kernel");
    if (!kernel || !kernel->hasAttr(codegen::kBindingsAttr))
      return;
    WalkResult walk = kernel.walk([](Operation *op) { return checkAccess(op); });
    if (walk.wasInterrupted())
      return signalPassFailure();
    vulkan::detectEndedLoops(kernel);
    vulkan::prepareForSpirv(kernel);
    bool usesAddresses = kernel->hasAttr(codegen::kAddressesAttr);
    func::FuncOp large;
    if (kernel->hasAttr(codegen::kMayNeedAddressesAttr)) {
      OpBuilder builder(&getContext());
      builder.setInsertionPointAfter(kernel);
      large = cast<func::FuncOp>(builder.clone(*kernel));
    }
    if (failed(makeModule(program, kernel, "module", usesAddresses)) ||
        (large && failed(makeModule(program, large, "large", true))))
      signalPassFailure();
  }

  LogicalResult makeModule(kernel::ProgramOp program, func::FuncOp kernel, StringRef name, bool usesAddresses) {
    int64_t invocations = mlir::heddle::gpu::getFeatures(program.getTarget()).invocations;
    mlir::gpu::GPUModuleOp module = KernelOutliner(kernel, invocations, usesAddresses).run(name);
    spirv::TargetEnvAttr env = getTargetEnv(program.getTarget(), usesAddresses);
    module->setAttr(spirv::getTargetEnvAttrName(), env);
    return convert(module, env);
  }

  // What the outliner can move.
  static WalkResult checkAccess(Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) && !isa<memref::LoadOp, memref::StoreOp>(op)) {
        op->emitError("has no meaning on memory of a GPU");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  }

  LogicalResult convert(mlir::gpu::GPUModuleOp module, spirv::TargetEnvAttr env) {
    std::unique_ptr<SPIRVConversionTarget> target = SPIRVConversionTarget::get(env);
    SPIRVConversionOptions options;
    options.use64bitIndex = false;
    SPIRVTypeConverter converter(env, options);
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertAddress>(converter, &getContext());
    ScfToSPIRVContext loops;
    populateGPUToSPIRVPatterns(converter, patterns);
    arith::populateArithToSPIRVPatterns(converter, patterns);
    populateMathToSPIRVPatterns(converter, patterns);
    populateMemRefToSPIRVPatterns(converter, patterns);
    populateSCFToSPIRVPatterns(converter, loops, patterns);
    return applyFullConversion(module, *target, std::move(patterns));
  }
};

} // namespace
