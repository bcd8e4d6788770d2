// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/Group.h"

#include "runtime/collectives/Reduce.h"

#include <algorithm>

namespace heddle::collectives {
namespace {

using std::to_string;

constexpr uint64_t kMostBytes = uint64_t(1) << 62;

Status invalid(const Request &request, const std::string &why) {
  return Status(StatusCode::InvalidArgument, titleOf(request) + ": " + why);
}

Status checkPlace(const Request &request, int64_t member, uint32_t members, const char *what, bool optional) {
  if ((optional && member == Request::kNone) || (member >= 0 && member < members))
    return {};
  return invalid(request, std::string(what) + " is member " + to_string(member) + " of " + to_string(members));
}

// The overlaps that Request allows.
Status checkOverlap(const Request &request, uint32_t rank, uint32_t members) {
  if (!readsSource(request, rank))
    return {};
  const uintptr_t source = reinterpret_cast<uintptr_t>(request.source);
  const uintptr_t target = reinterpret_cast<uintptr_t>(request.target);
  const uint64_t from = sourceBytes(request, rank, members), to = targetBytes(request, rank, members);
  if (!from || !to || source + from <= target || target + to <= source)
    return {};
  const uint64_t piece = rank * request.count * byteSize(request.type);
  const bool fits = from == to ? source == target : from < to ? source == target + piece : target == source + piece;
  return fits && !request.cuts ? Status() : invalid(request, "source and target overlap at different places");
}

std::string describe(const Request &request) {
  std::string text =
      titleOf(request) + " of " + to_string(request.count) + " elements of " + std::string(spelling(request.type));
  if (reduces(request.kind))
    text += " (" + std::string(spelling(request.reduction)) + ")";
  if (hasRoot(request.kind))
    text += " with root " + to_string(request.root);
  const bool isExchange = request.kind == CollectiveKind::Exchange && request.cuts;
  for (const contract::Cut &cut : isExchange ? request.allCuts().first(2) : request.allCuts())
    text += " in parts from " + to_string(cut.first) + " on of " + to_string(cut.parts) + " of " +
            to_string(cut.granules) + " granules of " + to_string(cut.granule);
  if (isExchange) {
    const contract::Window window = contract::windowOf(request.allCuts());
    text += " in windows of " + to_string(window.extent) + " positions from " + to_string(window.scale) + " i + " +
            to_string(window.first) + " on in " + to_string(window.rows) + " rows, with " + to_string(window.low) +
            " zeros in front and " + to_string(window.high) + " behind";
  }
  return text;
}

} // namespace

std::string titleOf(const Request &request) {
  return std::string(spelling(request.kind)) + (*request.name ? " " : "") + request.name;
}

bool isOther(const Request &theirs, const Request &mine) {
  const bool fits = theirs.kind == mine.kind && theirs.type == mine.type && theirs.count == mine.count &&
                    (!reduces(mine.kind) || theirs.reduction == mine.reduction) &&
                    (!hasRoot(mine.kind) || theirs.root == mine.root) &&
                    (theirs.cuts == mine.cuts || std::ranges::equal(theirs.allCuts(), mine.allCuts()));
  return !fits;
}

std::string explainDifference(const Request &theirs, const Request &mine) {
  return isOther(theirs, mine) ? describe(theirs) + ", not " + describe(mine) : "";
}

uint64_t sourceBytes(const Request &request, uint32_t rank, uint32_t members) {
  const uint64_t unit = request.count * byteSize(request.type);
  if (!request.cuts)
    return unit * (hasSourcePieces(request.kind) ? members : 1);
  return uint64_t(contract::sourceElements(request.kind, request.allCuts(), int64_t(unit), rank, members));
}

uint64_t targetBytes(const Request &request, uint32_t rank, uint32_t members) {
  const uint64_t unit = request.count * byteSize(request.type);
  if (!request.cuts)
    return unit * (hasTargetPieces(request.kind) ? members : 1);
  return uint64_t(contract::targetElements(request.kind, request.allCuts(), int64_t(unit), rank, members));
}

uint64_t pieceBytes(const Request &request) {
  uint64_t bytes = request.count * byteSize(request.type);
  if (request.kind == CollectiveKind::Exchange) {
    const uint64_t rows = uint64_t(contract::windowOf(request.allCuts()).rows);
    return bytes * rows * uint64_t(contract::mostExchanged(request.allCuts()));
  }
  for (const contract::Cut &cut : request.allCuts())
    bytes *= uint64_t((cut.granules + cut.parts - 1) / cut.parts * cut.granule);
  return bytes;
}

Status checkSizes(const Request &request, uint32_t members) {
  const uint64_t bytes = byteSize(request.type);
  if (request.type >= ElementType(contract::kElementTypes) || bytes == 0)
    return invalid(request, "its elements have no type");
  if (request.count > kMostBytes / bytes / members)
    return invalid(request, to_string(request.count) + " elements of " + std::string(spelling(request.type)) + " for " +
                                to_string(members) + " members are beyond all memory");
  const bool isExchange = request.kind == CollectiveKind::Exchange;
  if (!request.cuts)
    return isExchange ? invalid(request, "does not say who has and needs what") : Status();
  if (contract::cutsOf(request.kind) == 0)
    return invalid(request, "has no pieces that could be cut");
  __int128 all = __int128(request.count) * bytes; // of source and target none is larger
  if (std::string why = contract::explainCuts(request.kind, request.allCuts(), members); !why.empty())
    return invalid(request, why);
  if (isExchange)
    all *= std::max<int64_t>(contract::windowOf(request.allCuts()).rows, 1);
  for (const contract::Cut &cut : isExchange ? request.allCuts().first(1) : request.allCuts()) {
    if (all > __int128(kMostBytes))
      return invalid(request, "its rows are beyond all memory");
    const contract::Window window = isExchange ? contract::windowOf(request.allCuts()) : contract::Window();
    all *= std::max<int64_t>(cut.granules * cut.granule + window.low + window.high, 1);
    if (all > __int128(kMostBytes))
      return invalid(request, to_string(cut.granules) + " granules of " + to_string(cut.granule) +
                                  " positions are beyond all memory");
  }
  return {};
}

Status check(const Request &request, uint32_t rank, uint32_t members) {
  if (static_cast<uint8_t>(request.kind) >= contract::kCollectiveKinds)
    return invalid(request, "is no collective");
  HEDDLE_RETURN_IF_ERROR(checkSizes(request, members));
  if (reduces(request.kind) && !canReduce(request.reduction, request.type))
    return Status(StatusCode::Unsupported, titleOf(request) + ": " + std::string(spelling(request.reduction)) + " of " +
                                               std::string(spelling(request.type)) + " is not defined");
  if (hasRoot(request.kind))
    HEDDLE_RETURN_IF_ERROR(checkPlace(request, request.root, members, "its root", false));
  if (request.kind == CollectiveKind::Permute) {
    HEDDLE_RETURN_IF_ERROR(checkPlace(request, request.sendTo, members, "who is sent to", true));
    HEDDLE_RETURN_IF_ERROR(checkPlace(request, request.receiveFrom, members, "who is received from", true));
  }
  if (!request.target && targetBytes(request, rank, members))
    return invalid(request, "it has no target");
  if (!request.source && readsSource(request, rank) && sourceBytes(request, rank, members))
    return invalid(request, "it has no source");
  return checkOverlap(request, rank, members);
}

bool readsSource(const Request &request, uint32_t rank) {
  switch (request.kind) {
  case CollectiveKind::Broadcast:
  case CollectiveKind::Scatter: return rank == request.root;
  case CollectiveKind::Permute: return request.sendTo != Request::kNone;
  default: return true;
  }
}

Status Group::barrier() {
  return agree({}, [](const Mismatch &) { return std::string(); });
}

std::string describeMember(const Group &group, uint32_t member) {
  const std::string rank = "rank " + to_string(group.worldRank(member));
  const bool isPlain = group.worldRank(member) == member;
  return isPlain ? rank : rank + " (member " + to_string(member) + " of " + to_string(group.size()) + ")";
}

} // namespace heddle::collectives
