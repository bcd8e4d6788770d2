// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Artifacts of programs that run on many ranks: a good one, and one malformed one per rule.
#include "SampleArtifact.h"
#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/CollectiveView.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

using namespace heddle;
using namespace heddle::contract;
using namespace heddle::contract::test;

namespace {

// The message for the sample with mesh @m = [x = 2, y = ?], the sum of f32 along x, and code that asks and reduces.
std::string errorOf(const std::function<void(fb::ModuleT &)> &change,
                    const std::function<void(Header &)> &changeHeader = {}) {
  fb::ModuleT module = sampleModule();
  module.meshes.push_back(mesh("m", {{"x", 2}, {"y", kFreeSize}}));
  module.collectives.push_back(collective(CollectiveKind::AllReduce, {0}));
  module.functions.push_back(function("reduce", R"(
      coordinate s0 g0 1
      mesh_size s0 g0 1
      member s0 g0
      comm_stream t1
      const s0 1
      collective t1 j0 b0 b0 s0
      return
    )",
                                      1, 1, 2));
  change(module);
  AlignedBytes bytes(build(module, std::vector<std::byte>(100)));
  if (changeHeader) {
    changeHeader(bytes.header());
    repairHash(bytes);
  }
  auto error = verifyArtifact(bytes);
  return error ? error->message : "";
}

std::string errorOfCode(const char *text, bool bind = false) {
  return errorOf([&](fb::ModuleT &m) {
    m.functions[1] = function("f", text, 4, 2, 2);
    m.functions[1]->bind = bind;
  });
}

TEST(MeshVerifier, Meshes) {
  EXPECT_EQ(errorOf([](fb::ModuleT &) {}), "");
  EXPECT_EQ(errorOf([](fb::ModuleT &) {}, [](Header &h) { h.featureBits = 0; }),
            "an artifact with meshes says so in its feature bits");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.meshes[0]->name.clear(); }), "mesh 0 has no name");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.meshes.push_back(mesh("m", {{"x", 2}})); }), "two meshes are named 'm'");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.meshes[0]->device = 1; }), "mesh 'm' is of device 1 of 1");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.meshes[0]->first = -1; }),
            "mesh 'm' must begin at a rank from 0 to 1048576, got -1");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.meshes.push_back(mesh("none", {})); }),
            "mesh 'none' must have from 1 to 16 axes, got 0");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.meshes[0]->axes[1]->name = "x"; }),
            "mesh 'm': axis 1 must have a name of its own, got 'x'");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.meshes[0]->axes[1]->name = ""; }),
            "mesh 'm': axis 1 must have a name of its own, got ''");
  for (int64_t size : {int64_t(0), int64_t(-2), int64_t(1) << 21, INT64_MAX})
    EXPECT_EQ(errorOf([&](fb::ModuleT &m) { m.meshes[0]->axes[1]->size = size; }),
              "mesh 'm' must have from 1 to 1048576 ranks, and a size of -1 or more for each axis");
}

TEST(MeshVerifier, Collectives) {
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.collectives[0]->kind = 9; }),
            "collective 0 has the unknown kind 9 or reduction 0");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.collectives[0]->reduction = 7; }),
            "collective 0 has the unknown kind 1 or reduction 7");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.collectives[0]->mesh = 1; }), "collective 0: mesh 1 of 1");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.collectives[0]->type = 77; }),
            "collective 0 has the unknown element type 77");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.collectives[0]->location = 5; }), "collective 0: location 5 of 1");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) { m.collectives[0]->axes = {2}; }), "collective 0 (all_reduce): axis 2 of 2");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) {
              m.collectives[0]->kind = static_cast<uint8_t>(CollectiveKind::Permute);
              m.collectives[0]->pairs = {0, 1, 1, 1};
            }),
            "collective 0 (permute): position 1 receives twice");
  EXPECT_EQ(errorOf([](fb::ModuleT &m) {
              m.collectives[0]->axes.clear();
              for (int64_t rank : {0, 0}) {
                m.collectives[0]->groups.push_back(std::make_unique<fb::RankListT>());
                m.collectives[0]->groups.back()->ranks = {rank};
              }
            }),
            "collective 0 (all_reduce): rank 0 is in the groups twice");
}

