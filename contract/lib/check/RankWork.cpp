// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What instructions of memory and work do in a rank's run.
#include "../VerifierContext.h"
#include "RankRun.h"
#include "heddle/contract/Packing.h"
#include "heddle/contract/Plan.h"
#include "heddle/contract/Scalars.h"

#include <algorithm>

namespace heddle::contract::check {
namespace {

uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }

// A view of more of them is taken for all of its bytes.
constexpr int64_t kMostRuns = 1 << 16;

// Numbers that bytes may hold: in even cases small enough to be sizes and trip counts, in odd ones also such that end
// loops which go on up to a bound.
constexpr int64_t kTold[2][8] = {{0, 1, 2, 3, 5, 1, 0, 4}, {0, 1, -1, 100, int64_t(1) << 40, 2, -100, 1000}};

} // namespace

//===--- Memory --------------------------------------------------------------------------------------------------===//

bool RankRun::stepMemory(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  switch (instruction.opcode) {
  case Opcode::View: view(instruction); return true;
  case Opcode::SetResult: setResult(instruction); return true;
  case Opcode::MoveBuffer:
    if (const Buffer *from = buffer(o[1], instruction.at))
      frame_.buffers[o[0].value] = Buffer(*from);
    return true;
  case Opcode::Plan: {
    std::vector<Interval> lives;
    std::vector<int64_t> sizes, offsets(o[2].values.size());
    const auto &intervals = *program_.module.plans()->Get(o[1].value)->intervals();
    for (uint32_t i = 0; i < o[2].values.size(); ++i) {
      lives.push_back({intervals.Get(i)->first(), intervals.Get(i)->last()});
      sizes.push_back(frame_.scalars[o[2].values[i]]);
    }
    memory_.charge(sizes.size());
    int64_t total = plan(lives, sizes, offsets);
    if (total < 0)
      return outside("plans a buffer of a negative size, or too many bytes", instruction.at), true;
    for (uint32_t i = 0; i < offsets.size(); ++i)
      frame_.scalars[o[3].values[i]] = offsets[i];
    frame_.scalars[o[0].value] = total;
    return true;
  }
  default: return false;
  }
}

bool RankRun::stepStorage(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  bool isResult = instruction.opcode == Opcode::Result, isSlab = instruction.opcode == Opcode::Slab;
  if (!isResult && !isSlab && instruction.opcode != Opcode::Alloc)
    return false;
  int64_t bytes = scalar(o[isResult ? 3 : 2]);
  if (bytes < 0)
    return outside("makes a buffer of " + std::to_string(bytes) + " bytes", instruction.at), true;
  Root::Kind kind = isResult ? Root::Kind::Result : isSlab ? Root::Kind::Slab : Root::Kind::Alloc;
  // Asked for again it is the same memory.
  std::pair<int, uint32_t> key{isResult, o[1].value};
  if (kind != Root::Kind::Alloc)
    if (auto found = kept_.find(key); found != kept_.end()) {
      Buffer whole = memory_.whole(found->second);
      Root &root = memory_.root(whole);
      whole.span.end = bytes;
      root.bytes = std::max(root.bytes, bytes);
      return frame_.buffers[o[0].value] = whole, true;
    }
  uint32_t root = memory_.make({kind, bytes, instruction.at});
  if (kind != Root::Kind::Alloc)
    kept_[key] = root;
  frame_.buffers[o[0].value] = memory_.whole(root);
  return true;
}

// Parameters, and what bind functions give to entry points.
bool RankRun::stepBinding(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  auto constant = [&](uint32_t index, uint64_t tag, int64_t bytes, int64_t from) {
    Root root{Root::Kind::Constant, bytes, instruction.at};
    root.writable = false;
    Buffer whole = memory_.whole(memory_.make(std::move(root)));
    memory_.root(whole).content.write(whole.span, tag, from, {}, instruction.at);
    frame_.buffers[index] = whole;
    return true;
  };
  auto parameter = [&]() -> const fb::Parameter & { return *program_.module.parameters()->Get(o[1].value); };
  switch (instruction.opcode) {
  case Opcode::Parameter:
  case Opcode::ParameterOn:
    return constant(o[0].value, mix(3, o[1].value), static_cast<int64_t>(parameter().bytes()), 0);
  case Opcode::ParameterSlice:
    return constant(o[0].value, mix(3, o[1].value), std::max<int64_t>(scalar(o[4]), 0), scalar(o[3]));
  case Opcode::PackParameter: {
    const fb::Parameter &packed = parameter();
    Tiling tiling = tilingOf(*program_.module.layouts()->Get(o[3].value));
    int64_t bytes = byteSize(static_cast<ElementType>(packed.type()));
    std::vector<int64_t> shape;
    if (packed.shape())
      shape.assign(packed.shape()->begin(), packed.shape()->end());
    for (int64_t size : physicalShape(tiling, shape))
      bytes = multiplySizes(bytes, size);
    return constant(o[0].value, mix(mix(4, o[1].value), o[3].value), bytes, 0);
  }
  case Opcode::BindScalar: boundScalars_[o[0].value] = scalar(o[1]); return true;
  case Opcode::BindBuffer:
    if (const Buffer *value = buffer(o[1], instruction.at))
      boundBuffers_[o[0].value] = *value;
    return true;
  case Opcode::BoundScalar:
    if (!boundScalars_.contains(o[1].value))
      return breaks({"asks for a value that no bind function gives"}, instruction.at), true;
    frame_.scalars[o[0].value] = boundScalars_[o[1].value];
    return true;
  case Opcode::BoundBuffer:
    if (!boundBuffers_.contains(o[1].value))
      return breaks({"asks for a buffer that no bind function gives"}, instruction.at), true;
    frame_.buffers[o[0].value] = boundBuffers_[o[1].value];
    return true;
  default: return false;
  }
}

