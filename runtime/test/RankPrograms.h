// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written artifacts of programs with meshes, and their parts.
#ifndef HEDDLE_RUNTIME_TEST_RANKPROGRAMS_H
#define HEDDLE_RUNTIME_TEST_RANKPROGRAMS_H

#include "TestModules.h"
#include "heddle/contract/Collectives.h"

namespace heddle::test {

using contract::CollectiveKind;

struct Axis {
  const char *name;
  int64_t size = contract::kFreeSize;
};

inline void addMesh(fb::ModuleT &module, const char *name, std::vector<Axis> axes, int64_t first = 0) {
  auto mesh = std::make_unique<fb::MeshT>();
  mesh->name = name;
  for (const Axis &axis : axes) {
    mesh->axes.push_back(std::make_unique<fb::MeshAxisT>());
    mesh->axes.back()->name = axis.name;
    mesh->axes.back()->size = axis.size;
  }
  mesh->first = first;
  module.meshes.push_back(std::move(mesh));
}

// Over the axes of a mesh; the caller changes what else it wants.
inline fb::CollectiveT &addCollective(fb::ModuleT &module, CollectiveKind kind, std::vector<uint32_t> axes = {0},
                                      uint32_t mesh = 0, ElementType type = ElementType::F32) {
  auto collective = std::make_unique<fb::CollectiveT>();
  collective->kind = static_cast<uint8_t>(kind);
  collective->type = static_cast<uint8_t>(type);
  collective->mesh = mesh;
  collective->axes = std::move(axes);
  collective->name = "meet";
  if (kind == CollectiveKind::Permute)
    collective->shift = 1;
  module.collectives.push_back(std::move(collective));
  return *module.collectives.back();
}

// The code that computes in s1 the elements of a collective's piece and in s2 those of its target, where s0 counts its
// source's among s9 members.
inline std::string countPieces(CollectiveKind kind) {
  std::string code = contract::hasSourcePieces(kind) ? "div_s s1 s0 s9\n" : "move s1 s0\n";
  return code + (contract::hasTargetPieces(kind) ? "mul s2 s1 s9\n" : "move s2 s1\n");
}

// Kinds that exchangeModule() has a program of: the last one is always cut (collectives/cts, test/shardings).
inline constexpr uint8_t kUncutKinds = static_cast<uint8_t>(CollectiveKind::Exchange);

// main(x: n x f32) -> y: one collective over mesh @m, [x = ?].
inline fb::ModuleT exchangeModule(CollectiveKind kind) {
  fb::ModuleT module = emptyModule();
  addMesh(module, "m", {{"x"}});
  addCollective(module, kind);
  auto main = contract::test::function("main", "mesh_size s9 g0 0\n" + countPieces(kind) + R"(
      const s3 4
      mul s4 s2 s3
      result b1 r0 x0 s4
      comm_stream t1
      record e0 t0
      wait t1 e0
      collective t1 j0 b0 b1 s1
      record e1 t1
      wait t0 e1
      set_result r0 b1 [s2]
      return)",
                                       10, 2, 2, 2);
  addSymbol(*main, "n", 0, 1 << 20);
  main->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(contract::test::value("y", ElementType::F32, {size(-1)}));
  module.functions.push_back(std::move(main));
  return module;
}

// main(x: n x f32, k x f32, r x f32) -> y: five times a kernel and a collective in place. In round `k`, the first is 1,
// the kernel of rank `r` finds an index out of range, or with `dies` ends the process by a signal.
inline fb::ModuleT failingModule(bool dies = false, CollectiveKind kind = CollectiveKind::AllReduce) {
  fb::ModuleT module = emptyModule();
  module.executables.push_back(contract::test::executable("die", {"die"}, 1, 1));
  module.executables.back()->exports[0]->location = UINT32_MAX;
  size_t failing = dies ? module.executables.size() - 1 : size_t(kOutOfRange);
  addMesh(module, "m", {{"x"}});
  addCollective(module, kind).location = 1;
  module.locations.push_back(contract::test::location("/block/Sum"));
  auto main = contract::test::function("main", R"(
      coordinate s3 g0 0
      const s4 4
      mul s5 s0 s4
      const s6 0
      const s7 1
      const s8 1
      alloc b3 x0 s5
      comm_stream t1
      copy t0 b3 s6 b0 s6 s5
      record e0 t0
@loop cmp_eq s9 s8 s1
      cmp_eq s10 s3 s2
      and s9 s9 s10
      sub s11 s7 s9
      wait t1 e0
      dispatch t0 )" + std::to_string(failing) + R"(.0 s7 s6 [b3] [s11]
      collective t1 j0 b3 b3 s0
      record e1 t1
      wait t0 e1
      record e0 t0
      add s8 s8 s7
      const s12 6
      cmp_lt s12 s8 s12
      br_if s12 @loop @done
@done result b4 r0 x0 s5
      copy t0 b4 s6 b3 s6 s5
      set_result r0 b4 [s0]
      return)",
                                       13, 5, 2, 2);
  for (const char *name : {"n", "k", "r"}) {
    addSymbol(*main, name, 0, 1000);
    main->arguments.push_back(
        contract::test::value(name, ElementType::F32, {symbol(static_cast<int32_t>(main->arguments.size()))}));
  }
  main->results.push_back(contract::test::value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  return module;
}

// main(x: n x f32) -> y: x = 2 * all_reduce(x), ten times, in place; what a kernel writes the collective waits for, and
// the other way round.
inline fb::ModuleT loopModule() {
  fb::ModuleT module = quadrupleModule();
  module.functions.clear();
  addMesh(module, "m", {{"x"}});
  addCollective(module, CollectiveKind::AllReduce);
  auto main = contract::test::function("main", R"(
      const s1 4
      mul s2 s0 s1
      const s3 16
      ceildiv_s s3 s0 s3
      const s4 0
      const s5 1
      const s6 10
      alloc b1 x0 s2
      result b2 r0 x0 s2
      parameter b3 p0
      comm_stream t1
      copy t0 b1 s4 b0 s4 s2
      record e0 t0
@loop wait t1 e0
      collective t1 j0 b1 b1 s0
      record e1 t1
      wait t0 e1
      dispatch t0 0.0 s3 s4 [b1 b3 b2] [s0]
      copy t0 b1 s4 b2 s4 s2
      record e0 t0
      sub s6 s6 s5
      br_if s6 @loop @done
@done free t0 b1
      set_result r0 b2 [s0]
      return)",
                                       8, 4, 2, 2);
  addSymbol(*main, "n", 0, 1 << 20);
  main->arguments.push_back(contract::test::value("x", ElementType::F32, {symbol(0)}));
  main->results.push_back(contract::test::value("y", ElementType::F32, {symbol(0)}));
  module.functions.push_back(std::move(main));
  return module;
}

} // namespace heddle::test

#endif // HEDDLE_RUNTIME_TEST_RANKPROGRAMS_H
