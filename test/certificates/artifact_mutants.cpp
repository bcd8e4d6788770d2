// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants of the host programs of artifacts: a wait deleted or moved, an event reused, a stream, buffer or size
// changed, two instructions swapped, a constant enlarged, lives of a plan cut, a collective's groups and steps changed.
//
//   artifact_mutants --seed=1 --each=200 a.heddle b.heddle
//
// Each mutant is refused by its hash alone, so the hash is made right again: then the check of its instructions must
// refuse it, or the dataflow that the compiler certified, or it must compute the same in every case that is tried.
// Prints what became of them; exit status 1 if one was accepted and computes something else.
#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Artifact_generated.h"
#include "heddle/contract/Certificate.h"
#include "heddle/contract/CollectiveView.h"
#include "heddle/contract/Draw.h"
#include "heddle/contract/InstructionReader.h"
#include "heddle/contract/ProgramCheck.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <set>

using namespace heddle;
using namespace heddle::contract;

namespace {

struct Line {
  std::vector<uint32_t> words;
  uint32_t at;                   // where it was
  std::vector<uint32_t> letters; // the operand's letter of each word; 0 where it is none
};

// Instructions that can be deleted, doubled and swapped, with labels by line.
class Program {
public:
  explicit Program(const fb::FunctionT &function);
  // The code, and where each line went by where it was.
  std::vector<uint32_t> code(std::map<uint32_t, uint32_t> &moved) const;

  std::vector<Line> lines;
};

Program::Program(const fb::FunctionT &function) {
  std::span<const uint32_t> words(function.code);
  for (uint32_t at = 0; at < words.size(); at += instructionWords(words[at])) {
    Line line{{words.begin() + at, words.begin() + at + instructionWords(words[at])}, at, {}};
    line.letters.resize(line.words.size());
    size_t word = 1;
    readOperands(words.subspan(at), [&](const Operand &operand) {
      bool isPair = operand.kind == 'k' || operand.kind == 'o';
      size_t first = word + operand.list, count = operand.list ? operand.values.size() : isPair ? 2 : 1;
      for (size_t i = first; i < first + count; ++i)
        line.letters[i] = static_cast<uint32_t>(operand.kind);
      word = first + count;
      return true;
    });
    lines.push_back(std::move(line));
  }
}

std::vector<uint32_t> Program::code(std::map<uint32_t, uint32_t> &moved) const {
  uint32_t at = 0;
  for (const Line &line : lines) {
    moved[line.at] = at;
    at += static_cast<uint32_t>(line.words.size());
  }
  std::vector<uint32_t> code;
  for (const Line &line : lines)
    for (size_t i = 0; i < line.words.size(); ++i) {
      auto target = moved.lower_bound(line.words[i]); // of a deleted line the next one
      code.push_back(line.letters[i] == 'l' && target != moved.end() ? target->second : line.words[i]);
    }
  return code;
}

class Mutator {
public:
  explicit Mutator(uint64_t seed) : state_(seed) {}
  // Changes one thing; "" where it found nothing to change.
  std::string mutate(fb::ModuleT &module);

private:
  uint64_t draw(uint64_t bound) { return mixBits(state_ += 0x9E3779B97F4A7C15) % bound; }
  template <typename T> const T &oneOf(const std::vector<T> &all) { return all[draw(all.size())]; }
  std::string mutateCode(fb::ModuleT &module, fb::FunctionT &function);
  std::string change(Program &program, size_t line, const fb::FunctionT &function);
  std::string swap(Program &program, size_t line);
  std::string mutatePlan(fb::ModuleT &module);
  std::string mutateCollective(fb::ModuleT &module);
  void rebuild(fb::ModuleT &module, fb::FunctionT &function, const Program &program);

