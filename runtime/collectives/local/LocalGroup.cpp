// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/local/LocalGroup.h"

#include "runtime/base/Guarded.h"
#include "runtime/collectives/Parts.h"
#include "runtime/collectives/Pieces.h"
#include "runtime/collectives/Reduce.h"
#include "runtime/collectives/local/Meeting.h"
#include "runtime/collectives/local/StreamCopy.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace heddle::collectives {
namespace {

constexpr uint32_t kMostInlineMembers = 16; // each reads all: beyond, parts are better

void copy(std::byte *to, const std::byte *from, uint64_t bytes, bool isLarge) {
  if (to == from || !bytes)
    return;
  if (isLarge)
    streamCopy(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
}

class LocalGroup final : public Group {
public:
  LocalGroup(std::shared_ptr<Meeting> meeting, uint32_t rank) : meeting_(std::move(meeting)), rank_(rank) {}
  ~LocalGroup() override { meeting_->depart(rank_); }

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return meeting_->size(); }
  uint32_t worldRank(uint32_t member) const override { return meeting_->worldRanks[member]; }
  Status run(const Request &request) override;
  StatusOr<std::unique_ptr<Group>> split(int64_t color, int64_t key) override;
  Status agree(std::span<const uint64_t> words, const std::function<std::string(const Mismatch &)> &describe) override;
  void abort(const Status &cause) override;
  Status failure() const override { return meeting_->world->failure(); }
  void setDeadline(Clock::time_point deadline) override { deadline_ = deadline; }

private:
  const Posted &posted(uint32_t member) const { return meeting_->posted(member, operation_); }
  const std::byte *sourceOf(uint32_t member) const {
    return static_cast<const std::byte *>(posted(member).request.source);
  }
  Status meet(const Request *request);
  // Meets the others, all with this request.
  Status post(const Request &request);
  Status refuse(Status cause);
  bool differ() const;
  std::string difference() const;
  Status partners(const Request &request) const;
  bool isInline(const Request &request) const;
  void move(const Request &request);
  void reduceInto(const Request &request, std::byte *target, uint64_t begin, uint64_t bytes);
  void exchangeRows(const Request &request);
  void exchangeWindows(const Request &request);
  void allReduce(const Request &request);
  void finish(const Request &request);

  std::shared_ptr<Meeting> meeting_;
  uint32_t rank_;
  uint64_t operation_ = 0; // the same on all members
  Clock::time_point deadline_ = kNoDeadline;
  std::vector<const std::byte *> sources_;
  std::vector<std::byte *> targets_;
  std::vector<std::byte> staged_; // of a source that the target overwrites
};

Status LocalGroup::meet(const Request *request) {
  const std::function<std::string()> what = [request] {
    return request ? titleOf(*request) : std::string("an agreement");
  };
  return meeting_->meet(rank_, deadline_, what);
}

void LocalGroup::abort(const Status &cause) {
  meeting_->world->fail(cause.clone().prefix("rank " + std::to_string(worldRank(rank_)) + ": "));
}

Status LocalGroup::refuse(Status cause) {
  abort(cause);
  meeting_->settle();
  return failure();
}

// In the words of the first member that differs from member 0.
std::string LocalGroup::difference() const {
  Meeting::Access access(*meeting_); // names are the others' memory
  for (uint32_t i = 1; access.allowed() && i < size(); ++i)
    if (std::string why = explainDifference(posted(i).request, posted(0).request); !why.empty())
      return describeMember(*this, i) + " runs " + why + " as " + describeMember(*this, 0);
  return "members run different operations";
}

// Whether those that permute moves data between know of each other.
Status LocalGroup::partners(const Request &request) const {
  const auto differ = [&](uint32_t from, uint32_t to) {
    return Status(StatusCode::InvalidArgument, titleOf(request) + ": " + describeMember(*this, from) + " and " +
                                                   describeMember(*this, to) +
                                                   " do not agree on whether the one sends to the other");
  };
  const int64_t to = request.sendTo, from = request.receiveFrom;
  if (from != Request::kNone && posted(uint32_t(from)).request.sendTo != rank_)
    return differ(uint32_t(from), rank_);
  if (to != Request::kNone && posted(uint32_t(to)).request.receiveFrom != rank_)
    return differ(rank_, uint32_t(to));
  return {};
}

// By all members alike, of what is posted.
bool LocalGroup::differ() const {
  if (!meeting_->comparesAll())
    return meeting_->differs(operation_);
  for (uint32_t i = 1; i < size(); ++i)
    if (isOther(posted(i).request, posted(0).request))
      return true;
  return false;
}

Status LocalGroup::post(const Request &request) {
  const uint32_t first = meeting_->comparesAll() ? rank_ : meeting_->yardstick(rank_, operation_);
  if (first != rank_) {
    Meeting::Access access(*meeting_);
    if (access.allowed() && isOther(request, posted(first).request))
      meeting_->reportDifference(operation_);
  }
  HEDDLE_RETURN_IF_ERROR(meet(&request));
  if (differ()) [[unlikely]]
    return refuse(Status(StatusCode::InvalidArgument, difference()));
  if (request.kind == CollectiveKind::Permute)
    if (Status status = partners(request); !status.ok())
      return refuse(std::move(status));
  return {};
}

// Small sources are copied beside what is posted, so that nobody waits for those that read them. All members say the
// same, also where sources differ in size.
bool LocalGroup::isInline(const Request &request) const {
  const bool mayBe = request.kind == CollectiveKind::AllReduce || request.kind == CollectiveKind::AllGather;
  return mayBe && size() <= kMostInlineMembers && pieceBytes(request) <= Posted::kInlineBytes;
}

// So many bytes, which lie `begin` bytes behind the begin of each source.
void LocalGroup::reduceInto(const Request &request, std::byte *target, uint64_t begin, uint64_t bytes) {
  sources_.resize(size());
  for (uint32_t i = 0; i < size(); ++i)
    sources_[i] = sourceOf(i) + begin;
  reduceElements(request.reduction, request.type, sources_, target, bytes / byteSize(request.type));
}

// This member's part into all targets.
void LocalGroup::allReduce(const Request &request) {
  const uint64_t bytes = byteSize(request.type), end = partBegin(request.count, bytes, size(), rank_ + 1);
  uint64_t begin = partBegin(request.count, bytes, size(), rank_);
  sources_.resize(size());
  targets_.resize(size());
  const auto aim = [&] {
    for (uint32_t i = 0; i < size(); ++i)
      sources_[i] = sourceOf(i) + begin * bytes;
    for (uint32_t i = 0; i < size(); ++i) // its own first, so that not all write the same memory
      targets_[i] = static_cast<std::byte *>(posted((rank_ + i) % size()).request.target) + begin * bytes;
  };
  if (size() * request.count * bytes < streamThreshold()) {
    aim();
    return reduceElements(request.reduction, request.type, sources_, targets_, end - begin);
  }
  constexpr uint64_t kBlockBytes = 16 << 10; // past the caches, by way of a block that stays in the nearest
  alignas(64) std::byte block[kBlockBytes];
  for (uint64_t step = kBlockBytes / bytes; begin < end; begin += step) {
    const uint64_t count = std::min(step, end - begin);
    aim();
    reduceElements(request.reduction, request.type, sources_, block, count);
    for (std::byte *target : targets_)
      copy(target, block, count * bytes, true);
  }
}

// An all_to_all that is cut: each source's rows for this member stand side by side in its rows.
void LocalGroup::exchangeRows(const Request &request) {
  const Rows rows(request);
  std::byte *target = static_cast<std::byte *>(request.target);
  const uint64_t width = rows.column(size());
  for (uint32_t i = 0; i < size(); ++i) {
    const uint32_t from = (rank_ + i) % size();
    if (rows.bytes(from, rank_) == 0) // however many rows without a byte there are
      continue;
    const std::byte *source = sourceOf(from) + rows.begin(from, rank_);
    for (uint64_t row = 0; row < rows.count(rank_); ++row)
      copy(target + row * width + rows.column(from), source + row * rows.width(from), rows.width(from), false);
  }
}

void LocalGroup::exchangeWindows(const Request &request) {
  const Windows windows(request);
  std::byte *target = static_cast<std::byte *>(request.target);
  windows.fillZeros(target, rank_);
  windows.eachSender(rank_, [&](uint32_t from, const Windows::Strip &strip) {
    const std::byte *source = sourceOf(from) + strip.source;
    for (uint64_t row = 0; row < windows.rows(); ++row)
      copy(target + strip.target + row * strip.targetWidth, source + row * strip.sourceWidth, strip.bytes, false);
  });
}

// What this member reads of others and writes, between the two rounds.
void LocalGroup::move(const Request &request) {
  if (request.kind == CollectiveKind::Exchange)
    return exchangeWindows(request);
  const Pieces pieces(request);
  std::byte *target = static_cast<std::byte *>(request.target);
  const bool isLarge = size() * targetBytes(request, rank_, size()) >= streamThreshold();
  const auto take = [&](std::byte *to, const std::byte *from, uint32_t piece) {
    copy(to, from, pieces.bytes(piece), isLarge);
  };
  switch (request.kind) {
  case CollectiveKind::AllReduce: return allReduce(request);
  case CollectiveKind::ReduceScatter: return reduceInto(request, target, pieces.begin(rank_), pieces.bytes(rank_));
  case CollectiveKind::Gather:
    if (rank_ != request.root)
      return;
    [[fallthrough]];
  case CollectiveKind::AllGather:
    for (uint32_t i = 0; i < size(); ++i) { // each begins with itself, so that not all read the same memory
      const uint32_t from = (rank_ + i) % size();
      take(target + pieces.begin(from), sourceOf(from), from);
    }
    return;
  case CollectiveKind::AllToAll:
    if (request.cuts)
      return exchangeRows(request);
    for (uint32_t i = 0; i < size(); ++i) {
      const uint32_t from = (rank_ + i) % size();
      take(target + pieces.begin(from), sourceOf(from) + pieces.begin(rank_), from);
    }
    return;
  case CollectiveKind::Broadcast: return take(target, sourceOf(uint32_t(request.root)), rank_);
  case CollectiveKind::Scatter: return take(target, sourceOf(uint32_t(request.root)) + pieces.begin(rank_), rank_);
  case CollectiveKind::Permute:
    if (request.receiveFrom != Request::kNone)
      take(target, sourceOf(uint32_t(request.receiveFrom)), rank_);
    return;
  case CollectiveKind::Exchange: return;
  }
}

// What touches the member's own memory only, when nobody reads it any more.
void LocalGroup::finish(const Request &request) {
  const bool isZero = request.kind == CollectiveKind::Gather    ? rank_ != request.root
                      : request.kind == CollectiveKind::Permute ? request.receiveFrom == Request::kNone
                                                                : false;
  if (isZero)
    if (const uint64_t bytes = targetBytes(request, rank_, size()))
      std::memset(request.target, 0, bytes);
}

Status LocalGroup::run(const Request &request) {
  if (meeting_->world->failed())
    return failure();
  if (Status status = check(request, rank_, size()); !status.ok())
    return refuse(std::move(status));
  ++operation_;
  Posted &mine = meeting_->posted(rank_, operation_);
  mine.request = request;
  if (request.cuts) {
    std::ranges::copy(request.allCuts(), mine.cuts);
    mine.request.cuts = mine.cuts;
  }
  const uint64_t bytes = sourceBytes(request, rank_, size());
  const bool isSmall = isInline(request);
  const bool isOverwritten = request.source == request.target && size() > 1 &&
                             (request.kind == CollectiveKind::AllToAll || request.kind == CollectiveKind::Permute);
  if (isSmall && bytes) {
    std::memcpy(mine.bytes, request.source, bytes);
    mine.request.source = mine.bytes;
  } else if (isOverwritten && bytes) {
    staged_.resize(std::max<size_t>(staged_.size(), bytes));
    std::memcpy(staged_.data(), request.source, bytes);
    mine.request.source = staged_.data();
  }
  HEDDLE_RETURN_IF_ERROR(post(request));
  if (request.count == 0)
    return {};
  if (isSmall) {
    if (request.kind == CollectiveKind::AllReduce)
      reduceInto(request, static_cast<std::byte *>(request.target), 0, bytes);
    else
      move(request);
    return {};
  }
  {
    Meeting::Access access(*meeting_);
    if (access.allowed())
      move(request);
  }
  HEDDLE_RETURN_IF_ERROR(meet(&request));
  finish(request);
  return {};
}

Status LocalGroup::agree(std::span<const uint64_t> words,
                         const std::function<std::string(const Mismatch &)> &describe) {
  if (meeting_->world->failed())
    return failure();
  ++operation_;
  meeting_->posted(rank_, operation_).words = words;
  meeting_->posted(rank_, operation_).request = {}; // no collective
  const uint32_t first = meeting_->yardstick(rank_, operation_);
  if (first != rank_) {
    Meeting::Access access(*meeting_);
    const auto theirs = [&] { return posted(first).words; };
    if (access.allowed() && !std::equal(words.begin(), words.end(), theirs().begin(), theirs().end()))
      meeting_->reportDifference(operation_);
  }
  HEDDLE_RETURN_IF_ERROR(meet(nullptr));
  if (!meeting_->differs(operation_)) [[likely]]
    return {};
  Mismatch found;
  {
    Meeting::Access access(*meeting_);
    const auto differs = [&](uint32_t member) {
      const std::span<const uint64_t> expected = posted(0).words, got = posted(member).words;
      found.rank = member;
      const size_t word = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end()).first - got.begin();
      const bool inBoth = word < got.size() && word < expected.size();
      found.word = inBoth ? word : Mismatch::kCount;
      found.value = inBoth ? got[word] : got.size(), found.expected = inBoth ? expected[word] : expected.size();
      return inBoth || got.size() != expected.size();
    };
    for (uint32_t i = 1; access.allowed() && i < size() && !differs(i); ++i)
      continue;
  }
  HEDDLE_RETURN_IF_ERROR(meet(nullptr));
  return Status(StatusCode::InvalidArgument, describe(found));
}

