// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WorldRun.h"

#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/CollectiveView.h"

#include <algorithm>

namespace heddle::contract::check {
namespace {

using State = RankRun::State;

// All are in memory at once.
constexpr int64_t kMostRanksChecked = 1024;

using Fragments = std::vector<Fragment>;

// What one member brings to a collective, and where it stands.
struct Member {
  RankRun *rank;
  int64_t position;
  Fragments source;
};

// One collective of one group whose members have all come.
class Exchange {
public:
  Exchange(const CollectiveSpec &spec, std::vector<Member> members) : spec_(spec), members_(std::move(members)) {}

  // False: one member broke.
  bool run();

private:
  int64_t size() const { return static_cast<int64_t>(members_.size()); }
  bool take(Member &member);
  bool give(Member &member);
  bool fit(Member &member, const Buffer &buffer, int64_t elements, const char *which);
  Buffer cut(const Buffer &buffer, int64_t elements) const;
  Fragments pieceOf(const Member &member, int64_t position) const;
  Fragments whatGets(int64_t position) const;
  Fragments windowsOf(int64_t position) const;
  int64_t begin(int64_t position) const {
    return (cuts().empty() ? position : cuts()[0].begin(position)) * count() * bytes();
  }
  const std::vector<Cut> &cuts() const { return members_[0].rank->meeting().cuts; }
  int64_t count() const { return members_[0].rank->meeting().count; }
  int64_t bytes() const { return byteSize(spec_.type); }

