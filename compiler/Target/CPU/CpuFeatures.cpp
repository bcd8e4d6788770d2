// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Target/CPU/CpuFeatures.h"

#include "compiler/Target/CPU/CpuExecutable.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

#include <mutex>
#include <sys/syscall.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

struct Row {
  llvm::Triple::ArchType arch; // LLVM warns about another architecture's features
  const char *feature;         // of LLVM; the first row whose feature the processor has
  cpu::CpuFeatures features;
};

// Tiles: docs/design/codegen.md, "Register tiles".
constexpr Row kRows[] = {
    {llvm::Triple::x86_64, "avx512vl", {"avx512", 64, 32, true, 8, 3}},
    {llvm::Triple::x86_64, "avx2", {"avx2", 32, 16, false, 6, 2}},
    {llvm::Triple::x86_64, "sse4.1", {"sse4.1", 16, 16, false, 4, 2}},
    {llvm::Triple::x86_64, "sse2", {"sse2", 16, 16, false, 4, 2, false}},
    {llvm::Triple::aarch64, "neon", {"neon", 16, 32, false, 8, 2}},
    {llvm::Triple::riscv64, "v", {"rvv", 16, 32, false, 8, 2, false}}, // at least 128 bits
};
// Rounding would call libm where the processor is as plain as that.
constexpr cpu::CpuFeatures kScalar = {"scalar", 8, 16, false, 4, 1, false};

// A core's caches in KiB, where they are not those of kUsual, by LLVM's names. An artifact's bytes depend on its target
// alone: `host` is the name of the machine's processor.
struct Caches {
  llvm::StringLiteral cpu;
  int64_t secondLevel, firstLevel = 32, firstLevelWays = 8;
};
constexpr Caches kUsual = {"", 1024};
constexpr Caches kCaches[] = {
    {"sapphirerapids", 2048, 48, 12},
    {"emeraldrapids", 2048, 48, 12},
    {"graniterapids", 2048, 48, 12},
    {"diamondrapids", 2048, 48, 12},
    {"icelake-server", 1280, 48, 12},
    {"alderlake", 1280, 48, 12},
    {"tigerlake", 1280, 48, 12},
    {"raptorlake", 2048, 48, 12},
    {"icelake-client", 512, 48, 12},
    {"rocketlake", 512, 48, 12},
    {"znver1", 512},
    {"znver2", 512},
    {"znver3", 512},
    {"znver5", 1024, 48, 12},
    {"haswell", 256},
    {"broadwell", 256},
    {"skylake", 256},
    {"neoverse-n1", 1024, 64, 4},
    {"neoverse-v1", 1024, 64, 4},
    {"neoverse-v2", 2048, 64, 4},
    {"cortex-a53", 512, 32, 4},
    {"cortex-a55", 256, 32, 4},
    {"cortex-a76", 512, 64, 4},
};

constexpr int64_t kKibibyte = 1024, kMebibyte = kKibibyte * kKibibyte;

const Caches &getCaches(StringRef cpu) {
  const Caches *known = llvm::find_if(kCaches, [&](const Caches &caches) { return caches.cpu == cpu; });
  return known == std::end(kCaches) ? kUsual : *known;
}

// What the processor has for registers of this width.
void setDots(cpu::CpuFeatures &features, const llvm::MCSubtargetInfo &info, const llvm::Triple &triple) {
  auto has = [&](StringRef feature) { return info.checkFeatures(feature); };
  if (triple.isX86()) {
    bool wide = features.vectorBytes == 64;
    features.mixedSignDots = has(wide ? "+avx512vnni" : "+avxvnni");
    features.dot = features.mixedSignDots              ? cpu::IntegerDot::Quads
                   : has(wide ? "+avx512bw" : "+sse2") ? cpu::IntegerDot::Pairs
                                                       : cpu::IntegerDot::None;
    features.dotsThroughWords = has(wide ? "+avx512bw" : features.vectorBytes == 32 ? "+avx2" : "+ssse3");
    features.bfloatDot = wide && has("+avx512bf16");
    features.byteTiles = wide && has("+amx-int8");
  }
  if (triple.isAArch64() && has("+neon")) {
    features.equalSignDots = has("+dotprod");
    features.mixedSignDots = features.equalSignDots && has("+i8mm");
    features.dot = features.equalSignDots ? cpu::IntegerDot::Quads : cpu::IntegerDot::None;
    features.bfloatDot = has("+bf16");
  }
}

} // namespace

