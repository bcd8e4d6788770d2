// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Dialect/Host/Analysis/Assumptions.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace mlir::heddle::host;

Assumptions::Pair Assumptions::pairOf(SameOp op) {
  Pair pair{op.getLhs(), op.getRhs()};
  return pair.first < pair.second ? pair : Pair{pair.second, pair.first};
}

// Whether the answers name groups of devices: no two of a chain of same ones are different ones.
bool Assumptions::isConsistent() const {
  llvm::EquivalenceClasses<StringRef> groups;
  for (auto &[pair, answer] : same) {
    groups.insert(pair.first);
    groups.insert(pair.second);
    if (answer)
      groups.unionSets(pair.first, pair.second);
  }
  return llvm::all_of(
      same, [&](auto &entry) { return entry.second || !groups.isEquivalent(entry.first.first, entry.first.second); });
}

std::vector<Assumptions> Assumptions::enumerate(FuncOp func) {
  constexpr size_t kMaxCombinations = 1024;
  SetVector<Pair> questions;
  func.walk([&](SameOp op) {
    if (op.getLhs() != op.getRhs())
      questions.insert(pairOf(op));
  });
  std::vector<Assumptions> all(1);
  for (Pair question : questions) {
    std::vector<Assumptions> extended;
    for (bool answer : {false, true})
      for (Assumptions base : all) {
        base.same[question] = answer;
        if (base.isConsistent())
          extended.push_back(std::move(base));
      }
    if (extended.size() > kMaxCombinations)
      return std::vector<Assumptions>(1);
    all = std::move(extended);
  }
  return all;
}

std::optional<bool> Assumptions::decide(Value condition) const {
  if (matchPattern(condition, m_One()))
    return true;
  if (matchPattern(condition, m_Zero()))
    return false;
  if (auto question = condition.getDefiningOp<SameOp>()) {
    if (question.getLhs() == question.getRhs())
      return true;
    auto answer = same.find(pairOf(question));
    return answer == same.end() ? std::nullopt : std::optional<bool>(answer->second);
  }
  if (auto negation = condition.getDefiningOp<arith::XOrIOp>(); negation && matchPattern(negation.getRhs(), m_One()))
    if (auto inner = decide(negation.getLhs()))
      return !*inner;
  return std::nullopt;
}

bool Assumptions::excludes(mlir::Region &region) const {
  auto branch = dyn_cast<scf::IfOp>(region.getParentOp());
  std::optional<bool> known = branch ? decide(branch.getCondition()) : std::nullopt;
  return known && *known != (region.getRegionNumber() == 0);
}

std::string Assumptions::describe() const {
  std::string text;
  for (auto &[pair, answer] : same)
    text += (text.empty() ? " (with @" : ", @") + pair.first.str() + " and @" + pair.second.str() +
            (answer ? " one device" : " two devices");
  return text.empty() ? text : text + ")";
}
