// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Interpreter/World.h"

#include "compiler/Dialect/Host/Interpreter/Combine.h"

#include <thread>

using namespace mlir;
using namespace mlir::heddle::host;
namespace contract = ::heddle::contract;
using contract::CollectiveKind;

//===--- Who goes on ---------------------------------------------------------------------------------------------===//

// Who can go on; where nobody can, one who then learns it.
unsigned World::choose() {
  SmallVector<unsigned> able, left;
  for (unsigned step = 1; step <= states.size(); ++step) {
    unsigned rank = (current + step) % states.size();
    if (states[rank].isDone)
      continue;
    left.push_back(rank);
    if (ending || states[rank].waitsSince != arrivals)
      able.push_back(rank);
  }
  if (left.empty())
    return current;
  if (able.empty()) {
    stuck = true;
    return left.front();
  }
  return able[isRandom ? random() % able.size() : 0];
}

void World::handOver(std::unique_lock<std::mutex> &lock) {
  unsigned self = current;
  current = choose();
  turn.notify_all();
  turn.wait(lock, [&] { return current == self; });
}

void World::pause() {
  std::unique_lock lock(mutex);
  if (isRandom && !ending && random() % 4 == 0)
    handOver(lock);
}

bool World::waitForOthers() {
  std::unique_lock lock(mutex);
  if (ending || stuck)
    return false;
  unsigned self = current;
  states[self].waitsSince = arrivals;
  handOver(lock);
  states[self].waitsSince.reset();
  return !ending && !stuck;
}

LogicalResult World::run(llvm::function_ref<LogicalResult(unsigned)> body) {
  if (states.size() == 1)
    return body(0);
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < states.size(); ++rank)
    threads.emplace_back([this, rank, body] {
      std::unique_lock lock(mutex);
      turn.wait(lock, [&] { return current == rank; });
      lock.unlock();
      bool failed = mlir::failed(body(rank));
      lock.lock();
      states[rank].isDone = true;
      ++arrivals;
      ending |= failed;
      current = choose();
      turn.notify_all();
    });
  for (std::thread &thread : threads)
    thread.join();
  return failure(ending);
}

//===--- Where they meet -----------------------------------------------------------------------------------------===//

World::Meeting World::nextMeeting(unsigned rank, ArrayRef<int64_t> members) {
  std::string group;
  for (int64_t member : members)
    group += std::to_string(member) + " ";
  return {group, counts[rank][group]++};
}

static std::string describe(const Arrival &arrival) {
  std::string text =
      std::string(contract::spelling(arrival.spec.kind)) + " of " + std::to_string(arrival.count) + " elements";
  for (const contract::Cut &cut : arrival.cuts)
    text += " cut(" + std::to_string(cut.granules) + ", " + std::to_string(cut.granule) + ", " +
            std::to_string(cut.first) + ", " + std::to_string(cut.parts) + ")";
  return text;
}

std::string World::arrive(const Meeting &meeting, size_t position, size_t size, Arrival arrival) {
  Met &met = meetings[{meeting.group, meeting.number}];
  met.arrivals.resize(size);
  ++arrivals;
  if (met.count++ == 0)
    met.first = position;
  const std::optional<Arrival> &first = met.arrivals[met.first];
  auto key = [](const contract::CollectiveSpec &s) {
    return std::tie(s.kind, s.reduction, s.type, s.root, s.pairs, s.shift);
  };
  std::string why;
  if (first && (key(first->spec) != key(arrival.spec) || first->count != arrival.count || first->cuts != arrival.cuts))
    why = "meets " + describe(arrival) + " where member " + std::to_string(met.first) + " meets " + describe(*first);
  met.arrivals[position] = std::move(arrival);
  return why;
}

bool World::haveAllMet(const Meeting &meeting) const {
  auto found = meetings.find({meeting.group, meeting.number});
  return found != meetings.end() && found->second.count == found->second.arrivals.size();
}

