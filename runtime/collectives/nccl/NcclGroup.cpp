// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/nccl/NcclGroup.h"

#include "runtime/collectives/Pieces.h"
#include "runtime/collectives/nccl/NcclApi.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

namespace heddle::collectives {
namespace {

// ncclDataType_t; nothing where NCCL cannot compute with it.
std::optional<int> typeOf(ElementType type) {
  switch (type) {
  case ElementType::I8: return 0;
  case ElementType::I1:
  case ElementType::U8: return 1;
  case ElementType::I32: return 2;
  case ElementType::U32: return 3;
  case ElementType::I64: return 4;
  case ElementType::U64: return 5;
  case ElementType::F16: return 6;
  case ElementType::F32: return 7;
  case ElementType::F64: return 8;
  case ElementType::BF16: return 9;
  default: return std::nullopt;
  }
}

// ncclRedOp_t; nothing where NCCL has none that means the same.
std::optional<int> reductionOf(Reduction reduction, ElementType type) {
  constexpr int kSum = 0, kProduct = 1, kMax = 2, kMin = 3;
  const bool isFloat = type >= ElementType::F16 && type <= ElementType::F64, isBool = type == ElementType::I1;
  switch (reduction) {
  case Reduction::Sum: return isBool ? std::nullopt : std::optional(kSum);
  case Reduction::Product: return isBool ? std::nullopt : std::optional(kProduct);
  case Reduction::Min: return isFloat ? std::nullopt : std::optional(kMin);
  case Reduction::Max: return isFloat ? std::nullopt : std::optional(kMax);
  case Reduction::And: return isBool ? std::optional(kMin) : std::nullopt;
  case Reduction::Or: return isBool ? std::optional(kMax) : std::nullopt;
  case Reduction::Xor: return std::nullopt;
  }
  return std::nullopt;
}

bool isFine(int result) { return result == kNcclSuccess || result == kNcclInProgress; }

constexpr int kBytes = 1; // ncclUint8: what is only moved

// What became of what a communicator was asked for.
int stateOf(const NcclApi &api, NcclComm communicator) {
  int result = kNcclSuccess;
  const int asked = api.CommGetAsyncError(communicator, &result);
  return asked == kNcclSuccess ? result : asked;
}

class NcclGroup final : public DeviceGroup {
public:
  NcclGroup(const NcclApi &api, NcclComm communicator, uint32_t rank, uint32_t size, FillWithZeros zeros)
      : api_(api), communicator_(communicator), rank_(rank), size_(size), zeros_(std::move(zeros)) {}
  ~NcclGroup() override {
    if (!aborted_.load())
      api_.CommDestroy(communicator_);
  }

  bool supports(const Request &request) const override;
  Status enqueue(const Request &request, void *stream) override;
  StatusOr<bool> isIssued() const override;
  Status failure() const override;
  void abort() override {
    if (!aborted_.exchange(true))
      api_.CommAbort(communicator_);
  }

private:
  Status describe(int result, const std::string &name) const {
    return isFine(result) ? Status()
                          : Status(StatusCode::Io, std::string("NCCL: ") + name + ": " + api_.GetErrorString(result));
  }
  int exchange(const Request &request, void *stream);
  int onPieces(const Request &request, void *stream);
  int onWhole(const Request &request, void *stream);

