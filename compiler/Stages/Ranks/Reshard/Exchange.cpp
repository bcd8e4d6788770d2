// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Reshard/Exchange.h"

#include "compiler/Stages/Ranks/Reshard/ReshardSearch.h"

using namespace mlir;
using namespace mlir::heddle;
using flow::ShardingAttr;
namespace contract = ::heddle::contract;

// Places that are looked at where an estimate will do.
static constexpr int64_t kMostPlaces = 64;

std::optional<int64_t> Exchange::equalSize() const {
  int64_t size = contract::neededOf(cuts, 0).size();
  bool isEqual = isKnown && llvm::all_of(llvm::seq(cuts[0].parts),
                                         [&](int64_t at) { return contract::neededOf(cuts, at).size() == size; });
  return isEqual ? std::optional(size) : std::nullopt;
}

// What a place sends to others.
static int64_t countSent(ArrayRef<contract::Cut> cuts, int64_t place) {
  int64_t sent = 0;
  auto [first, end] = contract::receiversOf(cuts, place);
  for (int64_t to = first; to < end; ++to)
    sent += to == place ? 0 : contract::movedBetween(cuts, place, to).size();
  return sent;
}

std::optional<Exchange> mlir::heddle::planExchange(int64_t size, int64_t granule, int64_t loop, int64_t count,
                                                   const Window &window, bool isKnown) {
  if (count < 1 || count > contract::kMaxRanks || size < 1)
    return std::nullopt;
  if (isKnown && (size % granule != 0 || loop % window.granule != 0))
    return std::nullopt;
  auto granulesOf = [](int64_t positions, int64_t of) { return std::max<int64_t>(1, positions / of); };
  Exchange exchange;
  exchange.isKnown = isKnown && count <= kMostPairs;
  exchange.cuts = {
      contract::Cut{isKnown ? size / granule : granulesOf(size, granule), granule, 0, count},
      contract::Cut{isKnown ? loop / window.granule : granulesOf(loop, window.granule), window.granule, 0, count},
      contract::Cut{window.scale, window.extent, window.first - window.behind, 1},
      contract::Cut{window.low, window.high, 0, 0}};
  if (!contract::explainCuts(contract::CollectiveKind::Exchange, exchange.cuts, count).empty())
    return std::nullopt;
  int64_t step = exchange.isKnown ? 1 : std::max<int64_t>(1, count / kMostPlaces);
  for (int64_t place = 0; place < count; place += step)
    exchange.sent = std::max(exchange.sent, countSent(exchange.cuts, place));
  bool hasZeros = window.low > 0 || window.high > 0;
  exchange.moves = !exchange.isKnown || exchange.sent > 0 || hasZeros;
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

static bool mayBeExchanged(ShardingAttr from, ArrayRef<WindowedDim> dims) {
  return llvm::all_of(dims,
                      [&](const WindowedDim &windowed) { return from.getGranule(windowed.dim).getNames().empty(); });
}

static std::optional<Exchange> planDim(const WindowedDim &windowed, int64_t granule, RankedTensorType whole,
                                       ArrayRef<int64_t> estimates, const MeshShape &mesh) {
  int64_t size = whole.getDimSize(windowed.dim), loop = windowed.window.size;
  bool isKnown =
      !ShapedType::isDynamic(size) && !ShapedType::isDynamic(loop) && windowed.window.behind == 0 &&
      llvm::none_of(windowed.axes, [&](StringAttr axis) { return mesh.getSize(axis) == device::MeshOp::kFree; });
  if (ShapedType::isDynamic(size))
    size = std::max<int64_t>(1, estimates[windowed.dim]);
  if (ShapedType::isDynamic(loop))
    loop = std::max<int64_t>(1, size / std::max<int64_t>(1, windowed.window.scale)) + windowed.window.behind;
  return planExchange(size, granule, loop, guessParts(windowed.axes, mesh), windowed.window, isKnown);
}

std::optional<WindowPlan> mlir::heddle::planWindows(ShardingAttr from, ShardingAttr wanted, ArrayRef<WindowedDim> dims,
                                                    RankedTensorType whole, ArrayRef<int64_t> estimates,
                                                    const MeshShape &mesh) {
  if (from.getMesh() != wanted.getMesh() || !mayBeExchanged(from, dims))
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
    int64_t granule = cut.getGranule(windowed.dim).getFactor();
    std::optional<Exchange> exchange = planDim(windowed, granule, whole, estimates, mesh);
    if (!exchange)
      return std::nullopt;
    // Of one position, by what the largest part has.
    const contract::Cut &lies = exchange->cuts[0];
    uint64_t largest = std::max<uint64_t>(1, llvm::divideCeil(lies.granules, lies.parts) * lies.granule);
    uint64_t bytes = value.bytesOfPart(cut, mesh) / largest * exchange->sent;
    if (exchange->moves) {
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