// What a member of an exchange gets, of the sources' positions of so many bytes.
static std::vector<std::byte> exchanged(std::span<const contract::Cut> cuts, int64_t position, size_t bytes,
                                        llvm::function_ref<std::span<const std::byte>(size_t)> sourceOf) {
  auto [front, behind] = contract::zerosOf(cuts, position);
  std::vector<std::byte> rows;
  for (int64_t row = 0; row < contract::windowOf(cuts).rows; ++row) {
    rows.resize(rows.size() + front * bytes);
    for (int64_t member = 0; member < cuts[0].parts; ++member) {
      contract::Positions had = contract::hadBy(cuts, member), moved = contract::movedBetween(cuts, member, position);
      if (moved.size() == 0)
        continue;
      std::span<const std::byte> strip =
          sourceOf(member).subspan((row * had.size() + moved.begin - had.begin) * bytes, moved.size() * bytes);
      rows.insert(rows.end(), strip.begin(), strip.end());
    }
    rows.resize(rows.size() + behind * bytes);
  }
  return rows;
}

std::vector<std::byte> World::resultOf(const Meeting &meeting, size_t position, Type type) const {
  const Met &met = meetings.at({meeting.group, meeting.number});
  const contract::CollectiveSpec &spec = met.arrivals[position]->spec;
  size_t size = met.arrivals.size();
  const std::vector<contract::Cut> &cuts = met.arrivals[position]->cuts;
  size_t pieceBytes = met.arrivals[position]->count * contract::byteSize(spec.type);
  using Bytes = std::span<const std::byte>;
  auto sourceOf = [&](size_t member) { return Bytes(met.arrivals[member]->source); };
  // `width`: of all_to_all that is cut, the positions of a row of the member's source.
  auto pieceOf = [&](size_t member, size_t i) {
    size_t width = cuts.size() > 1 ? cuts[1].size(member) : 1;
    return cuts.empty()
               ? sourceOf(member).subspan(i * pieceBytes, pieceBytes)
               : sourceOf(member).subspan(cuts[0].begin(i) * width * pieceBytes, cuts[0].size(i) * width * pieceBytes);
  };
  std::vector<Bytes> parts;
  switch (spec.kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::ReduceScatter:
    for (size_t member = 0; member < size; ++member)
      parts.push_back(spec.kind == CollectiveKind::AllReduce ? sourceOf(member) : pieceOf(member, position));
    return combine(spec.reduction, type, parts);
  case CollectiveKind::Gather:
  case CollectiveKind::AllGather:
    if (spec.kind == CollectiveKind::Gather && position != static_cast<size_t>(spec.root))
      return std::vector<std::byte>(cuts.empty() ? size * pieceBytes : cuts[0].begin(size) * pieceBytes);
    for (size_t member = 0; member < size; ++member)
      parts.push_back(sourceOf(member));
    break;
  case CollectiveKind::AllToAll:
    for (size_t row = 0; !cuts.empty() && row < static_cast<size_t>(cuts[0].size(position)); ++row)
      for (size_t member = 0; member < size; ++member) {
        size_t bytes = cuts[1].size(member) * pieceBytes;
        parts.push_back(pieceOf(member, position).subspan(row * bytes, bytes));
      }
    for (size_t member = 0; cuts.empty() && member < size; ++member)
      parts.push_back(pieceOf(member, position));
    break;
  case CollectiveKind::Broadcast: parts.push_back(sourceOf(spec.root)); break;
  case CollectiveKind::Scatter: parts.push_back(pieceOf(spec.root, position)); break;
  case CollectiveKind::Permute: {
    contract::Partners partners = contract::partnersOf(spec, position, size);
    if (partners.from < 0)
      return std::vector<std::byte>(pieceBytes);
    parts.push_back(sourceOf(partners.from));
    break;
  }
  case CollectiveKind::Exchange: return exchanged(cuts, position, pieceBytes, sourceOf);
  }
  std::vector<std::byte> all;
  for (Bytes part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}
