// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ranks.h and ranks.hpp through the shared library, as a user has them.
#include "RankPrograms.h"
#include "heddle/ranks.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <unistd.h>

using namespace heddle::test;
using heddle::fb::RankListT;

namespace {

// The all_reduce of exchangeModule(), with an argument dealt out along x and then y.
class CapiRanks : public testing::Test {
protected:
  void SetUp() override {
    path_ = testing::TempDir() + "capi_ranks_test_" + std::to_string(getpid()) + ".heddle";
    heddle::fb::ModuleT module = exchangeModule(CollectiveKind::AllReduce);
    module.meshes.clear();
    addMesh(module, "m", {{"x"}, {"y", 2}});
    heddle::fb::ValueT &argument = *module.functions[0]->arguments[0];
    argument.mesh = 0;
    argument.shards.push_back(std::make_unique<RankListT>());
    argument.shards[0]->ranks = {0, 1};
    std::vector<std::byte> bytes = heddle::contract::test::build(module, kernelCode());
    std::ofstream(path_, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  }
  void TearDown() override { std::remove(path_.c_str()); }

  template <typename Body> static void forEach(const heddle::World &world, Body &&body) {
    std::vector<std::thread> threads;
    for (uint32_t m = 0; m < world.members(); ++m)
      threads.emplace_back([&, m] { body(m); });
    for (std::thread &thread : threads)
      thread.join();
  }
  std::string path_;
};

TEST_F(CapiRanks, AWorldOfThreads) {
  heddle::World world(4, "local");
  EXPECT_EQ(world.size(), 4u);
  EXPECT_EQ(world.members(), 4u);
  EXPECT_EQ(world.rank(3), 3u);
  EXPECT_EQ(world.rank(4), UINT32_MAX);
  EXPECT_STREQ(world.transport(), "local");
  EXPECT_EQ(heddle_world_failure(world.raw()), nullptr);
  forEach(world, [&](uint32_t m) {
    heddle::Module module = world.load(path_, m, "x=2", {"local://0"});
    EXPECT_EQ(heddle_module_rank(module.raw()), m);
    ASSERT_EQ(heddle_module_mesh_count(module.raw()), 1u);
    EXPECT_EQ(heddle_module_mesh(module.raw(), 1), nullptr);
    const heddle_mesh_info &mesh = *heddle_module_mesh(module.raw(), 0);
    EXPECT_STREQ(mesh.name, "m");
    EXPECT_EQ(mesh.size, 4u);
    ASSERT_EQ(mesh.axis_count, 2u);
    EXPECT_STREQ(mesh.axes[0].name, "x");
    EXPECT_EQ(mesh.axes[0].size, 2);
    EXPECT_EQ(mesh.axes[0].coordinate, m / 2);
    EXPECT_EQ(mesh.axes[1].coordinate, m % 2);
    const heddle_sharding *sharding = heddle_module_argument_sharding(module.raw(), 0, 0);
    ASSERT_NE(sharding, nullptr);
    ASSERT_EQ(sharding->rank, 1u);
    EXPECT_EQ(sharding->dims[0].axis_count, 2u);
    EXPECT_EQ(sharding->dims[0].parts, 4);
    EXPECT_EQ(sharding->dims[0].part, m);
    EXPECT_EQ(heddle_module_result_sharding(module.raw(), 0, 0), nullptr);
    EXPECT_EQ(heddle_module_argument_sharding(module.raw(), 0, 1), nullptr);
    EXPECT_EQ(heddle_module_argument_sharding(module.raw(), 1, 0), nullptr);

    heddle::Invocation call(module);
    std::vector<float> x = {1, static_cast<float>(m)};
    EXPECT_EQ(call({heddle::Tensor::borrow(x, {2})})[0].values<float>()[1],
              m / 2 == 0 ? m % 2 + (m % 2 + 2) : m % 2 * 2 + 2);
    EXPECT_EQ(call.statistics().collectives, 1u);
    EXPECT_EQ(call.statistics().collective_bytes, 16u);
    uint32_t all[4] = {};
    heddle::check(heddle_world_all_gather(world.raw(), m, &m, sizeof(m), all));
    EXPECT_EQ(all[3], 3u);
  });
}

TEST_F(CapiRanks, HowManyRanks) {
  heddle_artifact *artifact;
  heddle::check(heddle_artifact_open_file(path_.c_str(), &artifact));
  uint64_t ranks = 0;
  heddle::check(heddle_artifact_ranks(artifact, "x=3", 0, &ranks));
  EXPECT_EQ(ranks, 6u);
  heddle::check(heddle_artifact_ranks(artifact, nullptr, 8, &ranks));
  EXPECT_EQ(ranks, 8u);
  auto refusal = [&](const char *mesh, uint32_t world) {
    heddle_status *status = heddle_artifact_ranks(artifact, mesh, world, &ranks);
    std::string message = heddle_status_message(status);
    heddle_status_release(status);
    return message;
  };
  EXPECT_EQ(refusal("", 0), "the axis 'x' of mesh @m is free; tell its size (--mesh=x=RANKS)");
  EXPECT_EQ(refusal("", 3),
            "the axis 'x' of mesh @m is free, and the 3 ranks that the world has for its mesh are not a "
            "multiple of the other axes' 2; tell its size (--mesh=x=RANKS)");
  EXPECT_EQ(refusal("z=3", 0), "no mesh of the program has the axis 'z'; the axes are x, y");
  EXPECT_EQ(refusal("x=0", 0), "sizes of a mesh are given as \"x=2,y=4\", got 'x=0'");
  EXPECT_EQ(refusal("x=2,,y=2", 0), "sizes of a mesh are given as \"x=2,y=4\", got ''");
  EXPECT_EQ(refusal("x=2000000", 0), "mesh @m has more than 1048576 ranks");
  EXPECT_EQ(refusal("x=1,x=2", 0), "the axis 'x' of mesh @m is given twice, got x=1 and x=2");
  EXPECT_EQ(refusal("m.x=1,y=3", 0), "the axis 'y' of mesh @m has the size 2 in the program, got y=3; compile it for "
                                     "that size, or with the size free");
  heddle_artifact_release(artifact);
}

TEST_F(CapiRanks, RefusedLoadsEndTheWorld) {
  heddle::World world(2);
  EXPECT_THROW(world.load(path_, 2), heddle::Error);
  EXPECT_EQ(heddle_world_failure(world.raw()), nullptr); // nobody's place
  std::string texts[2];
  forEach(world, [&](uint32_t m) {
    try {
      world.load(m ? path_ : path_ + "x", m);
    } catch (const heddle::Error &error) {
      texts[m] = error.what();
      EXPECT_EQ(error.code(), m ? HEDDLE_RANK_FAILED : HEDDLE_NOT_FOUND);
    }
  });
  EXPECT_NE(texts[1].find("rank 0: "), std::string::npos) << texts[1];
  heddle_status *failure = heddle_world_failure(world.raw());
  EXPECT_EQ(heddle_status_get_code(failure), HEDDLE_NOT_FOUND);
  heddle_status_release(failure);
}

TEST_F(CapiRanks, WhatAWorldIsNot) {
  auto refusal = [](heddle_world_options options) {
    heddle_world *world = nullptr;
    options.struct_size = sizeof(options);
    heddle_status *status = heddle_world_create(&options, &world);
    std::string message = heddle_status_message(status);
    heddle_status_release(status);
    heddle_world_release(world);
    return message;
  };
  EXPECT_EQ(refusal({0, 0, "pigeons", 0}), "a world's transport is auto, local or mpi, got 'pigeons'");
  heddle_world_release(nullptr);
  heddle::World one;
  EXPECT_EQ(one.size(), 1u);
  one.abort(0, HEDDLE_CANCELLED, "no more");
  EXPECT_THROW(one.load(path_, 0), heddle::Error);
}

// A module loaded by one process alone says what it takes.
TEST_F(CapiRanks, AProgramOfManyRanksAlone) {
  try {
    heddle::Module module(path_, {"local://0"});
    ADD_FAILURE();
  } catch (const heddle::Error &error) {
    EXPECT_NE(std::string(error.what()).find("the 1 ranks that the world has"), std::string::npos) << error.what();
  }
}

} // namespace
