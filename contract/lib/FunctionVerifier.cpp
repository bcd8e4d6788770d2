// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VerifierContext.h"
#include "heddle/contract/Collectives.h"
#include "heddle/contract/ElementType.h"
#include "heddle/contract/InstructionReader.h"

#include <algorithm>
#include <vector>

namespace heddle::contract {
namespace {

std::string number(uint64_t value) { return std::to_string(value); }

// A state's initial value is copied to memory of the argument's sizes, or the rank's part of it: it is of these sizes,
// or of the whole's.
bool beginsRight(const fb::Module &module, const fb::Value &value, const fb::Global &global) {
  if (global.initial() < 0)
    return true;
  const auto *shape = module.parameters()->Get(global.initial())->shape();
  bool isPart = true, isWhole = true;
  for (uint64_t d = 0; d < sizeOf(value.dims()); ++d) {
    const fb::Dim *dim = value.dims()->Get(d);
    isPart &= dim->symbol() < 0 && dim->size() == shape->Get(d);
    isWhole &= wholeOf(module, value, d) == shape->Get(d);
  }
  return isPart || isWhole;
}

std::string whatIs(const fb::Function &function) { return "function " + quoted(text(function.name())); }

// The values of a function: types, dimensions, devices, what is state, donated or has a default.
class ValuesVerifier {
public:
  ValuesVerifier(VerifierContext &context, const fb::Function &function) : context_(context), function_(function) {}

  bool verify() {
    std::vector<bool> bound(sizeOf(function_.symbols()));
    for (uint64_t i = 0; i < sizeOf(function_.arguments()); ++i)
      if (!verifyDims(*function_.arguments()->Get(i), "argument " + number(i), false, bound))
        return false;
    for (size_t s = 0; s < bound.size(); ++s)
      if (!bound[s] && !function_.symbols()->Get(s)->drawn())
        return fail("dimension " + quoted(text(function_.symbols()->Get(s)->name())) +
                    " must be a dimension of an argument");
    for (uint64_t i = 0; i < sizeOf(function_.results()); ++i)
      if (!verifyDims(*function_.results()->Get(i), "result " + number(i), true, bound))
        return false;
    if (function_.bind() && (sizeOf(function_.arguments()) || sizeOf(function_.results())))
      return fail("a bind function has neither arguments nor results");
    std::vector<bool> stored, loaded;
    return verifyStates(function_.results(), stored, nullptr) && verifyStates(function_.arguments(), loaded, &stored) &&
           verifyDonations() && verifyDefaults() && verifyDevice(function_.device(), "the call's stream");
  }

private:
  std::string what() const { return whatIs(function_); }
  bool fail(const std::string &message) { return context_.fail(what() + ": " + message); }

  // A module without devices has values all the same: those of device 0.
  bool verifyDevice(uint32_t device, const std::string &whose) {
    uint64_t devices = std::max<uint64_t>(sizeOf(context_.module.devices()), 1);
    return device < devices || fail(whose + " is on device " + number(device) + " of " + number(devices));
  }

  bool verifyDims(const fb::Value &value, const std::string &whose, bool isResult, std::vector<bool> &bound) {
    uint64_t rank = sizeOf(value.dims());
    if (!context_.charge(rank) || !verifyShape(context_, value.type(), what() + ": " + whose, rank) ||
        !verifyAlignment(context_, value.dims(), what() + ": " + whose))
      return false;
    if (!verifyDevice(value.device(), whose) || !verifyShards(context_, value, what() + ": " + whose))
      return false;
    int64_t sizes[kMaxRank] = {};
    for (uint64_t d = 0; d < rank; ++d) {
      const fb::Dim *dim = value.dims()->Get(d);
      sizes[d] = 1;
      if (dim->symbol() >= 0) {
        if (static_cast<uint64_t>(dim->symbol()) >= bound.size())
          return fail(whose + ", dimension " + number(d) + ": symbol " + number(dim->symbol()) + " of " +
                      number(bound.size()));
        if (function_.symbols()->Get(dim->symbol())->drawn())
          return fail(whose + ", dimension " + number(d) + ": symbol " + number(dim->symbol()) +
                      " is a number that calls draw, no size");
        bound[dim->symbol()] = true;
      } else if (!isResult || dim->size() != kUnknownSize) {
        sizes[d] = dim->size();
      }
    }
    uint64_t bytes = 0;
    if (!checkedBytes(value.type(), sizes, rank, bytes))
      return fail(whose + " has a negative dimension, or more bytes than 64 bits count");
    return true;
  }

