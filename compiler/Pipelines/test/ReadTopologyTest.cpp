// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/ReadTopology.h"
#include "compiler/Pipelines/Stages.h"

#include "compiler/Dialect/Device/IR/DeviceOps.h"
#include "compiler/Dialect/Flow/Analysis/Topology.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace mlir;
using namespace mlir::heddle;

namespace {

constexpr const char *kTwo = R"(
device.global @a = #device.target<"local", {gflops = 7 : i64}, [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
device.global @b = #device.target<"local", [#device.executable<"elf-x86_64", {cpu = "x86-64-v3", features = ""}>]>
)";

class ReadTopology : public testing::Test {
protected:
  ReadTopology() : path(std::filesystem::temp_directory_path() / ("topology-" + std::to_string(getpid()) + ".json")) {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  ~ReadTopology() override { std::filesystem::remove(path); }

  // What applying the file says; `module` is the result.
  std::string apply(const std::string &text, const char *source = kTwo) {
    std::ofstream(path) << text;
    return applyFile(path.string(), source);
  }
  std::string applyFile(const std::string &file, const char *source = kTwo) {
    std::string said;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
    module = parseSourceString<ModuleOp>(source, &context);
    EXPECT_TRUE(module);
    ok = succeeded(applyTopology(*module, file));
    size_t at = said.find("': ");
    return at == std::string::npos || ok ? said : said.substr(at + 3);
  }

  MLIRContext context;
  std::filesystem::path path;
  OwningOpRef<ModuleOp> module;
  bool ok = false;
};

// The device at a position is the file's at that position; what is left is for those that ask for none.
TEST_F(ReadTopology, Positions) {
  const char *source = R"(
device.global @any = #device.target<"local", [#device.executable<"elf-x86_64">]>
device.global @second = #device.target<"local", {given = 1 : i64}, [#device.executable<"elf-x86_64">]>
device.global @first = #device.target<"local", {given = 0 : i64}, [#device.executable<"elf-x86_64">]>
device.global @fifth = #device.target<"local", {given = 4 : i64}, [#device.executable<"elf-x86_64">]>
)";
  std::string said = apply(R"({"version": 1,
    "devices": [{"name": "local[0]", "gflops": 150}, {"name": "vulkan[0]", "gflops": 30}, {"name": "local[1]", "gflops": 7}],
    "links": [{"from": "local[0]", "to": "vulkan[0]", "bandwidth_gbps": 5}]})",
                           source);
  ASSERT_TRUE(ok) << said;
  EXPECT_NE(said.find("says nothing of @fifth (ordinal<4>)"), std::string::npos) << said;
  flow::Topology topology = flow::Topology::of(*module);
  EXPECT_EQ(topology.models[0].gflops, 7);
  EXPECT_EQ(topology.models[1].gflops, 30);
  EXPECT_EQ(topology.models[2].gflops, 150);
  EXPECT_EQ(topology.link(2, 1).bandwidthGbps, 5);
}

TEST_F(ReadTopology, LinksAndRates) {
  EXPECT_EQ(apply(R"({"version": 1,
    "devices": [{"name": "local[0]", "gflops": 150, "memory_gbps": 12}, {"name": "b", "gflops": 30}],
    "links": [{"from": "local", "to": "b", "bandwidth_gbps": 2.5, "latency_us": 9}, {"from": "b", "to": "local[0]", "unified": true},
              {"from": "host", "to": "local[0]", "bandwidth_gbps": 8, "latency_us": 1}]})"),
            "");
  ASSERT_TRUE(ok);
  flow::Topology topology = flow::Topology::of(*module);
  ASSERT_EQ(topology.links.size(), 2u);
  EXPECT_DOUBLE_EQ(topology.link(0, 1).bandwidthGbps, 2.5);
  EXPECT_DOUBLE_EQ(topology.link(0, 1).latencyUs, 9);
  EXPECT_FALSE(topology.link(0, 1).unified);
  EXPECT_TRUE(topology.link(1, 0).unified);
  EXPECT_EQ(topology.moveNs(0, 1, 2500), 10000u);
  EXPECT_DOUBLE_EQ(topology.models[0].gflops, 7); // what the program says stays
  EXPECT_DOUBLE_EQ(topology.models[0].memoryGbps, 12);
  EXPECT_DOUBLE_EQ(topology.models[1].gflops, 30);
}

TEST_F(ReadTopology, LinksWithTheHost) {
  EXPECT_EQ(apply(R"({"devices": [{"name": "local[0]"}, {"name": "b"}], "links": [
    {"from": "host", "to": "b", "bandwidth_gbps": 8, "latency_us": 2}, {"from": "b", "to": "host", "bandwidth_gbps": 4, "latency_us": 0},
    {"from": "host", "to": "local[0]", "bandwidth_gbps": 8, "latency_us": 1, "unified": true}]})"),
            "");
  ASSERT_TRUE(ok);
  flow::Topology topology = flow::Topology::of(*module);
  EXPECT_EQ(topology.fromHostNs(0, 8000), 0u);
  EXPECT_EQ(topology.fromHostNs(1, 8000), 3000u);
  EXPECT_EQ(topology.toHostNs(0, 8000), 0u);
  EXPECT_EQ(topology.toHostNs(1, 8000), 2000u);
}

