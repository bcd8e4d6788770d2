#include "compiler/Target/CPU/CpuTarget.h"

#include "heddle/contract/CpuFeatures.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>

using namespace mlir;
using namespace mlir::heddle;

// "+a,-b,+c": of the features an artifact may require, those the processor has, and without those the machine hides. In
// the order of the list, so that equal machines give equal bytes.
static std::string featuresOf(const llvm::Triple &triple, const llvm::MCSubtargetInfo &info, bool host) {
  if (!triple.isX86())
    return "";
  llvm::StringMap<bool> machine = host ? llvm::sys::getHostCPUFeatures() : llvm::StringMap<bool>();
  std::vector<std::string> signs;
  for (std::string_view view : ::heddle::contract::kX86Features) {
    std::string name(view);
    bool known = info.checkFeatures("+" + name);
    if (host ? machine.lookup(name) : known)
      signs.push_back("+" + name);
    else if (known)
      signs.push_back("-" + name);
  }
  return llvm::join(signs, ",");
}

static FailureOr<std::string> nearestCpu(const llvm::MCSubtargetInfo &info, StringRef cpu) {
  StringRef best;
  unsigned distance = 4;
  for (const llvm::SubtargetSubTypeKV &known : info.getAllProcessorDescriptions())
    if (unsigned d = cpu.edit_distance(known.Key, true, distance); d < distance) {
      distance = d;
      best = known.Key;
    }
  if (best.empty())
    return failure();
  return best.str();
}

FailureOr<device::ExecutableAttr> cpu::getExecutable(Operation *op, StringRef cpu) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return op->emitError() << "no code generator for " << triple.str() << ": " << message;
  bool host = cpu == "host";
  std::string name = host ? llvm::sys::getHostCPUName().str() : cpu.str();
  std::unique_ptr<llvm::MCSubtargetInfo> info(target->createMCSubtargetInfo(triple, "", ""));
  if (!host && !info->isCPUStringValid(name)) {
    InFlightDiagnostic diagnostic = op->emitError() << "unknown target CPU '" << cpu << "'";
    if (FailureOr<std::string> near = nearestCpu(*info, cpu); succeeded(near))
      diagnostic << "; did you mean '" << *near << "'?";
    return diagnostic;
  }
  info.reset(target->createMCSubtargetInfo(triple, name, ""));
  Builder builder(op->getContext());
  return device::ExecutableAttr::get(op->getContext(), builder.getStringAttr("elf-" + triple.getArchName().str()),
                                     builder.getStringAttr(name),
                                     builder.getStringAttr(featuresOf(triple, *info, host)));
}
