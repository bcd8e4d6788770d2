#include "runtime/executor/Decoder.h"

#include "heddle/contract/ElementType.h"
#include "heddle/contract/InstructionReader.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace heddle {
namespace {

using contract::Opcode;
using contract::Operand;

std::span<const uint32_t> codeOf(const fb::Function &function) {
  return {function.code()->data(), function.code()->size()};
}

// Devices that each stream register can hold, by all of its writes; register 0 is a stream of the first device.
std::vector<std::vector<bool>> devicesOfStreams(const fb::Function &source, size_t devices) {
  std::vector<std::vector<bool>> held(source.streams(), std::vector<bool>(devices));
  if (devices)
    held[0][0] = true;
  std::span<const uint32_t> code = codeOf(source);
  for (size_t at = 0; at < code.size(); at += contract::instructionWords(code[at]))
    if (static_cast<Opcode>(contract::opcodeOf(code[at])) == Opcode::Stream) {
      std::vector<Operand> operands;
      contract::readOperands(code.subspan(at), [&](const Operand &o) { return operands.push_back(o), true; });
      held[operands[0].value][operands[1].value] = true;
    }
  return held;
}

class Decoder {
public:
  Decoder(const DecodeContext &context, const fb::Function &source, Function &out)
      : context_(context), source_(source), code_(codeOf(source)), out_(out),
        held_(devicesOfStreams(source, context.devices.size())) {}

