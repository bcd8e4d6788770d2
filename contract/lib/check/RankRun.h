// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank's run of an entry point on Memory: scalars are numbers, bytes are tags (Content.h). It stops at each
// collective, which WorldRun does for all that meet there.
//
// Scalars that data tell are drawn from what their bytes are computed from, so ranks that hold the same bytes decide
// alike, and others need not.
#ifndef HEDDLE_CONTRACT_LIB_CHECK_RANKRUN_H
#define HEDDLE_CONTRACT_LIB_CHECK_RANKRUN_H

#include "Memory.h"
#include "Program.h"
#include "heddle/contract/Collectives.h"

namespace heddle::contract::check {

// A collective that a rank has come to.
struct Meeting {
  uint32_t collective = 0;
  int64_t count = 0;
  std::vector<Cut> cuts;
  uint32_t stream = 0;
  Buffer source, target;
  uint32_t at = 0;
};

class RankRun {
public:
  // Refused: the program ends the call by itself, as by a check of sizes. Broken: what the check is there to find.
  // Endless: more instructions than any check waits for.
  enum class State { Runs, Meets, Done, Refused, Broken, Endless };

  // `worldWork`: of all ranks, what was done by now; must live as long.
  RankRun(const Program &program, const Code &code, const Case &what, int64_t rank, uint64_t &worldWork);

  // Up to the next collective, or the end.
  State run();
  State state() const { return state_; }
  const Meeting &meeting() const { return meeting_; }
  void goOn() { state_ = State::Runs; }
  // Ends the run for what an instruction does wrong.
  State breaks(const Wrong &wrong, uint32_t at);
  // Of the last two states.
  const std::string &why() const { return why_; }
  // What the results are computed from.
  uint64_t dataflow() const { return dataflow_; }
  uint64_t steps() const { return steps_; }
  // Whether a scalar was told by data.
  bool isToldByData() const { return toldByData_; }
  Memory &memory() { return memory_; }

private:
  struct Frame {
    std::vector<int64_t> scalars;
    std::vector<Buffer> buffers;
    std::vector<int64_t> streams; // -1: not set
  };

  // Whether the world's work is more than a check of a case may take; counts what this rank has done since.
  bool isTooMuch();
  void begin(const Code &code);
  void enter();
  int64_t piecesOf(const fb::Bound &bound) const;
  int64_t ownSize(const fb::Value &value, uint32_t dim) const;
  uint64_t tagOfArgument(const fb::Value &value, uint32_t index) const;
  int64_t coordinate(uint32_t mesh, uint32_t axis) const;
  bool isMember(uint32_t mesh) const;

  // One instruction; the index of the next one.
  size_t step(const Instruction &instruction, size_t next);
  bool stepScalar(const Instruction &instruction);
  bool stepQuestion(const Instruction &instruction);
  bool stepMemory(const Instruction &instruction);
  bool stepStorage(const Instruction &instruction);
  bool stepBinding(const Instruction &instruction);
  bool stepOrder(const Instruction &instruction);
  void stepWork(const Instruction &instruction);
  void dispatch(const Instruction &instruction);
  void copy(const Instruction &instruction);
  void fill(const Instruction &instruction);
  void read(const Instruction &instruction);
  void view(const Instruction &instruction);
  void setResult(const Instruction &instruction);
  void meet(const Instruction &instruction);
  bool overlaps(const Instruction &instruction, const fb::Export &entry, const std::vector<Buffer> &bindings);

  int64_t scalar(const Operand &operand) const { return frame_.scalars[operand.value]; }
  // The stream or buffer of a register, or none, which breaks the run.
  std::optional<uint32_t> stream(const Operand &operand, uint32_t at);
  const Buffer *buffer(const Operand &operand, uint32_t at) { return bufferAt(operand.value, at); }
  const Buffer *bufferAt(uint32_t index, uint32_t at);
  std::optional<Buffer> range(const Operand &operand, int64_t offset, int64_t bytes, uint32_t at);
  // What a wrong number ends: where data told it, only this case.
  void outside(const std::string &text, uint32_t at);
  void refuse(const std::string &text);
  bool fails(const Fault &fault, uint32_t at);
  uint32_t sameAs(uint32_t device) const;

  const Program &program_;
  const Code &entry_;
  const Case &case_;
  const int64_t rank_;
  const Code *code_ = nullptr; // what runs: a bind function, then the entry point
  Memory memory_;
  Frame frame_;
  size_t next_ = 0;
  State state_ = State::Runs;
  Meeting meeting_;
  std::string why_;
  uint64_t dataflow_ = 0, steps_ = 0;
  uint64_t &worldWork_;
  uint64_t counted_ = 0; // of it, this rank's
  bool toldByData_ = false;
  std::map<uint32_t, int64_t> boundScalars_;
  std::map<uint32_t, Buffer> boundBuffers_;
  std::map<std::pair<int, uint32_t>, uint32_t> kept_; // slabs and results: their roots
};

} // namespace heddle::contract::check

#endif // HEDDLE_CONTRACT_LIB_CHECK_RANKRUN_H
