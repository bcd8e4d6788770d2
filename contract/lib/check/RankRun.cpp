// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RankRun.h"

#include "../VerifierContext.h"
#include "heddle/contract/CollectiveView.h"
#include "heddle/contract/OverlapTime.h"
#include "heddle/contract/Scalars.h"

#include <algorithm>

namespace heddle::contract::check {
namespace {

uint64_t u(int64_t value) { return static_cast<uint64_t>(value); }

} // namespace

RankRun::RankRun(const Program &program, const Code &code, const Case &what, int64_t rank, uint64_t &worldWork)
    : program_(program), entry_(code), case_(what), rank_(rank), worldWork_(worldWork) {
  for (uint32_t i = 0; i < sizeOf(program.module.bounds()); ++i)
    if (const fb::Bound &bound = *program.module.bounds()->Get(i); bound.overlap() >= 0)
      boundScalars_[i] = piecesOf(bound);
  for (const Code &function : program.functions)
    if (function.function->bind() && state_ == State::Runs) {
      begin(function);
      run();
      state_ = state_ == State::Done ? State::Runs : state_;
    }
  if (state_ == State::Runs)
    enter();
}

void RankRun::begin(const Code &code) {
  code_ = &code;
  next_ = 0;
  const fb::Function &function = *code.function;
  frame_ = {std::vector<int64_t>(function.scalars()), std::vector<Buffer>(function.buffers()),
            std::vector<int64_t>(function.streams(), -1)};
  if (!frame_.streams.empty())
    frame_.streams[0] = Streams::kCall;
}

// What the loader gives: one of the numbers of pieces; of a free extent each number, of one position a piece.
int64_t RankRun::piecesOf(const fb::Bound &bound) const {
  const auto *counts = program_.module.overlaps()->Get(static_cast<uint32_t>(bound.overlap()))->counts();
  if (sizeOf(counts))
    return counts->Get(case_.pieces % counts->size());
  return bound.positions() ? 1 : kCountsOfFree[case_.pieces % std::size(kCountsOfFree)];
}

// Arguments and sizes of the entry point.
void RankRun::enter() {
  begin(entry_);
  memory_.beginCall();
  const fb::Function &function = *entry_.function;
  for (uint32_t i = 0; i < sizeOf(function.symbols()); ++i) {
    const fb::Symbol &symbol = *function.symbols()->Get(i);
    auto found = case_.sizes.find(std::string(text(symbol.name())));
    frame_.scalars[i] = symbol.drawn() ? drawnNumber(case_.seed, 0) : found == case_.sizes.end() ? 1 : found->second;
  }
  for (uint32_t i = 0; i < sizeOf(function.arguments()); ++i) {
    const fb::Value &value = *function.arguments()->Get(i);
    for (uint32_t d = 0; d < sizeOf(value.dims()); ++d)
      if (int64_t own = ownSize(value, d); own >= 0 && value.dims()->Get(d)->symbol() >= 0)
        frame_.scalars[u(value.dims()->Get(d)->symbol())] = own;
  }
  for (uint32_t i = 0; i < sizeOf(function.arguments()); ++i) {
    const fb::Value &value = *function.arguments()->Get(i);
    int64_t bytes = byteSize(static_cast<ElementType>(value.type()));
    for (uint32_t d = 0; d < sizeOf(value.dims()); ++d) {
      const fb::Dim &dim = *value.dims()->Get(d);
      bytes = multiplySizes(bytes, dim.symbol() >= 0 ? frame_.scalars[u(dim.symbol())] : dim.size());
    }
    if (bytes < 0)
      return refuse("arguments of these sizes have more bytes than 64 bits count");
    Root root{Root::Kind::Argument, bytes};
    root.writable = value.writable();
    frame_.buffers[i] = memory_.whole(memory_.make(std::move(root)));
    memory_.write(frame_.buffers[i], tagOfArgument(value, i), kCaller);
  }
}

// The size of this rank's part of a dimension whose whole is known; else -1.
int64_t RankRun::ownSize(const fb::Value &value, uint32_t dim) const {
  if (dim >= sizeOf(value.wholes()) || value.wholes()->Get(dim) < 0)
    return -1;
  int64_t granule = dim < sizeOf(value.granules()) ? value.granules()->Get(dim) : 1;
  bool isKnown = dim < sizeOf(value.shards()) && value.mesh() >= 0 && u(value.mesh()) < case_.meshes.size();
  if (!isKnown || granule < 1)
    return -1;
  int64_t parts = 1, place = 0;
  const auto *axes = value.shards()->Get(dim)->ranks();
  const std::vector<int64_t> &sizes = case_.meshes[u(value.mesh())];
  for (uint32_t i = 0; i < sizeOf(axes); ++i) {
    if (u(axes->Get(i)) >= sizes.size())
      return -1;
    auto mesh = static_cast<uint32_t>(value.mesh()), axis = static_cast<uint32_t>(axes->Get(i));
    parts = multiplySizes(parts, sizes[axis]);
    place = place * sizes[axis] + coordinate(mesh, axis);
    if (parts < 1 || parts > kMaxRanks)
      return -1;
  }
  return Cut{value.wholes()->Get(dim) / granule, granule, place, parts}.size(0);
}

// Equal on ranks that have the same part; without a sharding each has its own.
uint64_t RankRun::tagOfArgument(const fb::Value &value, uint32_t index) const {
  uint64_t tag = mix(2, index);
  if (value.mesh() < 0)
    return sizeOf(program_.module.meshes()) ? mix(tag, u(rank_)) : tag;
  auto mesh = static_cast<uint32_t>(value.mesh());
  if (!isMember(mesh))
    return mix(mix(tag, 1), u(rank_));
  for (uint32_t d = 0; d < sizeOf(value.shards()); ++d)
    for (uint32_t i = 0; i < sizeOf(value.shards()->Get(d)->ranks()); ++i)
      tag = mix(tag, u(coordinate(mesh, static_cast<uint32_t>(value.shards()->Get(d)->ranks()->Get(i)))));
  for (uint32_t i = 0; i < sizeOf(value.partial()); ++i)
    tag = mix(tag, u(coordinate(mesh, value.partial()->Get(i))));
  return tag;
}

bool RankRun::isMember(uint32_t mesh) const {
  int64_t first = program_.module.meshes()->Get(mesh)->first();
  return rank_ >= first && rank_ - first < ranksOf(case_.meshes[mesh]).value_or(0);
}

int64_t RankRun::coordinate(uint32_t mesh, uint32_t axis) const {
  if (!isMember(mesh))
    return 0;
  return coordinatesOf(case_.meshes[mesh], rank_ - program_.module.meshes()->Get(mesh)->first())[axis];
}

//===--- Ends ----------------------------------------------------------------------------------------------------===//

RankRun::State RankRun::breaks(const Wrong &wrong, uint32_t at) {
  std::string text = wrong.text;
  if (size_t mark = text.find('$'); mark != std::string::npos)
    text.replace(mark, 1, program_.describe(*code_, wrong.other));
  why_ = program_.describe(*code_, at) + " " + text;
  return state_ = State::Broken;
}

void RankRun::refuse(const std::string &text) {
  why_ = text;
  state_ = State::Refused;
}

void RankRun::outside(const std::string &text, uint32_t at) {
  if (toldByData_)
    return refuse(program_.describe(*code_, at) + " " + text);
  breaks({text}, at);
}

bool RankRun::fails(const Fault &fault, uint32_t at) {
  if (fault)
    breaks(*fault, at);
  return fault.has_value();
}

std::optional<uint32_t> RankRun::stream(const Operand &operand, uint32_t at) {
  if (int64_t stream = frame_.streams[operand.value]; stream >= 0)
    return static_cast<uint32_t>(stream);
  breaks({"uses a stream register that nothing has set"}, at);
  return std::nullopt;
}

const Buffer *RankRun::bufferAt(uint32_t index, uint32_t at) {
  if (frame_.buffers[index].isSet())
    return &frame_.buffers[index];
  breaks({"uses a buffer register that nothing has set"}, at);
  return nullptr;
}

std::optional<Buffer> RankRun::range(const Operand &operand, int64_t offset, int64_t bytes, uint32_t at) {
  const Buffer *from = buffer(operand, at);
  if (!from)
    return std::nullopt;
  if (offset < 0 || bytes < 0 || bytes > from->bytes() - offset) {
    outside("touches " + std::to_string(bytes) + " bytes at " + std::to_string(offset) + " of a buffer of " +
                std::to_string(from->bytes()),
            at);
    return std::nullopt;
  }
  int64_t begin = from->span.begin + offset;
  return Buffer{from->root, {begin, begin + bytes}, from->place};
}

//===--- The walk ------------------------------------------------------------------------------------------------===//

RankRun::State RankRun::run() {
  while (state_ == State::Runs) {
    if (++steps_ > case_.mostSteps) {
      why_ = "runs more than " + std::to_string(case_.mostSteps) + " instructions";
      state_ = State::Endless;
      break;
    }
    next_ = step(code_->instructions[next_], next_ + 1);
    if (isTooMuch() && (state_ == State::Runs || state_ == State::Meets)) {
      why_ = "does more than the check of a case may take";
      state_ = State::Endless;
    }
  }
  return state_;
}

bool RankRun::isTooMuch() {
  uint64_t work = steps_ + memory_.work();
  worldWork_ += work - counted_;
  counted_ = work;
  return worldWork_ > kMostWorldWork;
}

size_t RankRun::step(const Instruction &instruction, size_t next) {
  const std::vector<Operand> &o = instruction.operands;
  auto target = [&](const Operand &label) { return code_->indexOf.at(label.value); };
  switch (instruction.opcode) {
  case Opcode::Branch: return target(o[0]);
  case Opcode::BranchIf: return target(o[scalar(o[0]) ? 1 : 2]);
  case Opcode::Check:
    if (!scalar(o[0]))
      refuse(std::string(text(program_.module.messages()->Get(o[1].value))));
    return next;
  case Opcode::Fail: return refuse(std::string(text(program_.module.messages()->Get(o[0].value)))), next;
  case Opcode::Return:
    state_ = State::Done;
    if (code_ == &entry_)
      fails(memory_.end(), instruction.at);
    return next;
  default: break;
  }
  if (!stepScalar(instruction) && !stepQuestion(instruction) && !stepMemory(instruction) && !stepStorage(instruction) &&
      !stepBinding(instruction) && !stepOrder(instruction))
    stepWork(instruction);
  return next;
}

bool RankRun::stepScalar(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  if (!isScalar(instruction.opcode))
    return false;
  int64_t &to = frame_.scalars[o[0].value];
  if (instruction.opcode == Opcode::Const)
    to = o[1].constant;
  else if (instruction.opcode == Opcode::Move)
    to = scalar(o[1]);
  else if (instruction.opcode == Opcode::Select)
    to = scalar(scalar(o[1]) ? o[2] : o[3]);
  else if (!isDivision(instruction.opcode))
    to = computeScalar(instruction.opcode, scalar(o[1]), scalar(o[2]));
  else if (std::optional<int64_t> quotient = divide(instruction.opcode, scalar(o[1]), scalar(o[2])))
    to = *quotient;
  else
    refuse("the program divides by zero while it computes a size");
  return true;
}

// The device that a fallback stands for.
uint32_t RankRun::sameAs(uint32_t device) const {
  for (uint32_t hops = 0; hops < case_.alternatives.size(); ++hops) {
    const auto *alternatives = program_.module.devices()->Get(device)->alternatives();
    if (case_.alternatives[device] >= sizeOf(alternatives))
      return device;
    std::string_view fallback = text(alternatives->Get(case_.alternatives[device])->fallback());
    uint32_t other = 0;
    while (other < case_.alternatives.size() && text(program_.module.devices()->Get(other)->name()) != fallback)
      ++other;
    if (fallback.empty() || other == case_.alternatives.size())
      return device;
    device = other;
  }
  return device;
}

bool RankRun::stepQuestion(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  auto set = [&](int64_t value) { return frame_.scalars[o[0].value] = value, true; };
  switch (instruction.opcode) {
  case Opcode::Alternative: return set(case_.alternatives[sameAs(o[1].value)]);
  case Opcode::Query: return set(o[2].value == 1 ? case_.queues : case_.cores);
  case Opcode::SameDevice: return set(sameAs(o[1].value) == sameAs(o[2].value));
  case Opcode::Coordinate: return set(coordinate(o[1].value, o[2].value));
  case Opcode::MeshSize: return set(case_.meshes[o[1].value][o[2].value]);
  case Opcode::Member: return set(isMember(o[1].value));
  default: return false;
  }
}

bool RankRun::stepOrder(const Instruction &instruction) {
  const std::vector<Operand> &o = instruction.operands;
  uint32_t at = instruction.at;
  Streams &streams = memory_.streams;
  memory_.charge(streams.size()); // clocks have an entry for each
  auto unknown = [&] { breaks({"needs an event that nothing was recorded to"}, at); };
  switch (instruction.opcode) {
  case Opcode::Stream: frame_.streams[o[0].value] = streams.named(o[1].value, o[2].value); return true;
  case Opcode::StreamAt:
    if (scalar(o[2]) < 0)
      outside("names stream " + std::to_string(scalar(o[2])), at);
    else
      frame_.streams[o[0].value] = streams.named(o[1].value, scalar(o[2]));
    return true;
  case Opcode::CommStream: frame_.streams[o[0].value] = streams.named(-1, 0); return true;
  case Opcode::MoveStream:
    if (std::optional<uint32_t> from = stream(o[1], at))
      frame_.streams[o[0].value] = *from;
    return true;
  case Opcode::Record:
    if (std::optional<uint32_t> on = stream(o[1], at))
      streams.record(o[0].value, *on);
    return true;
  case Opcode::Wait:
    if (std::optional<uint32_t> on = stream(o[0], at); on && !streams.wait(*on, o[1].value))
      unknown();
    return true;
  case Opcode::Await:
    if (!streams.await(o[0].value))
      unknown();
    return true;
  case Opcode::MoveEvent:
    if (!streams.moveEvent(o[0].value, o[1].value))
      unknown();
    return true;
  case Opcode::Follow: {
    std::optional<uint32_t> after = stream(o[0], at), before = stream(o[1], at);
    if (after && before)
      streams.follow(*after, *before);
    return true;
  }
  default: return false;
  }
}

} // namespace heddle::contract::check