  Status run() {
    out_.source = &source_;
    out_.extraStreams.assign(context_.devices.size(), 0);
    std::vector<uint32_t> unitOf(code_.size());
    for (size_t at = 0; at < code_.size(); at += contract::instructionWords(code_[at])) {
      unitOf[at] = static_cast<uint32_t>(out_.code.size());
      out_.words.emplace_back(unitOf[at], static_cast<uint32_t>(at));
      read(at);
      decodeOne();
    }
    for (size_t position : labels_) {
      auto *words = reinterpret_cast<uint32_t *>(out_.code.data());
      words[position] = unitOf[words[position]];
    }
    return std::move(status_);
  }

private:
  void read(size_t at) {
    operands_.clear();
    contract::readOperands(code_.subspan(at), [&](const Operand &operand) {
      operands_.push_back(operand);
      return true;
    });
    opcode_ = static_cast<Opcode>(contract::opcodeOf(code_[at]));
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

  void decodeOne() {
    switch (opcode_) {
    case Opcode::Const: return constant(operands_[0].value, operands_[1].constant);
    case Opcode::Alternative:
      return constant(operands_[0].value, context_.devices[operands_[1].value].match.alternative);
    case Opcode::Query: return constant(operands_[0].value, context_.devices[operands_[1].value].info.cores);
    case Opcode::SameDevice: return constant(operands_[0].value, same(operands_[1].value, operands_[2].value));
    case Opcode::Parameter:
    case Opcode::ParameterOn: opcode_ = Opcode::Parameter; return decodeParameter();
    case Opcode::BindScalar:
    case Opcode::BindBuffer:
    case Opcode::BoundScalar:
    case Opcode::BoundBuffer:
    case Opcode::PackParameter:
      status_ = Status(StatusCode::Unsupported, "this runtime binds no values yet; compile with --data-tiling=off");
      return;
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
    default: return plain();
    }
  }

  bool same(uint32_t a, uint32_t b) const {
    const DeviceMatch &x = context_.devices[a].match, &y = context_.devices[b].match;
    return a == b || (x.device == y.device && !x.copy && !y.copy);
  }

  void decodeParameter() {
    const fb::Parameter &parameter = *context_.module.parameters()->Get(operands_[1].value);
    auto *op = reinterpret_cast<ParameterOp *>(append(opcode_, sizeof(ParameterOp), operands_[0].value));
    op->address = const_cast<std::byte *>(context_.data.data() + parameter.offset());
    op->bytes = static_cast<int64_t>(parameter.bytes());
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

  // The variant of an executable on the devices that the stream register can hold; notes an error where they differ.
  uint32_t variantOf(uint32_t stream, uint32_t executable) {
    std::optional<uint32_t> found;
    for (size_t d = 0; d < context_.devices.size(); ++d) {
      if (!held_[stream][d])
        continue;
      uint32_t variant = context_.devices[d].variants[executable];
      if (found.value_or(variant) != variant && status_.ok())
        status_ = Status(StatusCode::Unsupported, "a stream must belong to one device where a dispatch depends on the "
                                                  "variant; compile the model again");
      found = variant;
    }
    return found.value_or(0);
  }

  void decodeDispatch(uint32_t workgroups, uint32_t scratch) {
    const Operand &callee = operands_[1];
    std::span<const uint32_t> bindings = operands_[4].values, constants = operands_[5].values;
    const fb::Export &exported = *context_.module.executables()->Get(callee.value)->exports()->Get(callee.exported);
    auto *op = reinterpret_cast<DispatchOp *>(append(
        Opcode::Dispatch, sizeof(DispatchOp) + bindings.size_bytes() + constants.size_bytes(), operands_[0].value));
    op->kernels = context_.kernels[context_.firstExport[callee.value] + callee.exported].data();
    op->workgroups = workgroups;
    op->scratch = scratch;
    op->bindings = static_cast<uint32_t>(bindings.size());
    op->constants = static_cast<uint32_t>(constants.size());
    op->executable = callee.value;
    op->exported = callee.exported;
    auto *out = const_cast<uint32_t *>(op->bindingRegisters());
    for (size_t i = 0; i < bindings.size(); ++i)
      *out++ = bindings[i] | kDefined | (exported.writes()->Get(i) ? kWritable : 0);
    std::copy(constants.begin(), constants.end(), out);
    out_.maxBindings = std::max(out_.maxBindings, op->bindings);
    out_.maxConstants = std::max(out_.maxConstants, op->constants);
  }

  const DecodeContext &context_;
  const fb::Function &source_;
  std::span<const uint32_t> code_;
  Function &out_;
  std::vector<Operand> operands_;
  std::vector<size_t> labels_; // positions in 32-bit words that hold word offsets until the end
  Opcode opcode_{};
  std::vector<std::vector<bool>> held_; // [stream register][device]
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

void describeArguments(const fb::Function &source, Function &out) {
  std::vector<bool> bound(source.symbols() ? source.symbols()->size() : 0);
  for (uint32_t i = 0; source.arguments() && i < source.arguments()->size(); ++i) {
    const fb::Value &value = *source.arguments()->Get(i);
    ArgumentCheck check{value.type(), contract::byteSize(static_cast<contract::ElementType>(value.type())), {}};
    for (uint32_t d = 0; value.dims() && d < value.dims()->size(); ++d) {
      const fb::Dim &dim = *value.dims()->Get(d);
      heddle_dim info = dimInfo(source, dim);
      bool binds = dim.symbol() >= 0 && !bound[dim.symbol()];
      if (binds)
        bound[dim.symbol()] = true;
      check.dims.push_back({dim.size(), dim.symbol(), binds, info.min, info.max});
    }
    out.arguments.push_back(std::move(check));
  }
}

} // namespace

Status decode(const DecodeContext &context, const fb::Function &source, Function &function) {
  HEDDLE_RETURN_IF_ERROR(Decoder(context, source, function).run());
  describeArguments(source, function);
  describeValues(source, source.arguments(), function, function.argumentInfos);
  describeValues(source, source.results(), function, function.resultInfos);
  function.info = {textOf(source.name()), static_cast<uint32_t>(function.argumentInfos.size()),
                   static_cast<uint32_t>(function.resultInfos.size()), function.argumentInfos.data(),
                   function.resultInfos.data()};
  return {};
}

void collectUsage(const fb::Module &module, const fb::Function &source, Usage &usage) {
  std::span<const uint32_t> code = codeOf(source);
  std::vector<std::vector<bool>> held = devicesOfStreams(source, usage.devices.size());
  auto forEach = [&](auto &&visit) {
    for (size_t at = 0; at < code.size(); at += contract::instructionWords(code[at])) {
      std::vector<Operand> operands;
      contract::readOperands(code.subspan(at), [&](const Operand &o) { return operands.push_back(o), true; });
      visit(static_cast<Opcode>(contract::opcodeOf(code[at])), operands);
    }
  };
  forEach([&](Opcode opcode, const std::vector<Operand> &operands) {
    bool asks = opcode == Opcode::Alternative || opcode == Opcode::Query || opcode == Opcode::SameDevice;
    for (const Operand &operand : operands)
      if (operand.kind == 'x' && !asks)
        usage.devices[operand.value] = true;
    for (const Operand &operand : operands)
      if (operand.kind == 't')
        for (size_t d = 0; d < usage.devices.size(); ++d)
          if (held[operand.value][d]) {
            usage.devices[d] = true;
            if (opcode == Opcode::Dispatch || opcode == Opcode::DispatchVariant)
              usage.executables[d][operands[1].value] = true;
          }
  });
}

const fb::Location *Function::locationOf(const fb::Module &module, const Head &head) const {
  const auto *pairs = source->code_locations();
  if (!pairs || pairs->size() < 2)
    return nullptr;
  uint32_t unit = static_cast<uint32_t>(&head - reinterpret_cast<const Head *>(code.data()));
  auto word = std::lower_bound(words.begin(), words.end(), std::pair(unit, 0u));
  const fb::Location *found = nullptr;
  for (uint32_t i = 0; i < pairs->size() && pairs->Get(i) <= word->second; i += 2)
    found = module.locations()->Get(pairs->Get(i + 1));
  return found;
}

} // namespace heddle