  const CollectiveSpec &spec_;
  std::vector<Member> members_;
};

bool Exchange::fit(Member &member, const Buffer &buffer, int64_t elements, const char *which) {
  if (elements >= 0 && elements <= buffer.bytes() / bytes())
    return true;
  member.rank->breaks({"has a " + std::string(which) + " of " + std::to_string(buffer.bytes()) + " bytes, but moves " +
                       std::to_string(elements) + " elements of " + std::to_string(bytes()) + " bytes"},
                      member.rank->meeting().at);
  return false;
}

Buffer Exchange::cut(const Buffer &buffer, int64_t elements) const {
  Buffer out = buffer;
  out.span = {buffer.span.begin, buffer.span.begin + elements * bytes()};
  return out;
}

// The member's own part of the proof: buffers long enough, in order with all else, and apart or one range.
bool Exchange::take(Member &member) {
  const Meeting &meeting = member.rank->meeting();
  Memory &memory = member.rank->memory();
  if (meeting.count != count() || meeting.cuts != cuts()) {
    member.rank->breaks({"moves " + std::to_string(meeting.count) + " elements a piece, another member of its group " +
                         std::to_string(count()) + ", or their pieces are cut otherwise"},
                        meeting.at);
    return false;
  }
  if (meeting.count < 0 || meeting.count > kMostElements)
    return member.rank->breaks({"moves " + std::to_string(meeting.count) + " elements a piece"}, meeting.at), false;
  if (std::string why = explainCuts(spec_.kind, meeting.cuts, size()); !why.empty())
    return member.rank->breaks({"is cut so that " + why}, meeting.at), false;
  int64_t from = sourceElements(spec_.kind, cuts(), count(), member.position, size());
  int64_t to = targetElements(spec_.kind, cuts(), count(), member.position, size());
  if (!fit(member, meeting.source, from, "source") || !fit(member, meeting.target, to, "target"))
    return false;
  Buffer source = cut(meeting.source, from), target = cut(meeting.target, to);
  bool isOne = source.root == target.root && source.span == target.span && meeting.cuts.empty();
  Fault fault = source.root == target.root && !isOne && meet(source.span, target.span)
                    ? Wrong{"has a source and a target that share bytes and are not one range"}
                    : memory.touch(source, meeting.stream, false, meeting.at);
  if (!fault)
    fault = memory.read(source, member.source);
  if (!fault)
    fault = memory.touch(target, meeting.stream, true, meeting.at);
  if (fault)
    member.rank->breaks(*fault, meeting.at);
  return !fault;
}

Fragments Exchange::pieceOf(const Member &member, int64_t position) const {
  Fragments piece;
  slice(member.source, begin(position), begin(position + 1) - begin(position), piece);
  return piece;
}

// Of an exchange. Of one row the positions themselves; of several, which lie between one another, what they depend on.
Fragments Exchange::windowsOf(int64_t position) const {
  const auto [first, end] = sendersTo(cuts(), position);
  const int64_t unit = count() * bytes();
  const auto [front, behind] = zerosOf(cuts(), position);
  Fragments out;
  if (front * unit > 0)
    out.push_back({front * unit, kZeros, 0});
  uint64_t tag = mix(mix(11, static_cast<uint64_t>(position)), static_cast<uint64_t>(unit));
  for (const Cut &cut : cuts())
    for (int64_t number : {cut.granules, cut.granule, cut.first, cut.parts})
      tag = mix(tag, static_cast<uint64_t>(number));
  for (int64_t from = first; from < end; ++from) {
    const Positions moved = movedBetween(cuts(), from, position);
    const Member &member = members_[static_cast<size_t>(from)];
    if (windowOf(cuts()).rows == 1 && moved.size())
      slice(member.source, (moved.begin - hadBy(cuts(), from).begin) * unit, moved.size() * unit, out);
    else if (moved.size())
      tag = mix(tag, digestOf(member.source));
  }
  if (behind * unit > 0)
    out.push_back({behind * unit, kZeros, 0});
  if (windowOf(cuts()).rows == 1)
    return out;
  return {{targetElements(spec_.kind, cuts(), count(), position, size()) * bytes(), tag, 0}};
}

// By the table of Collectives.h.
Fragments Exchange::whatGets(int64_t position) const {
  int64_t length = targetElements(spec_.kind, cuts(), count(), position, size()) * bytes();
  Fragments out, zeros{{length, kZeros, 0}};
  auto combined = [&](auto &&partOf) {
    uint64_t tag = mix(mix(9, static_cast<uint64_t>(spec_.kind)), static_cast<uint64_t>(spec_.reduction));
    for (const Member &member : members_)
      tag = mix(tag, digestOf(partOf(member)));
    return Fragments{{length, tag, 0}};
  };
  auto append = [&](const Fragments &more) { out.insert(out.end(), more.begin(), more.end()); };
  auto all = [](const Member &member) { return member.source; };
  switch (spec_.kind) {
  case CollectiveKind::Gather:
    if (position != spec_.root)
      return zeros;
    [[fallthrough]];
  case CollectiveKind::AllGather:
    for (const Member &member : members_)
      append(member.source);
    return out;
  case CollectiveKind::AllReduce: return combined(all);
  case CollectiveKind::ReduceScatter: return combined([&](const Member &member) { return pieceOf(member, position); });
  case CollectiveKind::AllToAll:
    if (!cuts().empty()) // rows beside one another: who gets what is said by all of it
      return Fragments{{length, mix(combined(all)[0].tag, static_cast<uint64_t>(position)), 0}};
    for (const Member &member : members_)
      append(pieceOf(member, position));
    return out;
  case CollectiveKind::Broadcast: return members_[static_cast<size_t>(spec_.root)].source;
  case CollectiveKind::Permute: {
    int64_t from = partnersOf(spec_, position, size()).from;
    return from < 0 ? zeros : members_[static_cast<size_t>(from)].source;
  }
  case CollectiveKind::Scatter: return pieceOf(members_[static_cast<size_t>(spec_.root)], position);
  case CollectiveKind::Exchange: return windowsOf(position);
  }
  return zeros;
}

bool Exchange::run() {
  for (Member &member : members_)
    if (!take(member))
      return false;
  for (Member &member : members_) {
    const Meeting &meeting = member.rank->meeting();
    member.rank->memory().write(
        cut(meeting.target, targetElements(spec_.kind, cuts(), count(), member.position, size())),
        whatGets(member.position), meeting.at);
  }
  for (Member &member : members_)
    member.rank->goOn();
  return true;
}

class WorldRun {
public:
  WorldRun(const Program &program, const Code &entry, const Case &what)
      : program_(program), entry_(entry), case_(what) {}

  Outcome run(int64_t ranks);
  uint64_t steps() const {
    uint64_t sum = 0;
    for (const auto &rank : ranks_)
      sum += rank->steps();
    return sum;
  }

private:
  // Whether some ranks went on.
  bool meet();
  bool meetAt(int64_t rank);
  Outcome end(int64_t rank) const;
  std::string nameOf(int64_t rank) const { return ranks_.size() > 1 ? "rank " + std::to_string(rank) + ": " : ""; }

