// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host program as the executor runs it: instructions in a flat array of 8-byte units, each a typed struct beginning
// with its Head. Operands are register numbers in the order of Instructions.def; labels, kernels, parameters and
// answers about devices are resolved. Made once by decode(); immutable.
#ifndef HEDDLE_RUNTIME_EXECUTOR_PROGRAM_PROGRAM_H
#define HEDDLE_RUNTIME_EXECUTOR_PROGRAM_PROGRAM_H

#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/Instructions.h"
#include "heddle/heddle.h"
#include "runtime/base/Status.h"
#include "runtime/hal/Commands.h"

#include <string>
#include <utility>
#include <vector>

namespace heddle {

struct Head {
  uint16_t opcode;
  uint16_t units; // of this instruction, 8 bytes each
  uint32_t first; // the first operand
};
static_assert(sizeof(Head) == 8);

// The instruction that a head begins.
template <typename Op> const Op &as(const Head &head) { return reinterpret_cast<const Op &>(head); }

// A dispatch names buffers with what it needs of them in the high bits; BufferRegister::flags has the same bits.
inline constexpr uint32_t kDeviceMemory = 1u << 28; // of a device whose kernels do not read all host memory
inline constexpr uint32_t kHostMemory = 1u << 29;   // the host can use it, and every device that reads host memory
inline constexpr uint32_t kDefined = 1u << 30;
inline constexpr uint32_t kWritable = 1u << 31;
inline constexpr uint32_t kRegisterMask = kDeviceMemory - 1;
// The low bits of BufferRegister::flags: 1 + the device of the program that the memory is of; 0: the caller's.
inline constexpr uint32_t kSlotMask = 0x1fff;
static_assert(contract::kMaxDevices <= kSlotMask && kSlotMask <= kRegisterMask);

// Memory that a program's buffer register can name. `flags` as above.
struct PlacedBuffer {
  std::byte *address = nullptr; // where the host sees it; where it does not, the distance from the buffer's begin
  int64_t bytes = 0;
  uint32_t flags = 0;
  hal::Buffer *buffer = nullptr; // that it is in; null: memory of the caller or of the artifact

