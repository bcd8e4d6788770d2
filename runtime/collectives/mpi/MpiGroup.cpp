// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/mpi/MpiGroup.h"

#include "heddle/contract/CollectiveTime.h"
#include "runtime/collectives/Parts.h"
#include "runtime/collectives/Pieces.h"
#include "runtime/collectives/Reduce.h"
#include "runtime/collectives/mpi/Exchange.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace heddle::collectives {
namespace {

constexpr uint32_t kWindow = 8;       // members that one step sends to and receives from
constexpr uint64_t kSmall = 64 << 10; // bytes of all members that are rather sent whole than in two steps
constexpr uint64_t kSmallOfTwo = 256 << 10;
constexpr int kMostTag = 32767; // that every MPI has

// Memory of at least so many bytes, which only grows.
std::byte *scratch(std::vector<std::byte> &memory, uint64_t bytes) {
  memory.resize(std::max<size_t>(memory.size(), bytes));
  return memory.data();
}

class MpiGroup final : public Group {
public:
  MpiGroup(MpiWorld &world, std::vector<uint32_t> worldRanks, uint32_t rank, int tag)
      : world_(world), worldRanks_(std::move(worldRanks)), rank_(rank), exchange_(world, worldRanks_, tag) {}

  uint32_t rank() const override { return rank_; }
  uint32_t size() const override { return static_cast<uint32_t>(worldRanks_.size()); }
  uint32_t worldRank(uint32_t member) const override { return worldRanks_[member]; }
  uint32_t atOnce() const override { return contract::kCollectivesInFlight; }
  Status run(const Request &request) override;
  StatusOr<std::unique_ptr<Group>> split(int64_t color, int64_t key) override;
  Status agree(std::span<const uint64_t> words, const std::function<std::string(const Mismatch &)> &describe) override;
  void abort(const Status &cause) override {
    world_.fail(cause.clone().prefix("rank " + std::to_string(world_.rank()) + ": "));
  }
  Status failure() const override { return world_.failureNow(); }
  void setDeadline(Clock::time_point deadline) override { exchange_.setDeadline(deadline); }

private:
  // The member so many places behind this one, around the ring; size() - n is n places before it.
  uint32_t behind(uint32_t distance) const { return (rank_ + distance) % size(); }
  Status move(const Request &request);
  // Each member sends to each other and receives from it. Where what goes to and comes from a member lies, and how many
  // bytes, tell functions of the member. `meanwhile` is called once, also of one member: work on memory that no message
  // writes, while the first messages are on their way.
  template <typename Outgoing, typename Incoming, typename Sent, typename Received, typename Meanwhile>
  Status exchangeAll(Outgoing outgoing, Incoming incoming, Sent sent, Received received, Meanwhile meanwhile);
  Status allGather(const std::byte *own, std::byte *target, uint64_t piece);
  Status allGather(const Request &request);
  Status gatherByDoubling(const std::byte *own, std::byte *target, uint64_t piece);
  Status allReduce(const Request &request);
  Status reduceScatter(const Request &request);
  Status allToAll(const Request &request);
  Status exchangeRows(const Request &request);
  Status exchangeWindows(const Request &request);
  Status broadcast(const Request &request);
  Status permute(const Request &request);
  Status gather(const Request &request);
  Status scatter(const Request &request);
  StatusOr<std::vector<uint64_t>> gatherWords(std::span<const uint64_t> words);

