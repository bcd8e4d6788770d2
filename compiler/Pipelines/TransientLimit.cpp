// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/TransientLimit.h"

#include "compiler/Dialect/Flow/Analysis/AffinityGraph.h"
#include "compiler/Dialect/Flow/Analysis/SizeEstimates.h"
#include "compiler/Dialect/Flow/Transforms/AlignedOps.h"
#include "compiler/Dialect/Heddle/IR/Expect.h"
#include "compiler/Dialect/Heddle/IR/HeddleDialect.h"
#include "compiler/Dialect/Heddle/IR/PartNotes.h"
#include "compiler/Dialect/Host/Analysis/Transients.h"
#include "compiler/Dialect/Quantities.h"
#include "compiler/Stages/Streams/GroupGrowth.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <utility>

using namespace mlir;
using namespace mlir::heddle;
using streams::Growth;
using streams::Member;

static bool isEntry(host::FuncOp func) { return func.getSymName() != "__bind"; }

// The first name of a model's node in the location; else the op's own.
static std::string nameOf(Location loc, StringRef otherwise) {
  std::string name;
  loc->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part); named && name.empty())
      name = named.getName().str();
    return WalkResult::advance();
  });
  return name.empty() ? otherwise.str() : "'" + name + "'";
}

static std::string nameOf(Operation *op) {
  auto dispatch = dyn_cast<host::DispatchOp>(op);
  return nameOf(op->getLoc(), dispatch ? ("@" + dispatch.getExecutable()).str() : op->getName().getStringRef().str());
}

// The largest first, equal ones in their order.
template <typename List, typename Bytes> static void sortBySize(List &list, Bytes bytes) {
  std::stable_sort(list.begin(), list.end(), [&](const auto &a, const auto &b) { return bytes(a) > bytes(b); });
}

static bool isFree(const Growth &growth) { return !streams::countGranules(growth); }

namespace {

// A group that is computed in parts.
struct Cut {
  Growth growth;
  OpResult seed; // for whose sake, along `dim`
  int64_t dim;
  int64_t parts;
  int64_t most; // parts that there can be, with the sizes that are expected
};

} // namespace

// Of a part, where the call tells how many parts there are: whole vectors of rows, where that is no matter.
static int64_t granulesOf(const Cut &cut) {
  constexpr int64_t kRound = 16;
  int64_t granules = std::max<int64_t>(1, cut.most / cut.parts);
  return granules < 4 * kRound ? granules : granules / kRound * kRound;
}

namespace {

// What a trial tells of one large buffer: the value of the module as it stands before `partition`.
struct Buffer {
  OpResult value;               // null where it is of ops that are in parts already, or of none
  SmallVector<Operation *> ops; // that its dispatch computes
  uint64_t bytes;
  uint64_t live; // at a time, while it lives, this one included
};

struct Usage {
  double score = 0;        // bytes above the limit, summed over the program: what is lowered
  uint64_t bytes = 0;      // of the entry point that needs most
  std::vector<Buffer> hot; // buffers that live where too much does, the largest first
};

void mark(ArrayRef<Cut> cuts) {
  for (const Cut &cut : cuts)
    if (isFree(cut.growth))
      streams::markGranules(cut.growth, granulesOf(cut));
    else
      streams::markParts(cut.growth, cut.parts);
}

void unmark(ArrayRef<Cut> cuts) {
  for (const Cut &cut : cuts)
    for (const Member &member : cut.growth.members)
      member.op->removeAttr(kStreamAttr);
}

class Limiter {
public:
  Limiter(ModuleOp module, uint64_t limit, const ScheduleTrial &schedule)
      : module(module), limit(limit), schedule(schedule), estimates(module) {
    module.walk([&](Operation *op) { ops.push_back(op); });
  }

  void run() {
    std::optional<Usage> usage = measure({});
    const uint64_t before = usage ? usage->bytes : 0;
    while (usage && usage->bytes > limit && improve(*usage))
      continue;
    if (usage && usage->bytes > limit)
      coarsen(*usage);
    // What only lowers what lives at some point, and not the peak, gains nothing.
    constexpr double kLeastGain = 0.98;
    if (cuts.empty() || usage->bytes > before * kLeastGain)
      return;
    mark(cuts);
    note(before, usage->bytes);
  }

private:
  //===--- Trials -------------------------------------------------------------------------------------------------===//

