// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heddle/contract/ProgramCheck.h"

#include "../VerifierContext.h"
#include "Cases.h"
#include "WorldRun.h"
#include "heddle/contract/CollectiveView.h"

#include <algorithm>
#include <set>

namespace heddle::contract {
namespace {

using namespace check;
using State = RankRun::State;

constexpr uint64_t kMostTries = 400;             // of sizes that the program does not refuse
constexpr int64_t kMostRanksCertified = 16;      // of a case that dataflowOf() runs
constexpr uint64_t kMostWorkCertified = 400'000; // instructions that all ranks run in all of them

// Why the loader does not run the program on meshes of these sizes.
std::string explainMeshes(const fb::Module &module, const Case &what) {
  for (uint32_t i = 0; i < sizeOf(module.collectives()); ++i) {
    const fb::Collective &collective = *module.collectives()->Get(i);
    if (std::string why = explainCollective(specOf(collective), what.meshes[collective.mesh()]); !why.empty())
      return std::string(text(collective.name())) + " " + why;
  }
  return "";
}

class EntryCheck {
public:
  EntryCheck(const Program &program, const Code &entry, const CheckRequest &request)
      : program_(program), entry_(entry), request_(request) {
    out_.name = std::string(text(entry.function->name()));
  }

  // What is wrong, or "".
  std::string run() {
    Cases cases = casesOf(program_, entry_, request_);
    for (const Case &what : cases.all) {
      if (std::string wrong = runCase(what); !wrong.empty())
        return wrong;
      out_.dataflows.push_back(dataflow_);
    }
    for (uint64_t seed = 0; seed < kMostTries && out_.cases == 0; ++seed)
      if (std::string wrong = runCase(randomCase(program_, entry_, request_, seed)); !wrong.empty())
        return wrong;
    if (out_.cases == 0)
      return out_.name + ": no sizes were found that the program takes (the last ones: " + why_ +
             "); give some by --dim and --mesh";
    out_.isWhole = cases.isWhole && out_.refused == 0;
    for (const auto &[name, sizes] : tried_) {
      out_.sizes += (out_.sizes.empty() ? "" : "; ") + name;
      for (int64_t size : sizes)
        out_.sizes += (size == *sizes.begin() ? " " : ", ") + std::to_string(size);
    }
    return "";
  }
  const CheckedEntry &entry() const { return out_; }

private:
  // Sizes by name; free axes are those that the module leaves open.
  std::map<std::string, int64_t> named(const Case &what) const {
    std::map<std::string, int64_t> all = what.sizes;
    for (uint32_t m = 0; m < what.meshes.size(); ++m)
      for (uint32_t a = 0; a < what.meshes[m].size(); ++a)
        if (const fb::MeshAxis &axis = *program_.module.meshes()->Get(m)->axes()->Get(a); axis.size() == kFreeSize)
          all[std::string(text(axis.name()))] = what.meshes[m][a];
    return all;
  }

  std::string spell(const Case &what) const {
    std::string out;
    for (const auto &[name, size] : named(what))
      out += (out.empty() ? "" : ", ") + name + " = " + std::to_string(size);
    return out.empty() ? out_.name + ": " : out_.name + ": " + out + ": ";
  }

  std::string runCase(const Case &what) {
    Outcome outcome{State::Refused, explainMeshes(program_.module, what), 0, false};
    if (outcome.why.empty())
      outcome = runWorld(program_, entry_, what);
    out_.toldByData |= outcome.toldByData;
    if (outcome.state == State::Broken)
      return spell(what) + outcome.why;
    if (outcome.state == State::Endless && !outcome.toldByData)
      return spell(what) + outcome.why + ": too long to be checked; give smaller sizes by --dim";
    why_ = spell(what) + outcome.why;
    bool isDone = outcome.state == State::Done;
    dataflow_ = isDone ? outcome.dataflow : 0;
    ++(isDone ? out_.cases : out_.refused);
    for (const auto &[name, size] : named(what))
      if (isDone)
        tried_[name].insert(size);
    return "";
  }

  const Program &program_;
  const Code &entry_;
  const CheckRequest &request_;
  CheckedEntry out_;
  std::map<std::string, std::set<int64_t>> tried_;
  std::string why_; // of the last case that was refused
  uint64_t dataflow_ = 0;
};

// Names that nothing has, and sizes that the program states otherwise.
std::string explainRequest(const fb::Module &module, const CheckRequest &request) {
  std::set<std::string> dims;
  std::map<std::string, int64_t> axes;
  for (uint32_t f = 0; f < sizeOf(module.functions()); ++f)
    for (uint32_t i = 0; i < sizeOf(module.functions()->Get(f)->symbols()); ++i)
      dims.insert(std::string(text(module.functions()->Get(f)->symbols()->Get(i)->name())));
  for (uint32_t m = 0; m < sizeOf(module.meshes()); ++m)
    for (const fb::MeshAxis *axis : *module.meshes()->Get(m)->axes())
      axes[std::string(text(axis->name()))] = axis->size();
  for (const auto &[name, size] : request.dims)
    if (!dims.contains(name) || size < 0)
      return "dimension " + quoted(name) + " = " + std::to_string(size) +
             (dims.contains(name) ? " is no size" : ": the artifact has no dimension of this name");
  for (const auto &[name, size] : request.axes) {
    auto found = axes.find(name);
    if (found == axes.end() || size < 1)
      return "axis " + quoted(name) + " = " + std::to_string(size) +
             (found == axes.end() ? ": the artifact has no axis of this name" : " is no size");
    if (found->second != kFreeSize && found->second != size)
      return "axis " + quoted(name) + " has the size " + std::to_string(found->second) + " in the artifact, got " +
             std::to_string(size);
  }
  return "";
}

} // namespace

ProgramReport checkProgram(const fb::Module &module, const CheckRequest &request) {
  ProgramReport report;
  report.request = explainRequest(module, request);
  if (!report.request.empty())
    return report;
  Program program(module);
  for (const Code &code : program.functions) {
    if (code.function->bind())
      continue;
    EntryCheck entry(program, code, request);
    report.wrong = entry.run();
    report.entries.push_back(entry.entry());
    if (!report.wrong.empty())
      break;
  }
  return report;
}

uint64_t dataflowOf(const fb::Module &module, uint32_t function) {
  Program program(module);
  const Code &entry = program.functions[function];
  uint64_t dataflow = 0, work = 0;
  bool isAny = false;
  for (const Case &what : casesOf(program, entry, {}).all) {
    int64_t ranks = worldSize(module, what.meshes).value_or(0);
    if (ranks < 1 || ranks > kMostRanksCertified || !explainMeshes(module, what).empty())
      continue;
    work += entry.instructions.size() * static_cast<uint64_t>(ranks);
    if (isAny && work > kMostWorkCertified)
      break;
    Outcome outcome = runWorld(program, entry, what);
    if (outcome.state != State::Done && outcome.state != State::Refused && outcome.state != State::Endless)
      return 0;
    isAny |= outcome.state == State::Done;
    dataflow = mix(dataflow, outcome.state == State::Done ? outcome.dataflow : 0);
  }
  return isAny ? dataflow : 0;
}

} // namespace heddle::contract
