// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Winners of tuning, a file each: `tune-KEY` in a folder. A file that is not whole counts as none.
#ifndef HEDDLE_COMPILER_PIPELINES_TUNECACHE_H
#define HEDDLE_COMPILER_PIPELINES_TUNECACHE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"

#include <string>

namespace mlir::heddle {

class TuneCache {
public:
  // An empty folder name: nothing is kept. Warnings are diagnostics at `location`, the first of a kind only.
  TuneCache(std::string folder, Location location) : folder(std::move(folder)), location(location) {}

  // Of all that a kernel's speed depends on: its text, the targets, the compiler.
  static std::string makeKey(StringRef kernel);

  // Null: not there, or damaged, of which a warning tells.
  Attribute find(StringRef key);
  void store(StringRef key, Attribute winner);

private:
  std::string pathOf(StringRef key) const { return folder + "/tune-" + key.str(); }

  std::string folder;
  Location location;
  bool toldOfWriting = false;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_TUNECACHE_H
