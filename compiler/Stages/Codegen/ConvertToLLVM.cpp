// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/ISA/InstructionSet.h"
#include "compiler/Dialect/Flow/IR/Overwrites.h"
#include "compiler/Stages/Codegen/LlvmLowering.h"
#include "compiler/Stages/Codegen/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

#include <memory>

using namespace mlir;
using namespace mlir::heddle;

namespace mlir::heddle {
#define GEN_PASS_DEF_CONVERTTOLLVM
#include "compiler/Stages/Codegen/Passes.h.inc"
} // namespace mlir::heddle

namespace {

// The kernel's arguments while it is converted: `@body(constants, begin, end, scratch, binding…)`. A separate function,
// because only arguments can say that written bindings overlap nothing.
struct Entry {
  func::FuncOp body;
  Value constants, begin, end, scratch, status;
  DenseMap<int64_t, Value> bindings;
};

Value asIndex(OpBuilder &builder, Location loc, Value value) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
}

// Replaces the ops of the kernel dialect by what they mean in terms of `entry`.
struct KernelOpLowering {
  Entry &entry;
  const LLVMTypeConverter &converter;

  void lower(Operation *op) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto pointer = LLVM::LLVMPointerType::get(op->getContext());
    if (auto binding = dyn_cast<kernel::BindingOp>(op)) {
      Value base = entry.bindings.lookup(binding.getIndex());
      binding.replaceAllUsesWith(codegen::makeMemref(builder, loc, converter, binding.getType(), base));
    } else if (auto constant = dyn_cast<kernel::ConstantOp>(op)) {
      Value address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI64Type(), entry.constants,
                                          LLVM::GEPArg(static_cast<int32_t>(constant.getIndex())));
      Value loaded = LLVM::LoadOp::create(builder, loc, builder.getI64Type(), address);
      constant.replaceAllUsesWith(asIndex(builder, loc, loaded));
    } else if (auto range = dyn_cast<kernel::RangeOp>(op)) {
      range.getBegin().replaceAllUsesWith(asIndex(builder, loc, entry.begin));
      range.getEnd().replaceAllUsesWith(asIndex(builder, loc, entry.end));
    } else if (auto scratch = dyn_cast<kernel::ScratchOp>(op)) {
      Value offset = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), scratch.getOffset());
      Value address = LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), entry.scratch,
                                          ArrayRef<LLVM::GEPArg>{offset});
      scratch.replaceAllUsesWith(codegen::makeMemref(builder, loc, converter, scratch.getType(), address));
    } else if (auto fail = dyn_cast<kernel::FailOp>(op)) {
      Value status = arith::ConstantIntOp::create(builder, loc, fail.getStatus(), 32);
      LLVM::StoreOp::create(builder, loc, status, entry.status);
    } else if (isa<kernel::FenceOp>(op)) {
      LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::seq_cst, StringRef());
    }
    op->erase();
  }
};

Type getFirst(ArrayRef<Type> types) { return types.empty() ? Type() : types.front(); }

struct ConvertToLLVM : mlir::heddle::impl::ConvertToLLVMBase<ConvertToLLVM> {
  void runOnOperation() override {
    auto kernel = getOperation().lookupSymbol<func::FuncOp>("kernel");
    if (!kernel)
      return signalPassFailure();
    const codegen::LoopsToLLVM &loops = getLowering(getOperation().getTarget().getFormat().getValue());
    Entry entry = makeBody(kernel);
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<kernel::KernelDialect>(op->getDialect()) && !codegen::isInstruction(op) &&
          !isa<kernel::MicrokernelOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      KernelOpLowering{entry, loops.getConverter()}.lower(op);
    // The others, of the kernel's microkernels, are on vectors alone; those of the host stay as they are.
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (function != kernel && isa_and_nonnull<VectorType>(getFirst(function.getArgumentTypes())) &&
          failed(loops.convert(function)))
        return signalPassFailure();
    if (failed(loops.convert(kernel)))
      return signalPassFailure();
    makeEntryPoint();
  }

