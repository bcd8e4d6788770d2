// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CPU/Backend/CpuBackend.h"

#include "compiler/Codegen/CPU/Overwrites.h"
#include "compiler/Codegen/Plan/Configure.h"
#include "compiler/Dialect/Encoding/Transforms/SelectTarget.h"
#include "compiler/Stages/Codegen/Passes.h"
#include "compiler/Target/CPU/CpuFeatures.h"
#include "compiler/Target/CPU/CpuLayoutResolver.h"
#include "compiler/Target/CPU/CpuTarget.h"
#include "compiler/Target/TargetRegistry.h"

#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::heddle;

namespace {

class CpuBackend : public Target {
public:
  StringRef getName() const override { return "cpu"; }
  std::string listFormats() const override { return "elf-x86_64, elf-aarch64, elf-riscv64"; }
  bool handles(StringRef format) const override { return format.starts_with("elf-"); }

  ArrayRef<DeviceAlias> getAliases() const override {
    static const DeviceAlias kAliases[] = {{"local", "processors of the machine that runs the artifact"},
                                           {"sim", "computes like local, in virtual time"},
                                           {"null", "accepts all and computes nothing"}};
    return kAliases;
  }
  ArrayRef<StringRef> getOptions() const override {
    static constexpr StringRef kOptions[] = {"cpu"};
    return kOptions;
  }
  FailureOr<device::TargetAttr> expandAlias(Operation *op, StringRef alias, const AliasOptions &options) const override;

  std::string getVariantName(device::ExecutableAttr executable) const override;
  std::string spell(device::ExecutableAttr executable) const override { return cpu::spell(executable); }
  ArrayAttr getRequiredFeatures(device::ExecutableAttr executable) const override;

  FailureOr<std::unique_ptr<encoding::LayoutResolver>>
  createLayoutResolver(Operation *op, device::ExecutableAttr executable) const override {
    return cpu::createLayoutResolver(op, executable);
  }

  std::vector<TargetFact> getFacts(Operation *op, device::ExecutableAttr executable) const override {
    FailureOr<cpu::CpuFeatures> features = cpu::getFeatures(op, executable);
    if (failed(features))
      return {};
    return {{"vector_bytes", features->vectorBytes},
            {"vector_registers", features->vectorRegisters},
            {"first_level_bytes", features->firstLevelBytes},
            {"second_level_bytes", features->secondLevelBytes}};
  }

  std::optional<QueueCosts> getQueueCosts() const override {
    QueueCosts costs; // a fast core with warm caches, so that small work is not taken for large
    costs.units = 2;
    costs.queues = 4;
    costs.gflops = 120;
    costs.memoryGbps = 100;
    costs.launchNs = 300;
    costs.spreadNs = 1'500;
    costs.spreadGbps = 35;
    costs.handOverNs = 2'000;
    costs.joinNs = 1'500;
    costs.queuedNs = 100;
    costs.leastGainNs = 7'000;
    costs.leastOfProgram = 0.03;
    costs.workgroupFlops = 2 * codegen::kProductsPerWorkgroup;
    costs.workgroupBytes = 4 * codegen::kElementsPerWorkgroup;
    return costs;
  }
  std::optional<WinogradCosts> getWinogradCosts() const override {
    return WinogradCosts{.input = 12, .output = 12, .leastRows = 36, .most = 0.8, .mostOfSmall = 0.85};
  }
  // What no strategy recognises is computed element by element.
  std::string explainUnsupported(func::FuncOp, device::ExecutableAttr) const override { return ""; }
  SmallVector<flow::Overwrite> findOverwrites(func::FuncOp, device::ExecutableAttr executable) const override;
  void buildPipeline(OpPassManager &pm, const CodegenOptions &options) const override;
  void buildEmission(OpPassManager &pm, const CodegenOptions &options) const override;
};

} // namespace

// Each processor once, in the order given.
FailureOr<device::TargetAttr> CpuBackend::expandAlias(Operation *op, StringRef alias,
                                                      const AliasOptions &options) const {
  llvm::SetVector<device::ExecutableAttr> executables;
  SmallVector<Attribute> specs{StringAttr::get(op->getContext(), "host")};
  if (Attribute cpus = options.config.get("cpu"))
    specs = isa<ArrayAttr>(cpus) ? llvm::to_vector(cast<ArrayAttr>(cpus)) : SmallVector<Attribute>{cpus};
  for (Attribute spec : specs) {
    auto text = dyn_cast<StringAttr>(spec);
    if (!text)
      return op->emitError() << "a processor is [ARCHITECTURE:]CPU[+FEATURE]…, such as x86-64-v3, got " << spec;
    FailureOr<device::ExecutableAttr> executable = cpu::getExecutable(op, text.getValue());
    if (failed(executable))
      return failure();
    executables.insert(*executable);
  }
  return device::TargetAttr::get(StringAttr::get(op->getContext(), alias), options.ordinal, executables.getArrayRef());
}

std::string CpuBackend::getVariantName(device::ExecutableAttr executable) const {
  std::string name = (executable.getFormat().getValue() + "_" + cpu::getCpu(executable)).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (StringRef list = cpu::getFeatureList(executable); !list.empty())
    name += "_" + llvm::utohexstr(llvm::xxh3_64bits(list) & 0xffff, true);
  return name;
}

// "+a,-b,+c" → ["a", "c"]: the features that must be present.
ArrayAttr CpuBackend::getRequiredFeatures(device::ExecutableAttr executable) const {
  SmallVector<Attribute> required;
  SmallVector<StringRef> features;
  cpu::getFeatureList(executable).split(features, ',', -1, false);
  for (StringRef feature : features)
    if (feature.consume_front("+"))
      required.push_back(StringAttr::get(executable.getContext(), feature));
  return ArrayAttr::get(executable.getContext(), required);
}

SmallVector<flow::Overwrite> CpuBackend::findOverwrites(func::FuncOp function,
                                                        device::ExecutableAttr executable) const {
  OwningOpRef<func::FuncOp> copy = function.clone();
  FailureOr<cpu::CpuFeatures> features = cpu::getFeatures(function, executable);
  if (failed(features) || failed(encoding::selectTarget(*copy, executable)))
    return {};
  return codegen::findOverwrites(*copy, *features);
}

void CpuBackend::buildPipeline(OpPassManager &pm, const CodegenOptions &) const {
  // First: nothing after it meets an encoded type.
  pm.addPass(createMaterializeEncodings());
  pm.addPass(createGeneralizeOps());
  pm.addPass(createLowerToLoops());
  // Index arithmetic was emitted where it was needed; sharing it makes everything after cheaper.
  pm.addPass(createCSEPass());
  pm.addPass(createExpandMath());
  pm.addPass(createConvertToLLVM());
  pm.addPass(createMoveAsIntegers());
}

void CpuBackend::buildEmission(OpPassManager &pm, const CodegenOptions &options) const {
  pm.addPass(createEmitObject(EmitObjectOptions{options.optLevel}));
}

void cpu::registerBackend() { registerTarget(std::make_unique<CpuBackend>()); }
