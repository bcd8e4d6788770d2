// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VerifierContext.h"
#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/CollectiveView.h"
#include "heddle/contract/Collectives.h"
#include "heddle/contract/OverlapTime.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::contract {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

bool verifyAxes(VerifierContext &context, const fb::Mesh &mesh, const std::string &what) {
  uint64_t axes = sizeOf(mesh.axes());
  if (!context.charge(axes))
    return false;
  if (axes < 1 || axes > kMaxRank)
    return context.fail(what + " must have from 1 to 16 axes, got " + number(axes));
  std::unordered_set<std::string_view> names;
  for (uint64_t i = 0; i < axes; ++i) {
    const fb::MeshAxis &axis = *mesh.axes()->Get(i);
    if (!context.charge(1 + text(axis.name()).size() / 8))
      return false;
    if (text(axis.name()).empty() || !names.insert(text(axis.name())).second)
      return context.fail(what + ": axis " + number(i) + " must have a name of its own, got " +
                          quoted(text(axis.name())));
  }
  if (!ranksOf(sizesOf(mesh)))
    return context.fail(what + " must have from 1 to " + number(kMaxRanks) + " ranks, and a size of -1 or more for " +
                        "each axis");
  return true;
}

bool verifyMesh(VerifierContext &context, const fb::Mesh &mesh, uint64_t index) {
  std::string what = "mesh " + quoted(text(mesh.name()));
  if (!context.charge(1 + text(mesh.name()).size() / 8))
    return false;
  if (text(mesh.name()).empty())
    return context.fail("mesh " + number(index) + " has no name");
  uint64_t devices = sizeOf(context.module.devices());
  if (mesh.device() >= std::max<uint64_t>(devices, 1))
    return context.fail(what + " is of device " + number(mesh.device()) + " of " + number(devices));
  if (mesh.first() < 0 || mesh.first() > kMaxRanks)
    return context.fail(what + " must begin at a rank from 0 to " + number(kMaxRanks) + ", got " +
                        number(mesh.first()));
  return verifyAxes(context, mesh, what);
}

// Charges every element before anything is copied.
bool verifyLists(VerifierContext &context, const fb::Collective &collective, const std::string &what) {
  if (!context.charge(1 + sizeOf(collective.axes()) + sizeOf(collective.groups()) + sizeOf(collective.pairs())) ||
      !verifyAlignment(context, collective.pairs(), what))
    return false;
  for (uint64_t i = 0; i < sizeOf(collective.groups()); ++i) {
    const auto *ranks = collective.groups()->Get(i)->ranks();
    if (!context.charge(1 + sizeOf(ranks)) || !verifyAlignment(context, ranks, what))
      return false;
  }
  return true;
}

bool verifyCollective(VerifierContext &context, const fb::Collective &collective, uint64_t index) {
  std::string what = "collective " + number(index);
  if (!verifyLists(context, collective, what))
    return false;
  if (collective.kind() >= kCollectiveKinds || collective.reduction() >= kReductions)
    return context.fail(what + " has the unknown kind " + number(collective.kind()) + " or reduction " +
                        number(collective.reduction()));
  if (collective.mesh() >= sizeOf(context.module.meshes()))
    return context.fail(what + ": mesh " + number(collective.mesh()) + " of " +
                        number(sizeOf(context.module.meshes())));
  if (!verifyShape(context, collective.type(), what, 0))
    return false;
  uint64_t locations = sizeOf(context.module.locations());
  if (collective.location() != UINT32_MAX && collective.location() >= locations)
    return context.fail(what + ": location " + number(collective.location()) + " of " + number(locations));
  std::string why = explainCollective(specOf(collective), sizesOf(*context.module.meshes()->Get(collective.mesh())));
  return why.empty() || context.fail(what + " (" + std::string(spelling(specOf(collective).kind)) + "): " + why);
}

