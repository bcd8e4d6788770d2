// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Object code of kernels that were compiled before: of an edited model only what changed goes through LLVM. A file for
// each, named by the BLAKE3 digest of the kernel's LLVM IR as bitcode, the target, the level and the compiler. Inside
// are the digest of the code and the code; what is not whole is as good as not there. Files appear by a rename, so
// threads and processes share a folder. Who can write to it is not checked here but by whom the folder is named.
#ifndef HEDDLE_COMPILER_CODEGEN_LINK_OBJECTCACHE_H
#define HEDDLE_COMPILER_CODEGEN_LINK_OBJECTCACHE_H

#include "compiler/Codegen/Link/SharedObject.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace mlir::heddle::codegen {

class ObjectCache {
public:
  // Says where kernels of the module are kept, for of(). `compiler`: a text that differs for each build of the compiler
  // and its libraries. An empty folder: nowhere.
  static void attach(ModuleOp module, StringRef folder, StringRef compiler);
  static void detach(ModuleOp module);
  // The cache of the module around an op; without one all is compiled.
  static ObjectCache of(Operation *op);

  // compileToObject() with the cache in front. A folder that cannot be written to costs nothing but time.
  llvm::Expected<llvm::SmallVector<char, 0>> compile(llvm::Module &module, llvm::TargetMachine &machine,
                                                     unsigned optLevel, Unrolled unrolled) const;

private:
  std::string pathOf(const llvm::Module &module, const llvm::TargetMachine &machine, unsigned optLevel,
                     Unrolled unrolled) const;
  static std::optional<llvm::SmallVector<char, 0>> read(const std::string &path);
  static void write(const std::string &path, llvm::ArrayRef<char> object);

  std::string folder, compiler;
};

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_LINK_OBJECTCACHE_H
