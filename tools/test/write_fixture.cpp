// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the artifact of the tools' tests: usage: heddle_tools_fixture KERNELS.so OUT.heddle
//
//   main(a: [n]xf32, b: [n]xf32) -> (sum: [n]xf32 = a + b, scaled: [n]xf32 = 2 * a)
//   copy16(x: 2xbf16) -> (y: 2xbf16 = x)          refuse(x: 3xf32) -> (y: 3xf32), always fails
//   nothing() -> ()
#include "contract/test/SampleArtifact.h"

#include <fstream>
#include <iterator>

namespace {

namespace fb = heddle::fb;
using heddle::contract::ElementType;
using namespace heddle::contract::test;

std::unique_ptr<fb::FunctionT> addAndScale() {
  auto out = function("main", R"(
    const s1 4
    mul s2 s0 s1
    const s3 1
    const s4 0
    parameter b4 p0
    result b2 r0 x0 s2
    result b3 r1 x0 s2
    dispatch t0 0.0 s3 s4 [b0 b1 b2] [s0]
    dispatch t0 0.1 s3 s4 [b0 b4 b3] [s0]
    set_result r0 b2 [s0]
    set_result r1 b3 [s0]
    return)",
                      5, 5);
  for (const char *name : {"a", "b"})
    out->arguments.push_back(value(name, ElementType::F32, {fb::Dim(0, 0)}));
  for (const char *name : {"sum", "scaled"})
    out->results.push_back(value(name, ElementType::F32, {fb::Dim(0, 0)}));
  out->symbols.push_back(std::make_unique<fb::SymbolT>());
  out->symbols[0]->name = "n";
  out->symbols[0]->min = 1;
  out->symbols[0]->max = 1000000;
  return out;
}

std::unique_ptr<fb::FunctionT> copy16() {
  auto out = function("copy16", R"(
    const s0 4
    const s1 0
    result b1 r0 x0 s0
    copy t0 b1 s1 b0 s1 s0
    const s2 2
    set_result r0 b1 [s2]
    return)",
                      3, 2);
  out->arguments.push_back(value("x", ElementType::BF16, {fb::Dim(2, -1)}));
  out->results.push_back(value("y", ElementType::BF16, {fb::Dim(2, -1)}));
  return out;
}

std::unique_ptr<fb::FunctionT> refuse() {
  auto out = function("refuse", R"(
    const s0 12
    const s1 1
    const s2 0
    const s3 3
    parameter b2 p0
    result b1 r0 x0 s0
    dispatch t0 0.2 s1 s2 [b0 b2 b1] [s3]
    set_result r0 b1 [s3]
    return)",
                      4, 3);
  out->arguments.push_back(value("x", ElementType::F32, {fb::Dim(3, -1)}));
  out->results.push_back(value("y", ElementType::F32, {fb::Dim(3, -1)}));
  return out;
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
  module.devices.push_back(device("device_0", {"local", "null"}));
  module.executables.push_back(executable("vector", {"fixture_add", "fixture_scale", "fixture_refuse"}, 3, 1));
  module.parameters.push_back(std::make_unique<fb::ParameterT>());
  module.parameters[0]->key = "factor";
  module.parameters[0]->type = static_cast<uint8_t>(ElementType::F32);
  module.parameters[0]->shape = {1};
  module.locations.push_back(location("/Add_1"));
  module.functions.push_back(addAndScale());
  module.functions.push_back(copy16());
  module.functions.push_back(refuse());
  module.functions.push_back(function("nothing", "return", 0, 0));
  std::vector<std::byte> file = build(module, std::as_bytes(std::span(code)));
  std::ofstream out(argv[2], std::ios::binary);
  out.write(reinterpret_cast<const char *>(file.data()), static_cast<std::streamsize>(file.size()));
  return out.flush() ? 0 : 1;
}
