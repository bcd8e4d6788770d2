// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CPU/CpuTarget.h"

#include "compiler/Dialect/Suggest.h"
#include "compiler/Target/CPU/CpuFeatures.h"
#include "heddle/contract/CpuFeatures.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::heddle;
namespace contract = ::heddle::contract;

// What LLVM may use on its own account where the processor has it, and no artifact can require.
static constexpr StringRef kUnusedX86[] = {"xop",     "fma4",        "tbm",          "sse4a",        "avxifma",
                                           "sha512",  "avxvnniint8", "avxvnniint16", "avxneconvert", "avx10.1",
                                           "avx10.2", "egpr",        "ndd",          "ccmp",         "cf"};
static constexpr StringRef kUnusedAArch64[] = {"cssc", "mops", "hbc", "sme", "sve2p1", "rcpc3", "lse128", "faminmax"};

namespace {

class Spec {
public:
  // Fails with a reason.
  static FailureOr<Spec> parse(StringRef text, std::string &reason);

  device::ExecutableAttr getExecutable(MLIRContext *context) const;

private:
  LogicalResult findCpu(StringRef text, std::string &reason);
  LogicalResult findFeatures(std::string &reason) const;
  std::string features() const;
  ArrayRef<StringRef> unused() const;

  llvm::Triple triple;
  std::string arch, cpu;
  bool host = false;
  SmallVector<StringRef> added;
  std::unique_ptr<llvm::MCSubtargetInfo> info;
};

} // namespace

static SmallVector<StringRef> toStrings(ArrayRef<std::string_view> views) {
  return llvm::map_to_vector(views, [](std::string_view view) { return StringRef(view); });
}

LogicalResult Spec::findCpu(StringRef text, std::string &reason) {
  host = cpu == "host";
  if (host && arch != llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArchName()) {
    reason = ("'host' is a CPU of this machine's architecture, got '" + text + "'").str();
    return failure();
  }
  if (host)
    cpu = llvm::sys::getHostCPUName().str();
  std::string name = triple.isRISCV() && cpu == "generic" ? "generic-rv64" : cpu;
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target) {
    reason = message;
    return failure();
  }
  info.reset(target->createMCSubtargetInfo(triple, "", ""));
  SmallVector<StringRef> names;
  // Of RISC-V, models differ in vector length, which an artifact cannot require.
  if (triple.isRISCV())
    names.push_back("generic");
  else
    for (const llvm::SubtargetSubTypeKV &known : info->getAllProcessorDescriptions())
      names.push_back(known.Key);
  if (!host && !llvm::is_contained(names, cpu)) {
    reason = "unknown target CPU '" + text.str() + "'" + didYouMean(cpu, names);
    return failure();
  }
  info.reset(target->createMCSubtargetInfo(triple, name, ""));
  cpu = name;
  return success();
}

LogicalResult Spec::findFeatures(std::string &reason) const {
  SmallVector<StringRef> known = toStrings(contract::featuresOfArchitecture(arch));
  for (StringRef feature : added)
    if (!llvm::is_contained(known, feature)) {
      reason = "unknown feature '" + feature.str() + "' of " + arch + didYouMean(feature, known);
      return failure();
    }
  return success();
}

FailureOr<Spec> Spec::parse(StringRef text, std::string &reason) {
  cpu::initializeTargets();
  Spec spec;
  auto [arch, rest] = text.contains(':') ? text.split(':') : std::pair(StringRef(), text);
  spec.arch = arch.empty() ? llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArchName().str() : arch.str();
  SmallVector<StringRef> known = toStrings(contract::kArchitectures);
  if (!llvm::is_contained(known, spec.arch)) {
    reason = "unknown architecture '" + spec.arch + "' of target CPU '" + text.str() +
             "'; known: " + llvm::join(known, ", ");
    return failure();
  }
  spec.triple = llvm::Triple(spec.arch + "-unknown-linux-gnu");
  rest.split(spec.added, '+');
  spec.cpu = spec.added.front().str();
  spec.added.erase(spec.added.begin());
  if (failed(spec.findCpu(text, reason)) || failed(spec.findFeatures(reason)))
    return failure();
  return spec;
}

ArrayRef<StringRef> Spec::unused() const {
  if (triple.isX86())
    return kUnusedX86;
  return triple.isAArch64() ? ArrayRef(kUnusedAArch64) : ArrayRef<StringRef>();
}

// "+a,-b,+c": of the features an artifact may require, those the processor has, and without those the machine hides. In
// the order of the list, so that equal machines give equal bytes.
std::string Spec::features() const {
  llvm::StringMap<bool> machine = host ? llvm::sys::getHostCPUFeatures() : llvm::StringMap<bool>();
  SmallVector<StringRef> base; // of the application processors that LLVM's baseline of RISC-V does not name
  if (triple.isRISCV())
    base = toStrings(*contract::featuresOfCpu(arch, "generic"));
  std::vector<std::string> signs;
  for (StringRef name : toStrings(contract::featuresOfArchitecture(arch))) {
    bool known = info->checkFeatures("+" + name.str());
    // The runtime hides tile registers that the system does not grant.
    bool usable = !host || !name.starts_with("amx-") || cpu::requestTileRegisters();
    bool has = ((host ? machine.lookup(name) : known) && usable) || llvm::is_contained(base, name);
    if (has || llvm::is_contained(added, name))
      signs.push_back("+" + name.str());
    else if (known)
      signs.push_back("-" + name.str());
  }
  for (StringRef name : unused())
    if (info->checkFeatures("+" + name.str()))
      signs.push_back("-" + name.str());
  return llvm::join(signs, ",");
}

device::ExecutableAttr Spec::getExecutable(MLIRContext *context) const {
  return cpu::makeExecutable(context, "elf-" + arch, cpu, features());
}

std::string cpu::explainUnknown(StringRef spec) {
  std::string reason;
  return succeeded(Spec::parse(spec, reason)) ? "" : reason;
}

FailureOr<device::ExecutableAttr> cpu::getExecutable(Operation *op, StringRef spec) {
  std::string reason;
  FailureOr<Spec> parsed = Spec::parse(spec, reason);
  if (failed(parsed))
    return op->emitError() << reason;
  return parsed->getExecutable(op->getContext());
}

std::string cpu::spell(device::ExecutableAttr target) {
  StringRef arch = target.getFormat().getValue(), cpu = getCpu(target);
  arch.consume_front("elf-");
  cpu.consume_back("-rv64");
  std::string text = (arch == "x86_64" ? Twine(cpu) : arch + ":" + cpu).str();
  auto known = contract::featuresOfCpu(arch, cpu);
  SmallVector<StringRef> features;
  getFeatureList(target).split(features, ',', -1, false);
  for (StringRef feature : features)
    if (known && feature.consume_front("+") && !llvm::is_contained(*known, std::string_view(feature)))
      text += "+" + feature.str();
  return text;
}