  const codegen::LoopsToLLVM &getLowering(StringRef format) {
    std::shared_ptr<const codegen::LoopsToLLVM> &lowering = lowerings[format];
    if (!lowering)
      lowering = std::make_shared<codegen::LoopsToLLVM>(&getContext(), format);
    return *lowering;
  }

  // Gives the kernel its arguments and its status slot.
  Entry makeBody(func::FuncOp kernel) {
    Location loc = kernel.getLoc();
    Builder attrs(&getContext());
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    numBindings = 0;
    kernel.walk([&](kernel::BindingOp op) { numBindings = std::max<int64_t>(numBindings, op.getIndex() + 1); });
    SmallVector<Type> types = {pointer, attrs.getI64Type(), attrs.getI64Type(), pointer};
    types.append(numBindings, pointer);
    kernel.setFunctionType(FunctionType::get(&getContext(), types, attrs.getI32Type()));
    Block &block = kernel.getBody().front();
    for (Type type : types)
      block.addArgument(type, loc);
    auto mark = [&](unsigned argument, StringRef name) { kernel.setArgAttr(argument, name, attrs.getUnitAttr()); };
    mark(0, "llvm.noalias");
    mark(3, "llvm.noalias");
    // Also for those only read: they may overlap one another, which changes nothing for memory that nobody writes.
    // What lies over an operand overlaps it.
    SmallVector<int64_t> overlapping;
    for (const flow::Overwrite &pair : flow::getOverwrites(getOperation()))
      overlapping.append({pair.operand, pair.result});
    for (int64_t i = 0; i < numBindings; ++i)
      if (!llvm::is_contained(overlapping, i))
        mark(4 + i, "llvm.noalias");
    kernel.setName("body");
    kernel.setPrivate();
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    Value one = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), builder.getI64IntegerAttr(1));
    Value zero = LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), builder.getI32IntegerAttr(0));
    Entry entry{kernel,  block.getArgument(0),      block.getArgument(1), block.getArgument(2), block.getArgument(3),
                Value(), DenseMap<int64_t, Value>()};
    entry.status = LLVM::AllocaOp::create(builder, loc, pointer, builder.getI32Type(), one);
    LLVM::StoreOp::create(builder, loc, zero, entry.status);
    for (int64_t i = 0; i < numBindings; ++i)
      entry.bindings[i] = block.getArgument(4 + i);
    Operation *terminator = block.getTerminator();
    builder.setInsertionPoint(terminator);
    Value status = LLVM::LoadOp::create(builder, loc, builder.getI32Type(), entry.status);
    func::ReturnOp::create(builder, loc, status);
    terminator->erase();
    return entry;
  }

  // `@kernel` as KernelAbi.h has it: loads the binding addresses and calls the body.
  void makeEntryPoint() {
    auto body = getOperation().lookupSymbol<LLVM::LLVMFuncOp>("body");
    body.setLinkage(LLVM::Linkage::Internal);
    Location loc = body.getLoc();
    OpBuilder builder(body);
    auto pointer = LLVM::LLVMPointerType::get(&getContext());
    auto i64 = builder.getI64Type();
    auto type = LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer, i64, i64, pointer});
    auto entry = LLVM::LLVMFuncOp::create(builder, loc, "kernel", type);
    Block *block = entry.addEntryBlock(builder);
    builder.setInsertionPointToStart(block);
    auto field = [&](Value base, int64_t i) -> Value {
      Value address = LLVM::GEPOp::create(builder, loc, pointer, pointer, base, LLVM::GEPArg(static_cast<int32_t>(i)));
      return LLVM::LoadOp::create(builder, loc, pointer, address);
    };
    Value bindings = field(block->getArgument(0), 0), constants = field(block->getArgument(0), 1);
    SmallVector<Value> operands = {constants, block->getArgument(1), block->getArgument(2), block->getArgument(3)};
    for (int64_t i = 0; i < numBindings; ++i)
      operands.push_back(field(bindings, i));
    Value status = LLVM::CallOp::create(builder, loc, body, operands).getResult();
    LLVM::ReturnOp::create(builder, loc, status);
  }

  int64_t numBindings = 0;
  llvm::StringMap<std::shared_ptr<const codegen::LoopsToLLVM>> lowerings; // by format
};

} // namespace