  // A call begins with memory of the argument's sizes: they are the global's. What the program returns is compared when
  // it is kept.
  bool verifyStateDims(const fb::Value &value, const fb::Global &global, bool isArgument, const std::string &whose) {
    for (uint64_t d = 0; d < sizeOf(value.dims()); ++d) {
      const fb::Dim *dim = value.dims()->Get(d);
      int64_t held = global.dims()->Get(d), got = dim->symbol() < 0 ? dim->size() : kUnknownSize;
      if (got != held && (isArgument || (got != kUnknownSize && held != kUnknownSize)))
        return fail(whose + ": dimension " + number(d) + " of global " + quoted(text(global.name())) + " is " +
                    std::to_string(held) + ", got " + std::to_string(got));
    }
    return !isArgument || beginsRight(context_.module, value, global) ||
           fail(whose + ": global " + quoted(text(global.name())) +
                " begins as a parameter of other sizes than those of the whole, or of a part");
  }

  // State stands last, each global once, with a value of its type, device and sizes; what is only loaded is not
  // written. `seen`: which globals are among the values.
  bool verifyStates(const flatbuffers::Vector<flatbuffers::Offset<fb::Value>> *values, std::vector<bool> &seen,
                    const std::vector<bool> *stored) {
    seen.resize(sizeOf(context_.module.globals()));
    bool any = false;
    for (uint64_t i = 0; i < sizeOf(values); ++i) {
      const fb::Value &value = *values->Get(i);
      std::string whose = (stored ? "argument " : "result ") + number(i);
      if (value.state() < -1 || (value.state() >= 0 && static_cast<uint64_t>(value.state()) >= seen.size()))
        return fail(whose + ": global " + std::to_string(value.state()) + " of " + number(seen.size()));
      if (value.state() < 0 && any)
        return fail(whose + " stands behind state; state is last");
      if (value.state() < 0)
        continue;
      const fb::Global &global = *context_.module.globals()->Get(value.state());
      if (seen[value.state()])
        return fail(whose + ": global " + quoted(text(global.name())) + " is given twice");
      any = seen[value.state()] = true;
      if (global.type() != value.type() || sizeOf(global.dims()) != sizeOf(value.dims()) ||
          global.device() != value.device())
        return fail(whose + " must have type, rank and device of global " + quoted(text(global.name())));
      if (!verifyStateDims(value, global, stored != nullptr, whose))
        return false;
      if (value.writable() && stored && !(*stored)[value.state()])
        return fail(whose + " is written, but no result is global " + quoted(text(global.name())));
    }
    return context_.charge(seen.size());
  }

  bool verifyDonations() {
    std::vector<bool> taken(sizeOf(function_.results()));
    for (uint64_t i = 0; i < sizeOf(function_.arguments()); ++i) {
      const fb::Value &value = *function_.arguments()->Get(i);
      std::string whose = "argument " + number(i);
      if (value.writable() && value.state() < 0 && value.donated() < 0)
        return fail(whose + " is the caller's and only read");
      if (value.donated() == -1)
        continue;
      if (value.donated() < 0 || static_cast<uint64_t>(value.donated()) >= taken.size() || value.state() >= 0)
        return fail(whose + " is donated to result " + std::to_string(value.donated()) + " of " + number(taken.size()));
      const fb::Value &result = *function_.results()->Get(value.donated());
      if (taken[value.donated()] || result.state() >= 0 || result.type() != value.type())
        return fail(whose + " is donated to a result of its type that nothing else is donated to");
      taken[value.donated()] = true;
    }
    return true;
  }

  // Defaults are the caller's arguments of fixed sizes, whole.
  bool verifyDefaults() {
    for (uint64_t i = 0; i < sizeOf(function_.arguments()); ++i) {
      const fb::Value &value = *function_.arguments()->Get(i);
      uint64_t given = sizeOf(value.default_value()), bytes = byteSize(static_cast<ElementType>(value.type()));
      if (given == 0)
        continue;
      bool fixed = true;
      for (uint64_t d = 0; d < sizeOf(value.dims()); ++d) {
        const fb::Dim &dim = *value.dims()->Get(d);
        fixed &= dim.symbol() < 0 && !__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim.size()), &bytes);
      }
      if (!fixed || value.state() >= 0 || value.donated() >= 0 || function_.bind())
        return fail("argument " + number(i) + " may not have a default: only the caller's, of fixed sizes, which is " +
                    "only read");
      if (given != bytes)
        return fail("argument " + number(i) + " has " + number(bytes) + " bytes, its default " + number(given));
    }
    for (uint64_t i = 0; i < sizeOf(function_.results()); ++i)
      if (sizeOf(function_.results()->Get(i)->default_value()))
        return fail("result " + number(i) + " has a default");
    return true;
  }

