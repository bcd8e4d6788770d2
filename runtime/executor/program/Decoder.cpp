// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/program/Decoder.h"

#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Collectives.h"
#include "heddle/contract/ElementType.h"
#include "runtime/executor/program/MeshPlace.h"
#include "runtime/executor/program/Usage.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace heddle {
namespace {

using contract::Opcode;
using contract::Operand;

// What an instruction that stays is for: a decided BranchIf stays as a branch.
bool stays(const FoldedFunction::Line &line) {
  return line.reached && (!line.folded || line.opcode == Opcode::BranchIf);
}

class Decoder {
public:
  Decoder(const DecodeContext &context, const FoldedFunction &folded, Function &out)
      : context_(context), folded_(folded), source_(folded.source()), out_(out),
        held_(devicesOfStreams(folded, context.devices.size())) {}

  Status run() {
    out_.source = &source_;
    out_.extraStreams.assign(context_.devices.size(), 0);
    for (const std::optional<int64_t> &value : folded_.values())
      out_.scalars.push_back(value.value_or(0));
    std::vector<uint32_t> unitOf;
    for (const FoldedFunction::Line &line : folded_.lines()) {
      unitOf.push_back(static_cast<uint32_t>(out_.code.size()));
      out_.meets |= contract::isCollective(line.opcode);
      if (!stays(line))
        continue;
      operands_ = line.operands;
      opcode_ = line.opcode;
      checkStreams();
      size_t before = out_.code.size();
      if (std::optional<uint32_t> target = folded_.decided(line))
        branch(unitOf.size(), *target);
      else
        decodeOne();
      if (out_.code.size() != before)
        out_.words.emplace_back(unitOf.back(), line.word);
    }
    for (size_t position : labels_) {
      auto *words = reinterpret_cast<uint32_t *>(out_.code.data());
      words[position] = unitOf[folded_.lineAt(words[position])];
    }
    return std::move(status_);
  }

private:
  // A branch to what stands next anyway is left out. `next`: the line behind it.
  void branch(size_t next, uint32_t target) {
    size_t to = folded_.lineAt(target);
    std::span<const FoldedFunction::Line> lines = folded_.lines();
    while (next < to && !stays(lines[next]))
      ++next;
    if (next == to)
      return;
    labels_.push_back(out_.code.size() * 2 + 1);
    append(Opcode::Branch, sizeof(BranchOp), target);
  }

  // Appends an instruction of `bytes` bytes, zeroed but for its head. Valid until the next one.
  std::byte *append(Opcode opcode, size_t bytes, uint32_t first) {
    size_t units = (bytes + 7) / 8, start = out_.code.size();
    out_.code.resize(start + units);
    Head head{static_cast<uint16_t>(opcode), static_cast<uint16_t>(units), first};
    std::memcpy(&out_.code[start], &head, sizeof(head));
    return reinterpret_cast<std::byte *>(&out_.code[start]);
  }

  void constant(uint32_t to, int64_t value) {
    reinterpret_cast<ConstOp *>(append(Opcode::Const, sizeof(ConstOp), to))->value = value;
  }

  void buffer(uint32_t to, const PlacedBuffer &placed) {
    auto *op = reinterpret_cast<BufferOp *>(append(Opcode::Parameter, sizeof(BufferOp), to));
    op->address = placed.address;
    op->bytes = placed.bytes;
    op->buffer = placed.buffer;
    op->flags = placed.flags;
  }

  // An instruction of fixed operands: the first in the head, the others behind it.
  void plain() {
    size_t rest = operands_.empty() ? 0 : operands_.size() - 1;
    uint32_t first = operands_.empty() ? 0 : operands_[0].value;
    size_t start = out_.code.size() * 2;
    auto *words =
        reinterpret_cast<uint32_t *>(append(opcode_, sizeof(Head) + (rest + 1) / 2 * 8, first) + sizeof(Head));
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (i)
        words[i - 1] = operands_[i].value;
      if (operands_[i].kind == 'l')
        labels_.push_back(start + 1 + i);
    }
  }

