// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The placement file of `--place-file=`: where the nodes of a model that says nothing of devices run, and which run
// over streams of their device.
//
//   # A comment. The first line whose pattern fits a node's name decides: one of devices, and one of streams.
//   encoder/*  = gpu
//   encoder/mm = stream(0, 4, parts = 16)
//   decoder/?? = cpu
//   l[0]/exp   = gpu
#ifndef HEDDLE_COMPILER_STAGES_DEVICES_PLACEFILE_H
#define HEDDLE_COMPILER_STAGES_DEVICES_PLACEFILE_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir::heddle {

struct PlaceRule {
  std::string pattern, device; // as written; the device without an '@', empty where the line is of streams
  unsigned line;               // from 1
  // What stands between the brackets of each `stream(…)`, from the outermost loop in: the text of a #flow.stream_axis.
  std::vector<std::string> streams = {};
  // Whether the pattern fits the whole name (NodeNames.h).
  bool fits(llvm::StringRef name) const;
};

// The rules of a file's text in order. Fails with `error`, a message that begins with the line, as "3: expected …".
bool parsePlaceFile(llvm::StringRef text, std::vector<PlaceRule> &rules, std::string &error);

} // namespace mlir::heddle

#endif // HEDDLE_COMPILER_STAGES_DEVICES_PLACEFILE_H
