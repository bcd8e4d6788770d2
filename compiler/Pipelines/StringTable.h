// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings kept once, sorted and front-coded: names of a model's nodes have long beginnings in common.
#ifndef HEDDLE_COMPILER_PIPELINES_STRINGTABLE_H
#define HEDDLE_COMPILER_PIPELINES_STRINGTABLE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace mlir::heddle {

//   StringTable table;
//   int64_t first = table.add("layer/1/MatMul"), second = table.add("layer/1/Add");
//   table.finish()          // [0, "layer/1/Add", 8, "MatMul"]
//   table.position(second)  // 0
class StringTable {
public:
  // The number of a string, until finish(). Bytes that are not UTF-8 are replaced.
  int64_t add(llvm::StringRef text);
  // For each string in ascending order of bytes: how many first bytes it shares with the one before, and the rest.
  llvm::json::Array finish();
  // After finish(): where the string of that number is.
  int64_t position(int64_t number) const { return positions[number]; }

private:
  llvm::StringMap<int64_t> numbers;
  std::vector<std::string> texts;
  std::vector<int64_t> positions;
};

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_PIPELINES_STRINGTABLE_H