  // Only collectives run on their stream; that others wait for it, or it for them, is no work.
  void checkStreams() {
    switch (opcode_) {
    case Opcode::Collective:
    case Opcode::CollectiveCut:
    case Opcode::Record:
    case Opcode::Wait:
    case Opcode::Follow:
    case Opcode::MoveStream:
    case Opcode::Free: return;
    default: break;
    }
    for (const Operand &operand : operands_)
      if (operand.kind == 't' && !held_[operand.value].empty() &&
          held_[operand.value].back() == context_.devices.size() && status_.ok())
        status_ = Status(StatusCode::Malformed, std::string("the stream of collectives takes nothing else, got ") +
                                                    contract::info(opcode_).mnemonic + "; compile the model again");
  }

  void decodeOne() {
    switch (opcode_) {
    case Opcode::Const: return constant(operands_[0].value, operands_[1].constant);
    case Opcode::Alternative:
      return constant(operands_[0].value, context_.devices[operands_[1].value].match.alternative);
    case Opcode::Query:
      return constant(operands_[0].value, answer(context_.devices[operands_[1].value].info, operands_[2].value));
    case Opcode::SameDevice:
      return constant(operands_[0].value,
                      context_.devices[operands_[1].value].isSame(context_.devices[operands_[2].value]));
    case Opcode::Coordinate:
      return constant(operands_[0].value, context_.meshes[operands_[1].value].coordinates[operands_[2].value]);
    case Opcode::MeshSize:
      return constant(operands_[0].value, context_.meshes[operands_[1].value].sizes[operands_[2].value]);
    case Opcode::Member: return constant(operands_[0].value, context_.meshes[operands_[1].value].isMember());
    case Opcode::Parameter:
      return buffer(operands_[0].value, context_.findParameter(operands_[1].value, source_.device()));
    case Opcode::ParameterOn:
      return buffer(operands_[0].value, context_.findParameter(operands_[1].value, operands_[2].value));
    case Opcode::BoundScalar:
    case Opcode::BoundBuffer: return decodeBound();
    case Opcode::CollectiveCut: return decodeCut();
    case Opcode::SetResult: return decodeSetResult();
    case Opcode::Plan: return decodePlan();
    case Opcode::Dispatch: return decodeDispatch(operands_[2].value, operands_[3].value);
    case Opcode::DispatchVariant: {
      uint32_t variant = variantOf(operands_[0].value, operands_[1].value);
      return decodeDispatch(operands_[2].values[variant], operands_[3].values[variant]);
    }
    case Opcode::Stream: {
      uint32_t &count = out_.extraStreams[operands_[1].value];
      count = std::max(count, operands_[2].value + 1);
      return plain();
    }
    case Opcode::StreamAt: {
      // The others are made when they are asked for; that the call has streams of the device is known from the start.
      uint32_t &count = out_.extraStreams[operands_[1].value];
      count = std::max(count, 1u);
      return plain();
    }
    default: return plain();
    }
  }

  void decodeBound() {
    const BoundValue &value = context_.bounds[operands_[1].value];
    if (!value.set && status_.ok())
      status_ = Status(StatusCode::Internal, "the program uses the value " + std::to_string(operands_[1].value) +
                                                 " of bind time, which its bind function does not give");
    if (opcode_ == Opcode::BoundScalar)
      return constant(operands_[0].value, value.scalar);
    buffer(operands_[0].value, value.buffer);
  }

  void decodeCut() {
    auto *op = reinterpret_cast<CollectiveCutOp *>(append(opcode_, sizeof(CollectiveCutOp), operands_[0].value));
    op->op.collective = operands_[1].value;
    op->op.source = operands_[2].value;
    op->op.target = operands_[3].value;
    op->op.count = operands_[4].value;
    std::span<const uint32_t> numbers = operands_[5].values;
    op->numbers = static_cast<uint32_t>(numbers.size());
    std::copy(numbers.begin(), numbers.end(), op->cut);
  }

