// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CUDA/Backend/CudaBackend.h"

#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Target/CUDA/Backend/Passes.h"
#include "compiler/Target/GPU/GpuFeatures.h"
#include "compiler/Target/TargetRegistry.h"
#include "heddle/contract/PtxAbi.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::heddle;
namespace abi = ::heddle::contract::ptx;

namespace {

constexpr StringLiteral kSharedOption = "maxComputeSharedMemorySize"; // as gpu::getFeatures() calls it

class CudaBackend : public Target {
public:
  StringRef getName() const override { return "cuda"; }
  std::string listFormats() const override { return std::string(abi::kFormat); }
  bool handles(StringRef format) const override { return format == StringRef(abi::kFormat); }

  ArrayRef<DeviceAlias> getAliases() const override {
    static const DeviceAlias kAliases[] = {{"cuda", "an NVIDIA GPU of compute capability 8.0 or newer"}};
    return kAliases;
  }
  ArrayRef<StringRef> getOptions() const override {
    static const StringRef kOptions[] = {"arch", kSharedOption}; // sm_90, or several; bytes that a workgroup shares
    return kOptions;
  }
  FailureOr<device::TargetAttr> expandAlias(Operation *op, StringRef, const AliasOptions &options) const override;

  std::string getVariantName(device::ExecutableAttr executable) const override;
  std::string spell(device::ExecutableAttr executable) const override {
    return ("cuda " + cuda::getArchitecture(executable)).str();
  }
  ArrayAttr getRequiredFeatures(device::ExecutableAttr executable) const override {
    return cuda::getRequiredFeatures(executable);
  }

  FailureOr<std::unique_ptr<encoding::LayoutResolver>> createLayoutResolver(Operation *,
                                                                            device::ExecutableAttr) const override {
    // In rows: what an invocation reads lies beside what its neighbour reads.
    return std::unique_ptr<encoding::LayoutResolver>(std::make_unique<encoding::IdentityResolver>());
  }
  FormModel getFormModel() const override { return {.shortRows = true, .rounding = FormModel::Rounding::Never}; }
  bool sharesUnits() const override { return true; }
  std::vector<TargetFact> getFacts(Operation *, device::ExecutableAttr executable) const override {
    return mlir::heddle::gpu::getFacts(executable);
  }
  std::string explainInvalid(device::ExecutableAttr executable) const override {
    return mlir::heddle::gpu::explainInvalid(executable);
  }
  std::string explainUnsupported(func::FuncOp function, device::ExecutableAttr executable) const override;
  void buildPipeline(OpPassManager &pm, const CodegenOptions &options) const override;
};

} // namespace

// Each architecture once, in the order given.
FailureOr<device::TargetAttr> CudaBackend::expandAlias(Operation *op, StringRef, const AliasOptions &options) const {
  Builder builder(op->getContext());
  SmallVector<Attribute> names{builder.getStringAttr("sm_80")};
  if (Attribute given = options.config.get("arch"))
    names = isa<ArrayAttr>(given) ? llvm::to_vector(cast<ArrayAttr>(given)) : SmallVector<Attribute>{given};
  auto shared = builder.getI64IntegerAttr(abi::kLeastSharedBytes);
  if (Attribute given = options.config.get(kSharedOption)) {
    shared = dyn_cast<IntegerAttr>(given);
    if (!shared || shared.getValue().getSignificantBits() > 32 || shared.getInt() < 1 ||
        shared.getInt() > abi::kMostSharedBytes)
      return op->emitError() << kSharedOption << " is a number of bytes from 1 to " << abi::kMostSharedBytes
                             << ", which workgroups of some GPUs may share, got " << given;
  }
  llvm::SetVector<device::ExecutableAttr> executables;
  for (Attribute name : names) {
    auto arch = dyn_cast<StringAttr>(name);
    if (!arch || !cuda::isArchitecture(arch.getValue()))
      return op->emitError() << "an architecture is one from sm_80 to sm_90a, which PTX 8.0 knows, got " << name;
    auto config = builder.getDictionaryAttr({
        builder.getNamedAttr("arch", arch),
        builder.getNamedAttr(kSharedOption, shared),
        builder.getNamedAttr("ptx", builder.getStringAttr("ptx80")),
        builder.getNamedAttr("subgroupSize", builder.getI64IntegerAttr(32)),
        builder.getNamedAttr("workgroup", builder.getI64IntegerAttr(128)),
    });
    executables.insert(device::ExecutableAttr::get(builder.getStringAttr(StringRef(abi::kFormat)), config));
  }
  return device::TargetAttr::get(builder.getStringAttr("cuda"), options.ordinal, executables.getArrayRef());
}

std::string CudaBackend::getVariantName(device::ExecutableAttr executable) const {
  std::string text;
  llvm::raw_string_ostream(text) << executable.getConfig();
  return ("ptx_" + cuda::getArchitecture(executable) + "_" + llvm::utohexstr(llvm::xxh3_64bits(text) & 0xffff, true))
      .str();
}

std::string CudaBackend::explainUnsupported(func::FuncOp function, device::ExecutableAttr executable) const {
  mlir::heddle::gpu::GpuFeatures features = mlir::heddle::gpu::getFeatures(executable);
  features.bindingBytes = features.elements = INT64_MAX; // pointers reach everything
  features.bindings = abi::kMostParameters;
  features.addresses = false;
  size_t parameters = function.getNumArguments() + function.getNumResults();
  if (parameters > abi::kMostParameters)
    return "its " + std::to_string(parameters) + " tensors and sizes are more than the " +
           std::to_string(abi::kMostParameters) + " that a CUDA kernel takes";
  return mlir::heddle::gpu::explainUnsupported(function, features);
}

ArrayAttr cuda::getRequiredFeatures(device::ExecutableAttr executable) {
  return Builder(executable.getContext())
      .getStrArrayAttr({getArchitecture(executable), getPtxVersion(executable), StringRef(abi::kConvention)});
}

void CudaBackend::buildPipeline(OpPassManager &pm, const CodegenOptions &options) const {
  // First: nothing after it meets an encoded type.
  pm.addPass(createMaterializeEncodings());
  pm.addPass(createGeneralizeOps());
  pm.addPass(createLowerToInvocations());
  pm.addPass(createCSEPass());
  pm.addPass(createExpandGpuMath());
  pm.addPass(cuda::createConvertToNvvm());
  pm.addPass(cuda::createEmitPtx(cuda::EmitPtxOptions{options.optLevel}));
}

void cuda::registerBackend() { registerTarget(std::make_unique<CudaBackend>()); }