StatusOr<std::unique_ptr<Group>> LocalGroup::split(int64_t color, int64_t key) {
  if (meeting_->world->failed())
    return failure();
  ++operation_;
  Posted &mine = meeting_->posted(rank_, operation_);
  mine.color = color, mine.key = key;
  HEDDLE_RETURN_IF_ERROR(meet(nullptr));
  std::vector<uint32_t> members; // of this colour
  for (uint32_t i = 0; i < size(); ++i)
    if (posted(i).color == color)
      members.push_back(i);
  std::sort(members.begin(), members.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(posted(a).key, a) < std::pair(posted(b).key, b); });
  if (color >= 0 && members[0] == rank_) {
    std::vector<uint32_t> worldRanks;
    for (uint32_t member : members)
      worldRanks.push_back(worldRank(member));
    mine.child = std::make_shared<Meeting>(meeting_->world, std::move(worldRanks));
  }
  HEDDLE_RETURN_IF_ERROR(meet(nullptr));
  std::unique_ptr<Group> group;
  if (color >= 0) {
    const uint32_t place = uint32_t(std::find(members.begin(), members.end(), rank_) - members.begin());
    group = std::make_unique<LocalGroup>(posted(members[0]).child, place);
  }
  HEDDLE_RETURN_IF_ERROR(meet(nullptr));
  mine.child.reset();
  return group;
}

} // namespace

StatusOr<std::vector<std::unique_ptr<Group>>> createLocalWorld(uint32_t ranks) {
  if (ranks == 0 || ranks > contract::kMaxRanks)
    return Status(StatusCode::InvalidArgument,
                  "a world has 1 to " + std::to_string(contract::kMaxRanks) + " ranks, got " + std::to_string(ranks));
  return guarded([&]() -> StatusOr<std::vector<std::unique_ptr<Group>>> {
    std::vector<uint32_t> worldRanks(ranks);
    std::iota(worldRanks.begin(), worldRanks.end(), 0);
    auto meeting = std::make_shared<Meeting>(std::make_shared<LocalWorld>(ranks), std::move(worldRanks));
    std::vector<std::unique_ptr<Group>> world;
    for (uint32_t i = 0; i < ranks; ++i)
      world.push_back(std::make_unique<LocalGroup>(meeting, i));
    return world;
  });
}

} // namespace heddle::collectives