  uint64_t state_;
};

bool isIssued(const Line &line) {
  switch (static_cast<Opcode>(opcodeOf(line.words[0]))) {
  case Opcode::Free:
  case Opcode::Dispatch:
  case Opcode::Copy:
  case Opcode::Fill:
  case Opcode::Read:
  case Opcode::Record:
  case Opcode::Wait:
  case Opcode::Await:
  case Opcode::Follow:
  case Opcode::Collective:
  case Opcode::CollectiveCut: return true;
  default: return false;
  }
}

// Where code went, for what names words of it.
void Mutator::rebuild(fb::ModuleT &module, fb::FunctionT &function, const Program &program) {
  std::map<uint32_t, uint32_t> moved;
  function.code = program.code(moved);
  function.code_locations.clear();
  for (auto &proved : module.certificate->functions)
    if (module.functions[proved->function].get() == &function)
      for (size_t i = 0; i < proved->runs.size(); i += 3)
        if (auto found = moved.find(proved->runs[i]); found != moved.end())
          proved->runs[i] = found->second;
}

std::string Mutator::swap(Program &program, size_t line) {
  for (size_t other = line + 1; other < std::min(program.lines.size(), line + 12); ++other)
    if (isIssued(program.lines[other]) && draw(3) == 0) {
      std::swap(program.lines[line], program.lines[other]);
      return "swapped with a later one";
    }
  return "";
}

// Another register of the same file, or a constant a little off.
std::string Mutator::change(Program &program, size_t index, const fb::FunctionT &function) {
  Line &line = program.lines[index];
  std::vector<size_t> places;
  for (size_t i = 1; i < line.words.size(); ++i)
    if (line.letters[i] && std::strchr("sbteikfu", static_cast<int>(line.letters[i])))
      places.push_back(i);
  if (places.empty())
    return "";
  size_t place = oneOf(places);
  uint32_t old = line.words[place], letter = line.letters[place];
  auto pick = [&](uint32_t count) { return static_cast<uint32_t>(draw(std::max<uint32_t>(count, 1))); };
  switch (letter) {
  case 's': line.words[place] = pick(function.scalars); break;
  case 'b': line.words[place] = pick(function.buffers); break;
  case 't':
  case 'u': line.words[place] = pick(function.streams); break;
  case 'e':
  case 'f': line.words[place] = pick(function.events); break;
  case 'i': return "";
  default:
    if (place + 1 >= line.words.size() || line.letters[place + 1] != 'k')
      return ""; // the high word
    line.words[place] += static_cast<uint32_t>(oneOf(std::vector<int>{1, -1, 4, -4, 8, 64, -64, 128}));
    if (static_cast<int32_t>(line.words[place]) < 0)
      return "";
  }
  return line.words[place] == old ? "" : std::string("operand ") + static_cast<char>(letter) + " changed";
}

std::string Mutator::mutateCode(fb::ModuleT &module, fb::FunctionT &function) {
  Program program(function);
  std::vector<size_t> issued, views, constants;
  for (size_t i = 0; i < program.lines.size(); ++i) {
    auto opcode = static_cast<Opcode>(opcodeOf(program.lines[i].words[0]));
    if (isIssued(program.lines[i]))
      issued.push_back(i);
    if (opcode == Opcode::View || opcode == Opcode::Slab || opcode == Opcode::Alloc)
      views.push_back(i);
    if (opcode == Opcode::Const)
      constants.push_back(i);
  }
  uint64_t kind = draw(10);
  std::vector<size_t> &from = kind < 7 ? issued : kind < 9 ? views : constants;
  if (from.empty())
    return "";
  size_t line = oneOf(from);
  std::string name = kInstructions[opcodeOf(program.lines[line].words[0])].mnemonic, what;
  if (kind < 3)
    program.lines.erase(program.lines.begin() + static_cast<ptrdiff_t>(line)), what = "deleted";
  else if (kind < 5)
    what = swap(program, line);
  else
    what = change(program, line, function);
  if (what.empty())
    return "";
  rebuild(module, function, program);
  return name + " " + what;
}

std::string Mutator::mutatePlan(fb::ModuleT &module) {
  if (module.plans.empty())
    return "";
  fb::PlanSpecT &plan = *oneOf(std::vector<fb::PlanSpecT *>{module.plans[draw(module.plans.size())].get()});
  if (plan.intervals.empty())
    return "";
  fb::Interval &life = plan.intervals[draw(plan.intervals.size())];
  if (life.first() == life.last())
    return "";
  life = draw(2) ? fb::Interval(life.first(), life.last() - 1) : fb::Interval(life.first() + 1, life.last());
  return "plan life cut";
}

std::string Mutator::mutateCollective(fb::ModuleT &module) {
  if (module.collectives.empty())
    return "";
  fb::CollectiveT &collective = *module.collectives[draw(module.collectives.size())];
  switch (draw(4)) {
  case 0:
    if (static_cast<CollectiveKind>(collective.kind) != CollectiveKind::Permute || !collective.pairs.empty())
      return "";
    collective.shift += draw(2) ? 1 : -2;
    return "ring step changed";
  case 1:
    if (collective.pairs.size() < 4)
      return "";
    std::swap(collective.pairs[1], collective.pairs[3]);
    return "pairs swapped";
  case 2: {
    size_t axes = module.meshes[collective.mesh]->axes.size();
    if (axes < 2 || collective.axes.size() != 1)
      return "";
    collective.axes[0] = static_cast<uint32_t>((collective.axes[0] + 1) % axes);
    return "axes changed";
  }
  default:
    if (!hasRoot(static_cast<CollectiveKind>(collective.kind)))
      return "";
    collective.root += 1;
    return "root changed";
  }
}

std::string Mutator::mutate(fb::ModuleT &module) {
  uint64_t kind = draw(12);
  if (kind == 0)
    return mutatePlan(module);
  if (kind == 1)
    return mutateCollective(module);
  std::vector<fb::FunctionT *> functions;
  for (auto &function : module.functions)
    if (!function->bind)
      functions.push_back(function.get());
  return functions.empty() ? "" : mutateCode(module, *oneOf(functions));
}

//===--- Judgement -----------------------------------------------------------------------------------------------===//

class Packed {
public:
  explicit Packed(const fb::ModuleT &module) { builder_.Finish(fb::Module::Pack(builder_, &module)); }
  const fb::Module &view() const { return *fb::GetModule(builder_.GetBufferPointer()); }

private:
  flatbuffers::FlatBufferBuilder builder_;
};

struct Counts {
  uint64_t mutants = 0, byHash = 0, byCheck = 0, byDataflow = 0, equal = 0, wrong = 0;
};

std::unique_ptr<std::byte, void (*)(void *)> readFile(const char *path, size_t &bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  bytes = static_cast<size_t>(std::max<std::streamoff>(file.tellg(), 0));
  std::unique_ptr<std::byte, void (*)(void *)> data(
      static_cast<std::byte *>(std::aligned_alloc(64, (bytes + 64) / 64 * 64)), std::free);
  file.seekg(0);
  file.read(reinterpret_cast<char *>(data.get()), static_cast<std::streamsize>(bytes));
  return data;
}

// Whether the two run to the same results wherever both run to their ends.
bool agree(const ProgramReport &a, const ProgramReport &b) {
  for (size_t e = 0; e < std::min(a.entries.size(), b.entries.size()); ++e)
    for (size_t i = 0; i < std::min(a.entries[e].dataflows.size(), b.entries[e].dataflows.size()); ++i)
      if (uint64_t x = a.entries[e].dataflows[i], y = b.entries[e].dataflows[i]; x && y && x != y)
        return false;
  return true;
}

void judge(const fb::ModuleT &original, const ProgramReport &right, uint64_t seed, bool verbose, Counts &counts,
           const char *path) {
  fb::ModuleT mutant;
  Packed(original).view().UnPackTo(&mutant);
  std::string what = Mutator(seed).mutate(mutant);
  if (what.empty())
    return;
  ++counts.mutants;
  counts.byHash += !explainCertificate(Packed(mutant).view()).empty();
  mutant.certificate->hash = certifiedHash(Packed(mutant).view());
  Packed packed(mutant);
  ProgramReport report = checkProgram(packed.view(), {});
  std::string why = report.wrong;
  if (!why.empty())
    ++counts.byCheck;
  else if (!(why = explainCertificate(packed.view())).empty())
    ++counts.byDataflow;
  else if (agree(right, report))
    ++counts.equal, why = "equal";
  else
    ++counts.wrong, why = "ACCEPTED, but it computes something else";
  if (verbose || why[0] == 'A')
    std::printf("%s: seed %llu: %s: %s\n", path, static_cast<unsigned long long>(seed), what.c_str(), why.c_str());
}

} // namespace

