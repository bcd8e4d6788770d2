// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Analysis/StorageBytes.h"
#include "compiler/Codegen/GPU/GpuKernelEmitter.h"
#include "compiler/Target/GPU/GpuFeatures.h"
#include "compiler/Target/Vulkan/Backend/Passes.h"
#include "compiler/Target/Vulkan/Backend/VulkanFeatures.h"
#include "heddle/contract/SpirvAbi.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Target/SPIRV/Serialization.h"

using namespace mlir;
using namespace mlir::heddle;
namespace contract = ::heddle::contract;
namespace abi = ::heddle::contract::spirv;

namespace mlir::heddle::vulkan {
#define GEN_PASS_DEF_SERIALIZESPIRV
#include "compiler/Target/Vulkan/Backend/Passes.h.inc"
} // namespace mlir::heddle::vulkan

namespace {

struct SerializeSpirv : vulkan::impl::SerializeSpirvBase<SerializeSpirv> {
  void runOnOperation() override {
    kernel::ProgramOp program = getOperation();
    auto modules = llvm::to_vector(program.getOps<spirv::ModuleOp>());
    if (modules.empty())
      return;
    SmallVector<uint32_t> words;
    for (spirv::ModuleOp module : modules)
      if (failed(append(module, words)))
        return signalPassFailure();
    ArrayRef bytes(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint32_t));
    auto type = RankedTensorType::get({static_cast<int64_t>(bytes.size())}, IntegerType::get(&getContext(), 8));
    AsmResourceBlob blob = HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, 64);
    program.setObjectAttr(DenseResourceElementsAttr::get(type, program.getSymName(), std::move(blob)));
    program->setDiscardableAttr("kernel.features", listFeatures(modules.front(), program.getTarget()));
    codegen::setLaunch(program, mlir::heddle::gpu::getFeatures(program.getTarget()).invocations,
                       countSharedBytes(modules.front()));
    for (spirv::ModuleOp module : modules)
      module.erase();
  }

  static LogicalResult append(spirv::ModuleOp module, SmallVector<uint32_t> &words) {
    forbidRewriting(module);
    requireNarrowAccess(module);
    SmallVector<uint32_t> more;
    if (failed(spirv::serialize(module, more)))
      return failure();
    llvm::append_range(words, more);
    return success();
  }

  // Drivers rewrite sums without this as if they were exact: (x + c) - c is x to them, which rounds nothing.
  static void forbidRewriting(spirv::ModuleOp module) {
    module.walk([](Operation *op) {
      if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp, spirv::FRemOp, spirv::FNegateOp>(op))
        op->setAttr("no_contraction", UnitAttr::get(op->getContext()));
    });
  }

  // What update-vce leaves out: elements below 32 bits reached by addresses.
  static void requireNarrowAccess(spirv::ModuleOp module) {
    spirv::VerCapExtAttr vce = *module.getVceTriple();
    llvm::SetVector<spirv::Capability> capabilities(llvm::from_range, vce.getCapabilities());
    llvm::SetVector<spirv::Extension> extensions(llvm::from_range, vce.getExtensions());
    module.walk([&](spirv::ConvertUToPtrOp op) {
      auto memory = cast<spirv::StructType>(cast<spirv::PointerType>(op.getType()).getPointeeType());
      unsigned bits = cast<spirv::RuntimeArrayType>(memory.getElementType(0)).getElementType().getIntOrFloatBitWidth();
      if (bits == 8) {
        capabilities.insert(spirv::Capability::StorageBuffer8BitAccess);
        extensions.insert(spirv::Extension::SPV_KHR_8bit_storage);
      } else if (bits == 16) {
        capabilities.insert(spirv::Capability::StorageBuffer16BitAccess);
        extensions.insert(spirv::Extension::SPV_KHR_16bit_storage);
      }
    });
    module.setVceTripleAttr(spirv::VerCapExtAttr::get(vce.getVersion(), capabilities.getArrayRef(),
                                                      extensions.getArrayRef(), module.getContext()));
  }

  static int64_t countSharedBytes(spirv::ModuleOp module) {
    int64_t bytes = 0;
    for (auto variable : module.getOps<spirv::GlobalVariableOp>()) {
      auto pointer = cast<spirv::PointerType>(variable.getType());
      if (pointer.getStorageClass() != spirv::StorageClass::Workgroup)
        continue;
      auto array = cast<spirv::ArrayType>(cast<spirv::StructType>(pointer.getPointeeType()).getElementType(0));
      bytes += *storageBytes(array.getElementType(), array.getNumElements());
    }
    return bytes;
  }

  static ArrayAttr listFeatures(spirv::ModuleOp module, device::ExecutableAttr target) {
    Builder builder(module.getContext());
    SmallVector<Attribute> names;
    auto capabilities = module.getVceTriple()->getCapabilities();
    for (const vulkan::Feature &feature : vulkan::kFeatures)
      if (llvm::is_contained(capabilities, feature.capability))
        names.push_back(builder.getStringAttr(feature.name));
    auto require = [&](StringRef limit, int64_t value, int64_t least) {
      if (value > least)
        names.push_back(builder.getStringAttr(limit + ">=" + Twine(value)));
    };
    require("maxComputeSharedMemorySize", countSharedBytes(module), abi::kLeastSharedBytes);
    require("maxComputeWorkGroupInvocations", mlir::heddle::gpu::getFeatures(target).invocations,
            abi::kLeastInvocations);
    if (auto limits = target.getConfig().getAs<ArrayAttr>(vulkan::kRequiredLimits))
      llvm::append_range(names, limits);
    return builder.getArrayAttr(names);
  }
};

} // namespace
