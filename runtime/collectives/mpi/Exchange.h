// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of a collective: this member sends pieces of memory to some members and receives from some. Each message
// says of which collective it is, so that members that run different ones notice. Memory is used again from step to
// step.
//
//   exchange.begin(operation, request);
//   exchange.receive(left, target, bytes), exchange.send(right, source, bytes);
//   HEDDLE_RETURN_IF_ERROR(exchange.run());
#ifndef HEDDLE_RUNTIME_COLLECTIVES_MPI_EXCHANGE_H
#define HEDDLE_RUNTIME_COLLECTIVES_MPI_EXCHANGE_H

#include "runtime/collectives/mpi/MpiWorld.h"

namespace heddle::collectives {

class Exchange {
public:
  // Between these ranks of the world. `tag` is no other group's that shares two ranks with it.
  Exchange(MpiWorld &world, std::vector<uint32_t> worldRanks, int tag);

  // The collective that the next steps are of, and its number among the group's.
  void begin(uint64_t operation, const Request &request);
  // At most one of each for each member in a step. The memory is the exchange's until run() returns.
  void send(uint32_t member, const std::byte *memory, uint64_t bytes) {
    add(member, const_cast<std::byte *>(memory), bytes, true);
  }
  void receive(uint32_t member, std::byte *memory, uint64_t bytes) { add(member, memory, bytes, false); }
  // Posts what was added; the caller may do work of its own before run().
  Status post();
  // Posts what is not yet, and returns when all is done. A failure is the world's.
  Status run();
  // What follows is of the collective's first step again: for members that do unequal numbers of steps.
  void restart() { step_ = 0; }
  void setDeadline(Group::Clock::time_point deadline) { deadline_ = deadline; }

private:
  struct Header;
  struct Part {
    uint32_t member;
    std::byte *memory;
    uint64_t bytes;
    bool isSend;
    size_t firstMessage;
    uint64_t begun; // of what travels behind the header: bytes that have a message, or wait for their turn
  };
  static constexpr uint64_t kInline = 4096; // bytes that travel beside their header

  void add(uint32_t member, std::byte *memory, uint64_t bytes, bool isSend) {
    parts_.push_back({member, memory, bytes, isSend, 0, 0});
  }
  std::byte *slot(size_t part);
  Header headerOf(const Part &part) const;
  int postHeader(Part &part, std::byte *slot);
  int postRest(Part &part);
  int receiveChunks(Part &part, const Header &header);
  static uint64_t sizeOfChunk(const Part &part, uint64_t most, uint64_t number);
  bool goOn(int &error);
  void forgetChunks();
  void deliver();
  std::string explain(const Header &got, const Part &part) const;
  std::string misfit(bool allHaveCome);
  std::string what() const;
  std::vector<uint32_t> absent();

  MpiWorld &world_;
  const std::vector<uint32_t> worldRanks_;
  const int tag_;
  Group::Clock::time_point deadline_ = Group::kNoDeadline;
  uint64_t operation_ = 0, step_ = 0;
  uint32_t cuts_ = 0; // a hash
  Request request_;
  std::vector<Part> parts_;
  bool isPosted_ = false;
  // What is large is sent in chunks, when it is its turn.
  struct Chunk {
    int peer;
    const std::byte *memory;
    uint64_t bytes;
    size_t message; // when it is sent
  };
  std::vector<Chunk> chunks_;
  uint64_t chunk_ = 0;          // the largest of this step
  size_t sent_ = 0, ended_ = 0; // of them; those ended are in front
  Turns::Transfer transfer_;
  std::vector<std::byte> slots_;
  std::unique_ptr<Messages> messages_;
};

} // namespace heddle::collectives

#endif // HEDDLE_RUNTIME_COLLECTIVES_MPI_EXCHANGE_H
