// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "contract/test/SampleArtifact.h"
#include "tools/inspect/Describe.h"
#include "tools/inspect/Summary.h"

#include "heddle/contract/Collectives.h"
#include "heddle/contract/ElementType.h"
#include "heddle/contract/Instructions.h"
#include "tools/lib/Error.h"
#include "tools/lib/test/Expect.h"

#include <limits>

namespace heddle::tools {
namespace {

using contract::ElementType;
using contract::Opcode;

void emit(std::vector<uint32_t> &code, Opcode opcode, std::vector<uint32_t> operands) {
  code.push_back(static_cast<uint32_t>(opcode) | static_cast<uint32_t>(operands.size() + 1) << 16);
  code.insert(code.end(), operands.begin(), operands.end());
}

template <typename T> T &add(std::vector<std::unique_ptr<T>> &to) { return *to.emplace_back(std::make_unique<T>()); }

// One entry point y = f(x: [n]x4xf32) with a parameter, a dispatch and a select of two devices.
fb::ModuleT makeModule() {
  fb::ModuleT module;
  module.producer = "heddle test";
  auto &name = add(module.model), &classes = add(module.metadata);
  name.key = "graph_name";
  name.value = "detector";
  classes.key = "names";
  classes.value = "cat, dog";
  module.report = "{\"dispatches\": 1}";
  auto &device = add(module.devices);
  device.name = "gpu";
  auto &first = add(device.alternatives);
  first.driver = "vulkan";
  first.ordinal = 1;
  auto &second = add(device.alternatives);
  second.driver = "local";
  second.formats = {"elf-x86_64"};
  second.given = 2;
  auto &location = add(module.locations);
  location.name = "/layer/MatMul";
  auto &executable = add(module.executables);
  executable.name = "matmul";
  auto &entry = add(executable.exports);
  entry.name = "matmul_nx4x4";
  entry.bindings = 3;
  auto &variant = add(executable.variants);
  variant.target = "x86_64-v3";
  variant.format = "elf-x86_64";
  variant.features = {"avx2"};
  variant.code_bytes = 2048;
  auto &parameter = add(module.parameters);
  parameter.key = "weight";
  parameter.type = static_cast<uint8_t>(ElementType::F32);
  parameter.shape = {4, 4};
  parameter.bytes = 64;
  parameter.hash = 0xabc;
  auto &function = add(module.functions);
  function.name = "main";
  auto &symbol = add(function.symbols);
  symbol.name = "n";
  symbol.min = 1;
  auto &x = add(function.arguments);
  x.name = "x";
  x.type = static_cast<uint8_t>(ElementType::F32);
  x.dims = {fb::Dim(-1, 0), fb::Dim(4, -1)};
  auto &y = add(function.results);
  y.name = "y";
  y.type = static_cast<uint8_t>(ElementType::F32);
  y.dims = {fb::Dim(-1, 0), fb::Dim(4, -1)};
  emit(function.code, Opcode::Stream, {1, 0, 0});
  emit(function.code, Opcode::Parameter, {1, 0});
  emit(function.code, Opcode::Const, {1, 16, 0});
  emit(function.code, Opcode::Mul, {2, 0, 1});
  emit(function.code, Opcode::Result, {2, 0, 0, 2});
  emit(function.code, Opcode::Dispatch, {1, 0, 0, 0, 1, 3, 0, 1, 2, 1, 0});
  emit(function.code, Opcode::SetResult, {0, 2, 2, 0, 1});
  emit(function.code, Opcode::Return, {});
  return module;
}

contract::Header makeHeader() {
  contract::Header header{};
  header.formatVersion = 1;
  header.instructionSet = 1;
  header.kernelAbi = 1;
  header.fileBytes = 10240;
  return header;
}

TEST(Describe, KeysAndValues) {
  Json json = describe(makeModule(), makeHeader());
  std::string keys;
  for (auto &[key, value] : json.items())
    keys += key + " ";
  EXPECT_EQ(keys,
            "format producer model metadata file_bytes entry_points devices executables parameters globals meshes "
            "collectives overlaps certificate host report ");
  EXPECT_TRUE(json["certificate"].is_null());
  EXPECT_EQ(json["model"].dump(), R"({"graph_name":"detector"})");
  EXPECT_EQ(json["metadata"].dump(), R"({"names":"cat, dog"})");
  EXPECT_EQ(
      json["entry_points"].dump(),
      R"([{"name":"main","arguments":[{"name":"x","type":"f32","shape":["n",4]}],)"
      R"("results":[{"name":"y","type":"f32","shape":["n",4]}],"dimensions":[{"name":"n","min":1,"max":null}],"state":[]}])");
  EXPECT_EQ(json["devices"].dump(), R"([{"name":"gpu","alternatives":[{"driver":"vulkan","ordinal":1,"formats":[]},)"
                                    R"({"driver":"local","ordinal":null,"formats":["elf-x86_64"],"given":2}]}])");
  EXPECT_EQ(json["executables"].dump(),
            R"([{"name":"matmul","exports":[{"name":"matmul_nx4x4","bindings":3,"constants":0,)"
            R"("source":"/layer/MatMul"}],"variants":[{"target":"x86_64-v3","format":"elf-x86_64",)"
            R"("features":["avx2"],"bytes":2048}]}])");
  EXPECT_EQ(json["parameters"].dump(), R"([{"scope":"","key":"weight","type":"f32","shape":[4,4],"layout":"",)"
                                       R"("bytes":64,"hash":"0000000000000abc"}])");
  EXPECT_EQ(json["report"]["dispatches"], 1);
}

// Numbers that this Heddle does not know are named, and indices of what is not there do no harm.
TEST(Describe, Certificate) {
  fb::ModuleT module = makeModule();
  module.certificate = std::make_unique<fb::CertificateT>();
  module.certificate->version = 1;
  module.certificate->functions.push_back(std::make_unique<fb::ProvedFunctionT>());
  module.certificate->functions[0]->meshes = {7};
  module.certificate->functions[0]->proved = {1, 200};
  Json json = describe(module, makeHeader())["certificate"];
  EXPECT_EQ(json["programs"][0]["name"], "main");
  EXPECT_EQ(json["programs"][0]["meshes"].dump(), R"(["?"])");
  EXPECT_EQ(json["programs"][0]["proved"].dump(),
            R"(["each buffer is freed once and not used after it; a call ends after all of its work",)"
            R"~("what a later version of Heddle knows (200)"])~");
}

TEST(Describe, Host) {
  std::string lines;
  Json json = describe(makeModule(), makeHeader());
  for (const Json &instruction : json["host"]) {
    EXPECT_EQ(instruction["function"], "main");
    lines += instruction["op"].get<std::string>() + "|" + instruction["name"].get<std::string>() + "|" +
             instruction["device"].get<std::string>() + "|" + instruction["binding"].get<std::string>() + "\n";
  }
  EXPECT_EQ(lines, "stream||gpu|compile\n"
                   "parameter|weight||compile\n"
                   "const|||compile\n"
                   "mul|||call\n"
                   "result|y|gpu|call\n"
                   "dispatch|matmul_nx4x4|gpu|call\n"
                   "set_result|y||call\n"
                   "return|||compile\n");
}

TEST(Describe, Ranks) {
  fb::ModuleT module = makeModule();
  auto &mesh = add(module.meshes);
  mesh.name = "m";
  for (auto [name, size] : {std::pair("x", 2), std::pair("y", -1)}) {
    auto &axis = add(mesh.axes);
    axis.name = name;
    axis.size = size;
  }
  auto &sum = add(module.collectives);
  sum.kind = static_cast<uint8_t>(contract::CollectiveKind::AllReduce);
  sum.type = static_cast<uint8_t>(ElementType::F32);
  sum.axes = {1, 0};
  sum.location = 0;
  auto &move = add(module.collectives);
  move.kind = static_cast<uint8_t>(contract::CollectiveKind::Permute);
  move.type = static_cast<uint8_t>(ElementType::I8);
  move.pairs = {0, 1};
  add(move.groups).ranks = {0, 1};
  auto &x = *module.functions[0]->arguments[0];
  x.mesh = 0;
  add(x.shards).ranks = {0};
  add(x.shards);
  Json json = describe(module, makeHeader());
  EXPECT_EQ(json["meshes"][0]["axes"][1]["name"], "y");
  EXPECT_EQ(json["collectives"][0]["reduction"], "sum");
  EXPECT_EQ(json["collectives"][0]["axes"].dump(), R"(["y","x"])");
  EXPECT_EQ(json["collectives"][0]["source"], "/layer/MatMul");
  EXPECT_EQ(json["collectives"][1]["groups"].dump(), "[[0,1]]");
  EXPECT_EQ(json["collectives"][1]["pairs"].dump(), "[[0,1]]");
  EXPECT_EQ(json["entry_points"][0]["arguments"][0]["sharding"]["dims"].dump(), R"([["x"],[]])");
  module.collectives[0]->axes = {7};
  EXPECT_THROW(describe(module, makeHeader()), Failure);
}

TEST(Describe, WhatIsKeptBetweenCalls) {
  fb::ModuleT module = contract::test::sampleModule();
  contract::test::addState(module);
  Json json = describe(module, makeHeader());
  const Json &keep = json["entry_points"][1];
  EXPECT_EQ(keep["arguments"].dump(), R"([{"name":"d","type":"f32","shape":[1],"donated_to":"y"}])");
  EXPECT_EQ(keep["results"].dump(), R"([{"name":"y","type":"f32","shape":[1]}])");
  EXPECT_EQ(keep["state"].dump(), R"([{"global":"kept","reads":true,"writes":true,"in_place":true},)"
                                  R"({"global":"made","reads":false,"writes":true,"in_place":false}])");
  EXPECT_EQ(json["globals"].dump(),
            R"([{"name":"kept","type":"f32","shape":[1],"device":"device_0","initial":"factor"},)"
            R"({"name":"made","type":"f32","shape":[1],"device":"device_0","initial":null}])");
  std::string text = summarizeArtifact(json, "a.heddle", 10);
  EXPECT_NE(text.find("  keep(d: 1xf32 (donated to y)) -> (y: 1xf32), keeps kept (in place), keeps made\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("kept between calls\n  kept: 1xf32 on device_0, at first parameter factor\n"
                      "  made: 1xf32 on device_0, at first zeros\n"),
            std::string::npos)
      << text;
}

TEST(Describe, FallbackIsAnotherDevice) {
  fb::ModuleT module = makeModule();
  auto &third = add(module.devices[0]->alternatives);
  third.driver = "";
  third.fallback = "cpu";
  Json json = describe(module, makeHeader());
  EXPECT_EQ(json["devices"][0]["alternatives"][2].dump(), R"({"fallback":"cpu"})");
  EXPECT_NE(
      summarizeArtifact(json, "a.heddle", 10)
          .find("  gpu: vulkan[1], else local at position 2 of the devices given (elf-x86_64), else the same as cpu\n"),
      std::string::npos);
}

TEST(Describe, DimensionsWithoutNameOrKnownOnlyAfterTheCall) {
  fb::ModuleT module = makeModule();
  module.functions[0]->symbols[0]->name = "";
  module.functions[0]->results[0]->dims = {fb::Dim(-1, -1)};
  Json entry = describe(module, makeHeader())["entry_points"][0];
  EXPECT_EQ(entry["arguments"][0]["shape"].dump(), R"(["?",4])");
  EXPECT_EQ(entry["results"][0]["shape"].dump(), R"(["?"])");
}

TEST(Describe, BindFunctionIsNoEntryPoint) {
  fb::ModuleT module = makeModule();
  module.functions[0]->bind = true;
  Json json = describe(module, makeHeader());
  EXPECT_TRUE(json["entry_points"].empty());
  EXPECT_EQ(json["host"].size(), 8u);
}

TEST(Describe, NamesThatAreNotUtf8) {
  fb::ModuleT module = makeModule();
  module.parameters[0]->key = "\xff\xfe";
  module.report = "not JSON";
  Json json = describe(module, makeHeader());
  EXPECT_TRUE(json["report"].is_null());
  EXPECT_NE(toText(json).find("\"key\": \"\xef\xbf\xbd\xef\xbf\xbd\""), std::string::npos);
}

TEST(Describe, IndexOutOfRange) {
  fb::ModuleT module = makeModule();
  module.parameters.clear();
  EXPECT_EQ(test::messageOf<Failure>([&] { describe(module, makeHeader()); }),
            "the artifact is malformed: parameter 0 of 0");
}

TEST(Summary, Page) {
  EXPECT_EQ(summarizeArtifact(describe(makeModule(), makeHeader()), "m.heddle"),
            "m.heddle: 10.0 KiB, format 1, by heddle test\n"
            "model\n"
            "  graph_name: detector\n"
            "metadata\n"
            "  names: cat, dog\n"
            "entry points\n"
            "  main(x: [n]x4xf32) -> (y: [n]x4xf32)\n"
            "devices\n"
            "  gpu: vulkan[1], else local at position 2 of the devices given (elf-x86_64)\n"
            "executables: 1, 2.0 KiB\n"
            "  matmul {matmul_nx4x4}: x86_64-v3 2.0 KiB\n"
            "parameters: 1, 64 B\n"
            "  weight: 4x4xf32, 64 B\n"
            "host program: 8 instructions\n"
            "  const 1, dispatch 1, mul 1, parameter 1, result 1, return 1, set_result 1, stream 1\n"
            "  known at: call 4, compile 4\n");
}

TEST(Summary, LongListsAreCut) {
  fb::ModuleT module = makeModule();
  for (int i = 0; i < 5; ++i)
    add(module.parameters).key = "more";
  std::string page = summarizeArtifact(describe(module, makeHeader()), "m", 2);
  EXPECT_NE(page.find("  … 4 more (--json lists all)\n"), std::string::npos);
}

} // namespace
} // namespace heddle::tools