  // What the program needs with these cuts; none where it does not compile so.
  std::optional<Usage> measure(ArrayRef<Cut> tried) {
    constexpr unsigned kMostTrials = 32;
    if (++trials > kMostTrials)
      return std::nullopt;
    mark(tried);
    OwningOpRef<ModuleOp> copy = module.clone();
    unmark(tried);
    number(*copy);
    ScopedDiagnosticHandler quiet(module.getContext(), [](Diagnostic &) { return success(); });
    if (failed(schedule(*copy)))
      return std::nullopt;
    return read(*copy);
  }

  // Each op's location says which op of the module it stands for, through all stages.
  void number(ModuleOp copy) const {
    unsigned next = 0;
    OpBuilder b(copy.getContext());
    copy.walk(
        [&](Operation *op) { op->setLoc(FusedLoc::get(b.getContext(), {op->getLoc()}, b.getI64IntegerAttr(next++))); });
  }

  SmallVector<Operation *> findOps(ArrayRef<Operation *> writers) const {
    llvm::SetVector<Operation *> found;
    for (Operation *writer : writers)
      writer->getLoc()->walk([&](Location part) {
        auto fused = dyn_cast<FusedLoc>(part);
        auto number = fused ? dyn_cast_if_present<IntegerAttr>(fused.getMetadata()) : IntegerAttr();
        if (number && number.getInt() < static_cast<int64_t>(ops.size()))
          found.insert(ops[number.getInt()]);
        return WalkResult::advance();
      });
    return found.takeVector();
  }

  Usage read(ModuleOp scheduled) {
    Usage usage;
    for (auto func : scheduled.getOps<host::FuncOp>()) {
      if (!isEntry(func))
        continue;
      host::TransientMemory memory = host::measureTransients(func, getExpected(module), flow::kUnknownSize);
      usage.bytes = std::max(usage.bytes, memory.bytes);
      if (memory.bytes > limit)
        readHot(memory, usage);
    }
    sortBySize(usage.hot, [](const Buffer &buffer) { return buffer.bytes; });
    return usage;
  }

  void readHot(const host::TransientMemory &memory, Usage &usage) {
    usage.score += memory.bytes - limit;
    llvm::SetVector<Attribute> devices;
    for (const host::TransientBuffer &buffer : memory.buffers)
      devices.insert(buffer.device);
    for (Attribute device : devices) {
      SmallVector<uint64_t> live = memory.liveAt(device);
      // A plan may need more than what lives: then it is where most does.
      uint64_t most = live.empty() ? 0 : *llvm::max_element(live);
      uint64_t bound = std::min(limit, most - std::min<uint64_t>(most, 1));
      for (uint64_t bytes : live)
        usage.score += bytes - std::min(bytes, bound);
      for (const host::TransientBuffer &buffer : memory.buffers) {
        if (buffer.device != device)
          continue;
        uint64_t around = *std::max_element(live.begin() + buffer.first, live.begin() + buffer.last + 1);
        if (around > bound)
          usage.hot.push_back(describe(buffer, around));
      }
    }
  }

  // The value is the last of the dispatch's ops, if possible one of the buffer's size.
  Buffer describe(const host::TransientBuffer &buffer, uint64_t live) {
    Buffer found{{}, findOps(buffer.writers), buffer.bytes, live};
    llvm::sort(found.ops, [](Operation *a, Operation *b) {
      return a->getBlock() == b->getBlock() ? a->isBeforeInBlock(b) : a->getBlock() < b->getBlock();
    });
    for (Operation *op : llvm::reverse(found.ops)) {
      bool computes = isa<linalg::LinalgOp>(op) ? !isa<linalg::FillOp>(op) : flow::mayBeAligned(op);
      if (!computes || op->getNumResults() == 0)
        continue;
      if (!found.value)
        found.value = op->getResult(0);
      if (estimates.bytes(op->getResult(0)) != buffer.bytes)
        continue;
      found.value = op->getResult(0);
      break;
    }
    return found;
  }