TEST(MeshVerifier, Code) {
  EXPECT_EQ(errorOfCode("coordinate s0 g1 0\nreturn"), "function 'f': instruction at word 0 (coordinate): mesh 1 of 1");
  EXPECT_EQ(errorOfCode("coordinate s0 g0 2\nreturn"), "function 'f': instruction at word 0 (coordinate): axis 2 of 2");
  EXPECT_EQ(errorOfCode("mesh_size s0 g0 2\nreturn"), "function 'f': instruction at word 0 (mesh_size): axis 2 of 2");
  EXPECT_EQ(errorOfCode("member s0 g1\nreturn"), "function 'f': instruction at word 0 (member): mesh 1 of 1");
  EXPECT_EQ(errorOfCode("collective t0 j1 b0 b1 s0\nreturn"),
            "function 'f': instruction at word 0 (collective): collective 1 of 1");
  EXPECT_EQ(errorOfCode("collective t0 j0 b0 b2 s0\nreturn"),
            "function 'f': instruction at word 0 (collective): buffer register 2 of 2");
  EXPECT_EQ(errorOfCode("collective t0 j0 b0 b1 s0\nreturn", /*bind=*/true),
            "function 'f': instruction at word 0 (collective): a bind function has no collectives");
  EXPECT_EQ(errorOfCode("parameter_slice b0 p0 x0 s0 s1\nreturn", /*bind=*/true), "");
  EXPECT_EQ(errorOfCode("parameter_slice b0 p0 x0 s0 s1\nreturn"),
            "function 'f': instruction at word 0 (parameter_slice): it is for bind functions only");
}

// What the loader chooses numbers of pieces by, and gives to the program.
TEST(MeshVerifier, Overlaps) {
  auto errorWith = [](const std::function<void(fb::OverlapT &, fb::BoundT &)> &change) {
    return errorOf([&](fb::ModuleT &m) {
      auto overlap = std::make_unique<fb::OverlapT>();
      overlap->extent = 8;
      overlap->counts = {1, 4, 16, 0};
      overlap->works.emplace_back(1, 2, 3);
      auto bound = std::make_unique<fb::BoundT>();
      bound->name = "overlap.0";
      bound->overlap = 0;
      change(*overlap, *bound);
      m.overlaps.push_back(std::move(overlap));
      m.bounds.push_back(std::move(bound));
    });
  };
  using O = fb::OverlapT;
  using B = fb::BoundT;
  EXPECT_EQ(errorWith([](O &, B &) {}), "");
  EXPECT_EQ(errorWith([](O &o, B &b) { o.counts.clear(), b.positions = true; }), "");
  EXPECT_EQ(errorWith([](O &o, B &) { o.collective = 1; }), "overlap 0: collective 1 of 1");
  EXPECT_EQ(errorWith([](O &o, B &) { o.counts = {4, 1}; }),
            "overlap 0 has the whole first, and each number of pieces once");
  EXPECT_EQ(errorWith([](O &o, B &) { o.counts = {1, 17}; }), "overlap 0: 17 pieces of at most 16");
  const std::string rates = "overlap 0 has no positions, or rates that nothing has";
  EXPECT_EQ(errorWith([](O &o, B &) { o.extent = 0; }), rates);
  EXPECT_EQ(errorWith([](O &o, B &) { o.gflops = 0; }), rates);
  EXPECT_EQ(errorWith([](O &o, B &) { o.memory_gbps = std::numeric_limits<double>::quiet_NaN(); }), rates);
  EXPECT_EQ(errorWith([](O &o, B &) { o.launch_us = -1; }), rates);
  EXPECT_EQ(errorWith([](O &o, B &) { o.link_us = -1; }), rates);
  EXPECT_EQ(errorWith([](O &o, B &) { o.link_gbps = -1; }), rates);
  EXPECT_EQ(errorWith([](O &, B &b) { b.overlap = 1; }), "bound value 0: overlap 1 of 1, of which it is a number");
  EXPECT_EQ(errorWith([](O &, B &b) { b.buffer = true; }), "bound value 0: overlap 0 of 1, of which it is a number");
}

