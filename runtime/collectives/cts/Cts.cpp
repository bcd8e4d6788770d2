// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/collectives/cts/Cts.h"

#include "runtime/collectives/Reduce.h"
#include "runtime/collectives/cts/CtsRequests.h"

#include <thread>

namespace heddle::collectives {
namespace {

using namespace std::chrono_literals;

constexpr ElementType kTypes[] = {ElementType::I1,       ElementType::I8,        ElementType::I16,    ElementType::I32,
                                  ElementType::I64,      ElementType::U8,        ElementType::U16,    ElementType::U32,
                                  ElementType::U64,      ElementType::F16,       ElementType::BF16,   ElementType::F32,
                                  ElementType::F64,      ElementType::F8E4M3FN,  ElementType::F8E5M2, ElementType::I4,
                                  ElementType::F4E2M1FN, ElementType::F8E5M2FNUZ};
constexpr CollectiveKind kKinds[] = {
    CollectiveKind::AllGather, CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
    CollectiveKind::Broadcast, CollectiveKind::Permute,   CollectiveKind::Gather,        CollectiveKind::Scatter};

uint64_t mix(uint64_t x) {
  x = (x ^ x >> 31) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
  return x ^ x >> 32;
}

std::string describe(const Request &request, const Group &group) {
  return std::string(spelling(request.kind)) + " " + std::string(spelling(request.reduction)) + " of " +
         std::to_string(request.count) + " " + std::string(spelling(request.type)) + " on member " +
         std::to_string(group.rank()) + " of " + std::to_string(group.size());
}

Reduction reductionFor(ElementType type) { return canReduce(Reduction::Sum, type) ? Reduction::Sum : Reduction::Or; }

} // namespace

Request request(CollectiveKind kind, ElementType type, uint64_t count, const Group &group, bool open) {
  const int64_t n = group.size(), rank = group.rank();
  Request request;
  request.kind = kind, request.type = type, request.count = count, request.name = "cts";
  request.root = n - 1;
  request.sendTo = open && rank == n - 1 ? Request::kNone : (rank + 1) % n;
  request.receiveFrom = open && rank == 0 ? Request::kNone : (rank + n - 1) % n;
  return request;
}

void runAndCompare(Group &group, Request request, Place place, uint32_t seed) {
  constexpr size_t kGuard = 64;
  constexpr std::byte kPad{0xa5};
  const uint64_t from = sourceBytes(request, group.rank(), group.size()),
                 to = targetBytes(request, group.rank(), group.size());
  const std::vector<std::byte> source = sampleOf(request.type, from / byteSize(request.type), group.rank(), seed);
  std::vector<std::byte> memory(kGuard + std::max(from, to) + kGuard, kPad), apart = source;
  std::byte *begin = memory.data() + kGuard, *target = begin;
  request.source = apart.data(), request.target = target;
  if (place == Place::InPlace) {
    const uint64_t own = group.rank() * request.count * byteSize(request.type);
    std::byte *inside = begin + (from < to ? own : 0);
    std::copy(source.begin(), source.end(), inside);
    target = begin + (from > to ? own : 0);
    request.source = inside, request.target = target;
  }
  const Status status = group.run(request);
  ASSERT_TRUE(status.ok()) << describe(request, group) << ": " << status.text();
  const std::vector<std::byte> expected = expectedOf(request, group.rank(), group.size(), seed);
  ASSERT_EQ(expected.size(), to);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), target)) << describe(request, group);
  for (size_t i = 0; i < kGuard; ++i)
    ASSERT_TRUE(memory[i] == kPad && memory[memory.size() - 1 - i] == kPad) << describe(request, group);
}

std::string nameOfWorld(const testing::TestParamInfo<CtsWorld *> &info) { return info.param->name(); }