bool verifyOverlap(VerifierContext &context, const fb::Overlap &overlap, uint64_t index) {
  constexpr uint64_t kMostWorks = 4096;
  std::string what = "overlap " + number(index);
  for (const auto *works : {overlap.works(), overlap.slices(), overlap.joins(), overlap.sums()})
    if (sizeOf(works) > kMostWorks || !context.charge(sizeOf(works)) || !verifyAlignment(context, works, what))
      return context.message().empty() ? context.fail(what + " has too many dispatches") : false;
  if (overlap.collective() >= sizeOf(context.module.collectives()))
    return context.fail(what + ": collective " + number(overlap.collective()) + " of " +
                        number(sizeOf(context.module.collectives())));
  auto isRate = [](double rate) { return rate > 0 && rate < 1e12; };
  if (overlap.extent() < 1 || !isRate(overlap.gflops()) || !isRate(overlap.memory_gbps()) ||
      !(overlap.launch_us() >= 0 && overlap.launch_us() < 1e12) ||
      !(overlap.link_gbps() == 0 || isRate(overlap.link_gbps())) ||
      !(overlap.link_us() >= 0 && overlap.link_us() < 1e12))
    return context.fail(what + " has no positions, or rates that nothing has");
  uint64_t counts = sizeOf(overlap.counts());
  if (counts > kMostPieces + 1 || (counts && overlap.counts()->Get(0) != 1))
    return context.fail(what + " has the whole first, and each number of pieces once");
  for (uint64_t i = 0; i < counts; ++i)
    if (overlap.counts()->Get(i) > kMostPieces)
      return context.fail(what + ": " + number(overlap.counts()->Get(i)) + " pieces of at most " + number(kMostPieces));
  return true;
}

// And of what the loader gives to the program.
bool verifyOverlaps(VerifierContext &context) {
  uint64_t overlaps = sizeOf(context.module.overlaps());
  if (!context.charge(overlaps))
    return false;
  for (uint64_t i = 0; i < overlaps; ++i)
    if (!verifyOverlap(context, *context.module.overlaps()->Get(i), i))
      return false;
  for (uint64_t i = 0; i < sizeOf(context.module.bounds()); ++i) {
    const fb::Bound &bound = *context.module.bounds()->Get(i);
    if (bound.overlap() < 0)
      continue;
    if (static_cast<uint64_t>(bound.overlap()) >= overlaps || bound.buffer())
      return context.fail("bound value " + number(i) + ": overlap " + number(bound.overlap()) + " of " +
                          number(overlaps) + ", of which it is a number");
  }
  return true;
}

} // namespace

bool verifyMeshes(VerifierContext &context, const Header &header) {
  uint64_t meshes = sizeOf(context.module.meshes()), collectives = sizeOf(context.module.collectives());
  if (!context.charge(meshes + collectives))
    return false;
  if (meshes && !(header.featureBits & kFeatureRanks))
    return context.fail("an artifact with meshes says so in its feature bits");
  std::unordered_set<std::string_view> names;
  for (uint64_t i = 0; i < meshes; ++i) {
    const fb::Mesh &mesh = *context.module.meshes()->Get(i);
    if (!verifyMesh(context, mesh, i))
      return false;
    if (!names.insert(text(mesh.name())).second)
      return context.fail("two meshes are named " + quoted(text(mesh.name())));
  }
  for (uint64_t i = 0; i < collectives; ++i)
    if (const fb::Collective &collective = *context.module.collectives()->Get(i);
        !verifyCollective(context, collective, i))
      return false;
    else if (specOf(collective).kind == CollectiveKind::Exchange && !(header.featureBits & kFeatureExchange))
      return context.fail("an artifact with exchanges says so in its feature bits");
  return verifyOverlaps(context);
}