  static PlacedBuffer of(const hal::BufferRef &buffer, uint64_t bytes, uint32_t flags) {
    return {buffer->address(), static_cast<int64_t>(bytes), flags, buffer.get()};
  }
  hal::View view() const {
    auto at = reinterpret_cast<uintptr_t>(address), begin = buffer ? reinterpret_cast<uintptr_t>(buffer->address()) : 0;
    return {buffer, at - begin, static_cast<uint64_t>(bytes)};
  }
  // Begins where the buffer does.
  bool begins(const hal::BufferRef &other) const { return buffer == other.get() && address == other->address(); }
};

// A value of bind time: a scalar or a buffer.
struct BoundValue {
  bool set = false;
  int64_t scalar = 0;
  PlacedBuffer buffer;
};

// clang-format off
struct ConstOp { Head head; int64_t value; };                        // first = to
struct BinaryOp { Head head; uint32_t lhs, rhs; };                   // first = to; Move: lhs
struct SelectOp { Head head; uint32_t condition, yes, no, pad; };    // first = to
struct BranchOp { Head head; };                                      // first = unit
struct BranchIfOp { Head head; uint32_t yes, no; };                  // first = condition
struct MessageOp { Head head; uint32_t message, pad; };              // Check: first = condition; Fail: first = message
struct BufferOp { Head head; std::byte *address; int64_t bytes; hal::Buffer *buffer; uint32_t flags, pad; }; // Parameter: first = to
struct BindOp { Head head; uint32_t value, pad; };                   // BindScalar, BindBuffer: first = bound value
struct PackOp { Head head; uint32_t parameter, device, layout, pad; }; // first = to
struct ResultOp { Head head; uint32_t result, device, bytes, pad; }; // first = to
struct StorageOp { Head head; uint32_t device, bytes; };             // Slab, Alloc: first = to
struct FreeOp { Head head; uint32_t buffer, pad; };                  // first = stream
struct ViewOp { Head head; uint32_t buffer, offset, bytes, pad; };   // first = to
struct MoveBufferOp { Head head; uint32_t buffer, pad; };            // first = to
struct CopyOp { Head head; uint32_t to, toOffset, from, fromOffset, bytes, pad; };       // first = stream
struct FillOp { Head head; uint32_t buffer, offset, bytes, pattern, patternBytes, pad; }; // first = stream
struct ReadOp { Head head; uint32_t stream, buffer, offset, type; }; // first = to
struct StreamOp { Head head; uint32_t device, index; };              // first = to; StreamAt: the index's register
struct EventOp { Head head; uint32_t other, pad; }; // two streams or events, as written; Await: one
struct CollectiveOp { Head head; uint32_t collective, source, target, count; }; // first = stream
struct CollectiveCutOp { CollectiveOp op; uint32_t numbers, pad, cut[16]; };    // of contract::Cut, 4, 8 or 16
struct SliceOp { Head head; uint32_t parameter, device, offset, bytes; };       // first = to
// clang-format on

struct SetResultOp { // first = result
  Head head;
  uint32_t buffer, rank;
  const uint32_t *sizes() const { return reinterpret_cast<const uint32_t *>(this + 1); }
};

struct PlanOp { // first = total
  Head head;
  uint32_t memo, count;
  const uint32_t *sizes() const { return reinterpret_cast<const uint32_t *>(this + 1); }
  const uint32_t *offsets() const { return sizes() + count; }
};

struct DispatchOp { // first = stream
  Head head;
  const hal::Kernel *kernel; // null: the stream register is never set
  const hal::DispatchLabel *label;
  uint32_t workgroups, scratch;
  uint32_t bindings, constants;
  uint32_t executable, exported;
  uint32_t device; // 1 + the device of the program whose memory its bindings must be in; 0: host memory
  uint32_t pad;
  const uint32_t *bindingRegisters() const { return reinterpret_cast<const uint32_t *>(this + 1); }
  const uint32_t *constantRegisters() const { return bindingRegisters() + bindings; }
};

// A dimension of an entry point's argument, ready to be checked.
struct DimCheck {
  int64_t size;   // static, when symbol < 0
  int32_t symbol; // scalar register
  bool binds;     // the first argument dimension with this symbol: gives it its value
  int64_t min, max;
  int64_t begin = 0, whole = -1; // where a rank's part begins, and all that there is; -1: that is not known at load
};

struct ArgumentCheck {
  uint8_t type;
  uint32_t elementBytes;
  std::vector<DimCheck> dims;
};

// An argument that a device needs in its own memory.
struct StagedArgument {
  uint32_t argument, device;
};

// What an entry point does with a global: the argument that is its value when the call begins, the result that is its
// value when the call ends; -1: none. `writable`: the program writes the argument's memory.
struct StateUse {
  uint32_t global, device;
  int32_t argument = -1, result = -1;
  bool writable = false;
};

// A result that lies in the memory of an argument. `writable` as above.
struct Donation {
  uint32_t argument, result;
  bool writable;
};

struct Function {
  const fb::Function *source = nullptr;
  std::vector<uint64_t> code;
  std::vector<std::pair<uint32_t, uint32_t>> words; // (unit, word offset in source->code), ascending
  std::vector<ArgumentCheck> arguments;
  std::vector<const fb::PlanSpec *> plans; // one per plan instruction, by PlanOp::memo
  std::vector<uint32_t> extraStreams;      // by device of the program
  std::vector<bool> devices;               // by device of the program: whether anything is left that uses it
  std::vector<int64_t> scalars;            // registers as a call begins: what folding found, all along, else 0
  std::vector<StagedArgument> staged;
  bool meets = false;               // it has collectives, reached or not: all ranks call it
  int32_t drawn = -1;               // the scalar register of the number that a call draws, -1: none
  std::vector<uint32_t> ownSymbols; // scalar registers of sizes that each rank has of its own
  std::vector<StateUse> state;      // the caller's arguments and results, counted in `info`, come before those of state
  std::vector<Donation> donations;
  // By argument of the caller: what stands for it where it is left out; HEDDLE_NONE: it is needed. Empty: all are.
  std::vector<heddle_tensor> defaults;
  std::vector<std::vector<uint64_t>> defaultElements; // their memory
  uint32_t maxBindings = 0, maxConstants = 0;
  // Where an instruction of `code` comes from; null: unknown.
  const fb::Location *locationOf(const fb::Module &module, const Head &head) const;
  // For the C interface.
  std::vector<heddle_value_info> argumentInfos, resultInfos;
  std::vector<std::vector<heddle_dim>> dimInfos;
  heddle_entry_point_info info{};
};

// "'Gather_7' (model.mlir:3)", without what is unknown: "'Gather_7'", "model.mlir:3", "".
std::string describe(const fb::Location *location);

// A failure of an instruction of the function, with a note that says where it comes from, if that is known.
Status locate(const Function &function, const fb::Module &module, const Head &head, Status failure);

} // namespace heddle

#endif // HEDDLE_RUNTIME_EXECUTOR_PROGRAM_PROGRAM_H