std::vector<std::byte> sampleOf(ElementType type, uint64_t elements, uint32_t rank, uint32_t seed) {
  std::vector<std::byte> bytes(elements * byteSize(type));
  for (uint64_t i = 0; i < elements; ++i) {
    const uint64_t bits = mix(i * 1000003 + rank * 7919 + seed + 1);
    const double number = double(int64_t(bits >> 20)) / double(int64_t(1) << 40) - 8;
    if (type == ElementType::F32) {
      const float value = static_cast<float>(number);
      std::memcpy(&bytes[i * 4], &value, 4);
    } else if (type == ElementType::F64) {
      std::memcpy(&bytes[i * 8], &number, 8);
    } else {
      uint64_t value = type == ElementType::I1 ? bits & 1 : bits;
      std::memcpy(&bytes[i * byteSize(type)], &value, byteSize(type));
    }
  }
  return bytes;
}

namespace {

// Element by element, without knowing how pieces lie behind one another.
std::vector<std::byte> expectedOfCut(const Request &request, uint32_t rank, uint32_t members, uint32_t seed) {
  const uint64_t bytes = byteSize(request.type), unit = request.count * bytes;
  const contract::Cut &first = request.cuts[0];
  const int64_t had = first.begin(members);
  std::vector<std::vector<std::byte>> sources;
  for (uint32_t i = 0; i < members; ++i)
    sources.push_back(sampleOf(request.type, sourceBytes(request, i, members) / bytes, i, seed));
  std::vector<std::byte> target;
  const auto take = [&](const std::vector<std::byte> &from, uint64_t position) {
    target.insert(target.end(), from.begin() + position * unit, from.begin() + (position + 1) * unit);
  };
  if (request.kind == CollectiveKind::Gather && rank != request.root)
    return std::vector<std::byte>(targetBytes(request, rank, members));
  if (request.kind == CollectiveKind::AllGather || request.kind == CollectiveKind::Gather)
    for (uint32_t i = 0; i < members; ++i)
      target.insert(target.end(), sources[i].begin(), sources[i].end());
  if (request.kind == CollectiveKind::ReduceScatter) {
    std::vector<const std::byte *> all;
    for (uint32_t i = 0; i < members; ++i)
      all.push_back(sources[i].data());
    std::vector<std::byte> whole(sources[0].size());
    reduceElements(request.reduction, request.type, all, whole.data(), whole.size() / bytes);
    sources.assign(members, whole);
  }
  if (request.kind == CollectiveKind::ReduceScatter || request.kind == CollectiveKind::Scatter)
    for (int64_t at = first.begin(rank); at < first.begin(rank + 1); ++at)
      take(sources[size_t(request.root)], uint64_t(at));
  if (request.kind == CollectiveKind::Exchange) {
    const contract::Window window = contract::windowOf(request.allCuts());
    const contract::Positions needed = contract::neededOf(request.allCuts(), rank);
    for (int64_t row = 0; row < window.rows; ++row)
      for (int64_t at = needed.begin; at < needed.end; ++at)
        if (at < 0 || at >= had)
          target.resize(target.size() + unit);
        else
          for (uint32_t i = 0; i < members; ++i)
            if (at >= first.begin(i) && at < first.begin(i + 1))
              take(sources[i], uint64_t(row * first.size(i) + at - first.begin(i)));
  }
  if (request.kind == CollectiveKind::AllToAll)
    for (int64_t row = first.begin(rank); row < first.begin(rank + 1); ++row)
      for (uint32_t i = 0; i < members; ++i)
        for (int64_t at = 0, width = request.cuts[1].size(i); at < width; ++at)
          take(sources[i], uint64_t(row * width + at));
  return target;
}

} // namespace

