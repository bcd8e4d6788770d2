// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function once its devices and its rank are known: scalars that follow from them, branches taken, what is left to
// run.
//
// Pure. Linear in the code: values are propagated in few passes over it, which is enough for programs whose definitions
// stand before their uses; what is not found then is left to run time.
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_FOLD_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_FOLD_H

#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/InstructionReader.h"
#include "runtime/match/Match.h"

#include <optional>
#include <vector>

namespace heddle {

struct DeviceSlot;
struct MeshPlace;

// What is known before a function runs. Borrowed.
struct FoldFacts {
  std::span<const DeviceSlot> devices;
  std::span<const std::optional<int64_t>> bounds; // scalars of bind time, by index into Module.bounds
  std::span<const MeshPlace> meshes = {};         // this rank's place in each
};

class FoldedFunction {
public:
  struct Line {
    contract::Opcode opcode;
    uint32_t word; // in the function's code
    std::span<const contract::Operand> operands;
    bool reached = false; // some path leads here
    bool folded = false;  // its value is known, or it is a branch that is decided: nothing is left to run
  };

  FoldedFunction(const fb::Function &source, const FoldFacts &facts);
  FoldedFunction(FoldedFunction &&) = default;

  const fb::Function &source() const { return *source_; }
  std::span<const Line> lines() const { return lines_; }
  // The line at a word offset at which an instruction starts.
  uint32_t lineAt(uint32_t word) const { return lineAt_[word]; }
  // By scalar register: its value all along, when it is known.
  std::span<const std::optional<int64_t>> values() const { return values_; }
  // Where a branch goes when it is decided: the word of its label.
  std::optional<uint32_t> decided(const Line &line) const;

private:
  void read();
  void propagate(const FoldFacts &facts);
  std::optional<int64_t> evaluate(const Line &line, const FoldFacts &facts) const;
  void reach();

  const fb::Function *source_;
  std::vector<contract::Operand> operands_;
  std::vector<Line> lines_;
  std::vector<uint32_t> lineAt_;
  std::vector<std::optional<int64_t>> values_;
  std::vector<uint32_t> writes_;
};

// Calls `visit(register)` for each scalar register that the line writes, or reads.
template <typename Visit> void forEachScalar(const FoldedFunction::Line &line, bool written, Visit &&visit) {
  for (const contract::Operand &o : line.operands) {
    if (o.kind != (written ? 'd' : 's'))
      continue;
    if (!o.list)
      visit(o.value);
    for (uint32_t r : o.values)
      visit(r);
  }
}

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_FOLD_H