  VerifierContext &context_;
  const fb::Function &function_;
};

class FunctionVerifier {
public:
  FunctionVerifier(VerifierContext &context, const fb::Function &function)
      : context_(context), function_(function),
        code_(function.code() ? function.code()->data() : nullptr, sizeOf(function.code())) {}

  bool verify() {
    return context_.charge(code_.size() + sizeOf(function_.arguments()) + sizeOf(function_.results()) +
                           sizeOf(function_.symbols()) + sizeOf(function_.code_locations())) &&
           verifyRegisters() && verifySymbols() && ValuesVerifier(context_, function_).verify() && findInstructions() &&
           verifyCode() && verifyLocations();
  }

private:
  std::string what() const { return whatIs(function_); }
  bool fail(const std::string &message) { return context_.fail(what() + ": " + message); }
  bool failAt(size_t at, const std::string &message) {
    std::string name = opcodeOf(code_[at]) < kOpcodes ? kInstructions[opcodeOf(code_[at])].mnemonic : "?";
    return fail("instruction at word " + number(at) + " (" + name + "): " + message);
  }

  // A register that no instruction names has no use, so their number is bounded by the code: no huge allocations.
  bool verifyRegisters() {
    uint64_t limit = 1024 + code_.size();
    struct Named {
      const char *name;
      uint64_t count, least;
    };
    for (const Named &file : {Named{"scalar", function_.scalars(), sizeOf(function_.symbols())},
                              Named{"buffer", function_.buffers(), sizeOf(function_.arguments())},
                              Named{"stream", function_.streams(), 1}, Named{"event", function_.events(), 0}})
      if (file.count < file.least || file.count > limit)
        return fail("the number of " + std::string(file.name) + " registers must be between " + number(file.least) +
                    " and " + number(limit) + ", got " + number(file.count));
    return true;
  }

  bool verifySymbols() {
    for (uint64_t i = 0; i < sizeOf(function_.symbols()); ++i)
      if (const fb::Symbol *s = function_.symbols()->Get(i); s->min() < 0 || s->max() < s->min())
        return fail("dimension " + quoted(text(s->name())) + " must have bounds 0 <= min <= max, got " +
                    std::to_string(s->min()) + " to " + std::to_string(s->max()));
    return true;
  }

  // Marks where instructions start, so that labels and locations can be checked.
  bool findInstructions() {
    if (code_.empty())
      return fail("it has no code");
    starts_.resize(code_.size());
    for (size_t at = 0; at < code_.size(); at += instructionWords(code_[at])) {
      starts_[at] = true;
      last_ = at;
      if (opcodeOf(code_[at]) >= kOpcodes)
        return failAt(at, "unknown opcode " + number(opcodeOf(code_[at])));
      if (instructionWords(code_[at]) == 0 || instructionWords(code_[at]) > code_.size() - at)
        return failAt(at, "it has " + number(instructionWords(code_[at])) + " words, " + number(code_.size() - at) +
                              " are left");
    }
    Opcode last = static_cast<Opcode>(opcodeOf(code_[last_]));
    if (last != Opcode::Branch && last != Opcode::Return && last != Opcode::Fail)
      return failAt(last_, "the last instruction must be br, return or fail");
    return true;
  }

  bool verifyCode() {
    for (size_t at = 0; at < code_.size(); at += instructionWords(code_[at])) {
      operands_.clear();
      ReadResult result = readOperands(code_.subspan(at), [&](const Operand &operand) {
        operands_.push_back(operand);
        return verifyOperand(at, operand);
      });
      if (result == ReadResult::Stopped)
        return false;
      if (result != ReadResult::Ok)
        return failAt(at, result == ReadResult::TooShort ? "it has too few words for its operands"
                                                         : "it has more words than its operands");
      if (!verifyInstruction(at))
        return false;
    }
    return true;
  }

