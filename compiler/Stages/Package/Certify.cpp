// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Stages/Package/Certify.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"
#include "compiler/Dialect/Flow/IR/Overwrites.h"
#include "compiler/Dialect/Host/Analysis/Verifier.h"
#include "heddle/contract/Certificate.h"
#include "heddle/contract/InstructionReader.h"
#include "heddle/contract/ProgramCheck.h"

#include <set>

using namespace mlir;
using namespace mlir::heddle;
namespace fb = ::heddle::fb;
namespace contract = ::heddle::contract;
using contract::Assumed;
using contract::Left;
using contract::Proved;

namespace {

template <typename Kind> uint8_t number(Kind kind) { return static_cast<uint8_t>(kind); }

// The meshes of the collectives that the code names.
std::set<uint32_t> meshesOf(const fb::FunctionT &function, const fb::ModuleT &module) {
  std::set<uint32_t> meshes;
  std::span<const uint32_t> words(function.code);
  for (size_t at = 0; at < words.size(); at += contract::instructionWords(words[at]))
    contract::readOperands(words.subspan(at), [&](const contract::Operand &operand) {
      if (operand.kind == 'j')
        meshes.insert(module.collectives[operand.value]->mesh);
      return true;
    });
  return meshes;
}

std::unique_ptr<fb::ProvedFunctionT> describe(const fb::ModuleT &module, uint32_t index) {
  const fb::FunctionT &function = *module.functions[index];
  auto out = std::make_unique<fb::ProvedFunctionT>();
  out->function = index;
  std::set<uint32_t> meshes = meshesOf(function, module);
  out->meshes.assign(meshes.begin(), meshes.end());
  out->proved = {number(Proved::Order), number(Proved::Ownership), number(Proved::Content), number(Proved::Overlap)};
  out->assumed = {number(Assumed::Streams), number(Assumed::Kernels)};
  out->left = {number(Left::Sizes), number(Left::Views)};
  if (meshes.empty())
    return out;
  out->proved.insert(out->proved.end(), {number(Proved::Meetings), number(Proved::Lengths)});
  out->assumed.insert(out->assumed.end(), {number(Assumed::EqualKernels), number(Assumed::OneProgram)});
  out->left.insert(out->left.end(), {number(Left::Mesh), number(Left::Pieces)});
  return out;
}

std::vector<fb::InPlace> findInPlace(ModuleOp module, const fb::ModuleT &out) {
  std::vector<fb::InPlace> pairs;
  SymbolTable symbols(module);
  for (auto [i, executable] : llvm::enumerate(out.executables))
    if (auto op = symbols.lookup<flow::ExecutableOp>(executable->name))
      for (const flow::Overwrite &pair : flow::getOverwrites(op))
        pairs.emplace_back(i, 0, pair.result, pair.operand);
  return pairs;
}

} // namespace

void mlir::heddle::certify(ModuleOp module, fb::ModuleT &out, std::vector<std::vector<uint32_t>> &runs) {
  if (!module->hasAttr(host::kProvedAttr))
    return;
  out.certificate = std::make_unique<fb::CertificateT>();
  fb::CertificateT &certificate = *out.certificate;
  certificate.version = contract::kCertificateVersion;
  certificate.in_place = findInPlace(module, out);
  for (size_t i = 0; i < out.functions.size(); ++i) {
    if (out.functions[i]->bind)
      continue;
    certificate.functions.push_back(describe(out, i));
    certificate.functions.back()->runs = std::move(runs[i]);
  }
  auto packed = [&](auto &&visit) {
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(fb::Module::Pack(builder, &out));
    visit(*fb::GetModule(builder.GetBufferPointer()));
  };
  packed([&](const fb::Module &view) {
    for (auto &proved : certificate.functions)
      proved->dataflow = contract::dataflowOf(view, proved->function);
  });
  packed([&](const fb::Module &view) { certificate.hash = contract::certifiedHash(view); });
}