  void decodeSetResult() {
    std::span<const uint32_t> sizes = operands_[2].values;
    auto *op =
        reinterpret_cast<SetResultOp *>(append(opcode_, sizeof(SetResultOp) + sizes.size_bytes(), operands_[0].value));
    op->buffer = operands_[1].value;
    op->rank = static_cast<uint32_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), const_cast<uint32_t *>(op->sizes()));
  }

  void decodePlan() {
    std::span<const uint32_t> sizes = operands_[2].values, offsets = operands_[3].values;
    auto *op = reinterpret_cast<PlanOp *>(append(opcode_, sizeof(PlanOp) + 2 * sizes.size_bytes(), operands_[0].value));
    op->memo = static_cast<uint32_t>(out_.plans.size());
    op->count = static_cast<uint32_t>(sizes.size());
    std::copy(sizes.begin(), sizes.end(), const_cast<uint32_t *>(op->sizes()));
    std::copy(offsets.begin(), offsets.end(), const_cast<uint32_t *>(op->offsets()));
    out_.plans.push_back(context_.module.plans()->Get(operands_[1].value));
  }

  // The device that a stream register belongs to; notes an error where it may be one of several.
  std::optional<uint32_t> deviceOf(uint32_t stream) {
    std::optional<uint32_t> found;
    for (uint32_t d : held_[stream]) {
      if (d == context_.devices.size()) // refused by checkStreams()
        continue;
      if (found && !context_.devices[d].isSame(context_.devices[*found]) && status_.ok())
        status_ = Status(StatusCode::Unsupported, "a stream must belong to one device where work is dispatched to it; "
                                                  "compile the model again");
      found = found.value_or(d);
    }
    return found;
  }

  uint32_t variantOf(uint32_t stream, uint32_t executable) {
    std::optional<uint32_t> device = deviceOf(stream);
    return device ? context_.devices[*device].variants[executable] : 0;
  }

  void decodeDispatch(uint32_t workgroups, uint32_t scratch) {
    const Operand &callee = operands_[1];
    std::span<const uint32_t> bindings = operands_[4].values, constants = operands_[5].values;
    const fb::Export &exported = *context_.module.executables()->Get(callee.value)->exports()->Get(callee.exported);
    auto *op = reinterpret_cast<DispatchOp *>(append(
        Opcode::Dispatch, sizeof(DispatchOp) + bindings.size_bytes() + constants.size_bytes(), operands_[0].value));
    std::optional<uint32_t> device = deviceOf(operands_[0].value);
    bool ownMemory = device && !context_.devices[*device].usesHostMemory();
    if (device)
      op->kernel = &context_.devices[*device].executables[callee.value]->kernels()[callee.exported];
    op->label = &context_.labels[context_.firstExport[callee.value] + callee.exported];
    op->device = ownMemory ? 1 + *device : 0;
    op->executable = callee.value;
    op->exported = callee.exported;
    op->workgroups = workgroups;
    op->scratch = scratch;
    op->bindings = static_cast<uint32_t>(bindings.size());
    op->constants = static_cast<uint32_t>(constants.size());
    auto *out = const_cast<uint32_t *>(op->bindingRegisters());
    for (size_t i = 0; i < bindings.size(); ++i)
      *out++ = bindings[i] | kDefined | (ownMemory ? 0 : kHostMemory) | (exported.writes()->Get(i) ? kWritable : 0);
    std::copy(constants.begin(), constants.end(), out);
    out_.maxBindings = std::max(out_.maxBindings, op->bindings);
    out_.maxConstants = std::max(out_.maxConstants, op->constants);
  }

  const DecodeContext &context_;
  const FoldedFunction &folded_;
  const fb::Function &source_;
  Function &out_;
  std::span<const Operand> operands_;
  std::vector<size_t> labels_; // positions in 32-bit words that hold word offsets until the end
  Opcode opcode_{};
  std::vector<std::vector<uint32_t>> held_; // by stream register: its devices
  Status status_;
};