std::vector<std::byte> expectedOf(const Request &request, uint32_t rank, uint32_t members, uint32_t seed) {
  if (request.cuts)
    return expectedOfCut(request, rank, members, seed);
  const uint64_t elements = sourceBytes(request, rank, members) / byteSize(request.type);
  const uint64_t piece = request.count * byteSize(request.type);
  std::vector<std::byte> target(targetBytes(request, rank, members));
  std::vector<std::vector<std::byte>> sources;
  std::vector<const std::byte *> pieces;
  for (uint32_t i = 0; i < members; ++i)
    sources.push_back(sampleOf(request.type, elements, i, seed));
  const auto put = [&](uint32_t to, uint32_t member, uint32_t from) {
    if (piece)
      std::memcpy(&target[to * piece], &sources[member][from * piece], piece);
  };
  for (uint32_t i = 0; i < members; ++i) {
    if (request.kind == CollectiveKind::AllGather || (request.kind == CollectiveKind::Gather && rank == request.root))
      put(i, i, 0);
    if (request.kind == CollectiveKind::AllToAll)
      put(i, i, rank);
    pieces.push_back(sources[i].data() + (request.kind == CollectiveKind::ReduceScatter ? rank * piece : 0));
  }
  if (reduces(request.kind))
    reduceElements(request.reduction, request.type, pieces, target.data(), request.count);
  if (request.kind == CollectiveKind::Broadcast)
    put(0, uint32_t(request.root), 0);
  if (request.kind == CollectiveKind::Scatter)
    put(0, uint32_t(request.root), rank);
  if (request.kind == CollectiveKind::Permute && request.receiveFrom != Request::kNone)
    put(0, uint32_t(request.receiveFrom), 0);
  return target;
}

TEST_P(GroupCts, EveryKindMovesEveryType) {
  run([](Group &group) {
    for (CollectiveKind kind : kKinds)
      for (ElementType type : kTypes) {
        Request one = request(kind, type, 37, group);
        one.reduction = reductionFor(type);
        if (!reduces(kind) || canReduce(one.reduction, type))
          runAndCompare(group, one);
      }
  });
}

TEST_P(GroupCts, EveryReductionOfEveryType) {
  run([](Group &group) {
    for (uint8_t reduction = 0; reduction < contract::kReductions; ++reduction)
      for (ElementType type : kTypes)
        for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter}) {
          Request one = request(kind, type, 67, group);
          one.reduction = Reduction(reduction);
          if (canReduce(one.reduction, type))
            runAndCompare(group, one);
        }
  });
}

TEST_P(GroupCts, CountsFromNothingToMuch) {
  run([](Group &group) {
    for (CollectiveKind kind : kKinds)
      for (uint64_t count : {0, 1, 2, 3, 15, 16, 17, 63, 127, 129, 511, 513, 1023, 4099, 70001})
        runAndCompare(group,
                      request(kind, ElementType::F32, count / (count > 1000 && group.size() > 8 ? 8 : 1), group));
  });
}

TEST_P(GroupCts, InPlace) {
  run([](Group &group) {
    for (CollectiveKind kind : kKinds)
      for (uint64_t count : {0, 1, 5, 600, 20011 / int(group.size())})
        for (bool open : {false, true})
          runAndCompare(group, request(kind, ElementType::I32, count, group, open), Place::InPlace);
  });
}

// Pieces of several sizes, and of none; in groups that have some of the parts.
TEST_P(GroupCts, PiecesThatAreCut) {
  run([](Group &group) {
    const int64_t n = group.size();
    const contract::Cut cuts[] = {{66, 1, 0, n},         {7, 1, 0, n},     {1, 1, 0, n},           {0, 1, 0, n},
                                  {2 * n + 1, 64, 0, n}, {5, 3, 1, n + 2}, {1000, 1, n, 2 * n + 1}};
    for (CollectiveKind kind : kKinds)
      for (size_t i = 0; contract::cutsOf(kind) && i < std::size(cuts); ++i)
        for (uint64_t count : {0, 1, 3, 131}) {
          const contract::Cut both[] = {cuts[i], cuts[(i + count) % std::size(cuts)]};
          Request one = request(kind, count == 3 ? ElementType::BF16 : ElementType::F32, count, group);
          one.cuts = both;
          int64_t elements = int64_t(count) * int64_t(group.size());
          for (const contract::Cut &cut : one.allCuts())
            elements *= cut.granules * cut.granule;
          if (elements < int64_t(1) << 22)
            runAndCompare(group, one);
        }
  });
}

