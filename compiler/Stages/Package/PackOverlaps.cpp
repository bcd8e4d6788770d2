// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/PackOverlaps.h"

#include "compiler/Dialect/Flow/IR/FlowPieces.h"

using namespace mlir;
using namespace mlir::heddle;
namespace fb = ::heddle::fb;
namespace contract = ::heddle::contract;

// Whether the collective of the artifact is of the account's kind, and its groups are the account's.
static bool meetsAs(const fb::CollectiveT &collective, const flow::PiecesAccount &of, uint32_t mesh,
                    device::MeshOp declared) {
  if (collective.kind != static_cast<uint8_t>(of.account.kind) || collective.mesh != mesh)
    return false;
  std::vector<uint32_t> axes;
  for (StringRef axis : of.axes.getAsValueRange<StringAttr>())
    axes.push_back(*declared.findAxis(axis));
  size_t groups = of.groups ? of.groups.size() : 0;
  if (collective.axes != axes || collective.groups.size() != groups)
    return false;
  for (size_t i = 0; i < groups; ++i)
    if (ArrayRef<int64_t>(collective.groups[i]->ranks) != cast<DenseI64ArrayAttr>(of.groups[i]).asArrayRef())
      return false;
  return true;
}

static std::vector<fb::OverlapWork> listOf(const std::vector<contract::OverlapAccount::Work> &works) {
  std::vector<fb::OverlapWork> list;
  for (const auto &work : works)
    list.emplace_back(work.flops, work.bytes, work.sharedBytes);
  return list;
}

static std::unique_ptr<fb::OverlapT> toTable(const flow::PiecesAccount &of, uint32_t collective) {
  auto out = std::make_unique<fb::OverlapT>();
  out->name = of.name;
  out->collective = collective;
  out->feeds = of.account.feeds;
  out->extent = of.account.extent;
  out->moved_bytes = of.account.movedBytes;
  out->works = listOf(of.account.works);
  out->slices = listOf(of.account.slices);
  out->joins = listOf(of.account.joins);
  out->sums = listOf(of.account.sums);
  out->gflops = of.rates.gflops;
  out->memory_gbps = of.rates.memoryGbps;
  out->launch_us = of.rates.launchUs;
  out->link_gbps = of.rates.linkGbps;
  out->link_us = of.rates.linkUs;
  out->counts.assign(of.counts.begin(), of.counts.end());
  return out;
}

LogicalResult mlir::heddle::packOverlaps(ModuleOp module, ArtifactTables &tables, fb::ModuleT &out) {
  llvm::StringMap<int32_t> numbers; // by the name without ".positions"
  WalkResult walked = module.walk([&](host::BoundOp op) -> WalkResult {
    auto attr = op->getAttrOfType<DictionaryAttr>(flow::kAccountAttr);
    if (!attr)
      return WalkResult::advance();
    auto [name, which] = op.getName().rsplit(".positions");
    fb::BoundT &bound = *out.bounds[tables.bound(op.getName(), false)];
    bound.positions = name.size() != op.getName().size();
    auto [entry, isNew] = numbers.try_emplace(name, out.overlaps.size());
    bound.overlap = entry->second;
    if (!isNew)
      return WalkResult::advance();
    std::optional<flow::PiecesAccount> of = flow::readAccount(attr);
    auto mesh = of ? SymbolTable::lookupNearestSymbolFrom<device::MeshOp>(op, of->mesh) : device::MeshOp();
    if (!mesh)
      return op.emitOpError() << "has an account in which something is missing: " << attr;
    uint32_t index = tables.mesh(op, of->mesh);
    auto found = llvm::find_if(out.collectives, [&](auto &each) { return meetsAs(*each, *of, index, mesh); });
    if (found == out.collectives.end())
      return op.emitOpError() << "chooses for a collective that the program has not: " << of->name;
    out.overlaps.push_back(toTable(*of, found - out.collectives.begin()));
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}