TEST(MeshVerifier, Cuts) {
  auto errorOfCut = [](CollectiveKind kind, const char *text, bool bind = false, bool lists = false) {
    return errorOf([&](fb::ModuleT &m) {
      m.collectives[0]->kind = static_cast<uint8_t>(kind);
      if (lists) {
        m.collectives[0]->axes.clear();
        m.collectives[0]->groups.push_back(std::make_unique<fb::RankListT>());
        m.collectives[0]->groups.back()->ranks = {0, 1};
      }
      m.functions[1] = function("f", text, 4, 2, 2);
      m.functions[1]->bind = bind;
    });
  };
  std::string where = "function 'f': instruction at word 0 (collective_cut): ";
  const char *four = "collective_cut t0 j0 b0 b1 s0 [s0 s1 s2 s3]\nreturn";
  EXPECT_EQ(errorOfCut(CollectiveKind::AllGather, four), "");
  EXPECT_EQ(errorOfCut(CollectiveKind::AllToAll, "collective_cut t0 j0 b0 b1 s0 [s0 s1 s2 s3 s0 s1 s2 s3]\nreturn"),
            "");
  EXPECT_EQ(errorOfCut(CollectiveKind::AllToAll, four), where + "it must have 8 numbers of cuts, got 4");
  EXPECT_EQ(errorOfCut(CollectiveKind::Scatter, "collective_cut t0 j0 b0 b1 s0 []\nreturn"),
            where + "it must have 4 numbers of cuts, got 0");
  EXPECT_EQ(errorOfCut(CollectiveKind::AllReduce, four),
            where + "collective 0 has no pieces along axes, which could be cut");
  EXPECT_EQ(errorOfCut(CollectiveKind::AllGather, four, false, /*lists=*/true),
            where + "collective 0 has no pieces along axes, which could be cut");
  EXPECT_EQ(errorOfCut(CollectiveKind::AllGather, "collective_cut t0 j0 b0 b1 s0 [s0 s1 s2 s4]\nreturn"),
            where + "scalar register 4 of 4");
  EXPECT_EQ(errorOfCut(CollectiveKind::AllGather, four, /*bind=*/true), where + "a bind function has no collectives");
}

TEST(MeshVerifier, Exchanges) {
  const auto errorOfExchange = [](const char *text, const std::function<void(Header &)> &change = {}) {
    return errorOf(
        [&](fb::ModuleT &m) {
          m.collectives[0]->kind = static_cast<uint8_t>(CollectiveKind::Exchange);
          m.functions[1] = function("f", text, 4, 2, 2);
        },
        change);
  };
  const char *cut = "collective_cut t0 j0 b0 b1 s0 [s0 s1 s2 s3 s0 s1 s2 s3 s0 s1 s2 s3 s0 s1 s2 s3]\nreturn";
  EXPECT_EQ(errorOfExchange(cut), "");
  EXPECT_EQ(errorOfExchange(cut, [](Header &h) { h.featureBits = kFeatureRanks; }),
            "an artifact with exchanges says so in its feature bits");
  EXPECT_EQ(errorOfExchange("collective_cut t0 j0 b0 b1 s0 [s0 s1 s2 s3]\nreturn"),
            "function 'f': instruction at word 0 (collective_cut): it must have 16 numbers of cuts, got 4");
  EXPECT_EQ(errorOfExchange("collective t0 j0 b0 b1 s0\nreturn"),
            "function 'f': instruction at word 0 (collective): collective 0 is an exchange, which says how it is cut");
}

