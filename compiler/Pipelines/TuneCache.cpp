// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines/TuneCache.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace mlir::heddle;

// Grows when code generation changes so that old winners mean nothing.
static constexpr StringLiteral kVersion = "heddle-tune 1 LLVM " LLVM_VERSION_STRING;

static std::string hashOf(StringRef text) { return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16); }

std::string TuneCache::makeKey(StringRef kernel) { return hashOf((kVersion + "\n" + kernel).str()); }

Attribute TuneCache::find(StringRef key) {
  if (folder.empty())
    return nullptr;
  auto file = llvm::MemoryBuffer::getFile(pathOf(key), /*IsText=*/true);
  if (!file)
    return nullptr;
  auto [hash, text] = (*file)->getBuffer().split('\n');
  Attribute winner;
  if (hash == hashOf((key + "\n" + text).str()))
    winner = dyn_cast_or_null<DictionaryAttr>(parseAttribute(text, location.getContext()));
  if (!winner)
    emitWarning(location) << "the tuning cache has a damaged file, which is ignored and written again: '" << pathOf(key)
                          << "'";
  return winner;
}

void TuneCache::store(StringRef key, Attribute winner) {
  if (folder.empty())
    return;
  std::string text;
  llvm::raw_string_ostream(text) << winner;
  // Renamed when complete: another compilation may read or write it now.
  SmallString<128> temporary;
  int descriptor = -1;
  std::error_code error = llvm::sys::fs::create_directories(folder);
  if (!error)
    error = llvm::sys::fs::createUniqueFile(pathOf(key) + ".%%%%%%%%", descriptor, temporary);
  if (!error) {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    stream << hashOf((key + "\n" + text).str()) << '\n' << text;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (!error)
    error = llvm::sys::fs::rename(temporary, pathOf(key));
  if (error && !temporary.empty())
    (void)llvm::sys::fs::remove(temporary);
  if (error && !toldOfWriting) {
    toldOfWriting = true;
    emitWarning(location) << "the tuning cache '" << folder << "' cannot be written: " << error.message()
                          << "; winners are used, but not kept";
  }
}