  const NcclApi &api_;
  const NcclComm communicator_;
  const uint32_t rank_, size_;
  const FillWithZeros zeros_;
  std::atomic<bool> aborted_{false};
};

bool NcclGroup::supports(const Request &request) const {
  if (request.cuts && contract::cutsOf(request.kind) > 1) // rows of many messages
    return false;
  if (reduces(request.kind))
    return typeOf(request.type) && reductionOf(request.reduction, request.type);
  const bool isExchange = request.kind == CollectiveKind::AllToAll || request.kind == CollectiveKind::Permute;
  return !isExchange || request.source != request.target;
}

// The kinds that are messages between two members each, all at once.
int NcclGroup::exchange(const Request &request, void *stream) {
  const Pieces pieces(request);
  const std::byte *source = static_cast<const std::byte *>(request.source);
  std::byte *target = static_cast<std::byte *>(request.target);
  int result = api_.GroupStart();
  // The piece of a member, as both sides know it.
  const auto send = [&](const std::byte *from, int64_t to, uint32_t piece) {
    if (isFine(result) && pieces.bytes(piece))
      result = api_.Send(from, pieces.bytes(piece), kBytes, int(to), communicator_, stream);
  };
  const auto receive = [&](std::byte *to, int64_t from, uint32_t piece) {
    if (isFine(result) && pieces.bytes(piece))
      result = api_.Recv(to, pieces.bytes(piece), kBytes, int(from), communicator_, stream);
  };
  const bool isRoot = rank_ == request.root;
  switch (request.kind) {
  case CollectiveKind::AllToAll:
    for (uint32_t i = 0; i < size_; ++i)
      send(source + pieces.begin(i), i, i), receive(target + pieces.begin(i), i, i);
    break;
  case CollectiveKind::Permute:
    if (request.sendTo != Request::kNone)
      send(source, request.sendTo, 0);
    if (request.receiveFrom != Request::kNone)
      receive(target, request.receiveFrom, 0);
    break;
  case CollectiveKind::Gather:
    for (uint32_t i = 0; isRoot && i < size_; ++i)
      receive(target + pieces.begin(i), i, i);
    send(source, request.root, rank_);
    break;
  case CollectiveKind::Scatter:
    for (uint32_t i = 0; isRoot && i < size_; ++i)
      send(source + pieces.begin(i), i, i);
    receive(target, request.root, rank_);
    break;
  default: break;
  }
  const int end = api_.GroupEnd();
  return isFine(result) ? end : result;
}

// Pieces of several sizes that all members get, or reduce: one after the other, of whom each belongs to.
int NcclGroup::onPieces(const Request &request, void *stream) {
  const Pieces pieces(request);
  const uint64_t bytes = byteSize(request.type);
  const std::byte *source = static_cast<const std::byte *>(request.source);
  std::byte *target = static_cast<std::byte *>(request.target);
  int result = api_.GroupStart();
  for (uint32_t i = 0; i < size_ && isFine(result); ++i) {
    if (!pieces.bytes(i))
      continue;
    if (request.kind == CollectiveKind::AllGather)
      result = api_.Broadcast(i == rank_ ? source : target + pieces.begin(i), target + pieces.begin(i), pieces.bytes(i),
                              kBytes, int(i), communicator_, stream);
    else
      result = api_.Reduce(source + pieces.begin(i), target, pieces.bytes(i) / bytes, *typeOf(request.type),
                           *reductionOf(request.reduction, request.type), int(i), communicator_, stream);
  }
  const int end = api_.GroupEnd();
  return isFine(result) ? end : result;
}

int NcclGroup::onWhole(const Request &request, void *stream) {
  const uint64_t bytes = request.count * byteSize(request.type);
  const int type = typeOf(request.type).value_or(kBytes);
  const bool isCut = request.cuts != nullptr;
  switch (request.kind) {
  case CollectiveKind::AllReduce:
    return api_.AllReduce(request.source, request.target, request.count, type,
                          *reductionOf(request.reduction, request.type), communicator_, stream);
  case CollectiveKind::ReduceScatter:
    return isCut ? onPieces(request, stream)
                 : api_.ReduceScatter(request.source, request.target, request.count, type,
                                      *reductionOf(request.reduction, request.type), communicator_, stream);
  case CollectiveKind::AllGather:
    return isCut ? onPieces(request, stream)
                 : api_.AllGather(request.source, request.target, bytes, kBytes, communicator_, stream);
  case CollectiveKind::Broadcast: // others than the root have no source: theirs is not read
    return api_.Broadcast(rank_ == request.root ? request.source : request.target, request.target, bytes, kBytes,
                          int(request.root), communicator_, stream);
  default: return exchange(request, stream);
  }
}

Status NcclGroup::enqueue(const Request &request, void *stream) {
  HEDDLE_RETURN_IF_ERROR(failure());
  Status status = check(request, rank_, size_);
  if (status.ok() && !supports(request))
    status =
        Status(StatusCode::Unsupported, titleOf(request) + ": NCCL has no such collective; run it through the host");
  if (!status.ok()) {
    abort();
    return status;
  }
  if (request.count == 0)
    return {};
  const int result = onWhole(request, stream);
  HEDDLE_RETURN_IF_ERROR(describe(result, titleOf(request)));
  const bool isZero = request.kind == CollectiveKind::Gather    ? rank_ != request.root
                      : request.kind == CollectiveKind::Permute ? request.receiveFrom == Request::kNone
                                                                : false;
  return isZero ? zeros_(request.target, targetBytes(request, rank_, size_), stream) : Status();
}

StatusOr<bool> NcclGroup::isIssued() const {
  HEDDLE_RETURN_IF_ERROR(failure());
  return stateOf(api_, communicator_) != kNcclInProgress;
}

Status NcclGroup::failure() const {
  return aborted_.load() ? Status(StatusCode::Cancelled, "the group of devices was aborted")
                         : describe(stateOf(api_, communicator_), "a collective");
}

// Why not all have joined: who has not come, as those find who have; or the library.
Status whoIsMissing(Group &ranks) {
  constexpr auto kGrace = std::chrono::seconds(1); // between the deadlines of those that have come
  ranks.setDeadline(Group::Clock::now() + kGrace);
  char come = 1;
  std::vector<char> all(ranks.size());
  Request request;
  request.kind = CollectiveKind::AllGather, request.type = ElementType::U8, request.count = 1;
  request.source = &come, request.target = all.data(), request.name = "of who joins NCCL's group";
  HEDDLE_RETURN_IF_ERROR(ranks.run(request));
  return Status(StatusCode::DeadlineExceeded, "NCCL does not join the devices before the deadline");
}

StatusOr<NcclComm> join(const NcclApi &api, Group &ranks, const NcclUniqueId &id, Group::Clock::time_point deadline) {
  constexpr auto kPause = std::chrono::microseconds(200);
  NcclComm communicator = nullptr;
  NcclConfig config;
  int result = api.CommInitRankConfig
                   ? api.CommInitRankConfig(&communicator, int(ranks.size()), id, int(ranks.rank()), &config)
                   : api.CommInitRank(&communicator, int(ranks.size()), id, int(ranks.rank()));
  Status status;
  while (result == kNcclInProgress && status.ok()) {
    std::this_thread::sleep_for(kPause);
    result = stateOf(api, communicator);
    status = ranks.failure();
    if (status.ok() && result == kNcclInProgress && Group::Clock::now() >= deadline)
      status = whoIsMissing(ranks);
  }
  if (status.ok() && result == kNcclSuccess)
    return communicator;
  if (status.ok())
    status = Status(StatusCode::Io,
                    std::string("NCCL does not join the devices (ncclCommInitRank): ") + api.GetErrorString(result));
  ranks.abort(status); // before the library: what it ends may take its time
  if (communicator)
    api.CommAbort(communicator);
  return status;
}

} // namespace

StatusOr<std::unique_ptr<DeviceGroup>> createNcclGroup(Group &ranks, FillWithZeros zeros,
                                                       Group::Clock::time_point deadline) {
  StatusOr<const NcclApi *> api = NcclApi::get();
  NcclUniqueId id = {};
  const bool isFirst = ranks.rank() == 0;
  const bool isReady = api.ok() && (!isFirst || (*api)->GetUniqueId(&id) == kNcclSuccess);
  const uint64_t ready[] = {isReady};
  const Status all = ranks.agree(ready, [&](const Mismatch &found) {
    return describeMember(ranks, found.value ? 0 : found.rank) + " has no NCCL, but others have";
  });
  if (!api.ok())
    return api.takeStatus();
  HEDDLE_RETURN_IF_ERROR(all.clone());
  if (!isReady)
    return Status(StatusCode::Io, "NCCL gives no identity for a group (ncclGetUniqueId)");
  Request request;
  request.kind = CollectiveKind::Broadcast, request.type = ElementType::U8, request.count = sizeof(id);
  request.source = request.target = &id, request.name = "identity of NCCL's group";
  HEDDLE_RETURN_IF_ERROR(ranks.run(request));
  StatusOr<NcclComm> communicator = join(**api, ranks, id, deadline);
  if (!communicator.ok())
    return communicator.takeStatus();
  return std::unique_ptr<DeviceGroup>(
      std::make_unique<NcclGroup>(**api, *communicator, ranks.rank(), ranks.size(), std::move(zeros)));
}

} // namespace heddle::collectives