// Windows of all sorts: halos, strides, one position for all, none, rows beside one another.
TEST_P(GroupCts, ExchangesOfWindows) {
  run([](Group &group) {
    const int64_t n = group.size();
    const contract::Window windows[] = {{1, 3, -1, 1}, {1, 3, -1, 5}, {2, 3, -1, 2}, {1, 1, 4, 3},  {0, 1, 3, 2},
                                        {3, 2, 1, 1},  {1, 0, 0, 2},  {1, 1, 99, 1}, {1, 40, -9, 4}};
    const std::pair<contract::Cut, contract::Cut> parts[] = {
        {{4 * n, 1, 0, n}, {4 * n, 1, 0, n}}, {{7, 3, 0, n}, {66, 1, 0, n}}, {{66, 1, 0, n}, {5, 2, 0, n}},
        {{1, 1, 0, n}, {n, 1, 0, n}},         {{0, 1, 0, n}, {9, 1, 0, n}},  {{9, 1, 0, n}, {0, 1, 0, n}}};
    for (const auto &[lies, loop] : parts)
      for (const contract::Window &window : windows)
        for (uint64_t count : {0, 1, 131, 3001}) {
          const contract::Cut cuts[] = {lies,
                                        loop,
                                        {window.scale, window.extent, window.first, window.rows},
                                        {int64_t(count % 3), 2 * int64_t(count % 2), 0, 0}};
          Request one =
              request(CollectiveKind::Exchange, count == 131 ? ElementType::BF16 : ElementType::F32, count, group);
          one.cuts = cuts;
          runAndCompare(group, one);
        }
    // Who does not say who has what, or says that only some have.
    Request none = request(CollectiveKind::Exchange, ElementType::F32, 4, group);
    EXPECT_FALSE(check(none, group.rank(), group.size()).ok());
    const contract::Cut some[] = {{8, 1, 0, n + 1}, {8, 1, 0, n}, {1, 3, -1, 1}, {0, 0, 0, 0}};
    none.cuts = some;
    EXPECT_FALSE(check(none, group.rank(), group.size()).ok());
  });
}

// No row has a byte, however many there are.
TEST_P(GroupCts, RowsOfNoPositions) {
  run([](Group &group) {
    const int64_t n = group.size();
    const contract::Cut cuts[] = {{int64_t(1) << 50, 1, 0, n}, {0, 1, 0, n}};
    Request one = request(CollectiveKind::AllToAll, ElementType::F32, 1, group);
    one.cuts = cuts;
    const Status status = group.run(one);
    EXPECT_TRUE(status.ok()) << status.text();
  });
}

// Small ones travel another way: who has little does as who has much does.
TEST_P(GroupCts, CutsAroundSmallSizes) {
  run([](Group &group) {
    for (int64_t granules = 250; granules < 1100; granules += 53) {
      const contract::Cut cut[] = {{granules, 2, 0, int64_t(group.size())}};
      for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter}) {
        Request one = request(kind, ElementType::I32, 1, group);
        one.cuts = cut;
        runAndCompare(group, one, Place::Apart, uint32_t(granules));
      }
    }
  });
}

TEST_P(GroupCts, WhoReceivesNothingGetsZeros) {
  run([](Group &group) {
    for (uint64_t count : {1, 700, 5000})
      runAndCompare(group, request(CollectiveKind::Permute, ElementType::F64, count, group, true));
    Request none = request(CollectiveKind::Permute, ElementType::I8, 3, group);
    none.sendTo = none.receiveFrom = Request::kNone;
    std::byte target[3] = {std::byte{1}, std::byte{1}, std::byte{1}};
    none.target = target;
    ASSERT_TRUE(group.run(none).ok());
    EXPECT_EQ(target[0], std::byte{0});
    Request self = request(CollectiveKind::Permute, ElementType::I8, 3, group);
    self.sendTo = self.receiveFrom = group.rank();
    runAndCompare(group, self);
  });
}

TEST_P(GroupCts, EveryRoot) {
  run([](Group &group) {
    for (uint32_t root = 0; root < group.size(); ++root)
      for (CollectiveKind kind : {CollectiveKind::Broadcast, CollectiveKind::Gather, CollectiveKind::Scatter}) {
        Request one = request(kind, ElementType::U16, 31, group);
        one.root = root;
        runAndCompare(group, one);
      }
  });
}