TEST(MeshVerifier, Shards) {
  auto errorOfShards = [](int32_t mesh, std::vector<std::vector<int64_t>> shards) {
    return errorOf([&](fb::ModuleT &m) {
      fb::ValueT &value = *m.functions[0]->arguments[0];
      value.mesh = mesh;
      for (std::vector<int64_t> &axes : shards) {
        value.shards.push_back(std::make_unique<fb::RankListT>());
        value.shards.back()->ranks = std::move(axes);
      }
    });
  };
  std::string whose = "function 'main': argument 0";
  EXPECT_EQ(errorOfShards(0, {{1, 0}}), "");
  EXPECT_EQ(errorOfShards(0, {}), "");
  EXPECT_EQ(errorOfShards(1, {}), whose + ": mesh 1 of 1");
  EXPECT_EQ(errorOfShards(-2, {}), whose + ": mesh -2 of 1");
  std::string lists = whose + " must have a mesh and a list of axes for each dimension (1), got ";
  EXPECT_EQ(errorOfShards(-1, {{0}}), lists + "1 lists");
  EXPECT_EQ(errorOfShards(0, {{0}, {1}}), lists + "2 lists");
  EXPECT_EQ(errorOfShards(0, {{2}}), whose + ", dimension 0: axis 2 of 2, each at most once");
  EXPECT_EQ(errorOfShards(0, {{-1}}), whose + ", dimension 0: axis -1 of 2, each at most once");
  EXPECT_EQ(errorOfShards(0, {{0, 0}}), whose + ", dimension 0: axis 0 of 2, each at most once");
}

TEST(MeshVerifier, Parts) {
  auto errorOfParts = [](const std::function<void(fb::ValueT &)> &change) {
    return errorOf([&](fb::ModuleT &m) {
      fb::ValueT &value = *m.functions[0]->arguments[0];
      value.mesh = 0;
      value.shards.push_back(std::make_unique<fb::RankListT>());
      value.shards.back()->ranks = {1};
      change(value);
    });
  };
  std::string whose = "function 'main': argument 0";
  auto sizes = [&](std::vector<int64_t> wholes, std::vector<int64_t> granules) {
    return errorOfParts([&](fb::ValueT &v) { v.wholes = wholes, v.granules = granules; });
  };
  EXPECT_EQ(sizes({66}, {2}), "");
  EXPECT_EQ(sizes({0}, {2}), "");
  EXPECT_EQ(sizes({-1}, {}), "");
  EXPECT_EQ(sizes({66, 1}, {}), whose + " must have sizes and granules for all of its 1 lists of axes, got 2 and 0");
  EXPECT_EQ(sizes({66}, {1, 1}), whose + " must have sizes and granules for all of its 1 lists of axes, got 1 and 2");
  EXPECT_EQ(sizes({66}, {4}), whose + ", dimension 0: 66 positions in granules of 4");
  EXPECT_EQ(sizes({-1}, {2}), whose + ", dimension 0: -1 positions in granules of 2");
  EXPECT_EQ(sizes({}, {2}), whose + ", dimension 0: -1 positions in granules of 2");
  EXPECT_EQ(sizes({66}, {0}), whose + ", dimension 0: 66 positions in granules of 0");
  EXPECT_EQ(sizes({-2}, {1}), whose + ", dimension 0: -2 positions in granules of 1");
  EXPECT_EQ(sizes({int64_t(1) << 60}, {1}), whose + ", dimension 0: 1152921504606846976 positions in granules of 1");
  auto partial = [&](std::vector<uint32_t> axes, uint8_t reduction) {
    return errorOfParts([&](fb::ValueT &v) { v.partial = axes, v.reduction = reduction; });
  };
  EXPECT_EQ(partial({0}, 0), "");
  EXPECT_EQ(partial({1}, 0), whose + ", parts that are combined: axis 1 of 2, each at most once");
  EXPECT_EQ(partial({2}, 0), whose + ", parts that are combined: axis 2 of 2, each at most once");
  EXPECT_EQ(partial({0, 0}, 0), whose + ", parts that are combined: axis 0 of 2, each at most once");
  EXPECT_EQ(partial({0}, 7), whose + " has the unknown reduction 7");
  EXPECT_EQ(partial({0}, static_cast<uint8_t>(Reduction::Xor)), whose + ": there is no 'xor' of f32");
}

} // namespace