  //===--- Choice -------------------------------------------------------------------------------------------------===//

  const Cut *findCut(Operation *op) const {
    auto found = llvm::find_if(cuts, [&](const Cut &cut) { return cut.growth.find(op); });
    return found == cuts.end() ? nullptr : &*found;
  }

  struct Best {
    std::vector<Cut> cuts;
    Usage usage;
  };

  // Whether there is a way to need less. The first one within the limit: groups of few ops before those of more, outer
  // dimensions, whose parts lie together, before inner ones, few parts before many. Else the one that gains most.
  bool improve(Usage &usage) {
    constexpr size_t kMostBuffers = 4;
    std::optional<Best> best;
    llvm::SmallDenseSet<Type> seen;
    for (const Buffer &buffer : usage.hot) {
      if (const Cut *cut = findCutOf(buffer)) {
        if (tryFiner(*cut, usage, best))
          break;
      } else if (buffer.value && seen.size() < kMostBuffers && seen.insert(buffer.value.getType()).second) {
        if (tryBuffer(buffer, usage, best))
          break;
      }
    }
    if (!best)
      return false;
    cuts = std::move(best->cuts);
    usage = std::move(best->usage);
    return true;
  }

  const Cut *findCutOf(const Buffer &buffer) const {
    for (Operation *op : buffer.ops)
      if (const Cut *cut = findCut(op))
        return cut;
    return nullptr;
  }

  // The score, if the program compiles so; keeps what is better than the best.
  std::optional<double> attempt(const std::vector<Cut> &tried, const Usage &now, std::optional<Best> &best) {
    constexpr double kLeastGain = 0.98;
    std::optional<Usage> usage = measure(tried);
    if (!usage)
      return std::nullopt;
    double score = usage->score;
    if (score < (best ? best->usage.score : now.score * kLeastGain))
      best = Best{tried, std::move(*usage)};
    return score;
  }

  bool isMet(const std::optional<Best> &best) const { return best && best->usage.bytes <= limit; }

  // More and more parts, as long as that gains. Whether the limit is met.
  bool tryMoreParts(std::vector<Cut> tried, const Usage &now, std::optional<Best> &best) {
    constexpr double kLeastGain = 0.98;
    for (std::optional<double> last;;) {
      std::optional<double> score = attempt(tried, now, best);
      if (!score || isMet(best))
        return isMet(best);
      if (last && *score > *last * kLeastGain)
        return false;
      last = score;
      bool isFiner = false;
      for (Cut &cut : tried)
        if (!findCut(cut.seed.getOwner()))
          isFiner |= refine(cut);
      if (!isFiner)
        return false;
    }
  }

  bool tryFiner(const Cut &known, const Usage &now, std::optional<Best> &best) {
    std::vector<Cut> tried = cuts;
    if (refine(tried[&known - cuts.data()]))
      attempt(tried, now, best);
    return isMet(best);
  }

  // Where the limit is out of reach, no more parts than what was gained takes.
  void coarsen(Usage &usage) {
    constexpr double kLeastGain = 0.98;
    for (size_t i = 0; i < cuts.size(); ++i)
      while (cuts[i].parts > 3) {
        std::vector<Cut> tried = cuts;
        tried[i].parts = nicest(tried[i], cuts[i].parts / 3);
        std::optional<Usage> coarser = tried[i].parts < cuts[i].parts ? measure(tried) : std::nullopt;
        if (!coarser || coarser->score * kLeastGain > usage.score)
          break;
        cuts = std::move(tried);
        usage = std::move(*coarser);
      }
  }

  // Twice as many parts; false where there are no more.
  static bool refine(Cut &cut) {
    int64_t parts = nicest(cut, std::min(cut.parts * 2, cut.most));
    return std::exchange(cut.parts, parts) != parts;
  }

