// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/Assembler.h"

#include <charconv>
#include <map>

namespace heddle::contract {
namespace {

// The letter that a register or index of this kind is written with; 0 for numbers, labels and exports.
char prefixOf(char kind) {
  switch (kind) {
  case 'd':
  case 's': return 's';
  case 'c':
  case 'b': return 'b';
  case 'u':
  case 't': return 't';
  case 'f':
  case 'e': return 'e';
  case 'x':
  case 'p':
  case 'q':
  case 'r':
  case 'n':
  case 'y':
  case 'g':
  case 'j':
  case 'm': return kind;
  default: return 0;
  }
}

template <typename T> bool parse(std::string_view text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::vector<std::string_view> tokensOf(std::string_view line) {
  std::vector<std::string_view> tokens;
  line = line.substr(0, line.find('#'));
  for (size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == ',') {
      ++at;
      continue;
    }
    size_t end = line[at] == '[' || line[at] == ']' ? at + 1 : std::min(line.find_first_of(" \t,[]", at), line.size());
    tokens.push_back(line.substr(at, end - at));
    at = end;
  }
  return tokens;
}

class Assembler {
public:
  explicit Assembler(std::vector<uint32_t> &code) : code_(code), writer_(code) {}

  std::string run(std::string_view text) {
    for (size_t line = 1; !text.empty(); ++line) {
      size_t end = std::min(text.find('\n'), text.size());
      if (std::string error = assembleLine(tokensOf(text.substr(0, end))); !error.empty())
        return "line " + std::to_string(line) + ": " + error;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    for (auto &[position, name] : uses_) {
      auto label = labels_.find(name);
      if (label == labels_.end())
        return "no label " + name;
      code_[position] = label->second;
    }
    return "";
  }

private:
  std::string assembleLine(std::vector<std::string_view> tokens) {
    tokens_ = tokens;
    while (!tokens_.empty() && tokens_.front()[0] == '@')
      labels_[std::string(next())] = static_cast<uint32_t>(code_.size());
    if (tokens_.empty())
      return "";
    std::string_view mnemonic = next();
    for (uint16_t op = 0; op < kOpcodes; ++op)
      if (kInstructions[op].mnemonic == mnemonic)
        return assembleOperands(static_cast<Opcode>(op));
    return "unknown instruction " + std::string(mnemonic);
  }

  std::string assembleOperands(Opcode opcode) {
    writer_.begin(opcode);
    for (const char *c = info(opcode).operands; *c; ++c) {
      bool list = c[1] == '*';
      if (list ? !assembleList(*c) : !assembleOne(*c))
        return "expected operand '" + std::string(1, *c) + (list ? "*'" : "'");
      c += list;
    }
    if (!tokens_.empty())
      return "unexpected " + std::string(tokens_.front());
    return writer_.end() ? "" : "the instruction is too long";
  }

  bool assembleList(char kind) {
    if (tokens_.empty() || next() != "[")
      return false;
    std::vector<uint32_t> registers;
    for (; !tokens_.empty() && tokens_.front() != "]"; registers.push_back(value_))
      if (!indexOf(next(), prefixOf(kind)))
        return false;
    writer_.list(registers);
    return !tokens_.empty() && next() == "]";
  }

  bool assembleOne(char kind) {
    if (tokens_.empty())
      return false;
    std::string_view token = next();
    if (kind == 'l') {
      uses_.emplace_back(code_.size(), std::string(token));
      writer_.word(0);
      return token[0] == '@';
    }
    if (kind == 'k') {
      int64_t constant = 0;
      bool ok = parse(token, constant);
      writer_.constant(constant);
      return ok;
    }
    if (kind == 'o') {
      size_t dot = token.find('.');
      uint32_t executable = 0, entry = 0;
      bool ok = dot != token.npos && parse(token.substr(0, dot), executable) && parse(token.substr(dot + 1), entry);
      writer_.word(executable);
      writer_.word(entry);
      return ok;
    }
    bool ok = indexOf(token, prefixOf(kind));
    writer_.word(value_);
    return ok;
  }

  bool indexOf(std::string_view token, char prefix) {
    if (prefix && (token.empty() || token[0] != prefix))
      return false;
    return parse(token.substr(prefix ? 1 : 0), value_);
  }

  std::string_view next() {
    std::string_view token = tokens_.front();
    tokens_.erase(tokens_.begin());
    return token;
  }

  std::vector<uint32_t> &code_;
  InstructionWriter writer_;
  std::vector<std::string_view> tokens_;
  std::map<std::string, uint32_t> labels_;
  std::vector<std::pair<size_t, std::string>> uses_;
  uint32_t value_ = 0;
};

std::string registerText(char kind, uint32_t value) {
  char prefix = prefixOf(kind);
  return (prefix ? std::string(1, prefix) : std::string()) + std::to_string(value);
}

} // namespace

void InstructionWriter::begin(Opcode opcode) {
  start_ = code_.size();
  code_.push_back(static_cast<uint32_t>(opcode));
}

void InstructionWriter::constant(int64_t value) {
  code_.push_back(static_cast<uint32_t>(static_cast<uint64_t>(value)));
  code_.push_back(static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32));
}

void InstructionWriter::list(std::span<const uint32_t> registers) {
  code_.push_back(static_cast<uint32_t>(registers.size()));
  code_.insert(code_.end(), registers.begin(), registers.end());
}

bool InstructionWriter::end() {
  size_t words = code_.size() - start_;
  if (words > kMaxInstructionWords)
    return false;
  code_[start_] |= static_cast<uint32_t>(words) << 16;
  return true;
}

std::string assemble(std::string_view text, std::vector<uint32_t> &code) { return Assembler(code).run(text); }

std::string disassembleOperands(std::span<const uint32_t> instruction) {
  std::string out;
  readOperands(instruction, [&](const Operand &o) {
    std::string one;
    if (o.list) {
      for (uint32_t value : o.values)
        one += (one.empty() ? "" : " ") + registerText(o.kind, value);
      one = "[" + one + "]";
    } else if (o.kind == 'k') {
      one = std::to_string(o.constant);
    } else if (o.kind == 'o') {
      one = std::to_string(o.value) + "." + std::to_string(o.exported);
    } else if (o.kind == 'l') {
      one = "@" + std::to_string(o.value);
    } else {
      one = registerText(o.kind, o.value);
    }
    out += (out.empty() ? "" : " ") + one;
    return true;
  });
  return out;
}

std::string disassemble(std::span<const uint32_t> code) {
  std::string out;
  for (size_t at = 0; at < code.size(); at += instructionWords(code[at]))
    out += "@" + std::to_string(at) + " " + info(static_cast<Opcode>(opcodeOf(code[at]))).mnemonic + " " +
           disassembleOperands(code.subspan(at)) + "\n";
  return out;
}

} // namespace heddle::contract