  MpiWorld &world_;
  const std::vector<uint32_t> worldRanks_;
  const uint32_t rank_;
  Exchange exchange_;
  uint64_t operation_ = 0;
  std::vector<std::byte> received_, staged_;
  std::vector<const std::byte *> sources_;
};

void copyUnlessSame(std::byte *to, const std::byte *from, uint64_t bytes) {
  if (to != from && bytes)
    std::memcpy(to, from, bytes);
}

void nothing() {}

template <typename Outgoing, typename Incoming, typename Sent, typename Received, typename Meanwhile>
Status MpiGroup::exchangeAll(Outgoing outgoing, Incoming incoming, Sent sent, Received received, Meanwhile meanwhile) {
  if (size() == 1)
    meanwhile();
  for (uint32_t begin = 1; begin < size(); begin += kWindow) {
    for (uint32_t i = begin; i < std::min(size(), begin + kWindow); ++i) {
      const uint32_t from = behind(size() - i);
      exchange_.receive(from, incoming(from), received(from));
      exchange_.send(behind(i), outgoing(behind(i)), sent(behind(i)));
    }
    if (begin == 1) {
      HEDDLE_RETURN_IF_ERROR(exchange_.post());
      meanwhile();
    }
    HEDDLE_RETURN_IF_ERROR(exchange_.run());
  }
  return {};
}

// Many members and little data: as many steps as the number of members has bits (Bruck and others, 1997).
Status MpiGroup::gatherByDoubling(const std::byte *own, std::byte *target, uint64_t piece) {
  std::byte *pieces = scratch(staged_, size() * piece); // beginning with this member's
  copyUnlessSame(pieces, own, piece);
  for (uint32_t have = 1; have < size(); have *= 2) {
    const uint64_t bytes = std::min(have, size() - have) * piece;
    exchange_.receive(behind(have), pieces + have * piece, bytes);
    exchange_.send(behind(size() - have), pieces, bytes);
    HEDDLE_RETURN_IF_ERROR(exchange_.run());
  }
  const uint64_t tail = (size() - rank_) * piece;
  copyUnlessSame(target + rank_ * piece, pieces, tail);
  copyUnlessSame(target, pieces + tail, rank_ * piece);
  return {};
}

Status MpiGroup::allGather(const std::byte *own, std::byte *target, uint64_t piece) {
  if (size() > kWindow + 1 && size() * piece <= kSmall)
    return gatherByDoubling(own, target, piece);
  const auto bytes = [&](uint32_t) { return piece; };
  return exchangeAll([&](uint32_t) { return own; }, [&](uint32_t member) { return target + member * piece; }, bytes,
                     bytes, [&] { copyUnlessSame(target + rank_ * piece, own, piece); });
}

Status MpiGroup::allGather(const Request &request) {
  const std::byte *source = static_cast<const std::byte *>(request.source);
  std::byte *target = static_cast<std::byte *>(request.target);
  const Pieces pieces(request);
  if (!request.cuts)
    return allGather(source, target, pieces.bytes(rank_));
  return exchangeAll([&](uint32_t) { return source; }, [&](uint32_t member) { return target + pieces.begin(member); },
                     [&](uint32_t) { return pieces.bytes(rank_); },
                     [&](uint32_t member) { return pieces.bytes(member); },
                     [&] { copyUnlessSame(target + pieces.begin(rank_), source, pieces.bytes(rank_)); });
}

Status MpiGroup::allReduce(const Request &request) {
  const uint64_t element = byteSize(request.type), bytes = request.count * element;
  std::byte *target = static_cast<std::byte *>(request.target);
  const std::byte *source = static_cast<const std::byte *>(request.source);
  sources_.resize(size());
  const bool isWhole = size() == 2 ? bytes <= kSmallOfTwo : size() * bytes <= kSmall;
  if (isWhole) { // each reduces all
    std::byte *all = scratch(received_, size() * bytes);
    const auto place = [&](uint32_t member) { return all + member * bytes; };
    const auto whole = [&](uint32_t) { return bytes; };
    HEDDLE_RETURN_IF_ERROR(size() > kWindow + 1
                               ? gatherByDoubling(source, all, bytes)
                               : exchangeAll([&](uint32_t) { return source; }, place, whole, whole, nothing));
    for (uint32_t i = 0; i < size(); ++i)
      sources_[i] = i == rank_ ? source : place(i);
    reduceElements(request.reduction, request.type, sources_, target, request.count);
    return {};
  }
  // Each member reduces a part of the elements, then all gather the parts.
  const auto begin = [&](uint32_t member) { return partBegin(request.count, element, size(), member) * element; };
  const auto part = [&](uint32_t member) { return begin(member + 1) - begin(member); };
  const uint64_t own = part(rank_);
  std::byte *others = scratch(received_, size() * own);
  HEDDLE_RETURN_IF_ERROR(exchangeAll([&](uint32_t member) { return source + begin(member); },
                                     [&](uint32_t member) { return others + member * own; }, part,
                                     [&](uint32_t) { return own; }, nothing));
  for (uint32_t i = 0; i < size(); ++i)
    sources_[i] = i == rank_ ? source + begin(i) : others + i * own;
  reduceElements(request.reduction, request.type, sources_, target + begin(rank_), own / element);
  return exchangeAll([&](uint32_t) { return target + begin(rank_); },
                     [&](uint32_t member) { return target + begin(member); }, [&](uint32_t) { return own; }, part,
                     nothing);
}

Status MpiGroup::reduceScatter(const Request &request) {
  const Pieces pieces(request);
  const uint64_t own = pieces.bytes(rank_);
  std::byte *source = static_cast<std::byte *>(const_cast<void *>(request.source));
  std::byte *others = scratch(received_, size() * own);
  HEDDLE_RETURN_IF_ERROR(exchangeAll([&](uint32_t member) { return source + pieces.begin(member); },
                                     [&](uint32_t member) { return others + member * own; },
                                     [&](uint32_t member) { return pieces.bytes(member); },
                                     [&](uint32_t) { return own; }, nothing));
  sources_.resize(size());
  for (uint32_t i = 0; i < size(); ++i)
    sources_[i] = i == rank_ ? source + pieces.begin(i) : others + i * own;
  reduceElements(request.reduction, request.type, sources_, static_cast<std::byte *>(request.target),
                 own / byteSize(request.type));
  return {};
}

// Rows come whole, and are then put side by side.
Status MpiGroup::exchangeRows(const Request &request) {
  const Rows rows(request);
  std::byte *source = static_cast<std::byte *>(const_cast<void *>(request.source));
  std::byte *target = static_cast<std::byte *>(request.target);
  const uint64_t width = rows.column(size());
  std::byte *received = scratch(received_, rows.count(rank_) * width);
  const auto place = [&](uint32_t from) { return received + rows.count(rank_) * rows.column(from); };
  HEDDLE_RETURN_IF_ERROR(exchangeAll([&](uint32_t to) { return source + rows.begin(rank_, to); }, place,
                                     [&](uint32_t to) { return rows.bytes(rank_, to); },
                                     [&](uint32_t from) { return rows.bytes(from, rank_); }, nothing));
  for (uint32_t from = 0; from < size(); ++from) {
    if (rows.bytes(from, rank_) == 0) // however many rows without a byte there are
      continue;
    const std::byte *all = from == rank_ ? source + rows.begin(rank_, rank_) : place(from);
    for (uint64_t row = 0; row < rows.count(rank_); ++row)
      copyUnlessSame(target + row * width + rows.column(from), all + row * rows.width(from), rows.width(from));
  }
  return {};
}

// Between neighbours, all at once. Rows that lie apart are sent as one message.
Status MpiGroup::exchangeWindows(const Request &request) {
  using Strip = Windows::Strip;
  const Windows windows(request);
  const std::byte *source = static_cast<const std::byte *>(request.source);
  std::byte *target = static_cast<std::byte *>(request.target);
  const auto copyRows = [&](std::byte *to, uint64_t toWidth, const std::byte *from, uint64_t fromWidth,
                            uint64_t bytes) {
    for (uint64_t row = 0; row < windows.rows(); ++row)
      copyUnlessSame(to + row * toWidth, from + row * fromWidth, bytes);
  };
  windows.fillZeros(target, rank_);
  uint64_t sent = 0, received = 0; // bytes of rows that lie apart
  const bool isOneRow = windows.rows() == 1;
  windows.eachReceiver(rank_, [&](uint32_t, const Strip &strip) { sent += strip.bytes * windows.rows(); });
  windows.eachSender(rank_, [&](uint32_t, const Strip &strip) { received += strip.bytes * windows.rows(); });
  std::byte *outgoing = isOneRow ? nullptr : scratch(staged_, sent);
  std::byte *incoming = isOneRow ? nullptr : scratch(received_, received), *arrived = incoming;
  windows.eachSender(rank_, [&](uint32_t from, const Strip &strip) {
    if (from == rank_)
      return copyRows(target + strip.target, strip.targetWidth, source + strip.source, strip.sourceWidth, strip.bytes);
    exchange_.receive(from, isOneRow ? target + strip.target : incoming, strip.bytes * windows.rows());
    incoming += isOneRow ? 0 : strip.bytes * windows.rows();
  });
  windows.eachReceiver(rank_, [&](uint32_t to, const Strip &strip) {
    if (to == rank_)
      return;
    const std::byte *rows = source + strip.source;
    if (!isOneRow) {
      copyRows(outgoing, strip.bytes, rows, strip.sourceWidth, strip.bytes);
      rows = std::exchange(outgoing, outgoing + strip.bytes * windows.rows());
    }
    exchange_.send(to, rows, strip.bytes * windows.rows());
  });
  HEDDLE_RETURN_IF_ERROR(exchange_.run());
  windows.eachSender(rank_, [&](uint32_t from, const Strip &strip) {
    if (from == rank_ || isOneRow)
      return;
    copyRows(target + strip.target, strip.targetWidth, arrived, strip.bytes, strip.bytes);
    arrived += strip.bytes * windows.rows();
  });
  return {};
}

Status MpiGroup::allToAll(const Request &request) {
  if (request.cuts)
    return exchangeRows(request);
  const uint64_t piece = request.count * byteSize(request.type);
  std::byte *source = static_cast<std::byte *>(const_cast<void *>(request.source));
  std::byte *target = static_cast<std::byte *>(request.target);
  if (source == target) {
    std::byte *copy = scratch(staged_, size() * piece);
    std::memcpy(copy, source, size() * piece);
    source = copy;
  }
  const auto bytes = [&](uint32_t) { return piece; };
  return exchangeAll([&](uint32_t member) { return source + member * piece; },
                     [&](uint32_t member) { return target + member * piece; }, bytes, bytes,
                     [&] { copyUnlessSame(target + rank_ * piece, source + rank_ * piece, piece); });
}

// By a tree in which the root's distance counts: a member receives from the one without its last bit.
Status MpiGroup::broadcast(const Request &request) {
  const uint64_t bytes = request.count * byteSize(request.type);
  std::byte *target = static_cast<std::byte *>(request.target);
  const uint32_t root = static_cast<uint32_t>(request.root), distance = (rank_ + size() - root) % size();
  if (rank_ == root)
    copyUnlessSame(target, static_cast<const std::byte *>(request.source), bytes);
  uint32_t bit = 1;
  while (bit < size() && !(distance & bit))
    bit *= 2;
  if (distance) {
    exchange_.receive((root + distance - bit) % size(), target, bytes);
    HEDDLE_RETURN_IF_ERROR(exchange_.run());
  }
  exchange_.restart(); // all of a tree's messages are of one step
  for (bit /= 2; bit; bit /= 2)
    if (distance + bit < size())
      exchange_.send((root + distance + bit) % size(), target, bytes);
  return exchange_.run();
}

Status MpiGroup::permute(const Request &request) {
  const uint64_t bytes = request.count * byteSize(request.type);
  std::byte *source = static_cast<std::byte *>(const_cast<void *>(request.source));
  std::byte *target = static_cast<std::byte *>(request.target);
  if (source == target && request.sendTo != Request::kNone && request.sendTo != rank_) {
    std::byte *copy = scratch(staged_, bytes);
    std::memcpy(copy, source, bytes);
    source = copy;
  }
  if ((request.sendTo == rank_) != (request.receiveFrom == rank_)) {
    abort(Status(StatusCode::InvalidArgument,
                 titleOf(request) + ": " + describeMember(*this, rank_) + " sends to itself and does not know"));
    return failure();
  }
  if (request.receiveFrom == rank_)
    copyUnlessSame(target, source, bytes);
  else if (request.receiveFrom != Request::kNone)
    exchange_.receive(uint32_t(request.receiveFrom), target, bytes);
  if (request.sendTo != Request::kNone && request.sendTo != rank_)
    exchange_.send(uint32_t(request.sendTo), source, bytes);
  HEDDLE_RETURN_IF_ERROR(exchange_.run());
  if (request.receiveFrom == Request::kNone)
    std::fill_n(target, bytes, std::byte{});
  return {};
}

Status MpiGroup::gather(const Request &request) {
  const Pieces pieces(request);
  const uint32_t root = static_cast<uint32_t>(request.root);
  std::byte *source = static_cast<std::byte *>(const_cast<void *>(request.source));
  std::byte *target = static_cast<std::byte *>(request.target);
  if (rank_ != root) {
    exchange_.send(root, source, pieces.bytes(rank_));
    HEDDLE_RETURN_IF_ERROR(exchange_.run());
    std::fill_n(target, pieces.begin(size()), std::byte{});
    return {};
  }
  copyUnlessSame(target + pieces.begin(rank_), source, pieces.bytes(rank_));
  for (uint32_t i = 1; i < size(); ++i) {
    exchange_.receive(behind(i), target + pieces.begin(behind(i)), pieces.bytes(behind(i)));
    if (i % kWindow == 0 || i + 1 == size()) {
      HEDDLE_RETURN_IF_ERROR(exchange_.run());
      exchange_.restart();
    }
  }
  return {};
}

Status MpiGroup::scatter(const Request &request) {
  const Pieces pieces(request);
  const uint32_t root = static_cast<uint32_t>(request.root);
  std::byte *source = static_cast<std::byte *>(const_cast<void *>(request.source));
  std::byte *target = static_cast<std::byte *>(request.target);
  if (rank_ != root) {
    exchange_.receive(root, target, pieces.bytes(rank_));
    return exchange_.run();
  }
  copyUnlessSame(target, source + pieces.begin(rank_), pieces.bytes(rank_));
  for (uint32_t i = 1; i < size(); ++i) {
    exchange_.send(behind(i), source + pieces.begin(behind(i)), pieces.bytes(behind(i)));
    if (i % kWindow == 0 || i + 1 == size()) {
      HEDDLE_RETURN_IF_ERROR(exchange_.run());
      exchange_.restart();
    }
  }
  return {};
}

Status MpiGroup::move(const Request &request) {
  switch (request.kind) {
  case CollectiveKind::AllGather: return allGather(request);
  case CollectiveKind::AllReduce: return allReduce(request);
  case CollectiveKind::ReduceScatter: return reduceScatter(request);
  case CollectiveKind::AllToAll: return allToAll(request);
  case CollectiveKind::Broadcast: return broadcast(request);
  case CollectiveKind::Permute: return permute(request);
  case CollectiveKind::Gather: return gather(request);
  case CollectiveKind::Scatter: return scatter(request);
  case CollectiveKind::Exchange: return exchangeWindows(request);
  }
  return {};
}

Status MpiGroup::run(const Request &request) {
  if (world_.failed())
    return failure();
  if (Status status = check(request, rank_, size()); !status.ok()) {
    abort(status);
    return failure();
  }
  exchange_.begin(++operation_, request);
  return request.count ? move(request) : Status();
}

// All members' words, as many of each.
StatusOr<std::vector<uint64_t>> MpiGroup::gatherWords(std::span<const uint64_t> words) {
  if (world_.failed())
    return failure();
  exchange_.begin(++operation_, Request());
  std::vector<uint64_t> all(size() * words.size());
  HEDDLE_RETURN_IF_ERROR(allGather(reinterpret_cast<const std::byte *>(words.data()),
                                   reinterpret_cast<std::byte *>(all.data()), words.size_bytes()));
  return all;
}

Status MpiGroup::agree(std::span<const uint64_t> words, const std::function<std::string(const Mismatch &)> &describe) {
  // The first words beside their number; the rest, if any, when the numbers are known.
  constexpr size_t kFirst = 15;
  std::vector<uint64_t> first(1 + kFirst);
  first[0] = words.size();
  std::copy_n(words.begin(), std::min(kFirst, words.size()), first.begin() + 1);
  StatusOr<std::vector<uint64_t>> begins = gatherWords(first);
  if (!begins.ok())
    return begins.takeStatus();
  const auto number = [&](uint32_t member) { return (*begins)[member * first.size()]; };
  uint64_t most = 0;
  for (uint32_t i = 0; i < size(); ++i)
    most = std::max(most, number(i));
  std::vector<uint64_t> rest;
  if (most > kFirst) {
    std::vector<uint64_t> padded(words.begin(), words.end());
    padded.resize(most);
    StatusOr<std::vector<uint64_t>> all = gatherWords(padded);
    if (!all.ok())
      return all.takeStatus();
    rest = std::move(*all);
  }
  const auto word = [&](uint32_t member, uint64_t i) {
    return most > kFirst ? rest[member * most + i] : (*begins)[member * first.size() + 1 + i];
  };
  for (uint32_t member = 1; member < size(); ++member) {
    for (uint64_t i = 0; i < std::min(number(member), number(0)); ++i)
      if (word(member, i) != word(0, i))
        return Status(StatusCode::InvalidArgument, describe({i, member, word(member, i), word(0, i)}));
    if (number(member) != number(0))
      return Status(StatusCode::InvalidArgument, describe({Mismatch::kCount, member, number(member), number(0)}));
  }
  return {};
}

StatusOr<std::unique_ptr<Group>> MpiGroup::split(int64_t color, int64_t key) {
  const uint64_t mine[] = {uint64_t(color), uint64_t(key), uint64_t(world_.nextTag())};
  constexpr size_t kWords = std::size(mine);
  StatusOr<std::vector<uint64_t>> all = gatherWords(mine);
  if (!all.ok())
    return all.takeStatus();
  const auto word = [&](uint32_t member, size_t i) { return int64_t((*all)[member * kWords + i]); };
  int64_t tag = 0; // the same for all members, and new for each
  std::vector<uint32_t> members;
  for (uint32_t i = 0; i < size(); ++i) {
    tag = std::max(tag, word(i, 2));
    if (word(i, 0) == color)
      members.push_back(i);
  }
  if (tag > kMostTag) {
    abort(Status(StatusCode::Unsupported, "more than " + std::to_string(kMostTag) + " groups of ranks in one process"));
    return failure();
  }
  world_.setNextTag(int(tag) + 1);
  if (color < 0)
    return std::unique_ptr<Group>();
  std::sort(members.begin(), members.end(),
            [&](uint32_t a, uint32_t b) { return std::pair(word(a, 1), a) < std::pair(word(b, 1), b); });
  const uint32_t place = uint32_t(std::find(members.begin(), members.end(), rank_) - members.begin());
  for (uint32_t &member : members)
    member = worldRanks_[member];
  return std::unique_ptr<Group>(std::make_unique<MpiGroup>(world_, std::move(members), place, int(tag)));
}

} // namespace

StatusOr<std::unique_ptr<Group>> createMpiWorld(const MpiOptions &options) {
  StatusOr<MpiWorld *> world = MpiWorld::get(options.library);
  if (!world.ok())
    return world.takeStatus();
  std::vector<uint32_t> worldRanks((*world)->size());
  std::iota(worldRanks.begin(), worldRanks.end(), 0);
  const int tag = (*world)->nextTag(); // all ranks call alike
  (*world)->setNextTag(tag + 1);
  return std::unique_ptr<Group>(std::make_unique<MpiGroup>(**world, std::move(worldRanks), (*world)->rank(), tag));
}

} // namespace heddle::collectives