const char *textOf(const flatbuffers::String *string) { return string ? string->c_str() : ""; }

heddle_dim dimInfo(const fb::Function &source, const fb::Dim &dim) {
  if (dim.symbol() < 0)
    return {dim.size(), "", dim.size(), dim.size()};
  const fb::Symbol &symbol = *source.symbols()->Get(dim.symbol());
  return {-1, textOf(symbol.name()), symbol.min(), symbol.max()};
}

void describeValues(const fb::Function &source, const flatbuffers::Vector<flatbuffers::Offset<fb::Value>> *values,
                    Function &out, std::vector<heddle_value_info> &infos) {
  for (uint32_t i = 0; values && i < values->size(); ++i) {
    const fb::Value &value = *values->Get(i);
    std::vector<heddle_dim> dims;
    for (uint32_t d = 0; value.dims() && d < value.dims()->size(); ++d)
      dims.push_back(dimInfo(source, *value.dims()->Get(d)));
    out.dimInfos.push_back(std::move(dims));
    infos.push_back({textOf(value.name()), static_cast<heddle_element_type>(value.type()),
                     static_cast<uint32_t>(out.dimInfos.back().size()), out.dimInfos.back().data()});
  }
}

struct OwnPart {
  int64_t begin, size, whole;
};

// This rank's part of a dimension whose whole is known; a rank outside of the mesh has the first one's.
std::optional<OwnPart> ownPart(const fb::Value &value, uint32_t d, std::span<const MeshPlace> meshes) {
  int64_t whole = value.wholes() && d < value.wholes()->size() ? value.wholes()->Get(d) : -1;
  const fb::Dim &dim = *value.dims()->Get(d);
  if ((whole < 0 && dim.symbol() >= 0) || !value.shards() || static_cast<size_t>(value.mesh()) >= meshes.size())
    return std::nullopt;
  const MeshPlace &mesh = meshes[static_cast<uint32_t>(value.mesh())];
  int64_t parts = 1, place = 0;
  if (const auto *axes = value.shards()->Get(d)->ranks())
    for (int64_t axis : *axes) {
      parts *= mesh.sizes[static_cast<size_t>(axis)];
      place = place * mesh.sizes[static_cast<size_t>(axis)] + mesh.coordinates[static_cast<size_t>(axis)];
    }
  if (whole < 0)
    whole = dim.size() * parts;
  int64_t granule = value.granules() ? value.granules()->Get(d) : 1;
  contract::Cut cut{whole / granule, granule, 0, parts};
  return OwnPart{cut.begin(place), cut.size(place), whole};
}

void describeArguments(const fb::Function &source, std::span<const MeshPlace> meshes, Function &out) {
  std::vector<bool> bound(source.symbols() ? source.symbols()->size() : 0);
  for (size_t s = 0; s < bound.size(); ++s)
    if (source.symbols()->Get(s)->drawn())
      out.drawn = static_cast<int32_t>(s);
  for (uint32_t i = 0; source.arguments() && i < source.arguments()->size(); ++i) {
    const fb::Value &value = *source.arguments()->Get(i);
    ArgumentCheck check{value.type(), contract::byteSize(static_cast<contract::ElementType>(value.type())), {}};
    for (uint32_t d = 0; value.dims() && d < value.dims()->size(); ++d) {
      const fb::Dim &dim = *value.dims()->Get(d);
      heddle_dim info = dimInfo(source, dim);
      bool binds = dim.symbol() >= 0 && !bound[dim.symbol()];
      if (binds)
        bound[dim.symbol()] = true;
      // Programs count on it: sizes within 47 bits do not overflow where they are added.
      int64_t most = std::min(info.max, contract::kMostElements);
      std::optional<OwnPart> own = ownPart(value, d, meshes);
      if (own && dim.symbol() >= 0) {
        info.min = most = own->size;
        out.ownSymbols.push_back(static_cast<uint32_t>(dim.symbol()));
      }
      int64_t begin = own ? own->begin : 0, whole = own ? own->whole : dim.size();
      check.dims.push_back({dim.size(), dim.symbol(), binds, info.min, most, begin, whole});
    }
    out.arguments.push_back(std::move(check));
  }
}

