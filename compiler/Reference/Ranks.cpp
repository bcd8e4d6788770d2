// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Reference/Ranks.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::reference;
namespace contract = ::heddle::contract;

Ranks::Ranks(const Program &program, unsigned count) : program(program), members(count) {}

int64_t Ranks::place(unsigned rank, const PlaceInfo &info) const {
  const MeshInfo &mesh = program.meshes[info.mesh];
  bool isMember = rank >= mesh.first && rank < mesh.first + *contract::ranksOf(mesh.sizes);
  if (info.axis < 0 || !isMember)
    return info.axis < 0 && isMember;
  return contract::coordinatesOf(mesh.sizes, rank - mesh.first)[info.axis];
}

static std::string shapeOf(const Tensor &tensor) { return spell(tensor); }

std::string Ranks::meet(unsigned rank, unsigned collective, Tensor operand, ArrayRef<contract::Cut> cuts,
                        Tensor &result) {
  const CollectiveInfo &info = program.collectives[collective];
  const MeshInfo &mesh = program.meshes[info.mesh];
  SmallVector<unsigned> group;
  if (place(rank, {info.mesh, -1}))
    for (int64_t member : contract::membersOf(info.spec.group, mesh.sizes, rank - mesh.first))
      group.push_back(mesh.first + member);
  if (group.empty()) { // zeros
    int64_t count = std::max<int64_t>(contract::groupSize(info.spec.group, mesh.sizes), 1);
    std::string why = explainOperand(info, cuts, operand.shape, 0, count);
    if (why.empty())
      result = Tensor::allocate(operand.type, shapeOfResult(info, cuts, operand.shape, count));
    return why;
  }
  std::unique_lock lock(mutex);
  Member &own = members[rank];
  own.operand = std::move(operand);
  own.cuts.assign(cuts.begin(), cuts.end());
  own.at = collective;
  bool isLast =
      llvm::all_of(group, [&](unsigned member) { return members[member].at == static_cast<int>(collective); });
  if (isLast)
    finish(collective, group);
  else
    failIfStuck();
  changed.wait(lock, [&] { return own.at == kNowhere || !error.empty(); });
  if (own.at != kNowhere)
    return error;
  result = std::move(own.result);
  return "";
}

// Whether shapes that fit their cuts are alike but for the members' own pieces.
static bool areAlike(const CollectiveInfo &info, bool isCut, const Tensor &a, const Tensor &b) {
  if (a.shape.size() != b.shape.size())
    return false;
  int64_t own = info.spec.kind == contract::CollectiveKind::Exchange   ? info.dim
                : !isCut || !contract::hasTargetPieces(info.spec.kind) ? -1
                : contract::hasSourcePieces(info.spec.kind)            ? info.concat
                                                                       : info.dim;
  return llvm::all_of(llvm::enumerate(llvm::zip(a.shape, b.shape)), [&](auto entry) {
    auto [x, y] = entry.value();
    return static_cast<int64_t>(entry.index()) == own || x == y;
  });
}

// Gives each member of the group its result.
void Ranks::finish(unsigned collective, ArrayRef<unsigned> group) {
  const CollectiveInfo &info = program.collectives[collective];
  SmallVector<Tensor> operands;
  ArrayRef<contract::Cut> cuts = members[group[0]].cuts;
  for (auto [position, member] : llvm::enumerate(group)) {
    operands.push_back(std::move(members[member].operand));
    if (ArrayRef(members[member].cuts) != cuts)
      return fail(member, info.name + " is cut otherwise than on rank " + std::to_string(group[0]));
    if (std::string why = explainOperand(info, cuts, operands.back().shape, position, group.size()); !why.empty())
      return fail(member, why);
    if (!areAlike(info, !cuts.empty(), operands.back(), operands[0]))
      return fail(member, info.name + " of " + shapeOf(operands.back()) + ", and rank " + std::to_string(group[0]) +
                              " has " + shapeOf(operands[0]));
  }
  for (auto [position, member] : llvm::enumerate(group)) {
    members[member].result = computeCollective(info, cuts, operands, position);
    members[member].at = kNowhere;
  }
  changed.notify_all();
}

void Ranks::fail(unsigned rank, const std::string &why) {
  if (error.empty())
    error = "rank " + std::to_string(rank) + ": " + why;
  changed.notify_all();
}

// Whether everybody waits, or has left.
void Ranks::failIfStuck() {
  const Member *waiting = nullptr;
  for (const Member &member : members) {
    if (!member.left && member.at == kNowhere)
      return;
    if (!member.left)
      waiting = &member;
  }
  if (waiting)
    fail(waiting - members.data(), "waits in " + program.collectives[waiting->at].name + " for ranks that never come");
}

void Ranks::leave(unsigned rank, const std::string &why) {
  std::lock_guard lock(mutex);
  members[rank].left = true;
  if (!why.empty())
    fail(rank, why);
  else
    failIfStuck();
}