// A GPU without a rate is not taken for slower than the processor that was measured.
TEST_F(ReadTopology, WhatWasNotMeasuredIsNotSlower) {
  EXPECT_EQ(apply(R"({"devices": [{"name": "local[0]", "gflops": 5, "memory_gbps": 30}, {"name": "b", "memory_gbps": 4},
    {"name": "fast", "gflops": 250}]})"),
            "topology '" + path.string() +
                "' names devices that the program does not have: fast[0]; its devices: @b (b), @a (local[0])\n");
  ASSERT_TRUE(ok);
  flow::Topology topology = flow::Topology::of(*module);
  EXPECT_DOUBLE_EQ(topology.models[1].gflops, 250);
  EXPECT_DOUBLE_EQ(topology.models[1].memoryGbps, 4);
  apply(R"({"devices": [{"name": "local[0]", "gflops": 5}, {"name": "b"}]})");
  EXPECT_DOUBLE_EQ(flow::Topology::of(*module).models[1].gflops, 100); // the default
}

TEST_F(ReadTopology, DevicesOfADriverInOrder) {
  EXPECT_EQ(apply(R"({"links": [{"from": "local[1]", "to": "local[0]", "latency_us": 3}], "devices": []})"), "");
  ASSERT_TRUE(ok);
  EXPECT_DOUBLE_EQ(flow::Topology::of(*module).link(1, 0).latencyUs, 3);
  std::string remark = apply(R"({"devices": [{"name": "local[0]"}]})");
  EXPECT_TRUE(ok);
  EXPECT_NE(remark.find("says nothing of @b (local[1]); heddle devices --measure takes --device=URI for each"),
            std::string::npos)
      << remark;
}

TEST_F(ReadTopology, WhatTheProgramDoesNotHaveIsSaid) {
  std::string remark = apply(R"({"devices": [{"name": "local[0]"}, {"name": "local[1]"}],
    "links": [{"from": "local[0]", "to": "lcoal"}, {"from": "host", "to": "local[1]"}]})");
  EXPECT_TRUE(ok);
  EXPECT_NE(
      remark.find("names devices that the program does not have: lcoal[0]; its devices: @a (local[0]), @b (local[1])"),
      std::string::npos)
      << remark;
}

TEST_F(ReadTopology, Refused) {
  EXPECT_EQ(applyFile("none.json"), "cannot be read: No such file or directory; heddle devices --measure writes one\n");
  EXPECT_EQ(apply("[]"), "must be a JSON object with 'devices' and 'links'\n");
  EXPECT_EQ(apply("{").substr(0, 13), "must be JSON:");
  EXPECT_EQ(apply(R"({"version": 2})"), "has version 2, this compiler reads version 1; measure again\n");
  EXPECT_EQ(apply(R"({"devices": [{}]})"), "device 0 needs 'name', a text\n");
  EXPECT_EQ(apply(R"({"devices": [{"name": "a", "gflops": -1}]})"), "device 0: 'gflops' must be a number above zero\n");
  EXPECT_EQ(apply(R"({"links": [{"from": "a"}]})"), "link 0 needs 'to', a text\n");
  EXPECT_EQ(apply(R"({"links": [{"from": "a", "to": "b", "unified": 1}]})"),
            "link 0: 'unified' must be true or false\n");
  EXPECT_EQ(apply(R"({"links": [{"from": "a", "to": "b"}, {"from": "a", "to": "b"}]})"),
            "link 1: the link from 'a' to 'b' is given twice\n");
  EXPECT_EQ(apply(R"({"links": {}})"), "'links' must be a list\n");
  EXPECT_EQ(apply(R"({"devices": 3})"), "'devices' must be a list\n");
  EXPECT_EQ(apply(R"({"version": "1"})"), "has version \"1\", this compiler reads version 1; measure again\n");
  EXPECT_EQ(apply(R"({"link": []})"),
            "the file has an unknown key 'link'; known: version, machine, devices, links; did you mean 'links'?\n");
  EXPECT_EQ(apply(R"({"devices": [{"name": "a", "gflop": 1}]})"),
            "device 0 has an unknown key 'gflop'; known: name, uri, gflops, memory_gbps, queues, units; did you mean "
            "'gflops'?\n");
  EXPECT_EQ(apply(R"({"devices": [{"name": "a", "queues": 1.5}]})"),
            "device 0: 'queues' must be a whole number up to 1048576\n");
  EXPECT_EQ(apply(R"({"devices": [{"name": "a", "units": 0}]})"), "device 0: 'units' must be a number above zero\n");
  EXPECT_EQ(
      apply(R"({"links": [{"from": "a", "to": "b", "unifed": true}]})"),
      "link 0 has an unknown key 'unifed'; known: from, to, bandwidth_gbps, latency_us, unified, transparent; did "
      "you mean 'unified'?\n");
  EXPECT_EQ(apply(R"({"links": [{"from": "a", "to": "b", "latency_us": 1e999}]})"),
            "link 0: 'latency_us' must be a number from zero on\n");
  std::string both =
      std::string("module attributes {device.topology = #device.topology<[#device.link<@a -> @b, {unified}>]>} {") +
      kTwo + "}";
  EXPECT_EQ(apply("{}", both.c_str()), "the module has a device.topology already; give one of the two\n");
  EXPECT_FALSE(ok);
}

} // namespace