void describeState(const fb::Function &source, Function &out) {
  auto useOf = [&](const fb::Value &value) -> StateUse & {
    for (StateUse &use : out.state)
      if (use.global == static_cast<uint32_t>(value.state()))
        return use;
    return out.state.emplace_back(StateUse{static_cast<uint32_t>(value.state()), value.device()});
  };
  for (uint32_t i = 0; source.arguments() && i < source.arguments()->size(); ++i) {
    const fb::Value &value = *source.arguments()->Get(i);
    if (value.donated() >= 0)
      out.donations.push_back({i, static_cast<uint32_t>(value.donated()), value.writable()});
    if (value.state() < 0)
      continue;
    useOf(value).argument = static_cast<int32_t>(i);
    useOf(value).writable = value.writable();
  }
  for (uint32_t i = 0; source.results() && i < source.results()->size(); ++i)
    if (const fb::Value &value = *source.results()->Get(i); value.state() >= 0)
      useOf(value).result = static_cast<int32_t>(i);
}

void describeDefaults(const fb::Function &source, Function &out) {
  for (uint32_t i = 0; i < out.info.argument_count; ++i) {
    const fb::Value &value = *source.arguments()->Get(i);
    if (!value.default_value() || value.default_value()->size() == 0)
      continue;
    uint64_t bytes = value.default_value()->size();
    std::vector<uint64_t> &elements = out.defaultElements.emplace_back((bytes + 7) / 8);
    std::memcpy(elements.data(), value.default_value()->data(), bytes);
    const heddle_value_info &info = out.argumentInfos[i];
    out.defaults.resize(out.info.argument_count);
    out.defaults[i] = {elements.data(), bytes, info.type, info.rank, {}, nullptr};
    for (uint32_t d = 0; d < info.rank; ++d)
      out.defaults[i].dims[d] = info.dims[d].size;
  }
}

// State comes last.
uint32_t callersCount(const flatbuffers::Vector<flatbuffers::Offset<fb::Value>> *values) {
  uint32_t count = 0;
  while (values && count < values->size() && values->Get(count)->state() < 0)
    ++count;
  return count;
}

} // namespace

Status decode(const DecodeContext &context, const FoldedFunction &folded, Function &function) {
  HEDDLE_RETURN_IF_ERROR(Decoder(context, folded, function).run());
  const fb::Function &source = folded.source();
  Usage usage(context.module);
  collectUsage(context.module, folded, usage);
  function.devices = std::move(usage.devices);
  describeArguments(source, context.meshes, function);
  for (uint32_t i = 0; source.arguments() && i < source.arguments()->size(); ++i)
    if (uint32_t d = source.arguments()->Get(i)->device(); source.arguments()->Get(i)->state() < 0 &&
                                                           d < function.devices.size() && function.devices[d] &&
                                                           !context.devices[d].device->readsHostMemory())
      function.staged.push_back({i, d});
  describeValues(source, source.arguments(), function, function.argumentInfos);
  describeValues(source, source.results(), function, function.resultInfos);
  function.info = {textOf(source.name()), callersCount(source.arguments()), callersCount(source.results()),
                   function.argumentInfos.data(), function.resultInfos.data()};
  describeState(source, function);
  describeDefaults(source, function);
  return {};
}

} // namespace heddle
