// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Ranks/Propagation/Moves.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::propagation;

Moves::Moves(const ProgramGraph &program) : program(program) {
  for (device::MeshOp mesh : program.getMeshes())
    meshes.push_back(MeshShape::of(mesh));
}

// The dimensions that are wanted in windows.
SmallVector<WindowedDim> Moves::windowsOf(const Layout &layout) const {
  SmallVector<WindowedDim> windows;
  for (auto [dim, cut] : llvm::enumerate(layout.dims))
    if (cut.window) {
      WindowedDim &windowed = windows.emplace_back(WindowedDim{static_cast<int64_t>(dim), {}, *cut.window});
      for (unsigned axis : cut.axes)
        windowed.axes.push_back(StringAttr::get(meshes.front().name.getContext(), program.graph.axes[axis].name));
    }
  return windows;
}

const std::optional<ReshardPlan> &Moves::find(unsigned value, const Layout &from, const Layout &to) {
  static const std::optional<ReshardPlan> kNothing = ReshardPlan();
  const ShardingGraph &graph = program.graph;
  if (graph.areSame(from, to, graph.values[value].sizes))
    return kNothing;
  // What every rank has is over the other's mesh.
  unsigned source = program.meshOf(from).value_or(program.meshOf(to).value_or(0));
  unsigned target = program.meshOf(to).value_or(source);
  SmallVector<WindowedDim> windows = windowsOf(to);
  flow::ShardingAttr had = program.toAttribute(from, source), wanted = program.toAttribute(to.withoutWindows(), target);
  auto type = cast<RankedTensorType>(program.programValues[value].getType());
  Key key{had.getAsOpaquePointer(), wanted.getAsOpaquePointer(), type.getAsOpaquePointer(),
          SmallVector<int64_t>(program.getEstimates(value))};
  for (const WindowedDim &windowed : windows) {
    const Window &window = windowed.window;
    std::get<SmallVector<int64_t>>(key).append({windowed.dim, static_cast<int64_t>(windowed.axes.size()), window.scale,
                                                window.first, window.extent, window.size, window.granule, window.low,
                                                window.high, window.behind});
  }
  for (const WindowedDim &windowed : windows)
    for (StringAttr axis : windowed.axes)
      std::get<SmallVector<int64_t>>(key).push_back(reinterpret_cast<intptr_t>(axis.getAsOpaquePointer()));
  auto known = plans.find(key);
  if (known != plans.end())
    return known->second;
  ArrayRef<int64_t> estimates = program.getEstimates(value);
  std::optional<WindowPlan> exchanged = windows.empty() || source != target || had.isReplicated()
                                            ? std::nullopt
                                            : planWindows(had, wanted, windows, type, estimates, meshes[source]);
  std::optional<ReshardPlan> plan = exchanged
                                        ? std::optional(std::move(exchanged->reshard))
                                        : planReshard(had, wanted, type, estimates, meshes[source], meshes[target]);
  return plans.emplace(key, std::move(plan)).first->second;
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
