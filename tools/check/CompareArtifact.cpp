// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/check/Artifact.h"

#include "compiler/Dialect/Flow/IR/FlowOps.h"

#include "heddle/contract/ArtifactVerifier.h"
#include "heddle/contract/Artifact_generated.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::check;
namespace contract = ::heddle::contract;
namespace fb = ::heddle::fb;

static StringRef slice(std::span<const std::byte> section, uint64_t offset, uint64_t bytes) {
  return {reinterpret_cast<const char *>(section.data()) + offset, static_cast<size_t>(bytes)};
}

static StringRef bytesOf(const Tensor &tensor) { return {tensor.data, tensor.byteCount()}; }

static ArtifactFault compareParameters(ModuleOp module, const contract::ArtifactView &artifact) {
  if (!artifact.module->parameters())
    return {};
  for (const fb::Parameter *parameter : *artifact.module->parameters()) {
    std::string key = parameter->key()->str();
    auto op = module.lookupSymbol<flow::ParameterOp>(key);
    FailureOr<Tensor> value = op ? reference::tensorOf(op.getValue()) : FailureOr<Tensor>();
    if (failed(value))
      return {"holds a parameter @" + key + " that the module does not have", key};
    if (slice(artifact.data, parameter->offset(), parameter->bytes()) != bytesOf(*value))
      return {"the bytes of parameter @" + key + " differ", key};
  }
  return {};
}

static ArtifactFault compareCode(ModuleOp module, const contract::ArtifactView &artifact) {
  if (!artifact.module->executables())
    return {};
  for (const fb::Executable *executable : *artifact.module->executables()) {
    std::string name = executable->name()->str();
    auto op = module.lookupSymbol<flow::ExecutableOp>(name);
    if (!op)
      return {"holds an executable @" + name + " that the module does not have", name};
    for (auto [variant, written] : llvm::zip(op.getBody().getOps<flow::VariantOp>(), *executable->variants())) {
      FailureOr<Tensor> object = reference::tensorOf(variant.getObject());
      if (succeeded(object) && slice(artifact.code, written->code_offset(), written->code_bytes()) != bytesOf(*object))
        return {"the code of executable @" + name + " differs", name};
    }
  }
  return {};
}

ArtifactFault check::compareArtifact(ModuleOp module, const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                                          /*IsVolatile=*/false, llvm::Align(64));
  if (!file)
    return {"cannot read '" + path + "': " + file.getError().message(), ""};
  std::span<const std::byte> bytes(reinterpret_cast<const std::byte *>((*file)->getBufferStart()),
                                   (*file)->getBufferSize());
  if (std::optional<contract::ArtifactError> error = contract::verifyArtifact(bytes))
    return {error->message, ""};
  contract::ArtifactView artifact = contract::viewArtifact(bytes);
  ArtifactFault fault = compareParameters(module, artifact);
  return fault.text.empty() ? compareCode(module, artifact) : fault;
}
