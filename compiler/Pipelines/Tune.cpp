// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/Tune.h"

#include "compiler/Codegen/Plan/TileAttribute.h"
#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Pipelines/TuneCache.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace mlir;
using namespace mlir::heddle;

// Multiplications from which on a contraction is worth minutes of measuring many of.
static constexpr int64_t kCostly = 1 << 20;
// What is chosen without tuning stays unless another is so much faster: less is noise.
static constexpr double kGain = 0.97;
// Besides what is chosen without.
static constexpr StringLiteral kCandidates[] = {"{vectors = 1}", "{vectors = 2}", "{vectors = 3}",
                                                "{vectors = 4}", "{next = true}", "{next = false}"};

// Measured on zeros, by which integers must not be divided.
static bool mayTrap(flow::ExecutableOp executable) {
  WalkResult walk = executable.walk([](Operation *op) {
    bool divides = isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::CeilDivSIOp,
                       arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
    return divides && !matchPattern(op->getOperand(1), m_Constant()) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

static bool isCostly(flow::ExecutableOp executable) {
  bool found = false;
  executable.walk([&](linalg::LinalgOp op) {
    int64_t work = 1;
    for (int64_t size : op.getStaticLoopRanges())
      work *= ShapedType::isDynamic(size) ? 1 : std::min<int64_t>(size, kCostly);
    found |= op.getNumDpsInputs() >= 2 && op.getNumReductionLoops() > 0 && work >= kCostly;
  });
  return found && !mayTrap(executable);
}

static bool hasFreeSizes(flow::ExecutableOp executable) {
  WalkResult walk = executable.walk([](linalg::LinalgOp op) {
    return llvm::is_contained(op.getStaticLoopRanges(), ShapedType::kDynamic) ? WalkResult::interrupt()
                                                                              : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

// The devices and the executable alone.
static OwningOpRef<ModuleOp> isolate(flow::ExecutableOp executable, ModuleOp module, Attribute tile) {
  OwningOpRef<ModuleOp> candidate = ModuleOp::create(executable.getLoc());
  OpBuilder builder(candidate->getBodyRegion());
  for (auto device : module.getOps<device::GlobalOp>())
    builder.clone(*device);
  Operation *copy = builder.clone(*executable);
  if (tile)
    copy->setDiscardableAttr(codegen::kTileAttribute, tile);
  return candidate;
}

static Attribute findFastest(flow::ExecutableOp executable, ModuleOp module, const MeasureKernel &measure) {
  std::optional<double> best = measure(*isolate(executable, module, nullptr));
  if (!best)
    return nullptr;
  Attribute winner = DictionaryAttr::get(module.getContext());
  double limit = *best * kGain;
  for (StringRef text : kCandidates) {
    Attribute tile = parseAttribute(text, module.getContext());
    std::optional<double> seconds = measure(*isolate(executable, module, tile));
    if (seconds && *seconds < limit) {
      limit = *seconds;
      winner = tile;
    }
  }
  return winner;
}

TuneReport mlir::heddle::tuneExecutables(ModuleOp module, const TuneOptions &options) {
  TuneReport report;
  TuneCache cache(options.cacheDir, module.getLoc());
  MeasureKernel here = [&](ModuleOp candidate) { return measureKernel(candidate, options.optLevel); };
  MeasureKernel measure = options.measure ? options.measure : here;
  SmallVector<flow::ExecutableOp> costly;
  for (auto executable : module.getOps<flow::ExecutableOp>())
    if (isCostly(executable) && !executable->hasAttr(codegen::kTileAttribute))
      costly.push_back(executable);
  report.costly = costly.size();
  for (auto [number, executable] : llvm::enumerate(costly)) {
    if (options.progress)
      *options.progress << "\rtuning kernel " << number + 1 << " of " << costly.size() << "\x1b[K";
    std::string text = "-O" + std::to_string(options.optLevel) + "\n";
    llvm::raw_string_ostream(text) << **isolate(executable, module, nullptr);
    std::string key = TuneCache::makeKey(text);
    Attribute winner = cache.find(key);
    if (winner) {
      ++report.reused;
    } else if ((winner = findFastest(executable, module, measure))) {
      ++report.measured;
      cache.store(key, winner);
    } else {
      ++(hasFreeSizes(executable) ? report.freeSizes : report.foreign);
    }
    if (winner && !cast<DictionaryAttr>(winner).empty())
      executable->setDiscardableAttr(codegen::kTileAttribute, winner);
  }
  if (options.progress)
    *options.progress << "\r\x1b[K";
  return report;
}

std::string mlir::heddle::toSentence(const TuneReport &report) {
  auto these = [](unsigned count, StringRef one, StringRef many) {
    return std::to_string(count) + (count == 1 ? one : many).str();
  };
  std::string text = "tuned " + std::to_string(report.measured) + " of " + std::to_string(report.costly) +
                     " costly kernels (" + std::to_string(report.reused) + " from the cache)";
  if (report.costly == 0)
    text += "; those are contractions of known sizes with a million multiplications or more";
  if (report.freeSizes)
    text += "; " + these(report.freeSizes, " has", " have") + " sizes that only a call knows: fix them with --dim";
  if (report.foreign)
    text += "; " + these(report.foreign, " does", " do") +
            " not run on this machine's processor, which is what is measured";
  return text;
}

std::string mlir::heddle::getDefaultCacheDir() {
  if (const char *set = std::getenv("HEDDLE_CACHE_DIR"); set && *set)
    return set;
  SmallString<128> path;
  if (!llvm::sys::path::cache_directory(path))
    return "";
  llvm::sys::path::append(path, "heddle");
  return path.str().str();
}
