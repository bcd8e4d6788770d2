// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

#include "../VerifierContext.h"
#include "WorldRun.h"
#include "heddle/contract/CollectiveView.h"
#include "heddle/contract/OverlapTime.h"

#include <algorithm>

namespace heddle::contract::check {
namespace {

constexpr int64_t kPrimes[] = {3, 5, 7, 11, 13, 17, 19, 23};
constexpr int64_t kMoreSizes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 32, 48, 64, 128};
constexpr int64_t kMostKnown = 1024; // of constants that may be sizes
constexpr size_t kMostAnswers = 32, kSeeds = 6;
// Instructions that all ranks run in all cases.
constexpr uint64_t kMostWork = 40'000'000;

using Sizes = std::map<std::string, int64_t>;

std::vector<const fb::Symbol *> symbolsOf(const Code &entry) {
  std::vector<const fb::Symbol *> symbols;
  for (uint32_t i = 0; i < sizeOf(entry.function->symbols()); ++i)
    if (const fb::Symbol *symbol = entry.function->symbols()->Get(i); !symbol->drawn())
      symbols.push_back(symbol);
  return symbols;
}

int64_t clamped(const fb::Symbol &symbol, int64_t size) {
  return std::clamp<int64_t>(size, symbol.min(), std::max(symbol.min(), symbol.max()));
}

template <typename Pick> Sizes pickSizes(const Code &entry, const CheckRequest &request, Pick &&pick) {
  Sizes sizes;
  size_t index = 0;
  for (const fb::Symbol *symbol : symbolsOf(entry)) {
    std::string name(text(symbol->name()));
    auto given = request.dims.find(name);
    sizes[name] = given != request.dims.end() ? given->second : clamped(*symbol, pick(index));
    ++index;
  }
  return sizes;
}

std::vector<Sizes> sizesOf(const Code &entry, const CheckRequest &request) {
  std::vector<Sizes> all;
  auto add = [&](auto &&pick) {
    Sizes sizes = pickSizes(entry, request, pick);
    if (std::find(all.begin(), all.end(), sizes) == all.end())
      all.push_back(std::move(sizes));
  };
  add([](size_t i) { return kPrimes[i % std::size(kPrimes)]; });
  for (int64_t size : {1, 0, 64, 7})
    add([&](size_t) { return size; });
  add([](size_t i) { return static_cast<int64_t>(16 + 2 * i); });
  return all;
}

// The free axes' sizes by their names, in the order of the meshes.
template <typename Pick>
std::vector<std::vector<int64_t>> pickMeshes(const fb::Module &module, const CheckRequest &request, Pick &&pick) {
  std::vector<std::vector<int64_t>> meshes;
  std::map<std::string, int64_t> free;
  for (uint32_t m = 0; m < sizeOf(module.meshes()); ++m) {
    meshes.push_back(contract::sizesOf(*module.meshes()->Get(m)));
    for (uint32_t a = 0; a < meshes.back().size(); ++a) {
      std::string name(text(module.meshes()->Get(m)->axes()->Get(a)->name()));
      if (int64_t &size = meshes.back()[a]; size == kFreeSize) {
        auto given = request.axes.find(name);
        size = given != request.axes.end() ? given->second : free.try_emplace(name, pick(free.size())).first->second;
      }
    }
  }
  return meshes;
}

std::vector<std::vector<std::vector<int64_t>>> meshesOf(const fb::Module &module, const CheckRequest &request) {
  std::vector<std::vector<std::vector<int64_t>>> all;
  auto add = [&](auto &&pick) {
    auto meshes = pickMeshes(module, request, pick);
    if (std::find(all.begin(), all.end(), meshes) == all.end())
      all.push_back(std::move(meshes));
  };
  for (int64_t size : {2, 1, 3})
    add([&](size_t) { return size; });
  add([](size_t i) { return static_cast<int64_t>(i ? 2 : 4); });
  add([](size_t i) { return static_cast<int64_t>(i ? 3 : 2); });
  return all;
}

struct Answers {
  std::vector<uint32_t> alternatives;
  int64_t cores = 1, queues = 1;
  uint32_t pieces = 0;
};

bool asks(const Program &program, std::initializer_list<Opcode> opcodes) {
  for (const Code &code : program.functions)
    for (const Instruction &instruction : code.instructions)
      if (std::find(opcodes.begin(), opcodes.end(), instruction.opcode) != opcodes.end())
        return true;
  return false;
}

// How many the loader chooses from, at most.
uint32_t numbersOfPieces(const fb::Module &module) {
  uint64_t most = 1;
  for (uint32_t i = 0; i < sizeOf(module.overlaps()); ++i)
    most = std::max<uint64_t>({most, std::size(kCountsOfFree), sizeOf(module.overlaps()->Get(i)->counts())});
  return static_cast<uint32_t>(most);
}

// Every choice of alternatives, up to a number; then `isWhole` says no.
std::vector<Answers> answersOf(const Program &program, bool &isWhole) {
  std::vector<Answers> all{{std::vector<uint32_t>(sizeOf(program.module.devices())), 1, 2}};
  if (asks(program, {Opcode::Alternative, Opcode::SameDevice, Opcode::DispatchVariant}))
    for (uint32_t device = 0; device < sizeOf(program.module.devices()); ++device)
      for (size_t i = 0, count = all.size(); i < count; ++i)
        for (uint32_t a = 1; a < sizeOf(program.module.devices()->Get(device)->alternatives()); ++a) {
          if (all.size() >= kMostAnswers) {
            isWhole = false;
            continue;
          }
          Answers other = all[i];
          other.alternatives[device] = a;
          all.push_back(std::move(other));
        }
  uint32_t pieces = numbersOfPieces(program.module);
  for (size_t i = 0, count = all.size(); i < count; ++i)
    for (uint32_t p = 1; p < pieces; ++p) {
      all.push_back(all[i]);
      all.back().pieces = p;
    }
  if (!asks(program, {Opcode::Query}))
    return all;
  isWhole = false;
  for (size_t i = 0, count = all.size(); i < count; ++i)
    for (auto [cores, queues] : {std::pair<int64_t, int64_t>{2, 1}, {4, 3}, {16, 8}}) {
      Answers other = all[i];
      other.cores = cores;
      other.queues = queues;
      all.push_back(std::move(other));
    }
  return all;
}

Case makeCase(Sizes sizes, std::vector<std::vector<int64_t>> meshes, const Answers &answers, uint64_t seed) {
  return {
      std::move(sizes), std::move(meshes), answers.alternatives, answers.cores, answers.queues, answers.pieces, seed};
}

bool hasFreeAxes(const fb::Module &module, const CheckRequest &request) {
  for (uint32_t m = 0; m < sizeOf(module.meshes()); ++m)
    for (const fb::MeshAxis *axis : *module.meshes()->Get(m)->axes())
      if (axis->size() == kFreeSize && !request.axes.contains(std::string(text(axis->name()))))
        return true;
  return false;
}

} // namespace