void RankRun::view(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  const Buffer *from = buffer(o[1], instruction.at);
  if (!from)
    return;
  int64_t offset = scalar(o[2]), bytes = scalar(o[3]);
  if (bytes == 0)
    offset = std::min(offset, from->bytes());
  if (offset < 0 || bytes < 0 || bytes > from->bytes() - offset)
    return outside("views " + std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of a buffer of " +
                       std::to_string(from->bytes()),
                   instruction.at);
  Buffer to{from->root, {from->span.begin + offset, from->span.begin + offset + bytes}, from->place};
  const Root &root = memory_.root(to);
  if (root.kind == Root::Kind::Slab && from->place.begin < 0)
    to.place = {to.span.begin, to.span.end};
  if (auto found = code_->runs.find(instruction.at); found != code_->runs.end() && bytes > 0) {
    int64_t run = frame_.scalars[found->second.first], stride = frame_.scalars[found->second.second];
    if (run < 0 || (run > 0 && bytes != run && (stride < run || bytes < run || (bytes - run) % stride)))
      return breaks({"views runs that are not its bytes, says the certificate"}, instruction.at), void();
    if (run == 0) // however many runs, they have no bytes
      to.span.end = to.span.begin;
    else if (bytes > run && stride > run && bytes / stride < kMostRuns)
      to.span.run = run, to.span.stride = stride;
  }
  frame_.buffers[o[0].value] = to;
}

// Results are compared by what they are computed from, in the order of their indices.
void RankRun::setResult(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  const Buffer *from = buffer(o[1], instruction.at);
  if (!from)
    return;
  int64_t bytes = byteSize(static_cast<ElementType>(code_->function->results()->Get(o[0].value)->type()));
  uint64_t hash = mix(5, o[0].value);
  for (uint32_t size : o[2].values) {
    bytes = multiplySizes(bytes, frame_.scalars[size]);
    hash = mix(hash, u(frame_.scalars[size]));
  }
  if (bytes < 0 || bytes > from->bytes())
    return outside("returns a result of " + std::to_string(bytes) + " bytes in a buffer of " +
                       std::to_string(from->bytes()),
                   instruction.at);
  Buffer returned = *from;
  returned.span = {from->span.begin, from->span.begin + bytes};
  std::vector<Fragment> held;
  if (memory_.root(returned).freed)
    return breaks({"returns a buffer that was freed"}, instruction.at), void();
  memory_.root(returned).returned = true;
  if (!fails(memory_.read(returned, held), instruction.at))
    dataflow_ += mix(hash, digestOf(held)); // in whatever order they are set
}

//===--- Work ----------------------------------------------------------------------------------------------------===//

void RankRun::stepWork(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  switch (instruction.opcode) {
  case Opcode::Dispatch:
  case Opcode::DispatchVariant: return dispatch(instruction);
  case Opcode::Copy: return copy(instruction);
  case Opcode::Fill: return fill(instruction);
  case Opcode::Read: return read(instruction);
  case Opcode::Collective:
  case Opcode::CollectiveCut: return meet(instruction);
  case Opcode::Free: {
    std::optional<uint32_t> on = stream(o[0], instruction.at);
    const Buffer *freed = on ? buffer(o[1], instruction.at) : nullptr;
    if (freed)
      fails(memory_.free(*freed, *on, instruction.at), instruction.at);
    return;
  }
  default: breaks({"is an instruction that the check does not know"}, instruction.at);
  }
}

// Whether the op writes bytes that it also touches through another binding, and has no promise that this is right.
bool RankRun::overlaps(const Instruction &instruction, const fb::Export &entry, const std::vector<Buffer> &bindings) {
  const Operand &callee = instruction.operands[1];
  for (uint32_t i = 0; i < bindings.size(); ++i)
    for (uint32_t j = 0; j < bindings.size(); ++j) {
      memory_.charge(runsOf(bindings[i].span));
      if (i == j || !entry.writes()->Get(i) || bindings[i].root != bindings[j].root ||
          !check::meet(bindings[i].span, bindings[j].span))
        continue;
      bool isSame = bindings[i].span == bindings[j].span && !entry.writes()->Get(j);
      if (isSame && (!program_.isPromised || program_.inPlace.contains({callee.value, callee.exported, i, j})))
        continue;
      breaks({"writes by binding " + std::to_string(i) + " bytes of binding " + std::to_string(j) +
              (isSame ? ", which its kernels do not promise to have read by then" : "")},
             instruction.at);
      return true;
    }
  return false;
}

