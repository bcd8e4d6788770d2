// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the reference's machine code and its caller share: internal to compiler/Reference.
//
// The lowered entry point takes and returns nothing. It asks for its inputs and hands out results and recorded values
// by numbered calls (`emissions`), so that no calling convention depends on the signature. Symbols it leaves undefined:
//
//   heddle_reference_input_*(index) -> memref     the i-th argument
//   heddle_reference_emit_*(index, memref)        the value of an emission
//   heddle_reference_constant(index, index)       likewise, an index value
//   heddle_reference_fail(index)                  does not return; the number of a message
//   heddle_reference_place(index) -> index        a coordinate of this rank, or whether it is in a mesh
//   heddle_reference_cut(index, index, index, index)   one dimension that the next collective cuts: contract::Cut
//   heddle_reference_give_*(index, memref)        this rank's operand of a collective; returns when all members gave
//   theirs heddle_reference_take_*(index) -> memref      what this rank gets of it heddle_parameter_N the bytes of
//   parameters[N]
#ifndef HEDDLE_COMPILER_REFERENCE_PROGRAM_H
#define HEDDLE_COMPILER_REFERENCE_PROGRAM_H

#include "compiler/Reference/Options.h"
#include "compiler/Reference/Signature.h"
#include "heddle/contract/Collectives.h"

namespace mlir::heddle::reference {

inline constexpr StringLiteral kInput = "heddle_reference_input";
inline constexpr StringLiteral kEmit = "heddle_reference_emit";
inline constexpr StringLiteral kConstant = "heddle_reference_constant";
inline constexpr StringLiteral kFail = "heddle_reference_fail";
inline constexpr StringLiteral kPlace = "heddle_reference_place";
inline constexpr StringLiteral kCut = "heddle_reference_cut";
inline constexpr StringLiteral kGive = "heddle_reference_give";
inline constexpr StringLiteral kTake = "heddle_reference_take";
inline constexpr StringLiteral kParameter = "heddle_parameter_";
inline constexpr StringLiteral kEntry = "heddle_reference_entry";

struct Emission {
  enum Kind { Result, StepOperand, StepConstant, StepResult } kind;
  unsigned index; // of the result or the step
  ElementType type;
  unsigned rank;
  bool last = false; // of its step
};

struct StepInfo {
  std::string op;
  Location location;
  bool isDispatch;
};

struct MeshInfo {
  std::string name;
  std::vector<int64_t> sizes;
  int64_t first = 0;
};

// A flow.coordinate, or a flow.member where `axis` is below 0.
struct PlaceInfo {
  unsigned mesh;
  int axis;
};

// A collective, of any stage: also along other dimensions than the first.
struct CollectiveInfo {
  std::string name; // "flow.all_reduce"
  ::heddle::contract::CollectiveSpec spec;
  unsigned mesh;
  int64_t dim = 0, concat = 0; // where it cuts (or, of gathers, joins), and where an all_to_all joins
  bool isRing = false;         // of permute: by the shift, not by pairs
  ElementType type;            // of what is passed, which a reduction may take as unsigned (spec.type)
  unsigned rank;               // dimensions of the operand
};

struct Program {
  Signature signature;
  std::vector<Tensor> parameters;
  std::vector<Emission> emissions;
  std::vector<StepInfo> steps;
  std::vector<std::string> messages;
  std::vector<MeshInfo> meshes;
  std::vector<PlaceInfo> places;
  std::vector<CollectiveInfo> collectives;
};

// Replaces coordinates and collectives by calls, and takes meshes out. Diagnoses free sizes and too many ranks.
LogicalResult lowerRanks(ModuleOp module, Program &program);

// Makes `module` upstream dialects only, except flow.checked_index. Diagnoses what it cannot run.
LogicalResult lowerFlow(ModuleOp module, const ReferenceOptions &options, Program &program);

// Takes encodings out: values are in rows (parameters that are packed are unpacked), or with `materialize` those with a
// layout are plain tensors of their physical shape at every boundary.
LogicalResult lowerLayouts(ModuleOp module, bool materialize);

// Bufferises and lowers to the LLVM dialect.
LogicalResult lowerToLoops(ModuleOp module, Program &program);

// Replaces memref.expand_shape by memref.reinterpret_cast.
void lowerExpandShapes(ModuleOp module);

// Moves each bufferised structured op to a function of its own.
void outlineLoops(ModuleOp module);

// A call that ends the run with `message`.
void callFail(OpBuilder &builder, Location location, Program &program, const std::string &message);

} // namespace mlir::heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_PROGRAM_H