bool cpu::requestTileRegisters() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr int kRequestPermission = 0x1023, kTileData = 18; // arch_prctl(2), XSAVE state 18
  static const bool granted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return granted;
#else
  return false;
#endif
}

void cpu::initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
  });
}

FailureOr<std::unique_ptr<llvm::TargetMachine>> cpu::createTargetMachine(Operation *op, device::ExecutableAttr target) {
  initializeTargets();
  StringRef format = target.getFormat();
  if (!format.consume_front("elf-"))
    return op->emitError() << "the CPU code generator makes formats 'elf-…', got '" << target.getFormat().getValue()
                           << "'";
  llvm::Triple triple((format + "-unknown-linux-gnu").str());
  std::string message;
  const llvm::Target *llvmTarget = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!llvmTarget)
    return op->emitError() << "no code generator for format '" << target.getFormat().getValue() << "': " << message;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  if (triple.isRISCV())
    options.MCOptions.ABIName = "lp64d";
  return std::unique_ptr<llvm::TargetMachine>(
      llvmTarget->createTargetMachine(triple, getCpu(target), getFeatureList(target), options, llvm::Reloc::PIC_,
                                      std::nullopt, llvm::CodeGenOptLevel::Default));
}

static cpu::CpuFeatures readFeatures(const llvm::TargetMachine &machine, device::ExecutableAttr target) {
  const llvm::MCSubtargetInfo *info = machine.getMCSubtargetInfo();
  const llvm::Triple &triple = machine.getTargetTriple();
  bool isX86 = triple.isX86();
  cpu::CpuFeatures features = kScalar;
  for (const Row &row : llvm::reverse(kRows))
    if (row.arch == triple.getArch() && info->checkFeatures(("+" + Twine(row.feature)).str()))
      features = row.features;
  setDots(features, *info, triple);
  features.permutedLanes = isX86 && features.vectorBytes >= 32 ? features.vectorBytes / 4 : 0;
  bool isRiscV = triple.isRISCV();
  const Caches &caches = getCaches(cpu::getCpu(target));
  features.secondLevelBytes = caches.secondLevel * kKibibyte;
  features.firstLevelBytes = caches.firstLevel * kKibibyte;
  features.firstLevelWays = caches.firstLevelWays;
  if (features.vectorBytes == 64 && features.secondLevelBytes >= 2 * kMebibyte)
    features.contractionVectors = 4; // measured: docs/design/tiles.md
  features.fma = isX86 ? info->checkFeatures("+fma") : !isRiscV || info->checkFeatures("+d");
  features.bfloatRounding = isX86 && info->checkFeatures("+avx512bf16");
  features.scaling = isX86 && info->checkFeatures("+avx512f,+avx512vl");
  features.halfConversions = isX86 ? info->checkFeatures("+f16c") : triple.isAArch64();
  return features;
}

FailureOr<cpu::CpuFeatures> cpu::getFeatures(Operation *op, device::ExecutableAttr target) {
  // Each kernel asks several times, and LLVM reads its tables anew for each machine.
  static std::mutex mutex;
  static llvm::StringMap<CpuFeatures> known;
  std::string key = (target.getFormat().getValue() + "|" + getCpu(target) + "|" + getFeatureList(target)).str();
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = known.find(key); found != known.end())
      return found->second;
  }
  auto machine = createTargetMachine(op, target);
  if (failed(machine))
    return failure();
  CpuFeatures features = readFeatures(**machine, target);
  std::lock_guard<std::mutex> lock(mutex);
  known.try_emplace(key, features);
  return features;
}