namespace {

// What a cut says beyond its axes.
bool verifyParts(VerifierContext &context, const fb::Value &value, const std::string &what) {
  uint64_t cut = sizeOf(value.shards()), wholes = sizeOf(value.wholes()), granules = sizeOf(value.granules());
  if (!context.charge(wholes + granules) || !verifyAlignment(context, value.wholes(), what) ||
      !verifyAlignment(context, value.granules(), what))
    return false;
  if ((wholes && wholes != cut) || (granules && granules != cut))
    return context.fail(what + " must have sizes and granules for all of its " + number(cut) + " lists of axes, got " +
                        number(wholes) + " and " + number(granules));
  for (uint64_t d = 0; d < cut; ++d) {
    int64_t whole = wholes ? value.wholes()->Get(d) : -1, granule = granules ? value.granules()->Get(d) : 1;
    bool isUnknown = whole == -1, fits = isUnknown ? granule == 1 : whole % std::max<int64_t>(granule, 1) == 0;
    if (whole < -1 || whole > kMostElements || granule < 1 || granule > kMostElements || !fits)
      return context.fail(what + ", dimension " + number(d) + ": " + number(whole) + " positions in granules of " +
                          number(granule));
  }
  return true;
}

bool verifyPartial(VerifierContext &context, const fb::Value &value, const std::string &what, std::vector<bool> &seen) {
  if (!context.charge(sizeOf(value.partial())))
    return false;
  for (uint64_t i = 0; i < sizeOf(value.partial()); ++i) {
    uint32_t axis = value.partial()->Get(i);
    if (axis >= seen.size() || seen[axis])
      return context.fail(what + ", parts that are combined: axis " + number(axis) + " of " + number(seen.size()) +
                          ", each at most once");
    seen[axis] = true;
  }
  if (value.reduction() >= kReductions)
    return context.fail(what + " has the unknown reduction " + number(value.reduction()));
  return sizeOf(value.partial()) == 0 ||
         reduces(static_cast<Reduction>(value.reduction()), static_cast<ElementType>(value.type())) ||
         context.fail(what + ": there is no '" + std::string(spelling(static_cast<Reduction>(value.reduction()))) +
                      "' of " + std::string(spelling(static_cast<ElementType>(value.type()))));
}

} // namespace

bool verifyShards(VerifierContext &context, const fb::Value &value, const std::string &what) {
  uint64_t meshes = sizeOf(context.module.meshes()), cut = sizeOf(value.shards());
  if (value.mesh() < -1 || (value.mesh() >= 0 && static_cast<uint64_t>(value.mesh()) >= meshes))
    return context.fail(what + ": mesh " + number(value.mesh()) + " of " + number(meshes));
  if (cut && (value.mesh() < 0 || cut != sizeOf(value.dims())))
    return context.fail(what + " must have a mesh and a list of axes for each dimension (" +
                        number(sizeOf(value.dims())) + "), got " + number(cut) + " lists");
  if (!context.charge(cut))
    return false;
  std::vector<bool> seen(value.mesh() < 0 ? 0 : sizeOf(context.module.meshes()->Get(value.mesh())->axes()));
  for (uint64_t d = 0; d < cut; ++d) {
    const auto *axes = value.shards()->Get(d)->ranks();
    if (!context.charge(1 + sizeOf(axes)) || !verifyAlignment(context, axes, what))
      return false;
    for (uint64_t i = 0; i < sizeOf(axes); ++i) {
      int64_t axis = axes->Get(i);
      if (axis < 0 || static_cast<uint64_t>(axis) >= seen.size() || seen[axis])
        return context.fail(what + ", dimension " + number(d) + ": axis " + number(axis) + " of " +
                            number(seen.size()) + ", each at most once");
      seen[axis] = true;
    }
  }
  return verifyParts(context, value, what) && verifyPartial(context, value, what, seen);
}

std::optional<int64_t> wholeOf(const fb::Module &module, const fb::Value &value, uint64_t dim) {
  if (value.wholes() && dim < value.wholes()->size() && value.wholes()->Get(dim) >= 0)
    return value.wholes()->Get(dim);
  const fb::Dim *own = value.dims()->Get(dim);
  if (own->symbol() >= 0)
    return std::nullopt;
  int64_t whole = own->size();
  if (const auto *axes = value.shards() ? value.shards()->Get(dim)->ranks() : nullptr)
    for (int64_t axis : *axes) {
      int64_t size = module.meshes()->Get(value.mesh())->axes()->Get(axis)->size();
      if (size == kFreeSize || __builtin_mul_overflow(whole, size, &whole))
        return std::nullopt;
    }
  return whole;
}

} // namespace heddle::contract