  bool inRange(size_t at, const char *name, uint64_t index, uint64_t count) {
    if (index < count)
      return true;
    return failAt(at, std::string(name) + " " + number(index) + " of " + number(count));
  }

  bool verifyOperand(size_t at, const Operand &operand) {
    const fb::Module &module = context_.module;
    switch (operand.kind) {
    case 'd':
    case 's': return verifyRegister(at, operand, "scalar register", function_.scalars());
    case 'c':
    case 'b': return verifyRegister(at, operand, "buffer register", function_.buffers());
    case 't':
    case 'u': return verifyRegister(at, operand, "stream register", function_.streams());
    case 'f':
    case 'e': return verifyRegister(at, operand, "event register", function_.events());
    case 'l':
      return operand.value < code_.size() && starts_[operand.value]
                 ? true
                 : failAt(at, "label " + number(operand.value) + " is not the start of an instruction");
    case 'm': return inRange(at, "message", operand.value, sizeOf(module.messages()));
    case 'x': return inRange(at, "device", operand.value, sizeOf(module.devices()));
    case 'p': return inRange(at, "parameter", operand.value, sizeOf(module.parameters()));
    case 'q': return inRange(at, "plan", operand.value, sizeOf(module.plans()));
    case 'r': return inRange(at, "result", operand.value, sizeOf(function_.results()));
    case 'n': return inRange(at, "bound value", operand.value, sizeOf(module.bounds()));
    case 'y': return inRange(at, "layout", operand.value, sizeOf(module.layouts()));
    case 'g': return inRange(at, "mesh", operand.value, sizeOf(module.meshes()));
    case 'j': return inRange(at, "collective", operand.value, sizeOf(module.collectives()));
    case 'o':
      return inRange(at, "executable", operand.value, sizeOf(module.executables())) &&
             inRange(at, "export", operand.exported, sizeOf(module.executables()->Get(operand.value)->exports()));
    default: return true;
    }
  }

  bool verifyRegister(size_t at, const Operand &operand, const char *name, uint64_t count) {
    if (!operand.list)
      return inRange(at, name, operand.value, count);
    for (uint32_t value : operand.values)
      if (!inRange(at, name, value, count))
        return false;
    return true;
  }

  bool expectCount(size_t at, const char *name, uint64_t got, uint64_t expected) {
    if (got == expected)
      return true;
    return failAt(at, "it must have " + number(expected) + " " + name + ", got " + number(got));
  }

  bool verifyCall(size_t at) {
    const Operand &callee = operands_[1];
    const fb::Export *entry = context_.module.executables()->Get(callee.value)->exports()->Get(callee.exported);
    return expectCount(at, "bindings", operands_[4].values.size(), entry->bindings()) &&
           expectCount(at, "constants", operands_[5].values.size(), entry->constants());
  }

  bool expectBind(size_t at, bool bind) {
    if (function_.bind() == bind)
      return true;
    return failAt(at, bind ? "it is for bind functions only" : "a bind function has no bound values");
  }

  bool verifyBound(size_t at, uint32_t index, bool buffer, bool bind) {
    if (!expectBind(at, bind))
      return false;
    if (context_.module.bounds()->Get(index)->buffer() == buffer)
      return true;
    return failAt(at, "bound value " + number(index) + " is a " + (buffer ? "scalar" : "buffer"));
  }

  // What the module keeps is memory of its global's device.
  bool verifyResult(size_t at) {
    const fb::Value &result = *function_.results()->Get(operands_[1].value);
    if (result.state() < 0 || operands_[2].value == result.device())
      return true;
    return failAt(at, "result " + number(operands_[1].value) + " is kept on device " + number(result.device()) +
                          ", got device " + number(operands_[2].value));
  }

  bool verifyPack(size_t at) {
    const fb::Parameter &parameter = *context_.module.parameters()->Get(operands_[1].value);
    std::string why = explainPacking(context_, parameter, *context_.module.layouts()->Get(operands_[3].value));
    return expectBind(at, true) && (why.empty() || failAt(at, why));
  }