  bool tryBuffer(const Buffer &buffer, const Usage &now, std::optional<Best> &best) {
    auto type = cast<RankedTensorType>(buffer.value.getType());
    const uint64_t whole = estimates.bytes(buffer.value);
    size_t known = 0; // of members, with the last least size
    for (uint64_t least : {whole, whole / 4, whole / 16, whole / 64}) {
      bool isNew = false;
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        std::vector<Cut> tried = cutAll(buffer, dim, least, now);
        size_t members = 0;
        for (const Cut &cut : tried)
          members += cut.growth.members.size();
        isNew |= members > known;
        known = std::max(known, members);
        if (!tried.empty() && (isNew || least == whole) && tryMoreParts(std::move(tried), now, best))
          return true;
      }
    }
    return false;
  }

  // The cuts so far with one more for the buffer, and for those like it: layers of a network are alike. Empty where the
  // buffer cannot be cut.
  std::vector<Cut> cutAll(const Buffer &buffer, int64_t dim, uint64_t least, const Usage &now) {
    std::vector<Cut> tried = cuts;
    if (!addCut(tried, buffer, dim, least))
      return {};
    for (const Buffer &other : now.hot)
      if (other.value && other.value != buffer.value && other.value.getType() == buffer.value.getType() &&
          llvm::none_of(tried, [&](const Cut &cut) { return cut.growth.find(other.value.getOwner()); }))
        addCut(tried, other, dim, least);
    return tried;
  }

  bool addCut(std::vector<Cut> &tried, const Buffer &buffer, int64_t dim, uint64_t least) {
    auto isLarge = [&](Value value) {
      return isa<RankedTensorType>(value.getType()) && estimates.bytes(value) >= least;
    };
    std::optional<Growth> growth = streams::growGroup(buffer.value, dim, isLarge, [](Operation *) { return false; });
    if (!growth)
      return false;
    Cut cut{std::move(*growth), buffer.value, dim, 0, 0};
    cut.most = countMost(cut);
    uint64_t others = buffer.live - buffer.bytes, room = limit > others ? limit - others : limit / 8;
    int64_t needed = llvm::divideCeil(buffer.bytes, std::max<uint64_t>(room, 1));
    cut.parts = std::max<int64_t>(2, needed);
    if (cut.most < 2 || !absorb(tried, cut))
      return false;
    cut.parts = nicest(cut, std::min(cut.parts, cut.most));
    tried.push_back(std::move(cut));
    return true;
  }

  // Ops that are in parts already join the new group, if they are cut alike.
  static bool absorb(std::vector<Cut> &tried, Cut &cut) {
    for (size_t i = tried.size(); i-- > 0;) {
      bool meets = false;
      for (const Member &old : tried[i].growth.members)
        if (const Member *member = cut.growth.find(old.op)) {
          if (member->axis != old.axis || !(member->granule == old.granule))
            return false;
          meets = true;
        }
      if (!meets)
        continue;
      for (const Member &old : tried[i].growth.members)
        if (!cut.growth.find(old.op))
          cut.growth.members.push_back(old);
      cut.parts = std::max(cut.parts, tried[i].parts);
      tried.erase(tried.begin() + i);
    }
    return true;
  }

  int64_t countMost(const Cut &cut) {
    if (std::optional<int64_t> known = streams::countGranules(cut.growth))
      return *known;
    int64_t granule = 1;
    const Member &member = *cut.growth.find(cut.seed.getOwner());
    DictionaryAttr expected = getExpected(module);
    for (StringAttr name : member.granule.names) {
      auto size = expected ? expected.getAs<IntegerAttr>(name) : IntegerAttr();
      granule *= std::max<int64_t>(1, size ? size.getInt() : flow::kUnknownSize);
    }
    return llvm::divideCeil(estimates.shape(cut.seed)[cut.dim], std::max<int64_t>(1, granule * member.granule.factor));
  }

  // Of up to twice as many parts the first number that leaves no rest, so that all parts have one size.
  static int64_t nicest(const Cut &cut, int64_t parts) {
    for (int64_t more = parts; more <= std::min(2 * parts, cut.most) && !isFree(cut.growth); ++more)
      if (cut.most % more == 0)
        return more;
    return parts;
  }