void RankRun::dispatch(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  uint32_t at = instruction.at;
  std::optional<uint32_t> on = stream(o[0], at);
  if (!on)
    return;
  const fb::Export &entry = *program_.module.executables()->Get(o[1].value)->exports()->Get(o[1].exported);
  std::vector<Buffer> bindings;
  for (uint32_t index : o[4].values) {
    const Buffer *bound = bufferAt(index, at);
    if (!bound)
      return;
    bindings.push_back(*bound);
  }
  if (overlaps(instruction, entry, bindings))
    return;
  uint64_t tag = mix(mix(6, o[1].value), o[1].exported);
  for (uint32_t constant : o[5].values)
    tag = mix(tag, u(frame_.scalars[constant]));
  for (uint32_t i = 0; i < bindings.size(); ++i) {
    bool reads = entry.reads()->Get(i), writes = entry.writes()->Get(i);
    std::vector<Fragment> held;
    if (fails(memory_.touch(bindings[i], *on, writes, at), at) ||
        (reads && fails(memory_.read(bindings[i], held, /*holes=*/true), at)))
      return;
    tag = mix(tag, reads ? digestOf(held) : u(bindings[i].bytes()));
  }
  for (uint32_t i = 0; i < bindings.size(); ++i)
    if (entry.writes()->Get(i))
      memory_.write(bindings[i], mix(tag, i), at);
}

void RankRun::copy(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  uint32_t at = instruction.at;
  std::optional<uint32_t> on = stream(o[0], at);
  int64_t bytes = scalar(o[5]);
  std::optional<Buffer> to = on ? range(o[1], scalar(o[2]), bytes, at) : std::nullopt;
  std::optional<Buffer> from = to ? range(o[3], scalar(o[4]), bytes, at) : std::nullopt;
  if (!from)
    return;
  if (to->root == from->root && check::meet(to->span, from->span))
    return breaks({"copies bytes over those that it copies"}, at), void();
  std::vector<Fragment> held;
  if (!fails(memory_.touch(*from, *on, false, at), at) && !fails(memory_.read(*from, held), at) &&
      !fails(memory_.touch(*to, *on, true, at), at))
    memory_.write(*to, held, at);
}

void RankRun::fill(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  uint32_t at = instruction.at;
  std::optional<uint32_t> on = stream(o[0], at);
  std::optional<Buffer> to = on ? range(o[1], scalar(o[2]), scalar(o[3]), at) : std::nullopt;
  if (to && !fails(memory_.touch(*to, *on, true, at), at))
    memory_.write(*to, scalar(o[4]) == 0 ? kZeros : mix(mix(7, u(scalar(o[4]))), o[5].value), at);
}

// The host waits for the stream, then goes on as the bytes say.
void RankRun::read(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  uint32_t at = instruction.at;
  auto type = static_cast<ElementType>(o[4].value);
  std::optional<uint32_t> on = stream(o[1], at);
  std::optional<Buffer> from = on ? range(o[2], scalar(o[3]), byteSize(type), at) : std::nullopt;
  std::vector<Fragment> held;
  if (!from || fails(memory_.touch(*from, *on, false, at), at) || fails(memory_.read(*from, held), at))
    return;
  memory_.streams.awaitStream(*on);
  toldByData_ = true;
  bool isZeros = std::all_of(held.begin(), held.end(), [](const Fragment &f) { return f.tag == kZeros; });
  uint64_t drawn = mix(mix(case_.seed, digestOf(held)), 8);
  frame_.scalars[o[0].value] = isZeros ? 0 : type == ElementType::I1 ? drawn & 1 : kTold[case_.seed % 2][drawn % 8];
}

void RankRun::meet(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  uint32_t at = instruction.at;
  std::optional<uint32_t> on = stream(o[0], at);
  const Buffer *source = on ? buffer(o[2], at) : nullptr, *target = source ? buffer(o[3], at) : nullptr;
  if (!target)
    return;
  if (*on != memory_.streams.named(-1, 0))
    return breaks({"is a collective on a stream that is not that of collectives"}, at), void();
  meeting_ = {o[1].value, scalar(o[4]), {}, *on, *source, *target, at};
  for (size_t i = 0; o.size() > 5 && i + 3 < o[5].values.size(); i += 4) {
    auto number = [&](size_t j) { return frame_.scalars[o[5].values[i + j]]; };
    meeting_.cuts.push_back({number(0), number(1), number(2), number(3)});
  }
  state_ = State::Meets;
}

} // namespace heddle::contract::check