  // Who has which piece of a cut is said along axes.
  bool verifyCollective(size_t at) {
    if (function_.bind())
      return failAt(at, "a bind function has no collectives");
    const fb::Collective &collective = *context_.module.collectives()->Get(operands_[1].value);
    const CollectiveKind kind = static_cast<CollectiveKind>(collective.kind());
    if (static_cast<Opcode>(opcodeOf(code_[at])) == Opcode::Collective)
      return kind != CollectiveKind::Exchange ||
             failAt(at, "collective " + number(operands_[1].value) + " is an exchange, which says how it is cut");
    size_t cuts = cutsOf(kind);
    if (cuts == 0 || sizeOf(collective.groups()))
      return failAt(at, "collective " + number(operands_[1].value) + " has no pieces along axes, which could be cut");
    return expectCount(at, "numbers of cuts", operands_[5].values.size(), 4 * cuts);
  }

  // Rules between the operands of one instruction.
  bool verifyInstruction(size_t at) {
    switch (static_cast<Opcode>(opcodeOf(code_[at]))) {
    case Opcode::DispatchVariant: {
      uint64_t variants = sizeOf(context_.module.executables()->Get(operands_[1].value)->variants());
      return expectCount(at, "workgroups", operands_[2].values.size(), variants) &&
             expectCount(at, "scratch sizes", operands_[3].values.size(), variants) && verifyCall(at);
    }
    case Opcode::Dispatch: return verifyCall(at);
    case Opcode::Plan: {
      uint64_t intervals = sizeOf(context_.module.plans()->Get(operands_[1].value)->intervals());
      return expectCount(at, "sizes", operands_[2].values.size(), intervals) &&
             expectCount(at, "offsets", operands_[3].values.size(), intervals);
    }
    case Opcode::Result: return verifyResult(at);
    case Opcode::SetResult:
      return expectCount(at, "sizes", operands_[2].values.size(),
                         sizeOf(function_.results()->Get(operands_[0].value)->dims()));
    case Opcode::Fill: {
      uint32_t bytes = operands_[5].value;
      return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8
                 ? true
                 : failAt(at, "a pattern has 1, 2, 4 or 8 bytes, got " + number(bytes));
    }
    case Opcode::Read: {
      uint32_t type = operands_[4].value;
      return type >= static_cast<uint32_t>(ElementType::I1) && type <= static_cast<uint32_t>(ElementType::U64)
                 ? true
                 : failAt(at, "only an integer can be read, got element type " + number(type));
    }
    case Opcode::Stream: return inRange(at, "stream", operands_[2].value, kMaxStreams);
    case Opcode::Query: return inRange(at, "question", operands_[2].value, 3);
    case Opcode::BindScalar: return verifyBound(at, operands_[0].value, false, true);
    case Opcode::BindBuffer: return verifyBound(at, operands_[0].value, true, true);
    case Opcode::BoundScalar: return verifyBound(at, operands_[1].value, false, false);
    case Opcode::BoundBuffer: return verifyBound(at, operands_[1].value, true, false);
    case Opcode::PackParameter: return verifyPack(at);
    case Opcode::ParameterSlice: return expectBind(at, true);
    case Opcode::Coordinate:
    case Opcode::MeshSize:
      return inRange(at, "axis", operands_[2].value, sizeOf(context_.module.meshes()->Get(operands_[1].value)->axes()));
    case Opcode::Collective:
    case Opcode::CollectiveCut: return verifyCollective(at);
    default: return true;
    }
  }

  bool verifyLocations() {
    const auto *pairs = function_.code_locations();
    if (sizeOf(pairs) % 2)
      return fail("code locations come in pairs, got " + number(sizeOf(pairs)) + " numbers");
    for (uint64_t i = 0; i < sizeOf(pairs); i += 2) {
      if (pairs->Get(i) >= code_.size() || !starts_[pairs->Get(i)] || (i && pairs->Get(i) <= pairs->Get(i - 2)))
        return fail("code location " + number(i / 2) + " is not at an instruction, or not after the one before");
      if (pairs->Get(i + 1) >= sizeOf(context_.module.locations()))
        return fail("code location " + number(i / 2) + ": location " + number(pairs->Get(i + 1)) + " of " +
                    number(sizeOf(context_.module.locations())));
    }
    return true;
  }

  VerifierContext &context_;
  const fb::Function &function_;
  std::span<const uint32_t> code_;
  std::vector<bool> starts_;
  std::vector<Operand> operands_;
  size_t last_ = 0;
};

} // namespace

bool verifyFunction(VerifierContext &context, const fb::Function &function) {
  return FunctionVerifier(context, function).verify();
}

} // namespace heddle::contract