  //===--- Notes --------------------------------------------------------------------------------------------------===//

  void note(uint64_t before, uint64_t after) {
    std::vector<std::string> lines;
    for (const Cut &cut : cuts)
      lines.push_back(describe(cut));
    lines.push_back("transient memory " + formatBytes(after) + " instead of " + formatBytes(before));
    SmallVector<StringRef> texts(lines.begin(), lines.end());
    module->setAttr(kPartsAttr, Builder(module.getContext()).getStrArrayAttr(texts));
  }

  static std::string describe(const Cut &cut) {
    constexpr size_t kMostNamed = 6;
    llvm::SetVector<StringRef> seen;
    std::vector<std::string> names;
    for (const Member &member : cut.growth.members)
      if (std::string name = nameOf(member.op); !llvm::is_contained(names, name))
        names.push_back(name);
    std::string text = "in parts: ";
    for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
      text += (i ? ", " : "") + names[i];
    if (names.size() > kMostNamed)
      text += " and " + std::to_string(names.size() - kMostNamed) + " more";
    std::string axis = "dimension " + std::to_string(cut.dim) + " of " + nameOf(cut.seed.getOwner());
    if (!isFree(cut.growth))
      return text + ": " + std::to_string(cut.parts) + " parts along " + axis;
    const Member &member = *cut.growth.find(cut.seed.getOwner());
    std::string of = std::to_string(granulesOf(cut) * member.granule.factor);
    for (StringAttr name : member.granule.names)
      of += " * " + name.str();
    return text + ": parts of " + of + " positions along " + axis;
  }

  ModuleOp module;
  uint64_t limit;
  const ScheduleTrial &schedule;
  flow::SizeEstimates estimates;
  std::vector<Operation *> ops; // in the order of a walk, by which copies are numbered
  std::vector<Cut> cuts;
  unsigned trials = 0;
};

} // namespace

void mlir::heddle::limitTransients(ModuleOp module, uint64_t limit, const ScheduleTrial &schedule) {
  Limiter(module, limit, schedule).run();
}

static std::string listLargest(const host::TransientMemory &memory) {
  constexpr size_t kMostNamed = 3;
  SmallVector<const host::TransientBuffer *> largest =
      llvm::map_to_vector(memory.buffers, [](const host::TransientBuffer &buffer) { return &buffer; });
  sortBySize(largest, [](const host::TransientBuffer *buffer) { return buffer->bytes; });
  std::string text;
  for (const host::TransientBuffer *buffer : ArrayRef(largest).take_front(kMostNamed))
    text += (text.empty() ? "" : ", ") + formatBytes(buffer->bytes) + " that " +
            (buffer->writers.empty() ? "the host" : nameOf(buffer->writers.front())) + " computes";
  return text;
}

void mlir::heddle::warnOfTransients(ModuleOp module, uint64_t limit) {
  for (auto func : module.getOps<host::FuncOp>()) {
    if (!isEntry(func))
      continue;
    host::TransientMemory memory = host::measureTransients(func, getExpected(module), flow::kUnknownSize);
    if (!memory.guessed.empty())
      func.emitWarning() << "--max-transient counts the free size '" << memory.guessed.front() << "' of "
                         << func.getSymName() << " as " << flow::kUnknownSize
                         << "; say with --expect=" << memory.guessed.front() << "=SIZE what it mostly is";
    if (memory.bytes > limit)
      func.emitWarning() << func.getSymName() << " needs " << formatBytes(memory.bytes)
                         << " of transient memory, more than --max-transient=" << limit << " (" << formatBytes(limit)
                         << "), and more parts do not help; largest: " << listLargest(memory);
  }
}

std::optional<uint64_t> mlir::heddle::countTransients(ModuleOp module) {
  uint64_t most = 0;
  for (auto func : module.getOps<host::FuncOp>()) {
    host::TransientMemory memory = host::measureTransients(func, getExpected(module), flow::kUnknownSize);
    if (memory.isPartial || !memory.guessed.empty())
      return std::nullopt;
    if (isEntry(func))
      most = std::max(most, memory.bytes);
  }
  return most;
}