int main(int argc, char **argv) {
  uint64_t seed = 1, each = 100;
  bool verbose = false;
  Counts counts;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--seed=", 7) == 0) {
      seed = std::strtoull(argv[i] + 7, nullptr, 10);
      continue;
    }
    if (std::strncmp(argv[i], "--each=", 7) == 0) {
      each = std::strtoull(argv[i] + 7, nullptr, 10);
      continue;
    }
    if (std::strcmp(argv[i], "--verbose") == 0) {
      verbose = true;
      continue;
    }
    size_t bytes = 0;
    auto file = readFile(argv[i], bytes);
    if (auto error = verifyArtifact({file.get(), bytes})) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error->message.c_str());
      return 2;
    }
    const fb::Module *module = viewArtifact({file.get(), bytes}).module;
    ProgramReport right = checkProgram(*module, {});
    std::string why = right.wrong.empty() ? explainCertificate(*module) : right.wrong;
    if (!why.empty() || !module->certificate()) {
      std::fprintf(stderr, "%s: %s\n", argv[i], why.empty() ? "has no certificate" : why.c_str());
      return 2;
    }
    fb::ModuleT original;
    module->UnPackTo(&original);
    uint64_t wanted = counts.mutants + each;
    for (uint64_t tries = 0; counts.mutants < wanted && tries < 8 * each; ++tries)
      judge(original, right, mixBits(seed + tries), verbose, counts, argv[i]);
  }
  std::printf("seed %llu: %llu mutants: %llu refused by the hash; with the hash made right %llu refused by the check, "
              "%llu by the dataflow, %llu equal, %llu wrong\n",
              static_cast<unsigned long long>(seed), static_cast<unsigned long long>(counts.mutants),
              static_cast<unsigned long long>(counts.byHash), static_cast<unsigned long long>(counts.byCheck),
              static_cast<unsigned long long>(counts.byDataflow), static_cast<unsigned long long>(counts.equal),
              static_cast<unsigned long long>(counts.wrong));
  return counts.wrong ? 1 : 0;
}
