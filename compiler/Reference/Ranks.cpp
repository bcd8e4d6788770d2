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

std::string Ranks::meet(unsigned rank, unsigned collective, Tensor operand, Tensor &result) {
  const CollectiveInfo &info = program.collectives[collective];
  const MeshInfo &mesh = program.meshes[info.mesh];
  SmallVector<unsigned> group;
  if (place(rank, {info.mesh, -1}))
    for (int64_t member : contract::membersOf(info.spec.group, mesh.sizes, rank - mesh.first))
      group.push_back(mesh.first + member);
  std::unique_lock lock(mutex);
  Member &own = members[rank];
  own.operand = std::move(operand);
  if (group.empty()) { // what it would get, of its own operand, in zeros
    SmallVector<Tensor> alone(std::max<int64_t>(contract::groupSize(info.spec.group, mesh.sizes), 1), own.operand);
    result = computeCollective(info, alone, 0);
    result = Tensor::allocate(result.type, result.shape);
    return "";
  }
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

// Gives each member of the group its result.
void Ranks::finish(unsigned collective, ArrayRef<unsigned> group) {
  const CollectiveInfo &info = program.collectives[collective];
  SmallVector<Tensor> operands;
  for (unsigned member : group) {
    operands.push_back(std::move(members[member].operand));
    if (operands.back().shape != operands[0].shape)
      return fail(member, info.name + " of " + shapeOf(operands.back()) + ", and rank " + std::to_string(group[0]) +
                              " has " + shapeOf(operands[0]));
  }
  for (auto [position, member] : llvm::enumerate(group)) {
    members[member].result = computeCollective(info, operands, position);
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