TEST_P(GroupCts, ManyInARow) {
  run([](Group &group) {
    for (uint32_t i = 0; i < 200; ++i)
      runAndCompare(group, request(kKinds[mix(i) % std::size(kKinds)], ElementType::F32, mix(i) % 300, group),
                    Place::Apart, i);
  });
}

TEST_P(GroupCts, ArrivalInAnyOrder) {
  run([](Group &group) {
    for (uint32_t i = 0; i < 40; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(mix(i * 131 + group.rank()) % 500));
      runAndCompare(group, request(kKinds[i % std::size(kKinds)], ElementType::BF16, 100, group), Place::Apart, i);
    }
  });
}

TEST_P(GroupCts, SplitsIntoRowsAndColumns) {
  run([](Group &group) {
    const int64_t rank = group.rank();
    StatusOr<std::unique_ptr<Group>> row = group.split(rank / 2, rank), column = group.split(rank % 2, -rank);
    ASSERT_TRUE(row.ok() && column.ok());
    EXPECT_EQ((*row)->size(), std::min<uint32_t>(2, group.size() - rank / 2 * 2));
    EXPECT_EQ((*row)->rank(), rank % 2);
    EXPECT_EQ((*row)->worldRank(0), rank / 2 * 2);
    EXPECT_EQ((*column)->worldRank((*column)->rank()), rank);
    EXPECT_GT((*column)->worldRank(0) + 2, group.size() - 1); // the keys turn the order around
    for (uint32_t i = 0; i < 10; ++i) {
      runAndCompare(**row, request(kKinds[i % std::size(kKinds)], ElementType::F32, 50, **row), Place::Apart, i);
      runAndCompare(**column, request(CollectiveKind::AllReduce, ElementType::F32, 900, **column), Place::Apart, i);
      runAndCompare(group, request(CollectiveKind::AllGather, ElementType::F32, 5, group), Place::Apart, i);
    }
    ASSERT_TRUE(group.barrier().ok()); // none leaves while others are in its groups
  });
}

TEST_P(GroupCts, SomeAreInNoGroup) {
  run([](Group &group) {
    StatusOr<std::unique_ptr<Group>> first = group.split(group.rank() == 0 ? 7 : -1, 0);
    ASSERT_TRUE(first.ok());
    EXPECT_EQ(*first != nullptr, group.rank() == 0);
    if (*first)
      runAndCompare(**first, request(CollectiveKind::AllToAll, ElementType::F32, 9, **first));
    StatusOr<std::unique_ptr<Group>> nobody = group.split(-1, 0);
    ASSERT_TRUE(nobody.ok());
    EXPECT_EQ(*nobody, nullptr);
  });
}

TEST_P(GroupCts, Agreement) {
  run([](Group &group) {
    const std::vector<uint64_t> words = {1, 2, 3};
    std::vector<uint64_t> many(100, 4);
    const auto describe = [](const Mismatch &found) {
      return "word " + std::to_string(found.word) + " of " + std::to_string(found.rank) + ": " +
             std::to_string(found.value) + ", not " + std::to_string(found.expected);
    };
    EXPECT_TRUE(group.agree({}, describe).ok());
    EXPECT_TRUE(group.agree(words, describe).ok());
    EXPECT_TRUE(group.agree(many, describe).ok());
    if (group.size() == 1)
      return;
    many[57] += group.rank();
    Status status = group.agree(many, describe);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), "word 57 of 1: 5, not 4");
    status = group.agree(std::span(words).first(group.rank() == 1 ? 2 : 3), describe);
    EXPECT_EQ(status.message(), "word " + std::to_string(Mismatch::kCount) + " of 1: 2, not 3");
    EXPECT_TRUE(group.agree(words, describe).ok());
    runAndCompare(group, request(CollectiveKind::AllReduce, ElementType::F32, 50, group)); // the world goes on
  });
}

TEST_P(GroupCts, DeadlineThatIsKept) {
  run([](Group &group) {
    group.setDeadline(Group::Clock::now() + 60s);
    runAndCompare(group, request(CollectiveKind::AllReduce, ElementType::F32, 50, group));
    group.setDeadline(Group::kNoDeadline);
    EXPECT_TRUE(group.failure().ok());
  });
}

} // namespace heddle::collectives
