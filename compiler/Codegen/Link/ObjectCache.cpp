// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Codegen/Link/ObjectCache.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace mlir::heddle;
using namespace mlir::heddle::codegen;

static constexpr StringLiteral kFolderAttr = "kernel.cache_folder";
static constexpr StringLiteral kCompilerAttr = "kernel.cache_compiler";
static constexpr size_t kDigest = LLVM_BLAKE3_OUT_LEN;

void ObjectCache::attach(ModuleOp module, StringRef folder, StringRef compiler) {
  if (folder.empty())
    return;
  module->setAttr(kFolderAttr, StringAttr::get(module.getContext(), folder));
  module->setAttr(kCompilerAttr, StringAttr::get(module.getContext(), compiler));
}

void ObjectCache::detach(ModuleOp module) {
  module->removeAttr(kFolderAttr);
  module->removeAttr(kCompilerAttr);
}

ObjectCache ObjectCache::of(Operation *op) {
  ObjectCache cache;
  auto module = op->getParentOfType<ModuleOp>();
  auto text = [&](StringRef name) {
    auto attribute = module ? module->getAttrOfType<StringAttr>(name) : StringAttr();
    return attribute ? attribute.str() : std::string();
  };
  cache.folder = text(kFolderAttr);
  cache.compiler = text(kCompilerAttr);
  return cache;
}

std::string ObjectCache::pathOf(const llvm::Module &module, const llvm::TargetMachine &machine, unsigned optLevel,
                                Unrolled unrolled) const {
  llvm::BLAKE3 digest;
  auto add = [&](StringRef text) { // with its length in front
    std::string size = std::to_string(text.size()) + ":";
    digest.update(size);
    digest.update(text);
  };
  add("heddle kernel 1");
  add(compiler);
  add(machine.getTargetTriple().str());
  add(machine.getTargetCPU());
  add(machine.getTargetFeatureString());
  add(std::to_string(optLevel));
  add(std::to_string(static_cast<int>(unrolled)));
  SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream stream(bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  add({bitcode.data(), bitcode.size()});
  return folder + "/" + llvm::toHex(digest.final(), /*LowerCase=*/true);
}

std::optional<SmallVector<char, 0>> ObjectCache::read(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file || (*file)->getBufferSize() <= kDigest)
    return std::nullopt;
  StringRef digest = (*file)->getBuffer().take_front(kDigest), code = (*file)->getBuffer().drop_front(kDigest);
  auto own = llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(code));
  if (digest != llvm::toStringRef(own))
    return std::nullopt;
  // Its time says when it was used last.
  int descriptor = -1;
  if (!llvm::sys::fs::openFileForRead(path, descriptor)) {
    (void)llvm::sys::fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
    llvm::sys::fs::file_t handle = llvm::sys::fs::convertFDToNativeFile(descriptor);
    (void)llvm::sys::fs::closeFile(handle);
  }
  return SmallVector<char, 0>(code.begin(), code.end());
}

void ObjectCache::write(const std::string &path, ArrayRef<char> object) {
  SmallString<128> temporary;
  int descriptor = -1;
  if (llvm::sys::fs::createUniqueFile(path + ".tmp-%%%%%%%%", descriptor, temporary, llvm::sys::fs::OF_None,
                                      llvm::sys::fs::owner_read | llvm::sys::fs::owner_write))
    return;
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  StringRef code(object.data(), object.size());
  stream << llvm::toStringRef(llvm::BLAKE3::hash(llvm::arrayRefFromStringRef(code))) << code;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  if (error || llvm::sys::fs::rename(temporary, path))
    (void)llvm::sys::fs::remove(temporary);
}

llvm::Expected<SmallVector<char, 0>> ObjectCache::compile(llvm::Module &module, llvm::TargetMachine &machine,
                                                          unsigned optLevel, Unrolled unrolled) const {
  if (folder.empty())
    return compileToObject(module, machine, optLevel, unrolled);
  std::string path = pathOf(module, machine, optLevel, unrolled);
  if (std::optional<SmallVector<char, 0>> known = read(path))
    return std::move(*known);
  auto object = compileToObject(module, machine, optLevel, unrolled);
  if (object)
    write(path, *object);
  return object;
}
