// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ranks of one run of a program: who goes on, and where they meet. Ranks are threads of which one runs at a time;
// the seed chooses which, so they arrive at collectives in any order. What ranks do between collectives changes nothing
// that others see, so that orders of ranks differ in nothing else.
//
//   World world(4, /*seed=*/1);
//   LogicalResult ended = world.run([&](unsigned rank) { Session session(seed, &world, rank); … });
#ifndef HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_WORLD_H
#define HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_WORLD_H

#include "heddle/contract/Collectives.h"

#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace mlir::heddle::host {

// What a member brings to a collective.
struct Arrival {
  ::heddle::contract::CollectiveSpec spec;
  std::vector<::heddle::contract::Cut> cuts;
  int64_t count;
  std::vector<std::byte> source;
};

class World {
public:
  // Without a seed a rank goes on until it waits for others.
  World(unsigned ranks, std::optional<uint64_t> seed)
      : random(seed.value_or(0)), isRandom(seed.has_value()), states(ranks), counts(ranks) {}

  unsigned size() const { return states.size(); }
  // Runs `body` for each rank. Failure: one failed; the others end where they wait.
  LogicalResult run(llvm::function_ref<LogicalResult(unsigned)> body);

  // For the rank that runs. Lets others go on, as the seed says.
  void pause();
  // This rank can go on only when another one has. False: no rank can, or one has failed.
  bool waitForOthers();
  // A rank has failed: what others say is no news.
  bool isEnding() const { return ending; }

  // The members of a group meet in the order in which each of them asks. `members`: ranks of the world.
  struct Meeting {
    std::string group;
    unsigned number;
  };
  Meeting nextMeeting(unsigned rank, ArrayRef<int64_t> members);
  // Of the member at a position. Says why it does not fit what the others brought, or "".
  std::string arrive(const Meeting &meeting, size_t position, size_t size, Arrival arrival);
  bool haveAllMet(const Meeting &meeting) const;
  // What the member at a position gets when all have met: the target's bytes.
  std::vector<std::byte> resultOf(const Meeting &meeting, size_t position, Type type) const;

private:
  struct State {
    bool isDone = false;
    std::optional<uint64_t> waitsSince; // for what happens after this many arrivals
  };
  struct Met {
    std::vector<std::optional<Arrival>> arrivals; // by position
    size_t first = 0, count = 0;
  };

  unsigned choose();
  void handOver(std::unique_lock<std::mutex> &lock);

  std::mt19937_64 random;
  bool isRandom;
  std::mutex mutex;
  std::condition_variable turn;
  unsigned current = 0;
  std::vector<State> states;
  uint64_t arrivals = 0; // and ends of ranks
  bool ending = false, stuck = false;
  std::vector<std::map<std::string, unsigned>> counts; // by rank and group: meetings so far
  std::map<std::pair<std::string, unsigned>, Met> meetings;
};

} // namespace mlir::heddle::host

#endif // HEDDLE_COMPILER_DIALECT_HOST_INTERPRETER_WORLD_H
