// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the artifact of many ranks of the tools' tests: usage: heddle_tools_ranks_fixture KERNELS.so OUT.heddle
//
// A mesh @m = [x = ?]. `whole` values are spread over x along their only dimension, `same` ones are equal on all ranks,
// the others are each rank's own.
//   main(a: [n]xf32 whole, b: [n]xf32 own) -> (total: [n]xf32 same = the parts of a added up,
//                                              sum: [n]xf32 whole = a + b, mine: [n]xf32 own = 2 * b)
//   differs(a: [n]xf32 own) -> (y: [n]xf32 same = 2 * a): what it says of y is not so
//   refuse(a: [n]xf32 whole) -> (y: [n]xf32 same): the rank with coordinate 1 fails in a kernel, the others wait for it
//   hang(a: [n]xf32 whole) -> (y: [n]xf32 same): that rank never ends its kernel
#include "contract/test/SampleArtifact.h"
#include "heddle/contract/Collectives.h"

#include <fstream>
#include <iterator>

namespace {

namespace fb = heddle::fb;
using heddle::contract::ElementType;
using namespace heddle::contract::test;

enum class Spread { Own, Same, Whole };

std::unique_ptr<fb::ValueT> vector(const char *name, Spread spread) {
  auto out = value(name, ElementType::F32, {fb::Dim(0, 0)});
  if (spread == Spread::Own)
    return out;
  out->mesh = 0;
  out->shards.push_back(std::make_unique<fb::RankListT>());
  if (spread == Spread::Whole)
    out->shards[0]->ranks = {0};
  return out;
}

std::unique_ptr<fb::FunctionT> withSize(std::unique_ptr<fb::FunctionT> function) {
  function->symbols.push_back(std::make_unique<fb::SymbolT>());
  function->symbols[0]->name = "n";
  function->symbols[0]->min = 1;
  function->symbols[0]->max = 1000000;
  return function;
}

std::unique_ptr<fb::FunctionT> mainFunction() {
  auto out = withSize(function("main", R"(
    const s1 4
    mul s2 s0 s1
    const s3 1
    const s4 0
    parameter b5 p0
    result b2 r0 x0 s2
    result b3 r1 x0 s2
    result b4 r2 x0 s2
    comm_stream t1
    record e0 t0
    wait t1 e0
    collective t1 j0 b0 b2 s0
    record e1 t1
    dispatch t0 0.0 s3 s4 [b0 b1 b3] [s0]
    dispatch t0 0.1 s3 s4 [b1 b5 b4] [s0]
    wait t0 e1
    set_result r0 b2 [s0]
    set_result r1 b3 [s0]
    set_result r2 b4 [s0]
    return)",
                               5, 6, 2, 2));
  out->arguments.push_back(vector("a", Spread::Whole));
  out->arguments.push_back(vector("b", Spread::Own));
  out->results.push_back(vector("total", Spread::Same));
  out->results.push_back(vector("sum", Spread::Whole));
  out->results.push_back(vector("mine", Spread::Own));
  return out;
}

std::unique_ptr<fb::FunctionT> differs() {
  auto out = withSize(function("differs", R"(
    const s1 4
    mul s2 s0 s1
    const s3 1
    const s4 0
    parameter b2 p0
    result b1 r0 x0 s2
    dispatch t0 0.1 s3 s4 [b0 b2 b1] [s0]
    set_result r0 b1 [s0]
    return)",
                               5, 3));
  out->arguments.push_back(vector("a", Spread::Own));
  out->results.push_back(vector("y", Spread::Same));
  return out;
}

// The rank with coordinate 1 runs this export first.
std::unique_ptr<fb::FunctionT> badRank(const char *name, const std::string &kernel) {
  auto out = withSize(function(name, R"(
    const s1 4
    mul s2 s0 s1
    const s3 1
    const s4 0
    parameter b2 p0
    result b1 r0 x0 s2
    coordinate s5 g0 0
    cmp_eq s5 s5 s3
    br_if s5 @bad @good
    @bad
    dispatch t0 )" + kernel + R"( s3 s4 [b0 b2 b1] [s0]
    br @good
    @good
    comm_stream t1
    record e0 t0
    wait t1 e0
    collective t1 j0 b0 b1 s0
    record e1 t1
    wait t0 e1
    set_result r0 b1 [s0]
    return)",
                               6, 3, 2, 2));
  out->arguments.push_back(vector("a", Spread::Whole));
  out->results.push_back(vector("y", Spread::Same));
  return out;
}

void addMesh(fb::ModuleT &module) {
  module.meshes.push_back(std::make_unique<fb::MeshT>());
  module.meshes[0]->name = "m";
  module.meshes[0]->axes.push_back(std::make_unique<fb::MeshAxisT>());
  module.meshes[0]->axes[0]->name = "x";
  module.collectives.push_back(std::make_unique<fb::CollectiveT>());
  fb::CollectiveT &sum = *module.collectives[0];
  sum.kind = static_cast<uint8_t>(heddle::contract::CollectiveKind::AllReduce);
  sum.type = static_cast<uint8_t>(ElementType::F32);
  sum.axes = {0};
  sum.name = "psum";
  sum.location = 0;
}

} // namespace

int main(int argc, char **argv) {
  std::ifstream kernels(argc > 2 ? argv[1] : "", std::ios::binary);
  std::string code{std::istreambuf_iterator<char>(kernels), {}};
  if (code.empty())
    return 1;
  fb::ModuleT module;
  module.producer = "heddle tools test";
  module.report = "{}";
  module.devices.push_back(device("device_0", {"local", "sim"}));
  module.executables.push_back(
      executable("vector", {"fixture_add", "fixture_scale", "fixture_refuse", "fixture_hang"}, 3, 1));
  module.parameters.push_back(std::make_unique<fb::ParameterT>());
  module.parameters[0]->key = "factor";
  module.parameters[0]->type = static_cast<uint8_t>(ElementType::F32);
  module.parameters[0]->shape = {1};
  module.locations.push_back(location("/Psum_1"));
  addMesh(module);
  module.functions.push_back(mainFunction());
  module.functions.push_back(differs());
  module.functions.push_back(badRank("refuse", "0.2"));
  module.functions.push_back(badRank("hang", "0.3"));
  std::vector<std::byte> file = build(module, std::as_bytes(std::span(code)));
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char *>(file.data()), static_cast<std::streamsize>(file.size()));
  return out.flush() ? 0 : 1;
}
