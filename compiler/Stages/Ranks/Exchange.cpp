// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Exchange.h"

#include "compiler/Stages/Ranks/ReshardSearch.h"

#include <map>

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;

// Permutations that one exchange takes, at most: beyond these a gather is one message, not many.
static constexpr size_t kMostRounds = 16;

static std::vector<Positions> partsOf(int64_t size, int64_t granule, int64_t count) {
  std::vector<Positions> parts;
  int64_t granules = size / granule;
  for (int64_t place = 0; place < count; ++place)
    parts.push_back({place * granules / count * granule, (place + 1) * granules / count * granule});
  return parts;
}

// What the part reads, of `size` positions; an empty one nothing, at a place that exists.
static Positions read(const Window &window, const Positions &part, int64_t size) {
  auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at, 0, size); };
  int64_t begin = clamp(window.scale * part.begin + window.first);
  if (part.size() == 0)
    return {begin, begin};
  return {begin, std::max(begin, clamp(window.scale * (part.end - 1) + window.first + window.extent))};
}

Positions Exchange::travelling(int64_t at, int64_t distance) const {
  int64_t from = at + distance;
  if (from < 0 || from >= static_cast<int64_t>(had.size()))
    return {};
  int64_t begin = std::max(needed[at].begin, had[from].begin), end = std::min(needed[at].end, had[from].end);
  return begin < end ? Positions{begin, end} : Positions{};
}

int64_t Exchange::countSent() const {
  std::vector<int64_t> sent(had.size());
  for (const ExchangeRound &round : rounds)
    for (size_t i = 0; i < round.pairs.size(); i += 2)
      sent[round.pairs[i]] += round.largest;
  return *llvm::max_element(sent);
}

std::optional<Exchange> mlir::heddle::planExchange(int64_t size, int64_t granule, int64_t count, const Window &window) {
  if (count < 1 || count > kMostPairs || size < 1 || size % granule != 0 || window.size % window.granule != 0)
    return std::nullopt;
  Exchange exchange{partsOf(size, granule, count), {}, {}};
  for (const Positions &part : partsOf(window.size, window.granule, count))
    exchange.needed.push_back(read(window, part, size));
  std::map<int64_t, ExchangeRound> rounds;
  for (int64_t at = 0; at < count; ++at) {
    auto from = llvm::partition_point(exchange.had,
                                      [&](const Positions &part) { return part.end <= exchange.needed[at].begin; });
    for (; from != exchange.had.end() && from->begin < exchange.needed[at].end; ++from) {
      int64_t sender = from - exchange.had.begin();
      int64_t travels = exchange.travelling(at, sender - at).size();
      if (sender == at || travels == 0)
        continue;
      ExchangeRound &round = rounds[sender - at];
      round.distance = sender - at;
      round.pairs.append({sender, at});
      round.largest = std::max(round.largest, travels);
      if (rounds.size() > kMostRounds)
        return std::nullopt;
    }
  }
  for (auto &[distance, round] : rounds)
    exchange.rounds.push_back(std::move(round));
  return exchange;
}

//===--- Of a value ----------------------------------------------------------------------------------------------===//

// `wanted`, with the windowed dimensions cut as their loops. Where `from` cuts one by the same axes it stays as it
// lies.
static ShardingAttr cutAs(ShardingAttr from, ShardingAttr wanted, ArrayRef<WindowedDim> dims) {
  MLIRContext *context = wanted.getContext();
  SmallVector<ArrayAttr> axes(wanted.getAxes());
  SmallVector<flow::GranuleAttr> granules;
  for (int64_t dim = 0; dim < wanted.getRank(); ++dim)
    granules.push_back(wanted.getGranule(dim));
  for (const WindowedDim &windowed : dims) {
    axes[windowed.dim] = ArrayAttr::get(context, SmallVector<Attribute>(windowed.axes.begin(), windowed.axes.end()));
    bool stays = from.getAxes()[windowed.dim] == axes[windowed.dim];
    granules[windowed.dim] = stays ? from.getGranule(windowed.dim) : flow::GranuleAttr::get(context, 1, {});
  }
  return ShardingAttr::getNormalized(wanted.getMesh(), axes, granules, wanted.getPartial(), wanted.getReduction());
}

static bool mayBeExchanged(ShardingAttr from, ArrayRef<WindowedDim> dims, RankedTensorType whole,
                           const MeshShape &mesh) {
  return mesh.isKnown() && llvm::all_of(dims, [&](const WindowedDim &windowed) {
           return !whole.isDynamicDim(windowed.dim) && from.getGranule(windowed.dim).getNames().empty();
         });
}

std::optional<WindowPlan> mlir::heddle::planWindows(ShardingAttr from, ShardingAttr wanted, ArrayRef<WindowedDim> dims,
                                                    RankedTensorType whole, ArrayRef<int64_t> estimates,
                                                    const MeshShape &mesh) {
  if (from.getMesh() != wanted.getMesh() || !mayBeExchanged(from, dims, whole, mesh))
    return std::nullopt;
  std::optional<ReshardPlan> gathered = planReshard(from, wanted, whole, estimates, mesh, mesh);
  uint64_t limit = gathered ? mlir::heddle::bytesOf(*gathered) : UINT64_MAX;
  if (limit == 0)
    return std::nullopt;
  ShardingAttr cut = cutAs(from, wanted, dims);
  std::optional<ReshardPlan> plan = planReshard(from, cut, whole, estimates, mesh, mesh);
  if (!plan)
    return std::nullopt;
  WindowPlan result{cut, {}, std::move(*plan)};
  ReshardedValue value = ReshardedValue::of(whole, estimates);
  for (const WindowedDim &windowed : dims) {
    int64_t size = whole.getDimSize(windowed.dim), count = guessParts(windowed.axes, mesh);
    std::optional<Exchange> exchange =
        planExchange(size, cut.getGranule(windowed.dim).getFactor(), count, windowed.window);
    if (!exchange)
      return std::nullopt;
    // Of one position, by what the largest part has.
    int64_t largest = 1;
    for (const Positions &part : exchange->had)
      largest = std::max(largest, part.size());
    uint64_t bytes = value.bytesOfPart(cut, mesh) / largest * exchange->countSent();
    if (!exchange->rounds.empty()) {
      ReshardStep step{ReshardStep::Kind::Exchange, cut, cut};
      step.dim = windowed.dim;
      step.axes = windowed.axes;
      step.bytes = bytes;
      result.reshard.steps.push_back(std::move(step));
    }
    result.exchanges.push_back(std::move(*exchange));
  }
  return mlir::heddle::bytesOf(result.reshard) < limit ? std::optional(std::move(result)) : std::nullopt;
}
