// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Locate.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;

SmallVector<std::string> check::namesOf(Location location) {
  SmallVector<std::string> names;
  auto add = [&](std::string name) {
    if (!llvm::is_contained(names, name))
      names.push_back(std::move(name));
  };
  location->walk([&](Location part) {
    if (auto named = dyn_cast<NameLoc>(part)) {
      add(named.getName().str());
      return WalkResult::skip();
    }
    if (auto file = dyn_cast<FileLineColLoc>(part))
      add((file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn())).str());
    return WalkResult::advance();
  });
  return names;
}

static bool isFilePosition(StringRef name) {
  unsigned line, column;
  auto [head, last] = name.rsplit(':');
  auto [file, middle] = head.rsplit(':');
  return !last.getAsInteger(10, column) && !middle.getAsInteger(10, line) && !file.empty();
}

// Nodes say more than the positions of their parts; the first few of many are enough to find them.
std::string check::describe(const Step &step) {
  constexpr size_t kMost = 3;
  std::string text = (step.isDispatch ? "@" : "") + step.op;
  SmallVector<std::string> names = namesOf(step.location);
  if (!llvm::all_of(names, isFilePosition))
    llvm::erase_if(names, isFilePosition);
  if (names.empty())
    return text;
  llvm::raw_string_ostream stream(text);
  stream << " (";
  llvm::interleaveComma(ArrayRef(names).take_front(kMost), stream, [&](const std::string &name) {
    if (isFilePosition(name))
      stream << name;
    else
      stream << "node \"" << name << '"';
  });
  if (names.size() > kMost)
    stream << " and " << names.size() - kMost << " more";
  stream << ')';
  return text;
}

namespace {

// Results of a trace by the name of the node they stem from, in program order.
using ByName = llvm::StringMap<SmallVector<const Step *>>;

ByName byName(ArrayRef<Step> steps) {
  ByName found;
  for (const Step &step : steps)
    for (const std::string &name : namesOf(step.location))
      found[name].push_back(&step);
  return found;
}

bool isComparable(const Tensor &a, const Tensor &b) { return a.type == b.type && a.count() == b.count(); }

// Reshapes between stages do not count.
bool agree(const Tensor &got, Tensor expected, Bound bound) {
  expected.shape = got.shape;
  return !differenceOf(got, expected, bound);
}

enum class Verdict { Agrees, Differs, Unknown };

// The last step of a node gives the node's value; an earlier one may be any of its intermediate values.
Verdict judge(const Tensor &got, ArrayRef<const Step *> candidates, bool isLast, Bound bound) {
  Verdict verdict = Verdict::Unknown;
  for (const Step *candidate : llvm::reverse(candidates))
    for (const Tensor &expected : candidate->results) {
      if (!isComparable(got, expected))
        continue;
      if (agree(got, expected, bound))
        return Verdict::Agrees;
      verdict = Verdict::Differs;
      if (isLast)
        return verdict;
    }
  return verdict;
}

} // namespace

const Step *check::firstDifferent(ArrayRef<Step> bad, ArrayRef<Step> good, Bound bound) {
  ByName expected = byName(good), all = byName(bad);
  for (const Step &step : bad) {
    bool differs = false, agrees = false;
    for (const std::string &name : namesOf(step.location)) {
      auto candidates = expected.find(name);
      if (candidates == expected.end())
        continue;
      bool isLast = all[name].back() == &step;
      for (const Tensor &result : step.results) {
        Verdict verdict = judge(result, candidates->second, isLast && step.results.size() == 1, bound);
        differs |= verdict == Verdict::Differs;
        agrees |= verdict == Verdict::Agrees;
      }
    }
    if (differs && !agrees)
      return &step;
  }
  return nullptr;
}