  const Program &program_;
  const Code &entry_;
  const Case &case_;
  uint64_t work_ = 0; // of all ranks
  std::vector<std::unique_ptr<RankRun>> ranks_;
};

Outcome WorldRun::end(int64_t rank) const {
  const RankRun &run = *ranks_[static_cast<size_t>(rank)];
  return {run.state(), nameOf(rank) + run.why(), 0, run.isToldByData()};
}

// The collective that the rank is at, if all members of its group are.
bool WorldRun::meetAt(int64_t rank) {
  const Meeting &meeting = ranks_[static_cast<size_t>(rank)]->meeting();
  const fb::Collective &collective = *program_.module.collectives()->Get(meeting.collective);
  CollectiveSpec spec = specOf(collective);
  const std::vector<int64_t> &sizes = case_.meshes[collective.mesh()];
  int64_t first = program_.module.meshes()->Get(collective.mesh())->first();
  std::vector<Member> members;
  bool isIn = rank >= first && rank - first < ranksOf(sizes).value_or(0) && placeOf(spec.group, sizes, rank - first);
  if (!isIn) { // it gets zeros and waits for nobody
    RankRun &alone = *ranks_[static_cast<size_t>(rank)];
    if (Fault fault = alone.memory().touch(meeting.target, meeting.stream, true, meeting.at))
      return alone.breaks(*fault, meeting.at), true;
    alone.memory().write(meeting.target, kZeros, meeting.at);
    return alone.goOn(), true;
  }
  for (int64_t other : membersOf(spec.group, sizes, rank - first)) {
    RankRun &member = *ranks_[static_cast<size_t>(first + other)];
    if (member.state() != State::Meets || member.meeting().collective != meeting.collective)
      return false;
    members.push_back({&member, static_cast<int64_t>(members.size()), {}});
  }
  Exchange(spec, std::move(members)).run();
  return true;
}

bool WorldRun::meet() {
  bool any = false;
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    if (ranks_[rank]->state() == State::Meets)
      any |= meetAt(static_cast<int64_t>(rank));
  return any;
}

Outcome WorldRun::run(int64_t ranks) {
  // Those that bind functions break or keep busy are told below; more of them would only cost.
  for (int64_t rank = 0; rank < ranks && (ranks_.empty() || ranks_.back()->state() != State::Endless); ++rank)
    ranks_.push_back(std::make_unique<RankRun>(program_, entry_, case_, rank, work_));
  ranks = static_cast<int64_t>(ranks_.size());
  do {
    // What breaks one rank is said first; a rank that ends the call by itself ends it for all.
    for (State wanted : {State::Broken, State::Refused, State::Endless})
      for (int64_t rank = 0; rank < ranks; ++rank)
        if (RankRun &run = *ranks_[static_cast<size_t>(rank)]; run.run() == wanted)
          return end(rank);
  } while (meet());
  Outcome outcome;
  for (int64_t rank = 0; rank < ranks; ++rank) {
    RankRun &run = *ranks_[static_cast<size_t>(rank)];
    if (run.state() == State::Meets) {
      run.breaks({"waits for ever: not all members of its group come to this collective next"}, run.meeting().at);
      return end(rank);
    }
    if (run.state() != State::Done)
      return end(rank);
    outcome.dataflow = mix(outcome.dataflow, run.dataflow());
    outcome.toldByData |= run.isToldByData();
  }
  return outcome;
}

} // namespace

std::optional<int64_t> worldSize(const fb::Module &module, const std::vector<std::vector<int64_t>> &meshes) {
  int64_t ranks = 1;
  for (uint32_t i = 0; i < meshes.size(); ++i) {
    std::optional<int64_t> size = ranksOf(meshes[i]);
    if (!size || *size < 1)
      return std::nullopt;
    ranks = std::max(ranks, module.meshes()->Get(i)->first() + *size);
  }
  return ranks <= kMaxRanks ? std::optional(ranks) : std::nullopt;
}

Outcome runWorld(const Program &program, const Code &entry, const Case &what) {
  std::optional<int64_t> ranks = worldSize(program.module, what.meshes);
  if (!ranks || *ranks > kMostRanksChecked)
    return {State::Refused, "the check runs at most " + std::to_string(kMostRanksChecked) + " ranks"};
  WorldRun world(program, entry, what);
  Outcome outcome = world.run(*ranks);
  outcome.steps = world.steps();
  return outcome;
}

} // namespace heddle::contract::check
