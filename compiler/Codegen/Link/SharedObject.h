// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From an LLVM module to a linked shared object, in process.
#ifndef HEDDLE_COMPILER_CODEGEN_LINK_SHAREDOBJECT_H
#define HEDDLE_COMPILER_CODEGEN_LINK_SHAREDOBJECT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir::heddle::codegen {

// What was unrolled when it was emitted, so that LLVM need not look for it.
enum class Unrolled {
  Nothing,
  Tiles,     // in registers; several loops make their addresses
  Addresses, // tiles whose addresses are constants away from one pointer
  Calls,     // tiles are computed by microkernels: the passes are those of Tiles, however short the code is
  Short,     // a microkernel, or code that takes little of a call's time: those of Addresses, however short it is
};

// Optimises (level 0 to 3; no calls to library functions are made up) and emits position-independent code. Thread safe
// on different modules. The bytes depend on the arguments alone. Where `unrolled` code is long, levels 1 and 2 leave
// out those of LLVM's passes over loops that find nothing there: their time grows faster than the code does.
llvm::Expected<llvm::SmallVector<char, 0>> compileToObject(llvm::Module &module, llvm::TargetMachine &machine,
                                                           unsigned optLevel, Unrolled unrolled = Unrolled::Nothing);
// The same as text, in the target's assembly language.
llvm::Expected<llvm::SmallVector<char, 0>> compileToAssembly(llvm::Module &module, llvm::TargetMachine &machine,
                                                             unsigned optLevel);

// Overwrites the 32-bit words at a symbol that the object (not yet linked) defines in a section of its own bytes. Fails
// when there is no such symbol or the section ends before them.
llvm::Error setWords(llvm::MutableArrayRef<char> object, llvm::StringRef symbol, llvm::ArrayRef<int32_t> words);

// Links objects into an ELF shared object without dependencies; fails on a symbol that none of them defines, naming
// it. Thread safe (lld is not: calls wait for one another). Uses a temporary folder.
llvm::Expected<llvm::SmallVector<char, 0>> linkSharedObject(llvm::ArrayRef<llvm::ArrayRef<char>> objects);

// Links `object` and `others` once for each list of words, of equal lengths, which `symbol` of `object` holds there;
// the object's bytes change. The result is that of setWords and linkSharedObject for each; but as words move nothing,
// two links tell where they lie, and more are copies.
llvm::Expected<std::vector<llvm::SmallVector<char, 0>>> linkForEach(llvm::MutableArrayRef<char> object,
                                                                    llvm::ArrayRef<llvm::ArrayRef<char>> others,
                                                                    llvm::StringRef symbol,
                                                                    llvm::ArrayRef<llvm::ArrayRef<int32_t>> lists);

} // namespace mlir::heddle::codegen

#endif // HEDDLE_COMPILER_CODEGEN_LINK_SHAREDOBJECT_H
