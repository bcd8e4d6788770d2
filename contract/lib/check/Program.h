// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A verified artifact's host program, decoded for the check: instructions by index, names for messages; and one case of
// all that may differ from call to call and machine to machine. Borrows the module.
#ifndef HEDDLE_CONTRACT_LIB_CHECK_PROGRAM_H
#define HEDDLE_CONTRACT_LIB_CHECK_PROGRAM_H

#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/InstructionReader.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace heddle::contract::check {

struct Instruction {
  Opcode opcode;
  uint32_t at; // word offset
  std::vector<Operand> operands;
};

struct Code {
  const fb::Function *function;
  std::vector<Instruction> instructions;
  std::unordered_map<uint32_t, uint32_t> indexOf; // by word offset
  std::unordered_map<uint32_t, std::pair<uint32_t, uint32_t>>
      runs;           // of a view: registers of a run's bytes and distance
  bool reads = false; // data decide in it
};

// Binding `written` over binding `read` of an executable's export.
using InPlaceKey = std::array<uint32_t, 4>;

struct Program {
  explicit Program(const fb::Module &module);

  // "instruction 120 (dispatch 'matmul_3' of 'layer1', model.onnx:12)"
  std::string describe(const Code &code, uint32_t at) const;

  const fb::Module &module;
  std::vector<Code> functions;
  std::set<InPlaceKey> inPlace;
  bool isPromised; // whether there is a certificate, that says which bindings may be written over which
};

// What one run of the check is about.
struct Case {
  std::map<std::string, int64_t> sizes;     // of named dimensions
  std::vector<std::vector<int64_t>> meshes; // sizes of all axes
  std::vector<uint32_t> alternatives;       // by device: the one that it resolves to
  int64_t cores = 1, queues = 1;
  uint32_t pieces = 0;            // which of its numbers of pieces each overlap takes
  uint64_t seed = 0;              // of what data tell
  uint64_t mostSteps = 2'000'000; // instructions of a rank
};

} // namespace heddle::contract::check

#endif // HEDDLE_CONTRACT_LIB_CHECK_PROGRAM_H
