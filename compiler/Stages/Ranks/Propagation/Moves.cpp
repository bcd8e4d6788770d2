// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Moves.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

Moves::Moves(const ProgramGraph &program) : program(program) {
  for (device::MeshOp mesh : program.getMeshes())
    meshes.push_back(MeshShape::of(mesh));
}

const std::optional<ReshardPlan> &Moves::find(unsigned value, const Layout &from, const Layout &to) {
  static const std::optional<ReshardPlan> kNothing = ReshardPlan();
  const ShardingGraph &graph = program.graph;
  if (graph.areSame(from, to, graph.values[value].sizes))
    return kNothing;
  // What every rank has is over the other's mesh.
  unsigned source = program.meshOf(from).value_or(program.meshOf(to).value_or(0));
  unsigned target = program.meshOf(to).value_or(source);
  flow::ShardingAttr had = program.toAttribute(from, source), wanted = program.toAttribute(to, target);
  auto type = cast<RankedTensorType>(program.programValues[value].getType());
  Key key{had.getAsOpaquePointer(), wanted.getAsOpaquePointer(), type.getAsOpaquePointer(),
          SmallVector<int64_t>(program.getEstimates(value))};
  auto known = plans.find(key);
  if (known == plans.end())
    known =
        plans.emplace(key, planReshard(had, wanted, type, program.getEstimates(value), meshes[source], meshes[target]))
            .first;
  return known->second;
}

ReshardPlan Moves::plan(unsigned value, const Layout &from, const Layout &to) {
  return find(value, from, to).value_or(ReshardPlan());
}

uint64_t Moves::bytes(unsigned value, const Layout &from, const Layout &to) {
  constexpr uint64_t kNever = uint64_t{1} << 52;
  const std::optional<ReshardPlan> &plan = find(value, from, to);
  return plan ? bytesOf(*plan) : kNever;
}

MoveCost Moves::asCost() {
  return [this](unsigned value, const Layout &from, const Layout &to) { return bytes(value, from, to); };
}