Cases casesOf(const Program &program, const Code &entry, const CheckRequest &request) {
  Cases cases;
  // Also what bind functions read reaches the entry point.
  bool reads =
      std::any_of(program.functions.begin(), program.functions.end(), [](const Code &code) { return code.reads; });
  cases.isWhole = !reads && !hasFreeAxes(program.module, request);
  for (uint32_t i = 0; i < sizeOf(entry.function->symbols()); ++i)
    cases.isWhole &= !entry.function->symbols()->Get(i)->drawn();
  for (const fb::Symbol *symbol : symbolsOf(entry))
    cases.isWhole &= symbol->min() == symbol->max();
  std::vector<Answers> answers = answersOf(program, cases.isWhole);
  auto sizes = sizesOf(entry, request);
  auto meshes = meshesOf(program.module, request);
  for (uint64_t seed = 0; seed < (reads ? kSeeds : 1); ++seed) {
    size_t turn = seed;
    for (const auto &mesh : meshes)
      for (const Sizes &size : sizes)
        cases.all.push_back(makeCase(size, mesh, answers[turn++ % answers.size()], seed));
    for (size_t i = 1; i < answers.size(); ++i)
      cases.all.push_back(makeCase(sizes[0], meshes[0], answers[i], seed));
  }
  uint64_t work = 0;
  for (size_t i = 0; i < cases.all.size(); ++i) {
    work +=
        entry.instructions.size() * static_cast<uint64_t>(worldSize(program.module, cases.all[i].meshes).value_or(1));
    if (work > kMostWork && i >= 2) {
      cases.all.resize(i);
      cases.isWhole = false;
    }
  }
  return cases;
}

Case randomCase(const Program &program, const Code &entry, const CheckRequest &request, uint64_t seed) {
  uint64_t state = seed;
  auto draw = [&](uint64_t bound) { return mixBits(state += 0x9E3779B97F4A7C15) % bound; };
  bool isWhole = true;
  std::vector<Answers> answers = answersOf(program, isWhole);
  std::vector<int64_t> known(std::begin(kMoreSizes), std::end(kMoreSizes));
  for (const Instruction &instruction : entry.instructions)
    if (instruction.opcode == Opcode::Const && instruction.operands[1].constant > 0 &&
        instruction.operands[1].constant <= kMostKnown)
      known.push_back(instruction.operands[1].constant);
  // Images often have to be of multiples of 32, and all sizes but one alike.
  int64_t common = 32 * static_cast<int64_t>(1 + draw(20));
  bool isImage = draw(2) == 0;
  Sizes sizes = pickSizes(entry, request,
                          [&](size_t i) { return isImage && (i || draw(2)) ? common : known[draw(known.size())]; });
  auto meshes = pickMeshes(program.module, request, [&](size_t) { return static_cast<int64_t>(1 + draw(4)); });
  return makeCase(std::move(sizes), std::move(meshes), answers[draw(answers.size())], seed);
}

} // namespace heddle::contract::check
